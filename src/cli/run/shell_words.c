#include "cli/run/shell_words.h"

#include <string.h>

const struct ls_shell_words ls_shell_usual = {{"/bin/sh", "-c"}, 2};

static const char *find_name(const char *program) {
  const char *slash = strrchr(program, '/');
  return slash == NULL ? program : slash + 1;
}

/* They take -c and a line, and quote as /bin/sh does; a version may follow the name, as in zsh-5.9
 * or bash5. */
static bool is_shell(const char *program) {
  static const char *const shells[] = {"sh", "dash", "bash", "ksh", "mksh", "zsh", "busybox"};
  const char *name = find_name(program);
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
    size_t length = strlen(shells[i]);
    if (strncmp(name, shells[i], length) != 0) continue;
    if (name[length + strspn(name + length, "-.0123456789")] == '\0') return true;
  }
  return false;
}

const char *ls_shell_choose(const struct ls_shell_facts *facts) {
  if (facts->wanted != NULL) return facts->wanted;
  if (facts->environment != NULL && facts->environment[0] != '\0') return facts->environment;
  bool is_own = facts->parent != NULL && !facts->is_usual && is_shell(facts->parent);
  return is_own ? facts->parent : ls_shell_usual.words[0];
}

struct ls_shell_words ls_shell_words_of(const char *program) {
  if (strcmp(find_name(program), "busybox") == 0)
    return (struct ls_shell_words){{program, "sh", "-c"}, 3};
  return (struct ls_shell_words){{program, "-c"}, 2};
}

bool ls_shell_has_syntax(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] != '\0' && strchr("\n|&;<>()$`", text[i]) != NULL) return true;
  return false;
}
