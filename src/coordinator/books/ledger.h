/* ledger.h: the state of every unit of an iteration and of every chunk that is out.
 *
 * A unit waits, is sent, pauses, or is final (done, failed, given up).  Where not every worker may
 * have every unit, those of which the same workers may have each wait in a lane of their own: what
 * is peeked at, walked through and sent is of the lane in focus, the rest minds all of them.  A
 * chunk is a set of ranges of one lane at one slot; it lives until each of its units has left it.
 * Invariants (ls_ledger_is_sound): waiting + sent + paused + final = all; a unit that was sent once
 * stands in one chunk, a replica in two; a chunk that lives holds units.  A verb reserves its
 * memory first: LS_ENOMEM means that nothing has changed.
 */
#ifndef LS_COORDINATOR_BOOKS_LEDGER_H
#define LS_COORDINATOR_BOOKS_LEDGER_H

#include "coordinator/books/doubts.h"
#include "model/outcome.h"

enum { LS_FAILURES_MAX = UINT16_MAX, LS_KILLS_MAX = UINT8_MAX };

enum ls_unit_state {
  LS_UNIT_WAITING,
  LS_UNIT_SENT,
  LS_UNIT_PAUSED, /* failed, and waits until it may be tried again */
  LS_UNIT_DONE,
  LS_UNIT_FAILED,
  LS_UNIT_GIVEN_UP
};

struct ls_chunk {
  uint64_t id;
  uint64_t units;      /* that it holds: `range`, and then the pieces of `rest` */
  uint64_t units_sent; /* that it held at first, which its costs go by */
  struct ls_range range;
  struct ls_piece_list rest;
  double sent_s;
  uint32_t slot, next, previous; /* neighbours at the slot, in the order of sending */
  bool is_cancelled, is_replica;
};

struct ls_ledger_slot {
  uint32_t first, last; /* chunks, the oldest first */
  size_t chunks;
  uint64_t units;
};

/* The units that wait: those that came back first, then the order of the iteration from `cursor`
 * on, then those that a worker may have. */
struct ls_waiting {
  struct ls_piece_list front;
  uint64_t *order; /* NULL: the units as numbered */
  uint64_t cursor, end, units;
};

/* A lane that may be out of focus. */
struct ls_lane {
  struct ls_waiting waiting;
  struct ls_doubts doubts;
  size_t order_capacity;
  struct ls_piece_list back; /* on its way into the lane, within a call */
  uint64_t returned;         /* units that came back and were not asked for since */
};

struct ls_ledger {
  uint64_t units, sent, paused, done, failed, given_up,
      returned; /* returned: to the waiting, of the run */
  uint8_t *state;
  uint64_t units_capacity; /* of what is kept by unit */
  uint16_t *failures;      /* by unit; NULL: none yet */
  uint8_t *kills;
  struct ls_waiting waiting; /* of the lane in focus, as */
  struct ls_doubts doubts;   /* those of them that a worker may have */
  struct ls_lane *lanes;     /* that in focus is not up to date; NULL: there is one lane */
  uint32_t lanes_count, lane;
  uint32_t *lane_of;                            /* by unit; NULL with the lanes */
  uint64_t waiting_elsewhere, doubts_elsewhere; /* units in the other lanes */
  struct ls_piece_store pieces;
  struct ls_chunk *chunks;
  size_t chunks_capacity, chunks_live;
  uint32_t chunks_used, chunks_free;
  uint64_t next_chunk;
  struct ls_ledger_slot *slots;
  size_t slots_count, slots_capacity;
  size_t crowded; /* slots with more than one unit: they do not run all they have */
};

/* An iteration before it begins: which units are settled already, and the order of the others. */
struct ls_ledger_page {
  uint64_t units, done, failed, order_count;
  uint8_t *state;
  uint64_t *order;                /* NULL: as numbered */
  uint32_t *lane_of, lanes_count; /* NULL: there is one lane */
};

void ls_ledger_init(struct ls_ledger *ledger);
void ls_ledger_close(struct ls_ledger *ledger);
/* Slots below `slots` exist from now on. */
LS_CHECKED enum ls_status ls_ledger_add_slots(struct ls_ledger *ledger, size_t slots);
/* All units wait. On success the caller gives the page to ls_ledger_open or ls_ledger_page_close.
 */
LS_CHECKED enum ls_status ls_ledger_page_init(struct ls_ledger_page *page, uint64_t units);
void ls_ledger_page_close(struct ls_ledger_page *page);
/* The range is settled already; earlier marks stay. Within the units. */
void ls_ledger_page_settle(struct ls_ledger_page *page, struct ls_range units,
                           enum ls_outcome outcome);
/* Takes the page over, in place of the last iteration, of which no unit is sent. */
LS_CHECKED enum ls_status ls_ledger_open(struct ls_ledger *ledger, struct ls_ledger_page *page);

/* The unit that is sent next; some wait. */
uint64_t ls_ledger_peek(const struct ls_ledger *ledger);
/* The last one of the order; where there is none, of those that came back. */
uint64_t ls_ledger_peek_last(const struct ls_ledger *ledger);
/* Goes through the units that wait, in the order of sending, while nothing changes; false: there
 * are no more. */
struct ls_waiting_walk {
  uint32_t piece; /* of the front, or of a doubt; LS_INDEX_NONE: behind it */
  uint64_t offset;
  size_t doubts; /* so many were begun */
};
static inline struct ls_waiting_walk ls_ledger_walk_begin(const struct ls_ledger *ledger) {
  return (struct ls_waiting_walk){ledger->waiting.front.first, 0, 0};
}
bool ls_ledger_walk(const struct ls_ledger *ledger, struct ls_waiting_walk *walk, uint64_t *unit);
/* So many more units wait, behind all others; the iteration is open, and has one lane. */
LS_CHECKED enum ls_status ls_ledger_add(struct ls_ledger *ledger, uint64_t units);
/* The first `units` that wait, as a chunk for the slot. */
LS_CHECKED enum ls_status ls_ledger_send(struct ls_ledger *ledger, uint32_t slot, uint64_t units,
                                         double now_s, uint32_t *chunk);
/* A chunk of one unit that another slot has. */
LS_CHECKED enum ls_status ls_ledger_send_replica(struct ls_ledger *ledger, uint32_t slot,
                                                 uint64_t unit, double now_s, uint32_t *chunk);
/* The live chunk of the slot with that number, or the one that holds the unit; LS_INDEX_NONE. */
uint32_t ls_ledger_find(const struct ls_ledger *ledger, uint32_t slot, uint64_t id);
uint32_t ls_ledger_holding(const struct ls_ledger *ledger, uint32_t slot, uint64_t unit);
/* Takes a part that lies within `wanted` out of the chunk; count 0: it has none.  An emptied chunk
 * is forgotten with it. */
LS_CHECKED enum ls_status ls_ledger_take(struct ls_ledger *ledger, uint32_t chunk,
                                         const struct ls_range *wanted, struct ls_range *taken);
/* All that is at the slot leaves it, in the order of sending, into the empty list. */
LS_CHECKED enum ls_status ls_ledger_withdraw(struct ls_ledger *ledger, uint32_t slot,
                                             struct ls_piece_list *out);
/* The same, but for the first unit of the oldest chunk, which runs. */
LS_CHECKED enum ls_status ls_ledger_withdraw_waiting(struct ls_ledger *ledger, uint32_t slot,
                                                     struct ls_piece_list *out);
/* A unit that waits is sent, and in no chunk. */
LS_CHECKED enum ls_status ls_ledger_claim(struct ls_ledger *ledger, uint64_t unit);
/* A claimed unit is in the chunk of this number, of the slot, behind its others: it is as if it had
 * not returned. */
LS_CHECKED enum ls_status ls_ledger_adopt(struct ls_ledger *ledger, uint32_t slot, uint64_t id,
                                          uint64_t unit, double now_s);
/* The same, behind the content of the list. */
LS_CHECKED enum ls_status ls_ledger_set_aside(struct ls_ledger *ledger, uint64_t unit,
                                              struct ls_piece_list *list);
/* Behind the content of the list. */
LS_CHECKED enum ls_status ls_ledger_gather(struct ls_ledger *ledger, struct ls_piece_list *list,
                                           struct ls_range units);
/* Units that are sent and in no chunk wait again, before all others; the list is emptied. */
void ls_ledger_return(struct ls_ledger *ledger, struct ls_piece_list *list);
/* The same of units that were set aside: they are not counted as returned; their number. */
uint64_t ls_ledger_put_back(struct ls_ledger *ledger, struct ls_piece_list *list);
/* A unit that is sent and in no chunk pauses; one that pauses is as it was before. */
void ls_ledger_pause(struct ls_ledger *ledger, uint64_t unit);
void ls_ledger_resume(struct ls_ledger *ledger, uint64_t unit);
/* Units that are sent are final now. */
void ls_ledger_settle(struct ls_ledger *ledger, const struct ls_range *units,
                      enum ls_outcome outcome);
/* One more failure, or one more loss of the worker that ran it; how many there are by now. */
LS_CHECKED enum ls_status ls_ledger_count_failure(struct ls_ledger *ledger, uint64_t unit,
                                                  uint64_t *failures);
LS_CHECKED enum ls_status ls_ledger_count_kill(struct ls_ledger *ledger, uint64_t unit,
                                               uint64_t *kills);

/* ---- ledger_doubts.c ---- */

/* Units that are sent and in no chunk wait again, behind all others: the slot's worker may have
 * them, before those that it may have already; the list is emptied. */
LS_CHECKED enum ls_status ls_ledger_doubt(struct ls_ledger *ledger, uint32_t slot,
                                          struct ls_piece_list *list);
/* What the slot's worker may have is sent, and in no chunk, until it says what it has: in its
 * order, in the empty list. */
void ls_ledger_ask(struct ls_ledger *ledger, uint32_t slot, struct ls_piece_list *out);
/* What the slot's worker may have waits before all others: it has none of it; false: there is none.
 */
bool ls_ledger_trust(struct ls_ledger *ledger, uint32_t slot);
/* The same of a lost worker that has given up by now. */
bool ls_ledger_trust_overdue(struct ls_ledger *ledger, double now_s);
/* As in doubts.h, of the units of all lanes. */
bool ls_ledger_is_doubtful(const struct ls_ledger *ledger, uint64_t unit);
void ls_ledger_orphan(struct ls_ledger *ledger, uint32_t slot, double until_s);
bool ls_ledger_recognise(struct ls_ledger *ledger, uint32_t slot, uint64_t unit);
double ls_ledger_overdue_s(const struct ls_ledger *ledger);

/* ---- ledger_lanes.c ---- */

/* The lanes of the page, in its order, for the page to be opened; the caller's. */
LS_CHECKED enum ls_status ls_lanes_make(const struct ls_ledger_page *page, struct ls_lane **lanes);
void ls_lanes_close(struct ls_lane *lanes, uint32_t count);
/* What is peeked at and sent is of this lane from now on; the lane that it was of. */
uint32_t ls_ledger_focus(struct ls_ledger *ledger, uint32_t lane);
/* So many more units wait, behind the others of their lanes, of which there are `lanes` now. */
LS_CHECKED enum ls_status ls_ledger_add_to_lanes(struct ls_ledger *ledger, const uint32_t *lane_of,
                                                 uint64_t units, uint32_t lanes);
/* What is in the list goes into the `back` of its lanes; the list is emptied. */
void ls_ledger_sort_by_lane(struct ls_ledger *ledger, struct ls_piece_list *list);
/* The units that came back into the lane in focus since this was asked for last. */
uint64_t ls_ledger_take_returned(struct ls_ledger *ledger);
/* Room for what is kept by unit. */
LS_CHECKED enum ls_status ls_ledger_reserve_units(struct ls_ledger *ledger, uint64_t units);

bool ls_ledger_is_sound(const struct ls_ledger *ledger); /* O(units), for tests */

/* The ranges of a chunk one after the other: `*cursor` is LS_INDEX_NONE at first; false: no more.
 */
bool ls_ledger_next_range(const struct ls_ledger *ledger, const struct ls_chunk *chunk,
                          uint32_t *cursor, struct ls_range *range);
static inline bool ls_ledger_is_settled(const struct ls_ledger *ledger) {
  return ledger->done + ledger->failed + ledger->given_up == ledger->units;
}
static inline uint32_t ls_ledger_lane_of(const struct ls_ledger *ledger, uint64_t unit) {
  return ledger->lane_of != NULL ? ledger->lane_of[unit] : 0;
}
/* Units that wait, in whatever lane; those of them that a worker may have. */
static inline uint64_t ls_ledger_waiting(const struct ls_ledger *ledger) {
  return ledger->waiting.units + ledger->waiting_elsewhere;
}
static inline uint64_t ls_ledger_doubtful(const struct ls_ledger *ledger) {
  return ledger->doubts.units + ledger->doubts_elsewhere;
}
/* Has all that waits been sent before? */
static inline bool ls_ledger_is_all_back(const struct ls_ledger *ledger) {
  return ledger->waiting.cursor == ledger->waiting.end;
}
/* Units that wait and that no worker may have. */
static inline uint64_t ls_ledger_count_sure(const struct ls_ledger *ledger) {
  return ledger->waiting.units - ledger->doubts.units;
}
/* Units that wait and were sent before, or stand before others for the sake of a worker. */
static inline uint64_t ls_ledger_count_back(const struct ls_ledger *ledger) {
  return ledger->waiting.units - (ledger->waiting.end - ledger->waiting.cursor);
}
static inline bool ls_ledger_has(const struct ls_ledger *ledger, const struct ls_range *range) {
  return range->first < ledger->units && range->count <= ledger->units - range->first;
}
static inline uint64_t ls_ledger_failures(const struct ls_ledger *ledger, uint64_t unit) {
  return ledger->failures != NULL ? ledger->failures[unit] : 0;
}
/* Of the next `most` units that wait: those before the first one that has lost a worker; 1: it is
 * the first. */
uint64_t ls_ledger_count_together(const struct ls_ledger *ledger, uint64_t most);
static inline uint64_t ls_ledger_kills(const struct ls_ledger *ledger, uint64_t unit) {
  return ledger->kills != NULL ? ledger->kills[unit] : 0;
}
/* The number of the unit's attempt that is under way, or comes next: 1 is the first. */
static inline uint64_t ls_ledger_attempt(const struct ls_ledger *ledger, uint64_t unit) {
  return 1 + ls_ledger_failures(ledger, unit) + ls_ledger_kills(ledger, unit);
}

#endif
