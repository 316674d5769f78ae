/* input_options.h: the options of `loadstar run` about inputs and what replacement strings make of
 * them. */
#ifndef LS_CLI_RUN_INPUT_OPTIONS_H
#define LS_CLI_RUN_INPUT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "cli/run/grammar.h"
#include "cli/run/input_form.h"
#include "cli/run/task_source.h"

enum { LS_INPUT_RULES_MAX = 64 };

/* Texts are borrowed. */
struct ls_input_options {
  struct ls_input_form form;              /* --null, --delimiter, --csv, --eof, --no-run-if-empty */
  struct ls_source_marks marks;           /* --arg-sep, --arg-file-sep */
  bool is_linked;                         /* --link */
  const char *colsep, *header;            /* NULL: not given */
  bool has_trim, trims_left, trims_right; /* --trim */
  bool has_plus;
  const char *spellings[LS_SPELLINGS]; /* -I and its kin */
  const char *parens;
  const char *rules[LS_INPUT_RULES_MAX]; /* --rpl */
  size_t rules_count;
};

/* For command lines only; ends in {0}. */
extern const struct argp_option ls_input_options_table[];
/* Of other dialects only. */
extern const struct argp_option ls_input_dialect_table[];

/* Is it a key of that table? */
bool ls_input_options_has(int key);
/* One option; LS_EINVAL. */
LS_CHECKED enum ls_status ls_input_options_read(struct ls_input_options *options, int key,
                                                const char *text, struct ls_error *err);
/* LS_EINVAL: two options exclude each other. Settles what depends on several. */
LS_CHECKED enum ls_status ls_input_options_check(struct ls_input_options *options,
                                                 struct ls_error *err);
/* Must all inputs be known before the first task: are there names in them, or does a text (of
 * `length` bytes, zeros among them) hold a string that counts or chooses tasks? */
bool ls_input_options_need_all(const struct ls_input_options *options, const char *text,
                               size_t length);

#endif
