#include "theory/standings.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { STRIP = 256 }; /* platforms whose shortest makespans are kept at one time */

void ls_ratios_add(struct ls_ratios *ratios, double above, double below) {
  double ratio = above / below;
  if (!isfinite(ratio) || isinf(below)) return;
  ratios->count++;
  ls_sum_add(&ratios->sum, ratio);
  ls_sum_add(&ratios->squares, ratio * ratio);
}

double ls_ratios_mean(const struct ls_ratios *ratios) {
  if (ratios->count == 0) return (double)NAN;
  return ls_sum_value(&ratios->sum) / (double)ratios->count;
}

double ls_ratios_deviation(const struct ls_ratios *ratios) {
  double mean = ls_ratios_mean(ratios);
  if (ratios->count == 0) return (double)NAN;
  return sqrt(fmax(ls_sum_value(&ratios->squares) / (double)ratios->count - mean * mean, 0));
}

enum ls_status ls_standings_init(struct ls_standings *standings, size_t count,
                                 struct ls_error *err) {
  assert(count >= 1);
  *standings = (struct ls_standings){.count = count};
  standings->items = calloc(count, sizeof *standings->items);
  standings->shorter = calloc(count, count * sizeof *standings->shorter);
  if (standings->items != NULL && standings->shorter != NULL) return LS_OK;
  ls_standings_close(standings);
  return ls_fail(err, LS_ENOMEM, "no memory to compare %zu algorithms", count);
}

void ls_standings_close(struct ls_standings *standings) {
  free(standings->items);
  free(standings->shorter);
  *standings = (struct ls_standings){0};
}

/* Makespans that agree to 1e-9 are a tie; INFINITY is behind all others. */
static bool is_shorter(double a, double b) {
  return a < b * (1 - 1e-9);
}

static uint64_t count_shorter(const double *left, const double *right, size_t count) {
  uint64_t shorter = 0;
  for (size_t k = 0; k < count; k++) shorter += is_shorter(left[k], right[k]);
  return shorter;
}

static void add_ratios(const double *above, const double *below, size_t count,
                       struct ls_ratios *out) {
  for (size_t k = 0; k < count; k++) ls_ratios_add(out, above[k], below[k]);
}

static void add_behind(const double *makespans_s, const double *best_s, size_t count,
                       struct ls_standing *standing) {
  for (size_t k = 0; k < count; k++) {
    standing->applied += isfinite(makespans_s[k]) != 0;
    if (isinf(makespans_s[k]) || !is_shorter(best_s[k], makespans_s[k])) continue;
    ls_ratios_add(&standing->behind, makespans_s[k] - best_s[k], best_s[k]);
  }
}

double ls_makespans_best(const struct ls_makespans *makespans, size_t algorithms, size_t index) {
  double best_s = makespans->at[index];
  for (size_t i = 1; i < algorithms; i++) {
    double other_s = makespans->at[i * makespans->stride + index];
    best_s = other_s < best_s ? other_s : best_s;
  }
  return best_s;
}

static void add_strip(struct ls_standings *standings, const struct ls_makespans *strip) {
  double best_s[STRIP];
  for (size_t k = 0; k < strip->count; k++)
    best_s[k] = ls_makespans_best(strip, standings->count, k);
  for (size_t i = 0; i < standings->count; i++) {
    const double *row = strip->at + i * strip->stride;
    add_ratios(row, strip->at, strip->count, &standings->items[i].to_first);
    add_ratios(row, best_s, strip->count, &standings->items[i].to_best);
    add_behind(row, best_s, strip->count, &standings->items[i]);
    for (size_t j = 0; j < standings->count; j++) {
      if (i == j) continue;
      standings->shorter[i * standings->count + j] +=
          count_shorter(row, strip->at + j * strip->stride, strip->count);
    }
  }
  standings->platforms += strip->count;
}

void ls_standings_add(struct ls_standings *standings, const struct ls_makespans *makespans) {
  for (size_t first = 0; first < makespans->count; first += STRIP) {
    size_t left = makespans->count - first;
    struct ls_makespans strip = {makespans->at + first, makespans->stride,
                                 left < STRIP ? left : STRIP};
    add_strip(standings, &strip);
  }
}

uint64_t ls_standings_ties(const struct ls_standings *standings, size_t row, size_t column) {
  assert(row < standings->count && column < standings->count);
  return standings->platforms - standings->shorter[row * standings->count + column] -
         standings->shorter[column * standings->count + row];
}

/* Halves of a tie that the row has against the column. */
static uint64_t halves_of_tie(const struct ls_standings *standings, size_t row, size_t column) {
  if (!standings->ties_for_first || (row != 0 && column != 0)) return 1;
  return row == 0 ? 2 : 0;
}

double ls_standings_wins(const struct ls_standings *standings, size_t row, size_t column) {
  uint64_t halves = 2 * standings->shorter[row * standings->count + column];
  halves += halves_of_tie(standings, row, column) * ls_standings_ties(standings, row, column);
  return 50 * (double)halves / (double)standings->platforms;
}

double ls_standings_rank_on(const struct ls_standings *standings,
                            const struct ls_makespans *makespans, size_t row) {
  double own_s = makespans->at[row * makespans->stride];
  uint64_t halves = 0;
  for (size_t j = 0; j < standings->count; j++) {
    double other_s = makespans->at[j * makespans->stride];
    if (j == row || is_shorter(own_s, other_s)) continue;
    halves += is_shorter(other_s, own_s) ? 2 : halves_of_tie(standings, j, row);
  }
  return (double)halves / 2;
}

double ls_standings_rank(const struct ls_standings *standings, size_t row) {
  double percent = 0;
  for (size_t j = 0; j < standings->count; j++)
    if (j != row) percent += ls_standings_wins(standings, j, row);
  return percent / 100;
}

double ls_standings_best(const struct ls_standings *standings, size_t row) {
  const struct ls_standing *standing = &standings->items[row];
  return 100 * (double)(standing->applied - standing->behind.count) / (double)standings->platforms;
}
