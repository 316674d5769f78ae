/* simulate_policies.c: `loadstar simulate --policy`: a run in virtual time, or a table of many. */
#include "cli/simulate_policies.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/console.h"
#include "formats/timeline_json.h"
#include "report/report.h"
#include "simulate/world.h"

/* A chart of more units tells no more, and would take memory for each: who wants one says so. */
static const uint64_t CHART_UNITS_MAX = 200000;

struct shown {
  bool wants_spans, is_iterated;
};

static void write_text(const struct ls_chart_options *chart, const struct shown *shown,
                       const struct ls_timeline *timeline, struct ls_bytes *out) {
  struct ls_report_options style = ls_chart_style(chart, "");
  style.is_iterated = shown->is_iterated;
  struct ls_timeline_extras extras = {
      .has_spans = shown->wants_spans, .has_notes = shown->wants_spans, .account = chart->account};
  bool is_summary = ls_chart_is_summary(chart);
  if (is_summary) {
    ls_chart_summary(timeline, style, out);
    ls_bytes_append_char(out, '\n');
  }
  bool has_chart = is_summary && !timeline->is_summed;
  if (has_chart || chart->wants_gantt) ls_report_gantt.write(timeline, &style, out);
  if (chart->wants_json) ls_timeline_write(timeline, &extras, out);
}

/* Of "prefetch": "auto". */
static void write_prefetch(const struct ls_world *world, struct ls_bytes *out) {
  if (!world->chooses_prefetch) return;
  ls_bytes_printf(out, "%-12s ", "prefetch");
  ls_prefetch_explain(&world->prefetch, out);
  ls_bytes_append_text(out, "\n");
}

static enum ls_status show_run(const struct ls_policy_grid *grid,
                               const struct ls_chart_options *chart, bool wants_spans,
                               struct ls_error *err) {
  struct ls_world world;
  struct ls_simulated result;
  struct ls_timeline timeline;
  struct ls_account account;
  struct ls_bytes text = {0}, chosen = {0};
  char title[160];
  struct ls_policy_case item = {0};
  enum ls_status status = ls_policy_grid_choose(grid, &item, err);
  if (status == LS_OK) status = ls_policy_grid_open(grid, &item, grid->seed, &world, err);
  if (status != LS_OK) return status;
  /* Without spans a timeline says nothing of efficiency. */
  world.setup.wants_spans = true;
  world.setup.wants_notes = wants_spans;
  ls_timeline_init(&timeline);
  timeline.is_summed = ls_chart_is_summary(chart) && grid->units > CHART_UNITS_MAX;
  status = ls_simulate(&world.setup, &result, &timeline, err);
  /* Sums do not say when anything was. */
  bool has_account = !timeline.is_summed;
  if (status == LS_OK && has_account)
    status = ls_account_of(&timeline, world.setup.platform, &account, err);
  if (status == LS_OK) {
    if (item.chosen.chunking != NULL) ls_candidate_describe(&item.chosen, &chosen);
    (void)snprintf(title, sizeof title, "%s%s%s: %llu units in %.6g s", grid->policies.items[0],
                   chosen.length > 0 ? ": " : "", ls_bytes_text(&chosen),
                   (unsigned long long)grid->units, result.makespan_s);
    struct ls_chart_options own = *chart;
    own.account = has_account ? &account : NULL;
    if (ls_chart_is_summary(chart) && chosen.length > 0)
      ls_bytes_printf(&text, "%-12s %s\n", "auto", ls_bytes_text(&chosen));
    if (ls_chart_is_summary(chart)) write_prefetch(&world, &text);
    const struct shown shown = {wants_spans, world.setup.iterations > 1};
    write_text(&own, &shown, &timeline, &text);
    status = ls_chart_write(&own, &timeline, title, &text, err);
  }
  ls_bytes_close(&text);
  ls_bytes_close(&chosen);
  ls_timeline_close(&timeline);
  ls_world_close(&world);
  return status;
}

static enum ls_status show_table(const struct ls_policy_grid *asked,
                                 const struct ls_chart_options *chart, struct ls_error *err) {
  struct ls_bytes text = {0}, drawing = {0};
  struct ls_policy_grid own = *asked;
  const struct ls_policy_grid *grid = &own;
  struct ls_policy_case *cases = calloc(ls_policy_grid_cases(grid), sizeof *cases);
  enum ls_status status =
      cases == NULL ? ls_fail(err, LS_ENOMEM, "no memory for the cases") : LS_OK;
  if (status == LS_OK && chart->wants_json) status = ls_policy_grid_want_prices(&own, err);
  if (status == LS_OK) status = ls_policy_grid_want_makespans(&own, err);
  if (status == LS_OK) status = ls_policy_grid_run(grid, cases, err);
  if (status == LS_OK) {
    if (chart->wants_json)
      ls_policy_table_write_json(grid, cases, &text);
    else
      ls_policy_table_write(grid, cases, &text);
    status = ls_console_write_file("-", &text, err);
  }
  if (status == LS_OK && chart->files[0] != NULL) {
    status = ls_policy_table_draw(grid, cases, &drawing, err);
    if (status == LS_OK) status = ls_console_write_file(chart->files[0], &drawing, err);
  }
  ls_bytes_close(&text);
  ls_bytes_close(&drawing);
  free(cases);
  free(own.prices);
  free(own.makespans);
  return status;
}

enum ls_status ls_simulate_policies(const struct ls_policy_run *run,
                                    const struct ls_chart_options *chart, bool wants_spans,
                                    struct ls_error *err) {
  const struct ls_policy_grid *grid = &run->grid;
  if (ls_policy_grid_cases(grid) == 1 && grid->seeds == 1)
    return show_run(grid, chart, wants_spans, err);
  if (chart->wants_gantt || chart->files[1] != NULL || chart->files[2] != NULL ||
      chart->files[3] != NULL || wants_spans)
    return ls_fail(
        err, LS_EINVAL,
        "--gantt, --csv, --trace, --html and --spans show one run, but %zu cases with %zu seeds "
        "are asked for",
        ls_policy_grid_cases(grid), grid->seeds);
  return show_table(grid, chart, err);
}
