#include "cli/run/shell_words.h"

#include <string.h>

const struct ls_shell_words ls_shell_usual = {{"/bin/sh", "-c"}, 2, LS_QUOTING_SH};

static const char *find_name(const char *program) {
  const char *slash = strrchr(program, '/');
  return slash == NULL ? program : slash + 1;
}

/* All of them take -c and a line. */
static const struct {
  const char *name;
  enum ls_quoting quoting;
} shells[] = {{"sh", LS_QUOTING_SH},       {"ash", LS_QUOTING_SH},    {"dash", LS_QUOTING_SH},
              {"bash", LS_QUOTING_SH},     {"rbash", LS_QUOTING_SH},  {"ksh", LS_QUOTING_SH},
              {"mksh", LS_QUOTING_SH},     {"lksh", LS_QUOTING_SH},   {"oksh", LS_QUOTING_SH},
              {"pdksh", LS_QUOTING_SH},    {"posh", LS_QUOTING_SH},   {"zsh", LS_QUOTING_SH},
              {"busybox", LS_QUOTING_SH},  {"fish", LS_QUOTING_FISH}, {"csh", LS_QUOTING_CSH},
              {"bsd-csh", LS_QUOTING_CSH}, {"tcsh", LS_QUOTING_CSH},  {"rc", LS_QUOTING_RC}};

/* A version may follow the name, as in zsh-5.9 or bash5. */
static enum ls_quoting find_quoting(const char *program) {
  const char *name = find_name(program);
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
    size_t length = strlen(shells[i].name);
    if (strncmp(name, shells[i].name, length) != 0) continue;
    if (name[length + strspn(name + length, "-.0123456789")] == '\0') return shells[i].quoting;
  }
  return LS_QUOTING_UNKNOWN;
}

void ls_shell_list(struct ls_bytes *out) {
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
    ls_bytes_printf(out, "%s%s", i > 0 ? ", " : "", shells[i].name);
}

const char *ls_shell_choose(const struct ls_shell_facts *facts) {
  if (facts->wanted != NULL) return facts->wanted;
  if (facts->environment != NULL && facts->environment[0] != '\0') return facts->environment;
  bool is_own =
      facts->parent != NULL && !facts->is_usual && find_quoting(facts->parent) == LS_QUOTING_SH;
  return is_own ? facts->parent : ls_shell_usual.words[0];
}

struct ls_shell_words ls_shell_words_of(const char *program) {
  enum ls_quoting quoting = find_quoting(program);
  if (strcmp(find_name(program), "busybox") == 0)
    return (struct ls_shell_words){{program, "sh", "-c"}, 3, quoting};
  return (struct ls_shell_words){{program, "-c"}, 2, quoting};
}

bool ls_shell_has_syntax(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] != '\0' && strchr("\n|&;<>()$`", text[i]) != NULL) return true;
  return false;
}
