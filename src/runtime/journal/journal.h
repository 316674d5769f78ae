/* journal.h: what happened, in a SQLite file (WAL), so that nothing acknowledged is ever lost.
 *
 * Events with the decisions that they caused, chunks, results, attempts, pending outputs, sessions;
 * rows are ranges of units.  Appends are grouped: ls_journal_commit makes all of them durable
 * (against kill -9; with `is_synced` also against the machine). Only one master at a time: a lock
 * is held from open to close.  The file is readable by its owner only.
 */
#ifndef LS_RUNTIME_JOURNAL_JOURNAL_H
#define LS_RUNTIME_JOURNAL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "coordinator/action.h"
#include "coordinator/event.h"
#include "model/usage.h"

enum ls_journal_mode {
  LS_JOURNAL_NEW, /* the file must not exist, or hold a run that is of the same job and has settled
                     nothing */
  LS_JOURNAL_RESUME,        /* go on; a file that does not exist starts a new run */
  LS_JOURNAL_RESUME_FAILED, /* go on, and repeat what failed, with the iterations after it;
                               refused when it is a part of the last checkpoint */
  LS_JOURNAL_READ /* for reports; takes no lock, changes nothing, may read beside a live master */
};

/* What the run is: a journal of another job is refused (LS_EMISMATCH names what differs). */
struct ls_journal_job {
  const char *application; /* "run", "fibonacci" */
  const char *command;     /* the command in words, for people and for comparison */
  const char *directory;
  uint64_t input_digest; /* of what the results depend on beside the command; 64-bit FNV-1a */
  uint64_t units;        /* of iteration 0 */
  /* The journal keeps the inputs: whoever opens it compares them, not these two. */
  bool has_inputs;
  const char *policy;  /* for reports; may differ on resume, as all that follows */
  const char *listens; /* for whom, in words; NULL: for nobody but local workers */
  uint64_t seed;
  size_t workers;
};

/* A settled range as recorded: what the joblog, the reports and a restart need.
 *
 * When appended, every time and chunk number is the session's, as in the events (0: its start); the
 * journal adds what earlier sessions lasted and used, so that they are the run's when read:
 * sessions follow each other.  `worker` is the run's number always: the master adds
 * summary.next_worker. */
struct ls_journal_result {
  uint32_t iteration;
  struct ls_range units;
  enum ls_outcome outcome;        /* final; of an attempt: FAILED or LOST */
  bool is_settled;                /* when read: no attempt */
  uint64_t event;                 /* when read: that told it, in the order of all events */
  uint32_t worker, slot, attempt; /* worker LS_WORKER_NONE: none */
  uint64_t chunk;
  bool has_timed_out;
  int exit_code, signal;
  struct ls_usage usage; /* of a command; else not known */
  double start_s, seconds;
  double compute_s;
  /* To stage the input, beside computing (0: nothing was staged); from the beginning of that to the
   * beginning of computing; of staging, while nothing was computed. */
  double stage_s, lead_s, exposed_s;
  uint64_t output_bytes, error_bytes;
};

struct ls_journal_worker {
  uint32_t worker, slot;
  const char *name;        /* borrowed */
  double joined_s, left_s; /* as above; left_s NAN: stayed (appended again once it has left) */
  double away_s;           /* nobody was in its slot between two workers, or one was and was away */
  double price_per_s;
  const char *labels; /* borrowed; "": none */
};

/* Advice that was followed: what is in use since. Texts are borrowed. */
struct ls_journal_advice {
  double time_s; /* as above */
  const char *policy;
  uint64_t prefetch, workers;
  const char *reason; /* in words; "": none */
};

/* A SEND as recorded, for reports; numbers of the run. */
struct ls_journal_decision {
  uint32_t worker;
  uint64_t chunk, units;
  uint64_t event; /* that caused it */
  double time_s;  /* when that was heard; NAN where it was not asked for */
};

/* An output of one unit (of a range: of its first unit). Borrowed. */
struct ls_journal_blob {
  uint32_t iteration;
  uint64_t unit;
  int stream;       /* 1: output, 2: error output */
  const void *data; /* `length` bytes, or NULL when they are in the file */
  size_t length;
  int file; /* -1: none; else all bytes are there: read with pread from 0 to its end */
};

struct ls_journal;

/* What to open, and how. */
struct ls_journal_request {
  const char *path;
  enum ls_journal_mode mode;
  const struct ls_journal_job *job; /* NULL only to read */
  bool is_synced;
  /* For a master that keeps inputs in the journal: appends them, or compares them with those that
   * it finds, and may append more. What it appends is committed with the session; a failure leaves
   * the journal as it was. May be NULL. */
  enum ls_status (*inputs)(void *context, struct ls_journal *journal, struct ls_error *err);
  void *context;
};

/* LS_EBUSY: another master holds it; LS_EMISMATCH: it is of another job; LS_EINVAL: it
 * cannot be opened, is no journal, of a newer version, or to be resumed; LS_ECORRUPT: damaged;
 * LS_EIO. Each names the file. Opening for a master records and commits a session. */
LS_CHECKED enum ls_status ls_journal_open(const struct ls_journal_request *request,
                                          struct ls_journal **out, struct ls_error *err);
void ls_journal_close(
    struct ls_journal *journal); /* NULL is fine; what was not committed is gone */
/* Is it of this job? LS_EMISMATCH names what differs. Opening for a master asks this, too. */
LS_CHECKED enum ls_status ls_journal_compare(struct ls_journal *journal,
                                             const struct ls_journal_job *job,
                                             struct ls_error *err);
/* The name of the file, for messages. Borrowed. */
const char *ls_journal_path(const struct ls_journal *journal);

/* Appending (a transaction opens by itself). Errors (full disk, ...) are sticky and come out of
 * commit with the file's name.  Events and decisions carry the session's own numbers and times.
 * A heartbeat is held back until something is decided from it (TIMER, LOST, STOP, a SEND); then it
 * is recorded at its own place, so a replay decides the same. */
void ls_journal_event(struct ls_journal *journal, const struct ls_event *event);
/* A SEND that the last event caused, at its time. */
void ls_journal_decision(struct ls_journal *journal, const struct ls_actions *actions,
                         const struct ls_action *send);
void ls_journal_result(struct ls_journal *journal, const struct ls_journal_result *result);
/* An attempt that did not settle the unit: failed to be retried, or lost with its worker. */
void ls_journal_attempt(struct ls_journal *journal, const struct ls_journal_result *attempt);
/* Why a unit failed, in a line (of a range: its first unit); the latest is kept. */
void ls_journal_reason(struct ls_journal *journal, uint32_t iteration, uint64_t unit,
                       const char *reason);
void ls_journal_worker(struct ls_journal *journal, const struct ls_journal_worker *worker);
/* Output not yet delivered: kept until ls_journal_delivered; with `is_synced` the commit that
 * forgets it waits until standard output and error output are on disk. `file` >= 0: the bytes are
 * there (read with pread from 0). More than 1 MiB goes to a file in the folder PATH.outputs. */
void ls_journal_output(struct ls_journal *journal, const struct ls_journal_blob *blob);
void ls_journal_delivered(struct ls_journal *journal, uint32_t iteration, struct ls_range units);
/* Iteration `iteration` has so many units. */
void ls_journal_iteration(struct ls_journal *journal, uint32_t iteration, uint64_t units);
/* The application's state before iteration `iteration` is opened, in place of an earlier one. The
 * outputs of the iterations before it are forgotten. */
void ls_journal_checkpoint(struct ls_journal *journal, uint32_t iteration,
                           const struct ls_bytes *bytes);
/* The words that the run was begun with. */
enum ls_journal_word {
  LS_JOURNAL_OPTION,  /* "--name" or "--name=value" */
  LS_JOURNAL_COMMAND, /* the command without its inputs, or the application's words */
  LS_JOURNAL_FORM     /* one word: what makes tasks of the inputs, as options */
};
/* In place of earlier ones of this kind. */
void ls_journal_words(struct ls_journal *journal, enum ls_journal_word kind,
                      const char *const *words, size_t count);
/* Some consecutive values of an input source, each followed by a zero byte. Borrowed. */
struct ls_journal_inputs {
  uint32_t source; /* 0, 1, ... */
  bool is_linked;  /* to the source before it */
  uint64_t first;  /* its values before these; below 2^40 */
  uint64_t count;  /* 0: an empty source */
  const char *text;
  size_t length;
};
/* Appends values to a source; some thousands at a time take the least room. They may replace a row
 * without any. */
void ls_journal_inputs(struct ls_journal *journal, const struct ls_journal_inputs *inputs);
void ls_journal_forget_inputs(struct ls_journal *journal);
/* The job has so many units: inputs were appended. `is_open`: more of them may come. */
void ls_journal_units(struct ls_journal *journal, uint64_t units, bool is_open);
void ls_journal_advice(struct ls_journal *journal, const struct ls_journal_advice *advice);
/* The session's end: "finished", "stopped", ..., and when. */
void ls_journal_end(struct ls_journal *journal, const char *state, double now_s);
LS_CHECKED enum ls_status ls_journal_commit(struct ls_journal *journal, struct ls_error *err);

/* Reading. Callbacks that return a status other than LS_OK stop the walk, which returns it. */
typedef enum ls_status (*ls_journal_result_fn)(void *context,
                                               const struct ls_journal_result *result);
LS_CHECKED enum ls_status ls_journal_each_result(struct ls_journal *journal,
                                                 ls_journal_result_fn visit, void *context,
                                                 struct ls_error *err);
/* Results and attempts behind row `*row` (0: all), in order; `*row` is the last one then. */
LS_CHECKED enum ls_status ls_journal_each_end(struct ls_journal *journal, uint64_t *row,
                                              ls_journal_result_fn visit, void *context,
                                              struct ls_error *err);
LS_CHECKED enum ls_status ls_journal_each_attempt(struct ls_journal *journal,
                                                  ls_journal_result_fn visit, void *context,
                                                  struct ls_error *err);
typedef enum ls_status (*ls_journal_worker_fn)(void *context,
                                               const struct ls_journal_worker *worker);
LS_CHECKED enum ls_status ls_journal_each_worker(struct ls_journal *journal,
                                                 ls_journal_worker_fn visit, void *context,
                                                 struct ls_error *err);
typedef enum ls_status (*ls_journal_output_fn)(void *context, const struct ls_journal_blob *blob);
LS_CHECKED enum ls_status ls_journal_each_pending(struct ls_journal *journal,
                                                  ls_journal_output_fn visit, void *context,
                                                  struct ls_error *err);
/* Is any output recorded and not delivered? */
LS_CHECKED enum ls_status ls_journal_has_pending(struct ls_journal *journal, bool *has_pending,
                                                 struct ls_error *err);
/* Appends the recorded output of one unit to `out`; nothing when there is none. May be called
 * inside a visit. */
LS_CHECKED enum ls_status ls_journal_read_output(struct ls_journal *journal,
                                                 const struct ls_journal_blob *which,
                                                 struct ls_bytes *out, struct ls_error *err);
/* Appends why the unit failed; nothing when that is not known. May be called inside a visit. */
LS_CHECKED enum ls_status ls_journal_read_reason(struct ls_journal *journal, uint32_t iteration,
                                                 uint64_t unit, struct ls_bytes *out,
                                                 struct ls_error *err);
typedef enum ls_status (*ls_journal_decision_fn)(void *context,
                                                 const struct ls_journal_decision *decision);
/* Those behind row `*row` (0: all), which is the last one then; one for each chunk, but the first
 * may go on with the last one of an earlier walk. */
LS_CHECKED enum ls_status ls_journal_each_decision(struct ls_journal *journal, uint64_t *row,
                                                   ls_journal_decision_fn visit, void *context,
                                                   struct ls_error *err);
/* The same of all, with their times, which have to be looked up. */
LS_CHECKED enum ls_status ls_journal_each_timed_decision(struct ls_journal *journal,
                                                         ls_journal_decision_fn visit,
                                                         void *context, struct ls_error *err);
/* A number for the sessions that it holds: another one when a session was begun. */
LS_CHECKED enum ls_status ls_journal_identity(struct ls_journal *journal, uint64_t *identity,
                                              struct ls_error *err);
LS_CHECKED enum ls_status ls_journal_read_iteration(struct ls_journal *journal, uint32_t iteration,
                                                    uint64_t *units, bool *is_there,
                                                    struct ls_error *err);
/* The last checkpoint, appended to `bytes`; iteration 0: there is none. */
LS_CHECKED enum ls_status ls_journal_read_checkpoint(struct ls_journal *journal,
                                                     uint32_t *iteration, struct ls_bytes *bytes,
                                                     struct ls_error *err);
/* Appends the words to `words`, each followed by a zero byte; none: 0. */
LS_CHECKED enum ls_status ls_journal_read_words(struct ls_journal *journal,
                                                enum ls_journal_word kind, struct ls_bytes *words,
                                                size_t *count, struct ls_error *err);
/* How many sources of inputs it has, how many values the last of them, and whether more may have
 * come when they were appended. */
struct ls_journal_inputs_known {
  size_t sources;
  uint64_t values;
  bool is_open;
};
LS_CHECKED enum ls_status ls_journal_inputs_known(struct ls_journal *journal,
                                                  struct ls_journal_inputs_known *known,
                                                  struct ls_error *err);
/* All inputs, source by source, in the order of their values. */
typedef enum ls_status (*ls_journal_inputs_fn)(void *context,
                                               const struct ls_journal_inputs *inputs);
LS_CHECKED enum ls_status ls_journal_each_inputs(struct ls_journal *journal,
                                                 ls_journal_inputs_fn visit, void *context,
                                                 struct ls_error *err);
/* The rows of the first source that hold any of these values, in order. */
LS_CHECKED enum ls_status ls_journal_each_inputs_of(struct ls_journal *journal,
                                                    struct ls_range values,
                                                    ls_journal_inputs_fn visit, void *context,
                                                    struct ls_error *err);
typedef enum ls_status (*ls_journal_advice_fn)(void *context,
                                               const struct ls_journal_advice *advice);
LS_CHECKED enum ls_status ls_journal_each_advice(struct ls_journal *journal,
                                                 ls_journal_advice_fn visit, void *context,
                                                 struct ls_error *err);
/* Events and decisions of one session (0: the first) in order; for replays. `sends`: the SEND
 * decisions that the event caused. */
typedef enum ls_status (*ls_journal_event_fn)(void *context, const struct ls_event *event,
                                              const struct ls_actions *sends);
LS_CHECKED enum ls_status ls_journal_each_event(struct ls_journal *journal, uint32_t session,
                                                ls_journal_event_fn visit, void *context,
                                                struct ls_error *err);

/* The start of a master, as recorded. */
struct ls_journal_start {
  uint64_t first_event;
  uint32_t first_worker;
  const char *policy; /* borrowed */
};
/* The sessions in their order: 0, 1, ... */
typedef enum ls_status (*ls_journal_session_fn)(void *context,
                                                const struct ls_journal_start *start);
LS_CHECKED enum ls_status ls_journal_each_session(struct ls_journal *journal,
                                                  ls_journal_session_fn visit, void *context,
                                                  struct ls_error *err);

struct ls_journal_summary {
  struct ls_journal_job job; /* texts borrowed from the journal */
  uint32_t sessions;
  uint32_t iteration; /* the last with a result */
  uint32_t opened;    /* the last that was opened or has a checkpoint; 0 for commands */
  double elapsed_s;   /* of all sessions, end to end */
  uint64_t chunks;
  uint32_t next_worker; /* numbers below were used */
  /* For a master: settled units that are to be repeated, since the files of their outputs are
   * missing or short (after a power cut, without is_synced). */
  uint64_t units_repeated;
  /* Likewise: settled rows that are not as they were written. */
  uint64_t rows_repeated;
  bool has_lost_log;     /* for a master: what a killed one had not put into the file is gone */
  unsigned char run[16]; /* made with the journal, by chance: who comes back to this run knows it */
  char host[64], started[32]; /* of the last session */
  char state[24]; /* of the last session: "running", "died" (killed), "finished", "stopped" */
};
LS_CHECKED enum ls_status ls_journal_summary(struct ls_journal *journal,
                                             struct ls_journal_summary *summary,
                                             struct ls_error *err);

#endif
