/* pack_division.h: the division that was asked for, what it promises, and what its neighbours
 * would.
 *
 * A part is a shard, a job or a bag.
 */
#ifndef LS_CLI_PACK_DIVISION_H
#define LS_CLI_PACK_DIVISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/pack/pack_options.h"
#include "cli/pack/pack_tasks.h"
#include "planners/pack/pack_spread.h"

enum ls_pack_mode { LS_PACK_SHARDS, LS_PACK_JOBS, LS_PACK_BAGS };

struct ls_pack_part {
  double speed;
  double seconds, variance; /* of its work at speed 1 */
  size_t tasks;
};

/* One part fewer, as many, one more. */
struct ls_pack_neighbour {
  size_t parts;
  double makespan_s, machine_s; /* with the start costs */
  double sand_ratio, ratio;     /* of bags */
};

enum { LS_PACK_NEIGHBOURS = 3 };

/* Owned. */
struct ls_pack_division {
  enum ls_pack_mode mode;
  uint32_t *part_of; /* of each task */
  uint32_t *order;   /* the tasks, part by part, the longest of each first */
  struct ls_pack_part *parts;
  size_t count;
  double makespan_s, bound_s; /* without the start cost */
  double gap;
  const char *algorithm;
  bool is_optimal;
  double machine_s; /* of all parts, with their start costs */
  bool has_spread;
  struct ls_pack_spread spread; /* of the makespan */
  size_t jobs_least, too_long;  /* jobs */
  double ratio, sand_ratio;     /* bags */
  uint32_t *machine_of;         /* of each bag, where --speeds says which there are; else NULL */
  double machines_s;            /* then: the makespan; `bound_s` is that of known speeds */
  struct ls_pack_neighbour neighbours[LS_PACK_NEIGHBOURS];
  size_t neighbours_count;
};

LS_CHECKED enum ls_status ls_pack_divide(const struct ls_pack_options *options,
                                         const struct ls_pack_tasks *tasks,
                                         struct ls_pack_division *out, struct ls_error *err);
void ls_pack_division_close(struct ls_pack_division *division);

#endif
