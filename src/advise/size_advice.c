#include "advise/size_advice.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "advise/crew_advice.h"
#include "base/json.h"
#include "base/statistics.h"
#include "policies/chunking.h"
#include "policies/ordering.h"
#include "simulate/simulate.h"
#include "theory/eer.h"
#include "theory/speeds.h"

/* Losses that nearly never happen change no number; others are chance, which is averaged. */
static const double LOSSES_LEAST = 0.05;
/* So many numbers are always tried, or none; crews get a share of the work that is left. */
enum { DRAWS = 6, NUMBERS_LEAST = 8, CREWS_MOST = 128 };
/* Beyond so many times the number that the tasks could use at most, nothing gets better. */
static const double BEYOND = 1.5;

/* The run as it is played: on `platform`, whose first workers are the fastest. */
struct course {
  const struct ls_size_setup *setup;
  double *work;     /* of each unit, iteration by iteration: seconds on a worker of speed 1 */
  uint64_t *counts; /* units of each iteration */
  uint32_t iterations;
  uint64_t units, most_units;
  double asp_most;                      /* of the iteration that could use most workers */
  double largest_s, total_s, longest_s; /* longest_s: the sum of each iteration's largest */
  struct ls_platform platform;
  size_t *slots; /* of its workers; those of no slot: SIZE_MAX */
  size_t draws;
};

static void close_course(struct course *course) {
  free(course->work);
  free(course->counts);
  free(course->slots);
  ls_platform_close(&course->platform);
}

/* ---- speeds ---- */

static enum ls_status measure_speeds(const struct ls_size_setup *setup, double *speeds,
                                     struct ls_error *err) {
  const struct ls_task_log *log = setup->log;
  struct ls_speed_sample *samples = calloc(setup->slots_count + 1, sizeof *samples);
  if (samples == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the speeds of workers");
  for (size_t i = 0; i < log->count; i++) {
    const struct ls_task_log_entry *entry = &log->entries[i];
    assert(entry->slot < setup->slots_count && entry->units > 0);
    struct ls_speed_sample *sample = &samples[entry->slot];
    double units = (double)entry->units;
    sample->units += units;
    sample->seconds += entry->seconds;
    sample->squares += entry->seconds * entry->seconds / units;
  }
  double mean_s = ls_speeds_estimate(samples, setup->slots_count, speeds);
  for (size_t i = 0; i < setup->slots_count; i++) {
    double told = setup->slots[i].speed;
    speeds[i] = told > 0 ? told : mean_s / speeds[i];
  }
  free(samples);
  return LS_OK;
}

/* ---- tasks ---- */

static void end_iteration(struct course *course, uint64_t first) {
  uint64_t count = course->units - first;
  if (count == 0) return;
  double largest_s = 0;
  for (uint64_t i = 0; i < count; i++) largest_s = fmax(largest_s, course->work[first + i]);
  course->longest_s += largest_s;
  course->asp_most = fmax(course->asp_most, ls_task_asp(course->work + first, (size_t)count));
  if (count > course->most_units) course->most_units = count;
  course->counts[course->iterations++] = count;
}

static void read_tasks(struct course *course, const double *speeds) {
  const struct ls_task_log *log = course->setup->log;
  struct ls_sum total = {0};
  uint64_t first = 0;
  for (size_t i = 0; i < log->count; i++) {
    const struct ls_task_log_entry *entry = &log->entries[i];
    if (i > 0 && entry->iteration != log->entries[i - 1].iteration) {
      end_iteration(course, first);
      first = course->units;
    }
    double seconds = entry->seconds / (double)entry->units * speeds[entry->slot];
    for (uint64_t k = 0; k < entry->units; k++) course->work[course->units++] = seconds;
    ls_sum_add(&total, seconds * (double)entry->units);
    course->largest_s = fmax(course->largest_s, seconds);
  }
  end_iteration(course, first);
  course->total_s = ls_sum_value(&total);
}

/* ---- workers ---- */

struct ranked {
  double speed;
  size_t slot;
};

static int compare_ranked(const void *left, const void *right) {
  const struct ranked *a = left, *b = right;
  if (a->speed > b->speed || a->speed < b->speed) return a->speed > b->speed ? -1 : 1;
  return (a->slot > b->slot) - (a->slot < b->slot);
}

/* Those of the slots, the fastest first; then others, each like their mean. */
static enum ls_status open_platform(struct course *course, const double *speeds, size_t workers,
                                    struct ls_error *err) {
  const struct ls_size_setup *setup = course->setup;
  size_t known = setup->slots_count, count = workers > known ? workers : known;
  double slots = (double)known, speed = 0, price_per_s = 0;
  struct ranked *ranked = calloc(known + 1, sizeof *ranked);
  course->slots = calloc(count + 1, sizeof *course->slots);
  enum ls_status status = ranked != NULL && course->slots != NULL ? LS_OK : LS_ENOMEM;
  if (status == LS_OK) status = ls_platform_init(&course->platform, count, err);
  for (size_t i = 0; i < known && status == LS_OK; i++) {
    ranked[i] = (struct ranked){speeds[i], i};
    speed += speeds[i] / slots;
    price_per_s += setup->slots[i].price_per_s / slots;
  }
  if (status == LS_OK) qsort(ranked, known, sizeof *ranked, compare_ranked);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_worker_model *worker = &course->platform.workers[i];
    course->slots[i] = i < known ? ranked[i].slot : SIZE_MAX;
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 1 / (i < known ? ranked[i].speed : speed);
    worker->price_per_s = i < known ? setup->slots[ranked[i].slot].price_per_s : price_per_s;
  }
  free(ranked);
  return status;
}

/* ---- plays ---- */

/* A worker that is lost more often than it ends the largest task would never end it. */
static double find_loss_rate(const struct course *course) {
  double rate = course->setup->loss_rate;
  if (!(rate * course->total_s > LOSSES_LEAST)) return 0;
  return fmin(rate, 1 / course->largest_s);
}

static enum ls_status draw(void *context, size_t number, struct ls_simulation *world,
                           struct ls_error *err) {
  const struct course *course = context;
  double rate = find_loss_rate(course);
  (void)err;
  world->platform = &course->platform;
  world->units = course->counts[0];
  world->task_work = course->work;
  world->iterations = course->iterations;
  world->iteration_units = course->counts;
  world->asking = LS_ASKING_ONE;
  world->config.chunking = ls_chunking_find("ss");
  world->config.ordering = ls_ordering_find("lptf");
  world->config.mean_seconds = world->config.deviation_seconds = (double)NAN;
  world->config.overhead_seconds = (double)NAN;
  world->config.seed = course->setup->seed + number;
  if (rate > 0) {
    world->reclaim.mean_up_s = 1 / rate;
    world->reclaim.mean_away_s = fmax(course->setup->start_up_s, 1e-3);
  }
  return LS_OK;
}

static struct ls_crew_advice_setup describe_trial(struct course *course,
                                                  const struct ls_candidate *candidate) {
  return (struct ls_crew_advice_setup){.world = {.context = course, .draw = draw},
                                       .candidate = candidate,
                                       .terms = {(double)NAN, (double)NAN},
                                       .draws = course->draws,
                                       .tries_max = CREWS_MOST,
                                       .scale = 1};
}

static enum ls_status play_number(struct course *course, size_t workers, struct ls_eer_point *point,
                                  struct ls_error *err) {
  struct ls_platform all = course->platform;
  double time_s = 0, efficiency = 0, draws = (double)course->draws;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < course->draws && status == LS_OK; i++) {
    struct ls_simulation world = {.platform = NULL};
    struct ls_simulated result;
    status = draw(course, i, &world, err);
    struct ls_platform some = all;
    some.workers_count = workers;
    world.platform = &some;
    if (status == LS_OK) status = ls_simulate(&world, &result, NULL, err);
    if (status != LS_OK) break;
    time_s += result.makespan_s / draws;
    efficiency += result.efficiency / draws;
  }
  *point = ls_eer_point(workers, course->setup->start_up_s + time_s, efficiency);
  return status;
}

/* The next number to be tried: each one, or where there are too many to try, so much more. */
static size_t find_next(size_t workers, size_t most, size_t tries) {
  if (most <= tries) return workers + 1;
  double next = (double)workers * pow((double)most, 1 / (double)(tries - 1));
  return next < (double)workers + 1 ? workers + 1 : (size_t)next;
}

static void take_points(const struct ls_eer_point *points, size_t count,
                        struct ls_size_advice *advice) {
  size_t perfect = ls_eer_perfect(points, count), first = perfect, last = perfect;
  while (first > 0 && ls_eer_is_ideal(&points[first - 1], &points[perfect])) first--;
  while (last + 1 < count && ls_eer_is_ideal(&points[last + 1], &points[perfect])) last++;
  advice->perfect = points[perfect].workers;
  advice->ideal_from = points[first].workers;
  advice->ideal_to = points[last].workers;
  advice->time_s = points[perfect].time_s;
  advice->efficiency = points[perfect].efficiency;
  advice->is_known = true;
}

static enum ls_status try_numbers(struct course *course, size_t tries,
                                  struct ls_size_advice *advice, struct ls_error *err) {
  struct ls_eer_point *points = calloc(tries + 2, sizeof *points);
  size_t count = 0;
  enum ls_status status =
      points != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for an advice");
  for (size_t n = 1; n <= advice->most && count < tries + 1 && status == LS_OK;
       n = find_next(n, advice->most, tries))
    status = play_number(course, n, &points[count++], err);
  if (status == LS_OK) take_points(points, count, advice);
  free(points);
  return status;
}

/* ---- prices ---- */

static bool has_prices(const struct ls_size_setup *setup) {
  for (size_t i = 1; i < setup->slots_count; i++) {
    double a = setup->slots[0].price_per_s, b = setup->slots[i].price_per_s;
    if (a < b || a > b) return true;
  }
  return false;
}

static int compare_slots(const void *left, const void *right) {
  const uint32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static enum ls_status find_cheapest(struct course *course, size_t tries,
                                    struct ls_size_advice *advice, struct ls_error *err) {
  struct ls_candidate candidate = {.chunking = ls_chunking_find("ss"), .prefetch = 0};
  struct ls_crew_advice found = {.deal = {0}};
  ls_arguments_init(&candidate.arguments, candidate.chunking->parameters);
  struct ls_crew_advice_setup trial = describe_trial(course, &candidate);
  if (tries < trial.tries_max) trial.tries_max = tries;
  size_t all = course->platform.workers_count;
  course->platform.workers_count = course->setup->slots_count; /* only those that there were */
  enum ls_status status = ls_crew_advise(&trial, &found, err);
  if (status == LS_OK) {
    const struct ls_crew *crew = &found.crews.items[found.deal.index];
    advice->cheapest = calloc(crew->count + 1, sizeof *advice->cheapest);
    if (advice->cheapest == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for an advice");
    for (size_t i = 0; i < crew->count && status == LS_OK; i++)
      advice->cheapest[advice->cheapest_count++] =
          course->setup->slots[course->slots[crew->workers[i]]].number;
    advice->cheapest_time_s = course->setup->start_up_s + crew->offer.time_s;
    advice->cheapest_price = crew->offer.price;
    advice->is_complete = found.crews.is_complete;
  }
  if (status == LS_OK)
    qsort(advice->cheapest, advice->cheapest_count, sizeof *advice->cheapest, compare_slots);
  advice->has_prices = status == LS_OK;
  ls_crew_advice_close(&found);
  course->platform.workers_count = all; /* it owns their names */
  return status;
}

/* ---- the advice ---- */

/* More workers than these have nothing to do, or nothing that ends sooner by them. */
static size_t count_useful(const struct course *course) {
  double useful = ceil(BEYOND * course->asp_most) + 2;
  return (size_t)fmin(useful, fmax(1, (double)course->most_units));
}

static enum ls_status open_course(struct course *course, struct ls_error *err) {
  const struct ls_size_setup *setup = course->setup;
  double *speeds = calloc(setup->slots_count + 1, sizeof *speeds);
  course->work = calloc(setup->log->units + 1, sizeof *course->work);
  course->counts = calloc(setup->log->count + 1, sizeof *course->counts);
  enum ls_status status = LS_OK;
  if (speeds == NULL || course->work == NULL || course->counts == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for an advice");
  if (status == LS_OK) status = measure_speeds(setup, speeds, err);
  if (status == LS_OK) read_tasks(course, speeds);
  if (status == LS_OK) status = open_platform(course, speeds, count_useful(course), err);
  course->draws = find_loss_rate(course) > 0 ? DRAWS : 1;
  free(speeds);
  return status;
}

enum ls_status ls_size_advise(const struct ls_size_setup *setup, struct ls_size_advice *advice,
                              struct ls_error *err) {
  struct course course = {.setup = setup};
  *advice = (struct ls_size_advice){.is_known = false};
  if (setup->log->is_short || setup->log->units == 0 || setup->slots_count == 0) return LS_OK;
  enum ls_status status = open_course(&course, err);
  uint64_t tries = setup->units_max / (setup->log->units * (course.draws > 0 ? course.draws : 1));
  bool is_worth = status == LS_OK && tries >= NUMBERS_LEAST && course.largest_s > 0;
  if (is_worth) {
    advice->most = count_useful(&course);
    advice->asp = course.total_s / course.longest_s;
    advice->start_up_s = setup->start_up_s;
    advice->loss_rate = find_loss_rate(&course);
    status = try_numbers(&course, (size_t)tries, advice, err);
  }
  if (is_worth && status == LS_OK && has_prices(setup))
    status = find_cheapest(&course, (size_t)tries, advice, err);
  close_course(&course);
  return status;
}

void ls_size_advice_close(struct ls_size_advice *advice) {
  free(advice->cheapest);
  *advice = (struct ls_size_advice){.is_known = false};
}

/* ---- words ---- */

void ls_size_advice_describe(const struct ls_size_advice *advice, struct ls_bytes *out) {
  if (!advice->is_known) return;
  ls_bytes_printf(out, "%zu worker%s by these times (%.4g s, efficiency %.0f %%), ideal %zu to %zu",
                  advice->perfect, advice->perfect == 1 ? "" : "s", advice->time_s,
                  100 * advice->efficiency, advice->ideal_from, advice->ideal_to);
  ls_bytes_printf(out, "; asp %.3g, start-up %.3g s", advice->asp, advice->start_up_s);
  if (advice->loss_rate > 0)
    ls_bytes_printf(out, ", a loss in %.4g s of a worker", 1 / advice->loss_rate);
  if (!advice->has_prices) return;
  ls_bytes_printf(out, "; cheapest within 1.1 of the best time: %zu worker%s (%.4g s, price %.4g):",
                  advice->cheapest_count, advice->cheapest_count == 1 ? "" : "s",
                  advice->cheapest_time_s, advice->cheapest_price);
  for (size_t i = 0; i < advice->cheapest_count; i++) {
    size_t first = i;
    while (i + 1 < advice->cheapest_count && advice->cheapest[i + 1] == advice->cheapest[i] + 1)
      i++;
    ls_bytes_printf(out, "%s %u", first == 0 ? " slots" : ",", advice->cheapest[first]);
    if (i > first) ls_bytes_printf(out, " to %u", advice->cheapest[i]);
  }
}

static void write_number(struct ls_bytes *out, const char *name, double number) {
  ls_bytes_printf(out, ", \"%s\": ", name);
  ls_json_write_number(out, number);
}

void ls_size_advice_write_json(const struct ls_size_advice *advice, struct ls_bytes *out) {
  if (!advice->is_known) {
    ls_bytes_append_text(out, "null");
    return;
  }
  ls_bytes_printf(out, "{\"perfect_number\": %zu, \"ideal_interval\": [%zu, %zu], \"tried\": %zu",
                  advice->perfect, advice->ideal_from, advice->ideal_to, advice->most);
  write_number(out, "time", advice->time_s);
  write_number(out, "efficiency", advice->efficiency);
  write_number(out, "asp", advice->asp);
  write_number(out, "start_up", advice->start_up_s);
  write_number(out, "loss_rate", advice->loss_rate);
  if (advice->has_prices) {
    ls_bytes_append_text(out, ", \"cheapest\": {\"slots\": [");
    for (size_t i = 0; i < advice->cheapest_count; i++)
      ls_bytes_printf(out, "%s%u", i > 0 ? ", " : "", advice->cheapest[i]);
    ls_bytes_append_text(out, "]");
    write_number(out, "time", advice->cheapest_time_s);
    write_number(out, "price", advice->cheapest_price);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_char(out, '}');
}
