/* pack_differencing.c: Karmarkar and Karp's largest differencing method for K equal shards.
 *
 * Reference:  karmarkar1982, 3; michiels2003 for its guarantee with more than two shards.
 * Assumes:    equal speeds.
 * Answers:    each task is a division of its own, the task in one part and K - 1 empty ones.  The
 *             two divisions whose parts differ most become one: the largest part of the one with
 *             the smallest of the other, and so on.  The last one left is the answer; at most
 *             4/3 - 1/(3(K - 1)) times the optimum.
 * Cost:       O(N K log K) for N tasks, K shards.
 * Symbols:    none.
 */
#include <stdlib.h>

#include "base/heap.h"
#include "planners/pack/pack_list.h"

/* A part of a division: its work, and its tasks as a list. */
struct part {
  double seconds;
  uint32_t first, last; /* NO_TASK: it is empty */
};

#define NO_TASK UINT32_MAX

struct differencing {
  struct part *parts; /* shards of each division, the most work first */
  struct part *spare; /* of one division */
  uint32_t *next;     /* the task behind each in its list */
  struct ls_heap heap;
  size_t shards;
};

static uint64_t cost(const struct ls_pack_problem *problem) {
  return 4 * (uint64_t)problem->tasks * problem->shards;
}

static struct part join_parts(struct differencing *work, struct part a, struct part b) {
  if (a.first == NO_TASK) return b;
  if (b.first == NO_TASK) return a;
  work->next[a.last] = b.first;
  return (struct part){a.seconds + b.seconds, a.first, b.last};
}

static int compare_parts(const void *a, const void *b) {
  const struct part *left = a, *right = b;
  if (left->seconds > right->seconds) return -1;
  if (left->seconds < right->seconds) return 1;
  return left->first < right->first ? -1 : left->first > right->first;
}

/* Both take their part in `into`. */
static void join_divisions(struct differencing *work, size_t into, size_t other) {
  size_t shards = work->shards;
  struct part *a = work->parts + into * shards, *b = work->parts + other * shards;
  for (size_t k = 0; k < shards; k++) work->spare[k] = join_parts(work, a[k], b[shards - 1 - k]);
  qsort(work->spare, shards, sizeof *work->spare, compare_parts);
  for (size_t k = 0; k < shards; k++) a[k] = work->spare[k];
}

/* The heap gives the least first: a difference d is pushed as `most` - d. */
static enum ls_status push_division(struct differencing *work, size_t division, double most_s) {
  const struct part *parts = work->parts + division * work->shards;
  double difference = parts[0].seconds - parts[work->shards - 1].seconds;
  double key = most_s - difference;
  return ls_heap_push(&work->heap, key > 0 ? key : 0, 0, division);
}

static enum ls_status begin(struct differencing *work, const struct ls_pack_problem *problem) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < problem->tasks && status == LS_OK; i++) {
    struct part *parts = work->parts + i * problem->shards;
    for (size_t k = 0; k < problem->shards; k++) parts[k] = (struct part){0, NO_TASK, NO_TASK};
    parts[0] = (struct part){problem->seconds[i], (uint32_t)i, (uint32_t)i};
    work->next[i] = NO_TASK;
    status = push_division(work, i, problem->seconds[0]);
  }
  return status;
}

static enum ls_status join_all(struct differencing *work, const struct ls_pack_problem *problem,
                               size_t *last) {
  struct ls_heap_item first = {0}, second;
  while (ls_heap_pop(&work->heap, &first) && ls_heap_pop(&work->heap, &second)) {
    join_divisions(work, (size_t)first.payload, (size_t)second.payload);
    enum ls_status status = push_division(work, (size_t)first.payload, problem->seconds[0]);
    if (status != LS_OK) return status;
  }
  *last = (size_t)first.payload;
  return LS_OK;
}

static enum ls_status divide(struct ls_pack_search *search) {
  const struct ls_pack_problem *problem = search->problem;
  struct differencing work = {.parts = calloc(problem->tasks * problem->shards, sizeof *work.parts),
                              .spare = calloc(problem->shards, sizeof *work.spare),
                              .next = calloc(problem->tasks, sizeof *work.next),
                              .shards = problem->shards};
  size_t last = 0;
  enum ls_status status =
      work.parts == NULL || work.spare == NULL || work.next == NULL ? LS_ENOMEM : LS_OK;
  if (status == LS_OK) status = begin(&work, problem);
  if (status == LS_OK) status = join_all(&work, problem, &last);
  if (status == LS_OK) {
    for (size_t k = 0; k < problem->shards; k++)
      for (uint32_t i = work.parts[last * problem->shards + k].first; i != NO_TASK;
           i = work.next[i])
        search->trial.shard_of[i] = (uint32_t)k;
    ls_budget_spend(&search->budget, cost(problem));
    ls_pack_offer(search, ls_pack_differencing.name);
  }
  ls_heap_close(&work.heap);
  free(work.parts);
  free(work.spare);
  free(work.next);
  return status;
}

const struct ls_pack_algorithm ls_pack_differencing = {
    .name = "differencing",
    .summary = "Karmarkar and Karp's largest differences first, on equal speeds",
    .reference = "karmarkar1982",
    .needs_equal_speeds = true,
    .cost = cost,
    .divide = divide,
};
