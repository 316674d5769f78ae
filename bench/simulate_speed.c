/* simulate_speed: what a simulated chunk costs, beside a bare event loop over the same events.
 *
 * Usage: simulate_speed LOADSTAR [UNITS [TURNS]]
 *
 * Two things that users do: `loadstar simulate --policy ss` with transfer costs on 100 workers, as
 * a whole process; and a simulation as an adviser makes them, 1024 units on 8 workers, with
 * transfer costs and prefetch 1.  The bare loop decides nothing: a transfer ends at the port and a
 * unit at its worker, each by an event in the same kind of queue.  They take turns, so that a busy
 * machine slows all; what counts is the median of the ratios of each turn.  Prints one JSON line;
 * exit status 1: what is to be reached is missed.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/random.h"
#include "base/statistics.h"
#include "processor_time.h"
#include "simulate/simulate.h"

enum { WORKERS = 100, FEW_WORKERS = 8, FEW_UNITS = 1024, TURNS_MAX = 101 };

/* What is to be reached, at most. */
static const double COMMAND_REACH = 4, ADVISER_REACH = 6, PEAK_REACH_MIB = 64;
static const double TRANSFER_S = 0.001;

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "simulate_speed: %s\n", err->text);
  exit(1);
}

/* The workers that wait for the port, in their order. */
struct line {
  uint64_t workers[2 * WORKERS];
  size_t head, count;
};

static void enter(struct line *line, uint64_t worker) {
  line->workers[(line->head + line->count++) % (2 * WORKERS)] = worker;
}

static uint64_t leave(struct line *line) {
  uint64_t worker = line->workers[line->head];
  line->head = (line->head + 1) % (2 * WORKERS);
  line->count--;
  return worker;
}

/* The makespan of `units` units: a worker that begins one asks for the next. */
static double play_bare(const struct ls_platform *platform, uint64_t units) {
  enum { PORT, WORK };
  struct ls_heap events = {0};
  struct ls_heap_item item = {0};
  struct ls_error err = {.text = "no memory"};
  struct line line = {.count = 0};
  bool is_busy = false, is_running[WORKERS] = {false};
  uint64_t waiting[WORKERS] = {0};
  double makespan_s = 0;
  for (uint64_t i = 0; i < platform->workers_count; i++) enter(&line, i);
  do {
    uint64_t worker = item.payload;
    bool may_begin = false;
    if (item.time_s > 0 && ls_heap_priority(&item) == PORT) {
      is_busy = false;
      waiting[worker]++;
      may_begin = !is_running[worker];
    } else if (item.time_s > 0) {
      makespan_s = item.time_s;
      is_running[worker] = false;
      may_begin = waiting[worker] > 0;
    }
    if (may_begin) {
      const struct ls_cost *cost = &platform->workers[worker].costs[LS_OPERATION_COMPUTE];
      is_running[worker] = true;
      waiting[worker]--;
      require(ls_heap_push(&events, item.time_s + cost->per_unit_s, WORK, worker), &err);
      enter(&line, worker);
    }
    if (!is_busy && line.count > 0 && units > 0) {
      is_busy = true;
      units--;
      require(ls_heap_push(&events, item.time_s + TRANSFER_S, PORT, leave(&line)), &err);
    }
  } while (ls_heap_pop(&events, &item));
  ls_heap_close(&events);
  return makespan_s;
}

static double play_simulator(const struct ls_platform *platform, uint64_t units) {
  struct ls_error err = {0};
  struct ls_simulated result = {0};
  struct ls_simulation setup = {.platform = platform, .units = units, .prefetch = 1};
  setup.config.chunking = ls_chunking_find("ss");
  setup.config.mean_seconds = setup.config.deviation_seconds = (double)NAN;
  setup.config.overhead_seconds = (double)NAN;
  require(ls_simulate(&setup, &result, NULL, &err), &err);
  return result.makespan_s;
}

static void open_platform(struct ls_platform *platform, size_t workers) {
  struct ls_random random;
  struct ls_error err = {0};
  require(ls_platform_init(platform, workers, &err), &err);
  ls_random_init(&random, 1, "speeds");
  for (size_t i = 0; i < workers; i++) {
    platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.5 + ls_random_real(&random);
    platform->workers[i].costs[LS_OPERATION_TRANSFER].latency_s = TRANSFER_S;
  }
}

/* Processor seconds and peak memory of the command. */
static double run_command(const char *program, uint64_t units, double *peak_mib) {
  char load[32], platform[96];
  struct rusage usage;
  int state = 0;
  (void)snprintf(load, sizeof load, "--load=%llu", (unsigned long long)units);
  (void)snprintf(platform, sizeof platform, "--platform=%dx(compute=0+1x, transfer=%g+0x)", WORKERS,
                 TRANSFER_S);
  pid_t pid = fork();
  if (pid == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)execl(program, program, "simulate", "--policy=ss", platform, load, (char *)NULL);
    _exit(127);
  }
  if (pid < 0 || wait4(pid, &state, 0, &usage) != pid || state != 0) {
    fprintf(stderr, "simulate_speed: %s failed\n", program);
    exit(1);
  }
  *peak_mib = (double)usage.ru_maxrss / 1024;
  return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
         (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
}

static double find_median(double *values, size_t count) {
  ls_sort_ascending(values, count);
  return values[count / 2];
}

static double time_many(double (*play)(const struct ls_platform *, uint64_t),
                        const struct ls_platform *platform, uint64_t units, uint64_t times) {
  double begin_s = read_clock(), makespan_s = 0;
  for (uint64_t i = 0; i < times; i++) makespan_s += play(platform, units);
  double seconds = read_clock() - begin_s;
  if (!(makespan_s > 0)) exit(1);
  return seconds;
}

int main(int count, char **arguments) {
  uint64_t units = count > 2 ? strtoull(arguments[2], NULL, 10) : 20000000;
  size_t turns = count > 3 ? (size_t)strtoull(arguments[3], NULL, 10) : 5;
  double rates[TURNS_MAX], ratios[TURNS_MAX], advised[TURNS_MAX], peak_mib = 0;
  struct ls_platform platform, few;
  if (count < 2 || units < WORKERS || turns < 1 || turns > TURNS_MAX) {
    fprintf(stderr, "usage: simulate_speed LOADSTAR [UNITS >= %d [TURNS 1 to %d]]\n", WORKERS,
            TURNS_MAX);
    return 2;
  }
  open_platform(&platform, WORKERS);
  open_platform(&few, FEW_WORKERS);
  for (size_t i = 0; i < turns; i++) {
    uint64_t times = 1 + units / FEW_UNITS / 10;
    double bare_s = time_many(play_bare, &platform, units, 1);
    double command_s = run_command(arguments[1], units, &peak_mib);
    rates[i] = (double)units / command_s;
    ratios[i] = command_s / bare_s;
    bare_s = time_many(play_bare, &few, FEW_UNITS, times);
    advised[i] = time_many(play_simulator, &few, FEW_UNITS, times) / bare_s;
  }
  double ratio = find_median(ratios, turns), adviser = find_median(advised, turns);
  printf(
      "{\"units\": %llu, \"turns\": %zu, \"units_per_second\": %.4g, \"command_to_bare\": %.3g, "
      "\"peak_mib\": %.3g, \"adviser_to_bare\": %.3g, \"reach\": {\"command_to_bare\": %g, "
      "\"peak_mib\": %g, \"adviser_to_bare\": %g}}\n",
      (unsigned long long)units, turns, find_median(rates, turns), ratio, peak_mib, adviser,
      COMMAND_REACH, PEAK_REACH_MIB, ADVISER_REACH);
  ls_platform_close(&platform);
  ls_platform_close(&few);
  return ratio <= COMMAND_REACH && peak_mib <= PEAK_REACH_MIB && adviser <= ADVISER_REACH ? 0 : 1;
}
