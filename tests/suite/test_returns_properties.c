/* Loads whose results return: every record of the vectors, and what the theory says of all plans.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "formats/platform_json.h"
#include "model/validate.h"
#include "planners/planner.h"

static const char *vectors_path;

static const char *const planners[] = {"fifo",       "lifo",          "fifo-inc-c",    "fifo-inc-w",
                                       "returns-lp", "returns-exact", "returns-search"};
enum { PLANNERS = sizeof planners / sizeof *planners };

static double draw(struct ls_random *random, double least, double most) {
  return least + (most - least) * ls_random_real(random);
}

/* The classes of platforms; every fifth platform has uncorrelated costs. */
static void open_platform(struct ls_platform *platform, struct ls_random *random, size_t kind,
                          enum ls_ports ports) {
  static const double ratios[] = {0.1, 1, 3, 10}, returned[] = {0.2, 0.8, 1, 1.5, 0};
  size_t count = 1 + ls_random_below(random, 5);
  assert_int_equal(ls_platform_init(platform, count, NULL), LS_OK);
  platform->ports = ports;
  for (size_t i = 0; i < count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    double z = returned[kind / 4 % 5], own = draw(random, 0.5, 1.5);
    worker->costs[LS_OPERATION_TRANSFER].per_unit_s = draw(random, 0.5, 1.5);
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = draw(random, 0.5, 1.5) * ratios[kind % 4];
    worker->costs[LS_OPERATION_REPLY].per_unit_s =
        z > 0 ? z * worker->costs[LS_OPERATION_TRANSFER].per_unit_s : own;
  }
}

static void make_plan(const struct ls_platform *platform, const char *name, double load,
                      struct ls_plan *plan) {
  const struct ls_planner *planner;
  struct ls_error err;
  struct ls_planner_setup setup = {.platform = platform, .load = load};
  if (ls_planner_parse(name, &planner, &setup, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_planner_run(planner, &setup, NULL, plan, &err) != LS_OK) fail_msg("%s", err.text);
  ls_arguments_close(&setup.arguments);
}

static double throughput_of(const struct ls_platform *platform, const char *name) {
  struct ls_plan plan;
  make_plan(platform, name, 1, &plan);
  double throughput = 1 / plan.makespan_s;
  ls_plan_close(&plan);
  return throughput;
}

/* The replay ends at W/rho, the ports are respected, the results return in their order. */
static void every_plan_ends_when_its_throughput_says(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 1, "returns suite");
  for (size_t kind = 0; kind < 80; kind++) {
    struct ls_platform platform;
    struct ls_error err;
    open_platform(&platform, &random, kind, kind % 3 == 0 ? LS_PORTS_ONE : LS_PORTS_TWO);
    double load = draw(&random, 0.1, 1000);
    for (size_t i = 0; i < PLANNERS; i++) {
      struct ls_plan plan;
      make_plan(&platform, planners[i], load, &plan);
      double predicted_s = load / ls_plan_get(&plan, "throughput", (double)NAN);
      if (!(fabs(plan.makespan_s - predicted_s) <= 1e-9 * predicted_s))
        fail_msg("%s: %.17g, expected %.17g", planners[i], plan.makespan_s, predicted_s);
      if (ls_validate_plan(&plan, &platform, &err) != LS_OK)
        fail_msg("%s: %s", planners[i], err.text);
      assert_true(plan.has_returns && plan.returns_count == plan.chunks_count);
      ls_plan_close(&plan);
    }
    ls_platform_close(&platform);
  }
}

/* All are at most the optimum; LIFO and the two-port FIFO are at least half of it. */
static void plans_lie_between_half_of_the_optimum_and_the_optimum(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 2, "returns suite");
  for (size_t kind = 0; kind < 80; kind++) {
    struct ls_platform platform;
    bool is_one_port = kind % 3 == 0;
    open_platform(&platform, &random, kind, is_one_port ? LS_PORTS_ONE : LS_PORTS_TWO);
    double best = throughput_of(&platform, "returns-exact");
    for (size_t i = 0; i < PLANNERS; i++)
      assert_true(throughput_of(&platform, planners[i]) <= best * (1 + 1e-9));
    assert_true(throughput_of(&platform, "lifo") >= best / 2 * (1 - 1e-9));
    if (!is_one_port) assert_true(throughput_of(&platform, "fifo") >= best / 2 * (1 - 1e-9));
    ls_platform_close(&platform);
  }
}

/* One-port <= two-port <= 2 one-port; LIFO alike. */
static void one_port_costs_at_most_half(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 3, "returns suite");
  for (size_t kind = 0; kind < 80; kind++) {
    struct ls_platform platform;
    open_platform(&platform, &random, kind, LS_PORTS_TWO);
    double two = throughput_of(&platform, "returns-exact");
    double lifo = throughput_of(&platform, "lifo");
    platform.ports = LS_PORTS_ONE;
    double one = throughput_of(&platform, "returns-exact");
    assert_true(one <= two * (1 + 1e-9) && two <= 2 * one * (1 + 1e-9));
    assert_true(fabs(throughput_of(&platform, "lifo") - lifo) <= 1e-9 * lifo);
    ls_platform_close(&platform);
  }
}

static void take_costs(struct ls_platform *platform, size_t count, const double costs[3]) {
  assert_int_equal(ls_platform_init(platform, count, NULL), LS_OK);
  for (size_t i = 0; i < count; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = costs[0];
    platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = costs[1];
    platform->workers[i].costs[LS_OPERATION_REPLY].per_unit_s = costs[2];
  }
}

static void expect_near(double got, double wanted) {
  if (!(fabs(got - wanted) <= 1e-9)) fail_msg("%.17g, expected %.17g", got, wanted);
}

/* The families of section 4: LIFO loses half, the better of the two a third in the limit. */
static void the_worst_families_lose_what_they_must(void **state) {
  (void)state;
  for (size_t k = 2; k <= 4; k++) {
    struct ls_platform platform;
    double n = (double)k;
    take_costs(&platform, k, (const double[]){1, 0, 1});
    expect_near(throughput_of(&platform, "fifo"), n / (n + 1));
    expect_near(throughput_of(&platform, "lifo"), 0.5);
    expect_near(throughput_of(&platform, "returns-exact"), n / (n + 1));
    ls_platform_close(&platform);
    take_costs(&platform, k + 1, (const double[]){1, 0, 1});
    platform.workers[k].costs[LS_OPERATION_TRANSFER].per_unit_s = 0;
    platform.workers[k].costs[LS_OPERATION_COMPUTE].per_unit_s = 2 * n / (n - 1);
    platform.workers[k].costs[LS_OPERATION_REPLY].per_unit_s = 0;
    double two = fmax(throughput_of(&platform, "fifo"), throughput_of(&platform, "lifo"));
    expect_near(two / throughput_of(&platform, "returns-exact"),
                (2 * n - 1) * (n + 1) / (3 * n * n - 1));
    ls_platform_close(&platform);
  }
}

/* p = 3 with d = c: 9/11 is the worst that was ever seen. */
static void three_workers_lose_at_most_two_elevenths(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 4, "returns suite");
  for (size_t turn = 0; turn < 300; turn++) {
    struct ls_platform platform;
    take_costs(&platform, 3, (const double[]){1, 1, 1});
    for (size_t i = 0; i < 3; i++) {
      struct ls_worker_model *worker = &platform.workers[i];
      worker->costs[LS_OPERATION_TRANSFER].per_unit_s = (double)ls_random_below(&random, 5);
      worker->costs[LS_OPERATION_REPLY].per_unit_s =
          worker->costs[LS_OPERATION_TRANSFER].per_unit_s;
      worker->costs[LS_OPERATION_COMPUTE].per_unit_s = (double)ls_random_below(&random, 6);
      if (!(worker->costs[LS_OPERATION_TRANSFER].per_unit_s +
                worker->costs[LS_OPERATION_COMPUTE].per_unit_s >
            0))
        worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
    }
    double two = fmax(throughput_of(&platform, "fifo"), throughput_of(&platform, "lifo"));
    assert_true(two / throughput_of(&platform, "returns-exact") >= 9.0 / 11 - 1e-9);
    ls_platform_close(&platform);
  }
}

/* ---- vectors ---- */

static double number_of(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void expect_sum(const struct ls_plan *plan, double load, const char *id) {
  double sum = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) sum += plan->chunks[i].units;
  if (!(fabs(sum - load) <= 1e-9 * fmax(1, load))) fail_msg("%s: %.17g units", id, sum);
}

static void expect_figure(const struct ls_plan *plan, const json_t *record, const char *name,
                          double got) {
  const json_t *expect = json_object_get(record, "expect");
  const char *compare = json_string_value(json_object_get(record, "compare"));
  const char *id = json_string_value(json_object_get(record, "id"));
  double wanted = number_of(expect, name), tolerance = number_of(record, "tolerance");
  double slack = tolerance * fmax(1, fabs(wanted));
  (void)plan;
  if (isnan(wanted)) return;
  bool is_met = fabs(got - wanted) <= slack;
  bool is_cost = strcmp(name, "makespan") == 0;
  if (strcmp(compare, "at_least") == 0)
    is_met = is_cost ? got <= wanted + slack : got >= wanted - slack;
  if (strcmp(compare, "at_most") == 0) is_met = got <= wanted + slack;
  if (!is_met) fail_msg("%s: %s is %.17g, expected %s %.17g", id, name, got, compare, wanted);
}

static void read_arguments(const json_t *record, const struct ls_planner *planner,
                           struct ls_planner_setup *setup) {
  const char *name, *id = json_string_value(json_object_get(record, "id"));
  json_t *value;
  struct ls_error err;
  json_object_foreach(json_object_get(record, "arguments"), name, value) {
    struct ls_json member = ls_json_top(value, id);
    if (strcmp(name, "integer") == 0)
      setup->is_whole = json_is_true(value);
    else if (ls_arguments_read(&setup->arguments, planner->parameters, &member, name, &err) !=
             LS_OK)
      fail_msg("%s: %s", id, err.text);
  }
}

static void check_plan(const json_t *record, const struct ls_platform *platform,
                       const struct ls_plan *plan) {
  const char *id = json_string_value(json_object_get(record, "id"));
  const json_t *expect = json_object_get(record, "expect");
  struct ls_error err;
  if (ls_validate_plan(plan, platform, &err) != LS_OK) fail_msg("%s: %s", id, err.text);
  expect_sum(plan, plan->load, id);
  expect_figure(plan, record, "makespan", plan->makespan_s);
  static const char *const names[] = {"throughput", "predicted_makespan", "makespan_at_least"};
  for (size_t i = 0; i < 3; i++)
    expect_figure(plan, record, names[i], ls_plan_get(plan, names[i], (double)NAN));
  static const char *const flags[] = {"fifo_attains", "lifo_attains"};
  for (size_t i = 0; i < 2; i++) {
    const json_t *flag = json_object_get(expect, flags[i]);
    if (flag != NULL)
      assert_int_equal(ls_plan_get(plan, flags[i], (double)NAN) > 0, json_is_true(flag));
  }
  double most = number_of(expect, "throughput_at_most"), used = number_of(expect, "workers_used");
  if (!isnan(most)) assert_true(1 / plan->makespan_s * plan->load <= most * (1 + 1e-9));
  if (!isnan(used)) assert_int_equal((int)plan->chunks_count, (int)used);
  double ends = number_of(expect, "makespan_at_most");
  if (!isnan(ends)) assert_true(plan->makespan_s <= ends * (1 + 1e-9));
}

static void check_record(const json_t *record) {
  const char *id = json_string_value(json_object_get(record, "id"));
  const char *name = json_string_value(json_object_get(record, "algorithm"));
  char *text = json_dumps(json_object_get(record, "platform"), 0);
  const struct ls_planner *planner;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_error err;
  struct ls_planner_setup setup = {.platform = &platform, .load = number_of(record, "load")};
  assert_non_null(text);
  if (ls_platform_read(&platform, (struct ls_text){text, strlen(text), id}, &err) != LS_OK)
    fail_msg("%s", err.text);
  if (ls_planner_parse(name, &planner, &setup, &err) != LS_OK) fail_msg("%s: %s", id, err.text);
  read_arguments(record, planner, &setup);
  enum ls_status status = ls_planner_run(planner, &setup, NULL, &plan, &err);
  const json_t *outcome = json_object_get(json_object_get(record, "expect"), "outcome");
  if (outcome != NULL)
    assert_int_equal(status, LS_EINVAL); /* refused: bad input */
  else if (status != LS_OK)
    fail_msg("%s: %s", id, err.text);
  else
    check_plan(record, &platform, &plan);
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  ls_platform_close(&platform);
  free(text);
}

static void every_record_is_met(void **state) {
  (void)state;
  json_error_t error;
  json_t *document = json_load_file(vectors_path, JSON_REJECT_DUPLICATES, &error);
  if (document == NULL) fail_msg("%s:%d: %s", vectors_path, error.line, error.text);
  const json_t *records = json_object_get(document, "vectors"), *record;
  size_t i;
  assert_true(json_array_size(records) >= 100);
  json_array_foreach(records, i, record) check_record(record);
  json_decref(document);
}

int main(int count, char **arguments) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_plan_ends_when_its_throughput_says),
      cmocka_unit_test(plans_lie_between_half_of_the_optimum_and_the_optimum),
      cmocka_unit_test(one_port_costs_at_most_half),
      cmocka_unit_test(the_worst_families_lose_what_they_must),
      cmocka_unit_test(three_workers_lose_at_most_two_elevenths),
      cmocka_unit_test(every_record_is_met),
  };
  if (count < 2) {
    fprintf(stderr, "usage: test_returns VECTORS\n");
    return 2;
  }
  vectors_path = arguments[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
