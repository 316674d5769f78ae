/* commands_output.c: what is shown of the tasks of `loadstar run`: lines while they run, all when
 * they have ended. */
#include "cli/run/commands.h"

#include "base/array.h"
#include "cli/run/output_left.h"
#include "model/outcome.h"

static bool is_turn(const struct ls_commands *commands, uint64_t unit) {
  return !ls_delivery_keeps_order(commands->delivery) ||
         ls_delivery_frontier(commands->delivery) == unit;
}

/* `*tag`: NULL: there is none. */
static enum ls_status find_tag(struct ls_commands *commands, struct ls_range task, uint32_t slot,
                               const char **tag, struct ls_error *err) {
  *tag = NULL;
  if (commands->tag == NULL) return LS_OK;
  enum ls_status status =
      ls_commands_fill_in(commands, commands->tag, task, slot > 0 ? slot : 1, err);
  *tag = ls_bytes_text(&commands->text);
  return status;
}

/* A task that begins again is told again, too. */
static enum ls_status note_beginning(struct ls_commands *commands, struct ls_range task,
                                     struct ls_error *err) {
  if (ls_array_reserve((void **)&commands->told, &commands->told_capacity, commands->told_count + 1,
                       sizeof *commands->told) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for the commands that run");
  commands->told[commands->told_count++] = task;
  return LS_OK;
}

static enum ls_status show(void *context, const struct ls_live_attempt *attempt, uint8_t stream,
                           const struct ls_output *lines, struct ls_error *err) {
  struct ls_commands *commands = context;
  struct ls_dress dress = {0};
  struct ls_output dressed;
  enum ls_status status = find_tag(commands, attempt->units, attempt->slot, &dress.tag, err);
  if (status == LS_OK)
    status = ls_dressed_fill(&commands->dressed[stream], &dress, lines, &dressed, err);
  if (status != LS_OK) return status;
  return ls_delivery_show(commands->delivery, (enum ls_writer_stream)stream, &dressed, err);
}

static enum ls_status take_turn(struct ls_commands *commands, struct ls_error *err) {
  const struct ls_live_show how = {show, commands};
  if (!commands->shows_lines || !ls_delivery_keeps_order(commands->delivery)) return LS_OK;
  return ls_live_lines_turn(&commands->live, ls_delivery_frontier(commands->delivery), &how, err);
}

/* What is shown may be a name or a row, or nothing since it is kept elsewhere. */
static enum ls_status replace_outputs(struct ls_commands *commands,
                                      const struct ls_unit_result *result, struct ls_range task,
                                      struct ls_output instead[2], struct ls_error *err) {
  const struct ls_output nothing = {.file = -1};
  bool is_elsewhere = commands->table != NULL || commands->results_name != NULL;
  enum ls_status status = LS_OK;
  instead[0] = is_elsewhere ? nothing : result->output;
  instead[1] = is_elsewhere ? nothing : result->error_output;
  if (commands->shown_table != LS_TABLE_NONE) {
    status = ls_commands_write_row(commands, result, task, err);
    instead[1] = nothing;
  } else if (commands->leaves_files) {
    status = ls_output_leave(&result->output, &commands->table_row, err);
  } else {
    return LS_OK;
  }
  instead[0] = (struct ls_output){commands->table_row.data, commands->table_row.length, -1};
  return status;
}

static enum ls_status tell_beginning(struct ls_commands *commands, struct ls_range task,
                                     uint32_t slot, struct ls_error *err) {
  enum ls_status status = ls_commands_describe(commands, task, slot, err);
  if (status != LS_OK) return status;
  ls_bytes_append_char(&commands->line, '\n');
  if (commands->line.failed) return ls_fail(err, LS_ENOMEM, "out of memory for a command");
  const struct ls_output line = {commands->line.data, commands->line.length, -1};
  return ls_delivery_show(commands->delivery,
                          commands->tells_on_output ? LS_WRITER_OUTPUT : LS_WRITER_ERROR, &line,
                          err);
}

/* The command is the head of what it has written; without a result it never began. */
static enum ls_status find_head(struct ls_commands *commands, const struct ls_unit_result *result,
                                struct ls_range task, const char **head, struct ls_error *err) {
  *head = NULL;
  if (!commands->heads_outputs || !ls_outcome_is_result(result->outcome)) return LS_OK;
  enum ls_status status = ls_commands_describe(commands, task, result->slot, err);
  bool is_text = status == LS_OK && commands->compiled->is_shell && commands->words_count > 0;
  /* For the shell it is one text, line ends and all. */
  *head = is_text ? commands->words[commands->words_count - 1] : ls_bytes_text(&commands->line);
  return status;
}

/* Of a short task the result may come before the word that it has begun. */
static enum ls_status tell_before_end(struct ls_commands *commands,
                                      const struct ls_unit_result *result, struct ls_range task,
                                      struct ls_error *err) {
  bool is_told = !ls_outcome_is_result(result->outcome); /* else it never began */
  if (!commands->tells_beginnings) return LS_OK;
  for (size_t i = 0; i < commands->told_count; i++) {
    if (commands->told[i].first != task.first || commands->told[i].count != task.count) continue;
    is_told = true;
    commands->told[i--] = commands->told[--commands->told_count];
  }
  return is_told ? LS_OK : tell_beginning(commands, task, result->slot, err);
}

enum ls_status ls_commands_deliver(struct ls_commands *commands,
                                   const struct ls_unit_result *result, struct ls_range task,
                                   struct ls_error *err) {
  uint64_t unit = task.first;
  struct ls_output outputs[2], shown[2] = {{.file = -1}, {.file = -1}};
  struct ls_dress dress = {.ends_lines = commands->shows_lines};
  if (commands->delivery == NULL) return LS_OK;
  bool has_outputs = result->output.length + result->error_output.length > 0;
  enum ls_status status = tell_before_end(commands, result, task, err);
  if (status == LS_OK) status = replace_outputs(commands, result, task, outputs, err);
  if (status == LS_OK && outputs[0].length + outputs[1].length > 0)
    status = find_tag(commands, task, result->slot, &dress.tag, err);
  if (status == LS_OK) status = find_head(commands, result, task, &dress.head, err);
  for (uint8_t i = 0; i < 2 && status == LS_OK; i++) {
    if (i > 0) dress.head = NULL;
    dress.from = ls_live_lines_shown(&commands->live, task, result->chunk, i);
    status = ls_dressed_fill(&commands->dressed[i], &dress, &outputs[i], &shown[i], err);
  }
  ls_live_lines_forget(&commands->live, unit);
  if (status != LS_OK) return status;
  bool is_given = has_outputs && shown[0].length + shown[1].length == 0;
  status = is_given ? ls_delivery_end(commands->delivery, unit, err)
                    : ls_delivery_add(commands->delivery, unit, &shown[0], &shown[1], err);
  if (status == LS_OK && task.count > 1)
    status = ls_delivery_skip(commands->delivery, (struct ls_range){unit + 1, task.count - 1}, err);
  return status == LS_OK ? take_turn(commands, err) : status;
}

enum ls_status ls_commands_skip(struct ls_commands *commands, struct ls_range units,
                                struct ls_error *err) {
  if (commands->delivery == NULL) return LS_OK;
  enum ls_status status = ls_delivery_skip(commands->delivery, units, err);
  return status == LS_OK ? take_turn(commands, err) : status;
}

enum ls_status ls_commands_show(struct ls_commands *commands, const struct ls_unit_lines *lines,
                                struct ls_error *err) {
  const struct ls_live_show how = {show, commands};
  if (lines->length == 0) {
    if (!commands->tells_beginnings) return LS_OK;
    enum ls_status status = tell_beginning(commands, lines->units, lines->slot, err);
    return status == LS_OK ? note_beginning(commands, lines->units, err) : status;
  }
  if (!commands->shows_lines) return LS_OK;
  return ls_live_lines_add(&commands->live, lines, is_turn(commands, lines->units.first), &how,
                           err);
}
