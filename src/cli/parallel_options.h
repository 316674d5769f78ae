/* parallel_options.h: the options of GNU parallel, and which of ours each one is.
 *
 * One table: from it `loadstar parallel` parses, and makes its help and its completions.
 */
#ifndef LS_CLI_PARALLEL_OPTIONS_H
#define LS_CLI_PARALLEL_OPTIONS_H

#include <stddef.h>

enum ls_parallel_way {
  LS_PARALLEL_OURS,       /* the option of `loadstar run' that is named, with the same value */
  LS_PARALLEL_SYNONYM,    /* another name of the option before it */
  LS_PARALLEL_NOTHING,    /* taken, and without effect: what it asks for is so in any case */
  LS_PARALLEL_REFUSED,    /* not taken: `ours` says why, or what to use */
  LS_PARALLEL_TRIES,      /* --retries: tries in all */
  LS_PARALLEL_QUOTED,     /* -q: no shell */
  LS_PARALLEL_LATE_ORDER, /* --no-keep-order */
  LS_PARALLEL_SILENT,     /* undoes -v */
  LS_PARALLEL_LINES,      /* -l: 1 unless a number is given */
  LS_PARALLEL_INPUTS      /* -n: 0 as -N has it */
};

struct ls_parallel_option {
  const char *name;     /* the long one; NULL: a letter only */
  int letter;           /* 0: none */
  const char *argument; /* NULL: it takes none; "[X]": it may be left out */
  enum ls_parallel_way way;
  const char *ours; /* without dashes */
  const char *help; /* NULL: it is not shown */
};

/* A row whose name, letter and way say nothing is a heading, or the end, which has no help. */
extern const struct ls_parallel_option ls_parallel_options[];
extern const size_t ls_parallel_options_count; /* without the end */

#endif
