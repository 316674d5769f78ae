#include "cli/run/run_keeper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/worker_process.h"
#include "runtime/os/launcher.h"

/* Without /proc there is the name by which we were started. */
static bool find_by_name(char *program) {
  const char *name = (const char *)getauxval(AT_EXECFN);
  return name != NULL && realpath(name, program) != NULL;
}

void ls_run_keeper_find_program(struct ls_run_keeper *keeper) {
  static const char link[] = "/proc/self/exe";
  char *program = keeper->program;
  ssize_t length = readlink(link, program, sizeof keeper->program - 1);
  if (length > 0) program[length] = '\0';
  if (length <= 0 && find_by_name(program)) return;
  /* A program that was replaced since is still to be had behind the link. */
  if (length <= 0 || access(program, X_OK) != 0) strcpy(program, link);
}

static int serve(void *context, const struct ls_keeper_worker *member) {
  const struct ls_run_keeper *keeper = context;
  struct ls_worker_options options = {.transport = &ls_transport_zmq,
                                      .address = member->address,
                                      .name = member->name,
                                      .speed = member->speed,
                                      .lifeline = member->lifeline,
                                      .app = keeper->app};
  ls_launcher_clean();
  return ls_worker_serve(keeper->name, &options);
}

enum ls_status ls_run_keeper_start(struct ls_run_keeper *keeper, const char *name,
                                   const struct ls_app *app, struct ls_error *err) {
  static char subcommand[] = "worker";
  const char *space = strrchr(name, ' ');
  int length = space != NULL ? (int)(space - name) : (int)strlen(name);
  (void)snprintf(keeper->name, sizeof keeper->name, "%.*s %s", length, name, subcommand);
  ls_run_keeper_find_program(keeper);
  keeper->app = app;
  keeper->command[0] = keeper->program;
  keeper->command[1] = subcommand;
  struct ls_keeper_setup setup = {.serve = serve,
                                  .prepare = ls_transport_zmq.prepare,
                                  .context = keeper,
                                  .command = keeper->command,
                                  .keeps_output = keeper->keeps_output};
  return ls_keeper_start(&setup, &keeper->keeper, err);
}

void ls_run_keeper_close(struct ls_run_keeper *keeper) {
  ls_keeper_destroy(keeper->keeper);
  keeper->keeper = NULL;
}
