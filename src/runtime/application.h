/* application.h: what a program must tell so that Loadstar can divide its work.
 *
 * An application links the library and calls ls_cli_main(argc, argv, &app) from its main; it then
 * has every subcommand and every way to run.  Units are numbered 0 .. N-1 in each iteration.  The
 * master's functions run in the master's process, the worker's in the worker's; both open the
 * application with the same words.  `loadstar run` for command lines is one more application.
 */
#ifndef LS_RUNTIME_APPLICATION_H
#define LS_RUNTIME_APPLICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "model/outcome.h"

/* One output of a unit or a range: in memory when small, else in a file. Borrowed. */
struct ls_output {
  const void *data; /* `length` bytes, or NULL when they are in the file */
  size_t length;
  int file; /* descriptor positioned nowhere in particular: read with pread from 0; -1: none */
};

/* The final result of a range of units (one unit, for commands). Given to merge exactly once per
 * unit. */
struct ls_unit_result {
  uint32_t iteration;
  struct ls_range units;
  enum ls_outcome outcome;
  uint32_t worker;  /* its number; LS_WORKER_NONE-like 0xffffffff: none (given up) */
  uint32_t slot;    /* slot of the worker in the pool, 1 .. workers wanted */
  uint32_t attempt; /* 1: the first */
  bool has_timed_out;
  int exit_code, signal;   /* of a command */
  double start_s, seconds; /* start since the run began, on the master's clock; compute seconds on
                              the worker's */
  struct ls_output output, error_output;
};

struct ls_app {
  const char *name;    /* "fibonacci" */
  const char *summary; /* one line */
  const char *usage;   /* its own words, for --help: "--units N --seconds S" */
  /* argv[0] is the name above, then the words after `--` of the command line, as in main. `*state`
   * is passed to everything below. */
  enum ls_status (*open)(int argc, char **argv, void **state, struct ls_error *err);
  void (*close)(void *state);

  /* Master. The number of units of iteration 0, 1, ...; 0: there is none, the run ends. */
  enum ls_status (*units)(void *state, uint32_t iteration, uint64_t *units, struct ls_error *err);
  /* Appends the input for a range of units; NULL: the unit numbers say it all. `slot` as above. */
  enum ls_status (*pack)(void *state, struct ls_range units, uint32_t slot, struct ls_bytes *input,
                         struct ls_error *err);
  /* A final result, in order of acceptance. NULL: not wanted. */
  enum ls_status (*merge)(void *state, const struct ls_unit_result *result, struct ls_error *err);
  /* For an application whose merge may hold outputs back (--keep-order). The outputs of all units
   * below the returned number have left the process; those of later units stay pending in the
   * journal, whatever merge said.  NULL: merge delivers at once. */
  uint64_t (*delivered)(void *state, uint32_t iteration);
  /* A result of an earlier session whose outputs were delivered then, or are empty (they are empty
   * here): merge will not see it. Called before the first merge. NULL: no matter. */
  enum ls_status (*skip)(void *state, const struct ls_unit_result *result, struct ls_error *err);

  /* Worker. Either the units are commands (protocol/command.h): the worker executes them as
   * processes; */
  bool runs_commands;
  /* or they are computed here.  `units` is any part of one packed range; `input` is what pack made
   * of the whole range, which began at unit `packed.first`.  Output is appended.  A status that is
   * not LS_OK fails the units. */
  enum ls_status (*compute)(void *state, struct ls_range units, struct ls_range packed,
                            const void *input, size_t length, struct ls_bytes *output,
                            struct ls_error *err);
};

#endif
