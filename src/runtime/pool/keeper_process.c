/* keeper_process.c: the loop of the keeper: orders in, news out, and the end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/os/process.h"
#include "runtime/os/scratch.h"
#include "runtime/os/temporary.h"
#include "runtime/pool/keeper_private.h"

/* Between the end of the lifelines and SIGKILL. */
static const double grace_s = 1.0;

enum stage { STAGE_OPEN, STAGE_PATIENT, STAGE_WARNED };

/* ---- the beginning ---- */

/* What an exec would close: the memory of the master is ours, its files are not. */
static void close_files(int kept) {
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return;
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    int file = (int)strtol(entry->d_name, NULL, 10);
    if (file <= STDERR_FILENO || file == kept || file == dirfd(folder)) continue;
    int flags = fcntl(file, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) != 0) (void)close(file);
  }
  (void)closedir(folder);
}

/* The run's standard output ends with the run, whoever lives on. */
static void leave_streams(bool keeps_output) {
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) {
    (void)dup2(nothing, STDIN_FILENO);
    if (nothing > STDERR_FILENO) (void)close(nothing);
  }
  if (!keeps_output) (void)dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* A terminal's signals are for the master; who wants to end us must use force. */
static bool open_signals(struct ls_keeper_process *keeper) {
  sigset_t all, ours;
  (void)sigfillset(&all);
  (void)sigprocmask(SIG_SETMASK, &all, NULL);
  /* Ignored (inherited), the kernel would reap children before we ask how they ended. */
  (void)signal(SIGCHLD, SIG_DFL);
  (void)sigemptyset(&ours);
  (void)sigaddset(&ours, SIGCHLD);
  (void)sigaddset(&ours, SIGHUP);
  keeper->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
  /* The line may be held open by another child of the master when that dies. */
  (void)prctl(PR_SET_PDEATHSIG, SIGHUP);
  return keeper->signals >= 0;
}

/* ---- the loop ---- */

static void copy_words(char *to, const struct ls_keeper_record *order) {
  memcpy(to, order->words, LS_KEEPER_WORDS_MAX + 1);
}

/* The master and its pools tell of the same ones. */
static bool knows_folder(const struct ls_keeper_process *keeper,
                         const struct ls_keeper_record *order) {
  bool is_known = false;
  for (size_t i = 0; i < keeper->folders_count && !is_known; ++i) {
    is_known = strncmp(keeper->folders[i], order->words, LS_KEEPER_WORDS_MAX) == 0;
  }
  return is_known;
}

static void on_order(struct ls_keeper_process *keeper, const struct ls_keeper_record *order) {
  switch ((enum ls_keeper_kind)order->kind) {
    case LS_KEEPER_ADDRESS:
      copy_words(keeper->address, order);
      break;
    case LS_KEEPER_FOLDER:
      if (keeper->folders_count < LS_KEEPER_FOLDERS_MAX && !knows_folder(keeper, order))
        copy_words(keeper->folders[keeper->folders_count++], order);
      break;
    case LS_KEEPER_FILES:
      copy_words(keeper->files, order);
      break;
    case LS_KEEPER_LIMIT:
      keeper->limit_s = order->number;
      break;
    case LS_KEEPER_START:
      ls_keeper_start_worker(keeper, order);
      break;
    case LS_KEEPER_SIGNAL:
      ls_keeper_signal_worker(keeper, order);
      break;
    default:
      break; /* CLOSE: in the loop; news are not for us */
  }
}

static bool is_abandoned(const struct ls_keeper_process *keeper) {
  return keeper->line.is_broken || getppid() != keeper->master;
}

/* Nobody waits for this, so it comes when the first workers have been started, or the run ends
 * without any: the folder is told before them. */
static void sweep_folders(struct ls_keeper_process *keeper, bool is_open) {
  if (keeper->has_swept || keeper->folders_count == 0) return;
  if (is_open && keeper->workers_count == 0) return;
  keeper->has_swept = true;
  ls_temporary_sweep(keeper->folders[0]);
  ls_scratch_sweep(); /* a run that has nothing to do has no worker that would */
}

static void wait_for_something(struct ls_keeper_process *keeper, double until_s) {
  struct signalfd_siginfo heard[16];
  struct pollfd files[2] = {{.fd = keeper->line.file, .events = POLLIN},
                            {.fd = keeper->signals, .events = POLLIN}};
  if (ls_keeper_line_is_waiting(&keeper->line)) files[0].events |= POLLOUT;
  int milliseconds = -1;
  if (isfinite(until_s)) {
    milliseconds = (int)fmin(ceil(fmax(0, until_s - ls_clock_s()) * 1e3), 1e6);
  }
  (void)poll(files, 2, milliseconds);
  while (read(keeper->signals, heard, sizeof heard) > 0) continue;
}

/* The end of its lifeline stops a worker sooner than a signal, which lets it finish. */
static void warn_workers(struct ls_keeper_process *keeper) {
  struct ls_keeper_record order = {.kind = LS_KEEPER_SIGNAL, .signal = SIGTERM};
  for (size_t i = 0; i < keeper->workers_count; ++i) {
    order.slot = (uint32_t)(i + 1);
    ls_keeper_signal_worker(keeper, &order);
    /* A stopped one hears nothing before it goes on. */
    order.signal = SIGCONT;
    if (keeper->workers[i].is_stopped) ls_keeper_signal_worker(keeper, &order);
    order.signal = SIGTERM;
  }
  (void)close(keeper->lifeline[1]);
  keeper->lifeline[1] = -1;
}

/* Who is stopped does not end by itself. */
static bool is_waiting_in_vain(const struct ls_keeper_process *keeper) {
  size_t stopped = 0;
  for (size_t i = 0; i < keeper->workers_count; ++i) stopped += keeper->workers[i].is_stopped;
  return stopped == keeper->running;
}

/* Until the master has closed the run, or is gone. */
static void run_loop(struct ls_keeper_process *keeper) {
  enum stage stage = STAGE_OPEN;
  double until_s = HUGE_VAL;
  for (;;) {
    struct ls_keeper_record order;
    double look_s = ls_keeper_look_at_stopped(keeper, ls_clock_s());
    wait_for_something(keeper, fmin(until_s, look_s));
    ls_keeper_look_at_children(keeper);
    while (ls_keeper_line_take(&keeper->line, &order)) {
      on_order(keeper, &order);
      if (order.kind != LS_KEEPER_CLOSE || stage != STAGE_OPEN) continue;
      stage = STAGE_PATIENT;
      until_s = ls_clock_s() + order.number;
    }
    ls_keeper_line_flush(&keeper->line);
    sweep_folders(keeper, stage == STAGE_OPEN);
    if (is_abandoned(keeper) || (stage != STAGE_OPEN && keeper->running == 0)) return;
    bool is_in_vain = stage == STAGE_PATIENT && is_waiting_in_vain(keeper);
    if (!is_in_vain && !(ls_clock_s() >= until_s)) continue;
    if (stage == STAGE_WARNED) return;
    stage = STAGE_WARNED;
    until_s = ls_clock_s() + grace_s;
    warn_workers(keeper);
  }
}

void ls_keeper_live(const struct ls_keeper_setup *setup, int file, pid_t master) {
  struct ls_keeper_process keeper = {
      .setup = setup, .line = {.file = file}, .master = master, .signals = -1};
  (void)setpgid(0, 0);
  (void)prctl(PR_SET_NAME, "loadstar-keeper");
  leave_streams(setup->keeps_output);
  close_files(file);
  ls_process_adopt();
  if (open_signals(&keeper) && pipe2(keeper.lifeline, O_CLOEXEC) == 0) run_loop(&keeper);
  ls_keeper_kill_all(&keeper);
  ls_keeper_remove_files(&keeper);
  for (size_t i = 0; i < keeper.folders_count && is_abandoned(&keeper); ++i) {
    ls_temporary_remove(keeper.folders[i]);
  }
  _exit(0);
}
