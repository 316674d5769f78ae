/* worker_private.h: the state of a worker's loop, shared by its files.
 *
 * worker.c joins, loops and leaves; worker_jobs.c tells the worker side of arrivals and ends, and
 * does its actions; worker_results.c makes messages of results.
 */
#ifndef LS_RUNTIME_WORKER_PRIVATE_H
#define LS_RUNTIME_WORKER_PRIVATE_H

#include <sys/types.h>

#include "base/bytes.h"
#include "coordinator/event.h"
#include "coordinator/worker_side.h"
#include "protocol/command.h"
#include "protocol/message.h"
#include "runtime/broadcast.h"
#include "runtime/executor.h"
#include "runtime/settings.h"
#include "runtime/worker.h"

enum { LS_WORKER_INLINE_MAX = 256 << 10, LS_WORKER_KNOWN_MAX = 64 };

/* How long small messages may wait for others, while there is something to compute. */
#define LS_WORKER_HOLD_S 0.002

/* One range of a chunk, and where its input begins. */
struct ls_part {
  struct ls_range units;
  size_t offset;
};

/* The input of one CHUNK message; its slot (and storage) is used again when no unit is left. */
struct ls_payload {
  struct ls_bytes input;
  struct ls_part *parts;
  size_t parts_count, parts_capacity;
  size_t at;           /* the part that runs now: parts run in order */
  uint64_t units_left; /* 0: the slot is free */
  double receive_s;    /* of the message; counts with the first result */
  uint64_t chunk;
  uint32_t iteration;
};

/* A message of a chunk whose results stay here until they are fetched. */
struct ls_kept {
  uint64_t chunk;
  struct ls_bytes message;
};

struct ls_worker {
  const struct ls_worker_options *options;
  struct ls_endpoint *endpoint;
  struct ls_settings settings;
  struct ls_decoder decoder;
  struct ls_worker_side side;
  struct ls_side_actions actions; /* of its latest step */

  void *state; /* of the application */
  bool is_open;
  const struct ls_executor_kind *kind;
  struct ls_executor *executor;

  struct ls_payload *payloads;
  size_t payloads_count, payloads_capacity;
  size_t payload_free; /* no slot below is free */
  struct ls_broadcast broadcast;
  struct ls_command command; /* to find where the ranges of a chunk of commands begin */

  double merged_since_s; /* units are done and not told since */
  double receive_s;      /* of inputs, to be told with the next result */
  double read_s;         /* of staging, likewise */
  double answer_s;       /* after which the last request had its answer; 0: not known */
  struct ls_kept *kept;  /* in the order in which they leave */
  size_t kept_count, kept_capacity;
  struct ls_bytes outbox; /* frames to be sent ... */
  size_t *outbox_ends;    /* ... and where each ends */
  size_t outbox_count, outbox_capacity;
  double outbox_since_s; /* its first message waits since */
  double asked_s;        /* the last request left */
  bool has_held_back;    /* a request may be due that was not to leave yet */
  char *block;           /* to stream large outputs */

  double heard_s, sent_s;
  bool has_frames; /* some may have come since they were last looked for */
  bool is_leaving, is_released;
  bool is_gone;                     /* has said BYE */
  pid_t known[LS_WORKER_KNOWN_MAX]; /* children that we were started with */
  size_t known_count;
};

/* worker.c: sends one frame; waits while the master is behind, unless it is gone. */
LS_CHECKED enum ls_status ls_worker_send(struct ls_worker *worker, const void *data, size_t length,
                                         struct ls_error *err);

/* worker_jobs.c: the master's messages after WELCOME; `is_followed`: the frame holds more. */
LS_CHECKED enum ls_status ls_worker_on_message(struct ls_worker *worker,
                                               const struct ls_message *message, bool is_followed,
                                               struct ls_error *err);
/* Joined: asks for the first time. */
LS_CHECKED enum ls_status ls_worker_enter(struct ls_worker *worker, struct ls_error *err);
/* Records the units that ended, and starts those that wait. */
LS_CHECKED enum ls_status ls_worker_advance(struct ls_worker *worker, struct ls_error *err);
/* Lets go results and requests that were held back for long enough. */
LS_CHECKED enum ls_status ls_worker_let_go(struct ls_worker *worker, struct ls_error *err);
/* Goes in order as soon as nothing runs. */
LS_CHECKED enum ls_status ls_worker_leave(struct ls_worker *worker, struct ls_error *err);
void ls_worker_close_jobs(struct ls_worker *worker);

/* worker_results.c: a result of the worker side becomes a RESULT; `execution` is the units that
 * have ended just now, or NULL.  Large outputs are sent here; all else waits in the outbox. */
LS_CHECKED enum ls_status ls_worker_tell(struct ls_worker *worker,
                                         const struct ls_side_result *result,
                                         const struct ls_execution *execution,
                                         struct ls_error *err);
/* Has it anything to tell beside that it is done? */
bool ls_worker_has_output(const struct ls_worker *worker, const struct ls_execution *execution);
/* The kept messages of a chunk go into the outbox. */
LS_CHECKED enum ls_status ls_worker_let_go_kept(struct ls_worker *worker, uint64_t chunk,
                                                struct ls_error *err);
/* Puts a message into the outbox. */
void ls_worker_post(struct ls_worker *worker, const struct ls_message *message);
/* Have merged results waited for long enough? */
bool ls_worker_is_merged_due(const struct ls_worker *worker);
/* Sends the outbox. */
LS_CHECKED enum ls_status ls_worker_flush(struct ls_worker *worker, struct ls_error *err);
/* Must the outbox leave now? Held back for a moment while the next unit runs, it shares
 * a frame with what follows. */
bool ls_worker_must_flush(const struct ls_worker *worker);
/* Seconds until results that are held back must leave; INFINITY: there are none. */
double ls_worker_results_patience_s(const struct ls_worker *worker);
void ls_worker_close_results(struct ls_worker *worker);

#endif
