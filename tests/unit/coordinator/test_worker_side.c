/* test_worker_side.c: one event in, the actions out as text.
 *
 *   start 3:10+4 | stop | ask 2 | tell 3:10+4 done 4s | let go 3 | drop 103:4 | bye
 *
 * A result says the sum of its seconds, then in brackets the last times one by one; "held" if it is
 * to be kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/random.h"
#include "coordinator/worker_side.h"

struct rig {
  struct ls_worker_side side;
  struct ls_side_actions actions;
  struct ls_bytes text;
};

static void open_rig(struct rig *rig, struct ls_side_settings settings) {
  *rig = (struct rig){0};
  ls_worker_side_init(&rig->side, &settings);
}

static void close_rig(struct rig *rig) {
  ls_worker_side_close(&rig->side);
  ls_side_actions_close(&rig->actions);
  ls_bytes_close(&rig->text);
}

static void write_result(struct rig *rig, const struct ls_side_result *result) {
  ls_bytes_printf(&rig->text, "tell %d:%d+%d %s", (int)result->chunk, (int)result->units.first,
                  (int)result->units.count, ls_outcome_name(result->outcome));
  if (result->seconds > 0) ls_bytes_printf(&rig->text, " %gs", result->seconds);
  for (size_t i = 0; i < result->times_count; i++)
    ls_bytes_printf(&rig->text, "%s%g%s", i == 0 ? " [" : " ",
                    rig->actions.times[result->first_time + i],
                    i + 1 == result->times_count ? "]" : "");
  if (result->is_held) ls_bytes_printf(&rig->text, " held");
}

static void write_action(struct rig *rig, const struct ls_side_action *action) {
  switch (action->kind) {
    case LS_SIDE_ACTION_START:
      ls_bytes_printf(&rig->text, "start %d:%d+%d", (int)rig->side.running.chunk,
                      (int)rig->side.running.units.first, (int)rig->side.running.units.count);
      break;
    case LS_SIDE_ACTION_STOP:
      ls_bytes_printf(&rig->text, "stop");
      break;
    case LS_SIDE_ACTION_ASK:
      ls_bytes_printf(&rig->text, "ask %d", (int)action->units);
      break;
    case LS_SIDE_ACTION_TELL:
      write_result(rig, &action->result);
      break;
    case LS_SIDE_ACTION_LET_GO:
      ls_bytes_printf(&rig->text, "let go %d", (int)action->let_go.chunk);
      break;
    case LS_SIDE_ACTION_DROP:
      ls_bytes_printf(&rig->text, "drop %d:%d", (int)action->drop.payload, (int)action->drop.units);
      break;
    case LS_SIDE_ACTION_BYE:
      ls_bytes_printf(&rig->text, "bye");
      break;
    case LS_SIDE_ACTION_COUNT:
      fail();
  }
}

/* One step; its actions must be `expected`. Drops are left out: they have their own test. */
static void expect(struct rig *rig, struct ls_side_event event, const char *expected) {
  assert_int_equal(ls_worker_side_step(&rig->side, &event, &rig->actions), LS_OK);
  ls_bytes_clear(&rig->text);
  for (size_t i = 0; i < rig->actions.count; i++) {
    if (rig->actions.items[i].kind == LS_SIDE_ACTION_DROP) continue;
    if (rig->text.length > 0) ls_bytes_printf(&rig->text, " | ");
    write_action(rig, &rig->actions.items[i]);
  }
  if (strcmp(ls_bytes_text(&rig->text), expected) != 0)
    fail_msg("'%s', expected '%s'", ls_bytes_text(&rig->text), expected);
}

static void plain(struct rig *rig, enum ls_side_event_kind kind, const char *expected) {
  expect(rig, (struct ls_side_event){.kind = kind}, expected);
}

static void of_chunk(struct rig *rig, enum ls_side_event_kind kind, uint64_t chunk,
                     const char *expected) {
  expect(rig, (struct ls_side_event){.kind = kind, .chunk = chunk}, expected);
}

static void arrive_as(struct rig *rig, struct ls_side_chunk chunk, struct ls_range range,
                      const char *expected) {
  chunk.payload = 100 + chunk.chunk;
  chunk.ranges = &range;
  chunk.ranges_count = 1;
  expect(rig, (struct ls_side_event){.kind = LS_SIDE_EVENT_CHUNK, .arrived = chunk}, expected);
}

static void arrive(struct rig *rig, uint64_t chunk, uint64_t first, uint64_t count,
                   const char *expected) {
  arrive_as(rig, (struct ls_side_chunk){.chunk = chunk}, (struct ls_range){first, count}, expected);
}

static void end(struct rig *rig, uint64_t units, enum ls_outcome outcome, const char *expected) {
  struct ls_side_ended ended = {.units = units, .outcome = outcome, .seconds = (double)units};
  expect(rig, (struct ls_side_event){.kind = LS_SIDE_EVENT_ENDED, .ended = ended}, expected);
}

static void done(struct rig *rig, uint64_t units, const char *expected) {
  end(rig, units, LS_OUTCOME_DONE, expected);
}

static void one_request_is_outstanding(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_ONE, .prefetch = 2});
  plain(&rig, LS_SIDE_EVENT_JOINED, "ask 1");
  plain(&rig, LS_SIDE_EVENT_DUE, "");
  arrive(&rig, 0, 0, 1, "start 0:0+1 | ask 1");
  arrive(&rig, 1, 1, 1, "ask 1");
  arrive(&rig, 2, 2, 1, ""); /* two wait */
  done(&rig, 1, "tell 0:0+1 done 1s | start 1:1+1 | ask 1");
  close_rig(&rig);
}

static void with_prefetch_it_asks_when_fewer_wait(void **state) {
  (void)state;
  for (uint64_t prefetch = 1; prefetch < 6; prefetch++) {
    for (uint64_t waiting = 0; waiting < 8; waiting++) {
      struct rig rig;
      open_rig(&rig, (struct ls_side_settings){
                         .asking = LS_ASKING_ONE, .prefetch = prefetch, .has_progress = true});
      char expected[32];
      (void)snprintf(expected, sizeof expected, "start 0:0+%d%s", (int)(1 + waiting),
                     waiting < prefetch ? " | ask 1" : "");
      arrive(&rig, 0, 0, 1 + waiting, expected);
      close_rig(&rig);
    }
  }
}

static void without_prefetch_it_asks_when_everything_is_finished(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_ROOM, .units_max = 2});
  plain(&rig, LS_SIDE_EVENT_DUE, "ask 1");
  arrive(&rig, 0, 0, 3, "start 0:0+2");
  done(&rig, 2, "start 0:2+1");
  done(&rig, 1, "tell 0:0+3 done 3s | ask 1");
  close_rig(&rig);
}

static void it_asks_for_all_the_room_that_prefetch_leaves(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 64, .units_max = 1});
  plain(&rig, LS_SIDE_EVENT_DUE, "ask 65"); /* one of them runs at once */
  arrive(&rig, 0, 0, 10, "start 0:0+1 | ask 55");
  arrive(&rig, 1, 10, 10, "ask 45");
  close_rig(&rig);
}

static void it_never_asks_for_more_than_fits(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 64, .room = 20, .has_progress = true});
  plain(&rig, LS_SIDE_EVENT_DUE, "ask 20");
  arrive(&rig, 0, 0, 18, "start 0:0+18 | ask 2");
  arrive(&rig, 1, 18, 2, "");
  assert_int_equal(ls_worker_side_milestone(&rig.side), 1);
  done(&rig, 1, "tell 0:0+1 done 1s | ask 1");
  close_rig(&rig);
}

static void a_pushed_worker_never_asks(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_NOTHING, .prefetch = 4});
  plain(&rig, LS_SIDE_EVENT_DUE, "");
  arrive(&rig, 0, 0, 2, "start 0:0+2");
  done(&rig, 2, "tell 0:0+2 done 2s");
  close_rig(&rig);
}

/* The chunks of one answer come one after the other: only the last one answers the request. */
static void an_answer_of_several_chunks_ends_with_the_last(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 2});
  plain(&rig, LS_SIDE_EVENT_DUE, "ask 3");
  struct ls_side_chunk chunk = {.chunk = 0, .is_followed = true};
  arrive_as(&rig, chunk, (struct ls_range){0, 1}, "start 0:0+1");
  arrive(&rig, 1, 1, 1, "ask 1");
  close_rig(&rig);
}

static void a_request_may_be_held_back_until_it_is_due(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 8, .units_max = 1});
  struct ls_side_event event = {
      .kind = LS_SIDE_EVENT_PREFETCH, .is_held_back = true, .prefetch = 4};
  expect(&rig, event, "");
  plain(&rig, LS_SIDE_EVENT_DUE, "ask 5");
  close_rig(&rig);
}

static void what_a_driver_must_receive_first_waits_meanwhile(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig,
           (struct ls_side_settings){
               .prefetch = 1, .asking = LS_ASKING_ONE, .has_progress = true, .has_receive = true});
  arrive(&rig, 0, 0, 1, "start 0:0+1");
  assert_int_equal(ls_worker_side_waiting(&rig.side), 1);
  plain(&rig, LS_SIDE_EVENT_BEGUN, "ask 1");
  assert_int_equal(ls_worker_side_waiting(&rig.side), 0);
  close_rig(&rig);
}

/* Told before a request leaves, so that the policy hears of all that was finished when it left. */
static void what_is_finished_is_told_before_a_request_leaves(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig,
           (struct ls_side_settings){.asking = LS_ASKING_ONE, .prefetch = 3, .has_progress = true});
  arrive(&rig, 0, 0, 10, "start 0:0+10");
  assert_int_equal(ls_worker_side_milestone(&rig.side), 7);
  done(&rig, 4, "");
  assert_int_equal(ls_worker_side_milestone(&rig.side), 3);
  done(&rig, 3, "tell 0:0+7 done 7s | ask 1");
  assert_int_equal(ls_worker_side_milestone(&rig.side), 3);
  done(&rig, 3, "tell 0:7+3 done 3s");
  close_rig(&rig);
}

static void results_leave_after_every_so_many_units_of_the_run(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){
                     .asking = LS_ASKING_ONE, .report_every = 4, .has_progress = true});
  arrive(&rig, 0, 0, 6, "start 0:0+6");
  assert_int_equal(ls_worker_side_milestone(&rig.side), 4);
  done(&rig, 4, "tell 0:0+4 done 4s");
  done(&rig, 2, "tell 0:4+2 done 2s | ask 1");
  arrive(&rig, 1, 6, 9, "start 1:6+9");
  assert_int_equal(ls_worker_side_milestone(&rig.side), 2);
  /* A driver that does not know how far it is tells at the first that it knows. */
  done(&rig, 3, "tell 1:6+3 done 3s");
  close_rig(&rig);
}

static void results_that_continue_each_other_are_one(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_NOTHING, .units_max = 2});
  const struct ls_range ranges[] = {{0, 3}, {7, 1}};
  expect(&rig,
         (struct ls_side_event){.kind = LS_SIDE_EVENT_CHUNK,
                                .arrived = {.chunk = 5, .ranges = ranges, .ranges_count = 2}},
         "start 5:0+2");
  arrive(&rig, 6, 20, 1, "");
  done(&rig, 2, "start 5:2+1");
  done(&rig, 1, "tell 5:0+3 done 3s | start 5:7+1");
  done(&rig, 1, "tell 5:7+1 done 1s | start 6:20+1");
  plain(&rig, LS_SIDE_EVENT_DUE, "");
  close_rig(&rig);
}

static void a_result_may_be_due_before_its_range_has_ended(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_NOTHING, .units_max = 2});
  arrive(&rig, 0, 0, 5, "start 0:0+2");
  done(&rig, 2, "start 0:2+2");
  plain(&rig, LS_SIDE_EVENT_DUE, "tell 0:0+2 done 2s");
  plain(&rig, LS_SIDE_EVENT_DUE, "");
  done(&rig, 2, "start 0:4+1");
  done(&rig, 1, "tell 0:2+3 done 3s");
  close_rig(&rig);
}

static void failures_and_outputs_are_told_alone(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_NOTHING, .has_progress = true});
  arrive(&rig, 0, 0, 9, "start 0:0+9");
  done(&rig, 2, "");
  end(&rig, 1, LS_OUTCOME_FAILED, "tell 0:0+2 done 2s | tell 0:2+1 failed 1s");
  end(&rig, 1, LS_OUTCOME_TIMED_OUT, "tell 0:3+1 timed out 1s");
  done(&rig, 1, "");
  struct ls_side_ended ended = {.units = 2, .seconds = 2, .has_output = true};
  expect(&rig, (struct ls_side_event){.kind = LS_SIDE_EVENT_ENDED, .ended = ended},
         "tell 0:4+1 done 1s | tell 0:5+2 done 2s");
  assert_int_equal(rig.side.finished, 5);
  close_rig(&rig);
}

/* So a policy may hear of every unit and nothing more is sent: its result leaves anyway. */
static void reports_of_units_with_outputs_cost_no_message(void **state) {
  (void)state;
  for (uint64_t every = 0; every <= 1; every++) {
    struct rig rig;
    open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_ONE,
                                             .prefetch = 1,
                                             .report_every = every,
                                             .history = 50,
                                             .units_max = 2});
    arrive(&rig, 0, 0, 5, "start 0:0+2");
    const double times[] = {3, 4};
    struct ls_side_ended ended = {.units = 2, .seconds = 7, .has_output = true, .times = times};
    ended.times_count = 2;
    struct ls_side_event event = {.kind = LS_SIDE_EVENT_ENDED, .ended = ended};
    expect(&rig, event, "tell 0:0+2 done 7s [3 4] | start 0:2+2");
    expect(&rig, event, "tell 0:2+2 done 7s [3 4] | start 0:4+1 | ask 1");
    event.ended = (struct ls_side_ended){.units = 1, .seconds = 3, .has_output = true};
    expect(&rig, event, "tell 0:4+1 done 3s [3]");
    close_rig(&rig);
  }
}

/* The last `history` times, across events; of a driver that does not know them, the mean. */
static void a_result_tells_its_latest_times_one_by_one(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){
                     .asking = LS_ASKING_NOTHING, .history = 3, .has_progress = true});
  arrive(&rig, 0, 0, 100, "start 0:0+100");
  const double times[] = {1, 2, 4, 8, 16};
  struct ls_side_ended ended = {.units = 5, .seconds = 31, .times = times, .times_count = 5};
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_ENDED, .ended = ended};
  expect(&rig, event, "");
  plain(&rig, LS_SIDE_EVENT_DUE, "tell 0:0+5 done 31s [4 8 16]");
  for (int i = 0; i < 9; i++) expect(&rig, event, "");
  event.ended.units = event.ended.times_count = 2;
  event.ended.seconds = 3;
  expect(&rig, event, "");
  plain(&rig, LS_SIDE_EVENT_DUE, "tell 0:5+47 done 282s [16 1 2]");
  done(&rig, 1, "");
  done(&rig, 1, "");
  plain(&rig, LS_SIDE_EVENT_DUE, "tell 0:52+2 done 2s [1 1]");
  close_rig(&rig);
}

/* However many end at once, and however many of them nobody has told yet. */
static void the_latest_times_are_those_of_the_last_units(void **state) {
  (void)state;
  enum { HISTORY = 5, UNITS = 2000 };
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct ls_random random;
    struct rig rig;
    double times[8];
    uint64_t ended = 0, told = 0;
    ls_random_init(&random, seed, "times");
    open_rig(&rig, (struct ls_side_settings){
                       .asking = LS_ASKING_NOTHING, .history = HISTORY, .has_progress = true});
    arrive(&rig, 0, 0, UNITS, "start 0:0+2000");
    while (ended + 8 < UNITS) {
      struct ls_side_ended some = {.units = 1 + ls_random_below(&random, 8), .times = times};
      some.times_count = (size_t)some.units;
      for (uint64_t i = 0; i < some.units; i++) {
        times[i] = (double)++ended; /* a unit takes as many seconds as its number */
        some.seconds += times[i];
      }
      expect(&rig, (struct ls_side_event){.kind = LS_SIDE_EVENT_ENDED, .ended = some}, "");
      if (ls_random_below(&random, 4) > 0) continue;
      const struct ls_side_event due = {.kind = LS_SIDE_EVENT_DUE};
      assert_int_equal(ls_worker_side_step(&rig.side, &due, &rig.actions), LS_OK);
      const struct ls_side_result *result = &rig.actions.items[0].result;
      uint64_t fresh = ended - told < HISTORY ? ended - told : HISTORY;
      assert_int_equal(result->times_count, fresh);
      for (uint64_t i = 0; i < fresh; i++)
        assert_int_equal((uint64_t)rig.actions.times[result->first_time + i],
                         ended - fresh + 1 + i);
      told = ended;
    }
    close_rig(&rig);
  }
}

static void all_times_are_told_to_those_who_learn(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){
                     .asking = LS_ASKING_NOTHING, .history = UINT64_MAX, .has_progress = true});
  arrive(&rig, 0, 0, 1000, "start 0:0+1000");
  for (uint64_t i = 0; i < 100; i++) done(&rig, 9, "");
  assert_int_equal(ls_worker_side_step(
                       &rig.side, &(struct ls_side_event){.kind = LS_SIDE_EVENT_DUE}, &rig.actions),
                   LS_OK);
  assert_int_equal(rig.actions.items[0].result.times_count, 900);
  close_rig(&rig);
}

static void a_held_result_waits_until_it_is_fetched(void **state) {
  (void)state;
  struct rig rig;
  struct ls_side_chunk chunk = {.chunk = 4, .is_held = true};
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_NOTHING, .has_progress = true});
  arrive_as(&rig, chunk, (struct ls_range){0, 3}, "start 4:0+3");
  done(&rig, 2, "");
  done(&rig, 1, "tell 4:0+3 done 3s held");
  of_chunk(&rig, LS_SIDE_EVENT_FETCH, 5, "");
  of_chunk(&rig, LS_SIDE_EVENT_FETCH, 4, "let go 4");
  of_chunk(&rig, LS_SIDE_EVENT_FETCH, 4, "");
  close_rig(&rig);
}

static void a_result_fetched_early_leaves_at_its_end(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_NOTHING, .units_max = 2});
  struct ls_side_chunk chunk = {.chunk = 4, .is_held = true};
  arrive(&rig, 3, 9, 1, "start 3:9+1");
  arrive_as(&rig, chunk, (struct ls_range){0, 3}, "");
  of_chunk(&rig, LS_SIDE_EVENT_FETCH, 4, "");
  done(&rig, 1, "tell 3:9+1 done 1s | start 4:0+2");
  done(&rig, 2, "start 4:2+1");
  done(&rig, 1, "tell 4:0+3 done 3s held | let go 4");
  close_rig(&rig);
}

static void cancelling_stops_what_runs_and_brings_back_what_waits(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_NOTHING, .units_max = 2});
  const struct ls_range ranges[] = {{0, 3}, {5, 4}};
  struct ls_side_chunk chunk = {.chunk = 1, .ranges = ranges, .ranges_count = 2};
  expect(&rig, (struct ls_side_event){.kind = LS_SIDE_EVENT_CHUNK, .arrived = chunk},
         "start 1:0+2");
  arrive(&rig, 2, 3, 2, "");
  of_chunk(&rig, LS_SIDE_EVENT_CANCEL, 7, "");
  of_chunk(&rig, LS_SIDE_EVENT_CANCEL, 1, "tell 1:2+1 cancelled | tell 1:5+4 cancelled | stop");
  end(&rig, 2, LS_OUTCOME_CANCELLED, "tell 1:0+2 cancelled 2s | start 2:3+2");
  close_rig(&rig);
}

/* Nobody waits for the whole chunk any more, so what is done of it counts. */
static void a_cancelled_chunk_is_held_no_longer(void **state) {
  (void)state;
  struct rig rig;
  struct ls_side_chunk chunk = {.chunk = 1, .is_held = true};
  open_rig(&rig, (struct ls_side_settings){.asking = LS_ASKING_NOTHING, .has_progress = true});
  arrive_as(&rig, chunk, (struct ls_range){0, 5}, "start 1:0+5");
  done(&rig, 2, "");
  of_chunk(&rig, LS_SIDE_EVENT_CANCEL, 1, "tell 1:0+2 done 2s held | stop");
  end(&rig, 3, LS_OUTCOME_CANCELLED, "tell 1:2+3 cancelled 3s held | let go 1");
  chunk.chunk = 2;
  arrive_as(&rig, chunk, (struct ls_range){10, 1}, "start 2:10+1");
  done(&rig, 1, "tell 2:10+1 done 1s held");
  of_chunk(&rig, LS_SIDE_EVENT_CANCEL, 2, "let go 2");
  close_rig(&rig);
}

static void a_recall_brings_back_all_that_has_not_begun(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 2, .units_max = 1});
  arrive(&rig, 1, 0, 3, "start 1:0+1");
  arrive(&rig, 2, 3, 2, "");
  plain(&rig, LS_SIDE_EVENT_RECALL, "tell 1:1+2 cancelled | tell 2:3+2 cancelled | ask 2");
  done(&rig, 1, "tell 1:0+1 done 1s");
  close_rig(&rig);
}

static void who_leaves_ends_what_runs_and_says_bye(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 2, .units_max = 1});
  arrive(&rig, 1, 0, 3, "start 1:0+1");
  plain(&rig, LS_SIDE_EVENT_LEAVE, "");
  plain(&rig, LS_SIDE_EVENT_LEAVE, "");
  arrive(&rig, 2, 3, 2, "");
  done(&rig, 1, "tell 1:0+1 done 1s | bye");
  close_rig(&rig);
  open_rig(&rig, (struct ls_side_settings){.prefetch = 2});
  plain(&rig, LS_SIDE_EVENT_LEAVE, "bye");
  close_rig(&rig);
}

/* Started together, run one by one: those behind the first have not begun. */
static void units_behind_the_first_go_back_where_they_run_one_by_one(void **state) {
  (void)state;
  struct rig rig;
  struct ls_side_settings settings = {.prefetch = 0, .has_progress = true};
  open_rig(&rig, settings);
  arrive(&rig, 1, 0, 5, "start 1:0+5");
  done(&rig, 2, "");
  plain(&rig, LS_SIDE_EVENT_RECALL, "tell 1:0+2 done 2s | tell 1:3+2 cancelled");
  assert_int_equal(ls_worker_side_milestone(&rig.side), 1);
  done(&rig, 1, "tell 1:2+1 done 1s | ask 1");
  close_rig(&rig);
  open_rig(&rig, settings);
  arrive(&rig, 1, 0, 5, "start 1:0+5");
  done(&rig, 2, "");
  plain(&rig, LS_SIDE_EVENT_LEAVE, "tell 1:0+2 done 2s");
  done(&rig, 1, "tell 1:2+1 done 1s | bye");
  close_rig(&rig);
}

static void a_released_worker_asks_no_more(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 1, .units_max = 1});
  arrive(&rig, 1, 0, 3, "start 1:0+1");
  plain(&rig, LS_SIDE_EVENT_RELEASE, "");
  plain(&rig, LS_SIDE_EVENT_DUE, "");
  close_rig(&rig);
}

/* Each unit that arrived is dropped once, whatever becomes of it. */
static void every_unit_of_a_payload_is_dropped_once(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct ls_random random;
    struct rig rig;
    uint64_t arrived = 0, dropped = 0, told = 0;
    ls_random_init(&random, seed, "drop");
    open_rig(&rig, (struct ls_side_settings){.prefetch = ls_random_below(&random, 4),
                                             .room = ls_random_below(&random, 9),
                                             .units_max = ls_random_below(&random, 3)});
    for (int i = 0; i < 60; i++) {
      struct ls_range range = {arrived, 1 + ls_random_below(&random, 4)};
      struct ls_side_event event = {.kind = LS_SIDE_EVENT_ENDED,
                                    .ended = {.units = rig.side.running.units.count}};
      uint64_t what = ls_random_below(&random, 10);
      if (what < 4) {
        event = (struct ls_side_event){
            .kind = LS_SIDE_EVENT_CHUNK,
            .arrived = {
                .chunk = (uint64_t)i, .ranges = &range, .ranges_count = 1, .is_held = what == 0}};
        arrived += range.count;
      } else if (what == 4) {
        event = (struct ls_side_event){.kind = LS_SIDE_EVENT_RECALL};
      } else if (what == 5) {
        event = (struct ls_side_event){.kind = LS_SIDE_EVENT_CANCEL, .chunk = (uint64_t)i / 2};
      } else if (!rig.side.is_running) {
        continue;
      }
      assert_int_equal(ls_worker_side_step(&rig.side, &event, &rig.actions), LS_OK);
      for (size_t k = 0; k < rig.actions.count; k++) {
        const struct ls_side_action *action = &rig.actions.items[k];
        if (action->kind == LS_SIDE_ACTION_DROP) dropped += action->drop.units;
        if (action->kind == LS_SIDE_ACTION_TELL) told += action->result.units.count;
        if (action->kind == LS_SIDE_ACTION_ASK && rig.side.settings.room > 0)
          assert_true(arrived - dropped + action->units <= rig.side.settings.room);
      }
      uint64_t here = rig.side.queue.units;
      if (rig.side.is_running) here += rig.side.running.units.count;
      assert_int_equal(arrived, dropped + here);
      assert_int_equal(arrived, told + rig.side.merged.units.count + here);
    }
    close_rig(&rig);
  }
}

/* The master has forgotten what a worker asked for that was away. */
static void who_comes_back_asks_again(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 1});
  plain(&rig, LS_SIDE_EVENT_JOINED, "ask 2");
  plain(&rig, LS_SIDE_EVENT_JOINED, "ask 2");
  close_rig(&rig);
}

static void a_cleared_side_begins_anew(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 1, .has_progress = true});
  plain(&rig, LS_SIDE_EVENT_DUE, "ask 2");
  arrive(&rig, 1, 0, 3, "start 1:0+3");
  done(&rig, 1, "");
  ls_worker_side_clear(&rig.side);
  plain(&rig, LS_SIDE_EVENT_DUE, "ask 2");
  assert_int_equal(rig.side.finished, 1);
  close_rig(&rig);
}

/* A command line is full before its range is: the rest waits like any other units, so it goes back,
 * and is dropped, with them. */
static void what_was_not_taken_waits_first(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 1, .units_max = UINT64_MAX});
  plain(&rig, LS_SIDE_EVENT_JOINED, "ask 2");
  arrive(&rig, 3, 10, 8, "start 3:10+8 | ask 1");
  struct ls_side_event taken = {.kind = LS_SIDE_EVENT_TAKEN, .taken = 3};
  expect(&rig, taken, "");
  assert_int_equal(ls_worker_side_waiting(&rig.side), 5);
  arrive(&rig, 4, 30, 2, "");
  done(&rig, 3, "start 3:13+5");
  expect(&rig, taken, "");
  end(&rig, 3, LS_OUTCOME_FAILED, "tell 3:10+3 done 3s | tell 3:13+3 failed 3s | start 3:16+2");
  taken.taken = 1;
  expect(&rig, taken, "");
  plain(&rig, LS_SIDE_EVENT_RECALL, "tell 3:17+1 cancelled | tell 4:30+2 cancelled | ask 1");
  done(&rig, 1, "tell 3:16+1 done 1s");
  close_rig(&rig);
}

static void a_cancelled_chunk_takes_what_was_not_taken_along(void **state) {
  (void)state;
  struct rig rig;
  open_rig(&rig, (struct ls_side_settings){.prefetch = 0});
  plain(&rig, LS_SIDE_EVENT_JOINED, "ask 1");
  arrive(&rig, 3, 10, 8, "start 3:10+8");
  expect(&rig, (struct ls_side_event){.kind = LS_SIDE_EVENT_TAKEN, .taken = 3}, "");
  of_chunk(&rig, LS_SIDE_EVENT_CANCEL, 3, "tell 3:13+5 cancelled | stop");
  end(&rig, 3, LS_OUTCOME_CANCELLED, "tell 3:10+3 cancelled 3s | ask 1");
  close_rig(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_request_is_outstanding),
      cmocka_unit_test(with_prefetch_it_asks_when_fewer_wait),
      cmocka_unit_test(without_prefetch_it_asks_when_everything_is_finished),
      cmocka_unit_test(it_asks_for_all_the_room_that_prefetch_leaves),
      cmocka_unit_test(it_never_asks_for_more_than_fits),
      cmocka_unit_test(a_pushed_worker_never_asks),
      cmocka_unit_test(an_answer_of_several_chunks_ends_with_the_last),
      cmocka_unit_test(a_request_may_be_held_back_until_it_is_due),
      cmocka_unit_test(what_a_driver_must_receive_first_waits_meanwhile),
      cmocka_unit_test(what_is_finished_is_told_before_a_request_leaves),
      cmocka_unit_test(results_leave_after_every_so_many_units_of_the_run),
      cmocka_unit_test(results_that_continue_each_other_are_one),
      cmocka_unit_test(a_result_may_be_due_before_its_range_has_ended),
      cmocka_unit_test(failures_and_outputs_are_told_alone),
      cmocka_unit_test(reports_of_units_with_outputs_cost_no_message),
      cmocka_unit_test(a_result_tells_its_latest_times_one_by_one),
      cmocka_unit_test(the_latest_times_are_those_of_the_last_units),
      cmocka_unit_test(all_times_are_told_to_those_who_learn),
      cmocka_unit_test(a_held_result_waits_until_it_is_fetched),
      cmocka_unit_test(a_result_fetched_early_leaves_at_its_end),
      cmocka_unit_test(cancelling_stops_what_runs_and_brings_back_what_waits),
      cmocka_unit_test(a_cancelled_chunk_is_held_no_longer),
      cmocka_unit_test(a_recall_brings_back_all_that_has_not_begun),
      cmocka_unit_test(who_leaves_ends_what_runs_and_says_bye),
      cmocka_unit_test(units_behind_the_first_go_back_where_they_run_one_by_one),
      cmocka_unit_test(a_released_worker_asks_no_more),
      cmocka_unit_test(every_unit_of_a_payload_is_dropped_once),
      cmocka_unit_test(who_comes_back_asks_again),
      cmocka_unit_test(what_was_not_taken_waits_first),
      cmocka_unit_test(a_cancelled_chunk_takes_what_was_not_taken_along),
      cmocka_unit_test(a_cleared_side_begins_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
