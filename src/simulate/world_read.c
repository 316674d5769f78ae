/* world_read.c: reads the course of a world, which no policy changes. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/task_times.h"
#include "simulate/world_private.h"
#include "theory/load_pattern.h"
#include "theory/workload.h"

static const char *const EXPECTED_CHANGE = "an object of worker and time";

/* The number of numbers in setup.task_work: of all iterations. */
static uint64_t count_tasks(const struct ls_world *world) {
  uint32_t iterations = world->setup.iterations > 0 ? world->setup.iterations : 1;
  return world->setup.units * iterations;
}

/* Room for the work of all tasks of all iterations. */
static enum ls_status make_work(struct ls_world *world, const struct ls_json *place,
                                struct ls_error *err) {
  uint64_t tasks = count_tasks(world);
  if (world->task_work)
    return ls_json_refuse(place, "only one of task_work, task_times and workload", err);
  if (tasks < SIZE_MAX / sizeof(double)) {
    world->task_work = calloc((size_t)tasks + 1, sizeof *world->task_work);
  }
  if (!world->task_work) return ls_fail(err, LS_ENOMEM, "no memory for the work of the tasks");
  world->task_work_count = tasks;
  world->setup.task_work = world->task_work;
  return LS_OK;
}

/* One number for each task, the same in all iterations, or all iterations one behind the other. */
enum ls_status ls_world_read_work(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err) {
  uint64_t units = world->setup.units, tasks = count_tasks(world);
  size_t count = 0;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status == LS_OK && count != units && count != tasks)
    status = ls_json_refuse(place, "one number for each task", err);
  if (status == LS_OK) status = make_work(world, place, err);
  for (uint64_t i = 0; i < tasks && status == LS_OK; i++) {
    if (i >= count) {
      world->task_work[i] = world->task_work[i - count];
      continue;
    }
    struct ls_json item = ls_json_item(place, (size_t)i);
    status = ls_json_real(&item, 0, DBL_MAX, &world->task_work[i], err);
  }
  world->setup.expected_work = world->task_work;
  return status;
}

enum ls_status ls_world_read_word(const struct ls_json *place, const char *const *names,
                                  size_t *index, struct ls_error *err) {
  const char *text = NULL;
  enum ls_status status = ls_json_string(place, &text, err);
  if (status != LS_OK) return status;
  struct ls_bytes known = {0};
  for (size_t i = 0; names[i]; i++) {
    if (strcmp(names[i], text) != 0) continue;
    *index = i;
    return LS_OK;
  }
  for (size_t i = 0; names[i]; i++)
    ls_bytes_printf(&known, "%s%s", i > 0 ? ", " : "one of: ", names[i]);
  status = ls_json_refuse(place, ls_bytes_text(&known), err);
  ls_bytes_close(&known);
  return status;
}

/* The member as a number; absent: `*number` stays. */
static enum ls_status read_real(const struct ls_json *object, const char *name, double most,
                                double *number, struct ls_error *err) {
  struct ls_json place = ls_json_member(object, name);
  return place.value ? ls_json_real(&place, 0, most, number, err) : LS_OK;
}

/* The member as true or false; absent: `*flag` stays. */
static enum ls_status read_bool(const struct ls_json *object, const char *name, bool *flag,
                                struct ls_error *err) {
  struct ls_json place = ls_json_member(object, name);
  return place.value ? ls_json_bool(&place, flag, err) : LS_OK;
}

enum ls_status ls_world_read_times(struct ls_world *world, const struct ls_json *place,
                                   struct ls_error *err) {
  static const char *const known[] = {"law", "mean", "variation", "each_iteration", NULL};
  struct ls_task_times times = {.mean = 1, .variation = 0.3};
  struct ls_random random;
  size_t law = 0;
  bool is_fresh = false;
  enum ls_status status = ls_json_object(place, known, err);
  struct ls_json word = ls_json_member(place, "law");
  if (status == LS_OK) status = ls_world_read_word(&word, ls_task_law_names, &law, err);
  if (status == LS_OK) status = read_real(place, "mean", DBL_MAX, &times.mean, err);
  if (status == LS_OK) status = read_real(place, "variation", DBL_MAX, &times.variation, err);
  if (status == LS_OK) status = read_bool(place, "each_iteration", &is_fresh, err);
  if (status == LS_OK) status = make_work(world, place, err);
  if (status != LS_OK) return status;
  times.law = (enum ls_task_law)law;
  uint64_t units = world->setup.units, tasks = count_tasks(world);
  ls_random_init(&random, world->setup.config.seed, "task times");
  for (uint64_t first = 0; first < tasks && status == LS_OK; first += units) {
    if (first > 0 && !is_fresh)
      memcpy(world->task_work + first, world->task_work, units * sizeof(double));
    else
      status = ls_task_times_draw(&times, &random, world->task_work + first, units, err);
  }
  if (!is_fresh) world->setup.expected_work = world->task_work;
  return status;
}

/* The generator of heymann2001: the work of each task, and how much it changes between iterations.
 */
enum ls_status ls_world_read_workload(struct ls_world *world, const struct ls_json *place,
                                      struct ls_error *err) {
  static const char *const known[] = {
      "tasks", "share_percent", "large_differ", "small_differ", "total", "deviation", NULL};
  uint64_t units = world->setup.units, given = units, tasks = count_tasks(world);
  double deviation = 0;
  struct ls_workload workload = {.tasks = (size_t)units, .total = (double)units};
  enum ls_status status = ls_json_object(place, known, err);
  struct ls_json count = ls_json_member(place, "tasks");
  if (status == LS_OK && count.value) status = ls_json_whole(&count, units, units, &given, err);
  if (status == LS_OK)
    status = read_real(place, "share_percent", 100, &workload.share_percent, err);
  if (status == LS_OK) status = read_bool(place, "large_differ", &workload.large_differ, err);
  if (status == LS_OK) status = read_bool(place, "small_differ", &workload.small_differ, err);
  if (status == LS_OK) status = read_real(place, "total", DBL_MAX, &workload.total, err);
  if (status == LS_OK) status = read_real(place, "deviation", 1, &deviation, err);
  if (status == LS_OK) status = make_work(world, place, err);
  if (status != LS_OK || units == 0) return status;
  double *base = world->expected_work = calloc((size_t)units, sizeof *base);
  world->setup.expected_work = base;
  if (!base) return ls_fail(err, LS_ENOMEM, "no memory for the work of the tasks");
  status = ls_workload_make(&workload, base, err);
  struct ls_random random;
  ls_random_init(&random, world->setup.config.seed, "workload");
  for (uint64_t i = 0; i < tasks && status == LS_OK; i++)
    world->task_work[i] = ls_workload_vary(base[i % units], deviation, ls_random_real(&random));
  return status;
}

/* [first, count]. */
static enum ls_status read_range(const struct ls_json *place, struct ls_ranges *ranges,
                                 struct ls_error *err) {
  struct ls_range range = {0};
  size_t count = 0;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status == LS_OK && count != 2)
    status = ls_json_refuse(place, "the first unit and how many they are", err);
  struct ls_json first = ls_json_item(place, 0), units = ls_json_item(place, 1);
  if (status == LS_OK) status = ls_json_whole(&first, 0, (uint64_t)1 << 53, &range.first, err);
  if (status == LS_OK) status = ls_json_whole(&units, 1, (uint64_t)1 << 53, &range.count, err);
  if (status == LS_OK) ls_ranges_add(ranges, range);
  return status;
}

/* A list of ranges for each iteration; those behind the last list are like it: what has nothing to
 * do any more stays so. */
enum ls_status ls_world_read_idle(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err) {
  uint32_t iterations = world->setup.iterations;
  size_t lists = 0, count = 0;
  enum ls_status status = ls_json_array(place, &lists, err);
  if (status == LS_OK && (lists == 0 || lists > iterations))
    status = ls_json_refuse(place, "one list for each iteration, or fewer", err);
  if (status != LS_OK) return status;
  world->idle = calloc(iterations, sizeof *world->idle);
  if (!world->idle) return ls_fail(err, LS_ENOMEM, "no memory for the units that are idle");
  for (uint32_t k = 0; k < iterations && status == LS_OK; k++) {
    struct ls_json list = ls_json_item(place, k < lists ? k : lists - 1);
    status = ls_json_array(&list, &count, err);
    for (size_t i = 0; i < count && status == LS_OK; i++) {
      struct ls_json range = ls_json_item(&list, i);
      status = read_range(&range, &world->idle[k], err);
    }
    if (status == LS_OK && world->idle[k].failed)
      status = ls_fail(err, LS_ENOMEM, "no memory for the units that are idle");
  }
  world->setup.idle = world->idle;
  return status;
}

static enum ls_status read_changes(struct ls_world *world, const struct ls_json *place,
                                   size_t which, size_t *count, struct ls_error *err) {
  static const char *const known[] = {"worker", "time", NULL};
  size_t workers = world->setup.platform->workers_count;
  enum ls_status status = ls_json_array(place, count, err);
  if (status != LS_OK) return status;
  struct ls_simulated_change *changes = calloc(*count + 1, sizeof *changes);
  if (!changes) return ls_fail(err, LS_ENOMEM, "no memory for the workers that join and leave");
  world->changes[which] = changes;
  for (size_t i = 0; i < *count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(place, i);
    uint64_t worker = 0;
    status = ls_json_object(&item, known, err);
    struct ls_json number = ls_json_member(&item, "worker"), time = ls_json_member(&item, "time");
    if (status == LS_OK && (!number.value || !time.value))
      status = ls_json_refuse(&item, EXPECTED_CHANGE, err);
    if (status == LS_OK) status = ls_json_whole(&number, 0, workers - 1, &worker, err);
    if (status == LS_OK) status = ls_json_real(&time, 0, DBL_MAX, &changes[i].time_s, err);
    changes[i].worker = (uint32_t)worker;
  }
  return status;
}

enum ls_status ls_world_read_leave(struct ls_world *world, const struct ls_json *place,
                                   struct ls_error *err) {
  enum ls_status status = read_changes(world, place, 0, &world->setup.leave_count, err);
  world->setup.leave = world->changes[0];
  return status;
}

enum ls_status ls_world_read_depart(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err) {
  enum ls_status status = read_changes(world, place, 2, &world->setup.depart_count, err);
  world->setup.depart = world->changes[2];
  return status;
}

enum ls_status ls_world_read_join(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err) {
  enum ls_status status = read_changes(world, place, 1, &world->setup.join_count, err);
  world->setup.join = world->changes[1];
  return status;
}

/* An absent `until` means for ever. */
enum ls_status ls_world_read_pauses(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err) {
  static const char *const known[] = {"worker", "from", "until", "kept", NULL};
  size_t workers = world->setup.platform->workers_count, count = 0;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status != LS_OK) return status;
  world->pauses = calloc(count + 1, sizeof *world->pauses);
  if (!world->pauses) return ls_fail(err, LS_ENOMEM, "no memory for reclaimed machines");
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(place, i);
    struct ls_simulated_pause *pause = &world->pauses[i];
    uint64_t worker = 0;
    pause->until_s = (double)INFINITY;
    status = ls_json_object(&item, known, err);
    struct ls_json number = ls_json_member(&item, "worker");
    if (status == LS_OK) status = ls_json_whole(&number, 0, workers - 1, &worker, err);
    if (status == LS_OK) status = read_real(&item, "from", DBL_MAX, &pause->from_s, err);
    if (status == LS_OK) status = read_real(&item, "until", DBL_MAX, &pause->until_s, err);
    struct ls_json kept = ls_json_member(&item, "kept");
    if (status == LS_OK && kept.value) status = ls_json_bool(&kept, &pause->is_kept, err);
    pause->worker = (uint32_t)worker;
  }
  world->setup.pauses = world->pauses;
  world->setup.pauses_count = count;
  return status;
}

static enum ls_status make_availability(struct ls_world *world, const struct ls_json *place,
                                        struct ls_error *err) {
  size_t workers = world->setup.platform->workers_count;
  if (world->availability)
    return ls_json_refuse(place, "only one of availability and load_pattern", err);
  world->availability = calloc(workers, sizeof *world->availability);
  world->availability_count = calloc(workers, sizeof *world->availability_count);
  if (!world->availability || !world->availability_count)
    return ls_fail(err, LS_ENOMEM, "no memory for the load of %zu workers", workers);
  world->setup.availability = (const struct ls_availability *const *)world->availability;
  world->setup.availability_count = world->availability_count;
  return LS_OK;
}

static enum ls_status read_pieces(const struct ls_json *place, struct ls_availability *pieces,
                                  size_t count, struct ls_error *err) {
  static const char *const known[] = {"from", "share", NULL};
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(place, i);
    status = ls_json_object(&item, known, err);
    struct ls_json from = ls_json_member(&item, "from"), share = ls_json_member(&item, "share");
    if (status == LS_OK) status = ls_json_real(&from, 0, DBL_MAX, &pieces[i].from_s, err);
    if (status == LS_OK) status = ls_json_real(&share, 0, DBL_MAX, &pieces[i].share, err);
  }
  return status;
}

enum ls_status ls_world_read_availability(struct ls_world *world, const struct ls_json *place,
                                          struct ls_error *err) {
  size_t workers = world->setup.platform->workers_count, lists = 0;
  enum ls_status status = ls_json_array(place, &lists, err);
  if (status == LS_OK && lists != workers)
    status = ls_json_refuse(place, "one list for each worker", err);
  if (status == LS_OK) status = make_availability(world, place, err);
  for (size_t i = 0; i < workers && status == LS_OK; i++) {
    struct ls_json list = ls_json_item(place, i);
    size_t *count = &world->availability_count[i];
    status = ls_json_array(&list, count, err);
    if (status != LS_OK) break;
    world->availability[i] = calloc(*count + 1, sizeof **world->availability);
    if (!world->availability[i]) return ls_fail(err, LS_ENOMEM, "no memory for the load");
    status = read_pieces(&list, world->availability[i], *count, err);
  }
  return status;
}

enum ls_status ls_world_read_pattern(struct ls_world *world, const struct ls_json *place,
                                     struct ls_error *err) {
  static const char *const known[] = {"kind", "first", "duration", "busy", "slot", NULL};
  struct ls_load_pattern pattern = {.busy = 0.5, .slot_s = 1};
  struct ls_random random;
  size_t kind = LS_PATTERN_SEVEN;
  uint64_t first = 0;
  enum ls_status status = ls_json_object(place, known, err);
  struct ls_json word = ls_json_member(place, "kind"), start = ls_json_member(place, "first");
  if (status == LS_OK && word.value)
    status = ls_world_read_word(&word, ls_pattern_names, &kind, err);
  if (status == LS_OK && start.value) status = ls_json_whole(&start, 0, 6, &first, err);
  if (status == LS_OK) status = read_real(place, "duration", DBL_MAX, &pattern.duration_s, err);
  if (status == LS_OK) status = read_real(place, "busy", DBL_MAX, &pattern.busy, err);
  if (status == LS_OK) status = read_real(place, "slot", DBL_MAX, &pattern.slot_s, err);
  if (status == LS_OK) status = make_availability(world, place, err);
  pattern.kind = (enum ls_pattern_kind)kind;
  pattern.first = (size_t)first;
  ls_random_init(&random, world->setup.config.seed, "load pattern");
  for (size_t i = 0; i < world->setup.platform->workers_count && status == LS_OK; i++) {
    struct ls_load_course course = {NULL, 0};
    status = ls_load_pattern_make(&pattern, i, &random, &course, err);
    world->availability[i] = course.pieces;
    world->availability_count[i] = course.count;
  }
  return status;
}

enum ls_status ls_world_read_reclaim(struct ls_world *world, const struct ls_json *place,
                                     struct ls_error *err) {
  static const char *const known[] = {"probability", "mean_up", "mean_away", NULL};
  struct ls_simulated_reclaim *reclaim = &world->setup.reclaim;
  enum ls_status status = ls_json_object(place, known, err);
  if (status == LS_OK) status = read_real(place, "probability", 1, &reclaim->probability, err);
  if (status == LS_OK) status = read_real(place, "mean_up", DBL_MAX, &reclaim->mean_up_s, err);
  if (status == LS_OK) status = read_real(place, "mean_away", DBL_MAX, &reclaim->mean_away_s, err);
  return status;
}

enum ls_status ls_world_read_grant(struct ls_world *world, const struct ls_json *place,
                                   struct ls_error *err) {
  static const char *const known[] = {"at_start", "delay", "exponential", "limit", NULL};
  struct ls_simulated_grant *grant = &world->setup.grant;
  uint64_t at_start = 0, limit = 0;
  enum ls_status status = ls_json_object(place, known, err);
  struct ls_json number = ls_json_member(place, "at_start");
  struct ls_json is_exponential = ls_json_member(place, "exponential");
  struct ls_json most = ls_json_member(place, "limit");
  if (status == LS_OK)
    status = ls_json_whole(&number, 1, world->setup.platform->workers_count, &at_start, err);
  if (status == LS_OK) status = read_real(place, "delay", DBL_MAX, &grant->delay_s, err);
  if (status == LS_OK && is_exponential.value)
    status = ls_json_bool(&is_exponential, &grant->is_exponential, err);
  if (status == LS_OK && most.value) status = ls_json_whole(&most, 1, UINT32_MAX, &limit, err);
  grant->limit = (size_t)limit;
  grant->at_start = (size_t)at_start;
  return status;
}
