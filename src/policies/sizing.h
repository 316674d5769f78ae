/* sizing.h: how many workers are wanted?  The interface of sizings. */
#ifndef LS_POLICIES_SIZING_H
#define LS_POLICIES_SIZING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* What an iteration was like, from the wall clock. */
struct ls_sizing_view {
  uint32_t iteration;       /* that has ended; meaningless when `is_start` */
  int is_start;             /* before the first iteration */
  uint64_t units;           /* live units of the coming iteration */
  size_t wanted, current;   /* workers wanted so far, and present */
  double iteration_seconds; /* time of the iteration */
  double efficiency;
};

struct ls_sizing {
  const char *name, *summary, *reference;
  /* The number of workers wanted from now on, 1 .. max(1, units). `given` is what the user asked
   * for. */
  size_t (*wanted)(const struct ls_sizing_view *view, size_t given);
};

extern const struct ls_sizing *const ls_sizings[]; /* NULL-terminated; sizing/list.h */
const struct ls_sizing *ls_sizing_find(const char *name);

#endif
