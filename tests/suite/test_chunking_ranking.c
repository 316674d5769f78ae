/* Which policies win: a sample of the specification's grid, in virtual time.  Workers of equal to
 * strongly unequal speeds, five laws of task times, three latencies, four prefetches, loads that
 * change; the figure is makespan over lower bound.  A policy whose formula is subtly wrong still
 * hands out every unit, but loses its place here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "simulate/load_pattern.h"
#include "simulate/simulate.h"
#include "simulate/task_times.h"

enum { UNITS = 1024, WORKERS = 8, SCENARIOS = 540, STRIDE = 11, DRAWS = 2, POLICIES_MAX = 64 };

struct scenario {
  size_t speeds, law, latency, prefetch, load; /* what the grid varies */
  struct ls_random random;
  struct ls_platform platform;
  double speed[WORKERS], speed_sum, work[UNITS], work_sum, deviation, bound_s;
  struct ls_availability *pieces[WORKERS];
  const struct ls_availability *availability[WORKERS];
  size_t pieces_count[WORKERS];
};

static void draw_workers(struct scenario *scenario) {
  static const double latencies[] = {0, 0.1, 1};
  assert_int_equal(ls_platform_init(&scenario->platform, WORKERS, NULL), LS_OK);
  scenario->platform.prepare.latency_s = 0.01;
  for (size_t i = 0; i < WORKERS; i++) {
    double chance = ls_random_real(&scenario->random);
    scenario->speed[i] = scenario->speeds == 0   ? 1
                         : scenario->speeds == 1 ? 0.7 + 0.6 * chance
                                                 : pow(2, -1.6 + 3.2 * chance);
    scenario->speed_sum += scenario->speed[i];
    scenario->platform.workers[i].compute.per_unit_s = 1 / scenario->speed[i];
    scenario->platform.workers[i].delay_s = latencies[scenario->latency];
  }
}

static void draw_tasks(struct scenario *scenario) {
  static const enum ls_task_law laws[] = {LS_TASK_CONSTANT, LS_TASK_GAMMA, LS_TASK_EXPONENTIAL,
                                          LS_TASK_BIMODAL, LS_TASK_RAMP_DOWN};
  struct ls_task_times times = {laws[scenario->law], 1, 0.3};
  double squares = 0;
  assert_int_equal(ls_task_times_draw(&times, &scenario->random, scenario->work, UNITS, NULL),
                   LS_OK);
  for (size_t i = 0; i < UNITS; i++) {
    scenario->work_sum += scenario->work[i];
    squares += scenario->work[i] * scenario->work[i];
  }
  double mean = scenario->work_sum / UNITS;
  scenario->deviation = sqrt(fmax(0, squares / UNITS - mean * mean));
}

/* 0: static; 1: the seven patterns of the thesis; 2: chance that changes fast. */
static void draw_load(struct scenario *scenario) {
  double ideal_s = scenario->work_sum / scenario->speed_sum;
  struct ls_load_pattern pattern = {LS_PATTERN_SEVEN, ls_random_below(&scenario->random, 7),
                                    1.3 * ideal_s, 0.5, fmax(0.5, ideal_s / 64)};
  if (scenario->load == 2) {
    pattern = (struct ls_load_pattern){LS_PATTERN_RANDOM, 0, 2 * ideal_s, 1.0 / 3, ideal_s / 12};
  }
  for (size_t i = 0; i < WORKERS && scenario->load > 0; i++) {
    assert_int_equal(ls_load_pattern_make(&pattern, i, &scenario->random, &scenario->pieces[i],
                                          &scenario->pieces_count[i], NULL),
                     LS_OK);
    scenario->availability[i] = scenario->pieces[i];
  }
}

/* What the workers can do until `time_s`, each at its share of its speed. */
static double measure_capacity(const struct scenario *scenario, double time_s) {
  double units = 0;
  for (size_t i = 0; i < WORKERS; i++) {
    double rest_s = time_s;
    for (size_t k = scenario->pieces_count[i]; k-- > 0 && scenario->load > 0;) {
      double from_s = scenario->pieces[i][k].from_s;
      if (!(from_s < rest_s)) continue;
      units += (rest_s - from_s) * scenario->pieces[i][k].share * scenario->speed[i];
      rest_s = from_s;
    }
    units += rest_s * scenario->speed[i];
  }
  return units;
}

static void find_bound(struct scenario *scenario) {
  double least = 0, most = 1;
  double longest_s = 0;
  while (measure_capacity(scenario, most) < scenario->work_sum) most *= 2;
  for (int i = 0; i < 60; i++) {
    double middle = (least + most) / 2;
    if (measure_capacity(scenario, middle) < scenario->work_sum) {
      least = middle;
    } else {
      most = middle;
    }
  }
  double fastest = 0;
  for (size_t i = 0; i < WORKERS; i++) fastest = fmax(fastest, scenario->speed[i]);
  for (size_t i = 0; i < UNITS; i++) longest_s = fmax(longest_s, scenario->work[i] / fastest);
  scenario->bound_s = fmax(most, longest_s);
}

static void open_scenario(struct scenario *scenario, size_t number, uint64_t draw) {
  *scenario = (struct scenario){.load = number % 3,
                                .prefetch = number / 3 % 4,
                                .latency = number / 12 % 3,
                                .law = number / 36 % 5,
                                .speeds = number / 180};
  ls_random_init(&scenario->random, number * 100 + draw, "ranking");
  draw_workers(scenario);
  draw_tasks(scenario);
  draw_load(scenario);
  find_bound(scenario);
}

static void close_scenario(struct scenario *scenario) {
  for (size_t i = 0; i < WORKERS; i++) free(scenario->pieces[i]);
  ls_platform_close(&scenario->platform);
}

/* Makespan over lower bound. Policies know what the specification lets them know. */
static double play(const struct scenario *scenario, const struct ls_chunking *policy) {
  static const uint64_t prefetches[] = {0, 1, 2, 16};
  double mean_speed = scenario->speed_sum / WORKERS;
  bool knows_speeds = strcmp(policy->name, "wf2") == 0 || strncmp(policy->name, "awf", 3) == 0;
  struct ls_simulation simulation = {.platform = &scenario->platform,
                                     .units = UNITS,
                                     .task_work = scenario->work,
                                     .prefetch = prefetches[scenario->prefetch]};
  struct ls_coordinator_config *config = &simulation.config;
  struct ls_simulated result;
  struct ls_error err = {0};
  config->chunking = policy;
  ls_arguments_init(&config->arguments, policy->parameters);
  config->mean_seconds = 1 / mean_speed;
  config->deviation_seconds = scenario->deviation / mean_speed;
  config->overhead_seconds = 0.01 + 2 * scenario->platform.workers[0].delay_s;
  if (knows_speeds) config->weights = scenario->speed;
  if (strcmp(policy->name, "monitor") == 0) simulation.report_every = 4;
  if (scenario->load > 0) {
    simulation.availability = scenario->availability;
    simulation.availability_count = scenario->pieces_count;
  }
  if (ls_simulate(&simulation, &result, NULL, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(result.units_done, UNITS);
  double figure = result.makespan_s / scenario->bound_s;
  if (!(figure >= 1 - 1e-9)) fail_msg("%s is below the lower bound: %.12g", policy->name, figure);
  return figure;
}

static void measure_means(double *means) {
  size_t count = 0;
  for (size_t number = 0; number < SCENARIOS; number += STRIDE) {
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
      struct scenario scenario;
      open_scenario(&scenario, number, draw);
      for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
        if (!ls_chunkings[i]->is_pushed) means[i] += play(&scenario, ls_chunkings[i]);
      }
      close_scenario(&scenario);
      count++;
    }
  }
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) means[i] /= (double)count;
}

static double find_mean(const double *means, const char *name) {
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    if (strcmp(ls_chunkings[i]->name, name) == 0) return means[i];
  }
  fail_msg("no policy %s", name);
  return 0;
}

static void weights_win_and_blind_boldness_loses(void **state) {
  (void)state;
  static const char *const best[] = {"wf2", "awf", "awf-b", "awf-c", "awf-d", "awf-e"};
  static const char *const then[] = {"af", "mfsc"};
  static const char *const worst[] = {"bold", "gss", "fac", "sc"};
  double means[POLICIES_MAX] = {0};
  measure_means(means);
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    if (!ls_chunkings[i]->is_pushed) print_message("%-8s %.3f\n", ls_chunkings[i]->name, means[i]);
  }
  double best_worst = 0;
  for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
    best_worst = fmax(best_worst, find_mean(means, best[i]));
  }
  assert_true(best_worst < 1.12);
  double af = find_mean(means, then[0]), mfsc = find_mean(means, then[1]);
  assert_true(best_worst < af && af < mfsc);
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    bool is_top = false, is_bottom = false;
    for (size_t k = 0; k < sizeof best / sizeof *best; k++) {
      is_top |= strcmp(ls_chunkings[i]->name, best[k]) == 0;
    }
    for (size_t k = 0; k < sizeof then / sizeof *then; k++) {
      is_top |= strcmp(ls_chunkings[i]->name, then[k]) == 0;
    }
    for (size_t k = 0; k < sizeof worst / sizeof *worst; k++) {
      is_bottom |= strcmp(ls_chunkings[i]->name, worst[k]) == 0;
    }
    if (is_top || ls_chunkings[i]->is_pushed) continue;
    assert_true(means[i] > mfsc);
    if (!is_bottom) continue;
    assert_true(means[i] > find_mean(means, "monitor"));
    assert_true(means[i] > find_mean(means, "ss"));
  }
}

/* Nobody tells the speeds: the first time step measures them, and the second is shorter. */
static void awf_learns_between_iterations(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_iteration iterations[3];
  struct ls_simulated result;
  struct ls_error err = {0};
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  static const double seconds[] = {1, 4, 16};
  for (size_t i = 0; i < 3; i++) platform.workers[i].compute.per_unit_s = seconds[i];
  struct ls_simulation simulation = {.platform = &platform,
                                     .units = 100,
                                     .iterations = 3,
                                     .prefetch = 0,
                                     .iterations_out = iterations};
  simulation.config.chunking = ls_chunking_find("awf");
  simulation.config.mean_seconds = simulation.config.deviation_seconds = (double)NAN;
  simulation.config.overhead_seconds = (double)NAN;
  ls_arguments_init(&simulation.config.arguments, NULL);
  if (ls_simulate(&simulation, &result, NULL, &err) != LS_OK) fail_msg("%s", err.text);
  double first_s = iterations[0].end_s - iterations[0].begin_s;
  for (size_t i = 1; i < 3; i++) {
    double later_s = iterations[i].end_s - iterations[i].begin_s;
    print_message("iteration %zu: %.6g s, the first one: %.6g s\n", i, later_s, first_s);
    assert_true(later_s < first_s / 2);
  }
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_win_and_blind_boldness_loses),
      cmocka_unit_test(awf_learns_between_iterations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
