/* scow_falling.c: shrinking rounds behind the identical ones, on workers that those leave out.
 *
 * Where the master is never idle only the end of the plan can gain: as many workers as there are
 * get smaller and smaller chunks, so that little is left to compute when all is sent.  All chunks
 * of a round take T_j to compute, and the next round is sent in that time: (6.5) for workers that
 * differ.  T_j is an affine function of T_0, which the units that are left decide.
 *
 * Symbols:  h, H -> send, c, C -> compute, T_j -> times, M -> rounds, N -> workers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/scow/scow_rounds.h"
#include "planners/scow/scow_search_private.h"

static const double ROUNDS_MOST = 1e15;

enum { ROUNDS_OF_MANY = 4, STEPS = 32, STEPS_OF_MANY = 3, CHUNKS = 12 };

/* A candidate: so many identical rounds are left, and these behind them. */
struct falling {
  uint64_t keep;
  size_t workers, rounds;
};

struct fallings {
  struct ls_scow_search *search;
  struct ls_scow_slot *slots; /* of all rounds */
  double left, each;          /* units behind the growing rounds; of one identical round */
  uint64_t keep_most;         /* identical rounds that there is work for */
  size_t rounds_most;
  struct falling best; /* of the schedules that this one's search has found; 0 rounds: none */
};

/* Of the first workers in activation order. */
struct sums {
  double ratio;     /* h/c */
  double latency_s; /* H - h C/c */
  double rate;      /* 1/c */
  double offset;    /* C/c */
};

static struct sums sum_up(const struct ls_scow_star *star, size_t workers) {
  struct sums sums = {0, 0, 0, 0};
  for (size_t i = 0; i < workers; i++) {
    const struct ls_cost *send = &star->items[i].send, *compute = &star->items[i].compute;
    double ratio = send->per_unit_s / compute->per_unit_s;
    sums.ratio += ratio;
    sums.latency_s += send->latency_s - ratio * compute->latency_s;
    sums.rate += 1 / compute->per_unit_s;
    sums.offset += compute->latency_s / compute->per_unit_s;
  }
  return sums;
}

/* T_{j+1} = (T_j - latency)/ratio. False: rounds would not shrink, or would have no units. */
static bool find_times(const struct sums *sums, size_t rounds, double load, double *times) {
  double slope = 1, constant = 0, slopes = 0, constants = 0;
  for (size_t j = 0; j < rounds; j++) {
    slopes += slope;
    constants += constant;
    slope /= sums->ratio;
    constant = (constant - sums->latency_s) / sums->ratio;
  }
  double first_s =
      (load - sums->rate * constants + (double)rounds * sums->offset) / (sums->rate * slopes);
  for (size_t j = 0; j < rounds; j++) {
    times[j] = j == 0 ? first_s : (times[j - 1] - sums->latency_s) / sums->ratio;
    if (!(times[j] * sums->rate > sums->offset)) return false;
    if (j > 0 && !(times[j] < times[j - 1])) return false;
  }
  return true;
}

static void set_rounds(struct fallings *fallings, const struct falling *falling) {
  struct ls_scow_schedule *trial = &fallings->search->trial;
  memset(trial->falling, 0, falling->rounds * trial->count * sizeof *trial->falling);
  for (size_t j = 0; j < falling->rounds; j++)
    for (size_t i = 0; i < falling->workers; i++)
      trial->falling[j * trial->count + i] = fallings->slots[j * falling->workers + i].units;
  for (size_t i = 0; i < trial->count; i++) trial->last[i] = trial->auxiliary[i] = 0;
  trial->keep = falling->keep;
  trial->falling_rounds = falling->rounds;
  trial->auxiliary_workers = 0;
  trial->predicted_s = (double)NAN;
}

/* `*is_possible` false: no such sizes, and none of more rounds. */
static enum ls_status try_falling(struct fallings *fallings, const struct falling *falling,
                                  bool *is_possible, struct ls_error *err) {
  struct ls_scow_search *search = fallings->search;
  const struct ls_scow_star *star = search->star;
  double times[LS_SCOW_FALLING_MAX], load = fallings->left - (double)falling->keep * fallings->each;
  if (search->is_whole) load = round(load);
  struct sums sums = sum_up(star, falling->workers);
  *is_possible =
      load > LS_SCOW_GUARD * search->load && find_times(&sums, falling->rounds, load, times);
  if (!*is_possible) return LS_OK;
  for (size_t j = 0; j < falling->rounds; j++)
    for (size_t i = 0; i < falling->workers; i++)
      fallings->slots[j * falling->workers + i] =
          (struct ls_scow_slot){fmax(0, ls_scow_chunk(&star->items[i], times[j])),
                                star->items[i].tail_least, star->items[i].most};
  struct ls_scow_slots slots = {fallings->slots, falling->rounds * falling->workers, load,
                                search->is_whole};
  bool is_found = false;
  enum ls_status status = ls_scow_fit_slots(&slots, &is_found, err);
  if (status != LS_OK || !is_found) return status;
  double before_s = search->best_s;
  set_rounds(fallings, falling);
  status = ls_scow_judge_trial(search, err);
  if (search->best_s < before_s) fallings->best = *falling;
  return status;
}

/* Every number of rounds, for so many workers behind so many identical rounds. */
static enum ls_status try_rounds(struct fallings *fallings, uint64_t keep, size_t workers,
                                 struct ls_error *err) {
  bool is_possible = true;
  enum ls_status status = LS_OK;
  for (size_t rounds = 1; rounds <= fallings->rounds_most && is_possible && status == LS_OK;
       rounds++) {
    if (!ls_scow_search_goes_on(fallings->search)) break;
    struct falling falling = {keep, workers, rounds};
    status = try_falling(fallings, &falling, &is_possible, err);
  }
  return status;
}

static size_t limit_steps(const struct fallings *fallings) {
  return fallings->search->star->count <= LS_SCOW_FEW_WORKERS ? STEPS : STEPS_OF_MANY;
}

/* From the workers that identical rounds keep busy to all of them. */
static enum ls_status try_workers(struct fallings *fallings, uint64_t keep, struct ls_error *err) {
  size_t count = fallings->search->star->count, steps = limit_steps(fallings);
  size_t from = fallings->search->trial.full < 1 ? 1 : fallings->search->trial.full;
  size_t step = 1 + (count - from) / steps;
  enum ls_status status = try_rounds(fallings, keep, count, err);
  for (size_t workers = from; workers < count && status == LS_OK; workers += step)
    status = try_rounds(fallings, keep, workers, err);
  return status;
}

/* One, two, four, ... identical rounds fewer than there is work for, and none. */
static enum ls_status try_keeps(struct fallings *fallings, struct ls_error *err) {
  size_t steps = limit_steps(fallings);
  enum ls_status status = try_workers(fallings, 0, err);
  for (size_t i = 0; i < steps && status == LS_OK; i++) {
    uint64_t fewer = i == 0 ? 0 : (uint64_t)1 << (i - 1);
    if (fewer >= fallings->keep_most) break;
    status = try_workers(fallings, fallings->keep_most - fewer, err);
  }
  return status;
}

/* The neighbours of the best one, as long as one of them is better. */
static enum ls_status refine(struct fallings *fallings, struct ls_error *err) {
  static const int moves[][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0}, {0, 1, 0},  {0, -4, 0},
                                 {0, 4, 0},  {0, 0, -1}, {0, 0, 1},  {-1, 0, 1}, {1, 0, -1}};
  size_t count = fallings->search->star->count;
  enum ls_status status = LS_OK;
  double before_s = (double)INFINITY;
  while (status == LS_OK && fallings->search->best_s < before_s) {
    before_s = fallings->search->best_s;
    for (size_t i = 0; i < sizeof moves / sizeof *moves && status == LS_OK; i++) {
      const struct falling *best = &fallings->best;
      bool is_possible;
      double keep = (double)best->keep + moves[i][0], workers = (double)best->workers + moves[i][1];
      double rounds = (double)best->rounds + moves[i][2];
      if (!(keep >= 0 && keep <= (double)fallings->keep_most && workers >= 1 &&
            workers <= (double)count && rounds >= 1 && rounds <= (double)fallings->rounds_most))
        continue;
      if (!ls_scow_search_goes_on(fallings->search)) return LS_OK;
      struct falling falling = {(uint64_t)keep, (size_t)workers, (size_t)rounds};
      status = try_falling(fallings, &falling, &is_possible, err);
    }
  }
  return status;
}

/* The trial's growing and identical rounds are set: what is left for others. */
static void measure_rounds(struct fallings *fallings) {
  const struct ls_scow_schedule *trial = &fallings->search->trial;
  fallings->left = fallings->search->load;
  fallings->each = 0;
  for (size_t i = 0; i < trial->count; i++) fallings->each += trial->units[i];
  for (size_t i = 0; i < trial->ramp_rounds * trial->count; i++) fallings->left -= trial->ramp[i];
  double keep = fallings->each > 0 ? floor(fallings->left / fallings->each) : 0;
  fallings->keep_most = keep > 0 ? (uint64_t)fmin(keep, ROUNDS_MOST) : 0;
}

/* Other sizes of the identical rounds, which leave about as much as the best ones do. */
static enum ls_status try_chunks(struct fallings *fallings, struct ls_error *err) {
  struct ls_scow_search *search = fallings->search;
  double period_s = search->best.period_s,
         rest = fallings->left - (double)fallings->best.keep * fallings->each;
  enum ls_status status = LS_OK;
  if (!(period_s > 0) || fallings->best.keep == 0) return LS_OK;
  for (int i = 0; i < CHUNKS && status == LS_OK; i++) {
    const struct falling best = fallings->best;
    ls_scow_size_round(search, period_s * exp2((i - CHUNKS / 2) / (double)(CHUNKS / 2)), SIZE_MAX,
                       true);
    measure_rounds(fallings);
    double keep = fallings->each > 0 ? round((fallings->left - rest) / fallings->each) : -1;
    for (int more = -1; more <= 1 && status == LS_OK; more++) {
      bool is_possible;
      if (!(keep + more >= 0 && keep + more <= (double)fallings->keep_most)) continue;
      if (!ls_scow_search_goes_on(search)) return LS_OK;
      struct falling falling = {(uint64_t)(keep + more), best.workers, best.rounds};
      status = try_falling(fallings, &falling, &is_possible, err);
    }
  }
  return status;
}

static enum ls_status search_fallings(struct fallings *fallings, struct ls_error *err) {
  struct ls_scow_search *search = fallings->search;
  ls_scow_schedule_copy(&search->trial, &search->best);
  measure_rounds(fallings);
  enum ls_status status = try_keeps(fallings, err);
  if (status != LS_OK || fallings->best.rounds == 0) return status;
  status = refine(fallings, err);
  if (status == LS_OK) status = try_chunks(fallings, err);
  if (status != LS_OK) return status;
  ls_scow_schedule_copy(&search->trial, &search->best);
  measure_rounds(fallings);
  return refine(fallings, err);
}

enum ls_status ls_scow_search_falling(struct ls_scow_search *search, struct ls_error *err) {
  size_t count = search->star->count;
  if (isinf(search->best_s) || !ls_scow_search_goes_on(search)) return LS_OK;
  struct fallings fallings = {
      .search = search,
      .rounds_most = count <= LS_SCOW_FEW_WORKERS ? LS_SCOW_FALLING_MAX : ROUNDS_OF_MANY};
  fallings.slots = calloc(fallings.rounds_most * count, sizeof *fallings.slots);
  if (fallings.slots == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the chunks of %zu workers", count);
  enum ls_status status = search_fallings(&fallings, err);
  search->trial.falling_rounds = 0;
  free(fallings.slots);
  return status;
}
