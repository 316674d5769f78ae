/* plan_repeat.h: plans whose middle repeats: prologue, body x times, epilogue.
 *
 * A plan stores its body once and says how often it is played, so that a million periods take no
 * more memory than one.  All that reads a plan chunk by chunk in the order of sending uses a
 * cursor, which is a value: it is copied and stepped in O(1), and borrows the plan.
 */
#ifndef LS_MODEL_PLAN_REPEAT_H
#define LS_MODEL_PLAN_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"
#include "model/plan.h"

LS_C_BEGIN

/* The chunks from `from` to `to` - 1 are the body, played `times` times in a row; once per plan.
 * Their rounds are counted on from play to play.  A sticky LS_EINVAL: an empty body, chunks that
 * are not there, no times, an order of returns that names one of them or one before them. */
void ls_plan_repeat(struct ls_plan *plan, size_t from, size_t to, uint64_t times);
static inline bool ls_plan_repeats(const struct ls_plan *plan) {
  return plan->repeat.times > 1;
}
/* How often the chunk at `index` is played. */
static inline uint64_t ls_plan_times(const struct ls_plan *plan, size_t index) {
  bool is_body = index >= plan->repeat.from && index < plan->repeat.to;
  return is_body && ls_plan_repeats(plan) ? plan->repeat.times : 1;
}
/* The first chunk that an order of returns may name: a result of what repeats is one of each play,
 * and the order would say neither which nor, of those before it, when. */
static inline size_t ls_plan_returns_from(const struct ls_plan *plan) {
  return ls_plan_repeats(plan) ? plan->repeat.to : 0;
}
/* All chunks that are sent. */
uint64_t ls_plan_messages(const struct ls_plan *plan);

struct ls_plan_cursor {
  const struct ls_plan *plan;
  size_t at;     /* index of the next chunk */
  uint64_t play; /* of the body, from 0; all of them behind it */
};

struct ls_plan_cursor ls_plan_begin(const struct ls_plan *plan);
/* The next chunk as the plan stores it (borrowed), NULL at the end. */
const struct ls_plan_chunk *ls_plan_next(struct ls_plan_cursor *cursor);

/* More would fill the memory of most machines before that is known to be too little. */
enum { LS_PLAN_WRITTEN_MAX = 1 << 26 };
/* A plan of the same chunks, each written out, of the body `plays_most` plays at most, and of the
 * same order of returns; without parameters and times.  LS_EINVAL: a plan that repeats has more
 * than LS_PLAN_WRITTEN_MAX then; LS_ENOMEM.  The caller closes it. */
LS_CHECKED enum ls_status ls_plan_unfolded(const struct ls_plan *plan, uint64_t plays_most,
                                           struct ls_plan *flat, struct ls_error *err);
/* Writes the chunks out within the plan; its times are forgotten where something repeats. */
LS_CHECKED enum ls_status ls_plan_unfold(struct ls_plan *plan, struct ls_error *err);

LS_C_END

#endif
