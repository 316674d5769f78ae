/* test_terms_options.c: limits of time and price, and what is said of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/terms_options.h"

static void limits_are_numbers_above_zero(void **state) {
  static const char *const wrong[] = {"", "-1", "x", "nan", "inf", "3x"};
  struct ls_terms terms = ls_terms_none();
  (void)state;
  assert_false(ls_terms_are_given(&terms));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_error err = {0};
    assert_int_equal(ls_terms_read_deadline(&terms, wrong[i], &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "--deadline is"));
    assert_non_null(strstr(err.text, "expected seconds > 0"));
    assert_int_equal(ls_terms_read_price(&terms, wrong[i], &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "--price-max is"));
    assert_non_null(strstr(err.text, "expected a number >= 0"));
  }
  assert_int_equal(ls_terms_read_deadline(&terms, "0", NULL), LS_EINVAL);
  assert_false(ls_terms_are_given(&terms));
  /* Some workers cost nothing. */
  struct ls_terms free = ls_terms_none();
  assert_int_equal(ls_terms_read_price(&free, "0", NULL), LS_OK);
  assert_true(ls_terms_are_given(&free));
  assert_int_equal(ls_terms_read_deadline(&terms, "2.5", NULL), LS_OK);
  assert_true(terms.deadline_s == 2.5 && ls_terms_are_given(&terms));
  assert_int_equal(ls_terms_check(&terms, NULL), LS_OK);
  assert_int_equal(ls_terms_read_price(&terms, "1e-3", NULL), LS_OK);
  struct ls_error err = {0};
  assert_int_equal(ls_terms_check(&terms, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "expected one of them"));
}

static void expect_words(struct ls_terms terms, bool is_met, const char *words) {
  struct ls_bytes out = {0};
  struct ls_offer offer = {12, 34};
  ls_terms_describe(&terms, is_met, &offer, &out);
  assert_string_equal(ls_bytes_text(&out), words);
  ls_bytes_close(&out);
}

static void words_say_what_was_asked_and_what_there_is(void **state) {
  const double none = (double)NAN;
  (void)state;
  expect_words((struct ls_terms){15, none}, true, "cheapest within 15 s: 12 s at a price of 34");
  expect_words((struct ls_terms){10, none}, false,
               "none ends within 10 s; the fastest: 12 s at a price of 34");
  expect_words((struct ls_terms){none, 40}, true,
               "fastest within a price of 40: 12 s at a price of 34");
  expect_words((struct ls_terms){none, 30}, false,
               "none costs at most 30; the cheapest: 12 s at a price of 34");
  expect_words((struct ls_terms){none, none}, true,
               "cheapest within 1.1 of the best time: 12 s at a price of 34");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_are_numbers_above_zero),
      cmocka_unit_test(words_say_what_was_asked_and_what_there_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
