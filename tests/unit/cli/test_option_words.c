#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "cli/option_words.h"

static size_t count(const char *subcommand, const char *option, const char *word) {
  json_t *words = ls_option_words(subcommand, option);
  size_t found = 0;
  for (size_t i = 0; i < json_array_size(words); i++)
    found += strcmp(json_string_value(json_array_get(words, i)), word) == 0;
  json_decref(words);
  return found;
}

static void words_come_from_the_lists_of_the_program(void **state) {
  (void)state;
  assert_int_equal(count("plan", "algorithm", "umr"), 1);
  assert_int_equal(count("plan", "analysis", "umr"), 0);
  assert_int_equal(count("run", "policy", "gss"), 1);
  assert_int_equal(count("simulate", "policy", "auto"), 1);
  assert_int_equal(count("run", "load-pattern", "seven"), 1);
}

static void an_option_may_mean_other_words_in_another_subcommand(void **state) {
  (void)state;
  assert_int_equal(count("pack", "from", "junit"), 1);
  assert_int_equal(count("calibrate", "from", "junit"), 0);
  assert_int_equal(count("calibrate", "from", "joblog"), 1);
}

static void some_subcommands_take_words_behind_the_options(void **state) {
  (void)state;
  assert_int_equal(count("list", NULL, "policies"), 1);
  assert_int_equal(count("list", NULL, "gss"), 1);
  assert_int_equal(count("list", NULL, "fifo"), 1);
  assert_null(ls_option_words("run", NULL));
  assert_null(ls_option_words("run", "journal"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_come_from_the_lists_of_the_program),
      cmocka_unit_test(an_option_may_mean_other_words_in_another_subcommand),
      cmocka_unit_test(some_subcommands_take_words_behind_the_options)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
