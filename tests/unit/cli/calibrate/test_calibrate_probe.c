#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "cli/calibrate/calibrate_probe.h"

static enum ls_status probe(const char *command, double seconds, size_t workers,
                            struct ls_measurements *measurements, struct ls_error *err) {
  const char *const words[] = {"sh", "-c", command};
  struct ls_probe_setup setup = {.words = words,
                                 .words_count = 3,
                                 .sizes = {1, 64, true},
                                 .seconds = seconds,
                                 .workers = workers,
                                 .measurements_most = 20,
                                 .seed = 1};
  *measurements = (struct ls_measurements){.items = NULL};
  return ls_probe_run(&setup, measurements, err);
}

static void sizes_are_measured_within_their_range(void **state) {
  (void)state;
  struct ls_measurements measurements;
  struct ls_error err = {0};
  if (probe("test {} -gt 0", 600, 2, &measurements, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(measurements.count, 20);
  assert_int_equal(measurements.workers_count, 2);
  assert_string_equal(measurements.workers[0], "local-1");
  for (size_t i = 0; i < measurements.count; i++) {
    const struct ls_measurement *item = &measurements.items[i];
    assert_int_equal(item->measured, LS_OPERATION_COMPUTE);
    assert_true(item->units >= 1 && item->units <= 64 &&
                fabs(item->units - round(item->units)) <= 0);
    assert_true(item->seconds > 0);
  }
  ls_measurements_close(&measurements);
}

static void a_command_that_fails_is_told_with_its_size(void **state) {
  (void)state;
  struct ls_measurements measurements;
  struct ls_error err = {0};
  assert_int_equal(probe("exit $(({} + 6))", 60, 1, &measurements, &err), LS_EINVAL);
  assert_string_equal(err.text, "sh of 1 units ended with exit code 7, expected 0");
  ls_measurements_close(&measurements);
  assert_int_equal(probe("test {} -gt 0; kill -9 $$", 60, 1, &measurements, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "was killed by signal 9"));
  ls_measurements_close(&measurements);
}

static void what_cannot_be_probed_is_refused(void **state) {
  (void)state;
  struct ls_measurements measurements;
  struct ls_error err = {0};
  assert_int_equal(probe("true", 60, 1, &measurements, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "has no {}"));
  ls_measurements_close(&measurements);
  assert_int_equal(probe("test {} -gt 0", 1e-9, 1, &measurements, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "too short for a single measurement"));
  ls_measurements_close(&measurements);
  const char *const words[] = {"/nowhere/at/all", "{}"};
  struct ls_probe_setup setup = {
      .words = words, .words_count = 2, .sizes = {1, 2, true}, .seconds = 60, .workers = 1};
  assert_int_equal(ls_probe_run(&setup, &measurements, &err), LS_EIO);
  ls_measurements_close(&measurements);
}

/* The command would last for hours: nobody waits for it. */
static void an_interrupt_ends_it(void **state) {
  (void)state;
  const char *const words[] = {"sleep", "{}0000"};
  static const _Atomic int interrupts = 1;
  struct ls_measurements measurements = {.items = NULL};
  struct ls_probe_setup setup = {.words = words,
                                 .words_count = 2,
                                 .sizes = {1, 2, true},
                                 .seconds = 60,
                                 .workers = 1,
                                 .interrupts = &interrupts};
  assert_int_equal(ls_probe_run(&setup, &measurements, NULL), LS_EINTERRUPTED);
  ls_measurements_close(&measurements);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_measured_within_their_range),
      cmocka_unit_test(a_command_that_fails_is_told_with_its_size),
      cmocka_unit_test(what_cannot_be_probed_is_refused),
      cmocka_unit_test(an_interrupt_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
