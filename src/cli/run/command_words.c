#include "cli/run/command_words.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"

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

enum ls_status ls_command_words_check(const struct ls_command_line *command,
                                      const struct ls_template *compiled, struct ls_error *err) {
  if (command->words_count == 0 || command->is_shell) return LS_OK;
  const char *word = command->words[0];
  if (!is_line(word, compiled) || is_program(word, strlen(word))) return LS_OK;
  char shown[128];
  ls_console_show(word, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL,
                 "'%s' is one word, and no program has that name; with --shell it is a command "
                 "line",
                 shown);
}
