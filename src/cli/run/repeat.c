#include "cli/run/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/run/block_options.h"
#include "cli/run/quote.h"
#include "cli/run/run_inputs.h"
#include "cli/run/task_source.h"

void ls_repeat_note(struct ls_repeat *repeat, uint64_t task, const char *const *inputs,
                    size_t count) {
  size_t bytes = repeat->inputs.length;
  for (size_t i = 0; i < count; i++) bytes += strlen(inputs[i]) + 1;
  if (bytes > LS_REPEAT_BYTES_MOST ||
      ls_array_reserve((void **)&repeat->tasks, &repeat->capacity, repeat->count + 1,
                       sizeof *repeat->tasks) != LS_OK)
    repeat->is_incomplete = true;
  if (repeat->is_incomplete) return;
  repeat->tasks[repeat->count++] =
      (struct ls_repeat_task){.task = task, .at = repeat->inputs.length, .count = count};
  for (size_t i = 0; i < count; i++)
    ls_bytes_append(&repeat->inputs, inputs[i], strlen(inputs[i]) + 1);
}

static int compare_tasks(const void *one, const void *other) {
  const struct ls_repeat_task *a = one, *b = other;
  return (a->task > b->task) - (a->task < b->task);
}

static bool has_text(const struct ls_run_options *options, const char *text) {
  const struct ls_bytes *recorded = &options->recorded;
  bool has =
      recorded->length > 0 && memmem(recorded->data, recorded->length, text, strlen(text)) != NULL;
  for (size_t i = 0; i < ls_run_inputs_mark(options); i++)
    has = has || strstr(options->words[i], text) != NULL;
  return has;
}

/* Do the tasks depend on inputs of others: on their numbers, on what each file has for each, on the
 * first inputs, on hosts? */
static bool needs_others(const struct ls_run_options *options) {
  bool is_numbered = options->inputs.spellings[LS_SPELLING_SEQUENCE] != NULL ||
                     has_text(options, "#}") || has_text(options, "seq(");
  return is_numbered || options->inputs.header != NULL || options->logins.is_on_all ||
         options->times != NULL || options->plan != NULL ||
         ls_block_options_divide(&options->blocks);
}

/* "--name" or "--name=value" each, for the shell. */
static void write_options(const struct ls_bytes *options, struct ls_bytes *out) {
  for (size_t at = 0; at < options->length; at += strlen(options->data + at) + 1) {
    const char *option = options->data + at, *value = strchr(option, '=');
    ls_bytes_append_char(out, ' ');
    if (value == NULL) {
      ls_bytes_append_text(out, option);
      continue;
    }
    ls_bytes_append(out, option, (size_t)(value + 1 - option));
    value++;
    ls_quote_line(&value, 1, out);
  }
}

static bool write_input(const struct ls_repeat *repeat, const struct ls_repeat_task *task,
                        size_t index, const struct ls_source_marks *marks, struct ls_bytes *out) {
  const char *input = repeat->inputs.data + task->at;
  while (index-- > 0) input += strlen(input) + 1;
  ls_bytes_append_char(out, ' ');
  ls_quote_line(&input, 1, out);
  return !ls_task_source_is_mark(input, marks);
}

/* The inputs of one source; of the only one also groups. */
static bool write_source(const struct ls_repeat *repeat, const struct ls_source_marks *marks,
                         size_t sources, size_t index, struct ls_bytes *out) {
  bool is_whole = true;
  for (size_t i = 0; i < repeat->count; i++) {
    const struct ls_repeat_task *task = &repeat->tasks[i];
    is_whole = is_whole && (sources == 1 || task->count == sources);
    for (size_t k = 0; k < task->count && is_whole; k++)
      if (sources == 1 || k == index) is_whole = write_input(repeat, task, k, marks, out);
  }
  return is_whole;
}

bool ls_repeat_write(struct ls_repeat *repeat, const char *name,
                     const struct ls_run_options *options, size_t sources, struct ls_bytes *out) {
  const struct ls_source_marks *marks = &options->inputs.marks;
  size_t words = ls_run_inputs_mark(options);
  struct ls_bytes line = {0};
  bool is_whole = repeat->count > 0 && !repeat->is_incomplete && sources > 0 &&
                  !repeat->inputs.failed && !needs_others(options);
  if (!is_whole) return false;
  qsort(repeat->tasks, repeat->count, sizeof *repeat->tasks, compare_tasks);
  ls_bytes_append_text(&line, name);
  write_options(&options->recorded, &line);
  write_options(&options->of_start, &line);
  if (words > 0) ls_bytes_append_text(&line, " -- ");
  ls_quote_line((const char *const *)options->words, words, &line);
  for (size_t i = 0; i < sources && is_whole; i++) {
    const char *mark = marks->values == NULL ? ":::" : marks->values;
    ls_bytes_printf(&line, " %s%s", mark, i > 0 ? "+" : "");
    is_whole = write_source(repeat, marks, sources, i, &line);
  }
  is_whole = is_whole && !line.failed && line.length <= LS_REPEAT_BYTES_MOST;
  if (is_whole) ls_bytes_append(out, line.data, line.length);
  ls_bytes_close(&line);
  return is_whole;
}

void ls_repeat_close(struct ls_repeat *repeat) {
  ls_bytes_close(&repeat->inputs);
  free(repeat->tasks);
  *repeat = (struct ls_repeat){0};
}
