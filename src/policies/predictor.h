/* predictor.h: the next time of a task, from its times in earlier iterations.
 *
 * A history keeps a record for each task; every predictor reads the same record, so that they can
 * be compared while a run goes on.  `chosen` follows the predictor whose mean relative error over
 * the last iterations was least, and holds it unless another is clearly better.  Seconds are those
 * of a worker of speed 1: the observer multiplies by the speed of the worker.
 */
#ifndef LS_POLICIES_PREDICTOR_H
#define LS_POLICIES_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum ls_predictor_kind {
  LS_PREDICTOR_MEAN, /* of all iterations; the one to begin with */
  LS_PREDICTOR_LAST,
  LS_PREDICTOR_MEAN_LAST, /* of the last few */
  LS_PREDICTOR_SMOOTH,    /* exponential smoothing */
  LS_PREDICTOR_RANK,      /* the last iteration's time at the mean rank: for changes of scale */
  LS_PREDICTORS,
  LS_PREDICTOR_CHOSEN = LS_PREDICTORS /* whichever was best lately */
};

/* "mean", "last", "mean-last", "smooth", "rank", "chosen", NULL: as the words of a parameter. */
extern const char *const ls_predictor_names[];

enum { LS_PREDICTOR_RECENT_MAX = 16, LS_PREDICTOR_WINDOW = 5 };

struct ls_task_history_setup {
  size_t recent;    /* K of mean-last, 1 .. LS_PREDICTOR_RECENT_MAX; 0: 3 */
  double smoothing; /* weight of the newest value, in (0, 1]; 0: 0.3 */
};

struct ls_task_history;

/* LS_EINVAL: a value of the setup is outside its limits. */
LS_CHECKED enum ls_status ls_task_history_create(const struct ls_task_history_setup *setup,
                                                 struct ls_task_history **out,
                                                 struct ls_error *err);
void ls_task_history_destroy(struct ls_task_history *history);
/* Room for tasks 0 .. tasks - 1; afterwards observing them needs no memory. */
LS_CHECKED enum ls_status ls_task_history_reserve(struct ls_task_history *history, uint64_t tasks,
                                                  struct ls_error *err);
/* A task took so long in the present iteration; the last word counts. Tasks without room and
 * seconds that are no number >= 0 are ignored. */
void ls_task_history_observe(struct ls_task_history *history, uint64_t task, double seconds);
/* The iteration is over: its observations join the records. */
void ls_task_history_close_iteration(struct ls_task_history *history);
/* NAN: nothing is known of this task. */
double ls_task_history_predict(const struct ls_task_history *history, enum ls_predictor_kind kind,
                               uint64_t task);
/* Does it know anything at all? */
bool ls_task_history_is_empty(const struct ls_task_history *history);
/* The kind that `chosen` stands for now. */
enum ls_predictor_kind ls_task_history_chosen(const struct ls_task_history *history);

#endif
