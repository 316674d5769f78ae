#include "cli/run/command_program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "runtime/os/interpreter.h"

const char *ls_command_program_name(const struct ls_command_line *command,
                                    const struct ls_template *compiled) {
  if (command->words_count == 0 || command->is_shell || compiled->is_shell) return NULL;
  for (size_t i = 0; i < compiled->segments_count; i++) {
    const struct ls_segment *segment = &compiled->segments[i];
    if (segment->word == 0 && segment->kind != LS_REPLACE_NOTHING) return NULL;
  }
  return command->words[0];
}

/* Why the file is no program, of errno; 0: it is one. ENOEXEC: what it needs to be started is not
 * there, as the words say. */
static int find_fault(const char *path, char words[LS_ERROR_TEXT_BYTES]) {
  struct stat facts;
  if (stat(path, &facts) != 0) return errno;
  if (S_ISDIR(facts.st_mode)) return EISDIR;
  if (access(path, X_OK) != 0) return errno;
  return ls_interpreter_is_missing(path, words, LS_ERROR_TEXT_BYTES) ? ENOEXEC : 0;
}

/* The fault of the first file of that name that is there; ENOENT: none is. */
static int search_path(const char *name, bool is_elsewhere, char words[LS_ERROR_TEXT_BYTES]) {
  const char *folder = getenv("PATH");
  int found = ENOENT;
  /* The system's own list then, which is not ours to know. */
  if (folder == NULL) return 0;
  for (;; folder++) {
    char path[PATH_MAX];
    size_t bytes = strcspn(folder, ":");
    if (folder[0] != '/' && is_elsewhere) return 0;
    int written =
        snprintf(path, sizeof path, "%.*s%s%s", (int)bytes, folder, bytes > 0 ? "/" : "", name);
    int fault = written > 0 && (size_t)written < sizeof path ? find_fault(path, words) : ENOENT;
    if (fault == 0) return 0;
    if ((fault == EACCES || fault == ENOEXEC) && found == ENOENT) found = fault;
    folder += bytes;
    if (*folder == '\0') return found;
  }
}

enum ls_status ls_command_program_check(const char *name, bool is_elsewhere, struct ls_error *err) {
  bool is_path = strchr(name, '/') != NULL;
  if (is_path && name[0] != '/' && is_elsewhere) return LS_OK;
  char words[LS_ERROR_TEXT_BYTES];
  int fault = is_path           ? find_fault(name, words)
              : name[0] == '\0' ? ENOENT
                                : search_path(name, is_elsewhere, words);
  if (fault == 0) return LS_OK;
  char shown[256];
  ls_console_show(name, shown, sizeof shown);
  if (!is_path && fault == ENOENT)
    return ls_fail(err, LS_EINVAL, "%s: no program of that name in PATH",
                   name[0] == '\0' ? "''" : shown);
  return ls_fail(err, LS_EINVAL, "%s: cannot be run: %s", shown,
                 fault == ENOEXEC ? words : strerror(fault));
}
