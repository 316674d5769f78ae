/* Which policies win: a sample of the grid of docs/theory/online.md, 9, in virtual time.  Workers
 * of equal to strongly unequal speeds, five laws of task times, three latencies, four prefetches,
 * loads that change; the figure is makespan over lower bound.  A policy whose formula is subtly
 * wrong still hands out every unit, but loses its place here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/studies/trial.h"

enum { WORKERS = 8, STRIDE = 11, DRAWS = 2, POLICIES_MAX = 64 };

/* Makespan over lower bound. Policies know what docs/theory/online.md, 9, lets them know. */
static double play(const struct ls_trial *scenario, const struct ls_chunking *policy) {
  struct ls_simulation simulation;
  struct ls_simulated result;
  struct ls_error err = {0};
  ls_trial_world(scenario, &simulation);
  simulation.config.chunking = policy;
  if (ls_trial_arguments(scenario, policy, &simulation.config.arguments, &err) != LS_OK)
    fail_msg("%s", err.text);
  /* Static chunking has its place among those that know no speeds. */
  if (strcmp(policy->name, "sc") == 0) simulation.config.weights = NULL;
  if (ls_simulate(&simulation, &result, NULL, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(result.units_done, LS_TRIAL_UNITS);
  double figure = result.makespan_s / scenario->bound_s;
  if (!(figure >= 1 - 1e-9)) fail_msg("%s is below the lower bound: %.12g", policy->name, figure);
  return figure;
}

static void measure_means(double *means) {
  size_t count = 0;
  struct ls_error err = {0};
  for (size_t number = 0; number < LS_TRIALS; number += STRIDE) {
    struct ls_trial_key key = {.number = number, .workers = WORKERS, .seed = 1};
    struct ls_trial scenario;
    if (ls_trial_open(&scenario, &key, &err) != LS_OK) fail_msg("%s", err.text);
    for (size_t draw = 0; draw < DRAWS; draw++) {
      if (ls_trial_draw(&scenario, draw, &err) != LS_OK) fail_msg("%s", err.text);
      for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
        if (!ls_chunkings[i]->is_pushed) means[i] += play(&scenario, ls_chunkings[i]);
      }
      count++;
    }
    ls_trial_close(&scenario);
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
  static const char *const best[] = {"wf", "wf2", "awf", "awf-b", "awf-c", "awf-d", "awf-e"};
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

/* The speeds are not told: the first time step measures them, and the second is shorter. */
static void awf_learns_between_iterations(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_iteration iterations[3];
  struct ls_simulated result;
  struct ls_error err = {0};
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  static const double seconds[] = {1, 4, 16};
  for (size_t i = 0; i < 3; i++)
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = seconds[i];
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
