#include "cli/run/run_shell.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/shell_words.h"

/* Two names of one file? */
static bool is_same_file(const char *one, const char *other) {
  struct stat first, second;
  return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

void ls_run_shell_find(const char *wanted, char *program, size_t program_bytes) {
  char link[64], parent[PATH_MAX];
  (void)snprintf(link, sizeof link, "/proc/%ld/exe", (long)getppid());
  ssize_t length = readlink(link, parent, sizeof parent - 1);
  parent[length > 0 ? length : 0] = '\0';
  const struct ls_shell_facts facts = {.wanted = wanted,
                                       .environment = getenv("LOADSTAR_SHELL"),
                                       .parent = length > 0 ? parent : NULL,
                                       .is_usual = is_same_file(parent, ls_shell_usual.words[0])};
  (void)snprintf(program, program_bytes, "%s", ls_shell_choose(&facts));
}
