/* transport_wait.h: the wait that all transports share, alone or several at once.
 *
 * An endpoint says by which descriptors it can be heard, or how soon it is to be looked at again
 * because there are none.
 */
#ifndef LS_RUNTIME_TRANSPORT_TRANSPORT_WAIT_H
#define LS_RUNTIME_TRANSPORT_TRANSPORT_WAIT_H

#include "runtime/transport/transport.h"

/* Others that are waited for: descriptors, and whether each is ready; {0}: none. */
struct ls_wait_files {
  const int *files;
  bool *ready;
  size_t count;    /* at most LS_WATCH_FILES_MAX */
  bool is_relaxed; /* as in ls_watch */
};

/* Adds a descriptor to those that are watched. */
void ls_watch_add(struct ls_watch *watch, int file);

/* Looks after something, adds what is to be watched; is there anything to do at once? */
typedef bool (*ls_look_fn)(void *context, struct ls_watch *watch);

/* Waits until `look` finds something, a file is ready, or for `seconds`; it may return earlier.
 * Interrupted by signals. Returns what `look` answered last. */
bool ls_wait_for(ls_look_fn look, void *context, const struct ls_wait_files *files, double seconds);

/* Waits at most `seconds` (or less) until a frame can be received at the endpoint or one of the
 * files (poll(2), POLLIN) is ready; interrupted by signals. Returns whether a frame is there. */
bool ls_transport_wait(const struct ls_transport *transport, struct ls_endpoint *endpoint,
                       const struct ls_wait_files *files, double seconds);

/* Milliseconds for poll(2), rounded up; 0 for what is over, a long time for what has no end. */
int ls_wait_milliseconds(double seconds);

#endif
