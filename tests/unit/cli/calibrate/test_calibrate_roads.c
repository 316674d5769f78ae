#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "../../../support/journal_of_chunks.h"
#include "cli/calibrate/calibrate_roads.h"

static struct ls_roads_run made_runs[] = {{10, 11, 10.1}, {20, (double)NAN, (double)NAN}};
static const char *const paths[] = {"monday", "tuesday"};

static struct ls_roads make_roads(void) {
  return (struct ls_roads){.runs = made_runs,
                           .count = 2,
                           .is_held_out = true,
                           .fit = {.transfer_latency_s = 0.25, .compute_factor = 1.5}};
}

static void people_see_both_roads_beside_what_happened(void **state) {
  (void)state;
  struct ls_roads roads = make_roads();
  struct ls_bytes out = {0};
  ls_roads_write_text(&roads, paths, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "each run is predicted from the others"));
  assert_non_null(strstr(text, "11    +10.00 %         10.1     +1.00 %\n"));
  assert_non_null(
      strstr(text, "tuesday                                20            -           -"));
  assert_non_null(strstr(text, "a transfer takes +0.25 s a chunk"));
  assert_non_null(strstr(text, "multiplied by 1.5000\n"));
  ls_bytes_close(&out);
}

static void machines_read_both_roads(void **state) {
  (void)state;
  struct ls_roads roads = make_roads();
  struct ls_bytes out = {0};
  double happened, by_makespans, factor;
  ls_roads_write_json(&roads, paths, &out);
  json_t *document = json_loads(ls_bytes_text(&out), 0, NULL);
  assert_non_null(document);
  assert_int_equal(json_unpack(document, "{s:F, s:[{s:F, s:F}]}", "compute_factor", &factor, "runs",
                               "happened", &happened, "by_makespans", &by_makespans),
                   0);
  assert_true(fabs(factor - 1.5) <= 0 && fabs(happened - 10) <= 0 &&
              fabs(by_makespans - 10.1) <= 0);
  json_decref(document);
  ls_bytes_close(&out);
}

/* This journal tells results, but of no chunk when it was sent. */
static void runs_that_tell_no_chunks_are_refused(void **state) {
  (void)state;
  const char *const journals[] = {journal_path, file_path};
  struct ls_calibration_options options = {.tolerance = (double)NAN};
  struct ls_platform platform;
  struct ls_roads roads;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t count = 1; count <= 2; count++) {
    struct ls_error err = {0};
    struct ls_roads_setup setup = {.count = count, .options = &options};
    assert_int_equal(ls_calibrate_roads_read(journals, &setup, &platform, &roads, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, count == 1 ? "nothing that could be predicted" : file_path));
  }
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(people_see_both_roads_beside_what_happened),
      cmocka_unit_test(machines_read_both_roads),
      cmocka_unit_test(runs_that_tell_no_chunks_are_refused),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
