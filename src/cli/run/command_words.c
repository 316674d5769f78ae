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

enum ls_status ls_command_words_check(const struct ls_command_line *command, struct ls_error *err) {
  if (command->words_count != 1 || command->is_shell) return LS_OK;
  const char *word = command->words[0];
  size_t first = strcspn(word, " \t\n");
  bool is_line = word[first] != '\0' && first > 0 && !is_program(word, strlen(word));
  if (!is_line || !is_program(word, first)) return LS_OK;
  char shown[128];
  ls_console_show(word, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL,
                 "'%s' is one word, and no program has that name; with --shell it is a command "
                 "line",
                 shown);
}
