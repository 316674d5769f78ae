#include "cli/run/dealing.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/run/dealer.h"

struct ls_dealt_unit {
  uint32_t file; /* of the dealer */
  bool is_handed_out;
};

/* Signals of the terminal are for the run, which tells what they mean. */
static void be_dealer(const struct ls_dealer_setup *setup, pid_t run) {
  static const int ignored[] = {SIGINT, SIGHUP, SIGTERM, SIGPIPE};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) (void)signal(ignored[i], SIG_IGN);
  (void)prctl(PR_SET_NAME, "loadstar-dealer");
  /* Between fork and prctl the run may have ended already. */
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == run) ls_dealer_run(setup);
  /* Not exit: this process must not print the caller's pending output. */
  _exit(EXIT_SUCCESS);
}

static void close_ends(const int *ends) {
  (void)close(ends[0]);
  (void)close(ends[1]);
}

enum ls_status ls_dealing_start(struct ls_dealing *dealing, const struct ls_dealing_setup *setup,
                                struct ls_error *err) {
  int orders[2], reports[2];
  assert(dealing->dealer == 0 && dealing->given == NULL);
  uint64_t *given = mmap(NULL, setup->processes * sizeof *given, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (given == MAP_FAILED)
    return ls_fail(err, LS_ENOMEM, "--round-robin: out of memory for %zu processes",
                   setup->processes);
  dealing->given = given;
  dealing->processes = setup->processes;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders) != 0)
    return ls_fail(err, LS_EIO, "--round-robin: no socket is to be had: %s", strerror(errno));
  if (pipe2(reports, O_CLOEXEC) != 0) {
    close_ends(orders);
    return ls_fail(err, LS_EIO, "--round-robin: no pipe is to be had: %s", strerror(errno));
  }
  const struct ls_dealer_setup dealer = {.blocks = setup->blocks,
                                         .file = setup->file,
                                         .name = setup->name,
                                         .processes = setup->processes,
                                         .orders = orders[0],
                                         .reports = reports[1],
                                         .given = given};
  pid_t run = getpid(), child = fork();
  if (child == 0) {
    (void)close(orders[1]);
    (void)close(reports[0]);
    be_dealer(&dealer, run);
  }
  (void)close(orders[0]);
  (void)close(reports[1]);
  if (child < 0) {
    (void)close(orders[1]);
    (void)close(reports[0]);
    return ls_fail(err, LS_EIO, "--round-robin: no process is to be had: %s", strerror(errno));
  }
  (void)fcntl(reports[0], F_SETFL, O_NONBLOCK);
  dealing->dealer = child;
  dealing->orders = orders[1];
  dealing->reports = reports[0];
  return LS_OK;
}

static enum ls_status add_unit(struct ls_dealing *dealing, uint32_t file, struct ls_error *err) {
  if (ls_array_reserve((void **)&dealing->units, &dealing->capacity, dealing->count + 1,
                       sizeof *dealing->units) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for %zu processes", dealing->count + 1);
  dealing->units[dealing->count++] = (struct ls_dealt_unit){.file = file};
  return LS_OK;
}

/* The failure stands behind its report, and was written with it. */
static enum ls_status take_failure(const struct ls_dealing *dealing, struct ls_error *err) {
  struct ls_error failure;
  ssize_t got = read(dealing->reports, &failure, sizeof failure);
  if (got != (ssize_t)sizeof failure)
    return ls_fail(err, LS_EIO, "--round-robin: the process that deals the data out has failed");
  return ls_fail(err, failure.status, "%s", failure.text);
}

static enum ls_status take_report(struct ls_dealing *dealing, const struct ls_dealer_report *report,
                                  struct ls_error *err) {
  switch ((enum ls_dealer_news)report->news) {
    case LS_DEALER_WANTS:
      return add_unit(dealing, report->number, err);
    case LS_DEALER_ENDS:
      dealing->is_ended = true;
      return LS_OK;
    case LS_DEALER_UNREAD:
      dealing->unread += report->number;
      return LS_OK;
    case LS_DEALER_FAILS:
      break;
  }
  return take_failure(dealing, err);
}

/* `*is_gone`: the dealer has nothing more to say. */
static enum ls_status take_reports(struct ls_dealing *dealing, bool *is_gone,
                                   struct ls_error *err) {
  struct ls_dealer_report report;
  enum ls_status status = LS_OK;
  while (status == LS_OK) {
    ssize_t got = read(dealing->reports, &report, sizeof report);
    if (got < 0 && errno == EINTR) continue;
    *is_gone = got == 0;
    if (got != (ssize_t)sizeof report) return LS_OK;
    status = take_report(dealing, &report, err);
  }
  return status;
}

enum ls_status ls_dealing_more(struct ls_dealing *dealing, struct ls_more *more,
                               struct ls_error *err) {
  size_t before = dealing->count;
  bool is_gone = false;
  enum ls_status status = take_reports(dealing, &is_gone, err);
  if (status != LS_OK) return status;
  if (is_gone && !dealing->is_ended)
    return ls_fail(err, LS_EIO,
                   "--round-robin: the process that deals the data out has died; what it had read "
                   "is lost");
  *more = (struct ls_more){
      .units = dealing->count - before, .is_last = dealing->is_ended, .file = dealing->reports};
  return LS_OK;
}

enum ls_status ls_dealing_hand_out(struct ls_dealing *dealing, uint64_t unit, const char **path,
                                   struct ls_error *err) {
  assert(unit < dealing->count);
  struct ls_dealt_unit *dealt = &dealing->units[unit];
  if (dealt->is_handed_out)
    return ls_fail(err, LS_EIO,
                   "--round-robin: the worker of process %llu was lost, and what that has read "
                   "cannot be read again",
                   (unsigned long long)unit + 1);
  dealt->is_handed_out = true;
  ls_bytes_clear(&dealing->path);
  ls_bytes_printf(&dealing->path, "/proc/%d/fd/%u", (int)dealing->dealer, (unsigned)dealt->file);
  *path = ls_bytes_text(&dealing->path);
  return dealing->path.failed ? ls_fail(err, LS_ENOMEM, "out of memory for a name") : LS_OK;
}

uint64_t ls_dealing_measure(const struct ls_dealing *dealing, uint64_t unit) {
  if (unit >= dealing->processes) return 0;
  return __atomic_load_n(&dealing->given[unit], __ATOMIC_RELAXED);
}

/* A dealer that has died is noticed where it is asked. */
static void order(const struct ls_dealing *dealing, uint32_t what) {
  if (dealing->dealer > 0) (void)!send(dealing->orders, &what, sizeof what, MSG_NOSIGNAL);
}

void ls_dealing_settle(struct ls_dealing *dealing, struct ls_range units) {
  for (uint64_t i = 0; i < units.count; i++) order(dealing, (uint32_t)(units.first + i));
}

void ls_dealing_stop(struct ls_dealing *dealing) {
  if (dealing->is_stopped) return;
  dealing->is_stopped = true;
  order(dealing, LS_DEALER_STOP);
}

uint64_t ls_dealing_finish(struct ls_dealing *dealing) {
  bool is_gone = false;
  if (dealing->dealer == 0) return dealing->unread;
  order(dealing, LS_DEALER_LEAVE);
  while (waitpid(dealing->dealer, NULL, 0) < 0 && errno == EINTR) continue;
  /* What it failed for behind its last block matters no more. */
  (void)!take_reports(dealing, &is_gone, NULL);
  (void)close(dealing->orders);
  (void)close(dealing->reports);
  dealing->dealer = 0;
  return dealing->unread;
}

void ls_dealing_close(struct ls_dealing *dealing) {
  (void)ls_dealing_finish(dealing);
  if (dealing->given != NULL)
    (void)munmap(dealing->given, dealing->processes * sizeof *dealing->given);
  free(dealing->units);
  ls_bytes_close(&dealing->path);
  *dealing = (struct ls_dealing){.dealer = 0};
}
