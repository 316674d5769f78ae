/* loss.c: a cycle with lost workers.
 *
 * Reference:  heymann2001, chapter 5 (NR, SR, CR: no, single and complete replication).
 * Assumes:    equal workers; replicas are not killed; free workers are taken lowest number first; a
 *             loss at the instant of a completion comes first.
 * Answers:    makespan and efficiency; INFINITY when no worker is left.
 * Cost:       O(T n) for a cycle of T tasks on n workers, times K n for an expectation.
 * Symbols:    N -> workers, X -> extra, K -> midpoints.
 */
#include "theory/loss.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "theory/list_schedule.h"

enum { NOTHING = -1 };

/* An entry of the list: a task or its replica. */
struct entry {
  size_t task;
  bool is_waiting;
};

struct worker {
  double end_s;  /* of what it runs */
  double up_s;   /* until when it is there; INFINITY: it stays */
  long entry;    /* it runs, or NOTHING */
  long spare_of; /* the task of which it runs a spare replica, or NOTHING */
};

struct task {
  double seconds;
  bool is_done;
  unsigned runs; /* of it that wait or are under way, spare replicas not counted */
};

struct cycle {
  const struct ls_loss_setup *setup;
  struct entry *entries;
  size_t entries_count, cursor; /* no entry below the cursor waits */
  struct worker *workers;
  struct task *tasks; /* largest first */
  size_t tasks_left;
  double now_s;
};

static bool is_free(const struct cycle *cycle, const struct worker *worker) {
  assert(worker->entry == NOTHING || worker->spare_of == NOTHING);
  return worker->entry == NOTHING && worker->spare_of == NOTHING && worker->up_s > cycle->now_s;
}

static void release(struct cycle *cycle) {
  free(cycle->entries);
  free(cycle->workers);
  free(cycle->tasks);
}

static enum ls_status prepare(struct cycle *cycle, struct ls_error *err) {
  const struct ls_loss_setup *setup = cycle->setup;
  assert(setup->workers > 0);
  size_t replicas = setup->replicas < setup->tasks ? setup->replicas : setup->tasks;
  uint64_t *list = calloc(setup->tasks + 1, sizeof *list);
  cycle->entries = calloc(setup->tasks + replicas + 1, sizeof *cycle->entries);
  cycle->workers = calloc(setup->workers, sizeof *cycle->workers);
  cycle->tasks = calloc(setup->tasks + 1, sizeof *cycle->tasks);
  if (list == NULL || cycle->entries == NULL || cycle->workers == NULL || cycle->tasks == NULL) {
    free(list);
    return ls_fail(err, LS_ENOMEM, "no memory for a cycle of %zu tasks", setup->tasks);
  }
  enum ls_status status = ls_list_sort(setup->work, setup->tasks, list, err);
  for (size_t i = 0; i < setup->tasks; i++) {
    unsigned runs = i < replicas ? 2 : 1;
    cycle->tasks[i] = (struct task){setup->work[list[i]], false, runs};
    for (unsigned j = 0; j < runs; j++) {
      cycle->entries[cycle->entries_count++] = (struct entry){i, true};
    }
  }
  assert(cycle->entries_count == setup->tasks + replicas);
  for (size_t i = 0; i < setup->workers; i++) {
    cycle->workers[i] = (struct worker){0, (double)INFINITY, NOTHING, NOTHING};
  }
  for (size_t i = 0; i < setup->losses_count; i++) {
    assert(setup->losses[i].worker < setup->workers);
    struct worker *worker = &cycle->workers[setup->losses[i].worker];
    worker->up_s = fmin(worker->up_s, setup->losses[i].time_s);
  }
  cycle->tasks_left = setup->tasks;
  free(list);
  return status;
}

/* The task of a lost worker waits again unless the other run of it is on its way. */
static void lose(struct cycle *cycle, struct worker *worker) {
  long index = worker->entry;
  assert(worker->up_s <= cycle->now_s);
  worker->spare_of = NOTHING;
  if (index == NOTHING) return;
  struct entry *entry = &cycle->entries[index];
  struct task *task = &cycle->tasks[entry->task];
  worker->entry = NOTHING;
  assert(!entry->is_waiting);
  assert(task->runs > 0);
  if (task->is_done || --task->runs > 0) return;
  task->runs = 1;
  entry->is_waiting = true;
  if ((size_t)index < cycle->cursor) cycle->cursor = (size_t)index;
}

static void complete(struct cycle *cycle, struct worker *worker) {
  assert(worker->entry != NOTHING || worker->spare_of != NOTHING);
  size_t task =
      worker->entry != NOTHING ? cycle->entries[worker->entry].task : (size_t)worker->spare_of;
  worker->entry = worker->spare_of = NOTHING;
  assert(task < cycle->setup->tasks);
  if (cycle->tasks[task].is_done) return;
  cycle->tasks[task].is_done = true;
  assert(cycle->tasks_left > 0);
  cycle->tasks_left--;
}

/* Losses first, then completions. */
static void settle_instant(struct cycle *cycle) {
  assert(isfinite(cycle->now_s));
  size_t workers = cycle->setup->workers;
  for (size_t i = 0; i < workers; i++) {
    struct worker *worker = &cycle->workers[i];
    bool is_busy = worker->entry != NOTHING || worker->spare_of != NOTHING;
    if (is_busy && worker->up_s <= cycle->now_s) lose(cycle, worker);
  }
  for (size_t i = 0; i < workers; i++) {
    struct worker *worker = &cycle->workers[i];
    bool is_busy = worker->entry != NOTHING || worker->spare_of != NOTHING;
    if (is_busy && worker->end_s <= cycle->now_s) complete(cycle, worker);
  }
}

/* The next entry that is worth starting: with spare replicas, that of a task that is done is not.
 */
static long find_entry(struct cycle *cycle) {
  assert(cycle->cursor <= cycle->entries_count);
  while (cycle->cursor < cycle->entries_count) {
    const struct entry *entry = &cycle->entries[cycle->cursor];
    bool is_moot = cycle->setup->has_spare_replicas && cycle->tasks[entry->task].is_done;
    if (entry->is_waiting && !is_moot) return (long)cycle->cursor;
    cycle->cursor++;
  }
  return NOTHING;
}

/* A spare replica makes room for a task that waits. */
static struct worker *find_worker(struct cycle *cycle, bool takes_spares) {
  struct worker *spare = NULL;
  for (size_t i = 0; i < cycle->setup->workers; i++) {
    struct worker *worker = &cycle->workers[i];
    if (is_free(cycle, worker)) return worker;
    if (takes_spares && spare == NULL && worker->spare_of != NOTHING) spare = worker;
  }
  assert(spare == NULL || spare->entry == NOTHING);
  return spare;
}

/* The task that one worker alone runs and that ends last. */
static long find_sole_task(const struct cycle *cycle) {
  long last = NOTHING;
  double last_s = -1;
  for (size_t i = 0; i < cycle->setup->workers; i++) {
    const struct worker *worker = &cycle->workers[i];
    if (worker->entry == NOTHING) continue;
    long task = (long)cycle->entries[worker->entry].task;
    bool is_sole = cycle->tasks[task].runs == 1 && !cycle->tasks[task].is_done;
    for (size_t j = 0; j < cycle->setup->workers; j++) {
      if (cycle->workers[j].spare_of == task) is_sole = false;
    }
    if (!is_sole || !(worker->end_s > last_s)) continue;
    last = task;
    last_s = worker->end_s;
  }
  assert(last == NOTHING || (size_t)last < cycle->setup->tasks);
  return last;
}

static void start_all(struct cycle *cycle) {
  long entry;
  struct worker *worker;
  while ((entry = find_entry(cycle)) != NOTHING && (worker = find_worker(cycle, true)) != NULL) {
    assert(worker->entry == NOTHING && worker->up_s > cycle->now_s);
    cycle->entries[entry].is_waiting = false;
    worker->entry = entry;
    worker->spare_of = NOTHING;
    worker->end_s = cycle->now_s + cycle->tasks[cycle->entries[entry].task].seconds;
  }
  if (!cycle->setup->has_spare_replicas) return;
  while ((worker = find_worker(cycle, false)) != NULL) {
    long task = find_sole_task(cycle);
    if (task == NOTHING) return;
    assert(is_free(cycle, worker));
    worker->spare_of = task;
    worker->end_s = cycle->now_s + cycle->tasks[task].seconds;
  }
}

/* The next completion or loss of a busy worker; INFINITY: there is none. */
static double find_instant(const struct cycle *cycle) {
  double next_s = (double)INFINITY;
  for (size_t i = 0; i < cycle->setup->workers; i++) {
    const struct worker *worker = &cycle->workers[i];
    if (worker->entry == NOTHING && worker->spare_of == NOTHING) continue;
    next_s = fmin(next_s, fmin(worker->end_s, worker->up_s));
  }
  /* All that is over is settled: time never goes back. */
  assert(next_s >= cycle->now_s);
  return next_s;
}

static enum ls_status check_setup(const struct ls_loss_setup *setup, struct ls_error *err) {
  if (setup->workers == 0) return ls_fail(err, LS_EINVAL, "workers is 0, must be >= 1");
  for (size_t i = 0; i < setup->tasks; i++) {
    if (setup->work[i] >= 0 && isfinite(setup->work[i])) continue;
    return ls_fail(err, LS_EINVAL, "task %zu: work is %g, must be >= 0 and finite", i,
                   setup->work[i]);
  }
  for (size_t i = 0; i < setup->losses_count; i++) {
    const struct ls_lost_worker *loss = &setup->losses[i];
    if (loss->worker >= setup->workers) {
      return ls_fail(err, LS_EINVAL, "loss %zu: worker is %zu, must be < %zu", i, loss->worker,
                     setup->workers);
    }
    if (!(loss->time_s >= 0)) {
      return ls_fail(err, LS_EINVAL, "loss %zu: time is %g, must be >= 0", i, loss->time_s);
    }
  }
  return LS_OK;
}

static void measure(const struct cycle *cycle, struct ls_loss_cycle *result) {
  assert(cycle->tasks_left == 0 || !isfinite(cycle->now_s));
  struct ls_sum useful = {0}, up = {0};
  for (size_t i = 0; i < cycle->setup->tasks; i++) ls_sum_add(&useful, cycle->tasks[i].seconds);
  for (size_t i = 0; i < cycle->setup->workers; i++) {
    ls_sum_add(&up, fmin(cycle->now_s, cycle->workers[i].up_s));
  }
  double up_s = ls_sum_value(&up);
  assert(up_s >= 0);
  result->makespan_s = cycle->now_s;
  result->efficiency = up_s > 0 && isfinite(up_s) ? ls_sum_value(&useful) / up_s : 1;
  if (!isfinite(cycle->now_s)) result->efficiency = 0;
}

enum ls_status ls_loss_play(const struct ls_loss_setup *setup, struct ls_loss_cycle *result,
                            struct ls_error *err) {
  struct cycle cycle = {.setup = setup};
  enum ls_status status = check_setup(setup, err);
  if (status == LS_OK) status = prepare(&cycle, err);
  if (status != LS_OK) {
    release(&cycle);
    return status;
  }
  start_all(&cycle);
  while (cycle.tasks_left > 0 && isfinite(cycle.now_s)) {
    cycle.now_s = find_instant(&cycle);
    if (!isfinite(cycle.now_s)) break;
    settle_instant(&cycle);
    if (cycle.tasks_left > 0) start_all(&cycle);
  }
  measure(&cycle, result);
  release(&cycle);
  return LS_OK;
}

/* In per cent; efficiency counts as worse when it is lower. */
static struct ls_worsening compare(const struct ls_loss_cycle *before, double time_s,
                                   double efficiency) {
  assert(before->makespan_s >= 0 && before->efficiency >= 0);
  return (struct ls_worsening){
      .time_percent = before->makespan_s > 0 ? 100 * (time_s / before->makespan_s - 1) : 0,
      .efficiency_percent =
          before->efficiency > 0 ? 100 * (1 - efficiency / before->efficiency) : 0};
}

static struct ls_loss_setup make_setup(const struct ls_loss_study *study) {
  return (struct ls_loss_setup){.work = study->work,
                                .tasks = study->tasks,
                                .workers = study->workers + study->extra,
                                .replicas = study->replicas,
                                .has_spare_replicas = study->has_spare_replicas};
}

/* The workers alone, without losses and replicas: all else is compared with that. */
static enum ls_status play_base(const struct ls_loss_study *study, struct ls_loss_cycle *base,
                                struct ls_error *err) {
  struct ls_loss_setup setup = {
      .work = study->work, .tasks = study->tasks, .workers = study->workers};
  return ls_loss_play(&setup, base, err);
}

enum ls_status ls_loss_expect(const struct ls_loss_study *study, struct ls_worsening *worsening,
                              struct ls_error *err) {
  struct ls_loss_cycle base, cycle;
  struct ls_moments time = {0}, efficiency = {0};
  struct ls_lost_worker loss;
  double largest = 0;
  if (study->midpoints == 0) return ls_fail(err, LS_EINVAL, "midpoints is 0, must be >= 1");
  struct ls_loss_setup setup = make_setup(study);
  setup.losses = &loss;
  setup.losses_count = 1;
  enum ls_status status = play_base(study, &base, err);
  for (size_t i = 0; i < study->tasks; i++) largest = fmax(largest, study->work[i]);
  for (size_t i = 0; i < setup.workers && status == LS_OK; i++) {
    for (size_t k = 0; k < study->midpoints && status == LS_OK; k++) {
      loss = (struct ls_lost_worker){i, ((double)k + 0.5) * largest / (double)study->midpoints};
      status = ls_loss_play(&setup, &cycle, err);
      ls_moments_add(&time, cycle.makespan_s);
      ls_moments_add(&efficiency, cycle.efficiency);
    }
  }
  if (status != LS_OK) return status;
  assert(time.count == setup.workers * study->midpoints);
  /* The only worker is lost at once or later: the cycle does not end. */
  double time_s = setup.workers > 1 ? time.mean : (double)INFINITY;
  *worsening = compare(&base, time_s, efficiency.mean);
  if (base.makespan_s > 0 && setup.workers > 1) {
    worsening->time_deviation = 100 * ls_moments_deviation(&time) / base.makespan_s;
    worsening->efficiency_deviation = 100 * ls_moments_deviation(&efficiency) / base.efficiency;
  }
  return LS_OK;
}

enum ls_status ls_loss_spared(const struct ls_loss_study *study, struct ls_worsening *worsening,
                              struct ls_error *err) {
  struct ls_loss_cycle base, cycle;
  struct ls_loss_setup setup = make_setup(study);
  enum ls_status status = play_base(study, &base, err);
  if (status == LS_OK) status = ls_loss_play(&setup, &cycle, err);
  if (status == LS_OK) *worsening = compare(&base, cycle.makespan_s, cycle.efficiency);
  return status;
}

enum ls_status ls_loss_choose(const struct ls_loss_study *study, double loss_probability,
                              double price, size_t *replicas, struct ls_error *err) {
  struct ls_loss_study candidate = *study;
  double least = (double)INFINITY;
  size_t best = 0;
  enum ls_status status = LS_OK;
  if (!(loss_probability >= 0 && loss_probability <= 1)) {
    return ls_fail(err, LS_EINVAL, "loss_probability is %g, must be 0 to 1", loss_probability);
  }
  for (size_t r = 0; r <= study->extra && status == LS_OK; r++) {
    struct ls_worsening lost, spared;
    candidate.replicas = r;
    status = ls_loss_expect(&candidate, &lost, err);
    if (status == LS_OK) status = ls_loss_spared(&candidate, &spared, err);
    if (status != LS_OK) break;
    double q = loss_probability;
    double time =
        q > 0 ? q * lost.time_percent + (1 - q) * spared.time_percent : spared.time_percent;
    double efficiency = q * lost.efficiency_percent + (1 - q) * spared.efficiency_percent;
    double total = time + price * efficiency;
    if (r == 0 || total < least - 1e-9) {
      least = total;
      best = r;
    }
  }
  assert(best <= study->extra);
  if (status == LS_OK) *replicas = best;
  return status;
}
