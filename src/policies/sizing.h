/* sizing.h: how many workers are wanted?  The interface of sizings. */
#ifndef LS_POLICIES_SIZING_H
#define LS_POLICIES_SIZING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parameter.h"
#include "base/status.h"
#include "theory/eer.h"

/* The memory of a sizing between its decisions; zero at the start. */
struct ls_sizing_memory {
  size_t column;     /* of a table, plus one; 0: none yet */
  size_t table;      /* number of workers that the table says */
  double table_s;    /* time of the last iteration with that many; 0: none yet */
  double previous_s; /* time of the iteration before */
  bool was_lowered;  /* by the last decision */
};

/* The figures of an iteration, from the wall clock. */
struct ls_sizing_view {
  uint32_t iteration;       /* that has ended; meaningless when `is_start` */
  int is_start;             /* before the first iteration */
  uint64_t units;           /* live units of the coming iteration */
  size_t wanted, current;   /* workers wanted so far, and present */
  double iteration_seconds; /* time of the iteration */
  double efficiency;
  bool was_changed;           /* workers came or went during the iteration */
  struct ls_task_facts tasks; /* task times of the iteration; `tasks.tasks` 0: not known */
  const double *speeds; /* of the present workers, relative, the fastest first; NULL: not known,
                           equal */
  struct ls_sizing_memory *memory; /* NULL for sizings that need none */
  struct ls_arguments arguments;
};

struct ls_sizing {
  const char *name, *summary, *reference;
  const struct ls_parameter *parameters; /* ends with a NULL name; NULL: none */
  bool learns;                           /* makes use of the task times */
  /* The number of workers wanted from now on, 1 .. max(1, units). `given` is what the user asked
   * for: no sizing wants more. */
  size_t (*wanted)(const struct ls_sizing_view *view, size_t given);
};

extern const struct ls_sizing *const ls_sizings[]; /* NULL-terminated; sizing/list.h */
const struct ls_sizing *ls_sizing_find(const char *name);

/* `wanted` within 1 .. min(units, given). */
size_t ls_sizing_clamp(size_t wanted, uint64_t units, size_t given);

/* One step of the self-adjusting rule after the first iteration, as a function of figures only. */
struct ls_self_step {
  size_t wanted, current;
  struct ls_task_facts tasks;
  double iteration_seconds, efficiency;
  bool is_first;   /* the iteration was the first one: coarse, unless literal */
  bool is_literal; /* as figure 4-7 prints it: coarse only while workers are missing */
  double slack;    /* share of the largest task that an iteration may last longer; usually 0.15 */
  double efficiency_least; /* usually 0.8 */
};
/* At least 1; not clamped to the number of tasks from above. */
size_t ls_sizing_self_step(const struct ls_self_step *step);
/* Workers that the static table wants for such tasks; at least 1. */
size_t ls_sizing_table_workers(const struct ls_task_facts *tasks, uint64_t units, size_t *column);

#endif
