/* learning.c: what tasks took, for the orders, sizings and replications that learn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/coordinator_private.h"

static void take_arguments(struct ls_arguments *own, const struct ls_arguments *given,
                           const struct ls_parameter *parameters) {
  assert(own != NULL);
  if (given != NULL) {
    *own = *given;
  } else {
    ls_arguments_init(own, parameters);
  }
}

static bool wants_history(const struct ls_coordinator_config *config) {
  assert(config != NULL);
  return (config->ordering != NULL && config->ordering->learns) ||
         (config->replication != NULL && config->replication->learns);
}

enum ls_status ls_learning_init(struct ls_coordinator *c,
                                const struct ls_coordinator_config *config, struct ls_error *err) {
  struct ls_learning *learning = &c->learning;
  const struct ls_task_history_setup setup = {0};
  assert(learning->history == NULL);
  take_arguments(&learning->ordering, config->ordering_arguments,
                 config->ordering != NULL ? config->ordering->parameters : NULL);
  take_arguments(&learning->sizing, config->sizing_arguments,
                 config->sizing != NULL ? config->sizing->parameters : NULL);
  take_arguments(&learning->replication, config->replication_arguments,
                 config->replication != NULL ? config->replication->parameters : NULL);
  learning->learns = wants_history(config) || (config->sizing != NULL && config->sizing->learns);
  if (learning->learns && config->weights != NULL) {
    learning->speeds = calloc(config->workers_max, sizeof *learning->speeds);
    if (learning->speeds == NULL) return ls_fail(err, LS_ENOMEM, "no memory for speeds");
  }
  if (!wants_history(config)) return LS_OK;
  enum ls_status status = ls_task_history_create(&setup, &learning->history, err);
  for (size_t i = 0; i < config->lessons_count && status == LS_OK; i++) {
    const struct ls_coordinator_lesson *lesson = &config->lessons[i];
    status = ls_coordinator_learn(c, lesson->units, lesson->seconds, err);
    bool is_last = i + 1 == config->lessons_count;
    if (is_last || lesson[1].iteration != lesson->iteration) ls_coordinator_learn_iteration(c);
  }
  c->config.lessons = NULL;
  c->config.lessons_count = 0;
  return status;
}

void ls_learning_close(struct ls_coordinator *c) {
  struct ls_learning *learning = &c->learning;
  assert(c->actions == NULL);
  ls_task_history_destroy(learning->history);
  free(learning->seconds);
  free(learning->expected);
  free(learning->actual);
  free(learning->speeds);
  *learning = (struct ls_learning){0};
}

static enum ls_status copy_times(const double *times, uint64_t count, const char *name,
                                 double **copy, struct ls_error *err) {
  assert(copy != NULL);
  *copy = NULL;
  if (times == NULL || count == 0) return LS_OK;
  for (uint64_t i = 0; i < count; i++) {
    if (times[i] >= 0 && isfinite(times[i])) continue;
    return ls_fail(err, LS_EINVAL, "task %llu: %s time is %g, must be >= 0 and finite",
                   (unsigned long long)i, name, times[i]);
  }
  *copy = calloc(count, sizeof **copy);
  if (*copy == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for the times of %llu tasks",
                   (unsigned long long)count);
  }
  memcpy(*copy, times, count * sizeof **copy);
  return LS_OK;
}

enum ls_status ls_coordinator_declare(struct ls_coordinator *c,
                                      const struct ls_coordinator_times *times,
                                      struct ls_error *err) {
  double *expected = NULL, *actual = NULL;
  assert(c->actions == NULL);
  enum ls_status status = copy_times(times->expected, times->count, "expected", &expected, err);
  if (status == LS_OK) status = copy_times(times->actual, times->count, "actual", &actual, err);
  if (status != LS_OK) {
    free(expected);
    return status;
  }
  free(c->learning.expected);
  free(c->learning.actual);
  c->learning.expected = expected;
  c->learning.actual = actual;
  c->learning.declared_count = times->count;
  return LS_OK;
}

enum ls_status ls_coordinator_learn(struct ls_coordinator *c, struct ls_range units, double seconds,
                                    struct ls_error *err) {
  struct ls_task_history *history = c->learning.history;
  assert(c->actions == NULL && units.count <= UINT64_MAX - units.first);
  if (history == NULL) return LS_OK;
  enum ls_status status = ls_task_history_reserve(history, units.first + units.count, err);
  for (uint64_t i = 0; i < units.count && status == LS_OK; i++) {
    ls_task_history_observe(history, units.first + i, seconds);
  }
  return status;
}

void ls_coordinator_learn_iteration(struct ls_coordinator *c) {
  assert(c->actions == NULL);
  if (c->learning.history != NULL) ls_task_history_close_iteration(c->learning.history);
}

/* The measured ones in front, without holes; their number. */
static size_t compact(double *seconds, uint64_t count) {
  size_t kept = 0;
  assert(count == 0 || seconds != NULL);
  for (uint64_t i = 0; i < count; i++) {
    if (!isnan(seconds[i])) seconds[kept++] = seconds[i];
  }
  return kept;
}

enum ls_status ls_learning_prepare(struct ls_coordinator *c, struct ls_prepared *prepared,
                                   struct ls_error *err) {
  struct ls_learning *learning = &c->learning;
  assert(prepared->seconds == NULL);
  if (!learning->learns) return LS_OK;
  if (learning->history != NULL) ls_task_history_close_iteration(learning->history);
  size_t measured = compact(learning->seconds, learning->seconds_count);
  learning->seconds_count = measured;
  if (measured > 0) {
    enum ls_status status = ls_task_facts(learning->seconds, measured, &learning->facts, err);
    if (status != LS_OK) return status;
  }
  prepared->seconds = calloc(prepared->units, sizeof *prepared->seconds);
  if (prepared->seconds == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for the times of %llu units",
                   (unsigned long long)prepared->units);
  }
  for (uint64_t i = 0; i < prepared->units; i++) prepared->seconds[i] = (double)NAN;
  return learning->history != NULL
             ? ls_task_history_reserve(learning->history, prepared->units, err)
             : LS_OK;
}

void ls_learning_open(struct ls_coordinator *c, struct ls_prepared *prepared) {
  struct ls_learning *learning = &c->learning;
  assert(learning->learns == (prepared->seconds != NULL));
  free(learning->seconds);
  learning->seconds = prepared->seconds;
  learning->seconds_count = learning->learns ? prepared->units : 0;
  learning->facts = (struct ls_task_facts){0};
  learning->was_changed = false;
}

void ls_learning_observe(struct ls_coordinator *c, uint32_t worker, const struct ls_range *range,
                         double seconds) {
  struct ls_learning *learning = &c->learning;
  double speed = c->weights != NULL && c->weights[worker] > 0 ? c->weights[worker] : 1;
  assert(range->first + range->count <= learning->seconds_count);
  for (uint64_t i = range->first; i < range->first + range->count; i++) {
    if (c->state[i] != LS_UNIT_DONE) continue;
    learning->seconds[i] = seconds;
    if (learning->history != NULL) ls_task_history_observe(learning->history, i, seconds * speed);
  }
}

double ls_learning_expect(const struct ls_coordinator *c, uint64_t unit, uint32_t worker) {
  const struct ls_learning *learning = &c->learning;
  double seconds = (double)NAN;
  assert(unit < c->units && worker < c->config.workers_max);
  if (learning->history != NULL) {
    seconds = ls_task_history_predict(learning->history, LS_PREDICTOR_CHOSEN, unit);
  }
  if (isnan(seconds) && unit < learning->declared_count && learning->expected != NULL) {
    seconds = learning->expected[unit];
  }
  /* In a first iteration all tasks look like those that are done. */
  if (isnan(seconds) && c->done > 0 && c->working_seconds > 0) {
    seconds = c->working_seconds / (double)c->done;
  }
  double speed = c->weights != NULL && c->weights[worker] > 0 ? c->weights[worker] : 1;
  return seconds / speed;
}

double ls_learning_loss_rate(const struct ls_coordinator *c) {
  double up_s = c->learning.all_up_seconds + c->up_seconds;
  assert(c->config.loss_rate >= 0);
  if (c->config.loss_rate > 0) return c->config.loss_rate;
  return up_s > 0 ? (double)c->learning.losses / up_s : 0;
}
