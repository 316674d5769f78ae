/* connections.h: the workers that have joined a master, by slot and by peer.
 *
 * The slot of a worker is its index here and its number in the coordinator.  It is used again when
 * its worker has gone; then nothing but the times when somebody was there, and what was done,
 * remains of the former one.
 */
#ifndef LS_RUNTIME_MASTER_GUESTS_CONNECTIONS_H
#define LS_RUNTIME_MASTER_GUESTS_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/labels.h"
#include "base/status.h"
#include "coordinator/event.h"
#include "model/account_worker.h"
#include "protocol/message.h"
#include "runtime/master/adviser.h"
#include "runtime/master/guests/endpoints.h"
#include "runtime/master/guests/peer_table.h"
#include "runtime/master/master_report.h"
#include "runtime/master/sending/outbox.h"
#include "runtime/output/output_files.h"
#include "runtime/output/spool.h"
#include "theory/overhead.h"

struct ls_connection {
  struct ls_master_worker facts;
  struct ls_peer peer;
  uint64_t process_id;
  char labels[LS_LABELS_BYTES];
  bool is_connected; /* joined, and not lost or released */
  bool is_cut;       /* its connection is gone, and it may come back over another one */
  bool is_unaware;   /* the run is over, and its last word has not reached it */
  bool has_process;  /* of the pool, which has not told of its end yet */
  bool has_spoken;   /* since it joined */
  bool is_released;  /* sent home, and not for its silence */
  bool has_left;     /* it said that it goes */
  double since_s;    /* when this one joined */
  /* Of the units that ended here, well or not: the adviser's facts. */
  struct ls_adviser_worker seen;
  struct ls_overhead overhead;
  struct ls_account_worker account; /* of the slot, like the facts */
  uint64_t asks_first; /* units of its first request, while others are awaited; 0: none */
  /* 1 + the iteration whose news it has got over this connection (they may be lost with one that is
   * cut); 0: none. */
  uint64_t told;
  double answer_s; /* the shortest way there and back of a request; 0: not known */
  /* As the coordinator has it: within which an answer comes almost surely, and what the largest
   * output took to leave. */
  double answer_limit_s, send_s;
  double last_end_s;            /* of its last span; */
  double away_before_s;         /* seconds for which the slot's workers were away before it */
  double piece_s;               /* when a piece of something was last told as a sign of life */
  struct ls_spool spools[2];    /* large outputs of the unit that runs: output, error output */
  struct ls_output_files files; /* and those that are files */
};

/* Starts as {0}. */
struct ls_connections {
  struct ls_connection *items;
  size_t count, capacity;
  struct ls_peer_table peers; /* of those that are connected */
};

/* A worker that may join. */
struct ls_newcomer {
  struct ls_peer peer;
  struct ls_blob name;
  const char *labels; /* NULL: none */
  uint64_t process_id;
  uint32_t place; /* its slot in the pool, from 1; those from outside have higher ones */
  bool has_process;
  double price_per_s;
  double now_s;
};

/* The slot of the worker behind a peer; LS_WORKER_NONE: nobody. */
uint32_t ls_connections_find(const struct ls_connections *connections, struct ls_peer peer);
/* The slot of the worker whose process the pool had in a place (0: whichever process); of several
 * the last. LS_WORKER_NONE: none that joined. */
uint32_t ls_connections_find_process(const struct ls_connections *connections, uint32_t place,
                                     uint64_t process_id);
/* A worker of the pool gets the slot of its place there, so that plans and weights mean the
 * machines that the user named, which are `workers`; whoever finds that taken, or comes from
 * outside, gets the lowest slot that is free and not one of the first `kept`, unless its worker of
 * the pool came once. */
uint32_t ls_connections_choose(const struct ls_connections *connections, uint32_t place,
                               size_t workers, size_t kept);
/* The newcomer moves into a free slot. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_connections_join(struct ls_connections *connections, uint32_t slot,
                                              const struct ls_newcomer *newcomer,
                                              struct ls_error *err);
/* The worker is back over another connection. LS_ENOMEM: nothing changes. */
LS_CHECKED enum ls_status ls_connections_move(struct ls_connections *connections, uint32_t slot,
                                              struct ls_peer peer, struct ls_error *err);
/* The worker is gone; its spools are forgotten. False: it was gone already. */
bool ls_connections_leave(struct ls_connections *connections, uint32_t slot, double now_s);
/* The process of the pool has ended.  True: before it began, and not because it was sent home. */
bool ls_connection_end_process(struct ls_connection *connection);
/* Where a finished range stands in time: clocks of machines are never compared, so it ends when the
 * master hears of it, and begins its duration earlier.  Spans of one worker overlap where one was
 * heard late: history.h moves them apart.  Returns its start; now_s is the end of the worker's last
 * span from now on. */
double ls_connection_place_span(struct ls_connection *connection, double now_s, double seconds);
/* What a beat tells is a row of the journal, and moves Q and the margin of a lifetime: it enters
 * the event where it moves them by a tenth of Q. */
void ls_connection_hear_beat(struct ls_connection *connection, const struct ls_message *beat,
                             double heartbeat_s, struct ls_event *event);
/* The message for everybody who is connected. */
void ls_connections_post(const struct ls_connections *connections, struct ls_outbox *outbox,
                         const struct ls_message *message);
void ls_connections_close(struct ls_connections *connections);

#endif
