#include "cli/run/run_ssh.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run/run_pools.h"

/* For the hosts whose cores are to be counted; whoever is slower has one worker. */
static const double COUNT_S = 30;

/* ---- the lists ---- */

static enum ls_status read_hosts(struct ls_run_ssh *ssh, const char *text, struct ls_error *err) {
  struct ls_bytes content = {0};
  struct ls_text hosts = {text, strlen(text), "--ssh"};
  if (text[0] == '@') {
    enum ls_status status = ls_console_read(text + 1, &content, err);
    if (status != LS_OK) return ls_fail_while(err, status, "--ssh");
    hosts = (struct ls_text){ls_bytes_text(&content), content.length, text + 1};
  }
  enum ls_status status = ls_host_list_read(hosts, &ssh->list, err);
  ls_bytes_close(&content);
  return status;
}

/* Where GNU parallel looks for it. */
static void find_file(const char *name, char *path, size_t path_bytes) {
  const char *home = getenv("HOME");
  bool is_own = strcmp(name, "..") == 0;
  (void)snprintf(path, path_bytes, "%s", name);
  if (strcmp(name, ".") == 0) {
    (void)snprintf(path, path_bytes, "/etc/parallel/sshloginfile");
  } else if (home != NULL && (is_own || (name[0] != '/' && access(name, F_OK) != 0))) {
    (void)snprintf(path, path_bytes, "%s/.parallel/%s", home, is_own ? "sshloginfile" : name);
    if (!is_own && access(path, F_OK) != 0) (void)snprintf(path, path_bytes, "%s", name);
  }
}

static enum ls_status add_logins(struct ls_run_ssh *ssh, const struct ls_login_option *option,
                                 struct ls_error *err) {
  struct ls_bytes content = {0};
  char path[PATH_MAX];
  if (!option->is_file) {
    const struct ls_text text = {option->text, strlen(option->text), "--sshlogin"};
    return ls_host_list_add_logins(text, &ssh->list, err);
  }
  find_file(option->text, path, sizeof path);
  bool is_input = strcmp(path, "-") == 0;
  enum ls_status status = ls_console_read(path, &content, err);
  if (status == LS_OK) {
    const struct ls_text text = {ls_bytes_text(&content), content.length,
                                 is_input ? "standard input" : path};
    status = ls_host_list_add_logins(text, &ssh->list, err);
  }
  ls_bytes_close(&content);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--sshloginfile");
}

/* ---- logins ---- */

/* Takes this machine out of the list; false: it is not there. */
static bool take_here(struct ls_host_list *list, struct ls_host *here) {
  for (size_t i = 0; i < list->count; i++) {
    if (!list->items[i].is_here) continue;
    *here = list->items[i];
    memmove(&list->items[i], &list->items[i + 1], (--list->count - i) * sizeof *list->items);
    return true;
  }
  return false;
}

/* The names of the hosts in the order of the slots. */
static enum ls_status name_places(struct ls_run_ssh *ssh, bool is_here, struct ls_error *err) {
  static char here[] = ":";
  ssh->places = calloc(ssh->list.count + 1, sizeof *ssh->places);
  if (ssh->places == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for hosts");
  if (is_here) ssh->places[ssh->places_count++] = here;
  for (size_t i = 0; i < ssh->list.count; i++)
    ssh->places[ssh->places_count++] = (char *)ssh->list.items[i].target;
  return LS_OK;
}

/* One task at a time on each host, which has a slot and a part of the units of its own. */
static enum ls_status be_on_all(struct ls_run_ssh *ssh, bool is_here,
                                struct ls_run_options *options, struct ls_error *err) {
  enum ls_status status = name_places(ssh, is_here, err);
  if (status != LS_OK) return status;
  if (options->workers > 0 && options->workers < ssh->places_count)
    return ls_fail(err, LS_EINVAL,
                   "--workers is %zu, expected at least %zu: all hosts work at once, each on one "
                   "task at a time",
                   options->workers, ssh->places_count);
  for (size_t i = 0; i < ssh->list.count; i++) ssh->list.items[i].workers = 1;
  options->workers = 1;
  options->logins.homes = ssh->places_count;
  options->policy = "ss";
  return LS_OK;
}

/* Who works, is said by the logins alone. */
static enum ls_status take_logins(struct ls_run_ssh *ssh, struct ls_run_options *options,
                                  struct ls_error *err) {
  struct ls_host here = {0};
  enum ls_status status = LS_OK;
  bool is_here = take_here(&ssh->list, &here);
  if (is_here && options->has_no_local)
    return ls_fail(err, LS_EINVAL, "--no-local and --sshlogin : exclude each other");
  for (size_t i = 0; i < ssh->list.count && options->workers > 0; i++)
    ssh->list.items[i].workers = options->workers;
  if (options->logins.is_on_all) status = be_on_all(ssh, is_here, options, err);
  if (options->workers == 0) options->workers = here.workers;
  if (!is_here) options->workers = 0;
  options->has_no_local = !is_here;
  bool is_alone = ssh->list.count == 0 && !options->has_slurm && options->listen == NULL;
  if (is_alone) options->elsewhere.door = NULL;
  return status;
}

enum ls_status ls_run_ssh_read(struct ls_run_ssh *ssh, struct ls_run_options *options,
                               struct ls_error *err) {
  const struct ls_login_options *logins = &options->logins;
  enum ls_status status = options->ssh != NULL ? read_hosts(ssh, options->ssh, err) : LS_OK;
  for (size_t i = 0; i < logins->count && status == LS_OK; i++)
    status = add_logins(ssh, &logins->items[i], err);
  return status == LS_OK && logins->count > 0 ? take_logins(ssh, options, err) : status;
}

/* ---- the pool ---- */

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
                                     .ships = options->ships,
                                     .keeps_cache = options->keeps_cache,
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
  free(ssh->places);
  ls_host_list_close(&ssh->list);
  ssh->is_open = false;
}
