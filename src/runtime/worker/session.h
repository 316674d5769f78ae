/* session.h: how a worker stands with its master: who it is there, what it heard, how long it
 * waits.
 *
 * A session outlives connections: a worker whose connection was cut connects anew and resumes it
 * with the cookie that its master gave it.  Times are those of the worker's clock and are passed
 * in.  Limits: docs/theory/pool.md, 2.4.
 */
#ifndef LS_RUNTIME_WORKER_SESSION_H
#define LS_RUNTIME_WORKER_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/message.h"

enum ls_session_stage {
  LS_SESSION_CUT,      /* no connection: tries again at `retry_s` */
  LS_SESSION_GREETING, /* HELLO was said */
  LS_SESSION_OPEN      /* welcomed */
};

struct ls_session {
  enum ls_session_stage stage;
  bool is_joined; /* was welcomed once */
  /* As the master said. */
  uint32_t worker;
  uint64_t era; /* of the master's process */
  unsigned char cookie[LS_COOKIE_BYTES], run[LS_COOKIE_BYTES];
  bool has_cookie, has_run;
  double heartbeat_s, silence_s; /* h; Q if it is given: 0: 3 h + r */
  double start_up_s;             /* g: what a worker anew would cost */

  double answer_s, deviation_s; /* smoothed; negative: not measured */
  double heard_s, sent_s;       /* the last frame of either side */
  double cut_s;                 /* not welcomed since */
  double retry_s, pause_s;      /* the next try, and the pause before it */
};

void ls_session_init(struct ls_session *session, double now_s);
/* r: within which an answer comes almost surely. */
double ls_session_answer_limit_s(const struct ls_session *session);
/* Q: silence for longer means that the connection is no good. */
double ls_session_silence_limit_s(const struct ls_session *session);
/* A question was answered after so long. */
void ls_session_answered(struct ls_session *session, double seconds);
/* The connection is of no use any more; the first try follows after r. */
void ls_session_cut(struct ls_session *session, double now_s);
/* HELLO was said over a new connection; the next try, if it fails, comes after twice the pause. */
void ls_session_greet(struct ls_session *session, double now_s);
/* WELCOME. True: the master that gave the units is still there, and sorts out which of them are the
 * worker's, even if it has another number now; false: it is a new session. */
bool ls_session_welcome(struct ls_session *session, const struct ls_message *welcome, double now_s);
/* Is this WELCOME one of another run? */
bool ls_session_is_foreign(const struct ls_session *session, const struct ls_message *welcome);
/* When a master that does not come back is given up: 10 Q + g after the cut. */
double ls_session_give_up_s(const struct ls_session *session);
/* A process that was stopped itself has heard nothing meanwhile: everything begins anew. */
void ls_session_forgive(struct ls_session *session, double now_s);

#endif
