/* table.c: the number of workers by a static table.
 *
 * Reference:  heymann2001, table 4-2 and section 4.3; the rule that reads the column off the
 *             measured times is ours, the thesis gives none.
 * Assumes:    iterations that resemble each other.
 * Answers:    nint(T x fraction); one less when the efficiency is below 0.8, one back when the time
 *             got worse, never above the table, and the table again when the load has moved to
 *             another column or an iteration lasts 1.1 times as long as with the table's number.
 * Cost:       O(1).
 * Symbols:    T -> units, W -> share_percent.
 */
#include <math.h>

#include "policies/sizing.h"

enum { COLUMNS = 7 };

static const double EFFICIENCY_LEAST = 0.8, TIME_MOST = 1.1;

static const double fractions[2][COLUMNS] = {
    {.60, .48, .40, .34, .30, .26, .22}, /* large tasks are similar */
    {.40, .28, .22, .18, .16, .14, .12}, /* large tasks are different */
};

size_t ls_sizing_table_workers(const struct ls_task_facts *tasks, uint64_t units, size_t *column) {
  double nearest = floor(tasks->share_percent / 10 + 0.5);
  size_t place = nearest < 3 ? 0 : nearest > 9 ? COLUMNS - 1 : (size_t)nearest - 3;
  double workers = floor((double)units * fractions[tasks->is_large_different][place] + 0.5 + 1e-9);
  *column = place + (tasks->is_large_different ? COLUMNS : 0);
  return workers > 1 ? (size_t)workers : 1;
}

/* The number to go on with while the column stays. */
static size_t adjust(const struct ls_sizing_view *view, const struct ls_sizing_memory *memory) {
  size_t wanted = view->wanted < memory->table ? view->wanted : memory->table;
  bool is_too_slow = memory->table_s > 0 && view->iteration_seconds >= TIME_MOST * memory->table_s;
  if (is_too_slow) return memory->table;
  if (memory->was_lowered && view->iteration_seconds > memory->previous_s) return wanted + 1;
  if (view->efficiency < EFFICIENCY_LEAST && wanted > 1) return wanted - 1;
  return wanted;
}

static size_t want_tabled(const struct ls_sizing_view *view, size_t given) {
  struct ls_sizing_memory *memory = view->memory;
  if (view->is_start || view->tasks.tasks == 0) {
    return ls_sizing_clamp(view->is_start ? given : view->wanted, view->units, given);
  }
  size_t column = 0;
  size_t table = ls_sizing_table_workers(&view->tasks, view->units, &column);
  if (memory->column != column + 1 || memory->table != table) {
    *memory = (struct ls_sizing_memory){.column = column + 1, .table = table};
    return ls_sizing_clamp(table, view->units, given);
  }
  if (view->was_changed) return ls_sizing_clamp(view->wanted, view->units, given);
  if (view->current == table) memory->table_s = view->iteration_seconds;
  size_t wanted = adjust(view, memory);
  memory->was_lowered = wanted < view->wanted;
  memory->previous_s = view->iteration_seconds;
  return ls_sizing_clamp(wanted < table ? wanted : table, view->units, given);
}

const struct ls_sizing ls_sizing_table = {
    .name = "table",
    .summary = "a share of the number of tasks, by a table over the share of the large ones",
    .reference = "Heymann 2001",
    .learns = true,
    .wanted = want_tabled,
};
