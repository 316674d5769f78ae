/* scow_candidates.c: which periods and numbers of rounds are worth a look.
 *
 * Symbols:  nu -> rounds_real, T -> period_s, Y -> chunk.
 */
#include <math.h>

#include "planners/scow/scow_search_private.h"

enum { CANDIDATES = 48, CANDIDATES_OF_MANY = 8 };

static double count_candidates(const struct ls_scow_search *search) {
  return search->star->count <= LS_SCOW_FEW_WORKERS ? CANDIDATES : CANDIDATES_OF_MANY;
}

/* Chunks from half to twice the optimum's, to four times with growing rounds. */
static const double CHUNK_MOST = 2, CHUNK_MOST_AFTER_RAMP = 4;
/* Times as many. */
enum { CANDIDATES_WITH_RAMP = 4 };

/* Numbers of rounds from 0.6 to 1.6 times the optimum's, its own two first. */
static enum ls_status try_rounds(struct ls_scow_search *search, double rounds_real,
                                 enum ls_scow_constraint constraint, struct ls_error *err) {
  double least = fmax(1, floor(0.6 * rounds_real)), most = fmax(1, ceil(1.6 * rounds_real));
  double step = fmax(1, ceil((most - least) / count_candidates(search)));
  enum ls_status status =
      ls_scow_search_rounds(search, fmax(1, floor(rounds_real)), constraint, err);
  if (status == LS_OK)
    status = ls_scow_search_rounds(search, fmax(1, ceil(rounds_real)), constraint, err);
  for (double rounds = least; rounds <= most && status == LS_OK; rounds += step)
    status = ls_scow_search_rounds(search, rounds, constraint, err);
  return status;
}

/* The period in which the first worker that can be full has this chunk. */
static double period_of_chunk(const struct ls_scow_search *search, double period_s, double chunk) {
  const struct ls_scow_star *star = search->star;
  size_t i = 0;
  while (i + 1 < star->count && star->items[i].compute.latency_s >= period_s) i++;
  return ls_cost_time(&star->items[i].compute, chunk);
}

static double chunk_in_period(const struct ls_scow_search *search, double period_s) {
  const struct ls_scow_star *star = search->star;
  size_t i = 0;
  while (i + 1 < star->count && star->items[i].compute.latency_s >= period_s) i++;
  return ls_scow_chunk(&star->items[i], period_s);
}

enum ls_status ls_scow_search_around(struct ls_scow_search *search,
                                     const struct ls_scow_optimum *optimum,
                                     enum ls_scow_constraint constraint, struct ls_error *err) {
  bool may_have_partial = constraint == LS_SCOW_MP;
  if (isinf(optimum->makespan_s)) return LS_OK;
  size_t full_most = may_have_partial ? SIZE_MAX : optimum->full;
  enum ls_status status =
      ls_scow_search_period(search, optimum->period_s, full_most, may_have_partial, err);
  if (!search->is_whole)
    return status == LS_OK ? try_rounds(search, optimum->rounds_real, constraint, err) : status;
  double chunk = chunk_in_period(search, optimum->period_s);
  double sides[] = {floor(chunk * (1 + LS_SCOW_GUARD)), ceil(chunk * (1 - LS_SCOW_GUARD))};
  for (size_t i = 0; i < 2 && status == LS_OK; i++) {
    if (!(sides[i] >= 1)) continue;
    double period_s = period_of_chunk(search, optimum->period_s, sides[i]);
    status = ls_scow_search_period(search, period_s, full_most, may_have_partial, err);
  }
  return status;
}

/* One period: as many full workers as there can be, and one less. */
static enum ls_status try_period(struct ls_scow_search *search, double period_s, bool has_ramp,
                                 struct ls_error *err) {
  if (!ls_scow_search_goes_on(search)) return LS_OK;
  ls_scow_size_round(search, period_s, SIZE_MAX, true);
  size_t full = search->trial.full;
  enum ls_status status = has_ramp ? ls_scow_search_ramp(search, period_s, SIZE_MAX, err)
                                   : ls_scow_search_period(search, period_s, SIZE_MAX, true, err);
  if (status != LS_OK || full <= 1) return status;
  return has_ramp ? ls_scow_search_ramp(search, period_s, full - 1, err)
                  : ls_scow_search_period(search, period_s, full - 1, true, err);
}

/* Chunks of the first worker, and how they are tried. */
struct chunks {
  double period_s; /* of the optimum, which says who is first */
  double least, most, step, best;
  bool has_ramp;
};

static enum ls_status try_chunk(struct ls_scow_search *search, struct chunks *chunks, double chunk,
                                struct ls_error *err) {
  double before_s = search->best_s;
  double period_s = period_of_chunk(search, chunks->period_s, chunk);
  enum ls_status status = try_period(search, period_s, chunks->has_ramp, err);
  if (search->best_s < before_s) chunks->best = chunk;
  return status;
}

/* Between the steps, next to the best one. */
static enum ls_status refine(struct ls_scow_search *search, struct chunks *chunks,
                             struct ls_error *err) {
  double least = search->is_whole ? 1 : chunks->step / 16;
  enum ls_status status = LS_OK;
  for (double width = chunks->step / 2; status == LS_OK; width /= 2) {
    if (search->is_whole) width = ceil(width);
    double sides[] = {chunks->best - width, chunks->best + width};
    for (size_t i = 0; i < 2 && status == LS_OK; i++)
      if (sides[i] >= chunks->least && sides[i] <= chunks->most)
        status = try_chunk(search, chunks, sides[i], err);
    if (!(width > least)) break;
  }
  return status;
}

static struct chunks choose_chunks(const struct ls_scow_search *search,
                                   const struct ls_scow_optimum *optimum, bool has_ramp) {
  const struct ls_scow_worker *first = &search->star->items[0];
  double own = chunk_in_period(search, optimum->period_s);
  /* Growing rounds lead to larger chunks than the best that begins at once. */
  if (has_ramp) own = fmax(own, search->best.units[0]);
  struct chunks chunks = {.period_s = optimum->period_s, .best = own, .has_ramp = has_ramp};
  chunks.least = fmax(own / 2, first->least);
  chunks.most = fmin((has_ramp ? CHUNK_MOST_AFTER_RAMP : CHUNK_MOST) * own, first->most);
  if (search->is_whole) {
    chunks.least = fmax(1, ceil(chunks.least * (1 - LS_SCOW_GUARD)));
    chunks.most = floor(chunks.most * (1 + LS_SCOW_GUARD));
  }
  chunks.step = (chunks.most - chunks.least) / count_candidates(search);
  if (has_ramp && search->star->count <= LS_SCOW_FEW_WORKERS) chunks.step /= CANDIDATES_WITH_RAMP;
  if (search->is_whole) chunks.step = fmax(1, ceil(chunks.step));
  return chunks;
}

enum ls_status ls_scow_search_chunks(struct ls_scow_search *search,
                                     const struct ls_scow_optimum *optimum, bool has_ramp,
                                     struct ls_error *err) {
  if (isinf(optimum->makespan_s)) return LS_OK;
  struct chunks chunks = choose_chunks(search, optimum, has_ramp);
  if (!(chunks.step > 0)) return try_chunk(search, &chunks, chunks.least, err);
  enum ls_status status = LS_OK;
  for (double chunk = chunks.least; chunk <= chunks.most * (1 + LS_SCOW_GUARD) && status == LS_OK;
       chunk += chunks.step)
    status = try_chunk(search, &chunks, chunk, err);
  if (search->star->count > LS_SCOW_FEW_WORKERS) return status;
  return status == LS_OK ? refine(search, &chunks, err) : status;
}
