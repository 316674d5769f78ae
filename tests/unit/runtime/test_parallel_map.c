#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/os/parallel_map.h"

enum { ITEMS = 200 };

struct answer {
  size_t index;
  double value;
};

static enum ls_status compute_value(void *context, size_t index, void *result,
                                    struct ls_error *err) {
  (void)err;
  const double *factor = context;
  struct answer *answer = result;
  assert(answer->index == 0 && answer->value == 0.0); /* zeros before */
  *answer = (struct answer){.index = index, .value = *factor * sin((double)index)};
  return LS_OK;
}

static void expect_no_children(void) {
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void results_stand_in_order_and_are_the_same_on_any_number_of_processes(void **state) {
  (void)state;
  static struct answer alone[ITEMS], many[ITEMS];
  double factor = 0.1;
  struct ls_parallel_map map = {.count = ITEMS,
                                .result_bytes = sizeof(struct answer),
                                .processes = 1,
                                .compute = compute_value,
                                .context = &factor};
  assert_int_equal(ls_parallel_map(&map, alone, NULL), LS_OK);
  for (size_t i = 0; i < ITEMS; i++) assert_int_equal(alone[i].index, i);
  for (map.processes = 2; map.processes <= 7; map.processes++) {
    memset(many, 0xff, sizeof many);
    assert_int_equal(ls_parallel_map(&map, many, NULL), LS_OK);
    assert_memory_equal(alone, many, sizeof many);
    expect_no_children();
  }
}

static void more_processes_than_items_and_no_items_at_all_are_fine(void **state) {
  (void)state;
  struct answer answers[2];
  double factor = 1;
  struct ls_parallel_map map = {.count = 2,
                                .result_bytes = sizeof(struct answer),
                                .processes = 16,
                                .compute = compute_value,
                                .context = &factor};
  assert_int_equal(ls_parallel_map(&map, answers, NULL), LS_OK);
  assert_int_equal(answers[1].index, 1);
  map.count = 0;
  assert_int_equal(ls_parallel_map(&map, NULL, NULL), LS_OK);
}

static enum ls_status fail_from_thirty(void *context, size_t index, void *result,
                                       struct ls_error *err) {
  (void)context;
  (void)result;
  if (index < 30) return LS_OK;
  return ls_fail(err, LS_EINVAL, "item %zu: bad", index);
}

/* Items are given out in order, so the lowest failing one is always tried. */
static void the_failure_of_the_lowest_item_is_reported(void **state) {
  (void)state;
  static char results[ITEMS];
  for (size_t processes = 1; processes <= 4; processes++) {
    struct ls_error err = {0};
    struct ls_parallel_map map = {
        .count = ITEMS, .result_bytes = 1, .processes = processes, .compute = fail_from_thirty};
    memset(results, 7, sizeof results);
    assert_int_equal(ls_parallel_map(&map, results, &err), LS_EINVAL);
    assert_string_equal(err.text, "item 30: bad");
    assert_int_equal(err.status, LS_EINVAL);
    for (size_t i = 0; i < ITEMS; i++) assert_int_equal(results[i], 7); /* untouched */
    expect_no_children();
  }
}

static enum ls_status kill_oneself_at_five(void *context, size_t index, void *result,
                                           struct ls_error *err) {
  (void)context;
  (void)result;
  (void)err;
  if (index == 5) (void)raise(SIGKILL);
  return LS_OK;
}

static void a_crash_names_the_item_and_the_signal(void **state) {
  (void)state;
  static char results[ITEMS];
  struct ls_error err = {0};
  struct ls_parallel_map map = {
      .count = ITEMS, .result_bytes = 1, .processes = 2, .compute = kill_oneself_at_five};
  assert_int_equal(ls_parallel_map(&map, results, &err), LS_EIO);
  assert_non_null(strstr(err.text, "item 5"));
  assert_non_null(strstr(err.text, "signal 9"));
  expect_no_children();
}

static enum ls_status leave_at_five(void *context, size_t index, void *result,
                                    struct ls_error *err) {
  (void)context;
  (void)result;
  (void)err;
  if (index == 5) _exit(3);
  return LS_OK;
}

static void a_process_that_leaves_names_the_item_and_its_status(void **state) {
  (void)state;
  static char results[ITEMS];
  struct ls_error err = {0};
  struct ls_parallel_map map = {
      .count = ITEMS, .result_bytes = 1, .processes = 2, .compute = leave_at_five};
  assert_int_equal(ls_parallel_map(&map, results, &err), LS_EIO);
  assert_non_null(strstr(err.text, "item 5"));
  assert_non_null(strstr(err.text, "exit status 3"));
}

static void too_many_results_are_refused_before_anything_runs(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_parallel_map map = {
      .count = SIZE_MAX / 2, .result_bytes = 16, .processes = 2, .compute = kill_oneself_at_five};
  assert_int_equal(ls_parallel_map(&map, NULL, &err), LS_ENOMEM);
  assert_non_null(strstr(err.text, "16 bytes"));
}

static enum ls_status print_nothing_twice(void *context, size_t index, void *result,
                                          struct ls_error *err) {
  (void)context;
  (void)index;
  (void)result;
  (void)err;
  return LS_OK;
}

/* A buffer that the caller has filled must not be flushed by every process as well. */
static void what_the_caller_has_not_yet_printed_is_printed_once(void **state) {
  (void)state;
  FILE *file = tmpfile();
  char results[4], text[64];
  struct ls_parallel_map map = {
      .count = 4, .result_bytes = 1, .processes = 4, .compute = print_nothing_twice};
  assert_non_null(file);
  fputs("once", file);
  assert_int_equal(ls_parallel_map(&map, results, NULL), LS_OK);
  fflush(file);
  rewind(file);
  size_t length = fread(text, 1, sizeof text, file);
  assert_int_equal(length, 4);
  fclose(file);
}

static void this_machine_can_run_at_least_one_process(void **state) {
  (void)state;
  assert_true(ls_parallel_processes() >= 1);
  assert_true(ls_parallel_processes() <= (size_t)sysconf(_SC_NPROCESSORS_CONF));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_stand_in_order_and_are_the_same_on_any_number_of_processes),
      cmocka_unit_test(more_processes_than_items_and_no_items_at_all_are_fine),
      cmocka_unit_test(the_failure_of_the_lowest_item_is_reported),
      cmocka_unit_test(a_crash_names_the_item_and_the_signal),
      cmocka_unit_test(a_process_that_leaves_names_the_item_and_its_status),
      cmocka_unit_test(too_many_results_are_refused_before_anything_runs),
      cmocka_unit_test(what_the_caller_has_not_yet_printed_is_printed_once),
      cmocka_unit_test(this_machine_can_run_at_least_one_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
