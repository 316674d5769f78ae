/* run_words.h: how inputs become the words of commands in this run: columns, names, replacement
 * strings, as its options have them.
 */
#ifndef LS_CLI_RUN_WORDS_H
#define LS_CLI_RUN_WORDS_H

#include "base/status.h"
#include "cli/run/grammar.h"
#include "cli/run/input_options.h"
#include "cli/run/row.h"
#include "cli/run/task_source.h"

/* Starts as {0}. Nothing moves it: the grammar points into it. */
struct ls_run_words {
  struct ls_grammar grammar;
  struct ls_row_form rows;
  struct ls_rule *rules;
  struct ls_value_name *names; /* with texts of their own */
  size_t names_count, names_capacity;
};

/* What the options say; they are borrowed. LS_EINVAL: a wrong expression. */
LS_CHECKED enum ls_status ls_run_words_open(struct ls_run_words *words,
                                            const struct ls_input_options *options,
                                            struct ls_error *err);
/* What the inputs, which were read, say: how many sources there are, and their names. The source
 * gets the form of rows. LS_EINVAL: two have one name. */
LS_CHECKED enum ls_status ls_run_words_read(struct ls_run_words *words,
                                            const struct ls_input_options *options,
                                            struct ls_task_source *source, struct ls_error *err);
void ls_run_words_close(struct ls_run_words *words);

#endif
