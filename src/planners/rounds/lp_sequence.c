/* lp_sequence.c: the linear program of a given sequence of messages.
 *
 * Reference:  yang2002, the model; the program is the project's own (any affine cost, any order).
 * Assumes:    one transfer at a time; results cost nothing to return (the replay charges them).
 * Answers:    NOT_APPLICABLE when the solver finds no optimum, or cannot hold the costs.
 * Cost:       a linear program of at most 4 columns and 5 rows for each message; two of them where
 *             windows begin above 0.
 * Symbols:    x -> units, M -> sent, L -> arrived, F -> done, T -> makespan: columns of the
 * program; load and times are scaled to about 1.
 */

#include "planners/rounds/lp_sequence.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/metrics.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "planners/fit.h"
#include "solve/linear.h"

enum { NONE = -1 };

/* Chunks of at most this share of the load are given to the worker's largest chunk. */
static const double negligible = 1e-9;

/* Of what one load, or one latency, costs in units of the program: less than the least is less than
 * the solver's tolerance; with more than the most beside it, Clp may go in circles for ever. */
static const double least_cost = 1e-13, most_cost = 1e12;

struct sequence {
  const struct ls_planner_setup *setup;
  const struct ls_message *messages;
  size_t count;
  double scale_s;   /* of time: one unit of the program */
  bool uses_master; /* does the master's processor take any time? */
  bool is_too_wide; /* costs above most_cost */
  bool uses_all;    /* every message is sent, and so large enough for its window */
  struct ls_linear program;
  size_t makespan;   /* column */
  size_t *units;     /* columns, by message */
  long *done_before; /* by worker: column of its message before, NONE at first */
};

static double find_scale(const struct ls_planner_setup *setup) {
  struct ls_lower_bound bound = ls_lower_bound_quick(setup->platform, setup->load);
  return bound.bound_s > 0 && isfinite(bound.bound_s) ? bound.bound_s : 1;
}

static bool costs_anything(const struct ls_cost *cost) {
  return cost->latency_s > 0 || cost->per_unit_s > 0;
}

static bool uses_master(const struct ls_platform *platform) {
  if (costs_anything(&platform->prepare)) return true;
  for (size_t i = 0; i < platform->workers_count; i++) {
    if (costs_anything(&platform->workers[i].costs[LS_OPERATION_SEND])) return true;
  }
  return false;
}

static struct ls_cost add_costs(struct ls_cost a, struct ls_cost b) {
  return (struct ls_cost){.latency_s = a.latency_s + b.latency_s,
                          .per_unit_s = a.per_unit_s + b.per_unit_s};
}

/* Adds "after - before >= extra_s + cost(units)". `before` NONE: the start of the schedule. */
static void add_step(struct sequence *sequence, long before, size_t after, size_t units,
                     struct ls_cost cost) {
  struct ls_linear *program = &sequence->program;
  double latency = cost.latency_s / sequence->scale_s;
  (void)ls_linear_row(program, LS_AT_LEAST, latency);
  ls_linear_entry(program, after, 1);
  if (before != NONE) ls_linear_entry(program, (size_t)before, -1);
  double per_load = cost.per_unit_s * sequence->setup->load / sequence->scale_s;
  if (per_load > least_cost) ls_linear_entry(program, units, -per_load);
  if (!(latency <= most_cost && per_load <= most_cost)) sequence->is_too_wide = true;
}

/* The rows of one message. `sent` and `arrived` are the columns of the message before. */
static void add_message(struct sequence *sequence, size_t index, long *sent, long *arrived) {
  const struct ls_platform *platform = sequence->setup->platform;
  struct ls_linear *program = &sequence->program;
  uint32_t number = sequence->messages[index].worker;
  const struct ls_worker_model *worker = &platform->workers[number];
  size_t units = sequence->units[index] = ls_linear_column(program, 0);
  size_t arrival = ls_linear_column(program, 0);
  add_step(sequence, *arrived, arrival, units, worker->costs[LS_OPERATION_TRANSFER]);
  if (sequence->uses_master) {
    size_t sending = ls_linear_column(program, 0);
    add_step(sequence, *sent, sending, units,
             add_costs(platform->prepare, worker->costs[LS_OPERATION_SEND]));
    add_step(sequence, (long)sending, arrival, units, worker->costs[LS_OPERATION_TRANSFER]);
    *sent = (long)sending;
  }
  *arrived = (long)arrival;
  struct ls_cost work =
      add_costs(worker->costs[LS_OPERATION_RECEIVE], worker->costs[LS_OPERATION_COMPUTE]);
  size_t done = ls_linear_column(program, 0);
  long *before = &sequence->done_before[number];
  if (*before != NONE) add_step(sequence, *before, done, units, work);
  *before = (long)done;
  work.latency_s += worker->delay_s;
  add_step(sequence, (long)arrival, done, units, work);
}

/* Chunks lie in their windows where all messages are used and can be the load together. Else none
 * is too large; what is too small is made to fit afterwards. */
static void bound_units(struct sequence *sequence) {
  const struct ls_platform *platform = sequence->setup->platform;
  double load = sequence->setup->load, least_sum = 0, most_sum = 0;
  for (size_t i = 0; i < sequence->count; i++) {
    const struct ls_worker_model *worker = &platform->workers[sequence->messages[i].worker];
    least_sum += ls_worker_chunk_least(worker);
    most_sum += ls_worker_chunk_most(worker);
  }
  if (!(most_sum >= load)) return;
  for (size_t i = 0; i < sequence->count; i++) {
    const struct ls_worker_model *worker = &platform->workers[sequence->messages[i].worker];
    bool uses_all = sequence->uses_all && least_sum <= load;
    double least = uses_all ? ls_worker_chunk_least(worker) / load : 0;
    double most = ls_worker_chunk_most(worker) / load;
    if (!(least <= most)) continue;
    ls_linear_bound(&sequence->program, sequence->units[i], least,
                    most < 1 ? most : (double)INFINITY);
  }
}

static void build_program(struct sequence *sequence) {
  size_t workers = sequence->setup->platform->workers_count;
  struct ls_linear *program = &sequence->program;
  long sent = NONE, arrived = NONE;
  sequence->makespan = ls_linear_column(program, 1);
  for (size_t i = 0; i < workers; i++) sequence->done_before[i] = NONE;
  for (size_t i = 0; i < sequence->count; i++) add_message(sequence, i, &sent, &arrived);
  /* A worker's last message is its latest; the others need no row. */
  for (size_t i = 0; i < workers; i++) {
    if (sequence->done_before[i] == NONE) continue;
    add_step(sequence, sequence->done_before[i], sequence->makespan, 0, (struct ls_cost){0});
  }
  (void)ls_linear_row(program, LS_EQUAL, 1);
  for (size_t i = 0; i < sequence->count; i++) {
    ls_linear_entry(program, sequence->units[i], 1);
  }
  bound_units(sequence);
}

/* Moves what is negligible to the worker's largest chunk. A worker with nothing but negligible
 * chunks loses them; add_chunks makes up for that. */
static enum ls_status merge_negligible(const struct sequence *sequence, double *shares,
                                       struct ls_error *err) {
  size_t workers = sequence->setup->platform->workers_count;
  size_t *largest = calloc(workers, sizeof *largest); /* message + 1; 0: none yet */
  if (largest == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers);
  for (size_t i = 0; i < sequence->count; i++) {
    size_t *best = &largest[sequence->messages[i].worker];
    if (*best == 0 || shares[i] > shares[*best - 1]) *best = i + 1;
  }
  for (size_t i = 0; i < sequence->count; i++) {
    if (shares[i] > negligible) continue;
    size_t best = largest[sequence->messages[i].worker] - 1;
    if (shares[best] > negligible) shares[best] += shares[i];
    shares[i] = 0;
  }
  free(largest);
  return LS_OK;
}

/* The chunks of `shares`, whose sum is brought to the load. */
static void add_chunks(const struct sequence *sequence, const double *shares,
                       struct ls_plan *plan) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < sequence->count; i++) ls_sum_add(&sum, shares[i]);
  double factor = sequence->setup->load / ls_sum_value(&sum);
  for (size_t i = 0; i < sequence->count; i++) {
    const struct ls_message *message = &sequence->messages[i];
    if (shares[i] > 0) ls_plan_add(plan, message->worker, message->round, shares[i] * factor);
  }
}

/* The program's own sizes, then those without negligible chunks: the better of both. */
static enum ls_status take_solution(const struct sequence *sequence,
                                    const struct ls_linear_solution *solution, struct ls_plan *plan,
                                    struct ls_error *err) {
  const struct ls_planner_setup *setup = sequence->setup;
  struct ls_plan whole, merged;
  double whole_s = (double)INFINITY, merged_s = (double)INFINITY;
  ls_plan_init(&whole, "lp", setup->load);
  ls_plan_init(&merged, "lp", setup->load);
  double *shares = calloc(sequence->count, sizeof *shares);
  enum ls_status status = LS_OK;
  if (shares == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu messages", sequence->count);
    goto done;
  }
  for (size_t i = 0; i < sequence->count; i++) shares[i] = solution->values[sequence->units[i]];
  add_chunks(sequence, shares, &whole);
  status = merge_negligible(sequence, shares, err);
  if (status != LS_OK) goto done;
  add_chunks(sequence, shares, &merged);
  status = ls_replay_makespan(&whole, setup->platform, &whole_s, err);
  if (status == LS_OK) status = ls_replay_makespan(&merged, setup->platform, &merged_s, err);
  if (status != LS_OK) goto done;
  ls_plan_take(plan, merged_s <= whole_s ? &merged : &whole);
  ls_plan_set(plan, "predicted_makespan", solution->objective * sequence->scale_s);
  status = ls_plan_finish(plan, err);
done:
  free(shares);
  ls_plan_close(&whole);
  ls_plan_close(&merged);
  return status;
}

static enum ls_status plan_sequence(const struct sequence *question, struct ls_plan *plan,
                                    struct ls_error *err) {
  struct sequence sequence = *question;
  const struct ls_planner_setup *setup = sequence.setup;
  size_t count = sequence.count;
  struct ls_linear_solution solution = {0};
  enum ls_status status;
  ls_linear_init(&sequence.program, false);
  sequence.units = calloc(count, sizeof *sequence.units);
  sequence.done_before = calloc(setup->platform->workers_count, sizeof *sequence.done_before);
  if (sequence.units == NULL || sequence.done_before == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu messages", count);
    goto done;
  }
  build_program(&sequence);
  if (sequence.is_too_wide) {
    ls_plan_refuse(plan, "the costs are too far apart for the solver");
    status = LS_OK;
    goto done;
  }
  status = ls_linear_solve(&sequence.program, 0, &solution, err);
  if (status == LS_OK && solution.outcome == LS_LINEAR_OPTIMAL) {
    status = take_solution(&sequence, &solution, plan, err);
  } else if (status == LS_OK) {
    ls_plan_refuse(plan, "the solver found no optimum for %zu messages", count);
  }
done:
  ls_linear_solution_close(&solution);
  ls_linear_close(&sequence.program);
  free(sequence.units);
  free(sequence.done_before);
  return status;
}

static bool has_least(const struct ls_platform *platform) {
  for (size_t i = 0; i < platform->workers_count; i++)
    if (platform->workers[i].window_from > 0) return true;
  return false;
}

/* Can all messages, each as large as its worker takes, be the load? */
static bool can_use_all(const struct ls_planner_setup *setup, const struct ls_message *messages,
                        size_t count) {
  struct ls_sum least = {0}, most = {0};
  double tolerance = 1e-9 * setup->load;
  for (size_t i = 0; i < count; i++) {
    const struct ls_worker_model *worker = &setup->platform->workers[messages[i].worker];
    ls_sum_add(&least, ls_worker_chunk_least(worker));
    ls_sum_add(&most, fmin(ls_worker_chunk_most(worker), setup->load));
  }
  return ls_sum_value(&least) <= setup->load + tolerance &&
         ls_sum_value(&most) >= setup->load - tolerance;
}

enum ls_status ls_lp_makespan(const struct ls_planner_setup *setup, const struct ls_plan *plan,
                              double *makespan_s, struct ls_error *err) {
  *makespan_s = (double)INFINITY;
  if (plan->outcome != LS_PLAN_OK) return LS_OK;
  return ls_fit_makespan(plan, setup->platform, setup->is_whole, makespan_s, err);
}

/* Windows from some size on: with all messages, or with those that are worth their least size. */
enum ls_status ls_lp_plan(const struct ls_planner_setup *setup, const struct ls_message *messages,
                          size_t count, struct ls_plan *plan, struct ls_error *err) {
  struct sequence sequence = {.setup = setup,
                              .messages = messages,
                              .count = count,
                              .scale_s = find_scale(setup),
                              .uses_master = uses_master(setup->platform)};
  enum ls_status status = plan_sequence(&sequence, plan, err);
  if (status != LS_OK || !has_least(setup->platform)) return status;
  if (!can_use_all(setup, messages, count)) return LS_OK;
  struct ls_plan whole;
  double makespan_s, whole_s;
  ls_plan_init(&whole, plan->algorithm, setup->load);
  sequence.uses_all = true;
  status = plan_sequence(&sequence, &whole, err);
  if (status == LS_OK) status = ls_lp_makespan(setup, plan, &makespan_s, err);
  if (status == LS_OK) status = ls_lp_makespan(setup, &whole, &whole_s, err);
  if (status == LS_OK && whole_s <= makespan_s && whole.outcome == LS_PLAN_OK)
    ls_plan_take(plan, &whole);
  ls_plan_close(&whole);
  return status;
}

/* The messages that the last program used, and the shortest plan so far. */
struct sent {
  struct ls_message *items;
  size_t count;
  double best_s;
};

static void list_sent(const struct ls_plan *plan, struct sent *sent) {
  sent->count = plan->outcome == LS_PLAN_OK ? plan->chunks_count : 0;
  for (size_t i = 0; i < sent->count; i++)
    sent->items[i] = (struct ls_message){plan->chunks[i].worker, plan->chunks[i].round};
}

static enum ls_status plan_again(const struct ls_planner_setup *setup, struct sent *sent,
                                 struct ls_plan *plan, struct ls_error *err) {
  struct ls_plan last;
  double last_s;
  ls_plan_init(&last, plan->algorithm, setup->load);
  enum ls_status status = ls_lp_plan(setup, sent->items, sent->count, &last, err);
  if (status == LS_OK) status = ls_lp_makespan(setup, &last, &last_s, err);
  if (status == LS_OK) {
    list_sent(&last, sent);
    if (last_s < sent->best_s) {
      ls_plan_take(plan, &last);
      sent->best_s = last_s;
    }
  }
  ls_plan_close(&last);
  return status;
}

enum ls_status ls_lp_plan_sent(const struct ls_planner_setup *setup,
                               const struct ls_messages *messages, struct ls_budget *budget,
                               struct ls_plan *plan, struct ls_error *err) {
  size_t before = messages->count;
  struct sent sent = {0};
  enum ls_status status = ls_lp_plan(setup, messages->items, before, plan, err);
  ls_budget_spend(budget, 1);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK || plan->chunks_count == before) return status;
  sent.items = calloc(before, sizeof *sent.items);
  if (sent.items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu messages", before);
  status = ls_lp_makespan(setup, plan, &sent.best_s, err);
  list_sent(plan, &sent);
  /* Each turn has fewer messages than the one before. */
  while (status == LS_OK && sent.count > 0 && sent.count < before && !ls_budget_is_spent(budget)) {
    before = sent.count;
    status = plan_again(setup, &sent, plan, err);
    ls_budget_spend(budget, 1);
  }
  free(sent.items);
  return status;
}
