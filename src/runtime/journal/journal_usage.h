/* journal_usage.h: what the commands of a run used of their machines, summed up from its journal.
 */
#ifndef LS_RUNTIME_JOURNAL_JOURNAL_USAGE_H
#define LS_RUNTIME_JOURNAL_JOURNAL_USAGE_H

#include <stdint.h>

#include "base/status.h"
#include "model/usage.h"
#include "runtime/journal/journal.h"

struct ls_journal_usage {
  uint64_t known;      /* ends of commands of which it is known; failed attempts count, too */
  struct ls_usage sum; /* seconds of all of them, the peak of the largest */
  uint64_t unit;       /* the first unit of the one with that peak */
};

/* LS_ECORRUPT: seconds or bytes that no process uses. */
LS_CHECKED enum ls_status ls_journal_read_usage(struct ls_journal *journal,
                                                struct ls_journal_usage *usage,
                                                struct ls_error *err);

#endif
