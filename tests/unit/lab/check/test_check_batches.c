#include "check_fixture.h"

static struct evaluation play(const char *algorithm, double load, size_t workers,
                              const char *arguments) {
  return evaluate(&ls_check_kind_batches, algorithm, load, workers, arguments);
}

static void workers_ask_in_turn_until_nothing_waits(void **state) {
  (void)state;
  struct evaluation evaluation = play("gss", 10, 3, "{}");
  expect_field(&evaluation, "batches", "[4, 2, 2, 1, 1]");
  expect_field(&evaluation, "batches_by_worker", "[[4, 1], [2, 1], [2]]");
  json_decref(evaluation.got);
}

static void arguments_reach_the_policy(void **state) {
  (void)state;
  struct evaluation evaluation = play("gss", 10, 3, "{'least_units': 3, 'rounding': 'floor'}");
  expect_field(&evaluation, "batches", "[3, 3, 3, 1]");
  json_decref(evaluation.got);
}

/* Workers of the fixture's platform take 1, 2, 3, ... seconds per unit. */
static void weights_are_a_list_or_nominal(void **state) {
  (void)state;
  struct evaluation listed = play("sc", 9, 2, "{'weights': [2, 1]}");
  struct evaluation nominal = play("sc", 9, 2, "{'weights': 'nominal'}");
  expect_field(&listed, "batches", "[6, 3]");
  expect_field(&nominal, "batches", "[6, 3]");
  json_decref(listed.got);
  json_decref(nominal.got);
}

static void facts_left_out_have_their_defaults(void **state) {
  (void)state;
  /* sigma 0: everything in the first batch. */
  struct evaluation evaluation = play("fac", 8, 2, "{}");
  expect_field(&evaluation, "batches", "[4, 4]");
  json_decref(evaluation.got);
}

/* A worker without a batch in a round does not ask, as in the figure. */
static void weighted_factoring_is_played_by_rounds(void **state) {
  (void)state;
  struct evaluation evaluation =
      play("wf", 512, 4, "{'seconds_per_task': [0.1, 0.56, 0.89, 0.75]}");
  expect_field(&evaluation, "batches_by_worker",
               "[[180, 90, 45, 22, 11, 5, 3, 2, 1, 1], [32, 16, 8, 4, 2, 1, 1],"
               " [20, 10, 5, 3, 1, 1], [24, 12, 6, 3, 2, 1]]");
  json_decref(evaluation.got);
}

static void no_units_make_no_batches(void **state) {
  (void)state;
  struct evaluation evaluation = play("ss", 0, 2, "{}");
  expect_field(&evaluation, "batches", "[]");
  json_decref(evaluation.got);
}

static void what_cannot_be_is_refused_by_name(void **state) {
  (void)state;
  const struct {
    const char *algorithm;
    double load;
    size_t workers;
    const char *arguments, *words;
  } cases[] = {
      {"fac3", 5, 2, "{}", "algorithm is \"fac3\""},
      {"gss", 5, 0, "{}", "no platform"},
      {"gss", 5.5, 2, "{}", "load is 5.5"},
      {"gss", -1, 2, "{}", "load is -1"},
      {"follow-plan", 5, 2, "{}", "answers no requests"},
      {"gss", 5, 2, "{'first_units': 2}", "first_units"},
      {"gss", 5, 2, "{'least_units': 0}", "least_units"},
      {"sc", 5, 2, "{'weights': [1]}", "expected 2"},
      {"sc", 5, 2, "{'weights': 'real'}", "nominal"},
      {"sc", 5, 2, "{'weights': [1, -1]}", "weights[1]"},
      {"wf", 5, 2, "{'seconds_per_task': [1, 0]}", "seconds_per_task"},
      {"fac", 5, 2, "{'mean_seconds': 0}", "mean_seconds"},
      {"rand", 5, 2, "{'seed': 0.5}", "seed"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct evaluation evaluation =
        play(cases[i].algorithm, cases[i].load, cases[i].workers, cases[i].arguments);
    expect_refusal(&evaluation, cases[i].words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_ask_in_turn_until_nothing_waits),
      cmocka_unit_test(arguments_reach_the_policy),
      cmocka_unit_test(weights_are_a_list_or_nominal),
      cmocka_unit_test(facts_left_out_have_their_defaults),
      cmocka_unit_test(weighted_factoring_is_played_by_rounds),
      cmocka_unit_test(no_units_make_no_batches),
      cmocka_unit_test(what_cannot_be_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
