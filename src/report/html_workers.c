/* html_workers.c: what each worker did, as a table that the script can sort. */
#include <math.h>
#include <stdlib.h>

#include "base/student.h"
#include "model/metrics.h"
#include "report/page_private.h"
#include "report/text_private.h"

/* Of the units that counted, one by one as far as spans tell them apart. */
struct times {
  double units, spans, sum_s, mean_s, squares, wasted_s;
  uint32_t peak_kib;
};

static void add_span(struct times *times, const struct ls_span *span) {
  double seconds = span->end_s - span->start_s;
  if (span->peak_kib > times->peak_kib) times->peak_kib = span->peak_kib;
  if (span->is_running) return;
  if (span->outcome != LS_OUTCOME_DONE) times->wasted_s += seconds;
  if (span->outcome != LS_OUTCOME_DONE || span->units == 0) return;
  double each_s = seconds / (double)span->units, before_s = times->mean_s;
  times->units += (double)span->units;
  times->sum_s += seconds;
  times->spans++;
  times->mean_s += (each_s - before_s) / times->spans;
  times->squares += (each_s - before_s) * (each_s - times->mean_s);
}

/* The mean, and how far the true one may be from it: Student's 90 %. */
static void write_times(const struct ls_page *page, const struct times *times) {
  if (!(times->units > 0)) {
    ls_bytes_append_text(page->out, "<td data-s=\"-1\"></td>");
    return;
  }
  ls_bytes_printf(page->out, "<td data-s=\"%.17g\">", times->sum_s / times->units);
  ls_report_number(times->sum_s / times->units, page->out);
  if (times->spans >= 2) {
    uint64_t freedom = (uint64_t)times->spans - 1;
    double deviation_s = sqrt(times->squares / (double)freedom / times->spans);
    ls_bytes_printf(page->out, " &#177; %.2g",
                    deviation_s * ls_student_quantile(0.95, freedom < 1000 ? freedom : 1000));
  }
  ls_bytes_append_text(page->out, "</td>");
}

static void write_worker(const struct ls_page *page, size_t i,
                         const struct ls_worker_metrics *worker, const struct times *times) {
  ls_bytes_append_text(page->out, "<tr>");
  ls_page_cell(page, page->timeline->workers[i].name);
  ls_page_number(page, worker->up_s);
  ls_page_number(page, worker->busy_s);
  ls_page_number(page, times->wasted_s);
  ls_page_number(page, worker->idle_s);
  ls_page_number(page, worker->up_s > 0 ? 100 * worker->busy_s / worker->up_s : 0);
  ls_page_number(page, (double)worker->chunks);
  ls_page_number(page, worker->units);
  write_times(page, times);
  if (times->peak_kib > 0)
    ls_page_number(page, (double)times->peak_kib / 1024);
  else
    ls_bytes_append_text(page->out, "<td data-s=\"-1\"></td>");
  ls_bytes_append_text(page->out, "</tr>\n");
}

void ls_page_workers(const struct ls_page *page) {
  const struct ls_timeline *timeline = page->timeline;
  struct ls_metrics metrics;
  struct ls_worker_metrics *workers = calloc(timeline->workers_count + 1, sizeof *workers);
  struct times *times = calloc(timeline->workers_count + 1, sizeof *times);
  if (workers == NULL || times == NULL) {
    page->out->failed = true;
  } else {
    ls_metrics_of(timeline, &metrics, workers);
    for (size_t i = 0; i < timeline->spans_count; i++) {
      const struct ls_span *span = &timeline->spans[i];
      if (span->worker < timeline->workers_count && span->resource == LS_RESOURCE_WORKER &&
          span->operation == LS_OPERATION_COMPUTE)
        add_span(&times[span->worker], span);
    }
    ls_bytes_printf(page->out,
                    "<section id=\"workers\"><h2>Workers</h2>\n<table class=\"sortable\"><thead>"
                    "<tr><th>worker</th><th>present, s</th><th>busy, s</th><th>wasted, s</th>"
                    "<th>idle, s</th><th>busy, %%</th><th>chunks</th><th>%ss</th><th>s per %s</th>"
                    "<th>memory, MiB</th></tr></thead><tbody>\n",
                    page->noun, page->noun);
    for (size_t i = 0; i < timeline->workers_count; i++)
      if (!timeline->workers[i].is_untaken) write_worker(page, i, &workers[i], &times[i]);
    ls_bytes_printf(page->out,
                    "</tbody></table>\n<p class=\"note\">Efficiency: %.1f %%. Seconds per %s: the "
                    "mean, and a 90 %% interval for it.</p></section>\n",
                    100 * metrics.efficiency, page->noun);
  }
  free(times);
  free(workers);
}
