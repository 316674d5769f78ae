/* ledger_doubts.c: units that wait behind all others, since a worker that is away may have them. */
#include <assert.h>
#include <math.h>

#include "coordinator/books/ledger.h"

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

/* The other lanes, one after the other from the one behind that in focus on, and that at last. */
static bool go_on(struct ls_ledger *ledger, uint32_t *left) {
  if (ledger->lanes == NULL || *left == 0) return false;
  --*left;
  (void)ls_ledger_focus(ledger, (ledger->lane + 1) % ledger->lanes_count);
  return *left > 0;
}

/* In the lane in focus, in which there is room for it. */
static void doubt_here(struct ls_ledger *ledger, uint32_t slot, struct ls_piece_list *list) {
  if (list->count == 0) return;
  uint64_t units = mark(ledger, list, LS_UNIT_SENT, LS_UNIT_WAITING);
  ls_doubts_add(&ledger->doubts, &ledger->pieces, slot, list);
  ledger->sent -= units;
  ledger->waiting.units += units;
  ledger->returned += units;
  if (ledger->lanes != NULL) ledger->lanes[ledger->lane].returned += units;
}

enum ls_status ls_ledger_doubt(struct ls_ledger *ledger, uint32_t slot,
                               struct ls_piece_list *list) {
  uint32_t left = ledger->lanes_count;
  if (list->count == 0) return LS_OK;
  do {
    if (ls_doubts_reserve(&ledger->doubts) != LS_OK) return LS_ENOMEM;
  } while (go_on(ledger, &left));
  if (ledger->lanes == NULL) {
    doubt_here(ledger, slot, list);
    return LS_OK;
  }
  ls_ledger_sort_by_lane(ledger, list);
  left = ledger->lanes_count;
  do {
    doubt_here(ledger, slot, &ledger->lanes[ledger->lane].back);
  } while (go_on(ledger, &left));
  return LS_OK;
}

void ls_ledger_ask(struct ls_ledger *ledger, uint32_t slot, struct ls_piece_list *out) {
  uint32_t left = ledger->lanes_count;
  do {
    struct ls_piece_list here;
    ls_piece_list_init(&here);
    ls_doubts_take(&ledger->doubts, &ledger->pieces, slot, &here);
    uint64_t units = mark(ledger, &here, LS_UNIT_WAITING, LS_UNIT_SENT);
    ledger->waiting.units -= units;
    ledger->sent += units;
    ls_piece_splice(&ledger->pieces, out, &here);
  } while (go_on(ledger, &left));
}

/* The units, which wait, do so in front. */
static void move_to_front(struct ls_ledger *ledger, struct ls_piece_list *list) {
  ls_piece_splice(&ledger->pieces, list, &ledger->waiting.front);
  ledger->waiting.front = *list;
}

bool ls_ledger_trust(struct ls_ledger *ledger, uint32_t slot) {
  uint32_t left = ledger->lanes_count;
  bool is_any = false;
  do {
    struct ls_piece_list list;
    ls_piece_list_init(&list);
    ls_doubts_take(&ledger->doubts, &ledger->pieces, slot, &list);
    if (list.count == 0) continue;
    move_to_front(ledger, &list);
    is_any = true;
  } while (go_on(ledger, &left));
  return is_any;
}

bool ls_ledger_trust_overdue(struct ls_ledger *ledger, double now_s) {
  uint32_t left = ledger->lanes_count;
  bool is_any = false;
  do {
    struct ls_piece_list list;
    ls_piece_list_init(&list);
    if (!ls_doubts_take_overdue(&ledger->doubts, &ledger->pieces, now_s, &list)) continue;
    move_to_front(ledger, &list);
    is_any = true;
  } while (go_on(ledger, &left));
  return is_any;
}

static const struct ls_doubts *doubts_of(const struct ls_ledger *ledger, uint32_t lane) {
  return lane == ledger->lane ? &ledger->doubts : &ledger->lanes[lane].doubts;
}

bool ls_ledger_is_doubtful(const struct ls_ledger *ledger, uint64_t unit) {
  return ls_doubts_have(doubts_of(ledger, ls_ledger_lane_of(ledger, unit)), &ledger->pieces, unit);
}

void ls_ledger_orphan(struct ls_ledger *ledger, uint32_t slot, double until_s) {
  uint32_t left = ledger->lanes_count;
  do {
    ls_doubts_orphan(&ledger->doubts, slot, until_s);
  } while (go_on(ledger, &left));
}

bool ls_ledger_recognise(struct ls_ledger *ledger, uint32_t slot, uint64_t unit) {
  uint32_t focus = ls_ledger_focus(ledger, ls_ledger_lane_of(ledger, unit));
  bool is_found = ls_doubts_recognise(&ledger->doubts, &ledger->pieces, slot, unit);
  (void)ls_ledger_focus(ledger, focus);
  return is_found;
}

double ls_ledger_overdue_s(const struct ls_ledger *ledger) {
  double first_s = ls_doubts_overdue_s(&ledger->doubts);
  for (uint32_t i = 0; i < ledger->lanes_count; i++)
    first_s = fmin(first_s, ls_doubts_overdue_s(doubts_of(ledger, i)));
  return first_s;
}
