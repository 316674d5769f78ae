/* doubts.h: units that wait although a worker may have them.
 *
 * A worker that fell silent, or was cut off, goes on with what it has: until it says what that is,
 * any of its units may be done.  They wait, but behind all others (docs/decisions/0018).  One that
 * is lost may come back in another slot, until it has given up, too.  Invariants
 * (ls_doubts_are_sound): an entry holds units; a slot has one entry at most.
 */
#ifndef LS_COORDINATOR_BOOKS_DOUBTS_H
#define LS_COORDINATOR_BOOKS_DOUBTS_H

#include "coordinator/books/pieces.h"

/* Of one worker. */
struct ls_doubt {
  struct ls_piece_list units; /* in the order in which it has them */
  double until_s;             /* of a lost one: then it has given up */
  uint32_t slot;              /* LS_INDEX_NONE: the worker is lost */
};

/* That of the worker which has been away for longest comes first. */
struct ls_doubts {
  struct ls_doubt *items;
  size_t count, capacity;
  uint64_t units;
};

void ls_doubts_close(struct ls_doubts *doubts);
/* Room for one worker more. */
LS_CHECKED enum ls_status ls_doubts_reserve(struct ls_doubts *doubts);
/* The units of the list, of which there are some, and which is emptied: the slot's worker has them
 * before those that it may have already. */
void ls_doubts_add(struct ls_doubts *doubts, struct ls_piece_store *pieces, uint32_t slot,
                   struct ls_piece_list *units);
/* All units of the slot's worker leave, into the empty list. */
void ls_doubts_take(struct ls_doubts *doubts, const struct ls_piece_store *pieces, uint32_t slot,
                    struct ls_piece_list *out);
/* The first ones leave, at most `units` of them; there are some.  No new piece. */
struct ls_range ls_doubts_pop(struct ls_doubts *doubts, struct ls_piece_store *pieces,
                              uint64_t units);
bool ls_doubts_have(const struct ls_doubts *doubts, const struct ls_piece_store *pieces,
                    uint64_t unit);
/* The unit leaves; false: it is not here.  At most one new piece. */
bool ls_doubts_cut(struct ls_doubts *doubts, struct ls_piece_store *pieces, uint64_t unit);

/* The slot's worker is lost. */
void ls_doubts_orphan(struct ls_doubts *doubts, uint32_t slot, double until_s);
/* The lost worker that may have the unit is the one in the slot; false: there is none. */
bool ls_doubts_recognise(struct ls_doubts *doubts, const struct ls_piece_store *pieces,
                         uint32_t slot, uint64_t unit);
/* The units of a lost worker that has given up by now leave, into the empty list; false: of none.
 */
bool ls_doubts_take_overdue(struct ls_doubts *doubts, const struct ls_piece_store *pieces,
                            double now_s, struct ls_piece_list *out);
/* When the next lost worker gives up; HUGE_VAL: none will. */
double ls_doubts_overdue_s(const struct ls_doubts *doubts);

bool ls_doubts_are_sound(const struct ls_doubts *doubts, const struct ls_piece_store *pieces);

#endif
