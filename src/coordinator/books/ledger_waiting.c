/* ledger_waiting.c: the units that wait, looked at in the order in which they are sent; and those
 * that pause before they do.
 */
#include <assert.h>

#include "coordinator/books/ledger.h"

static uint64_t get_ordered(const struct ls_waiting *waiting, uint64_t at) {
  return waiting->order != NULL ? waiting->order[at] : at;
}

uint64_t ls_ledger_peek(const struct ls_ledger *ledger) {
  const struct ls_waiting *waiting = &ledger->waiting;
  assert(waiting->units > 0);
  if (waiting->front.count > 0) return ledger->pieces.items[waiting->front.first].units.first;
  if (waiting->cursor < waiting->end) return get_ordered(waiting, waiting->cursor);
  return ledger->pieces.items[ledger->doubts.items[0].units.first].units.first;
}

uint64_t ls_ledger_peek_last(const struct ls_ledger *ledger) {
  const struct ls_waiting *waiting = &ledger->waiting;
  assert(waiting->units > 0);
  if (waiting->cursor < waiting->end) return get_ordered(waiting, waiting->end - 1);
  const struct ls_piece_list *last = &waiting->front;
  if (last->count == 0) last = &ledger->doubts.items[ledger->doubts.count - 1].units;
  struct ls_range range = ledger->pieces.items[last->last].units;
  return range.first + range.count - 1;
}

bool ls_ledger_walk(const struct ls_ledger *ledger, struct ls_waiting_walk *walk, uint64_t *unit) {
  const struct ls_waiting *waiting = &ledger->waiting;
  bool is_ordered = walk->piece == LS_INDEX_NONE && walk->doubts == 0;
  if (is_ordered && walk->offset < waiting->end - waiting->cursor) {
    *unit = get_ordered(waiting, waiting->cursor + walk->offset++);
    return true;
  }
  if (walk->piece == LS_INDEX_NONE) {
    if (walk->doubts == ledger->doubts.count) return false;
    walk->piece = ledger->doubts.items[walk->doubts++].units.first;
    walk->offset = 0;
  }
  const struct ls_piece *piece = &ledger->pieces.items[walk->piece];
  *unit = piece->units.first + walk->offset++;
  if (walk->offset < piece->units.count) return true;
  walk->piece = piece->next;
  walk->offset = 0;
  return true;
}

void ls_ledger_pause(struct ls_ledger *ledger, uint64_t unit) {
  assert(ledger->state[unit] == LS_UNIT_SENT && ledger->sent > 0);
  ledger->state[unit] = LS_UNIT_PAUSED;
  ledger->sent--;
  ledger->paused++;
}

void ls_ledger_resume(struct ls_ledger *ledger, uint64_t unit) {
  assert(ledger->state[unit] == LS_UNIT_PAUSED && ledger->paused > 0);
  ledger->state[unit] = LS_UNIT_SENT;
  ledger->paused--;
  ledger->sent++;
}

/* Who has lost a worker came back, so it waits in front. */
uint64_t ls_ledger_count_together(const struct ls_ledger *ledger, uint64_t most) {
  uint64_t before = 0;
  uint32_t piece = ledger->kills != NULL ? ledger->waiting.front.first : LS_INDEX_NONE;
  for (; piece != LS_INDEX_NONE && before < most; piece = ledger->pieces.items[piece].next) {
    const struct ls_range *units = &ledger->pieces.items[piece].units;
    for (uint64_t i = 0; i < units->count && before < most; i++, before++)
      if (ledger->kills[units->first + i] > 0) return before > 0 ? before : 1;
  }
  return most;
}
