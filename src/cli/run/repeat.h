/* repeat.h: the command line that repeats the failed tasks of a run: the same one, with no other
 * inputs than theirs, in the order of their numbers.
 *
 * Inputs are copied while the run goes on, since a stream forgets them.  Memory is bounded: what
 * would not fit into a line that people read or copy is not kept, and there is no such line then.
 */
#ifndef LS_CLI_RUN_REPEAT_H
#define LS_CLI_RUN_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "cli/run/run_options.h"

/* A longer line is nothing to read, nor to be copied from a screen. */
enum { LS_REPEAT_BYTES_MOST = 2000 };

struct ls_repeat_task {
  uint64_t task;
  size_t at, count; /* its inputs in `inputs` */
};

/* Starts as {0}. */
struct ls_repeat {
  struct ls_bytes inputs; /* each followed by a zero byte */
  struct ls_repeat_task *tasks;
  size_t count, capacity;
  bool is_incomplete; /* a task was not kept */
};

/* One that failed for good, with its inputs as they were read. */
void ls_repeat_note(struct ls_repeat *repeat, uint64_t task, const char *const *inputs,
                    size_t count);
/* Appends the command line for the shell; `sources`: of inputs, that the command had.  False, and
 * nothing is appended: no line says it, as it is too long, or as the tasks of fewer inputs would be
 * other ones. */
bool ls_repeat_write(struct ls_repeat *repeat, const char *name,
                     const struct ls_run_options *options, size_t sources, struct ls_bytes *out);
void ls_repeat_close(struct ls_repeat *repeat);

#endif
