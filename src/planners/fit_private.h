/* fit_private.h: the messages whose sizes a fit chooses.
 *
 * fit.c splits a plan into pieces and writes them back, fit_pieces.c gives them sizes whose sum is
 * the load, fit_counts.c decides how many pieces each worker uses where the others find nothing.
 */
#ifndef LS_PLANNERS_FIT_PRIVATE_H
#define LS_PLANNERS_FIT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/platform.h"

/* Pieces for one chunk at most, and for all. */
enum { LS_FIT_PIECES_MAX = 100000 };

/* One message: what was planned, what its worker allows, what it gets. */
struct ls_fit_piece {
  uint32_t worker, round;
  size_t chunk; /* of the plan; SIZE_MAX: added */
  double planned, least, most, units;
  bool is_used;
};

struct ls_fit {
  const struct ls_platform *platform;
  struct ls_fit_piece *items; /* owned */
  size_t count, capacity;
  double load;
  bool is_whole;
  bool is_total; /* a worker's pieces are its whole share: `rooms` times its room is their limit */
  bool may_add;  /* messages that were not planned */
  double rooms;
  double parts;  /* > 1: a piece takes no more than this part of a room */
  bool is_quick; /* the answer is for a search: no program is solved */
};

/* Are there sizes? */
enum ls_fit_answer {
  LS_FIT_FOUND,
  LS_FIT_NOT_FOUND, /* there may be some all the same */
  LS_FIT_NONE       /* no messages to these workers are the load */
};

/* The chunk sizes that a worker takes; none: `most` below `least`. */
void ls_fit_limits(const struct ls_fit *fit, uint32_t worker, double *least, double *most);
/* False: there is no room for one more. */
bool ls_fit_add(struct ls_fit *fit, struct ls_fit_piece piece);
/* Gives the pieces sizes, each as near to what was planned as it may be; leaves pieces out and adds
 * rounds of them one after another. `*is_settled` false: that led to nothing.
 * LS_ENOMEM. */
LS_CHECKED enum ls_status ls_fit_settle(struct ls_fit *fit, bool *is_settled, struct ls_error *err);
/* Decides by a program of integers how many messages each worker gets: n[i] with
 * sum n[i] least[i] <= load <= sum n[i] most[i], and gives the pieces their sizes. */
LS_CHECKED enum ls_status ls_fit_count(struct ls_fit *fit, enum ls_fit_answer *answer,
                                       struct ls_error *err);

#endif
