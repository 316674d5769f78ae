/* test_reader.c: workers that read their own input, under policies, losses and a shared storage. */
#include "../../support/bound_of.h"
#include "support.h"

#include "model/account.h"
#include "model/metrics.h"
#include "model/validate.h"

/* Each unit is staged in `stage_s` and computed in `compute_s`. */
static void open_readers(struct ls_platform *platform, size_t workers, double stage_s,
                         double compute_s) {
  open_platform(platform, workers);
  for (size_t i = 0; i < workers; i++) {
    platform->workers[i].costs[LS_OPERATION_STAGE].per_unit_s = stage_s;
    platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = compute_s;
  }
}

static void the_next_unit_is_staged_while_one_computes(void **state) {
  (void)state;
  struct ls_platform platform;
  open_readers(&platform, 1, 2, 3);
  struct ls_simulation setup = make_simulation(&platform, "ss", 10);
  setup.prefetch = 1;
  assert_near(run_simulation(&setup, NULL).makespan_s, 2 + 10 * 3, 1e-12);
  setup.has_stage_ahead = true; /* none: stage, then compute */
  assert_near(run_simulation(&setup, NULL).makespan_s, 10 * 5, 1e-12);
  setup.stage_ahead = 3;
  assert_near(run_simulation(&setup, NULL).makespan_s, 2 + 10 * 3, 1e-12);
  setup.prefetch = 0; /* nothing is there that could be staged ahead */
  assert_near(run_simulation(&setup, NULL).makespan_s, 10 * 5, 1e-12);
  ls_platform_close(&platform);
}

static void a_slow_reader_sets_the_pace(void **state) {
  (void)state;
  struct ls_platform platform;
  open_readers(&platform, 2, 3, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 10);
  setup.prefetch = 1;
  assert_near(run_simulation(&setup, NULL).makespan_s, 5 * 3 + 2, 1e-12);
  /* One reads at a time: ten units in a row, and the last one computes. */
  platform.storage_readers = 1;
  assert_near(run_simulation(&setup, NULL).makespan_s, 10 * 3 + 2, 1e-12);
  platform.storage_readers = 2;
  assert_near(run_simulation(&setup, NULL).makespan_s, 5 * 3 + 2, 1e-12);
  ls_platform_close(&platform);
}

/* The most readers that read at one instant. */
static size_t count_readers(const struct ls_timeline *timeline) {
  size_t most = 0;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->resource != LS_RESOURCE_READER) continue;
    size_t now = 0;
    for (size_t j = 0; j < timeline->spans_count; j++) {
      const struct ls_span *other = &timeline->spans[j];
      now += other->resource == LS_RESOURCE_READER && other->start_s <= span->start_s &&
             other->end_s > span->start_s + 1e-9;
    }
    if (now > most) most = now;
  }
  return most;
}

/* Every policy gives away every unit once, never beats the bound, and no more workers read than
 * may. */
static void policies_keep_to_readers_and_storage(void **state) {
  (void)state;
  static const char *const policies[] = {"sc", "ss",  "gss",     "tss",   "fac2",
                                         "wf", "wf2", "monitor", "awf-c", "af"};
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_timeline timeline;
    struct ls_account account;
    struct ls_error err = {0};
    ls_random_init(&random, seed, "readers");
    open_readers(&platform, 1 + ls_random_below(&random, 5), 0, 1);
    for (size_t i = 0; i < platform.workers_count; i++) {
      struct ls_cost *costs = platform.workers[i].costs;
      costs[LS_OPERATION_STAGE] =
          (struct ls_cost){ls_random_real(&random), 1.5 * ls_random_real(&random)};
      costs[LS_OPERATION_COMPUTE].per_unit_s = 0.5 + ls_random_real(&random);
      if (seed % 2) costs[LS_OPERATION_RECEIVE].latency_s = 0.1;
      if (seed % 3) costs[LS_OPERATION_REPLY].latency_s = 0.1;
    }
    platform.storage_readers = ls_random_below(&random, 4);
    uint64_t units = 1 + ls_random_below(&random, 60);
    struct ls_simulation setup =
        make_simulation(&platform, policies[seed % (sizeof policies / sizeof *policies)], units);
    setup.prefetch = ls_random_below(&random, 4);
    setup.has_stage_ahead = true;
    setup.stage_ahead = (uint32_t)ls_random_below(&random, 4);
    platform.stage_ahead = setup.stage_ahead;
    setup.wants_spans = true;
    ls_timeline_init(&timeline);
    struct ls_simulated result = run_simulation(&setup, &timeline);
    assert_int_equal(result.units_done, units);
    double bound_s = bound_of(&platform, (double)units).bound_s;
    if (!(result.makespan_s >= bound_s * (1 - 1e-9)))
      fail_msg("seed %llu: %s ends at %.17g, before the bound, %.17g", (unsigned long long)seed,
               setup.config.chunking->name, result.makespan_s, bound_s);
    if (ls_validate_timeline(&timeline, &err) != LS_OK)
      fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    if (platform.storage_readers > 0)
      assert_true(count_readers(&timeline) <= platform.storage_readers);
    assert_int_equal(ls_account_of(&timeline, &platform, &account, NULL), LS_OK);
    double sum_s = 0;
    for (size_t i = 0; i < LS_ACCOUNT_PARTS; i++) sum_s += account.parts_s[i];
    assert_near(sum_s, result.makespan_s, 1e-9 * result.makespan_s);
    ls_timeline_close(&timeline);
    ls_platform_close(&platform);
  }
}

/* Worker 0 goes at 6.5: unit 0 counts, which it has computed (2 to 5); unit 2, which it has staged
 * (4 to 6) and begun, is staged and computed again by the other one; one more waits there. */
static void what_was_staged_is_lost_with_its_worker(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  open_readers(&platform, 2, 2, 3);
  platform.storage_readers = 1;
  struct ls_simulation setup = make_simulation(&platform, "ss", 6);
  struct ls_simulated_change leave = {0, 6.5};
  setup.prefetch = 1;
  setup.leave = &leave;
  setup.leave_count = 1;
  setup.wants_spans = true;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  struct ls_error err = {0};
  if (ls_validate_timeline(&timeline, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(result.units_done, 6);
  assert_true(count_readers(&timeline) <= 1);
  size_t staged[2] = {0};
  for (size_t i = 0; i < timeline.spans_count; i++) {
    const struct ls_span *span = &timeline.spans[i];
    staged[span->worker] += span->operation == LS_OPERATION_STAGE;
    if (span->worker == 0) assert_true(span->end_s <= 6.5);
  }
  assert_int_equal(staged[0], 2);
  assert_int_equal(staged[1], 5);
  assert_near(result.makespan_s, 20, 1e-12); /* 4 to 7, 8 to 11, and then without a gap */
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* It stands still from 1 to 11, in the midst of its first reading. */
static void a_reader_that_stands_still_goes_on_where_it_was(void **state) {
  (void)state;
  struct ls_platform platform;
  open_readers(&platform, 1, 2, 3);
  struct ls_simulation setup = make_simulation(&platform, "ss", 4);
  const struct ls_simulated_pause pause = {.from_s = 1, .until_s = 11, .is_kept = true};
  setup.prefetch = 1;
  setup.pauses = &pause;
  setup.pauses_count = 1;
  assert_near(run_simulation(&setup, NULL).makespan_s, 10 + 2 + 4 * 3, 1e-12);
  ls_platform_close(&platform);
}

/* What waits is given back at 4, staged or not; unit 0 ends at 5. */
static void a_recall_drops_what_waits_staged_or_not(void **state) {
  (void)state;
  struct ls_platform platform;
  open_readers(&platform, 1, 2, 3);
  struct ls_simulation setup = make_simulation(&platform, "ss", 10);
  setup.prefetch = 4;
  setup.config.recalls = true;
  setup.asking = LS_ASKING_ROOM;
  setup.has_stage_ahead = true;
  setup.stage_ahead = 2;
  setup.stop = (struct ls_simulated_stop){.is_wanted = true, .time_s = 4};
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, 1);
  assert_near(result.makespan_s, 5, 1e-12);
  ls_platform_close(&platform);
}

static void too_many_ahead_are_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated result;
  struct ls_error err = {0};
  open_readers(&platform, 1, 2, 3);
  struct ls_simulation setup = make_simulation(&platform, "ss", 10);
  setup.has_stage_ahead = true;
  setup.stage_ahead = 65;
  assert_int_equal(ls_simulate(&setup, &result, NULL, &err), LS_EINVAL);
  assert_string_equal(err.text, "stage_ahead is 65, must be at most 64");
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_next_unit_is_staged_while_one_computes),
      cmocka_unit_test(a_slow_reader_sets_the_pace),
      cmocka_unit_test(policies_keep_to_readers_and_storage),
      cmocka_unit_test(what_was_staged_is_lost_with_its_worker),
      cmocka_unit_test(a_reader_that_stands_still_goes_on_where_it_was),
      cmocka_unit_test(a_recall_drops_what_waits_staged_or_not),
      cmocka_unit_test(too_many_ahead_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
