#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <string.h>

#include "lab/check/check_compare.h"

/* The faults that a comparison finds, joined; expect and got are JSON. */
static char faults_text[2048];

static const char *compare(const struct ls_check_rules *rules, const char *expect_text,
                           const char *got_text) {
  json_t *expect = json_loads(expect_text, JSON_REJECT_DUPLICATES, NULL);
  json_t *got = json_loads(got_text, JSON_REJECT_DUPLICATES, NULL);
  json_t *faults = json_array();
  assert_non_null(expect);
  assert_non_null(got);
  assert_true(ls_check_compare(rules, expect, got, faults));
  faults_text[0] = '\0';
  size_t i;
  const json_t *fault;
  json_array_foreach(faults, i, fault) {
    strncat(faults_text, json_string_value(fault), sizeof faults_text - strlen(faults_text) - 2);
    strcat(faults_text, "\n");
  }
  json_decref(faults);
  json_decref(got);
  json_decref(expect);
  return faults_text;
}

static const struct ls_check_rules exact = {.tolerance = 1e-6, .load = 10, .workers_count = 3};

static void expect_met(const struct ls_check_rules *rules, const char *expect, const char *got) {
  if (compare(rules, expect, got)[0] != '\0')
    fail_msg("%s against %s: %s", expect, got, faults_text);
}

static void expect_unmet(const struct ls_check_rules *rules, const char *expect, const char *got,
                         const char *words) {
  compare(rules, expect, got);
  if (faults_text[0] == '\0' || strstr(faults_text, words) == NULL)
    fail_msg("%s against %s: '%s' does not say '%s'", expect, got, faults_text, words);
}

static void a_tolerance_is_relative_and_absolute_below_1(void **state) {
  (void)state;
  expect_met(&exact, "{\"makespan\": 1000}", "{\"makespan\": 1000.0009}");
  expect_unmet(&exact, "{\"makespan\": 1000}", "{\"makespan\": 1000.002}", "makespan is 1000.002");
  expect_met(&exact, "{\"makespan\": 0.001}", "{\"makespan\": 0.0010009}");
  expect_unmet(&exact, "{\"makespan\": 0.001}", "{\"makespan\": 0.001002}", "expected 0.001");
  expect_unmet(&exact, "{\"makespan\": 1}", "{}", "makespan is missing");
  expect_unmet(&exact, "{\"makespan\": 1}", "{\"makespan\": \"1\"}", "makespan is \"1\"");
  struct ls_check_rules none = {.tolerance = 0};
  expect_met(&none, "{\"batches\": [3, 2.0]}", "{\"batches\": [3.0, 2]}");
  expect_unmet(&none, "{\"batches\": [3, 2]}", "{\"batches\": [3, 2.0000001]}", "batches[1]");
}

static void a_field_is_looked_for_at_the_top_then_in_the_parameters(void **state) {
  (void)state;
  expect_met(&exact, "{\"period\": 3}", "{\"parameters\": {\"period\": 3}}");
  expect_unmet(&exact, "{\"period\": 3}", "{\"period\": 4, \"parameters\": {\"period\": 3}}",
               "is 4");
  expect_met(&exact, "{\"parameters\": {\"theta\": 2}}", "{\"parameters\": {\"theta\": 2}}");
  expect_unmet(&exact, "{\"parameters\": {\"theta\": 2}}", "{\"theta\": 2}", "theta is missing");
}

static void words_flags_lists_and_objects_are_compared_whole(void **state) {
  (void)state;
  expect_met(&exact, "{\"a\": [{\"from\": 1, \"to\": null}], \"b\": true}",
             "{\"a\": [{\"from\": 1, \"to\": null, \"more\": 1}], \"b\": true}");
  expect_met(&exact, "{\"a\": null}", "{}");
  expect_unmet(&exact, "{\"a\": [{\"to\": null}]}", "{\"a\": [{\"to\": 5}]}", "a[0].to is 5");
  expect_unmet(&exact, "{\"b\": true}", "{\"b\": false}", "b is false");
  expect_unmet(&exact, "{\"a\": [1, 2]}", "{\"a\": [1]}", "with 1 items, expected 2");
  expect_unmet(&exact, "{\"a\": \"x\"}", "{\"a\": \"y\"}", "a is \"y\", expected \"x\"");
}

/* A number is as exact as its record says, whatever it is called. */
static void no_name_widens_the_tolerance(void **state) {
  (void)state;
  expect_unmet(&exact, "{\"parameters\": {\"rounds_real\": 8}}",
               "{\"parameters\": {\"rounds_real\": 8.00007}}", "rounds_real");
}

static void information_is_not_judged(void **state) {
  (void)state;
  expect_met(&exact,
             "{\"makespan_of_umr\": 1, \"lower_bound\": 1, \"utilization_theorem_8\": 1,"
             " \"parameters\": {\"rounds_of_reference\": 4, \"x_published_rule\": 2}}",
             "{\"lower_bound\": 7}");
}

static void chunks_are_compared_by_the_load(void **state) {
  (void)state;
  const char *expect = "{\"chunks\": [{\"worker\": 1, \"round\": 0, \"units\": 0.5}, [2, 9.5]]}";
  const char *near =
      "{\"chunks\": [{\"worker\": 1, \"round\": 0, \"units\": 0.500009, \"send_start\": 0},"
      " {\"worker\": 2, \"round\": 7, \"units\": 9.499991}]}";
  expect_met(&exact, expect, near);
  expect_unmet(&exact, expect, "{\"chunks\": [[1, 0.5], [2, 9.5]]}", "chunks[0].round is missing");
  expect_unmet(&exact, "{\"chunks\": [[1, 0.5]]}", "{\"chunks\": [[1, 0.50002]]}",
               "chunks[0].units");
  expect_unmet(&exact, "{\"chunks\": [[1, 0.5]]}", "{\"chunks\": [[0, 0.5]]}", "chunks[0].worker");
  expect_unmet(&exact, "{\"chunks\": [[1, 1]]}", "{\"chunks\": []}", "0 chunks, expected 1");
  expect_unmet(&exact, "{\"events\": [{\"compute_end\": 2}]}",
               "{\"events\": [{\"compute_end\": 2.1}]}", "events[0].compute_end is 2.1");
}

static void at_most_and_at_least_judge_the_main_figure_only(void **state) {
  (void)state;
  struct ls_check_rules most = exact, least = exact;
  most.mode = LS_CHECK_AT_MOST;
  least.mode = LS_CHECK_AT_LEAST;
  expect_met(&most, "{\"makespan\": 5, \"rounds\": 3}", "{\"makespan\": 4, \"rounds\": 9}");
  expect_met(&most, "{\"makespan\": 5}", "{\"makespan\": 5.000004}");
  expect_unmet(&most, "{\"makespan\": 5}", "{\"makespan\": 5.00001}", "expected at most 5");
  expect_unmet(&most, "{\"makespan\": 5}", "{}", "expected at most 5");
  expect_met(&most, "{\"model_makespan\": 5}", "{\"model_makespan\": 5, \"makespan\": 6}");
  expect_met(&least, "{\"throughput\": 0.5, \"makespan\": 2}",
             "{\"throughput\": 0.6, \"makespan\": 1}");
  expect_unmet(&least, "{\"throughput\": 0.5, \"makespan\": 2}",
               "{\"throughput\": 0.4, \"makespan\": 2}", "throughput is 0.4");
  expect_unmet(&least, "{\"makespan\": 2}", "{\"makespan\": 1}", "expected at least 2");
}

static void limits_hold_in_every_mode(void **state) {
  (void)state;
  struct ls_check_rules most = exact;
  most.mode = LS_CHECK_AT_MOST;
  expect_unmet(&most, "{\"makespan\": 5, \"makespan_at_least\": 4.5}", "{\"makespan\": 4}",
               "makespan is 4, expected at least 4.5");
  expect_unmet(&exact, "{\"throughput_at_most\": 1}", "{\"throughput\": 2}", "at most 1");
  expect_unmet(&exact, "{\"throughput_at_most\": 1}", "{}", "at most 1");
  expect_met(&exact, "{\"units_sum\": 6}", "{\"batches\": [1, 2, 3]}");
  expect_unmet(&exact, "{\"units_sum\": 7}", "{\"batches\": [1, 2, 3]}", "adds up to 6");
  expect_unmet(&exact, "{\"units_sum\": 7}", "{}", "expected 7");
  /* The last piece takes what is left. */
  expect_met(&exact, "{\"units_at_least\": 3, \"units_at_most\": 4}", "{\"batches\": [3, 4, 1]}");
  expect_unmet(&exact, "{\"units_at_least\": 3}", "{\"batches\": [2, 4]}", "piece 0 has 2 units");
  expect_unmet(&exact, "{\"units_at_most\": 3}", "{\"chunks\": [[0, 4], [0, 1]]}", "piece 0 has 4");
  expect_unmet(&exact, "{\"units_at_least\": 3}", "{}", "nothing was handed out");
  expect_met(&most, "{\"makespan\": 1, \"chunk_units_max\": 450}",
             "{\"makespan\": 1, \"chunks\": [[0, 450], [1, 3]]}");
  expect_unmet(&most, "{\"makespan\": 1, \"chunk_units_max\": 450}",
               "{\"makespan\": 1, \"chunks\": [[0, 451]]}", "expected at most 450");
}

static void fractions_are_the_same_figure(void **state) {
  (void)state;
  expect_met(&exact, "{\"throughput_exact\": \"1/3\"}", "{\"throughput\": 0.3333333}");
  expect_met(&exact, "{\"load_exact\": \"5\"}", "{\"load\": 5}");
  expect_unmet(&exact, "{\"throughput_exact\": \"1/3\"}", "{\"throughput\": 0.34}", "expected 1/3");
  expect_unmet(&exact, "{\"throughput_exact\": 3}", "{\"throughput\": 0.34}", "expected ?");
}

static void what_is_free_must_be_possible(void **state) {
  (void)state;
  json_t *names = json_pack("[s, s, s]", "send_order", "units", "enrolled");
  struct ls_check_rules rules = exact;
  rules.free = names;
  const char *expect = "{\"send_order\": [0, 1], \"units\": [5, 5, 0], \"enrolled\": [0, 1]}";
  expect_met(&rules, expect, "{\"send_order\": [2, 0], \"units\": [4, 0, 6]}");
  expect_unmet(&rules, expect, "{\"send_order\": [2, 2]}", "names worker 2 twice");
  expect_unmet(&rules, expect, "{\"send_order\": [3]}", "expected a worker below 3");
  expect_unmet(&rules, expect, "{\"units\": [4, 0, 5]}", "units adds up to 9, expected 10");
  expect_unmet(&rules, expect, "{\"units\": [-1, 5, 6]}", "units[0] is negative");
  json_decref(names);
}

static void an_outcome_says_all(void **state) {
  (void)state;
  const char *refused = "{\"outcome\": \"not_applicable\", \"why\": \"too small\"}";
  expect_met(&exact, "{\"outcome\": \"not_applicable\"}", refused);
  expect_met(&exact, "{\"outcome\": \"refused\"}", refused);
  expect_met(&exact, "{\"outcome\": \"refused\"}", "{\"outcome\": \"refused\", \"why\": \"\"}");
  expect_unmet(&exact, "{\"makespan\": 3}", refused, "not_applicable (too small), expected ok");
  expect_unmet(&exact, "{\"outcome\": \"not_applicable\"}", "{\"outcome\": \"ok\"}",
               "outcome is ok");
  expect_unmet(&exact, "{\"outcome\": \"not_applicable\"}", "{\"outcome\": \"refused\"}",
               "outcome is refused");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tolerance_is_relative_and_absolute_below_1),
      cmocka_unit_test(a_field_is_looked_for_at_the_top_then_in_the_parameters),
      cmocka_unit_test(words_flags_lists_and_objects_are_compared_whole),
      cmocka_unit_test(no_name_widens_the_tolerance),
      cmocka_unit_test(information_is_not_judged),
      cmocka_unit_test(chunks_are_compared_by_the_load),
      cmocka_unit_test(at_most_and_at_least_judge_the_main_figure_only),
      cmocka_unit_test(limits_hold_in_every_mode),
      cmocka_unit_test(fractions_are_the_same_figure),
      cmocka_unit_test(what_is_free_must_be_possible),
      cmocka_unit_test(an_outcome_says_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
