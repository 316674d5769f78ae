/* An advice in words: every candidate with its figures, and the reason. */
#include "world_fixture.h"

static void expect_words(const struct ls_advice *advice, const char *const *words) {
  struct ls_bytes text = {0};
  ls_advice_explain(advice, &text);
  for (size_t i = 0; words[i] != NULL; i++) {
    if (strstr(ls_bytes_text(&text), words[i]) == NULL)
      fail_msg("'%s' is missing in:\n%s", words[i], ls_bytes_text(&text));
  }
  ls_bytes_close(&text);
}

static struct ls_expectation make_expectation(const char *policy, size_t workers, double makespan_s,
                                              size_t draws) {
  return (struct ls_expectation){.candidate = make_candidate(policy, 1, workers),
                                 .makespan_s = makespan_s,
                                 .least_s = makespan_s - 1,
                                 .most_s = makespan_s + 1,
                                 .efficiency = 0.75,
                                 .draws = draws};
}

static void the_best_comes_first_with_its_lead(void **state) {
  struct ls_expectation expectations[] = {make_expectation("ss", 0, 110, 4),
                                          make_expectation("wf2", 0, 100, 4),
                                          make_expectation("gss", 0, 0, 0)};
  struct ls_advice advice = {
      .expectations = expectations, .count = 3, .best = 1, .base = 1, .chosen = 1};
  const char *const words[] = {"* wf2, prefetch 1: 100 s expected (99 to 101), +0.0 %",
                               "efficiency 75 %",
                               "  ss, prefetch 1: 110 s expected",
                               "+10.0 %",
                               "1 candidate was not tried",
                               "chosen: wf2, prefetch 1 ends first; ss, prefetch 1 would take 10.0 "
                               "% longer",
                               NULL};
  (void)state;
  expect_words(&advice, words);
}

static void keeping_the_current_one_is_explained(void **state) {
  struct ls_expectation expectations[] = {make_expectation("ss", 0, 100, 4),
                                          make_expectation("wf2", 0, 98, 4)};
  struct ls_advice advice = {.expectations = expectations, .count = 2, .best = 1, .margin = 0.05};
  const char *const words[] = {
      "kept: ss, prefetch 1 stands, and wf2, prefetch 1 would save 2.0 "
      "%, less than the 5.0 %",
      NULL};
  (void)state;
  expect_words(&advice, words);
  /* A lead that is large enough, but no larger than the draws differ. */
  const char *const chance[] = {"wf2, prefetch 1 would save 2.0 %, which may be chance", NULL};
  advice.margin = 0.01;
  expect_words(&advice, chance);
}

static void fewer_workers_are_explained(void **state) {
  struct ls_expectation expectations[] = {make_expectation("ss", 8, 100, 4),
                                          make_expectation("ss", 5, 101, 4)};
  struct ls_advice advice = {.expectations = expectations, .count = 2, .chosen = 1};
  const char *const words[] = {
      "chosen: ss, prefetch 1, 8 workers ends first; ss, prefetch 1, 5 "
      "workers would take 1.0 % longer; 5 workers are enough: 1.0 % longer",
      NULL};
  (void)state;
  expect_words(&advice, words);
  /* The chance of the draws is no gain, and no candidate is said to save time that it does not
   * save. */
  const char *const equal[] = {
      "kept: ss, prefetch 1, 8 workers stands; 5 workers are enough: no "
      "longer\n",
      NULL};
  expectations[1].makespan_s = 99.999;
  advice.best = 1;
  expect_words(&advice, equal);
}

static void a_candidate_tried_alone_did_not_end_first(void **state) {
  struct ls_expectation expectations[] = {make_expectation("af", 0, 90, 1),
                                          make_expectation("ss", 0, 0, 0),
                                          make_expectation("wf2", 0, 0, 0)};
  struct ls_advice advice = {.expectations = expectations, .count = 3};
  const char *const words[] = {"2 candidates were not tried",
                               "chosen: af, prefetch 1 is all that could be tried in the time\n",
                               NULL};
  (void)state;
  expect_words(&advice, words);
}

/* It was lucky in the one draw that it played: the others compare means of four. */
static void a_candidate_that_left_the_race_comes_last_and_is_not_compared(void **state) {
  struct ls_expectation expectations[] = {make_expectation("ss", 0, 90, 1),
                                          make_expectation("wf2", 0, 100, 4),
                                          make_expectation("af", 0, 110, 4)};
  struct ls_advice advice = {
      .expectations = expectations, .count = 3, .best = 1, .base = 1, .chosen = 1};
  const char *const words[] = {
      "+10.0 %, efficiency 75 %\n  ss, prefetch 1: 90 s expected (89 to 91), out after 1 of 4 "
      "draws, efficiency 75 %\nchosen: wf2, prefetch 1 ends first; af, prefetch 1 would",
      NULL};
  (void)state;
  expect_words(&advice, words);
}

/* Two candidates, and the second one left the race: one draw against four is no comparison. */
static void a_second_one_of_fewer_draws_is_not_compared(void **state) {
  struct ls_expectation expectations[] = {make_expectation("wf2", 0, 100, 4),
                                          make_expectation("ss", 0, 110, 1)};
  struct ls_advice advice = {.expectations = expectations, .count = 2};
  struct ls_bytes text = {0};
  (void)state;
  ls_advice_explain(&advice, &text);
  assert_non_null(strstr(ls_bytes_text(&text), "chosen: wf2, prefetch 1 ends first\n"));
  assert_null(strstr(ls_bytes_text(&text), "would take"));
  ls_bytes_close(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_comes_first_with_its_lead),
      cmocka_unit_test(keeping_the_current_one_is_explained),
      cmocka_unit_test(fewer_workers_are_explained),
      cmocka_unit_test(a_candidate_tried_alone_did_not_end_first),
      cmocka_unit_test(a_candidate_that_left_the_race_comes_last_and_is_not_compared),
      cmocka_unit_test(a_second_one_of_fewer_draws_is_not_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
