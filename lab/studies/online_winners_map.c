/* online_winners_map.c: which policy wins where, as tables and as a grid of coloured tiles. */
#include <stdio.h>
#include <string.h>

#include "lab/studies/online_winners.h"

enum {
  ROWS = LS_TRIAL_SPEEDS * LS_TRIAL_LAWS * LS_TRIAL_LATENCIES,
  COLUMNS = LS_TRIAL_PREFETCHES * LS_TRIAL_LOADS,
  TILE_WIDTH = 72,
  TILE_HEIGHT = 18,
  LEFT = 204,
  TOP = 94
};

static const char *const laws[] = {"constant", "gamma", "exponential", "bimodal", "ramp-down"};
static const char *const latencies[] = {"0", "0.1", "1"};
static const char *const prefetches[] = {"0", "1", "2", "16"};

/* The inverse of ls_trial_cell: rows go by speeds, law, latency; columns by prefetch, load. */
static size_t find_number(size_t row, size_t column) {
  size_t speeds = row / (LS_TRIAL_LAWS * LS_TRIAL_LATENCIES);
  size_t law = row / LS_TRIAL_LATENCIES % LS_TRIAL_LAWS;
  size_t latency = row % LS_TRIAL_LATENCIES;
  size_t prefetch = column / LS_TRIAL_LOADS, load = column % LS_TRIAL_LOADS;
  return speeds +
         LS_TRIAL_SPEEDS *
             (law + LS_TRIAL_LAWS *
                        (latency + LS_TRIAL_LATENCIES * (prefetch + LS_TRIAL_PREFETCHES * load)));
}

/* One colour for each kin of policies; the first prefix that fits. */
static const char *find_colour(const char *label) {
  static const struct {
    const char *prefix, *colour;
  } kins[] = {{"ss", "#56B4E9"},   {"sc", "#BBBBBB"},      {"fsc", "#66CCAA"},  {"mfsc", "#66CCAA"},
              {"gss", "#E69F00"},  {"tss", "#E69F00"},     {"tfss", "#E69F00"}, {"fac", "#D2A679"},
              {"bold", "#D2A679"}, {"wf", "#8FCB5B"},      {"awf", "#8FCB5B"},  {"af", "#CC79A7"},
              {"rumr", "#F0E442"}, {"monitor", "#E8836B"}, {"", "#DDDDDD"}};
  size_t i = 0;
  while (strncmp(label, kins[i].prefix, strlen(kins[i].prefix)) != 0) i++;
  return kins[i].colour;
}

static void print_head(const char *indent, struct ls_study_report *report) {
  ls_study_print(report, "%s%-19s", indent, "prefetch");
  for (size_t column = 0; column < COLUMNS; column++) {
    bool is_first = column % LS_TRIAL_LOADS == 0;
    ls_study_print(report, " %-7s", is_first ? prefetches[column / LS_TRIAL_LOADS] : "");
  }
  ls_study_print(report, "\n%s%-19s", indent, "law, latency / load");
  for (size_t column = 0; column < COLUMNS; column++) {
    ls_study_print(report, " %-7s", ls_trial_load_names[column % LS_TRIAL_LOADS]);
  }
  ls_study_print(report, "\n");
}

static void print_rows(const struct ls_winners *winners, bool knows_speeds,
                       struct ls_study_report *report) {
  enum { ROWS_EACH = LS_TRIAL_LAWS * LS_TRIAL_LATENCIES };
  for (size_t row = 0; row < ROWS; row++) {
    if (row % ROWS_EACH == 0) {
      ls_study_print(report, "speeds %s\n", ls_trial_speed_names[row / ROWS_EACH]);
      print_head("  ", report);
    }
    ls_study_print(report, "  %-12s %-6s", laws[row / LS_TRIAL_LATENCIES % LS_TRIAL_LAWS],
                   latencies[row % LS_TRIAL_LATENCIES]);
    for (size_t column = 0; column < COLUMNS; column++) {
      size_t number = find_number(row, column);
      const char *label = ".";
      if (ls_winners_has(winners, number)) {
        label = ls_winners_entries[ls_winners_best(winners, number, knows_speeds)].label;
      }
      ls_study_print(report, " %-7.7s", label);
    }
    ls_study_print(report, "\n");
  }
  ls_study_print(report, "\n");
}

static void write_text(struct ls_bytes *svg, size_t x, size_t y, const char *text) {
  ls_bytes_printf(svg, "<text x=\"%zu\" y=\"%zu\">%s</text>\n", x, y, text);
}

static void write_labels(struct ls_bytes *svg) {
  char text[96];
  write_text(svg, 8, TOP - 24, "speeds, law of task times,");
  write_text(svg, 8, TOP - 8, "latency in mean task times");
  for (size_t column = 0; column < COLUMNS; column++) {
    size_t x = LEFT + column * TILE_WIDTH + 4;
    (void)snprintf(text, sizeof text,
                   "prefetch %s units; load by others:", prefetches[column / LS_TRIAL_LOADS]);
    if (column % LS_TRIAL_LOADS == 0) write_text(svg, x, TOP - 24, text);
    write_text(svg, x, TOP - 8, ls_trial_load_names[column % LS_TRIAL_LOADS]);
  }
  for (size_t row = 0; row < ROWS; row++) {
    size_t speeds = row / (LS_TRIAL_LAWS * LS_TRIAL_LATENCIES);
    (void)snprintf(text, sizeof text, "%s, %s, latency %s", ls_trial_speed_names[speeds],
                   laws[row / LS_TRIAL_LATENCIES % LS_TRIAL_LAWS],
                   latencies[row % LS_TRIAL_LATENCIES]);
    write_text(svg, 8, TOP + row * TILE_HEIGHT + 13, text);
  }
}

static void write_tile(struct ls_bytes *svg, const struct ls_winners *winners, size_t row,
                       size_t column, bool knows_speeds) {
  size_t number = find_number(row, column);
  if (!ls_winners_has(winners, number)) return;
  size_t best = ls_winners_best(winners, number, knows_speeds);
  const char *label = ls_winners_entries[best].label;
  size_t x = LEFT + column * TILE_WIDTH, y = TOP + row * TILE_HEIGHT;
  ls_bytes_printf(svg,
                  "<rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" fill=\"%s\" "
                  "stroke=\"#FFFFFF\"><title>%s: %.3f of the bound</title></rect>\n",
                  x, y, (int)TILE_WIDTH, (int)TILE_HEIGHT, find_colour(label), label,
                  ls_winners_ratio(winners, number, best));
  write_text(svg, x + 4, y + 13, label);
}

static void draw_map(const struct ls_winners *winners, bool knows_speeds, const char *file,
                     struct ls_study_report *report) {
  struct ls_bytes svg = {0};
  size_t width = LEFT + COLUMNS * TILE_WIDTH + 8, height = TOP + ROWS * TILE_HEIGHT + 8;
  ls_bytes_printf(&svg,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
                  "viewBox=\"0 0 %zu %zu\" font-family=\"sans-serif\" font-size=\"11\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#FFFFFF\"/>\n",
                  width, height, width, height);
  ls_bytes_printf(&svg,
                  "<text x=\"8\" y=\"22\" font-size=\"15\" font-weight=\"bold\">Loadstar, "
                  "docs/theory/online.md, 9: which policy wins where, %zu workers, speeds "
                  "%s</text>\n"
                  "<text x=\"8\" y=\"42\" fill=\"#555\">1024 tasks; a tile names the policy of the "
                  "least mean makespan, its colour the kin of the policy; awf-c-0: without the "
                  "speeds, monitor-5: 5 benchmark tasks</text>\n",
                  winners->workers, knows_speeds ? "known" : "not known");
  write_labels(&svg);
  for (size_t row = 0; row < ROWS; row++) {
    for (size_t column = 0; column < COLUMNS; column++) {
      write_tile(&svg, winners, row, column, knows_speeds);
    }
  }
  ls_bytes_append_text(&svg, "</svg>\n");
  ls_study_draw(report, file, &svg);
}

void ls_winners_map(const struct ls_winners *winners, bool knows_speeds, const char *file,
                    struct ls_study_report *report) {
  ls_study_print(report, "The best of each scenario, %zu workers, speeds %s\n", winners->workers,
                 knows_speeds ? "known" : "not known");
  print_rows(winners, knows_speeds, report);
  draw_map(winners, knows_speeds, file, report);
}
