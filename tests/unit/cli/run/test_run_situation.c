/* What is known before a run, and --prefetch auto. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/run_situation.h"

static void a_situation_is_that_of_the_options(void **state) {
  (void)state;
  struct ls_run_options options = {
      .order = "fifo", .policy = "ss", .workers = 3, .prefetch = 4, .seed = 6};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  struct ls_run_situation situation = ls_run_situation_of(&policy, &options, 100);
  assert_null(situation.platform);
  assert_null(situation.history);
  assert_int_equal(situation.units, 100);
  assert_int_equal(situation.workers, 3);
  assert_int_equal(situation.prefetch, 4);
  assert_int_equal(situation.seed, 6);
  assert_false(situation.is_remote);
  assert_false(situation.has_whole_chunks);
  options.has_whole_chunks = true;
  assert_true(ls_run_situation_of(&policy, &options, 100).has_whole_chunks);
  assert_int_equal(policy.prefetch_reason.length, 0);
  ls_run_policy_close(&policy);
}

static void a_given_number_is_kept_where_only_the_policy_is_free(void **state) {
  (void)state;
  struct ls_run_options options = {.prefetch = 4, .has_prefetch = true};
  assert_true(ls_run_keeps_prefetch(&options));
  options.policy = "auto";
  assert_false(ls_run_keeps_prefetch(&options));
  options.policy = NULL;
  options.chooses_prefetch = true;
  assert_false(ls_run_keeps_prefetch(&options));
}

static void a_prefetch_may_be_found_by_simulation(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo",
                                   .policy = "fac2",
                                   .prefetch = 1,
                                   .has_prefetch = true,
                                   .chooses_prefetch = true,
                                   .platform = "4x(compute=1x, delay=5)"};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 400, NULL), LS_OK);
  assert_string_equal(policy.config.chunking->name, "fac2");
  assert_true(policy.prefetch > 1);
  assert_non_null(strstr(ls_bytes_text(&policy.prefetch_reason), "the best"));
  ls_run_policy_close(&policy);
  /* auto chooses the policy, then the least prefetch for it. */
  options.policy = NULL;
  options.platform = "4x(compute=1x)";
  assert_int_equal(ls_run_policy_choose(&policy, &options, 400, NULL), LS_OK);
  assert_int_equal(policy.prefetch, 0);
  assert_true(policy.prefetch_reason.length > 0);
  ls_run_policy_close(&policy);
  options.platform = NULL;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 400, NULL), LS_OK);
  assert_int_equal(policy.prefetch, 1);
  assert_non_null(strstr(ls_bytes_text(&policy.prefetch_reason), "nothing is known"));
  ls_run_policy_close(&policy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_situation_is_that_of_the_options),
      cmocka_unit_test(a_given_number_is_kept_where_only_the_policy_is_free),
      cmocka_unit_test(a_prefetch_may_be_found_by_simulation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
