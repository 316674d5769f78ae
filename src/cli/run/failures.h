/* failures.h: the first few failures of a run by number, kept so that its end can say what went
 * wrong.
 *
 * Of each: which task, what it was given, how it ended, and the first line of what it wrote on its
 * standard error (of a computing application: the reason that it gave).  Memory is bounded whatever
 * fails: all further ones are only counted.
 */
#ifndef LS_CLI_FAILURES_H
#define LS_CLI_FAILURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "cli/failure_end.h"
#include "runtime/application.h"
#include "runtime/master/reason.h"

enum { LS_FAILURES_SHOWN = 5 };

struct ls_failure {
  uint32_t iteration;
  uint64_t task;  /* counted from 1, as in the job log */
  uint64_t tasks; /* that failed together, with numbers from there on */
  struct ls_failure_end end;
  char *input;                  /* owned; NULL: it has none */
  char reason[LS_REASON_BYTES]; /* any bytes, cut; "": nothing is known */
};

struct ls_failures {
  struct ls_failure first[LS_FAILURES_SHOWN];
  size_t count;   /* entries of `first` */
  uint64_t tasks; /* that failed in all */
};

/* Starts as {0}. Keeps or counts a final result, unless it is good. Returns the entry that was made
 * for it, so that the caller can name the input (a copy that failures own); NULL: none was.  The
 * entry stands until the next one is noted. */
struct ls_failure *ls_failures_note(struct ls_failures *failures,
                                    const struct ls_unit_result *result);
/* Lines for the summary of a run; nothing where nothing failed. `repeat`: a command line that
 * repeats what failed; NULL or "": there is none. */
void ls_failures_write(const struct ls_failures *failures, const char *repeat,
                       struct ls_bytes *out);
/* `, "failures": [...]`: always, empty where nothing failed. */
void ls_failures_write_json(const struct ls_failures *failures, struct ls_bytes *out);
void ls_failures_close(struct ls_failures *failures);

#endif
