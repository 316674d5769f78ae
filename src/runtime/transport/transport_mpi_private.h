/* transport_mpi_private.h: what a process has of MPI, shared by the files of the transport.
 *
 * MPI is started once in a process, by one thread, so there is one state.  Lanes (one for each
 * rank) hold what leaves; inboxes (one for each direction, each with a communicator of its own)
 * hold what comes.  A connection of a worker has a number, its generation, which is part of each
 * message's tag: so a worker that connects anew is another peer, although its rank is the same.
 * All messages of a sender match in the order in which they were sent, whatever their tags.
 */
#ifndef LS_RUNTIME_TRANSPORT_TRANSPORT_MPI_PRIVATE_H
#define LS_RUNTIME_TRANSPORT_TRANSPORT_MPI_PRIVATE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/transport/transport.h"

/* The low part of a tag; the rest is the generation, 0 where all of a process is meant. */
enum ls_mpi_kind {
  LS_MPI_FRAME,
  LS_MPI_BYE,  /* this connection is closed */
  LS_MPI_OVER, /* of rank 0: no connection is made any more */
  LS_MPI_LEFT, /* to rank 0: this process sends nothing any more */
  LS_MPI_TICK, /* of rank 0, to those that have left: it is there */
  LS_MPI_LAST, /* of rank 0: nothing follows; one byte: 1, a rank was lost */
  LS_MPI_KINDS = 8
};

struct ls_mpi_send;

/* The name of the socket at which a rank of this machine is woken; no bytes: it is elsewhere. */
enum { LS_MPI_BELL_BYTES = 16 };
struct ls_mpi_bell {
  uint32_t length;
  char name[LS_MPI_BELL_BYTES];
};

/* What leaves for a rank, in order, and what is known of it. */
struct ls_mpi_lane {
  struct ls_mpi_send *first, *last, *next; /* next: the first that MPI does not have yet */
  size_t frames, bytes, started;           /* unsent; of these, with MPI */
  uint32_t left;                           /* messages that left for it, in all, and ... */
  uint32_t begun;                          /* ... that have begun to come from it */
  double begun_s; /* when the first that is unsent could begin to move, or began, if is_taken */
  bool is_taken;  /* its receiver has begun with it, or has received one that left with it */
  /* At rank 0, of the rank's last connection. */
  uint32_t generation;
  bool is_open;
  bool has_left;    /* the process, for good */
  bool is_given_up; /* it was silent for too long, and still is: what is unsent never leaves */
  double heard_s;   /* its last message, or the start */
  struct ls_mpi_bell bell;
};

/* A message that has begun to come. */
struct ls_mpi_arrival {
  MPI_Request request;
  int rank, tag;
  uint32_t number; /* among those of its sender, from 1 on */
  bool is_complete;
  bool is_untold; /* its sender is to know that it moves */
  double begun_s;
  unsigned char *data;
  size_t length;
};

enum { LS_MPI_ARRIVALS_MAX = 32 };

struct ls_mpi_inbox {
  MPI_Comm comm;
  struct ls_mpi_arrival items[LS_MPI_ARRIVALS_MAX]; /* in the order of their beginnings */
  size_t count;
};

struct ls_mpi {
  bool is_started, is_ended;
  int rank, size, tag_max;
  struct ls_mpi_lane *lanes;       /* by rank */
  size_t unsent;                   /* frames of all lanes */
  size_t own;                      /* that rank 0 has sent to itself, and not taken yet */
  struct ls_mpi_inbox up, down;    /* to rank 0, and from it */
  uint32_t generation;             /* of this process's last connection */
  int bell;                        /* at which this process is woken; -1: nowhere */
  bool are_near;                   /* all that it hears come with a ring */
  double moved_s;                  /* something was sent or came */
  double ticked_s;                 /* at rank 0: those that have left were told */
  bool is_over, has_last, is_lost; /* as rank 0 has said; is_lost: some rank was */
};

extern struct ls_mpi ls_mpi;

/* transport_mpi_lanes.c */
/* Copies; LS_ENOMEM. `tag`: see ls_mpi_tag. */
LS_CHECKED enum ls_status ls_mpi_post(MPI_Comm comm, int rank, int tag,
                                      const struct ls_frame *frame, struct ls_error *err);
/* A word of its own, without content; lost where memory is. */
void ls_mpi_say(MPI_Comm comm, int rank, enum ls_mpi_kind kind, uint32_t generation);
/* Is anything unsent, but to those that are given up? */
bool ls_mpi_is_sending(void);
/* Goes on with what leaves and what comes. */
void ls_mpi_move(void);
/* The next message that is there as a whole, and whose sender's earlier ones have been taken; the
 * caller frees its data. */
bool ls_mpi_take(struct ls_mpi_inbox *inbox, struct ls_mpi_arrival *arrival);
/* Since when that has been moving which began last; -INFINITY: nothing is under way. */
double ls_mpi_moving_since_s(void);
static inline int ls_mpi_tag(enum ls_mpi_kind kind, uint32_t generation) {
  return (int)(generation * LS_MPI_KINDS + (uint32_t)kind);
}

/* transport_mpi_bell.c */
/* All processes at once. */
void ls_mpi_bell_open(void);
/* A message for this rank was given to MPI. */
void ls_mpi_bell_ring(int rank);
/* Its message of this number has begun to come; false: its bell is full of rings. */
bool ls_mpi_bell_ring_back(int rank, uint32_t number);
/* Was this process woken? Forgets it. */
bool ls_mpi_bell_answer(void);

/* transport_mpi_end.c */
enum ls_status ls_mpi_start(uint32_t processes, struct ls_error *err);
void ls_mpi_end(bool is_master_dead);
/* What concerns the whole process, at rank 0 or elsewhere; false: it does not. */
bool ls_mpi_hear(const struct ls_mpi_arrival *arrival);
/* At rank 0: those that have left know that it is there. */
void ls_mpi_tick(void);

#endif
