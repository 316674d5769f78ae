/* test_run_auto.c: the workers that auto takes for a deadline or a limit of price. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/run/run_auto.h"

#define MARKET "1x(compute=0.5x, cost=10, room=7)+2x(compute=1x, cost=1)"
static const double NONE = (double)NAN;

static struct ls_run_options make_options(double deadline_s, double price_max) {
  return (struct ls_run_options){
      .order = "fifo", .prefetch = 1, .platform = MARKET, .terms = {deadline_s, price_max}};
}

static void who_is_asked_for_the_policy(void **state) {
  (void)state;
  assert_true(ls_run_auto_is_asked(&(struct ls_run_options){0}));
  assert_true(ls_run_auto_is_asked(&(struct ls_run_options){.policy = "auto"}));
  assert_false(ls_run_auto_is_asked(&(struct ls_run_options){.policy = "ss"}));
  assert_false(ls_run_auto_is_asked(&(struct ls_run_options){.plan = "p.json"}));
}

/* 100 units: the cheap ones take 50 s, all of them 25. The dear one stands first and is left. */
static void the_crew_of_the_deadline_is_taken_with_its_facts(void **state) {
  struct ls_run_policy policy;
  (void)state;
  struct ls_run_options options = make_options(55, NONE);
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_int_equal(policy.config.workers, 2);
  assert_int_equal(policy.places, 2);
  assert_true(policy.prices[0] == 1 && policy.prices[1] == 1);
  assert_true(policy.weights[0] > 0.99 && policy.weights[0] < 1.01);
  assert_false(policy.misses_terms || policy.may_save);
  assert_non_null(strstr(ls_bytes_text(&policy.advised.reason), "cheapest within 55 s: "));
  assert_non_null(strstr(ls_bytes_text(&policy.advised.reason), ", 2 of 3 workers"));
  ls_run_policy_close(&policy);
  options = make_options(30, NONE);
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_int_equal(policy.config.workers, 3);
  ls_run_policy_close(&policy);
}

/* Workers of a second site: whether they pay is said, also where they come from elsewhere. */
static void whether_a_second_site_pays_is_said(void **state) {
  struct ls_run_policy policy;
  (void)state;
  struct ls_run_options options = make_options(NONE, NONE);
  options.platform = "2x(compute=1x, transfer=0.01x)+2x(compute=1x, transfer=5+0.1x)";
  assert_int_equal(ls_run_policy_choose(&policy, &options, 1000, NULL), LS_OK);
  assert_non_null(strstr(ls_bytes_text(&policy.advised.reason), "; the 2 far workers pay: "));
  ls_run_policy_close(&policy);
  assert_int_equal(ls_run_policy_choose(&policy, &options, 3, NULL), LS_OK);
  assert_non_null(
      strstr(ls_bytes_text(&policy.advised.reason), "; the 2 far workers do not pay: "));
  ls_run_policy_close(&policy);
  options.platform = MARKET;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 1000, NULL), LS_OK);
  assert_null(strstr(ls_bytes_text(&policy.advised.reason), " far worker"));
  ls_run_policy_close(&policy);
}

static void what_cannot_be_kept_is_known(void **state) {
  struct ls_run_policy policy;
  (void)state;
  struct ls_run_options options = make_options(1, NONE);
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_true(policy.misses_terms);
  assert_int_equal(policy.config.workers, 3);
  assert_non_null(strstr(ls_bytes_text(&policy.terms_words), "none ends within 1 s; the fastest"));
  ls_run_policy_close(&policy);
  options = make_options(NONE, 1);
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_true(policy.misses_terms);
  ls_run_policy_close(&policy);
}

static void expect_refused(const struct ls_run_options *options, const char *words) {
  struct ls_run_policy policy;
  struct ls_error err = {0};
  assert_int_equal(ls_run_policy_choose(&policy, options, 100, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("%s", err.text);
}

static void others_that_decide_are_refused(void **state) {
  (void)state;
  struct ls_run_options options = make_options(55, NONE);
  options.policy = "ss";
  expect_refused(&options, "--deadline needs --policy auto");
  options = make_options(NONE, 9);
  options.sizing = "asp";
  expect_refused(&options, "--price-max is given with --sizing");
  options = make_options(55, NONE);
  options.platform = NULL;
  options.workers = 2;
  expect_refused(&options, "--platform, --times or --history");
}

/* Handed on, NaN too. */
static void assert_same(double a, double b) {
  assert_memory_equal(&a, &b, sizeof a);
}

/* Without --prefetch the run has the number that was chosen; for whole chunks that is another one
 * than the usual. */
static void what_was_chosen_is_what_the_run_has(void **state) {
  static const char *const platforms[] = {MARKET, "4x(compute=0.01x, transfer=0.1+0.0001x)",
                                          "1x(compute=1x)+1x(compute=100x)"};
  bool is_other = false;
  (void)state;
  for (size_t i = 0; i < 6 * sizeof platforms / sizeof *platforms; i++) {
    struct ls_run_policy policy;
    struct ls_run_options options = make_options(NONE, NONE);
    options.platform = platforms[i / 6];
    options.prefetch = i % 3;
    options.has_whole_chunks = i / 3 % 2 == 1;
    assert_int_equal(ls_run_policy_choose(&policy, &options, 64, NULL), LS_OK);
    const struct ls_candidate *chosen = &policy.advised.chosen;
    assert_int_equal(policy.prefetch, chosen->prefetch);
    assert_ptr_equal(policy.config.chunking, chosen->chunking);
    assert_same(policy.config.mean_seconds, policy.advised.mean_s);
    assert_same(policy.config.deviation_seconds, policy.advised.deviation_s);
    assert_same(policy.config.overhead_seconds, policy.advised.overhead_s);
    is_other = is_other || chosen->prefetch != options.prefetch;
    ls_run_policy_close(&policy);
  }
  assert_true(is_other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_is_asked_for_the_policy),
      cmocka_unit_test(the_crew_of_the_deadline_is_taken_with_its_facts),
      cmocka_unit_test(whether_a_second_site_pays_is_said),
      cmocka_unit_test(what_cannot_be_kept_is_known),
      cmocka_unit_test(what_was_chosen_is_what_the_run_has),
      cmocka_unit_test(others_that_decide_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
