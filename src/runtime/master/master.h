/* master.h: the coordinator in real time.
 *
 * The loop: drain what arrived, append it to the journal, step, one commit, perform the actions. An
 * event is durable before its actions leave.
 */
#ifndef LS_RUNTIME_MASTER_MASTER_H
#define LS_RUNTIME_MASTER_MASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "coordinator/coordinator.h"
#include "model/efficiency.h"
#include "model/task_log.h"
#include "runtime/application.h"
#include "runtime/execute/command_manners.h"
#include "runtime/execute/settings.h"
#include "runtime/files/sandbox.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/past/course_rows.h"
#include "runtime/master/adviser.h"
#include "runtime/master/master_report.h"
#include "runtime/master/sending/file_sender.h"
#include "runtime/master/site.h"
#include "runtime/output/output_files.h"
#include "theory/load_pattern.h"

/* A worker that is there. */
struct ls_master_present {
  uint32_t slot;  /* of the coordinator */
  bool has_units; /* it runs one of them, */
  double since_s; /* since then at the earliest */
};

/* Units of one result that counts, as it came. */
struct ls_master_timed {
  uint32_t slot;
  uint64_t units;
  double seconds, now_s; /* of all of them together; when it came */
};

/* How the run stands, for those who watch it. */
struct ls_master_progress {
  double now_s;
  struct ls_coordinator_totals totals;
  struct ls_efficiency_sums efficiency; /* so far: busy over up */
  const char *explanation; /* why fewer workers are there than are wanted; "": all are */
  const struct ls_master_present *present; /* by slot; borrowed */
  size_t present_count;
};

enum { LS_MASTER_COURSE_MOST = 200000 };

enum ls_master_wish { LS_WISH_GO_ON, LS_WISH_STOP, LS_WISH_STOP_NOW };

struct ls_master_options {
  const struct ls_app *app;
  void *state;                 /* of the application, opened */
  const uint64_t *first_units; /* of iteration 0, if units has been asked already; else NULL */
  char *const *words;          /* of the application, for the workers; NULL-terminated */
  const char *directory;       /* for commands; NULL: the present one */
  bool makes_directory;        /* where it is missing */
  struct ls_coordinator_config config;
  /* Declared seconds by unit, for the orders and replications that want them; NULL: none. */
  const double *times;
  uint64_t times_count;
  const double *prices; /* of a second of the workers in the first slots; all others: 1 */
  size_t prices_count;
  /* Its workers, those of the first slots, tell the fixed costs of their chunks for the report's
   * account; all others: 0. May be NULL. */
  const struct ls_platform *platform;
  /* Over a network, so many inputs of chunks travel at a time; 0: as many as the links take without
   * slowing each other down, SIZE_MAX: no bound. */
  size_t inputs_at_once;
  uint64_t prefetch;
  bool computes_in_thread; /* workers, in place of a child of theirs */
  const double *speeds; /* of the workers in the first slots; all others know theirs. May be NULL */
  size_t speeds_count;
  /* A label that every worker must have; one without it is refused when it comes. NULL: none. */
  const char *needs;
  /* Those of the workers of the pools, by place (base/labels.h; NULL: none), in place of what they
   * say; all others say theirs. May be NULL. */
  const char *const *labels;
  size_t labels_count;
  const struct ls_load_pattern *load_pattern; /* that slows the workers; NULL: none */
  size_t stage_ahead;                         /* calls that a worker has staged and not begun */
  double timeout_s;                           /* of one unit; 0: none */
  double timeout_percent; /* of the median of the units that succeeded, in place of it; 0: none */
  const char *ending;     /* how commands are ended (ending.h); NULL: as ever */
  /* The words of a unit, for the list of what runs; borrowed; NULL: it has none. May be NULL. */
  const char *(*name_unit)(void *context, uint64_t unit);
  enum ls_showing showing; /* what is seen of commands before they end */
  /* What a running unit has written, for LS_SHOW_BEGINNINGS and LS_SHOW_LINES; a failure ends the
   * run. Not called for a unit that has a final result. May be NULL. */
  enum ls_status (*lines)(void *context, const struct ls_unit_lines *lines, struct ls_error *err);
  enum ls_sandboxing sandboxing;              /* of commands */
  const struct ls_command_manners *manners;   /* of commands; NULL: none */
  const struct ls_file_source *files;         /* their inputs; NULL: they have none */
  const struct ls_output_target *file_target; /* where their outputs go; NULL: they have none */
  uint64_t cache_bytes; /* that a machine may keep of them; 0: a share of its space */
  /* A worker has got a content. May be NULL. */
  void (*file_sent)(void *context, struct ls_journal *journal, uint32_t worker,
                    const struct ls_file_sent *sent);
  /* What an earlier run has measured: counts where the same was expected of its pools. */
  struct ls_master_past {
    double grant_s, grant_first_s, losses, up_s;
  } past;
  double heartbeat_s; /* 0: at least 1, and as pace.h derives it */
  const struct ls_site *site;
  const char *journal; /* path; NULL: none */
  enum ls_journal_mode journal_mode;
  struct ls_journal_job job;
  bool is_synced;
  const _Atomic int *interrupts; /* 1: stop handing out; 2: stop now. May be NULL */
  /* No worker at all, and none that a pool elsewhere has in its queue, for so long: LS_ENOWORKERS.
   */
  const _Atomic int *questions; /* when this rises, `warn` says what runs, and why there are not
                                   more workers. May be NULL */
  double workers_patience_s;
  /* With workers that do not answer that they have stopped; 0: 5 s longer than `ending`. */
  double stop_patience_s;
  /* Of a journal that keeps inputs (job.has_inputs), see ls_journal_request. May be NULL. */
  enum ls_status (*inputs)(void *context, struct ls_journal *journal, struct ls_error *err);
  /* Called once the journal is held, before the application hears of anything in it: a start that
   * the journal refuses has changed no other file. A failure ends the run. May be NULL. */
  enum ls_status (*begin)(void *context, struct ls_error *err);
  /* Gets what a journal would tell of the course of this session: the first LS_MASTER_COURSE_MOST
   * chunks that were sent, and so many results. NULL: not wanted. */
  struct ls_course_rows *course;
  /* Gets what the units took whose results count; slots are those of the coordinator. NULL: not
   * wanted. */
  struct ls_task_log *tasks;
  /* What the journal is to keep for reports: once it is held, with NULL, and with the report before
   * its end is recorded. May be NULL. */
  void (*record)(void *context, struct ls_journal *journal, const struct ls_master_report *report);
  /* How the run stands: at its beginning, and every 0.1 s. May be NULL. */
  void (*watch)(void *context, const struct ls_master_progress *progress);
  /* What units took that are done. May be NULL. */
  void (*timed)(void *context, const struct ls_master_timed *timed);
  /* Whether it is to end: asked whenever a range was settled, before anything else is decided. The
   * report has the units settled so far. May be NULL. */
  enum ls_master_wish (*halt)(void *context, const struct ls_master_report *so_far);
  /* Which ends of commands may make it say so: a worker begins no other behind them before it was
   * asked. */
  enum ls_verdict verdict;
  /* How many workers are wanted by now; asked then, too, if the run goes on. May be NULL. */
  uint64_t (*staff)(void *context);
  /* A final result that is not good, of an earlier session, too; before merge or skip has it. May
   * be NULL. */
  void (*failed)(void *context, const struct ls_unit_result *result);
  /* Which program this is, which that of guests must be, too: NULL: any. */
  const char *program;
  /* Where guests find the keys of the run, if there are any; NULL: in a private file. */
  const char *key;
  /* The address of an open door, for guests, and the file of the keys; NULL: it needs none. May be
   * NULL. */
  void (*announce)(void *context, const char *address, const char *key);
  /* What the user should know though the run goes on. May be NULL. */
  void (*warn)(void *context, const char *text);
  /* Notes in words, when not NULL (-v). */
  void (*note)(void *context, const char *text);
  /* Asked in a forked child once every worker has ended some units, and at ever longer intervals
   * afterwards; the answer enters as the event ADVICE. NULL: no advice during the run. */
  ls_adviser_fn advise;
  /* Not before, nor where less is left: runs and their ends that are shorter are over before advice
   * could pay for its process. 0: 1 s. */
  double advise_after_s;
  /* An answer in words, when it has some. May be NULL. */
  void (*advised)(void *context, const char *reason);
  void *context;
};

/* LS_OK also when units failed (see the report); LS_ENOWORKERS, LS_EINTERRUPTED, LS_EIO, ...
 * otherwise. The report is filled in every case. */
LS_CHECKED enum ls_status ls_master_run(const struct ls_master_options *options,
                                        struct ls_master_report *report, struct ls_error *err);

#endif
