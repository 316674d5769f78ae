/* Libraries that are missing, or are others, are said in words; the loader of the system is
 * wrapped.  That this compiles shows that coin.h declares what the libraries' own headers do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <Cbc_C_Interface.h>
#include <Clp_C_Interface.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coin/coin.h"
#include "solve/linear.h"

#define IS_AS_DECLARED(name) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(ls_##name)), #name);
#define COIN_MODEL(library, type, name)                        IS_AS_DECLARED(name)
#define COIN_VALUE(library, type, name, parameters, arguments) IS_AS_DECLARED(name)
#define COIN_VOID(library, name, parameters, arguments)        IS_AS_DECLARED(name)
#include "coin/functions.h"
#undef COIN_MODEL
#undef COIN_VALUE
#undef COIN_VOID

static const char
    *missing; /* part of the name of a library, or of a function; NULL: all are there */
static int opened;

void *__real_dlopen(const char *name, int mode);
void *__wrap_dlopen(const char *name, int mode);
void *__wrap_dlopen(const char *name, int mode) {
  opened++;
  bool is_missing = missing != NULL && strstr(name, missing) != NULL;
  return __real_dlopen(is_missing ? "libof-no-machine.so.7" : name, mode);
}

void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name) {
  bool is_missing = missing != NULL && strcmp(name, missing) == 0;
  return __real_dlsym(handle, is_missing ? "a_function_that_nobody_has" : name);
}

/* max 3x + 2y, x + y <= 4, x <= 2.5 */
static enum ls_status solve(bool is_whole, double *objective, struct ls_error *err) {
  struct ls_linear program;
  struct ls_linear_solution solution = {.objective = 0};
  ls_linear_init(&program, true);
  size_t x = ls_linear_column(&program, 3), y = ls_linear_column(&program, 2);
  ls_linear_bound(&program, x, 0, 2.5);
  if (is_whole) ls_linear_integer(&program, x);
  (void)ls_linear_row(&program, LS_AT_MOST, 4);
  ls_linear_entry(&program, x, 1);
  ls_linear_entry(&program, y, 1);
  enum ls_status status = ls_linear_solve(&program, 0, &solution, err);
  *objective = solution.objective;
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  return status;
}

/* Once a process has loaded them, they stay: each case has a process of its own. */
static void expect_refused(const char *lacking, const char *words) {
  pid_t child = fork();
  if (child == 0) {
    struct ls_error err = {0};
    double objective;
    missing = lacking;
    bool is_right = true;
    for (int i = 0; i < 4; i++) {
      is_right = is_right && solve(i % 2 == 1, &objective, &err) == LS_EIO &&
                 strstr(err.text, "Clp and Cbc") != NULL && strstr(err.text, words) != NULL &&
                 ls_coin_failure() != NULL;
    }
    _exit(is_right ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void what_is_missing_is_named(void **state) {
  (void)state;
  expect_refused("libClp", "libof-no-machine.so.7");
  expect_refused("libCbc", "libof-no-machine.so.7");
  expect_refused("Clp_dual", "a_function_that_nobody_has");
  expect_refused("Cbc_bestSolution", "a_function_that_nobody_has");
}

/* Nothing is loaded before a program is solved, and then once. */
static void they_are_loaded_when_a_program_is_solved(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_linear program;
  double objective = 0;
  ls_linear_init(&program, false);
  ls_linear_close(&program);
  assert_int_equal(opened, 0);
  assert_null(ls_coin_failure());
  assert_int_equal(solve(false, &objective, &err), LS_OK);
  assert_true(objective > 10.5 - 1e-9 && objective < 10.5 + 1e-9);
  assert_int_equal(opened, 2);
  assert_int_equal(solve(true, &objective, &err), LS_OK);
  assert_true(objective > 10 - 1e-9 && objective < 10 + 1e-9);
  assert_int_equal(opened, 2);
  assert_null(ls_coin_failure());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_missing_is_named),
      cmocka_unit_test(they_are_loaded_when_a_program_is_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
