/* test_computing.c: when units end, and what becomes of them when a worker leaves. */
#include "support.h"

#include "model/account.h"
#include "model/validate.h"

/* Latency, then tasks of unlike work, at a speed that changes while they run. */
static void work_ends_when_the_speed_in_pieces_has_done_it(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct ls_random random;
    ls_random_init(&random, seed, "computing");
    struct ls_platform platform;
    double work[20], total = 0;
    uint64_t units = 1 + ls_random_below(&random, 20);
    for (uint64_t u = 0; u < units; u++) total += work[u] = 0.1 + ls_random_real(&random);
    struct ls_availability pieces[4];
    for (size_t i = 0; i < 4; i++)
      pieces[i] = (struct ls_availability){
          .from_s = (double)i + ls_random_real(&random),
          .share = i < 3 && ls_random_below(&random, 4) == 0 ? 0 : 0.2 + ls_random_real(&random)};
    const struct ls_availability *availability[] = {pieces};
    size_t count = 4;
    open_platform(&platform, 1);
    platform.workers[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.3, 1.5};
    struct ls_simulation setup = make_simulation(&platform, "sc", units);
    setup.task_work = work;
    setup.availability = availability;
    setup.availability_count = &count;
    /* Independently: forward over the pieces. */
    double now_s = 0.3, left = 1.5 * total, share = 1;
    for (size_t i = 0; i < 4; i++) {
      double span_s = fmax(0, pieces[i].from_s - now_s);
      if (share * span_s >= left) break;
      left -= share * span_s;
      now_s += span_s;
      share = pieces[i].share;
    }
    assert_near(run_simulation(&setup, NULL).makespan_s, now_s + left / share, 1e-9);
    ls_platform_close(&platform);
  }
}

static void a_unit_that_ends_at_the_instant_of_a_loss_counts(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  /* 60 * 0.1 and 6 differ in the last digit. */
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.1;
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 1000;
  struct ls_simulation setup = make_simulation(&platform, "sc", 140);
  struct ls_simulated_change leave = {0, 6.0};
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  setup.leave = &leave;
  setup.leave_count = 1;
  setup.wants_spans = true;
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_int_equal(result.units_done, 140);
  assert_int_equal(timeline.spans[0].outcome, LS_OUTCOME_DONE);
  assert_int_equal(timeline.spans[0].units, 60);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void units_that_cost_only_their_receiving_count(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_account account;
  open_platform(&platform, 2);
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0.5, 1};
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  }
  struct ls_simulation setup = make_simulation(&platform, "sc", 8);
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  setup.wants_spans = true;
  assert_near(run_simulation(&setup, &timeline).makespan_s, 4.5, 1e-12);
  uint64_t units = 0;
  for (size_t i = 0; i < timeline.spans_count; i++)
    if (timeline.spans[i].operation == LS_OPERATION_COMPUTE) units += timeline.spans[i].units;
  assert_int_equal(units, 8);
  assert_int_equal(ls_account_of(&timeline, &platform, &account, NULL), LS_OK);
  assert_near(account.parts_s[LS_ACCOUNT_WORK], 4, 1e-12);
  assert_near(account.parts_s[LS_ACCOUNT_LATENCY], 0.5, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void lost_units_are_computed_by_others(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_error err = {0};
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "sc", 20);
  struct ls_simulated_change leave = {0, 3.5};
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  setup.leave = &leave;
  setup.leave_count = 1;
  setup.wants_spans = true;
  struct ls_simulated result = run_simulation(&setup, &timeline);
  /* 3 of 10 are done, 7 come back. */
  assert_near(result.makespan_s, 17, 1e-12);
  assert_near(result.efficiency, 20 / 20.5, 1e-12);
  uint64_t good = 0;
  size_t lost = 0;
  for (size_t i = 0; i < timeline.spans_count; i++) {
    if (timeline.spans[i].outcome == LS_OUTCOME_DONE) good += timeline.spans[i].units;
    lost += timeline.spans[i].outcome == LS_OUTCOME_LOST;
  }
  assert_int_equal(good, 20);
  assert_int_equal(lost, 1);
  if (ls_validate_timeline(&timeline, &err) != LS_OK) fail_msg("%s", err.text);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void a_worker_on_the_master_is_slow_while_units_wait(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  platform.workers[0].is_on_master = true;
  platform.workers[0].delay_s = 100;
  platform.master_share = 0.5;
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 3;
  struct ls_simulation setup = make_simulation(&platform, "ss", 4);
  setup.prefetch = 0;
  /* Units 0 and 1 go at 0; worker 0 needs 2 s for one at half its speed, gets unit 2 at 2 s and
   * half of it is done at 3 s, when worker 1 takes the last one: the rest takes 0.5 s. */
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  setup.wants_spans = true;
  struct ls_simulated result = run_simulation(&setup, &timeline);
  double end_s = 0;
  for (size_t i = 0; i < timeline.spans_count; i++)
    if (timeline.spans[i].worker == 0) end_s = fmax(end_s, timeline.spans[i].end_s);
  assert_near(end_s, 3.5, 1e-12);
  assert_near(result.makespan_s, 6, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void latency_is_paid_once_a_chunk_and_receiving_comes_first(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s = 0.5;
  platform.workers[0].costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0.25, 0.1};
  struct ls_simulation setup = make_simulation(&platform, "sc", 10);
  assert_near(run_simulation(&setup, NULL).makespan_s, 0.25 + 1 + 0.5 + 10, 1e-12);
  ls_platform_close(&platform);
}

/* What a policy hears: chunks of 3 units by one worker. */
static struct {
  size_t count;
  double seconds[8], squares[8];
  uint64_t units[8];
} heard;

static uint64_t give_three(void *state, const struct ls_chunking_view *view, uint32_t worker) {
  (void)state;
  (void)worker;
  return view->units_unassigned < 3 ? view->units_unassigned : 3;
}

static void keep_report(void *state, const struct ls_chunking_view *view,
                        const struct ls_chunking_report *report) {
  (void)state;
  (void)view;
  assert_true(heard.count < 8);
  heard.seconds[heard.count] = report->seconds;
  heard.squares[heard.count] = report->squares;
  heard.units[heard.count++] = report->units;
}

static const struct ls_chunking listener = {.name = "listener",
                                            .summary = "chunks of three units",
                                            .reference = "none",
                                            .next_units = give_three,
                                            .on_report = keep_report};

/* Seconds hold the latency, as a run measures it: of a chunk that is one task the squares are those
 * of equal units, else its first unit begins with the latency. */
static void the_seconds_told_hold_the_latency(void **state) {
  (void)state;
  struct ls_platform platform;
  const double work[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  open_platform(&platform, 1);
  platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s = 0.5;
  for (int is_whole = 0; is_whole < 2; is_whole++) {
    struct ls_simulation setup = make_simulation(&platform, "ss", 9);
    setup.config.chunking = &listener;
    setup.prefetch = 0;
    setup.task_work = work;
    setup.has_whole_chunks = is_whole != 0;
    heard.count = 0;
    assert_near(run_simulation(&setup, NULL).makespan_s, 46.5, 1e-12);
    assert_true(heard.count >= 2);
    for (size_t i = 0; i < 2; i++) {
      double whole = (i == 0 ? 6 : 15) + 0.5, first = i == 0 ? 1.5 : 4.5;
      double squares = first * first + (i == 0 ? 13 : 61);
      assert_int_equal(heard.units[i], 3);
      assert_near(heard.seconds[i], whole, 1e-12);
      assert_near(heard.squares[i], is_whole ? whole * whole / 3 : squares, 1e-9);
    }
  }
  ls_platform_close(&platform);
}

/* A worker that is lost within a chunk has done nothing of it, whatever its units would have. */
static void a_whole_chunk_counts_whole_or_not_at_all(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_change leave = {0, 2.7};
  open_platform(&platform, 2);
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 10;
  for (int is_whole = 0; is_whole < 2; is_whole++) {
    struct ls_simulation setup = make_simulation(&platform, "sc", 8);
    setup.leave = &leave;
    setup.leave_count = 1;
    setup.has_whole_chunks = is_whole != 0;
    struct ls_simulated result = run_simulation(&setup, NULL);
    assert_int_equal(result.units_done, 8);
    assert_near(result.makespan_s, is_whole ? 80 : 60, 1e-12);
  }
  ls_platform_close(&platform);
}

/* Each range of a chunk is a process of its own: what came back is not next to the rest. */
static void every_range_of_a_whole_chunk_pays_its_start(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_change leave = {0, 0.5};
  open_platform(&platform, 2);
  platform.workers[1].costs[LS_OPERATION_COMPUTE].latency_s = 1;
  struct ls_simulation setup = make_simulation(&platform, "sc", 8);
  setup.leave = &leave;
  setup.leave_count = 1;
  setup.has_whole_chunks = true;
  /* Its own four units, and the four of the lost one. */
  assert_near(run_simulation(&setup, NULL).makespan_s, 1 + 4 + 1 + 4, 1e-12);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_ends_when_the_speed_in_pieces_has_done_it),
      cmocka_unit_test(latency_is_paid_once_a_chunk_and_receiving_comes_first),
      cmocka_unit_test(a_worker_on_the_master_is_slow_while_units_wait),
      cmocka_unit_test(a_unit_that_ends_at_the_instant_of_a_loss_counts),
      cmocka_unit_test(units_that_cost_only_their_receiving_count),
      cmocka_unit_test(lost_units_are_computed_by_others),
      cmocka_unit_test(the_seconds_told_hold_the_latency),
      cmocka_unit_test(a_whole_chunk_counts_whole_or_not_at_all),
      cmocka_unit_test(every_range_of_a_whole_chunk_pays_its_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
