#include "formats/platform_json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/platform.h"
#include "model/platform_build.h"
#include "model/windows.h"

/* An absent operation, and an absent part of one, cost nothing. */
static enum ls_status read_cost(const struct ls_json *owner, const char *name, struct ls_cost *cost,
                                struct ls_error *err) {
  static const char *const known[] = {"latency", "per_unit", NULL};
  struct ls_json place = ls_json_member(owner, name);
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_object(&place, known, err);
  struct ls_json latency = ls_json_member(&place, "latency");
  struct ls_json per_unit = ls_json_member(&place, "per_unit");
  if (status == LS_OK && latency.value != NULL) {
    status = ls_json_real(&latency, 0, (double)INFINITY, &cost->latency_s, err);
  }
  if (status == LS_OK && per_unit.value != NULL) {
    status = ls_json_real(&per_unit, 0, (double)INFINITY, &cost->per_unit_s, err);
  }
  assert(status != LS_OK || (cost->latency_s >= 0 && cost->per_unit_s >= 0));
  return status;
}

static const double MEASURED_MOST = 1e18;

static enum ls_status read_window(const struct ls_json *owner, struct ls_worker_model *worker,
                                  struct ls_error *err) {
  static const char *const known[] = {"from", "to", NULL};
  struct ls_json place = ls_json_member(owner, "window");
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_object(&place, known, err);
  struct ls_json from = ls_json_member(&place, "from");
  struct ls_json to = ls_json_member(&place, "to");
  if (status == LS_OK && from.value != NULL) {
    status = ls_json_real(&from, 0, (double)INFINITY, &worker->window_from, err);
  }
  if (status == LS_OK && to.value != NULL) {
    status = ls_json_real(&to, worker->window_from, (double)INFINITY, &worker->window_to, err);
    if (status == LS_OK && !(worker->window_to > 0)) {
      status = ls_json_refuse(&to, "a number > 0", err);
    }
  }
  assert(status != LS_OK || worker->window_to >= worker->window_from);
  return status;
}

/* The sizes of chunks that the costs are of. */
static enum ls_status read_measured(const struct ls_json *owner, struct ls_worker_model *worker,
                                    struct ls_error *err) {
  static const char *const known[] = {"from", "to", NULL};
  struct ls_json place = ls_json_member(owner, "measured");
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_object(&place, known, err);
  struct ls_json from = ls_json_member(&place, "from"), to = ls_json_member(&place, "to");
  if (status == LS_OK) status = ls_json_real(&from, 0, MEASURED_MOST, &worker->measured_from, err);
  if (status == LS_OK)
    status = ls_json_real(&to, worker->measured_from, MEASURED_MOST, &worker->measured_to, err);
  if (status == LS_OK && !(worker->measured_to > 0))
    status = ls_json_refuse(&to, "a number > 0", err);
  return status;
}

/* The mean takes the place of compute.per_unit. */
static enum ls_status read_task_seconds(const struct ls_json *owner, struct ls_worker_model *worker,
                                        struct ls_error *err) {
  static const char *const known[] = {"law", "mean", "deviation", NULL};
  struct ls_json place = ls_json_member(owner, "task_seconds");
  const char *name = NULL;
  double mean_s = 0, deviation_s = 0;
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_object(&place, known, err);
  struct ls_json law = ls_json_member(&place, "law");
  struct ls_json mean = ls_json_member(&place, "mean");
  struct ls_json deviation = ls_json_member(&place, "deviation");
  if (status == LS_OK) status = ls_json_string(&law, &name, err);
  if (status == LS_OK && !ls_duration_law_find(name, &worker->unit_law))
    status = ls_json_refuse(&law,
                            "\"constant\", \"normal\", \"gamma\", \"lognormal\", \"exponential\", "
                            "\"shifted-exponential\", \"pareto\" or \"stragglers\"",
                            err);
  if (status == LS_OK) status = ls_json_real(&mean, 0, (double)INFINITY, &mean_s, err);
  if (status == LS_OK && !ls_unit_mean_is_good(mean_s))
    status = ls_json_refuse(&mean, "a number of seconds > 0 (1e-200 to 1e200)", err);
  bool is_optional = status == LS_OK && ls_duration_law_is_fixed(worker->unit_law);
  if (status == LS_OK && (deviation.value != NULL || !is_optional))
    status = ls_json_real(&deviation, 0, (double)INFINITY, &deviation_s, err);
  if (status == LS_OK && !ls_unit_deviation_is_good(mean_s, deviation_s))
    status = ls_json_refuse(&deviation, "at most a million times the mean", err);
  if (status == LS_OK) ls_worker_spread_units(worker, worker->unit_law, mean_s, deviation_s);
  return status;
}

static const char *operation_name(size_t index) {
  return ls_operation_name((enum ls_operation)index);
}

/* "from", "to" and the operations. An absent end is open, an operation costs what the worker says.
 */
static enum ls_status read_costly_window(const struct ls_json *place, const double *least,
                                         struct ls_window *window, struct ls_error *err) {
  const char *known[LS_OPERATION_COUNT + 3 - LS_OPERATION_OF_WORKER] = {"from", "to"};
  for (size_t i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT; i++)
    known[2 + i - LS_OPERATION_OF_WORKER] = operation_name(i);
  enum ls_status status = ls_json_object(place, known, err);
  struct ls_json from = ls_json_member(place, "from");
  struct ls_json to = ls_json_member(place, "to");
  /* Behind another one. */
  if (status == LS_OK && (from.value != NULL || least != NULL))
    status = ls_json_real(&from, least != NULL ? *least : 0, (double)INFINITY, &window->from, err);
  if (status == LS_OK && to.value != NULL) {
    status = ls_json_real(&to, window->from, (double)INFINITY, &window->to, err);
    if (status == LS_OK && !(window->to > 0)) status = ls_json_refuse(&to, "a number > 0", err);
  }
  for (size_t i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT && status == LS_OK; i++)
    status = read_cost(place, operation_name(i), &window->costs[i], err);
  return status;
}

/* Several windows with costs of their own, ascending. */
static enum ls_status read_windows(const struct ls_json *owner, struct ls_platform *platform,
                                   struct ls_worker_model *worker, struct ls_error *err) {
  struct ls_json place = ls_json_member(owner, "windows");
  struct ls_window windows[LS_WINDOWS_MOST];
  size_t count = 0;
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_array(&place, &count, err);
  if (status == LS_OK && (count == 0 || count > LS_WINDOWS_MOST))
    status = ls_json_refuse(&place, "a list of 1 to 64 windows", err);
  if (status == LS_OK && ls_json_member(owner, "window").value != NULL)
    status = ls_json_refuse(&place, "either window or windows", err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(&place, i);
    bool is_open = i > 0 && isinf(windows[i - 1].to);
    windows[i] = (struct ls_window){.to = (double)INFINITY};
    memcpy(windows[i].costs, worker->costs, sizeof worker->costs);
    if (is_open) status = ls_json_refuse(&item, "nothing after a window without an end", err);
    if (status == LS_OK)
      status = read_costly_window(&item, i > 0 ? &windows[i - 1].to : NULL, &windows[i], err);
  }
  return status == LS_OK ? ls_platform_set_windows(platform, worker, windows, count, err) : status;
}

enum { WORKER_COSTS = LS_OPERATION_COUNT - LS_OPERATION_OF_WORKER };

/* All fields but name and count. */
static enum ls_status read_worker(const struct ls_json *place, struct ls_platform *platform,
                                  struct ls_worker_model *worker, struct ls_error *err) {
  static const char *const others[] = {"name",         "count",    "delay", "window",
                                       "windows",      "room",     "cost",  "on_master",
                                       "task_seconds", "measured", NULL};
  const char *known[WORKER_COSTS + sizeof others / sizeof *others];
  for (size_t i = 0; i < WORKER_COSTS; i++) known[i] = operation_name(LS_OPERATION_OF_WORKER + i);
  memcpy(known + WORKER_COSTS, others, sizeof others);
  enum ls_status status = ls_json_object(place, known, err);
  for (size_t i = 0; i < WORKER_COSTS && status == LS_OK; i++)
    status = read_cost(place, known[i], &worker->costs[LS_OPERATION_OF_WORKER + i], err);
  if (status == LS_OK) status = read_task_seconds(place, worker, err);
  if (status == LS_OK) status = read_measured(place, worker, err);
  if (status == LS_OK) status = read_window(place, worker, err);
  if (status == LS_OK) status = read_windows(place, platform, worker, err);
  struct ls_json delay = ls_json_member(place, "delay");
  if (status == LS_OK && delay.value != NULL) {
    status = ls_json_real(&delay, 0, (double)INFINITY, &worker->delay_s, err);
  }
  struct ls_json room = ls_json_member(place, "room");
  if (status == LS_OK && room.value != NULL) {
    status = ls_json_real(&room, worker->window_from, (double)INFINITY, &worker->room_units, err);
    if (status == LS_OK && !(worker->room_units > 0)) {
      status = ls_json_refuse(&room, "a number > 0", err);
    }
  }
  if (status == LS_OK) ls_worker_settle_windows(worker);
  struct ls_json price = ls_json_member(place, "cost");
  if (status == LS_OK && price.value != NULL) {
    status = ls_json_real(&price, 0, (double)INFINITY, &worker->price_per_s, err);
  }
  struct ls_json on_master = ls_json_member(place, "on_master");
  if (status == LS_OK && on_master.value != NULL) {
    status = ls_json_bool(&on_master, &worker->is_on_master, err);
  }
  assert(status != LS_OK || (worker->delay_s >= 0 && worker->price_per_s >= 0));
  return status;
}

static enum ls_status read_entry(const struct ls_json *place, struct ls_platform *platform,
                                 size_t *capacity, struct ls_error *err) {
  assert(platform->workers_count < LS_PLATFORM_WORKERS_MOST);
  struct ls_worker_model model = ls_platform_free_worker();
  enum ls_status status = read_worker(place, platform, &model, err);
  if (status != LS_OK) return status;
  const char *name = NULL;
  struct ls_json name_place = ls_json_member(place, "name");
  if (name_place.value != NULL) {
    status = ls_json_string(&name_place, &name, err);
    if (status == LS_OK &&
        (name[0] == '\0' || strlen(name) != json_string_length(name_place.value)))
      status = ls_json_refuse(&name_place, "a text that is not empty and has no zero byte", err);
  }
  uint64_t count = 1;
  struct ls_json count_place = ls_json_member(place, "count");
  if (status == LS_OK && count_place.value != NULL) {
    uint64_t most = LS_PLATFORM_WORKERS_MOST - platform->workers_count;
    status = ls_json_whole(&count_place, 1, most, &count, err);
  }
  if (status != LS_OK) return status;
  assert(count >= 1 && count <= LS_PLATFORM_WORKERS_MOST - platform->workers_count);
  status = ls_platform_add_copies(platform, capacity, name, count, &model);
  if (status != LS_OK) return ls_fail(err, status, "%s: no memory for workers", place->source);
  return LS_OK;
}

static enum ls_status read_workers(const struct ls_json *top, struct ls_platform *platform,
                                   struct ls_error *err) {
  struct ls_json workers = ls_json_member(top, "workers");
  size_t count = 0;
  enum ls_status status = ls_json_array(&workers, &count, err);
  if (status == LS_OK && (count == 0 || count > LS_PLATFORM_WORKERS_MOST)) {
    status = ls_json_refuse(&workers, "a list of 1 to 1000000 workers", err);
  }
  size_t capacity = 0;
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json place = ls_json_item(&workers, i);
    if (platform->workers_count == LS_PLATFORM_WORKERS_MOST) {
      return ls_json_refuse(&workers, "at most 1000000 workers in all", err);
    }
    status = read_entry(&place, platform, &capacity, err);
  }
  assert(platform->workers_count <= LS_PLATFORM_WORKERS_MOST);
  assert(status != LS_OK || platform->workers_count >= count);
  return status;
}

static enum ls_status read_master(const struct ls_json *top, struct ls_platform *platform,
                                  struct ls_error *err) {
  static const char *const known[] = {"prepare", "share", NULL};
  struct ls_json master = ls_json_member(top, "master");
  if (master.value == NULL) return LS_OK;
  enum ls_status status = ls_json_object(&master, known, err);
  if (status == LS_OK) status = read_cost(&master, "prepare", &platform->prepare, err);
  struct ls_json share = ls_json_member(&master, "share");
  if (status == LS_OK && share.value != NULL) {
    status = ls_json_real(&share, 0, 1, &platform->master_share, err);
    if (status == LS_OK && !(platform->master_share > 0)) {
      status = ls_json_refuse(&share, "a number > 0 and at most 1", err);
    }
  }
  assert(status != LS_OK || (platform->master_share > 0 && platform->master_share <= 1));
  return status;
}

static enum ls_status read_port_kind(const struct ls_json *place, enum ls_ports *ports,
                                     struct ls_error *err) {
  const char *name = NULL;
  if (!json_is_string(place->value)) {
    return ls_json_refuse(place, "\"one-port\", \"two-port\" or \"multi-port\"", err);
  }
  name = json_string_value(place->value);
  for (int i = 0; i <= LS_PORTS_MULTI; i++) {
    if (strcmp(name, ls_platform_port_names[i]) == 0) {
      *ports = (enum ls_ports)i;
      return LS_OK;
    }
  }
  return ls_json_refuse(place, "\"one-port\", \"two-port\" or \"multi-port\"", err);
}

static enum ls_status read_ports(const struct ls_json *top, struct ls_platform *platform,
                                 struct ls_error *err) {
  static const char *const known_multi[] = {"kind", "alpha", "limit", NULL};
  static const char *const known_other[] = {"kind", NULL};
  struct ls_json place = ls_json_member(top, "ports");
  if (place.value == NULL) return LS_OK;
  if (!json_is_object(place.value)) return read_port_kind(&place, &platform->ports, err);
  enum ls_status status = ls_json_object(&place, known_multi, err);
  struct ls_json kind = ls_json_member(&place, "kind");
  if (status == LS_OK) status = read_port_kind(&kind, &platform->ports, err);
  /* alpha and limit have a meaning with multi-port only. */
  if (status == LS_OK && platform->ports != LS_PORTS_MULTI) {
    status = ls_json_object(&place, known_other, err);
  }
  struct ls_json alpha = ls_json_member(&place, "alpha");
  if (status == LS_OK && alpha.value != NULL) {
    status = ls_json_real(&alpha, 0, 1, &platform->ports_alpha, err);
  }
  struct ls_json limit = ls_json_member(&place, "limit");
  if (status == LS_OK && limit.value != NULL) {
    status = ls_json_whole(&limit, 1, UINT64_MAX, &platform->ports_limit, err);
  }
  assert(status != LS_OK || (platform->ports_alpha >= 0 && platform->ports_alpha <= 1));
  return status;
}

static enum ls_status read_storage(const struct ls_json *top, struct ls_platform *platform,
                                   struct ls_error *err) {
  static const char *const known[] = {"readers", NULL};
  struct ls_json place = ls_json_member(top, "storage");
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_object(&place, known, err);
  struct ls_json readers = ls_json_member(&place, "readers");
  if (status == LS_OK && readers.value != NULL)
    status = ls_json_whole(&readers, 1, UINT64_MAX, &platform->storage_readers, err);
  return status;
}

enum ls_status ls_platform_read(struct ls_platform *platform, struct ls_text text,
                                struct ls_error *err) {
  static const char *const known[] = {"workers", "master", "ports", "storage", NULL};
  json_t *document = NULL;
  struct ls_platform made = ls_platform_without_workers();
  enum ls_status status = ls_json_parse(text, &document, err);
  if (status != LS_OK) return status;
  struct ls_json top = ls_json_top(document, text.source);
  status = ls_json_object(&top, known, err);
  if (status == LS_OK) status = read_workers(&top, &made, err);
  if (status == LS_OK) status = read_master(&top, &made, err);
  if (status == LS_OK) status = read_ports(&top, &made, err);
  if (status == LS_OK) status = read_storage(&top, &made, err);
  if (status == LS_OK) {
    *platform = made;
  } else {
    ls_platform_close(&made);
  }
  json_decref(document);
  return status;
}

static void write_cost(struct ls_bytes *out, const char *name, const struct ls_cost *cost) {
  assert(cost->latency_s >= 0 && cost->per_unit_s >= 0);
  ls_bytes_printf(out, "\"%s\": {\"latency\": %.17g, \"per_unit\": %.17g}", name, cost->latency_s,
                  cost->per_unit_s);
}

/* What takes no time has no times that are spread; of windows it may be one of several. */
static void write_task_seconds(struct ls_bytes *out, const struct ls_worker_model *worker) {
  double mean_s = worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
  bool is_good = ls_unit_mean_is_good(mean_s);
  if (!(worker->unit_variation > 0) || (!is_good && worker->windows_count == 0)) return;
  if (!is_good) mean_s = 1;
  ls_bytes_printf(
      out, ",\n     \"task_seconds\": {\"law\": \"%s\", \"mean\": %.17g, \"deviation\": %.17g}",
      ls_duration_law_name(worker->unit_law), mean_s, worker->unit_variation * mean_s);
}

/* Most workers read nothing by themselves. */
static bool is_written(const struct ls_worker_model *worker, enum ls_operation operation) {
  return operation != LS_OPERATION_STAGE || ls_worker_has_cost(worker, operation);
}

static void write_windows(struct ls_bytes *out, const struct ls_worker_model *worker) {
  for (size_t k = 0; k < worker->windows_count; k++) {
    const struct ls_window *window = &worker->windows[k];
    ls_bytes_append_text(out, k == 0 ? ",\n     \"windows\": [\n" : ",\n");
    ls_bytes_printf(out, "       {\"from\": %.17g, \"to\": ", window->from);
    ls_json_write_number(out, window->to);
    for (size_t i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT; i++) {
      if (!is_written(worker, (enum ls_operation)i)) continue;
      ls_bytes_append_text(out, ",\n        ");
      write_cost(out, operation_name(i), &window->costs[i]);
    }
    ls_bytes_append_text(out, k + 1 < worker->windows_count ? "}" : "}]");
  }
}

static void write_worker(struct ls_bytes *out, const struct ls_worker_model *worker) {
  assert(worker->window_to >= worker->window_from);
  ls_bytes_append_text(out, "{\"name\": ");
  ls_json_write_string(out, worker->name);
  ls_bytes_append_text(out, ",\n     ");
  for (int i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT; i++) {
    if (!is_written(worker, (enum ls_operation)i)) continue;
    if (i > LS_OPERATION_OF_WORKER) ls_bytes_append_text(out, ",\n     ");
    write_cost(out, ls_operation_name((enum ls_operation)i), &worker->costs[i]);
    if (i == LS_OPERATION_TRANSFER)
      ls_bytes_printf(out, ",\n     \"delay\": %.17g", worker->delay_s);
  }
  bool has_window = worker->window_from > 0 || isfinite(worker->window_to);
  if (worker->windows_count > 0) {
    write_windows(out, worker);
  } else if (has_window) {
    ls_bytes_printf(out, ",\n     \"window\": {\"from\": %.17g, \"to\": ", worker->window_from);
    ls_json_write_number(out, worker->window_to);
    ls_bytes_append_char(out, '}');
  }
  if (isfinite(worker->room_units))
    ls_bytes_printf(out, ",\n     \"room\": %.17g", worker->room_units);
  write_task_seconds(out, worker);
  if (worker->measured_to > 0)
    ls_bytes_printf(out, ",\n     \"measured\": {\"from\": %.17g, \"to\": %.17g}",
                    worker->measured_from, worker->measured_to);
  ls_bytes_printf(out, ",\n     \"cost\": %.17g, \"on_master\": %s}", worker->price_per_s,
                  worker->is_on_master ? "true" : "false");
}

void ls_platform_write(const struct ls_platform *platform, struct ls_bytes *out) {
  assert(platform->workers_count > 0 && (unsigned)platform->ports <= LS_PORTS_MULTI);
  ls_bytes_append_text(out, "{ \"workers\": [");
  for (size_t i = 0; i < platform->workers_count; i++) {
    ls_bytes_append_text(out, i == 0 ? "\n    " : ",\n    ");
    write_worker(out, &platform->workers[i]);
  }
  ls_bytes_append_text(out, " ],\n  \"master\": {");
  write_cost(out, "prepare", &platform->prepare);
  ls_bytes_printf(out, ", \"share\": %.17g},\n  \"ports\": ", platform->master_share);
  if (platform->ports == LS_PORTS_MULTI) {
    ls_bytes_printf(
        out, "{\"kind\": \"multi-port\", \"alpha\": %.17g, \"limit\": ", platform->ports_alpha);
    if (platform->ports_limit > 0) {
      ls_bytes_printf(out, "%llu}", (unsigned long long)platform->ports_limit);
    } else {
      ls_bytes_append_text(out, "null}");
    }
  } else {
    ls_bytes_printf(out, "\"%s\"", ls_platform_port_names[platform->ports]);
  }
  if (platform->storage_readers > 0)
    ls_bytes_printf(out, ",\n  \"storage\": {\"readers\": %llu}",
                    (unsigned long long)platform->storage_readers);
  ls_bytes_append_text(out, " }\n");
}
