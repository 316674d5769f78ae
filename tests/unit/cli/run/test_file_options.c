#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/file_options.h"

static int find_key(const char *name) {
  for (const struct argp_option *option = ls_file_options_table; option->doc != NULL; option++)
    if (option->name != NULL && strcmp(option->name, name) == 0) return option->key;
  fail_msg("no option %s", name);
  return 0;
}

static enum ls_status give(struct ls_file_options *options, const char *name, const char *text,
                           struct ls_error *err) {
  int key = find_key(name);
  assert_true(ls_file_options_has(key));
  return ls_file_options_read(options, key, text, err);
}

static void sandboxes_are_removed_unless_they_are_to_be_kept(void **state) {
  (void)state;
  struct ls_file_options options = {0};
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_NONE);
  assert_int_equal(give(&options, "sandbox", NULL, NULL), LS_OK);
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_REMOVED);
  assert_int_equal(give(&options, "keep-sandbox", "failed", NULL), LS_OK);
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_KEPT_FAILED);
  assert_int_equal(give(&options, "keep-sandbox", "all", NULL), LS_OK);
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_KEPT);
  assert_int_equal(ls_file_options_check(&options, NULL), LS_OK);
}

static void what_cannot_be_meant_is_refused(void **state) {
  (void)state;
  struct ls_file_options options = {0};
  struct ls_error err = {0};
  assert_int_equal(give(&options, "keep-sandbox", "some", &err), LS_EINVAL);
  assert_string_equal(err.text, "--keep-sandbox is 'some', expected failed or all");
  assert_int_equal(give(&options, "keep-sandbox", "all", &err), LS_OK);
  assert_int_equal(ls_file_options_check(&options, &err), LS_EINVAL);
  assert_string_equal(err.text, "--keep-sandbox needs --sandbox");
  assert_false(ls_file_options_has('j'));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sandboxes_are_removed_unless_they_are_to_be_kept),
      cmocka_unit_test(what_cannot_be_meant_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
