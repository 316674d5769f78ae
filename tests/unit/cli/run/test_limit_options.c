/* What tasks find, and take of their machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/limit_options.h"
#include "cli/run/run_options.h"
#include "option_key.h"

static void values_are_kept(void **state) {
  (void)state;
  struct ls_limit_options options = {0};
  const struct ls_command_manners *manners = &options.manners;
  setenv("ONE", "1 = one", 1);
  setenv("TWO", "", 1);
  static const struct {
    const char *name, *text;
  } given[] = {{"env", "ONE,TWO"}, {"nice", "5"},
               {"load", "2.5"},    {"memfree", "1k"},
               {"noswap", NULL},   {"process-slot-var", "OLD"},
               {"env", "ONE"},     {"process-slot-var", "GPU"},
               {"delay", "1m2s"}};
  for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
    struct ls_error err = {0};
    int key = find_key(given[i].name);
    assert_true(ls_limit_options_has(key));
    if (ls_limit_options_read(&options, key, given[i].text, &err) != LS_OK)
      fail_msg("%s", err.text);
  }
  assert_int_equal(manners->assignments_count, 3);
  assert_string_equal(manners->assignments[0], "ONE=1 = one");
  assert_string_equal(manners->assignments[1], "TWO=");
  assert_int_equal(manners->niceness, 5);
  assert_true(fabs(manners->load_most - 2.5) < 1e-12);
  assert_int_equal(manners->memory_least_bytes, 1000);
  assert_true(manners->avoids_swap && options.is_given);
  assert_string_equal(manners->slot_variable, "GPU");
  assert_true(fabs(options.delay_s - 62) < 1e-12);
  ls_limit_options_close(&options);
}

static void nonsense_is_refused_with_option_and_value(void **state) {
  (void)state;
  unsetenv("NOT_SET");
  static const struct {
    const char *name, *text;
  } wrong[] = {{"env", "NOT_SET"}, {"env", "A-B"},
               {"env", ""},        {"nice", "-1"},
               {"nice", "20"},     {"nice", "x"},
               {"load", "0"},      {"load", "-2"},
               {"load", "%"},      {"load", "many"},
               {"memfree", "0"},   {"memfree", "2X"},
               {"load", "nan"},    {"process-slot-var", "9"},
               {"delay", "0"},     {"delay", "soon"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_limit_options options = {0};
    struct ls_error err = {0};
    char option[64];
    snprintf(option, sizeof option, "--%s", wrong[i].name);
    if (ls_limit_options_read(&options, find_key(wrong[i].name), wrong[i].text, &err) != LS_EINVAL)
      fail_msg("--%s '%s' is taken", wrong[i].name, wrong[i].text);
    assert_non_null(strstr(err.text, option));
    assert_non_null(strstr(err.text, wrong[i].text));
    assert_non_null(strstr(err.text, "expected"));
    ls_limit_options_close(&options);
  }
}

/* Only what tasks find is told to workers. */
static void a_delay_is_the_masters(void **state) {
  (void)state;
  struct ls_run_options run = {.plan = "plan.json"};
  struct ls_error err = {0};
  assert_int_equal(ls_limit_options_check(&run, &err), LS_OK);
  assert_int_equal(ls_limit_options_read(&run.limits, find_key("delay"), "3", &err), LS_OK);
  assert_false(run.limits.is_given);
  assert_int_equal(ls_limit_options_check(&run, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--delay and --plan"));
  run.plan = NULL;
  assert_int_equal(ls_limit_options_check(&run, &err), LS_OK);
  ls_limit_options_close(&run.limits);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_kept),
      cmocka_unit_test(nonsense_is_refused_with_option_and_value),
      cmocka_unit_test(a_delay_is_the_masters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
