/* Monitor that chooses the number of times to count by itself, beside every fixed number, in
 * virtual time: 1024 units on 8 workers of different speed, left alone and used by others, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "simulate/world.h"

enum { WORKERS = 8, UNITS = 1024, SEEDS = 20, HISTORIES = 7, LAWS = 2 };

static const double WORSE_MAX = 1.02;

/* The last one is judged by the others. */
static const char *const histories[HISTORIES] = {"1", "2", "5", "10", "20", "50", "auto"};

static void make_platform(struct ls_platform *platform, uint64_t seed) {
  struct ls_random random;
  assert_int_equal(ls_platform_init(platform, WORKERS, NULL), LS_OK);
  ls_random_init(&random, seed, "speeds");
  platform->prepare.latency_s = 0.01;
  for (size_t i = 0; i < WORKERS; i++) {
    platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s =
        1 / (0.7 + 0.6 * ls_random_real(&random));
    platform->workers[i].delay_s = 0.1;
  }
}

static json_t *make_arguments(bool is_dynamic, size_t law, uint64_t seed) {
  static const char *const laws[LAWS] = {"constant", "gamma"};
  json_t *times = json_pack("{s:s}", "law", laws[law]);
  json_t *arguments = json_pack("{s:i, s:o}", "prefetch", 1, "task_times", times);
  assert_non_null(arguments);
  if (law == 1) assert_int_equal(json_object_set_new(times, "variation", json_real(0.3)), 0);
  if (!is_dynamic) return arguments;
  json_t *load = json_pack("{s:s, s:i, s:f, s:f}", "kind", "seven", "first", (int)(seed % 7),
                           "duration", 1.3 * UNITS / WORKERS, "slot", 2.0);
  assert_int_equal(json_object_set_new(arguments, "load_pattern", load), 0);
  return arguments;
}

static double play(const char *history, bool is_dynamic, size_t law, uint64_t seed) {
  char policy[64];
  struct ls_platform platform;
  struct ls_world world;
  struct ls_simulated result;
  struct ls_error err = {0};
  make_platform(&platform, seed);
  json_t *arguments = make_arguments(is_dynamic, law, seed);
  (void)snprintf(policy, sizeof policy, "monitor:history=%s,report_every=auto", history);
  struct ls_world_request request = {.platform = &platform,
                                     .units = UNITS,
                                     .policy = policy,
                                     .arguments = ls_json_top(arguments, "test"),
                                     .has_seed = true,
                                     .seed = seed,
                                     .asking = LS_ASKING_ONE};
  if (ls_world_open(&world, &request, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(ls_simulate(&world.setup, &result, NULL, NULL), LS_OK);
  assert_int_equal(result.units_done, UNITS);
  ls_world_close(&world);
  ls_platform_close(&platform);
  json_decref(arguments);
  return result.makespan_s;
}

static void judge(bool is_dynamic, size_t law) {
  double sums[HISTORIES] = {0}, best = (double)INFINITY;
  for (uint64_t seed = 1; seed <= SEEDS; seed++)
    for (size_t i = 0; i < HISTORIES; i++) sums[i] += play(histories[i], is_dynamic, law, seed);
  for (size_t i = 0; i + 1 < HISTORIES; i++) best = fmin(best, sums[i]);
  if (!(sums[HISTORIES - 1] <= WORSE_MAX * best))
    fail_msg("%s, law %zu: auto takes %.4f of the best fixed one",
             is_dynamic ? "dynamic" : "static", law, sums[HISTORIES - 1] / best);
}

static void on_machines_left_alone(void **state) {
  (void)state;
  for (size_t law = 0; law < LAWS; law++) judge(false, law);
}

static void on_machines_that_others_use_by_the_seven_patterns(void **state) {
  (void)state;
  for (size_t law = 0; law < LAWS; law++) judge(true, law);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_machines_left_alone),
      cmocka_unit_test(on_machines_that_others_use_by_the_seven_patterns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
