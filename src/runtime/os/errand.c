#include "runtime/os/errand.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "runtime/os/clock.h"

/* Without a pidfd the end is asked for by time. */
static const double ASK_AGAIN_S = 0.05;

static void close_pipe(int *pipe) {
  if (*pipe >= 0) (void)close(*pipe);
  *pipe = -1;
}

static enum ls_status open_pipes(int ends[2][2], struct ls_error *err) {
  for (int i = 0; i < 2; i++) {
    if (pipe2(ends[i], O_CLOEXEC) == 0 && fcntl(ends[i][0], F_SETFL, O_NONBLOCK) == 0) continue;
    for (int k = 0; k <= i; k++) {
      close_pipe(&ends[k][0]);
      close_pipe(&ends[k][1]);
    }
    return ls_fail(err, LS_EBUSY, "cannot make a pipe");
  }
  return LS_OK;
}

static void watch_file(int watch, int file) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = file}};
  if (file >= 0) (void)epoll_ctl(watch, EPOLL_CTL_ADD, file, &event);
}

enum ls_status ls_errand_start(struct ls_errand *errand, char *const *argv, double patience_s,
                               int watch, struct ls_error *err) {
  int ends[2][2] = {{-1, -1}, {-1, -1}};
  enum ls_status status = open_pipes(ends, err);
  if (status != LS_OK) return status;
  struct ls_process_request request = {
      .argv = argv, .output = ends[0][1], .error_output = ends[1][1], .dies_with_us = true};
  status = ls_process_start(&request, &errand->process, NULL, err);
  for (int i = 0; i < 2; i++) {
    close_pipe(&ends[i][1]);
    errand->pipes[i] = ends[i][0];
    if (status != LS_OK) close_pipe(&errand->pipes[i]);
    ls_bytes_clear(&errand->texts[i]);
  }
  if (status != LS_OK) return status;
  for (int i = 0; i < 2; i++) watch_file(watch, errand->pipes[i]);
  watch_file(watch, errand->process.pidfd);
  errand->is_running = true;
  errand->is_late = false;
  errand->began_s = ls_clock_s();
  errand->until_s = errand->began_s + patience_s;
  return LS_OK;
}

/* What is beyond the limit is read and forgotten. */
static void drain(struct ls_errand *errand, int i) {
  char block[16384];
  while (errand->pipes[i] >= 0) {
    ssize_t got = read(errand->pipes[i], block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      close_pipe(&errand->pipes[i]);
    } else if (errand->texts[i].length + (size_t)got <= LS_ERRAND_BYTES_MAX) {
      ls_bytes_append(&errand->texts[i], block, (size_t)got);
    }
  }
}

bool ls_errand_attend(struct ls_errand *errand, struct ls_errand_end *end) {
  struct ls_process_end process;
  if (!errand->is_running) return false;
  if (!errand->is_late && ls_clock_s() >= errand->until_s) {
    errand->is_late = true;
    ls_process_signal(&errand->process, SIGKILL);
  }
  bool has_ended = ls_process_ended(&errand->process, false, &process);
  for (int i = 0; i < 2; i++) drain(errand, i);
  if (!has_ended) return false;
  /* Whoever it left behind may hold the pipes open. */
  for (int i = 0; i < 2; i++) close_pipe(&errand->pipes[i]);
  errand->is_running = false;
  *end = (struct ls_errand_end){
      .is_good = !errand->is_late && process.exit_code == 0 && process.signal == 0,
      .is_late = errand->is_late,
      .began_s = errand->began_s,
      .cpu_s = process.usage.user_s + process.usage.system_s,
      .process = process};
  return true;
}

double ls_errand_until_s(const struct ls_errand *errand) {
  if (!errand->is_running) return HUGE_VAL;
  bool must_ask = errand->is_late || errand->process.pidfd < 0;
  return must_ask ? ls_clock_s() + ASK_AGAIN_S : errand->until_s;
}

void ls_errand_close(struct ls_errand *errand) {
  struct ls_process_end end;
  if (errand->is_running) {
    ls_process_signal(&errand->process, SIGKILL);
    (void)ls_process_ended(&errand->process, true, &end);
  }
  for (int i = 0; i < 2; i++) {
    close_pipe(&errand->pipes[i]);
    ls_bytes_close(&errand->texts[i]);
  }
  *errand = LS_ERRAND_NONE;
}
