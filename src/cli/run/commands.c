#include "cli/run/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cli/run/quote.h"
#include "coordinator/coordinator.h"
#include "protocol/command.h"
#include "runtime/clock.h"

enum ls_status ls_commands_init(struct ls_commands *commands, struct ls_error *err) {
  commands->values =
      calloc(ls_task_source_values_count(commands->source) + 1, sizeof *commands->values);
  return commands->values == NULL ? ls_fail(err, LS_ENOMEM, "out of memory for input values")
                                  : LS_OK;
}

void ls_commands_close(struct ls_commands *commands) {
  free(commands->values);
  ls_expansion_close(&commands->expansion);
  ls_bundler_close(&commands->bundler);
  ls_bytes_close(&commands->packed);
  ls_bytes_close(&commands->line);
  *commands = (struct ls_commands){0};
}

static enum ls_status find_values(struct ls_commands *commands, uint64_t unit, uint32_t slot,
                                  struct ls_template_task *task, struct ls_error *err) {
  enum ls_status status = ls_task_source_values(commands->source, unit, commands->values, err);
  *task = (struct ls_template_task){.values = commands->values + commands->source->has_hosts,
                                    .sequence = ls_task_source_sequence(commands->source, unit),
                                    .slot = slot};
  return status;
}

/* The command of a task of as many inputs as the user says, which are one unit. */
static enum ls_status expand_group(struct ls_commands *commands,
                                   const struct ls_template_task *task, struct ls_error *err) {
  const struct ls_template *compiled = commands->compiled;
  uint64_t inputs = 0;
  while (inputs < compiled->group && task->values[inputs * compiled->sources] != NULL) inputs++;
  ls_bytes_clear(&commands->packed);
  enum ls_status status =
      ls_bundler_begin(&commands->bundler, compiled, task, inputs, &commands->packed, err);
  struct ls_template_task input = *task;
  for (uint64_t i = 0; i < inputs && status == LS_OK; i++, input.values += compiled->sources)
    ls_bundler_add(&commands->bundler, compiled, &input, &commands->packed);
  if (status != LS_OK) return status;
  return ls_bundler_read(&commands->bundler, &commands->packed, &commands->words,
                         &commands->words_count, err);
}

static enum ls_status expand(struct ls_commands *commands, uint64_t unit, uint32_t slot,
                             struct ls_error *err) {
  struct ls_template_task task;
  enum ls_status status = find_values(commands, unit, slot, &task, err);
  if (status != LS_OK) return status;
  const char *name = NULL;
  /* Of a block the command sees its name, if it has one. */
  if (commands->blocks != NULL && !commands->blocks->options->is_shared) {
    name = ls_blocks_name(commands->blocks, unit, slot);
    task.values = &name;
  }
  if (commands->compiled->group > 0) return expand_group(commands, &task, err);
  status = ls_template_expand(commands->compiled, &task, &commands->expansion, err);
  commands->words = commands->expansion.words;
  commands->words_count = commands->expansion.words_count;
  return status;
}

/* Have tasks of several units one command line of all of them? Blocks have a command each. */
static bool is_bundled(const struct ls_commands *commands) {
  return commands->bundling != NULL && !commands->bundling->are_blocks;
}

/* Appends the bundle of a range. */
static enum ls_status bundle(struct ls_commands *commands, struct ls_range units, uint32_t slot,
                             struct ls_bytes *out, struct ls_error *err) {
  struct ls_template_task task = {.slot = slot};
  enum ls_status status =
      ls_bundler_begin(&commands->bundler, commands->compiled, &task, units.count, out, err);
  for (uint64_t i = 0; i < units.count && status == LS_OK; i++) {
    status = find_values(commands, units.first + i, slot, &task, err);
    if (status == LS_OK) ls_bundler_add(&commands->bundler, commands->compiled, &task, out);
  }
  return status;
}

/* The words of a task. */
static enum ls_status expand_task(struct ls_commands *commands, struct ls_range units,
                                  uint32_t slot, struct ls_error *err) {
  if (!is_bundled(commands)) return expand(commands, units.first, slot, err);
  ls_bytes_clear(&commands->packed);
  enum ls_status status = bundle(commands, units, slot, &commands->packed, err);
  if (status != LS_OK) return status;
  return ls_bundler_read(&commands->bundler, &commands->packed, &commands->words,
                         &commands->words_count, err);
}

/* A log has one line per task, so line ends and tabs of a script are shown as \n and \t. */
static void append_script(const char *script, struct ls_bytes *out) {
  for (; *script != '\0'; script++) {
    if (*script == '\n')
      ls_bytes_append_text(out, "\\n");
    else if (*script == '\t')
      ls_bytes_append_text(out, "\\t");
    else
      ls_bytes_append_char(out, *script);
  }
}

enum ls_status ls_commands_describe(struct ls_commands *commands, struct ls_range units,
                                    uint32_t slot, struct ls_error *err) {
  enum ls_status status = expand_task(commands, units, slot, err);
  if (status != LS_OK) return status;
  ls_bytes_clear(&commands->line);
  if (commands->compiled->is_shell)
    append_script(commands->words[commands->words_count - 1], &commands->line);
  else
    ls_quote_line(commands->words, commands->words_count, &commands->line);
  return commands->line.failed ? ls_fail(err, LS_ENOMEM, "out of memory for a command") : LS_OK;
}

enum ls_status ls_commands_name_inputs(struct ls_commands *commands, struct ls_range units,
                                       struct ls_error *err) {
  ls_bytes_clear(&commands->line);
  for (uint64_t i = 0; i < units.count; i++) {
    enum ls_status status =
        ls_task_source_values(commands->source, units.first + i, commands->values, err);
    if (status != LS_OK) return status;
    size_t count = ls_task_source_values_count(commands->source);
    while (count > 0 && commands->values[count - 1] == NULL) count--;
    if (i > 0) ls_bytes_append_char(&commands->line, ' ');
    if (commands->blocks != NULL && !commands->blocks->options->is_shared)
      ls_bytes_append_text(&commands->line, commands->values[count - 1]);
    else
      ls_quote_line(commands->values, count, &commands->line);
  }
  return commands->line.failed ? ls_fail(err, LS_ENOMEM, "out of memory for an input") : LS_OK;
}

/* A worker needs no words: the commands come with their chunks. */
static enum ls_status open_nothing(int argc, char **argv, void **state, struct ls_error *err) {
  (void)argv;
  if (argc > 0) return ls_fail(err, LS_EINVAL, "run: %d words were sent, expected none", argc);
  *state = NULL;
  return LS_OK;
}

static void close_nothing(void *state) {
  (void)state;
}

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  (void)err;
  const struct ls_commands *commands = state;
  *units = iteration == 0 ? commands->source->tasks : 0;
  return LS_OK;
}

/* So many values, or blocks, are cut at once; so many values may wait in a journal, which has the
 * room. */
enum { VALUES_AT_ONCE = 4096, BLOCKS_AT_ONCE = 8, AHEAD_IN_JOURNAL = 1 << 22 };

/* Values that are only compared cost nothing. */
static uint64_t choose_ahead(const struct ls_input_stream *stream) {
  if (!ls_input_stream_is_known(stream)) return UINT64_MAX;
  return ls_input_stream_is_recorded(stream) ? AHEAD_IN_JOURNAL : 0;
}

static enum ls_status read_more(void *state, struct ls_more *more, struct ls_error *err) {
  struct ls_commands *commands = state;
  struct ls_task_source *source = commands->source;
  bool has_blocks = commands->blocks != NULL;
  enum ls_status status =
      ls_input_stream_read(source->stream, has_blocks ? BLOCKS_AT_ONCE : VALUES_AT_ONCE, err);
  if (status != LS_OK) return status;
  uint64_t tasks = ls_input_stream_count(source->stream);
  *more = (struct ls_more){.units = tasks - source->tasks,
                           .is_last = ls_input_stream_is_ended(source->stream),
                           .ahead = has_blocks ? 0 : choose_ahead(source->stream),
                           .most = has_blocks ? ls_blocks_most(commands->blocks) : 0,
                           .file = ls_input_stream_file(source->stream)};
  source->tasks = tasks;
  return LS_OK;
}

static enum ls_status pack_unit(struct ls_commands *commands, uint64_t unit, uint32_t slot,
                                struct ls_bytes *input, struct ls_error *err) {
  struct ls_command_goods goods = {0};
  struct ls_staging staging;
  struct ls_block block;
  enum ls_status status = expand(commands, unit, slot, err);
  if (status == LS_OK && commands->files != NULL) {
    status = ls_task_files_of(commands->files, unit, &staging, err);
    goods.staging = &staging;
  }
  if (status == LS_OK && commands->blocks != NULL) {
    status = ls_blocks_of(commands->blocks, unit, slot, &block, err);
    goods.block = &block;
  }
  if (status == LS_OK)
    ls_command_encode_with(commands->words, commands->words_count, &goods, input);
  return status;
}

static enum ls_status pack_units(void *state, struct ls_range units, uint32_t slot,
                                 struct ls_bytes *input, struct ls_error *err) {
  struct ls_commands *commands = state;
  if (is_bundled(commands)) {
    enum ls_status status = bundle(commands, units, slot, input, err);
    if (status != LS_OK || !input->failed) return status;
    return ls_fail(err, LS_ENOMEM, "out of memory for commands");
  }
  for (uint64_t i = 0; i < units.count; i++) {
    enum ls_status status = pack_unit(state, units.first + i, slot, input, err);
    if (status != LS_OK) return status;
  }
  return input->failed ? ls_fail(err, LS_ENOMEM, "out of memory for commands") : LS_OK;
}

/* Values that cannot be read fail the run when they are packed. */
static const char *find_need(void *state, uint32_t iteration, uint64_t unit) {
  struct ls_commands *commands = state;
  struct ls_error err;
  (void)iteration;
  if (ls_task_source_values(commands->source, unit, commands->values, &err) != LS_OK) return NULL;
  struct ls_template_task task = {.values = commands->values + commands->source->has_hosts,
                                  .sequence = ls_task_source_sequence(commands->source, unit),
                                  .slot = 1};
  bool is_expanded =
      ls_template_expand(commands->needs, &task, &commands->expansion, &err) == LS_OK;
  return is_expanded ? commands->expansion.words[0] : NULL;
}

static const char *name_fate(const struct ls_unit_result *result) {
  if (result->outcome == LS_OUTCOME_GIVEN_UP) return "given up";
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

static enum ls_status log_unit(struct ls_commands *commands, const struct ls_unit_result *result,
                               uint64_t unit, struct ls_error *err) {
  double start_s = commands->epoch_s > 0 ? commands->epoch_s + result->start_s
                                         : ls_clock_calendar_s() - result->seconds;
  struct ls_joblog_entry entry = {.sequence = unit + 1,
                                  .host = result->worker == LS_WORKER_NONE ? "-"
                                          : commands->source->has_hosts    ? commands->values[0]
                                                                           : ":",
                                  .start_s = start_s,
                                  .seconds = result->seconds,
                                  .received = result->output.length,
                                  .exit_code = choose_exit_code(result),
                                  .signal = result->signal,
                                  .command = ls_bytes_text(&commands->line)};
  return ls_joblog_add(commands->joblog, &entry, err);
}

/* One line for each input of a task of several. */
static enum ls_status list_inputs(struct ls_commands *commands, struct ls_range units,
                                  struct ls_bytes *out, struct ls_error *err) {
  struct ls_bytes command = commands->line;
  enum ls_status status = LS_OK;
  commands->line = (struct ls_bytes){0};
  for (uint64_t i = 0; i < units.count && status == LS_OK; i++) {
    status = ls_commands_name_inputs(commands, (struct ls_range){units.first + i, 1}, err);
    ls_bytes_append(out, commands->line.data, commands->line.length);
    ls_bytes_append_char(out, '\n');
  }
  ls_bytes_close(&commands->line);
  commands->line = command;
  if (status == LS_OK && out->failed) return ls_fail(err, LS_ENOMEM, "out of memory for inputs");
  return status;
}

static enum ls_status keep_task(struct ls_commands *commands, const struct ls_unit_result *result,
                                struct ls_range units, struct ls_error *err) {
  struct ls_bytes inputs = {0};
  enum ls_status status =
      commands->bundling != NULL ? list_inputs(commands, units, &inputs, err) : LS_OK;
  struct ls_results_entry entry = {.sequence = units.first + 1,
                                   .command = ls_bytes_text(&commands->line),
                                   .inputs = commands->bundling != NULL ? &inputs : NULL,
                                   .fate = name_fate(result),
                                   .exit_code = choose_exit_code(result),
                                   .signal = result->signal,
                                   .seconds = result->seconds,
                                   .output = &result->output,
                                   .error_output = &result->error_output};
  if (status == LS_OK) status = ls_results_write(commands->results, &entry, err);
  ls_bytes_close(&inputs);
  return status;
}

/* The files of a task take their places before anything tells of it: whoever reads that may want
 * them. */
static enum ls_status take_places(struct ls_commands *commands, const struct ls_unit_result *result,
                                  uint64_t unit, struct ls_error *err) {
  if (commands->files == NULL || result->outcome == LS_OUTCOME_GIVEN_UP) return LS_OK;
  return ls_output_places_take(&commands->places, unit, err);
}

/* Results and job log come first: a master that dies before the output is written repeats this for
 * the same unit, and both bear that. */
static enum ls_status record_task(struct ls_commands *commands, const struct ls_unit_result *result,
                                  struct ls_range units, struct ls_error *err) {
  if (commands->results == NULL && commands->joblog == NULL) return LS_OK;
  enum ls_status status = ls_commands_describe(commands, units, result->slot, err);
  if (status == LS_OK && commands->results != NULL)
    status = keep_task(commands, result, units, err);
  if (status == LS_OK && commands->joblog != NULL)
    status = log_unit(commands, result, units.first, err);
  return status;
}

/* The next task of a result: all its units where tasks hold several, else one of them. */
static struct ls_range cut_task(const struct ls_commands *commands, struct ls_range *units) {
  struct ls_range task = {units->first, commands->bundling != NULL ? units->count : 1};
  units->first += task.count;
  units->count -= task.count;
  return task;
}

/* The output of a task stands in the place of its first unit. */
static enum ls_status deliver(struct ls_commands *commands, const struct ls_unit_result *result,
                              struct ls_range task, struct ls_error *err) {
  struct ls_delivery *delivery = commands->delivery;
  if (delivery == NULL) return LS_OK;
  enum ls_status status =
      ls_delivery_add(delivery, task.first, &result->output, &result->error_output, err);
  if (status != LS_OK || task.count == 1) return status;
  return ls_delivery_skip(delivery, (struct ls_range){task.first + 1, task.count - 1}, err);
}

static enum ls_status merge_units(void *state, const struct ls_unit_result *result,
                                  struct ls_error *err) {
  struct ls_commands *commands = state;
  struct ls_range left = result->units;
  while (left.count > 0) {
    struct ls_range task = cut_task(commands, &left);
    enum ls_status status = take_places(commands, result, task.first, err);
    if (status == LS_OK) status = record_task(commands, result, task, err);
    if (status == LS_OK) status = deliver(commands, result, task, err);
    if (status != LS_OK) return status;
  }
  ls_task_source_release(commands->source, result->units);
  return commands->blocks == NULL ? LS_OK : ls_blocks_settle(commands->blocks, result->units, err);
}

/* The outputs are not here: they left in an earlier session, or there were none. So an existing
 * folder is better than anything that could be written now, and a missing one gets empty outputs.
 */
static enum ls_status skip_units(void *state, const struct ls_unit_result *result,
                                 struct ls_error *err) {
  struct ls_commands *commands = state;
  struct ls_range left = result->units;
  while (left.count > 0) {
    struct ls_range task = cut_task(commands, &left);
    struct ls_results *results = commands->results;
    if (results != NULL && ls_results_has(results, task.first + 1)) commands->results = NULL;
    enum ls_status status = take_places(commands, result, task.first, err);
    if (status == LS_OK) status = record_task(commands, result, task, err);
    commands->results = results;
    if (status != LS_OK) return status;
  }
  if (commands->blocks != NULL) {
    enum ls_status status = ls_blocks_settle(commands->blocks, result->units, err);
    if (status != LS_OK) return status;
  }
  return commands->delivery == NULL ? LS_OK
                                    : ls_delivery_skip(commands->delivery, result->units, err);
}

static enum ls_status take_left(void *state, struct ls_units_left *left, struct ls_error *err) {
  struct ls_commands *commands = state;
  enum ls_status status = ls_writer_attend(commands->writer, err);
  *left = (struct ls_units_left){.units = ls_delivery_take_left(commands->delivery)};
  return status;
}

static int find_file(void *state) {
  const struct ls_commands *commands = state;
  return ls_writer_file(commands->writer);
}

static bool is_behind(void *state) {
  const struct ls_commands *commands = state;
  return ls_writer_is_behind(commands->writer);
}

static enum ls_status finish(void *state, struct ls_error *err) {
  const struct ls_commands *commands = state;
  return ls_writer_finish(commands->writer, commands->is_hurried, err);
}

static const struct ls_app_outputs outputs = {
    .take_left = take_left, .file = find_file, .is_behind = is_behind, .finish = finish};

const struct ls_app ls_commands_app = {
    .name = "run",
    .summary = "command lines",
    .usage = "",
    .open = open_nothing,
    .close = close_nothing,
    .units = count_units,
    .more = read_more,
    .need = find_need,
    .pack = pack_units,
    .merge = merge_units,
    .outputs = &outputs,
    .skip = skip_units,
    .runs_commands = true,
};
