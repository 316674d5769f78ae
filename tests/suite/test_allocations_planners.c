/* Whichever allocation fails, every listed planner and analysis says so and leaves nothing behind.
 * A new one gets this without a line of test.
 */
#include "planners/analysis.h"
#include "planners/fit.h"
#include "planners/planner.h"
#include "scarce_model.h"

/* Cases in which planners take ways of their own. */
struct scene {
  const char *name;
  size_t workers;
  enum ls_ports ports;
  bool are_equal, has_returns, has_latencies, has_windows, is_whole;
};

static const struct scene scenes[] = {
    {"two ports", 2, LS_PORTS_TWO, false, false, true, false, true},
    {"no latencies", 3, LS_PORTS_TWO, false, false, false, false, false},
    {"equal workers", 3, LS_PORTS_TWO, true, false, false, false, true},
    {"windows", 2, LS_PORTS_TWO, true, false, true, true, true},
    {"returns", 3, LS_PORTS_TWO, false, true, false, false, false},
    {"returns through one port", 3, LS_PORTS_ONE, false, true, false, false, true},
    {"returns with latencies", 2, LS_PORTS_TWO, false, true, true, true, true},
    {"many ports", 2, LS_PORTS_MULTI, false, false, true, false, true},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/* More workers than the searches over returns enumerate. */
static const struct scene crowded = {"a crowd", 14, LS_PORTS_TWO, false, true, false, false, false};
/* More than are left out one by one. */
static const struct scene large = {"very many", 301,  LS_PORTS_TWO, false,
                                   false,       true, false,        false};
/* A worker that starts at no cost. */
static const struct scene gratis = {"a free start", 3,     LS_PORTS_TWO, false,
                                    true,           false, false,        false};

static void open_scene(const struct scene *scene, struct ls_platform *platform) {
  assert_int_equal(ls_platform_init(platform, scene->workers, NULL), LS_OK);
  for (size_t i = 0; i < scene->workers; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    double share = scene->are_equal ? 1 : 1 + (double)(i * 7 % scene->workers) / 4;
    double latency_s = scene->has_latencies ? 0.125 : 0;
    worker->costs[LS_OPERATION_TRANSFER] = (struct ls_cost){latency_s, 0.125 * share};
    worker->costs[LS_OPERATION_COMPUTE] = (struct ls_cost){latency_s, share};
    if (scene->has_returns)
      worker->costs[LS_OPERATION_REPLY] = (struct ls_cost){latency_s, 0.0625 * share};
    if (scene == &gratis && i == 1)
      worker->costs[LS_OPERATION_TRANSFER] = worker->costs[LS_OPERATION_COMPUTE] =
          (struct ls_cost){0, 0};
    if (scene->has_windows && i > 0) worker->window_to = 6;
    if (scene->has_windows && i == 0) worker->room_units = 40;
  }
  platform->ports = scene->ports;
}

struct planning {
  const struct ls_planner *planner;
  struct ls_planner_setup setup;
};

static enum ls_status try_plan(const void *context, struct ls_error *err) {
  const struct planning *planning = context;
  struct ls_plan plan;
  enum ls_status status = ls_planner_run(planning->planner, &planning->setup, NULL, &plan, err);
  memory_is_plenty();
  ls_plan_close(&plan);
  return status;
}

/* Little work, so that each allocation can fail in a moment. `others`: for who asks them. */
static long plan_scarcely(const struct scene *scene, const char *text, uint64_t work_max,
                          const struct ls_planner *const *others) {
  struct ls_platform platform;
  struct ls_error err = {.text = ""};
  open_scene(scene, &platform);
  struct planning planning = {.setup = {.platform = &platform,
                                        .load = scene->has_windows ? 24 : 60,
                                        .is_whole = scene->is_whole}};
  if (ls_planner_parse(text, &planning.planner, &planning.setup, &err) != LS_OK)
    fail_msg("%s: %s", text, err.text);
  planning.setup.budget.work_max = work_max;
  planning.setup.others = others;
  char name[96];
  (void)snprintf(name, sizeof name, "%s, %s", text, scene->name);
  struct scarce_trial trial = {name, try_plan, &planning};
  long count = scarce_play_all(&trial);
  ls_arguments_close(&planning.setup.arguments);
  ls_platform_close(&platform);
  return count;
}

static uint64_t choose_work(const struct ls_planner *planner) {
  return planner->asks_others ? 1 : planner->cost == LS_PLANNER_PROGRAMS ? 2 : 30;
}

/* With the search of its own, and what comes behind it. */
static void best_of_few_survives(void **state) {
  const struct ls_planner *others[] = {ls_planner_find("one-round"), ls_planner_find("umr"),
                                       ls_planner_find("returns-search"), NULL};
  (void)state;
  for (size_t k = 0; k < SCENES; k++)
    assert_true(plan_scarcely(&scenes[k], "best", 20, others) > 0);
}

static void every_planner_survives(void **state) {
  (void)state;
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    const struct ls_planner *planner = ls_planners[i];
    const struct ls_parameter *first = planner->parameters;
    long count = 0;
    for (size_t k = 0; k < SCENES; k++) {
      char text[64];
      count += plan_scarcely(&scenes[k], planner->name, choose_work(planner), NULL);
      if (first == NULL || first->name == NULL || first->kind != LS_PARAMETER_WHOLE) continue;
      (void)snprintf(text, sizeof text, "%s:2", planner->name);
      count += plan_scarcely(&scenes[k], text, choose_work(planner), NULL);
    }
    if (count == 0) fail_msg("%s: takes no memory", planner->name);
  }
}

static void rare_platforms_survive(void **state) {
  (void)state;
  assert_true(plan_scarcely(&crowded, "returns-search:1", 200, NULL) > 0);
  assert_true(plan_scarcely(&large, "one-round", 30, NULL) > 0);
  assert_true(plan_scarcely(&gratis, "fifo", 30, NULL) > 0);
}

static enum ls_status try_parse(const void *context, struct ls_error *err) {
  struct {
    const struct ls_planner *planner;
    struct ls_planner_setup setup;
  } out;
  scarce_mark(&out, sizeof out);
  enum ls_status status = ls_planner_parse(context, &out.planner, &out.setup, err);
  memory_is_plenty();
  if (status == LS_OK) ls_arguments_close(&out.setup.arguments);
  return status;
}

static void arguments_survive(void **state) {
  (void)state;
  scarce_require("arguments", try_parse, "returns-lp:send_order=[0]");
}

struct analysing {
  const struct ls_analysis *analysis;
  struct ls_planner_setup setup;
};

static enum ls_status try_analyse(const void *context, struct ls_error *err) {
  const struct analysing *analysing = context;
  struct ls_findings findings = {{0}, {0}};
  struct ls_planner_reason why;
  enum ls_status status =
      ls_analysis_run(analysing->analysis, &analysing->setup, &findings, &why, err);
  memory_is_plenty();
  if (status == LS_OK) status = scarce_bytes(&findings.lines, err);
  if (status == LS_OK) status = scarce_bytes(&findings.json, err);
  ls_findings_close(&findings);
  return status;
}

/* Of the parameters that must be given: a period, and units of every worker. */
static void set_analysis_arguments(const struct ls_analysis *analysis, size_t workers_count,
                                   struct ls_arguments *arguments) {
  const struct ls_parameter *parameter = analysis->parameters;
  char units[64] = "[2";
  for (size_t i = 1; i < workers_count; i++) strcat(units, ", 2");
  strcat(units, "]");
  ls_arguments_init(arguments, parameter);
  for (; parameter != NULL && parameter->name != NULL; parameter++) {
    const char *value = strcmp(parameter->name, "period") == 0  ? "5"
                        : strcmp(parameter->name, "units") == 0 ? units
                                                                : NULL;
    if (value != NULL)
      assert_int_equal(
          ls_arguments_set(arguments, analysis->parameters, parameter->name, value, NULL), LS_OK);
  }
}

static void every_analysis_survives(void **state) {
  (void)state;
  for (size_t i = 0; ls_analyses[i] != NULL; i++) {
    long count = 0;
    for (size_t k = 0; k < SCENES; k++) {
      struct ls_platform platform;
      open_scene(&scenes[k], &platform);
      struct analysing analysing = {ls_analyses[i], {.platform = &platform, .load = 60}};
      set_analysis_arguments(ls_analyses[i], platform.workers_count, &analysing.setup.arguments);
      struct scarce_trial trial = {ls_analyses[i]->name, try_analyse, &analysing};
      count += scarce_play_all(&trial);
      ls_arguments_close(&analysing.setup.arguments);
      ls_platform_close(&platform);
    }
    if (count == 0) fail_msg("%s: takes no memory", ls_analyses[i]->name);
  }
}

/* ---- plans brought into windows ---- */

struct fitting {
  const struct ls_platform *platform;
  const struct ls_plan *plan;
  bool is_whole;
};

static enum ls_status try_fit(const void *context, struct ls_error *err) {
  const struct fitting *fitting = context;
  struct ls_plan plan;
  long left = memory.left;
  memory_is_plenty();
  scarce_copy_plan(fitting->plan, &plan);
  memory.left = left;
  enum ls_status status = ls_fit_replay(&plan, fitting->platform, fitting->is_whole, err);
  memory_is_plenty();
  ls_plan_close(&plan);
  return status;
}

static enum ls_status try_fit_makespan(const void *context, struct ls_error *err) {
  const struct fitting *fitting = context;
  double makespan_s;
  scarce_mark(&makespan_s, sizeof makespan_s);
  enum ls_status status =
      ls_fit_makespan(fitting->plan, fitting->platform, fitting->is_whole, &makespan_s, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("fit", &makespan_s, sizeof makespan_s);
  return status;
}

static void fitting_survives(void **state) {
  (void)state;
  long count = 0;
  for (size_t i = 0; i < SCARCE_PLANS; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    scarce_open_platform(scarce_plans[i].ports, &platform);
    platform.workers[0].window_to = 2;
    platform.workers[1].window_from = 1.5;
    platform.workers[2].room_units = 7;
    scarce_build_plan(&scarce_plans[i], &plan);
    for (int k = 0; k < 2; k++) {
      struct fitting fitting = {&platform, &plan, k == 0};
      struct scarce_trial trials[] = {{"fit", try_fit, &fitting},
                                      {"makespan of what fits", try_fit_makespan, &fitting}};
      for (size_t m = 0; m < 2; m++) count += scarce_play_all(&trials[m]);
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  assert_true(count > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_planner_survives),  cmocka_unit_test(best_of_few_survives),
      cmocka_unit_test(rare_platforms_survive),  cmocka_unit_test(arguments_survive),
      cmocka_unit_test(every_analysis_survives), cmocka_unit_test(fitting_survives),
  };
  scarce_open();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
