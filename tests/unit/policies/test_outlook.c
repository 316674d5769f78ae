/* What a replica is worth: what is saved, less its price. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "policies/outlook.h"

static struct ls_replica_facts make_facts(double elapsed_s, double expected_s, double loss_rate) {
  return (struct ls_replica_facts){.elapsed_s = elapsed_s,
                                   .expected_s = expected_s,
                                   .replica_s = expected_s,
                                   .loss_rate = loss_rate};
}

/* Seconds of the replica cost their price: the worth falls by what it is expected to run. */
static void the_price_is_that_of_the_seconds_that_it_runs(void **state) {
  (void)state;
  struct ls_replica_facts facts = make_facts(0, 10, 0);
  double free_s = ls_outlook_worth(&facts, 0), runs_s = free_s - ls_outlook_worth(&facts, 1);
  assert_true(free_s > 0);
  assert_true(runs_s > 9 && runs_s < 11);
  assert_true(fabs(free_s - ls_outlook_worth(&facts, 0.5) - runs_s / 2) < 1e-9);
}

/* Seconds or hours: the worth is as many times larger. */
static void the_unit_of_time_does_not_matter(void **state) {
  (void)state;
  for (double elapsed_s = 0; elapsed_s < 40; elapsed_s += 3.7) {
    struct ls_replica_facts seconds = make_facts(elapsed_s, 10, 0.01);
    struct ls_replica_facts hours = make_facts(elapsed_s / 3600, 10.0 / 3600, 0.01 * 3600);
    double worth = ls_outlook_worth(&seconds, 0.05);
    assert_true(fabs(ls_outlook_worth(&hours, 0.05) * 3600 - worth) < 1e-9 * fabs(worth) + 1e-9);
  }
}

/* Where units end as expected; of a unit that hangs, a loss would rather be good news. */
static void losses_make_it_worth_more(void **state) {
  struct ls_slowness slowness = {0};
  struct ls_slowness_law law;
  double before = -HUGE_VAL;
  (void)state;
  for (size_t i = 0; i < 1000; i++) ls_slowness_end(&slowness, 0.99);
  ls_slowness_estimate(&slowness, &law);
  for (double rate = 0; rate < 0.1; rate += 0.01) {
    struct ls_replica_facts facts = make_facts(2, 10, rate);
    facts.law = &law;
    double worth = ls_outlook_worth(&facts, 0.05);
    assert_true(worth > before);
    before = worth;
  }
}

static void a_time_that_nobody_knows_is_weighed_as_that_of_a_unit_that_begins(void **state) {
  (void)state;
  struct ls_replica_facts unknown = make_facts(7, (double)NAN, 0.3), first = make_facts(0, 1, 0);
  for (double price = 0; price < 1; price += 0.1)
    assert_true(fabs(ls_outlook_worth(&unknown, price) - ls_outlook_worth(&first, price)) < 1e-12);
  assert_true(isinf(ls_outlook_next_s(&unknown)));
  assert_true(ls_outlook_next_s(&first) > 0 && ls_outlook_next_s(&first) <= 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_price_is_that_of_the_seconds_that_it_runs),
      cmocka_unit_test(the_unit_of_time_does_not_matter),
      cmocka_unit_test(losses_make_it_worth_more),
      cmocka_unit_test(a_time_that_nobody_knows_is_weighed_as_that_of_a_unit_that_begins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
