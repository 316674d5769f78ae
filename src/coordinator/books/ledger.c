/* ledger.c: units wait, are sent, come back and become final. */
#include "coordinator/books/ledger.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void ls_ledger_init(struct ls_ledger *ledger) {
  *ledger = (struct ls_ledger){.chunks_free = LS_INDEX_NONE};
  ls_pieces_init(&ledger->pieces);
  ls_piece_list_init(&ledger->waiting.front);
}

static void close_lanes(struct ls_ledger *ledger) {
  if (ledger->lanes == NULL) {
    free(ledger->waiting.order);
    ls_doubts_close(&ledger->doubts);
  } else {
    ledger->lanes[ledger->lane].waiting = ledger->waiting;
    ledger->lanes[ledger->lane].doubts = ledger->doubts;
    ls_lanes_close(ledger->lanes, ledger->lanes_count);
  }
  free(ledger->lane_of);
  ledger->lanes = NULL;
  ledger->lane_of = NULL;
  ledger->pieces.lane_of = NULL;
  ledger->lanes_count = ledger->lane = 0;
  ledger->waiting = (struct ls_waiting){0};
  ledger->doubts = (struct ls_doubts){0};
  ledger->waiting_elsewhere = ledger->doubts_elsewhere = 0;
}

void ls_ledger_close(struct ls_ledger *ledger) {
  free(ledger->state);
  free(ledger->failures);
  free(ledger->kills);
  close_lanes(ledger);
  free(ledger->chunks);
  free(ledger->slots);
  ls_pieces_close(&ledger->pieces);
  ls_ledger_init(ledger);
}

enum ls_status ls_ledger_add_slots(struct ls_ledger *ledger, size_t slots) {
  void *items = ledger->slots;
  if (slots <= ledger->slots_count) return LS_OK;
  enum ls_status status =
      ls_array_reserve(&items, &ledger->slots_capacity, slots, sizeof *ledger->slots);
  ledger->slots = items;
  while (status == LS_OK && ledger->slots_count < slots)
    ledger->slots[ledger->slots_count++] =
        (struct ls_ledger_slot){.first = LS_INDEX_NONE, .last = LS_INDEX_NONE};
  return status;
}

/* ---- an iteration begins ---- */

enum ls_status ls_ledger_page_init(struct ls_ledger_page *page, uint64_t units) {
  *page = (struct ls_ledger_page){.units = units};
  page->state = calloc(units > 0 ? units : 1, sizeof *page->state);
  return page->state != NULL ? LS_OK : LS_ENOMEM;
}

void ls_ledger_page_close(struct ls_ledger_page *page) {
  free(page->state);
  free(page->order);
  free(page->lane_of);
  *page = (struct ls_ledger_page){0};
}

void ls_ledger_page_settle(struct ls_ledger_page *page, struct ls_range units,
                           enum ls_outcome outcome) {
  bool is_done = outcome == LS_OUTCOME_DONE;
  assert(units.count <= page->units && units.first <= page->units - units.count);
  for (uint64_t i = units.first; i < units.first + units.count; i++) {
    if (page->state[i] != LS_UNIT_WAITING) continue;
    page->state[i] = is_done ? LS_UNIT_DONE : LS_UNIT_FAILED;
    page->done += is_done;
    page->failed += !is_done;
  }
}

/* Runs of units that still wait. */
static size_t count_runs(const struct ls_ledger_page *page) {
  size_t runs = 0;
  for (uint64_t i = 0; i < page->units; i++)
    runs += page->state[i] == LS_UNIT_WAITING && (i == 0 || page->state[i - 1] != LS_UNIT_WAITING);
  return runs;
}

/* Takes over the lanes, of which the first one is in focus. */
static void open_lanes(struct ls_ledger *ledger, const struct ls_ledger_page *page,
                       struct ls_lane *lanes) {
  ledger->lanes = lanes;
  ledger->lanes_count = page->lanes_count;
  ledger->lane_of = page->lane_of;
  ledger->pieces.lane_of = page->lane_of;
  ledger->waiting = lanes[0].waiting;
  for (uint32_t i = 1; i < page->lanes_count; i++)
    ledger->waiting_elsewhere += lanes[i].waiting.units;
  free(page->order);
}

/* In the order given, or between the units that were settled before. */
static void open_waiting(struct ls_ledger *ledger, const struct ls_ledger_page *page) {
  struct ls_waiting *waiting = &ledger->waiting;
  *waiting = (struct ls_waiting){.order = page->order};
  ls_piece_list_init(&waiting->front);
  waiting->units = page->units - page->done - page->failed;
  if (page->order != NULL) {
    waiting->end = page->order_count;
  } else if (waiting->units == page->units) {
    waiting->end = page->units;
  } else {
    for (uint64_t i = 0; i < page->units; i++)
      if (page->state[i] == LS_UNIT_WAITING)
        ls_piece_append(&ledger->pieces, &waiting->front, (struct ls_range){i, 1});
  }
}

enum ls_status ls_ledger_open(struct ls_ledger *ledger, struct ls_ledger_page *page) {
  struct ls_lane *lanes = NULL;
  bool is_divided = page->order == NULL && page->lane_of == NULL && page->done + page->failed > 0;
  assert(ledger->sent == 0 && ledger->chunks_live == 0 && ledger->pieces.live == 0);
  if (is_divided && ls_pieces_reserve(&ledger->pieces, count_runs(page)) != LS_OK) return LS_ENOMEM;
  if (page->lane_of != NULL && ls_lanes_make(page, &lanes) != LS_OK) return LS_ENOMEM;
  free(ledger->state);
  free(ledger->failures);
  free(ledger->kills);
  close_lanes(ledger);
  ledger->failures = NULL;
  ledger->kills = NULL;
  ledger->state = page->state;
  ledger->units = ledger->units_capacity = page->units;
  ledger->done = page->done;
  ledger->failed = page->failed;
  ledger->given_up = ledger->paused = 0;
  ls_pieces_clear(&ledger->pieces);
  ledger->chunks_used = 0;
  ledger->chunks_free = LS_INDEX_NONE;
  if (lanes != NULL)
    open_lanes(ledger, page, lanes);
  else
    open_waiting(ledger, page);
  *page = (struct ls_ledger_page){0};
  return LS_OK;
}

/* ---- an iteration grows ---- */

static void check_sum(const struct ls_ledger *ledger) {
  assert(ls_ledger_waiting(ledger) + ledger->sent + ledger->paused + ledger->done + ledger->failed +
             ledger->given_up ==
         ledger->units);
  (void)ledger;
}

/* What is kept by unit gets room for more of them. */
static enum ls_status grow(void **items, const struct ls_ledger *ledger, uint64_t capacity,
                           size_t item_bytes) {
  if (capacity > SIZE_MAX / item_bytes) return LS_ENOMEM;
  void *grown = realloc(*items, (size_t)capacity * item_bytes);
  if (grown == NULL) return LS_ENOMEM;
  *items = grown;
  size_t known = (size_t)ledger->units * item_bytes;
  memset((char *)grown + known, 0, (size_t)capacity * item_bytes - known);
  return LS_OK;
}

enum ls_status ls_ledger_reserve_units(struct ls_ledger *ledger, uint64_t units) {
  uint64_t capacity = 2 * ledger->units_capacity > units ? 2 * ledger->units_capacity : units;
  if (units <= ledger->units_capacity) return LS_OK;
  void *items = ledger->state;
  enum ls_status status = grow(&items, ledger, capacity, sizeof *ledger->state);
  ledger->state = items;
  items = ledger->failures;
  if (status == LS_OK && items != NULL)
    status = grow(&items, ledger, capacity, sizeof *ledger->failures);
  ledger->failures = items;
  items = ledger->kills;
  if (status == LS_OK && items != NULL)
    status = grow(&items, ledger, capacity, sizeof *ledger->kills);
  ledger->kills = items;
  /* Lines have orders of their own length. */
  items = ledger->lanes == NULL ? ledger->waiting.order : NULL;
  if (status == LS_OK && items != NULL) {
    status = grow(&items, ledger, capacity, sizeof *ledger->waiting.order);
    ledger->waiting.order = items;
  }
  items = ledger->lane_of;
  if (status == LS_OK && items != NULL)
    status = grow(&items, ledger, capacity, sizeof *ledger->lane_of);
  ledger->lane_of = items;
  ledger->pieces.lane_of = items;
  if (status == LS_OK) ledger->units_capacity = capacity;
  return status;
}

enum ls_status ls_ledger_add(struct ls_ledger *ledger, uint64_t units) {
  struct ls_waiting *waiting = &ledger->waiting;
  assert(ledger->lanes == NULL);
  if (units > UINT64_MAX / 4 || ledger->units > UINT64_MAX / 4) return LS_ENOMEM;
  if (ls_ledger_reserve_units(ledger, ledger->units + units) != LS_OK) return LS_ENOMEM;
  if (waiting->order == NULL && waiting->cursor == waiting->end)
    waiting->cursor = waiting->end = ledger->units;
  for (uint64_t i = 0; waiting->order != NULL && i < units; i++)
    waiting->order[waiting->end + i] = ledger->units + i;
  waiting->end += units;
  waiting->units += units;
  ledger->units += units;
  check_sum(ledger);
  return LS_OK;
}

/* ---- states ---- */

static void mark(struct ls_ledger *ledger, const struct ls_range *units, enum ls_unit_state state) {
  if (units->count == 1) {
    ledger->state[units->first] = (uint8_t)state;
  } else {
    memset(ledger->state + units->first, (int)state, units->count);
  }
}

void ls_ledger_settle(struct ls_ledger *ledger, const struct ls_range *units,
                      enum ls_outcome outcome) {
  static const enum ls_unit_state states[] = {[LS_OUTCOME_DONE] = LS_UNIT_DONE,
                                              [LS_OUTCOME_FAILED] = LS_UNIT_FAILED,
                                              [LS_OUTCOME_GIVEN_UP] = LS_UNIT_GIVEN_UP};
  assert(ls_outcome_is_final(outcome) && ls_ledger_has(ledger, units));
  assert(ledger->state[units->first] == LS_UNIT_SENT && units->count <= ledger->sent);
  mark(ledger, units, states[outcome]);
  ledger->sent -= units->count;
  ledger->done += outcome == LS_OUTCOME_DONE ? units->count : 0;
  ledger->failed += outcome == LS_OUTCOME_FAILED ? units->count : 0;
  ledger->given_up += outcome == LS_OUTCOME_GIVEN_UP ? units->count : 0;
  check_sum(ledger);
}

enum ls_status ls_ledger_gather(struct ls_ledger *ledger, struct ls_piece_list *list,
                                struct ls_range units) {
  if (ls_pieces_reserve(&ledger->pieces, 1) != LS_OK) return LS_ENOMEM;
  ls_piece_append(&ledger->pieces, list, units);
  return LS_OK;
}

/* Into the lane in focus. */
static uint64_t put_back_here(struct ls_ledger *ledger, struct ls_piece_list *list) {
  uint64_t units = 0;
  for (uint32_t i = list->first; i != LS_INDEX_NONE; i = ledger->pieces.items[i].next) {
    const struct ls_range *range = &ledger->pieces.items[i].units;
    assert(ledger->state[range->first] == LS_UNIT_SENT);
    mark(ledger, range, LS_UNIT_WAITING);
    units += range->count;
  }
  assert(units <= ledger->sent);
  ls_piece_splice(&ledger->pieces, list, &ledger->waiting.front);
  ledger->waiting.front = *list;
  ls_piece_list_init(list);
  ledger->sent -= units;
  ledger->waiting.units += units;
  check_sum(ledger);
  return units;
}

static uint64_t put_back(struct ls_ledger *ledger, struct ls_piece_list *list, bool is_return) {
  if (ledger->lanes == NULL) return put_back_here(ledger, list);
  uint32_t focus = ledger->lane;
  uint64_t units = 0;
  ls_ledger_sort_by_lane(ledger, list);
  for (uint32_t i = 0; i < ledger->lanes_count; i++) {
    struct ls_lane *lane = &ledger->lanes[i];
    if (lane->back.count == 0) continue;
    (void)ls_ledger_focus(ledger, i);
    uint64_t back = put_back_here(ledger, &lane->back);
    if (is_return) lane->returned += back;
    units += back;
  }
  (void)ls_ledger_focus(ledger, focus);
  return units;
}

uint64_t ls_ledger_put_back(struct ls_ledger *ledger, struct ls_piece_list *list) {
  return put_back(ledger, list, false);
}

void ls_ledger_return(struct ls_ledger *ledger, struct ls_piece_list *list) {
  ledger->returned += put_back(ledger, list, true);
}

/* The unit leaves the part of the order that nobody was sent yet; what stands before it moves to
 * the units that came back, which are the first ones, too. */
static void claim_ordered(struct ls_ledger *ledger, uint64_t unit) {
  struct ls_waiting *waiting = &ledger->waiting;
  if (waiting->order == NULL) {
    assert(unit >= waiting->cursor && unit < waiting->end);
    struct ls_range before = {waiting->cursor, unit - waiting->cursor};
    if (before.count > 0) ls_piece_append(&ledger->pieces, &waiting->front, before);
    waiting->cursor = unit + 1;
    return;
  }
  uint64_t at = waiting->cursor;
  while (at < waiting->end && waiting->order[at] != unit) at++;
  assert(at < waiting->end);
  memmove(waiting->order + waiting->cursor + 1, waiting->order + waiting->cursor,
          (size_t)(at - waiting->cursor) * sizeof *waiting->order);
  waiting->cursor++;
}

enum ls_status ls_ledger_claim(struct ls_ledger *ledger, uint64_t unit) {
  struct ls_waiting *waiting = &ledger->waiting;
  struct ls_range range = {unit, 1}, taken;
  assert(unit < ledger->units && ledger->state[unit] == LS_UNIT_WAITING);
  if (ls_pieces_reserve(&ledger->pieces, 1) != LS_OK) return LS_ENOMEM;
  uint32_t focus = ls_ledger_focus(ledger, ls_ledger_lane_of(ledger, unit));
  bool is_cut = ls_piece_cut(&ledger->pieces, &waiting->front, &range, &taken) ||
                ls_doubts_cut(&ledger->doubts, &ledger->pieces, unit);
  if (!is_cut) claim_ordered(ledger, unit);
  ledger->state[unit] = LS_UNIT_SENT;
  waiting->units--;
  ledger->sent++;
  (void)ls_ledger_focus(ledger, focus);
  check_sum(ledger);
  return LS_OK;
}

enum ls_status ls_ledger_set_aside(struct ls_ledger *ledger, uint64_t unit,
                                   struct ls_piece_list *list) {
  if (ls_pieces_reserve(&ledger->pieces, 2) != LS_OK) return LS_ENOMEM;
  enum ls_status status = ls_ledger_claim(ledger, unit);
  return status == LS_OK ? ls_ledger_gather(ledger, list, (struct ls_range){unit, 1}) : status;
}

enum ls_status ls_ledger_count_failure(struct ls_ledger *ledger, uint64_t unit,
                                       uint64_t *failures) {
  assert(unit < ledger->units);
  if (ledger->failures == NULL)
    ledger->failures = calloc(ledger->units_capacity, sizeof *ledger->failures);
  if (ledger->failures == NULL) return LS_ENOMEM;
  assert(ledger->failures[unit] < LS_FAILURES_MAX);
  *failures = ++ledger->failures[unit];
  return LS_OK;
}

enum ls_status ls_ledger_count_kill(struct ls_ledger *ledger, uint64_t unit, uint64_t *kills) {
  assert(unit < ledger->units);
  if (ledger->kills == NULL) ledger->kills = calloc(ledger->units_capacity, sizeof *ledger->kills);
  if (ledger->kills == NULL) return LS_ENOMEM;
  assert(ledger->kills[unit] < LS_KILLS_MAX);
  *kills = ++ledger->kills[unit];
  return LS_OK;
}

/* ---- what is true ---- */

/* Every range of the chunk is sent; the units it says. */
static bool is_chunk_sound(const struct ls_ledger *ledger, const struct ls_chunk *chunk,
                           uint8_t *held) {
  uint32_t cursor = LS_INDEX_NONE;
  struct ls_range range;
  uint64_t units = 0;
  while (ls_ledger_next_range(ledger, chunk, &cursor, &range)) {
    if (!ls_ledger_has(ledger, &range)) return false;
    for (uint64_t i = range.first; i < range.first + range.count; i++) {
      if (ledger->state[i] != LS_UNIT_SENT || ++held[i] > 2) return false;
    }
    units += range.count;
  }
  return units == chunk->units && units > 0;
}

static bool are_slots_sound(const struct ls_ledger *ledger, uint8_t *held) {
  size_t chunks = 0, crowded = 0;
  for (size_t slot = 0; slot < ledger->slots_count; slot++) {
    const struct ls_ledger_slot *at = &ledger->slots[slot];
    uint64_t units = 0;
    size_t count = 0;
    uint32_t previous = LS_INDEX_NONE;
    for (uint32_t i = at->first; i != LS_INDEX_NONE; i = ledger->chunks[i].next) {
      const struct ls_chunk *chunk = &ledger->chunks[i];
      if (chunk->slot != slot || chunk->previous != previous) return false;
      if (!is_chunk_sound(ledger, chunk, held)) return false;
      units += chunk->units;
      previous = i;
      count++;
    }
    if (count != at->chunks || units != at->units || at->last != previous) return false;
    chunks += count;
    crowded += units > 1;
  }
  return chunks == ledger->chunks_live && crowded == ledger->crowded;
}

/* Its units are as many as it says, and none is of another lane. */
static bool is_lane_sound(const struct ls_ledger *ledger, const struct ls_waiting *waiting,
                          const struct ls_doubts *doubts, uint32_t lane) {
  uint64_t in_front = 0;
  for (uint32_t i = waiting->front.first; i != LS_INDEX_NONE; i = ledger->pieces.items[i].next) {
    struct ls_range range = ledger->pieces.items[i].units;
    in_front += range.count;
    for (uint64_t k = 0; k < range.count; k++)
      if (ls_ledger_lane_of(ledger, range.first + k) != lane) return false;
  }
  for (uint64_t i = waiting->cursor; ledger->lanes != NULL && i < waiting->end; i++)
    if (ls_ledger_lane_of(ledger, waiting->order[i]) != lane) return false;
  return in_front + (waiting->end - waiting->cursor) + doubts->units == waiting->units &&
         ls_doubts_are_sound(doubts, &ledger->pieces);
}

static bool are_lanes_sound(const struct ls_ledger *ledger) {
  uint64_t waiting = 0, doubts = 0;
  for (uint32_t i = 0; i < ledger->lanes_count; i++) {
    const struct ls_lane *lane = &ledger->lanes[i];
    if (i == ledger->lane) continue;
    if (!is_lane_sound(ledger, &lane->waiting, &lane->doubts, i)) return false;
    waiting += lane->waiting.units;
    doubts += lane->doubts.units;
  }
  return waiting == ledger->waiting_elsewhere && doubts == ledger->doubts_elsewhere &&
         is_lane_sound(ledger, &ledger->waiting, &ledger->doubts, ledger->lane);
}

bool ls_ledger_is_sound(const struct ls_ledger *ledger) {
  uint64_t counts[LS_UNIT_GIVEN_UP + 1] = {0};
  uint8_t *held = calloc(ledger->units + 1, 1);
  if (held == NULL) return true;
  bool is_sound = are_slots_sound(ledger, held);
  for (uint64_t i = 0; i < ledger->units; i++) {
    counts[ledger->state[i]]++;
    if ((ledger->state[i] == LS_UNIT_SENT) != (held[i] > 0)) is_sound = false;
  }
  free(held);
  return is_sound && are_lanes_sound(ledger) &&
         counts[LS_UNIT_WAITING] == ls_ledger_waiting(ledger) &&
         counts[LS_UNIT_SENT] == ledger->sent && counts[LS_UNIT_PAUSED] == ledger->paused &&
         counts[LS_UNIT_DONE] == ledger->done && counts[LS_UNIT_FAILED] == ledger->failed &&
         counts[LS_UNIT_GIVEN_UP] == ledger->given_up;
}
