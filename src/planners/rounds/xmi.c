/* xmi.c: extended multi-installment: no worker ever waits after its first chunk, all end together,
 * latencies counted.
 *
 * Reference:  beyond the papers: the recurrences of bharadwaj1996, chapter 10, with the latencies
 *             of yang2002 and for different workers (docs/theory/umr.md, 3.9).
 * Assumes:    one message after another, round-robin; receiving and computing overlap; results cost
 *             nothing.
 * Answers:    NOT_APPLICABLE when computing costs nothing per unit; with a number of rounds given
 *             also when some chunk of that many rounds would be negative, or it is below 1.
 * Cost:       O(50 N) at most per set of workers where the theory leaves nothing out: one backward
 *             pass serves every number of messages.  Else 64 replays of O(50 N) more.
 * Symbols:    K -> messages, N -> count, W -> load; p_r, q_r, x -> as in xmi_pass.h.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "planners/fit.h"
#include "planners/planner.h"
#include "planners/rounds/umr_theory.h"
#include "planners/rounds/xmi_pass.h"
#include "planners/star/one_round.h"
#include "planners/star/reduced_star.h"

static const struct ls_parameter xmi_parameters[] = {
    {"rounds", "rounds to send; absent: the best number of messages", LS_PARAMETER_WHOLE,
     (double)NAN, 0, 10000, NULL},
    {0}};

/* Replays per set, where the theory leaves something out. */
enum { REPLAYS_PER_SET = 64, NEAREST_ROUNDED = 14 };

/* One number of messages of one set; 0: one round (one_round.c), which may leave workers out
 * anywhere. */
struct candidate {
  size_t set, messages;
  double x;
  double makespan_s; /* by the theory, until it is replayed */
};

struct search {
  const struct ls_planner_setup *setup;
  struct ls_reduced_star sets[LS_STAR_SETS];
  struct ls_xmi_pass passes[LS_STAR_SETS];
  size_t sets_count;
  struct candidate *candidates; /* of one set, where the theory leaves something out, as it does
                                   windows and rounding; else NULL */
  size_t candidates_count;
  struct ls_budget *budget; /* a replay is one work */
  struct candidate best;
};

/* Does the theory leave out a station of these workers, or their windows? */
static bool leaves_stations_out(const struct search *search,
                                const struct ls_reduced_star *workers) {
  return !workers->is_exact || ls_fit_is_needed(search->setup->platform);
}

/* Nothing but that units are whole? */
static bool leaves_rounding_out(const struct search *search,
                                const struct ls_reduced_star *workers) {
  return search->setup->is_whole && !leaves_stations_out(search, workers);
}

/* Notes the number of messages that the pass stands at, if it can be used. */
static void note_messages(struct search *search, size_t set, size_t place) {
  struct ls_xmi_pass *pass = &search->passes[set];
  double x;
  if (!ls_xmi_pass_is_usable(pass, &x)) return;
  double end_s = ls_xmi_pass_end_s(pass, place, x);
  struct candidate candidate = {set, pass->messages, x, end_s};
  if (search->candidates != NULL) {
    search->candidates[search->candidates_count++] = candidate;
  } else if (end_s < search->best.makespan_s) {
    search->best = candidate;
  }
}

static enum ls_status make_candidate(const struct search *search, const struct candidate *candidate,
                                     struct ls_star_notes *notes, struct ls_plan *plan,
                                     struct ls_error *err) {
  plan->chunks_count = 0;
  if (candidate->messages == 0) {
    return ls_one_round_add(&search->sets[candidate->set], notes, plan, err);
  }
  ls_xmi_pass_add(&search->passes[candidate->set], candidate->messages, candidate->x, plan);
  return LS_OK;
}

static enum ls_status replay_candidate(struct search *search, struct candidate candidate,
                                       struct ls_plan *plan, struct ls_error *err) {
  struct ls_star_notes notes = {0};
  enum ls_status status = make_candidate(search, &candidate, &notes, plan, err);
  if (status != LS_OK) return status;
  status = ls_fit_makespan(plan, search->setup->platform, search->setup->is_whole,
                           &candidate.makespan_s, err);
  if (status != LS_OK) return status;
  ls_budget_spend(search->budget, 1);
  if (candidate.makespan_s < search->best.makespan_s) search->best = candidate;
  return LS_OK;
}

static int compare_candidates(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->makespan_s < b->makespan_s) return -1;
  if (a->makespan_s > b->makespan_s) return 1;
  return a->messages < b->messages ? -1 : a->messages > b->messages;
}

/* Rounding costs many small messages more than few large ones: where nothing else is left out, of
 * each number of rounds the best one, as long as parts of units would win. */
static void thin_candidates(struct search *search, size_t workers) {
  bool has_rounds[LS_UMR_ROUNDS_MAX] = {false};
  size_t kept = 0;
  for (size_t i = 0; i < search->candidates_count; i++) {
    size_t round = (search->candidates[i].messages - 1) / workers;
    assert(round < LS_UMR_ROUNDS_MAX);
    if (i >= NEAREST_ROUNDED && has_rounds[round]) continue;
    has_rounds[round] = true;
    search->candidates[kept++] = search->candidates[i];
  }
  search->candidates_count = kept;
}

/* Replays those that the theory, which leaves something out, thinks best. */
static enum ls_status replay_candidates(struct search *search, size_t set, struct ls_plan *plan,
                                        struct ls_error *err) {
  enum ls_status status = LS_OK;
  bool is_rounding = leaves_rounding_out(search, &search->sets[set]);
  qsort(search->candidates, search->candidates_count, sizeof *search->candidates,
        compare_candidates);
  if (is_rounding) thin_candidates(search, search->sets[set].count);
  for (size_t i = 0; i < search->candidates_count && i < REPLAYS_PER_SET; i++) {
    if (status != LS_OK || ls_budget_is_spent(search->budget)) break;
    if (is_rounding && search->candidates[i].makespan_s >= search->best.makespan_s) break;
    status = replay_candidate(search, search->candidates[i], plan, err);
  }
  return status;
}

/* Every number of messages up to 50 rounds that can be used and might still be the best. */
static void scan_messages(struct search *search, size_t set) {
  struct ls_xmi_pass *pass = &search->passes[set];
  for (size_t round = 0; round < LS_UMR_ROUNDS_MAX; round++) {
    for (size_t place = 0; place < pass->workers->count; place++) {
      if (!ls_xmi_pass_extend(pass, place)) return;
      note_messages(search, set, place);
    }
    /* Nothing is left to be gained but rounding. */
    bool is_over = ls_xmi_pass_bound_s(pass) * (1 + 1e-13) >= search->best.makespan_s;
    if (search->candidates == NULL && is_over) return;
  }
}

static enum ls_status try_set(struct search *search, size_t set, struct ls_plan *plan,
                              struct ls_error *err) {
  const struct ls_reduced_star *workers = &search->sets[set];
  size_t most = LS_UMR_ROUNDS_MAX * workers->count;
  enum ls_status status = ls_xmi_pass_init(&search->passes[set], workers, most, plan->load, err);
  if (status != LS_OK) return status;
  if (search->setup->is_whole || leaves_stations_out(search, workers)) {
    search->candidates_count = 0;
    search->candidates = calloc(most, sizeof *search->candidates);
    if (search->candidates == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu ends", most);
  }
  scan_messages(search, set);
  status = replay_candidate(search, (struct candidate){.set = set}, plan, err);
  if (status == LS_OK && search->candidates != NULL)
    status = replay_candidates(search, set, plan, err);
  free(search->candidates);
  search->candidates = NULL;
  return status;
}

static void tell_best(const struct search *search, struct ls_star_notes *notes,
                      struct ls_plan *plan) {
  const struct ls_reduced_star *workers = &search->sets[search->best.set];
  size_t all = search->setup->platform->workers_count;
  size_t partial = search->best.messages % workers->count;
  if (workers->count < all) ls_star_note(notes, "%zu workers are left out", all - workers->count);
  if (partial > 0) {
    ls_star_note(notes, "the first round goes to the last %zu of %zu workers", partial,
                 workers->count);
  }
  ls_plan_set(plan, "predicted_makespan", search->best.makespan_s);
  ls_star_tell(notes, workers, plan);
}

/* Sets that are equal have been left out already. */
static enum ls_status search_sets(struct search *search, struct ls_plan *plan,
                                  struct ls_error *err) {
  struct ls_star_notes notes = {0};
  enum ls_status status = LS_OK;
  for (size_t set = 0; set < search->sets_count && status == LS_OK; set++) {
    if (search->budget->is_stopped) break;
    status = try_set(search, set, plan, err);
  }
  if (status == LS_OK) status = make_candidate(search, &search->best, &notes, plan, err);
  if (status == LS_OK) tell_best(search, &notes, plan);
  return status;
}

/* The number of rounds is given: all workers, in the platform's order. */
static enum ls_status plan_rounds(struct search *search, size_t rounds, struct ls_plan *plan,
                                  struct ls_error *err) {
  const struct ls_reduced_star *workers = &search->sets[0];
  struct ls_xmi_pass *pass = &search->passes[0];
  struct ls_star_notes notes = {0};
  enum ls_status status = ls_xmi_pass_init(pass, workers, rounds * workers->count, plan->load, err);
  if (status != LS_OK) return status;
  bool is_usable = true;
  while (is_usable && pass->messages < rounds * workers->count) {
    is_usable = ls_xmi_pass_extend(pass, pass->messages % workers->count);
  }
  double x;
  if (!is_usable || !ls_xmi_pass_is_usable(pass, &x)) {
    ls_plan_refuse(plan, "in %zu rounds without a wait some chunk would be negative", rounds);
    return LS_OK;
  }
  search->best =
      (struct candidate){0, pass->messages, x, ls_xmi_pass_end_s(pass, workers->count - 1, x)};
  ls_xmi_pass_add(pass, search->best.messages, x, plan);
  tell_best(search, &notes, plan);
  return LS_OK;
}

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  if (ls_arguments_get(&setup->arguments, xmi_parameters, "rounds") < 1)
    return ls_planner_refuse(why, "the number of rounds is 0");
  return ls_reduced_star_keeps_busy(setup->platform, why);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  double given = ls_arguments_get(&setup->arguments, xmi_parameters, "rounds");
  struct search search = {.setup = setup, .budget = budget, .best.makespan_s = HUGE_VAL};
  enum ls_status status = ls_star_sets_init(search.sets, &search.sets_count, setup->platform, err);
  if (status != LS_OK) return status;
  status = isnan(given) ? search_sets(&search, plan, err)
                        : plan_rounds(&search, (size_t)given, plan, err);
  for (size_t set = 0; set < search.sets_count; set++) ls_xmi_pass_close(&search.passes[set]);
  ls_star_sets_close(search.sets, search.sets_count);
  return status;
}

const struct ls_planner ls_planner_xmi = {
    .name = "xmi",
    .summary = "extended multi-installment: never idle, latencies counted, best number of messages",
    .reference = "yang2002",
    .parameters = xmi_parameters,
    .is_search = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
