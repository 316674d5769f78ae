/* executor.h: computes units at a worker, one at a time, without blocking the worker's loop.
 *
 * Five kinds: `command` starts a process per unit; `child` lets the application compute in a
 * forked child, so that the loop keeps beating and a crash costs only the units that ran; `staged`
 * has a second child, which reads the inputs of the next units meanwhile; `thread` calls the
 * application in a thread of the worker, for machines on which it may not fork; `direct` does all
 * in the calling thread (workers that are threads).  The loop polls `file` and asks `finished`.
 */
#ifndef LS_RUNTIME_EXECUTE_EXECUTOR_H
#define LS_RUNTIME_EXECUTE_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "model/platform.h"
#include "model/usage.h"
#include "protocol/bundle.h"
#include "runtime/application.h"
#include "runtime/execute/capture.h"
#include "runtime/execute/command_manners.h"
#include "runtime/execute/ending.h"
#include "runtime/files/cache.h"
#include "runtime/files/command_files.h"
#include "runtime/files/sandbox.h"
#include "runtime/os/standstill.h"
#include "theory/load_pattern.h"

/* The units that ended. Outcomes as in coordinator/event.h. Borrowed until the next start or
 * finished. */
struct ls_execution {
  uint8_t outcome; /* enum ls_outcome */
  struct ls_range units;
  double compute_s, squares; /* of all units */
  double stage_s;   /* of all units, beside the computing of others; 0: nothing was staged */
  double lead_s;    /* from the beginning of staging to that of computing */
  double exposed_s; /* of staging, while nothing was computed: at most stage_s */
  int exit_code, signal;
  struct ls_usage usage;         /* of a command */
  struct ls_bytes *output;       /* of an application's range; or of a command when small */
  struct ls_bytes *error_output; /* text of a failure, or a command's standard error when small */
  int output_file, error_file;   /* a command's large outputs: read with pread; owned by the caller;
                                    -1: none */
  uint64_t output_bytes, error_bytes; /* sizes in those files */
  /* A command's outputs that are files, in their order; the descriptors are the caller's. NULL: not
   * asked for. */
  const struct ls_command_output *files;
  size_t files_count;
  const char *unkept; /* CANCELLED, and why the machine could not do it: no room for its outputs,
                         for example; NULL: it could */
};

struct ls_executor_setup {
  const struct ls_app *app;
  void *state;           /* of the application */
  const char *directory; /* of commands; NULL: the present one; borrowed */
  double timeout_s; /* limit of one unit; 0: none. The whole process group is ended (TERM, then KILL
                       after 1 s) */
  const struct ls_ending *ending; /* of commands; NULL: that; borrowed */
  double speed; /* in (0, 1]: after t seconds of computing the executor rests t (1 / speed - 1);
                   counts as computing */
  const struct ls_load_course *load; /* shares of that speed by time, borrowed; NULL: all of it */
  double load_from_s;                /* on the clock, from where its times count */
  const struct ls_command_manners *manners; /* of commands; borrowed; NULL: none */
  uint32_t slot;                            /* of the worker, 1, 2, ...; 0: not told */
  size_t inline_max;             /* a command's outputs up to this size are given in memory */
  struct ls_command_rooms rooms; /* where commands run, and their files */
  struct ls_bundling bundling;   /* of commands of several units */
  bool writes_directly;          /* commands write to this process's own standard output and
                                    error, and have none that could be told */
  size_t stage_ahead; /* starts that are staged and not begun, at most LS_STAGE_AHEAD_MOST */
};

/* A start, now or announced. The same units of another chunk may have another input. */
struct ls_upcoming {
  uint64_t chunk;
  struct ls_work work;
};

/* The most starts that can be announced and not yet begun. */
enum { LS_EXECUTOR_AHEAD_MAX = LS_STAGE_AHEAD_MOST };

/* Standard output and standard error. */
enum { LS_EXECUTOR_STREAMS = 2 };

/* What is announced, and what more is wanted. */
struct ls_ahead {
  uint64_t units;     /* announced and not started */
  size_t room;        /* further starts that are wanted now */
  uint64_t units_max; /* of each of them */
  bool may_divide;    /* a part of a range may be announced; else only what will be started whole */
};

struct ls_executor;

struct ls_executor_kind {
  const char *name;
  enum ls_status (*create)(const struct ls_executor_setup *setup, struct ls_executor **out,
                           struct ls_error *err);
  void (*destroy)(struct ls_executor *executor); /* stops the units, leaves nothing behind */
  /* Starts units of one packed range; nothing may run. A unit that cannot start ends at once with
   * FAILED. */
  enum ls_status (*start)(struct ls_executor *executor, const struct ls_upcoming *next,
                          struct ls_error *err);
  /* How many of the units of the last start it has taken, the first ones, at least 1; the others
   * are started again when these have ended. NULL: all of them. */
  uint64_t (*taken)(const struct ls_executor *executor);
  /* Tells the units that will be started after the running ones, in this order, so that they can
   * begin without a pause between; units that are started otherwise than announced are computed
   * anew. May take fewer. NULL: of no use to this kind. */
  void (*announce)(struct ls_executor *executor, const struct ls_upcoming *upcoming, size_t count);
  /* What was announced will not be started, or otherwise: the inputs may be gone. NULL: it keeps no
   * input. */
  void (*forget)(struct ls_executor *executor);
  void (*look_ahead)(const struct ls_executor *executor, struct ls_ahead *ahead);
  /* What the master broadcasts for an iteration, before the first start of it; borrowed until the
   * next. NULL: of no use to this kind. */
  void (*receive)(struct ls_executor *executor, uint32_t iteration, const struct ls_bytes *bytes);
  /* Descriptor that becomes readable when something ended; -1: ask by time only. */
  int (*file)(const struct ls_executor *executor);
  /* Descriptors that become readable when `finished` has something to take over from what runs,
   * which may wait for that; how many. NULL: there never are any. */
  size_t (*streams)(const struct ls_executor *executor, int files[LS_EXECUTOR_STREAMS]);
  /* Seconds after which `finished` should be asked at the latest (timeouts, rests); INFINITY: none.
   */
  double (*patience_s)(const struct ls_executor *executor);
  /* Have the started units ended? false: not yet. */
  bool (*finished)(struct ls_executor *executor, struct ls_execution *execution);
  /* Ends the running units, which then finish with LS_OUTCOME_CANCELLED. */
  void (*cancel)(struct ls_executor *executor);
  /* Stops the running units where they are, until `resume` lets them go on after `away_s` seconds,
   * which count neither as computing nor against a limit. NULL: they run in the worker itself. */
  void (*suspend)(struct ls_executor *executor);
  void (*resume)(struct ls_executor *executor, double away_s);
  /* The worker was stopped by force, and goes on.  Did all that it runs stand still with it?  Then
   * the seconds count as those of `resume`; false: something computed meanwhile.  NULL: there is no
   * knowing. */
  bool (*stood)(struct ls_executor *executor, const struct ls_stop *stop);
  /* What the running units have written to standard output and standard error so far (two,
   * borrowed), and which these units are; NULL: nothing runs. NULL: of no use to this kind. */
  const struct ls_capture *(*written)(const struct ls_executor *executor, struct ls_range *units);
  /* A unit may take so long, from now on; also what runs. NULL: of no use to this kind. */
  void (*limit)(struct ls_executor *executor, double timeout_s);
  /* The most units that one start should get now, so that it lasts some 10 ms (of commands, those
   * of a task); those of the next announced start, if there is one. */
  uint64_t (*units_max)(const struct ls_executor *executor);
};

extern const struct ls_executor_kind ls_executor_command, ls_executor_child, ls_executor_staged,
    ls_executor_thread, ls_executor_direct;

#endif
