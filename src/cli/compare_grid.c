#include "cli/compare_grid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/grid_play.h"
#include "cli/console.h"
#include "cli/drawn_plans.h"
#include "cli/grid_table.h"
#include "cli/plan_command.h"
#include "formats/platform_grid_json.h"
#include "runtime/os/parallel_map.h"

enum { KEY_GRID = 0x700, KEY_COMMAND, KEY_TIES, KEY_BY, KEY_CSV };

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "A grid of platforms", 5},
    {"grid", KEY_GRID, "FILE", 0,
     "Compare on every platform of these ranges: rank, degradation, who beats whom", 5},
    {"command", KEY_COMMAND, "COMMAND", 0,
     "A program that prints a plan for {platform}, a file, and {load}, units (repeatable)", 5},
    {"ties", KEY_TIES, "RULE", 0,
     "half: a tie is half a win for each (default); first: the first algorithm wins its ties", 5},
    {"by", KEY_BY, "NAME", 0, "Show the degradation by this variable of the grid", 5},
    {"csv", KEY_CSV, "FILE", 0, "Write a row for each platform and algorithm", 8},
    {0}};

static void read_ties(struct ls_grid_options *options, const char *word, struct argp_state *state) {
  options->has_ties = true;
  options->ties_for_first = strcmp(word, "first") == 0;
  if (!options->ties_for_first && strcmp(word, "half") != 0)
    argp_error(state, "--ties is '%s', expected half or first", word);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct ls_grid_options *options = state->input;
  struct ls_error err = {0};
  switch (key) {
    case KEY_GRID:
      options->file = argument;
      return 0;
    case KEY_COMMAND:
      if (ls_plan_command_check(argument, &err) != LS_OK) argp_error(state, "%s", err.text);
      if (!ls_word_list_add(&options->commands, argument, strlen(argument)))
        argp_failure(state, LS_EXIT_INFRASTRUCTURE, 0, "no memory");
      return 0;
    case KEY_TIES:
      read_ties(options, argument, state);
      return 0;
    case KEY_BY:
      options->has_by = true;
      if (ls_grid_axis_read(argument, &options->by, &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    case KEY_CSV:
      options->csv = argument;
      return 0;
    case ARGP_KEY_END:
      if (ls_console_check_option("--csv", options->csv, &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp ls_grid_options_argp = {.options = option_table, .parser = parse_option};

void ls_grid_options_close(struct ls_grid_options *options) {
  ls_word_list_close(&options->commands);
}

const char *ls_grid_options_extra(const struct ls_grid_options *options) {
  if (options->commands.count > 0) return "--command";
  if (options->has_ties) return "--ties";
  if (options->has_by) return "--by";
  return options->csv != NULL ? "--csv" : NULL;
}

/* ---- what takes part: planners, then policies, then commands ---- */

struct contest {
  const struct ls_grid_request *request;
  struct ls_platform_grid grid;
  const char *source; /* of the grid, for messages */
  const char **names; /* owned, as each of those of commands is */
  size_t planners, policies, commands;
  bool is_drawn; /* all are played under the same drawn times */
  struct ls_standings standings;
  struct ls_grid_curve curve;
  struct ls_bytes rows; /* of CSV: a run that fails writes none */
  size_t row_number;    /* platforms so far */
};

static size_t count_all(const struct contest *contest) {
  return contest->planners + contest->policies + contest->commands;
}

static enum ls_status name_all(struct contest *contest, struct ls_error *err) {
  const struct ls_grid_request *request = contest->request;
  const struct ls_word_list *commands = &request->options->commands;
  size_t next = 0;
  contest->names = calloc(count_all(contest) + 1, sizeof *contest->names);
  if (contest->names == NULL) return ls_fail(err, LS_ENOMEM, "no memory for names");
  for (size_t i = 0; i < contest->planners; i++)
    contest->names[next++] = request->planners.items[i];
  for (size_t i = 0; i < contest->policies; i++)
    contest->names[next++] = request->policies->policies.items[i];
  for (size_t i = 0; i < contest->commands; i++) {
    struct ls_bytes name = {0};
    ls_plan_command_name(commands->items[i], &name);
    contest->names[next++] = name.data;
    if (name.failed || name.data == NULL) return ls_fail(err, LS_ENOMEM, "no memory for names");
  }
  return LS_OK;
}

static enum ls_status read_grid(struct contest *contest, struct ls_error *err) {
  const char *path = contest->request->options->file;
  struct ls_bytes text = {0};
  enum ls_status status = ls_console_read(path, &text, err);
  if (status != LS_OK) {
    status = ls_fail_while(err, status, "--grid");
  } else {
    contest->source = strcmp(path, "-") == 0 ? "standard input" : path;
    const struct ls_text own = {ls_bytes_text(&text), text.length, contest->source};
    status = ls_platform_grid_read(&contest->grid, own, err);
  }
  ls_bytes_close(&text);
  return status;
}

/* A mistyped name is told at once, not by the first platform. */
static enum ls_status check_names(const struct contest *contest, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < contest->planners && status == LS_OK; i++) {
    const struct ls_planner *planner = NULL;
    struct ls_planner_setup setup = {.platform = NULL};
    status = ls_planner_parse(contest->names[i], &planner, &setup, err);
    if (status == LS_OK) ls_arguments_close(&setup.arguments);
  }
  return status;
}

static enum ls_status open_contest(struct contest *contest, const struct ls_grid_request *request,
                                   struct ls_error *err) {
  const struct ls_policy_options *chance = request->policies;
  *contest = (struct contest){.request = request};
  contest->planners = request->planners.count;
  contest->policies = chance->policies.count;
  contest->commands = request->options->commands.count;
  contest->is_drawn =
      contest->policies > 0 || chance->has_error || chance->has_seed || chance->seeds > 0;
  if (count_all(contest) == 0)
    return ls_fail(err, LS_EINVAL, "--grid is given, but nothing that could be compared");
  if (chance->orders.count > 1)
    return ls_fail(err, LS_EINVAL, "--grid goes with one order, but %zu are given",
                   chance->orders.count);
  enum ls_status status = read_grid(contest, err);
  if (status == LS_OK) status = name_all(contest, err);
  if (status == LS_OK) status = check_names(contest, err);
  if (status != LS_OK) return status;
  bool has_by = request->options->has_by;
  contest->curve.axis = has_by ? request->options->by : ls_grid_axis_choose(&contest->grid);
  contest->curve.algorithms = count_all(contest);
  status = ls_standings_init(&contest->standings, count_all(contest), err);
  contest->standings.ties_for_first = request->options->ties_for_first;
  return status;
}

static void close_contest(struct contest *contest) {
  size_t before = contest->planners + contest->policies;
  for (size_t i = 0; contest->names != NULL && i < contest->commands; i++)
    free((char *)contest->names[before + i]);
  free(contest->names);
  ls_standings_close(&contest->standings);
  ls_grid_curve_close(&contest->curve);
  ls_bytes_close(&contest->rows);
  ls_platform_grid_close(&contest->grid);
}

/* ---- plans by the exact replay ---- */

/* One platform, and where the makespans on it go: that of algorithm i to makespans_s[i * stride].
 */
struct heat {
  struct ls_platform platform;
  double load; /* units */
  double *makespans_s;
  size_t stride;
};

static size_t place_of_command(const struct contest *contest, size_t index) {
  return contest->planners + contest->policies + index;
}

static enum ls_status run_command(const struct contest *contest, size_t index,
                                  const struct heat *heat, struct ls_plan *plan,
                                  struct ls_error *err) {
  const char *command = contest->request->options->commands.items[index];
  return ls_plan_command_run(command, &heat->platform, heat->load, plan, err);
}

static enum ls_status play_commands(const struct contest *contest, const struct heat *heat,
                                    struct ls_error *err) {
  for (size_t i = 0; i < contest->commands; i++) {
    struct ls_plan plan;
    enum ls_status status = run_command(contest, i, heat, &plan, err);
    if (status != LS_OK) return status;
    heat->makespans_s[place_of_command(contest, i) * heat->stride] =
        plan.outcome == LS_PLAN_OK ? plan.makespan_s : (double)INFINITY;
    ls_plan_close(&plan);
  }
  return LS_OK;
}

/* ---- all under the same drawn times, as of one platform ---- */

/* Plans of one platform, and to which algorithm each belongs. */
struct drawing {
  struct ls_drawn_plans plans;
  size_t *owners;
};

static enum ls_status add_command(const struct contest *contest, size_t index,
                                  const struct heat *heat, struct ls_drawn_plans *plans,
                                  struct ls_error *err) {
  struct ls_plan plan;
  const char *name = contest->names[place_of_command(contest, index)];
  enum ls_status status = run_command(contest, index, heat, &plan, err);
  if (status != LS_OK) return status;
  if (plan.outcome == LS_PLAN_OK) return ls_drawn_plans_add(plans, name, &plan, heat->load, err);
  ls_plan_close(&plan);
  return LS_OK;
}

static enum ls_status make_plans(const struct contest *contest, const struct heat *heat,
                                 struct drawing *drawing, struct ls_error *err) {
  struct ls_drawn_plans *plans = &drawing->plans;
  struct ls_planner_limits limits = *contest->request->limits;
  enum ls_status status = LS_OK;
  limits.load = heat->load;
  for (size_t i = 0; i < contest->planners && status == LS_OK; i++) {
    size_t before = plans->count;
    status = ls_drawn_plans_add_planner(plans, contest->names[i], &heat->platform, &limits, err);
    if (plans->count > before) drawing->owners[before] = i;
  }
  for (size_t i = 0; i < contest->commands && status == LS_OK; i++) {
    size_t before = plans->count;
    status = add_command(contest, i, heat, plans, err);
    if (plans->count > before) drawing->owners[before] = place_of_command(contest, i);
  }
  return status;
}

static enum ls_status play_run(const struct contest *contest, const struct drawing *drawing,
                               struct ls_policy_run *run, const struct heat *heat,
                               struct ls_error *err) {
  size_t count = ls_policy_grid_cases(&run->grid);
  struct ls_policy_case *cases = calloc(count + 1, sizeof *cases);
  if (cases == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu cases", count);
  /* Processes share the platforms already. */
  run->grid.processes = 1;
  enum ls_status status = ls_policy_grid_run(&run->grid, cases, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    size_t policy = cases[i].policy;
    size_t owner = policy < contest->policies ? contest->planners + policy
                                              : drawing->owners[policy - contest->policies];
    heat->makespans_s[owner * heat->stride] = cases[i].makespan_s.mean;
  }
  free(cases);
  return status;
}

static enum ls_status play_drawn(const struct contest *contest, const struct heat *heat,
                                 struct ls_error *err) {
  struct ls_policy_run run;
  struct drawing drawing = {.owners = calloc(count_all(contest), sizeof *drawing.owners)};
  if (drawing.owners == NULL) return ls_fail(err, LS_ENOMEM, "no memory for plans");
  struct ls_policy_place place = {.platform = &heat->platform, .name = "", .load = heat->load};
  enum ls_status status = ls_policy_run_open(&run, contest->request->policies, &place, err);
  if (status == LS_OK) {
    for (size_t i = 0; i < count_all(contest); i++)
      heat->makespans_s[i * heat->stride] = (double)INFINITY;
    status = make_plans(contest, heat, &drawing, err);
    if (status == LS_OK)
      status = ls_drawn_plans_join(&drawing.plans, contest->policies > 0, &run, err);
    if (status == LS_OK && run.grid.policies.count > 0)
      status = play_run(contest, &drawing, &run, heat, err);
    ls_drawn_plans_close(&drawing.plans);
    ls_policy_run_close(&run);
  }
  free(drawing.owners);
  return status;
}

/* ---- a piece of the grid ---- */

static enum ls_status play_point(const struct contest *contest, const struct ls_grid_point *point,
                                 double *makespans_s, size_t stride, struct ls_error *err) {
  struct heat heat = {
      .load = point->values[LS_GRID_LOAD], .makespans_s = makespans_s, .stride = stride};
  struct ls_bytes text = {0};
  enum ls_status status = ls_platform_grid_make(&contest->grid, point, &heat.platform, err);
  if (status != LS_OK) return status;
  status = (contest->is_drawn ? play_drawn : play_commands)(contest, &heat, err);
  ls_platform_close(&heat.platform);
  if (status == LS_OK) return LS_OK;
  ls_grid_point_describe(&contest->grid, point, &text);
  status = ls_fail_while(err, status, "%s: platform (%s)", contest->source, ls_bytes_text(&text));
  ls_bytes_close(&text);
  return status;
}

static enum ls_status play_piece(void *context, const struct ls_grid_piece *piece,
                                 double *makespans_s, size_t stride, struct ls_error *err) {
  const struct contest *contest = context;
  size_t count = 0;
  enum ls_status status = LS_OK;
  if (!contest->is_drawn) {
    const struct ls_planner_limits *limits = contest->request->limits;
    const struct ls_grid_planners planners = {.labels = contest->names,
                                              .count = contest->planners,
                                              .is_whole = limits->is_whole,
                                              .work_max = limits->work_max};
    status = ls_grid_play(piece, &planners, makespans_s, stride, err);
    if (status != LS_OK || contest->commands == 0) return status;
  }
  struct ls_grid_point *points = ls_grid_piece_points(piece, &count);
  if (points == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu platforms", piece->count);
  for (size_t i = 0; i < count && status == LS_OK; i++)
    status = play_point(contest, &points[i], makespans_s + i, stride, err);
  free(points);
  return status;
}

static struct ls_grid_table make_table(const struct contest *contest) {
  return (struct ls_grid_table){.grid = &contest->grid,
                                .names = contest->names,
                                .standings = &contest->standings,
                                .curve = &contest->curve,
                                .wants_curve = contest->request->options->has_by};
}

static enum ls_status take_piece(void *context, const struct ls_grid_piece *piece,
                                 const struct ls_makespans *makespans, struct ls_error *err) {
  struct contest *contest = context;
  size_t count = 0;
  struct ls_grid_point *points = ls_grid_piece_points(piece, &count);
  if (points == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu platforms", piece->count);
  assert(count == makespans->count);
  enum ls_status status = ls_grid_curve_add(&contest->curve, points, makespans, err);
  bool wants_rows = contest->request->options->csv != NULL;
  struct ls_grid_table table = make_table(contest);
  for (size_t i = 0; i < count && status == LS_OK && wants_rows; i++) {
    struct ls_makespans one = {makespans->at + i, makespans->stride, 1};
    ls_grid_table_write_csv(&table, ++contest->row_number, &points[i], &one, &contest->rows);
  }
  free(points);
  return status;
}

static enum ls_status map_pieces(size_t processes, const struct ls_grid_work *work, void *results,
                                 struct ls_error *err) {
  struct ls_parallel_map map = {.count = work->count,
                                .result_bytes = work->result_bytes,
                                .processes = processes,
                                .compute = work->compute,
                                .context = work->context};
  return ls_parallel_map(&map, results, err);
}

/* ---- the whole ---- */

static enum ls_status show(struct contest *contest, struct ls_error *err) {
  const struct ls_grid_request *request = contest->request;
  struct ls_grid_table table = make_table(contest);
  struct ls_bytes text = {0}, drawing = {0};
  const char *csv = request->options->csv;
  enum ls_status status = LS_OK;
  if (csv != NULL) status = ls_console_write_file(csv, &contest->rows, err);
  /* Standard output has the rows already. */
  if (status == LS_OK && (csv == NULL || strcmp(csv, "-") != 0)) {
    (request->wants_json ? ls_grid_table_write_json : ls_grid_table_write)(&table, &text);
    status = ls_console_write_file("-", &text, err);
  }
  if (status == LS_OK && request->picture != NULL) {
    status = ls_grid_table_draw(&table, &drawing, err);
    if (status == LS_OK) status = ls_console_write_file(request->picture, &drawing, err);
  }
  ls_bytes_close(&text);
  ls_bytes_close(&drawing);
  return status;
}

enum ls_status ls_compare_grid(const struct ls_grid_request *request, bool *has_answer,
                               struct ls_error *err) {
  struct contest contest;
  enum ls_status status = open_contest(&contest, request, err);
  if (status == LS_OK) {
    if (request->options->csv != NULL) ls_grid_table_write_csv_head(&contest.rows);
    uint64_t processes = request->policies->processes;
    struct ls_grid_run run = {
        .grid = &contest.grid,
        .algorithms = count_all(&contest),
        .processes = processes > 0 ? (size_t)processes : ls_parallel_processes(),
        .context = &contest,
        .play = play_piece,
        .take = take_piece,
        .map = map_pieces};
    status = ls_grid_run(&run, &contest.standings, err);
  }
  if (status == LS_OK) status = show(&contest, err);
  *has_answer = false;
  for (size_t i = 0; i < contest.standings.count; i++)
    *has_answer |= contest.standings.items[i].applied > 0;
  close_contest(&contest);
  return status;
}
