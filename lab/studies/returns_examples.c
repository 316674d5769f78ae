/* returns_examples.c: Figures 3 and 4 of the paper on loads with return messages, as drawings.
 *
 * The costs of the two platforms are recovered from the printed throughputs
 * (docs/theory/returns.md, 10): the paper's own are lost in the text that is left of it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/studies/study.h"
#include "model/replay.h"
#include "planners/planner.h"
#include "report/report.h"

enum { WORKERS = 3 };

struct example {
  const char *figure, *planner, *sends, *returns; /* orders as JSON; NULL: the planner's own */
  const char *what, *title;                       /* of the value; of its drawing */
  enum ls_study_origin origin;
  double throughput;
};

static const double figure_3[WORKERS][3] = {{1, 1, 1}, {1, 1, 1}, {5, 5, 5}};
static const double figure_4[WORKERS][3] = {{7, 6, 7}, {12, 5, 12}, {8, 5, 8}};

static enum ls_status open_platform(const double costs[WORKERS][3], struct ls_platform *platform,
                                    struct ls_error *err) {
  enum ls_status status = ls_platform_init(platform, WORKERS, err);
  for (size_t i = 0; i < WORKERS && status == LS_OK; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = costs[i][0];
    platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = costs[i][1];
    platform->workers[i].costs[LS_OPERATION_REPLY].per_unit_s = costs[i][2];
  }
  return status;
}

static enum ls_status make_plan(const struct example *example, const struct ls_platform *platform,
                                struct ls_plan *plan, struct ls_error *err) {
  const struct ls_planner *planner;
  struct ls_planner_setup setup = {.platform = platform, .load = 1};
  enum ls_status status = ls_planner_parse(example->planner, &planner, &setup, err);
  if (status != LS_OK) return status;
  if (example->sends != NULL) {
    status =
        ls_arguments_set(&setup.arguments, planner->parameters, "send_order", example->sends, err);
    if (status == LS_OK)
      status = ls_arguments_set(&setup.arguments, planner->parameters, "return_order",
                                example->returns, err);
  }
  if (status == LS_OK)
    status = ls_planner_run(planner, &setup, NULL, plan, err);
  else
    ls_plan_init(plan, example->planner, 1);
  ls_arguments_close(&setup.arguments);
  return status;
}

static enum ls_status draw_plan(const struct example *example, const struct ls_platform *platform,
                                const struct ls_plan *plan, struct ls_study_report *report,
                                struct ls_error *err) {
  struct ls_timeline timeline;
  char name[64];
  enum ls_status status = ls_replay_timeline(plan, platform, &timeline, err);
  if (status != LS_OK) return status;
  struct ls_report_options options = {.title = example->title};
  struct ls_bytes svg = {0};
  ls_report_svg.write(&timeline, &options, &svg);
  (void)snprintf(name, sizeof name, "%s-%s.svg", example->figure, example->planner);
  ls_study_draw(report, name, &svg);
  ls_timeline_close(&timeline);
  return LS_OK;
}

static enum ls_status run_example(const struct example *example, const double costs[WORKERS][3],
                                  double *throughput, struct ls_study_report *report,
                                  struct ls_error *err) {
  struct ls_platform platform;
  struct ls_plan plan;
  enum ls_status status = open_platform(costs, &platform, err);
  if (status != LS_OK) return status;
  status = make_plan(example, &platform, &plan, err);
  if (status == LS_OK) {
    *throughput = 1 / plan.makespan_s;
    ls_study_compare(report, example->what,
                     ls_study_near(example->origin, example->throughput, 1e-12), *throughput);
    status = draw_plan(example, &platform, &plan, report, err);
  }
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  return status;
}

#define FIGURE_3 "Beaumont, Marchal, Robert 2005, Figure 3 (c = w = d = 1, 1, 5): "
#define FIGURE_4 "Beaumont, Marchal, Robert 2005, Figure 4 (c = d = 7, 12, 8; w = 6, 5, 5): "

static enum ls_status run_figure_3(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  static const struct example examples[] = {
      {"returns-fig3", "lifo", NULL, NULL, "LIFO of all three workers, throughput",
       FIGURE_3 "LIFO of all three workers", LS_STUDY_PRINTED, 61.0 / 135},
      {"returns-fig3", "fifo", NULL, NULL, "FIFO of the first two, throughput",
       FIGURE_3 "FIFO of the first two", LS_STUDY_PRINTED, 1.0 / 2},
      {"returns-fig3", "returns-exact", NULL, NULL, "best of all pairs of orders, throughput",
       FIGURE_3 "the best pair of orders", LS_STUDY_RECOMPUTED, 1.0 / 2}};
  double throughput;
  enum ls_status status = LS_OK;
  (void)options;
  ls_study_print(report, "Three workers, c = w = d = 1, 1 and 5: the best plan leaves one out.\n");
  for (size_t i = 0; i < 3 && status == LS_OK; i++)
    status = run_example(&examples[i], figure_3, &throughput, report, err);
  return status;
}

/* The paper prints the orders of the optimum, and no throughput. */
static enum ls_status run_figure_4(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  enum { PAIR, BEST, FIFO, LIFO, EXAMPLES };
  static const struct example examples[EXAMPLES] = {
      {"returns-fig4", "returns-lp", "[0,1,2]", "[1,0,2]", "sends 1 2 3, returns 2 1 3, throughput",
       FIGURE_4 "sends 1 2 3, returns 2 1 3", LS_STUDY_RECOMPUTED, 38.0 / 499},
      {"returns-fig4", "returns-exact", NULL, NULL, "best of all pairs of orders, throughput",
       FIGURE_4 "the best pair of orders", LS_STUDY_RECOMPUTED, 38.0 / 499},
      {"returns-fig4", "fifo", NULL, NULL, "best FIFO, throughput", FIGURE_4 "the best FIFO",
       LS_STUDY_RECOMPUTED, 47.0 / 632},
      {"returns-fig4", "lifo", NULL, NULL, "best LIFO, throughput", FIGURE_4 "the best LIFO",
       LS_STUDY_RECOMPUTED, 271.0 / 4060}};
  double throughputs[EXAMPLES];
  enum ls_status status = LS_OK;
  (void)options;
  ls_study_print(report, "Three workers, c = d = 7, 12, 8 and w = 6, 5, 5.\n");
  for (size_t i = 0; i < EXAMPLES && status == LS_OK; i++)
    status = run_example(&examples[i], figure_4, &throughputs[i], report, err);
  if (status != LS_OK) return status;
  ls_study_compare(report, "sends 1 2 3 with returns 2 1 3 are the best orders (1: yes)",
                   ls_study_near(LS_STUDY_PRINTED, 1, 0),
                   throughputs[PAIR] >= throughputs[BEST] * (1 - 1e-12));
  ls_study_compare(report, "the optimum is neither FIFO nor LIFO (1: yes)",
                   ls_study_near(LS_STUDY_PRINTED, 1, 0),
                   throughputs[BEST] > fmax(throughputs[FIFO], throughputs[LIFO]) * (1 + 1e-9));
  return LS_OK;
}

const struct ls_study ls_study_returns_figure_3 = {
    .name = "returns-fig3",
    .summary = "three workers of which the best plan leaves one out",
    .reference = "beaumont2005, Figure 3 (costs recovered)",
    .run = run_figure_3,
};

const struct ls_study ls_study_returns_figure_4 = {
    .name = "returns-fig4",
    .summary = "three workers whose best orders are neither FIFO nor LIFO",
    .reference = "beaumont2005, Figure 4 (costs recovered)",
    .run = run_figure_4,
};
