/* pieces.h: ranges of units in singly linked lists, all in one store.
 *
 * A piece is a range; a list belongs either to the units that wait or to one chunk, for all beside
 * its first range, so that units move by moving pieces.  Pieces are indices: the store may move
 * when it grows.  A caller reserves first; after that nothing fails.
 */
#ifndef LS_COORDINATOR_BOOKS_PIECES_H
#define LS_COORDINATOR_BOOKS_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"

#define LS_INDEX_NONE UINT32_MAX

struct ls_piece {
  struct ls_range units;
  uint32_t next;
};

/* The ones never used begin at `used`, the ones given back hang on `free_first`. */
struct ls_piece_store {
  struct ls_piece *items;
  size_t capacity, live; /* live: in some list */
  uint32_t used, free_first;
  const uint32_t *lane_of; /* by unit: a piece holds units of one lane; NULL: there is one lane */
};

struct ls_piece_list {
  uint32_t first, last;
  uint64_t count;
};

void ls_pieces_init(struct ls_piece_store *store);
void ls_pieces_close(struct ls_piece_store *store);
/* Room for so many more pieces. */
LS_CHECKED enum ls_status ls_pieces_reserve(struct ls_piece_store *store, size_t more);
/* Forgets all pieces; the lists are void. */
void ls_pieces_clear(struct ls_piece_store *store);

static inline void ls_piece_list_init(struct ls_piece_list *list) {
  *list = (struct ls_piece_list){LS_INDEX_NONE, LS_INDEX_NONE, 0};
}
/* Behind the last one, or joined to it where it continues it. At most one piece. */
void ls_piece_append(struct ls_piece_store *store, struct ls_piece_list *list,
                     struct ls_range units);
/* Before the first one. One piece. */
void ls_piece_prepend(struct ls_piece_store *store, struct ls_piece_list *list,
                      struct ls_range units);
/* Takes the first range off a list that has one. */
struct ls_range ls_piece_pop(struct ls_piece_store *store, struct ls_piece_list *list);
/* Puts `tail` behind `list` and empties it. */
void ls_piece_splice(struct ls_piece_store *store, struct ls_piece_list *list,
                     struct ls_piece_list *tail);
/* Takes the first part of the list that lies within `wanted` out of it; false: there is none.  At
 * most one new piece. */
bool ls_piece_cut(struct ls_piece_store *store, struct ls_piece_list *list,
                  const struct ls_range *wanted, struct ls_range *taken);
/* Does a range of the list hold the unit? */
bool ls_piece_list_has(const struct ls_piece_store *store, const struct ls_piece_list *list,
                       uint64_t unit);

/* The units that two ranges share; count 0: none. */
static inline struct ls_range ls_range_meet(const struct ls_range *a, const struct ls_range *b) {
  uint64_t first = a->first > b->first ? a->first : b->first;
  uint64_t a_end = a->first + a->count, b_end = b->first + b->count;
  uint64_t end = a_end < b_end ? a_end : b_end;
  return (struct ls_range){first, end > first ? end - first : 0};
}

#endif
