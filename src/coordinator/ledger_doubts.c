/* ledger_doubts.c: units that wait behind all others, since a worker that is away may have them. */
#include <assert.h>

#include "coordinator/ledger.h"

static uint64_t mark(struct ls_ledger *ledger, const struct ls_piece_list *list,
                     enum ls_unit_state from, enum ls_unit_state to) {
  uint64_t units = 0;
  for (uint32_t i = list->first; i != LS_INDEX_NONE; i = ledger->pieces.items[i].next) {
    const struct ls_range *range = &ledger->pieces.items[i].units;
    assert(ledger->state[range->first] == from);
    for (uint64_t k = 0; k < range->count; k++) ledger->state[range->first + k] = (uint8_t)to;
    units += range->count;
  }
  return units;
}

enum ls_status ls_ledger_doubt(struct ls_ledger *ledger, uint32_t slot,
                               struct ls_piece_list *list) {
  if (list->count == 0) return LS_OK;
  if (ls_doubts_reserve(&ledger->doubts) != LS_OK) return LS_ENOMEM;
  uint64_t units = mark(ledger, list, LS_UNIT_SENT, LS_UNIT_WAITING);
  ls_doubts_add(&ledger->doubts, &ledger->pieces, slot, list);
  ledger->sent -= units;
  ledger->waiting.units += units;
  ledger->returned += units;
  return LS_OK;
}

void ls_ledger_ask(struct ls_ledger *ledger, uint32_t slot, struct ls_piece_list *out) {
  ls_doubts_take(&ledger->doubts, &ledger->pieces, slot, out);
  uint64_t units = mark(ledger, out, LS_UNIT_WAITING, LS_UNIT_SENT);
  ledger->waiting.units -= units;
  ledger->sent += units;
}

/* The units, which wait, do so in front. */
static void move_to_front(struct ls_ledger *ledger, struct ls_piece_list *list) {
  ls_piece_splice(&ledger->pieces, list, &ledger->waiting.front);
  ledger->waiting.front = *list;
}

bool ls_ledger_trust(struct ls_ledger *ledger, uint32_t slot) {
  struct ls_piece_list list;
  ls_piece_list_init(&list);
  ls_doubts_take(&ledger->doubts, &ledger->pieces, slot, &list);
  if (list.count == 0) return false;
  move_to_front(ledger, &list);
  return true;
}

bool ls_ledger_trust_overdue(struct ls_ledger *ledger, double now_s) {
  struct ls_piece_list list;
  ls_piece_list_init(&list);
  if (!ls_doubts_take_overdue(&ledger->doubts, &ledger->pieces, now_s, &list)) return false;
  move_to_front(ledger, &list);
  return true;
}
