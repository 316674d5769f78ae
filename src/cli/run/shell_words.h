/* shell_words.h: which shell reads command lines, and the words that begin such a command.
 */
#ifndef LS_CLI_RUN_SHELL_WORDS_H
#define LS_CLI_RUN_SHELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "cli/run/quote.h"

/* The words before the command line: /bin/sh -c, /bin/busybox sh -c. Borrowed. */
struct ls_shell_words {
  const char *words[3];
  size_t count;
  enum ls_quoting quoting;
};

/* /bin/sh -c */
extern const struct ls_shell_words ls_shell_usual;

/* What is known of the user's shell; NULL: nothing. */
struct ls_shell_facts {
  const char *wanted;      /* --shell=PROGRAM */
  const char *environment; /* LOADSTAR_SHELL */
  const char *parent;      /* the program that started us: its file */
  bool is_usual;           /* that file is /bin/sh by another name */
};

/* The program for command lines: what is wanted, else the environment's, else the one that started
 * us, if it is a shell, else /bin/sh. Borrowed. */
const char *ls_shell_choose(const struct ls_shell_facts *facts);
/* The words for a program, whose name says how it reads quotes. */
struct ls_shell_words ls_shell_words_of(const char *program);
/* The names of the shells whose quotes are known, with commas between. */
void ls_shell_list(struct ls_bytes *out);
/* Would a shell make more of this text than words? */
bool ls_shell_has_syntax(const char *text, size_t length);

#endif
