/* grammar.h: how replacement strings look in this run, and what is one.
 *
 * {} and its kin are the default; options give them other spellings (-I), add more (--plus, --rpl),
 * put other brackets around substitutions (--parens), and --header names sources and columns.
 */
#ifndef LS_CLI_RUN_GRAMMAR_H
#define LS_CLI_RUN_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "cli/run/change.h"
#include "cli/run/replacement_rule.h"

enum ls_replacement {
  LS_REPLACE_NOTHING, /* literal text */
  LS_REPLACE_VALUE,   /* changed, if the segment says so */
  LS_REPLACE_SEQUENCE,
  LS_REPLACE_SEQUENCE_PADDED,
  LS_REPLACE_SLOT,
  LS_REPLACE_SLOT_PADDED,
  LS_REPLACE_TASKS,  /* how many there are */
  LS_REPLACE_CHOICE, /* {choose_k}: all values */
  LS_REPLACE_UNLIKE  /* {uniq}: all values */
};

/* Which values of a task. {0}: all of them. */
struct ls_value_place {
  size_t source; /* 1 ...: the column is one of this source; 0: they count on through all */
  size_t column; /* 1 ...; 0: all */
  bool is_from_end;
};

/* What --header calls a column. */
struct ls_value_name {
  const char *text;
  struct ls_value_place place;
  size_t value; /* among all values of a task, from 0; SIZE_MAX: that differs from row to row */
};

/* The strings that have options of their own. */
enum ls_spelling {
  LS_SPELLING_VALUE,     /* -I */
  LS_SPELLING_STEM,      /* --er */
  LS_SPELLING_BASE,      /* --bnr */
  LS_SPELLING_DIRECTORY, /* --dnr */
  LS_SPELLING_BASE_STEM, /* --bner */
  LS_SPELLING_SEQUENCE,  /* --seqreplace */
  LS_SPELLING_SLOT,      /* --slotreplace */
  LS_SPELLINGS
};

/* Borrowed, all of it. {.sources_count}: what GNU parallel has without options. */
struct ls_grammar {
  bool has_plus;
  const char *spellings[LS_SPELLINGS]; /* NULL: the usual one */
  const char *parens;                  /* NULL: {==} */
  const struct ls_rule *rules;         /* --rpl */
  size_t rules_count;
  const struct ls_value_name *names;
  size_t names_count;
  size_t sources_count;
  bool has_columns; /* tasks may have more values than that, and may lack some */
};

/* A replacement string that was found. */
struct ls_found_replacement {
  size_t length; /* 0: none begins here */
  enum ls_replacement kind;
  struct ls_value_place place;
  struct ls_change change; /* owned by whoever asked */
};

/* What begins at `text`. LS_EINVAL: it looks like a replacement string of GNU parallel and is
 * none of this run; it names a source that is not there; its expression is wrong. */
LS_CHECKED enum ls_status ls_grammar_find(const struct ls_grammar *grammar, const char *text,
                                          struct ls_found_replacement *found, struct ls_error *err);
/* Behind a search that found nothing at `text`: LS_EINVAL where that looks like the name of a
 * column, {size}, and columns have names, but none this one. */
LS_CHECKED enum ls_status ls_grammar_check_name(const struct ls_grammar *grammar, const char *text,
                                                struct ls_error *err);
/* Of words that stay words: LS_EINVAL where brackets that one opens end in a later one, as
 * {= s/a/b/ =} without quotes does. */
LS_CHECKED enum ls_status ls_grammar_check_words(const struct ls_grammar *grammar,
                                                 const char *const *words, size_t count,
                                                 struct ls_error *err);

#endif
