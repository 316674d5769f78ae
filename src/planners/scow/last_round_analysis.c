/* last_round_analysis.c: the last and the auxiliary round, in which all workers end together.
 *
 * Reference:  delatorre2009, (5.13) to (5.19), in the corrected form of docs/theory/scow.md, 5.
 * Assumes:    rounds of these units in periods that long went before; --load is what is left.
 * Answers:    how many workers get an auxiliary chunk, the sizes, and the end; not applicable as
 *             scow, or where no worker has units.
 * Cost:       O(p).
 * Symbols:    Y -> units, P -> period, K -> spacing, m -> auxiliary_workers, Z -> z, P + A -> end.
 */
#include <math.h>
#include <stdlib.h>

#include "planners/analysis.h"
#include "planners/scow/scow_last.h"
#include "planners/scow/scow_star.h"

static const struct ls_parameter last_round_parameters[] = {
    {"units", "chunks of an identical round by worker, as JSON; must be given",
     LS_PARAMETER_NUMBERS, 0, 0, 1e300, NULL},
    {"period", "seconds of a round; must be given", LS_PARAMETER_REAL, (double)NAN, 0, 1e300, NULL},
    {"spacing", "seconds between the ends of two workers: what one result costs to return",
     LS_PARAMETER_REAL, 0, 0, 1e300, NULL},
    {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, NULL, why);
}

/* What of a star is asked: arrays of `count` entries. */
struct asked {
  struct ls_scow_worker *workers;
  double *units, *sizes, *by_worker;
  size_t count;
};

static enum ls_status tell(const struct ls_planner_setup *setup, const struct asked *asked,
                           size_t workers_count, struct ls_findings *findings,
                           struct ls_error *err) {
  const struct ls_arguments *arguments = &setup->arguments;
  struct ls_scow_rest rest = {
      .workers = asked->workers,
      .count = asked->count,
      .units = asked->units,
      .period_s = ls_arguments_get(arguments, last_round_parameters, "period"),
      .load = setup->load,
      .spacing_s = ls_arguments_get(arguments, last_round_parameters, "spacing"),
      .send_s = (double)NAN};
  double end_s;
  if (rest.count == 0) return ls_fail(err, LS_EINVAL, "units: no worker has units");
  size_t auxiliary = ls_scow_last_round(&rest, asked->sizes, &end_s);
  for (size_t i = 0; i < asked->count; i++)
    asked->by_worker[asked->workers[i].number] = asked->sizes[i];
  ls_findings_number(findings, "auxiliary_workers", (double)auxiliary,
                     "workers that get a full chunk and an auxiliary one");
  ls_findings_number(findings, "end", end_s, "s after the first one starts its last full chunk");
  ls_findings_numbers(findings, "z", asked->by_worker, workers_count,
                      "units of the auxiliary or the last chunk, by worker");
  return LS_OK;
}

static enum ls_status check_arguments(const struct ls_planner_setup *setup,
                                      const struct ls_argument_list *units, struct ls_error *err) {
  double period_s = ls_arguments_get(&setup->arguments, last_round_parameters, "period");
  size_t count = setup->platform->workers_count;
  if (isnan(period_s))
    return ls_fail(err, LS_EINVAL, "period is missing, analysis last-round needs seconds > 0");
  if (!(period_s > 0))
    return ls_fail(err, LS_EINVAL, "period is %g, analysis last-round needs seconds > 0", period_s);
  if (units->count == 0)
    return ls_fail(err, LS_EINVAL, "units is missing, expected a number for each of %zu workers",
                   count);
  if (units->count != count)
    return ls_fail(err, LS_EINVAL, "units has %zu numbers, expected one for each of %zu workers",
                   units->count, count);
  return LS_OK;
}

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  const struct ls_argument_list *units =
      ls_arguments_list(&setup->arguments, last_round_parameters, "units");
  struct ls_scow_star star;
  enum ls_status status = check_arguments(setup, units, err);
  if (status == LS_OK) status = ls_scow_star_open(&star, setup, NULL, err);
  if (status != LS_OK) return status;
  double *numbers = calloc(3 * star.count, sizeof *numbers);
  struct asked asked = {.workers = star.items};
  if (numbers == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", star.count);
  } else {
    asked.units = numbers;
    asked.sizes = numbers + star.count;
    asked.by_worker = numbers + 2 * star.count;
    for (size_t i = 0; i < star.count; i++) {
      double own = units->items[star.items[i].number];
      if (!(own > 0)) continue;
      star.items[asked.count] = star.items[i];
      asked.units[asked.count++] = own;
    }
    status = tell(setup, &asked, star.count, findings, err);
  }
  free(numbers);
  ls_scow_star_close(&star);
  return status;
}

const struct ls_analysis ls_analysis_last_round = {
    .name = "last-round",
    .summary = "sizes of the last and the auxiliary round, in which all workers end together",
    .reference = "delatorre2009, (5.13) to (5.19)",
    .parameters = last_round_parameters,
    .needs_load = true,
    .applicable = is_applicable,
    .analyse = analyse,
};
