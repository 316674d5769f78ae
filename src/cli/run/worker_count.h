/* worker_count.h: how many workers `-j` wants: a number, or one that follows from the machine.
 */
#ifndef LS_CLI_WORKER_COUNT_H
#define LS_CLI_WORKER_COUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* What was written. */
enum ls_worker_count_kind {
  LS_WORKERS_EXACTLY, /* N */
  LS_WORKERS_SHARE,   /* N%: of the cores */
  LS_WORKERS_MORE,    /* +N: than the cores */
  LS_WORKERS_LESS,    /* -N */
  LS_WORKERS_BY_TASKS /* 0: one for each task */
};

struct ls_worker_count {
  enum ls_worker_count_kind kind;
  double number;
};

/* LS_EINVAL: none of these; `option` stands in the message. */
LS_CHECKED enum ls_status ls_worker_count_parse(const char *option, const char *text,
                                                struct ls_worker_count *count,
                                                struct ls_error *err);
/* The same, but for a text that begins as no number does: it is the name of a file, whose first
 * line is one of these. */
LS_CHECKED enum ls_status ls_worker_count_read(const char *option, const char *text,
                                               struct ls_worker_count *count, struct ls_error *err);
/* Is that text the name of a file? */
bool ls_worker_count_is_file(const char *text);
/* Rounded down; from 1 to `most`. BY_TASKS: `most`. */
size_t ls_worker_count_of(const struct ls_worker_count *count, size_t cores, size_t most);

#endif
