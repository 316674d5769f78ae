#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate_fixture.h"

static void expect_words(const struct ls_bytes *out, const char *words) {
  if (strstr(ls_bytes_text(out), words) == NULL)
    fail_msg("'%s' is not in:\n%s", words, ls_bytes_text(out));
}

static void people_read_laws_windows_groups_and_tasks(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_bytes out = {0};
  fixture_open(&fixture);
  ls_calibrate_write_text(&fixture.result, &out);
  expect_words(&out, "60 measurements of 2 workers in 1 file; 2 not completed left out\n");
  expect_words(&out, "The workers differ, in 2 groups (within 5 %");
  expect_words(&out, "\nfast\n  1 to 10 units, an affine window: 10 sizes");
  expect_words(&out, "  11 to 20 units, an affine window");
  expect_words(&out, "    compute             1  1..1  ");
  expect_words(&out, " 0.5  0.5..0.5 ");
  expect_words(&out, "fast                   0.5000       20           2           0  constant");
  expect_words(&out, "slow                   1.5000        1 ");
  fixture_close(&fixture);
  ls_bytes_close(&out);
}

static void what_cannot_be_told_is_named(void **state) {
  (void)state;
  struct ls_calibrate_sources sources = {.failed = 0};
  struct ls_calibration calibration;
  struct ls_calibration_options options = {.tolerance = 0.25, .seeks_windows = true};
  struct ls_bytes out = {0};
  for (int i = 0; i < 20; i++) {
    fixture_add(&sources.measurements, "a", LS_OPERATION_COMPUTE, 7, 1 + 0.01 * (i % 3));
    fixture_add(&sources.measurements, "b", LS_OPERATION_COMPUTE, 7, 1 + 0.01 * (i % 3));
    fixture_add(&sources.measurements, "a", LS_OPERATION_SEND, i + 1, 2 * i);
    fixture_add(&sources.measurements, "b", LS_OPERATION_SEND, i + 1, 2 * i);
  }
  assert_int_equal(ls_calibrate(&sources.measurements, &options, &calibration, NULL), LS_OK);
  struct ls_probe_setup probe = {.seed = 42};
  struct ls_calibrate_result result = {
      .sources = &sources, .files = 2, .tolerance = 0.25, .calibration = &calibration};
  ls_calibrate_write_text(&result, &out);
  expect_words(&out,
               "in 2 files\nThe workers are alike within TOL 0.25: a group's law is at most (x + "
               "1) 0.25 s off\n");
  expect_words(&out,
               "compute: latency and rate cannot be told apart, all chunks are of 7 units; "
               "worth measuring next:");
  expect_words(&out, "send as measured: latency -2 s, 2 s a unit; no cost may be < 0");
  expect_words(&out, "  not measured, so without a cost: prepare, transfer, receive, reply\n");
  /* Of what runs do not tell apart, a part has measurements of its own, and so it is told. */
  sources.measurements.in_transfer = 1U << LS_OPERATION_PREPARE | 1U << LS_OPERATION_SEND;
  ls_bytes_clear(&out);
  ls_calibrate_write_text(&result, &out);
  expect_words(&out, "  not measured, so without a cost: prepare, transfer, receive, reply\n");
  fixture_add(&sources.measurements, "a", LS_OPERATION_TRANSFER, 7, 0.5);
  ls_calibration_close(&calibration);
  assert_int_equal(ls_calibrate(&sources.measurements, &options, &calibration, NULL), LS_OK);
  ls_bytes_clear(&out);
  ls_calibrate_write_text(&result, &out);
  expect_words(&out,
               "  in transfer, a run does not tell them apart: prepare\n"
               "  not measured, so without a cost: receive, reply\n");
  ls_bytes_clear(&out);
  result.files = 0;
  result.probe = &probe;
  result.no_platform = "for want of anything";
  ls_calibrate_write_text(&result, &out);
  expect_words(&out, "81 measurements of 2 workers, measured with seed 42\n");
  expect_words(&out, "\nThis makes no platform: for want of anything\n");
  ls_calibration_close(&calibration);
  ls_calibrate_sources_close(&sources);
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(people_read_laws_windows_groups_and_tasks),
      cmocka_unit_test(what_cannot_be_told_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
