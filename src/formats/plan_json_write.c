#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "formats/plan_json.h"
#include "formats/plan_json_private.h"
#include "model/certificate.h"
#include "model/metrics.h"
#include "model/plan.h"
#include "model/plan_repeat.h"
#include "model/plan_share.h"

const char *const ls_plan_outcome_names[LS_PLAN_OUTCOMES] = {
    [LS_PLAN_OK] = "ok", [LS_PLAN_NOT_APPLICABLE] = "not_applicable"};

const struct ls_plan_time ls_plan_times_of_chunk[LS_PLAN_TIMES] = {
    {"send_start", offsetof(struct ls_plan_chunk, send_start_s)},
    {"transfer_start", offsetof(struct ls_plan_chunk, transfer_start_s)},
    {"transfer_end", offsetof(struct ls_plan_chunk, transfer_end_s)},
    {"stage_start", offsetof(struct ls_plan_chunk, stage_start_s)},
    {"compute_start", offsetof(struct ls_plan_chunk, compute_start_s)},
    {"compute_end", offsetof(struct ls_plan_chunk, compute_end_s)},
    {"reply_start", offsetof(struct ls_plan_chunk, reply_start_s)},
    {"reply_end", offsetof(struct ls_plan_chunk, reply_end_s)}};

double ls_plan_time_of(const struct ls_plan *plan, size_t index, size_t time) {
  assert(index < plan->chunks_count && time < LS_PLAN_TIMES);
  double value_s;
  memcpy(&value_s, (const char *)&plan->chunks[index] + ls_plan_times_of_chunk[time].offset,
         sizeof value_s);
  bool is_body = ls_plan_times(plan, index) > 1;
  return is_body ? value_s - plan->chunks[plan->repeat.from].send_start_s : value_s;
}

uint64_t ls_plan_count_used(const struct ls_plan *plan, size_t workers_count, bool *is_used) {
  uint64_t used = 0;
  for (size_t i = 0; i < workers_count; i++) is_used[i] = false;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    if (plan->chunks[i].worker >= workers_count || is_used[plan->chunks[i].worker]) continue;
    is_used[plan->chunks[i].worker] = true;
    used++;
  }
  assert(used <= workers_count && used <= plan->chunks_count);
  return used;
}

static void write_certificate(struct ls_bytes *out, const struct ls_certificate *certificate) {
  assert(certificate->bound.bound_s >= 0);
  assert(!(certificate->gap < -1));
  ls_bytes_append_text(out, "  \"certificate\": {");
  ls_json_write_field(out, "", "lower_bound", certificate->bound.bound_s);
  ls_bytes_append_text(out, ", \"bound\": ");
  ls_json_write_string(out, certificate->bound.name);
  const struct {
    const char *name;
    double value;
  } fields[] = {{"gap", certificate->gap},
                {"start_up", certificate->start_up_s},
                {"port_wait", certificate->port_wait_s},
                {"imbalance", certificate->imbalance_s},
                {"tail", certificate->tail_s}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    ls_bytes_append_text(out, ", ");
    ls_json_write_field(out, "", fields[i].name, fields[i].value);
  }
  if (certificate->beyond > 0) ls_bytes_printf(out, ", \"beyond\": %.17g", certificate->beyond);
  if (certificate->outside != SIZE_MAX)
    ls_bytes_printf(out, ", \"outside\": %zu", certificate->outside);
  ls_bytes_append_text(out, "},\n");
}

static void write_parameters(struct ls_bytes *out, const struct ls_plan *plan) {
  ls_bytes_append_text(out, "  \"parameters\": {");
  for (size_t i = 0; i < plan->parameters_count; i++) {
    assert(plan->parameters[i].name[0] != '\0');
    if (i > 0) ls_bytes_append_text(out, ", ");
    ls_json_write_string(out, plan->parameters[i].name);
    ls_bytes_append_text(out, ": ");
    if (plan->parameters[i].json != NULL) {
      ls_bytes_append_text(out, plan->parameters[i].json);
    } else {
      ls_json_write_number(out, plan->parameters[i].value);
    }
  }
  ls_bytes_append_text(out, "},\n");
}

static void write_repeat(struct ls_bytes *out, const struct ls_plan *plan) {
  if (!ls_plan_repeats(plan)) return;
  ls_bytes_printf(out, "  \"repeat\": {\"from\": %zu, \"to\": %zu, \"times\": %llu},\n",
                  plan->repeat.from, plan->repeat.to, (unsigned long long)plan->repeat.times);
}

static void write_chunks(struct ls_bytes *out, const struct ls_plan *plan) {
  ls_bytes_append_text(out, "  \"chunks\": [");
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    assert(chunk->units > 0);
    ls_bytes_printf(out, "%s{\"worker\": %u, \"round\": %u, \"units\": %.17g",
                    i == 0 ? "\n    " : ",\n    ", chunk->worker, chunk->round, chunk->units);
    for (size_t time = 0; time < LS_PLAN_TIMES; time++) {
      double time_s = ls_plan_time_of(plan, i, time);
      bool is_stage =
          ls_plan_times_of_chunk[time].offset == offsetof(struct ls_plan_chunk, stage_start_s);
      if (is_stage && isnan(time_s)) continue;
      ls_bytes_append_text(out, ", ");
      ls_json_write_field(out, "", ls_plan_times_of_chunk[time].name, time_s);
    }
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "],\n");
}

static void write_returns(struct ls_bytes *out, const struct ls_plan *plan) {
  if (!plan->has_returns) return;
  ls_bytes_append_text(out, "  \"returns\": [");
  for (size_t i = 0; i < plan->returns_count; i++) {
    assert(plan->returns[i] < plan->chunks_count);
    ls_bytes_printf(out, "%s%zu", i == 0 ? "" : ", ", plan->returns[i]);
  }
  ls_bytes_append_text(out, "],\n");
}

/* Idle is what is left of the makespan. */
static void write_workers(struct ls_bytes *out, const struct ls_plan *plan,
                          const struct ls_platform *platform, const double *units,
                          const struct ls_plan_share *shares) {
  ls_bytes_append_text(out, "  \"workers\": [");
  for (size_t i = 0; i < platform->workers_count; i++) {
    assert(shares[i].busy_s >= 0 && units[i] >= 0);
    ls_bytes_append_text(out, i == 0 ? "\n    {\"name\": " : ",\n    {\"name\": ");
    ls_json_write_string(out, platform->workers[i].name);
    ls_bytes_append_text(out, ", ");
    ls_json_write_field(out, "", "units", units[i]);
    ls_bytes_append_text(out, ", ");
    ls_json_write_field(out, "", "busy", shares[i].busy_s);
    ls_bytes_append_text(out, ", ");
    ls_json_write_field(
        out, "", "idle",
        isfinite(plan->makespan_s) ? fmax(0, plan->makespan_s - shares[i].busy_s) : (double)NAN);
    ls_bytes_append_text(out, ", ");
    ls_json_write_field(
        out, "", "price",
        shares[i].chunks > 0 ? platform->workers[i].price_per_s * plan->makespan_s : 0);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "] }\n");
}

static void write_head(struct ls_bytes *out, const struct ls_plan *plan, uint64_t workers_used,
                       double price) {
  assert((unsigned)plan->outcome < LS_PLAN_OUTCOMES);
  ls_bytes_printf(out, "{ \"outcome\": \"%s\", \"why\": ", ls_plan_outcome_names[plan->outcome]);
  ls_json_write_string(out, plan->why);
  ls_bytes_append_text(out, ", \"algorithm\": ");
  ls_json_write_string(out, plan->algorithm);
  ls_bytes_append_text(out, ", ");
  ls_json_write_field(out, "", "load", plan->load);
  ls_bytes_printf(out, ", \"rounds\": %llu, ", (unsigned long long)ls_plan_rounds(plan));
  ls_json_write_field(out, "", "makespan", plan->makespan_s);
  ls_bytes_append_text(out, ", ");
  ls_json_write_field(out, "", "price", price);
  ls_bytes_printf(out, ", \"workers_used\": %llu, \"messages\": %llu,\n",
                  (unsigned long long)workers_used, (unsigned long long)ls_plan_messages(plan));
}

void ls_plan_write(const struct ls_plan *plan, const struct ls_platform *platform,
                   struct ls_bytes *out) {
  size_t count = platform->workers_count;
  assert(count > 0);
  bool *is_used = calloc(count + 1, sizeof *is_used);
  double *units = calloc(count + 1, sizeof *units);
  struct ls_plan_share *shares = calloc(count + 1, sizeof *shares);
  struct ls_certificate certificate;
  if (is_used == NULL || units == NULL || shares == NULL ||
      ls_certificate_of(plan, platform, &certificate, NULL) != LS_OK) {
    out->failed = true;
    goto done;
  }
  ls_plan_units(plan, count, units);
  ls_plan_shares(plan, platform, shares);
  write_head(out, plan, ls_plan_count_used(plan, count, is_used),
             ls_plan_price(plan, platform, shares));
  write_certificate(out, &certificate);
  write_parameters(out, plan);
  write_repeat(out, plan);
  write_chunks(out, plan);
  write_returns(out, plan);
  write_workers(out, plan, platform, units, shares);
done:
  free(shares);
  free(units);
  free(is_used);
}
