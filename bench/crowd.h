/* crowd.h: many workers in one process: the whole protocol, and units that take no time.
 *
 * Each peer is a worker's line, session, postbox and side, as a worker process has them.  Only the
 * sockets are others: they share one context, for each endpoint of a process of its own brings two
 * threads.
 */
#ifndef LS_BENCH_CROWD_H
#define LS_BENCH_CROWD_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/os/keys.h"

struct ls_crowd;

/* Connects them all, and says HELLO. `program`: which one they say to be. Borrows the keys. Ends
 * the process on failure, as all of these do. */
struct ls_crowd *crowd_open(const struct ls_key_file *keys, size_t peers, const char *program);
/* Hears, works, answers and beats for at most `seconds`, or until something came. */
void crowd_serve(struct ls_crowd *crowd, double seconds);
/* How many have been welcomed; how many of them have been released or cut off since. */
size_t crowd_joined(const struct ls_crowd *crowd);
size_t crowd_gone(const struct ls_crowd *crowd);
void crowd_close(struct ls_crowd *crowd);

#endif
