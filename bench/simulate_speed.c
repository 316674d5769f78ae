/* simulate_speed: how many chunks a second the simulator plays, beside a bare event loop.
 *
 * Usage: simulate_speed [CHUNKS [TURNS]]
 *
 * Both play `ss` (one unit per request) on 100 workers of different speed, one process, without
 * timeline and notes.  The bare loop schedules nothing: it takes the earliest completion out of
 * the same event queue and puts the worker's next one in.  The two take turns, so that a busy
 * machine slows both; what counts is the median of the ratios of each turn.  Prints one JSON line;
 * exit status 1: what is to be reached is missed (the rate falls with the load of the machine, the
 * ratio hardly).
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/heap.h"
#include "base/random.h"
#include "simulate/simulate.h"

enum { WORKERS = 100, TURNS_MAX = 101 };

/* What is to be reached: at least the one, at most the other. */
static const double RATE_REACH = 1e7, RATIO_REACH = 3;

static double read_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "simulate_speed: %s\n", err->text);
  exit(1);
}

/* The makespan of `units` units; every worker takes the next one when it has ended one. */
static double play_bare(const struct ls_platform *platform, uint64_t units) {
  struct ls_heap events = {0};
  struct ls_heap_item item = {0};
  struct ls_error err = {.text = "no memory"};
  for (uint64_t i = 0; i < WORKERS; i++, units--)
    require(ls_heap_push(&events, platform->workers[i].compute.per_unit_s, 0, i), &err);
  while (ls_heap_pop(&events, &item)) {
    if (units == 0) continue;
    units--;
    double end_s = item.time_s + platform->workers[item.payload].compute.per_unit_s;
    require(ls_heap_push(&events, end_s, 0, item.payload), &err);
  }
  ls_heap_close(&events);
  return item.time_s;
}

static double play_simulator(const struct ls_platform *platform, uint64_t units) {
  struct ls_error err = {0};
  struct ls_simulated result = {0};
  struct ls_simulation setup = {.platform = platform, .units = units, .prefetch = 0};
  setup.config.chunking = ls_chunking_find("ss");
  setup.config.mean_seconds = setup.config.deviation_seconds = (double)NAN;
  setup.config.overhead_seconds = (double)NAN;
  require(ls_simulate(&setup, &result, NULL, &err), &err);
  if (result.chunks != units) {
    fprintf(stderr, "simulate_speed: %llu chunks, expected %llu\n",
            (unsigned long long)result.chunks, (unsigned long long)units);
    exit(1);
  }
  return result.makespan_s;
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double find_median(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare);
  return values[count / 2];
}

int main(int count, char **arguments) {
  uint64_t units = count > 1 ? strtoull(arguments[1], NULL, 10) : 4000000;
  size_t turns = count > 2 ? (size_t)strtoull(arguments[2], NULL, 10) : 7;
  double rates[TURNS_MAX], bare_rates[TURNS_MAX], ratios[TURNS_MAX];
  struct ls_platform platform;
  struct ls_random random;
  struct ls_error err = {0};
  if (units < WORKERS || turns < 1 || turns > TURNS_MAX) {
    fprintf(stderr, "usage: simulate_speed [CHUNKS >= %d [TURNS 1 to %d]]\n", WORKERS, TURNS_MAX);
    return 2;
  }
  require(ls_platform_init(&platform, WORKERS, &err), &err);
  ls_random_init(&random, 1, "speeds");
  for (size_t i = 0; i < WORKERS; i++)
    platform.workers[i].compute.per_unit_s = 0.5 + ls_random_real(&random);
  for (size_t i = 0; i < turns; i++) {
    double begin_s = read_clock();
    double bare_s = play_bare(&platform, units);
    double middle_s = read_clock();
    double makespan_s = play_simulator(&platform, units);
    double end_s = read_clock();
    if (!(fabs(bare_s - makespan_s) <= 1e-9 * bare_s)) {
      fprintf(stderr, "simulate_speed: makespan %.17g, expected %.17g\n", makespan_s, bare_s);
      return 1;
    }
    rates[i] = (double)units / (end_s - middle_s);
    bare_rates[i] = (double)units / (middle_s - begin_s);
    ratios[i] = bare_rates[i] / rates[i];
  }
  double rate = find_median(rates, turns), ratio = find_median(ratios, turns);
  printf(
      "{\"chunks\": %llu, \"turns\": %zu, \"chunks_per_second\": %.4g, "
      "\"bare_events_per_second\": %.4g, \"bare_to_simulator\": %.3g, "
      "\"reach\": {\"chunks_per_second\": %g, \"bare_to_simulator\": %g}}\n",
      (unsigned long long)units, turns, rate, find_median(bare_rates, turns), ratio, RATE_REACH,
      RATIO_REACH);
  ls_platform_close(&platform);
  return rate >= RATE_REACH && ratio <= RATIO_REACH ? 0 : 1;
}
