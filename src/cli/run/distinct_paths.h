/* distinct_paths.h: that no two tasks of a run make one file. */
#ifndef LS_CLI_RUN_DISTINCT_PATHS_H
#define LS_CLI_RUN_DISTINCT_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

struct ls_distinct_paths {
  const char *option; /* that names them */
  uint64_t tasks;
  size_t per_task;
  /* Appends the path of a file, 0 .. per_task - 1, of a task, 0 .. tasks - 1. */
  enum ls_status (*read)(void *context, uint64_t task, size_t index, struct ls_bytes *path,
                         struct ls_error *err);
  void *context;
};

/* A number that paths share which mean the same. */
uint64_t ls_distinct_paths_digest(const char *path);
/* LS_EINVAL names both tasks and the file. */
LS_CHECKED enum ls_status ls_distinct_paths_check(const struct ls_distinct_paths *paths,
                                                  struct ls_error *err);

#endif
