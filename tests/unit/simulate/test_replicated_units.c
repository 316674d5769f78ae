/* Replicas of running units: the first valid result wins, the other run is cancelled. */
#include "support.h"

#include "model/metrics.h"
#include "model/validate.h"
#include "policies/replication.h"

enum { UNITS = 41 };

/* The first task takes ten units of work, the others one; worker 1 is twice as fast. */
static struct ls_simulation make_job(struct ls_platform *platform, double *work) {
  open_platform(platform, 3);
  platform->workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.5;
  for (size_t i = 0; i < UNITS; i++) work[i] = i == 0 ? 10 : 1;
  struct ls_simulation setup = make_simulation(platform, "ss", UNITS);
  setup.task_work = work;
  setup.prefetch = 0;
  setup.wants_spans = true;
  setup.config.replication = ls_replication_find("single");
  setup.config.extra = 1;
  assert_non_null(setup.config.replication);
  return setup;
}

static const struct ls_span *find_first(const struct ls_timeline *timeline, uint32_t worker) {
  const struct ls_span *first = NULL;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->operation != LS_OPERATION_COMPUTE || span->worker != worker) continue;
    if (first == NULL || span->start_s < first->start_s) first = span;
  }
  return first;
}

/* The replica at worker 1 is ready at 5; worker 0 drops its own at once and takes other units. */
static void the_slower_run_stops_when_the_faster_one_is_ready(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  double work[UNITS];
  struct ls_simulation setup = make_job(&platform, work);
  setup.units = 21;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_int_equal(result.units_done, 21);
  assert_int_equal(result.chunks, 22);
  assert_near(find_first(&timeline, 0)->end_s, 5, 1e-12);
  assert_near(find_first(&timeline, 1)->end_s, 5, 1e-12);
  /* Five of the small ones are done at 5; four a second take care of the other fifteen. */
  assert_near(result.makespan_s, 9, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* The message that the replica is not wanted takes the worker's delay, like any other. */
static void a_cancellation_takes_the_delay(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  double work[UNITS];
  struct ls_simulation setup = make_job(&platform, work);
  platform.workers_count = 2;
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.3;
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
  platform.workers[1].delay_s = 1;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  platform.workers_count = 3;
  assert_int_equal(result.units_done, UNITS);
  /* Asked for at 0, its replica is there at 2; the original is ready at 3, which it hears at 4. */
  const struct ls_span *replica = find_first(&timeline, 1);
  assert_near(replica->start_s, 2, 1e-12);
  assert_near(replica->end_s, 4, 1e-12);
  assert_int_equal(replica->outcome, LS_OUTCOME_LOST);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* The two runs end at one instant but for the last digits: the cancellation finds the later one
 * done, whose end must then not be played again. */
static void two_runs_that_end_together_count_once(void **state) {
  (void)state;
  struct ls_platform platform;
  double work[UNITS];
  struct ls_simulation setup = make_job(&platform, work);
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 1 + 1e-14;
  platform.workers[2].costs[LS_OPERATION_COMPUTE].per_unit_s = 20;
  setup.units = 2;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, 2);
  assert_int_equal(result.chunks, 3);
  assert_near(result.makespan_s, 20, 1e-12);
  ls_platform_close(&platform);
}

/* Without replicas worker 0 keeps the large task to its end. */
static void without_replicas_nothing_is_cancelled(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  double work[UNITS];
  struct ls_simulation setup = make_job(&platform, work);
  setup.config.replication = NULL;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_int_equal(result.chunks, UNITS);
  assert_near(find_first(&timeline, 0)->end_s, 10, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* A worker computes one thing at a time. */
static void check_exclusive(const struct ls_timeline *timeline) {
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *one = &timeline->spans[i];
    assert_true(one->end_s >= one->start_s);
    if (one->operation != LS_OPERATION_COMPUTE) continue;
    for (size_t k = 0; k < i; k++) {
      const struct ls_span *other = &timeline->spans[k];
      if (other->operation != LS_OPERATION_COMPUTE || other->worker != one->worker) continue;
      assert_true(one->start_s >= other->end_s - 1e-9 || other->start_s >= one->end_s - 1e-9);
    }
  }
}

/* Nobody computes for longer than it was there. */
static void check_presence(const struct ls_timeline *timeline) {
  struct ls_metrics metrics;
  struct ls_worker_metrics workers[8];
  assert_true(timeline->workers_count <= 8);
  ls_metrics_of(timeline, &metrics, workers);
  for (size_t i = 0; i < timeline->workers_count; i++)
    if (!(workers[i].busy_s <= workers[i].up_s * (1 + 1e-9) + 1e-9))
      fail_msg("worker %zu: busy %.17g s of %.17g", i, workers[i].busy_s, workers[i].up_s);
}

/* Copies that run, wait in a queue, are on their way, or run into the next iteration since nobody
 * has told them yet; machines that are reclaimed in between: every unit counts once. */
static void random_replicas_count_once(void **state) {
  (void)state;
  static const char *const replications[] = {"single", "complete", "gain", "late",
                                             "fork",   "clone",    "auto"};
  enum { REPLICATIONS = sizeof replications / sizeof *replications };
  static const char *const policies[] = {"ss", "fac2", "gss", "monitor"};
  for (uint64_t seed = 0; seed < 80 * REPLICATIONS; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_timeline timeline;
    struct ls_error err = {0};
    double work[3 * UNITS];
    ls_random_init(&random, seed, "copies");
    size_t workers = 2 + ls_random_below(&random, 5);
    open_platform(&platform, workers);
    for (size_t i = 0; i < workers; i++) {
      platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = draw(&random, 0.3, 3);
      platform.workers[i].delay_s = ls_random_below(&random, 2) ? draw(&random, 0, 2) : 0;
      platform.workers[i].costs[LS_OPERATION_RECEIVE].latency_s =
          ls_random_below(&random, 4) == 0 ? draw(&random, 0, 1) : 0;
    }
    for (size_t i = 0; i < (size_t)3 * UNITS; i++) work[i] = draw(&random, 0.1, 5);
    struct ls_simulation setup = make_simulation(&platform, policies[seed % 4], UNITS);
    setup.task_work = work;
    setup.iterations = 3;
    setup.prefetch = ls_random_below(&random, 4);
    setup.reclaim.probability = ls_random_below(&random, 2) ? 0.5 : 0;
    double from_s = draw(&random, 0, 20);
    struct ls_simulated_pause pause = {
        .worker = 1, .from_s = from_s, .until_s = from_s + draw(&random, 0, 20), .is_kept = true};
    setup.pauses = &pause;
    setup.pauses_count = ls_random_below(&random, 2);
    setup.wants_spans = true;
    setup.config.replication = ls_replication_find(replications[seed % REPLICATIONS]);
    setup.config.extra = 1 + ls_random_below(&random, workers - 1);
    setup.config.loss_rate = 0.02;
    setup.config.seed = seed;
    ls_timeline_init(&timeline);
    struct ls_simulated result = run_simulation(&setup, &timeline);
    assert_int_equal(result.units_done, 3 * UNITS);
    assert_true(result.efficiency > 0 && result.efficiency <= 1 + 1e-9);
    check_exclusive(&timeline);
    if (ls_validate_timeline(&timeline, &err) != LS_OK)
      fail_msg("seed %d: %s", (int)seed, err.text);
    check_presence(&timeline);
    ls_timeline_close(&timeline);
    ls_platform_close(&platform);
  }
}

static uint64_t weighings;

static double count_weighing(const struct ls_replica_facts *facts) {
  weighings++;
  return ls_replication_find("gain")->worth(facts);
}

/* One unit for each of so many workers, one in ten of which gets a unit that takes three times as
 * long; their speeds are equal, or all different.  The questions to `gain`. */
static uint64_t count_weighings(size_t workers, bool is_equal) {
  struct ls_replication counting = *ls_replication_find("gain");
  struct ls_platform platform;
  struct ls_random random;
  double *work = calloc(workers, sizeof *work), *weights = calloc(workers, sizeof *weights);
  assert_true(work != NULL && weights != NULL);
  counting.worth = count_weighing;
  ls_random_init(&random, workers, "weighings");
  open_platform(&platform, workers);
  for (size_t i = 0; i < workers; i++) {
    weights[i] = is_equal ? 1 : draw(&random, 0.5, 2);
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1 / weights[i];
    work[i] = draw(&random, 5, 15) * (i % 10 == 0 ? 3 : 1);
  }
  struct ls_simulation setup = make_simulation(&platform, "ss", workers);
  setup.task_work = work;
  setup.prefetch = 0;
  setup.config.replication = &counting;
  setup.config.weights = weights;
  setup.config.weights_count = workers;
  weighings = 0;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, workers);
  ls_platform_close(&platform);
  free(work);
  free(weights);
  return weighings;
}

/* However many workers idle, a unit is weighed as often as its time and the lessons go on; where
 * all are of different speeds also when a faster one idles.  To weigh each at each event, for each
 * idle worker, would be millions of questions. */
static void gain_is_not_asked_again_without_news(void **state) {
  (void)state;
  uint64_t few = count_weighings(125, true), many = count_weighings(500, true);
  uint64_t various = count_weighings(500, false);
  assert_true(few > 0 && few <= (uint64_t)40 * 125);
  assert_true(many > 0 && many <= (uint64_t)60 * 500);
  assert_true(various > 0 && various <= (uint64_t)200 * 500);
}

/* One unit in ten lasts eight times as long: where an earlier run has shown that, all units run
 * twice from the start, while workers idle. */
static void what_earlier_runs_have_shown_is_believed(void **state) {
  (void)state;
  enum { TASKS = 20 };
  struct ls_platform platform;
  struct ls_coordinator_lesson lesson = {0, {0, TASKS}, 1.7};
  struct ls_slowness known = {{0}, {0}};
  open_platform(&platform, (size_t)2 * TASKS);
  for (size_t i = 0; i < platform.workers_count; i++)
    ls_worker_spread_units(&platform.workers[i], LS_DURATION_STRAGGLERS, 1.7, 2.1);
  struct ls_simulation setup = make_simulation(&platform, "ss", TASKS);
  setup.prefetch = 0;
  setup.config.replication = ls_replication_find("gain");
  setup.config.lessons = &lesson;
  setup.config.lessons_count = 1;
  setup.config.slowness = &known;
  setup.slowness_out = &known;
  for (setup.config.seed = 1; setup.config.seed <= 20; setup.config.seed++)
    (void)run_simulation(&setup, NULL);
  double seen = 0;
  for (size_t i = 0; i < LS_SLOWNESS_BINS; i++) seen += known.ended[i];
  /* About as many as there were units: some were stopped by chance, some ended together. */
  assert_true(seen > 19 * TASKS && seen < 21 * TASKS);
  setup.config.seed = 100;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.chunks, 2 * TASKS);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_slower_run_stops_when_the_faster_one_is_ready),
      cmocka_unit_test(a_cancellation_takes_the_delay),
      cmocka_unit_test(two_runs_that_end_together_count_once),
      cmocka_unit_test(without_replicas_nothing_is_cancelled),
      cmocka_unit_test(random_replicas_count_once),
      cmocka_unit_test(gain_is_not_asked_again_without_news),
      cmocka_unit_test(what_earlier_runs_have_shown_is_believed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
