/* one_round_drop.c: which of many different workers one round leaves out.
 *
 * Reference:  rosenberg2001, as one_round.c: while some chunk is not positive, the worker with the
 *             most negative one is dropped.
 * Assumes:    as one_round.c.
 * Answers:    the same workers as dropping them one by one with all chunks made anew, which takes
 *             O(N) for each.
 * Cost:       O(N + d log N) typically, for d dropped workers: the search below looks at few more
 *             nodes than the path to the worker found.
 * Symbols:    u -> what is left of the time until the common end when the master turns to a worker.
 *             c = (u - nLat - L) / (1/B + 1/S) with L = cLat + tLat; after it u is an affine
 * function of what it was, so runs of workers compose, and a worker less is the identity.
 */

#include "planners/star/one_round_drop.h"

#include <math.h>
#include <stdlib.h>

#include "planners/star/reduced_star.h"

/* A run of workers, as functions of u at its beginning. */
struct run {
  double factor, offset;          /* u at its end = factor u + offset */
  double sum_slope, sum_offset;   /* its chunks together */
  double slope_least, slope_most; /* of its single chunks */
  /* No chunk of the run is below bound_units where u is bound_u. HUGE_VAL: no worker is left. */
  double bound_u, bound_units;
};

struct tree {
  struct run *runs; /* 1 is all workers, the children of k are 2 k and 2 k + 1 */
  size_t leaves;    /* a power of two; leaf i is run leaves + i */
};

/* The worker with the least chunk, as far as known. */
struct found {
  size_t leaf;
  double units;
};

static const struct run NOBODY = {1, 0, 0, 0, HUGE_VAL, 0, 0, HUGE_VAL};

static struct run make_run(const struct ls_star_worker *worker) {
  double slope = 1 / (worker->send_per_unit_s + worker->compute_per_unit_s);
  double wait_s = worker->compute_latency_s + worker->delay_s;
  double start_s = worker->send_latency_s + wait_s;
  return (struct run){
      .factor = worker->compute_per_unit_s * slope,
      .offset =
          (worker->send_per_unit_s * wait_s - worker->compute_per_unit_s * worker->send_latency_s) *
          slope,
      .sum_slope = slope,
      .sum_offset = -start_s * slope,
      .slope_least = slope,
      .slope_most = slope,
      .bound_u = start_s,
      .bound_units = 0,
  };
}

/* A bound that no chunk of the run is below; exact for a single worker. */
static double find_bound(const struct run *run, double u) {
  if (!(run->bound_units < HUGE_VAL)) return HUGE_VAL;
  double ahead = u - run->bound_u;
  return run->bound_units + ahead * (ahead > 0 ? run->slope_least : run->slope_most);
}

static double pass_run(const struct run *run, double u) {
  return run->factor * u + run->offset;
}

static void set_bound(struct tree *tree, size_t node, double u) {
  const struct run *left = &tree->runs[2 * node], *right = left + 1;
  tree->runs[node].bound_u = u;
  tree->runs[node].bound_units = fmin(find_bound(left, u), find_bound(right, pass_run(left, u)));
}

static void join_runs(struct tree *tree, size_t node, double u) {
  const struct run *left = &tree->runs[2 * node], *right = left + 1;
  tree->runs[node] = (struct run){
      .factor = right->factor * left->factor,
      .offset = pass_run(right, left->offset),
      .sum_slope = left->sum_slope + right->sum_slope * left->factor,
      .sum_offset = left->sum_offset + right->sum_slope * left->offset + right->sum_offset,
      .slope_least = fmin(left->slope_least, right->slope_least * left->factor),
      .slope_most = fmax(left->slope_most, right->slope_most * left->factor),
  };
  set_bound(tree, node, u);
}

/* Looks below a node whose bound says that a chunk may be less than what was found, the likelier
 * half first, and leaves better bounds behind; of equal chunks the first worker's counts. */
static void search_node(struct tree *tree, size_t node, double u, double bound,
                        struct found *found) {
  if (!(bound <= found->units) || !(bound < HUGE_VAL)) return;
  if (node >= tree->leaves) {
    if (bound < found->units || node < found->leaf) *found = (struct found){node, bound};
    return;
  }
  const struct run *left = &tree->runs[2 * node];
  double u_right = pass_run(left, u);
  double bound_left = find_bound(left, u), bound_right = find_bound(left + 1, u_right);
  if (bound_left <= bound_right) {
    search_node(tree, 2 * node, u, bound_left, found);
    search_node(tree, 2 * node + 1, u_right, bound_right, found);
  } else {
    search_node(tree, 2 * node + 1, u_right, bound_right, found);
    search_node(tree, 2 * node, u, bound_left, found);
  }
  set_bound(tree, node, u);
}

static void drop_leaf(struct tree *tree, size_t leaf) {
  tree->runs[leaf] = NOBODY;
  for (size_t node = leaf / 2; node >= 1; node /= 2) {
    join_runs(tree, node, tree->runs[node].bound_u);
  }
}

enum ls_status ls_one_round_drop(const struct ls_star_worker *workers, size_t count, double load,
                                 bool *is_dropped, struct ls_error *err) {
  struct tree tree = {.leaves = 1};
  while (tree.leaves < count) tree.leaves *= 2;
  tree.runs = calloc(tree.leaves, 2 * sizeof *tree.runs);
  if (tree.runs == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  for (size_t i = 0; i < tree.leaves; i++) {
    tree.runs[tree.leaves + i] = i < count ? make_run(&workers[i]) : NOBODY;
    if (i < count) is_dropped[i] = false;
  }
  for (size_t node = tree.leaves; node-- > 1;) join_runs(&tree, node, 0);
  for (size_t used = count; used > 1; used--) {
    struct found found = {SIZE_MAX, HUGE_VAL};
    double end_s = (load - tree.runs[1].sum_offset) / tree.runs[1].sum_slope;
    search_node(&tree, 1, end_s, find_bound(&tree.runs[1], end_s), &found);
    if (!(found.units <= 0)) break;
    is_dropped[found.leaf - tree.leaves] = true;
    drop_leaf(&tree, found.leaf);
  }
  free(tree.runs);
  return LS_OK;
}
