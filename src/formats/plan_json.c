#include "formats/plan_json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/statistics.h"
#include "formats/plan_json_private.h"
#include "model/plan.h"
#include "model/plan_repeat.h"
#include "model/replay.h"

static const double TOLERANCE = 1e-9;

static void keep_times(struct ls_plan_chunk *chunk, const double times_s[LS_PLAN_TIMES]) {
  for (size_t time = 0; time < LS_PLAN_TIMES; time++)
    memcpy((char *)chunk + ls_plan_times_of_chunk[time].offset, &times_s[time], sizeof *times_s);
}

static enum ls_status read_chunk(const struct ls_json *place, size_t workers_count,
                                 struct ls_plan *plan, struct ls_error *err) {
  assert(workers_count > 0);
  static const char *const known[] = {"worker",      "round",          "units",
                                      "send_start",  "transfer_start", "transfer_end",
                                      "stage_start", "compute_start",  "compute_end",
                                      "reply_start", "reply_end",      NULL};
  uint64_t worker = 0, round = 0;
  double units = 0;
  enum ls_status status = ls_json_object(place, known, err);
  struct ls_json worker_place = ls_json_member(place, "worker");
  struct ls_json round_place = ls_json_member(place, "round");
  struct ls_json units_place = ls_json_member(place, "units");
  if (status == LS_OK) {
    status = ls_json_whole(&worker_place, 0, workers_count - 1, &worker, err);
  }
  if (status == LS_OK && round_place.value != NULL) {
    status = ls_json_whole(&round_place, 0, UINT32_MAX, &round, err);
  }
  if (status == LS_OK) status = ls_json_real(&units_place, 0, (double)INFINITY, &units, err);
  if (status == LS_OK && !(units > 0)) status = ls_json_refuse(&units_place, "a number > 0", err);
  double times_s[LS_PLAN_TIMES];
  for (size_t time = 0; time < LS_PLAN_TIMES && status == LS_OK; time++) {
    struct ls_json time_place = ls_json_member(place, ls_plan_times_of_chunk[time].name);
    times_s[time] = (double)NAN;
    if (time_place.value == NULL) continue;
    status = ls_json_real(&time_place, 0, (double)INFINITY, &times_s[time], err);
  }
  if (status != LS_OK) return status;
  assert(worker < workers_count && units > 0);
  ls_plan_add(plan, (uint32_t)worker, (uint32_t)round, units);
  if (plan->failure.status == LS_OK) keep_times(&plan->chunks[plan->chunks_count - 1], times_s);
  return LS_OK;
}

static enum ls_status read_chunks(const struct ls_json *top, size_t workers_count,
                                  struct ls_plan *plan, struct ls_error *err) {
  struct ls_json chunks = ls_json_member(top, "chunks");
  size_t count = 0;
  enum ls_status status = ls_json_array(&chunks, &count, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json place = ls_json_item(&chunks, i);
    status = read_chunk(&place, workers_count, plan, err);
  }
  assert(status != LS_OK || plan->failure.status != LS_OK || plan->chunks_count == count);
  return status;
}

/* What the builder refused, with the name of the file. */
static enum ls_status finish_plan(const struct ls_json *top, const struct ls_plan *plan,
                                  struct ls_error *err) {
  enum ls_status status = ls_plan_finish(plan, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "%s", top->source);
}

static enum ls_status read_repeat(const struct ls_json *top, struct ls_plan *plan,
                                  struct ls_error *err) {
  static const char *const known[] = {"from", "to", "times", NULL};
  struct ls_json repeat = ls_json_member(top, "repeat");
  uint64_t numbers[3] = {0};
  if (repeat.value == NULL) return LS_OK;
  enum ls_status status = ls_json_object(&repeat, known, err);
  for (size_t i = 0; known[i] != NULL && status == LS_OK; i++) {
    struct ls_json place = ls_json_member(&repeat, known[i]);
    status = ls_json_whole(&place, i == 0 ? 0 : 1, UINT64_MAX, &numbers[i], err);
  }
  if (status == LS_OK) ls_plan_repeat(plan, (size_t)numbers[0], (size_t)numbers[1], numbers[2]);
  return status;
}

static enum ls_status read_returns(const struct ls_json *top, struct ls_plan *plan,
                                   struct ls_error *err) {
  struct ls_json returns = ls_json_member(top, "returns");
  size_t count = 0;
  if (returns.value == NULL) return LS_OK;
  enum ls_status status = ls_json_array(&returns, &count, err);
  if (status == LS_OK) ls_plan_order_returns(plan);
  bool *is_seen = calloc(plan->chunks_count + 1, sizeof *is_seen);
  if (is_seen == NULL) return ls_fail(err, LS_ENOMEM, "no memory to read a plan");
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json place = ls_json_item(&returns, i);
    uint64_t chunk = 0;
    status = ls_json_whole(&place, 0, UINT64_MAX, &chunk, err);
    if (status == LS_OK && chunk < ls_plan_returns_from(plan)) {
      status = ls_json_refuse(&place, "the index of a chunk after those that repeat", err);
    }
    if (status == LS_OK && (chunk >= plan->chunks_count || is_seen[chunk])) {
      status = ls_json_refuse(&place, "the index of a chunk, each once", err);
    }
    if (status != LS_OK) break;
    is_seen[chunk] = true;
    ls_plan_add_return(plan, (size_t)chunk);
  }
  assert(status != LS_OK || plan->failure.status != LS_OK || plan->returns_count == count);
  free(is_seen);
  return status;
}

/* The algorithm's own names: numbers are kept; what else it noted (lists, words) is not used. */
static enum ls_status read_parameters(const struct ls_json *top, struct ls_plan *plan,
                                      struct ls_error *err) {
  struct ls_json parameters = ls_json_member(top, "parameters");
  if (parameters.value == NULL) return LS_OK;
  if (!json_is_object(parameters.value)) return ls_json_refuse(&parameters, "an object", err);
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)parameters.value, name, value) {
    if (!json_is_number(value)) continue;
    struct ls_json place = ls_json_member(&parameters, name);
    if (name[0] == '\0' || strlen(name) >= sizeof plan->parameters->name) {
      return ls_json_refuse(&place, "a name of 1 to 31 bytes", err);
    }
    assert(isfinite(json_number_value(value)));
    ls_plan_set(plan, name, json_number_value(value));
  }
  return LS_OK;
}

static enum ls_status read_certificate(const struct ls_json *top, struct ls_error *err) {
  static const char *const known[] = {"lower_bound", "bound", "gap",     "start_up", "port_wait",
                                      "imbalance",   "tail",  "outside", "beyond",   NULL};
  struct ls_json certificate = ls_json_member(top, "certificate");
  if (certificate.value == NULL) return LS_OK;
  enum ls_status status = ls_json_object(&certificate, known, err);
  for (size_t i = 0; known[i] != NULL && status == LS_OK; i++) {
    struct ls_json place = ls_json_member(&certificate, known[i]);
    double number;
    const char *text;
    if (place.value == NULL) continue;
    status = strcmp(known[i], "bound") == 0
                 ? ls_json_string(&place, &text, err)
                 : ls_json_real(&place, -(double)INFINITY, (double)INFINITY, &number, err);
  }
  return status;
}

static enum ls_status read_workers(const struct ls_json *top, struct ls_error *err) {
  static const char *const known[] = {"name", "units", "busy", "idle", "price", NULL};
  struct ls_json workers = ls_json_member(top, "workers");
  size_t count = 0;
  if (workers.value == NULL) return LS_OK;
  enum ls_status status = ls_json_array(&workers, &count, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json place = ls_json_item(&workers, i);
    status = ls_json_object(&place, known, err);
    struct ls_json name = ls_json_member(&place, "name");
    const char *text;
    if (status == LS_OK && name.value != NULL) status = ls_json_string(&name, &text, err);
    for (size_t k = 1; known[k] != NULL && status == LS_OK; k++) {
      struct ls_json field = ls_json_member(&place, known[k]);
      double number;
      if (field.value == NULL) continue;
      status = ls_json_real(&field, 0, (double)INFINITY, &number, err);
    }
  }
  return status;
}

static enum ls_status read_text(const struct ls_json *top, const char *key, char *text,
                                size_t text_bytes, struct ls_error *err) {
  assert(text_bytes > 0);
  struct ls_json place = ls_json_member(top, key);
  const char *given;
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_string(&place, &given, err);
  if (status == LS_OK && strlen(given) >= text_bytes) {
    status = ls_json_refuse(&place, "a shorter text", err);
  }
  if (status == LS_OK) (void)snprintf(text, text_bytes, "%s", given);
  return status;
}

static enum ls_status read_outcome(const struct ls_json *top, struct ls_plan *plan,
                                   struct ls_error *err) {
  assert(plan->outcome == LS_PLAN_OK);
  struct ls_json place = ls_json_member(top, "outcome");
  const char *name;
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_string(&place, &name, err);
  if (status != LS_OK) return status;
  for (int i = 0; i < LS_PLAN_OUTCOMES; i++) {
    if (strcmp(name, ls_plan_outcome_names[i]) != 0) continue;
    plan->outcome = (enum ls_plan_outcome)i;
    return LS_OK;
  }
  return ls_json_refuse(&place, "\"ok\" or \"not_applicable\"", err);
}

/* The load is what the chunks add up to; a given one must say the same. */
static enum ls_status read_load(const struct ls_json *top, struct ls_plan *plan,
                                struct ls_error *err) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < plan->chunks_count; i++)
    ls_sum_add(&sum, (double)ls_plan_times(plan, i) * plan->chunks[i].units);
  double total = ls_sum_value(&sum);
  assert(total >= 0);
  struct ls_json place = ls_json_member(top, "load");
  plan->load = total;
  if (!isfinite(total))
    return ls_fail(err, LS_EINVAL, "%s: the chunks' sum is %g, must be finite", top->source, total);
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_real(&place, 0, (double)INFINITY, &plan->load, err);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  if (!(fabs(plan->load - total) <= TOLERANCE * fmax(total, plan->load))) {
    char expected[64];
    (void)snprintf(expected, sizeof expected, "%.17g, the sum of the chunks", total);
    status = ls_json_refuse(&place, expected, err);
  }
  return status;
}

static enum ls_status read_count(const struct ls_json *top, const char *key, bool is_compared,
                                 uint64_t expected, struct ls_error *err) {
  struct ls_json place = ls_json_member(top, key);
  uint64_t given = 0;
  if (place.value == NULL) return LS_OK;
  enum ls_status status = ls_json_whole(&place, 0, UINT64_MAX, &given, err);
  if (status == LS_OK && is_compared && given != expected) {
    char text[64];
    (void)snprintf(text, sizeof text, "%llu, as the chunks say", (unsigned long long)expected);
    status = ls_json_refuse(&place, text, err);
  }
  return status;
}

static enum ls_status read_counts(const struct ls_json *top, const struct ls_plan *plan,
                                  size_t workers_count, struct ls_error *err) {
  bool *is_used = calloc(workers_count + 1, sizeof *is_used);
  if (is_used == NULL) return ls_fail(err, LS_ENOMEM, "no memory to read a plan");
  uint64_t used = ls_plan_count_used(plan, workers_count, is_used);
  assert(used <= workers_count && used <= plan->chunks_count);
  free(is_used);
  enum ls_status status = read_count(top, "workers_used", true, used, err);
  if (status == LS_OK) status = read_count(top, "messages", true, ls_plan_messages(plan), err);
  /* An algorithm may leave auxiliary rounds out of its count. */
  if (status == LS_OK) status = read_count(top, "rounds", false, 0, err);
  return status;
}

static enum ls_status read_fields(const struct ls_json *top, struct ls_plan *plan,
                                  size_t workers_count, struct ls_error *err) {
  static const char *const known[] = {"outcome",  "why",         "algorithm",  "load",
                                      "rounds",   "makespan",    "price",      "workers_used",
                                      "messages", "certificate", "parameters", "chunks",
                                      "returns",  "repeat",      "workers",    NULL};
  enum ls_status status = ls_json_object(top, known, err);
  if (status == LS_OK) status = read_outcome(top, plan, err);
  if (status == LS_OK) status = read_text(top, "why", plan->why, sizeof plan->why, err);
  if (status == LS_OK) {
    status = read_text(top, "algorithm", plan->algorithm, sizeof plan->algorithm, err);
  }
  if (status == LS_OK) status = read_chunks(top, workers_count, plan, err);
  if (status == LS_OK) status = read_repeat(top, plan, err);
  if (status == LS_OK) status = finish_plan(top, plan, err);
  if (status == LS_OK) status = read_returns(top, plan, err);
  if (status == LS_OK) status = finish_plan(top, plan, err);
  if (status == LS_OK) status = read_load(top, plan, err);
  if (status == LS_OK) status = read_counts(top, plan, workers_count, err);
  if (status == LS_OK) status = read_parameters(top, plan, err);
  if (status == LS_OK) status = finish_plan(top, plan, err);
  if (status == LS_OK) status = read_certificate(top, err);
  if (status == LS_OK) status = read_workers(top, err);
  static const char *const results[] = {"makespan", "price"};
  for (size_t i = 0; i < 2 && status == LS_OK; i++) {
    struct ls_json place = ls_json_member(top, results[i]);
    double number;
    if (place.value == NULL) continue;
    status = ls_json_real(&place, 0, (double)INFINITY, &number, err);
  }
  struct ls_json chunks = ls_json_member(top, "chunks");
  if (status == LS_OK && plan->outcome == LS_PLAN_NOT_APPLICABLE && plan->chunks_count > 0) {
    status = ls_json_refuse(&chunks, "no chunks in a plan that is not applicable", err);
  }
  assert(status != LS_OK || (isfinite(plan->load) && plan->load >= 0));
  return status;
}

/* A given time must be that of the replay. */
static enum ls_status compare_time(const struct ls_json *owner, const char *key, double replayed_s,
                                   struct ls_error *err) {
  struct ls_json place = ls_json_member(owner, key);
  if (place.value == NULL) return LS_OK;
  assert(json_is_number(place.value));
  double given_s = json_number_value(place.value);
  assert(given_s >= 0);
  if (fabs(given_s - replayed_s) <= TOLERANCE * fmax(1, fabs(replayed_s))) return LS_OK;
  char expected[80];
  (void)snprintf(expected, sizeof expected, "%.17g, as the replay says", replayed_s);
  if (isnan(replayed_s)) (void)snprintf(expected, sizeof expected, "null: there is no such event");
  return ls_json_refuse(&place, expected, err);
}

static enum ls_status compare_times(const struct ls_json *top, const struct ls_plan *plan,
                                    struct ls_error *err) {
  struct ls_json chunks = ls_json_member(top, "chunks");
  enum ls_status status = compare_time(top, "makespan", plan->makespan_s, err);
  assert(json_array_size(chunks.value) == plan->chunks_count);
  for (size_t i = 0; i < plan->chunks_count && status == LS_OK; i++) {
    struct ls_json place = ls_json_item(&chunks, i);
    for (size_t time = 0; time < LS_PLAN_TIMES && status == LS_OK; time++) {
      status = compare_time(&place, ls_plan_times_of_chunk[time].name,
                            ls_plan_time_of(plan, i, time), err);
    }
  }
  return status;
}

/* Without a platform times stay unknown. */
static enum ls_status read_plan(struct ls_plan *plan, struct ls_text text,
                                const struct ls_platform *platform, size_t workers_count,
                                struct ls_error *err) {
  assert(workers_count > 0);
  json_t *document = NULL;
  struct ls_plan made;
  enum ls_status status = ls_json_parse(text, &document, err);
  if (status != LS_OK) return status;
  ls_plan_init(&made, "", 0);
  struct ls_json top = ls_json_top(document, text.source);
  status = read_fields(&top, &made, workers_count, err);
  if (status == LS_OK && platform != NULL && made.outcome == LS_PLAN_OK) {
    status = ls_replay(&made, platform, err);
    if (status != LS_OK) status = ls_fail_while(err, status, "%s", text.source);
    if (status == LS_OK) status = compare_times(&top, &made, err);
  }
  if (status == LS_OK) {
    assert(made.outcome == LS_PLAN_OK || made.chunks_count == 0);
    *plan = made;
  } else {
    ls_plan_close(&made);
  }
  json_decref(document);
  return status;
}

enum ls_status ls_plan_read(struct ls_plan *plan, struct ls_text text,
                            const struct ls_platform *platform, struct ls_error *err) {
  return read_plan(plan, text, platform, platform->workers_count, err);
}

enum ls_status ls_plan_read_chunks(struct ls_plan *plan, struct ls_text text, size_t workers_count,
                                   struct ls_error *err) {
  return read_plan(plan, text, NULL, workers_count, err);
}
