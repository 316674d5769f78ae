/* application.h: what a program must tell so that Loadstar can divide its work.
 *
 * An application links the library and calls ls_cli_main(argc, argv, &app) from its main; it then
 * has every subcommand and every way to run.  Units are numbered 0 .. N-1 in each iteration.  The
 * master's functions run in the master's process, the worker's in processes of the worker; both
 * open the application with the same words.  Only `name` and `units`, and `compute` or
 * `runs_commands`, are needed: what an application leaves NULL costs nothing.  `loadstar run` for
 * command lines is one more application.  docs/guide/applications.md tells who calls which function
 * when, by the example of apps/jacobi.
 */
#ifndef LS_RUNTIME_APPLICATION_H
#define LS_RUNTIME_APPLICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/ranges.h"
#include "base/status.h"
#include "model/outcome.h"
#include "model/usage.h"

/* One output of a unit or a range: in memory when small, else in a file. Borrowed. */
struct ls_output {
  const void *data; /* `length` bytes, or NULL when they are in the file */
  size_t length;
  int file; /* descriptor positioned nowhere in particular: read with pread from 0; -1: none */
};

/* The final result of a range of units (of one task, for commands). Given to merge exactly once per
 * unit. */
struct ls_unit_result {
  uint32_t iteration;
  struct ls_range units;
  enum ls_outcome outcome;
  uint32_t worker;  /* its number; LS_WORKER_NONE-like 0xffffffff: none (given up) */
  uint32_t slot;    /* slot of the worker in the pool, 1 .. workers wanted */
  uint32_t attempt; /* 1: the first */
  uint64_t chunk;   /* it came with this one; UINT64_MAX: nobody knows */
  bool has_timed_out;
  int exit_code, signal;   /* of a command */
  struct ls_usage usage;   /* of a command, by its worker */
  double start_s, seconds; /* start since the run began, on the master's clock; compute seconds on
                              the worker's */
  double compute_s;        /* of these to compute alone; 0: it did not come to that */
  double stage_s;          /* to stage its input, on the worker's clock; 0: nothing was staged */
  struct ls_output output, error_output;
};

/* A piece of what a running task has written: lines that are not to be recorded, since the result
 * has all of them once more; of another attempt, or over another connection, they may come again.
 * Borrowed. */
struct ls_unit_lines {
  struct ls_range units; /* of the task */
  uint64_t chunk;        /* the attempt is that of the chunk */
  uint32_t slot;         /* as in its result */
  uint8_t stream;        /* 0: standard output, 1: standard error */
  uint64_t offset;       /* of the piece in the stream */
  const void *data;
  size_t length; /* 0: the task has begun */
};

/* Units of iteration 0 that have become known since it was opened. */
struct ls_more {
  uint64_t units; /* numbered behind all before; may be 0 */
  bool is_last;   /* no more will come */
  int file;       /* not the last: readable (poll(2), POLLIN) when more may be had; -1: now */
  uint64_t ahead; /* it is asked again while no more units than this wait; 0: a few thousand */
  uint64_t most;  /* but not while so many wait, since each takes much room; 0: no matter */
};

/* Units of one iteration for one call of `stage` or `compute`. Borrowed during the call. */
struct ls_work {
  uint32_t iteration;
  uint64_t attempts_before; /* at each of the units, of commands */
  uint32_t slot;            /* of the worker in the pool: 1, 2, ... */
  struct ls_range units;    /* these: any part of `packed` */
  struct ls_range packed;   /* the range of which one call of pack made `input` */
  const void *input;        /* of all of `packed`; NULL: nothing was packed */
  size_t length;            /* of the input */
  const void *staged;       /* for compute: what stage made for exactly `units`; else NULL */
  size_t staged_length;
};

/* Units whose outputs have left the process; count 0: none. */
struct ls_units_left {
  uint32_t iteration;
  struct ls_range units; /* those of them that had no output may be in it */
};

/* Outputs that merge took over but may hold back, so that no reader can stop the master. They stay
 * pending in the journal until they have left. */
struct ls_app_outputs {
  /* What has left and was not told before; never waits. Asked until there is none, in every round
   * of the master. */
  enum ls_status (*take_left)(void *state, struct ls_units_left *left, struct ls_error *err);
  /* A descriptor that is readable when take_left has something new to say; -1: none. */
  int (*file)(void *state);
  /* So much waits for its reader that no further units should be handed out for now. */
  bool (*is_behind)(void *state);
  /* All results were merged: waits until their outputs have left, or the user is in a hurry. */
  enum ls_status (*finish)(void *state, struct ls_error *err);
};

struct ls_bundling; /* protocol/bundle.h */

struct ls_app {
  const char *name;    /* "fibonacci" */
  const char *summary; /* one line */
  const char *usage;   /* its own words, for --help: "--units N --seconds S" */
  /* argv[0] is the name above, then the words after `--` of the command line, as in main. `*state`
   * is passed to everything below. */
  enum ls_status (*open)(int argc, char **argv, void **state, struct ls_error *err);
  /* The run is to lose nothing even when a machine dies (`run --sync`): what the application keeps
   * by itself is on the disk before merge or compute returns. Called at once after open, in master
   * and workers. NULL: it keeps nothing by itself. */
  void (*sync)(void *state);
  /* Of a state that open has made; never called when open failed. */
  void (*close)(void *state);

  /* ---- master ---- */

  /* Appends what the results depend on beside the words, such as the digest of an input file: a
   * journal is resumed only with the bytes that it was begun with. Called once, after open. */
  enum ls_status (*fingerprint)(void *state, struct ls_bytes *bytes, struct ls_error *err);
  /* The number of units of iteration 0, 1, ...; 0: there is none, the run ends. Each is asked for
   * once, when all units of the one before have been merged. */
  enum ls_status (*units)(void *state, uint32_t iteration, uint64_t *units, struct ls_error *err);
  /* For an application whose units become known while it runs, since they come from outside:
   * `units(0)` tells those known at the beginning, then this is called whenever units run short and
   * more may be had; it never waits. Such a run has no journal. NULL: `units` tells all. */
  enum ls_status (*more)(void *state, struct ls_more *more, struct ls_error *err);
  /* Adds the units of this iteration that have nothing to do: they count as done, are never sent
   * and never merged, and no rule for the number of workers counts them. Called after `units`. */
  enum ls_status (*idle)(void *state, uint32_t iteration, struct ls_ranges *units,
                         struct ls_error *err);
  /* The label that a worker must have to do this unit (base/labels.h); NULL or "": any may. Asked
   * once for each unit when it becomes known, behind `idle`; the text is the application's until
   * the next call. Units wait for workers that may have them, while others go on with what they
   * may. */
  const char *(*need)(void *state, uint32_t iteration, uint64_t unit);
  /* Appends what every worker is to know before it computes units of this iteration. Called once
   * per iteration of which units are sent, after `idle`; changes nothing. */
  enum ls_status (*broadcast)(void *state, uint32_t iteration, struct ls_bytes *bytes,
                              struct ls_error *err);
  /* Appends the input for a range of units; NULL: the unit numbers say it all. `slot` as above. */
  enum ls_status (*pack)(void *state, struct ls_range units, uint32_t slot, struct ls_bytes *input,
                         struct ls_error *err);
  /* A final result, in order of acceptance. NULL: not wanted. */
  enum ls_status (*merge)(void *state, const struct ls_unit_result *result, struct ls_error *err);
  /* For outputs that leave after merge, at the pace of their reader. NULL: merge delivers at once.
   */
  const struct ls_app_outputs *outputs;
  /* A result of an earlier session whose outputs were delivered then, or are empty (they are empty
   * here): merge will not see it. Of commands all are told before the first merge. A computing
   * application that has this function keeps by itself what merge gave it: the journal forgets an
   * output as soon as merge has returned. NULL: of commands it is no matter; a computing
   * application gets all results again. */
  enum ls_status (*skip)(void *state, const struct ls_unit_result *result, struct ls_error *err);
  /* Appends the state as it is after all merges of an iteration. The journal keeps the last one, so
   * that a resume need not merge the iterations before it once more. */
  enum ls_status (*checkpoint)(void *state, struct ls_bytes *bytes, struct ls_error *err);
  /* On resume, in place of all that came before `units(iteration)`: the state is what checkpoint
   * appended then. */
  enum ls_status (*restore)(void *state, uint32_t iteration, const struct ls_bytes *bytes,
                            struct ls_error *err);

  /* ---- worker ---- */

  /* Either the units are commands (protocol/command.h): the worker executes them as processes; */
  bool runs_commands;
  /* ... of which one may take several units: then each packed range is one bundle
   * (protocol/bundle.h), a task is as much of a range as one command takes, and merge gets its
   * units together. NULL: a task is one unit. */
  const struct ls_bundling *bundling;
  /* or they are computed here. First what broadcast made of this iteration (0 bytes: nothing), once
   * in each process that stages or computes units of it; a process that replaces one that died
   * receives it, too. It takes the place of what was received before. */
  enum ls_status (*receive)(void *state, uint32_t iteration, const struct ls_bytes *bytes,
                            struct ls_error *err);
  /* Reads what compute needs for exactly `work->units` from where it lies, and appends it. It runs
   * in a process of its own, beside compute of earlier units; with --executor thread in the thread
   * of compute, before it. */
  enum ls_status (*stage)(void *state, const struct ls_work *work, struct ls_bytes *staged,
                          struct ls_error *err);
  /* Output is appended. A status that is not LS_OK, here or of the two before, fails the units; its
   * text is their error output. */
  enum ls_status (*compute)(void *state, const struct ls_work *work, struct ls_bytes *output,
                            struct ls_error *err);
};

#endif
