/* inside.h: names of files in a folder, such that nothing outside it is reached.
 *
 * A name is relative; its parts are none of "", ".", "..", and no part of it that exists may be a
 * link.  So whatever a name says, and whatever a task has made of the folder, stays inside.
 */
#ifndef LS_RUNTIME_FILES_INSIDE_H
#define LS_RUNTIME_FILES_INSIDE_H

#include <stdbool.h>

#include "base/status.h"

/* Where a name stands. */
struct ls_inside {
  int parent;       /* the folder of its last part; whoever opened it closes it */
  const char *last; /* that part, borrowed of the name */
};

/* Opens the folder in which a name's last part stands; with `makes`, what is missing of it is made.
 * LS_EINVAL says what is wrong with the name, LS_EIO what stands in its way. */
LS_CHECKED enum ls_status ls_inside_open(int folder, const char *name, bool makes,
                                         struct ls_inside *place, struct ls_error *err);

#endif
