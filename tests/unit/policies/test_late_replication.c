/* LATE: what lasts longest beyond its expectation runs again, a few at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "policies/replication.h"

static struct ls_replica_facts make_facts(double elapsed_s, double expected_s, double replica_s) {
  struct ls_replica_facts facts = {
      .elapsed_s = elapsed_s, .expected_s = expected_s, .replica_s = replica_s, .workers = 20};
  ls_arguments_init(&facts.arguments, ls_replication_find("late")->parameters);
  return facts;
}

static double weigh(double elapsed_s, double expected_s, double replica_s) {
  struct ls_replica_facts facts = make_facts(elapsed_s, expected_s, replica_s);
  return ls_replication_find("late")->worth(&facts);
}

static void only_what_has_outlasted_its_expectation_runs_again(void **state) {
  (void)state;
  assert_true(weigh(14.9, 10, 10) < 0);
  assert_true(weigh(15, 10, 10) > 0);
  assert_true(weigh(1000, (double)NAN, (double)NAN) < 0);
}

/* The rest is as long as what has passed: a worker that needs longer is no help. */
static void a_slow_worker_is_no_help(void **state) {
  (void)state;
  assert_true(weigh(20, 10, 19.9) > 0);
  assert_true(weigh(20, 10, 20) < 0);
}

static void what_ends_last_comes_first(void **state) {
  (void)state;
  assert_true(weigh(30, 10, 10) > weigh(20, 10, 10));
  assert_true(weigh(30, 20, 20) > weigh(20, 10, 10));
}

static void few_replicas_run_at_a_time(void **state) {
  const struct ls_replication *late = ls_replication_find("late");
  struct ls_replica_facts facts = make_facts(30, 10, 10);
  (void)state;
  for (facts.replicas = 0; facts.replicas < 5; facts.replicas++) {
    assert_int_equal(late->worth(&facts) > 0, facts.replicas < 2);
    assert_int_equal(isfinite(late->weigh_again_s(&facts)) != 0, facts.replicas < 2);
  }
  /* One always may. */
  facts.workers = 3;
  facts.replicas = 0;
  assert_true(late->worth(&facts) > 0);
}

/* Neither a digit before nor a digit behind: the coordinator wakes up at that time. */
static void it_is_worth_it_from_that_time_on(void **state) {
  const struct ls_replication *late = ls_replication_find("late");
  (void)state;
  for (double replica_s = 0.1; replica_s < 40; replica_s *= 1.37) {
    struct ls_replica_facts facts = make_facts(0, 10, replica_s);
    double from_s = late->weigh_again_s(&facts);
    facts.elapsed_s = from_s;
    assert_true(late->worth(&facts) > 0);
    facts.elapsed_s = nextafter(from_s, 0);
    assert_true(late->worth(&facts) <= 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_what_has_outlasted_its_expectation_runs_again),
      cmocka_unit_test(a_slow_worker_is_no_help),
      cmocka_unit_test(what_ends_last_comes_first),
      cmocka_unit_test(few_replicas_run_at_a_time),
      cmocka_unit_test(it_is_worth_it_from_that_time_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
