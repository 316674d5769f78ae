#include "cli/run/run_ssh.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/run/run_pools.h"

/* For the hosts whose cores are to be counted; whoever is slower has one worker. */
static const double COUNT_S = 30;

enum ls_status ls_run_ssh_read(struct ls_run_ssh *ssh, const struct ls_run_options *options,
                               struct ls_error *err) {
  const char *text = options->ssh;
  struct ls_bytes content = {0};
  struct ls_text hosts = {text, text != NULL ? strlen(text) : 0, "--ssh"};
  if (text == NULL) return LS_OK;
  if (text[0] == '@') {
    enum ls_status status = ls_console_read(text + 1, &content, err);
    if (status != LS_OK) return ls_fail_while(err, status, "--ssh");
    hosts = (struct ls_text){ls_bytes_text(&content), content.length, text + 1};
  }
  enum ls_status status = ls_host_list_read(hosts, &ssh->list, err);
  ls_bytes_close(&content);
  return status;
}

/* Each worker has the speed of its host. */
static enum ls_status add_workers(const struct ls_ssh_hosts *hosts, size_t workers,
                                  struct ls_run_options *options, struct ls_error *err) {
  double *speeds = calloc(workers + 1, sizeof *speeds);
  size_t at = 0;
  if (speeds == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %zu workers", workers);
  for (size_t i = 0; i < hosts->count; i++)
    for (size_t k = 0; k < hosts->items[i].workers; k++)
      speeds[at++] = hosts->items[i].facts->speed;
  const struct ls_run_pool pool = {"ssh", workers, speeds};
  enum ls_status status = ls_run_pools_add(options, &pool, err);
  free(speeds);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--ssh");
}

enum ls_status ls_run_ssh_open(struct ls_run_ssh *ssh, struct ls_run_options *options,
                               const struct ls_run_ssh_wish *wish, struct ls_error *err) {
  const struct ls_ssh_setup setup = {.hosts = ssh->list.items,
                                     .count = ssh->list.count,
                                     .command = options->ssh_command,
                                     .program = wish->program,
                                     .run = wish->run,
                                     .is_direct = options->listen != NULL,
                                     .keeper = wish->keeper,
                                     .warn = wish->warn,
                                     .context = wish->context};
  if (ssh->list.count == 0) return LS_OK;
  enum ls_status status = ls_ssh_hosts_open(&setup, &ssh->hosts, err);
  if (status != LS_OK) return status;
  ssh->is_open = true;
  ssh->workers = ls_ssh_hosts_count(&ssh->hosts, COUNT_S);
  return add_workers(&ssh->hosts, ssh->workers, options, err);
}

void ls_run_ssh_close(struct ls_run_ssh *ssh) {
  if (ssh->is_open) ls_ssh_hosts_close(&ssh->hosts, 0);
  ls_host_list_close(&ssh->list);
  ssh->is_open = false;
}
