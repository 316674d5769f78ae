/* progress.h: a line on the terminal that says how the run stands. */
#ifndef LS_CLI_PROGRESS_H
#define LS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advise/time_left.h"
#include "advise/time_record.h"
#include "base/bytes.h"
#include "runtime/master/master.h"
#include "runtime/output/writer.h"

struct ls_progress {
  struct ls_writer *writer; /* draws the line; borrowed */
  bool is_on;
  bool is_drawn; /* the line stands on the terminal */
  bool has_begun;
  uint64_t settled_at_first; /* by earlier sessions: they do not count for the rate */
  double began_s, drawn_s;
  struct ls_time_record times; /* of the units that have ended */
  struct ls_time_left left;    /* as it was found last, */
  double left_s;               /* then; 0: never */
};

/* `is_wanted` and standard error is a terminal: it is on. */
void ls_progress_init(struct ls_progress *progress, bool is_wanted, struct ls_writer *writer);
/* Units are done; without a line nothing is kept of it. */
void ls_progress_note(struct ls_progress *progress, const struct ls_master_timed *timed);
/* The time left by simulation, at most once a second: it takes milliseconds. */
void ls_progress_reckon(struct ls_progress *progress, const struct ls_master_progress *facts);
/* Draws the line anew, at most ten times a second, and not while outputs wait for their reader. */
void ls_progress_show(struct ls_progress *progress, const struct ls_master_progress *facts);
/* Removes the line, so that something else can be printed; it comes back by itself. */
void ls_progress_hide(struct ls_progress *progress);
void ls_progress_close(struct ls_progress *progress);
/* "3 to 5 min": numbers of two digits. */
void ls_progress_write_interval(double least_s, double most_s, struct ls_bytes *out);
/* The line, at most `columns` wide: bar, done, running, failed, rate, time left, efficiency.  The
 * time left is the 10 to 90 % band where that is known, else by the rate. */
void ls_progress_line(const struct ls_progress *progress, const struct ls_master_progress *facts,
                      size_t columns, struct ls_bytes *out);

#endif
