/* master_private.h: the state of a master's loop, shared by its files.
 *
 * Rounds: frames and losses become events (master_events.c), each is appended to the journal and
 * stepped, its actions become an outbox (master_send.c) and a list of results to merge
 * (master_actions.c); then one commit, and only then the outbox leaves and the results are merged
 * (master.c).
 */
#ifndef LS_RUNTIME_MASTER_PRIVATE_H
#define LS_RUNTIME_MASTER_PRIVATE_H

#include "base/array.h"
#include "protocol/message.h"
#include "runtime/master.h"
#include "runtime/overhead.h"
#include "runtime/settings.h"

/* A frame to be sent after the commit: bytes of `outbox_bytes`. */
struct ls_outgoing {
  uint64_t peer;
  size_t offset, length;
  bool is_open; /* chunks only: the next chunk for the same peer may join this frame */
};

/* A settled range to be merged after the commit. Outputs: bytes of `kept_bytes`, or files that we
 * own. */
struct ls_deferred {
  struct ls_unit_result result;
  size_t offsets[2];
  bool is_journalled; /* its output is in the journal until it has been merged */
};

/* The worker in a slot of the coordinator, which is its index in `workers`. */
struct ls_peer {
  struct ls_master_worker facts;
  uint64_t peer; /* of the transport */
  uint64_t process_id;
  bool is_connected; /* joined, and not lost or released */
  bool has_process;  /* of the pool, which has not told of its end yet */
  double since_s;    /* when this one joined */
  /* Of the units that ended here, well or not: the adviser's facts. */
  struct ls_adviser_worker seen;
  struct ls_overhead overhead;
  uint64_t asks_first; /* units of its first request, while others are awaited; 0: none */
  double answer_s;     /* the shortest way there and back of a request; 0: not known */
  double last_end_s;   /* of its last span: spans of one worker do not overlap */
  int spools[2];       /* large outputs of the unit that runs; -1: none */
  size_t spool_bytes[2];
};

struct ls_master {
  const struct ls_master_options *options;
  struct ls_master_report *report;
  struct ls_journal *journal; /* NULL: none */
  struct ls_endpoint *endpoint;
  struct ls_pool *pool;
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  struct ls_decoder decoder;
  struct ls_bytes welcome; /* the settings as text, of the worker that was welcomed last */
  char token[33];
  char directory[128]; /* private one of the ipc socket; "" : none */
  char address[192];

  struct ls_peer *workers;
  size_t workers_count, workers_capacity;
  uint32_t workers_base;  /* numbers of earlier sessions, in the journal */
  size_t joins_failed;    /* pool workers that ended before they joined, in a row */
  size_t workers_owed;    /* requested, and no free slot for them yet */
  uint32_t slots_outside; /* workers that joined from outside the pool */

  struct ls_bytes outbox_bytes, kept_bytes, input;
  struct ls_outgoing *outbox;
  size_t outbox_count, outbox_capacity;
  struct ls_deferred *deferred;
  size_t deferred_count, deferred_capacity;
  size_t deferred_files; /* that they own */

  double origin_s; /* of the clock */
  double offset_s; /* duration of the earlier sessions: the journal adds it to its records */
  double now_s;
  double wake_s, pulse_s, watch_s, worker_seen_s, hard_stop_s;
  /* The first requests, until all workers have asked or gather_s: then they are told in the order
   * of their slots. */
  bool is_gathering;
  size_t gathered, awaited;
  double gather_s;
  uint32_t iteration;
  int interrupts_seen;
  bool is_iteration_done, is_finished, is_stopping, has_settled, is_pushing;
  bool has_pending; /* outputs are in the journal until the application has delivered them */
  uint64_t delivered_until; /* units below have been delivered, of this iteration */
  double last_result_s;
  struct ls_adviser adviser;
  double advise_s;         /* when to ask next */
  uint64_t prefetch;       /* in use */
  struct ls_error failure; /* the first failure inside a round */
};

/* Keeps the first failure of a round. */
void ls_master_note_failure(struct ls_master *master, enum ls_status status,
                            const struct ls_error *err);

/* master_workers.c: the slot of the worker behind a peer; LS_WORKER_NONE: nobody. */
uint32_t ls_master_find(const struct ls_master *master, uint64_t peer);
/* A new worker says HELLO: gives it a slot, or refuses it. Returns the slot or LS_WORKER_NONE.
 */
uint32_t ls_master_admit(struct ls_master *master, uint64_t peer, const struct ls_message *hello);
/* The worker is gone; closes its spools. */
void ls_master_dismiss(struct ls_master *master, uint32_t worker);
/* A piece of a large output. */
void ls_master_spool(struct ls_master *master, uint32_t worker, const struct ls_message *piece);

/* master_actions.c: appends to the journal, steps, and turns the actions into outbox and deferred
 * results. `message`: the RESULT behind the event, or NULL.  False: the event was refused; but for
 * advice, of which nothing then changes, that is a failure of the round. */
bool ls_master_step(struct ls_master *master, const struct ls_event *event,
                    const struct ls_message *message);
/* Asks the pool for so many more workers, and for those that it still owes. */
void ls_master_request(struct ls_master *master, uint64_t count);
/* Closes the files of a deferred result. */
void ls_master_close_outputs(struct ls_deferred *entry);

/* master_send.c: puts a message into the outbox. */
void ls_master_post(struct ls_master *master, uint64_t peer, const struct ls_message *message);
/* The action SEND: journals the decision, packs the input of its ranges and posts them, in as many
 * messages as they need. */
void ls_master_send_chunk(struct ls_master *master, const struct ls_action *action);
void ls_master_fail_memory(struct ls_master *master);

/* master_events.c: one received frame; the pool's losses; clock and user. */
void ls_master_on_frame(struct ls_master *master, const struct ls_frame *frame);
void ls_master_on_pool(struct ls_master *master);
void ls_master_on_time(struct ls_master *master);

/* From now on the first requests are gathered. */
void ls_master_gather(struct ls_master *master);

/* master_resume.c: opens the journal and restores its results; delivers outputs that were not
 * delivered. */
LS_CHECKED enum ls_status ls_master_restore(struct ls_master *master, struct ls_error *err);

#endif
