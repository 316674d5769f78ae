/* plan_json_private.h: what the reader and the writer of plans share. */
#ifndef LS_FORMATS_PLAN_JSON_PRIVATE_H
#define LS_FORMATS_PLAN_JSON_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/plan.h"

enum { LS_PLAN_OUTCOMES = 2, LS_PLAN_TIMES = 8 };

/* "ok", "not_applicable". */
extern const char *const ls_plan_outcome_names[LS_PLAN_OUTCOMES];

/* A time of a chunk, as a field of the JSON form. */
struct ls_plan_time {
  const char *name;
  size_t offset; /* in struct ls_plan_chunk */
};
extern const struct ls_plan_time ls_plan_times_of_chunk[LS_PLAN_TIMES];

/* Of a chunk of the body relative to the body's beginning, the start of its sending. */
double ls_plan_time_of(const struct ls_plan *plan, size_t index, size_t time);
/* `is_used` has room for `workers_count` flags and is filled. */
uint64_t ls_plan_count_used(const struct ls_plan *plan, size_t workers_count, bool *is_used);

#endif
