/* template.h: a command with replacement strings, and what it becomes for one task.
 *
 * Which strings there are and what they do to a value is the grammar's (grammar.h).  They stand
 * anywhere in a word.  Without any, all values are appended.  With several sources or columns, {}
 * stands for all their values: as words of their own when it is a whole word, else with spaces
 * between.
 */
#ifndef LS_CLI_TEMPLATE_H
#define LS_CLI_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/grammar.h"
#include "cli/run/shell_words.h"

/* How the inputs of a command that takes several are put into its words. */
enum ls_many {
  LS_MANY_NONE,     /* it takes one */
  LS_MANY_REPEATED, /* a word with replacement strings is repeated for each */
  LS_MANY_JOINED    /* the inputs stand in the place of the replacement string */
};

/* A command as it was given. Borrowed. */
struct ls_command_line {
  const char *const *words;
  size_t words_count;                 /* 0: each value is a command line for the shell */
  bool is_shell;                      /* the words, joined by spaces, are given to the shell */
  const struct ls_shell_words *shell; /* NULL: /bin/sh */
};

/* A piece of a word. */
struct ls_segment {
  enum ls_replacement kind;
  struct ls_value_place place;
  struct ls_change change; /* of the values; owned */
  size_t word;             /* of the template */
  bool is_whole;           /* nothing else is in its word */
  const char *literal;     /* LS_REPLACE_NOTHING: borrowed from the words, not ended by zero */
  size_t length;
};

struct ls_template {
  struct ls_segment *segments;
  size_t segments_count, segments_capacity;
  size_t words_count, sources_count;
  char *script; /* the words of a command for the shell, which are one; owned */
  struct ls_shell_words shell;
  bool is_shell;    /* as of the command, or there is none; values are quoted */
  bool is_appended; /* the last word is not of the command: the values stand there */
  enum ls_many many;
  size_t group;     /* so many inputs have a number each, {1} and on; 0: the sources have */
  size_t sources;   /* of one input, where a command takes several */
  bool is_verbatim; /* there is no command: the value itself is what the shell shall read */
};

/* One task, as far as the template needs it. */
struct ls_template_task {
  const char *const *values;
  size_t values_count;   /* 0: one per source */
  const size_t *begins;  /* where the values of each source begin, and the end; NULL: one each */
  uint64_t sequence;     /* 1: the first task */
  uint64_t tasks, slots; /* how many there are; 0: not known */
  uint32_t slot;
};

/* The words of one command; storage is kept between calls. Starts as {0}. */
struct ls_expansion {
  struct ls_bytes text;
  size_t *offsets;
  size_t words_count, offsets_capacity;
  const char **words; /* words_count entries */
  size_t words_capacity;
};

/* Compiles a command, whose words must outlive the template. For the shell they are one word, so a
 * replacement string may begin in one word and end in another. LS_EINVAL: the grammar refuses one
 * of its replacement strings. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_template_init(struct ls_template *compiled,
                                           const struct ls_command_line *command,
                                           const struct ls_grammar *grammar, struct ls_error *err);
/* Compiles a text of its own, no command: one word, to which nothing is appended. */
LS_CHECKED enum ls_status ls_template_init_text(struct ls_template *compiled, const char *text,
                                                const struct ls_grammar *grammar,
                                                struct ls_error *err);
/* The command takes several inputs: `group` of them, whose numbers are {1} and on, or any number
 * (0). The template was compiled for max(group, sources) sources. LS_EINVAL: a number that could be
 * that of a source as well, or no command. */
LS_CHECKED enum ls_status ls_template_take_many(struct ls_template *compiled, enum ls_many many,
                                                size_t group, size_t sources, struct ls_error *err);
/* No input is put into the command. */
void ls_template_take_none(struct ls_template *compiled);
/* LS_EINVAL: inputs would be quoted for a shell whose quotes are not known. */
LS_CHECKED enum ls_status ls_template_check_shell(const struct ls_template *compiled,
                                                  struct ls_error *err);
/* Appends what a segment that is no text stands for; several values are words of their own, a zero
 * byte between them, or have spaces between. LS_EINVAL as ls_change_apply. */
LS_CHECKED enum ls_status ls_template_append(const struct ls_template *compiled,
                                             const struct ls_segment *segment,
                                             const struct ls_template_task *task,
                                             struct ls_bytes *out, struct ls_error *err);
/* Does the segment stand for values, all or one? */
bool ls_segment_takes_values(const struct ls_segment *segment);
/* Does a replacement string of this kind stand in it? */
bool ls_template_has(const struct ls_template *compiled, enum ls_replacement kind);
/* The command of a task; LS_ENOMEM, LS_EINVAL as ls_change_apply. */
LS_CHECKED enum ls_status ls_template_expand(const struct ls_template *compiled,
                                             const struct ls_template_task *task,
                                             struct ls_expansion *out, struct ls_error *err);
void ls_template_close(struct ls_template *compiled);
void ls_expansion_close(struct ls_expansion *expansion);

#endif
