/* best_changes.c: random changes of send orders, for the search of planner `best`.
 *
 * Reference:  the project's own.
 * Assumes:    a pattern's tail names each worker at most once, its body only workers of the tail.
 * Answers:    patterns and orders of the same kind, never empty (but for a body).
 * Cost:       O(messages) for each change.
 * Symbols:    none.
 */
#include "planners/search/best_changes.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERN_CHANGES = 8, ORDER_CHANGES = 4 };

static void swap_items(struct ls_best_order *order, size_t i, size_t j) {
  uint32_t item = order->items[i];
  order->items[i] = order->items[j];
  order->items[j] = item;
}

static bool insert_item(struct ls_best_order *order, size_t place, uint32_t item) {
  if (order->count == order->capacity) return false;
  memmove(order->items + place + 1, order->items + place,
          (order->count - place) * sizeof *order->items);
  order->items[place] = item;
  order->count++;
  return true;
}

static void remove_item(struct ls_best_order *order, size_t place) {
  order->count--;
  memmove(order->items + place, order->items + place + 1,
          (order->count - place) * sizeof *order->items);
}

static bool find_item(const struct ls_best_order *order, uint32_t item, size_t *place) {
  for (size_t i = 0; i < order->count; i++) {
    if (order->items[i] != item) continue;
    *place = i;
    return true;
  }
  return false;
}

static size_t draw(struct ls_best_chance *chance, size_t count) {
  return (size_t)ls_random_below(&chance->random, count);
}

/* Removes a worker from every round. */
static bool drop_worker(struct ls_best_chance *chance, struct ls_best_pattern *pattern) {
  if (pattern->tail.count < 2) return false;
  size_t place = draw(chance, pattern->tail.count);
  uint32_t item = pattern->tail.items[place];
  remove_item(&pattern->tail, place);
  while (find_item(&pattern->body, item, &place)) remove_item(&pattern->body, place);
  return true;
}

/* Adds an unused worker to every round. */
static bool add_worker(struct ls_best_chance *chance, struct ls_best_pattern *pattern) {
  size_t unused = chance->workers_count - pattern->tail.count, place;
  if (unused == 0) return false;
  size_t wanted = draw(chance, unused);
  uint32_t item = 0;
  for (;; item++) {
    if (find_item(&pattern->tail, item, &place)) continue;
    if (wanted-- == 0) break;
  }
  place = draw(chance, pattern->tail.count + 1);
  size_t body_place = place < pattern->body.count ? place : pattern->body.count;
  return insert_item(&pattern->tail, place, item) && insert_item(&pattern->body, body_place, item);
}

static bool swap_in(struct ls_best_chance *chance, struct ls_best_order *order) {
  if (chance->is_identical || order->count < 2) return false;
  size_t i = draw(chance, order->count), j = draw(chance, order->count - 1);
  swap_items(order, i, j < i ? j : j + 1);
  return true;
}

/* The same two workers change places in all rounds. */
static bool swap_everywhere(struct ls_best_chance *chance, struct ls_best_pattern *pattern) {
  if (chance->is_identical || pattern->tail.count < 2) return false;
  size_t i = draw(chance, pattern->tail.count), j = draw(chance, pattern->tail.count - 1);
  if (j >= i) j++;
  uint32_t a = pattern->tail.items[i], b = pattern->tail.items[j];
  swap_items(&pattern->tail, i, j);
  for (size_t k = 0; k < pattern->body.count; k++) {
    uint32_t *item = &pattern->body.items[k];
    *item = *item == a ? b : *item == b ? a : *item;
  }
  return true;
}

static bool move_in_body(struct ls_best_chance *chance, struct ls_best_pattern *pattern) {
  if (pattern->body.count < 2) return false;
  size_t place = draw(chance, pattern->body.count);
  uint32_t item = pattern->body.items[place];
  remove_item(&pattern->body, place);
  return insert_item(&pattern->body, draw(chance, pattern->body.count + 1), item);
}

static bool drop_from_body(struct ls_best_chance *chance, struct ls_best_pattern *pattern) {
  if (pattern->body.count == 0) return false;
  remove_item(&pattern->body, draw(chance, pattern->body.count));
  return true;
}

static bool add_to_body(struct ls_best_chance *chance, struct ls_best_pattern *pattern) {
  uint32_t item = pattern->tail.items[draw(chance, pattern->tail.count)];
  return insert_item(&pattern->body, draw(chance, pattern->body.count + 1), item);
}

enum ls_status ls_best_order_init(struct ls_best_order *order, size_t capacity,
                                  struct ls_error *err) {
  *order = (struct ls_best_order){.items = calloc(capacity + 1, sizeof *order->items),
                                  .capacity = capacity};
  if (order->items != NULL) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "no memory for %zu messages", capacity);
}

void ls_best_order_copy(struct ls_best_order *to, const struct ls_best_order *from) {
  memcpy(to->items, from->items, from->count * sizeof *from->items);
  to->count = from->count;
}

bool ls_best_pattern_change(struct ls_best_pattern *pattern, struct ls_best_chance *chance) {
  switch (draw(chance, PATTERN_CHANGES)) {
    case 0:
      return drop_worker(chance, pattern);
    case 1:
      return add_worker(chance, pattern);
    case 2:
      return swap_in(chance, &pattern->tail);
    case 3:
      return swap_in(chance, &pattern->body);
    case 4:
      return swap_everywhere(chance, pattern);
    case 5:
      return move_in_body(chance, pattern);
    case 6:
      return drop_from_body(chance, pattern);
    default:
      return add_to_body(chance, pattern);
  }
}

bool ls_best_order_change(struct ls_best_order *messages, struct ls_best_chance *chance) {
  size_t place = draw(chance, messages->count);
  uint32_t item = (uint32_t)draw(chance, chance->workers_count);
  switch (draw(chance, ORDER_CHANGES)) {
    case 0:
      if (messages->count < 2) return false;
      remove_item(messages, place);
      return true;
    case 1:
      return insert_item(messages, place, item);
    case 2:
      if (place + 1 == messages->count) return false;
      swap_items(messages, place, place + 1);
      return true;
    default:
      if (messages->items[place] == item) return false;
      messages->items[place] = item;
      return true;
  }
}
