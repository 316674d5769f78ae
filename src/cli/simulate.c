/* simulate.c: `loadstar simulate`: plays in virtual time: a plan by its exact replay, or policies.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart_options.h"
#include "cli/console.h"
#include "cli/drawn_plans.h"
#include "cli/option_names.h"
#include "cli/platform_source.h"
#include "cli/simulate_policies.h"
#include "cli/subcommands.h"
#include "formats/plan_json.h"
#include "formats/timeline_json.h"
#include "model/replay.h"
#include "model/validate.h"
#include "model/waits.h"

enum { KEY_PLAN = 0x200, KEY_SPANS, KEY_LOAD = 'l' };

struct options {
  const char *name, *plan;
  bool wants_spans, has_load;
  double load; /* units, for policies */
  struct ls_policy_options policies;
  struct ls_platform_source platform;
  struct ls_chart_options chart;
};

static const struct argp_option option_table[] = {
    {"plan", KEY_PLAN, "FILE", 0, "Play the plan in FILE (from `loadstar plan --json')", 2},
    {"load", KEY_LOAD, "UNITS", 0, "With --policy: how many tasks each iteration has", 3},
    {"spans", KEY_SPANS, NULL, 0, "With --json: the spans, too", 8},
    {0}};

static const struct argp_child children[] = {{&ls_platform_source_argp, 0, NULL, 0},
                                             {&ls_chart_options_argp, 0, NULL, 0},
                                             {&ls_policy_options_argp, 0, NULL, 0},
                                             {0}};

static void check_complete(const struct options *options, struct argp_state *state) {
  if (options->platform.text == NULL)
    argp_error(state, "--platform is missing, expected a file or a line such as 4x(compute=1x)");
  bool has_policy = options->policies.policies.count > 0;
  if ((options->plan == NULL) == !has_policy)
    argp_error(state, options->plan == NULL
                          ? "--plan and --policy are missing, expected the FILE of a plan or a "
                            "policy such as gss"
                          : "--plan is given with --policy, expected one of them");
  if (has_policy && !options->has_load)
    argp_error(state, "--load is missing, expected a number of units for --policy");
  if (!has_policy && options->has_load) argp_error(state, "--load is given without --policy");
  const char *extra = ls_policy_options_of_policies(&options->policies);
  if (!has_policy && extra != NULL) argp_error(state, "%s is given without --policy", extra);
  if (!has_policy && strcmp(options->plan, "-") == 0 && strcmp(options->platform.text, "-") == 0)
    argp_error(state, "--plan and --platform cannot both be standard input");
  if (options->wants_spans && !options->chart.wants_json)
    argp_error(state, "--spans is given without --json");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct ls_error err = {0};
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->platform;
      state->child_inputs[1] = &options->chart;
      state->child_inputs[2] = &options->policies;
      return 0;
    case KEY_PLAN:
      options->plan = argument;
      return 0;
    case KEY_LOAD:
      options->has_load = true;
      if (ls_console_real("--load", argument, (struct ls_real_range){0, 0x1p40}, &options->load,
                          &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    case KEY_SPANS:
      options->wants_spans = true;
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
        "Plays a plan in virtual time, exactly, and shows what each worker did. Times that the "
        "plan's file gives must be those of the replay. With --error or --seeds, or where the "
        "platform spreads the times of units (task_seconds), times are drawn. Or plays policies, "
        "by the coordinator "
        "that runs real jobs: one run, or a table of policies, orders, platforms and seeds."
        "\vFILE - is standard input or output. Examples:\n"
        "  loadstar simulate --plan plan.json -p cluster.json\n"
        "  loadstar simulate --plan plan.json -p '4x(compute=1x, transfer=0.1x)' --json\n"
        "  loadstar simulate --plan plan.json -p cluster.json --svg plan.svg\n"
        "  loadstar simulate --plan whole.json -p cluster.json --error 0.2 --seeds 100\n"
        "  loadstar simulate --policy gss:2 -p cluster.json -l 1000 --json\n"
        "  loadstar simulate --policy ss,fac2,af -p cluster.json -l 1000 --seeds 20 \\\n"
        "    --set 'task_times={\"law\": \"gamma\", \"variation\": 0.5}'\n"};

static void write_text(const struct options *options, const struct ls_chart_options *chart,
                       const struct ls_timeline *timeline, struct ls_bytes *out) {
  struct ls_report_options style = ls_chart_style(chart, "");
  struct ls_timeline_extras extras = {
      .has_spans = options->wants_spans, .account = chart->account, .waits = chart->waits};
  bool is_summary = ls_chart_is_summary(chart);
  if (is_summary) {
    ls_chart_summary(timeline, style, out);
    ls_bytes_append_char(out, '\n');
  }
  if (is_summary || chart->wants_gantt) ls_report_gantt.write(timeline, &style, out);
  if (chart->wants_json) ls_timeline_write(timeline, &extras, out);
}

static enum ls_status show_plan(const struct options *options, const struct ls_plan *plan,
                                const struct ls_platform *platform, struct ls_error *err) {
  struct ls_timeline timeline;
  struct ls_bytes text = {0};
  char title[96];
  if (plan->outcome != LS_PLAN_OK)
    return ls_fail(err, LS_EINVAL,
                   "%s: outcome is not_applicable (%s), expected a plan with chunks", options->plan,
                   plan->why);
  enum ls_status status = ls_replay_timeline(plan, platform, &timeline, err);
  if (status != LS_OK) return status;
  (void)snprintf(title, sizeof title, "%s: %.10g units in %.6g s",
                 plan->algorithm[0] == '\0' ? "plan" : plan->algorithm, plan->load,
                 plan->makespan_s);
  struct ls_account account;
  struct ls_chart_options chart = options->chart;
  chart.account = &account;
  struct ls_waits waits;
  status = ls_account_of(&timeline, platform, &account, err);
  if (status == LS_OK) status = ls_waits_of(&timeline, &account, &waits, err);
  chart.waits = &waits;
  if (status == LS_OK) write_text(options, &chart, &timeline, &text);
  if (status == LS_OK) status = ls_chart_write(&chart, &timeline, title, &text, err);
  ls_bytes_close(&text);
  ls_timeline_close(&timeline);
  return status;
}

static enum ls_status play_policies(const struct options *options,
                                    const struct ls_platform *platform, struct ls_error *err) {
  struct ls_policy_run run;
  struct ls_policy_place place = {
      .platform = platform, .name = options->platform.text, .load = options->load};
  enum ls_status status = ls_policy_run_open(&run, &options->policies, &place, err);
  if (status != LS_OK) return status;
  status = ls_simulate_policies(&run, &options->chart, options->wants_spans, err);
  ls_policy_run_close(&run);
  return status;
}

/* Times are drawn where the user says so, or where the platform does. */
static bool is_drawn(const struct options *options, const struct ls_platform *platform) {
  return ls_policy_options_of_chance(&options->policies) != NULL ||
         ls_platform_unit_variation(platform) > 0;
}

static enum ls_status play_drawn(const struct options *options, const struct ls_platform *platform,
                                 struct ls_error *err) {
  struct ls_drawn_plans plans = {0};
  struct ls_policy_run run;
  enum ls_status status = ls_drawn_plans_add_file(&plans, options->plan, platform, -1, err);
  if (status == LS_OK) {
    struct ls_policy_place place = {
        .platform = platform, .name = options->platform.text, .load = plans.plans[0].load};
    status = ls_policy_run_open(&run, &options->policies, &place, err);
  }
  if (status == LS_OK) {
    status = ls_drawn_plans_join(&plans, false, &run, err);
    if (status == LS_OK)
      status = ls_simulate_policies(&run, &options->chart, options->wants_spans, err);
    ls_policy_run_close(&run);
  }
  ls_drawn_plans_close(&plans);
  return status;
}

static enum ls_status play_plan(const struct options *options, const struct ls_platform *platform,
                                struct ls_error *err) {
  struct ls_plan plan;
  struct ls_bytes text = {0};
  const char *source = strcmp(options->plan, "-") == 0 ? "standard input" : options->plan;
  enum ls_status status = ls_console_read(options->plan, &text, err);
  if (status == LS_OK)
    status = ls_plan_read(&plan, (struct ls_text){ls_bytes_text(&text), text.length, source},
                          platform, err);
  ls_bytes_close(&text);
  if (status != LS_OK) return status;
  status = ls_validate_limits(&plan, platform, err);
  if (status != LS_OK) status = ls_fail_while(err, status, "%s", source);
  if (status == LS_OK) status = show_plan(options, &plan, platform, err);
  ls_plan_close(&plan);
  return status;
}

int ls_simulate_main(int argc, char **argv, const struct ls_app *app) {
  (void)app;
  struct options options = {.name = argv[0], .platform = ls_platform_source_default()};
  if (ls_option_names_parse(&parser, argc, argv, 0, &options) != 0) return LS_EXIT_USAGE;
  struct ls_error err = {0};
  struct ls_platform platform;
  enum ls_status status = ls_platform_source_read(&options.platform, &platform, &err);
  if (status == LS_OK) {
    status = options.plan == NULL            ? play_policies(&options, &platform, &err)
             : is_drawn(&options, &platform) ? play_drawn(&options, &platform, &err)
                                             : play_plan(&options, &platform, &err);
    ls_platform_close(&platform);
  }
  ls_policy_options_close(&options.policies);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(options.name, &err);
}
