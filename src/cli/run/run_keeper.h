/* run_keeper.h: the keeper of a run's local workers, which are forks of it. */
#ifndef LS_CLI_RUN_KEEPER_H
#define LS_CLI_RUN_KEEPER_H

#include <limits.h>

#include "base/status.h"
#include "runtime/application.h"
#include "runtime/pool/keeper.h"

/* Starts as {0}; stays where it is as long as the keeper lives. */
struct ls_run_keeper {
  struct ls_keeper *keeper;
  const struct ls_app *app; /* NULL: command lines */
  char name[PATH_MAX];      /* of the subcommand, in messages */
  char program[PATH_MAX];
  char *command[3];
  bool keeps_output; /* workers write to our standard output */
};

/* `name`: of this subcommand. Before inputs are read: the memory of the workers begins as ours is
 * now. */
LS_CHECKED enum ls_status ls_run_keeper_start(struct ls_run_keeper *keeper, const char *name,
                                              const struct ls_app *app, struct ls_error *err);
/* Ends the workers that are left. */
/* Finds the program that workers run, which is this one. */
void ls_run_keeper_find_program(struct ls_run_keeper *keeper);
void ls_run_keeper_close(struct ls_run_keeper *keeper);

#endif
