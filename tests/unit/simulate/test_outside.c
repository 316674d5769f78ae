/* Workers that leave in order, advice, a user's stop, requests that are refused. */
#include "support.h"

/* Two workers share 12 units by chunks of 6; the first is told to leave in the middle of its third
 * unit, ends it, and the three behind it go to the other one. */
static void who_leaves_in_order_ends_the_unit_that_runs(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_simulated_change depart = {.worker = 0, .time_s = 2.5};
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "sc", 12);
  setup.prefetch = 0;
  setup.depart = &depart;
  setup.depart_count = 1;
  setup.wants_spans = setup.wants_notes = true;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_int_equal(result.units_done, 12);
  /* No work is lost: 9 units at one worker. */
  assert_near(result.makespan_s, 9, 1e-12);
  assert_near(timeline.workers[0].left_s, 3, 1e-12);
  assert_near(result.efficiency, 1, 1e-12);
  for (size_t i = 0; i < timeline.spans_count; i++)
    assert_int_equal(timeline.spans[i].outcome, LS_OUTCOME_DONE);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* The unit that runs at one that leaves is handed out again before it is done there, and done twice
 * in the end: it counts once, and the time of the other one is lost, the latency of its chunk
 * included. */
static void what_is_done_twice_counts_once(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_simulated_change depart = {.worker = 1, .time_s = 4.3};
  open_platform(&platform, 2);
  for (size_t i = 0; i < 2; i++)
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1, 0.1};
  struct ls_simulation setup = make_simulation(&platform, "gss", 50);
  setup.depart = &depart;
  setup.depart_count = 1;
  for (int is_summed = 0; is_summed < 2; is_summed++) {
    setup.wants_spans = true;
    ls_timeline_init(&timeline);
    timeline.is_summed = is_summed != 0;
    struct ls_simulated result = run_simulation(&setup, &timeline);
    uint64_t units = 0;
    double lost_s = 0;
    for (size_t i = 0; i < timeline.spans_count; i++) {
      const struct ls_span *span = &timeline.spans[i];
      if (span->operation != LS_OPERATION_COMPUTE) continue;
      units += span->outcome == LS_OUTCOME_DONE ? span->units : 0;
      if (span->outcome == LS_OUTCOME_LOST) lost_s += span->end_s - span->start_s;
    }
    assert_int_equal(result.units_done, 50);
    assert_int_equal(units, 50);
    assert_near(lost_s, 1 + 0.1, 1e-9);
    assert_true(result.efficiency < 1);
    ls_timeline_close(&timeline);
  }
  ls_platform_close(&platform);
}

/* Its words take their time; nothing is sent to it once the master has heard. */
static void the_word_takes_the_delay(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_simulated_change depart = {.worker = 0, .time_s = 2.5};
  open_platform(&platform, 2);
  platform.workers[0].delay_s = 0.25;
  struct ls_simulation setup = make_simulation(&platform, "ss", 20);
  setup.depart = &depart;
  setup.depart_count = 1;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_int_equal(result.units_done, 20);
  /* It got its first unit at 0.5 and ends the third one at 3.5; bye is heard a quarter later. */
  assert_near(timeline.workers[0].left_s, 3.75, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void who_leaves_and_is_reclaimed_meanwhile_is_lost(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_change depart = {.worker = 0, .time_s = 2.25};
  struct ls_simulated_pause pause = {.worker = 0, .from_s = 2.5, .until_s = 4};
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 8);
  setup.prefetch = 0;
  setup.depart = &depart;
  setup.depart_count = 1;
  setup.pauses = &pause;
  setup.pauses_count = 1;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, 8);
  assert_near(result.makespan_s, 6, 1e-12); /* two there, six here */
  assert_near(result.up_s, 8.5, 1e-12);
  ls_platform_close(&platform);
}

/* Two of three machines are there at the start, and no more than two may be. */
static void what_a_limit_forbids_is_refused_and_not_waited_for(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_simulated_advice advice = {.time_s = 1.5, .advice = {.workers = 3}};
  struct ls_simulated_change leave = {.worker = 0, .time_s = 4.5};
  open_platform(&platform, 3);
  struct ls_simulation setup = make_simulation(&platform, "ss", 20);
  setup.prefetch = 0;
  setup.grant = (struct ls_simulated_grant){.at_start = 2, .delay_s = 1, .limit = 2};
  setup.advice = &advice;
  setup.advice_count = 1;
  ls_timeline_init(&timeline);
  assert_near(run_simulation(&setup, &timeline).makespan_s, 10, 1e-12);
  assert_true(isinf(timeline.workers[2].joined_s));
  ls_timeline_close(&timeline);
  /* In the place of one that has gone, another may come. */
  setup.leave = &leave;
  setup.leave_count = 1;
  ls_timeline_init(&timeline);
  assert_int_equal(run_simulation(&setup, &timeline).units_done, 20);
  assert_near(timeline.workers[2].joined_s, 5.5, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void advice_changes_policy_prefetch_and_workers(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_coordinator_choice choice = {.chunking = ls_chunking_find("gss")};
  struct ls_simulated_advice advice = {.time_s = 2.5, .advice = {.policy = 1, .workers = 1}};
  open_platform(&platform, 2);
  ls_arguments_init(&choice.arguments, choice.chunking->parameters);
  struct ls_simulation setup = make_simulation(&platform, "ss", 20);
  setup.prefetch = 0;
  setup.config.choices = &choice;
  setup.config.choices_count = 1;
  setup.advice = &advice;
  setup.advice_count = 1;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_int_equal(result.units_done, 20);
  assert_near(timeline.decisions[5].units, 1, 0);
  assert_true(timeline.decisions[6].units > 1); /* six single units, then shares */
  assert_near(timeline.workers[1].left_s, 3, 1e-12);
  assert_near(result.makespan_s, 17, 1e-12);
  ls_timeline_close(&timeline);
  ls_arguments_close(&choice.arguments);
  ls_platform_close(&platform);
}

static double stop(bool is_hard, uint64_t *units_done) {
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "sc", 40);
  setup.prefetch = 0;
  setup.stop = (struct ls_simulated_stop){.is_wanted = true, .is_hard = is_hard, .time_s = 4.5};
  struct ls_simulated result = run_simulation(&setup, NULL);
  *units_done = result.units_done;
  ls_platform_close(&platform);
  return result.makespan_s;
}

static void behind_a_stop_nothing_begins(void **state) {
  (void)state;
  uint64_t units = 0;
  assert_near(stop(false, &units), 5, 1e-12);
  assert_int_equal(units, 10);
  assert_near(stop(true, &units), 4, 1e-12);
  assert_int_equal(units, 8);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan_chunk chunk = {.worker = 0, .units = 8};
  const struct ls_plan plan = {.chunks = &chunk, .chunks_count = 1};
  struct ls_coordinator_choice pushed = {.chunking = ls_chunking_find("follow-plan")};
  struct ls_simulated_advice advice = {.time_s = -1};
  struct ls_simulated_change depart = {.worker = 2, .time_s = 1};
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 8);
  setup.advice = &advice;
  setup.advice_count = 1;
  assert_refused(&setup, "advice[0].time is -1");
  advice = (struct ls_simulated_advice){.time_s = 1, .advice = {.policy = 1}};
  assert_refused(&setup, "the policy is number 1");
  setup.config.choices = &pushed;
  setup.config.choices_count = 1;
  assert_refused(&setup, "follow-plan can only be what a run begins with");
  setup.config.choices_count = 0;
  setup.config.chunking = pushed.chunking;
  setup.config.plan = &plan;
  assert_refused(&setup, "a run under follow-plan keeps its policy");
  setup = make_simulation(&platform, "ss", 8);
  setup.depart = &depart;
  setup.depart_count = 1;
  assert_refused(&setup, "depart[0].worker is 2");
  depart = (struct ls_simulated_change){.worker = 1, .time_s = (double)NAN};
  assert_refused(&setup, "depart[0].time is nan");
  setup.depart_count = 0;
  setup.stop = (struct ls_simulated_stop){.is_wanted = true, .time_s = (double)INFINITY};
  assert_refused(&setup, "stop.time is inf");
  setup.stop.is_wanted = false;
  setup.grant = (struct ls_simulated_grant){.limit = 1};
  assert_refused(&setup, "grant.limit is 1");
  ls_platform_close(&platform);
}

/* Eight of twelve units are there; one worker is idle from 4 to 6, when four more come. */
static void units_come_while_the_run_lasts(void **state) {
  (void)state;
  struct ls_platform platform;
  const struct ls_simulated_addition additions[] = {{.time_s = 6, .units = 3},
                                                    {.time_s = 7.5, .units = 1}};
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 12);
  setup.prefetch = 0;
  setup.additions = additions;
  setup.additions_count = 2;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, 12);
  assert_near(result.makespan_s, 8.5, 1e-12);
  setup.iterations = 2;
  assert_refused(&setup, "additions are to several iterations");
  setup.iterations = 1;
  setup.units = 3;
  assert_refused(&setup, "additions[1].units is 1, must be 1 to 0");
  setup.units = 12;
  setup.additions = &(struct ls_simulated_addition){.time_s = -1, .units = 3};
  setup.additions_count = 1;
  assert_refused(&setup, "additions[0].time is -1");
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_come_while_the_run_lasts),
      cmocka_unit_test(who_leaves_in_order_ends_the_unit_that_runs),
      cmocka_unit_test(what_is_done_twice_counts_once),
      cmocka_unit_test(the_word_takes_the_delay),
      cmocka_unit_test(who_leaves_and_is_reclaimed_meanwhile_is_lost),
      cmocka_unit_test(what_a_limit_forbids_is_refused_and_not_waited_for),
      cmocka_unit_test(advice_changes_policy_prefetch_and_workers),
      cmocka_unit_test(behind_a_stop_nothing_begins),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
