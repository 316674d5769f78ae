/* pack_lptf.c: Largest Processing Time First, on workers of any speeds.
 *
 * Reference:  graham1969 for equal speeds; gonzalez1977 for uniform ones.
 * Assumes:    nothing.
 * Answers:    each task, the longest first, where it ends first: at most 4/3 - 1/(3K) times the
 *             optimum on K equal workers, less than twice on unequal ones.
 * Cost:       O(N (C + log K)) for N tasks, K shards, C different speeds.
 * Symbols:    none.
 */
#include <stdlib.h>

#include "planners/pack/pack_list.h"

/* Shards of one speed: a heap by their work. */
struct class {
  uint32_t *heap;
  size_t count;
  double speed;
};

/* What has less work comes first, then the lower number. */
static bool is_before(const double *seconds, uint32_t a, uint32_t b) {
  return seconds[a] < seconds[b] || (!(seconds[b] < seconds[a]) && a < b);
}

/* The first shard has more work than it had. */
static void sink_first(const struct class *class, const double *seconds) {
  uint32_t *heap = class->heap, moved = heap[0];
  size_t at = 0;
  for (size_t child = 1; child < class->count; child = 2 * at + 1) {
    if (child + 1 < class->count && is_before(seconds, heap[child + 1], heap[child])) child++;
    if (!is_before(seconds, heap[child], moved)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

static size_t make_classes(const struct ls_pack_problem *problem, struct class *classes,
                           uint32_t *heaps) {
  size_t count = 0;
  for (size_t k = 0; k < problem->shards; k++) {
    heaps[k] = (uint32_t)k;
    if (count == 0 || problem->speeds[k] < classes[count - 1].speed)
      classes[count++] = (struct class){heaps + k, 0, problem->speeds[k]};
    classes[count - 1].count++;
  }
  return count;
}

static size_t find_earliest(const struct class *classes, size_t count, const double *seconds,
                            double task_s) {
  size_t earliest = 0;
  double end_s = (seconds[classes[0].heap[0]] + task_s) / classes[0].speed;
  for (size_t i = 1; i < count; i++) {
    /* Equal ends: the faster one. */
    double other_s = (seconds[classes[i].heap[0]] + task_s) / classes[i].speed;
    if (!(other_s < end_s)) continue;
    end_s = other_s;
    earliest = i;
  }
  return earliest;
}

static enum ls_status divide(struct ls_pack_search *search) {
  const struct ls_pack_problem *problem = search->problem;
  struct ls_packing *trial = &search->trial;
  struct class *classes = calloc(problem->shards, sizeof *classes);
  uint32_t *heaps = calloc(problem->shards, sizeof *heaps);
  bool has_memory = classes != NULL && heaps != NULL;
  if (has_memory) {
    size_t count = make_classes(problem, classes, heaps);
    for (size_t k = 0; k < problem->shards; k++) trial->seconds[k] = 0;
    for (size_t i = 0; i < problem->tasks; i++) {
      double task_s = problem->seconds[i];
      struct class *class = &classes[find_earliest(classes, count, trial->seconds, task_s)];
      trial->shard_of[i] = class->heap[0];
      trial->seconds[class->heap[0]] += task_s;
      sink_first(class, trial->seconds);
    }
    ls_pack_offer(search, ls_pack_lptf.name);
  }
  free(classes);
  free(heaps);
  return has_memory ? LS_OK : LS_ENOMEM;
}

static uint64_t cost(const struct ls_pack_problem *problem) {
  (void)problem;
  return 0; /* it is always tried */
}

const struct ls_pack_algorithm ls_pack_lptf = {
    .name = "lptf",
    .summary = "the longest task first, where it ends first",
    .reference = "graham1969",
    .cost = cost,
    .divide = divide,
};
