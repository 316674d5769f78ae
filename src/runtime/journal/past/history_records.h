/* history_records.h: what a history is made of, read from a journal row by row, and kept beside it.
 *
 * Rows of a journal are only appended while a session goes on, so who has read them once need not
 * do so again: the records are kept in a file of the reader's own, and reading goes on behind them.
 * A new session may change earlier rows; then all is read anew.
 */
#ifndef LS_RUNTIME_JOURNAL_PAST_HISTORY_RECORDS_H
#define LS_RUNTIME_JOURNAL_PAST_HISTORY_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/journal/journal.h"

/* Work that has ended; times as recorded. */
struct ls_history_span {
  double start_s, seconds;
  /* Of staging, from so long before its computing began; 0: there was none; while nothing was
   * computed. */
  double stage_s, stage_before_s, exposed_s;
  uint64_t chunk, units;
  uint32_t worker;
  uint32_t outcome; /* enum ls_outcome */
  /* As in struct ls_span. */
  uint64_t task;
  uint32_t peak_kib;
  uint16_t attempt;
  int16_t exit_code;
};

struct ls_history_decision {
  uint64_t chunk, units;
  uint64_t worker;
};

/* Starts as {0}; owned arrays. */
struct ls_history_records {
  uint64_t identity;    /* of the sessions that were read */
  uint64_t ended, sent; /* the last rows that were read */
  uint64_t units_done, units_failed, units_given_up, units_failed_once, units_lost;
  struct ls_history_span *spans;
  size_t spans_count, spans_capacity;
  struct ls_history_decision *decisions; /* one per chunk */
  size_t decisions_count, decisions_capacity;
  struct ls_journal_result *failures; /* final ones, the first `failures_most` ranges */
  size_t failures_count, failures_capacity;
};

enum { LS_HISTORY_FAILURES_MAX = 1000 /* so many failures are kept one by one */ };

/* Reads the rows behind those that were read, or all, if they are of other sessions. */
LS_CHECKED enum ls_status ls_history_records_read(struct ls_history_records *records,
                                                  struct ls_journal *journal, struct ls_error *err);
/* From and to a file, readable by its owner only.  A file that cannot be read, or is damaged or of
 * another program, leaves the records empty; one that cannot be written is not there. */
void ls_history_records_load(struct ls_history_records *records, const char *path);
void ls_history_records_save(const struct ls_history_records *records, const char *path);
void ls_history_records_forget_spans(struct ls_history_records *records);
void ls_history_records_close(struct ls_history_records *records);

#endif
