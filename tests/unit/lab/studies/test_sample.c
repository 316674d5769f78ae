#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/studies/sample.h"

enum { CASES = 60 };

static bool *draw(uint64_t seed, uint64_t sample) {
  struct ls_study_options options = {.sample = sample, .seed = seed, .processes = 1};
  bool *is_wanted = NULL;
  assert_int_equal(ls_study_sample(&options, CASES, &is_wanted, NULL), LS_OK);
  return is_wanted;
}

static void exactly_as_many_cases_as_asked_for_take_part(void **state) {
  (void)state;
  for (uint64_t sample = 1; sample < CASES; sample++) {
    bool *is_wanted = draw(sample, sample);
    size_t count = 0;
    assert_non_null(is_wanted);
    for (size_t i = 0; i < CASES; i++) count += is_wanted[i];
    assert_int_equal(count, sample);
    free(is_wanted);
  }
}

static void no_sample_or_a_large_one_means_all(void **state) {
  (void)state;
  assert_null(draw(1, 0));
  assert_null(draw(1, CASES));
  assert_null(draw(1, CASES + 1));
  struct ls_study_options options = {.sample = 0};
  assert_true(!(ls_study_sampling_error(&options, CASES) > 0));
  options.sample = CASES;
  assert_true(!(ls_study_sampling_error(&options, CASES) > 0));
}

static void a_handful_of_cases_judges_nothing(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 29};
  assert_true(isnan(ls_study_sampling_error(&options, CASES)));
  options.sample = 30;
  assert_true(ls_study_sampling_error(&options, CASES) > 0);
}

static void the_seed_decides(void **state) {
  (void)state;
  bool *first = draw(5, 20), *again = draw(5, 20), *other = draw(6, 20);
  assert_memory_equal(first, again, CASES * sizeof *first);
  assert_true(memcmp(first, other, CASES * sizeof *first) != 0);
  free(first);
  free(again);
  free(other);
}

/* 2000 draws of 15 out of 60: each case 500 times, with a deviation of 19. */
static void every_case_is_equally_likely(void **state) {
  (void)state;
  size_t counts[CASES] = {0};
  for (uint64_t seed = 0; seed < 2000; seed++) {
    bool *is_wanted = draw(seed, 15);
    for (size_t i = 0; i < CASES; i++) counts[i] += is_wanted[i];
    free(is_wanted);
  }
  for (size_t i = 0; i < CASES; i++) assert_in_range(counts[i], 400, 600);
}

/* A mean of cases 0 .. 59 over samples of 30 stays within the stated error of 29.5. */
static void the_stated_error_holds(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 30};
  double error = ls_study_sampling_error(&options, CASES), deviation = sqrt((60.0 * 60 - 1) / 12);
  double squares = 0;
  for (uint64_t seed = 0; seed < 500; seed++) {
    bool *is_wanted = draw(seed, 30);
    double sum = 0;
    for (size_t i = 0; i < CASES; i++) sum += is_wanted[i] ? (double)i : 0;
    free(is_wanted);
    assert_true(fabs(sum / 30 - 29.5) <= error * deviation);
    squares += pow(sum / 30 - 29.5, 2);
  }
  /* And it is four standard errors, not many more. */
  assert_true(fabs(sqrt(squares / 500) * 4 / (error * deviation) - 1) < 0.15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exactly_as_many_cases_as_asked_for_take_part),
      cmocka_unit_test(no_sample_or_a_large_one_means_all),
      cmocka_unit_test(a_handful_of_cases_judges_nothing),
      cmocka_unit_test(the_seed_decides),
      cmocka_unit_test(every_case_is_equally_likely),
      cmocka_unit_test(the_stated_error_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
