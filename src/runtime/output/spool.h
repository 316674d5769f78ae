/* spool.h: a large output of a unit, which arrives in pieces, in an unlinked file.
 */
#ifndef LS_RUNTIME_OUTPUT_SPOOL_H
#define LS_RUNTIME_OUTPUT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "runtime/application.h"

struct ls_spool {
  int file; /* -1: none; somebody may have put one of their own here */
  size_t bytes;
  bool is_temporary; /* the file was made here */
};

/* An empty one: without a file. */
struct ls_spool ls_spool_make(void);
/* Appends; the file is made for the first piece. LS_EIO: it cannot be made or written,
 * and `err` names its folder. */
LS_CHECKED enum ls_status ls_spool_add(struct ls_spool *spool, const void *data, size_t length,
                                       struct ls_error *err);
/* Its content as an output; the caller owns the file (-1: there was none), the spool is empty. */
struct ls_output ls_spool_take(struct ls_spool *spool);
/* Forgets the content. */
void ls_spool_close(struct ls_spool *spool);

#endif
