#include "cli/run/command_words.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run/quote.h"
#include "cli/run/run_shell.h"

/* Is there such a program? */
static bool is_program(const char *name, size_t length) {
  char path[PATH_MAX];
  const char *folders = memchr(name, '/', length) != NULL ? "" : getenv("PATH");
  for (const char *folder = folders == NULL ? "" : folders;; folder++) {
    size_t bytes = strcspn(folder, ":");
    int written = snprintf(path, sizeof path, "%.*s%s%.*s", (int)bytes, folder,
                           bytes > 0 ? "/" : "", (int)length, name);
    if (written > 0 && (size_t)written < sizeof path && access(path, X_OK) == 0) return true;
    folder += bytes;
    if (*folder == '\0') return false;
  }
}

/* Does a shell's syntax, or a blank, stand in the first word, beside its replacement strings? */
static bool has_in_first(const struct ls_template *compiled,
                         bool (*has)(const char *text, size_t length)) {
  for (size_t i = 0; i < compiled->segments_count; i++) {
    const struct ls_segment *segment = &compiled->segments[i];
    bool is_text = segment->word == 0 && segment->kind == LS_REPLACE_NOTHING;
    if (is_text && has(segment->literal, segment->length)) return true;
  }
  return false;
}

static bool has_blank(const char *text, size_t length) {
  return memchr(text, ' ', length) != NULL || memchr(text, '\t', length) != NULL;
}

/* A name with blanks may be one of a machine elsewhere, unless it begins with a program of here. */
static bool is_line(const char *word, const struct ls_template *compiled) {
  if (has_in_first(compiled, ls_shell_has_syntax)) return true;
  size_t first = strcspn(word, " \t");
  return first > 0 && has_in_first(compiled, has_blank) && is_program(word, first);
}

/* What --shell would run for the first task, in words for a shell; nothing where that is not known:
 * of inputs that are still to come, and of commands whose inputs are columns, or several. */
static void append_example(const struct ls_command_words *words, struct ls_bytes *out) {
  const struct ls_task_source *source = words->source;
  char program[PATH_MAX];
  if (source == NULL || source->tasks == 0 || source->stream != NULL || source->rows != NULL ||
      words->compiled->many != LS_MANY_NONE || words->compiled->group > 0)
    return;
  ls_run_shell_find(NULL, program, sizeof program);
  const struct ls_shell_words shell = ls_shell_words_of(program);
  if (shell.quoting == LS_QUOTING_UNKNOWN) return;
  struct ls_command_line line = *words->command;
  line.is_shell = true;
  line.shell = &shell;
  struct ls_template compiled = {0};
  struct ls_expansion expansion = {0};
  size_t count = ls_task_source_values_count(source);
  const char **values = calloc(count + 1, sizeof *values);
  const struct ls_template_task task = {
      .values = values, .sequence = 1, .tasks = source->tasks, .slots = 1, .slot = 0};
  bool is_known = values != NULL && ls_task_source_values(source, 0, values, NULL) == LS_OK &&
                  ls_template_init(&compiled, &line, words->grammar, NULL) == LS_OK &&
                  ls_template_expand(&compiled, &task, &expansion, NULL) == LS_OK;
  if (is_known) {
    ls_bytes_append_text(out, ": ");
    ls_quote_line(expansion.words, expansion.words_count, out);
  }
  ls_expansion_close(&expansion);
  ls_template_close(&compiled);
  free(values);
}

enum ls_status ls_command_words_check(const struct ls_command_words *words, struct ls_error *err) {
  const struct ls_command_line *command = words->command;
  if (command->words_count == 0 || command->is_shell) return LS_OK;
  const char *word = command->words[0];
  if (!is_line(word, words->compiled) || is_program(word, strlen(word))) return LS_OK;
  char shown[128];
  struct ls_bytes example = {0};
  ls_console_show(word, shown, sizeof shown);
  append_example(words, &example);
  enum ls_status status =
      ls_fail(err, LS_EINVAL,
              "'%s' is one word, and no program has that name; with --shell it is a command line%s",
              shown, example.length > 0 && !example.failed ? ls_bytes_text(&example) : "");
  ls_bytes_close(&example);
  return status;
}
