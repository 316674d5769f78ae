/* scow_speed: how long periodic plans take, and what the search of `scow` gains.
 *
 * Usage: scow_speed [TURNS]
 *
 * Speed: a plan of 10^6 units for 64 workers beside the time of writing all its chunks down as JSON
 * (20 times at most), a plan for 10,000 workers (1 s), the exact most units in a period of 64
 * different workers by Cbc (10 ms).  Gain: `scow` beside `scow-mp` and `scow-pwu`, and `umr-scow`
 * beside itself without shrinking rounds, on the platforms of docs/theory/scow.md, 10 and 12: never
 * worse.  Times are medians over the turns, of processor
 * seconds.  Prints one JSON line per measure.  Exit 1 when one is not reached.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics.h"
#include "formats/plan_json.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "planners/planner.h"
#include "planners/scow/scow_production.h"
#include "processor_time.h"

enum { TURNS_MAX = 101 };

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "scow_speed: %s\n", err->text);
  exit(1);
}

/* A master that just keeps `count` workers busy; `is_mixed`: costs differ by half. */
static void open_platform(size_t count, bool is_mixed, struct ls_platform *platform) {
  struct ls_error err;
  struct ls_random random;
  ls_random_init(&random, 1, "scow speed");
  require(ls_platform_init(platform, count, &err), &err);
  for (size_t i = 0; i < count; i++) {
    struct ls_cost *costs = platform->workers[i].costs;
    double spread = is_mixed ? 0.5 + ls_random_real(&random) : 1;
    costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){0.5 / (double)count * spread, 1 / (1.1 * (double)count) * spread};
    spread = is_mixed ? 0.5 + ls_random_real(&random) : 1;
    costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.3 * spread, spread};
  }
}

static double make_plan(const struct ls_platform *platform, double load, bool is_whole,
                        const char *name, struct ls_plan *plan) {
  struct ls_error err;
  const struct ls_planner *planner;
  struct ls_planner_setup setup = {.platform = platform, .load = load, .is_whole = is_whole};
  require(ls_planner_parse(name, &planner, &setup, &err), &err);
  double start_s = read_clock();
  require(ls_planner_run(planner, &setup, NULL, plan, &err), &err);
  double seconds = read_clock() - start_s;
  ls_arguments_close(&setup.arguments);
  return seconds;
}

/* Seconds to write every chunk of the plan as JSON. */
static double write_down(const struct ls_plan *plan, const struct ls_platform *platform,
                         size_t *chunks) {
  struct ls_error err;
  struct ls_plan flat;
  struct ls_bytes json = {0};
  require(ls_plan_unfolded(plan, UINT64_MAX, &flat, &err), &err);
  require(ls_replay(&flat, platform, &err), &err);
  double start_s = read_clock();
  ls_plan_write(&flat, platform, &json);
  double seconds = read_clock() - start_s;
  *chunks = flat.chunks_count;
  ls_bytes_close(&json);
  ls_plan_close(&flat);
  return seconds;
}

static bool measure_large_load(size_t turns, bool is_mixed) {
  struct ls_platform platform;
  double planned[TURNS_MAX], written[TURNS_MAX];
  size_t chunks = 0, stored = 0;
  open_platform(64, is_mixed, &platform);
  for (size_t turn = 0; turn < turns; turn++) {
    struct ls_plan plan;
    planned[turn] = make_plan(&platform, 1e6, true, "scow", &plan);
    written[turn] = write_down(&plan, &platform, &chunks);
    stored = plan.chunks_count;
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
  double plan_s = ls_median(planned, turns), write_s = ls_median(written, turns);
  printf(
      "{\"what\": \"scow, 64 %s workers, 10^6 units\", \"seconds\": %.4g, \"write_seconds\": "
      "%.4g, \"ratio\": %.3g, \"reach\": 20, \"chunks\": %zu, \"stored\": %zu}\n",
      is_mixed ? "different" : "identical", plan_s, write_s, plan_s / write_s, chunks, stored);
  return plan_s <= 20 * write_s;
}

static bool measure_many_workers(size_t turns, bool is_mixed) {
  struct ls_platform platform;
  double seconds[TURNS_MAX];
  open_platform(10000, is_mixed, &platform);
  for (size_t turn = 0; turn < turns; turn++) {
    struct ls_plan plan;
    seconds[turn] = make_plan(&platform, 1e7, true, "scow", &plan);
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
  double median_s = ls_median(seconds, turns);
  printf("{\"what\": \"scow, 10000 %s workers, 10^7 units\", \"seconds\": %.4g, \"reach\": 1}\n",
         is_mixed ? "different" : "identical", median_s);
  return median_s <= 1;
}

static bool measure_production(size_t turns) {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_error err;
  double seconds[TURNS_MAX], units[64], worst_s = 0;
  open_platform(64, true, &platform);
  struct ls_planner_setup setup = {.platform = &platform, .load = 1};
  require(ls_scow_star_open(&star, &setup, NULL, &err), &err);
  static const double periods[] = {1, 3, 10, 30};
  for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
    for (size_t turn = 0; turn < turns; turn++) {
      struct ls_budget budget = {0};
      double start_s = read_clock();
      require(ls_scow_produce_exactly(&star, periods[i], &budget, units, &err), &err);
      seconds[turn] = read_clock() - start_s;
    }
    worst_s = fmax(worst_s, ls_median(seconds, turns));
  }
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
  printf(
      "{\"what\": \"exact most units in a period, 64 different workers, slowest of 4 periods\", "
      "\"seconds\": %.4g, \"reach\": 0.01}\n",
      worst_s);
  return worst_s <= 0.01;
}

/* ---- What the search gains ---- */

struct gain {
  double sum, largest;
  size_t count, worse;
};

/* Whose gain: one algorithm beside the better of two others. */
struct rivals {
  const char *name, *others[2], *what;
};

static double measure_makespan(const struct ls_platform *platform, double load, bool is_whole,
                               const char *name) {
  struct ls_plan plan;
  (void)make_plan(platform, load, is_whole, name, &plan);
  double makespan_s = plan.makespan_s;
  ls_plan_close(&plan);
  return makespan_s;
}

static void add_gain(const struct ls_platform *platform, double load, bool is_whole,
                     const struct rivals *rivals, struct gain *gain) {
  double other_s = (double)INFINITY;
  for (size_t i = 0; i < 2; i++)
    other_s = fmin(other_s, measure_makespan(platform, load, is_whole, rivals->others[i]));
  double own = 1 - measure_makespan(platform, load, is_whole, rivals->name) / other_s;
  gain->sum += own;
  gain->largest = fmax(gain->largest, own);
  gain->worse += own < -1e-12;
  gain->count++;
}

/* Table 6-1 with six bandwidths; eight workers whose latencies are large; seeded platforms. */
static bool measure_gain(const struct rivals *rivals, bool is_whole) {
  static const double bandwidths[] = {11, 22, 33, 12, 23, 34};
  struct gain gain = {0, 0, 0, 0};
  for (size_t k = 0; k < 14; k++) {
    struct ls_platform platform;
    struct ls_error err;
    double load = k < 6 ? 1000 : k == 6 ? 4000 : 500 * (double)k;
    if (k < 7) {
      require(ls_platform_init(&platform, k < 6 ? 60 : 8, &err), &err);
      for (size_t i = 0; i < platform.workers_count; i++) {
        struct ls_cost *costs = platform.workers[i].costs;
        costs[LS_OPERATION_TRANSFER] =
            k < 6 ? (struct ls_cost){0.03, 1 / bandwidths[k]} : (struct ls_cost){0.1, 0.05};
        costs[LS_OPERATION_COMPUTE] = k < 6 ? (struct ls_cost){0.03, 1} : (struct ls_cost){0.5, 1};
      }
    } else {
      open_platform(4 + 3 * k, true, &platform);
    }
    add_gain(&platform, load, is_whole, rivals, &gain);
    ls_platform_close(&platform);
  }
  printf(
      "{\"what\": \"%s, %s units\", \"platforms\": "
      "%zu, \"worse\": %zu, \"mean_gain\": %.4g, \"largest_gain\": %.4g, \"reach\": 0}\n",
      rivals->what, is_whole ? "whole" : "real", gain.count, gain.worse,
      gain.sum / (double)gain.count, gain.largest);
  return gain.worse == 0;
}

int main(int count, char **arguments) {
  static const struct rivals rivals[] = {
      {"scow", {"scow-mp", "scow-pwu"}, "scow beside the better of scow-mp and scow-pwu"},
      {"umr-scow", {"umr-scow:tail=none", "scow"}, "umr-scow beside itself without a tail"},
      {"umr-scow:window=1-20",
       {"umr-scow:window=1-20,tail=none", "scow:window=1-20"},
       "umr-scow in a window beside itself without a tail"}};
  size_t turns = count > 1 ? strtoul(arguments[1], NULL, 10) : 5;
  if (turns < 1 || turns > TURNS_MAX) {
    fprintf(stderr, "scow_speed: TURNS is %s, expected 1 to %d\n", arguments[1], TURNS_MAX);
    return 2;
  }
  bool is_reached = true;
  for (int mixed = 0; mixed < 2; mixed++) {
    is_reached &= measure_large_load(turns, mixed);
    is_reached &= measure_many_workers(turns, mixed);
    for (size_t i = 0; i < sizeof rivals / sizeof *rivals; i++)
      is_reached &= measure_gain(&rivals[i], mixed);
  }
  is_reached &= measure_production(turns);
  return is_reached ? 0 : 1;
}
