/* executor_speed.c: what it costs to bring megabytes to a child that computes, and back.
 *
 * Usage: executor_speed [MEGABYTES TURNS] (8 7)
 * A unit has an input of so many MiB, and its output is a copy of it.  In turns: units through the
 * executor that workers use; the same bytes there and back over a socket pair to a forked process,
 * in blocks of 64 KiB; and copied three times by memcpy, which is the least that can be: into
 * memory that both share, by the application, and out of its own memory.  Prints the medians in
 * MiB/s, in and out counted once each; exits 1 when the executor is not twice as fast as the
 * socket.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/statistics.h"
#include "runtime/execute/executor.h"

enum { TURNS_MAX = 99, UNITS = 20, BLOCK = 65536 };
static const double REACH = 2;

static double read_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void stop(const char *words) {
  fprintf(stderr, "executor_speed: %s\n", words);
  exit(2);
}

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state, (void)err;
  ls_bytes_append(output, work->input, work->length);
  return LS_OK;
}

static const struct ls_app app = {.name = "copy", .compute = compute};

static double run_units(const char *input, size_t bytes) {
  const struct ls_executor_kind *kind = &ls_executor_child;
  struct ls_executor_setup setup = {.app = &app, .speed = 1};
  struct ls_executor *executor = NULL;
  struct ls_error err;
  if (kind->create(&setup, &executor, &err) != LS_OK) stop(err.text);
  double start_s = 0;
  for (uint64_t unit = 0; unit < UNITS + 1; unit++) {
    struct ls_range units = {unit, 1};
    struct ls_upcoming next = {
        .chunk = unit, .work = {.units = units, .packed = units, .input = input, .length = bytes}};
    struct ls_execution execution;
    /* The first one forks the child and finds no memory yet. */
    if (unit == 1) start_s = read_clock();
    if (kind->start(executor, &next, &err) != LS_OK) stop(err.text);
    while (!kind->finished(executor, &execution)) {
      struct pollfd look = {.fd = kind->file(executor), .events = POLLIN};
      (void)poll(&look, 1, 1000);
    }
    if (execution.output->length != bytes || execution.output->data[bytes - 1] != input[bytes - 1])
      stop("another output");
  }
  double seconds = read_clock() - start_s;
  kind->destroy(executor);
  return seconds;
}

static void move_all(int file, char *data, size_t bytes, int is_sent) {
  for (size_t at = 0; at < bytes;) {
    size_t length = bytes - at < BLOCK ? bytes - at : BLOCK;
    ssize_t moved = is_sent != 0 ? send(file, data + at, length, MSG_NOSIGNAL)
                                 : recv(file, data + at, length, 0);
    if (moved <= 0) stop("the socket is closed");
    at += (size_t)moved;
  }
}

static double run_socket(char *input, char *output, size_t bytes) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) stop("no socket pair");
  pid_t child = fork();
  if (child < 0) stop("no child");
  for (int unit = 0; child == 0 && unit < UNITS + 1; unit++) {
    move_all(pair[1], output, bytes, 0);
    move_all(pair[1], output, bytes, 1);
  }
  if (child == 0) _exit(0);
  double start_s = 0;
  for (int unit = 0; unit < UNITS + 1; unit++) {
    if (unit == 1) start_s = read_clock();
    move_all(pair[0], input, bytes, 1);
    move_all(pair[0], output, bytes, 0);
  }
  double seconds = read_clock() - start_s;
  (void)waitpid(child, NULL, 0);
  (void)close(pair[0]);
  (void)close(pair[1]);
  return seconds;
}

static double run_copies(const char *input, char *output, size_t bytes) {
  double start_s = read_clock();
  for (int unit = 0; unit < UNITS; unit++) {
    for (int copy = 0; copy < 3; copy++) {
      memcpy(output, input, bytes);
      __asm__ volatile("" : : "r"(output) : "memory");
    }
  }
  return read_clock() - start_s;
}

static double find_median(double *values, size_t count) {
  ls_sort_ascending(values, count);
  return values[count / 2];
}

int main(int argc, char **argv) {
  size_t turns = argc == 3 ? (size_t)strtoul(argv[2], NULL, 10) : 7;
  size_t megabytes = argc == 3 ? (size_t)strtoul(argv[1], NULL, 10) : 8;
  if (turns < 1 || turns > TURNS_MAX || megabytes < 1 || megabytes > 512)
    stop("expected MEGABYTES TURNS, such as 8 5");
  size_t bytes = megabytes << 20;
  char *input = malloc(bytes), *output = malloc(bytes);
  if (input == NULL || output == NULL) stop("no memory");
  memset(input, 'i', bytes);
  memset(output, 'o', bytes);
  static double executors[TURNS_MAX], sockets[TURNS_MAX], copies[TURNS_MAX], ratios[TURNS_MAX];
  double moved = 2.0 * (double)megabytes * UNITS;
  for (size_t i = 0; i < turns; i++) {
    executors[i] = moved / run_units(input, bytes);
    sockets[i] = moved / run_socket(input, output, bytes);
    copies[i] = moved / run_copies(input, output, bytes);
    ratios[i] = executors[i] / sockets[i];
  }
  double ratio = find_median(ratios, turns), executor = find_median(executors, turns);
  double copied = find_median(copies, turns);
  printf(
      "units of %zu MiB in and out: executor %.0f MiB/s, socket %.0f, three copies %.0f: %.2f "
      "times the socket (reach %g), %.2f of the copies\n",
      megabytes, executor, find_median(sockets, turns), copied, ratio, REACH, executor / copied);
  free(input);
  free(output);
  return ratio >= REACH ? 0 : 1;
}
