/* ledger_lanes.c: lanes of units of which not the same workers may have each. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/books/ledger.h"

void ls_lanes_close(struct ls_lane *lanes, uint32_t count) {
  for (uint32_t i = 0; lanes != NULL && i < count; i++) {
    free(lanes[i].waiting.order);
    ls_doubts_close(&lanes[i].doubts);
  }
  free(lanes);
}

static void open_lane(struct ls_lane *lane) {
  *lane = (struct ls_lane){0};
  ls_piece_list_init(&lane->waiting.front);
  ls_piece_list_init(&lane->back);
}

/* Room for so many units behind the order. */
static enum ls_status reserve_order(struct ls_lane *lane, uint64_t more) {
  void *items = lane->waiting.order;
  if (more > SIZE_MAX - lane->waiting.end) return LS_ENOMEM;
  enum ls_status status =
      ls_array_reserve(&items, &lane->order_capacity, (size_t)(lane->waiting.end + more),
                       sizeof *lane->waiting.order);
  lane->waiting.order = items;
  return status;
}

static void append(struct ls_lane *lane, uint64_t unit) {
  lane->waiting.order[lane->waiting.end++] = unit;
  lane->waiting.units++;
}

enum ls_status ls_lanes_make(const struct ls_ledger_page *page, struct ls_lane **out) {
  uint32_t count = page->lanes_count;
  uint64_t units = page->order != NULL ? page->order_count : page->units;
  struct ls_lane *lanes = calloc(count, sizeof *lanes);
  uint64_t *lengths = calloc(count, sizeof *lengths);
  enum ls_status status = lanes != NULL && lengths != NULL ? LS_OK : LS_ENOMEM;
  for (uint64_t i = 0; i < units && status == LS_OK; i++) {
    uint64_t unit = page->order != NULL ? page->order[i] : i;
    assert(page->lane_of[unit] < count);
    lengths[page->lane_of[unit]] += page->state[unit] == LS_UNIT_WAITING;
  }
  for (uint32_t i = 0; i < count && status == LS_OK; i++) {
    open_lane(&lanes[i]);
    status = reserve_order(&lanes[i], lengths[i]);
  }
  for (uint64_t i = 0; i < units && status == LS_OK; i++) {
    uint64_t unit = page->order != NULL ? page->order[i] : i;
    if (page->state[unit] == LS_UNIT_WAITING) append(&lanes[page->lane_of[unit]], unit);
  }
  free(lengths);
  if (status == LS_OK)
    *out = lanes;
  else
    ls_lanes_close(lanes, count);
  return status;
}

uint32_t ls_ledger_focus(struct ls_ledger *ledger, uint32_t lane) {
  uint32_t before = ledger->lane;
  if (lane == before) return before;
  struct ls_lane *from = &ledger->lanes[before], *to = &ledger->lanes[lane];
  assert(lane < ledger->lanes_count);
  from->waiting = ledger->waiting;
  from->doubts = ledger->doubts;
  ledger->waiting = to->waiting;
  ledger->doubts = to->doubts;
  ledger->waiting_elsewhere += from->waiting.units - to->waiting.units;
  ledger->doubts_elsewhere += from->doubts.units - to->doubts.units;
  ledger->lane = lane;
  return before;
}

static enum ls_status add_lanes(struct ls_ledger *ledger, uint32_t count) {
  if (count <= ledger->lanes_count) return LS_OK;
  struct ls_lane *lanes = realloc(ledger->lanes, count * sizeof *lanes);
  if (lanes == NULL) return LS_ENOMEM;
  ledger->lanes = lanes;
  while (ledger->lanes_count < count) open_lane(&lanes[ledger->lanes_count++]);
  return LS_OK;
}

enum ls_status ls_ledger_add_to_lanes(struct ls_ledger *ledger, const uint32_t *lane_of,
                                      uint64_t units, uint32_t count) {
  assert(ledger->lanes != NULL);
  if (units > UINT64_MAX / 4 || ledger->units > UINT64_MAX / 4) return LS_ENOMEM;
  if (ls_ledger_reserve_units(ledger, ledger->units + units) != LS_OK) return LS_ENOMEM;
  if (add_lanes(ledger, count) != LS_OK) return LS_ENOMEM;
  uint64_t *lengths = calloc(count, sizeof *lengths);
  enum ls_status status = lengths != NULL ? LS_OK : LS_ENOMEM;
  for (uint64_t i = 0; i < units && status == LS_OK; i++) lengths[lane_of[i]]++;
  /* The one in focus is up to date while it is not. */
  ledger->lanes[ledger->lane].waiting = ledger->waiting;
  for (uint32_t i = 0; i < count && status == LS_OK; i++)
    status = reserve_order(&ledger->lanes[i], lengths[i]);
  for (uint64_t i = 0; i < units && status == LS_OK; i++) {
    append(&ledger->lanes[lane_of[i]], ledger->units + i);
    ledger->lane_of[ledger->units + i] = lane_of[i];
    ledger->waiting_elsewhere += lane_of[i] != ledger->lane;
  }
  ledger->waiting = ledger->lanes[ledger->lane].waiting;
  if (status == LS_OK) ledger->units += units;
  free(lengths);
  return status;
}

/* A node that one list gives back another one takes: nothing is to be reserved. */
void ls_ledger_sort_by_lane(struct ls_ledger *ledger, struct ls_piece_list *list) {
  while (list->count > 0) {
    struct ls_range units = ls_piece_pop(&ledger->pieces, list);
    ls_piece_append(&ledger->pieces, &ledger->lanes[ledger->lane_of[units.first]].back, units);
  }
}

uint64_t ls_ledger_take_returned(struct ls_ledger *ledger) {
  struct ls_lane *lane = &ledger->lanes[ledger->lane];
  uint64_t returned = lane->returned;
  lane->returned = 0;
  return returned;
}
