#include "lab/studies/trial.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "simulate/task_times.h"
#include "theory/load_pattern.h"

#define PREPARE_S 0.01

enum { LOAD_STATIC, LOAD_SEVEN, LOAD_FAST };

const char *const ls_trial_speed_names[] = {"equal", "0.7-1.3", "0.33-3"};
const char *const ls_trial_load_names[] = {"static", "seven", "fast"};

struct ls_trial_cell ls_trial_cell(size_t number) {
  assert(number < LS_TRIALS);
  struct ls_trial_cell cell = {.speeds = number % LS_TRIAL_SPEEDS};
  number /= LS_TRIAL_SPEEDS;
  cell.law = number % LS_TRIAL_LAWS;
  number /= LS_TRIAL_LAWS;
  cell.latency = number % LS_TRIAL_LATENCIES;
  number /= LS_TRIAL_LATENCIES;
  cell.prefetch = number % LS_TRIAL_PREFETCHES;
  cell.load = number / LS_TRIAL_PREFETCHES;
  return cell;
}

static struct ls_task_times name_law(const struct ls_trial *scenario) {
  static const enum ls_task_law laws[] = {LS_TASK_CONSTANT, LS_TASK_GAMMA, LS_TASK_EXPONENTIAL,
                                          LS_TASK_BIMODAL, LS_TASK_RAMP_DOWN};
  return (struct ls_task_times){laws[scenario->cell.law], 1, 0.3};
}

static void draw_machine(struct ls_trial *scenario) {
  struct ls_random random;
  char stream[64];
  (void)snprintf(stream, sizeof stream, "machine-%zu-%" PRIu64, scenario->key.number,
                 scenario->key.machine);
  ls_random_init(&random, scenario->key.seed, stream);
  for (size_t i = 0; i < scenario->key.workers; i++) {
    double chance = ls_random_real(&random), speed = 1;
    if (scenario->cell.speeds == 1) speed = 0.7 + 0.6 * chance;
    if (scenario->cell.speeds == 2) speed = pow(2, -1.6 + 3.2 * chance);
    scenario->speeds[i] = speed;
    scenario->speed_sum += speed;
    scenario->platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1 / speed;
    scenario->platform.workers[i].delay_s = scenario->latency_s;
  }
  scenario->platform.prepare.latency_s = PREPARE_S;
}

enum ls_status ls_trial_open(struct ls_trial *scenario, const struct ls_trial_key *key,
                             struct ls_error *err) {
  static const double latencies_s[] = {0, 0.1, 1};
  static const uint64_t prefetches[] = {0, 1, 2, 16};
  struct ls_trial made = {.key = *key, .cell = ls_trial_cell(key->number)};
  made.latency_s = latencies_s[made.cell.latency];
  made.prefetch = prefetches[made.cell.prefetch];
  struct ls_task_times law = name_law(&made);
  made.variation = ls_task_times_variation(&law);
  enum ls_status status = ls_platform_init(&made.platform, key->workers, err);
  if (status != LS_OK) return status;
  made.speeds = calloc(key->workers, sizeof *made.speeds);
  made.work = calloc(LS_TRIAL_UNITS, sizeof *made.work);
  made.availability = calloc(key->workers, sizeof *made.availability);
  made.availability_count = calloc(key->workers, sizeof *made.availability_count);
  if (made.speeds == NULL || made.work == NULL || made.availability == NULL ||
      made.availability_count == NULL) {
    ls_trial_close(&made);
    return ls_fail(err, LS_ENOMEM, "no memory for a scenario of %zu workers", key->workers);
  }
  draw_machine(&made);
  *scenario = made;
  return LS_OK;
}

static void release_load(struct ls_trial *scenario) {
  for (size_t i = 0; scenario->availability != NULL && i < scenario->key.workers; i++) {
    free(scenario->availability[i]);
    scenario->availability[i] = NULL;
    if (scenario->availability_count != NULL) scenario->availability_count[i] = 0;
  }
}

void ls_trial_close(struct ls_trial *scenario) {
  release_load(scenario);
  free(scenario->availability_count);
  free(scenario->availability);
  free(scenario->work);
  free(scenario->speeds);
  ls_platform_close(&scenario->platform);
}

static enum ls_status draw_load(struct ls_trial *scenario, struct ls_random *random,
                                struct ls_error *err) {
  double ideal_s = scenario->work_sum / scenario->speed_sum;
  struct ls_load_pattern pattern = {.kind = LS_PATTERN_SEVEN,
                                    .first = (size_t)ls_random_below(random, LS_PATTERNS),
                                    .duration_s = 1.3 * ideal_s,
                                    .busy = 0.5,
                                    .slot_s = fmax(0.5, ideal_s / 64)};
  if (scenario->cell.load == LOAD_FAST) {
    pattern = (struct ls_load_pattern){.kind = LS_PATTERN_RANDOM,
                                       .duration_s = 2 * ideal_s,
                                       .busy = 1.0 / 3,
                                       .slot_s = ideal_s / 12};
  }
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < scenario->key.workers && status == LS_OK; i++) {
    struct ls_load_course course = {NULL, 0};
    status = ls_load_pattern_make(&pattern, i, random, &course, err);
    scenario->availability[i] = course.pieces;
    scenario->availability_count[i] = course.count;
  }
  return status;
}

/* Work that the workers can do until then, each at its share of its speed. */
static double count_work(const struct ls_trial *scenario, double until_s) {
  double work = 0;
  for (size_t i = 0; i < scenario->key.workers; i++) {
    double from_s = 0, share = 1;
    for (size_t k = 0; k < scenario->availability_count[i]; k++) {
      const struct ls_availability *piece = &scenario->availability[i][k];
      double next_s = fmin(piece->from_s, until_s);
      work += scenario->speeds[i] * share * (next_s - from_s);
      from_s = next_s;
      share = piece->share;
    }
    work += scenario->speeds[i] * share * (until_s - from_s);
  }
  return work;
}

/* When the workers together could have done it all, by bisection: 60 halvings leave no digit
 * open. No share is below a third, so three times the ideal is enough. */
static double bound_work(const struct ls_trial *scenario) {
  double low_s = scenario->work_sum / scenario->speed_sum, high_s = 4 * low_s;
  if (scenario->cell.load == LOAD_STATIC) return low_s;
  for (int i = 0; i < 60; i++) {
    double middle_s = (low_s + high_s) / 2;
    if (count_work(scenario, middle_s) < scenario->work_sum) {
      low_s = middle_s;
    } else {
      high_s = middle_s;
    }
  }
  return high_s;
}

enum ls_status ls_trial_draw(struct ls_trial *scenario, size_t draw, struct ls_error *err) {
  struct ls_task_times law = name_law(scenario);
  struct ls_random random;
  char stream[96];
  double longest = 0, fastest = 0;
  (void)snprintf(stream, sizeof stream, "draw-%zu-%" PRIu64 "-%zu", scenario->key.number,
                 scenario->key.machine, draw);
  ls_random_init(&random, scenario->key.seed + 1, stream);
  enum ls_status status = ls_task_times_draw(&law, &random, scenario->work, LS_TRIAL_UNITS, err);
  if (status != LS_OK) return status;
  scenario->work_sum = 0;
  for (size_t i = 0; i < LS_TRIAL_UNITS; i++) {
    scenario->work_sum += scenario->work[i];
    longest = fmax(longest, scenario->work[i]);
  }
  for (size_t i = 0; i < scenario->key.workers; i++) fastest = fmax(fastest, scenario->speeds[i]);
  release_load(scenario);
  if (scenario->cell.load != LOAD_STATIC) status = draw_load(scenario, &random, err);
  if (status == LS_OK) scenario->bound_s = fmax(bound_work(scenario), longest / fastest);
  return status;
}

void ls_trial_world(const struct ls_trial *scenario, struct ls_simulation *setup) {
  double mean_speed = scenario->speed_sum / (double)scenario->key.workers;
  *setup = (struct ls_simulation){.platform = &scenario->platform,
                                  .units = LS_TRIAL_UNITS,
                                  .task_work = scenario->work,
                                  .asking = LS_ASKING_ONE,
                                  .prefetch = scenario->prefetch};
  setup->config.weights = scenario->speeds;
  setup->config.mean_seconds = 1 / mean_speed;
  setup->config.deviation_seconds = scenario->variation / mean_speed;
  setup->config.overhead_seconds = PREPARE_S + 2 * scenario->latency_s;
  if (scenario->cell.load == LOAD_STATIC) return;
  setup->availability = (const struct ls_availability *const *)scenario->availability;
  setup->availability_count = scenario->availability_count;
}

static enum ls_status set_number(struct ls_arguments *arguments, const struct ls_chunking *chunking,
                                 const char *name, double value, struct ls_error *err) {
  char text[32];
  (void)snprintf(text, sizeof text, "%.17g", value);
  return ls_arguments_set(arguments, chunking->parameters, name, text, err);
}

enum ls_status ls_trial_arguments(const struct ls_trial *scenario,
                                  const struct ls_chunking *chunking,
                                  struct ls_arguments *arguments, struct ls_error *err) {
  ls_arguments_init(arguments, chunking->parameters);
  if (strcmp(chunking->name, "monitor") == 0) {
    return set_number(arguments, chunking, "report_every", 4, err);
  }
  if (strcmp(chunking->name, "rumr") != 0) return LS_OK;
  double uncertain = scenario->variation + (scenario->cell.load == LOAD_STATIC ? 0 : 0.3);
  enum ls_status status =
      set_number(arguments, chunking, "error", fmin(0.9, fmax(0.1, uncertain)), err);
  if (status != LS_OK) return status;
  return set_number(arguments, chunking, "transfer_latency_seconds",
                    PREPARE_S + scenario->latency_s, err);
}
