#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/nearest.h"

static void distances_count_slips(void **state) {
  (void)state;
  static const struct {
    const char *one, *other;
    size_t distance;
  } cases[] = {{"", "", 0},
               {"a", "", 1},
               {"", "abc", 3},
               {"load", "loda", 1},
               {"colsep", "colsp", 1},
               {"kitten", "sitting", 3},
               {"ab", "ba", 1},
               {"abc", "abc", 0},
               {"abcd", "badc", 2},
               {"retires", "retries", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(ls_nearest_distance(cases[i].one, cases[i].other), cases[i].distance);
    assert_int_equal(ls_nearest_distance(cases[i].other, cases[i].one), cases[i].distance);
  }
}

static void a_long_word_is_far_from_all(void **state) {
  (void)state;
  char word[LS_NEAREST_LENGTH_MAX + 2];
  memset(word, 'x', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  assert_true(ls_nearest_distance(word, "x") == SIZE_MAX);
  word[sizeof word - 2] = '\0';
  assert_int_equal(ls_nearest_distance(word, word), 0);
}

static void the_nearest_name_is_found_if_one_is_near(void **state) {
  (void)state;
  static const char *const names[] = {"load", NULL, "seed", "colsep", "seeds", "j"};
  assert_string_equal(ls_nearest_name("loda", names, 6), "load");
  assert_string_equal(ls_nearest_name("colspe", names, 6), "colsep");
  /* The first of two at one distance. */
  assert_string_equal(ls_nearest_name("sed", names, 6), "seed");
  assert_string_equal(ls_nearest_name("seedz", names, 6), "seed");
  assert_null(ls_nearest_name("frobnicate", names, 6));
  assert_null(ls_nearest_name("load", names, 0));
}

/* What is said of a word among these names. */
static void check_answer(const char *word, const char *also, const char *expected) {
  static const struct {
    const char *name;
    int other;
  } gss = {"gss", 1}, fac = {"fac", 2}, fac2 = {"fac2", 3};
  static const void *const entries[] = {&gss, &fac, &fac2, NULL};
  struct ls_bytes out = {0};
  ls_nearest_answer(word, entries, also, &out);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void the_answer_has_the_nearest_names_or_all(void **state) {
  (void)state;
  check_answer("gsss", NULL, "did you mean 'gss'? (`loadstar list' names all)");
  check_answer("fac3", NULL, "did you mean 'fac' or 'fac2'? (`loadstar list' names all)");
  check_answer("autp", "auto", "did you mean 'auto'? (`loadstar list' names all)");
  check_answer("umr", "auto", "expected one of: auto, gss, fac, fac2");
  check_answer("umr", NULL, "expected one of: gss, fac, fac2");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_count_slips),
      cmocka_unit_test(a_long_word_is_far_from_all),
      cmocka_unit_test(the_answer_has_the_nearest_names_or_all),
      cmocka_unit_test(the_nearest_name_is_found_if_one_is_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
