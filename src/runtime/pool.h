/* pool.h: where workers come from.
 *
 * The interface, and the pool `fork`: processes on this machine, each running `command` with the
 * address and a lifeline.  A pool replaces nothing by itself: the master requests again.
 */
#ifndef LS_RUNTIME_POOL_H
#define LS_RUNTIME_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

struct ls_pool_setup {
  char *const *command; /* argv that starts a worker; NULL-terminated. The pool appends --connect,
                           --name, --speed, --lifeline */
  const char *address;
  const char
      *token; /* handed over in the environment (LOADSTAR_TOKEN), never on the command line */
  const double *speeds; /* by slot - 1, repeated; NULL: all 1 */
  size_t speeds_count;
  size_t slots; /* numbered 1 .. slots */
};

/* A worker of the pool that has ended. */
struct ls_pool_loss {
  uint32_t slot;
  pid_t pid;
  int exit_code, signal;
};

struct ls_pool;

struct ls_pool_kind {
  const char *name;
  enum ls_status (*open)(const struct ls_pool_setup *setup, struct ls_pool **out,
                         struct ls_error *err);
  /* Starts up to n more workers in free slots; how many were started. */
  enum ls_status (*request)(struct ls_pool *pool, size_t n, size_t *granted, struct ls_error *err);
  /* The slot of the worker with this process id; 0: not ours. */
  uint32_t (*slot)(const struct ls_pool *pool, pid_t pid);
  /* Ends the worker in a slot at once (it hangs). */
  void (*kill)(struct ls_pool *pool, uint32_t slot);
  /* One worker that has ended since the last call (its commands are ended, too); 0: none. */
  int (*poll)(struct ls_pool *pool, struct ls_pool_loss *loss);
  /* Descriptor that becomes readable when poll has something to say; -1: none. */
  int (*file)(const struct ls_pool *pool);
  size_t (*running)(const struct ls_pool *pool);
  /* Waits for the workers at most `patience_s`, then ends them; nothing of theirs survives. */
  void (*close)(struct ls_pool *pool, double patience_s);
};

extern const struct ls_pool_kind ls_pool_fork;

#endif
