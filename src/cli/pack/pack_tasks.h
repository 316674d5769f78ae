/* pack_tasks.h: the tasks that are divided: names, expected times, and how these vary.
 *
 * They stand in an order of their own, the longest first, equal ones by a digest of their names and
 * then by these: who lists the same tasks in any order gets the same division.
 */
#ifndef LS_CLI_PACK_TASKS_H
#define LS_CLI_PACK_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "formats/task_times_table.h"

/* Owned; names borrow from the tables that it was made of. */
struct ls_pack_tasks {
  const char **names;
  double *seconds;   /* expected; where no time is known at all: sizes, or 1 each */
  double *variances; /* of the time in one run */
  size_t count;
  size_t known, repeated; /* tasks with a time; measured more than once */
  size_t by_size;         /* without a time: taken from their sizes */
  size_t unlisted;        /* of the files, that the list does not have */
  const char *untimed;    /* one without a row in the files; NULL: each has one */
  const char *left_out;   /* one of the unlisted; NULL: there are none */
  uint64_t failed;        /* rows whose times said nothing */
  double fill_s;          /* what the others without a time take */
  double variation;       /* relative deviation of a time that is measured again; NAN: not known */
  bool has_times;         /* `seconds` are seconds */
  bool has_spread;        /* some variance is known */
};

/* `list`: the tasks, whose times are in `times`; NULL: those of `times`. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_pack_tasks_make(const struct ls_task_times *times,
                                             const struct ls_task_times *list, bool uses_mean,
                                             struct ls_pack_tasks *out, struct ls_error *err);
void ls_pack_tasks_close(struct ls_pack_tasks *tasks);

#endif
