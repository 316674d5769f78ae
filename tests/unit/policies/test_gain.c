/* Replication where it gains: by expectation in front, by the running unit at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "policies/replication.h"
#include "theory/loss.h"
#include "theory/workload.h"

static struct ls_replica_facts make_facts(double elapsed_s, double expected_s, double replica_s,
                                          double loss_rate) {
  struct ls_replica_facts facts = {.elapsed_s = elapsed_s,
                                   .expected_s = expected_s,
                                   .replica_s = replica_s,
                                   .loss_rate = loss_rate};
  ls_arguments_init(&facts.arguments, ls_replication_find("gain")->parameters);
  return facts;
}

static double weigh(double elapsed_s, double expected_s, double replica_s, double loss_rate) {
  struct ls_replica_facts facts = make_facts(elapsed_s, expected_s, replica_s, loss_rate);
  return ls_replication_find("gain")->worth(&facts);
}

/* Where nothing is known one in twenty may straggle, and a worker idles: it runs twice. */
static void what_nobody_knows_is_worth_a_replica(void **state) {
  (void)state;
  assert_true(weigh(0, 10, 10, 0) > 0);
  assert_true(weigh(1, (double)NAN, 5, 1) > 0);
  assert_true(weigh(1, (double)NAN, (double)NAN, 0) > 0);
}

static void much_faster_workers_and_likely_losses_are(void **state) {
  (void)state;
  assert_true(weigh(1, 100, 5, 0) > 0);
  assert_true(weigh(1, 100, 100, 0.1) > 0);
  /* A unit that has lasted thrice as long as usual hangs. */
  assert_true(weigh(30, 10, 10, 0) > 0);
}

/* The coordinator weighs a replica for the fastest worker that idles, and believes it. */
static void a_slower_worker_is_never_worth_more(void **state) {
  (void)state;
  for (double elapsed_s = 0; elapsed_s < 30; elapsed_s += 1.5)
    for (double loss_rate = 0; loss_rate < 1; loss_rate += 0.09)
      for (double replica_s = 0.5; replica_s < 40; replica_s += 0.5)
        assert_true(weigh(elapsed_s, 10, replica_s + 0.5, loss_rate) <=
                    weigh(elapsed_s, 10, replica_s, loss_rate) + 1e-12);
}

static double weigh_learnt(const struct ls_slowness *slowness, double elapsed_s) {
  struct ls_replica_facts facts = make_facts(elapsed_s, 10, 10, 0);
  struct ls_slowness_law law;
  if (slowness != NULL) {
    ls_slowness_estimate(slowness, &law);
    facts.law = &law;
  }
  return ls_replication_find("gain")->worth(&facts);
}

static void without_losses_equal_workers_are_not_worth_a_replica_once_units_end_as_expected(
    void **state) {
  struct ls_slowness regular = {{0}, {0}};
  (void)state;
  for (size_t i = 0; i < 1000; i++) ls_slowness_end(&regular, 1 - 1e-6);
  for (double elapsed_s = 0; elapsed_s < 8; elapsed_s++)
    assert_true(weigh_learnt(&regular, elapsed_s) <= 0);
}

/* A unit that is a third longer than expected: where times vary that is nothing; where a few take
 * six times as long as the others it is one of them, and a replica is worth it before that. */
static void the_run_teaches_what_is_slow(void **state) {
  struct ls_slowness varying = {{0}, {0}}, straggling = {{0}, {0}};
  (void)state;
  for (size_t i = 0; i < 4000; i++) {
    ls_slowness_end(&varying, 0.5 + (double)(i % 200) / 200);
    ls_slowness_end(&straggling, i % 20 == 0 ? 6 : 0.75);
  }
  assert_true(weigh_learnt(NULL, 13.3) > 0);
  assert_true(weigh_learnt(&varying, 13.3) < 0);
  assert_true(weigh_learnt(&straggling, 13.3) > 30);
  assert_true(weigh_learnt(&straggling, 9) > 30);
  /* At the start it would save 5 % of 52 seconds. */
  assert_true(weigh_learnt(&straggling, 0) > 1.5 && weigh_learnt(&straggling, 0) < 2.6);
  /* The less of two uniform times from 5 to 15 is 8.33. */
  assert_true(fabs(weigh_learnt(&varying, 0) - (10 - 1.05 * 8.333)) < 0.2);
}

/* It is looked at again before long, and then later. */
static void what_goes_on_is_weighed_again(void **state) {
  const struct ls_replication *gain = ls_replication_find("gain");
  struct ls_replica_facts facts = make_facts(0, 10, 10, 0);
  (void)state;
  for (size_t i = 0; i < 40; i++) {
    double again_s = gain->weigh_again_s(&facts);
    assert_true(again_s > facts.elapsed_s && again_s <= fmax(5.1, 1.1 * facts.elapsed_s));
    facts.elapsed_s = again_s;
  }
  facts.expected_s = (double)NAN;
  assert_true(isinf(gain->weigh_again_s(&facts)));
  /* Of these seconds the quotient lies below the edge. */
  facts = make_facts(0, 15.018497750787187, 10, 0);
  while (isfinite(gain->weigh_again_s(&facts))) {
    double again_s = gain->weigh_again_s(&facts);
    assert_true(again_s > facts.elapsed_s);
    facts.elapsed_s = again_s;
  }
  assert_true(facts.elapsed_s > 200 * facts.expected_s);
}

static void a_higher_price_makes_fewer_replicas(void **state) {
  const struct ls_replication *gain = ls_replication_find("gain");
  struct ls_replica_facts facts = make_facts(1, 100, 50, 0.01);
  double cheap = gain->worth(&facts);
  (void)state;
  assert_int_equal(ls_arguments_set(&facts.arguments, gain->parameters, "price", "3", NULL), LS_OK);
  assert_true(gain->worth(&facts) < cheap);
  assert_true(gain->worth(&facts) < 0);
}

/* In front of an iteration it is the number with the least expectation. */
static void replicas_are_chosen_by_expectation(void **state) {
  const struct ls_replication *gain = ls_replication_find("gain");
  double work[50];
  struct ls_workload workload = {50, 60, true, true, 100};
  struct ls_replication_view view = {
      .units = 50, .workers_wanted = 9, .workers_present = 11, .loss_rate = 10, .seconds = work};
  (void)state;
  assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
  ls_arguments_init(&view.arguments, gain->parameters);
  uint64_t replicas = gain->replicas(&view);
  assert_true(replicas >= 1 && replicas <= 2);
  view.loss_rate = 0;
  assert_int_equal(gain->replicas(&view), 0);
  view.loss_rate = 10;
  view.seconds = NULL;
  assert_int_equal(gain->replicas(&view), 0);
}

static double expect_time(const struct ls_loss_study *study, double probability) {
  struct ls_worsening lost, spared;
  assert_int_equal(ls_loss_expect(study, &lost, NULL), LS_OK);
  assert_int_equal(ls_loss_spared(study, &spared, NULL), LS_OK);
  return probability * lost.time_percent + (1 - probability) * spared.time_percent;
}

/* Complete replication replicates as many tasks as there are extra workers.  Few instants of loss
 * would mistake fewer replicas for better, on 6 workers by 1.4 points of the time. */
static void without_a_price_no_cycle_is_later_than_with_complete_replication(void **state) {
  static const double probabilities[] = {0.1, 0.7, 1};
  const struct ls_replication *gain = ls_replication_find("gain");
  double work[50];
  struct ls_workload workload = {50, 90, true, true, 100};
  struct ls_replication_view view = {.units = 50, .workers_wanted = 6, .seconds = work};
  (void)state;
  assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
  ls_arguments_init(&view.arguments, gain->parameters);
  assert_int_equal(ls_arguments_set(&view.arguments, gain->parameters, "price", "0", NULL), LS_OK);
  for (size_t i = 0; i < 9; i++) {
    size_t extra = 1 + i % 3;
    double probability = probabilities[i / 3];
    struct ls_loss_study ours = {work, 50, 6, extra, 0, 40, true};
    struct ls_loss_study complete = {work, 50, 6, extra, extra, 40, false};
    view.workers_present = 6 + extra;
    view.loss_rate = probability < 1 ? -log1p(-probability) / 100 : 10;
    ours.replicas = gain->replicas(&view);
    assert_true(expect_time(&ours, probability) <= expect_time(&complete, probability) + 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_nobody_knows_is_worth_a_replica),
      cmocka_unit_test(
          without_losses_equal_workers_are_not_worth_a_replica_once_units_end_as_expected),
      cmocka_unit_test(much_faster_workers_and_likely_losses_are),
      cmocka_unit_test(a_slower_worker_is_never_worth_more),
      cmocka_unit_test(the_run_teaches_what_is_slow),
      cmocka_unit_test(what_goes_on_is_weighed_again),
      cmocka_unit_test(a_higher_price_makes_fewer_replicas),
      cmocka_unit_test(replicas_are_chosen_by_expectation),
      cmocka_unit_test(without_a_price_no_cycle_is_later_than_with_complete_replication),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
