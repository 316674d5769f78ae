#include "model/plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/statistics.h"
#include "model/load.h"
#include "model/load_parts.h"
#include "model/plan_repeat.h"
#include "model/windows.h"

/* Workers summed at once by ls_plan_units, so that it needs no memory of its own. */
enum { UNITS_BLOCK = 512 };

static void fail_plan(struct ls_plan *plan, enum ls_status status, const char *what) {
  assert(status != LS_OK);
  if (plan->failure.status == LS_OK) (void)ls_fail(&plan->failure, status, "%s", what);
}

void ls_plan_init(struct ls_plan *plan, const char *algorithm, double load) {
  *plan = (struct ls_plan){.outcome = LS_PLAN_OK, .load = load, .makespan_s = (double)NAN};
  (void)snprintf(plan->algorithm, sizeof plan->algorithm, "%s", algorithm);
  if (!(isfinite(load) && load >= 0)) {
    (void)ls_fail(&plan->failure, LS_EINVAL, "load is %g, must be finite and >= 0", load);
  }
}

void ls_plan_close(struct ls_plan *plan) {
  assert(plan->parameters_count <= plan->parameters_capacity);
  free(plan->chunks);
  free(plan->repeat.last_end_s);
  free(plan->returns);
  for (size_t i = 0; i < plan->parameters_count; i++) free(plan->parameters[i].json);
  free(plan->parameters);
  *plan = (struct ls_plan){0};
}

void ls_plan_take(struct ls_plan *plan, struct ls_plan *from) {
  assert(plan != from);
  memcpy(from->algorithm, plan->algorithm, sizeof from->algorithm);
  ls_plan_close(plan);
  *plan = *from;
  *from = (struct ls_plan){0};
}

struct ls_plan_chunk ls_plan_chunk_unplayed(uint32_t worker, uint32_t round, double units) {
  double none = (double)NAN;
  return (struct ls_plan_chunk){worker, round, units, none, none, none,
                                none,   none,  none,  none, none};
}

void ls_plan_add(struct ls_plan *plan, uint32_t worker, uint32_t round, double units) {
  if (plan->failure.status != LS_OK) return;
  if (!(isfinite(units) && units > 0)) {
    (void)ls_fail(&plan->failure, LS_EINVAL, "chunk %zu: units is %g, must be finite and > 0",
                  plan->chunks_count, units);
    return;
  }
  void *items = plan->chunks;
  enum ls_status status = ls_array_reserve(&items, &plan->chunks_capacity, plan->chunks_count + 1,
                                           sizeof *plan->chunks);
  plan->chunks = items;
  if (status != LS_OK) {
    fail_plan(plan, status, "no memory for the chunks of a plan");
    return;
  }
  assert(plan->chunks_count < plan->chunks_capacity);
  plan->chunks[plan->chunks_count++] = ls_plan_chunk_unplayed(worker, round, units);
}

void ls_plan_order_returns(struct ls_plan *plan) {
  assert(plan->has_returns || plan->returns_count == 0);
  plan->has_returns = true;
}

void ls_plan_add_return(struct ls_plan *plan, size_t chunk) {
  if (plan->failure.status != LS_OK) return;
  ls_plan_order_returns(plan);
  if (chunk < ls_plan_returns_from(plan)) {
    (void)ls_fail(&plan->failure, LS_EINVAL,
                  "returns: chunk %zu is not after what repeats, expected one from %zu on", chunk,
                  ls_plan_returns_from(plan));
    return;
  }
  void *items = plan->returns;
  enum ls_status status = ls_array_reserve(&items, &plan->returns_capacity, plan->returns_count + 1,
                                           sizeof *plan->returns);
  plan->returns = items;
  if (status != LS_OK) {
    fail_plan(plan, status, "no memory for the returns of a plan");
    return;
  }
  assert(plan->returns_count < plan->returns_capacity);
  plan->returns[plan->returns_count++] = chunk;
}

enum ls_status ls_plan_check_returns(const struct ls_plan *plan, struct ls_error *err) {
  if (!plan->has_returns || plan->returns_count == 0) return LS_OK;
  bool *is_seen = calloc(plan->chunks_count + 1, sizeof *is_seen);
  if (is_seen == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the order of returns");
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < plan->returns_count && status == LS_OK; i++) {
    size_t chunk = plan->returns[i];
    if (chunk >= plan->chunks_count) {
      status = ls_fail(err, LS_EINVAL, "returns[%zu] is %zu, must be below %zu, the chunks", i,
                       chunk, plan->chunks_count);
    } else if (chunk < ls_plan_returns_from(plan)) {
      status =
          ls_fail(err, LS_EINVAL, "returns[%zu] is %zu, must be at least %zu, after what repeats",
                  i, chunk, ls_plan_returns_from(plan));
    } else if (is_seen[chunk]) {
      status = ls_fail(err, LS_EINVAL, "returns[%zu]: chunk %zu is listed twice", i, chunk);
    } else {
      is_seen[chunk] = true;
    }
  }
  free(is_seen);
  return status;
}

static struct ls_plan_parameter *find_parameter(const struct ls_plan *plan, const char *name) {
  assert(name[0] != '\0');
  for (size_t i = 0; i < plan->parameters_count; i++) {
    if (strcmp(plan->parameters[i].name, name) == 0) return &plan->parameters[i];
  }
  return NULL;
}

/* Owns `json` from here on. */
static void set_parameter(struct ls_plan *plan, const char *name, double value, char *json) {
  assert(strlen(name) < sizeof plan->parameters->name);
  struct ls_plan_parameter *place = find_parameter(plan, name);
  void *items = plan->parameters;
  enum ls_status status = LS_OK;
  if (place == NULL) {
    status = ls_array_reserve(&items, &plan->parameters_capacity, plan->parameters_count + 1,
                              sizeof *plan->parameters);
  }
  plan->parameters = items;
  if (status != LS_OK) {
    fail_plan(plan, status, "no memory for the parameters of a plan");
    free(json);
    return;
  }
  if (place == NULL) {
    assert(plan->parameters_count < plan->parameters_capacity);
    place = &plan->parameters[plan->parameters_count++];
    *place = (struct ls_plan_parameter){.value = 0};
    (void)snprintf(place->name, sizeof place->name, "%s", name);
  }
  assert(find_parameter(plan, name) == place);
  free(place->json);
  place->value = value;
  place->json = json;
}

static void set_json(struct ls_plan *plan, const char *name, double value, struct ls_bytes *json) {
  assert(json->failed || json->length > 0);
  char *owned = json->failed ? NULL : strdup(ls_bytes_text(json));
  ls_bytes_close(json);
  if (owned == NULL) {
    fail_plan(plan, LS_ENOMEM, "no memory for the parameters of a plan");
  } else {
    set_parameter(plan, name, value, owned);
  }
}

void ls_plan_set(struct ls_plan *plan, const char *name, double value) {
  if (plan->failure.status == LS_OK) set_parameter(plan, name, value, NULL);
}

void ls_plan_set_flag(struct ls_plan *plan, const char *name, bool flag) {
  if (plan->failure.status != LS_OK) return;
  struct ls_bytes json = {0};
  ls_bytes_append_text(&json, flag ? "true" : "false");
  set_json(plan, name, flag ? 1 : 0, &json);
}

void ls_plan_set_text(struct ls_plan *plan, const char *name, const char *text) {
  if (plan->failure.status != LS_OK) return;
  struct ls_bytes json = {0};
  ls_json_write_string(&json, text);
  set_json(plan, name, (double)NAN, &json);
}

void ls_plan_set_list(struct ls_plan *plan, const char *name, const uint32_t *items, size_t count) {
  if (plan->failure.status != LS_OK) return;
  struct ls_bytes json = {0};
  ls_bytes_append_char(&json, '[');
  for (size_t i = 0; i < count; i++) ls_bytes_printf(&json, "%s%u", i > 0 ? ", " : "", items[i]);
  ls_bytes_append_char(&json, ']');
  set_json(plan, name, (double)NAN, &json);
}

void ls_plan_set_json(struct ls_plan *plan, const char *name, struct ls_bytes *json) {
  if (plan->failure.status == LS_OK)
    set_json(plan, name, (double)NAN, json);
  else
    ls_bytes_close(json);
}

bool ls_plan_has(const struct ls_plan *plan, const char *name) {
  return find_parameter(plan, name) != NULL;
}

void ls_plan_unset(struct ls_plan *plan, const char *name) {
  struct ls_plan_parameter *known = find_parameter(plan, name);
  if (known == NULL) return;
  size_t after = plan->parameters_count - (size_t)(known - plan->parameters) - 1;
  free(known->json);
  memmove(known, known + 1, after * sizeof *known);
  plan->parameters_count--;
}

double ls_plan_get(const struct ls_plan *plan, const char *name, double otherwise) {
  const struct ls_plan_parameter *known = find_parameter(plan, name);
  return known == NULL ? otherwise : known->value;
}

void ls_plan_refuse(struct ls_plan *plan, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int wanted = vsnprintf(plan->why, sizeof plan->why, format, arguments);
  va_end(arguments);
  /* A refusal says why. */
  assert(wanted > 0);
  if (wanted >= (int)sizeof plan->why) memcpy(plan->why + sizeof plan->why - 4, "...", 4);
  plan->outcome = LS_PLAN_NOT_APPLICABLE;
  /* Chunks that were built before the algorithm saw that it does not apply are no plan. */
  plan->chunks_count = 0;
  plan->repeat.times = 0;
  plan->returns_count = 0;
  plan->has_returns = false;
  plan->makespan_s = (double)NAN;
}

enum ls_status ls_plan_finish(const struct ls_plan *plan, struct ls_error *err) {
  if (plan->failure.status == LS_OK) return LS_OK;
  assert(plan->failure.text[0] != '\0');
  return ls_fail(err, plan->failure.status, "%s", plan->failure.text);
}

void ls_plan_units(const struct ls_plan *plan, size_t workers_count, double *units) {
  for (size_t first = 0; first < workers_count; first += UNITS_BLOCK) {
    size_t count = workers_count - first < UNITS_BLOCK ? workers_count - first : UNITS_BLOCK;
    assert(count > 0 && count <= UNITS_BLOCK);
    struct ls_sum sums[UNITS_BLOCK] = {{0, 0}};
    for (size_t i = 0; i < plan->chunks_count; i++) {
      size_t worker = plan->chunks[i].worker;
      if (worker >= first && worker - first < count) {
        ls_sum_add(&sums[worker - first], (double)ls_plan_times(plan, i) * plan->chunks[i].units);
      }
    }
    for (size_t i = 0; i < count; i++) units[first + i] = ls_sum_value(&sums[i]);
  }
}

/* Writes the whole sizes, closes the gaps that empty chunks leave, renumbers the returns; `indices`
 * is room for one of each chunk. */
static void apply_rounding(struct ls_plan *plan, const uint64_t *units, size_t *indices) {
  size_t kept = 0;
  uint64_t given = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    indices[i] = units[i] > 0 ? kept : SIZE_MAX;
    if (units[i] == 0) continue;
    given += units[i];
    struct ls_plan_chunk chunk = plan->chunks[i];
    plan->chunks[kept++] = ls_plan_chunk_unplayed(chunk.worker, chunk.round, (double)units[i]);
  }
  size_t returns = 0;
  for (size_t i = 0; i < plan->returns_count; i++) {
    size_t chunk = plan->returns[i];
    if (chunk < plan->chunks_count && indices[chunk] != SIZE_MAX) {
      plan->returns[returns++] = indices[chunk];
    }
  }
  assert(given == (uint64_t)plan->load);
  assert(kept <= plan->chunks_count && returns <= plan->returns_count);
  plan->chunks_count = kept;
  plan->returns_count = returns;
  plan->makespan_s = (double)NAN;
}

/* Each worker's remainder goes to its next chunk. */
static enum ls_status round_chunks(struct ls_plan *plan, const struct ls_platform *platform,
                                   struct ls_error *err) {
  size_t count = plan->chunks_count;
  struct ls_load_part *parts = calloc(count, sizeof *parts);
  uint64_t *units = calloc(count, sizeof *units);
  size_t *indices = calloc(count, sizeof *indices);
  enum ls_status status = LS_OK;
  if (parts == NULL || units == NULL || indices == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory to round %zu chunks", count);
    goto done;
  }
  for (size_t i = 0; i < count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    double unit_s = platform != NULL ? ls_worker_unit_s(&platform->workers[chunk->worker]) : 0;
    parts[i] = (struct ls_load_part){chunk->units, chunk->worker, unit_s};
  }
  status = ls_load_round_parts(parts, count, (uint64_t)plan->load, units, err);
  if (status == LS_OK) apply_rounding(plan, units, indices);
done:
  free(parts);
  free(units);
  free(indices);
  return status;
}

enum ls_status ls_plan_make_whole(struct ls_plan *plan, const struct ls_platform *platform,
                                  struct ls_error *err) {
  enum ls_status status = ls_plan_finish(plan, err);
  if (status == LS_OK) status = ls_load_check_whole(plan->load, err);
  if (status != LS_OK) return status;
  if (plan->chunks_count == 0 || ls_plan_is_whole(plan)) return LS_OK;
  status = ls_plan_unfold(plan, err);
  if (status == LS_OK) status = round_chunks(plan, platform, err);
  assert(status != LS_OK || ls_plan_is_whole(plan));
  return status;
}

bool ls_plan_is_whole(const struct ls_plan *plan) {
  for (size_t i = 0; i < plan->chunks_count; i++) {
    double units = plan->chunks[i].units;
    if (!(units >= 1 && ls_load_is_whole(units))) return false;
  }
  return true;
}
