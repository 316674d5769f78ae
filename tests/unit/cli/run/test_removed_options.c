#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/run/removed_options.h"
#include "cli/run/run_option_table.h"

static struct argp_option options[LS_REMOVED_OPTIONS_MAX];

static const char *refuse(const char *name) {
  static struct ls_error err;
  err = (struct ls_error){0};
  for (const struct argp_option *option = options; option->key != 0; option++)
    if (option->name != NULL && strcmp(option->name, name) == 0)
      assert_int_equal(ls_removed_options_refuse(option->key, &err), LS_EINVAL);
  return err.text;
}

static void each_is_answered_by_name(void **state) {
  (void)state;
  assert_string_equal(refuse("eta"), "--eta: say --progress, or use `loadstar parallel'");
  assert_string_equal(refuse("max-procs"), "-P, --max-procs: say -j, or use `loadstar parallel'");
  assert_string_equal(refuse("xapply"),
                      "--xapply is an option of `loadstar parallel', not of `run'");
  for (const struct argp_option *option = options; option->key != 0; option++) {
    struct ls_error err = {0};
    assert_true(ls_removed_options_has(option->key));
    assert_true((option->flags & OPTION_HIDDEN) != 0);
    assert_int_equal(ls_removed_options_refuse(option->key, &err), LS_EINVAL);
  }
  assert_false(ls_removed_options_has('j'));
  assert_false(ls_removed_options_has(KEY_SEED));
}

/* An option that is there must not be refused. */
static void none_is_an_option_of_run(void **state) {
  (void)state;
  for (const struct argp_option *removed = options; removed->key != 0; removed++) {
    for (size_t i = 0; ls_run_option_tables[i] != NULL; i++)
      for (const struct argp_option *option = ls_run_option_tables[i];
           option->name != NULL || option->doc != NULL; option++)
        if (option->name != NULL) {
          assert_int_not_equal(option->key, removed->key);
          if (removed->name != NULL) assert_string_not_equal(option->name, removed->name);
        }
  }
}

int main(void) {
  ls_removed_options_fill(options);
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_answered_by_name),
                                     cmocka_unit_test(none_is_an_option_of_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
