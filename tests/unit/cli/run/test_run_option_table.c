#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/run/run_option_table.h"

static void a_key_has_its_name(void **state) {
  (void)state;
  assert_string_equal(ls_run_option_name(KEY_CALIBRATE), "calibrate");
  assert_string_equal(ls_run_option_name('j'), "workers");
  assert_string_equal(ls_run_option_name('k'), "keep-order");
  assert_null(ls_run_option_name('~'));
}

/* An option is told to --help in one table, and has a name there. */
static void every_key_is_in_one_table(void **state) {
  (void)state;
  const struct argp_option *const tables[] = {ls_run_command_options, ls_run_staging_options,
                                              ls_run_common_options};
  for (int key = KEY_SHELL; key <= KEY_SYNC; key++) {
    size_t found = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
      for (const struct argp_option *option = tables[i];
           option->name != NULL || option->doc != NULL; option++)
        found += option->key == key && option->name != NULL;
    assert_true(found >= 1);
    assert_non_null(ls_run_option_name(key));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_key_has_its_name),
      cmocka_unit_test(every_key_is_in_one_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
