/* branch_fixture.h: a set of workers whose smaller subsets are solved by enumeration. */
#ifndef LS_TESTS_UNIT_PLANNERS_BRANCH_FIXTURE_H
#define LS_TESTS_UNIT_PLANNERS_BRANCH_FIXTURE_H

#include "planners/returns/relax.h"
#include "returns_fixture.h"

struct branch_sample {
  struct ls_returns returns;
  struct ls_branch branch;
  double best; /* scaled */
};

static inline double sample_subset(const struct ls_returns *returns, unsigned mask) {
  struct ls_returns part = *returns;
  part.workers = calloc(returns->count, sizeof *part.workers);
  assert_non_null(part.workers);
  part.count = 0;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1)
    part.workers[part.count++] = returns->workers[__builtin_ctz(rest)];
  double best = returns_enumerate(&part, RETURNS_ANY);
  ls_returns_close(&part);
  return best;
}

static inline void sample_open(struct branch_sample *sample, struct ls_random *random, size_t count,
                               size_t kind) {
  uint32_t workers[LS_SMALL_MAX];
  returns_make(&sample->returns, random, count, kind, kind % 3 == 2);
  assert_int_equal(ls_branch_open(&sample->branch, count, NULL), LS_OK);
  for (size_t i = 0; i < count; i++) workers[i] = (uint32_t)i;
  ls_small_init(&sample->branch.small, &sample->returns, workers, count);
  double unit = sample->branch.small.unit, smaller = 0;
  for (unsigned mask = 1; mask < 1u << count; mask++) {
    double throughput = sample_subset(&sample->returns, mask);
    sample->branch.slowness[mask] = unit / throughput;
    if (mask + 1 < 1u << count) smaller = fmax(smaller, throughput / unit);
    sample->best = throughput / unit;
  }
  sample->branch.slowness[(1u << count) - 1] = 0;
  sample->branch.is_full = !sample->returns.is_one_port;
  /* The best smaller subset is what a search must beat; its pair is not needed to bound. */
  sample->branch.best_value = smaller;
  for (size_t i = 0; i < count; i++)
    sample->branch.best.order[0][i] = sample->branch.best.order[1][i] = (uint8_t)i;
}

static inline void sample_close(struct branch_sample *sample) {
  ls_branch_close(&sample->branch);
  ls_returns_close(&sample->returns);
}

/* The node of all pairs of orders that agree with `pair` on who is ahead in some places. */
static inline void sample_fix(struct ls_branch_node *node, const struct ls_pair *pair, size_t count,
                              size_t places) {
  for (int side = 0; side < 2; side++) {
    unsigned placed = 0;
    for (size_t k = 0; k < places; k++) {
      size_t i = pair->order[side][k];
      unsigned others = ((1u << count) - 1) & ~(placed | 1u << i);
      node->ahead[side][i] = (ls_branch_mask)placed;
      node->behind[side][i] = (ls_branch_mask)others;
      placed |= 1u << i;
    }
    for (size_t k = places; k < count; k++)
      node->ahead[side][pair->order[side][k]] = (ls_branch_mask)placed;
  }
}

#endif
