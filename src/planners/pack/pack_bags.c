/* pack_bags.c: Speed-robust scheduling: sand, bricks, and rocks.
 *
 * Reference:  eberle2023 (as many bags as machines; rocks); minarik2024 (sand in more bags).
 * Assumes:    at most m machines, of any speeds, that of some perhaps 0.
 * Answers:    sand: t_j = (m - 1)^(b-j) m^(j-1), j = 1 to b, of L = m^b - (m - 1)^b in all.  Give
 *             the machines the room U = m^b in all, in proportion to their speeds: when the bags
 *             above j are placed, U - (t_(j+1) + ... + t_b) = m t_j is left, so that one machine
 *             has room for t_j, and the ratio is U / L.  The same for any bags a_1 <= ... <= a_b:
 *             the ratio is the largest of (m a_j + a_(j+1) + ... + a_b) / (a_1 + ... + a_b).  It
 *             is attained: on m - 1 machines of speed a_j and one of a_j + ... + a_b, the bags
 *             from j on end at 1 wherever they are.  With the sizes of sand all these are equal,
 *             and other sizes make one of them larger.
 *             bricks (equal tasks): the greatest whole a_j that keep to the least ratio, by
 *             bisection.  rocks: the sizes of sand as far as the tasks allow, or those of the
 *             longest first into equal bags, which are at most 2 - 1/m times the best for b = m;
 *             whichever is proven better.
 * Cost:       that of a division into b shards.
 * Symbols:    m -> machines, b -> bags, a_j -> sizes[b - j].
 */
#include "planners/pack/pack_bags.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/pack/pack_choice.h"
#include "planners/pack/pack_list.h"

enum { STEPS = 60 };

static double shrink_of(size_t machines) {
  return (double)(machines - 1) / (double)machines;
}

double ls_pack_sand_ratio(size_t bags, size_t machines) {
  double shrink = shrink_of(machines), power = 1;
  for (size_t i = 0; i < bags && power > 0; i++) power *= shrink;
  return 1 / (1 - power);
}

void ls_pack_sand_shares(size_t bags, size_t machines, double *shares) {
  double shrink = shrink_of(machines),
         share = ls_pack_sand_ratio(bags, machines) / (double)machines;
  for (size_t i = 0; i < bags; i++, share *= shrink) shares[i] = share;
}

double ls_pack_bags_ratio(const double *sizes, size_t bags, size_t machines) {
  double larger = 0, most = 0, total = 0;
  for (size_t i = 0; i < bags; i++) total += sizes[i];
  for (size_t i = 0; i < bags; larger += sizes[i++])
    most = fmax(most, larger + (double)machines * sizes[i]);
  return most / total;
}

/* Takes the division where its ratio is smaller; the bags are numbered by their sizes. */
static enum ls_status offer(struct ls_pack_bags *out, const struct ls_packing *packing,
                            const struct ls_pack_problem *problem, size_t machines,
                            const char *made) {
  size_t bags = problem->shards;
  uint32_t *places = calloc(2 * bags, sizeof *places), *ranks = places + bags;
  double *sizes = calloc(bags, sizeof *sizes);
  bool has_memory = places != NULL && sizes != NULL &&
                    ls_pack_arrange(packing->seconds, NULL, bags, places) == LS_OK;
  if (has_memory) {
    for (size_t k = 0; k < bags; k++) {
      sizes[k] = packing->seconds[places[k]];
      ranks[places[k]] = (uint32_t)k;
    }
    double ratio = ls_pack_bags_ratio(sizes, bags, machines);
    /* With as many bags as machines equal bags are never worse than this. */
    double most = 2 - 1 / (double)machines;
    if (strcmp(made, "rocks") == 0 && bags == machines && most < ratio) ratio = most;
    if (ratio < out->ratio) {
      memcpy(out->sizes, sizes, bags * sizeof *sizes);
      for (size_t i = 0; i < problem->tasks; i++) out->bag_of[i] = ranks[packing->shard_of[i]];
      out->ratio = ratio;
      out->made = made;
    }
  }
  free(places);
  free(sizes);
  return has_memory ? LS_OK : LS_ENOMEM;
}

/* By shares of the load, as if these were speeds. */
static enum ls_status try_sand(struct ls_pack_bags *out, const struct ls_pack_problem *problem,
                               size_t machines) {
  struct ls_pack_result result;
  struct ls_budget budget = {.work_max = LS_PACK_WORK / 4};
  enum ls_status status = ls_pack_choose(problem, &budget, &result, NULL);
  if (status != LS_OK) return status;
  status = offer(out, &result.packing, problem, machines, "sand");
  ls_pack_result_close(&result);
  return status;
}

/* What is proven of rocks is proven of this division, and not of one that is more even. */
static enum ls_status try_rocks(struct ls_pack_bags *out, const struct ls_pack_problem *problem,
                                size_t machines) {
  struct ls_pack_search search = {.problem = problem};
  enum ls_status status = ls_packing_init(&search.best, problem);
  if (status != LS_OK) return status;
  status = ls_packing_init(&search.trial, problem);
  if (status == LS_OK) status = ls_pack_lptf.divide(&search);
  if (status == LS_OK) status = offer(out, &search.best, problem, machines, "rocks");
  ls_packing_close(&search.best);
  ls_packing_close(&search.trial);
  return status;
}

/* The greatest whole bags within the room, the largest first; what is left over of the tasks. */
static size_t fill_whole(double room, size_t bags, size_t machines, size_t tasks, double *counts) {
  for (size_t k = 0; k < bags; k++) {
    double most = floor(room / (double)machines * (1 + LS_PACK_ROUNDING / 1024));
    counts[k] = most > (double)tasks ? (double)tasks : fmax(most, 0);
    tasks -= (size_t)counts[k];
    room -= counts[k];
  }
  return tasks;
}

static enum ls_status try_bricks(struct ls_pack_bags *out, const struct ls_pack_problem *problem,
                                 size_t machines) {
  double *counts = calloc(problem->shards, sizeof *counts);
  struct ls_packing packing;
  enum ls_status status = counts == NULL ? LS_ENOMEM : ls_packing_init(&packing, problem);
  if (status != LS_OK) {
    free(counts);
    return status;
  }
  double tasks = (double)problem->tasks, from = tasks, to = 2 * tasks;
  /* Twice the load has room for equal bags, but for one task in each. */
  to += (double)(machines + problem->shards);
  for (int step = 0; step < STEPS; step++) {
    double middle = from + (to - from) / 2;
    if (fill_whole(middle, problem->shards, machines, problem->tasks, counts) == 0)
      to = middle;
    else
      from = middle;
  }
  (void)fill_whole(to, problem->shards, machines, problem->tasks, counts);
  for (size_t k = 0, task = 0; k < problem->shards; k++)
    for (size_t i = 0; i < (size_t)counts[k]; i++) packing.shard_of[task++] = (uint32_t)k;
  ls_packing_measure(&packing, problem);
  status = offer(out, &packing, problem, machines, "bricks");
  ls_packing_close(&packing);
  free(counts);
  return status;
}

/* Each task in a bag of its own: nothing is lost. */
static void keep_alone(struct ls_pack_bags *out, const struct ls_pack_problem *problem) {
  for (size_t i = 0; i < problem->tasks; i++) {
    out->bag_of[i] = (uint32_t)i;
    out->sizes[i] = problem->seconds[i];
  }
  out->ratio = 1;
  out->made = "alone";
}

static enum ls_status try_all(struct ls_pack_bags *out, const struct ls_pack_problem *problem,
                              size_t machines, double *shares) {
  ls_pack_sand_shares(problem->shards, machines, shares);
  /* The least shares of many bags may vanish; they get what is left over. */
  for (size_t k = 0; k < problem->shards; k++) shares[k] = fmax(shares[k], 1e-12);
  bool has_bricks = !(problem->seconds[0] > problem->seconds[problem->tasks - 1]);
  enum ls_status status = LS_OK;
  if (has_bricks) return try_bricks(out, problem, machines);
  status = try_sand(out, problem, machines);
  for (size_t k = 0; k < problem->shards; k++) shares[k] = 1;
  return status == LS_OK ? try_rocks(out, problem, machines) : status;
}

enum ls_status ls_pack_bags_make(const double *seconds, size_t tasks, size_t bags, size_t machines,
                                 struct ls_pack_bags *out) {
  double *shares = calloc(bags, sizeof *shares);
  struct ls_pack_problem problem = {seconds, tasks, shares, bags};
  *out = (struct ls_pack_bags){.bag_of = calloc(tasks, sizeof *out->bag_of),
                               .sizes = calloc(bags, sizeof *out->sizes),
                               .ratio = HUGE_VAL};
  enum ls_status status =
      shares == NULL || out->bag_of == NULL || out->sizes == NULL ? LS_ENOMEM : LS_OK;
  if (status == LS_OK && tasks <= bags)
    keep_alone(out, &problem);
  else if (status == LS_OK)
    status = try_all(out, &problem, machines, shares);
  free(shares);
  if (status != LS_OK) ls_pack_bags_close(out);
  return status;
}

void ls_pack_bags_close(struct ls_pack_bags *bags) {
  free(bags->bag_of);
  free(bags->sizes);
  *bags = (struct ls_pack_bags){0};
}
