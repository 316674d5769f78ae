#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "model/plan_repeat.h"
#include "scow_fixture.h"

/* The parameter as JSON, which the caller releases; NULL: there is none. */
static json_t *read_spmd(const struct ls_plan *plan) {
  for (size_t i = 0; i < plan->parameters_count; i++)
    if (strcmp(plan->parameters[i].name, "spmd") == 0)
      return json_loads(plan->parameters[i].json, 0, NULL);
  return NULL;
}

static double sum_list(const json_t *spmd, const char *name) {
  const json_t *list = json_object_get(spmd, name);
  double sum = 0;
  for (size_t i = 0; i < json_array_size(list); i++)
    sum += json_number_value(json_array_get(list, i));
  return sum;
}

/* nRounds sum nCoreTasks + sum last + sum auxiliary = load, exactly, and worker by worker. */
static void the_parameters_are_the_load(void **state) {
  static const char *const names[] = {"scow",         "scow-mp",    "scow-pwu",
                                      "steady-state", "asymptotic", "periodic:whole=alike"};
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "spmd");
  for (int turn = 0; turn < 60; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double units[16], load = floor(star_draw(&random, 5, 5000));
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 9);
    scow_plan(&platform, load, true, names[turn % 6], &plan);
    if (plan.outcome != LS_PLAN_OK) {
      ls_plan_close(&plan);
      ls_platform_close(&platform);
      continue;
    }
    json_t *spmd = read_spmd(&plan);
    if (spmd == NULL) fail_msg("%s: no spmd", names[turn % 6]);
    double rounds = json_number_value(json_object_get(spmd, "nRounds"));
    expect_near(rounds * sum_list(spmd, "nCoreTasks") + sum_list(spmd, "last") +
                    sum_list(spmd, "auxiliary"),
                load, 0);
    ls_plan_units(&plan, platform.workers_count, units);
    size_t workers = json_array_size(json_object_get(spmd, "workers"));
    assert_int_equal(json_integer_value(json_object_get(spmd, "nWorkers")), workers);
    for (size_t i = 0; i < workers; i++) {
      size_t worker =
          (size_t)json_integer_value(json_array_get(json_object_get(spmd, "workers"), i));
      double own = 0;
      static const char *const lists[] = {"nCoreTasks", "last", "auxiliary"};
      for (size_t k = 0; k < 3; k++)
        own += (k == 0 ? rounds : 1) *
               json_number_value(json_array_get(json_object_get(spmd, lists[k]), i));
      expect_near(own, units[worker], 0);
    }
    json_decref(spmd);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Parts of units, growing rounds, and chunks that were changed afterwards have no such form. */
static void what_is_no_such_loop_has_none(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_grid(&platform, 8, (struct ls_cost){0.1, 0.05}, (struct ls_cost){0.5, 1});
  scow_plan(&platform, 4000, false, "scow", &plan);
  assert_null(read_spmd(&plan));
  ls_plan_close(&plan);
  scow_plan(&platform, 4000, true, "umr-scow", &plan);
  assert_true(ls_plan_get(&plan, "ramp_rounds", 0) >= 1);
  assert_null(read_spmd(&plan));
  ls_plan_close(&plan);
  for (size_t i = 0; i < 8; i++) platform.workers[i].room_units = 9;
  scow_plan(&platform, 400, true, "scow", &plan);
  if (ls_plan_get(&plan, "fitted", 0) > 0) assert_null(read_spmd(&plan));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_parameters_are_the_load),
      cmocka_unit_test(what_is_no_such_loop_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
