/* port.h: the master's port: inputs of chunks on their way to workers, in pieces.
 *
 * On a network at most `most` inputs travel at a time, each begins when the receiver has said that
 * the last byte of one before it is there, and a worker has one at a time: so the links are used as
 * the port models of docs/model.md say.  Pieces on their way are bounded, so that beats and words
 * between them wait for a moment only.  An input whose worker tells of no progress keeps nobody
 * else from the port.  Where there is no network nothing waits for another worker.
 */
#ifndef LS_RUNTIME_MASTER_SENDING_PORT_H
#define LS_RUNTIME_MASTER_SENDING_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/master/sending/outbox.h"
#include "runtime/master/sending/port_trial.h"
#include "runtime/master/sending/slow_transfer.h"

enum {
  LS_PORT_INLINE_MAX = 8 << 10,   /* what is shorter travels with its chunk, and waits for nobody */
  LS_PORT_INPUT_MAX = 1024 << 20, /* of a unit */
  LS_PORT_WINDOW_LEAST = 32 << 10, /* bytes on their way to a worker */
  LS_PORT_WINDOW_MOST = 8 << 20
};

/* What a worker says of an input whose units it has no use for any more. */
#define LS_TRANSFER_UNWANTED SIZE_MAX

/* An input, and whose. */
struct ls_transfer {
  struct ls_peer to;
  uint32_t worker;
  bool is_paced; /* over a network */
  uint64_t chunk, units;
  char *input; /* owned by the port once it is added */
  size_t length;
  /* The port's. */
  uint64_t number; /* in the run, from 1 */
  size_t sent, arrived;
  double begun_s; /* the first piece left; NAN: none has */
  double heard_s; /* of its last progress, or when it began */
  double told_s;  /* when the user hears of it the next time */
  size_t at_once; /* the most that travelled at a time meanwhile, itself counted */
};

/* The way to a worker. */
struct ls_port_lane {
  size_t window;  /* so many bytes may be on their way; 0: not known yet */
  double least_s; /* the shortest time from a piece's leaving to the word of its arrival; 0: none */
  double sample_s;    /* when the piece that is timed left; 0: none is timed */
  size_t sample_at;   /* its end, */
  size_t sample_from; /* and what had arrived then */
  double bytes_per_s; /* the best rate of late */
  uint64_t sampled;   /* its transfer */
  uint64_t pass;      /* in which a transfer of this lane was looked at */
  struct ls_port_alone alone;
};

/* Starts as {0}: how many may travel at a time is found out. */
struct ls_port {
  struct ls_transfer *items; /* in the order of the decisions */
  size_t count, capacity, unpaced;
  struct ls_port_lane *lanes; /* by worker */
  size_t lanes_count;
  size_t most; /* paced transfers at a time; 0: as many as the trial finds; SIZE_MAX: no bound */
  struct ls_port_trial trial;
  uint64_t number, pass;
  bool may_post; /* something has changed since the last post */
  double due_s;  /* when a transfer that is waited for counts as standing still */
};

/* Puts an input into the queue, and takes it over in any case; its number, or 0: no memory. */
uint64_t ls_port_add(struct ls_port *port, const struct ls_transfer *transfer);
/* What may leave now goes to the outbox. */
void ls_port_post(struct ls_port *port, struct ls_outbox *outbox, double now_s);
/* The worker says that so many bytes of a transfer are there. If it was all, `*ended` is that
 * transfer, whose input is gone; else its number is 0. LS_ECORRUPT: no such bytes were on their
 * way; a transfer of another worker, or none at all, is none of its business, and nothing happens.
 */
LS_CHECKED enum ls_status ls_port_hear(struct ls_port *port, const struct ls_transfer *said,
                                       double now_s, struct ls_transfer *ended,
                                       struct ls_error *err);
/* The worker's connection is gone, and what was on its way over it. */
void ls_port_forget(struct ls_port *port, struct ls_peer peer);
/* One that has been on its way for so long that the user is to hear of it, now and not again soon;
 * false: there is none. */
bool ls_port_find_slow(struct ls_port *port, double now_s, uint32_t *worker, struct ls_slow *slow);
/* When it is to be posted again though nothing is heard; INFINITY: at no time. */
double ls_port_due_s(const struct ls_port *port);
void ls_port_close(struct ls_port *port);

#endif
