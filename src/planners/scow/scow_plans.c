/* scow_plans.c: which candidates the planners of the family that search ask for.
 *
 * Symbols:  nu -> rounds_real.
 */
#include <math.h>

#include "planners/scow/scow_search_private.h"

const char *const ls_scow_searches[] = {"replay", "published", NULL};

/* Of many workers whose latencies of computing all differ only some sets are looked at. */
enum { SETS_BY_WORKERS = 200000 };

/* Fewer rounds than that: a single one may be better. */
static const double FEW_ROUNDS = 4;

/* Every full worker has a unit in each round; of less than a few units for each, less. */
static enum ls_status optimize(const struct ls_scow_search *search,
                               enum ls_scow_constraint constraint, struct ls_scow_optimum *optimum,
                               struct ls_error *err) {
  double least = 1;
  if (!search->is_whole) least = fmin(1, search->load / (2 * (double)search->star->count));
  size_t sets = 1 + SETS_BY_WORKERS / search->star->count;
  struct ls_scow_question question = {search->load, constraint, sets, least};
  return ls_scow_optimize(search->star, &question, optimum, err);
}

/* Of a network that several share, longer plans are judged as if one transfer ran at a time. */
static const double SHARED_CHUNKS_MOST = 20000;

static void choose_judge(struct ls_scow_search *search, const struct ls_scow_optimum *optimum) {
  if (isinf(optimum->makespan_s)) return;
  if (optimum->rounds_real * (double)search->star->count > SHARED_CHUNKS_MOST)
    ls_scow_judge_plainly(&search->judge);
}

static void note_sizes(const struct ls_scow_search *search, struct ls_star_notes *notes) {
  if (!search->is_whole && !search->star->is_identical)
    ls_star_note(notes, "workers differ: sizes as for whole units, not rounded");
}

static enum ls_status plan_optimum(struct ls_scow_search *search,
                                   enum ls_scow_constraint constraint, struct ls_plan *plan,
                                   struct ls_error *err) {
  struct ls_scow_optimum optimum;
  struct ls_star_notes notes = {0};
  enum ls_status status = optimize(search, constraint, &optimum, err);
  if (status == LS_OK) choose_judge(search, &optimum);
  if (status == LS_OK) status = ls_scow_search_around(search, &optimum, constraint, err);
  note_sizes(search, &notes);
  if (status == LS_OK && isinf(search->best_s)) {
    ls_star_note(&notes, "no period is long enough for a chunk each: one round");
    status = ls_scow_search_single(search, err);
  }
  return status == LS_OK ? ls_scow_search_write(search, &optimum, &notes, plan, err) : status;
}

static enum ls_status plan_published(struct ls_scow_search *search,
                                     enum ls_scow_constraint constraint, struct ls_plan *plan,
                                     struct ls_error *err) {
  struct ls_scow_optimum optimum;
  struct ls_star_notes notes = {0};
  ls_scow_search_published_period(search->star, search->load, constraint, &optimum);
  if (isinf(optimum.makespan_s)) {
    ls_plan_refuse(plan, "the published search finds no period");
    return LS_OK;
  }
  double fewer = fmax(1, floor(optimum.rounds_real * (1 + LS_SCOW_GUARD)));
  double more = fmax(1, ceil(optimum.rounds_real * (1 - LS_SCOW_GUARD)));
  enum ls_status status = ls_scow_search_published(search, fewer, constraint, err);
  if (status == LS_OK && more > fewer)
    status = ls_scow_search_published(search, more, constraint, err);
  if (status == LS_OK) status = ls_scow_search_write(search, &optimum, &notes, plan, err);
  if (status == LS_OK && plan->outcome == LS_PLAN_OK && constraint == LS_SCOW_MP)
    ls_plan_set(plan, "chunk", optimum.chunk);
  return status;
}

/* The candidates next to one optimum. `*wants_single`: there are none, or a single round may be
 * better. */
static enum ls_status search_constraint(struct ls_scow_search *search,
                                        const struct ls_scow_optimum *optimum,
                                        enum ls_scow_constraint constraint, bool *wants_single,
                                        struct ls_error *err) {
  uint64_t work = search->budget->work;
  enum ls_status status = ls_scow_search_around(search, optimum, constraint, err);
  bool has_few = isinf(optimum->makespan_s) || optimum->rounds_real < FEW_ROUNDS;
  if (has_few || search->budget->work == work) *wants_single = true;
  return status;
}

static enum ls_status plan_best(struct ls_scow_search *search, enum ls_scow_phases phases,
                                struct ls_plan *plan, struct ls_error *err) {
  struct ls_scow_optimum mp, pwu;
  struct ls_star_notes notes = {0};
  bool wants_single = false;
  enum ls_status status = optimize(search, LS_SCOW_MP, &mp, err);
  if (status == LS_OK) status = optimize(search, LS_SCOW_PWU, &pwu, err);
  if (status == LS_OK) choose_judge(search, &mp);
  if (status == LS_OK) status = search_constraint(search, &mp, LS_SCOW_MP, &wants_single, err);
  if (status == LS_OK) status = search_constraint(search, &pwu, LS_SCOW_PWU, &wants_single, err);
  if (status == LS_OK && wants_single) status = ls_scow_search_single(search, err);
  if (status == LS_OK && search->is_whole) status = ls_scow_search_rates(search, err);
  if (status == LS_OK && search->is_whole) status = ls_scow_search_periods(search, err);
  if (status == LS_OK) status = ls_scow_search_chunks(search, &mp, false, err);
  if (status == LS_OK && phases >= LS_SCOW_RAMP)
    status = ls_scow_search_chunks(search, &mp, true, err);
  if (status == LS_OK && phases >= LS_SCOW_RAMP_AND_FALLING)
    status = ls_scow_search_falling(search, err);
  note_sizes(search, &notes);
  return status == LS_OK ? ls_scow_search_write(search, &mp, &notes, plan, err) : status;
}

static bool is_published(const struct ls_planner_setup *setup,
                         const struct ls_parameter *parameters) {
  return ls_arguments_get(&setup->arguments, parameters, "search") > LS_SCOW_SEARCH_REPLAY;
}

bool ls_scow_constraint_is_applicable(const struct ls_planner_setup *setup,
                                      const struct ls_parameter *parameters,
                                      struct ls_planner_reason *why) {
  if (is_published(setup, parameters)) {
    if (!ls_reduced_star_is_alike(setup->platform, why)) return false;
    if (setup->is_whole) return ls_planner_refuse(why, "the published search knows no whole units");
  }
  return ls_scow_is_valid(setup, parameters, why);
}

/* A job at work. */
struct work {
  struct ls_scow_star star;
  struct ls_scow_search search; /* of this star */
};

static enum ls_status begin(const struct ls_scow_job *job, struct work *work,
                            struct ls_error *err) {
  enum ls_status status = ls_scow_star_open(&work->star, job->setup, job->parameters, err);
  if (status != LS_OK) return status;
  status = ls_scow_search_open(&work->search, job->setup, &work->star, job->budget, err);
  if (status != LS_OK) ls_scow_star_close(&work->star);
  return status;
}

static void end(struct work *work) {
  ls_scow_search_close(&work->search);
  ls_scow_star_close(&work->star);
}

enum ls_status ls_scow_plan_constraint(const struct ls_scow_job *job,
                                       enum ls_scow_constraint constraint, struct ls_plan *plan,
                                       struct ls_error *err) {
  struct work work;
  enum ls_status status = begin(job, &work, err);
  if (status != LS_OK) return status;
  status = is_published(job->setup, job->parameters)
               ? plan_published(&work.search, constraint, plan, err)
               : plan_optimum(&work.search, constraint, plan, err);
  end(&work);
  return status;
}

enum ls_status ls_scow_plan_best(const struct ls_scow_job *job, enum ls_scow_phases phases,
                                 struct ls_plan *plan, struct ls_error *err) {
  struct work work;
  enum ls_status status = begin(job, &work, err);
  if (status != LS_OK) return status;
  status = plan_best(&work.search, phases, plan, err);
  end(&work);
  return status;
}
