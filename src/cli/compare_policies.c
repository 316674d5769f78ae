#include "cli/compare_policies.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "model/metrics.h"
#include "theory/eer.h"

enum { WORKERS_MAX = 1000000 };

enum ls_status ls_worker_range_read(struct ls_worker_range *range, const char *text,
                                    struct ls_error *err) {
  char first[32];
  uint64_t least = 0, most = 0;
  const char *dash = strchr(text, '-');
  size_t length = dash == NULL ? strlen(text) : (size_t)(dash - text);
  if (length >= sizeof first)
    return ls_fail(err, LS_EINVAL, "--workers is '%.40s', expected a range such as 1-50", text);
  memcpy(first, text, length);
  first[length] = '\0';
  enum ls_status status =
      ls_console_whole("--workers", first, (struct ls_whole_range){1, WORKERS_MAX}, &least, err);
  if (status == LS_OK && dash == NULL) most = least;
  if (status == LS_OK && dash != NULL)
    status = ls_console_whole("--workers", dash + 1, (struct ls_whole_range){1, WORKERS_MAX}, &most,
                              err);
  if (status == LS_OK && most < least)
    status = ls_fail(err, LS_EINVAL, "--workers is '%s', expected a range such as %llu-%llu", text,
                     (unsigned long long)most, (unsigned long long)least);
  if (status == LS_OK) *range = (struct ls_worker_range){(size_t)least, (size_t)most};
  return status;
}

static enum ls_status draw(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                           const char *picture, struct ls_error *err) {
  struct ls_bytes drawing = {0};
  if (picture == NULL) return LS_OK;
  enum ls_status status = ls_policy_table_draw(grid, cases, &drawing, err);
  if (status == LS_OK) status = ls_console_write_file(picture, &drawing, err);
  ls_bytes_close(&drawing);
  return status;
}

enum ls_status ls_compare_policies(const struct ls_policy_run *run, bool wants_json,
                                   const char *picture, struct ls_error *err) {
  struct ls_policy_grid grid = run->grid;
  size_t count = ls_policy_grid_cases(&grid);
  struct ls_bytes text = {0};
  struct ls_policy_case *cases = calloc(count, sizeof *cases);
  enum ls_status status =
      cases == NULL ? ls_fail(err, LS_ENOMEM, "no memory for %zu cases", count) : LS_OK;
  if (status == LS_OK && wants_json) status = ls_policy_grid_want_prices(&grid, err);
  if (status == LS_OK) status = ls_policy_grid_want_makespans(&grid, err);
  if (status == LS_OK) status = ls_policy_grid_run(&grid, cases, err);
  if (status == LS_OK) {
    ls_policy_grid_rank(cases, count);
    if (wants_json)
      ls_policy_table_write_json(&grid, cases, &text);
    else
      ls_policy_table_write(&grid, cases, &text);
    status = ls_console_write_file("-", &text, err);
  }
  if (status == LS_OK) status = draw(&grid, cases, picture, err);
  ls_bytes_close(&text);
  free(cases);
  free(grid.prices);
  free(grid.makespans);
  return status;
}

/* The fastest first; equals in the order of the platform. */
static int compare_workers(const void *left, const void *right) {
  const struct ls_worker_model *a = *(const struct ls_worker_model *const *)left;
  const struct ls_worker_model *b = *(const struct ls_worker_model *const *)right;
  if (a->costs[LS_OPERATION_COMPUTE].per_unit_s < b->costs[LS_OPERATION_COMPUTE].per_unit_s)
    return -1;
  if (a->costs[LS_OPERATION_COMPUTE].per_unit_s > b->costs[LS_OPERATION_COMPUTE].per_unit_s)
    return 1;
  return a < b ? -1 : a > b;
}

/* Platforms of least, least + 1, ... workers. They borrow the names; all share one array. */
struct crowd {
  struct ls_worker_model *workers;
  const struct ls_worker_model **sorted;
  struct ls_platform *platforms;
  const char **names;
};

static void close_crowd(struct crowd *crowd) {
  free(crowd->workers);
  free(crowd->sorted);
  free(crowd->platforms);
  free(crowd->names);
}

static enum ls_status open_crowd(struct crowd *crowd, const struct ls_platform *platform,
                                 const struct ls_worker_range *range, struct ls_error *err) {
  size_t workers = platform->workers_count, count = range->most - range->least + 1;
  *crowd = (struct crowd){0};
  if (range->most > workers)
    return ls_fail(err, LS_EINVAL, "--workers goes to %zu, but the platform has %zu workers",
                   range->most, workers);
  crowd->workers = calloc(workers, sizeof *crowd->workers);
  crowd->sorted = calloc(workers, sizeof(const struct ls_worker_model *));
  crowd->platforms = calloc(count, sizeof *crowd->platforms);
  crowd->names = calloc(count, sizeof(const char *));
  if (crowd->workers == NULL || crowd->sorted == NULL || crowd->platforms == NULL ||
      crowd->names == NULL) {
    close_crowd(crowd);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu platforms", count);
  }
  for (size_t i = 0; i < workers; i++) crowd->sorted[i] = &platform->workers[i];
  qsort(crowd->sorted, workers, sizeof(const struct ls_worker_model *), compare_workers);
  for (size_t i = 0; i < workers; i++) crowd->workers[i] = *crowd->sorted[i];
  for (size_t i = 0; i < count; i++) {
    crowd->platforms[i] = *platform;
    crowd->platforms[i].workers = crowd->workers;
    crowd->platforms[i].workers_count = range->least + i;
    crowd->names[i] = "";
  }
  return LS_OK;
}

/* "[8, 9, 11]" of the points that are in the set; "-" for none. */
static void write_set(const struct ls_eer_point *points, size_t count, const bool *is_in,
                      struct ls_bytes *out) {
  bool is_first = true;
  ls_bytes_append_char(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (!is_in[i]) continue;
    ls_bytes_printf(out, "%s%zu", is_first ? "" : ", ", points[i].workers);
    is_first = false;
  }
  ls_bytes_append_char(out, ']');
}

struct answer {
  const struct ls_eer_point *points;
  const struct ls_policy_grid *grid;
  const struct ls_policy_case *cases; /* one for each point */
  bool is_priced;
  size_t count, perfect;
  const bool *is_ideal, *is_usable;
};

static void write_answer(const struct answer *answer, struct ls_bytes *out) {
  ls_bytes_printf(out, "%8s %12s %10s %12s%s\n", "workers", "time s", "efficiency", "EER s",
                  answer->is_priced ? "      price" : "");
  for (size_t i = 0; i < answer->count; i++) {
    const struct ls_eer_point *point = &answer->points[i];
    ls_bytes_printf(out, "%8zu %12.6g %10.4f %12.6g", point->workers, point->time_s,
                    point->efficiency, point->eer_s);
    if (answer->is_priced) ls_bytes_printf(out, " %10.5g", answer->cases[i].price.mean);
    ls_bytes_printf(out, "%s\n",
                    i == answer->perfect   ? "  perfect"
                    : answer->is_ideal[i]  ? "  ideal"
                    : answer->is_usable[i] ? "  usable"
                                           : "");
  }
  ls_bytes_printf(out, "perfect number %zu, ideal ", answer->points[answer->perfect].workers);
  write_set(answer->points, answer->count, answer->is_ideal, out);
  ls_bytes_append_text(out, ", usable ");
  write_set(answer->points, answer->count, answer->is_usable, out);
  ls_bytes_append_char(out, '\n');
}

static void write_answer_json(const struct answer *answer, struct ls_bytes *out) {
  ls_bytes_append_text(out, "{ \"workers\": [");
  for (size_t i = 0; i < answer->count; i++) {
    const struct ls_eer_point *point = &answer->points[i];
    ls_bytes_printf(out, "%s\n  {\"workers\": %zu, \"time\": ", i > 0 ? "," : "", point->workers);
    ls_json_write_number(out, point->time_s);
    ls_bytes_append_text(out, ", \"efficiency\": ");
    ls_json_write_number(out, point->efficiency);
    ls_bytes_append_text(out, ", \"eer\": ");
    ls_json_write_number(out, point->eer_s);
    ls_bytes_append_text(out, ", \"price\": ");
    ls_json_write_number(out, answer->cases[i].price.mean);
    ls_policy_table_write_prices(answer->grid, &answer->cases[i], out);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_printf(out, "],\n  \"perfect_number\": %zu, \"ideal_interval\": ",
                  answer->points[answer->perfect].workers);
  write_set(answer->points, answer->count, answer->is_ideal, out);
  ls_bytes_append_text(out, ", \"usable_interval\": ");
  write_set(answer->points, answer->count, answer->is_usable, out);
  ls_bytes_append_text(out, " }\n");
}

/* Prints what the cases, one for each number of workers, say. */
static enum ls_status show_workers(const struct ls_policy_grid *grid,
                                   const struct ls_policy_case *cases, bool wants_json,
                                   struct ls_error *err) {
  size_t count = grid->platform_names.count;
  struct ls_eer_point *points = calloc(count, sizeof *points);
  bool *sets = calloc(2 * count, sizeof *sets);
  struct ls_bytes text = {0};
  if (points == NULL || sets == NULL) {
    free(points);
    free(sets);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu numbers of workers", count);
  }
  for (size_t i = 0; i < count; i++)
    points[i] = ls_eer_point(grid->platforms[i].workers_count, cases[i].makespan_s.mean,
                             cases[i].efficiency.mean);
  struct answer answer = {.points = points,
                          .grid = grid,
                          .cases = cases,
                          .is_priced = ls_platform_has_prices(&grid->platforms[count - 1]),
                          .count = count,
                          .perfect = ls_eer_perfect(points, count),
                          .is_ideal = sets,
                          .is_usable = sets + count};
  for (size_t i = 0; i < count; i++) {
    sets[i] = ls_eer_is_ideal(&points[i], &points[answer.perfect]);
    sets[count + i] = ls_eer_is_usable(&points[i], &points[count - 1]);
  }
  if (wants_json)
    write_answer_json(&answer, &text);
  else
    write_answer(&answer, &text);
  enum ls_status status = ls_console_write_file("-", &text, err);
  ls_bytes_close(&text);
  free(points);
  free(sets);
  return status;
}

enum ls_status ls_compare_workers(const struct ls_policy_run *run,
                                  const struct ls_worker_range *range, bool wants_json,
                                  struct ls_error *err) {
  struct ls_policy_grid grid = run->grid;
  struct crowd crowd;
  if (grid.policies.count > 1 || grid.orders.count > 1 || grid.platform_names.count > 1)
    return ls_fail(err, LS_EINVAL,
                   "--workers goes with one policy, one order and one platform, but %zu, %zu and "
                   "%zu are given",
                   grid.policies.count, grid.orders.count, grid.platform_names.count);
  enum ls_status status = open_crowd(&crowd, &grid.platforms[0], range, err);
  if (status != LS_OK) return status;
  size_t count = range->most - range->least + 1;
  grid.platforms = crowd.platforms;
  grid.platform_names = (struct ls_policy_words){crowd.names, count};
  struct ls_policy_case *cases = calloc(count, sizeof *cases);
  status = cases == NULL ? ls_fail(err, LS_ENOMEM, "no memory for %zu cases", count) : LS_OK;
  if (status == LS_OK && wants_json) status = ls_policy_grid_want_prices(&grid, err);
  if (status == LS_OK) status = ls_policy_grid_run(&grid, cases, err);
  if (status == LS_OK) status = show_workers(&grid, cases, wants_json, err);
  free(cases);
  free(grid.prices);
  close_crowd(&crowd);
  return status;
}
