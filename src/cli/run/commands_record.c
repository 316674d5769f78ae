/* commands_record.c: what is kept of the tasks of `loadstar run`: results, tables, the job log. */
#include "cli/run/commands.h"
#include "cli/run/quote.h"
#include "coordinator/coordinator.h"
#include "runtime/os/clock.h"

static const char *name_fate(const struct ls_unit_result *result) {
  if (result->outcome == LS_OUTCOME_GIVEN_UP) return "abandoned";
  if (result->has_timed_out) return "timed out";
  return result->outcome == LS_OUTCOME_DONE ? "done" : "failed";
}

/* The logs must tell failure from success even when no exit code exists. */
static int choose_exit_code(const struct ls_unit_result *result) {
  bool has_none = result->has_timed_out || result->outcome == LS_OUTCOME_GIVEN_UP;
  bool is_silent =
      result->outcome == LS_OUTCOME_FAILED && result->exit_code == 0 && result->signal == 0;
  return has_none || is_silent ? -1 : result->exit_code;
}

static uint64_t find_sequence(const struct ls_commands *commands, uint64_t unit) {
  return commands->sequences != NULL ? commands->sequences[unit] : unit + 1;
}

/* A line end is a zero byte there: so the command can be run again. */
static void append_logged(const char *text, struct ls_bytes *out) {
  for (; *text != '\0'; text++) ls_bytes_append_char(out, *text == '\n' ? '\0' : *text);
}

enum ls_status ls_commands_write_log_line(struct ls_commands *commands, struct ls_range task,
                                          uint32_t slot, struct ls_error *err) {
  struct ls_bytes *line = &commands->log_line;
  enum ls_status status = ls_commands_expand(commands, task, slot > 0 ? slot : 1, err);
  if (status != LS_OK) return status;
  ls_bytes_clear(line);
  if (commands->compiled->is_shell) {
    append_logged(commands->words[commands->words_count - 1], line);
  } else {
    for (size_t i = 0; i < commands->words_count; i++) {
      if (i > 0) ls_bytes_append_char(line, ' ');
      ls_quote_word(commands->words[i], line);
    }
    for (size_t i = 0; i < line->length; i++)
      if (line->data[i] == '\n') line->data[i] = '\0';
  }
  return line->failed ? ls_fail(err, LS_ENOMEM, "out of memory for a command") : LS_OK;
}

/* What is dealt out has it among its bytes, and all of the data begin with it. */
static bool has_header_of_its_own(const struct ls_block_options *options) {
  return !options->is_dealt && !options->is_shared;
}

/* Bytes that the task was given at standard input. */
static enum ls_status measure_input(struct ls_commands *commands, struct ls_range task,
                                    uint64_t *bytes, struct ls_error *err) {
  const struct ls_blocks *blocks = commands->blocks;
  enum ls_status status = LS_OK;
  if (blocks == NULL) return LS_OK;
  if (has_header_of_its_own(blocks->options)) *bytes += blocks->header.length;
  for (uint64_t unit = task.first; unit < task.first + task.count && status == LS_OK; unit++) {
    struct ls_template_task facts;
    status = ls_task_row_read(&commands->row, commands->source, unit, &facts, err);
    if (status == LS_OK)
      *bytes += ls_blocks_measure(blocks, unit, commands->row.inputs[commands->row.count - 1]);
  }
  return status;
}

/* What a log line says of the task; its command is in `commands->log_line`. */
static enum ls_status describe_line(struct ls_commands *commands,
                                    const struct ls_unit_result *result, struct ls_range task,
                                    struct ls_joblog_entry *line, struct ls_error *err) {
  double start_s = commands->epoch_s > 0 ? commands->epoch_s + result->start_s
                                         : ls_clock_calendar_s() - result->seconds;
  bool has_hosts = commands->source->has_hosts;
  uint64_t sent = 0;
  enum ls_status status = measure_input(commands, task, &sent, err);
  if (status != LS_OK) return status;
  *line = (struct ls_joblog_entry){.sequence = find_sequence(commands, task.first),
                                   .host = result->worker == LS_WORKER_NONE ? "-"
                                           : has_hosts ? commands->row.inputs[0]
                                                       : ":",
                                   .start_s = start_s,
                                   .seconds = result->seconds,
                                   .sent = sent,
                                   .received = result->output.length,
                                   .exit_code = choose_exit_code(result),
                                   .signal = result->signal,
                                   .usage = result->usage,
                                   .command = ls_bytes_text(&commands->log_line),
                                   .command_length = commands->log_line.length};
  return LS_OK;
}

/* One a line, as they are. */
static enum ls_status list_inputs(struct ls_commands *commands, struct ls_range task,
                                  struct ls_error *err) {
  ls_bytes_clear(&commands->inputs);
  for (uint64_t unit = task.first; unit < task.first + task.count; unit++) {
    struct ls_template_task facts;
    enum ls_status status = ls_task_row_read(&commands->row, commands->source, unit, &facts, err);
    if (status != LS_OK) return status;
    for (size_t i = commands->source->has_hosts; i < commands->row.count; i++) {
      ls_bytes_append_text(&commands->inputs, commands->row.inputs[i]);
      ls_bytes_append_char(&commands->inputs, '\n');
    }
  }
  return commands->inputs.failed ? ls_fail(err, LS_ENOMEM, "out of memory for inputs") : LS_OK;
}

/* All inputs of a command name its results, or the first one where that is no name of a file. */
static enum ls_status name_results(struct ls_commands *commands, struct ls_range task,
                                   uint32_t slot, struct ls_error *err) {
  enum ls_status status = ls_commands_fill_in(commands, commands->results_name, task, slot, err);
  if (status != LS_OK || ls_results_is_name(ls_bytes_text(&commands->text))) return status;
  return ls_commands_fill_in_first(commands, commands->results_name, task.first, slot, err);
}

static enum ls_status keep_task(struct ls_commands *commands, const struct ls_unit_result *result,
                                struct ls_range task, struct ls_error *err) {
  uint32_t slot = result->slot > 0 ? result->slot : 1;
  enum ls_status status = ls_commands_describe(commands, task, slot, err);
  if (status == LS_OK) status = list_inputs(commands, task, err);
  if (status != LS_OK) return status;
  struct ls_results_entry entry = {.sequence = find_sequence(commands, task.first),
                                   .command = ls_bytes_text(&commands->line),
                                   .inputs = ls_bytes_text(&commands->inputs),
                                   .fate = name_fate(result),
                                   .exit_code = choose_exit_code(result),
                                   .signal = result->signal,
                                   .seconds = result->seconds,
                                   .output = &result->output,
                                   .error_output = &result->error_output};
  if (commands->results != NULL) {
    status = ls_results_write(commands->results, &entry, err);
    /* An earlier command that began with one of the other inputs has failed: this one takes its
     * place. */
    for (uint64_t i = 1; i < task.count && status == LS_OK && commands->repeats_failures; i++)
      ls_results_remove(commands->results, find_sequence(commands, task.first + i));
    return status;
  }
  status = name_results(commands, task, slot, err);
  if (status == LS_OK && commands->result_names.text != NULL)
    status = ls_result_names_claim(&commands->result_names, ls_bytes_text(&commands->text),
                                   task.first, err);
  return status == LS_OK ? ls_results_write_named(ls_bytes_text(&commands->text), &entry,
                                                  commands->is_synced, err)
                         : status;
}

/* The inputs of the task are those that were expanded last: of one of several units, its last. */
static struct ls_table_entry describe_row(struct ls_commands *commands,
                                          const struct ls_unit_result *result,
                                          const struct ls_joblog_entry *line) {
  const struct ls_task_row *row = &commands->row;
  bool has_hosts = commands->source->has_hosts, has_columns = commands->source->rows != NULL;
  struct ls_table_entry entry = {
      .line = line,
      .values = has_columns ? row->columns.values : row->inputs + has_hosts,
      .values_count = has_columns ? row->columns.count : row->count - has_hosts,
      .outputs = {&result->output, &result->error_output}};
  if (commands->table_columns.count == 0) commands->table_columns.count = entry.values_count;
  entry.columns_count = commands->table_columns.count;
  return entry;
}

enum ls_status ls_commands_write_row(struct ls_commands *commands,
                                     const struct ls_unit_result *result, struct ls_range task,
                                     struct ls_error *err) {
  struct ls_joblog_entry line;
  enum ls_status status = ls_commands_write_log_line(commands, task, result->slot, err);
  if (status == LS_OK) status = describe_line(commands, result, task, &line, err);
  if (status != LS_OK) return status;
  struct ls_table_entry row = describe_row(commands, result, &line);
  ls_bytes_clear(&commands->table_row);
  if (commands->awaits_heading)
    ls_results_table_heading(commands->shown_table, &commands->table_columns, &commands->table_row);
  commands->awaits_heading = false;
  return ls_results_table_row(commands->shown_table, &row, &commands->table_row, err);
}

/* Results and job log come first: a master that dies before the output is written repeats this for
 * the same unit, and both bear that. */
enum ls_status ls_commands_record(struct ls_commands *commands, const struct ls_unit_result *result,
                                  struct ls_range task, struct ls_error *err) {
  bool is_kept = commands->results != NULL || commands->results_name != NULL;
  enum ls_status status = is_kept ? keep_task(commands, result, task, err) : LS_OK;
  if (status != LS_OK || (commands->joblog == NULL && commands->table == NULL)) return status;
  struct ls_joblog_entry line;
  status = ls_commands_write_log_line(commands, task, result->slot, err);
  if (status == LS_OK) status = describe_line(commands, result, task, &line, err);
  if (status != LS_OK) return status;
  struct ls_table_entry row = describe_row(commands, result, &line);
  if (commands->table != NULL) status = ls_results_table_add(commands->table, &row, err);
  if (status == LS_OK && commands->joblog != NULL)
    status = ls_joblog_add(commands->joblog, &line, err);
  return status;
}
