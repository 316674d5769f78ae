/* best_changes.h: random changes of an order of messages. */
#ifndef LS_PLANNERS_SEARCH_BEST_CHANGES_H
#define LS_PLANNERS_SEARCH_BEST_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"

/* A list of workers (by index), with room for more. */
struct ls_best_order {
  uint32_t *items; /* owned */
  size_t count, capacity;
};

LS_CHECKED enum ls_status ls_best_order_init(struct ls_best_order *order, size_t capacity,
                                             struct ls_error *err);
void ls_best_order_copy(struct ls_best_order *to, const struct ls_best_order *from);

/* Rounds: the order of the last one (tail), and of all before (body), in which workers of the tail
 * may be missing or stand twice. */
struct ls_best_pattern {
  struct ls_best_order tail, body;
};

/* The facts that decide about random changes. */
struct ls_best_chance {
  struct ls_random random;
  size_t workers_count;
  bool is_identical; /* then the order does not matter */
};

/* Makes one change; false: the one that was drawn is not possible, and the pattern (the order) may
 * be broken. Neither tail nor order is empty. */
bool ls_best_pattern_change(struct ls_best_pattern *pattern, struct ls_best_chance *chance);
bool ls_best_order_change(struct ls_best_order *messages, struct ls_best_chance *chance);

#endif
