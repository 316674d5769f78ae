#include "planners/pack/packing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6 };

struct keyed {
  uint64_t key;
  uint32_t place;
};

/* Stable, by one digit of the keys; false: all have the same one, and nothing was moved. */
static bool sort_digit(const struct keyed *from, struct keyed *to, size_t count, int shift) {
  size_t starts[DIGITS] = {0};
  for (size_t i = 0; i < count; i++) starts[from[i].key >> shift & (DIGITS - 1)]++;
  if (starts[from[0].key >> shift & (DIGITS - 1)] == count) return false;
  size_t at = 0;
  for (size_t digit = 0; digit < DIGITS; digit++) {
    size_t many = starts[digit];
    starts[digit] = at;
    at += many;
  }
  for (size_t i = 0; i < count; i++) to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
  return true;
}

/* The sorted ones stand where it says. */
static struct keyed *sort_keys(struct keyed *items, struct keyed *spare, size_t count) {
  for (int pass = 0; pass < PASSES; pass++) {
    if (!sort_digit(items, spare, count, pass * DIGIT_BITS)) continue;
    struct keyed *sorted = spare;
    spare = items;
    items = sorted;
  }
  return items;
}

/* Numbers >= 0 are ordered as their bits are; the largest comes first. */
static uint64_t key_of(double number) {
  uint64_t bits;
  assert(number >= 0);
  number += 0.0; /* -0 */
  memcpy(&bits, &number, sizeof bits);
  return ~bits;
}

enum ls_status ls_pack_arrange(const double *numbers, const uint64_t *ties, size_t count,
                               uint32_t *places) {
  if (count == 0) return LS_OK;
  struct keyed *items = malloc(2 * count * sizeof *items), *sorted = items;
  if (items == NULL) return LS_ENOMEM;
  for (size_t i = 0; i < count; i++)
    items[i] = (struct keyed){ties == NULL ? key_of(numbers[i]) : ties[i], (uint32_t)i};
  sorted = sort_keys(items, items + count, count);
  if (ties != NULL) {
    for (size_t i = 0; i < count; i++) sorted[i].key = key_of(numbers[sorted[i].place]);
    sorted = sort_keys(sorted, sorted == items ? items + count : items, count);
  }
  for (size_t i = 0; i < count; i++) places[i] = sorted[i].place;
  free(items);
  return LS_OK;
}

bool ls_pack_is_uniform(const struct ls_pack_problem *problem) {
  return !(problem->speeds[0] > problem->speeds[problem->shards - 1]);
}

void ls_packing_measure(struct ls_packing *packing, const struct ls_pack_problem *problem) {
  packing->makespan_s = 0;
  for (size_t k = 0; k < problem->shards; k++) packing->seconds[k] = 0;
  for (size_t i = 0; i < problem->tasks; i++) {
    assert(packing->shard_of[i] < problem->shards);
    packing->seconds[packing->shard_of[i]] += problem->seconds[i];
  }
  for (size_t k = 0; k < problem->shards; k++) {
    double end_s = packing->seconds[k] / problem->speeds[k];
    if (end_s > packing->makespan_s) packing->makespan_s = end_s;
  }
}

enum ls_status ls_packing_init(struct ls_packing *packing, const struct ls_pack_problem *problem) {
  *packing = (struct ls_packing){.shard_of = calloc(problem->tasks, sizeof *packing->shard_of),
                                 .seconds = calloc(problem->shards, sizeof *packing->seconds)};
  if (packing->shard_of != NULL && packing->seconds != NULL) return LS_OK;
  ls_packing_close(packing);
  return LS_ENOMEM;
}

void ls_packing_copy(struct ls_packing *to, const struct ls_packing *from,
                     const struct ls_pack_problem *problem) {
  memcpy(to->shard_of, from->shard_of, problem->tasks * sizeof *to->shard_of);
  memcpy(to->seconds, from->seconds, problem->shards * sizeof *to->seconds);
  to->makespan_s = from->makespan_s;
}

void ls_packing_close(struct ls_packing *packing) {
  free(packing->shard_of);
  free(packing->seconds);
  *packing = (struct ls_packing){0};
}

void ls_pack_offer(struct ls_pack_search *search, const char *name) {
  ls_packing_measure(&search->trial, search->problem);
  if (search->found_by != NULL && !(search->trial.makespan_s < search->best.makespan_s)) return;
  struct ls_packing better = search->trial;
  search->trial = search->best;
  search->best = better;
  search->found_by = name;
}

bool ls_pack_is_enough(const struct ls_pack_search *search) {
  double share = search->tolerance > LS_PACK_ROUNDING ? search->tolerance : LS_PACK_ROUNDING;
  return search->found_by != NULL && search->best.makespan_s <= search->bound_s * (1 + share);
}
