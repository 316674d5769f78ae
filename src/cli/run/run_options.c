#include "cli/run/run_options.h"

#include <argp.h>
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/run/run_values.h"

/* Long options without a letter. */
enum {
  KEY_LINK = 256,
  KEY_SHELL,
  KEY_DRY_RUN,
  KEY_SPEEDS,
  KEY_LISTEN,
  KEY_ADVERTISE,
  KEY_INSECURE,
  KEY_PREFETCH,
  KEY_STAGE_AHEAD,
  KEY_SIZING,
  KEY_REPLICATION,
  KEY_EXTRA,
  KEY_LOSS_RATE,
  KEY_POLICY,
  KEY_SET,
  KEY_ARGUMENTS,
  KEY_PLAN,
  KEY_ORDER,
  KEY_TIMES,
  KEY_HISTORY,
  KEY_PLATFORM,
  KEY_SEED,
  KEY_RETRIES,
  KEY_TIMEOUT,
  KEY_SILENCE,
  KEY_PATIENCE,
  KEY_LOSSES,
  KEY_HEARTBEAT,
  KEY_HALT,
  KEY_RESULTS,
  KEY_JOBLOG,
  KEY_PROGRESS,
  KEY_JSON,
  KEY_JOURNAL,
  KEY_RESUME,
  KEY_RESUME_FAILED,
  KEY_SYNC
};

/* For command lines only: an application has its own words. */
static const struct argp_option command_options[] = {
    {NULL, 0, NULL, 0, "Tasks (default: the lines of standard input)", 1},
    {"arg-file", 'a', "FILE", 0,
     "Read inputs from FILE, one per line (repeatable; - is standard input)", 1},
    {"null", '0', NULL, 0, "Inputs in files end in a zero byte, not in a line end", 1},
    {"link", KEY_LINK, NULL, 0, "Pair the inputs of several sources, instead of combining all", 1},
    {"shell", KEY_SHELL, NULL, 0, "Give the command to /bin/sh -c; inputs are quoted for it", 1},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "Print the commands, and run nothing", 1},
    {NULL, 0, NULL, 0, "Outputs of tasks", 5},
    {"keep-order", 'k', NULL, 0, "Print outputs in the order of the inputs", 5},
    {"results", KEY_RESULTS, "DIR", 0, "Also keep outputs, as DIR/SEQ/stdout, stderr, seq, ...", 5},
    {"joblog", KEY_JOBLOG, "FILE", 0, "Write a line per task, in GNU parallel's format", 5},
    {0}};

/* Of applications that stage. */
static const struct argp_option staging_options[] = {
    {"stage-ahead", KEY_STAGE_AHEAD, "K", 0,
     "Pieces of input that a worker has read ahead, 0 to 64 (default: 1)", 2},
    {0}};

static const struct argp_option common_options[] = {
    {NULL, 0, NULL, 0, "Workers", 2},
    {"workers", 'j', "N", 0, "Start N workers (default: number of cores)", 2},
    {"jobs", 0, NULL, OPTION_ALIAS, NULL, 2},
    {"speeds", KEY_SPEEDS, "LIST", 0, "Slow workers down: shares of full speed, such as 1,1,0.5",
     2},
    {"prefetch", KEY_PREFETCH, "N", 0, "Tasks that may wait at a worker (default: 1)", 2},
    {"listen", KEY_LISTEN, "ADDRESS", 0, "Let other workers join at tcp://HOST:PORT", 2},
    {"advertise", KEY_ADVERTISE, "HOST", 0, "Name by which other workers reach this machine", 2},
    {"insecure", KEY_INSECURE, NULL, 0,
     "Listen where other machines reach it: nothing is encrypted, who reads along can join", 2},
    {"sizing", KEY_SIZING, "NAME[:VALUE]", 0,
     "How many of them each iteration uses: fixed, table, self, asp (default: all)", 2},
    {"replication", KEY_REPLICATION, "NAME[:VALUE]", 0,
     "Which tasks run twice against losses: none, single, complete, gain (default: none)", 2},
    {"extra", KEY_EXTRA, "N", 0, "Keep N of the workers for replicas (default: 0)", 2},
    {"loss-rate", KEY_LOSS_RATE, "R", 0,
     "Losses per second and worker that --replication gain expects (default: measured)", 2},
    {NULL, 0, NULL, 0, "Division of the work (see `loadstar list')", 3},
    {"policy", KEY_POLICY, "NAME[:VALUE]", 0, "How many tasks a worker gets (default: auto)", 3},
    {"set", KEY_SET, "NAME=VALUE", 0,
     "Set a parameter of policy, sizing or replication (repeatable)", 3},
    {"arguments", KEY_ARGUMENTS, "FILE", 0, "Read such parameters from a JSON object", 3},
    {"plan", KEY_PLAN, "FILE", 0, "Follow the plan in FILE (implies --policy follow-plan)", 3},
    {"order", KEY_ORDER, "NAME[:VALUE]", 0, "Which tasks go first (default: fifo)", 3},
    {"times", KEY_TIMES, "FILE", 0,
     "Declared seconds of the tasks, one per line (--order lptf, --replication gain)", 3},
    {"history", KEY_HISTORY, "FILE", 0,
     "Learn from the journal of an earlier run (--policy auto, --order average)", 3},
    {"platform", KEY_PLATFORM, "P", 0,
     "The workers' speeds and latencies, as for plan (--policy auto, weights)", 3},
    {"seed", KEY_SEED, "N", 0, "Seed of all chance (default: 0)", 3},
    {NULL, 0, NULL, 0, "Failures", 4},
    {"retries", KEY_RETRIES, "N", 0, "Try a failed task N times more (default: 0)", 4},
    {"heartbeat", KEY_HEARTBEAT, "S", 0,
     "Workers and master tell each other at least every S seconds that they live (default: 1)", 4},
    {"timeout", KEY_TIMEOUT, "S", 0, "End a task after S seconds; it has then failed", 4},
    {"silence", KEY_SILENCE, "S", 0,
     "A worker that is not heard for S seconds is away (default: a few of its heartbeats)", 4},
    {"patience", KEY_PATIENCE, "S", 0,
     "Wait S seconds for a worker that is away (default: as long as its work is worth), and for "
     "any where there is none (default: 30)",
     4},
    {"losses", KEY_LOSSES, "N", 0, "Give a task up that ended N workers; 0: never (default: 3)", 4},
    {"halt", KEY_HALT, "WHEN", 0,
     "End the run early: never, or soon,fail=N, now,fail=N, soon,success=N, now,done=N%, ...", 4},
    {NULL, 0, NULL, 0, "What is shown", 6},
    {"progress", KEY_PROGRESS, NULL, 0, "Show a bar, when standard error is a terminal", 6},
    {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
     "Write the summary as JSON (default: to standard output, at the end)", 6},
    {"quiet", 'q', NULL, 0, "No summary, no remarks", 6},
    {"verbose", 'v', NULL, 0, "Say each decision", 6},
    {NULL, 0, NULL, 0, "Restart", 7},
    {"journal", KEY_JOURNAL, "FILE", 0, "Record the run in FILE, so that it can be resumed", 7},
    {"resume", KEY_RESUME, NULL, 0,
     "Go on with the run in the journal, which has options, command and inputs; what is done is "
     "not "
     "repeated",
     7},
    {"resume-failed", KEY_RESUME_FAILED, NULL, 0, "As --resume, and repeat what failed", 7},
    {"sync", KEY_SYNC, NULL, 0, "Nothing recorded is lost even when the machine dies", 7},
    {0}};

struct reading {
  struct ls_run_options *options;
  const struct ls_app *app;
  struct ls_error err;
};

static enum ls_status keep_text(const char *field, const char *text, const char **out,
                                struct ls_error *err) {
  if (text[0] == '\0') return ls_fail(err, LS_EINVAL, "%s is empty, expected a value", field);
  *out = text;
  return LS_OK;
}
static enum ls_status add_to(const char **list, size_t *count, size_t most, const char *text,
                             struct ls_error *err) {
  if (*count == most)
    return ls_fail(err, LS_EINVAL, "'%s': at most %zu of these options can be given", text, most);
  list[(*count)++] = text;
  return LS_OK;
}

static enum ls_status read_setting(struct ls_run_options *options, const char *text,
                                   struct ls_error *err) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0')
    return ls_fail(err, LS_EINVAL, "--set is '%s', expected NAME=VALUE", text);
  return add_to(options->settings, &options->settings_count, LS_RUN_SETTINGS_MAX, text, err);
}

static enum ls_status read_seconds(const char *name, const char *text, double *seconds,
                                   struct ls_error *err) {
  enum ls_status status = ls_console_real(name, text, (struct ls_real_range){0, 1e9}, seconds, err);
  if (status != LS_OK || *seconds > 0) return status;
  return ls_fail(err, LS_EINVAL, "%s is %s, expected seconds > 0", name, text);
}

/* Options with a number. */
static enum ls_status read_number(struct ls_run_options *options, int key, const char *text,
                                  struct ls_error *err) {
  uint64_t number = 0;
  enum ls_status status = LS_OK;
  switch (key) {
    case 'j':
      status = ls_console_whole("--workers", text, (struct ls_whole_range){1, LS_RUN_WORKERS_MAX},
                                &number, err);
      if (status == LS_OK) options->workers = (size_t)number;
      return status;
    case KEY_PREFETCH:
      options->has_prefetch = true;
      return ls_console_whole("--prefetch", text, (struct ls_whole_range){0, 1 << 20},
                              &options->prefetch, err);
    case KEY_STAGE_AHEAD:
      status = ls_console_whole("--stage-ahead", text,
                                (struct ls_whole_range){0, LS_RUN_STAGE_AHEAD_MAX}, &number, err);
      if (status == LS_OK) options->stage_ahead = (size_t)number;
      return status;
    case KEY_EXTRA:
      status = ls_console_whole("--extra", text, (struct ls_whole_range){0, LS_RUN_WORKERS_MAX - 1},
                                &number, err);
      if (status == LS_OK) options->extra = (size_t)number;
      return status;
    case KEY_LOSS_RATE:
      return ls_console_real("--loss-rate", text, (struct ls_real_range){0, 1e6},
                             &options->loss_rate, err);
    case KEY_SEED:
      return ls_console_whole("--seed", text, (struct ls_whole_range){0, UINT64_MAX},
                              &options->seed, err);
    case KEY_RETRIES:
      status =
          ls_console_whole("--retries", text, (struct ls_whole_range){0, 1000000}, &number, err);
      if (status == LS_OK) options->retries = (uint32_t)number;
      return status;
    case KEY_LOSSES:
      status =
          ls_console_whole("--losses", text, (struct ls_whole_range){0, 1000000}, &number, err);
      if (status == LS_OK) options->losses = (uint32_t)number;
      return status;
    case KEY_HEARTBEAT:
      return ls_console_real("--heartbeat", text, (struct ls_real_range){0.01, 1e6},
                             &options->heartbeat_s, err);
    case KEY_SILENCE:
      return read_seconds("--silence", text, &options->silence_s, err);
    case KEY_PATIENCE:
      return read_seconds("--patience", text, &options->patience_s, err);
    default:
      return read_seconds("--timeout", text, &options->timeout_s, err);
  }
}

/* Options that are a text of their own. */
static enum ls_status read_text(struct ls_run_options *options, int key, const char *text,
                                struct ls_error *err) {
  switch (key) {
    case 'a':
      return add_to(options->files, &options->files_count, LS_RUN_FILES_MAX, text, err);
    case KEY_SPEEDS:
      return ls_run_speeds_read(text, &options->speeds, &options->speeds_count, err);
    case KEY_LISTEN:
      options->listen = text;
      return ls_run_listen_check(text, err);
    case KEY_ADVERTISE:
      return keep_text("--advertise", text, &options->advertise, err);
    case KEY_SIZING:
      return keep_text("--sizing", text, &options->sizing, err);
    case KEY_REPLICATION:
      return keep_text("--replication", text, &options->replication, err);
    case KEY_TIMES:
      return keep_text("--times", text, &options->times, err);
    case KEY_POLICY:
      return keep_text("--policy", text, &options->policy, err);
    case KEY_SET:
      return read_setting(options, text, err);
    case KEY_ARGUMENTS:
      return keep_text("--arguments", text, &options->arguments, err);
    case KEY_PLAN:
      return keep_text("--plan", text, &options->plan, err);
    case KEY_ORDER:
      return keep_text("--order", text, &options->order, err);
    case KEY_HISTORY:
      return keep_text("--history", text, &options->history, err);
    case KEY_PLATFORM:
      return keep_text("--platform", text, &options->platform, err);
    case KEY_HALT:
      return ls_halt_parse(&options->halt, text, err);
    case KEY_RESULTS:
      return keep_text("--results", text, &options->results, err);
    case KEY_JOBLOG:
      return keep_text("--joblog", text, &options->joblog, err);
    case KEY_JOURNAL:
      return keep_text("--journal", text, &options->journal, err);
    default:
      options->wants_json = true;
      return text == NULL ? LS_OK : keep_text("--json", text, &options->json, err);
  }
}

/* Options that are only given or not; NULL: it is another one. */
static bool *find_switch(struct ls_run_options *options, int key) {
  switch (key) {
    case KEY_LINK:
      return &options->is_linked;
    case KEY_SHELL:
      return &options->is_shell;
    case KEY_DRY_RUN:
      return &options->is_dry;
    case 'k':
      return &options->keeps_order;
    case KEY_PROGRESS:
      return &options->wants_progress;
    case 'q':
      return &options->is_quiet;
    case 'v':
      return &options->is_verbose;
    case KEY_RESUME:
      return &options->is_resumed;
    case KEY_RESUME_FAILED:
      return &options->repeats_failures;
    case KEY_SYNC:
      return &options->is_synced;
    case KEY_INSECURE:
      return &options->is_insecure;
    default:
      return NULL;
  }
}

static enum ls_status check_together(const struct ls_run_options *options, struct ls_error *err) {
  if (options->is_resumed && options->repeats_failures)
    return ls_fail(err, LS_EINVAL, "--resume and --resume-failed exclude each other");
  const char *needy = options->is_resumed         ? "--resume"
                      : options->repeats_failures ? "--resume-failed"
                      : options->is_synced        ? "--sync"
                                                  : NULL;
  if (needy != NULL && options->journal == NULL)
    return ls_fail(err, LS_EINVAL, "%s needs --journal FILE", needy);
  if (options->plan != NULL && options->policy != NULL &&
      strcmp(options->policy, "follow-plan") != 0)
    return ls_fail(err, LS_EINVAL, "--plan is given, so --policy %s cannot be: it is follow-plan",
                   options->policy);
  const char *listener = options->advertise != NULL ? "--advertise"
                         : options->is_insecure     ? "--insecure"
                                                    : NULL;
  if (listener != NULL && options->listen == NULL)
    return ls_fail(err, LS_EINVAL, "%s needs --listen ADDRESS", listener);
  if (options->is_quiet && options->is_verbose)
    return ls_fail(err, LS_EINVAL, "--quiet and --verbose exclude each other");
  if (options->workers > 0 && options->speeds_count > options->workers)
    return ls_fail(err, LS_EINVAL, "--speeds has %zu values for %zu workers", options->speeds_count,
                   options->workers);
  return LS_OK;
}

static bool has_child(const struct ls_app *app) {
  return app == NULL || app->stage != NULL;
}

static const char *find_name(int key) {
  static const struct argp_option *const tables[] = {command_options, staging_options,
                                                     common_options};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const struct argp_option *option = tables[i]; option->name != NULL || option->doc != NULL;
         option++)
      if (option->key == key && option->name != NULL) return option->name;
  return NULL;
}

/* Not what names the inputs, which are recorded themselves, nor what is of one start only. */
static void record_option(struct ls_run_options *options, int key, const char *text) {
  static const int passing[] = {'a',      'q',         'v',        KEY_DRY_RUN,      KEY_PROGRESS,
                                KEY_JSON, KEY_JOURNAL, KEY_RESUME, KEY_RESUME_FAILED};
  const char *name = find_name(key);
  for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
    if (passing[i] == key) return;
  if (name == NULL) return;
  ls_bytes_append_text(&options->recorded, "--");
  ls_bytes_append_text(&options->recorded, name);
  if (text != NULL) ls_bytes_append_char(&options->recorded, '=');
  if (text != NULL) ls_bytes_append_text(&options->recorded, text);
  ls_bytes_append_char(&options->recorded, '\0');
  options->recorded_count++;
}

static error_t parse(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  struct ls_run_options *options = reading->options;
  struct ls_error *err = &reading->err;
  enum ls_status status = LS_OK;
  bool *is_given = find_switch(options, key);
  if (key != ARGP_KEY_ARG) record_option(options, key, text);
  if (is_given != NULL) {
    *is_given = true;
    return 0;
  }
  switch (key) {
    case ARGP_KEY_INIT:
      if (has_child(reading->app)) state->child_inputs[0] = reading;
      return 0;
    case ARGP_KEY_ARG:
      /* The first word that is no option begins the command; the rest belongs to it. */
      options->words = state->argv + state->next - 1;
      options->words_count = (size_t)(state->argc - state->next) + 1;
      state->next = state->argc;
      return 0;
    case ARGP_KEY_END:
      status = check_together(options, err);
      break;
    case '0':
      options->separator = LS_SEPARATOR_ZERO;
      return 0;
    case 'j':
    case KEY_PREFETCH:
    case KEY_STAGE_AHEAD:
    case KEY_EXTRA:
    case KEY_LOSS_RATE:
    case KEY_SEED:
    case KEY_RETRIES:
    case KEY_HEARTBEAT:
    case KEY_TIMEOUT:
    case KEY_SILENCE:
    case KEY_PATIENCE:
    case KEY_LOSSES:
      status = read_number(options, key, text, err);
      break;
    default:
      if (key != 'a' && (key < KEY_LINK || key > KEY_SYNC)) return ARGP_ERR_UNKNOWN;
      status = read_text(options, key, text, err);
  }
  return status == LS_OK ? 0 : EINVAL;
}

/* The options for command lines, or for applications that stage, are a child of the common ones;
 * the words are the parent's. */
static error_t parse_child(int key, char *text, struct argp_state *state) {
  bool is_option = key == 'a' || key == '0' || key == 'k' || (key >= KEY_LINK && key <= KEY_SYNC);
  return is_option ? parse(key, text, state) : ARGP_ERR_UNKNOWN;
}

static const char command_doc[] =
    "Runs a command for each input, on workers that share the work. The words of COMMAND are "
    "executed directly, never through a shell, so names need no quoting. Without COMMAND each "
    "input is a command line for /bin/sh.\n\n"
    "Replacement strings: {} the input, {.} without extension, {/} its last part, {//} its "
    "directory, {/.} last part without extension, {#} number of the task, {%} slot of the worker; "
    "{1} {2.} ... of one of several sources. Without any, the inputs are appended. "
    "::: VALUES and :::: FILES are sources; all combinations are made, the last source varies "
    "fastest; :::+ and ::::+ are linked to the source before them."
    "\v"
    "Examples:\n"
    "  loadstar run -- gzip -k {} ::: *.txt\n"
    "  find . -name '*.jpg' -print0 | loadstar run -0 -j4 -- convert {} {.}.png\n"
    "  loadstar run --shell -- 'sort {1} | head -{2}' ::: a b ::: 10 20\n"
    "  loadstar run < commands.txt\n"
    "  loadstar run --journal work.db --joblog work.log -- ./step {} :::: inputs\n"
    "  loadstar run --resume --journal work.db\n\n"
    "Exit status: 0 all tasks succeeded, 1 a task failed, 2 bad usage or input, 3 no workers or "
    "a failure of the machine, 130 interrupted. Ctrl-C once lets running tasks finish, twice stops "
    "them.";

/* The text of --help for an application; the caller frees it. */
static char *describe_app(const struct ls_app *app) {
  char *text = NULL;
  if (asprintf(&text,
               "%s: %s\vThe words after -- belong to %s: %s\n\nExample:\n  %s run -j2 -- %s\n",
               app->name, app->summary, app->name, app->usage == NULL ? "" : app->usage, app->name,
               app->usage == NULL ? "" : app->usage) < 0)
    return NULL;
  return text;
}

int ls_run_options_read(struct ls_run_options *options, int argc, char **argv,
                        const struct ls_app *app) {
  *options = (struct ls_run_options){.prefetch = 1, .stage_ahead = 1, .order = "fifo", .losses = 3};
  struct reading reading = {.options = options, .app = app};
  const struct argp child = {.options = app == NULL ? command_options : staging_options,
                             .parser = parse_child};
  const struct argp_child children[] = {{.argp = &child}, {0}};
  char *app_doc = app == NULL ? NULL : describe_app(app);
  const struct argp argp = {.options = common_options,
                            .parser = parse,
                            .args_doc = app == NULL
                                            ? "[--] COMMAND [WORD...] [::: VALUE... | :::: FILE...]"
                                            : "-- [WORD...]",
                            .doc = app == NULL ? command_doc : app_doc,
                            .children = has_child(app) ? children : NULL};
  error_t result = argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &reading);
  free(app_doc);
  if (result == 0) return -1;
  if (reading.err.status == LS_OK)
    (void)ls_fail(&reading.err, LS_EINVAL, "the command line cannot be read: %s", strerror(result));
  ls_run_options_close(options);
  return ls_console_fail(argv[0], &reading.err);
}

void ls_run_options_close(struct ls_run_options *options) {
  free(options->speeds);
  ls_bytes_close(&options->recorded);
  *options = (struct ls_run_options){0};
}
