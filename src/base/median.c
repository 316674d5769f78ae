#include "base/median.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

enum { LOWER, UPPER };

/* Does a stand before b in that half? */
static bool is_before(int half, double a, double b) {
  return half == LOWER ? a > b : a < b;
}

static void push(struct ls_median *median, int half, double number) {
  double *items = median->halves[half];
  size_t at = median->counts[half]++;
  for (; at > 0 && is_before(half, number, items[(at - 1) / 2]); at = (at - 1) / 2)
    items[at] = items[(at - 1) / 2];
  items[at] = number;
}

static double pop(struct ls_median *median, int half) {
  double *items = median->halves[half];
  double first = items[0], last = items[--median->counts[half]];
  size_t count = median->counts[half], at = 0, next;
  while ((next = 2 * at + 1) < count) {
    if (next + 1 < count && is_before(half, items[next + 1], items[next])) next++;
    if (!is_before(half, items[next], last)) break;
    items[at] = items[next];
    at = next;
  }
  if (count > 0) items[at] = last;
  return first;
}

enum ls_status ls_median_add(struct ls_median *median, double number) {
  assert(!isnan(number));
  for (int half = LOWER; half <= UPPER; half++)
    if (ls_array_reserve((void **)&median->halves[half], &median->capacities[half],
                         median->counts[half] + 2, sizeof(double)) != LS_OK)
      return LS_ENOMEM;
  bool is_low = median->counts[LOWER] == 0 || number <= median->halves[LOWER][0];
  push(median, is_low ? LOWER : UPPER, number);
  /* The lower half has as many as the upper one, or one more. */
  if (median->counts[LOWER] > median->counts[UPPER] + 1) push(median, UPPER, pop(median, LOWER));
  if (median->counts[UPPER] > median->counts[LOWER]) push(median, LOWER, pop(median, UPPER));
  return LS_OK;
}

size_t ls_median_count(const struct ls_median *median) {
  return median->counts[LOWER] + median->counts[UPPER];
}

double ls_median_value(const struct ls_median *median) {
  assert(median->counts[LOWER] > 0);
  if (median->counts[LOWER] > median->counts[UPPER]) return median->halves[LOWER][0];
  return median->halves[LOWER][0] / 2 + median->halves[UPPER][0] / 2;
}

void ls_median_close(struct ls_median *median) {
  free(median->halves[LOWER]);
  free(median->halves[UPPER]);
  *median = (struct ls_median){.counts = {0, 0}};
}
