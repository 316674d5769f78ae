/* load_parts.h: whole units of shares that are handed out in several parts.
 *
 * The sum of an owner's parts is rounded up or down, then cut into its parts: up to any part, an
 * owner has got less than one unit more or less than planned, and every part is its real size
 * rounded up or down.  What an owner lacks or has too much, its next parts make good.  Rounded up
 * are those whose part of a unit that was not theirs takes the least time: with equal costs, as in
 * load.h, the largest fractions.  Units come early rather than late.
 */
#ifndef LS_MODEL_LOAD_PARTS_H
#define LS_MODEL_LOAD_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ls_load_part {
  double share; /* >= 0, finite */
  uint32_t owner;
  double unit_s; /* what a unit costs the owner, >= 0; read of its first part */
};

/* `count` parts, those of an owner in the order in which it gets them, of `total` into `units`
 * (same length). O(n + owners log owners), with memory for the largest owner's number. LS_EINVAL: a
 * share that is none, or all are 0 and the total is not. */
LS_CHECKED enum ls_status ls_load_round_parts(const struct ls_load_part *parts, size_t count,
                                              uint64_t total, uint64_t *units,
                                              struct ls_error *err);

#endif
