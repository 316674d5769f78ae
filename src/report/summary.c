/* summary.c: what a run was worth, as a table for people. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/metrics.h"
#include "report/report.h"
#include "report/text_private.h"

/* Units and seconds by outcome, over all compute spans. */
struct outcomes {
  double units[LS_OUTCOME_LOST + 1], seconds[LS_OUTCOME_LOST + 1];
  size_t spans[LS_OUTCOME_LOST + 1];
};

static void count_outcomes(const struct ls_timeline *timeline, struct outcomes *outcomes) {
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->operation != LS_OPERATION_COMPUTE) continue;
    enum ls_outcome outcome = ls_report_outcome(span);
    outcomes->units[outcome] += (double)span->units;
    outcomes->seconds[outcome] += span->end_s - span->start_s;
    outcomes->spans[outcome]++;
  }
}

static void write_waste(const char *noun, const struct outcomes *outcomes, enum ls_outcome outcome,
                        struct ls_bytes *out) {
  double units = outcomes->units[outcome];
  const char *label = outcome == LS_OUTCOME_FAILED ? "failed" : "lost";
  if (outcomes->spans[outcome] == 0) return;
  ls_bytes_printf(out, "%-12s %.6g %s%s tried and wasted, %.4g s\n", label, units, noun,
                  units > 1 || units < 1 ? "s" : "", outcomes->seconds[outcome]);
}

/* Where no worker has a price of its own, the price says no more than the seconds up. */
static bool has_prices(const struct ls_timeline *timeline) {
  for (size_t i = 0; i < timeline->workers_count; i++) {
    double price_per_s = timeline->workers[i].price_per_s;
    if (price_per_s < 1 || price_per_s > 1) return true;
  }
  return false;
}

static void write_totals(const struct ls_timeline *timeline,
                         const struct ls_report_options *options, const struct ls_metrics *metrics,
                         const struct ls_worker_metrics *workers, struct ls_bytes *out) {
  const char *noun = options->has_tasks ? "task" : "unit";
  struct outcomes outcomes = {0};
  double units = 0;
  count_outcomes(timeline, &outcomes);
  for (size_t i = 0; i < timeline->workers_count; i++) units += workers[i].units;
  ls_bytes_printf(out, "%-12s ", "makespan");
  ls_report_number(metrics->makespan_s, out);
  ls_bytes_append_text(out, options->is_running ? " s so far: it goes on\n" : " s\n");
  ls_bytes_printf(out, "%-12s %.1f %%%s\n", "efficiency", 100 * metrics->efficiency,
                  has_prices(timeline) ? " (each second at its cost)" : "");
  ls_bytes_printf(out, "%-12s %.10g\n", options->has_tasks ? "tasks done" : "units done", units);
  write_waste(noun, &outcomes, LS_OUTCOME_FAILED, out);
  write_waste(noun, &outcomes, LS_OUTCOME_LOST, out);
  ls_bytes_printf(out, "%-12s %zu\n", "chunks", timeline->decisions_count);
  if (metrics->utilisation_master > 0)
    ls_bytes_printf(out, "%-12s %.1f %%\n", "master busy", 100 * metrics->utilisation_master);
  if (metrics->utilisation_network > 0)
    ls_bytes_printf(out, "%-12s %.1f %%\n", "network", 100 * metrics->utilisation_network);
  if (metrics->utilisation_return > 0)
    ls_bytes_printf(out, "%-12s %.1f %%\n", "returns", 100 * metrics->utilisation_return);
}

static void write_eer(const struct ls_metrics *metrics, const struct ls_report_options *options,
                      struct ls_bytes *out) {
  if (isfinite(metrics->eer_s)) {
    ls_bytes_printf(out, "%-12s ", "EER");
    ls_report_number(metrics->eer_s, out);
    ls_bytes_append_text(out, " s (makespan / efficiency)\n");
  }
  if (options->perfect_workers == 0) return;
  ls_bytes_printf(out, "workers that would pay: %zu", options->perfect_workers);
  if (options->ideal_from < options->ideal_to)
    ls_bytes_printf(out, " (%zu to %zu nearly as good)", options->ideal_from, options->ideal_to);
  ls_bytes_printf(out, ", if %ss take as long as these did\n",
                  options->has_tasks ? "task" : "unit");
}

static bool has_staged(const struct ls_timeline *timeline,
                       const struct ls_worker_metrics *workers) {
  for (size_t i = 0; i < timeline->workers_count; i++)
    if (workers[i].stage_s > 0) return true;
  return false;
}

static void write_staging(const struct ls_worker_metrics *worker, struct ls_bytes *out) {
  ls_bytes_printf(out, " %9.4g", worker->stage_s);
  if (isnan(worker->hidden))
    ls_bytes_printf(out, " %7s", "");
  else
    ls_bytes_printf(out, " %6.1f%%", 100 * worker->hidden);
}

/* Columns that the labels take, with their blanks; 0: no worker has any. */
static size_t measure_labels(const struct ls_timeline *timeline) {
  const size_t heading = strlen("labels");
  size_t widest = 0;
  for (size_t i = 0; i < timeline->workers_count; i++) {
    const char *labels = timeline->workers[i].labels;
    size_t width = labels != NULL ? strlen(labels) : 0;
    if (width > widest) widest = width;
  }
  if (widest == 0) return 0;
  return 2 + (widest > heading ? widest : heading);
}

/* Which columns of seconds the width has room for, and how wide a name may be. */
struct layout {
  size_t name;
  bool has_present, has_idle;
};

/* A name of usual length goes before a column that the others nearly tell; a long one is cut. */
static struct layout share_width(const struct ls_timeline *timeline, size_t columns,
                                 bool is_staged) {
  const size_t least = 6, usual = 16, seconds = 11;
  struct layout layout = {.name = least, .has_present = true, .has_idle = true};
  size_t numbers = (has_prices(timeline) ? 68U : 57U) + (is_staged ? 18U : 0U), widest = least;
  numbers += measure_labels(timeline);
  for (size_t i = 0; i < timeline->workers_count; i++) {
    size_t width = ls_report_clean(timeline->workers[i].name, false, 0, NULL);
    if (width > widest) widest = width;
  }
  size_t wanted = widest < usual ? widest : usual;
  layout.has_idle = columns >= numbers + wanted;
  if (!layout.has_idle) numbers -= seconds;
  layout.has_present = columns >= numbers + wanted;
  if (!layout.has_present) numbers -= seconds;
  size_t most = columns > numbers + least ? columns - numbers : least;
  layout.name = widest < most ? widest : most;
  return layout;
}

static void write_workers(const struct ls_timeline *timeline,
                          const struct ls_report_options *options,
                          const struct ls_worker_metrics *workers, struct ls_bytes *out) {
  size_t columns = options->columns > 0 ? (size_t)options->columns : 80;
  bool is_staged = has_staged(timeline, workers);
  struct layout layout = share_width(timeline, columns, is_staged);
  ls_bytes_append_char(out, '\n');
  ls_report_pad("worker", true, layout.name, out);
  bool is_priced = has_prices(timeline);
  if (layout.has_present) ls_bytes_printf(out, " %10s", "present s");
  ls_bytes_printf(out, " %10s", "busy s");
  if (layout.has_idle) ls_bytes_printf(out, " %10s", "idle s");
  ls_bytes_printf(out, " %6s %7s %8s%s%s%s\n", "busy", "chunks",
                  options->has_tasks ? "tasks" : "units", is_staged ? "  staged s  hidden" : "",
                  is_priced ? "      price" : "", measure_labels(timeline) > 0 ? "  labels" : "");
  for (size_t i = 0; i < timeline->workers_count; i++) {
    const struct ls_worker_metrics *worker = &workers[i];
    double share = worker->up_s > 0 ? 100 * worker->busy_s / worker->up_s : 0;
    ls_report_pad(timeline->workers[i].name, options->is_ascii != 0, layout.name, out);
    if (layout.has_present) ls_bytes_printf(out, " %10.4g", worker->up_s);
    ls_bytes_printf(out, " %10.4g", worker->busy_s);
    if (layout.has_idle) ls_bytes_printf(out, " %10.4g", worker->idle_s);
    ls_bytes_printf(out, " %5.1f%% %7llu %8.7g", share, (unsigned long long)worker->chunks,
                    worker->units);
    if (is_staged) write_staging(worker, out);
    if (is_priced) ls_bytes_printf(out, " %10.4g", worker->price);
    if (timeline->workers[i].labels != NULL) {
      ls_bytes_append_text(out, "  ");
      ls_report_clean(timeline->workers[i].labels, options->is_ascii, 0, out);
    }
    ls_bytes_append_char(out, '\n');
  }
}

static void write_summary(const struct ls_timeline *timeline,
                          const struct ls_report_options *options, struct ls_bytes *out) {
  struct ls_metrics metrics;
  struct ls_worker_metrics *workers = calloc(timeline->workers_count + 1, sizeof *workers);
  if (workers == NULL) {
    out->failed = true;
    return;
  }
  ls_metrics_of(timeline, &metrics, workers);
  if (options->title != NULL && options->title[0] != '\0') {
    ls_report_clean(options->title, options->is_ascii != 0, 0, out);
    ls_bytes_append_text(out, "\n\n");
  }
  write_totals(timeline, options, &metrics, workers, out);
  if (has_prices(timeline))
    ls_bytes_printf(out, "%-12s %.6g (cost x seconds up)\n", "price", metrics.price);
  write_eer(&metrics, options, out);
  if (options->comparison != NULL) ls_report_comparison(options->comparison, out);
  bool is_shown = options->comparison != NULL && options->comparison->has_happened;
  if (options->account != NULL && !is_shown) ls_report_account(options->account, out);
  if (options->waits != NULL) ls_report_waits(options->waits, timeline, out);
  if (timeline->workers_count > 0) write_workers(timeline, options, workers, out);
  free(workers);
}

const struct ls_report_format ls_report_summary = {
    .name = "summary",
    .summary = "totals and a table of the workers, for people",
    .write = write_summary,
};
