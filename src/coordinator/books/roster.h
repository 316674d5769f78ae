/* roster.h: the workers that are there, those on their way, and those that wait for units.
 *
 * A slot holds one worker after another; drivers let no event of a former one through.  A slot's
 * presence changes by the transitions of one table.  Invariants (ls_roster_is_sound): the counts
 * are those of the slots; only active workers are parked, each once, in the order of refusal, or by
 * a key.
 */
#ifndef LS_COORDINATOR_BOOKS_ROSTER_H
#define LS_COORDINATOR_BOOKS_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define LS_SLOT_NONE UINT32_MAX

enum ls_presence {
  LS_PRESENCE_ABSENT, /* no worker has been here */
  LS_PRESENCE_ACTIVE, /* the first of those in which a worker is there */
  LS_PRESENCE_SUSPENDED,
  LS_PRESENCE_LEAVING, /* gets nothing more; goes when it has nothing */
  LS_PRESENCE_LOST,
  LS_PRESENCE_RELEASED, /* not wanted any more, and gone */
  LS_PRESENCE_COUNT
};

struct ls_roster_slot {
  enum ls_presence presence;
  bool is_parked, has_asked; /* has_asked: since it came or came back */
  bool is_replaced;          /* suspended for so long that another one was asked for */
  bool is_awaited;           /* of the platform, not joined yet: a policy may keep a share for it */
  uint32_t parked_next, parked_previous;
  uint64_t parked_units; /* that it asked for */
  uint64_t owed_units;   /* that it asked for before it was away: it asks for them again then */
  double heard_s;
  double away_s;      /* since then it is suspended, or leaves */
  double suspended_s; /* seconds of all its workers, before this suspension; */
  double late_s;      /* those of them behind the mark of late_mark_s */
  double late_mark_s;
  double back_s; /* end of its last suspension; */
  double gone_s; /* and its beginning */
};

struct ls_roster {
  struct ls_roster_slot *slots;
  bool *is_present, *is_counted; /* for policies: active; active or awaited */
  size_t count, capacities[3];   /* slots */
  size_t present[LS_PRESENCE_COUNT];
  size_t newcomers, awaited; /* newcomers: active, and have not asked yet */
  uint32_t parked_first, parked_last;
  uint32_t due;        /* the parked slot to be asked again next; LS_SLOT_NONE: none is */
  size_t wanted, most; /* workers; more than `most` are released; SIZE_MAX: all are welcome */
  size_t requested,
      expected;     /* asked for and not granted yet; started or granted, not joined yet */
  size_t early;     /* joined, though asked for and not granted yet: their grants come later */
  size_t replaced;  /* suspended workers in whose place others were asked for */
  bool keeps_empty; /* the places of those that were lost */
  uint64_t losses;  /* of workers that were there: lost, or leaving by themselves */
  double counted_s, up_seconds; /* of all active workers, up to counted_s */
  double mark_s;                /* the last result came then */
};

void ls_roster_init(struct ls_roster *roster);
void ls_roster_close(struct ls_roster *roster);
/* Slots below `slots` exist from now on; absent at first. */
LS_CHECKED enum ls_status ls_roster_add_slots(struct ls_roster *roster, size_t slots);
/* Does the table know this transition? */
bool ls_roster_may_move(enum ls_presence from, enum ls_presence to);
/* Makes it; a parked request is parked no more. */
void ls_roster_move(struct ls_roster *roster, uint32_t slot, enum ls_presence presence,
                    double now_s);
/* Its request came: the first one since it came? */
bool ls_roster_greet(struct ls_roster *roster, uint32_t slot);
/* Another worker is asked for in place of one that is suspended. */
void ls_roster_replace(struct ls_roster *roster, uint32_t slot);
/* A worker that is away asks: it gets its answer when it is back. */
void ls_roster_owe(struct ls_roster *roster, uint32_t slot, uint64_t units);
/* Its request waits, behind the others; or keeps its place and asks for other units. */
void ls_roster_park(struct ls_roster *roster, uint32_t slot, uint64_t units);
void ls_roster_unpark(struct ls_roster *roster, uint32_t slot);

/* Those that wait are asked again by their keys (by slot), the greatest first, and in their order
 * where these are equal; none is due. LS_ENOMEM: nothing has changed. */
LS_CHECKED enum ls_status ls_roster_order_parked(struct ls_roster *roster, const double *keys);

/* A worker is awaited in each of the first `slots` slots where no worker has been. */
void ls_roster_await(struct ls_roster *roster, size_t slots);
/* No worker is awaited there any more; true: one was. */
bool ls_roster_stop_awaiting(struct ls_roster *roster, uint32_t slot);
/* The highest slot that is awaited although fewer workers are on their way; LS_SLOT_NONE. */
uint32_t ls_roster_find_forsaken(const struct ls_roster *roster);
/* One worker fewer is on its way; true: one was. */
bool ls_roster_expect_fewer(struct ls_roster *roster);
/* Workers are granted; how many of them are still to come. */
size_t ls_roster_grant(struct ls_roster *roster, size_t workers);
void ls_roster_refuse(struct ls_roster *roster, size_t workers);
/* Workers that are wanted and neither there nor on their way, nor in a place that stays empty. */
size_t ls_roster_missing(const struct ls_roster *roster);

/* A result settled units: it may be the last one, behind which no suspension belongs to the run. */
void ls_roster_mark(struct ls_roster *roster, double now_s);
/* Seconds for which the slot's workers were suspended until then: the last mark, or now. */
double ls_roster_suspended_s(const struct ls_roster *roster, uint32_t slot, double until_s);

/* The slot's worker says that it was stopped for the last `seconds`: those for which it was not
 * taken for suspended count as suspended, too. */
void ls_roster_stood(struct ls_roster *roster, uint32_t slot, double seconds, double now_s);

/* Counts the time that workers were active up to now. */
void ls_roster_count_time(struct ls_roster *roster, double now_s);
bool ls_roster_is_sound(const struct ls_roster *roster);

static inline bool ls_roster_is(const struct ls_roster *roster, uint32_t slot,
                                enum ls_presence presence) {
  return slot < roster->count && roster->slots[slot].presence == presence;
}
/* Active, away for a while, or leaving. */
static inline bool ls_roster_is_there(const struct ls_roster *roster, uint32_t slot) {
  enum ls_presence presence =
      slot < roster->count ? roster->slots[slot].presence : LS_PRESENCE_ABSENT;
  return presence >= LS_PRESENCE_ACTIVE && presence <= LS_PRESENCE_LEAVING;
}
static inline size_t ls_roster_active(const struct ls_roster *roster) {
  return roster->present[LS_PRESENCE_ACTIVE];
}

#endif
