#include "formats/timeline_json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/labels.h"
#include "formats/account_json.h"
#include "model/metrics.h"
#include "model/timeline.h"
#include "model/waits.h"

static void write_decisions(const struct ls_timeline *timeline, struct ls_bytes *out) {
  ls_bytes_append_text(out, "  \"chunks\": [");
  for (size_t i = 0; i < timeline->decisions_count; i++) {
    assert(timeline->decisions[i].units >= 0);
    ls_bytes_printf(out, "%s{\"worker\": %u, \"units\": %.17g}", i == 0 ? "\n    " : ",\n    ",
                    timeline->decisions[i].worker, timeline->decisions[i].units);
  }
  ls_bytes_append_text(out, "],\n");
}

static void write_task(const struct ls_span *span, struct ls_bytes *out) {
  ls_bytes_printf(out, ", \"task\": %llu", (unsigned long long)span->task);
  if (span->attempt > 1) ls_bytes_printf(out, ", \"attempt\": %u", (unsigned)span->attempt);
  if (span->exit_code != 0) ls_bytes_printf(out, ", \"exit\": %d", (int)span->exit_code);
  if (span->peak_kib > 0) ls_bytes_printf(out, ", \"peak_kib\": %u", (unsigned)span->peak_kib);
  if (span->is_running) ls_bytes_append_text(out, ", \"running\": true");
}

static void write_spans(const struct ls_timeline *timeline, struct ls_bytes *out) {
  ls_bytes_append_text(out, "  \"spans\": [");
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    assert(span->end_s >= span->start_s);
    ls_bytes_printf(out, "%s{\"resource\": \"%s\", \"operation\": \"%s\", \"chunk\": %llu, ",
                    i == 0 ? "\n    " : ",\n    ", ls_resource_name(span->resource),
                    ls_operation_name(span->operation), (unsigned long long)span->chunk);
    ls_bytes_printf(out, "\"worker\": %u, \"units\": %llu, \"start\": %.17g, \"end\": %.17g",
                    span->worker, (unsigned long long)span->units, span->start_s, span->end_s);
    if (span->outcome != LS_OUTCOME_DONE)
      ls_bytes_printf(out, ", \"outcome\": \"%s\"", ls_outcome_name(span->outcome));
    if (span->task > 0) write_task(span, out);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "],\n");
}

static void write_labels(const char *labels, struct ls_bytes *out) {
  const char *at = labels, *label, *separator = ", \"labels\": [";
  struct ls_bytes text = {0};
  size_t length = 0;
  while ((label = ls_labels_next(&at, &length)) != NULL) {
    ls_bytes_clear(&text);
    ls_bytes_append(&text, label, length);
    ls_bytes_append_text(out, separator);
    ls_json_write_string(out, ls_bytes_text(&text));
    separator = ", ";
  }
  if (text.failed) out->failed = true;
  ls_bytes_close(&text);
  ls_bytes_append_char(out, ']');
}

static void write_workers(const struct ls_timeline *timeline,
                          const struct ls_worker_metrics *metrics, struct ls_bytes *out) {
  ls_bytes_append_text(out, "  \"workers\": [");
  for (size_t i = 0; i < timeline->workers_count; i++) {
    const struct ls_timeline_worker *worker = &timeline->workers[i];
    assert(metrics[i].useful_s <= metrics[i].busy_s && metrics[i].idle_s >= 0);
    ls_bytes_append_text(out, i == 0 ? "\n    {\"name\": " : ",\n    {\"name\": ");
    ls_json_write_string(out, worker->name);
    if (worker->labels != NULL) write_labels(worker->labels, out);
    ls_json_write_field(out, ", ", "units", metrics[i].units);
    ls_bytes_printf(out, ", \"chunks\": %llu", (unsigned long long)metrics[i].chunks);
    ls_json_write_field(out, ", ", "busy", metrics[i].busy_s);
    ls_json_write_field(out, ", ", "useful", metrics[i].useful_s);
    ls_json_write_field(out, ", ", "up", metrics[i].up_s);
    ls_json_write_field(out, ", ", "idle", metrics[i].idle_s);
    ls_json_write_field(out, ", ", "joined", worker->joined_s);
    ls_json_write_field(out, ", ", "left", worker->left_s);
    ls_json_write_field(out, ", ", "suspended", worker->suspended_s);
    if (metrics[i].stage_s > 0) {
      ls_json_write_field(out, ", ", "staged", metrics[i].stage_s);
      ls_json_write_field(out, ", ", "hidden", metrics[i].hidden);
    }
    ls_json_write_field(out, ", ", "price", metrics[i].price);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_char(out, ']');
}

static void write_notes(const struct ls_timeline *timeline, struct ls_bytes *out) {
  ls_bytes_append_text(out, ",\n  \"notes\": [");
  for (size_t i = 0; i < timeline->notes_count; i++) {
    ls_bytes_append_text(out, i == 0 ? "\n    " : ",\n    ");
    ls_json_write_string(out, timeline->notes[i]);
  }
  ls_bytes_append_char(out, ']');
}

/* The worker of a slow link by its name. */
static void write_waits(const struct ls_timeline *timeline, const struct ls_waits *waits,
                        struct ls_bytes *out) {
  static const char *const links[] = {[LS_LINKS_UNKNOWN] = "unknown",
                                      [LS_LINKS_SEPARATE] = "separate",
                                      [LS_LINKS_SHARED] = "shared"};
  ls_bytes_append_text(out, "  \"waits\": {\"own_input\": ");
  ls_json_write_number(out, waits->own_s);
  ls_bytes_append_text(out, ", \"port\": ");
  ls_json_write_number(out, waits->port_s);
  ls_bytes_append_text(out, ", \"other\": ");
  ls_json_write_number(out, waits->other_s);
  ls_bytes_printf(out, ", \"links\": \"%s\"", links[waits->links]);
  if (waits->has_slow) {
    ls_bytes_append_text(out, ", \"slow_link\": ");
    ls_json_write_string(out, timeline->workers[waits->slow].name);
    ls_bytes_append_text(out, ", \"slow_rate\": ");
    ls_json_write_number(out, waits->slow_rate);
  }
  ls_bytes_append_text(out, "},\n");
}

static void write_accounts(const struct ls_timeline_extras *extras, struct ls_bytes *out) {
  if (extras->account != NULL) {
    ls_bytes_append_text(out, "  \"account\": ");
    ls_account_write(extras->account, out);
    ls_bytes_append_text(out, ",\n");
  }
  if (extras->prediction == NULL) return;
  ls_bytes_append_text(out, "  \"prediction\": ");
  ls_comparison_write(extras->prediction, out);
  ls_bytes_append_text(out, ",\n");
}

static void write_counts(const struct ls_places_counts *counts, struct ls_bytes *out) {
  const struct {
    const char *name;
    uint64_t value;
  } fields[] = {{"wanted", counts->wanted},       {"pending", counts->pending},
                {"coming", counts->coming},       {"working", counts->working},
                {"suspended", counts->suspended}, {"granted", counts->granted},
                {"joined", counts->joined},       {"suspensions", counts->suspensions},
                {"left", counts->left},           {"lost", counts->lost}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    ls_bytes_printf(out, ", \"%s\": %llu", fields[i].name, (unsigned long long)fields[i].value);
  ls_bytes_append_text(out, "}");
}

/* How the pools stand in the end, and how all of them stood behind each change. */
static void write_places(const struct ls_places *places, struct ls_bytes *out) {
  const char *separator = "";
  ls_bytes_append_text(out, "  \"places\": {\"pools\": [");
  for (size_t i = 0; i < places->pools_count; i++, separator = ",") {
    struct ls_places_counts counts = ls_places_at(places, (uint32_t)i, places->end_s);
    ls_bytes_printf(out, "%s\n    {\"name\": ", separator);
    ls_json_write_string(out, places->pools[i]);
    write_counts(&counts, out);
  }
  ls_bytes_append_text(out, "],\n    \"course\": [");
  struct ls_places_counts counts = {0};
  separator = "";
  for (size_t i = 0; i < places->count; i++) {
    ls_places_follow(&counts, &places->changes[i]);
    if (i + 1 < places->count && !(places->changes[i + 1].time_s > places->changes[i].time_s))
      continue;
    ls_bytes_printf(out, "%s\n    {\"time\": ", separator);
    ls_json_write_number(out, places->changes[i].time_s);
    write_counts(&counts, out);
    separator = ",";
  }
  ls_bytes_append_text(out, "]},\n");
}

/* Numbers that are not known are null. */
static void write_sizing(const struct ls_sizing_course *course, struct ls_bytes *out) {
  ls_bytes_append_text(out, "  \"iterations\": [");
  for (size_t i = 0; i < course->count; i++) {
    const struct ls_sizing_row *row = &course->rows[i];
    const struct {
      const char *name;
      double value;
    } numbers[] = {
        {"present", row->present},
        {"begin", row->begin_s},
        {"time", row->seconds},
        {"efficiency", row->efficiency},
        {"eer", row->efficiency > 0 ? row->seconds / row->efficiency : (double)NAN},
        {"asp", row->asp > 0 ? row->asp : (double)NAN},
    };
    ls_bytes_printf(out,
                    "%s\n    {\"iteration\": %u, \"units\": %llu, \"wanted\": %llu, "
                    "\"granted\": %llu",
                    i > 0 ? "," : "", row->iteration, (unsigned long long)row->units,
                    (unsigned long long)row->wanted, (unsigned long long)row->granted);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
      ls_bytes_printf(out, ", \"%s\": ", numbers[k].name);
      ls_json_write_number(out, numbers[k].value);
    }
    if (row->ideal_from > 0)
      ls_bytes_printf(out, ", \"ideal\": [%zu, %zu]}", row->ideal_from, row->ideal_to);
    else
      ls_bytes_append_text(out, ", \"ideal\": null}");
  }
  ls_bytes_append_text(out, "],\n");
}

static void write_usage(const struct ls_usage *usage, struct ls_bytes *out) {
  ls_bytes_append_text(out, "  \"usage\": {\"user\": ");
  ls_json_write_number(out, usage->user_s);
  ls_bytes_append_text(out, ", \"system\": ");
  ls_json_write_number(out, usage->system_s);
  ls_bytes_printf(out, ", \"peak_bytes\": %llu},\n", (unsigned long long)usage->peak_bytes);
}

void ls_timeline_write(const struct ls_timeline *timeline, const struct ls_timeline_extras *extras,
                       struct ls_bytes *out) {
  struct ls_worker_metrics *workers = calloc(timeline->workers_count + 1, sizeof *workers);
  if (workers == NULL) {
    out->failed = true;
    return;
  }
  struct ls_metrics metrics;
  ls_metrics_of(timeline, &metrics, workers);
  assert(metrics.makespan_s >= 0 && metrics.efficiency >= 0);
  ls_bytes_printf(out, "{ \"seed\": %llu,\n", (unsigned long long)timeline->seed);
  write_decisions(timeline, out);
  if (extras->has_spans) write_spans(timeline, out);
  ls_bytes_append_text(out, "  \"makespan\": ");
  ls_json_write_number(out, metrics.makespan_s);
  ls_bytes_append_text(out, ",\n  \"efficiency\": ");
  ls_json_write_number(out, metrics.efficiency);
  ls_bytes_append_text(out, ",\n  \"price\": ");
  ls_json_write_number(out, metrics.price);
  ls_bytes_append_text(out, ",\n");
  write_accounts(extras, out);
  if (extras->waits != NULL && extras->waits->has_transfers)
    write_waits(timeline, extras->waits, out);
  if (extras->places != NULL) write_places(extras->places, out);
  if (extras->sizing != NULL) write_sizing(extras->sizing, out);
  if (extras->usage != NULL) write_usage(extras->usage, out);
  write_workers(timeline, workers, out);
  if (extras->has_notes) write_notes(timeline, out);
  ls_bytes_append_text(out, " }\n");
  free(workers);
}
