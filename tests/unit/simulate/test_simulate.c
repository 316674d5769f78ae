/* The whole simulator: published vectors, a second simulator, and what must hold of every run. */
#include "../../support/bound_of.h"
#include "support.h"

#include <jansson.h>
#include <stdio.h>

#include "base/json.h"
#include "formats/platform_json.h"
#include "formats/timeline_json.h"
#include "model/metrics.h"
#include "model/validate.h"
#include "naive.h"
#include "simulate/world.h"

/* -- vectors ------------------------------------------------------------------------------- */

struct record {
  const json_t *json;
  struct ls_platform platform;
  struct ls_world world;
};

static void open_record(struct record *record, const json_t *json) {
  struct ls_error err = {0};
  *record = (struct record){.json = json};
  char *text = json_dumps(json_object_get(json, "platform"), JSON_REAL_PRECISION(17));
  if (ls_platform_read(&record->platform, (struct ls_text){text, strlen(text), "vector"}, &err) !=
      LS_OK)
    fail_msg("%s", err.text);
  free(text);
  struct ls_world_request request = {
      .platform = &record->platform,
      .units = (uint64_t)json_integer_value(json_object_get(json, "load")),
      .policy = json_string_value(json_object_get(json, "algorithm")),
      .asking = LS_ASKING_ONE,
      .arguments = ls_json_top(json_object_get(json, "arguments"), "vector")};
  if (ls_world_open(&record->world, &request, &err) != LS_OK) fail_msg("%s", err.text);
  record->world.setup.config.is_exact = true;
}

static void close_record(struct record *record) {
  ls_world_close(&record->world);
  ls_platform_close(&record->platform);
}

static void check_record(struct record *record) {
  const json_t *expect = json_object_get(record->json, "expect");
  const json_t *chunks = json_object_get(expect, "chunks");
  const json_t *efficiency = json_object_get(expect, "efficiency");
  double tolerance = json_number_value(json_object_get(record->json, "tolerance"));
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&record->world.setup, &timeline);
  assert_int_equal(timeline.decisions_count, json_array_size(chunks));
  for (size_t i = 0; i < timeline.decisions_count; i++) {
    const json_t *pair = json_array_get(chunks, i);
    assert_int_equal(timeline.decisions[i].worker, json_integer_value(json_array_get(pair, 0)));
    assert_near(timeline.decisions[i].units, json_number_value(json_array_get(pair, 1)), 0);
  }
  assert_near(result.makespan_s, json_number_value(json_object_get(expect, "makespan")), tolerance);
  if (efficiency) assert_near(result.efficiency, json_number_value(efficiency), tolerance);
  ls_timeline_close(&timeline);
}

static void published_runs_are_met(void **state) {
  (void)state;
  json_error_t problem;
  json_t *document = json_load_file(LS_TEST_VECTORS "/online.json", 0, &problem);
  if (!document) fail_msg("%s: %s", LS_TEST_VECTORS "/online.json", problem.text);
  const json_t *records = json_object_get(document, "vectors");
  size_t met = 0;
  for (size_t i = 0; i < json_array_size(records); i++) {
    const json_t *json = json_array_get(records, i);
    const char *kind = json_string_value(json_object_get(json, "kind"));
    if (!kind || strcmp(kind, "simulate") != 0) continue;
    print_message("%s\n", json_string_value(json_object_get(json, "id")));
    struct record record;
    open_record(&record, json);
    check_record(&record);
    close_record(&record);
    met++;
  }
  assert_int_equal(met, 20);
  json_decref(document);
}

/* -- random cases -------------------------------------------------------------------------- */

struct draw_case {
  struct ls_platform platform;
  struct ls_simulation setup;
  double work[NAIVE_UNITS_MAX], weights[NAIVE_WORKERS_MAX];
  struct ls_availability pieces[NAIVE_WORKERS_MAX][4];
  const struct ls_availability *availability[NAIVE_WORKERS_MAX];
  size_t availability_count[NAIVE_WORKERS_MAX];
  struct ls_simulated_change leave, join;
};

static void draw_costs(struct draw_case *item, struct ls_random *random, bool may_use_network) {
  struct ls_platform *platform = &item->platform;
  if (ls_random_below(random, 2)) platform->prepare.latency_s = draw(random, 0, 0.1);
  bool has_send = ls_random_below(random, 3) == 0,
       has_reply = may_use_network && ls_random_below(random, 3) == 0;
  bool has_transfer = may_use_network && ls_random_below(random, 2) == 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *model = &platform->workers[i];
    model->costs[LS_OPERATION_COMPUTE] = (struct ls_cost){
        ls_random_below(random, 2) ? draw(random, 0, 0.5) : 0, draw(random, 0.3, 3)};
    model->delay_s = ls_random_below(random, 3) ? draw(random, 0.01, 0.8) : 0;
    if (has_send)
      model->costs[LS_OPERATION_SEND] =
          (struct ls_cost){draw(random, 0, 0.1), draw(random, 0, 0.05)};
    if (has_transfer)
      model->costs[LS_OPERATION_TRANSFER] =
          (struct ls_cost){draw(random, 0, 0.2), draw(random, 0, 0.1)};
    if (has_reply)
      model->costs[LS_OPERATION_REPLY] =
          (struct ls_cost){draw(random, 0, 0.2), draw(random, 0, 0.1)};
    if (ls_random_below(random, 4) == 0)
      model->costs[LS_OPERATION_RECEIVE].per_unit_s = draw(random, 0, 0.05);
  }
}

static void draw_speeds(struct draw_case *item, struct ls_random *random) {
  for (size_t i = 0; i < item->platform.workers_count; i++) {
    double from_s = 0;
    item->availability_count[i] = ls_random_below(random, 5);
    for (size_t k = 0; k < item->availability_count[i]; k++) {
      item->pieces[i][k] = (struct ls_availability){from_s, draw(random, 0.2, 1)};
      from_s += draw(random, 0.5, 20);
    }
    item->availability[i] = item->pieces[i];
  }
  item->setup.availability = item->availability;
  item->setup.availability_count = item->availability_count;
}

static void open_case(struct draw_case *item, uint64_t seed) {
  static const char *const names[] = {"ss",    "sc",    "fsc",   "gss", "tss",     "fac2",
                                      "wf2",   "tfss",  "mfsc",  "fac", "bold",    "awf-b",
                                      "awf-c", "awf-d", "awf-e", "af",  "monitor", "rand"};
  struct ls_random random;
  ls_random_init(&random, seed, "case");
  memset(item, 0, sizeof *item);
  size_t workers = 1 + ls_random_below(&random, NAIVE_WORKERS_MAX);
  bool has_leave = workers > 1 && ls_random_below(&random, 4) == 0;
  open_platform(&item->platform, workers);
  draw_costs(item, &random, !has_leave);
  struct ls_simulation *setup = &item->setup;
  *setup = make_simulation(&item->platform, names[seed % 18], 1 + ls_random_below(&random, 200));
  setup->prefetch = ls_random_below(&random, 6);
  setup->config.deviation_seconds = draw(&random, 0, 0.5);
  setup->config.mean_seconds = 1;
  setup->config.overhead_seconds = draw(&random, 0, 0.5);
  if (ls_random_below(&random, 2)) {
    for (uint64_t i = 0; i < setup->units; i++) item->work[i] = draw(&random, 0.01, 2);
    setup->task_work = item->work;
  }
  if (ls_random_below(&random, 2)) {
    for (size_t i = 0; i < workers; i++) item->weights[i] = draw(&random, 0.1, 2);
    setup->config.weights = item->weights;
  }
  if (ls_random_below(&random, 2)) draw_speeds(item, &random);
  item->leave = (struct ls_simulated_change){(uint32_t)ls_random_below(&random, workers),
                                             draw(&random, 0.1, 30)};
  item->join = (struct ls_simulated_change){(uint32_t)ls_random_below(&random, workers),
                                            draw(&random, 0.1, 10)};
  setup->leave = &item->leave;
  setup->leave_count = has_leave;
  setup->join = &item->join;
  setup->join_count = !has_leave && workers > 1 && ls_random_below(&random, 4) == 0;
}

static void a_second_simulator_agrees(void **state) {
  (void)state;
  static struct naive naive;
  for (uint64_t seed = 0; seed < 720; seed++) {
    struct draw_case item;
    struct ls_timeline timeline;
    open_case(&item, seed);
    ls_timeline_init(&timeline);
    struct ls_simulated result = run_simulation(&item.setup, &timeline);
    naive_run(&naive, &item.setup);
    bool has_leave = item.setup.leave_count > 0;
    if (naive.chunks_count != result.chunks ||
        !(fabs(naive.makespan_s - result.makespan_s) <= 1e-9 * fmax(1, naive.makespan_s)))
      fail_msg("seed %llu, %s: %zu chunks in %.12g s, expected %zu in %.12g s",
               (unsigned long long)seed, item.setup.config.chunking->name, (size_t)result.chunks,
               result.makespan_s, naive.chunks_count, naive.makespan_s);
    for (size_t i = 0; i < naive.chunks_count && !has_leave; i++) {
      assert_int_equal(naive.chunks[i].worker, timeline.decisions[i].worker);
      assert_near(timeline.decisions[i].units, (double)naive.chunks[i].units, 0);
    }
    if (!has_leave) assert_near(result.efficiency, naive.efficiency, 1e-9);
    ls_timeline_close(&timeline);
    ls_platform_close(&item.platform);
  }
}

static double expected_seconds(const struct draw_case *item, const struct ls_span *span,
                               double units) {
  const struct ls_worker_model *model = &item->platform.workers[span->worker];
  switch (span->operation) {
    case LS_OPERATION_PREPARE:
      return ls_cost_time(&item->platform.prepare, units);
    case LS_OPERATION_SEND:
      return ls_cost_time(&model->costs[LS_OPERATION_SEND], units);
    case LS_OPERATION_TRANSFER:
      return ls_cost_time(&model->costs[LS_OPERATION_TRANSFER], units);
    case LS_OPERATION_STAGE:
      return ls_cost_time(&model->costs[LS_OPERATION_STAGE], units);
    case LS_OPERATION_RECEIVE:
      return ls_cost_time(&model->costs[LS_OPERATION_RECEIVE], units);
    case LS_OPERATION_COMPUTE:
      return ls_cost_time(&model->costs[LS_OPERATION_COMPUTE], units);
    case LS_OPERATION_REPLY:
      return ls_cost_time(&model->costs[LS_OPERATION_REPLY], units);
    case LS_OPERATION_COUNT:
      break;
  }
  return (double)NAN;
}

static void check_spans(const struct draw_case *item, const struct ls_timeline *timeline) {
  bool is_plain = !item->setup.task_work && !item->setup.availability;
  double units = 0;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    bool is_compute = span->operation == LS_OPERATION_COMPUTE;
    if (is_compute && span->outcome == LS_OUTCOME_DONE) units += (double)span->units;
    if (span->outcome != LS_OUTCOME_DONE || (is_compute && !is_plain)) continue;
    assert_near(span->end_s - span->start_s, expected_seconds(item, span, (double)span->units),
                1e-9);
  }
  assert_near(units, (double)item->setup.units, 0);
}

static void every_run_conserves_work_and_pays_every_cost(void **state) {
  (void)state;
  for (uint64_t seed = 1000; seed < 1200; seed++) {
    struct draw_case item;
    struct ls_timeline timeline;
    struct ls_error err = {0};
    open_case(&item, seed);
    item.setup.wants_spans = true;
    if (seed % 3 == 0) item.platform.ports = LS_PORTS_ONE;
    if (seed % 4 == 0) item.setup.config.ordering = ls_ordering_find("random");
    ls_timeline_init(&timeline);
    struct ls_simulated result = run_simulation(&item.setup, &timeline);
    assert_int_equal(result.units_done, item.setup.units);
    if (ls_validate_timeline(&timeline, &err) != LS_OK)
      fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    check_spans(&item, &timeline);
    struct ls_metrics metrics;
    ls_metrics_of(&timeline, &metrics, NULL);
    assert_near(metrics.makespan_s, result.makespan_s, 0);
    assert_near(metrics.efficiency, result.efficiency, 1e-9);
    if (!item.setup.task_work && !item.setup.availability)
      assert_true(result.makespan_s >=
                  bound_of(&item.platform, (double)item.setup.units).bound_s * (1 - 1e-9));
    assert_true(result.efficiency > 0 && result.efficiency <= 1 + 1e-9);
    ls_timeline_close(&timeline);
    ls_platform_close(&item.platform);
  }
}

static void the_same_seed_gives_the_same_timeline(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 40; seed++) {
    struct ls_bytes texts[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
      struct draw_case item;
      struct ls_timeline timeline;
      open_case(&item, seed);
      item.setup.wants_spans = item.setup.wants_notes = true;
      item.setup.config.ordering = ls_ordering_find("random");
      ls_timeline_init(&timeline);
      run_simulation(&item.setup, &timeline);
      ls_timeline_write(
          &timeline, &(struct ls_timeline_extras){.has_spans = true, .has_notes = true}, &texts[k]);
      assert_true(timeline.notes_count > 0);
      ls_timeline_close(&timeline);
      ls_platform_close(&item.platform);
    }
    assert_string_equal(ls_bytes_text(&texts[0]), ls_bytes_text(&texts[1]));
    ls_bytes_close(&texts[0]);
    ls_bytes_close(&texts[1]);
  }
}

/* -- facts --------------------------------------------------------------------------------- */

static void self_scheduling_without_costs_is_list_scheduling(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 9, "list");
  for (int round = 0; round < 50; round++) {
    struct ls_platform platform;
    double work[100], free_s[5] = {0};
    size_t workers = 1 + ls_random_below(&random, 5);
    open_platform(&platform, workers);
    for (size_t i = 0; i < workers; i++)
      platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = draw(&random, 0.5, 2);
    for (size_t i = 0; i < 100; i++) work[i] = draw(&random, 0.1, 3);
    struct ls_simulation setup = make_simulation(&platform, "ss", 100);
    setup.task_work = work;
    setup.prefetch = 0;
    double makespan_s = 0;
    for (size_t i = 0; i < 100; i++) {
      size_t first = 0;
      for (size_t k = 1; k < workers; k++)
        if (free_s[k] < free_s[first]) first = k;
      free_s[first] += work[i] * platform.workers[first].costs[LS_OPERATION_COMPUTE].per_unit_s;
      makespan_s = fmax(makespan_s, free_s[first]);
    }
    assert_near(run_simulation(&setup, NULL).makespan_s, makespan_s, 1e-12);
    ls_platform_close(&platform);
  }
}

static void no_load_takes_no_time(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 3);
  struct ls_simulation setup = make_simulation(&platform, "gss", 0);
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_near(result.makespan_s, 0, 0);
  assert_int_equal(result.chunks, 0);
  ls_platform_close(&platform);
}

static void a_run_without_workers_is_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "fac2", 50);
  struct ls_simulated_change leave[2] = {{0, 3}, {1, 4.5}};
  setup.leave = leave;
  setup.leave_count = 2;
  assert_refused(&setup, "no worker is left");
  ls_platform_close(&platform);
}

static void a_worker_that_stands_still_for_ever_is_named(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  struct ls_availability still = {2, 0};
  const struct ls_availability *availability[1] = {&still};
  size_t count = 1;
  struct ls_simulation setup = make_simulation(&platform, "ss", 5);
  setup.availability = availability;
  setup.availability_count = &count;
  assert_refused(&setup, "ever computes");
  ls_platform_close(&platform);
}

static void a_worker_may_join_when_all_others_have_left(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 5);
  struct ls_simulated_change leave = {0, 2}, join = {1, 10};
  setup.leave = &leave;
  setup.join = &join;
  setup.leave_count = setup.join_count = 1;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_near(result.makespan_s, 13, 1e-12);
  assert_near(result.efficiency, 1, 1e-12);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_runs_are_met),
      cmocka_unit_test(a_second_simulator_agrees),
      cmocka_unit_test(every_run_conserves_work_and_pays_every_cost),
      cmocka_unit_test(the_same_seed_gives_the_same_timeline),
      cmocka_unit_test(self_scheduling_without_costs_is_list_scheduling),
      cmocka_unit_test(no_load_takes_no_time),
      cmocka_unit_test(a_run_without_workers_is_refused),
      cmocka_unit_test(a_worker_that_stands_still_for_ever_is_named),
      cmocka_unit_test(a_worker_may_join_when_all_others_have_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
