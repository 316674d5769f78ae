#include "runtime/pool/keeper.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/os/limits.h"
#include "runtime/os/process.h"
#include "runtime/pool/keeper_private.h"

/* What the keeper needs to end workers that do not listen, and more. */
static const double mercy_s = 8.0;

struct ls_keeper {
  struct ls_keeper_setup setup;
  struct ls_keeper_line line;
  pid_t pid; /* 0: it has ended */
  char end_words[48];
  char files[LS_KEEPER_WORDS_MAX + 1]; /* "": none are entrusted to it */
};

static bool has_command(const struct ls_keeper_setup *setup) {
  return setup->command != NULL && setup->command[0] != NULL;
}

static void tell_files(struct ls_keeper *keeper) {
  struct ls_keeper_record record = {.kind = LS_KEEPER_FILES};
  if (keeper->files[0] == '\0') return;
  (void)snprintf(record.words, sizeof record.words, "%s", keeper->files);
  ls_keeper_line_post(&keeper->line, &record);
}

void ls_keeper_entrust(struct ls_keeper *keeper, const char *files) {
  (void)snprintf(keeper->files, sizeof keeper->files, "%s", files);
  tell_files(keeper);
}

/* Another process at the other end of a new line; on failure the line stays as it is. */
static enum ls_status launch(struct ls_keeper *keeper, struct ls_error *err) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return ls_fail(err, LS_EIO, "no socket for the supervisor of the workers: %s", strerror(errno));
  }
  pid_t master = getpid();
  if (keeper->setup.serve != NULL && keeper->setup.prepare != NULL) keeper->setup.prepare();
  (void)fflush(NULL);
  keeper->pid = fork();
  if (keeper->pid == 0) {
    (void)close(ends[0]);
    ls_keeper_live(&keeper->setup, ends[1], master);
  }
  int reason = errno;
  (void)close(ends[1]);
  if (keeper->pid < 0) {
    keeper->pid = 0;
    (void)close(ends[0]);
    return ls_fail(err, LS_EIO, "no process for the supervisor of the workers: %s",
                   ls_limits_words(reason));
  }
  keeper->line = (struct ls_keeper_line){.file = ends[0]};
  return LS_OK;
}

enum ls_status ls_keeper_start(const struct ls_keeper_setup *setup, struct ls_keeper **out,
                               struct ls_error *err) {
  if (setup->serve == NULL && !has_command(setup)) {
    return ls_fail(err, LS_EINVAL,
                   "the supervisor of the workers has neither function nor command");
  }
  struct ls_keeper *keeper = calloc(1, sizeof *keeper);
  if (keeper == NULL)
    return ls_fail(err, LS_ENOMEM, "out of memory for the supervisor of the workers");
  keeper->setup = *setup;
  /* A fork has the calling thread alone: what the others hold locked would stay so. */
  if (has_command(setup) && ls_process_has_threads()) keeper->setup.serve = NULL;
  enum ls_status status = launch(keeper, err);
  if (status == LS_OK) {
    *out = keeper;
  } else {
    free(keeper);
  }
  return status;
}

struct ls_keeper_line *ls_keeper_line(struct ls_keeper *keeper) {
  return &keeper->line;
}

/* Somebody else may have reaped it; then nobody knows how it ended. */
static void await_keeper(struct ls_keeper *keeper) {
  int state = 0;
  pid_t pid;
  if (keeper->pid == 0) return;
  do {
    pid = waitpid(keeper->pid, &state, 0);
  } while (pid < 0 && errno == EINTR);
  bool is_signal = pid > 0 && WIFSIGNALED(state);
  (void)snprintf(keeper->end_words, sizeof keeper->end_words, "%s %d",
                 is_signal ? "signal" : "exit status",
                 is_signal ? WTERMSIG(state) : WEXITSTATUS(state));
  keeper->pid = 0;
}

const char *ls_keeper_end_words(struct ls_keeper *keeper) {
  /* Its end of the line is closed by its end alone, so this is short. */
  if (keeper->line.is_broken) await_keeper(keeper);
  return keeper->end_words;
}

pid_t ls_keeper_process(const struct ls_keeper *keeper) {
  return keeper->pid;
}

enum ls_status ls_keeper_restart(struct ls_keeper *keeper, struct ls_error *err) {
  bool has_threads = ls_process_has_threads();
  assert(keeper->line.is_broken);
  await_keeper(keeper);
  if (has_threads && !has_command(&keeper->setup)) {
    return ls_fail(err, LS_EINVAL,
                   "the supervisor of the workers cannot be replaced: the master has "
                   "threads, and there is no command");
  }
  if (has_threads) keeper->setup.serve = NULL;
  struct ls_keeper_line former = keeper->line;
  enum ls_status status = launch(keeper, err);
  if (status != LS_OK) return status;
  ls_keeper_line_close(&former);
  tell_files(keeper);
  return LS_OK;
}

void ls_keeper_end(struct ls_keeper *keeper, double patience_s) {
  struct ls_keeper_line *line = &keeper->line;
  struct ls_keeper_record record = {.kind = LS_KEEPER_CLOSE, .number = fmax(0, patience_s)};
  double until_s = ls_clock_s() + fmax(0, patience_s) + mercy_s;
  if (keeper->pid == 0) return;
  ls_keeper_line_post(line, &record);
  while (!line->is_broken) {
    double left_s = until_s - ls_clock_s();
    struct pollfd look = {.fd = line->file, .events = POLLIN};
    if (ls_keeper_line_is_waiting(line)) look.events |= POLLOUT;
    if (!(left_s > 0)) break;
    (void)poll(&look, 1, (int)fmin(ceil(left_s * 1e3), 1e6));
    ls_keeper_line_flush(line);
    while (ls_keeper_line_take(line, &record)) continue;
  }
  /* A worker that not even a signal ends, or a keeper that somebody has stopped. */
  if (!line->is_broken) (void)kill(keeper->pid, SIGKILL);
  await_keeper(keeper);
  line->is_broken = true;
}

void ls_keeper_destroy(struct ls_keeper *keeper) {
  if (keeper == NULL) return;
  ls_keeper_end(keeper, 0);
  ls_keeper_line_close(&keeper->line);
  free(keeper);
}
