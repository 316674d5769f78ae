#include "cli/run/run_options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/duration.h"
#include "cli/option_names.h"
#include "cli/run/failure_options.h"
#include "cli/run/removed_options.h"
#include "cli/run/run_option_checks.h"
#include "cli/run/run_option_table.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_rehearse.h"
#include "cli/run/run_shell.h"
#include "cli/run/run_values.h"
#include "cli/run/worker_count.h"
#include "cli/terms_options.h"
#include "protocol/slurm_job.h"

struct reading {
  struct ls_run_options *options;
  const struct ls_app *app;
  size_t children_count; /* of the parser of the common options: further tables */
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

enum { PREFETCH_MOST = 1 << 20 };

/* -j 8, 50%, +2, -1, 0, FILE. */
static enum ls_status read_workers(struct ls_run_options *options, const char *text,
                                   struct ls_error *err) {
  struct ls_worker_count count;
  enum ls_status status = ls_worker_count_read("--workers", text, &count, err);
  if (status != LS_OK) return status;
  if (count.kind == LS_WORKERS_EXACTLY && count.number > LS_RUN_WORKERS_MAX)
    return ls_fail(err, LS_EINVAL, "--workers is '%s', expected at most %d", text,
                   LS_RUN_WORKERS_MAX);
  options->has_worker_by_task = count.kind == LS_WORKERS_BY_TASKS;
  /* What is no regular file, such as a pipe, says its number once. */
  struct stat file;
  bool is_file = ls_worker_count_is_file(text) && stat(text, &file) == 0 && S_ISREG(file.st_mode);
  options->workers_file = is_file ? text : NULL;
  options->workers = ls_worker_count_of(&count, ls_run_pools_cores(), LS_RUN_WORKERS_MAX);
  return LS_OK;
}

/* Options with a number. */
static enum ls_status read_number(struct ls_run_options *options, int key, const char *text,
                                  struct ls_error *err) {
  uint64_t number = 0;
  enum ls_status status = LS_OK;
  switch (key) {
    case 'j':
      return read_workers(options, text, err);
    case KEY_PREFETCH:
      options->has_prefetch = true;
      options->chooses_prefetch = strcmp(text, "auto") == 0;
      if (options->chooses_prefetch) return LS_OK;
      status = ls_console_whole("--prefetch", text, (struct ls_whole_range){0, PREFETCH_MOST},
                                &options->prefetch, NULL);
      if (status == LS_OK) return LS_OK;
      return ls_fail(err, status,
                     "--prefetch is '%s', expected auto or a whole number from 0 to %d", text,
                     PREFETCH_MOST);
    case KEY_STAGE_AHEAD:
      status = ls_console_whole("--stage-ahead", text,
                                (struct ls_whole_range){0, LS_STAGE_AHEAD_MOST}, &number, err);
      if (status == LS_OK) options->stage_ahead = (size_t)number;
      return status;
    case KEY_BUSY:
      return ls_console_real("--busy", text, (struct ls_real_range){1e-6, 1},
                             &options->load_pattern.busy, err);
    case KEY_SLOT:
      return ls_duration_read("--slot", text, (struct ls_real_range){1e-3, 1e6},
                              &options->load_pattern.slot_s, err);
    case KEY_EXTRA:
      status = ls_console_whole("--extra", text, (struct ls_whole_range){0, LS_RUN_WORKERS_MAX - 1},
                                &number, err);
      if (status == LS_OK) options->extra = (size_t)number;
      options->has_extra = true;
      return status;
    case KEY_LOSS_RATE:
      return ls_console_real("--loss-rate", text, (struct ls_real_range){0, 1e6},
                             &options->loss_rate, err);
    case KEY_SEED:
      return ls_console_whole("--seed", text, (struct ls_whole_range){0, UINT64_MAX},
                              &options->seed, err);
    case KEY_WORKERS_WAIT:
      return ls_duration_read_positive("--workers-wait", text, &options->workers_wait_s, err);
    default:
      status = ls_console_whole("--workers-min", text,
                                (struct ls_whole_range){1, LS_RUN_WORKERS_MAX}, &number, err);
      if (status == LS_OK) options->workers_min = (size_t)number;
      return status;
  }
}

static enum ls_status read_slurm(struct ls_run_options *options, const char *text,
                                 struct ls_error *err) {
  options->has_slurm = true;
  ls_run_pools_need_door(options, true);
  return ls_slurm_wish_read(text, &options->slurm, err);
}

static enum ls_status read_transport(struct ls_run_options *options, const char *text,
                                     struct ls_error *err) {
  static const char *const names[] = {
      [LS_RUN_AUTO] = "auto", [LS_RUN_MPI] = "mpi", [LS_RUN_LOCAL] = "local"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], text) != 0) continue;
    options->transport = (enum ls_run_transport)i;
    return LS_OK;
  }
  return ls_fail(err, LS_EINVAL, "--transport is '%.40s', expected auto, mpi or local", text);
}

static enum ls_status read_executor(struct ls_run_options *options, const char *text,
                                    struct ls_error *err) {
  options->computes_in_thread = strcmp(text, "thread") == 0;
  if (options->computes_in_thread || strcmp(text, "child") == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--executor is '%.40s', expected child or thread", text);
}

/* Whatever is sought as a module's name stands in a file's name. */
static enum ls_status read_mpi(struct ls_run_options *options, const char *text,
                               struct ls_error *err) {
  options->mpi = text;
  bool is_known =
      strcmp(text, "openmpi") == 0 || strcmp(text, "mpich") == 0 || strchr(text, '/') != NULL;
  if (is_known) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--mpi is '%.40s', expected openmpi, mpich or the path of a module, with a slash",
                 text);
}

/* Options that are a text of their own. */
static enum ls_status read_text(struct ls_run_options *options, int key, const char *text,
                                struct ls_error *err) {
  switch (key) {
    case 'a':
      return add_to(options->files, &options->files_count, LS_RUN_FILES_MAX, text, err);
    case KEY_SPEEDS:
      return ls_run_speeds_read(text, &options->speeds, &options->speeds_count, err);
    case KEY_LOAD_PATTERN:
      options->has_load_pattern = true;
      return ls_run_load_pattern_read(text, &options->load_pattern, err);
    case KEY_LISTEN:
      options->listen = text;
      if (ls_site_check_address(text, err) == LS_OK) return LS_OK;
      return ls_fail_while(err, LS_EINVAL, "--listen");
    case KEY_ADVERTISE:
      return keep_text("--advertise", text, &options->advertise, err);
    case KEY_KEY:
      if (strcmp(text, "-") == 0)
        return ls_fail(err, LS_EINVAL, "--key is '-', expected the name of a file to write");
      return keep_text("--key", text, &options->key, err);
    case KEY_SSH:
      ls_run_pools_need_door(options, false);
      return keep_text("--ssh", text, &options->ssh, err);
    case KEY_SSH_COMMAND:
      return keep_text("--ssh-command", text, &options->ssh_command, err);
    case KEY_LABEL:
      return ls_labels_add(options->labels, "--label", text, err);
    case KEY_NEEDS:
      options->needs_by_task = strchr(text, '{') != NULL ? text : NULL;
      options->needs = options->needs_by_task == NULL ? text : NULL;
      return options->needs != NULL ? ls_label_check("--needs", text, err) : LS_OK;
    case KEY_TRANSPORT:
      return read_transport(options, text, err);
    case KEY_MPI:
      return read_mpi(options, text, err);
    case KEY_EXECUTOR:
      return read_executor(options, text, err);
    case KEY_SLURM:
      return read_slurm(options, text, err);
    case KEY_SLURM_EXTRA:
      options->slurm_extra = text;
      return ls_slurm_extra_check(text, err);
    case KEY_SIZING:
      return keep_text("--sizing", text, &options->sizing, err);
    case KEY_DEADLINE:
      return ls_terms_read_deadline(&options->terms, text, err);
    case KEY_PRICE_MAX:
      return ls_terms_read_price(&options->terms, text, err);
    case KEY_EFFICIENCY_WEIGHT:
      return keep_text("--efficiency-weight", text, &options->efficiency_weight, err);
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
    case KEY_CALIBRATE:
      return keep_text("--calibrate", text, &options->calibrate, err);
    case KEY_JOURNAL:
      return keep_text("--journal", text, &options->journal, err);
    case KEY_SVG:
      return keep_text("--svg", text, &options->drawing, err);
    default:
      options->wants_json = true;
      return text == NULL ? LS_OK : keep_text("--json", text, &options->json, err);
  }
}

/* Options that are only given or not; NULL: it is another one. */
static bool *find_switch(struct ls_run_options *options, int key) {
  switch (key) {
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
    case KEY_NO_LOCAL:
      return &options->has_no_local;
    case KEY_SHIP:
      return &options->ships;
    case KEY_KEEP_CACHE:
      return &options->keeps_cache;
    default:
      return NULL;
  }
}

static void append_option(struct ls_bytes *list, const char *name, const char *text) {
  ls_bytes_append_text(list, "--");
  ls_bytes_append_text(list, name);
  if (text != NULL) ls_bytes_append_char(list, '=');
  if (text != NULL) ls_bytes_append_text(list, text);
  ls_bytes_append_char(list, '\0');
}

static void append_recorded(struct ls_run_options *options, const char *name, const char *text) {
  append_option(&options->recorded, name, text);
  options->recorded_count++;
}

/* Data are in no journal, so it keeps where they are. */
static void record_data(struct ls_run_options *options) {
  if (ls_block_options_divide(&options->blocks) && options->files_count > 0)
    append_recorded(options, ls_run_option_name('a'), options->files[0]);
}

/* Not what names the inputs, which are recorded themselves, nor what is of one start only. */
static void record_option(struct ls_run_options *options, int key, const char *text) {
  static const int of_start[] = {'q', 'v', KEY_PROGRESS, KEY_JSON, KEY_TRANSPORT, KEY_MPI};
  static const int of_inputs[] = {'a',         KEY_DRY_RUN, KEY_SVG,
                                  KEY_JOURNAL, KEY_RESUME,  KEY_RESUME_FAILED};
  const char *name = ls_run_option_name(key);
  for (size_t i = 0; i < sizeof of_inputs / sizeof *of_inputs; i++)
    if (of_inputs[i] == key) return;
  for (size_t i = 0; i < sizeof of_start / sizeof *of_start; i++) {
    if (of_start[i] != key) continue;
    append_option(&options->of_start, name, text);
    return;
  }
  if (name != NULL) append_recorded(options, name, text);
}

/* What a resume needs to know is the program, whoever starts that. */
static void choose_shell(struct ls_run_options *options, const char *wanted) {
  ls_run_shell_find(wanted, options->shell, sizeof options->shell);
  record_option(options, KEY_SHELL, options->shell);
}

/* Does each input stand for a command? */
static bool has_command_lines(const struct reading *reading) {
  const struct ls_run_options *options = reading->options;
  return reading->app == NULL &&
         (options->words_count == 0 ||
          ls_task_source_is_mark(options->words[0], &options->inputs.marks));
}

bool ls_run_options_may_join(const struct ls_run_options *options) {
  bool resumes = options->is_resumed || options->repeats_failures;
  return resumes && options->journal != NULL && options->words_count == 0 &&
         options->files_count == 0 && access(options->journal, F_OK) == 0;
}

enum ls_status ls_run_options_check_all(struct ls_run_options *options, const struct ls_app *app,
                                        struct ls_error *err) {
  enum ls_status status = ls_run_options_check(options, err);
  if (status == LS_OK) status = ls_input_options_check(&options->inputs, err);
  return status == LS_OK ? ls_failure_options_check(options, app, err) : status;
}

static enum ls_status finish_reading(struct reading *reading) {
  struct ls_run_options *options = reading->options;
  enum ls_status status = LS_OK;
  /* What these need may stand in the journal. */
  if (!ls_run_options_may_join(options))
    status = ls_run_options_check_all(options, reading->app, &reading->err);
  if (options->shell[0] == '\0' && has_command_lines(reading)) choose_shell(options, NULL);
  return status;
}

static error_t parse(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  struct ls_run_options *options = reading->options;
  struct ls_error *err = &reading->err;
  enum ls_status status = LS_OK;
  bool *is_given = find_switch(options, key);
  if (key != ARGP_KEY_ARG && key != KEY_SHELL) record_option(options, key, text);
  if (is_given != NULL) {
    *is_given = true;
    return 0;
  }
  switch (key) {
    case ARGP_KEY_INIT:
      for (size_t i = 0; i < reading->children_count; i++) state->child_inputs[i] = reading;
      return 0;
    case ARGP_KEY_ARG:
      /* The first word that is no option begins the command; the rest belongs to it. */
      options->words = state->argv + state->next - 1;
      options->words_count = (size_t)(state->argc - state->next) + 1;
      state->next = state->argc;
      return 0;
    case ARGP_KEY_END:
      status = finish_reading(reading);
      record_data(options);
      break;
    case KEY_SHELL:
      options->is_shell = true;
      choose_shell(options, text);
      return 0;
    case KEY_SHUF:
      options->order = "random";
      return 0;
    case KEY_DRY_RUN:
      status = ls_run_rehearse_read(options, text, err);
      break;
    case 'j':
    case KEY_PREFETCH:
    case KEY_STAGE_AHEAD:
    case KEY_BUSY:
    case KEY_SLOT:
    case KEY_EXTRA:
    case KEY_LOSS_RATE:
    case KEY_SEED:
    case KEY_WORKERS_MIN:
    case KEY_WORKERS_WAIT:
      status = read_number(options, key, text, err);
      break;
    default:
      if (key != 'a' && (key < KEY_SHELL || key > KEY_SYNC)) return ARGP_ERR_UNKNOWN;
      status = read_text(options, key, text, err);
  }
  return status == LS_OK ? 0 : EINVAL;
}

/* The options for command lines, or for applications that stage, are a child of the common ones;
 * the words are the parent's. */
static error_t parse_child(int key, char *text, struct argp_state *state) {
  bool is_option = key == 'a' || key == 'k' || (key >= KEY_SHELL && key <= KEY_SYNC);
  return is_option ? parse(key, text, state) : ARGP_ERR_UNKNOWN;
}

/* Those about the files of command lines are a child, too. */
static error_t parse_files(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  if (!ls_file_options_has(key)) return ARGP_ERR_UNKNOWN;
  record_option(reading->options, key, text);
  enum ls_status status =
      ls_file_options_read(&reading->options->files_of_tasks, key, text, &reading->err);
  return status == LS_OK ? 0 : EINVAL;
}

/* Those about machines are another one. */
static error_t parse_logins(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  struct ls_run_options *options = reading->options;
  if (!ls_login_options_has(key)) return ARGP_ERR_UNKNOWN;
  record_option(options, key, text);
  enum ls_status status = ls_login_options_read(&options->logins, key, text, &reading->err);
  if (options->logins.count > 0) ls_run_pools_need_door(options, false);
  if (options->logins.has_own_rooms) options->files_of_tasks.is_sandboxed = true;
  return status == LS_OK ? 0 : EINVAL;
}

/* Those about data in blocks. */
static error_t parse_blocks(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  if (!ls_block_options_has(key)) return ARGP_ERR_UNKNOWN;
  record_option(reading->options, key, text);
  enum ls_status status =
      ls_block_options_read(&reading->options->blocks, key, text, &reading->err);
  return status == LS_OK ? 0 : EINVAL;
}

/* Those about several inputs in one command. */
static error_t parse_bundles(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  if (!ls_bundle_options_has(key)) return ARGP_ERR_UNKNOWN;
  record_option(reading->options, key, text);
  enum ls_status status =
      ls_bundle_options_read(&reading->options->bundles, key, text, &reading->err);
  return status == LS_OK ? 0 : EINVAL;
}

/* Those about outputs, and those about failures. */
static error_t parse_outputs(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  if (!ls_output_options_has(key)) return ARGP_ERR_UNKNOWN;
  record_option(reading->options, key, text);
  enum ls_status status =
      ls_output_options_read(&reading->options->outputs, key, text, &reading->err);
  return status == LS_OK ? 0 : EINVAL;
}

static error_t parse_failures(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  if (!ls_failure_options_has(key)) return ARGP_ERR_UNKNOWN;
  record_option(reading->options, key, text);
  enum ls_status status = ls_failure_options_read(reading->options, key, text, &reading->err);
  return status == LS_OK ? 0 : EINVAL;
}

/* Those about inputs, too. */
static error_t parse_inputs(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  if (!ls_input_options_has(key)) return ARGP_ERR_UNKNOWN;
  record_option(reading->options, key, text);
  enum ls_status status =
      ls_input_options_read(&reading->options->inputs, key, text, &reading->err);
  return status == LS_OK ? 0 : EINVAL;
}

/* And those about what tasks find and take of their machine. */
static error_t parse_limits(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  if (!ls_limit_options_has(key)) return ARGP_ERR_UNKNOWN;
  record_option(reading->options, key, text);
  enum ls_status status =
      ls_limit_options_read(&reading->options->limits, key, text, &reading->err);
  return status == LS_OK ? 0 : EINVAL;
}

static const char command_doc[] =
    "Runs a command for each input, on workers that share the work. The words of COMMAND are "
    "executed directly, never through a shell, so names need no quoting. Without COMMAND each "
    "input is a command line for the shell.\n\n"
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

/* Those that are no more. */
static error_t parse_removed(int key, char *text, struct argp_state *state) {
  struct reading *reading = state->input;
  (void)text;
  if (!ls_removed_options_has(key)) return ARGP_ERR_UNKNOWN;
  return ls_removed_options_refuse(key, &reading->err) == LS_OK ? 0 : EINVAL;
}

/* Further tables, for command lines unless they are for applications, too. */
static const struct table {
  struct argp argp;
  bool is_of_apps, is_of_dialect;
} tables[] = {
    {{.options = ls_run_command_options, .parser = parse_child}, false, false},
    {{.options = ls_failure_options_table, .parser = parse_failures}, true, false},
    {{.options = ls_file_options_table, .parser = parse_files}, false, false},
    {{.options = ls_login_options_table, .parser = parse_logins}, false, false},
    {{.options = ls_output_options_table, .parser = parse_outputs}, false, false},
    {{.options = ls_bundle_options_table, .parser = parse_bundles}, false, false},
    {{.options = ls_limit_options_table, .parser = parse_limits}, false, false},
    {{.options = ls_input_options_table, .parser = parse_inputs}, false, false},
    {{.options = ls_block_options_table, .parser = parse_blocks}, false, false},
    {{.options = ls_input_dialect_table, .parser = parse_inputs}, false, true},
    {{.options = ls_limit_dialect_table, .parser = parse_limits}, false, true},
    {{.options = ls_failure_dialect_table, .parser = parse_failures}, false, true},
    {{.options = ls_file_dialect_table, .parser = parse_files}, false, true},
    {{.options = ls_login_dialect_table, .parser = parse_logins}, false, true},
    {{.options = ls_bundle_dialect_table, .parser = parse_bundles}, false, true},
    {{.options = ls_output_dialect_table, .parser = parse_outputs}, false, true},
};
static const struct argp staging = {.options = ls_run_staging_options, .parser = parse_child};
enum { TABLES = sizeof tables / sizeof *tables, CHILDREN = TABLES + 2 };

static size_t fill_children(struct argp_child *children, const struct ls_app *app,
                            enum ls_run_names names) {
  size_t count = 0;
  if (app != NULL && app->stage != NULL) children[count++].argp = &staging;
  for (size_t i = 0; i < TABLES; i++) {
    bool has_it = app == NULL || tables[i].is_of_apps;
    if (has_it && (names == LS_RUN_ALL_NAMES || !tables[i].is_of_dialect))
      children[count++].argp = &tables[i].argp;
  }
  return count;
}

int ls_run_options_read(struct ls_run_options *options, int argc, char **argv,
                        const struct ls_app *app, enum ls_run_names names) {
  *options = (struct ls_run_options){.prefetch = 1,
                                     .stage_ahead = 1,
                                     .order = "fifo",
                                     .losses = LS_RUN_LOSSES,
                                     .terms = ls_terms_none()};
  struct reading reading = {.options = options, .app = app};
  struct argp_child children[CHILDREN + 1] = {{0}};
  struct argp_option removed_table[LS_REMOVED_OPTIONS_MAX];
  const struct argp removed = {.options = removed_table, .parser = parse_removed};
  reading.children_count = fill_children(children, app, names);
  ls_removed_options_fill(removed_table);
  if (names == LS_RUN_OWN_NAMES) children[reading.children_count++].argp = &removed;
  char *app_doc = app == NULL ? NULL : describe_app(app);
  const struct argp argp = {.options = ls_run_common_options,
                            .parser = parse,
                            .args_doc = app == NULL
                                            ? "[--] COMMAND [WORD...] [::: VALUE... | :::: FILE...]"
                                            : "-- [WORD...]",
                            .doc = app == NULL ? command_doc : app_doc,
                            .children = children};
  error_t result = ls_option_names_parse(&argp, argc, argv, ARGP_IN_ORDER, &reading);
  free(app_doc);
  if (result == 0) return -1;
  if (reading.err.status == LS_OK)
    (void)ls_fail(&reading.err, LS_EINVAL, "the command line cannot be read: %s", strerror(result));
  ls_run_options_close(options);
  return ls_console_fail(argv[0], &reading.err);
}

void ls_run_options_close(struct ls_run_options *options) {
  free(options->speeds);
  free(options->elsewhere.speeds);
  ls_bundle_options_close(&options->bundles);
  ls_limit_options_close(&options->limits);
  ls_bytes_close(&options->recorded);
  ls_bytes_close(&options->of_start);
  *options = (struct ls_run_options){0};
}
