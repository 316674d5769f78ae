#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/parallel_options.h"
#include "cli/run/run_option_table.h"

static bool has_option(const struct argp_option *option, const char *name, size_t length) {
  for (; option->name != NULL || option->doc != NULL; option++)
    if (option->name != NULL && strlen(option->name) == length &&
        strncmp(option->name, name, length) == 0)
      return true;
  return false;
}

/* A wrong word in the table would be "unrecognized option" of a program that the user has not
 * called. */
static void every_row_names_an_option_of_run(void **state) {
  (void)state;
  for (size_t i = 0; i < ls_parallel_options_count; i++) {
    const struct ls_parallel_option *row = &ls_parallel_options[i];
    if (row->way == LS_PARALLEL_REFUSED || row->ours == NULL) continue;
    size_t length = strcspn(row->ours, "=");
    bool is_there = false;
    for (size_t k = 0; ls_run_dialect_tables[k] != NULL; k++)
      is_there = is_there || has_option(ls_run_dialect_tables[k], row->ours, length);
    for (size_t k = 0; ls_run_option_tables[k] != NULL; k++)
      is_there = is_there || has_option(ls_run_option_tables[k], row->ours, length);
    if (!is_there) print_error("%s\n", row->ours);
    assert_true(is_there);
  }
}

static void no_name_and_no_letter_is_there_twice(void **state) {
  (void)state;
  for (size_t i = 0; i < ls_parallel_options_count; i++) {
    const struct ls_parallel_option *one = &ls_parallel_options[i];
    for (size_t k = 0; k < i; k++) {
      const struct ls_parallel_option *other = &ls_parallel_options[k];
      assert_true(one->letter == 0 || one->letter != other->letter);
      if (one->name != NULL && other->name != NULL) assert_string_not_equal(one->name, other->name);
    }
  }
}

/* Who is refused wants to know what to do. */
static void each_refusal_has_a_reason(void **state) {
  (void)state;
  for (size_t i = 0; i < ls_parallel_options_count; i++) {
    const struct ls_parallel_option *row = &ls_parallel_options[i];
    if (row->way == LS_PARALLEL_REFUSED) assert_true(strlen(row->ours) >= strlen("use nproc"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_names_an_option_of_run),
                                     cmocka_unit_test(no_name_and_no_letter_is_there_twice),
                                     cmocka_unit_test(each_refusal_has_a_reason)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
