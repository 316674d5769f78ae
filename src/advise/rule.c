/* rule.c: the choice without a simulation.
 *
 * Reference:  ours; the averages over the grid of docs/theory/online.md, 9, on which the weighted,
 *             adaptive and self-scheduling policies win in turn.
 * Assumes:    the given latency, variation and speeds.
 * Answers:    ss when requests cost nothing or are hidden by one or two waiting units; sc with
 *             weights when nothing varies; else wf2, or af when speeds are not known.
 * Cost:       O(1).
 * Symbols:    none.
 */
#include <math.h>

#include "advise/advise.h"

/* Latencies up to a tenth of a task are hidden by a unit that waits. */
static const double HIDDEN = 0.1;
static const double CONSTANT = 1e-9;

static const struct ls_chunking *choose(const char *name, const char *reason,
                                        struct ls_bytes *why) {
  if (why != NULL) ls_bytes_printf(why, "%s: %s", name, reason);
  return ls_chunking_find(name);
}

const struct ls_chunking *ls_advise_by_rule(const struct ls_situation *situation,
                                            struct ls_bytes *why) {
  bool has_latency = situation->latency > 0;
  bool is_hidden =
      situation->prefetch >= 1 && situation->prefetch <= 2 && !(situation->latency > HIDDEN);
  if (!has_latency) return choose("ss", "requests cost nothing", why);
  if (is_hidden) return choose("ss", "units that wait hide the cost of requests", why);
  bool is_constant = situation->variation <= CONSTANT;
  if (situation->is_static && is_constant && situation->knows_speeds) {
    return choose("sc", "times and speeds are known and do not change", why);
  }
  if (situation->knows_speeds) {
    return choose("wf2", "requests cost time, and the speeds are known", why);
  }
  return choose("af", "requests cost time, and times and speeds must be learnt", why);
}
