/* journal_files.h: the files that workers got, in the journal, in a table that is made when it is
 * needed. */
#ifndef LS_RUNTIME_JOURNAL_JOURNAL_FILES_H
#define LS_RUNTIME_JOURNAL_JOURNAL_FILES_H

#include "protocol/staging.h"
#include "runtime/journal/journal.h"

/* A content that a worker has got. */
struct ls_file_sent {
  unsigned char name[LS_CONTENT_BYTES];
  uint64_t bytes;
  double seconds; /* from the first question to the last piece */
};

/* A file as the run names it, which a worker (its number in the run) has got; committed with what
 * is appended next. */
void ls_journal_file(struct ls_journal *journal, uint32_t worker, const char *path,
                     const struct ls_file_sent *sent);

#endif
