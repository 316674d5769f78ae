/* plan.c: `loadstar plan`: computes a plan, and shows or writes it. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/nearest.h"
#include "cli/chart_options.h"
#include "cli/console.h"
#include "cli/option_names.h"
#include "cli/plan_crew.h"
#include "cli/plan_request.h"
#include "cli/plan_spmd.h"
#include "cli/planner_options.h"
#include "cli/platform_source.h"
#include "cli/subcommands.h"
#include "cli/terms_options.h"
#include "formats/plan_json.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "planners/analysis.h"
#include "planners/planner.h"

enum {
  KEY_SET = 0x200,
  KEY_ARGUMENTS,
  KEY_PLATFORM_OUT,
  KEY_FLAT,
  KEY_ANALYSIS,
  KEY_PERIOD,
  KEY_SPMD
};

struct options {
  const char *name, *algorithm, *platform_out;
  struct ls_plan_request request; /* its analysis takes the place of the algorithm */
  struct ls_platform_source platform;
  struct ls_chart_options chart;
  struct ls_terms terms;
  bool is_flat;
  enum { SPMD_NONE, SPMD_JSON, SPMD_HEADER } spmd; /* in its place of the plan */
};

static const struct argp_option option_table[] = {
    {"platform-out", KEY_PLATFORM_OUT, "FILE", 0,
     "Write the platform: SimGrid XML when FILE ends in .xml, else JSON", 1},
    {"algorithm", 'a', "NAME[:VALUE]", 0,
     "The planner, and its first parameter (default: best; see `loadstar list')", 2},
    {"analysis", KEY_ANALYSIS, "NAME", 0,
     "Instead of a plan, what a theory says of the platform (see `loadstar list')", 2},
    {"set", KEY_SET, "NAME=VALUE", 0, "Set a parameter of the planner or the analysis (repeatable)",
     2},
    {"arguments", KEY_ARGUMENTS, "FILE", 0, "Read parameters of the planner from a JSON object", 2},
    {"period", KEY_PERIOD, "S", 0, "The same as --set period=S", 2},
    {"spmd", KEY_SPMD, "FORM", OPTION_ARG_OPTIONAL,
     "Print the loop of a periodic plan in whole units: json (default), or a C header", 8},
    {"flat", KEY_FLAT, NULL, 0, "Write out what a plan repeats, every play with its times", 8},
    {0}};

static const struct argp_child children[] = {{&ls_platform_source_argp, 0, NULL, 0},
                                             {&ls_planner_limits_argp, 0, NULL, 0},
                                             {&ls_chart_options_argp, 0, NULL, 0},
                                             {&ls_terms_argp, 0, NULL, 0},
                                             {0}};

/* An analysis takes the place of an algorithm. */
static void check_analysis(const struct options *options, struct argp_state *state) {
  const struct ls_analysis *analysis = ls_analysis_find(options->request.analysis);
  if (analysis == NULL) {
    struct ls_bytes names = {0};
    ls_nearest_answer(options->request.analysis, (const void *const *)ls_analyses, NULL, &names);
    /* Ends the program, or with ARGP_NO_EXIT comes back. */
    argp_error(state, "--analysis is '%s', %s", options->request.analysis, ls_bytes_text(&names));
    ls_bytes_close(&names);
  }
  if (options->algorithm != NULL)
    argp_error(state, "--analysis is given with --algorithm, expected one of them");
  const char *extra = ls_chart_options_extra(&options->chart);
  if (options->is_flat) extra = "--flat";
  if (options->spmd != SPMD_NONE) extra = "--spmd";
  if (ls_terms_are_given(&options->terms)) extra = "a deadline or a limit of price";
  if (extra != NULL)
    argp_error(state, "%s is given with --analysis, expected nothing of plans", extra);
  if (analysis != NULL && analysis->needs_load && !options->request.limits.has_load)
    argp_error(state, "--load is missing, analysis %s needs a number of units", analysis->name);
}

/* A platform is only written in another form. */
static void check_conversion(const struct options *options, struct argp_state *state) {
  const char *extra = ls_planner_limits_extra(&options->request.limits);
  if (options->request.settings_count > 0) extra = "--set";
  if (options->request.arguments != NULL) extra = "--arguments";
  if (options->is_flat) extra = "--flat";
  if (options->spmd != SPMD_NONE) extra = "--spmd";
  if (ls_terms_are_given(&options->terms)) extra = "a deadline or a limit of price";
  if (options->chart.wants_json) extra = "--json";
  if (extra == NULL) extra = ls_chart_options_extra(&options->chart);
  if (extra != NULL) argp_error(state, "%s is given without --algorithm", extra);
}

/* A platform alone may be converted; a plan needs a load, too. */
static void check_complete(struct options *options, struct argp_state *state) {
  bool is_conversion = options->platform_out != NULL && options->algorithm == NULL &&
                       !options->request.limits.has_load;
  if (options->request.analysis != NULL && options->platform.text != NULL) {
    check_analysis(options, state);
    return;
  }
  if (options->platform.text == NULL)
    argp_error(state, "--platform is missing, expected a file or a line such as 4x(compute=1x)");
  if (!options->request.limits.has_load && !is_conversion)
    argp_error(state, "--load is missing, expected a number of units");
  const char *extra = ls_chart_options_extra(&options->chart);
  if (options->chart.wants_json) extra = "--json";
  if (options->spmd != SPMD_NONE && extra != NULL)
    argp_error(state, "%s is given with --spmd, expected one of them", extra);
  if (is_conversion && options->request.analysis == NULL) check_conversion(options, state);
  if (options->algorithm == NULL && !is_conversion) options->algorithm = "best";
}

static void add_setting(struct options *options, struct ls_plan_setting setting,
                        struct argp_state *state) {
  struct ls_plan_request *request = &options->request;
  if (setting.value == NULL || setting.value == setting.text || setting.value[0] == '\0')
    argp_error(state, "%s is '%s', expected %s", setting.option, setting.text,
               setting.name == NULL ? "NAME=VALUE" : "a value");
  if (request->settings_count == LS_PLAN_SETTINGS_MAX)
    argp_error(state, "%s can be given %d times", setting.option, LS_PLAN_SETTINGS_MAX);
  request->settings[request->settings_count++] = setting;
}

/* NAME=VALUE. */
static struct ls_plan_setting read_setting(const char *text) {
  const char *equals = strchr(text, '=');
  bool has_name = equals != NULL && equals != text;
  return (struct ls_plan_setting){"--set", NULL, text, has_name ? equals + 1 : NULL};
}

static void set_spmd(struct options *options, const char *form, struct argp_state *state) {
  bool is_header = form != NULL && strcmp(form, "header") == 0;
  if (form != NULL && !is_header && strcmp(form, "json") != 0)
    argp_error(state, "--spmd is '%s', expected json or header", form);
  options->spmd = is_header ? SPMD_HEADER : SPMD_JSON;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->platform;
      state->child_inputs[1] = &options->request.limits;
      state->child_inputs[2] = &options->chart;
      state->child_inputs[3] = &options->terms;
      return 0;
    case 'a':
      options->algorithm = argument;
      return 0;
    case KEY_SPMD:
      set_spmd(options, argument, state);
      return 0;
    case KEY_FLAT:
      options->is_flat = true;
      return 0;
    case KEY_SET:
      add_setting(options, read_setting(argument), state);
      return 0;
    case KEY_PERIOD:
      add_setting(options, (struct ls_plan_setting){"--period", "period", "", argument}, state);
      return 0;
    case KEY_ARGUMENTS:
      options->request.arguments = argument;
      return 0;
    case KEY_ANALYSIS:
      options->request.analysis = argument;
      return 0;
    case KEY_PLATFORM_OUT:
      options->platform_out = argument;
      return 0;
    case ARGP_KEY_ARG:
      argp_error(state, "'%s' is no option, expected none but options", argument);
      return 0;
    case ARGP_KEY_END:
      check_complete(options, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .children = children,
    .doc =
        "Computes a plan: which worker gets how much of a load, in which order and when, with a "
        "certificate of how far it is from what no plan can beat. The exit status is 1 when the "
        "algorithm does not apply, or no plan keeps the deadline or the price.\vFILE - is standard "
        "input or output. Examples:\n"
        "  loadstar plan -p '10x(compute=0.1+1x, transfer=0.1+0.06x)' -l 1000\n"
        "  loadstar plan -p cluster.json -l 1000 -a mi:3 --json > plan.json\n"
        "  loadstar plan -p cluster.xml -l 1000 -a umr --set selection=none --gantt\n"
        "  loadstar plan -p cluster.json -l 1000 -a umr --deadline 3600 --json > plan.json\n"
        "  loadstar plan -p cluster.json -l 1000 --analysis rounds\n"
        "  loadstar plan -p cluster.json --analysis mp --period 10 --json\n"
        "  loadstar plan -p cluster.xml --platform-out cluster.json\n"};

/* The plan on standard output, its chart in files. */
static enum ls_status write_plan(const struct options *options, const struct ls_plan *plan,
                                 const struct ls_platform *platform, struct ls_error *err) {
  const struct ls_chart_options *chart = &options->chart;
  struct ls_timeline timeline;
  struct ls_bytes text = {0};
  enum ls_status status = LS_OK;
  char title[96];
  (void)snprintf(title, sizeof title, "%s: %.10g units in %.6g s", plan->algorithm, plan->load,
                 plan->makespan_s);
  struct ls_report_options style = ls_chart_style(chart, title);
  ls_timeline_init(&timeline);
  if (ls_chart_needs_timeline(chart)) status = ls_replay_timeline(plan, platform, &timeline, err);
  if (status != LS_OK) return status;
  if (chart->wants_json) ls_plan_write(plan, platform, &text);
  if (ls_chart_is_summary(chart)) ls_report_plan(plan, platform, &style, &text);
  if (chart->wants_gantt) ls_report_gantt.write(&timeline, &style, &text);
  status = ls_chart_write(chart, &timeline, title, &text, err);
  ls_bytes_close(&text);
  ls_timeline_close(&timeline);
  return status;
}

/* No plan is an answer, too: said in words, or in the plan's own form. */
static enum ls_status write_refusal(const struct options *options, const struct ls_plan *plan,
                                    const struct ls_platform *platform, struct ls_error *err) {
  struct ls_bytes text = {0};
  struct ls_report_options style = ls_chart_style(&options->chart, "");
  if (options->chart.wants_json)
    ls_plan_write(plan, platform, &text);
  else
    ls_report_plan(plan, platform, &style, &text);
  enum ls_status status = ls_console_write_file("-", &text, err);
  ls_bytes_close(&text);
  return status;
}

/* The loop alone on standard output. */
static enum ls_status write_spmd(const struct options *options, const struct ls_plan *plan,
                                 struct ls_error *err) {
  struct ls_bytes text = {0};
  enum ls_status status = ls_plan_write_spmd(plan, options->spmd == SPMD_HEADER, &text, err);
  if (status == LS_OK) status = ls_console_write_file("-", &text, err);
  ls_bytes_close(&text);
  return status;
}

/* "umr:3" is not what --set made of it: the parameters tell then. NULL: the planner's name. */
static const char *choose_label(const struct options *options) {
  const struct ls_plan_request *request = &options->request;
  bool is_changed = request->settings_count > 0 || request->arguments != NULL;
  return is_changed ? NULL : options->algorithm;
}

/* By the workers that keep the deadline or the limit of price. What does not hold is said beside
 * the plan. */
static enum ls_status plan_within(const struct options *options, const struct ls_platform *platform,
                                  struct ls_plan *plan, int *exit_status, struct ls_error *err) {
  struct ls_crew_choice choice = {.is_met = true};
  struct ls_planner_judge judge = {platform, &options->request.limits, options->algorithm,
                                   &options->request};
  enum ls_status status = ls_plan_by_crew(&judge, &options->terms, plan, &choice, err);
  if (status == LS_OK && plan->outcome == LS_PLAN_OK)
    fprintf(stderr, "%s: %s\n", options->name, ls_bytes_text(&choice.words));
  if (!choice.is_met) *exit_status = LS_EXIT_FAILED;
  ls_bytes_close(&choice.words);
  return status;
}

static enum ls_status make_plan(const struct options *options, const struct ls_platform *platform,
                                int *exit_status, struct ls_error *err) {
  const struct ls_planner *planner = NULL;
  struct ls_planner_setup setup = {.platform = platform};
  struct ls_planner_clock clock;
  struct ls_plan plan;
  enum ls_status status = ls_planner_parse(options->algorithm, &planner, &setup, err);
  if (status != LS_OK) return status;
  status = ls_plan_settings_apply(&options->request, planner, &setup, err);
  if (status == LS_OK) {
    ls_planner_limits_apply(&options->request.limits, planner, &clock, &setup);
    status = ls_terms_are_given(&options->terms)
                 ? plan_within(options, platform, &plan, exit_status, err)
                 : ls_planner_run(planner, &setup, choose_label(options), &plan, err);
    bool is_refused = status == LS_OK && plan.outcome != LS_PLAN_OK;
    if (status == LS_OK && options->is_flat && ls_plan_repeats(&plan)) {
      status = ls_plan_unfold(&plan, err);
      if (status == LS_OK) status = ls_replay(&plan, platform, err);
    }
    if (status == LS_OK)
      status = is_refused                   ? write_refusal(options, &plan, platform, err)
               : options->spmd != SPMD_NONE ? write_spmd(options, &plan, err)
                                            : write_plan(options, &plan, platform, err);
    if (is_refused) *exit_status = LS_EXIT_FAILED;
    ls_plan_close(&plan);
  }
  ls_arguments_close(&setup.arguments);
  return status;
}

int ls_plan_main(int argc, char **argv, const struct ls_app *app) {
  (void)app;
  struct options options = {
      .name = argv[0], .platform = ls_platform_source_default(), .terms = ls_terms_none()};
  if (ls_option_names_parse(&parser, argc, argv, 0, &options) != 0) return LS_EXIT_USAGE;
  struct ls_error err = {0};
  struct ls_platform platform;
  int exit_status = LS_EXIT_OK;
  options.request.wants_json = options.chart.wants_json;
  enum ls_status status = ls_platform_source_read(&options.platform, &platform, &err);
  if (status == LS_OK) {
    if (options.platform_out != NULL)
      status =
          ls_platform_source_write(&platform, &options.platform.unit, options.platform_out, &err);
    if (status == LS_OK && options.algorithm != NULL)
      status = make_plan(&options, &platform, &exit_status, &err);
    if (status == LS_OK && options.request.analysis != NULL)
      status = ls_plan_analyse(&options.request, &platform, &exit_status, &err);
    ls_platform_close(&platform);
  }
  return status == LS_OK ? exit_status : ls_console_fail(options.name, &err);
}
