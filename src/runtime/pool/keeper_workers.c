/* keeper_workers.c: the keeper's workers, and what they leave when they die. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "runtime/os/clock.h"
#include "runtime/os/limits.h"
#include "runtime/os/process.h"
#include "runtime/os/temporary.h"
#include "runtime/pool/keeper_private.h"

enum { NAME_BYTES = 64, WORDS_APPENDED = 8, SLOTS_MAX = 1 << 20 };

/* ---- starting ---- */

/* In the fork of the keeper. */
_Noreturn static void become_worker(struct ls_keeper_process *keeper,
                                    const struct ls_keeper_worker *worker) {
  (void)setpgid(0, 0);
  (void)prctl(PR_SET_NAME, "loadstar-worker");
  (void)close(keeper->line.file);
  (void)close(keeper->signals);
  (void)close(keeper->lifeline[1]);
  ls_process_reset_signals();
  int exit_code = keeper->setup->serve(keeper->setup->context, worker);
  (void)fflush(NULL);
  _exit(exit_code);
}

static char **make_words(char *const *command, char *const *more) {
  size_t count = 0;
  while (command[count] != NULL) ++count;
  char **words = calloc(count + WORDS_APPENDED + 1, sizeof *words);
  if (words == NULL) return NULL;
  memcpy(words, command, count * sizeof *words);
  memcpy(words + count, more, WORDS_APPENDED * sizeof *words);
  return words;
}

/* The process id; 0: `err` says why not. */
static pid_t run_program(const struct ls_keeper_process *keeper,
                         const struct ls_keeper_worker *worker, struct ls_error *err) {
  char speed[32], lifeline[16];
  (void)snprintf(speed, sizeof speed, "%.17g", worker->speed);
  (void)snprintf(lifeline, sizeof lifeline, "%d", worker->lifeline);
  char *more[WORDS_APPENDED] = {(char[]){"--connect"},  (char *)worker->address,
                                (char[]){"--name"},     (char *)worker->name,
                                (char[]){"--speed"},    speed,
                                (char[]){"--lifeline"}, lifeline};
  char **words = make_words(keeper->setup->command, more);
  struct ls_process process = {.pid = 0, .pidfd = -1};
  if (words == NULL) {
    (void)ls_fail(err, LS_ENOMEM, "out of memory for the words of a worker");
  } else {
    struct ls_process_request request = {
        .argv = words,
        .output = keeper->setup->keeps_output ? STDOUT_FILENO : STDERR_FILENO,
        .error_output = STDERR_FILENO,
        .keep = &worker->lifeline,
        .keep_count = 1};
    if (ls_process_start(&request, &process, NULL, err) != LS_OK) process.pid = 0;
  }
  /* Our children tell of their ends by themselves. */
  if (process.pid != 0 && process.pidfd >= 0) (void)close(process.pidfd);
  free(words);
  return process.pid;
}

static pid_t fork_worker(struct ls_keeper_process *keeper, const struct ls_keeper_worker *worker,
                         struct ls_error *err) {
  pid_t pid = fork();
  if (pid == 0) become_worker(keeper, worker);
  if (pid > 0) {
    (void)setpgid(pid, pid); /* whoever comes first */
    return pid;
  }
  (void)ls_fail(err, LS_EIO, "cannot start a process: %s", ls_limits_words(errno));
  return 0;
}

static struct ls_kept_worker *make_room(struct ls_keeper_process *keeper, uint32_t slot) {
  if (slot < 1 || slot > SLOTS_MAX) return NULL;
  if (slot > keeper->workers_count) {
    struct ls_kept_worker *workers = realloc(keeper->workers, slot * sizeof *workers);
    if (workers == NULL) return NULL;
    memset(workers + keeper->workers_count, 0, (slot - keeper->workers_count) * sizeof *workers);
    keeper->workers = workers;
    keeper->workers_count = slot;
  }
  return &keeper->workers[slot - 1];
}

void ls_keeper_start_worker(struct ls_keeper_process *keeper,
                            const struct ls_keeper_record *order) {
  struct ls_kept_worker *place = make_room(keeper, order->slot);
  struct ls_keeper_record news = {.kind = LS_KEEPER_UNSTARTED, .slot = order->slot};
  struct ls_error err;
  char name[NAME_BYTES];
  (void)snprintf(name, sizeof name, "local-%u", order->slot);
  if (order->words[0] != '\0') (void)snprintf(name, sizeof name, "%.63s", order->words);
  if (place == NULL || place->pid != 0) {
    (void)ls_fail(&err, LS_ENOMEM, place == NULL ? "out of memory" : "its slot is taken");
  } else {
    struct ls_keeper_worker worker = {.address = keeper->address,
                                      .name = name,
                                      .slot = order->slot,
                                      .speed = order->number,
                                      .lifeline = keeper->lifeline[0]};
    place->pid = keeper->setup->serve != NULL ? fork_worker(keeper, &worker, &err)
                                              : run_program(keeper, &worker, &err);
    place->is_stopped = false;
    if (place->pid != 0) {
      place->has_been = true;
      news.kind = LS_KEEPER_STARTED;
      news.pid = place->pid;
      ++keeper->running;
    }
  }
  if (news.kind == LS_KEEPER_UNSTARTED) {
    (void)snprintf(news.words, sizeof news.words, "worker %s: %.180s", name, err.text);
  }
  ls_keeper_line_post(&keeper->line, &news);
}

void ls_keeper_signal_worker(const struct ls_keeper_process *keeper,
                             const struct ls_keeper_record *order) {
  if (order->slot < 1 || order->slot > keeper->workers_count) return;
  pid_t pid = keeper->workers[order->slot - 1].pid;
  if (pid != 0) (void)kill(order->signal == SIGKILL ? -pid : pid, order->signal);
}

/* ---- ends ---- */

static uint32_t find_slot(const struct ls_keeper_process *keeper, pid_t pid) {
  for (size_t i = 0; i < keeper->workers_count; ++i) {
    if (keeper->workers[i].pid == pid) return (uint32_t)(i + 1);
  }
  return 0;
}

/* Processes that a worker leaves when it dies become ours.  Killing one hands its own children to
 * us, whose end we shall hear of, too: then the next look follows. */
static void kill_orphans(const struct ls_keeper_process *keeper) {
  size_t capacity = keeper->running + 64;
  pid_t *children = calloc(capacity, sizeof *children);
  if (children == NULL) return;
  size_t count = ls_process_children(children, capacity);
  /* As many as there are workers: they are the workers. */
  for (size_t i = 0; i < count && i < capacity && count > keeper->running; ++i) {
    if (find_slot(keeper, children[i]) == 0) (void)kill(children[i], SIGKILL);
  }
  free(children);
}

static void on_stop(struct ls_keeper_process *keeper, const siginfo_t *info) {
  uint32_t slot = find_slot(keeper, info->si_pid);
  bool is_stop = info->si_code == CLD_STOPPED || info->si_code == CLD_TRAPPED;
  struct ls_keeper_record news = {.kind = LS_KEEPER_CONTINUED, .slot = slot, .pid = info->si_pid};
  if (slot == 0) return;
  struct ls_kept_worker *worker = &keeper->workers[slot - 1];
  /* It went on in between, and may have told what it had ended. */
  if (worker->is_stopped) ls_keeper_line_post(&keeper->line, &news);
  worker->is_stopped = is_stop;
  worker->looked_s = ls_clock_s();
  if (!is_stop) return;
  news.kind = LS_KEEPER_STOPPED;
  news.signal = info->si_status;
  ls_keeper_line_post(&keeper->line, &news);
}

double ls_keeper_look_at_stopped(struct ls_keeper_process *keeper, double now_s) {
  /* The worker judges by its own clock; and a look takes time. */
  static const double margin_s = 0.05;
  double next_s = HUGE_VAL;
  for (size_t i = 0; i < keeper->workers_count && keeper->limit_s > 0; ++i) {
    struct ls_kept_worker *worker = &keeper->workers[i];
    if (worker->pid == 0 || !worker->is_stopped) continue;
    if (worker->looked_s + keeper->limit_s + margin_s <= now_s) {
      worker->looked_s = now_s;
      /* Whoever stopped both wants the task to stand still, too. */
      if (ls_process_has_active_child(worker->pid)) (void)kill(worker->pid, SIGCONT);
    }
    next_s = fmin(next_s, worker->looked_s + keeper->limit_s + margin_s);
  }
  return next_s;
}

static void on_end(struct ls_keeper_process *keeper, const siginfo_t *info) {
  uint32_t slot = find_slot(keeper, info->si_pid);
  if (slot == 0) return; /* an orphan */
  struct ls_keeper_record news = {.kind = LS_KEEPER_ENDED, .slot = slot, .pid = info->si_pid};
  if (info->si_code == CLD_EXITED) {
    news.exit_code = info->si_status;
  } else {
    news.signal = info->si_status;
  }
  keeper->workers[slot - 1] = (struct ls_kept_worker){.has_been = true};
  --keeper->running;
  ls_keeper_line_post(&keeper->line, &news);
}

void ls_keeper_look_at_children(struct ls_keeper_process *keeper) {
  bool has_ended = false;
  for (;;) {
    siginfo_t info = {.si_pid = 0};
    int options = WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT;
    if (waitid(P_ALL, 0, &info, options) != 0 || info.si_pid == 0) break;
    bool is_end =
        info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
    /* As long as it is not reaped, its number is nobody else's: the rest of its group, such as a
     * child that computes for it, goes first. */
    if (is_end && find_slot(keeper, info.si_pid) != 0) (void)kill(-info.si_pid, SIGKILL);
    /* What is there was just seen. */
    options = (is_end ? WEXITED : WSTOPPED | WCONTINUED) | WNOHANG;
    siginfo_t taken = {.si_pid = 0};
    if (waitid(P_PID, (id_t)info.si_pid, &taken, options) != 0 || taken.si_pid == 0) continue;
    if (is_end) {
      on_end(keeper, &taken);
      has_ended = true;
    } else {
      on_stop(keeper, &taken);
    }
  }
  if (has_ended) kill_orphans(keeper);
}

void ls_keeper_kill_all(struct ls_keeper_process *keeper) {
  for (size_t i = 0; i < keeper->workers_count; ++i) {
    if (keeper->workers[i].pid != 0) (void)kill(-keeper->workers[i].pid, SIGKILL);
  }
  (void)ls_process_kill_orphans(NULL, 0);
}

/* NAME.*.SLOT, of a worker of ours? Those of others may still be at work. */
static bool is_left(const struct ls_keeper_process *keeper, const char *name) {
  size_t length = strlen(keeper->files);
  if (strncmp(name, keeper->files, length) != 0 || name[length] != '.') return false;
  unsigned long slot = strtoul(strrchr(name, '.') + 1, NULL, 10);
  return slot >= 1 && slot <= keeper->workers_count && keeper->workers[slot - 1].has_been;
}

static void remove_files_in(const struct ls_keeper_process *keeper, const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL) return;
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    if (is_left(keeper, entry->d_name)) (void)unlinkat(dirfd(folder), entry->d_name, 0);
  }
  (void)closedir(folder);
}

void ls_keeper_remove_files(const struct ls_keeper_process *keeper) {
  /* Where workers of other machines need the same name, all have it in /tmp. */
  static const char common[] = "/tmp";
  const char *parent = ls_temporary_parent();
  if (keeper->files[0] == '\0') return;
  remove_files_in(keeper, parent);
  if (strcmp(parent, common) != 0) remove_files_in(keeper, common);
}
