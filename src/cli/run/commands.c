#include "cli/run/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cli/run/quote.h"
#include "protocol/command.h"

void ls_commands_init(struct ls_commands *commands) {
  for (int i = 0; i < 2; i++) commands->dressed[i] = ls_dressed_make();
  commands->has_dressed = true;
}

void ls_commands_close(struct ls_commands *commands) {
  for (int i = 0; i < 2 && commands->has_dressed; i++) ls_dressed_close(&commands->dressed[i]);
  ls_task_row_close(&commands->row);
  ls_expansion_close(&commands->expansion);
  ls_bundler_close(&commands->bundler);
  ls_bytes_close(&commands->packed);
  ls_live_lines_close(&commands->live);
  free(commands->told);
  ls_bytes_close(&commands->line);
  ls_bytes_close(&commands->text);
  ls_bytes_close(&commands->log_line);
  ls_bytes_close(&commands->inputs);
  ls_bytes_close(&commands->table_row);
  *commands = (struct ls_commands){0};
}

/* Of a block the command sees its name, if it has one; all of the data are no input at all. */
static bool has_own_blocks(const struct ls_commands *commands) {
  return commands->blocks != NULL && !commands->blocks->options->is_shared;
}

static enum ls_status find_values(struct ls_commands *commands, uint64_t unit, uint32_t slot,
                                  struct ls_template_task *task, struct ls_error *err) {
  enum ls_status status = ls_task_row_read(&commands->row, commands->source, unit, task, err);
  if (status != LS_OK) return status;
  task->slot = slot;
  task->slots = commands->slots;
  if (!has_own_blocks(commands)) return LS_OK;
  commands->block_name = ls_blocks_name(commands->blocks, unit, slot);
  task->values = &commands->block_name;
  task->values_count = ls_blocks_has_name(commands->blocks);
  task->begins = NULL;
  return LS_OK;
}

/* The command of a task of as many inputs as the user says, which are one unit. */
static enum ls_status expand_group(struct ls_commands *commands,
                                   const struct ls_template_task *task, struct ls_error *err) {
  const struct ls_template *compiled = commands->compiled;
  uint64_t inputs = task->values_count / compiled->sources;
  ls_bytes_clear(&commands->packed);
  commands->bundler.compiled = compiled;
  enum ls_status status =
      ls_bundler_begin(&commands->bundler, task, inputs, &commands->packed, err);
  struct ls_template_task input = *task;
  input.values_count = compiled->sources;
  for (uint64_t i = 0; i < inputs && status == LS_OK; i++, input.values += compiled->sources)
    status = ls_bundler_add(&commands->bundler, &input, &commands->packed, err);
  if (status != LS_OK) return status;
  return ls_bundler_read(&commands->bundler, &commands->packed, &commands->words,
                         &commands->words_count, err);
}

static enum ls_status expand(struct ls_commands *commands, uint64_t unit, uint32_t slot,
                             struct ls_error *err) {
  struct ls_template_task task;
  enum ls_status status = find_values(commands, unit, slot, &task, err);
  if (status != LS_OK) return status;
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
  struct ls_template_task task = {.slot = slot, .slots = commands->slots};
  commands->bundler.compiled = commands->compiled;
  enum ls_status status = ls_bundler_begin(&commands->bundler, &task, units.count, out, err);
  for (uint64_t i = 0; i < units.count && status == LS_OK; i++) {
    status = find_values(commands, units.first + i, slot, &task, err);
    if (status == LS_OK) status = ls_bundler_add(&commands->bundler, &task, out, err);
  }
  return status;
}

enum ls_status ls_commands_expand(struct ls_commands *commands, struct ls_range units,
                                  uint32_t slot, struct ls_error *err) {
  if (!is_bundled(commands)) return expand(commands, units.first, slot, err);
  ls_bytes_clear(&commands->packed);
  enum ls_status status = bundle(commands, units, slot, &commands->packed, err);
  if (status != LS_OK) return status;
  return ls_bundler_read(&commands->bundler, &commands->packed, &commands->words,
                         &commands->words_count, err);
}

/* What cannot be shown on one line as it is (it would be another command, or move a terminal) is
 * shown as a word for the shell. */
static bool is_plain_line(const char *script) {
  for (; *script != '\0'; script++)
    if ((unsigned char)*script < ' ' && *script != '\t') return false;
  return true;
}

enum ls_status ls_commands_describe(struct ls_commands *commands, struct ls_range units,
                                    uint32_t slot, struct ls_error *err) {
  enum ls_status status = ls_commands_expand(commands, units, slot, err);
  if (status != LS_OK) return status;
  ls_bytes_clear(&commands->line);
  const char *script =
      commands->compiled->is_shell ? commands->words[commands->words_count - 1] : NULL;
  if (script != NULL && is_plain_line(script))
    ls_bytes_append_text(&commands->line, script);
  else
    ls_quote_line(commands->words, commands->words_count, &commands->line);
  return commands->line.failed ? ls_fail(err, LS_ENOMEM, "out of memory for a command") : LS_OK;
}

struct filling {
  const struct ls_template *compiled;
  struct ls_range units;
  uint32_t slot;
  bool has_first_only; /* of the inputs of a group */
};

/* What a segment stands for, of all units, with spaces between. */
static enum ls_status append_values(struct ls_commands *commands, const struct filling *filling,
                                    const struct ls_segment *segment, struct ls_error *err) {
  struct ls_bytes *text = &commands->text;
  uint64_t count = ls_segment_takes_values(segment) ? filling->units.count : 1;
  size_t begin = text->length;
  for (uint64_t i = 0; i < count; i++) {
    struct ls_template_task task;
    enum ls_status status =
        find_values(commands, filling->units.first + i, filling->slot, &task, err);
    size_t sources = commands->compiled->sources;
    if (filling->has_first_only && task.values_count > sources) task.values_count = sources;
    if (i > 0) ls_bytes_append_char(text, ' ');
    if (status == LS_OK) status = ls_template_append(filling->compiled, segment, &task, text, err);
    if (status != LS_OK) return status;
  }
  for (size_t i = begin; i < text->length; i++)
    if (text->data[i] == '\0') text->data[i] = ' ';
  return LS_OK;
}

static enum ls_status fill_in(struct ls_commands *commands, const struct filling *filling,
                              struct ls_error *err) {
  const struct ls_template *compiled = filling->compiled;
  struct ls_bytes *text = &commands->text;
  enum ls_status status = LS_OK;
  ls_bytes_clear(text);
  for (size_t i = 0; i < compiled->segments_count && status == LS_OK; i++) {
    const struct ls_segment *segment = &compiled->segments[i];
    if (i > 0 && segment->word != compiled->segments[i - 1].word) ls_bytes_append_char(text, ' ');
    if (segment->kind == LS_REPLACE_NOTHING)
      ls_bytes_append(text, segment->literal, segment->length);
    else
      status = append_values(commands, filling, segment, err);
  }
  if (status == LS_OK && text->failed)
    return ls_fail(err, LS_ENOMEM, "out of memory for the text of a task");
  return status;
}

enum ls_status ls_commands_fill_in(struct ls_commands *commands, const struct ls_template *compiled,
                                   struct ls_range units, uint32_t slot, struct ls_error *err) {
  return fill_in(commands, &(struct filling){compiled, units, slot, false}, err);
}

enum ls_status ls_commands_fill_in_first(struct ls_commands *commands,
                                         const struct ls_template *compiled, uint64_t unit,
                                         uint32_t slot, struct ls_error *err) {
  return fill_in(commands, &(struct filling){compiled, {unit, 1}, slot, true}, err);
}

enum ls_status ls_commands_name_inputs(struct ls_commands *commands, struct ls_range units,
                                       struct ls_error *err) {
  ls_bytes_clear(&commands->line);
  for (uint64_t i = 0; i < units.count; i++) {
    struct ls_template_task task;
    enum ls_status status =
        ls_task_row_read(&commands->row, commands->source, units.first + i, &task, err);
    if (status != LS_OK) return status;
    if (i > 0) ls_bytes_append_char(&commands->line, ' ');
    if (has_own_blocks(commands))
      ls_bytes_append_text(&commands->line, commands->row.inputs[commands->row.count - 1]);
    else
      ls_quote_line(commands->row.inputs, commands->row.count, &commands->line);
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

/* Processes that want to be fed blocks. */
static enum ls_status ask_dealer(struct ls_commands *commands, struct ls_more *more,
                                 struct ls_error *err) {
  enum ls_status status = ls_dealing_more(&commands->blocks->dealing, more, err);
  if (status == LS_OK) commands->source->tasks += more->units;
  return status;
}

static enum ls_status read_more(void *state, struct ls_more *more, struct ls_error *err) {
  struct ls_commands *commands = state;
  struct ls_task_source *source = commands->source;
  if (commands->blocks != NULL && commands->blocks->options->is_dealt)
    return ask_dealer(commands, more, err);
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
  if (status == LS_OK) ls_command_encode(commands->words, commands->words_count, &goods, input);
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
  struct ls_template_task task;
  bool is_expanded =
      find_values(commands, unit, 1, &task, &err) == LS_OK &&
      ls_template_expand(commands->needs, &task, &commands->expansion, &err) == LS_OK;
  return is_expanded ? commands->expansion.words[0] : NULL;
}

/* The files of a task take their places before anything tells of it: whoever reads that may want
 * them. */
static enum ls_status take_places(struct ls_commands *commands, const struct ls_unit_result *result,
                                  uint64_t unit, struct ls_error *err) {
  if (commands->files == NULL || result->outcome == LS_OUTCOME_GIVEN_UP) return LS_OK;
  return ls_output_places_take(&commands->places, unit, err);
}

/* The next task of a result: all its units where tasks hold several, else one of them. */
static struct ls_range cut_task(const struct ls_commands *commands, struct ls_range *units) {
  struct ls_range task = {units->first, commands->bundling != NULL ? units->count : 1};
  units->first += task.count;
  units->count -= task.count;
  return task;
}

static enum ls_status merge_units(void *state, const struct ls_unit_result *result,
                                  struct ls_error *err) {
  struct ls_commands *commands = state;
  struct ls_range left = result->units;
  while (left.count > 0) {
    struct ls_range task = cut_task(commands, &left);
    enum ls_status status = take_places(commands, result, task.first, err);
    if (status == LS_OK) status = ls_commands_record(commands, result, task, err);
    if (status == LS_OK) status = ls_commands_deliver(commands, result, task, err);
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
    const struct ls_template *name = commands->results_name;
    if (results != NULL && ls_results_has(results, task.first + 1)) commands->results = NULL;
    commands->results_name = NULL;
    enum ls_status status = take_places(commands, result, task.first, err);
    if (status == LS_OK) status = ls_commands_record(commands, result, task, err);
    commands->results = results;
    commands->results_name = name;
    if (status != LS_OK) return status;
  }
  if (commands->blocks != NULL) {
    enum ls_status status = ls_blocks_settle(commands->blocks, result->units, err);
    if (status != LS_OK) return status;
  }
  return ls_commands_skip(commands, result->units, err);
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

/* Tasks that have a line in the job log: without a journal nothing else is known of them. */
static enum ls_status find_idle(void *state, uint32_t iteration, struct ls_ranges *units,
                                struct ls_error *err) {
  struct ls_commands *commands = state;
  if (iteration > 0) return LS_OK;
  for (uint64_t unit = 0; unit < commands->source->tasks; unit++) {
    if (!ls_joblog_has(commands->joblog, unit + 1)) continue;
    struct ls_range range = {unit, 1};
    while (range.first + range.count < commands->source->tasks &&
           ls_joblog_has(commands->joblog, range.first + range.count + 1))
      range.count++;
    ls_ranges_add(units, range);
    enum ls_status status = ls_commands_skip(commands, range, err);
    if (status != LS_OK) return status;
    unit += range.count - 1;
  }
  return LS_OK;
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
    .idle = find_idle,
    .need = find_need,
    .pack = pack_units,
    .merge = merge_units,
    .outputs = &outputs,
    .skip = skip_units,
    .runs_commands = true,
};
