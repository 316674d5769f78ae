/* shared_memory.h: memory that a process shares with the children that it forks.
 *
 * A file without a name, mapped by each of them.  Any of them may let it grow; another one follows
 * when it is told how many bytes are there.  Who may write when is agreed between them.
 */
#ifndef LS_RUNTIME_OS_SHARED_MEMORY_H
#define LS_RUNTIME_OS_SHARED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct ls_shared_memory {
  int file;        /* -1: closed */
  char *data;      /* NULL: nothing is mapped yet */
  size_t capacity; /* mapped here */
};

/* Of no bytes; before the children are forked. */
LS_CHECKED enum ls_status ls_shared_memory_open(struct ls_shared_memory *memory,
                                                struct ls_error *err);
/* There is room for so many bytes, and they are mapped here; what they held stays. False: no
 * memory, or more than 1 GiB, and nothing has changed. */
LS_CHECKED bool ls_shared_memory_grow(struct ls_shared_memory *memory, size_t bytes);
/* So many bytes, which another process has let it grow to, are mapped here. False: they are not
 * there, or cannot be mapped. */
LS_CHECKED bool ls_shared_memory_follow(struct ls_shared_memory *memory, size_t bytes);
/* For this process; the others keep what they have. */
void ls_shared_memory_close(struct ls_shared_memory *memory);

#endif
