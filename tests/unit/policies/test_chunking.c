#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policies/chunking.h"

static void every_policy_is_found_by_its_name(void **state) {
  (void)state;
  size_t count = 0;
  for (; ls_chunkings[count] != NULL; count++) {
    assert_ptr_equal(ls_chunking_find(ls_chunkings[count]->name), ls_chunkings[count]);
  }
  assert_true(count >= 27);
}

static void all_that_are_specified_are_there(void **state) {
  (void)state;
  static const char *const names[] = {
      "sc",   "ss",   "fsc",     "mfsc",        "gss",    "tss",   "tfss",  "fac",  "fac2",
      "wf",   "wf2",  "awf",     "awf-b",       "awf-c",  "awf-d", "awf-e", "af",   "bold",
      "rand", "rumr", "monitor", "follow-plan", "affine", "given", "tap",   "fiss", "viss"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    assert_non_null(ls_chunking_find(names[i]));
  }
}

static void an_unknown_name_finds_nothing(void **state) {
  (void)state;
  assert_null(ls_chunking_find("fac3"));
  assert_null(ls_chunking_find(""));
  assert_null(ls_chunking_find("follow_plan"));
}

/* What `list` and --help print must be there, and every policy must be able to answer. */
static void descriptors_are_complete(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    const struct ls_chunking *policy = ls_chunkings[i];
    assert_true(strlen(policy->name) > 0 && strlen(policy->summary) > 0);
    assert_true(strlen(policy->reference) > 0);
    assert_null(strchr(policy->summary, '\n'));
    assert_true(policy->resize == NULL || policy->init != NULL);
    assert_true((policy->next_send != NULL) == policy->is_pushed);
    assert_true((policy->next_units != NULL) == !policy->is_pushed);
  }
}

static void parameters_have_a_default_within_their_limits(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    const struct ls_parameter *parameter = ls_chunkings[i]->parameters;
    for (; parameter != NULL && parameter->name != NULL; parameter++) {
      assert_true(strlen(parameter->summary) > 0);
      assert_true(parameter->least <= parameter->otherwise);
      assert_true(parameter->otherwise <= parameter->most);
      assert_true((parameter->choices != NULL) == (parameter->kind == LS_PARAMETER_CHOICE));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_policy_is_found_by_its_name),
      cmocka_unit_test(all_that_are_specified_are_there),
      cmocka_unit_test(an_unknown_name_finds_nothing),
      cmocka_unit_test(descriptors_are_complete),
      cmocka_unit_test(parameters_have_a_default_within_their_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
