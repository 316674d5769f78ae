#include "cli/top_view.h"

#include <stdlib.h>
#include <string.h>

enum { BAR = 30, HEAD_ROWS = 6, NAME_WIDTH = 18 };

/* What is longer than a row is cut; characters of more than one byte count as one. */
static void end_row(const struct ls_top_view *view, struct ls_bytes *row, struct ls_bytes *out) {
  const char *text = ls_bytes_text(row);
  size_t width = 0, length = 0;
  for (; text[length] != '\0'; length++) {
    if (((unsigned char)text[length] & 0xc0) == 0x80) continue;
    if (++width > view->columns) break;
  }
  ls_bytes_append(out, text, length);
  ls_bytes_append_char(out, '\n');
  out->failed |= row->failed;
  ls_bytes_clear(row);
}

static uint64_t count_left(const struct ls_top_facts *facts) {
  return facts->units - facts->done - facts->failed - facts->abandoned;
}

static void write_duration(double seconds, struct ls_bytes *out) {
  if (seconds < 99.5)
    ls_bytes_printf(out, "%.3g s", seconds);
  else if (seconds < 5970)
    ls_bytes_printf(out, "%.2g min", seconds / 60);
  else
    ls_bytes_printf(out, "%.3g h", seconds / 3600);
}

static void write_counts(const struct ls_top_facts *facts, struct ls_bytes *out) {
  uint64_t left = count_left(facts);
  ls_bytes_printf(out, "%llu of %llu done, %llu failed, %llu left", (unsigned long long)facts->done,
                  (unsigned long long)facts->units,
                  (unsigned long long)(facts->failed + facts->abandoned), (unsigned long long)left);
  if (strcmp(facts->state, "running") != 0 || left == 0 || !(facts->rate > 0)) return;
  ls_bytes_printf(out, ", %.3g/s, about ", facts->rate);
  write_duration((double)left / facts->rate, out);
  ls_bytes_append_text(out, " left");
}

void ls_top_view_line(const struct ls_top_facts *facts, struct ls_bytes *out) {
  ls_bytes_printf(out, "%.1f s: %s, ", facts->now_s, facts->state);
  write_counts(facts, out);
  ls_bytes_printf(out, ", %zu of %zu workers busy\n", facts->busy, facts->present);
}

static void write_head(const struct ls_top_view *view, const struct ls_top_facts *facts,
                       struct ls_bytes *out) {
  struct ls_bytes row = {0};
  uint64_t units = facts->units > 0 ? facts->units : 1;
  size_t good = (size_t)((double)BAR * (double)facts->done / (double)units);
  size_t bad =
      (size_t)((double)BAR * (double)(facts->failed + facts->abandoned) / (double)units + 0.999);
  if (good + bad > BAR) bad = BAR - good;
  ls_bytes_printf(&row, "%s  (%s, %.1f s)", facts->command, facts->state, facts->now_s);
  end_row(view, &row, out);
  ls_bytes_append_char(&row, '[');
  for (size_t i = 0; i < BAR; i++)
    ls_bytes_append_char(&row, i < good ? '#' : i < good + bad ? 'x' : '.');
  ls_bytes_append_text(&row, "] ");
  write_counts(facts, &row);
  end_row(view, &row, out);
  ls_bytes_printf(&row, "workers: %zu there, %zu busy", facts->present, facts->busy);
  if (facts->p90_s > 0) ls_bytes_printf(&row, "; 9 of 10 tasks take at most %.3g s", facts->p90_s);
  end_row(view, &row, out);
  ls_bytes_append_text(&row, "sent:");
  for (size_t i = 0; i < facts->latest_count; i++) {
    uint64_t worker = facts->latest[i].worker;
    ls_bytes_printf(&row, "%s chunk %llu, %llu to %s", i > 0 ? ";" : "",
                    (unsigned long long)facts->latest[i].chunk,
                    (unsigned long long)facts->latest[i].units,
                    worker < facts->workers_count ? facts->workers[worker].name : "?");
  }
  end_row(view, &row, out);
  end_row(view, &row, out);
  ls_bytes_close(&row);
}

static double idle_of(const struct ls_top_worker *worker) {
  double idle = worker->present_s > 0 ? 1 - worker->seconds / worker->present_s : 0;
  return idle > 0 ? idle : 0;
}

static void write_worker(const struct ls_top_view *view, const struct ls_top_facts *facts,
                         const struct ls_top_worker *worker, struct ls_bytes *out) {
  static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static const char plain[] = " .:-=+*%#";
  struct ls_bytes row = {0};
  bool is_slow = worker->is_busy && facts->p90_s > 0 && worker->age_s > facts->p90_s;
  ls_bytes_printf(&row, "%-*.*s ", NAME_WIDTH, NAME_WIDTH, worker->name);
  if (worker->is_busy)
    ls_bytes_printf(&row, "%10llu %s%8.1f s%s", (unsigned long long)worker->task,
                    worker->is_first ? "~" : " ", worker->age_s, is_slow ? "!" : " ");
  else
    ls_bytes_printf(&row, "%10s %9s   ", worker->is_there ? "idle" : "gone", "");
  ls_bytes_printf(&row, "%8llu", (unsigned long long)worker->tasks);
  if (worker->tasks > 0)
    ls_bytes_printf(&row, " %9.3g", worker->seconds / (double)worker->tasks);
  else
    ls_bytes_printf(&row, " %9s", "");
  ls_bytes_printf(&row, " %5.0f%%  ", 100 * idle_of(worker));
  for (size_t i = 0; i < LS_TOP_COURSE; i++) {
    size_t level = (size_t)(worker->course[i] < 1 ? 8 * worker->course[i] + 0.5 : 8);
    if (view->is_ascii)
      ls_bytes_append_char(&row, plain[level]);
    else
      ls_bytes_append_text(&row, blocks[level]);
  }
  if (is_slow && view->has_colour) ls_bytes_append_text(out, "\033[31m");
  end_row(view, &row, out);
  if (is_slow && view->has_colour) ls_bytes_append_text(out, "\033[0m");
  ls_bytes_close(&row);
}

static int compare_numbers(double a, double b) {
  return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_ages(const void *left, const void *right) {
  const struct ls_top_worker *const *a = left, *const *b = right;
  int order = compare_numbers((*a)->age_s, (*b)->age_s);
  return order != 0 ? order : *a < *b ? -1 : *a > *b;
}

static int compare_idle(const void *left, const void *right) {
  const struct ls_top_worker *const *a = left, *const *b = right;
  int order = compare_numbers(idle_of(*a), idle_of(*b));
  return order != 0 ? order : *a < *b ? -1 : *a > *b;
}

static void write_workers(const struct ls_top_view *view, const struct ls_top_facts *facts,
                          struct ls_bytes *out) {
  struct ls_bytes row = {0};
  const struct ls_top_worker **order = calloc(facts->workers_count + 1, sizeof(*order));
  if (order == NULL) {
    out->failed = true;
    return;
  }
  for (size_t i = 0; i < facts->workers_count; i++) order[i] = &facts->workers[i];
  if (view->order != LS_TOP_BY_NUMBER)
    qsort(order, facts->workers_count, sizeof(*order),
          view->order == LS_TOP_BY_AGE ? compare_ages : compare_idle);
  ls_bytes_printf(&row, "%-*s %10s %11s %8s %9s %6s  of late", NAME_WIDTH, "worker", "task", "for",
                  "done", "s each", "idle");
  end_row(view, &row, out);
  size_t room = view->rows == 0               ? facts->workers_count
                : view->rows > HEAD_ROWS + 1U ? view->rows - HEAD_ROWS - 1
                                              : 1;
  for (size_t i = view->first; i < facts->workers_count && i - view->first < room; i++)
    write_worker(view, facts, order[i], out);
  ls_bytes_close(&row);
  free(order);
}

void ls_top_view_write(const struct ls_top_view *view, const struct ls_top_facts *facts,
                       struct ls_bytes *out) {
  struct ls_bytes row = {0};
  if (view->wants_help) {
    static const char *const lines[] = {
        "j, k   the workers below, above",
        "s      order: number, age of the task, idle",
        "q      leave; the run goes on",
        "^L     draw again",
        "?      this, or the run again",
        "",
        "! at a time: longer than 9 of 10 tasks took; ~ before it: since the task was sent"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
      ls_bytes_append_text(&row, lines[i]);
      end_row(view, &row, out);
    }
  } else {
    write_head(view, facts, out);
    write_workers(view, facts, out);
  }
  ls_bytes_close(&row);
}
