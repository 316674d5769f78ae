/* parallel_map.h: one function over many items, on several processes.
 *
 * The items are computed by forked copies of the caller, so the function may read whatever the
 * caller has built and needs no lock; its changes elsewhere are lost with its process.  Results
 * are plain bytes (no pointers) and stand in the order of the items: they are the same for any
 * number of processes, as long as the function depends on nothing but its item.
 */
#ifndef LS_RUNTIME_OS_PARALLEL_MAP_H
#define LS_RUNTIME_OS_PARALLEL_MAP_H

#include <stddef.h>

#include "base/status.h"
#include "runtime/os/cgroup.h"

struct ls_parallel_map {
  size_t count;        /* items */
  size_t result_bytes; /* of one item, > 0 */
  size_t processes;    /* >= 1; 1: the calling process computes all */
  /* Computes item `index` into `result`, which holds zeros before. */
  enum ls_status (*compute)(void *context, size_t index, void *result, struct ls_error *err);
  void *context;
};

/* Fills `results`, room for count * result_bytes.  A failure of the function is returned with its
 * text, of several that of the lowest index; a process that crashes is LS_EIO naming its item and
 * the signal.  No process is left behind. */
LS_CHECKED enum ls_status ls_parallel_map(const struct ls_parallel_map *map, void *results,
                                          struct ls_error *err);
/* Of so many processors, how many may be kept busy, >= 1. */
size_t ls_parallel_within(size_t processors, const struct ls_cgroup *group);
/* How many processes this one may run at once, >= 1: by the processors that it may be on, and by
 * the time on them that its groups may have. */
size_t ls_parallel_processes(void);

#endif
