/* What is expected of no, single and complete replication decides, and is held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "policies/replication.h"
#include "theory/loss.h"
#include "theory/workload.h"

enum { TASKS = 50, WORKERS = 6 };

struct rule {
  double work[TASKS];
  struct ls_replication_memory memory;
  struct ls_replication_view view;
};

static const struct ls_replication *find_auto(void) {
  return ls_replication_find("auto");
}

static void open_rule(struct rule *rule, double loss_rate, const char *weight) {
  struct ls_workload workload = {TASKS, 90, true, true, 100};
  *rule = (struct rule){.view = {.units = TASKS, .workers_wanted = WORKERS}};
  assert_int_equal(ls_workload_make(&workload, rule->work, NULL), LS_OK);
  rule->view.loss_rate = loss_rate;
  ls_arguments_init(&rule->view.arguments, find_auto()->parameters);
  assert_int_equal(ls_arguments_set(&rule->view.arguments, find_auto()->parameters,
                                    "efficiency_weight", weight, NULL),
                   LS_OK);
}

static size_t ask(struct rule *rule, size_t most, uint64_t *replicas) {
  rule->view.seconds = rule->work;
  rule->view.memory = &rule->memory;
  size_t extra = find_auto()->extra(&rule->view, most);
  rule->view.workers_present = WORKERS + extra;
  *replicas = find_auto()->replicas(&rule->view);
  return extra;
}

/* By the definition: the least of the nine, at a loss for certain. */
static void the_least_expectation_is_chosen(void **state) {
  (void)state;
  for (int weight = 0; weight < 3; weight++) {
    static const char *const words[] = {"0", "0.1", "0.5"};
    struct rule rule;
    uint64_t replicas;
    open_rule(&rule, 100, words[weight]);
    size_t extra = ask(&rule, 3, &replicas);
    double least = (double)INFINITY, got = (double)INFINITY;
    for (size_t x = 0; x <= 3; x++) {
      for (size_t r = 0; r <= x; r += r == 0 || x == 1 ? 1 : x - 1) {
        struct ls_loss_study study = {rule.work, TASKS, WORKERS, x, r, 40, false};
        struct ls_worsening lost;
        assert_int_equal(ls_loss_expect(&study, &lost, NULL), LS_OK);
        double points = lost.time_percent + strtod(words[weight], NULL) * lost.efficiency_percent;
        least = fmin(least, points);
        if (x == extra && r == replicas) got = points;
      }
    }
    assert_true(got <= least + 1e-6);
  }
}

/* Losses that never come are worth no extra worker where efficiency counts. */
static void without_losses_there_is_no_replica(void **state) {
  struct rule rule;
  uint64_t replicas;
  (void)state;
  open_rule(&rule, 0, "5");
  assert_int_equal(ask(&rule, 3, &replicas), 0);
  assert_int_equal(replicas, 0);
}

static void no_more_extra_workers_are_wanted_than_there_may_be(void **state) {
  (void)state;
  for (size_t most = 0; most < 6; most++) {
    struct rule rule;
    uint64_t replicas;
    open_rule(&rule, 100, "0");
    size_t extra = ask(&rule, most, &replicas);
    assert_true(extra <= most && extra <= 3 && replicas <= extra);
  }
}

static void what_is_not_known_gets_all_workers_and_no_replica(void **state) {
  struct rule rule;
  (void)state;
  open_rule(&rule, 100, "0");
  rule.view.memory = &rule.memory;
  assert_int_equal(find_auto()->extra(&rule.view, 2), 2);
  rule.view.workers_present = WORKERS + 2;
  assert_int_equal(find_auto()->replicas(&rule.view), 0);
}

/* One look at another rate may be chance; two are not, when it saves so much in both. */
static void a_choice_is_held_until_another_one_is_surely_better(void **state) {
  struct rule rule;
  uint64_t replicas;
  (void)state;
  open_rule(&rule, 0, "5");
  assert_int_equal(ask(&rule, 3, &replicas), 0);
  rule.view.loss_rate = 100;
  ls_arguments_init(&rule.view.arguments, find_auto()->parameters);
  assert_int_equal(ls_arguments_set(&rule.view.arguments, find_auto()->parameters,
                                    "efficiency_weight", "0", NULL),
                   LS_OK);
  assert_int_equal(ask(&rule, 3, &replicas), 0);
  assert_true(ask(&rule, 3, &replicas) > 0);
  /* Back and forth is chance. */
  open_rule(&rule, 0, "5");
  for (size_t i = 0; i < 12; i++) {
    rule.view.loss_rate = i % 2 == 0 ? 0 : 0.0001;
    assert_int_equal(ask(&rule, 3, &replicas), 0);
  }
}

/* The only worker may be lost: no end is expected of a choice without extra workers, which is no
 * reason against it for ever.  With more workers none of the others has extra ones that pay. */
static void what_could_have_no_end_may_be_chosen_later(void **state) {
  struct rule rule;
  uint64_t replicas;
  (void)state;
  open_rule(&rule, 1e-4, "5");
  rule.view.workers_wanted = 1;
  assert_true(ask(&rule, 3, &replicas) > 0);
  rule.view.workers_wanted = WORKERS;
  for (size_t i = 0; i < 4; i++) (void)ask(&rule, 3, &replicas);
  assert_int_equal(ask(&rule, 3, &replicas), 0);
  /* And back: it is not held for a single cycle. */
  rule.view.workers_wanted = 1;
  assert_true(ask(&rule, 3, &replicas) > 0);
}

/* Two prices of efficiency by turns, for a loss for certain: of single replication on one extra
 * worker the savings are 14.1 and 2.7 points.  Their mean is above the least saving from the start,
 * and above chance from the fourth look on: then 8.4 points exceed 2.353 times the error of 3.3,
 * where after three 10.3 do not exceed 2.920 times 3.8.  A normal law would have said so then. */
static void what_may_save_only_by_chance_is_not_chosen(void **state) {
  static const char *const weights[] = {"0", "2"};
  struct rule rule;
  uint64_t replicas;
  (void)state;
  open_rule(&rule, 0, "9");
  assert_int_equal(ask(&rule, 3, &replicas), 0);
  rule.view.loss_rate = 100;
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(ls_arguments_set(&rule.view.arguments, find_auto()->parameters,
                                      "efficiency_weight", weights[i % 2], NULL),
                     LS_OK);
    size_t extra = ask(&rule, 3, &replicas);
    assert_int_equal(extra, i < 3 ? 0 : 1);
    assert_int_equal(replicas, i < 3 ? 0 : 1);
    /* The third candidate is single replication on one extra worker. */
    if (i == 2) assert_true(fabs(rule.memory.saved[2].mean - (2 * 14.0549 + 2.72633) / 3) < 1e-3);
  }
}

static void nothing_is_chosen_without_memory(void **state) {
  struct rule rule;
  (void)state;
  open_rule(&rule, 100, "0");
  rule.view.seconds = rule.work;
  for (size_t most = 0; most < 5; most++)
    assert_int_equal(find_auto()->extra(&rule.view, most), most < 3 ? most : 3);
  rule.view.workers_present = WORKERS + 3;
  assert_int_equal(find_auto()->replicas(&rule.view), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_least_expectation_is_chosen),
      cmocka_unit_test(without_losses_there_is_no_replica),
      cmocka_unit_test(no_more_extra_workers_are_wanted_than_there_may_be),
      cmocka_unit_test(what_is_not_known_gets_all_workers_and_no_replica),
      cmocka_unit_test(a_choice_is_held_until_another_one_is_surely_better),
      cmocka_unit_test(what_could_have_no_end_may_be_chosen_later),
      cmocka_unit_test(what_may_save_only_by_chance_is_not_chosen),
      cmocka_unit_test(nothing_is_chosen_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
