#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "executor_fixture.h"

static const struct ls_executor_kind *const kind = &ls_executor_direct;

/* Unit 13 fails; the others say where in the packed range they stand. */
static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  int *calls = state;
  ++*calls;
  if (work->units.first == 13) return ls_fail(err, LS_EINVAL, "thirteen");
  ls_bytes_printf(output, "%d+%d %.*s", (int)(work->units.first - work->packed.first),
                  (int)work->units.count, (int)work->length, (const char *)work->input);
  return LS_OK;
}

static const struct ls_app app = {.name = "direct", .compute = compute};

static void unit_has_ended_when_start_returns(void **state) {
  (void)state;
  int calls = 0;
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.app = &app, .state = &calls});
  struct ls_execution end;
  assert_false(kind->finished(executor, &end));
  assert_true(isinf(kind->patience_s(executor)) != 0);
  struct ls_range units = {12, 2}, packed = {10, 5};
  assert_int_equal(start_work(kind, executor, make_work(units, packed, "in", 2), NULL), LS_OK);
  assert_int_equal(calls, 1);
  assert_int_equal(kind->file(executor), -1);
  /* A unit that is cancelled too late is done. */
  kind->cancel(executor);
  assert_true(kind->patience_s(executor) <= 0);
  assert_true(kind->finished(executor, &end));
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(end.output), "2+2 in");
  assert_int_equal(end.units.first, 12);
  assert_int_equal(end.units.count, 2);
  assert_false(kind->finished(executor, &end));
  kind->destroy(executor);
}

static enum ls_status receive(void *state, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err) {
  (void)err;
  (void)snprintf(state, 32, "%u:%.*s", (unsigned)iteration, (int)bytes->length, bytes->data);
  return LS_OK;
}

static enum ls_status compute_nothing(void *state, const struct ls_work *work,
                                      struct ls_bytes *output, struct ls_error *err) {
  (void)state;
  (void)work;
  (void)output;
  (void)err;
  return LS_OK;
}

/* What was broadcast for another iteration is not for this one. */
static void what_is_broadcast_comes_before_the_first_unit_of_its_iteration(void **state) {
  static const struct ls_app hearing = {
      .name = "hearing", .receive = receive, .compute = compute_nothing};
  (void)state;
  char heard[32] = "";
  struct ls_bytes news = {0};
  ls_bytes_append_text(&news, "good news");
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.app = &hearing, .state = heard});
  struct ls_work work = make_work((struct ls_range){1, 1}, (struct ls_range){1, 1}, "", 0);
  kind->receive(executor, 3, &news);
  work.iteration = 3;
  assert_int_equal(start_work(kind, executor, work, NULL), LS_OK);
  (void)await_end(kind, executor);
  assert_string_equal(heard, "3:good news");
  work.iteration = 4;
  assert_int_equal(start_work(kind, executor, work, NULL), LS_OK);
  (void)await_end(kind, executor);
  assert_string_equal(heard, "4:");
  kind->destroy(executor);
  ls_bytes_close(&news);
}

static void failure_does_not_stain_the_next_unit(void **state) {
  (void)state;
  int calls = 0;
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.app = &app, .state = &calls});
  struct ls_range thirteen = {13, 1}, next = {14, 1};
  assert_int_equal(start_work(kind, executor, make_work(thirteen, thirteen, "", 0), NULL), LS_OK);
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_string_equal(ls_bytes_text(end.error_output), "direct: thirteen\n");
  assert_int_equal(start_work(kind, executor, make_work(next, next, "", 0), NULL), LS_OK);
  end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_int_equal(end.error_output->length, 0);
  kind->destroy(executor);
  kind->destroy(NULL);
}

static void short_calls_get_more_units(void **state) {
  (void)state;
  int calls = 0;
  struct ls_executor *executor =
      make_executor(kind, (struct ls_executor_setup){.app = &app, .state = &calls});
  uint64_t most = kind->units_max(executor);
  assert_int_equal(most, 1);
  for (int i = 0; i < 30; ++i) {
    struct ls_range units = {100, kind->units_max(executor)};
    assert_int_equal(start_work(kind, executor, make_work(units, units, "", 0), NULL), LS_OK);
    (void)await_end(kind, executor);
    if (kind->units_max(executor) > most) most = kind->units_max(executor);
  }
  assert_true(most > 1);
  kind->destroy(executor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unit_has_ended_when_start_returns),
      cmocka_unit_test(what_is_broadcast_comes_before_the_first_unit_of_its_iteration),
      cmocka_unit_test(failure_does_not_stain_the_next_unit),
      cmocka_unit_test(short_calls_get_more_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
