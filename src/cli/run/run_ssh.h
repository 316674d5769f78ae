/* run_ssh.h: the hosts of `run --ssh`: read, asked for their cores, added to the run's pools.
 */
#ifndef LS_CLI_RUN_SSH_H
#define LS_CLI_RUN_SSH_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/run/run_options.h"
#include "protocol/host_list.h"
#include "runtime/pool/ssh/ssh_hosts.h"

/* Starts as {0}. */
struct ls_run_ssh {
  struct ls_host_list list;
  struct ls_ssh_hosts hosts;
  bool is_open; /* a pool may have closed them since */
  size_t workers;
  /* Where each task runs with --onall, in the order of the slots; owned, but for the names. */
  char **places;
  size_t places_count;
};

/* What the hosts are to know of the run. Borrowed. */
struct ls_run_ssh_wish {
  const char *program, *run; /* path of this program, number of the run */
  struct ls_keeper *keeper;
  void (*warn)(void *context, const char *text);
  void *context;
};

/* Nothing without --ssh or --sshlogin. The latter says who works here, too: that becomes part of
 * the options. LS_EINVAL: the hosts are none. */
LS_CHECKED enum ls_status ls_run_ssh_read(struct ls_run_ssh *ssh, struct ls_run_options *options,
                                          struct ls_error *err);
/* LS_ENOWORKERS: no ssh. */
LS_CHECKED enum ls_status ls_run_ssh_open(struct ls_run_ssh *ssh, struct ls_run_options *options,
                                          const struct ls_run_ssh_wish *wish, struct ls_error *err);
void ls_run_ssh_close(struct ls_run_ssh *ssh);

#endif
