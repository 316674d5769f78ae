/* line.h: a worker's line to its master: a connection that may be cut and made anew.
 *
 * It joins the transport, the session and the postbox: what is to be said waits here while there is
 * no connection.  Nothing here blocks for longer than a moment.
 */
#ifndef LS_RUNTIME_WORKER_LINE_H
#define LS_RUNTIME_WORKER_LINE_H

#include <stdbool.h>

#include "base/status.h"
#include "runtime/transport/transport.h"
#include "runtime/transport/transport_wait.h"
#include "runtime/worker/postbox.h"
#include "runtime/worker/session.h"

struct ls_line {
  const struct ls_transport *transport;
  const char *address;
  const struct ls_curve *curve; /* NULL: in the clear */
  struct ls_endpoint *endpoint; /* NULL: none */
  struct ls_session session;
  struct ls_postbox postbox;
  uint64_t results_told; /* those that the last HELLO announced */
  bool is_behind;        /* the master did not take all that was to leave */
  bool is_refused;       /* the master does not know our key */
  bool is_broken;        /* the last connection was closed before anything was said */
  unsigned foreign;      /* masters of other keys that answered, one after the other, since */
  double foreign_s;      /* this time */
  double longest_send_s; /* that what waited took to leave, at a master that was heard */
};

/* Borrows all. */
void ls_line_init(struct ls_line *line, const struct ls_transport *transport, const char *address,
                  const struct ls_curve *curve);
/* Connects and says HELLO, with what the session and the postbox know added. A connection that is
 * cut meanwhile is a line that was cut. LS_EIO: not now. The session knows when to try again. */
LS_CHECKED enum ls_status ls_line_call(struct ls_line *line, struct ls_message *hello,
                                       struct ls_error *err);
/* When it has to be looked at again: to connect anew, or because the master has said nothing for
 * too long. INFINITY: at no time. `may_be_silent`: a silent master is waited for. */
double ls_line_due_s(const struct ls_line *line, bool may_be_silent);
/* The connection is cut, or has been silent for too long: only what had arrived can be heard. */
bool ls_line_is_spent(const struct ls_line *line, bool may_be_silent);
/* Throws such a connection away, with what was not heard. */
void ls_line_check(struct ls_line *line, bool may_be_silent);
void ls_line_cut(struct ls_line *line);
/* LS_EINVAL: the keys are wrong, and no further try would end otherwise. */
LS_CHECKED enum ls_status ls_line_check_keys(const struct ls_line *line, struct ls_error *err);
/* LS_EINVAL: as far as the last connection tells, they are. But a master with too many strangers
 * closes connections in the same way, and so does a tunnel to one that is not there yet: only who
 * is tired of waiting asks. */
LS_CHECKED enum ls_status ls_line_check_break(const struct ls_line *line, struct ls_error *err);
bool ls_line_is_open(const struct ls_line *line);
/* The first words of the master on this connection are WELCOME: all results are sent once more.
 * False: it comes from another process than the one that gave the units; of the results only those
 * that HELLO announced are left. */
bool ls_line_welcome(struct ls_line *line, const struct ls_message *welcome);
/* A frame of the master came. */
void ls_line_hear(struct ls_line *line);
/* PULSE: so many results need not be kept any more, and how often both sides beat from now on. */
LS_CHECKED enum ls_status ls_line_hear_pulse(struct ls_line *line, const struct ls_message *pulse,
                                             struct ls_error *err);
/* Its own process stood still: what it did not hear or send meanwhile says nothing of the line. */
void ls_line_forgive(struct ls_line *line);
/* Messages for this connection; without one they are forgotten. */
void ls_line_post(struct ls_line *line, const struct ls_message *message);
void ls_line_post_urgent(struct ls_line *line, enum ls_message_kind kind);
/* RESUMED: it was stopped by force for so long. */
void ls_line_post_stop(struct ls_line *line, double stood_s);
/* HEARTBEAT: it lives, and how the line does. */
void ls_line_beat(struct ls_line *line);
void ls_line_post_result(struct ls_line *line, const struct ls_message *result,
                         const struct ls_result_files *files);
/* Sends what waits, as far as the master takes it now. */
LS_CHECKED enum ls_status ls_line_pump(struct ls_line *line, struct ls_error *err);
/* Waits for frames, files and time as ls_transport_wait does. */
bool ls_line_wait(struct ls_line *line, const struct ls_wait_files *files, double seconds);
void ls_line_close(struct ls_line *line, double linger_s);

#endif
