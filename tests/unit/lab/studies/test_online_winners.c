/* Which policy wins where: every policy on the grid of scenarios.  The whole grid takes a minute; a
 * sample of it is judged with the tolerance that the sampling asks for. */
#include "study_fixture.h"

static struct ls_study_report alone;

static int open_sample(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 32, .seed = 1, .processes = 1};
  run_study("online-winners", &options, NULL, &alone);
  return 0;
}

static int close_sample(void **state) {
  (void)state;
  ls_study_report_close(&alone);
  return 0;
}

static void the_means_of_a_sample_are_near(void **state) {
  (void)state;
  expect_all_met("online-winners", &alone);
  /* The 6 published means of those that know the speeds and the two of the rule for 8 workers;
   * statements, and the rule for 32, are judged on the whole grid. */
  assert_int_equal(count_judged(&alone), 8);
}

static void those_that_know_the_speeds_are_ahead(void **state) {
  (void)state;
  double wf2 = find_figure(&alone, "wf2: makespan over bound, mean");
  double af = find_figure(&alone, "af: makespan over bound, mean");
  double mfsc = find_figure(&alone, "mfsc: makespan over bound, mean");
  double sc = find_figure(&alone, "sc: makespan over bound, mean");
  double hindsight = find_figure(&alone, "8 workers, best of each scenario in hindsight");
  assert_true(hindsight < wf2 && wf2 < af && af < mfsc && mfsc < sc);
}

static void the_rule_is_never_better_than_hindsight(void **state) {
  (void)state;
  double known = find_figure(&alone, "8 workers, fixed rule, speeds known");
  double unknown = find_figure(&alone, "8 workers, fixed rule, speeds not known");
  double hindsight = find_figure(&alone, "8 workers, best of each scenario in hindsight");
  assert_true(hindsight <= known && known <= unknown);
}

/* A drawing has one tile for each scenario that took part, and so has its table. */
static void every_scenario_has_its_tile(void **state) {
  (void)state;
  assert_int_equal(alone.drawings_count, 3);
  for (size_t i = 0; i < alone.drawings_count; i++) {
    size_t tiles = 0;
    const char *at = ls_bytes_text(&alone.drawings[i].svg);
    while ((at = strstr(at, " of the bound</title>")) != NULL) {
      tiles++;
      at++;
    }
    assert_int_equal(tiles, 32);
  }
}

static void any_number_of_processes_gives_the_same_digits(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 6, .seed = 1, .processes = 1};
  struct ls_study_report one, three;
  run_study("online-winners", &options, NULL, &one);
  options.processes = 3;
  run_study("online-winners", &options, NULL, &three);
  expect_same_reports(&one, &three);
  ls_study_report_close(&one);
  ls_study_report_close(&three);
}

static void another_seed_draws_other_worlds(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 4, .seed = 2, .processes = 2};
  struct ls_study_report other;
  run_study("online-winners", &options, NULL, &other);
  const char *name = "wf2: makespan over bound, mean";
  assert_true(fabs(find_figure(&other, name) - find_figure(&alone, name)) > 1e-9);
  /* Four scenarios tell nothing of the mean. */
  assert_int_equal(count_judged(&other), 0);
  ls_study_report_close(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_means_of_a_sample_are_near),
      cmocka_unit_test(those_that_know_the_speeds_are_ahead),
      cmocka_unit_test(the_rule_is_never_better_than_hindsight),
      cmocka_unit_test(every_scenario_has_its_tile),
      cmocka_unit_test(any_number_of_processes_gives_the_same_digits),
      cmocka_unit_test(another_seed_draws_other_worlds),
  };
  return cmocka_run_group_tests(tests, open_sample, close_sample);
}
