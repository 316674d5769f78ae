/* block_groups.h: consecutive lines, or rows of CSV, with the same value in a column are one record
 * (--group-by).
 *
 * A line belongs to the group before it when its value is that of the first line of the group.  A
 * group is only known to end when the first line of the next one has come whole.
 */
#ifndef LS_CLI_RUN_BLOCK_GROUPS_H
#define LS_CLI_RUN_BLOCK_GROUPS_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/records.h"
#include "base/status.h"
#include "cli/run/block_options.h"
#include "cli/run/row.h"
#include "cli/run/substitution.h"

/* Starts as {0}. */
struct ls_block_groups {
  const struct ls_block_options *options;
  const struct ls_bytes *header; /* its first line has the names of columns */
  struct ls_error *failure;      /* of a line that is no row */
  struct ls_row_form rows;
  struct ls_substitution *change; /* NULL: values are compared as they are */
  size_t column;                  /* from 1; 0: its name is not sought yet */
  char *name;                     /* NULL: it has a number */
  struct ls_row row;
  struct ls_bytes line, values[2];
};

/* The header and the failure are borrowed. LS_EINVAL: the option is no column. */
LS_CHECKED enum ls_status ls_block_groups_open(struct ls_block_groups *groups,
                                               const struct ls_block_options *options,
                                               const struct ls_bytes *header,
                                               struct ls_error *failure, struct ls_error *err);
/* For a cutter; borrows the groups. */
struct ls_records ls_block_groups_records(struct ls_block_groups *groups);
void ls_block_groups_close(struct ls_block_groups *groups);

#endif
