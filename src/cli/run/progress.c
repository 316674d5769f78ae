#include "cli/run/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_S 0.1
#define RECKON_S 1.0
enum { COLUMNS_OTHERWISE = 80, BAR_MAX = 40, BAR_MIN = 5 };

void ls_progress_init(struct ls_progress *progress, bool is_wanted, struct ls_writer *writer) {
  const char *terminal = getenv("TERM");
  bool can_draw = terminal == NULL || strcmp(terminal, "dumb") != 0;
  *progress = (struct ls_progress){.writer = writer,
                                   .is_on = is_wanted && can_draw && isatty(STDERR_FILENO) == 1};
}

static uint64_t count_settled(const struct ls_coordinator_totals *totals) {
  return totals->done + totals->failed + totals->given_up;
}

static void append_time(double seconds, struct ls_bytes *out) {
  if (!(seconds < 1e7)) {
    ls_bytes_append_text(out, "--:--");
    return;
  }
  unsigned long whole = (unsigned long)ceil(seconds);
  if (whole >= 3600)
    ls_bytes_printf(out, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
  else
    ls_bytes_printf(out, "%lu:%02lu", whole / 60, whole % 60);
}

static const struct {
  double seconds;
  const char *name;
} scales[] = {{1, "s"}, {60, "min"}, {3600, "h"}, {86400, "days"}};

/* Seconds below 100, then minutes, and so on. */
void ls_progress_write_interval(double least_s, double most_s, struct ls_bytes *out) {
  char least[32], most[32];
  size_t scale = 0, scales_count = sizeof scales / sizeof *scales;
  while (scale + 1 < scales_count && most_s >= 99.5 * scales[scale].seconds) scale++;
  (void)snprintf(least, sizeof least, least_s < 99.5 * scales[scale].seconds ? "%.2g" : "%.0f",
                 least_s / scales[scale].seconds);
  (void)snprintf(most, sizeof most, most_s < 99.5 * scales[scale].seconds ? "%.2g" : "%.0f",
                 most_s / scales[scale].seconds);
  if (strcmp(least, most) != 0) ls_bytes_printf(out, "%s to ", least);
  ls_bytes_printf(out, "%s %s", most, scales[scale].name);
}

void ls_progress_note(struct ls_progress *progress, const struct ls_master_timed *timed) {
  if (!progress->is_on) return;
  ls_time_record_add(&progress->times, timed->slot, timed->units, timed->seconds, timed->now_s);
}

void ls_progress_reckon(struct ls_progress *progress, const struct ls_master_progress *facts) {
  if (progress->left_s > 0 && facts->now_s - progress->left_s < RECKON_S) return;
  progress->left = (struct ls_time_left){.is_known = false};
  progress->left_s = facts->now_s;
  struct ls_time_left_worker *workers = calloc(facts->present_count + 1, sizeof *workers);
  if (workers == NULL) return;
  for (size_t i = 0; i < facts->present_count; i++) {
    const struct ls_master_present *present = &facts->present[i];
    workers[i] = (struct ls_time_left_worker){
        .worker = present->slot,
        .running_s = present->has_units ? fmax(facts->now_s - present->since_s, 0) : -1};
  }
  const struct ls_time_left_state state = {
      .record = &progress->times,
      .now_s = facts->now_s,
      .units_left = facts->totals.units - count_settled(&facts->totals),
      .workers = workers,
      .workers_count = facts->present_count};
  /* Without memory the line says what the rate says. */
  (void)!ls_time_left_find(&state, &progress->left, NULL);
  free(workers);
}

static void write_left(const struct ls_progress *progress, const struct ls_master_progress *facts,
                       double rate, struct ls_bytes *out) {
  const struct ls_time_left *left = &progress->left;
  double gone_s = facts->now_s - progress->left_s;
  if (left->is_known) {
    ls_bytes_append_text(out, "left ");
    ls_progress_write_interval(fmax(left->least_s - gone_s, 0), fmax(left->most_s - gone_s, 0),
                               out);
    return;
  }
  uint64_t settled = count_settled(&facts->totals);
  append_time(rate > 0 ? (double)(facts->totals.units - settled) / rate : (double)INFINITY, out);
  ls_bytes_append_text(out, " left");
}

void ls_progress_line(const struct ls_progress *progress, const struct ls_master_progress *facts,
                      size_t columns, struct ls_bytes *out) {
  const struct ls_coordinator_totals *totals = &facts->totals;
  uint64_t settled = count_settled(totals);
  double elapsed_s = facts->now_s - progress->began_s;
  double rate = elapsed_s > 0 ? (double)(settled - progress->settled_at_first) / elapsed_s : 0;
  /* Tasks that were sent also wait at the workers; each runs one task at a time. */
  uint64_t running =
      totals->sent < totals->workers_present ? totals->sent : totals->workers_present;
  struct ls_bytes words = {0};
  ls_bytes_printf(&words, " %llu/%llu done, %llu running, %llu failed, %.3g/s, ",
                  (unsigned long long)settled, (unsigned long long)totals->units,
                  (unsigned long long)running,
                  (unsigned long long)(totals->failed + totals->given_up), rate);
  write_left(progress, facts, rate, &words);
  if (ls_sum_value(&facts->efficiency.up_s) > 0)
    ls_bytes_printf(&words, ", efficiency %.0f %%", 100 * ls_efficiency_value(&facts->efficiency));
  bool is_short = facts->explanation != NULL && facts->explanation[0] != '\0';
  if (is_short) ls_bytes_printf(&words, "; %s", facts->explanation);
  size_t bar = columns > words.length + 2 ? columns - words.length - 2 : 0;
  if (bar > BAR_MAX) bar = BAR_MAX;
  if (bar >= BAR_MIN && totals->units > 0) {
    size_t full = (size_t)((double)bar * (double)settled / (double)totals->units);
    ls_bytes_append_char(out, '[');
    for (size_t i = 0; i < bar; i++) ls_bytes_append_char(out, i < full ? '#' : '.');
    ls_bytes_append_char(out, ']');
  }
  size_t room = columns > out->length ? columns - out->length : 0;
  ls_bytes_append(out, ls_bytes_text(&words), words.length < room ? words.length : room);
  ls_bytes_close(&words);
}

static size_t find_columns(void) {
  struct winsize size;
  bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return is_known ? size.ws_col - 1u : COLUMNS_OTHERWISE - 1u;
}

/* A terminal that is gone is no reason to end the run. */
static void draw(struct ls_progress *progress, const char *text, size_t length) {
  enum ls_status status = ls_writer_add(progress->writer, LS_WRITER_ERROR, text, length, NULL);
  if (status == LS_OK) status = ls_writer_attend(progress->writer, NULL);
  if (status != LS_OK) progress->is_on = false;
}

void ls_progress_show(struct ls_progress *progress, const struct ls_master_progress *facts) {
  if (!progress->has_begun) {
    progress->has_begun = true;
    progress->began_s = facts->now_s;
    progress->settled_at_first = count_settled(&facts->totals);
    progress->drawn_s = (double)-INFINITY;
  }
  if (!progress->is_on || facts->now_s - progress->drawn_s < REDRAW_S) return;
  if (ls_writer_left(progress->writer) < ls_writer_given(progress->writer)) return;
  ls_progress_reckon(progress, facts);
  struct ls_bytes line = {0};
  ls_bytes_append_text(&line, "\r");
  struct ls_bytes words = {0};
  ls_progress_line(progress, facts, find_columns(), &words);
  ls_bytes_append(&line, ls_bytes_text(&words), words.length);
  ls_bytes_append_text(&line, "\033[K");
  draw(progress, ls_bytes_text(&line), line.length);
  ls_bytes_close(&words);
  ls_bytes_close(&line);
  progress->drawn_s = facts->now_s;
  progress->is_drawn = true;
}

void ls_progress_hide(struct ls_progress *progress) {
  if (!progress->is_drawn) return;
  progress->is_drawn = false;
  progress->drawn_s = (double)-INFINITY;
  static const char blank[] = "\r\033[K";
  draw(progress, blank, sizeof blank - 1);
}

void ls_progress_close(struct ls_progress *progress) {
  ls_time_record_close(&progress->times);
}
