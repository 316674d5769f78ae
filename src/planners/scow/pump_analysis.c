/* pump_analysis.c: periods in which workers and master are used perfectly (PUMP).
 *
 * Reference:  delatorre2009, Theorems 9 and 10, in the corrected form of docs/theory/scow.md, 3.3.
 * Assumes:    sending and computing overlap.
 * Answers:    the pairs (workers, period) of perfect utilization, and how many workers are full in
 *             every period; not applicable as scow.
 * Cost:       O(d p log p) for d different latencies of computing.
 * Symbols:    i -> workers, T_i -> periods, q(T) -> full_workers.
 */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "planners/analysis.h"
#include "planners/scow/scow_cells.h"
#include "planners/scow/scow_star.h"

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, NULL, why);
}

static enum ls_status tell_pairs(const struct ls_scow_star *star, struct ls_findings *findings,
                                 struct ls_error *err) {
  double *periods = calloc(star->count, sizeof *periods);
  uint32_t *workers = calloc(star->count, sizeof *workers);
  size_t count = 0;
  enum ls_status status = LS_OK;
  if (periods == NULL || workers == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu periods", star->count);
  } else {
    ls_scow_pump(star, periods);
    for (size_t i = 0; i < star->count; i++) {
      if (isnan(periods[i])) continue;
      workers[count] = (uint32_t)i + 1;
      periods[count++] = periods[i];
    }
    ls_findings_list(findings, "workers", workers, count, "that are full, the master never idle");
    ls_findings_numbers(findings, "periods", periods, count, "s, in which they are");
  }
  free(workers);
  free(periods);
  return status;
}

static void write_cells(const struct ls_scow_cell *cells, size_t count, struct ls_bytes *json,
                        struct ls_bytes *text) {
  for (size_t i = 0; i < count; i++) {
    ls_bytes_printf(json, "%s{\"from\": ", i > 0 ? ", " : "");
    ls_json_write_number(json, cells[i].from_s);
    ls_bytes_append_text(json, ", \"to\": ");
    ls_json_write_number(json, cells[i].to_s);
    ls_bytes_printf(json, ", \"full_workers\": %zu}", cells[i].full);
    ls_bytes_printf(text, "%sfrom %.6g: %zu", i > 0 ? ", " : "", cells[i].from_s, cells[i].full);
  }
}

static enum ls_status tell_partition(const struct ls_scow_star *star, struct ls_findings *findings,
                                     struct ls_error *err) {
  struct ls_scow_cell *cells = NULL;
  struct ls_bytes json = {0}, text = {0};
  size_t count = 0;
  enum ls_status status = ls_scow_partition(star, &cells, &count, err);
  if (status != LS_OK) return status;
  ls_bytes_append_char(&json, '[');
  write_cells(cells, count, &json, &text);
  ls_bytes_append_char(&json, ']');
  ls_findings_json(findings, "partition", ls_bytes_text(&json), ls_bytes_text(&text),
                   "full workers by seconds of a period");
  if (json.failed || text.failed)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu cells", count);
  ls_bytes_close(&json);
  ls_bytes_close(&text);
  free(cells);
  return status;
}

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  struct ls_scow_star star;
  enum ls_status status = ls_scow_star_open(&star, setup, NULL, err);
  if (status != LS_OK) return status;
  status = tell_pairs(&star, findings, err);
  if (status == LS_OK) status = tell_partition(&star, findings, err);
  ls_scow_star_close(&star);
  return status;
}

const struct ls_analysis ls_analysis_pump = {
    .name = "pump",
    .summary = "periods of perfect utilization, and how many workers are full in every period",
    .reference = "delatorre2009, Theorems 9 and 10",
    .applicable = is_applicable,
    .analyse = analyse,
};
