/* progress.h: a line on the terminal that says how the run stands. */
#ifndef LS_CLI_PROGRESS_H
#define LS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "runtime/master.h"
#include "runtime/writer.h"

struct ls_progress {
  struct ls_writer *writer; /* draws the line; borrowed */
  bool is_on;
  bool is_drawn; /* the line stands on the terminal */
  bool has_begun;
  uint64_t settled_at_first; /* by earlier sessions: they do not count for the rate */
  double began_s, drawn_s;
};

/* `is_wanted` and standard error is a terminal: it is on. */
void ls_progress_init(struct ls_progress *progress, bool is_wanted, struct ls_writer *writer);
/* Draws the line anew, at most ten times a second, and not while outputs wait for their reader. */
void ls_progress_show(struct ls_progress *progress, const struct ls_master_progress *facts);
/* Removes the line, so that something else can be printed; it comes back by itself. */
void ls_progress_hide(struct ls_progress *progress);
/* The line, at most `columns` wide: bar, done, running, failed, rate, time left, efficiency. */
void ls_progress_line(const struct ls_progress *progress, const struct ls_master_progress *facts,
                      size_t columns, struct ls_bytes *out);

#endif
