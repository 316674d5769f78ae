/* replay_repeat.c: the replay of a plan whose middle repeats, in the time of a few plays.
 *
 * One play of the body takes the stations from one state to the next, by sums and by the larger of
 * two times: when a chunk's sending has ended and when the network is free, when it has arrived and
 * when its worker is free.  While the same of the two is larger in every play, each station moves
 * on by the same seconds from play to play, and the rest is arithmetic: the plays up to the first
 * one in which another time may be the larger are leapt over.  Three plays that agree in all of
 * these choices show that it is so, since a time depends on the network's, and this one on the
 * master's. Where results return, all that comes back must besides move on by one shift; those of
 * an order of returns come behind the last play and touch none.  What never settles is played chunk
 * by chunk, and no chunk is stored.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/replay_private.h"

enum { CHOICES = 2 /* of a chunk: at the network, at the worker */ };
/* So often in a row a play must agree with the one before. */
enum { AGREEMENTS = 2 };

/* Rounding, in parts of the clock. */
static const double NOISE = 8 * DBL_EPSILON;

/* What is left of one choice: the seconds by which the station is free later than the chunk comes,
 * and what this was one play earlier. */
struct choice {
  double late_s, earlier_s;
};

/* What the stations held at the end of a play. */
struct shift {
  double master_s, network_s, back_s;
  double *free_s;               /* by worker */
  struct ls_heap_item *pending; /* in order */
  size_t pending_count;
};

struct repeating {
  struct ls_plan *plan; /* whose chunks get the times of their first plays */
  const struct ls_platform *platform;
  struct ls_stations stations;
  double back_s;          /* when the network inwards is free; unused with one port */
  struct ls_heap pending; /* computed, not yet back; payload: see push_reply */
  bool has_replies;       /* as computing ends */
  bool is_shared;
  size_t sent,
      next_return; /* with an order: chunks before `sent` are computed, for the last time */
  bool *is_later;  /* by worker: does it get a chunk of the body or the epilogue? */
  struct choice *choices;
  struct shift before; /* of the play before this one */
  size_t agreements;   /* plays in a row with the choices of the one before */
  double limit;        /* so many plays more they stay the same */
};

/* The times of a reply are kept of the first play of its chunk. */
static enum ls_status push_reply(struct repeating *repeating, size_t index, bool is_first,
                                 double compute_end_s) {
  if (!repeating->has_replies) return LS_OK;
  if (!ls_does_reply(repeating->platform, &repeating->plan->chunks[index])) return LS_OK;
  return ls_heap_push(&repeating->pending, compute_end_s, 0, 2 * (uint64_t)index + is_first);
}

static void play_reply(struct repeating *repeating, size_t index, double ready_s, bool is_first) {
  struct ls_plan_chunk *chunk = &repeating->plan->chunks[index];
  double *port_s = repeating->is_shared ? &repeating->stations.network_s : &repeating->back_s;
  double start_s = ls_larger(*port_s, ready_s);
  const struct ls_cost *costs =
      ls_worker_costs(&repeating->platform->workers[chunk->worker], chunk->units);
  *port_s = start_s + ls_cost_of(&costs[LS_OPERATION_REPLY], chunk->units);
  if (!is_first) return;
  chunk->reply_start_s = start_s;
  chunk->reply_end_s = *port_s;
}

static void play_pending(struct repeating *repeating) {
  struct ls_heap_item item = {0};
  bool is_there = ls_heap_pop(&repeating->pending, &item);
  assert(is_there);
  (void)is_there;
  play_reply(repeating, item.payload / 2, item.time_s, item.payload % 2 != 0);
}

/* In the plan's order, whose chunks stand behind the body and are played once. */
static void play_returns(struct repeating *repeating, double time_s) {
  const struct ls_plan *plan = repeating->plan;
  for (; repeating->next_return < plan->returns_count; repeating->next_return++) {
    size_t index = plan->returns[repeating->next_return];
    if (index >= repeating->sent) return;
    double ready_s = plan->chunks[index].compute_end_s;
    if (!(ls_reply_turn_s(ready_s) < time_s)) return;
    play_reply(repeating, index, ready_s, true);
  }
}

/* Plays the replies that were ready before `time_s`. */
static void play_replies(struct repeating *repeating, double time_s) {
  const struct ls_heap_item *first;
  if (repeating->plan->has_returns) play_returns(repeating, time_s);
  while ((first = ls_heap_first(&repeating->pending)) != NULL &&
         ls_reply_turn_s(first->time_s) < time_s)
    play_pending(repeating);
}

static void note_choice(struct repeating *repeating, struct choice *choice, double late_s,
                        double clock_s) {
  double noise_s = NOISE * clock_s, change_s = late_s - choice->late_s;
  choice->earlier_s = choice->late_s;
  choice->late_s = late_s;
  bool is_even = fabs(late_s) <= noise_s && fabs(choice->earlier_s) <= noise_s;
  if (is_even) return;
  if (!(late_s > 0 ? choice->earlier_s > 0 : choice->earlier_s < 0 && late_s < 0)) {
    repeating->agreements = 0;
  } else if (fabs(change_s) > noise_s && (late_s > 0) != (change_s > 0)) {
    repeating->limit = fmin(repeating->limit, -late_s / change_s);
  }
}

/* One chunk, with its choices if it is one of the body. */
static enum ls_status play_chunk(struct repeating *repeating, size_t index, bool is_first,
                                 struct choice *choices) {
  struct ls_plan_chunk *chunk = &repeating->plan->chunks[index];
  struct ls_stations *stations = &repeating->stations;
  const struct ls_platform *platform = repeating->platform;
  struct ls_passage passage;
  const struct ls_cost *costs = ls_worker_costs(&platform->workers[chunk->worker], chunk->units);
  ls_pass_master(stations, platform, costs, chunk->units, &passage);
  if (repeating->is_shared) play_replies(repeating, passage.send_end_s);
  double network_late_s = stations->network_s - passage.send_end_s;
  ls_pass_network(stations, costs, chunk->units, &passage);
  double arrival_s = passage.transfer_end_s + platform->workers[chunk->worker].delay_s;
  double worker_late_s = stations->free_s[chunk->worker] - arrival_s;
  ls_pass_worker(stations, platform, costs, chunk, &passage);
  if (choices != NULL) {
    note_choice(repeating, &choices[0], network_late_s, passage.compute_end_s);
    note_choice(repeating, &choices[1], worker_late_s, passage.compute_end_s);
    repeating->plan->repeat.last_end_s[index - repeating->plan->repeat.from] =
        passage.compute_end_s;
  }
  if (is_first) ls_note_passage(chunk, &passage);
  return push_reply(repeating, index, is_first, passage.compute_end_s);
}

static int compare_items(const void *left, const void *right) {
  const struct ls_heap_item *a = left, *b = right;
  if (a->time_s < b->time_s) return -1;
  if (a->time_s > b->time_s) return 1;
  return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* More than a few plays' results on their way are no steady state. */
static size_t find_pending_most(const struct repeating *repeating) {
  return 4 * (repeating->plan->repeat.to - repeating->plan->repeat.from);
}

/* The state at the end of a play; of more results than a few plays have only the number. */
static void note_shift(struct repeating *repeating, struct shift *shift) {
  const struct ls_stations *stations = &repeating->stations;
  shift->master_s = stations->master_s;
  shift->network_s = stations->network_s;
  shift->back_s = repeating->back_s;
  memcpy(shift->free_s, stations->free_s,
         repeating->platform->workers_count * sizeof *shift->free_s);
  shift->pending_count = repeating->pending.count;
  if (shift->pending_count == 0 || shift->pending_count > find_pending_most(repeating)) return;
  if (repeating->pending.has_hole) ls_heap_fill_hole(&repeating->pending);
  memcpy(shift->pending, repeating->pending.items, shift->pending_count * sizeof *shift->pending);
  qsort(shift->pending, shift->pending_count, sizeof *shift->pending, compare_items);
}

static bool is_shift(double now_s, double before_s, double by_s) {
  double noise_s = fmax(1e-13 * by_s, NOISE * now_s);
  return fabs(now_s - before_s - by_s) <= noise_s;
}

/* Where the network runs ahead, what is ready is told by workers alone: are they all behind it, and
 * come by the same shift? */
static bool is_led_by_workers(const struct repeating *repeating, const struct shift *now,
                              double by_s) {
  for (size_t i = 0; i < repeating->platform->workers_count; i++) {
    if (!repeating->is_later[i]) continue;
    if (!is_shift(now->free_s[i], repeating->before.free_s[i], by_s)) return false;
    if (now->free_s[i] < now->network_s) return false;
  }
  return true;
}

/* No result of a chunk to come is ready before: each is computed after the last one of its worker,
 * and after its own transfer. */
static double find_earliest(const struct repeating *repeating) {
  double earliest_s = (double)INFINITY;
  for (size_t i = 0; i < repeating->platform->workers_count; i++) {
    if (!repeating->is_later[i]) continue;
    earliest_s =
        fmin(earliest_s, ls_larger(repeating->stations.network_s, repeating->stations.free_s[i]));
  }
  return earliest_s;
}

/* Does everything that decides about replies come `by_s` later than a play ago? */
static bool has_one_shift(const struct repeating *repeating, const struct shift *now, double by_s) {
  const struct shift *before = &repeating->before;
  const struct ls_plan *plan = repeating->plan;
  if (now->pending_count != before->pending_count) return false;
  if (now->pending_count > find_pending_most(repeating)) return false;
  if (!is_shift(repeating->is_shared ? now->master_s : now->back_s,
                repeating->is_shared ? before->master_s : before->back_s, by_s))
    return false;
  if (!is_shift(now->network_s, before->network_s, by_s) &&
      (repeating->is_shared || !is_led_by_workers(repeating, now, by_s)))
    return false;
  for (size_t i = plan->repeat.from; i < plan->repeat.to; i++) {
    uint32_t worker = plan->chunks[i].worker;
    if (!is_shift(now->free_s[worker], before->free_s[worker], by_s)) return false;
  }
  for (size_t i = 0; i < now->pending_count; i++) {
    if (now->pending[i].payload != before->pending[i].payload ||
        !is_shift(now->pending[i].time_s, before->pending[i].time_s, by_s))
      return false;
  }
  return true;
}

/* Leaps over as many of the `left` plays as are sure to be like this one, which they number. */
static uint64_t leap(struct repeating *repeating, const struct shift *now, uint64_t left) {
  const struct shift *before = &repeating->before;
  struct ls_stations *stations = &repeating->stations;
  double most = floor(repeating->limit) - 1;
  if (repeating->agreements < AGREEMENTS || !(most >= 1) || left == 0) return 0;
  size_t from = repeating->plan->repeat.from;
  uint32_t first = repeating->plan->chunks[from].worker;
  double by_s = now->free_s[first] - before->free_s[first];
  if (repeating->has_replies && !has_one_shift(repeating, now, by_s)) return 0;
  uint64_t plays = most < (double)left ? (uint64_t)most : left;
  double times = (double)plays;
  stations->master_s += times * (now->master_s - before->master_s);
  stations->network_s += times * (now->network_s - before->network_s);
  for (size_t i = 0; i < repeating->platform->workers_count; i++)
    stations->free_s[i] += times * (now->free_s[i] - before->free_s[i]);
  if (repeating->has_replies) {
    repeating->back_s += times * (now->back_s - before->back_s);
    ls_heap_delay(&repeating->pending, times * by_s);
  }
  repeating->agreements = 0;
  return plays;
}

/* The last play is never leapt over: it tells the last ends of computing. */
static enum ls_status play_body(struct repeating *repeating, struct shift *now) {
  const struct ls_plan *plan = repeating->plan;
  enum ls_status status = LS_OK;
  for (uint64_t play = 0; play < plan->repeat.times && status == LS_OK; play++) {
    repeating->limit = (double)INFINITY;
    repeating->agreements++;
    for (size_t i = plan->repeat.from; i < plan->repeat.to && status == LS_OK; i++)
      status = play_chunk(repeating, i, play == 0,
                          &repeating->choices[CHOICES * (i - plan->repeat.from)]);
    if (status != LS_OK) break;
    if (!repeating->is_shared && repeating->has_replies)
      play_replies(repeating, find_earliest(repeating));
    note_shift(repeating, now);
    if (play == 0) repeating->agreements = 0; /* with nothing before it */
    uint64_t left = plan->repeat.times - play - 1;
    uint64_t plays = left > 1 ? leap(repeating, now, left - 1) : 0;
    play += plays;
    struct shift spare = repeating->before;
    repeating->before = *now;
    *now = spare;
    if (plays > 0) note_shift(repeating, &repeating->before);
  }
  return status;
}

static enum ls_status play_all(struct repeating *repeating, struct shift *now) {
  const struct ls_plan *plan = repeating->plan;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < plan->repeat.from && status == LS_OK; i++)
    status = play_chunk(repeating, i, true, NULL);
  if (status == LS_OK) status = play_body(repeating, now);
  for (size_t i = plan->repeat.to; i < plan->chunks_count && status == LS_OK; i++) {
    status = play_chunk(repeating, i, true, NULL);
    repeating->sent = i + 1;
  }
  if (status == LS_OK) play_replies(repeating, (double)INFINITY);
  return status;
}

static enum ls_status open_shift(const struct repeating *repeating, struct shift *shift) {
  shift->free_s = calloc(repeating->platform->workers_count, sizeof *shift->free_s);
  shift->pending = calloc(find_pending_most(repeating), sizeof *shift->pending);
  return shift->free_s != NULL && shift->pending != NULL ? LS_OK : LS_ENOMEM;
}

static void close_shift(struct shift *shift) {
  free(shift->free_s);
  free(shift->pending);
}

static double find_end(const struct repeating *repeating) {
  double end_s = 0;
  for (size_t i = 0; i < repeating->platform->workers_count; i++)
    end_s = ls_larger(end_s, repeating->stations.free_s[i]);
  if (!repeating->has_replies && repeating->plan->returns_count == 0) return end_s;
  return ls_larger(end_s, repeating->is_shared ? repeating->stations.network_s : repeating->back_s);
}

/* Under one or two ports. */
static enum ls_status play_ports(struct repeating *repeating, double *makespan_s) {
  size_t body = repeating->plan->repeat.to - repeating->plan->repeat.from;
  struct shift now = {0};
  repeating->stations.free_s =
      calloc(repeating->platform->workers_count, sizeof *repeating->stations.free_s);
  repeating->choices = calloc(CHOICES * body, sizeof *repeating->choices);
  repeating->is_later = calloc(repeating->platform->workers_count, sizeof *repeating->is_later);
  bool is_open = repeating->stations.free_s != NULL && repeating->choices != NULL &&
                 repeating->is_later != NULL;
  enum ls_status status = is_open ? LS_OK : LS_ENOMEM;
  for (size_t i = repeating->plan->repeat.from; is_open && i < repeating->plan->chunks_count; i++)
    repeating->is_later[repeating->plan->chunks[i].worker] = true;
  if (status == LS_OK) status = open_shift(repeating, &now);
  if (status == LS_OK) status = open_shift(repeating, &repeating->before);
  if (status == LS_OK) status = play_all(repeating, &now);
  if (status == LS_OK) *makespan_s = find_end(repeating);
  close_shift(&now);
  close_shift(&repeating->before);
  ls_heap_close(&repeating->pending);
  free(repeating->choices);
  free(repeating->is_later);
  free(repeating->stations.free_s);
  return status;
}

/* A network that several share has no state between two plays that could be compared, and that of
 * readers is not: the chunks are written out for the time of the replay. */
static enum ls_status play_flat(struct repeating *repeating, double *makespan_s,
                                struct ls_error *err) {
  struct ls_plan *plan = repeating->plan;
  size_t from = plan->repeat.from, to = plan->repeat.to;
  struct ls_plan flat;
  enum ls_status status = ls_plan_unfolded(plan, UINT64_MAX, &flat, err);
  if (status != LS_OK) return status;
  status = ls_replay(&flat, repeating->platform, err);
  if (status == LS_OK) {
    size_t skipped = flat.chunks_count - plan->chunks_count;
    for (size_t i = 0; i < plan->chunks_count; i++) {
      const struct ls_plan_chunk *played = &flat.chunks[i < to ? i : i + skipped];
      uint32_t round = plan->chunks[i].round;
      plan->chunks[i] = *played;
      plan->chunks[i].round = round;
    }
    for (size_t i = from; i < to; i++)
      plan->repeat.last_end_s[i - from] = flat.chunks[i + skipped].compute_end_s;
    *makespan_s = flat.makespan_s;
  }
  ls_plan_close(&flat);
  return status;
}

enum ls_status ls_replay_repeat(struct ls_plan *plan, const struct ls_platform *platform,
                                double *makespan_s, struct ls_error *err) {
  enum ls_status status = ls_plan_check_returns(plan, err);
  if (status != LS_OK) return status;
  assert(ls_plan_repeats(plan));
  struct repeating repeating = {
      .plan = plan, .platform = platform, .is_shared = platform->ports == LS_PORTS_ONE};
  for (size_t i = 0; i < plan->chunks_count && !plan->has_returns && !repeating.has_replies; i++)
    repeating.has_replies = ls_does_reply(platform, &plan->chunks[i]);
  if (plan->repeat.last_end_s == NULL)
    plan->repeat.last_end_s =
        calloc(plan->repeat.to - plan->repeat.from, sizeof *plan->repeat.last_end_s);
  bool is_flat =
      platform->ports == LS_PORTS_MULTI || ls_platform_has_cost(platform, LS_OPERATION_STAGE);
  if (plan->repeat.last_end_s != NULL && is_flat) return play_flat(&repeating, makespan_s, err);
  status = plan->repeat.last_end_s == NULL ? LS_ENOMEM : play_ports(&repeating, makespan_s);
  return status == LS_OK ? LS_OK : ls_fail(err, status, "no memory to replay a plan that repeats");
}
