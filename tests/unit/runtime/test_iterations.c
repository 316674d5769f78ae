#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/iterations.h"

enum { ASKED_MAX = 8 };

struct program {
  uint32_t asked[ASKED_MAX];
  size_t count;
};

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  struct program *program = state;
  program->asked[program->count++] = iteration;
  if (iteration == 3) return ls_fail(err, LS_EIO, "no third");
  *units = 100 + iteration;
  return LS_OK;
}

static const struct ls_app app = {.name = "app", .units = count_units};

static void each_iteration_is_asked_for_once(void **state) {
  (void)state;
  struct program program = {.count = 0};
  struct ls_iterations iterations;
  uint64_t units = 0;
  ls_iterations_init(&iterations, &app, &program, NULL);
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(ls_iterations_units(&iterations, i / 2, &units, NULL), LS_OK);
    assert_int_equal(units, 100 + i / 2);
  }
  assert_int_equal(program.count, 3);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(program.asked[i], i);
}

static void what_was_asked_before_is_not_asked_again(void **state) {
  (void)state;
  struct program program = {.count = 0};
  struct ls_iterations iterations;
  uint64_t units = 0, first = 42;
  ls_iterations_init(&iterations, &app, &program, &first);
  assert_int_equal(ls_iterations_units(&iterations, 0, &units, NULL), LS_OK);
  assert_int_equal(units, 42);
  assert_int_equal(program.count, 0);
  assert_int_equal(ls_iterations_units(&iterations, 1, &units, NULL), LS_OK);
  assert_int_equal(units, 101);
  assert_int_equal(program.count, 1);
}

static void a_failure_is_no_answer(void **state) {
  (void)state;
  struct program program = {.count = 0};
  struct ls_iterations iterations;
  struct ls_error err = {0};
  uint64_t units = 7;
  ls_iterations_init(&iterations, &app, &program, NULL);
  assert_int_equal(ls_iterations_units(&iterations, 3, &units, &err), LS_EIO);
  assert_string_equal(err.text, "no third");
  assert_int_equal(units, 7);
  assert_int_equal(ls_iterations_units(&iterations, 4, &units, &err), LS_OK);
  assert_int_equal(units, 104);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_iteration_is_asked_for_once),
      cmocka_unit_test(what_was_asked_before_is_not_asked_again),
      cmocka_unit_test(a_failure_is_no_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
