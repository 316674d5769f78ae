/* best_search.c: local search over the send order.
 *
 * Reference:  the project's own; the sizes of a sequence are those of best_sizes.c.
 * Assumes:    reduced workers (reduced_star.h) with compute_per_unit_s > 0, a thousand at most;
 *             else only the linear programs are tried.
 * Answers:    never a plan worse than the best before.
 * Cost:       one replay, or the proof that none is needed, for each sequence tried; then a few
 *             linear programs.
 * Symbols:    none.
 *
 * First a *pattern* is searched: the order of the last round (tail) and of all rounds before
 * (body), which may leave workers out or send to one twice.  Then single messages of the best
 * sequence are moved, dropped and added.  In the end linear programs size the best sequence: where
 * workers differ, waiting a little can pay.
 */
#include "planners/search/best_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planners/fit.h"
#include "planners/rounds/lp_sequence.h"
#include "planners/rounds/umr_theory.h"
#include "planners/search/best.h"
#include "planners/search/best_changes.h"
#include "planners/search/best_sizes.h"
#include "planners/star/reduced_star.h"

enum { WORKERS_MAX = 1000, PROGRAM_MESSAGES_MAX = 100, PROGRAM_TURNS = 3, PROGRAM_WORK = 20 };

struct search {
  struct ls_best *best;
  struct ls_reduced_star workers; /* in the platform's order */
  struct ls_best_sizes sizes;
  struct ls_best_order sequence; /* scratch: what is evaluated */
  size_t used;                   /* messages of the best sequence of the current search */
  struct ls_best_pattern current, trial;
  struct ls_best_order messages, messages_trial;
  double current_s;
  uint32_t *rounds; /* by worker: its last round + 1, scratch */
  bool is_exact;    /* a plan takes as long as the theory says */
  struct ls_best_chance chance;
};

void ls_best_keep(struct ls_best *best, struct ls_plan *candidate, const char *who,
                  double makespan_s) {
  ls_plan_take(&best->plan, candidate);
  best->makespan_s = makespan_s;
  (void)snprintf(best->winner, sizeof best->winner, "%s", who);
}

/* Replays a candidate (after rounding where whole units are wanted), counts the work, and takes it
 * when it is better than the best so far; `candidate` may be built anew afterwards. Its makespan;
 * INFINITY when rounding left it other units than the load. */
static enum ls_status offer(struct ls_best *best, struct ls_plan *candidate, const char *who,
                            double *makespan_s, struct ls_error *err) {
  double found_s = (double)INFINITY, total;
  enum ls_status status = ls_plan_finish(candidate, err);
  ls_budget_spend(best->budget, 1);
  *makespan_s = found_s;
  if (status == LS_ENOMEM) return status;
  status = LS_OK;
  if (!ls_planner_gave_all(candidate, &total)) return LS_OK;
  if (best->setup->is_whole) status = ls_plan_make_whole(candidate, best->setup->platform, err);
  if (status == LS_OK) {
    status =
        ls_fit_makespan(candidate, best->setup->platform, best->setup->is_whole, &found_s, err);
  }
  if (status != LS_OK) return status;
  if (found_s < best->makespan_s * (1 - ls_best_least_gain))
    ls_best_keep(best, candidate, who, found_s);
  *makespan_s = found_s;
  return LS_OK;
}

/* A round ends where a worker would get a second message. */
static void build_plan(struct search *search, const struct ls_best_suffix *suffix,
                       struct ls_plan *plan) {
  double least = 1e-12 * search->best->setup->load;
  uint32_t round = 0;
  for (size_t i = 0; i < search->workers.count; i++) search->rounds[i] = 0;
  for (size_t k = suffix->first; k < search->sequence.count; k++) {
    double units = ls_best_sizes_units(&search->sizes, suffix, k);
    if (!(units > least)) continue;
    uint32_t index = search->sequence.items[k];
    if (search->rounds[index] > round) round++;
    search->rounds[index] = round + 1;
    ls_plan_add(plan, search->workers.items[index].number, round, units);
  }
}

/* Plays search->sequence with its best suffix; *makespan_s is INFINITY when it cannot be played, or
 * (where the theory is exact and its sizes stay) is not better than `limit_s`. */
static enum ls_status evaluate(struct search *search, double limit_s, double *makespan_s,
                               struct ls_error *err) {
  struct ls_best *best = search->best;
  struct ls_best_suffix suffix;
  struct ls_plan plan;
  *makespan_s = (double)INFINITY;
  if (!ls_best_sizes_find(&search->sizes, &search->workers, &search->sequence, best->setup->load,
                          &suffix) ||
      (search->is_exact && !(suffix.makespan_s < limit_s * (1 - ls_best_least_gain)))) {
    ls_budget_spend(best->budget, 1);
    return LS_OK;
  }
  ls_plan_init(&plan, "search", best->setup->load);
  build_plan(search, &suffix, &plan);
  struct ls_star_notes notes = {0};
  ls_star_tell(&notes, &search->workers, &plan);
  enum ls_status status = offer(best, &plan, "search", makespan_s, err);
  ls_plan_close(&plan);
  if (status == LS_OK && *makespan_s < limit_s) {
    search->used = search->sequence.count - suffix.first;
  }
  return status;
}

/* Writes the pattern's rounds, as many messages as may be worth it, into search->sequence. */
static void write_pattern(struct search *search, const struct ls_best_pattern *pattern) {
  struct ls_best_order *sequence = &search->sequence;
  size_t most = pattern->tail.count + (LS_UMR_ROUNDS_MAX - 1) * pattern->body.count;
  if (search->used > 0) {
    size_t window = 2 * (search->used + search->workers.count);
    most = most < window ? most : window;
  }
  if (most > sequence->capacity) most = sequence->capacity;
  sequence->count = most;
  for (size_t r = 0; r < most; r++) {
    uint32_t *item = &sequence->items[most - 1 - r];
    if (r < pattern->tail.count) {
      *item = pattern->tail.items[pattern->tail.count - 1 - r];
    } else {
      size_t place = (r - pattern->tail.count) % pattern->body.count;
      *item = pattern->body.items[pattern->body.count - 1 - place];
    }
  }
}

static void copy_pattern(struct ls_best_pattern *to, const struct ls_best_pattern *from) {
  ls_best_order_copy(&to->tail, &from->tail);
  ls_best_order_copy(&to->body, &from->body);
}

/* Starts from the better of this order and the best so far. */
static enum ls_status start_from(struct search *search, const uint32_t *items, size_t count,
                                 struct ls_error *err) {
  double makespan_s;
  struct ls_best_pattern *trial = &search->trial;
  memcpy(trial->tail.items, items, count * sizeof *items);
  memcpy(trial->body.items, items, count * sizeof *items);
  trial->tail.count = trial->body.count = count;
  size_t used = search->used;
  search->used = 0;
  write_pattern(search, trial);
  enum ls_status status = evaluate(search, search->current_s, &makespan_s, err);
  if (status == LS_OK && makespan_s < search->current_s) {
    copy_pattern(&search->current, trial);
    search->current_s = makespan_s;
  } else {
    search->used = used;
  }
  return status;
}

/* The sets of workers that the planners try, and for identical workers all their numbers. */
static enum ls_status start(struct search *search, struct ls_error *err) {
  struct ls_reduced_star sets[LS_STAR_SETS];
  size_t sets_count = 0;
  enum ls_status status = ls_star_sets_init(sets, &sets_count, search->best->setup->platform, err);
  if (status != LS_OK) return status;
  uint32_t *items = search->messages_trial.items;
  for (size_t i = 0; i < sets_count && status == LS_OK; i++) {
    for (size_t k = 0; k < sets[i].count; k++) items[k] = sets[i].items[k].number;
    status = start_from(search, items, sets[i].count, err);
  }
  for (size_t count = search->workers.count - 1; search->chance.is_identical && count > 0;
       count--) {
    if (status != LS_OK || ls_budget_is_spent(search->best->budget)) break;
    status = start_from(search, items, count, err);
  }
  ls_star_sets_close(sets, sets_count);
  return status;
}

/* Tries changes of the pattern until many in a row bring nothing. */
static enum ls_status climb_patterns(struct search *search, uint64_t work_max,
                                     struct ls_error *err) {
  size_t workers = search->workers.count, patience = 100 + 4 * workers * (workers + 4);
  double makespan_s;
  for (size_t failures = 0; failures < patience; failures++) {
    if (search->best->budget->work >= work_max || ls_budget_is_spent(search->best->budget)) break;
    copy_pattern(&search->trial, &search->current);
    if (!ls_best_pattern_change(&search->trial, &search->chance)) continue;
    write_pattern(search, &search->trial);
    enum ls_status status = evaluate(search, search->current_s, &makespan_s, err);
    if (status != LS_OK) return status;
    if (!(makespan_s < search->current_s * (1 - ls_best_least_gain))) continue;
    copy_pattern(&search->current, &search->trial);
    search->current_s = makespan_s;
    failures = 0;
  }
  return LS_OK;
}

/* Tries changes of single messages until many in a row bring nothing. */
static enum ls_status climb_messages(struct search *search, struct ls_error *err) {
  size_t patience = 100 + 4 * search->workers.count * search->used;
  double makespan_s;
  write_pattern(search, &search->current);
  struct ls_best_order tail = search->sequence;
  /* A round more than is used: longer suffixes may become the best. */
  size_t wanted = search->used + search->workers.count;
  if (wanted < tail.count) {
    tail.items += tail.count - wanted;
    tail.count = wanted;
  }
  ls_best_order_copy(&search->messages, &tail);
  for (size_t failures = 0; failures < patience && !ls_budget_is_spent(search->best->budget);
       failures++) {
    ls_best_order_copy(&search->messages_trial, &search->messages);
    if (!ls_best_order_change(&search->messages_trial, &search->chance)) continue;
    ls_best_order_copy(&search->sequence, &search->messages_trial);
    enum ls_status status = evaluate(search, search->current_s, &makespan_s, err);
    if (status != LS_OK) return status;
    if (!(makespan_s < search->current_s * (1 - ls_best_least_gain))) continue;
    ls_best_order_copy(&search->messages, &search->messages_trial);
    search->current_s = makespan_s;
    failures = 0;
  }
  return LS_OK;
}

/* Sizes the best plan's messages by linear programs: each drops what the one before left empty. */
static enum ls_status polish(struct search *search, struct ls_error *err) {
  struct ls_best *best = search->best;
  struct ls_message messages[PROGRAM_MESSAGES_MAX];
  enum ls_status status = LS_OK;
  for (int turn = 0; turn < PROGRAM_TURNS && status == LS_OK; turn++) {
    size_t count = best->plan.chunks_count;
    if (count == 0 || count > PROGRAM_MESSAGES_MAX || best->plan.has_returns) break;
    if (best->budget->work + PROGRAM_WORK >= best->budget->work_max ||
        ls_budget_is_spent(best->budget))
      break;
    for (size_t i = 0; i < count; i++) {
      messages[i].worker = best->plan.chunks[i].worker;
      messages[i].round = best->plan.chunks[i].round;
    }
    struct ls_plan plan;
    double before_s = best->makespan_s, makespan_s = (double)INFINITY;
    ls_plan_init(&plan, "search", best->setup->load);
    status = ls_lp_plan(best->setup, messages, count, &plan, err);
    ls_budget_spend(best->budget, PROGRAM_WORK);
    if (status == LS_OK && plan.outcome == LS_PLAN_OK) {
      struct ls_star_notes notes = {0};
      ls_star_tell(&notes, &search->workers, &plan);
      status = offer(best, &plan, "search", &makespan_s, err);
    }
    ls_plan_close(&plan);
    if (!(makespan_s < before_s * (1 - ls_best_least_gain))) break;
  }
  return status;
}

static bool is_covered(const struct ls_reduced_star *workers) {
  if (workers->count > WORKERS_MAX) return false;
  for (size_t i = 0; i < workers->count; i++) {
    if (!(workers->items[i].compute_per_unit_s > 0)) return false;
  }
  return true;
}

/* For identical workers never idling is optimal in every round-robin sequence, and their order does
 * not matter: nothing is left to search. */
static bool is_solved(const struct search *search) {
  return search->chance.is_identical && search->is_exact;
}

static enum ls_status open_search(struct search *search, struct ls_error *err) {
  size_t workers = search->workers.count, most = workers * LS_UMR_ROUNDS_MAX;
  ls_random_init(&search->chance.random, 1, "best");
  search->current_s = (double)INFINITY;
  enum ls_status status = ls_best_sizes_init(&search->sizes, workers, most, err);
  if (status == LS_OK) status = ls_best_order_init(&search->sequence, most, err);
  if (status == LS_OK) status = ls_best_order_init(&search->messages, most, err);
  if (status == LS_OK) status = ls_best_order_init(&search->messages_trial, most, err);
  if (status == LS_OK) status = ls_best_order_init(&search->current.tail, workers, err);
  if (status == LS_OK) status = ls_best_order_init(&search->current.body, 2 * workers, err);
  if (status == LS_OK) status = ls_best_order_init(&search->trial.tail, workers, err);
  if (status == LS_OK) status = ls_best_order_init(&search->trial.body, 2 * workers, err);
  if (status != LS_OK) return status;
  search->rounds = calloc(workers, sizeof *search->rounds);
  if (search->rounds == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers);
  return LS_OK;
}

static void close_search(struct search *search) {
  ls_best_sizes_close(&search->sizes);
  free(search->sequence.items);
  free(search->messages.items);
  free(search->messages_trial.items);
  free(search->current.tail.items);
  free(search->current.body.items);
  free(search->trial.tail.items);
  free(search->trial.body.items);
  free(search->rounds);
  ls_reduced_star_close(&search->workers);
}

/* Messages are searched with what patterns leave of the work: half of it at least. */
static enum ls_status climb(struct search *search, struct ls_error *err) {
  struct ls_best *best = search->best;
  enum ls_status status = open_search(search, err);
  if (status == LS_OK) status = start(search, err);
  if (status != LS_OK || is_solved(search) || !(search->current_s < (double)INFINITY)) {
    return status;
  }
  uint64_t left =
      best->budget->work < best->budget->work_max ? best->budget->work_max - best->budget->work : 0;
  status = climb_patterns(search, best->budget->work + left / 2, err);
  if (status == LS_OK) status = climb_messages(search, err);
  return status;
}

enum ls_status ls_best_search(struct ls_best *best, struct ls_error *err) {
  struct search search = {.best = best};
  enum ls_status status = ls_reduced_star_init(&search.workers, best->setup->platform, err);
  if (status != LS_OK) return status;
  search.is_exact =
      search.workers.is_exact && !best->setup->is_whole && !ls_fit_is_needed(best->setup->platform);
  search.chance.workers_count = search.workers.count;
  search.chance.is_identical = ls_star_is_identical(search.workers.items, search.workers.count);
  if (is_covered(&search.workers) && !ls_budget_is_spent(best->budget))
    status = climb(&search, err);
  if (status == LS_OK && !is_solved(&search)) status = polish(&search, err);
  close_search(&search);
  return status;
}
