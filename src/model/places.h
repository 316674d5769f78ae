/* places.h: how many workers a run had, by pool and by time.
 *
 * The course of a run as changes in the order of time: workers wanted, in the queue of a pool,
 * granted, there, away and gone.  From it follow the counts of each pool, and those of any moment.
 */
#ifndef LS_MODEL_PLACES_H
#define LS_MODEL_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"

LS_C_BEGIN

enum { LS_PLACES_NAME_BYTES = 24 };

enum ls_place_change_kind {
  LS_PLACE_WANTED,    /* so many in all, from now on */
  LS_PLACE_PENDING,   /* so many more in the queue of the pool */
  LS_PLACE_GRANTED,   /* they are on their way */
  LS_PLACE_REFUSED,   /* they will not come: out of the queue */
  LS_PLACE_MISSED,    /* they were granted, and did not come */
  LS_PLACE_JOINED,    /* those that were granted; from here on: a worker of the pool */
  LS_PLACE_ARRIVED,   /* the same, of one that was not on its way: by itself, or once more */
  LS_PLACE_SUSPENDED, /* away, and may come back */
  LS_PLACE_RESUMED,
  LS_PLACE_LEFT,           /* in order: it was released, or told to go */
  LS_PLACE_LOST,           /* with what it ran */
  LS_PLACE_LOST_SUSPENDED, /* the same, of one that was away */
  LS_PLACE_KIND_COUNT
};

struct ls_place_change {
  double time_s;
  enum ls_place_change_kind kind;
  uint32_t pool; /* index of its name; of WANTED: none */
  uint64_t workers;
  size_t order; /* in which it was added; add sets it */
};

/* Starts as {0}. Owns its arrays. */
struct ls_places {
  char (*pools)[LS_PLACES_NAME_BYTES];
  size_t pools_count, pools_capacity;
  struct ls_place_change *changes;
  size_t count, capacity;
  double end_s; /* of the run so far */
};

/* The pool of this name, cut to its room, which is added when it is new. */
LS_CHECKED enum ls_status ls_places_pool(struct ls_places *places, const char *name, uint32_t *pool,
                                         struct ls_error *err);
LS_CHECKED enum ls_status ls_places_add(struct ls_places *places,
                                        const struct ls_place_change *change, struct ls_error *err);
/* Puts the changes into the order of their times; those of one time stay as they were added. */
void ls_places_sort(struct ls_places *places);

/* How it stands: pending, coming, at work and suspended now, the others since the beginning. */
struct ls_places_counts {
  uint64_t wanted, pending, coming, working, suspended;
  uint64_t granted, joined, suspensions, left, lost;
};

#define LS_PLACES_ALL UINT32_MAX

/* The counts behind one change more. */
void ls_places_follow(struct ls_places_counts *counts, const struct ls_place_change *change);
/* Of a pool, or of all (LS_PLACES_ALL), behind the changes up to a time. The places are sorted. */
struct ls_places_counts ls_places_at(const struct ls_places *places, uint32_t pool, double time_s);
void ls_places_close(struct ls_places *places);

LS_C_END

#endif
