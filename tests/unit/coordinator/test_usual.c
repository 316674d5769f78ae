/* The short way of usual steps does what the long way does: two coordinators hear the same events,
 * one of them checks everything (is_exact) and so never goes the short way. Where the first one
 * takes a result and a request in one, the other hears them one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "coordinator/coordinator_private.h"

enum { WORKERS = 5, UNITS = 120, CHUNKS_MAX = 4096 };

struct sent { /* a chunk that has no result yet, or only a part */
  uint32_t worker;
  uint64_t chunk;
  struct ls_range range;
};

struct pair {
  struct ls_coordinator *coordinators[2];
  struct ls_actions actions[2];
  struct sent sent[CHUNKS_MAX];
  size_t sent_count;
  size_t exchanged, refused; /* of these, got nothing */
  bool is_calm;              /* nobody leaves, fails or asks for more than one chunk at a time */
  bool is_there[WORKERS];
  double now_s;
};

static void open_pair(struct pair *pair, const char *policy, uint64_t seed) {
  struct ls_coordinator_config config = {.chunking = ls_chunking_find(policy),
                                         .workers = WORKERS,
                                         .workers_max = WORKERS,
                                         .mean_seconds = 1,
                                         .deviation_seconds = 0.3,
                                         .overhead_seconds = 0.1,
                                         .seed = seed,
                                         .retries = 1};
  memset(pair, 0, sizeof *pair);
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  for (size_t i = 0; i < 2; i++) {
    config.is_exact = i == 1;
    assert_int_equal(ls_coordinator_create(&config, &pair->coordinators[i], NULL), LS_OK);
  }
}

static void close_pair(struct pair *pair) {
  for (size_t i = 0; i < 2; i++) {
    ls_actions_close(&pair->actions[i]);
    ls_coordinator_destroy(pair->coordinators[i]);
  }
}

static void remember(struct pair *pair) {
  const struct ls_actions *actions = &pair->actions[0];
  for (size_t i = 0; i < actions->count; i++) {
    const struct ls_action *action = &actions->items[i];
    if (action->kind != LS_ACTION_SEND) continue;
    for (size_t k = 0; k < action->ranges_count; k++) {
      assert_true(pair->sent_count < CHUNKS_MAX);
      pair->sent[pair->sent_count++] =
          (struct sent){action->worker, action->chunk, actions->ranges[action->first_range + k]};
    }
  }
}

static void write_all(const struct ls_actions *actions, struct ls_bytes *out) {
  for (size_t i = 0; i < actions->count; i++) {
    ls_action_write(actions, &actions->items[i], out);
    ls_bytes_printf(out, " (%llu)\n", (unsigned long long)actions->items[i].count);
  }
}

/* What both count must agree in every digit: later iterations are planned by it. */
static void compare_counts(const struct pair *pair) {
  struct ls_coordinator_totals totals[2];
  const struct ls_coordinator *a = pair->coordinators[0], *b = pair->coordinators[1];
  for (size_t i = 0; i < 2; i++) {
    memset(&totals[i], 0, sizeof totals[i]);
    ls_coordinator_totals(pair->coordinators[i], &totals[i]);
  }
  assert_int_equal(totals[0].waiting, totals[1].waiting);
  assert_int_equal(totals[0].sent, totals[1].sent);
  assert_int_equal(totals[0].done, totals[1].done);
  assert_int_equal(totals[0].requests, totals[1].requests);
  assert_int_equal(totals[0].chunks, totals[1].chunks);
  assert_memory_equal(&a->observed, &b->observed, sizeof a->observed);
  assert_memory_equal(a->earlier, b->earlier, WORKERS * sizeof *a->earlier);
  assert_memory_equal(&a->working_seconds, &b->working_seconds, sizeof a->working_seconds);
  assert_memory_equal(a->state, b->state, a->units);
  for (size_t i = 0; i < WORKERS; i++) {
    const struct ls_member *left = &a->members[i], *right = &b->members[i];
    assert_memory_equal(&left->reported_s, &right->reported_s, sizeof left->reported_s);
    assert_memory_equal(&left->result_s, &right->result_s, sizeof left->result_s);
    assert_memory_equal(&left->heard_s, &right->heard_s, sizeof left->heard_s);
    assert_memory_equal(&left->report.seconds, &right->report.seconds, sizeof(double));
    assert_int_equal(left->report.units, right->report.units);
    assert_int_equal(left->is_parked, right->is_parked);
  }
  assert_true(ls_coordinator_is_sound(pair->coordinators[0]));
}

static void step(struct pair *pair, struct ls_event event) {
  struct ls_bytes texts[2] = {{0}, {0}};
  event.now_s = pair->now_s;
  for (size_t i = 0; i < 2; i++) {
    enum ls_status status =
        ls_coordinator_step(pair->coordinators[i], &event, &pair->actions[i], NULL);
    assert_int_equal(status, LS_OK);
    write_all(&pair->actions[i], &texts[i]);
  }
  assert_string_equal(ls_bytes_text(&texts[0]), ls_bytes_text(&texts[1]));
  compare_counts(pair);
  ls_bytes_close(&texts[0]);
  ls_bytes_close(&texts[1]);
  remember(pair);
}

static void forget(struct pair *pair, size_t index) {
  pair->sent[index] = pair->sent[--pair->sent_count];
}

static void answer(struct pair *pair, struct ls_random *random) {
  size_t index = (size_t)ls_random_below(random, pair->sent_count);
  struct sent *sent = &pair->sent[index];
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .worker = sent->worker,
                           .chunk = sent->chunk,
                           .units = sent->range,
                           .seconds = ls_random_real(random)};
  uint64_t chance = pair->is_calm ? 11 : ls_random_below(random, 12);
  if (chance == 0 && sent->range.count > 1) { /* a part */
    event.units.count = 1;
    sent->range.first++;
    sent->range.count--;
  } else {
    forget(pair, index);
  }
  if (chance == 1) event.outcome = LS_OUTCOME_FAILED;
  if (chance == 2) event.outcome = LS_OUTCOME_CANCELLED;
  if (chance == 3) event.seconds = (double)NAN;
  step(pair, event);
}

/* The other coordinator hears what the first one took in one: it sends the same, or nothing. */
static void hear_both(struct pair *pair, struct ls_event event, const struct ls_exchange *next) {
  struct ls_actions *actions = &pair->actions[1];
  struct ls_coordinator *other = pair->coordinators[1];
  assert_int_equal(ls_coordinator_step(other, &event, actions, NULL), LS_OK);
  assert_int_equal(actions->count, 1);
  assert_int_equal(actions->items[0].kind, LS_ACTION_SETTLE);
  event = (struct ls_event){
      .kind = LS_EVENT_READY, .now_s = event.now_s, .worker = event.worker, .units = {.count = 1}};
  assert_int_equal(ls_coordinator_step(other, &event, actions, NULL), LS_OK);
  assert_int_equal(actions->count, next->units.count > 0);
  if (actions->count == 0) return;
  assert_int_equal(actions->items[0].kind, LS_ACTION_SEND);
  assert_int_equal(actions->items[0].worker, next->worker);
  assert_int_equal(actions->items[0].chunk, next->chunk);
  assert_int_equal(actions->items[0].ranges_count, 1);
  assert_memory_equal(&actions->ranges[0], &next->units, sizeof next->units);
}

/* False: it is not usual, and nothing has changed. */
static bool exchange(struct pair *pair, struct ls_random *random) {
  size_t index = (size_t)ls_random_below(random, pair->sent_count);
  struct sent sent = pair->sent[index];
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .worker = sent.worker,
                           .now_s = pair->now_s,
                           .chunk = sent.chunk,
                           .units = sent.range,
                           .seconds = ls_random_real(random)};
  if (ls_random_below(random, 20) == 0) event.seconds = (double)NAN;
  if (ls_random_below(random, 20) == 0) event.units.count++;
  struct ls_exchange next = {.worker = sent.worker,
                             .now_s = pair->now_s,
                             .chunk = sent.chunk,
                             .units = event.units,
                             .seconds = event.seconds};
  bool is_done = ls_coordinator_exchange(pair->coordinators[0], &next, &pair->actions[0]);
  if (is_done) {
    assert_memory_equal(&event.units, &sent.range, sizeof sent.range);
    forget(pair, index);
    hear_both(pair, event, &next);
    pair->exchanged++;
    if (next.units.count == 0)
      pair->refused++;
    else
      pair->sent[pair->sent_count++] = (struct sent){next.worker, next.chunk, next.units};
  }
  compare_counts(pair);
  return is_done;
}

static void lose(struct pair *pair, uint32_t worker, enum ls_event_kind kind) {
  pair->is_there[worker] = false;
  for (size_t i = pair->sent_count; i > 0; i--)
    if (pair->sent[i - 1].worker == worker) forget(pair, i - 1);
  step(pair, (struct ls_event){.kind = kind, .worker = worker});
}

/* Suspensions come seldom: most steps shall be usual. */
static void happen(struct pair *pair, struct ls_random *random) {
  uint32_t worker = (uint32_t)ls_random_below(random, WORKERS);
  size_t most = pair->is_calm ? WORKERS - 2 : CHUNKS_MAX;
  uint64_t units = !pair->is_calm && ls_random_below(random, 8) == 0 ? 3 : 1;
  pair->now_s += ls_random_real(random);
  if (!pair->is_there[worker]) {
    pair->is_there[worker] = true;
    step(pair, (struct ls_event){.kind = LS_EVENT_RESUMED, .worker = worker});
  } else if (!pair->is_calm && ls_random_below(random, 60) == 0) {
    lose(pair, worker, LS_EVENT_SUSPENDED);
  } else if (pair->sent_count > most || (pair->sent_count > 0 && ls_random_below(random, 2))) {
    if (ls_random_below(random, 2) || !exchange(pair, random)) answer(pair, random);
  } else {
    step(pair,
         (struct ls_event){.kind = LS_EVENT_READY, .worker = worker, .units = {.count = units}});
  }
}

static void both_ways_agree(void **state) {
  (void)state;
  static const char *const names[] = {"ss",    "gss",     "fac2", "sc",   "af",   "awf-b",
                                      "awf-e", "monitor", "tss",  "bold", "rand", "wf2"};
  static struct pair pair;
  size_t exchanged = 0, refused = 0;
  for (uint64_t seed = 0; seed < 240; seed++) {
    struct ls_random random;
    struct ls_coordinator_totals totals = {0};
    ls_random_init(&random, seed, "usual");
    open_pair(&pair, names[seed % 12], seed);
    pair.is_calm = seed % 24 < 12;
    step(&pair, (struct ls_event){.kind = LS_EVENT_ITERATION, .units = {.count = UNITS}});
    for (uint32_t i = 0; i < WORKERS; i++) {
      pair.is_there[i] = true;
      step(&pair, (struct ls_event){.kind = LS_EVENT_JOINED, .worker = i});
    }
    for (size_t i = 0; i < 3000 && totals.done + totals.failed < UNITS; i++) {
      happen(&pair, &random);
      ls_coordinator_totals(pair.coordinators[0], &totals);
    }
    assert_int_equal(totals.done + totals.failed, UNITS);
    step(&pair, (struct ls_event){.kind = LS_EVENT_ITERATION});
    close_pair(&pair);
    exchanged += pair.exchanged;
    refused += pair.refused;
  }
  assert_true(exchanged > 500 && refused > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
