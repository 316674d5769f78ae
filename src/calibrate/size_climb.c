/* size_climb.c: hill climbing over task sizes.
 *
 * Reference:  rosenvinge2004, section 7.3, corrected: its walk by the sign of the difference of two
 *             speeds stops on any plateau and forgets its direction.
 * Assumes:    one valley between the start and the best size.
 * Answers:    a size whose neighbours are not faster by more than the tolerance.
 * Cost:       at most one measurement per size.
 * Symbols:    none.
 */
#include "calibrate/size_climb.h"

#include <assert.h>
#include <math.h>

void ls_size_climb_init(struct ls_size_climb *climb, size_t count, size_t start, double tolerance) {
  assert(count >= 1 && count <= LS_SIZE_CLIMB_MAX && start < count);
  assert(tolerance >= 0 && tolerance < 1);
  *climb = (struct ls_size_climb){.count = count, .at = start, .tolerance = tolerance};
  for (size_t i = 0; i < LS_SIZE_CLIMB_MAX; i++) climb->seconds[i] = (double)NAN;
}

/* The better neighbour; `at` when there is none. */
static size_t find_better(const struct ls_size_climb *climb) {
  size_t at = climb->at, better = at;
  if (at > 0 && climb->seconds[at - 1] < climb->seconds[better]) better = at - 1;
  if (at + 1 < climb->count && climb->seconds[at + 1] < climb->seconds[better]) better = at + 1;
  assert(better < climb->count);
  return better;
}

bool ls_size_climb_next(struct ls_size_climb *climb, size_t *index) {
  for (;;) {
    size_t at = climb->at;
    assert(at < climb->count);
    const size_t wanted[] = {at, at > 0 ? at - 1 : at, at + 1 < climb->count ? at + 1 : at};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
      if (!isnan(climb->seconds[wanted[i]])) continue;
      *index = wanted[i];
      return true;
    }
    size_t better = find_better(climb);
    if (!(climb->seconds[better] < climb->seconds[at] * (1 - climb->tolerance))) return false;
    climb->at = better;
  }
}

void ls_size_climb_measured(struct ls_size_climb *climb, size_t index, double seconds) {
  assert(index < climb->count && seconds > 0);
  if (isnan(climb->seconds[index])) climb->seconds[index] = seconds;
}
