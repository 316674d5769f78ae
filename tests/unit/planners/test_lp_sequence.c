#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/replay.h"
#include "model/validate.h"
#include "planners/rounds/lp_sequence.h"
#include "star_fixture.h"

enum { MESSAGES_MAX = 24 };

static size_t draw_messages(struct ls_random *random, size_t workers, struct ls_message *messages) {
  size_t count = 1 + ls_random_below(random, MESSAGES_MAX);
  for (size_t i = 0; i < count; i++) {
    messages[i].worker = (uint32_t)ls_random_below(random, workers);
    messages[i].round = (uint32_t)i;
  }
  return count;
}

static void plan_messages(const struct ls_platform *platform, double load,
                          const struct ls_message *messages, size_t count, struct ls_plan *plan) {
  struct ls_planner_setup setup = {.platform = platform, .load = load};
  struct ls_error err;
  ls_plan_init(plan, "lp", load);
  if (ls_lp_plan(&setup, messages, count, plan, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(plan->outcome, LS_PLAN_OK);
  if (ls_replay(plan, platform, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_validate_plan(plan, platform, &err) != LS_OK) fail_msg("%s", err.text);
}

/* The master's own time, and receiving, are stations of the program, too. */
static void open_full_star(struct ls_platform *platform, struct ls_random *random) {
  star_open(platform, random, STAR_DIFFERENT, 5);
  platform->prepare = (struct ls_cost){star_draw(random, 0, 0.1), star_draw(random, 0, 0.1)};
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_SEND] =
        (struct ls_cost){star_draw(random, 0, 0.1), star_draw(random, 0, 0.2)};
    worker->costs[LS_OPERATION_RECEIVE] =
        (struct ls_cost){star_draw(random, 0, 0.1), star_draw(random, 0, 0.2)};
  }
}

/* Chunks left empty save latencies: the replay may only be earlier then. */
static void the_replay_is_what_the_program_promised(void **state) {
  struct ls_random random;
  size_t equal = 0;
  (void)state;
  ls_random_init(&random, 1, "sequence");
  for (size_t star = 0; star < 200; star++) {
    struct ls_platform platform;
    struct ls_plan plan;
    struct ls_message messages[MESSAGES_MAX];
    open_full_star(&platform, &random);
    size_t count = draw_messages(&random, platform.workers_count, messages);
    plan_messages(&platform, 80, messages, count, &plan);
    double promised_s = ls_plan_get(&plan, "predicted_makespan", (double)NAN);
    assert_true(plan.makespan_s <= promised_s * (1 + 1e-9));
    if (plan.chunks_count == count) {
      assert_true(plan.makespan_s >= promised_s * (1 - 1e-9));
      equal++;
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  assert_true(equal > 20);
}

/* No other sizes of the same messages end earlier, as long as none is left out. */
static void no_other_sizes_are_better(void **state) {
  struct ls_random random;
  size_t compared = 0;
  (void)state;
  ls_random_init(&random, 2, "sequence");
  for (size_t star = 0; star < 100; star++) {
    struct ls_platform platform;
    struct ls_plan plan;
    struct ls_message messages[MESSAGES_MAX];
    open_full_star(&platform, &random);
    size_t count = draw_messages(&random, platform.workers_count, messages);
    plan_messages(&platform, 80, messages, count, &plan);
    for (size_t turn = 0; turn < 20 && plan.chunks_count == count; turn++) {
      size_t from = ls_random_below(&random, plan.chunks_count);
      size_t to = ls_random_below(&random, plan.chunks_count);
      double units = plan.chunks[from].units * star_draw(&random, 0.001, 0.5), makespan_s;
      plan.chunks[from].units -= units;
      plan.chunks[to].units += units;
      assert_int_equal(ls_replay_makespan(&plan, &platform, &makespan_s, NULL), LS_OK);
      assert_true(makespan_s >= plan.makespan_s * (1 - 1e-9));
      compared++;
      plan.chunks[from].units += units;
      plan.chunks[to].units -= units;
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  assert_true(compared > 100);
}

/* The program of the messages of a plan finds nothing better than the plan, also where some of the
 * first messages got nothing; and with them the plan was not shorter. */
static void what_is_sent_is_the_best_of_its_sequence(void **state) {
  struct ls_random random;
  size_t shorter = 0, fewer = 0;
  (void)state;
  ls_random_init(&random, 4, "sequence");
  for (size_t star = 0; star < 200; star++) {
    struct ls_platform platform;
    struct ls_plan once, sent, again;
    struct ls_message messages[MESSAGES_MAX];
    struct ls_budget budget = {0};
    open_full_star(&platform, &random);
    size_t count = draw_messages(&random, platform.workers_count, messages);
    double load = star_draw(&random, 1, 30);
    plan_messages(&platform, load, messages, count, &once);
    struct ls_planner_setup setup = {.platform = &platform, .load = load};
    struct ls_messages all = {messages, count};
    ls_plan_init(&sent, "lp", load);
    assert_int_equal(ls_lp_plan_sent(&setup, &all, &budget, &sent, NULL), LS_OK);
    assert_int_equal(ls_replay(&sent, &platform, NULL), LS_OK);
    assert_int_equal(ls_validate_plan(&sent, &platform, NULL), LS_OK);
    assert_true(sent.makespan_s <= once.makespan_s * (1 + 1e-12));
    assert_true(once.chunks_count == count ? budget.work == 1 : budget.work <= count);
    for (size_t i = 0; i < sent.chunks_count; i++)
      messages[i] = (struct ls_message){sent.chunks[i].worker, sent.chunks[i].round};
    plan_messages(&platform, load, messages, sent.chunks_count, &again);
    assert_true(sent.makespan_s <= again.makespan_s * (1 + 1e-9));
    fewer += once.chunks_count < count;
    shorter += sent.makespan_s < once.makespan_s * (1 - 1e-6);
    ls_plan_close(&again);
    ls_plan_close(&sent);
    ls_plan_close(&once);
    ls_platform_close(&platform);
  }
  assert_true(fewer > 50 && shorter > 10);
}

/* Better sizes may round to worse ones: the rounded plans are compared, and ls_planner_run sends
 * the one that was chosen. */
static void whole_units_are_compared_as_they_are_sent(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 5, "sequence");
  for (size_t star = 0; star < 100; star++) {
    struct ls_platform platform;
    struct ls_plan once, sent;
    struct ls_message messages[3 * 5];
    const struct ls_planner *lp;
    double load = 1 + (double)ls_random_below(&random, 20), once_s, sent_s;
    open_full_star(&platform, &random);
    struct ls_planner_setup setup = {.platform = &platform, .load = load, .is_whole = true};
    size_t workers = platform.workers_count;
    for (size_t i = 0; i < 3 * workers; i++)
      messages[i] = (struct ls_message){(uint32_t)(i % workers), (uint32_t)(i / workers)};
    plan_messages(&platform, load, messages, 3 * workers, &once);
    assert_int_equal(ls_lp_makespan(&setup, &once, &once_s, NULL), LS_OK);
    struct ls_messages all = {messages, 3 * workers};
    ls_plan_init(&sent, "lp", load);
    assert_int_equal(ls_lp_plan_sent(&setup, &all, NULL, &sent, NULL), LS_OK);
    assert_int_equal(ls_lp_makespan(&setup, &sent, &sent_s, NULL), LS_OK);
    assert_true(sent_s <= once_s);
    ls_plan_close(&sent);
    assert_int_equal(ls_planner_parse("lp:3", &lp, &setup, NULL), LS_OK);
    assert_int_equal(ls_planner_run(lp, &setup, NULL, &sent, NULL), LS_OK);
    assert_true(fabs(sent.makespan_s - sent_s) <= 1e-9 * sent_s);
    ls_arguments_close(&setup.arguments);
    ls_plan_close(&sent);
    ls_plan_close(&once);
    ls_platform_close(&platform);
  }
}

/* Without work left the first program is all. */
static void a_limit_of_work_leaves_the_first_program(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  static const struct ls_message messages[5] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}};
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.259, 8.427};
  platform.workers[0].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.045, 0.033};
  struct ls_planner_setup setup = {.platform = &platform, .load = 100};
  struct ls_messages all = {messages, 5};
  double makespans_s[2];
  for (size_t i = 0; i < 2; i++) {
    struct ls_budget budget = {.work_max = i == 0 ? 1 : 0};
    ls_plan_init(&plan, "lp", 100);
    assert_int_equal(ls_lp_plan_sent(&setup, &all, &budget, &plan, NULL), LS_OK);
    assert_int_equal(ls_replay_makespan(&plan, &platform, &makespans_s[i], NULL), LS_OK);
    assert_true(i == 0 ? budget.work == 1 : budget.work > 1);
    ls_plan_close(&plan);
  }
  assert_true(makespans_s[1] < makespans_s[0]);
  ls_platform_close(&platform);
}

/* All times a times as long, units b times as many of a b-th of the cost. */
static void the_optimum_scales(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 3, "sequence");
  for (size_t star = 0; star < 60; star++) {
    struct ls_platform platform;
    struct ls_plan plan;
    struct ls_message messages[MESSAGES_MAX];
    star_open(&platform, &random, STAR_DIFFERENT, 5);
    size_t count = draw_messages(&random, platform.workers_count, messages);
    plan_messages(&platform, 1, messages, count, &plan);
    double before_s = ls_plan_get(&plan, "predicted_makespan", (double)NAN);
    ls_plan_close(&plan);
    for (size_t i = 0; i < platform.workers_count; i++) {
      struct ls_worker_model *worker = &platform.workers[i];
      worker->costs[LS_OPERATION_TRANSFER] =
          (struct ls_cost){worker->costs[LS_OPERATION_TRANSFER].latency_s * 1e-6,
                           worker->costs[LS_OPERATION_TRANSFER].per_unit_s * 1e-15};
      worker->costs[LS_OPERATION_COMPUTE] =
          (struct ls_cost){worker->costs[LS_OPERATION_COMPUTE].latency_s * 1e-6,
                           worker->costs[LS_OPERATION_COMPUTE].per_unit_s * 1e-15};
      worker->delay_s *= 1e-6;
    }
    plan_messages(&platform, 1e9, messages, count, &plan);
    double after_s = ls_plan_get(&plan, "predicted_makespan", (double)NAN);
    assert_true(fabs(after_s / (before_s * 1e-6) - 1) < 1e-7);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* A latency many decades above all else: more than the solver holds, and no error. */
static void costs_too_far_apart_are_refused(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[1].costs[LS_OPERATION_COMPUTE].latency_s = 1e120;
  star_plan(&platform, 1, "lp:2", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_string_equal(plan.why, "the costs are too far apart for the solver");
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_replay_is_what_the_program_promised),
      cmocka_unit_test(no_other_sizes_are_better),
      cmocka_unit_test(what_is_sent_is_the_best_of_its_sequence),
      cmocka_unit_test(whole_units_are_compared_as_they_are_sent),
      cmocka_unit_test(a_limit_of_work_leaves_the_first_program),
      cmocka_unit_test(the_optimum_scales),
      cmocka_unit_test(costs_too_far_apart_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
