#include "cli/worker_team.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/worker_process.h"
#include "runtime/os/limits.h"

struct team {
  const char *name;
  const struct ls_worker_options *worker;
  pid_t *pids; /* 0: it has ended */
  unsigned count, there;
  /* How often the starter was interrupted: shared with the workers, who hear of it by SIGUSR1. */
  _Atomic int *told;
  int suspensions, returns; /* passed on so far */
  int exit_status;
};

static void wake_up(int number) {
  (void)number;
}

/* ---- ends ---- */

static int weigh(int exit_status) {
  static const int order[] = {LS_EXIT_OK, LS_EXIT_INFRASTRUCTURE, LS_EXIT_USAGE,
                              LS_EXIT_INTERRUPTED};
  int weight = 0;
  for (int i = 0; i < (int)(sizeof order / sizeof *order); i++)
    if (order[i] == exit_status) weight = i;
  return weight;
}

static void note_end(struct team *team, unsigned index, int how) {
  int exit_status = WIFEXITED(how) ? WEXITSTATUS(how) : LS_EXIT_INFRASTRUCTURE;
  if (WIFSIGNALED(how))
    fprintf(stderr, "%s: worker %u was ended by signal %d (%s)\n", team->name, index + 1,
            WTERMSIG(how), strsignal(WTERMSIG(how)));
  team->pids[index] = 0;
  team->there--;
  if (weigh(exit_status) > weigh(team->exit_status)) team->exit_status = exit_status;
}

static void reap(struct team *team) {
  int how;
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;) {
    for (unsigned i = 0; i < team->count; i++)
      if (team->pids[i] == pid) note_end(team, i, how);
  }
}

/* ---- signals ---- */

static void tell_all(const struct team *team, int number) {
  for (unsigned i = 0; i < team->count; i++)
    if (team->pids[i] > 0) (void)kill(team->pids[i], number);
}

static void pass_on(struct team *team, const struct ls_worker_signals *signals) {
  int interrupts = *signals->interrupts, suspensions = *signals->suspensions;
  int returns = *signals->returns;
  if (interrupts > *team->told) {
    *team->told = interrupts;
    tell_all(team, SIGUSR1);
  }
  if (returns != team->returns) tell_all(team, SIGCONT);
  team->returns = returns;
  if (suspensions == team->suspensions) return;
  team->suspensions = suspensions;
  tell_all(team, SIGTSTP);
  (void)raise(SIGSTOP);
}

/* ---- the team ---- */

_Noreturn static void live(const struct team *team, unsigned index, const sigset_t *mask) {
  char name[80], place[LS_WORKER_PLACE_MAX + 12];
  struct ls_worker_options worker = *team->worker;
  (void)setpgid(0, 0);
  (void)snprintf(name, sizeof name, "%s-%u", worker.name, index + 1);
  worker.name = name;
  if (worker.place != NULL) {
    (void)snprintf(place, sizeof place, "%s.%u", worker.place, index + 1);
    worker.place = place;
  }
  (void)signal(SIGCHLD, SIG_DFL);
  ls_interrupts_follow(team->told);
  (void)sigprocmask(SIG_SETMASK, mask, NULL);
  int exit_status = ls_worker_serve(team->name, &worker);
  (void)fflush(NULL);
  _exit(exit_status);
}

static enum ls_status start(struct team *team, const sigset_t *mask, struct ls_error *err) {
  for (unsigned i = 0; i < team->count; i++) {
    pid_t pid = fork();
    if (pid == 0) live(team, i, mask);
    if (pid < 0)
      return ls_fail(err, LS_EIO, "cannot start worker %u of %u: %s", i + 1, team->count,
                     ls_limits_words(errno));
    (void)setpgid(pid, pid); /* whoever comes first */
    team->pids[i] = pid;
    team->there++;
  }
  return LS_OK;
}

/* Signals arrive while it waits, and at no other time. */
static int attend(struct team *team) {
  struct ls_error err = {0};
  sigset_t all, before;
  struct sigaction ended = {.sa_handler = wake_up}, otherwise;
  struct ls_worker_signals signals = ls_interrupts_start_worker(team->name, false);
  (void)sigaction(SIGCHLD, &ended, &otherwise);
  (void)sigfillset(&all);
  (void)sigprocmask(SIG_SETMASK, &all, &before);
  (void)sigdelset(&before, SIGCHLD);
  enum ls_status status = start(team, &before, &err);
  if (status != LS_OK) {
    (void)ls_console_fail(team->name, &err);
    *team->told = 2;
    tell_all(team, SIGUSR1);
  }
  for (;;) {
    reap(team);
    if (team->there == 0) break;
    pass_on(team, &signals);
    (void)sigsuspend(&before);
  }
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  (void)sigaction(SIGCHLD, &otherwise, NULL);
  ls_interrupts_end();
  return status == LS_OK ? team->exit_status : ls_console_exit(status);
}

int ls_worker_team_run(const char *name, const struct ls_worker_options *worker, unsigned count) {
  struct team team = {.name = name, .worker = worker, .count = count};
  void *shared =
      mmap(NULL, sizeof *team.told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  team.pids = calloc(count + 1, sizeof *team.pids);
  int exit_status = ls_console_exit(LS_ENOMEM);
  if (shared != MAP_FAILED && team.pids != NULL) {
    team.told = shared;
    exit_status = attend(&team);
  }
  if (shared != MAP_FAILED) (void)munmap(shared, sizeof *team.told);
  free(team.pids);
  return exit_status;
}
