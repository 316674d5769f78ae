/* limits.h: how many descriptors and threads this process may have, and how exact its timers are.
 *
 * A program raises its soft limit once, at its start; the commands that it runs for its user get
 * the limit that it was started with.  libzmq ends a process (SIGABRT) that has no descriptor or
 * no room for a thread left at the wrong moment, so what needs some asks beforehand.
 */
#ifndef LS_RUNTIME_OS_LIMITS_H
#define LS_RUNTIME_OS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

enum { LS_LIMITS_ROOM_MAX = 64 };

/* Raises the soft limit of descriptors to the hard one, as far as the kernel allows. Before any
 * thread starts; the first call counts. */
void ls_limits_raise(void);
/* Between fork (or vfork) and exec: gives the calling process the limit that ls_limits_raise found,
 * and the slack of timers (MPI's transport has shorter pauses than a command should).
 * Async-signal-safe; without ls_limits_raise nothing changes. */
void ls_limits_restore(void);
/* Descriptors that may still be opened, as the limit and the open ones stand now. */
size_t ls_limits_descriptors_left(void);
/* Can so many, at most LS_LIMITS_ROOM_MAX, be opened now? They are, and are closed again. */
bool ls_limits_has_room(size_t descriptors);
/* Can so many threads, at most LS_LIMITS_ROOM_MAX, be started now? They are, and end again.  What
 * forbids it is the number of processes (ulimit -u, or of a control group) or memory. */
bool ls_limits_has_threads(size_t threads);
/* Why there is no process or thread to be had, as errno says, in words that name the limit. */
const char *ls_limits_words(int error);

#endif
