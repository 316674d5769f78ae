/* run_outputs.c: what is shown and kept of the tasks of a run. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/run/result_names.h"
#include "cli/run/run_private.h"

/* ---- before the run ---- */

static enum ls_status compile(struct ls_run *run, const char *option, const char *text,
                              struct ls_template *compiled, struct ls_error *err) {
  enum ls_status status = ls_template_init_text(compiled, text, &run->words_of_tasks.grammar, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "%s", option);
}

/* A name that is the same for all tasks is that of a folder. */
static bool has_replacements(const struct ls_template *compiled) {
  for (size_t i = 0; i < compiled->segments_count; i++)
    if (compiled->segments[i].kind != LS_REPLACE_NOTHING) return true;
  return false;
}

/* "-.csv" is standard output. */
static bool is_shown(const char *results) {
  return results[0] == '-' && results[1] == '.';
}

/* DIR/1/{1}/2/{2}/, with the names of sources in place of their numbers. */
static enum ls_status name_by_inputs(struct ls_run *run, struct ls_error *err) {
  const struct ls_task_source *source = &run->source;
  struct ls_bytes *text = &run->results_text; /* the template borrows it */
  size_t sources = source->stream != NULL ? 1 : ls_task_source_shown(source);
  ls_bytes_printf(text, "%s/", run->options.outputs.results);
  for (size_t i = 0; i < sources; i++) {
    const char *name = source->stream != NULL ? NULL : ls_task_source_header(source, i);
    if (name != NULL)
      ls_bytes_printf(text, "%s/{%zu}/", name, i + 1);
    else
      ls_bytes_printf(text, "%zu/{%zu}/", i + 1, i + 1);
  }
  ls_template_close(&run->results_name);
  run->results_name = (struct ls_template){0};
  if (text->failed) return ls_fail(err, LS_ENOMEM, "out of memory for --results");
  return compile(run, "--results", ls_bytes_text(text), &run->results_name, err);
}

enum ls_status ls_run_outputs_prepare(struct ls_run *run, struct ls_error *err) {
  const struct ls_output_options *options = &run->options.outputs;
  struct ls_commands *commands = &run->commands;
  enum ls_status status = LS_OK;
  commands->tells_beginnings = ls_output_options_tell_beginnings(options);
  commands->tells_on_output = options->prints_commands;
  commands->heads_outputs = options->prints_commands && !commands->tells_beginnings;
  commands->leaves_files = options->leaves_files;
  commands->is_synced = run->options.is_synced;
  commands->repeats_failures = run->options.repeats_failures;
  commands->sequences = run->sequences;
  if (!ls_output_options_follow_joblog(&run->options)) run->app.idle = NULL;
  if (options->tag != NULL) {
    commands->tag = &run->tag;
    status = compile(run, "--tagstring", options->tag, &run->tag, err);
  }
  bool is_table = false;
  if (status == LS_OK && options->results != NULL) {
    is_table = ls_results_table_form(options->results) != LS_TABLE_NONE;
    if (is_table && is_shown(options->results))
      commands->shown_table = ls_results_table_form(options->results);
    if (!is_table) status = compile(run, "--results", options->results, &run->results_name, err);
    bool is_plain = !is_table && !has_replacements(&run->results_name);
    if (status == LS_OK && is_plain && options->names_by_inputs) status = name_by_inputs(run, err);
    if (has_replacements(&run->results_name)) commands->results_name = &run->results_name;
  }
  commands->shows_lines = options->is_line_buffered && !is_table && commands->results_name == NULL;
  return status;
}

/* ---- the job log as a source ---- */

struct logged {
  uint64_t sequence;
  size_t number, place; /* of the line; of its command */
  uint64_t fed;
  bool has_failed;
};

struct log {
  struct logged *lines;
  size_t count, capacity;
  struct ls_bytes commands; /* of failed lines, each followed by a zero byte; line ends are back */
};

static enum ls_status take_line(void *context, const struct ls_joblog_record *record,
                                struct ls_error *err) {
  struct log *log = context;
  if (ls_array_reserve((void **)&log->lines, &log->capacity, log->count + 1, sizeof *log->lines) !=
      LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for the job log");
  log->lines[log->count] = (struct logged){.sequence = record->sequence,
                                           .number = log->count,
                                           .place = log->commands.length,
                                           .fed = record->fed,
                                           .has_failed = record->has_failed};
  log->count++;
  if (!record->has_failed) return LS_OK;
  for (size_t i = 0; i < record->command.length; i++)
    ls_bytes_append_char(&log->commands,
                         record->command.data[i] == '\0' ? '\n' : record->command.data[i]);
  ls_bytes_append_char(&log->commands, '\0');
  return log->commands.failed ? ls_fail(err, LS_ENOMEM, "out of memory for the job log") : LS_OK;
}

static int compare_lines(const void *left, const void *right) {
  const struct logged *a = left, *b = right;
  if (a->sequence != b->sequence) return a->sequence > b->sequence ? 1 : -1;
  return a->number > b->number ? 1 : -1;
}

/* A task that has succeeded once has not failed; of the others the last line counts. */
static enum ls_status take_tasks(struct ls_run *run, struct log *log, struct ls_error *err) {
  const struct logged *fed = NULL;
  char **words = calloc(log->count + 1, sizeof *words);
  uint64_t *sequences = calloc(log->count + 1, sizeof *sequences);
  size_t count = 0, next = 0;
  run->sequences = sequences;
  if (log->count > 0) qsort(log->lines, log->count, sizeof *log->lines, compare_lines);
  for (size_t i = 0; words != NULL && sequences != NULL && i < log->count; i = next) {
    bool has_failed = true;
    for (next = i; next < log->count && log->lines[next].sequence == log->lines[i].sequence; next++)
      has_failed = has_failed && log->lines[next].has_failed;
    if (!has_failed) continue;
    if (log->lines[next - 1].fed > 0 && fed == NULL) fed = &log->lines[next - 1];
    sequences[count] = log->lines[i].sequence;
    words[count++] = log->commands.data + log->lines[next - 1].place;
  }
  enum ls_status status = LS_OK;
  if (words == NULL || sequences == NULL) {
    status = ls_fail(err, LS_ENOMEM, "out of memory for the job log");
  } else if (fed != NULL) {
    status = ls_fail(
        err, LS_EINVAL,
        "--retry-failed: %s: task %llu was sent %llu bytes, which no job log has (a journal "
        "would repeat it with its data)",
        run->options.outputs.joblog, (unsigned long long)fed->sequence,
        (unsigned long long)fed->fed);
  } else {
    status = ls_task_source_add_words(&run->source, words, count, false, err);
  }
  free(words);
  return status == LS_OK ? ls_task_source_finish(&run->source, err) : status;
}

enum ls_status ls_run_outputs_read_failed(struct ls_run *run, struct ls_error *err) {
  struct log log = {0};
  enum ls_status status = ls_joblog_read(run->options.outputs.joblog, take_line, &log, err);
  if (status == LS_OK) status = take_tasks(run, &log, err);
  free(log.lines);
  ls_bytes_close(&log.commands);
  return status;
}

/* ---- while it runs ---- */

static void hide_progress(void *context) {
  ls_progress_hide(context);
}

/* Without a journal nothing but the line tells what a task was. */
enum ls_status ls_run_outputs_compare(struct ls_run *run, const struct ls_joblog_record *record,
                                      struct ls_error *err) {
  struct ls_commands *commands = &run->commands;
  /* Which worker had it is not known. */
  if (ls_template_has(commands->compiled, LS_REPLACE_SLOT)) return LS_OK;
  enum ls_status status =
      ls_commands_write_log_line(commands, (struct ls_range){record->sequence - 1, 1}, 1, err);
  if (status != LS_OK) return status;
  const struct ls_bytes *now = &commands->log_line;
  const struct ls_table_field *was = &record->command;
  if (now->length == was->length && memcmp(now->data, was->data, now->length) == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "task %llu is '%.100s' now, was '%.*s'",
                 (unsigned long long)record->sequence, ls_bytes_text(now),
                 (int)(was->length < 100 ? was->length : 100), was->data);
}

static enum ls_status compare_command(void *context, const struct ls_joblog_record *record,
                                      struct ls_error *err) {
  return ls_run_outputs_compare(context, record, err);
}

static enum ls_joblog_mode choose_mode(const struct ls_run_options *options) {
  if (options->repeats_failures) return LS_JOBLOG_RESUME_FAILED;
  if (options->is_resumed) return LS_JOBLOG_RESUME;
  bool appends = options->outputs.appends_joblog || options->outputs.retries_failed;
  return appends ? LS_JOBLOG_APPEND : LS_JOBLOG_NEW;
}

static enum ls_status open_joblog(struct ls_run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  bool is_alone = ls_output_options_follow_joblog(options);
  struct ls_joblog_setup setup = {.path = options->outputs.joblog,
                                  .mode = choose_mode(options),
                                  .tasks = run->app.more == NULL ? run->units : UINT64_MAX,
                                  .has_usage = options->outputs.logs_usage,
                                  .is_synced = options->is_synced,
                                  .agree = is_alone ? compare_command : NULL,
                                  .context = run};
  return setup.path != NULL ? ls_joblog_open(&setup, &run->commands.joblog, err) : LS_OK;
}

/* As many columns as the widest row of a table; what comes later is not known. */
static enum ls_status count_columns(struct ls_run *run, struct ls_error *err) {
  struct ls_commands *commands = &run->commands;
  const struct ls_run_words *words = &run->words_of_tasks;
  commands->table_columns = (struct ls_table_columns){0};
  /* Several inputs of a column have one name. */
  if (run->options.bundles.groups == NULL) {
    commands->table_columns.names = words->names;
    commands->table_columns.names_count = words->names_count;
  }
  if (run->source.rows == NULL) {
    commands->table_columns.count = ls_task_source_columns(&run->source);
    return LS_OK;
  }
  enum ls_status status = LS_OK;
  bool is_known = run->source.stream == NULL;
  for (uint64_t task = 0; is_known && task < run->source.tasks && status == LS_OK; task++) {
    struct ls_template_task facts;
    status = ls_task_row_read(&commands->row, &run->source, task, &facts, err);
    if (status == LS_OK && facts.values_count > commands->table_columns.count)
      commands->table_columns.count = facts.values_count;
  }
  return status;
}

static enum ls_status show_heading(struct ls_run *run, struct ls_error *err) {
  struct ls_bytes *heading = &run->commands.table_row;
  run->commands.awaits_heading = run->commands.table_columns.count == 0;
  if (run->commands.awaits_heading) return LS_OK;
  ls_bytes_clear(heading);
  ls_results_table_heading(run->commands.shown_table, &run->commands.table_columns, heading);
  const struct ls_output shown = {ls_bytes_text(heading), heading->length, -1};
  return ls_delivery_show(run->commands.delivery, LS_WRITER_OUTPUT, &shown, err);
}

/* They would be taken for those of this run. */
static void warn_of_others(struct ls_run *run, const char *path) {
  uint64_t tasks = run->app.more == NULL ? run->units : 0;
  uint64_t others = run->options.is_quiet || run->sequences != NULL
                        ? 0
                        : ls_results_count_above(run->commands.results, tasks);
  if (others > 0)
    ls_run_say(run, "%s: --results %s: %llu folder%s of an earlier run %s there, after task %llu",
               run->name, path, (unsigned long long)others, others == 1 ? "" : "s",
               others == 1 ? "stays" : "stay", (unsigned long long)tasks);
}

static enum ls_status open_results(struct ls_run *run, struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  bool goes_on = options->is_resumed || options->repeats_failures;
  const char *path = options->outputs.results;
  if (path == NULL) return LS_OK;
  if (run->commands.results_name != NULL) {
    bool is_known = run->app.more == NULL && run->commands.bundling == NULL;
    if (is_known) return ls_result_names_check(&run->commands, path, run->units, err);
    /* Who names files by worker wants the last one of each. */
    bool is_by_worker = ls_template_has(run->commands.results_name, LS_REPLACE_SLOT);
    run->commands.result_names.text = is_by_worker ? NULL : path;
    return LS_OK;
  }
  if (ls_results_table_form(path) == LS_TABLE_NONE) {
    enum ls_status opened = ls_results_open(path, options->is_synced, &run->commands.results, err);
    if (opened == LS_OK && !goes_on) warn_of_others(run, path);
    return opened;
  }
  enum ls_status status = count_columns(run, err);
  if (status != LS_OK) return status;
  if (run->commands.shown_table != LS_TABLE_NONE) return goes_on ? LS_OK : show_heading(run, err);
  struct ls_table_setup setup = {.path = path,
                                 .columns = run->commands.table_columns,
                                 .goes_on = goes_on,
                                 .repeats_failures = options->repeats_failures,
                                 .is_synced = options->is_synced};
  return ls_results_table_open(&setup, &run->commands.table, err);
}

enum ls_status ls_run_outputs_open(void *context, struct ls_error *err) {
  struct ls_run *run = context;
  const struct ls_run_options *options = &run->options;
  struct ls_delivery_setup delivery = {.keeps_order = options->keeps_order,
                                       .compresses = options->outputs.compresses,
                                       .writer = run->writer,
                                       .prepare = hide_progress,
                                       .context = &run->progress};
  enum ls_status status = LS_OK;
  if (options->wants_json) status = ls_summary_file_open(options->json, &run->summary_file, err);
  if (status != LS_OK || run->user_app != NULL) return status;
  status = ls_delivery_create(&delivery, &run->commands.delivery, err);
  if (status == LS_OK) status = open_results(run, err);
  return status == LS_OK ? open_joblog(run, err) : status;
}

enum ls_status ls_run_outputs_show(void *context, const struct ls_unit_lines *lines,
                                   struct ls_error *err) {
  struct ls_run *run = context;
  return ls_commands_show(&run->commands, lines, err);
}

const char *ls_run_outputs_name_unit(void *context, uint64_t unit) {
  struct ls_run *run = context;
  bool is_named =
      ls_commands_name_inputs(&run->commands, (struct ls_range){unit, 1}, NULL) == LS_OK;
  return is_named ? ls_bytes_text(&run->commands.line) : NULL;
}

void ls_run_outputs_close(struct ls_run *run) {
  ls_results_close(run->commands.results);
  ls_result_names_close(&run->commands.result_names);
  ls_results_table_close(run->commands.table);
  ls_joblog_close(run->commands.joblog);
  ls_template_close(&run->tag);
  ls_template_close(&run->results_name);
  ls_bytes_close(&run->results_text);
  free(run->sequences);
}
