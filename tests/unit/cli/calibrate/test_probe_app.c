#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <string.h>

#include "cli/calibrate/probe_subject.h"

enum { UNITS = 20, FAILING = 7 };

/* Computes only what it was packed and told before. */
static enum ls_status app_units(void *state, uint32_t iteration, uint64_t *units,
                                struct ls_error *err) {
  (void)state;
  (void)iteration;
  (void)err;
  *units = UNITS;
  return LS_OK;
}

static enum ls_status app_broadcast(void *state, uint32_t iteration, struct ls_bytes *bytes,
                                    struct ls_error *err) {
  (void)state;
  (void)iteration;
  (void)err;
  ls_bytes_append_text(bytes, "told");
  return LS_OK;
}

static bool is_told;

static enum ls_status app_receive(void *state, uint32_t iteration, const struct ls_bytes *bytes,
                                  struct ls_error *err) {
  (void)state;
  (void)iteration;
  (void)err;
  is_told = bytes->length == 4 && memcmp(bytes->data, "told", 4) == 0;
  return LS_OK;
}

static enum ls_status app_pack(void *state, struct ls_range units, uint32_t slot,
                               struct ls_bytes *input, struct ls_error *err) {
  (void)state;
  (void)slot;
  (void)err;
  for (uint64_t i = 0; i < units.count; i++) ls_bytes_append_char(input, (char)(units.first + i));
  return LS_OK;
}

static enum ls_status app_stage(void *state, const struct ls_work *work, struct ls_bytes *staged,
                                struct ls_error *err) {
  (void)state;
  (void)err;
  ls_bytes_append(staged, work->input, work->length);
  return LS_OK;
}

static enum ls_status app_compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                                  struct ls_error *err) {
  (void)state;
  (void)output;
  const char *input = work->staged != NULL ? work->staged : work->input;
  if (!is_told || work->length != work->units.count || (uint64_t)input[0] != work->units.first)
    return ls_fail(err, LS_EINVAL, "it was not packed as it should be");
  if (work->units.count == FAILING) return ls_fail(err, LS_EINVAL, "seven are too many");
  return LS_OK;
}

static struct ls_app make_app(bool has_stage) {
  return (struct ls_app){.name = "sevens",
                         .units = app_units,
                         .broadcast = app_broadcast,
                         .receive = app_receive,
                         .pack = app_pack,
                         .stage = has_stage ? app_stage : NULL,
                         .compute = app_compute};
}

static enum ls_status measure(const struct ls_app *app, double size,
                              struct ls_measurements *measurements, struct ls_error *err) {
  struct ls_probe_target target = {.app = app, .slots = 2, .seed = 1};
  struct ls_probe_subject subject;
  struct ls_probe_slot slot = {.number = 1, .size = size};
  assert_int_equal(ls_probe_subject_open(&target, &subject, err), LS_OK);
  assert_true(subject.size_most >= UNITS && subject.size_most <= UNITS);
  assert_int_equal(ls_measurements_worker(measurements, "a", 1, &slot.worker, err), LS_OK);
  assert_int_equal(subject.kind->start(&subject, &slot, err), LS_OK);
  struct pollfd look = {.fd = subject.kind->file(&subject, &slot), .events = POLLIN};
  while (!subject.kind->has_ended(&subject, &slot)) (void)poll(&look, look.fd >= 0 ? 1 : 0, 10);
  enum ls_status status = subject.kind->take(&subject, &slot, measurements, err);
  ls_probe_subject_close(&subject);
  return status;
}

static void units_are_computed_with_their_input(void **state) {
  (void)state;
  for (int has_stage = 0; has_stage < 2; has_stage++) {
    struct ls_app app = make_app(has_stage != 0);
    struct ls_measurements measurements = {.items = NULL};
    struct ls_error err = {0};
    if (measure(&app, 5, &measurements, &err) != LS_OK) fail_msg("%s", err.text);
    assert_int_equal(measurements.count, 2 + has_stage);
    assert_int_equal(measurements.items[0].measured, LS_OPERATION_COMPUTE);
    assert_true(measurements.items[0].units >= 5 && measurements.items[0].units <= 5);
    if (has_stage) assert_int_equal(measurements.items[1].measured, LS_OPERATION_STAGE);
    assert_int_equal(measurements.items[1 + has_stage].measured, LS_OPERATION_PREPARE);
    ls_measurements_close(&measurements);
  }
}

static void units_that_fail_are_named(void **state) {
  (void)state;
  struct ls_app app = make_app(false);
  struct ls_measurements measurements = {.items = NULL};
  struct ls_error err = {0};
  assert_int_equal(measure(&app, FAILING, &measurements, &err), LS_EINVAL);
  assert_int_equal(strncmp(err.text, "sevens: units ", 14), 0);
  assert_non_null(strstr(err.text, " failed: sevens: seven are too many"));
  assert_int_equal(measurements.count, 0);
  ls_measurements_close(&measurements);
}

static enum ls_status no_units(void *state, uint32_t iteration, uint64_t *units,
                               struct ls_error *err) {
  (void)state;
  (void)iteration;
  (void)err;
  *units = 0;
  return LS_OK;
}

static void what_has_nothing_to_measure_is_refused(void **state) {
  (void)state;
  struct ls_app app = make_app(false), commands = {.name = "run", .runs_commands = true};
  struct ls_probe_target target = {.app = &app, .slots = 1};
  struct ls_probe_subject subject;
  struct ls_error err = {0};
  app.units = no_units;
  assert_int_equal(ls_probe_subject_open(&target, &subject, &err), LS_EINVAL);
  assert_string_equal(err.text, "sevens has no units to measure");
  target.app = &commands;
  assert_int_equal(ls_probe_subject_open(&target, &subject, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "the units of run are commands"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_are_computed_with_their_input),
      cmocka_unit_test(units_that_fail_are_named),
      cmocka_unit_test(what_has_nothing_to_measure_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
