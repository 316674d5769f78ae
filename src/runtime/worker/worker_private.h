/* worker_private.h: the state of a worker's loop, shared by its files.
 *
 * worker.c calls the master, loops and leaves; worker_welcome.c sets up what the master answers
 * with; worker_jobs.c tells the worker side of arrivals and ends, and does its actions;
 * worker_results.c makes messages of results.  What is said to the master, and over which
 * connection, is a matter of the line.
 */
#ifndef LS_RUNTIME_WORKER_WORKER_PRIVATE_H
#define LS_RUNTIME_WORKER_WORKER_PRIVATE_H

#include <sys/types.h>

#include "coordinator/event.h"
#include "coordinator/worker_side.h"
#include "protocol/message.h"
#include "runtime/execute/command_place.h"
#include "runtime/execute/executor.h"
#include "runtime/execute/machine_state.h"
#include "runtime/execute/settings.h"
#include "runtime/files/cache.h"
#include "runtime/files/stager.h"
#include "runtime/os/standstill.h"
#include "runtime/worker/broadcast.h"
#include "runtime/worker/line.h"
#include "runtime/worker/payloads.h"
#include "runtime/worker/worker.h"

enum { LS_WORKER_INLINE_MAX = 256 << 10, LS_WORKER_KNOWN_MAX = 64 };

/* Which iteration a chunk is of: of the chunk that runs, and of the one before it. */
struct ls_origin {
  uint64_t chunk;
  uint32_t iteration;
};

struct ls_worker {
  const struct ls_worker_options *options;
  struct ls_line line; /* to the master */
  double speed;        /* by its benchmark, beside the master's; 0: it made none */
  struct ls_settings settings;
  double welcomed_s; /* when they came */
  struct ls_decoder decoder;
  struct ls_worker_side side;
  struct ls_side_actions actions; /* of its latest step */

  void *state; /* of the application */
  bool is_open;
  const struct ls_executor_kind *kind;
  struct ls_executor *executor;
  struct ls_scratch scratch;            /* of commands that run in sandboxes */
  struct ls_cache cache;                /* of their inputs */
  struct ls_stager stager;              /* its cache NULL: they have none */
  struct ls_command_place next_command; /* the first that waits, and room for one */
  struct ls_command command;

  struct ls_payloads payloads;
  struct ls_broadcast broadcast;

  struct ls_ending ending;     /* of commands, if the settings say it */
  struct ls_range shown_units; /* of the command whose lines are told */
  uint64_t shown[2];     /* bytes of the running unit that were told as lines, in each stream */
  double show_s;         /* when it is looked at again */
  double merged_since_s; /* units are done and not told since */
  double receive_s;      /* of inputs, to be told with the next result */
  /* Of staging, likewise; lead_s is of the first units of that result. */
  double stage_s, lead_s, exposed_s;
  double answer_s;    /* after which the last request had its answer; 0: not known */
  double asked_s;     /* the last request left */
  bool has_held_back; /* a request may be due that was not to leave yet */
  struct ls_origin origins[2];
  /* Of the results that are kept the first so many: the last one of them may end the run, and
   * nothing begins before the master has judged it. */
  size_t awaited;
  /* The running units of the side: too many results are open, files are lacking, or the like. */
  bool must_start;
  struct ls_machine_state machine; /* of commands that wait for it */
  bool must_cancel;                /* and they are not wanted any more */
  uint64_t taken; /* of the units that were started, so many run; 0: the side knows */

  double begun_s;            /* this process joins since */
  struct ls_error unreached; /* why the latest call of the master failed; no text: it did not */
  double due_s;              /* when the loop was to look again */
  double bye_s;              /* BYE is to be said, since */
  bool has_frames;           /* some may have come since they were last looked for */
  bool has_lifeline;         /* and it has not ended */
  bool is_unfit;             /* its machine cannot hold the files of its tasks */
  bool is_unable;            /* its application does not open here, for example */
  bool is_leaving, is_released, must_say_bye;
  bool is_gone; /* has said BYE */
  int suspensions_seen, returns_seen;
  struct ls_standstill standstill;
  double stood_s;                   /* by force, and not told yet */
  pid_t known[LS_WORKER_KNOWN_MAX]; /* children that we were started with */
  size_t known_count;
};

/* worker.c: does a network lie between it and its master? */
bool ls_worker_is_far(const struct ls_worker *worker);
/* Was the worker told to go? */
bool ls_worker_is_told_to_go(const struct ls_worker *worker);
/* What runs must end so long before the end of time that its result can leave. */
double ls_worker_lifetime_margin_s(const struct ls_worker *worker);
/* Seconds until the worker must leave; INFINITY: it need not. */
double ls_worker_lifetime_left_s(const struct ls_worker *worker);
/* Says so, and goes in order as soon as nothing runs. */
LS_CHECKED enum ls_status ls_worker_begin_to_leave(struct ls_worker *worker, struct ls_error *err);

/* worker_welcome.c: the first words of the master on a connection. */
LS_CHECKED enum ls_status ls_worker_on_first_message(struct ls_worker *worker,
                                                     const struct ls_message *message,
                                                     struct ls_error *err);
/* Makes the benchmark that the master asks for, if it does, and tells how fast it was. */
void ls_worker_measure_speed(struct ls_worker *worker);
/* What the units left behind. */
void ls_worker_kill_orphans(const struct ls_worker *worker);

/* worker_jobs.c: the master's messages after WELCOME; `is_followed`: the frame holds more. */
LS_CHECKED enum ls_status ls_worker_on_message(struct ls_worker *worker,
                                               const struct ls_message *message, bool is_followed,
                                               struct ls_error *err);
/* Tells the executor what will be started after what it knows of already: once behind all messages
 * of a frame, since each word to a child may cost a switch of processes. */
void ls_worker_announce(struct ls_worker *worker);
/* Joined, or joined again: asks for the first time. */
LS_CHECKED enum ls_status ls_worker_enter(struct ls_worker *worker, struct ls_error *err);
/* Records the units that ended, and starts those that wait. */
LS_CHECKED enum ls_status ls_worker_advance(struct ls_worker *worker, struct ls_error *err);
/* Lets go results and requests that were held back for long enough. */
LS_CHECKED enum ls_status ls_worker_let_go(struct ls_worker *worker, struct ls_error *err);
/* Goes in order as soon as nothing runs. */
LS_CHECKED enum ls_status ls_worker_leave(struct ls_worker *worker, struct ls_error *err);
/* Stops what runs; it ends as CANCELLED. */
void ls_worker_stop_running(struct ls_worker *worker);
/* All units that are here or have a result that is not durable: appended to `*held`, owned by the
 * caller. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_worker_list_held(const struct ls_worker *worker,
                                              struct ls_message_held **held, size_t *count);
/* Gives back, as CANCELLED, what waits for an input that was on its way over a connection that is
 * gone. */
LS_CHECKED enum ls_status ls_worker_drop_awaited(struct ls_worker *worker, struct ls_error *err);
/* Forgets all units: the master does not know them any more. */
void ls_worker_forget_jobs(struct ls_worker *worker);
void ls_worker_close_jobs(struct ls_worker *worker);

/* worker_files.c: the folder of the run on this machine, if commands run in sandboxes, and the
 * cache of their inputs, if they have some. */
LS_CHECKED enum ls_status ls_worker_open_files(struct ls_worker *worker, struct ls_error *err);
/* Looks at the inputs of the units that are to begin. */
LS_CHECKED enum ls_status ls_worker_review_files(struct ls_worker *worker, struct ls_error *err);
/* Of the units that must start. `*why` (borrowed) where they cannot. */
enum ls_staged ls_worker_judge_files(const struct ls_worker *worker, const char **why);
/* Goes on with what is lacking. */
void ls_worker_advance_files(struct ls_worker *worker);
/* Seconds until that is due; INFINITY: when something is heard. */
double ls_worker_files_patience_s(const struct ls_worker *worker);
/* Seconds after which the machine is to be looked at for units that wait for it; INFINITY: none do.
 */
double ls_worker_machine_patience_s(const struct ls_worker *worker);
void ls_worker_close_files(struct ls_worker *worker);

/* worker_lines.c: what the running units have written so far, told before they end. */
/* They have begun, or the master may lack what it was told. */
void ls_worker_show_again(struct ls_worker *worker);
/* Tells whole lines that have been written since, when it is time. */
void ls_worker_show(struct ls_worker *worker);
/* Seconds until it is time; INFINITY: nothing is to be shown. */
double ls_worker_show_patience_s(const struct ls_worker *worker);

/* worker_results.c: a result of the worker side becomes a RESULT; `execution` is the units that
 * have ended just now, or NULL; files that the RESULT takes over are none of it afterwards. */
LS_CHECKED enum ls_status ls_worker_tell(struct ls_worker *worker,
                                         const struct ls_side_result *result,
                                         struct ls_execution *execution, struct ls_error *err);
/* The seconds of staging go to the result that tells these units, and are told once. */
void ls_worker_note_staging(struct ls_worker *worker, struct ls_execution *execution);
/* Has it anything to tell beside that it is done? */
bool ls_worker_has_output(const struct ls_worker *worker, const struct ls_execution *execution);
/* Have merged results waited for long enough? */
bool ls_worker_is_merged_due(const struct ls_worker *worker);
/* Must what waits leave now? Held back for a moment while the next unit runs, it shares a frame
 * with what follows. */
bool ls_worker_must_flush(const struct ls_worker *worker);
/* Seconds until results that are held back must leave; INFINITY: there are none. */
double ls_worker_results_patience_s(const struct ls_worker *worker);

#endif
