#include "lab/studies/umr_grid.h"

#include <assert.h>
#include <string.h>

#include "formats/platform_grid_json.h"

const char *const ls_umr_grid_names[LS_GRID_ALGORITHMS] = {
    "UMR", "MI-1", "MI-2", "MI-3", "MI-4", "MI-5", "MI-6", "MI-7", "MI-8", "One-Batch"};
const char *const ls_umr_grid_labels[LS_GRID_ALGORITHMS] = {
    "umr", "mi:1", "mi:2", "mi:3", "mi:4", "mi:5", "mi:6", "mi:7", "mi:8", "one-round"};

/* docs/grids/umr-table-1.json and umr-table-3.json say the same. */
#define GRID_UP_TO(transfer_latency)                                            \
  "{ \"load\": 1000, \"speed\": 1,\n"                                           \
  "  \"workers\": {\"from\": 10, \"to\": 50, \"step\": 5},\n"                   \
  "  \"rate\": {\"from\": 1.1, \"to\": 5, \"step\": 1, \"of\": \"workers\"},\n" \
  "  \"transfer_latency\": {\"from\": 0, \"to\": " transfer_latency             \
  ", \"step\": 0.03},\n"                                                        \
  "  \"compute_latency\": {\"from\": 0, \"to\": 0.99, \"step\": 0.03} }\n"

const char ls_umr_grid_text[] = GRID_UP_TO("0.99");
const char ls_umr_grid_small_text[] = GRID_UP_TO("0.09");

enum ls_status ls_umr_grid_open(struct ls_platform_grid *grid, const char *text,
                                struct ls_error *err) {
  return ls_platform_grid_read(grid, (struct ls_text){text, strlen(text), "the grid of the paper"},
                               err);
}

enum ls_status ls_umr_grid_play(const struct ls_grid_piece *piece, bool is_one_by_one,
                                struct ls_umr_grid_makespans *makespans, struct ls_error *err) {
  const struct ls_grid_planners planners = {
      .labels = ls_umr_grid_labels, .count = LS_GRID_ALGORITHMS, .is_one_by_one = is_one_by_one};
  assert(piece->count <= LS_UMR_GRID_CASES);
  return ls_grid_play(piece, &planners, makespans->at[0], LS_UMR_GRID_CASES, err);
}
