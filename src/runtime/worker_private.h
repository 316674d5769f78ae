/* worker_private.h: the state of a worker's loop, shared by its files.
 *
 * worker.c joins, loops and leaves; worker_jobs.c takes what the master sends and starts it;
 * worker_results.c says what ended.
 */
#ifndef LS_RUNTIME_WORKER_PRIVATE_H
#define LS_RUNTIME_WORKER_PRIVATE_H

#include <sys/types.h>

#include "base/bytes.h"
#include "coordinator/event.h"
#include "coordinator/worker_side.h"
#include "protocol/command.h"
#include "protocol/message.h"
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
};

struct ls_worker {
  const struct ls_worker_options *options;
  struct ls_endpoint *endpoint;
  struct ls_settings settings;
  struct ls_decoder decoder;
  struct ls_worker_side side;

  void *state; /* of the application */
  bool is_open;
  const struct ls_executor_kind *kind;
  struct ls_executor *executor;
  struct ls_job running;

  struct ls_payload *payloads;
  size_t payloads_count, payloads_capacity;
  size_t payload_free;       /* no slot below is free */
  struct ls_command command; /* to find where the ranges of a chunk of commands begin */

  struct ls_message merged; /* units done whose RESULT has not left; range.count 0: none */
  double merged_since_s;
  double answer_s;        /* after which the last request had its answer; 0: not known */
  struct ls_bytes outbox; /* frames to be sent ... */
  size_t *outbox_ends;    /* ... and where each ends */
  size_t outbox_count, outbox_capacity;
  double outbox_since_s; /* its first message waits since */
  double asked_s;        /* the last request left */
  char *block;           /* to stream large outputs */

  double heard_s, sent_s;
  bool has_frames; /* some may have come since they were last looked for */
  bool is_leaving, is_released;
  pid_t known[LS_WORKER_KNOWN_MAX]; /* children that we were started with */
  size_t known_count;
};

/* worker.c: sends one frame; waits while the master is behind, unless it is gone. */
LS_CHECKED enum ls_status ls_worker_send(struct ls_worker *worker, const void *data, size_t length,
                                         struct ls_error *err);

/* worker_jobs.c: whatever the master says after WELCOME. */
LS_CHECKED enum ls_status ls_worker_on_message(struct ls_worker *worker,
                                               const struct ls_message *message,
                                               struct ls_error *err);
/* Records what ended, and starts what waits. */
LS_CHECKED enum ls_status ls_worker_advance(struct ls_worker *worker, struct ls_error *err);
/* Sends a request when one is due. */
LS_CHECKED enum ls_status ls_worker_ask(struct ls_worker *worker, struct ls_error *err);
void ls_worker_close_jobs(struct ls_worker *worker);

/* worker_results.c: what ended becomes a RESULT, at once or together with its neighbours. Large
 * outputs are sent here; all else waits in the outbox. */
LS_CHECKED enum ls_status ls_worker_record(struct ls_worker *worker,
                                           const struct ls_execution *execution, double receive_s,
                                           struct ls_error *err);
/* Units that will not run here. */
void ls_worker_record_cancelled(struct ls_worker *worker, uint64_t chunk, struct ls_range units);
/* Puts a message into the outbox. */
void ls_worker_post(struct ls_worker *worker, const struct ls_message *message);
/* Moves merged results into the outbox; when `is_forced` or due. */
void ls_worker_release_merged(struct ls_worker *worker, bool is_forced);
/* Sends the outbox. */
LS_CHECKED enum ls_status ls_worker_flush(struct ls_worker *worker, struct ls_error *err);
/* Must what is in the outbox leave now? Held back for a moment while the next unit runs, it shares
 * a frame with what follows. */
bool ls_worker_must_flush(const struct ls_worker *worker);
/* Seconds until results that are held back must leave; INFINITY: there are none. */
double ls_worker_results_patience_s(const struct ls_worker *worker);
void ls_worker_close_results(struct ls_worker *worker);

#endif
