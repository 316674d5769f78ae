/* sacct_lines.h: how the lines of Slurm's accounting are told and divided.
 *
 * sacct --parsable2 divides fields by |, or by what --delimiter says: which, the heading tells,
 * whose names have letters and digits only.
 */
#ifndef LS_FORMATS_SACCT_LINES_H
#define LS_FORMATS_SACCT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

/* Is the first line that is not empty one of sacct: a heading, or a job (--noheader)? */
bool ls_sacct_is_ours(struct ls_text text);
/* What divides its fields. LS_EINVAL: there is no heading, or blanks divide it. */
LS_CHECKED enum ls_status ls_sacct_find_separator(struct ls_text text, char *separator,
                                                  struct ls_error *err);

#endif
