/* spares.h: what replicas of running units are worth to idle workers, kept from look to look.
 *
 * A look says what a replica of the unit that a slot's worker runs was worth at a speed.  The worth
 * does not grow as the speed falls: what is worth nothing at one speed is worth nothing at a lower
 * one.  Where worth is dear to find, a look holds until time or further lessons change it; else
 * within one pass, until the next replica is sent.  The law of slowness is made anew when it is
 * asked for and lessons came.  Knows no other book.
 */
#ifndef LS_COORDINATOR_BOOKS_SPARES_H
#define LS_COORDINATOR_BOOKS_SPARES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "policies/slowness.h"

/* What is weighed, and what else its worth depends on. */
struct ls_spare_case {
  uint64_t unit;
  double begun_s, expected_s; /* where it runs; NAN: not known */
  uint64_t losses;            /* of workers */
};

struct ls_look {
  struct ls_spare_case of;
  double speed, worth; /* of the worker it was weighed for; speed 0: nothing was weighed */
  double vain_speed;   /* at this and lower ones it is worth nothing; 0: at none */
  double again_s;      /* then time changes it; INFINITY: never */
  uint64_t lessons, pass, sent;
  uint64_t doubled; /* in this pass the unit runs twice */
};

/* A running unit that is worth a replica to the fastest idle worker. */
struct ls_spare_candidate {
  uint32_t holder;
  uint64_t unit;
};

struct ls_spare_idle {
  double speed;
  uint32_t slot, rank; /* in the order of refusal */
};

struct ls_spares {
  struct ls_slowness slowness;
  struct ls_slowness_law law;
  uint64_t lessons, law_lessons; /* units that ended or were stopped; those that the law knows */
  bool has_law;
  struct ls_look *looks; /* by slot */
  struct ls_spare_candidate *candidates;
  struct ls_spare_idle *idle; /* of the pass, the fastest first */
  size_t candidates_count, idle_count, capacities[3], slots;
  double now_s;        /* of the pass */
  uint64_t pass, sent; /* replicas by all passes */
  bool is_dear;        /* as in a replication */
  bool is_one_place;   /* all workers that are there are on one machine, as far as is known */
};

void ls_spares_close(struct ls_spares *spares);
/* Slots below `slots` exist from now on. */
LS_CHECKED enum ls_status ls_spares_add_slots(struct ls_spares *spares, size_t slots);
/* What earlier runs showed, before the first lesson. */
void ls_spares_believe(struct ls_spares *spares, const struct ls_slowness *slowness);
/* A unit ended after so many times what was expected of it, or was stopped; a ratio that is not > 0
 * is not known. */
void ls_spares_end(struct ls_spares *spares, double ratio);
void ls_spares_stop(struct ls_spares *spares, double ratio);
/* Borrowed until the next lesson. */
const struct ls_slowness_law *ls_spares_law(struct ls_spares *spares);
/* The look of this pass at the slot's unit, emptied unless it holds for this case. */
struct ls_look *ls_spares_look(struct ls_spares *spares, uint32_t slot,
                               const struct ls_spare_case *now);
/* The idle ones by speed, those that are equal in their order. */
void ls_spares_rank_idle(struct ls_spares *spares);

#endif
