/* compare.c: `loadstar compare`: ranks planners, policies or numbers of workers on one platform. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/json.h"
#include "base/parameter.h"
#include "cli/compare_grid.h"
#include "cli/compare_policies.h"
#include "cli/compare_ways.h"
#include "cli/console.h"
#include "cli/drawn_plans.h"
#include "cli/option_names.h"
#include "cli/planner_options.h"
#include "cli/platform_source.h"
#include "cli/subcommands.h"
#include "cli/terms_options.h"
#include "model/certificate.h"
#include "model/plan_repeat.h"
#include "model/plan_share.h"
#include "planners/planner.h"

enum { KEY_JSON = 0x200, KEY_WORKERS, KEY_FRONT, KEY_SITES, KEY_SVG, KEY_PLAN };

struct options {
  const char *name, *algorithms; /* NULL: all planners */
  bool wants_json, wants_front, wants_sites;
  const char *picture; /* of the front, or of the policies; NULL: none */
  struct ls_terms terms;
  struct ls_platform_source platform;
  struct ls_planner_limits limits;
  struct ls_policy_options policies;
  struct ls_worker_range workers;
  struct ls_word_list plans; /* files */
  struct ls_grid_options grid;
};

/* The result of one planner. */
struct row {
  char *label; /* "mi:3" */
  size_t order;
  bool is_plan;
  char why[LS_ERROR_TEXT_BYTES]; /* when there is no plan */
  double makespan_s, gap, idle_s, price;
  size_t workers_used;
  uint64_t messages, rounds;
};

struct table {
  struct row *rows;
  size_t count, capacity;
  bool has_prices; /* some worker has a price of its own */
};

static const struct argp_option option_table[] = {
    {"algorithms", 'a', "LIST", 0, "Planners, such as umr,mi:3,one-round (default: all)", 2},
    {"plan", KEY_PLAN, "FILE", 0,
     "Play a plan of whole units, too, under the times of all others (repeatable)", 2},
    {"workers", KEY_WORKERS, "A-B", 0,
     "Compare numbers of workers under the policy, the fastest first: time, efficiency, EER", 3},
    {"front", KEY_FRONT, NULL, 0,
     "Time against price: all that nothing else beats in both, over algorithms or policies and "
     "over "
     "which workers are taken",
     4},
    {"sites", KEY_SITES, NULL, 0,
     "Does a second site, behind a slower link, pay? Time and price with its workers, without "
     "them and of them alone",
     4},
    {"svg", KEY_SVG, "FILE", 0,
     "Draw the policies, the front, or what a deadline or a price leaves", 8},
    {"json", KEY_JSON, NULL, 0, "Print JSON, for machines", 8},
    {0}};

static const struct argp_child children[] = {
    {&ls_platform_source_argp, 0, NULL, 0}, {&ls_planner_limits_argp, 0, NULL, 0},
    {&ls_policy_options_argp, 0, NULL, 0},  {&ls_terms_argp, 0, NULL, 0},
    {&ls_grid_options_argp, 0, NULL, 0},    {0}};

static bool shows_front(const struct options *options) {
  return options->wants_front || options->wants_sites || ls_terms_are_given(&options->terms);
}

/* All are played under the same drawn times: plans beside policies, or plans whose times err. */
static bool compares_draws(const struct options *options) {
  bool has_policies = options->policies.policies.count > 0;
  if (shows_front(options) || options->workers.most > 0) return false;
  if (options->plans.count > 0 || (has_policies && options->algorithms != NULL)) return true;
  return !has_policies && ls_policy_options_of_chance(&options->policies) != NULL;
}

/* On a front --workers says how many may be taken, by planners, too. */
static bool compares_policies(const struct options *options) {
  return options->policies.policies.count > 0 ||
         (options->workers.most > 0 && !shows_front(options));
}

/* An option of planners says nothing of policies, and the reverse. */
static void check_mode(const struct options *options, struct argp_state *state) {
  const char *extra = ls_policy_options_extra(&options->policies);
  if (options->wants_sites) {
    const char *other = options->wants_front                  ? "--front"
                        : ls_terms_are_given(&options->terms) ? "a deadline or a limit of price"
                        : options->workers.most > 0           ? "--workers"
                        : options->picture != NULL            ? "--svg"
                                                              : NULL;
    if (other != NULL) argp_error(state, "--sites is given with %s, expected one of them", other);
  }
  bool ranks_policies = options->policies.policies.count > 0 && options->workers.most == 0;
  if (options->plans.count > 0 && !compares_draws(options))
    argp_error(state, "--plan is given with %s, expected one of them",
               options->workers.most > 0 ? "--workers" : "time against price");
  if (compares_draws(options)) return;
  if (options->picture != NULL && !shows_front(options) && !ranks_policies)
    argp_error(state,
               options->workers.most > 0
                   ? "--svg and --workers exclude each other, but on a front"
                   : "--svg is given without --policies, --front, --deadline or --price-max");
  if (!compares_policies(options)) {
    if (extra != NULL) argp_error(state, "%s is given without --policies or --workers", extra);
    return;
  }
  extra = options->algorithms != NULL ? "--algorithms" : ls_planner_limits_extra(&options->limits);
  if (extra != NULL)
    argp_error(state, "%s is given with --policies or --workers, but concerns planners", extra);
}

/* On a grid the file tells platforms and loads, and they are too many for what shows one. */
static const char *find_no_grid(const struct options *options) {
  if (options->platform.text != NULL) return "--platform";
  if (options->policies.platforms.count > 0) return "--and-platform";
  if (options->limits.has_load) return "--load";
  if (options->limits.budget_s > 0) return "--budget";
  if (options->plans.count > 0) return "--plan";
  if (options->workers.most > 0) return "--workers";
  if (options->wants_sites) return "--sites";
  return shows_front(options) ? "time against price" : NULL;
}

static void check_place(const struct options *options, struct argp_state *state) {
  const char *other =
      options->grid.file != NULL ? find_no_grid(options) : ls_grid_options_extra(&options->grid);
  if (other != NULL && options->grid.file != NULL)
    argp_error(state, "--grid is given with %s, expected one of them", other);
  if (other != NULL) argp_error(state, "%s is given without --grid", other);
  if (options->grid.file != NULL) return;
  if (options->platform.text == NULL)
    argp_error(state, "--platform is missing, expected a file or a line such as 4x(compute=1x)");
  if (!options->limits.has_load) argp_error(state, "--load is missing, expected a number of units");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct ls_error err = {0};
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->platform;
      state->child_inputs[1] = &options->limits;
      state->child_inputs[2] = &options->policies;
      state->child_inputs[3] = &options->terms;
      state->child_inputs[4] = &options->grid;
      return 0;
    case KEY_FRONT:
      options->wants_front = true;
      return 0;
    case KEY_SITES:
      options->wants_sites = true;
      return 0;
    case KEY_SVG:
      options->picture = argument;
      return 0;
    case KEY_PLAN:
      if (!ls_word_list_add(&options->plans, argument, strlen(argument)))
        argp_failure(state, LS_EXIT_INFRASTRUCTURE, 0, "no memory");
      return 0;
    case 'a':
      options->algorithms = argument;
      return 0;
    case KEY_WORKERS:
      if (ls_worker_range_read(&options->workers, argument, &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    case KEY_JSON:
      options->wants_json = true;
      return 0;
    case ARGP_KEY_ARG:
      argp_error(state, "'%s' is no option, expected none but options", argument);
      return 0;
    case ARGP_KEY_END:
      check_place(options, state);
      if (options->grid.file == NULL) check_mode(options, state);
      if (ls_console_check_option("--svg", options->picture, &err) != LS_OK)
        argp_error(state, "%s", err.text);
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
        "Ranks planners on one platform: the exact makespan of each one's plan, its gap to the "
        "lower bound, and why a planner has none. The exit status is 1 when no planner applies, or "
        "a deadline or a price cannot be kept. Or ranks policies by simulation, planners, policies "
        "and plan files under the same drawn times, or numbers of workers, or weighs time against "
        "price. With --grid it says how they stand over many platforms."
        "\vExamples:\n"
        "  loadstar compare -p '10x(compute=0.1+1x, transfer=0.1+0.06x)' -l 1000\n"
        "  loadstar compare -p cluster.json -l 1000 -a umr,umr:4,mi:3,one-round --json\n"
        "  loadstar compare -p cluster.json -l 1000 --policies ss,fac2,af,auto --seeds 20\n"
        "  loadstar compare -p cluster.json -l 1000 -a umr,mi:3 --policies rumr,wf2 --known "
        "--error 0.2 --seeds 100\n"
        "  loadstar compare -p '50x(compute=1x)' -l 150 --workers 1-50\n"
        "  loadstar compare -p cluster.json -l 1000 --deadline 3600 --svg front.svg\n"
        "  loadstar compare --grid grid.json -a umr,mi:1,mi:2,one-round --csv rows.csv\n"
        "  loadstar compare --grid grid.json -a umr,lp --command './mine {platform} {load}'\n"};

static enum ls_status add_row(struct table *table, const char *label, size_t length,
                              struct ls_error *err) {
  void *items = table->rows;
  struct row row = {.label = strndup(label, length), .order = table->count};
  if (row.label == NULL ||
      ls_array_reserve(&items, &table->capacity, table->count + 1, sizeof row) != LS_OK) {
    free(row.label);
    return ls_fail(err, LS_ENOMEM, "no memory to compare planners");
  }
  table->rows = items;
  table->rows[table->count++] = row;
  return LS_OK;
}

/* "umr,mi:3,scow:7,search=published,lp": a piece NAME=VALUE belongs to the planner before it. */
static enum ls_status split_algorithms(struct table *table, const char *text,
                                       struct ls_error *err) {
  while (true) {
    size_t length = ls_parameter_piece(text);
    while (text[length] == ',') {
      const char *next = text + length + 1;
      size_t piece = ls_parameter_piece(next);
      bool is_setting = memchr(next, '=', piece) != NULL && memchr(next, ':', piece) == NULL;
      if (!is_setting) break;
      length += 1 + piece;
    }
    if (length == 0)
      return ls_fail(err, LS_EINVAL, "--algorithms has an empty name, expected umr,mi:3,...");
    enum ls_status status = add_row(table, text, length, err);
    if (status != LS_OK || text[length] == '\0') return status;
    text += length + 1;
  }
}

static enum ls_status list_all(struct table *table, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; ls_planners[i] != NULL && status == LS_OK; i++)
    status = add_row(table, ls_planners[i]->name, strlen(ls_planners[i]->name), err);
  if (status == LS_OK && table->count == 0)
    status = ls_fail(err, LS_EINVAL, "there is no planner to compare");
  return status;
}

/* The mean over all workers of the time in which they compute nothing. */
static enum ls_status measure_plan(const struct ls_plan *plan, const struct ls_platform *platform,
                                   struct row *row, struct ls_error *err) {
  struct ls_certificate certificate;
  size_t count = platform->workers_count;
  struct ls_plan_share *shares = calloc(count, sizeof *shares);
  enum ls_status status = shares == NULL ? ls_fail(err, LS_ENOMEM, "no memory to compare planners")
                                         : ls_certificate_of(plan, platform, &certificate, err);
  if (status != LS_OK) goto done;
  double busy_s = 0;
  ls_plan_shares(plan, platform, shares);
  for (size_t i = 0; i < count; i++) {
    busy_s += shares[i].busy_s;
    row->workers_used += shares[i].chunks > 0;
  }
  row->is_plan = true;
  row->makespan_s = plan->makespan_s;
  row->gap = certificate.gap;
  row->price = ls_plan_price(plan, platform, shares);
  row->idle_s = fmax(0, plan->makespan_s - busy_s / (double)count);
  row->messages = ls_plan_messages(plan);
  row->rounds = ls_plan_rounds(plan);
done:
  free(shares);
  return status;
}

/* A planner that refuses the platform is a row with its reason, too. */
static enum ls_status fill_row(const struct options *options, const struct ls_platform *platform,
                               struct row *row, struct ls_error *err) {
  const struct ls_planner *planner = NULL;
  struct ls_planner_setup setup = {.platform = platform};
  struct ls_planner_clock clock;
  struct ls_plan plan;
  struct ls_error reason = {0};
  enum ls_status status = ls_planner_parse(row->label, &planner, &setup, err);
  if (status != LS_OK) return status;
  ls_planner_limits_apply(&options->limits, planner, &clock, &setup);
  status = ls_planner_run(planner, &setup, row->label, &plan, &reason);
  if (status == LS_EINVAL) {
    (void)snprintf(row->why, sizeof row->why, "%s", reason.text);
    status = LS_OK;
  } else if (status != LS_OK) {
    status = ls_fail(err, status, "%s", reason.text);
  } else if (plan.outcome != LS_PLAN_OK) {
    (void)snprintf(row->why, sizeof row->why, "%s", plan.why);
  } else {
    status = measure_plan(&plan, platform, row, err);
  }
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  return status;
}

/* The shortest first; planners without a plan last; equals in the order given. */
static int compare_rows(const void *a, const void *b) {
  const struct row *left = a, *right = b;
  if (left->is_plan != right->is_plan) return left->is_plan ? -1 : 1;
  if (left->is_plan && left->makespan_s < right->makespan_s) return -1;
  if (left->is_plan && left->makespan_s > right->makespan_s) return 1;
  return left->order < right->order ? -1 : left->order > right->order;
}

static void write_table(const struct table *table, struct ls_bytes *out) {
  size_t width = strlen("algorithm");
  for (size_t i = 0; i < table->count; i++)
    if (strlen(table->rows[i].label) > width) width = strlen(table->rows[i].label);
  ls_bytes_printf(out, "%-*s %12s %9s %7s %9s %8s %10s%s\n", (int)width, "algorithm", "makespan s",
                  "gap", "rounds", "messages", "workers", "idle s",
                  table->has_prices ? "      price" : "");
  for (size_t i = 0; i < table->count; i++) {
    const struct row *row = &table->rows[i];
    ls_bytes_printf(out, "%-*s ", (int)width, row->label);
    if (!row->is_plan) {
      ls_bytes_printf(out, "not applicable: %s\n", row->why);
      continue;
    }
    ls_bytes_printf(out, "%12.8g ", row->makespan_s);
    if (isfinite(row->gap))
      ls_bytes_printf(out, "%7.2f %% ", 100 * row->gap);
    else
      ls_bytes_printf(out, "%9s ", "-");
    ls_bytes_printf(out, "%7llu %9zu %8zu %10.4g", (unsigned long long)row->rounds, row->messages,
                    row->workers_used, row->idle_s);
    if (table->has_prices) ls_bytes_printf(out, " %10.4g", row->price);
    ls_bytes_append_char(out, '\n');
  }
}

static void write_json(const struct table *table, double load, struct ls_bytes *out) {
  ls_bytes_append_text(out, "{ \"load\": ");
  ls_json_write_number(out, load);
  ls_bytes_append_text(out, ", \"planners\": [");
  for (size_t i = 0; i < table->count; i++) {
    const struct row *row = &table->rows[i];
    ls_bytes_append_text(out, i == 0 ? "\n  {\"algorithm\": " : ",\n  {\"algorithm\": ");
    ls_json_write_string(out, row->label);
    ls_bytes_printf(out,
                    ", \"outcome\": \"%s\", \"why\": ", row->is_plan ? "ok" : "not_applicable");
    ls_json_write_string(out, row->why);
    if (row->is_plan) {
      ls_bytes_append_text(out, ", \"makespan\": ");
      ls_json_write_number(out, row->makespan_s);
      ls_bytes_append_text(out, ", \"gap\": ");
      ls_json_write_number(out, row->gap);
      ls_bytes_printf(out,
                      ", \"rounds\": %llu, \"messages\": %zu, \"workers_used\": %zu, \"idle\": ",
                      (unsigned long long)row->rounds, row->messages, row->workers_used);
      ls_json_write_number(out, row->idle_s);
      ls_bytes_append_text(out, ", \"price\": ");
      ls_json_write_number(out, row->price);
    }
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "] }\n");
}

static struct ls_front_request make_request(const struct options *options,
                                            const struct ls_platform *platform) {
  return (struct ls_front_request){.platform = platform,
                                   .load = options->limits.load,
                                   .least = options->workers.least,
                                   .most = options->workers.most,
                                   .terms = options->terms,
                                   .wants_json = options->wants_json,
                                   .shows_sites = options->wants_sites,
                                   .picture = options->picture};
}

/* The planners that were named; those that are asked quickly, if none was. The caller frees the
 * list of labels, which are the table's. */
static enum ls_status list_labels(const struct options *options, struct table *table,
                                  struct ls_policy_words *words, struct ls_error *err) {
  enum ls_status status = options->algorithms == NULL
                              ? list_all(table, err)
                              : split_algorithms(table, options->algorithms, err);
  const char **labels = calloc(table->count + 1, sizeof(const char *));
  size_t count = 0;
  if (status == LS_OK && labels == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory to compare planners");
  for (size_t i = 0; i < table->count && status == LS_OK; i++) {
    bool is_asked = options->algorithms != NULL;
    if (is_asked || ls_front_tries(ls_planner_find(table->rows[i].label)))
      labels[count++] = table->rows[i].label;
  }
  *words = (struct ls_policy_words){labels, count};
  return status;
}

static enum ls_status show_front(const struct options *options, const struct ls_platform *platform,
                                 struct table *table, bool *holds, struct ls_error *err) {
  struct ls_front_request request = make_request(options, platform);
  struct ls_policy_words words = {0};
  enum ls_status status = list_labels(options, table, &words, err);
  if (status == LS_OK)
    status = ls_front_of_planners(&request, &words, &options->limits, holds, err);
  free((void *)words.items);
  return status;
}

/* Without any name all planners that are asked quickly take part. */
static enum ls_status show_grid(const struct options *options, struct table *table,
                                bool *has_answer, struct ls_error *err) {
  struct ls_grid_request request = {.options = &options->grid,
                                    .limits = &options->limits,
                                    .policies = &options->policies,
                                    .wants_json = options->wants_json,
                                    .picture = options->picture};
  bool has_others = options->policies.policies.count > 0 || options->grid.commands.count > 0;
  enum ls_status status = LS_OK;
  if (options->algorithms != NULL || !has_others)
    status = list_labels(options, table, &request.planners, err);
  if (status == LS_OK) status = ls_compare_grid(&request, has_answer, err);
  free((void *)request.planners.items);
  return status;
}

static enum ls_status compare_planners(const struct options *options,
                                       const struct ls_platform *platform, struct table *table,
                                       struct ls_error *err) {
  enum ls_status status = options->algorithms == NULL
                              ? list_all(table, err)
                              : split_algorithms(table, options->algorithms, err);
  for (size_t i = 0; i < table->count && status == LS_OK; i++)
    status = fill_row(options, platform, &table->rows[i], err);
  if (status != LS_OK) return status;
  table->has_prices = ls_platform_has_prices(platform);
  qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
  struct ls_bytes out = {0};
  if (options->wants_json)
    write_json(table, options->limits.load, &out);
  else
    write_table(table, &out);
  status = ls_console_write_file("-", &out, err);
  ls_bytes_close(&out);
  return status;
}

/* The planners that were named; all that are asked quickly, if nothing was. */
static enum ls_status make_plans(const struct options *options, const struct ls_platform *platform,
                                 struct ls_drawn_plans *plans, struct ls_error *err) {
  struct table table = {0};
  bool has_names = options->algorithms != NULL;
  bool wants_all = !has_names && options->policies.policies.count == 0 && options->plans.count == 0;
  enum ls_status status = LS_OK;
  if (has_names) status = split_algorithms(&table, options->algorithms, err);
  if (wants_all) status = list_all(&table, err);
  for (size_t i = 0; i < table.count && status == LS_OK; i++)
    if (has_names || ls_front_tries(ls_planner_find(table.rows[i].label)))
      status =
          ls_drawn_plans_add_planner(plans, table.rows[i].label, platform, &options->limits, err);
  for (size_t i = 0; i < options->plans.count && status == LS_OK; i++)
    status = ls_drawn_plans_add_file(plans, options->plans.items[i], platform, options->limits.load,
                                     err);
  for (size_t i = 0; i < table.count; i++) free(table.rows[i].label);
  free(table.rows);
  return status;
}

static enum ls_status compare_draws(const struct options *options,
                                    const struct ls_platform *platform, bool *has_answer,
                                    struct ls_error *err) {
  struct ls_drawn_plans plans = {0};
  struct ls_policy_run run;
  struct ls_policy_place place = {
      .platform = platform, .name = options->platform.text, .load = options->limits.load};
  enum ls_status status = ls_policy_run_open(&run, &options->policies, &place, err);
  if (status != LS_OK) return status;
  status = make_plans(options, platform, &plans, err);
  bool has_policies = options->policies.policies.count > 0;
  if (status == LS_OK) status = ls_drawn_plans_join(&plans, has_policies, &run, err);
  *has_answer = status == LS_OK && run.grid.policies.count > 0;
  if (*has_answer) status = ls_compare_policies(&run, options->wants_json, options->picture, err);
  (void)!ls_console_write(STDERR_FILENO, ls_bytes_text(&plans.refusals), plans.refusals.length);
  ls_drawn_plans_close(&plans);
  ls_policy_run_close(&run);
  return status;
}

static enum ls_status simulate(const struct options *options, const struct ls_platform *platform,
                               bool *holds, struct ls_error *err) {
  struct ls_policy_run run;
  struct ls_policy_place place = {
      .platform = platform, .name = options->platform.text, .load = options->limits.load};
  enum ls_status status = ls_policy_run_open(&run, &options->policies, &place, err);
  if (status != LS_OK) return status;
  struct ls_front_request request = make_request(options, platform);
  if (shows_front(options))
    status = ls_front_of_policies(&request, &run, holds, err);
  else if (options->workers.most > 0)
    status = ls_compare_workers(&run, &options->workers, options->wants_json, err);
  else
    status = ls_compare_policies(&run, options->wants_json, options->picture, err);
  ls_policy_run_close(&run);
  return status;
}

int ls_compare_main(int argc, char **argv, const struct ls_app *app) {
  (void)app;
  struct options options = {
      .name = argv[0], .platform = ls_platform_source_default(), .terms = ls_terms_none()};
  if (ls_option_names_parse(&parser, argc, argv, 0, &options) != 0) return LS_EXIT_USAGE;
  struct ls_error err = {0};
  struct ls_platform platform = {0};
  struct table table = {0};
  bool has_answer = true;
  enum ls_status status = LS_OK;
  if (options.grid.file == NULL) {
    status = ls_platform_source_read(&options.platform, &platform, &err);
    if (status != LS_OK) {
      ls_policy_options_close(&options.policies);
      return ls_console_fail(options.name, &err);
    }
  }
  if (options.grid.file != NULL) {
    status = show_grid(&options, &table, &has_answer, &err);
  } else if (compares_draws(&options)) {
    status = compare_draws(&options, &platform, &has_answer, &err);
  } else if (compares_policies(&options)) {
    status = simulate(&options, &platform, &has_answer, &err);
  } else if (shows_front(&options)) {
    status = show_front(&options, &platform, &table, &has_answer, &err);
  } else {
    status = compare_planners(&options, &platform, &table, &err);
    has_answer = table.count > 0 && table.rows[0].is_plan;
  }
  for (size_t i = 0; i < table.count; i++) free(table.rows[i].label);
  free(table.rows);
  ls_platform_close(&platform);
  ls_policy_options_close(&options.policies);
  ls_word_list_close(&options.plans);
  ls_grid_options_close(&options.grid);
  if (status != LS_OK) return ls_console_fail(options.name, &err);
  return has_answer ? LS_EXIT_OK : LS_EXIT_FAILED;
}
