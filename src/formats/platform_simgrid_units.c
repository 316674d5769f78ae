/* platform_simgrid_units.c: quantities as SimGrid writes them, and the names of properties. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/platform_simgrid_private.h"

struct ls_simgrid_property ls_simgrid_property(size_t index) {
  static const struct ls_simgrid_property others[] = {
      {"loadstar.delay", offsetof(struct ls_worker_model, delay_s)},
      {"loadstar.window.from", offsetof(struct ls_worker_model, window_from)},
      {"loadstar.window.to", offsetof(struct ls_worker_model, window_to)},
      {"loadstar.room", offsetof(struct ls_worker_model, room_units)},
      {"loadstar.cost", offsetof(struct ls_worker_model, price_per_s)},
      {"loadstar.task_seconds.variation", offsetof(struct ls_worker_model, unit_variation)}};
  const size_t costs = LS_SIMGRID_PROPERTIES - sizeof others / sizeof *others;
  assert(index < LS_SIMGRID_PROPERTIES);
  if (index >= costs) return others[index - costs];
  size_t operation = LS_OPERATION_OF_WORKER + index / 2;
  bool is_latency = index % 2 == 0;
  struct ls_simgrid_property property = {
      .offset = offsetof(struct ls_worker_model, costs) + operation * sizeof(struct ls_cost) +
                (is_latency ? offsetof(struct ls_cost, latency_s)
                            : offsetof(struct ls_cost, per_unit_s))};
  (void)snprintf(property.name, sizeof property.name, "loadstar.%s.%s",
                 ls_operation_name((enum ls_operation)operation),
                 is_latency ? "latency" : "per_unit");
  return property;
}

struct scale {
  const char *name;
  double factor;
};

static const struct scale time_units[] = {{"", 1},      {"s", 1},      {"ms", 1e-3}, {"us", 1e-6},
                                          {"ns", 1e-9}, {"ps", 1e-12}, {"m", 60},    {"h", 3600},
                                          {"d", 86400}, {"w", 604800}, {NULL, 0}};

static const struct scale prefixes[] = {
    {"", 1},        {"k", 1e3},     {"M", 1e6},     {"G", 1e9},     {"T", 1e12},
    {"P", 1e15},    {"E", 1e18},    {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30},
    {"Ti", 0x1p40}, {"Pi", 0x1p50}, {NULL, 0}};

static double find_factor(const struct scale *scales, const char *name, size_t length) {
  assert(length <= strlen(name));
  for (; scales->name != NULL; scales++)
    if (strlen(scales->name) == length && strncmp(scales->name, name, length) == 0)
      return scales->factor;
  return (double)NAN;
}

/* A unit of speed or bandwidth: a prefix, then one of the endings. */
static double find_scaled(const struct scale *endings, const char *unit, size_t length) {
  if (length == 0) return 1;
  for (; endings->name != NULL; endings++) {
    size_t ending = strlen(endings->name);
    assert(ending > 0 && endings->factor > 0);
    if (length < ending || strncmp(unit + length - ending, endings->name, ending) != 0) continue;
    return endings->factor * find_factor(prefixes, unit, length - ending);
  }
  return (double)NAN;
}

bool ls_simgrid_quantity_read(enum ls_simgrid_quantity quantity, const char *text, double *value) {
  assert((unsigned)quantity <= LS_SIMGRID_TIME);
  static const struct scale speeds[] = {{"flops", 1}, {"f", 1}, {NULL, 0}};
  static const struct scale bandwidths[] = {{"Bps", 1}, {"bps", 0.125}, {NULL, 0}};
  bool is_number = (text[0] >= '0' && text[0] <= '9') || text[0] == '.';
  if (!is_number || text[1] == 'x' || text[1] == 'X') return false;
  char *end = NULL;
  double number = strtod(text, &end);
  size_t length = strcspn(end, quantity == LS_SIMGRID_SPEED ? "," : "");
  double factor = (double)NAN;
  if (quantity == LS_SIMGRID_TIME) factor = find_factor(time_units, end, length);
  if (quantity == LS_SIMGRID_SPEED) factor = find_scaled(speeds, end, length);
  if (quantity == LS_SIMGRID_BANDWIDTH) factor = find_scaled(bandwidths, end, length);
  if (end == text || !isfinite(number * factor)) return false;
  *value = number * factor;
  assert(*value >= 0);
  return true;
}
