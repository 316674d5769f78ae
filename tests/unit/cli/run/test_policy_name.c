#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/policy_name.h"
#include "policies/ordering.h"
#include "policies/sizing.h"

static void a_name_ends_at_the_colon(void **state) {
  char name[LS_POLICY_NAME_BYTES];
  (void)state;
  assert_string_equal(ls_policy_name_cut("self:0.7:1", name), "0.7:1");
  assert_string_equal(name, "self");
  assert_null(ls_policy_name_cut("self", name));
  assert_string_equal(name, "self");
  assert_string_equal(ls_policy_name_cut("self:", name), "");
  assert_string_equal(ls_policy_name_cut(":3", name), "3");
  assert_string_equal(name, "");
}

static void a_long_name_is_cut_and_its_value_found(void **state) {
  char name[LS_POLICY_NAME_BYTES], text[200];
  (void)state;
  memset(text, 'x', sizeof text);
  memcpy(text + sizeof text - 3, ":5", 3);
  assert_string_equal(ls_policy_name_cut(text, name), "5");
  assert_int_equal(strlen(name), LS_POLICY_NAME_BYTES - 1);
}

static void a_refusal_lists_what_there_is(void **state) {
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(ls_policy_name_refuse(&(struct ls_policy_name){"--order", "other", NULL},
                                         (const void *const *)ls_orderings, &err),
                   LS_EINVAL);
  assert_non_null(strstr(err.text, "--order is 'other'"));
  for (size_t i = 0; ls_orderings[i] != NULL; i++)
    assert_non_null(strstr(err.text, ls_orderings[i]->name));
  assert_null(strstr(err.text, "auto"));
  assert_int_equal(ls_policy_name_refuse(&(struct ls_policy_name){"--policy", "foo", "auto"},
                                         (const void *const *)ls_orderings, &err),
                   LS_EINVAL);
  assert_non_null(strstr(err.text, "expected one of: auto, fifo"));
  assert_int_equal(ls_policy_name_refuse(&(struct ls_policy_name){"--order", "fofo", NULL},
                                         (const void *const *)ls_orderings, &err),
                   LS_EINVAL);
  assert_non_null(strstr(err.text, "--order is 'fofo', did you mean 'fifo'?"));
}

static void the_value_is_that_of_the_first_parameter(void **state) {
  const struct ls_sizing *self = ls_sizing_find("self"), *fixed = ls_sizing_find("fixed");
  struct ls_arguments arguments;
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(
      ls_policy_name_arguments("--sizing", "self:0.75", self->parameters, &arguments, &err), LS_OK);
  assert_float_equal(ls_arguments_get(&arguments, self->parameters, "efficiency"), 0.75, 0);
  assert_float_equal(ls_arguments_get(&arguments, self->parameters, "slack"), 0.15, 0);
  assert_int_equal(
      ls_policy_name_arguments("--sizing", "self:7", self->parameters, &arguments, &err),
      LS_EINVAL);
  assert_non_null(strstr(err.text, "--sizing self"));
  assert_int_equal(
      ls_policy_name_arguments("--sizing", "fixed:7", fixed->parameters, &arguments, &err),
      LS_EINVAL);
  assert_non_null(strstr(err.text, "fixed has no parameter"));
  assert_int_equal(
      ls_policy_name_arguments("--sizing", "fixed", fixed->parameters, &arguments, &err), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_name_ends_at_the_colon),
      cmocka_unit_test(a_long_name_is_cut_and_its_value_found),
      cmocka_unit_test(a_refusal_lists_what_there_is),
      cmocka_unit_test(the_value_is_that_of_the_first_parameter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
