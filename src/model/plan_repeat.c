#include "model/plan_repeat.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many chunks can be counted by a double, and their units be summed. */
static const uint64_t MESSAGES_MOST = (uint64_t)1 << 53;

static void fail_repeat(struct ls_plan *plan, const char *what, uint64_t value,
                        const char *expected) {
  (void)ls_fail(&plan->failure, LS_EINVAL, "repeat: %s is %llu, %s", what,
                (unsigned long long)value, expected);
}

/* Does the order of returns name a chunk before `to`? */
static bool has_earlier_return(const struct ls_plan *plan, size_t to) {
  for (size_t i = 0; i < plan->returns_count; i++)
    if (plan->returns[i] < to) return true;
  return false;
}

void ls_plan_repeat(struct ls_plan *plan, size_t from, size_t to, uint64_t times) {
  if (plan->failure.status != LS_OK) return;
  if (to > plan->chunks_count) {
    fail_repeat(plan, "to", to, "more than the chunks");
  } else if (from >= to) {
    fail_repeat(plan, "from", from, "must be below to");
  } else if (times < 1 || times > (MESSAGES_MOST - plan->chunks_count) / (to - from)) {
    fail_repeat(plan, "times", times, "must be at least 1, and all chunks fewer than 2^53");
  } else if (ls_plan_repeats(plan)) {
    fail_repeat(plan, "from", from, "a plan has one body only");
  } else if (times > 1 && has_earlier_return(plan, to)) {
    fail_repeat(plan, "to", to, "the order of returns names an earlier chunk");
  } else {
    plan->repeat.from = from;
    plan->repeat.to = to;
    plan->repeat.times = times;
  }
}

uint64_t ls_plan_messages(const struct ls_plan *plan) {
  if (!ls_plan_repeats(plan)) return plan->chunks_count;
  return plan->chunks_count + (plan->repeat.times - 1) * (plan->repeat.to - plan->repeat.from);
}

struct ls_plan_cursor ls_plan_begin(const struct ls_plan *plan) {
  return (struct ls_plan_cursor){.plan = plan};
}

const struct ls_plan_chunk *ls_plan_next(struct ls_plan_cursor *cursor) {
  const struct ls_plan *plan = cursor->plan;
  if (ls_plan_repeats(plan) && cursor->at == plan->repeat.to &&
      cursor->play + 1 < plan->repeat.times) {
    cursor->play++;
    cursor->at = plan->repeat.from;
  }
  if (cursor->at == plan->chunks_count) return NULL;
  return &plan->chunks[cursor->at++];
}

/* By how much the rounds grow from play to play. */
static uint32_t count_body_rounds(const struct ls_plan *plan) {
  uint32_t least = UINT32_MAX, most = 0;
  for (size_t i = plan->repeat.from; i < plan->repeat.to; i++) {
    if (plan->chunks[i].round < least) least = plan->chunks[i].round;
    if (plan->chunks[i].round > most) most = plan->chunks[i].round;
  }
  return most - least + 1;
}

uint64_t ls_plan_rounds(const struct ls_plan *plan) {
  uint64_t rounds = 0, more = 0;
  double told = ls_plan_get(plan, "rounds", (double)NAN);
  if (told >= 0 && told <= (double)MESSAGES_MOST) return (uint64_t)told;
  if (ls_plan_repeats(plan)) more = (plan->repeat.times - 1) * count_body_rounds(plan);
  for (size_t i = 0; i < plan->chunks_count; i++) {
    uint64_t last = plan->chunks[i].round + (i >= plan->repeat.from ? more : 0);
    if (last >= rounds) rounds = last + 1;
  }
  return rounds;
}

/* The chunks behind the body stand as much later as there are chunks more. */
static void copy_returns(const struct ls_plan *plan, struct ls_plan *flat) {
  size_t skipped = flat->chunks_count - plan->chunks_count;
  if (plan->has_returns) ls_plan_order_returns(flat);
  for (size_t i = 0; i < plan->returns_count; i++)
    ls_plan_add_return(flat, plan->returns[i] + skipped);
}

enum ls_status ls_plan_unfolded(const struct ls_plan *plan, uint64_t plays_most,
                                struct ls_plan *flat, struct ls_error *err) {
  struct ls_plan part = *plan; /* the same chunks, fewer plays */
  if (part.repeat.times > plays_most) part.repeat.times = plays_most < 1 ? 1 : plays_most;
  uint64_t count = ls_plan_messages(&part);
  struct ls_plan made;
  if (count > LS_PLAN_WRITTEN_MAX && ls_plan_repeats(&part))
    return ls_fail(err, LS_EINVAL,
                   "the plan repeats itself to %llu chunks, and no more than %d are written out",
                   (unsigned long long)count, LS_PLAN_WRITTEN_MAX);
  ls_plan_init(&made, plan->algorithm, plan->load);
  struct ls_plan_chunk *chunks =
      count < SIZE_MAX / sizeof *chunks ? malloc((size_t)(count + 1) * sizeof *chunks) : NULL;
  if (chunks == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the %llu chunks of a plan that repeats",
                   (unsigned long long)count);
  uint64_t rounds = ls_plan_repeats(&part) ? count_body_rounds(&part) : 0;
  struct ls_plan_cursor cursor = ls_plan_begin(&part);
  const struct ls_plan_chunk *chunk;
  while ((chunk = ls_plan_next(&cursor)) != NULL) {
    uint64_t round = chunk->round + cursor.play * rounds;
    chunks[made.chunks_count++] = ls_plan_chunk_unplayed(
        chunk->worker, (uint32_t)(round < UINT32_MAX ? round : UINT32_MAX), chunk->units);
  }
  assert(made.chunks_count == count);
  made.chunks = chunks;
  made.chunks_capacity = (size_t)count + 1;
  copy_returns(plan, &made);
  enum ls_status status = ls_plan_finish(&made, err);
  if (status == LS_OK)
    *flat = made;
  else
    ls_plan_close(&made);
  return status;
}

enum ls_status ls_plan_unfold(struct ls_plan *plan, struct ls_error *err) {
  struct ls_plan flat;
  if (!ls_plan_repeats(plan)) return LS_OK;
  enum ls_status status = ls_plan_unfolded(plan, UINT64_MAX, &flat, err);
  if (status != LS_OK) return status;
  free(plan->chunks);
  free(plan->repeat.last_end_s);
  free(plan->returns);
  plan->chunks = flat.chunks;
  plan->chunks_count = flat.chunks_count;
  plan->chunks_capacity = flat.chunks_capacity;
  plan->returns = flat.returns;
  plan->returns_count = flat.returns_count;
  plan->returns_capacity = flat.returns_capacity;
  plan->repeat = (struct ls_plan_repeat){0};
  plan->makespan_s = (double)NAN;
  return LS_OK;
}
