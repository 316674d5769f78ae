/* journal_private.h: what the files of the journal share.
 *
 * journal.c opens, closes and commits, journal_event.c and journal_result.c append,
 * journal_statement.c prepares and runs statements and says what failed, journal_schema.c makes and
 * checks tables and job, journal_session.c sessions, journal_reopen.c undoes results,
 * journal_file.c creates, locks and names the file, journal_read.c walks, journal_walk.c walks over
 * events, journal_output.c keeps the pending outputs.  The schema is documented in docs/journal.md.
 */
#ifndef LS_RUNTIME_JOURNAL_JOURNAL_PRIVATE_H
#define LS_RUNTIME_JOURNAL_JOURNAL_PRIVATE_H

#include <sqlite3.h>

#include "runtime/journal/journal.h"

enum {
  LS_JOURNAL_APPLICATION_ID = 0x4c535452, /* "LSTR" */
  LS_JOURNAL_VERSION = 15,
  LS_JOURNAL_LEAST = 14,          /* older ones are refused */
  LS_JOURNAL_WITH_BEGIN = 15,     /* sessions say to the millisecond when they began */
  LS_JOURNAL_INLINE_MAX = 1 << 20 /* bytes of an output that is kept in the database */
};

/* When a row of `sent` was decided, in seconds of the run. */
#define LS_JOURNAL_SENT_TIME                                                                     \
  "coalesce((SELECT now_s FROM heard WHERE heard.id = event), (SELECT heard_s FROM ended WHERE " \
  "ended.id = event)) + (SELECT offset_s FROM sessions WHERE first_event <= event ORDER BY "     \
  "first_event DESC, session DESC LIMIT 1)"

enum ls_journal_statement {
  LS_JOURNAL_BEGIN,
  LS_JOURNAL_COMMIT,
  LS_JOURNAL_ADD_EVENT,
  LS_JOURNAL_ADD_DECISION,
  LS_JOURNAL_ADD_ENDED,
  LS_JOURNAL_ADD_JOINED,
  LS_JOURNAL_ADD_LEFT,
  LS_JOURNAL_ADD_WORKER,
  LS_JOURNAL_ADD_OUTPUT,
  LS_JOURNAL_FIND_OUTPUT,
  LS_JOURNAL_DROP_OUTPUT,
  LS_JOURNAL_ADD_ITERATION,
  LS_JOURNAL_ADD_CHECKPOINT,
  LS_JOURNAL_DROP_CHECKPOINT,
  LS_JOURNAL_FIND_OLD_OUTPUT,
  LS_JOURNAL_DROP_OLD_OUTPUT,
  LS_JOURNAL_ADD_WORD,
  LS_JOURNAL_DROP_WORDS,
  LS_JOURNAL_ADD_INPUTS,
  LS_JOURNAL_DROP_INPUTS,
  LS_JOURNAL_SET_UNITS,
  LS_JOURNAL_ADD_REASON,
  LS_JOURNAL_ADD_ADVICE,
  LS_JOURNAL_ADD_END,
  LS_JOURNAL_STATEMENT_COUNT
};

/* The last heartbeat of a worker that is not recorded yet; id 0: none. */
struct ls_journal_held {
  uint64_t id;
  double now_s;
};

/* A row of the table of sessions, as far as the journal computes with it. */
struct ls_journal_session {
  uint32_t number;
  uint64_t first_event, first_decision, first_chunk;
  uint32_t first_worker;
  double offset_s; /* what earlier sessions lasted */
};

enum { LS_JOURNAL_RUN_BYTES = 16 };

struct ls_journal {
  char *path;  /* as the user names it */
  char *place; /* without symbolic links: what lies beside the journal has this name, too */
  sqlite3 *database;
  /* Holds the master's lock. Closed after the database, since closing any descriptor of a file
   * drops the POSIX locks of the process on it; -1: a reader. */
  int lock_file;
  int64_t version;         /* of what is there; a master brings it to the present one */
  bool is_synced, is_open; /* is_open: a transaction is */
  struct ls_error failure; /* sticky */
  sqlite3_stmt *statements[LS_JOURNAL_STATEMENT_COUNT];
  /* A reader has these, too; NULL: not prepared yet. */
  sqlite3_stmt *read_output, *read_reason;
  struct ls_journal_session session; /* of this master */
  uint64_t next_event, last_event;   /* numbers of rows */
  uint32_t row_worker, row_slot;     /* whose row was written last; LS_WORKER_NONE: nobody's */
  uint32_t last_worker;              /* of the last event, when that is a held heartbeat */
  struct ls_journal_held *held;      /* by worker */
  size_t held_count, held_capacity;
  uint64_t pending_id;     /* of a RESULT that is not written yet; 0: none */
  struct ls_event pending; /* its times are ours */
  double *pending_times;
  size_t pending_capacity;
  bool is_held;           /* of a reader: by a master, when it was opened */
  bool has_lost_log;      /* its master was killed, and what it had not put into the file is gone */
  double look_s;          /* the file is looked for again */
  bool has_delivered;     /* in the open transaction */
  uint64_t rows_repeated; /* of settled units, which were not as they had been written */
  uint64_t units_repeated; /* their outputs were not there when it was opened */
  struct ls_bytes doomed;  /* names of output files to remove after the commit, each with a zero */
  struct ls_bytes texts;   /* of the summary */
};

/* journal_statement.c */
/* Maps a code of SQLite to a status and a text "PATH: DOING: why". */
enum ls_status ls_journal_refuse(struct ls_journal *journal, int code, const char *doing,
                                 struct ls_error *err);
LS_CHECKED enum ls_status ls_journal_execute(struct ls_journal *journal, const char *sql,
                                             struct ls_error *err);
LS_CHECKED enum ls_status ls_journal_prepare(struct ls_journal *journal, const char *sql,
                                             sqlite3_stmt **out, struct ls_error *err);
/* One whole number; NULL and no row count as 0. */
LS_CHECKED enum ls_status ls_journal_number(struct ls_journal *journal, const char *sql,
                                            int64_t *number, struct ls_error *err);

/* The prepared statement with a transaction open, or NULL after a (sticky) failure. */
sqlite3_stmt *ls_journal_statement(struct ls_journal *journal, enum ls_journal_statement which);
/* Runs a statement that returns no row, and makes it ready for the next use. */
void ls_journal_run(struct ls_journal *journal, sqlite3_stmt *statement);
/* Stores the failure unless one is stored, and undoes what is not committed. */
void ls_journal_stick(struct ls_journal *journal, const struct ls_error *failure);

/* A whole number; a worker's number, or NULL for nobody. */
void ls_journal_bind(sqlite3_stmt *statement, int place, uint64_t value);
void ls_journal_bind_worker(sqlite3_stmt *statement, int place, uint32_t worker);
void ls_journal_bind_text(sqlite3_stmt *statement, int place, const char *text); /* NULL: "" */
/* Runs a statement that returns no row, and releases it. */
LS_CHECKED enum ls_status ls_journal_finish(struct ls_journal *journal, sqlite3_stmt *statement,
                                            struct ls_error *err);

/* journal_side.c */
/* A table that is made when it is needed: make_sql makes it unless it is there, find_sql counts it,
 * add_sql adds an item as `bind` gives it, and read_sql lists its rows. */
struct ls_journal_side {
  const char *make_sql, *find_sql, *add_sql, *read_sql;
  void (*bind)(const struct ls_journal *journal, const void *item, sqlite3_stmt *row);
};
typedef enum ls_status (*ls_journal_row_fn)(struct ls_journal *journal, sqlite3_stmt *row,
                                            void *context, struct ls_error *err);
/* A failure sticks to the journal. */
void ls_journal_side_add(struct ls_journal *journal, const struct ls_journal_side *side,
                         const void *item);
/* No table: no rows. */
LS_CHECKED enum ls_status ls_journal_side_each(struct ls_journal *journal,
                                               const struct ls_journal_side *side,
                                               ls_journal_row_fn visit, void *context,
                                               struct ls_error *err);

/* journal_event.c: writes the RESULT that has not become a result. */
void ls_journal_flush_event(struct ls_journal *journal);

/* journal_sum.c */
/* The columns of a row of `ended`, `settled` being that. */
#define LS_JOURNAL_ENDED(settled)                                                            \
  "id, heard_s, " settled                                                                    \
  ", iteration, first, units, outcome, worker, slot, attempt, chunk, timed_out, exit_code, " \
  "signal, start_s, seconds, compute_s, output_bytes, error_bytes, count, squares, latest, " \
  "stage_s, lead_s, exposed_s, user_s, system_s, peak_bytes"
/* The SQL function ls_sum of the values of a row. */
LS_CHECKED enum ls_status ls_journal_sum_add(struct ls_journal *journal, struct ls_error *err);
/* LS_ECORRUPT: rows without which nobody knows what the run is are not as they were written. */
LS_CHECKED enum ls_status ls_journal_sum_check(struct ls_journal *journal, struct ls_error *err);
/* Settled units whose rows are not as they were written are to be repeated. */
LS_CHECKED enum ls_status ls_journal_sum_repeat(struct ls_journal *journal, struct ls_error *err);

/* journal_file.c */
LS_CHECKED enum ls_status ls_journal_file_lock(const char *path, int *file, bool *is_created,
                                               bool *is_taken, struct ls_error *err);
/* Does a master hold it? Before the database is opened: closing a descriptor of the file drops the
 * locks of the process on it. */
bool ls_journal_file_is_held(const char *path);
LS_CHECKED enum ls_status ls_journal_file_check(const char *path, struct ls_error *err);
/* Makes the entry of a file in its folder survive the machine's death. */
LS_CHECKED enum ls_status ls_journal_file_sync_folder(const char *path, struct ls_error *err);
/* Is what the journal is written to still the file of its name?  LS_EIO: somebody has removed or
 * renamed it; what was committed is put into it as a whole. */
LS_CHECKED enum ls_status ls_journal_file_look(struct ls_journal *journal, struct ls_error *err);
/* Is there something beside the file that belongs into it? */
bool ls_journal_file_has_log(const struct ls_journal *journal);
/* Whose file is it, without what lies beside it? false: it does not say so. */
bool ls_journal_file_run(const struct ls_journal *journal, unsigned char run[LS_JOURNAL_RUN_BYTES]);
/* Opens the database as its master, or to read. */
LS_CHECKED enum ls_status ls_journal_file_open(struct ls_journal *journal, bool is_reader,
                                               struct ls_error *err);

/* journal_schema.c */
LS_CHECKED enum ls_status ls_journal_identify(struct ls_journal *journal, bool *is_fresh,
                                              struct ls_error *err);
/* Creates or checks, then opens a session and commits it. */
LS_CHECKED enum ls_status ls_journal_start(struct ls_journal *journal,
                                           const struct ls_journal_request *request, bool is_fresh,
                                           struct ls_error *err);

/* journal_session.c */
/* Records a session and makes it that of this master. */
LS_CHECKED enum ls_status ls_journal_begin_session(struct ls_journal *journal,
                                                   const struct ls_journal_job *job,
                                                   struct ls_error *err);
/* The session with this number; LS_EINVAL: there is none. */
LS_CHECKED enum ls_status ls_journal_session(struct ls_journal *journal, uint32_t number,
                                             struct ls_journal_session *session,
                                             struct ls_error *err);
/* When the last session ended, as far as its records tell, since the beginning of the first. */
LS_CHECKED enum ls_status ls_journal_elapsed(struct ls_journal *journal, double *elapsed_s,
                                             struct ls_error *err);

/* journal_reopen.c */
/* The settled rows r of `ended` that fulfil the condition `which` (SQL) are to be repeated: they
 * become attempts (lost ones, but for those that failed), their outputs are dropped, and the
 * iterations behind them are forgotten. */
LS_CHECKED enum ls_status ls_journal_reopen(struct ls_journal *journal, const char *which,
                                            struct ls_error *err);
/* What failed in the first iteration with a failure, and all that came of it; behind the last
 * checkpoint. LS_EINVAL: all failures are in the checkpoint. */
LS_CHECKED enum ls_status ls_journal_reopen_failed(struct ls_journal *journal,
                                                   struct ls_error *err);

/* journal_output.c */
/* The files that a statement names go after the commit. */
void ls_journal_doom(struct ls_journal *journal, sqlite3_stmt *find);
/* Reopens the results whose outputs are not as they were written, and counts their units. */
LS_CHECKED enum ls_status ls_journal_outputs_check(struct ls_journal *journal,
                                                   struct ls_error *err);
void ls_journal_outputs_sweep(struct ls_journal *journal);  /* removes files without a row */
void ls_journal_outputs_forget(struct ls_journal *journal); /* removes the doomed files */
void ls_journal_outputs_close(struct ls_journal *journal);  /* removes the folder when empty */

#endif
