/* explain.c: an advice in words. */
#include <math.h>
#include <stdlib.h>

#include "advise/advise.h"

void ls_candidate_describe(const struct ls_candidate *candidate, struct ls_bytes *out) {
  ls_bytes_printf(out, "%s, prefetch %llu", candidate->chunking->name,
                  (unsigned long long)candidate->prefetch);
  if (candidate->workers > 0) ls_bytes_printf(out, ", %zu workers", candidate->workers);
}

/* Means over different draws do not compare: a candidate that played more of them was better in the
 * others. */
static bool is_before(const struct ls_advice *advice, size_t i, size_t j) {
  const struct ls_expectation *one = &advice->expectations[i], *other = &advice->expectations[j];
  if (one->draws != other->draws) return one->draws > other->draws;
  if (one->makespan_s < other->makespan_s) return true;
  return !(other->makespan_s < one->makespan_s) && i < j;
}

static const struct ls_expectation *find_rank(const struct ls_advice *advice, size_t rank) {
  /* Few candidates: the one with exactly `rank` better ones. */
  for (size_t i = 0; i < advice->count; i++) {
    const struct ls_expectation *one = &advice->expectations[i];
    size_t better = 0;
    if (one->draws == 0) continue;
    for (size_t j = 0; j < advice->count; j++) {
      const struct ls_expectation *other = &advice->expectations[j];
      if (other->draws == 0 || j == i) continue;
      better += is_before(advice, j, i);
    }
    if (better == rank) return one;
  }
  return NULL;
}

static void write_line(const struct ls_expectation *expectation, const struct ls_advice *advice,
                       struct ls_bytes *out) {
  const struct ls_expectation *best = &advice->expectations[advice->best];
  double more = best->makespan_s > 0 ? 100 * (expectation->makespan_s / best->makespan_s - 1) : 0;
  bool is_chosen = expectation == &advice->expectations[advice->chosen];
  ls_bytes_append_text(out, is_chosen ? "* " : "  ");
  ls_candidate_describe(&expectation->candidate, out);
  ls_bytes_printf(out, ": %.4g s expected (%.4g to %.4g), ", expectation->makespan_s,
                  expectation->least_s, expectation->most_s);
  if (expectation->draws == best->draws) {
    ls_bytes_printf(out, "%+.1f %%", more);
  } else {
    ls_bytes_printf(out, "out after %zu of %zu draws", expectation->draws, best->draws);
  }
  ls_bytes_printf(out, ", efficiency %.0f %%\n", 100 * expectation->efficiency);
}

static bool is_alike(const struct ls_expectation *one, const struct ls_expectation *other) {
  return one->candidate.chunking == other->candidate.chunking &&
         one->candidate.prefetch == other->candidate.prefetch;
}

/* Why the one in use is kept. */
static void write_kept(const struct ls_advice *advice, struct ls_bytes *out) {
  const struct ls_expectation *base = &advice->expectations[advice->base];
  const struct ls_expectation *best = &advice->expectations[advice->best];
  bool is_small = !(base->makespan_s > (1 + advice->margin) * best->makespan_s);
  ls_bytes_append_text(out, "kept: ");
  ls_candidate_describe(&base->candidate, out);
  if (is_alike(base, best)) {
    ls_bytes_append_text(out, " stands");
    return;
  }
  ls_bytes_append_text(out, " stands, and ");
  ls_candidate_describe(&best->candidate, out);
  ls_bytes_printf(out, " would save %.1f %%, ", 100 * (1 - best->makespan_s / base->makespan_s));
  if (is_small) {
    ls_bytes_printf(out, "less than the %.1f %% that a change must save", 100 * advice->margin);
  } else {
    ls_bytes_append_text(out, "which may be chance");
  }
}

/* By what ratio a time is longer, unless that rounds to nothing. */
static void write_longer(const char *verb, double ratio, struct ls_bytes *out) {
  double percent = 100 * (ratio - 1);
  ls_bytes_append_text(out, verb);
  if (percent >= 0.05) {
    ls_bytes_printf(out, "%.1f %% longer", percent);
  } else {
    ls_bytes_append_text(out, "no longer");
  }
}

static void write_first(const struct ls_advice *advice, struct ls_bytes *out) {
  const struct ls_expectation *base = &advice->expectations[advice->base];
  const struct ls_expectation *second = find_rank(advice, 1);
  ls_bytes_append_text(out, "chosen: ");
  ls_candidate_describe(&base->candidate, out);
  if (second == NULL) {
    ls_bytes_append_text(out, " is all that could be tried in the time");
    return;
  }
  ls_bytes_append_text(out, " ends first");
  if (second == base || !(base->makespan_s > 0)) return;
  if (second->draws < base->draws) return;
  ls_bytes_append_text(out, "; ");
  ls_candidate_describe(&second->candidate, out);
  write_longer(" would take ", second->makespan_s / base->makespan_s, out);
}

static void write_reason(const struct ls_advice *advice, struct ls_bytes *out) {
  const struct ls_expectation *base = &advice->expectations[advice->base];
  const struct ls_expectation *chosen = &advice->expectations[advice->chosen];
  if (advice->base != advice->best) {
    write_kept(advice, out);
  } else {
    write_first(advice, out);
  }
  if (chosen != base && base->makespan_s > 0) {
    ls_bytes_printf(out, "; %zu workers are enough: ", chosen->candidate.workers);
    write_longer("", chosen->makespan_s / base->makespan_s, out);
  }
  ls_bytes_append_char(out, '\n');
}

void ls_advice_explain(const struct ls_advice *advice, struct ls_bytes *out) {
  size_t refused = 0;
  for (size_t i = 0; i < advice->count; i++) {
    const struct ls_expectation *expectation = find_rank(advice, i);
    if (expectation != NULL) write_line(expectation, advice, out);
    refused += advice->expectations[i].draws == 0;
  }
  if (refused > 0) {
    ls_bytes_printf(out, "  %zu candidate%s not tried: refused, or no time was left\n", refused,
                    refused == 1 ? " was" : "s were");
  }
  write_reason(advice, out);
}
