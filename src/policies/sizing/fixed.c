/* fixed.c: a fixed number of workers.
 *
 * Reference:  none; what the user asked for.
 * Assumes:    nothing.
 * Answers:    the number given, but never more workers than units, and at least one.
 * Cost:       O(1).
 * Symbols:    none.
 */
#include "policies/sizing.h"

static size_t want_given(const struct ls_sizing_view *view, size_t given) {
  return ls_sizing_clamp(given, view->units, given);
}

const struct ls_sizing ls_sizing_fixed = {
    .name = "fixed",
    .summary = "as many workers as were asked for, never more than there are units",
    .reference = "none",
    .wanted = want_given,
};
