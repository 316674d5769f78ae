#include "formats/platform_grid_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/platform_build.h"

/* Far from where 1/x or a sum would leave the numbers. */
static const double LEAST = 1e-100, MOST = 1e100;
static const double SEED_MOST = 0x1p53;
enum { HETEROGENEITY_MOST = 1000000 };

/* What the values of an axis may be. */
struct limits {
  double least, most;
  bool is_whole, is_needed;
  double otherwise;
};

static struct limits limits_of(enum ls_grid_axis axis) {
  switch (axis) {
    case LS_GRID_LOAD:
      return (struct limits){LEAST, MOST, false, true, 0};
    case LS_GRID_WORKERS:
      return (struct limits){1, LS_GRID_WORKERS_MOST, true, true, 0};
    case LS_GRID_SPEED:
      return (struct limits){LEAST, MOST, false, false, 1};
    case LS_GRID_RATE:
      return (struct limits){LEAST, MOST, false, true, 0};
    case LS_GRID_HETEROGENEITY:
      return (struct limits){1, HETEROGENEITY_MOST, false, false, 1};
    case LS_GRID_DELAY:
    case LS_GRID_TRANSFER_LATENCY:
    case LS_GRID_COMPUTE_LATENCY:
      return (struct limits){0, MOST, false, false, 0};
    default: /* seeds */
      return (struct limits){0, SEED_MOST, true, false, 1};
  }
}

static enum ls_status read_number(const struct ls_json *place, const struct limits *limits,
                                  double *number, struct ls_error *err) {
  if (!limits->is_whole) return ls_json_real(place, limits->least, limits->most, number, err);
  uint64_t whole = 0;
  enum ls_status status =
      ls_json_whole(place, (uint64_t)limits->least, (uint64_t)limits->most, &whole, err);
  *number = (double)whole;
  return status;
}

/* Both ends and the step; of rates of workers the ends are multiples. */
static enum ls_status read_range(const struct ls_json *place, const struct limits *limits,
                                 struct ls_grid_range *range, struct ls_error *err) {
  struct ls_json from = ls_json_member(place, "from"), to = ls_json_member(place, "to");
  struct ls_json step = ls_json_member(place, "step");
  struct limits above = *limits, of_step = *limits;
  enum ls_status status = read_number(&from, limits, &range->first, err);
  above.least = range->first;
  if (status == LS_OK) status = read_number(&to, &above, &range->last, err);
  of_step.least = limits->is_whole ? 1 : LEAST;
  if (status == LS_OK) status = read_number(&step, &of_step, &range->step, err);
  return status;
}

static enum ls_status make_room(struct ls_grid_values *values, size_t count, struct ls_error *err) {
  values->items = calloc(count, sizeof *values->items);
  if (values->items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu values", count);
  values->count = count;
  return LS_OK;
}

static enum ls_status read_object(const struct ls_json *place, const struct limits *limits,
                                  struct ls_grid_values *values, struct ls_error *err) {
  static const char *const known[] = {"from", "to", "step", NULL};
  struct ls_grid_range range;
  enum ls_status status = ls_json_object(place, known, err);
  if (status == LS_OK) status = read_range(place, limits, &range, err);
  if (status != LS_OK) return status;
  size_t count = ls_grid_range_count(&range);
  if (count > LS_GRID_VALUES_MOST) {
    struct ls_json step = ls_json_member(place, "step");
    return ls_json_refuse(&step, "a step of at most 100000 values", err);
  }
  status = make_room(values, count, err);
  for (size_t i = 0; i < count && status == LS_OK; i++)
    values->items[i] = ls_grid_range_value(&range, i);
  return status;
}

static enum ls_status read_list(const struct ls_json *place, const struct limits *limits,
                                struct ls_grid_values *values, struct ls_error *err) {
  size_t count = 0;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status == LS_OK && (count == 0 || count > LS_GRID_VALUES_MOST))
    status = ls_json_refuse(place, "a list of 1 to 100000 numbers", err);
  if (status == LS_OK) status = make_room(values, count, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(place, i);
    status = read_number(&item, limits, &values->items[i], err);
  }
  return status;
}

static enum ls_status read_values(const struct ls_json *place, const struct limits *limits,
                                  struct ls_grid_values *values, struct ls_error *err) {
  if (place->value == NULL && limits->is_needed)
    return ls_json_refuse(place, "a number, a list of numbers or {\"from\", \"to\", \"step\"}",
                          err);
  if (json_is_object(place->value)) return read_object(place, limits, values, err);
  if (json_is_array(place->value)) return read_list(place, limits, values, err);
  enum ls_status status = make_room(values, 1, err);
  if (status != LS_OK) return status;
  if (place->value != NULL) return read_number(place, limits, values->items, err);
  values->items[0] = limits->otherwise;
  return LS_OK;
}

/* A range with "of": "workers" is one of multiples of their number. */
static enum ls_status read_rates(const struct ls_json *place, struct ls_platform_grid *grid,
                                 struct ls_error *err) {
  static const char *const known[] = {"from", "to", "step", "of", NULL};
  const struct limits limits = limits_of(LS_GRID_RATE);
  struct ls_json of = ls_json_member(place, "of");
  const char *word = NULL;
  if (!json_is_object(place->value) || of.value == NULL)
    return read_values(place, &limits, &grid->axes[LS_GRID_RATE], err);
  enum ls_status status = ls_json_object(place, known, err);
  if (status == LS_OK) status = ls_json_string(&of, &word, err);
  if (status == LS_OK && strcmp(word, ls_grid_axis_names[LS_GRID_WORKERS]) != 0)
    status = ls_json_refuse(&of, "\"workers\"", err);
  grid->has_rates_of_workers = true;
  return status == LS_OK ? read_range(place, &limits, &grid->rates_of_workers, err) : status;
}

/* "seeds": how many, from "seed" on. */
static enum ls_status read_seeds(const struct ls_json *top, struct ls_platform_grid *grid,
                                 struct ls_error *err) {
  struct ls_json seed = ls_json_member(top, "seed"), seeds = ls_json_member(top, "seeds");
  struct ls_grid_values *values = &grid->axes[LS_GRID_SEED];
  const struct ls_grid_values *drawn = &grid->axes[LS_GRID_HETEROGENEITY];
  uint64_t first = 1, count = 1;
  enum ls_status status = LS_OK;
  if (seed.value != NULL) status = ls_json_whole(&seed, 0, (uint64_t)SEED_MOST / 2, &first, err);
  if (status == LS_OK && seeds.value != NULL)
    status = ls_json_whole(&seeds, 1, LS_GRID_VALUES_MOST, &count, err);
  bool is_drawn = false;
  for (size_t i = 0; i < drawn->count; i++) is_drawn |= drawn->items[i] > 1;
  if (status == LS_OK && count > 1 && !is_drawn)
    status = ls_json_refuse(&seeds, "1 where no heterogeneity is above 1: nothing is drawn", err);
  if (status == LS_OK) status = make_room(values, (size_t)count, err);
  for (size_t i = 0; i < values->count; i++) values->items[i] = (double)(first + i);
  return status;
}

static enum ls_status read_ports(const struct ls_json *top, struct ls_platform_grid *grid,
                                 struct ls_error *err) {
  struct ls_json place = ls_json_member(top, "ports");
  const char *word = NULL;
  grid->ports = LS_PORTS_TWO;
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_string(&place, &word, err);
  if (status != LS_OK) return status;
  if (strcmp(word, ls_platform_port_names[LS_PORTS_ONE]) == 0)
    grid->ports = LS_PORTS_ONE;
  else if (strcmp(word, ls_platform_port_names[LS_PORTS_TWO]) != 0)
    status = ls_json_refuse(&place, "\"two-port\" or \"one-port\"", err);
  return status;
}

static enum ls_status read_grid(const struct ls_json *top, struct ls_platform_grid *grid,
                                struct ls_error *err) {
  const char *known[LS_GRID_AXES + 3] = {"seeds", "ports"};
  for (size_t i = 0; i < LS_GRID_AXES; i++) known[2 + i] = ls_grid_axis_names[i];
  enum ls_status status = ls_json_object(top, known, err);
  for (size_t i = 0; i < LS_GRID_SEED && status == LS_OK; i++) {
    struct ls_json place = ls_json_member(top, ls_grid_axis_names[i]);
    const struct limits limits = limits_of((enum ls_grid_axis)i);
    status = i == LS_GRID_RATE ? read_rates(&place, grid, err)
                               : read_values(&place, &limits, &grid->axes[i], err);
  }
  if (status == LS_OK) status = read_seeds(top, grid, err);
  return status == LS_OK ? read_ports(top, grid, err) : status;
}

enum ls_status ls_platform_grid_read(struct ls_platform_grid *grid, struct ls_text text,
                                     struct ls_error *err) {
  json_t *document = NULL;
  *grid = (struct ls_platform_grid){0};
  enum ls_status status = ls_json_parse(text, &document, err);
  if (status != LS_OK) return status;
  struct ls_json top = ls_json_top(document, text.source);
  status = read_grid(&top, grid, err);
  if (status == LS_OK) {
    status = ls_platform_grid_finish(grid, err);
    if (status != LS_OK) status = ls_fail_while(err, status, "%s", text.source);
  }
  json_decref(document);
  if (status != LS_OK) ls_platform_grid_close(grid);
  return status;
}
