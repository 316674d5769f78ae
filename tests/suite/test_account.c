/* Every instant of every worker has its part in the account: the parts add up to the makespan,
 * whatever happened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/account.h"
#include "model/account_worker.h"
#include "model/metrics.h"
#include "model/replay.h"
#include "random_model.h"
#include "simulate/simulate.h"

enum { RUNS = 1000, WORKERS_MOST = 6, UNITS_MOST = 200, CHANGES_MOST = 4 };

static void assert_adds_up(const struct ls_timeline *timeline, const struct ls_platform *platform,
                           uint64_t seed) {
  struct ls_account account;
  struct ls_metrics metrics;
  struct ls_sum sum = {0};
  assert_int_equal(ls_account_of(timeline, platform, &account, NULL), LS_OK);
  ls_metrics_of(timeline, &metrics, NULL);
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++) {
    if (!(account.parts_s[part] >= 0))
      fail_msg("seed %llu: %s is %.17g", (unsigned long long)seed,
               ls_account_part_name((enum ls_account_part)part), account.parts_s[part]);
    ls_sum_add(&sum, account.parts_s[part]);
  }
  if (!(account.workers > 0)) {
    assert_true(timeline->makespan_s <= 0 || timeline->spans_count == 0);
    return;
  }
  double off_s = ls_sum_value(&sum) - timeline->makespan_s;
  if (!(fabs(off_s) <= 1e-9 * fmax(1, timeline->makespan_s)))
    fail_msg("seed %llu: the parts are %.17g off a makespan of %.17g", (unsigned long long)seed,
             off_s, timeline->makespan_s);
}

/* What counted is computing that counted, and the receiving of these chunks. */
static void assert_work_is_useful(const struct ls_timeline *timeline,
                                  const struct ls_platform *platform) {
  struct ls_account account;
  struct ls_metrics metrics;
  struct ls_worker_metrics workers[WORKERS_MOST];
  double useful_s = 0, busy_s = 0;
  assert_int_equal(ls_account_of(timeline, platform, &account, NULL), LS_OK);
  ls_metrics_of(timeline, &metrics, workers);
  for (size_t i = 0; i < timeline->workers_count; i++) {
    useful_s += workers[i].useful_s;
    busy_s += workers[i].busy_s;
  }
  double work_s = account.parts_s[LS_ACCOUNT_WORK] + account.parts_s[LS_ACCOUNT_LATENCY];
  double all_s = work_s + account.parts_s[LS_ACCOUNT_LOSSES];
  double slack_s = 1e-9 * fmax(1, busy_s);
  assert_true(work_s * account.workers >= useful_s - slack_s);
  /* The spans of a worker that is taken away may go on beyond that. */
  assert_true(all_s * account.workers <= busy_s + slack_s);
}

struct situation {
  struct ls_platform platform;
  struct ls_simulation setup;
  struct ls_simulated_change leave[CHANGES_MOST], join[CHANGES_MOST], depart[CHANGES_MOST];
  struct ls_simulated_pause pauses[CHANGES_MOST];
  double work[UNITS_MOST];
};

/* All units in one chunk, sent to the slowest worker, computed, answered. What a policy loses with
 * its worker it may send again as one chunk: a machine that is there for far less never ends it. */
static double longest_chunk_s(const struct situation *world) {
  double longest_s = 0, most = 2 * (double)world->setup.units; /* a unit may be two */
  for (size_t i = 0; i < world->platform.workers_count; i++) {
    const struct ls_cost *costs = world->platform.workers[i].costs;
    double chunk_s = 1;
    for (size_t k = 0; k < LS_OPERATION_COUNT; k++) chunk_s += ls_cost_time(&costs[k], most);
    longest_s = fmax(longest_s, chunk_s);
  }
  return longest_s;
}

static void draw_changes(struct situation *world, struct ls_random *random) {
  struct ls_simulation *setup = &world->setup;
  size_t workers = world->platform.workers_count;
  /* Worker 0 stays, so that every run ends. */
  for (size_t i = 1; i < workers && i < CHANGES_MOST; i++) {
    double time_s = 20 * ls_random_real(random);
    struct ls_simulated_change change = {.worker = (uint32_t)i, .time_s = time_s};
    switch (ls_random_below(random, 6)) {
      case 0:
        world->leave[setup->leave_count++] = change;
        break;
      case 1:
        world->join[setup->join_count++] = change;
        if (ls_random_below(random, 2) == 0) break;
        change.time_s += 5 * ls_random_real(random) + 0.01;
        world->leave[setup->leave_count++] = change;
        break;
      case 2:
        world->depart[setup->depart_count++] = change;
        break;
      case 3:
      case 4:
        world->pauses[setup->pauses_count++] =
            (struct ls_simulated_pause){.worker = (uint32_t)i,
                                        .from_s = time_s,
                                        .until_s = time_s + 0.01 + 10 * ls_random_real(random),
                                        .is_kept = ls_random_below(random, 2) == 0};
        break;
      default:
        break;
    }
  }
  if (ls_random_below(random, 5) == 0) {
    setup->reclaim.mean_up_s = (0.2 + ls_random_real(random)) * longest_chunk_s(world);
    setup->reclaim.mean_away_s = 0.1 + 5 * ls_random_real(random);
  }
  if (ls_random_below(random, 5) == 0) setup->reclaim.probability = 0.5;
  setup->leave = world->leave;
  setup->join = world->join;
  setup->depart = world->depart;
  setup->pauses = world->pauses;
}

static const struct ls_chunking *draw_policy(struct ls_random *random) {
  size_t count = 0;
  while (ls_chunkings[count] != NULL) count++;
  const struct ls_chunking *chunking;
  do {
    chunking = ls_chunkings[ls_random_below(random, count)];
  } while (chunking->is_pushed);
  return chunking;
}

static void draw_situation(struct situation *world, struct ls_random *random, uint64_t seed) {
  static const char *const replications[] = {"none", "single", "complete", "gain"};
  struct ls_simulation *setup = &world->setup;
  random_platform(random, &world->platform);
  if (world->platform.ports == LS_PORTS_MULTI) world->platform.ports = LS_PORTS_TWO;
  for (size_t i = 0; i < world->platform.workers_count; i++)
    world->platform.workers[i].window_from = 0;
  setup->platform = &world->platform;
  setup->units = 1 + ls_random_below(random, UNITS_MOST / 2);
  setup->iterations = 1 + (uint32_t)ls_random_below(random, 2);
  setup->prefetch = ls_random_below(random, 4);
  setup->asking = ls_random_below(random, 2) == 0 ? LS_ASKING_ROOM : LS_ASKING_ONE;
  setup->wants_spans = true;
  setup->config.chunking = draw_policy(random);
  ls_arguments_init(&setup->config.arguments, setup->config.chunking->parameters);
  setup->config.mean_seconds = setup->config.overhead_seconds = 0.5;
  setup->config.deviation_seconds = 0.2;
  setup->config.seed = seed;
  setup->config.replication = ls_replication_find(replications[ls_random_below(random, 4)]);
  if (setup->config.replication != NULL && world->platform.workers_count > 1)
    setup->config.extra = ls_random_below(random, 2);
  if (ls_random_below(random, 2) == 0) {
    for (size_t i = 0; i < UNITS_MOST; i++) world->work[i] = 2 * ls_random_real(random);
    setup->task_work = world->work;
  }
  draw_changes(world, random);
}

static void parts_of_simulated_runs_add_up(void **state) {
  (void)state;
  size_t played = 0, with_losses = 0, with_absence = 0, with_away = 0;
  for (uint64_t seed = 0; seed < RUNS; seed++) {
    struct situation world = {.setup = {.units = 0}};
    struct ls_random random;
    struct ls_timeline timeline;
    struct ls_simulated result;
    struct ls_account account;
    ls_random_init(&random, seed, "account");
    draw_situation(&world, &random, seed);
    ls_timeline_init(&timeline);
    /* A policy may refuse a platform or its facts. */
    if (ls_simulate(&world.setup, &result, &timeline, NULL) == LS_OK) {
      played++;
      assert_adds_up(&timeline, &world.platform, seed);
      assert_adds_up(&timeline, NULL, seed);
      assert_work_is_useful(&timeline, &world.platform);
      assert_int_equal(ls_account_of(&timeline, NULL, &account, NULL), LS_OK);
      with_losses += account.parts_s[LS_ACCOUNT_LOSSES] > 0;
      with_absence += account.parts_s[LS_ACCOUNT_ABSENT] > 0;
      with_away += account.parts_s[LS_ACCOUNT_AWAY] > 0;
    }
    ls_timeline_close(&timeline);
    ls_platform_close(&world.platform);
  }
  assert_true(played > RUNS * 9 / 10);
  assert_true(with_losses > 50 && with_absence > 50 && with_away > 50);
}

/* Every chunk counts, and takes no less than its latency, that of its window. */
static void assert_latency_is_of_windows(const struct ls_plan *plan,
                                         const struct ls_timeline *timeline,
                                         const struct ls_platform *platform, uint64_t seed) {
  struct ls_account account;
  struct ls_sum fixed = {0};
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    const struct ls_cost *costs = ls_worker_costs(&platform->workers[chunk->worker], chunk->units);
    ls_sum_add(&fixed, costs[LS_OPERATION_RECEIVE].latency_s);
    ls_sum_add(&fixed, costs[LS_OPERATION_COMPUTE].latency_s);
  }
  assert_int_equal(ls_account_of(timeline, platform, &account, NULL), LS_OK);
  double off_s = account.parts_s[LS_ACCOUNT_LATENCY] * account.workers - ls_sum_value(&fixed);
  if (!(fabs(off_s) <= 1e-9 * fmax(1, ls_sum_value(&fixed))))
    fail_msg("seed %llu: the latency is %.17g off", (unsigned long long)seed, off_s);
}

static void parts_of_replayed_plans_add_up(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < RUNS; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_plan plan;
    struct ls_timeline timeline;
    ls_random_init(&random, seed, "account of plans");
    random_platform(&random, &platform);
    random_plan(&random, &platform, &plan);
    if (ls_replay(&plan, &platform, NULL) == LS_OK) {
      assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, NULL), LS_OK);
      assert_adds_up(&timeline, &platform, seed);
      assert_work_is_useful(&timeline, &platform);
      assert_latency_is_of_windows(&plan, &timeline, &platform, seed);
      ls_timeline_close(&timeline);
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* What a worker said: possible work, in any lateness; or also what it cannot have worked, with
 * suspensions and empty slots. */
struct told {
  double seconds, last_s; /* of work in all; when it was told at last */
};

static struct told tell_worker(struct ls_random *random, struct ls_account_worker *worker,
                               bool is_possible) {
  struct told told = {.last_s = ls_random_real(random)};
  double end_s = told.last_s;
  ls_account_join(worker, told.last_s);
  for (size_t i = 0; i < 12; i++) {
    double wait_s = (double)ls_random_below(random, 2) * ls_random_real(random);
    double seconds = (1 + 9 * (double)ls_random_below(random, 2)) * ls_random_real(random);
    end_s += wait_s + (is_possible ? seconds : 0);
    told.last_s =
        fmax(told.last_s, end_s + (double)ls_random_below(random, 4) * ls_random_real(random));
    if (!is_possible && ls_random_below(random, 6) == 0)
      ls_account_know_away(worker, worker->away_known_s + ls_random_real(random));
    ls_account_work(worker, &(struct ls_account_work){.start_s = told.last_s - seconds,
                                                      .end_s = told.last_s,
                                                      .seconds = seconds,
                                                      .chunk = i / 2,
                                                      .is_useful = ls_random_below(random, 4) != 0,
                                                      .fixed_s = ls_random_real(random)});
    told.seconds += seconds;
    if (!is_possible && ls_random_below(random, 8) == 0) {
      ls_account_leave(worker, told.last_s);
      told.last_s = end_s = told.last_s + ls_random_real(random);
      ls_account_join(worker, told.last_s);
    }
  }
  return told;
}

static double sum_worked(const struct ls_account *account) {
  return account->parts_s[LS_ACCOUNT_WORK] + account->parts_s[LS_ACCOUNT_LATENCY] +
         account->parts_s[LS_ACCOUNT_LOSSES];
}

static void assert_sums(const struct ls_account *account, uint64_t seed) {
  struct ls_sum sum = {0};
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++) {
    if (!(account->parts_s[part] >= 0))
      fail_msg("seed %llu: %s is %.17g", (unsigned long long)seed,
               ls_account_part_name((enum ls_account_part)part), account->parts_s[part]);
    ls_sum_add(&sum, account->parts_s[part]);
  }
  if (!(fabs(ls_sum_value(&sum) - account->makespan_s) <= 1e-12 * fmax(1, account->makespan_s)))
    fail_msg("seed %llu: the parts are %.17g, the makespan %.17g", (unsigned long long)seed,
             ls_sum_value(&sum), account->makespan_s);
}

/* Seconds that a worker can have worked since it joined all count, however late they are told, but
 * for those beyond the makespan; seconds that it cannot have worked break no sum. */
static void parts_of_late_tellings_add_up(void **state) {
  (void)state;
  size_t with_start_up = 0, with_waits = 0;
  for (uint64_t seed = 0; seed < 4 * RUNS; seed++) {
    struct ls_account_worker worker = {.is_there = false};
    struct ls_account account;
    struct ls_random random;
    ls_random_init(&random, seed, "late tellings");
    bool is_possible = seed % 2 == 0;
    struct told told = tell_worker(&random, &worker, is_possible);
    ls_account_average(&worker, 1, told.last_s, &account);
    assert_sums(&account, seed);
    double worked_s = sum_worked(&account);
    assert_true(worked_s <= told.seconds + 1e-9);
    if (is_possible && !(fabs(worked_s - told.seconds) <= 1e-9))
      fail_msg("seed %llu: %.17g s of %.17g s count", (unsigned long long)seed, worked_s,
               told.seconds);
    with_start_up += account.parts_s[LS_ACCOUNT_START_UP] > 0;
    with_waits += account.parts_s[LS_ACCOUNT_PORT_WAIT] > 0;
    double beyond_s = (told.last_s - worker.joined_s) * ls_random_real(&random);
    ls_account_average(&worker, 1, told.last_s - beyond_s, &account);
    assert_sums(&account, seed);
    assert_true(sum_worked(&account) <= worked_s + 1e-9);
    assert_true(sum_worked(&account) >= worked_s - beyond_s - 1e-9);
    ls_account_average(&worker, 1, told.last_s + 1, &account);
    assert_sums(&account, seed);
    assert_true(fabs(sum_worked(&account) - worked_s) <= 1e-9);
  }
  assert_true(with_start_up > RUNS && with_waits > RUNS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_simulated_runs_add_up),
      cmocka_unit_test(parts_of_replayed_plans_add_up),
      cmocka_unit_test(parts_of_late_tellings_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
