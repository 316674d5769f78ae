/* pack_pairs.c: local search: the longest shard and another one divide their tasks anew.
 *
 * Reference:  frangioni2004 for moves among several shards; korf1998 for the search of a pair.
 * Assumes:    nothing.
 * Answers:    a division at least as good: moves and swaps of one task are special cases.  Where no
 *             pair helps, two other shards are mixed by chance, from a seed, and it goes on.
 * Cost:       the budget.
 * Symbols:    none.
 */
#include <stdlib.h>

#include "base/random.h"
#include "planners/pack/pack_list.h"

/* Of a pair, so many tasks are divided anew, the shorter ones of many; so many nodes at most. */
enum { FREE_TASKS = 36, NODES = 6000, NO_TASK = -1, STALLS = 20000, WHOLE_ROUND = 64 };
/* Two shards that are mixed need not be divided as well as can be. */
enum { MIXED_NODES = 400, SEED = 1 };
#define MIXED_ENOUGH 1e-4

struct pairs {
  struct ls_pack_search *search;
  const struct ls_pack_problem *problem;
  struct ls_packing *packing;
  int64_t *first, *next; /* the tasks of each shard, the longest first */
  uint32_t *by_end;      /* shards, the earliest first */
  struct ls_random random;
};

/* Two shards: tasks that stay, and those that are free. */
struct pool {
  uint32_t shard[2];
  double speed[2], kept[2]; /* work of what stays */
  size_t tasks[FREE_TASKS], count;
  unsigned char side[FREE_TASKS], found[FREE_TASKS];
  double best_s, ideal_s; /* of the longer one; where both end together */
  double enough;          /* within this share of that the search ends */
  unsigned nodes, nodes_max;
};

static double end_of(const struct pairs *pairs, size_t shard) {
  return pairs->packing->seconds[shard] / pairs->problem->speeds[shard];
}

static void list_tasks(struct pairs *pairs) {
  for (size_t k = 0; k < pairs->problem->shards; k++) pairs->first[k] = NO_TASK;
  for (size_t i = pairs->problem->tasks; i-- > 0;) {
    uint32_t shard = pairs->packing->shard_of[i];
    pairs->next[i] = pairs->first[shard];
    pairs->first[shard] = (int64_t)i;
  }
}

/* Takes a task into the pool; which one stays where it is, if there are too many: the longest, or
 * any. The pool is a ring of the shortest, or a sample. */
static void take_task(struct pairs *pairs, struct pool *pool, size_t seen, size_t task,
                      bool is_sample) {
  size_t place = is_sample && seen >= FREE_TASKS ? (size_t)ls_random_below(&pairs->random, seen + 1)
                                                 : seen % FREE_TASKS;
  size_t kept = task;
  if (place < FREE_TASKS) {
    kept = pool->tasks[place];
    pool->tasks[place] = task;
  }
  if (seen < FREE_TASKS) return;
  pool->kept[pairs->packing->shard_of[kept] == pool->shard[1]] += pairs->problem->seconds[kept];
}

static int compare_tasks(const void *a, const void *b) {
  size_t left = *(const size_t *)a, right = *(const size_t *)b;
  return left < right ? -1 : left > right;
}

static void fill_pool(struct pairs *pairs, struct pool *pool, const uint32_t shards[2],
                      bool is_sample) {
  *pool = (struct pool){
      .shard = {shards[0], shards[1]}, .nodes_max = NODES, .enough = LS_PACK_ROUNDING / 1024};
  int64_t at[2] = {pairs->first[shards[0]], pairs->first[shards[1]]};
  size_t seen = 0;
  for (int side = 0; side < 2; side++) pool->speed[side] = pairs->problem->speeds[shards[side]];
  for (; at[0] != NO_TASK || at[1] != NO_TASK; seen++) {
    int side = at[0] == NO_TASK || (at[1] != NO_TASK && at[1] < at[0]);
    take_task(pairs, pool, seen, (size_t)at[side], is_sample);
    at[side] = pairs->next[at[side]];
  }
  ls_budget_spend(&pairs->search->budget, seen);
  pool->count = seen < FREE_TASKS ? seen : FREE_TASKS;
  qsort(pool->tasks, pool->count, sizeof *pool->tasks, compare_tasks);
  double work = pool->kept[0] + pool->kept[1];
  for (size_t i = 0; i < pool->count; i++) work += pairs->problem->seconds[pool->tasks[i]];
  pool->ideal_s = work / (pool->speed[0] + pool->speed[1]);
}

/* Complete greedy: each task where it ends first, then where it ends last. */
static void divide_pool(const struct pairs *pairs, struct pool *pool, size_t at,
                        const double work[2]) {
  double end_s[2] = {work[0] / pool->speed[0], work[1] / pool->speed[1]};
  if (!(end_s[0] < pool->best_s) || !(end_s[1] < pool->best_s) || pool->nodes >= pool->nodes_max ||
      pool->best_s <= pool->ideal_s * (1 + pool->enough))
    return;
  pool->nodes++;
  if (at == pool->count) {
    pool->best_s = end_s[0] > end_s[1] ? end_s[0] : end_s[1];
    for (size_t i = 0; i < pool->count; i++) pool->found[i] = pool->side[i];
    return;
  }
  double task_s = pairs->problem->seconds[pool->tasks[at]];
  int first = (work[1] + task_s) / pool->speed[1] < (work[0] + task_s) / pool->speed[0];
  for (int turn = 0; turn < 2; turn++) {
    int side = turn == 0 ? first : 1 - first;
    double more[2] = {work[0] + (side == 0 ? task_s : 0), work[1] + (side == 1 ? task_s : 0)};
    pool->side[at] = (unsigned char)side;
    divide_pool(pairs, pool, at + 1, more);
  }
}

/* Puts the lists of both shards together anew. */
static void relist(struct pairs *pairs, const struct pool *pool) {
  int64_t at[2] = {pairs->first[pool->shard[0]], pairs->first[pool->shard[1]]};
  int64_t last[2] = {NO_TASK, NO_TASK};
  for (int side = 0; side < 2; side++) {
    pairs->first[pool->shard[side]] = NO_TASK;
    pairs->packing->seconds[pool->shard[side]] = 0;
  }
  while (at[0] != NO_TASK || at[1] != NO_TASK) {
    int from = at[0] == NO_TASK || (at[1] != NO_TASK && at[1] < at[0]);
    int64_t task = at[from];
    at[from] = pairs->next[task];
    int side = pairs->packing->shard_of[task] == pool->shard[1];
    if (last[side] == NO_TASK)
      pairs->first[pool->shard[side]] = task;
    else
      pairs->next[last[side]] = task;
    last[side] = task;
    pairs->next[task] = NO_TASK;
    pairs->packing->seconds[pool->shard[side]] += pairs->problem->seconds[task];
  }
}

static void apply(struct pairs *pairs, const struct pool *pool, const unsigned char *sides) {
  for (size_t i = 0; i < pool->count; i++)
    pairs->packing->shard_of[pool->tasks[i]] = pool->shard[sides[i]];
  relist(pairs, pool);
}

/* Does the longer of both end earlier then? */
static bool improve_pair(struct pairs *pairs, uint32_t longest, uint32_t other) {
  struct pool pool;
  fill_pool(pairs, &pool, (uint32_t[]){longest, other}, false);
  double before_s = end_of(pairs, longest);
  if (!(pool.ideal_s < before_s * (1 - LS_PACK_ROUNDING))) return false;
  pool.best_s = before_s * (1 - LS_PACK_ROUNDING / 1024);
  double limit_s = pool.best_s;
  divide_pool(pairs, &pool, 0, pool.kept);
  ls_budget_spend(&pairs->search->budget, 4 * (uint64_t)pool.nodes);
  if (!(pool.best_s < limit_s)) return false;
  apply(pairs, &pool, pool.found);
  return true;
}

/* What two shards have to spare goes from one to the other, as much as chance says: both still end
 * before the longest. The search is for speeds at which that division were the even one. */
static void mix_pair(struct pairs *pairs, uint32_t a, uint32_t b, double limit_s) {
  struct pool pool;
  fill_pool(pairs, &pool, (uint32_t[]){a, b}, true);
  double work = pool.ideal_s * (pool.speed[0] + pool.speed[1]);
  double most = limit_s * pool.speed[0], least = work - limit_s * pool.speed[1];
  if (most > work) most = work;
  if (!(least > 0)) least = 0;
  double part = least + (most - least) * ls_random_real(&pairs->random);
  if (!(part > 0) || !(part < work)) return;
  pool.speed[0] = part;
  pool.speed[1] = work - part;
  pool.ideal_s = 1;
  pool.best_s = 2;
  pool.enough = MIXED_ENOUGH;
  pool.nodes_max = MIXED_NODES;
  divide_pool(pairs, &pool, 0, pool.kept);
  ls_budget_spend(&pairs->search->budget, 4 * (uint64_t)pool.nodes);
  if (!(pool.best_s < 2)) return;
  double sides[2] = {pool.kept[0], pool.kept[1]};
  for (size_t i = 0; i < pool.count; i++)
    sides[pool.found[i]] += pairs->problem->seconds[pool.tasks[i]];
  bool is_good = sides[0] < limit_s * pairs->problem->speeds[a] &&
                 sides[1] < limit_s * pairs->problem->speeds[b];
  if (is_good) apply(pairs, &pool, pool.found);
}

static uint32_t find_longest(const struct pairs *pairs) {
  uint32_t longest = 0;
  for (size_t k = 1; k < pairs->problem->shards; k++)
    if (end_of(pairs, k) > end_of(pairs, longest)) longest = (uint32_t)k;
  return longest;
}

static int compare_ends(const void *a, const void *b, void *context) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  double left_s = end_of(context, left), right_s = end_of(context, right);
  if (left_s < right_s) return -1;
  return left_s > right_s || left > right;
}

/* With the earliest others first; in large divisions with the first of them only. */
static bool improve_longest(struct pairs *pairs, uint32_t longest) {
  size_t shards = pairs->problem->shards;
  for (size_t k = 0; k < shards; k++) pairs->by_end[k] = (uint32_t)k;
  qsort_r(pairs->by_end, shards, sizeof *pairs->by_end, compare_ends, pairs);
  ls_budget_spend(&pairs->search->budget, 8 * (uint64_t)shards);
  for (size_t i = 0; i < shards && i < WHOLE_ROUND; i++) {
    if (ls_budget_is_spent_shortly(&pairs->search->budget)) return false;
    if (pairs->by_end[i] != longest && improve_pair(pairs, longest, pairs->by_end[i])) return true;
  }
  return false;
}

static void search_on(struct pairs *pairs) {
  size_t shards = pairs->problem->shards;
  double bound_s = pairs->search->bound_s, share = pairs->search->tolerance;
  if (!(share > LS_PACK_ROUNDING)) share = LS_PACK_ROUNDING;
  for (int stalls = 0; stalls < STALLS && !ls_budget_is_spent_shortly(&pairs->search->budget);) {
    uint32_t longest = find_longest(pairs);
    double limit_s = end_of(pairs, longest);
    if (limit_s <= bound_s * (1 + share)) return;
    if (improve_longest(pairs, longest)) {
      stalls = 0;
      continue;
    }
    stalls++;
    for (int turn = 0; turn < 2 && shards > 2; turn++) {
      uint32_t a = (uint32_t)ls_random_below(&pairs->random, shards);
      uint32_t b = (uint32_t)ls_random_below(&pairs->random, shards);
      if (a != b && a != longest && b != longest) mix_pair(pairs, a, b, limit_s);
    }
    if (shards <= 2) return;
  }
}

static enum ls_status divide(struct ls_pack_search *search) {
  const struct ls_pack_problem *problem = search->problem;
  struct pairs pairs = {.search = search,
                        .problem = problem,
                        .packing = &search->trial,
                        .first = calloc(problem->shards, sizeof *pairs.first),
                        .next = calloc(problem->tasks, sizeof *pairs.next),
                        .by_end = calloc(problem->shards, sizeof *pairs.by_end)};
  bool has_memory = pairs.first != NULL && pairs.next != NULL && pairs.by_end != NULL;
  if (has_memory && problem->shards > 1) {
    ls_random_init(&pairs.random, SEED, "pairs");
    ls_packing_copy(&search->trial, &search->best, problem);
    list_tasks(&pairs);
    search_on(&pairs);
    ls_pack_offer(search, ls_pack_pairs.name);
  }
  free(pairs.first);
  free(pairs.next);
  free(pairs.by_end);
  return has_memory ? LS_OK : LS_ENOMEM;
}

static uint64_t cost(const struct ls_pack_problem *problem) {
  return problem->tasks + 16 * (uint64_t)problem->shards;
}

const struct ls_pack_algorithm ls_pack_pairs = {
    .name = "pairs",
    .summary = "the longest shard and another one divide their tasks again, until nothing improves",
    .reference = "frangioni2004",
    .cost = cost,
    .divide = divide,
};
