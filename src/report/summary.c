/* summary.c: what a run was worth, as a table for people. */
#include <math.h>
#include <stdlib.h>

#include "model/eer.h"
#include "model/metrics.h"
#include "report/report.h"
#include "report/text_private.h"

/* Units and seconds by mark, over all compute spans. */
struct marks {
  double units[LS_SPAN_LOST + 1], seconds[LS_SPAN_LOST + 1];
  size_t spans[LS_SPAN_LOST + 1];
};

static void count_marks(const struct ls_timeline *timeline, struct marks *marks) {
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->operation != LS_OPERATION_COMPUTE) continue;
    marks->units[span->mark] += (double)span->units;
    marks->seconds[span->mark] += span->end_s - span->start_s;
    marks->spans[span->mark]++;
  }
}

static void write_waste(const char *label, const struct marks *marks, enum ls_span_mark mark,
                        struct ls_bytes *out) {
  if (marks->spans[mark] == 0) return;
  ls_bytes_printf(out, "%-12s %.6g units tried in vain, %.4g s\n", label, marks->units[mark],
                  marks->seconds[mark]);
}

static void write_totals(const struct ls_timeline *timeline, const struct ls_metrics *metrics,
                         const struct ls_worker_metrics *workers, struct ls_bytes *out) {
  struct marks marks = {0};
  double units = 0;
  count_marks(timeline, &marks);
  for (size_t i = 0; i < timeline->workers_count; i++) units += workers[i].units;
  ls_bytes_printf(out, "%-12s %.6g s\n", "makespan", metrics->makespan_s);
  ls_bytes_printf(out, "%-12s %.1f %%\n", "efficiency", 100 * metrics->efficiency);
  ls_bytes_printf(out, "%-12s %.10g\n", "units done", units);
  write_waste("failed", &marks, LS_SPAN_FAILED, out);
  write_waste("lost", &marks, LS_SPAN_LOST, out);
  ls_bytes_printf(out, "%-12s %zu\n", "chunks", timeline->decisions_count);
  if (metrics->utilisation_master > 0)
    ls_bytes_printf(out, "%-12s %.1f %%\n", "master busy", 100 * metrics->utilisation_master);
  if (metrics->utilisation_network > 0)
    ls_bytes_printf(out, "%-12s %.1f %%\n", "network", 100 * metrics->utilisation_network);
  if (metrics->utilisation_return > 0)
    ls_bytes_printf(out, "%-12s %.1f %%\n", "returns", 100 * metrics->utilisation_return);
}

/* Beyond so many tasks the curve over the numbers of workers costs more than asp tells. */
enum { CURVE_TASKS_MAX = 300 };

/* Seconds of the tasks that counted, one entry per unit; their number. */
static size_t gather_tasks(const struct ls_timeline *timeline, double *seconds, size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->operation != LS_OPERATION_COMPUTE || span->mark != LS_SPAN_GOOD) continue;
    for (uint64_t j = 0; j < span->units; j++, count++) {
      if (count < most) seconds[count] = (span->end_s - span->start_s) / (double)span->units;
    }
  }
  return count;
}

/* How many equal workers these tasks could use as one batch. */
static void write_curve(const double *tasks, size_t count, struct ls_bytes *out) {
  struct ls_eer_point points[CURVE_TASKS_MAX];
  struct ls_list_setup setup = {.work = tasks, .tasks = count, .workers = count};
  if (ls_eer_curve(&setup, points, NULL) != LS_OK) return;
  size_t perfect = ls_eer_perfect(points, count), first = perfect, last = perfect;
  while (first > 0 && ls_eer_is_ideal(&points[first - 1], &points[perfect])) first--;
  while (last + 1 < count && ls_eer_is_ideal(&points[last + 1], &points[perfect])) last++;
  ls_bytes_printf(out, "%-12s %zu for these tasks as one batch, ideal %zu to %zu (asp %.3g)\n",
                  "perfect", points[perfect].workers, points[first].workers, points[last].workers,
                  ls_task_asp(tasks, count));
}

static void write_eer(const struct ls_timeline *timeline, const struct ls_metrics *metrics,
                      struct ls_bytes *out) {
  double tasks[CURVE_TASKS_MAX];
  if (isfinite(metrics->eer_s)) {
    ls_bytes_printf(out, "%-12s %.6g s (makespan / efficiency)\n", "EER", metrics->eer_s);
  }
  size_t count = gather_tasks(timeline, tasks, CURVE_TASKS_MAX);
  if (count >= 1 && count <= CURVE_TASKS_MAX) write_curve(tasks, count, out);
}

/* The widest name, within what leaves room for the numbers. */
static size_t measure_names(const struct ls_timeline *timeline, size_t columns) {
  const size_t numbers = 57, least = 6;
  size_t most = columns > numbers + least ? columns - numbers : least, widest = least;
  for (size_t i = 0; i < timeline->workers_count; i++) {
    struct ls_bytes name = {0};
    size_t width = ls_report_clean(timeline->workers[i].name, false, 0, &name);
    ls_bytes_close(&name);
    if (width > widest) widest = width;
  }
  return widest < most ? widest : most;
}

static void write_workers(const struct ls_timeline *timeline,
                          const struct ls_report_options *options,
                          const struct ls_worker_metrics *workers, struct ls_bytes *out) {
  size_t columns = options->columns > 0 ? (size_t)options->columns : 80;
  size_t width = measure_names(timeline, columns);
  ls_bytes_append_char(out, '\n');
  ls_report_pad("worker", true, width, out);
  ls_bytes_printf(out, " %10s %10s %10s %6s %7s %8s\n", "present s", "busy s", "idle s", "busy",
                  "chunks", "units");
  for (size_t i = 0; i < timeline->workers_count; i++) {
    const struct ls_worker_metrics *worker = &workers[i];
    double share = worker->up_s > 0 ? 100 * worker->busy_s / worker->up_s : 0;
    ls_report_pad(timeline->workers[i].name, options->is_ascii != 0, width, out);
    ls_bytes_printf(out, " %10.4g %10.4g %10.4g %5.1f%% %7llu %8.7g\n", worker->up_s,
                    worker->busy_s, worker->idle_s, share, (unsigned long long)worker->chunks,
                    worker->units);
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
  write_totals(timeline, &metrics, workers, out);
  write_eer(timeline, &metrics, out);
  if (timeline->workers_count > 0) write_workers(timeline, options, workers, out);
  free(workers);
}

const struct ls_report_format ls_report_summary = {
    .name = "summary",
    .summary = "totals and a table of the workers, for people",
    .write = write_summary,
};
