/* test_master_actions.c: what is sent to workers, and what becomes of their answers. */
#include "master_fixture.h"

/* Unit 13 fails always. */
static enum ls_status compute_or_fail(void *state, const struct ls_work *work,
                                      struct ls_bytes *output, struct ls_error *err) {
  if (work->units.first <= 13 && 13 < work->units.first + work->units.count) {
    return ls_fail(err, LS_EINVAL, "thirteen");
  }
  return compute(state, work, output, err);
}

/* The input of a range is its unit numbers; computing checks that it got its own. */
static enum ls_status pack_numbers(void *context, struct ls_range units, uint32_t slot,
                                   struct ls_bytes *input, struct ls_error *err) {
  (void)context, (void)slot, (void)err;
  for (uint64_t u = units.first; u < units.first + units.count; ++u) {
    ls_bytes_append(input, &u, sizeof u);
  }
  return LS_OK;
}

static enum ls_status compute_from_input(void *state, const struct ls_work *work,
                                         struct ls_bytes *output, struct ls_error *err) {
  (void)state;
  uint64_t sum = 0;
  if (work->length < work->packed.count * sizeof sum)
    return ls_fail(err, LS_EINVAL, "input is cut");
  for (uint64_t u = work->units.first; u < work->units.first + work->units.count; ++u) {
    uint64_t unit;
    memcpy(&unit, (const char *)work->input + (u - work->packed.first) * sizeof unit, sizeof unit);
    if (unit != u) return ls_fail(err, LS_EINVAL, "input of another unit");
    sum += unit;
  }
  ls_bytes_append(output, &sum, sizeof sum);
  return LS_OK;
}

static const struct ls_app packing_app = {.name = "tally",
                                          .open = open_app,
                                          .close = close_app,
                                          .units = count_units,
                                          .pack = pack_numbers,
                                          .merge = merge,
                                          .compute = compute_from_input};
static const struct ls_app failing_app = {.name = "tally",
                                          .open = open_app,
                                          .close = close_app,
                                          .units = count_units,
                                          .merge = merge,
                                          .compute = compute_or_fail};

/* In random order a chunk has many ranges, each with an input of its own. */
static void every_range_gets_its_own_input(void **state) {
  (void)state;
  struct tally tally = {.units = 333, .iterations = 1, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &packing_app, "gss");
  options.config.ordering = ls_ordering_find("random");
  struct ls_master_report report;
  struct ls_error err = {0};
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
  assert_int_equal(tally.sum, 333 * 332 / 2);
  assert_int_equal(report.units_failed, 0);
  ls_master_report_close(&report);
}

static void failing_unit_is_tried_again_then_reported(void **state) {
  (void)state;
  struct tally tally = {.units = 40, .iterations = 1, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &failing_app, "ss");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  for (uint64_t u = 0; u < tally.units; ++u) {
    assert_int_equal(tally.merged[u], u == 13 ? 0 : 1);
    assert_int_equal(tally.failed[u], u == 13 ? 1 : 0);
  }
  assert_int_equal(report.units_failed, 1);
  assert_int_equal(report.totals.units_retried, 2);
  ls_master_report_close(&report);
}

static void plan_is_pushed_to_the_workers_it_names(void **state) {
  (void)state;
  struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 100},
                                   {.worker = 1, .units = 50},
                                   {.worker = 0, .units = 7},
                                   {.worker = 1, .units = 143}};
  const struct ls_plan plan = {.chunks = chunks, .chunks_count = 4};
  struct tally tally = {.units = 300, .iterations = 1, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &sound_app, "follow-plan");
  options.config.plan = &plan;
  struct ls_master_report report;
  struct ls_error err = {0};
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
  assert_int_equal(report.totals.chunks, 4);
  assert_int_equal(report.workers[0].units + report.workers[1].units, 300);
  assert_true(report.workers[0].units == 107 || report.workers[0].units == 193);
  ls_master_report_close(&report);
}

/* The output of a unit is the slot that computed it. */
static enum ls_status compute_slot(void *state, const struct ls_work *work, struct ls_bytes *output,
                                   struct ls_error *err) {
  (void)state, (void)err;
  ls_bytes_append(output, &work->slot, sizeof work->slot);
  return LS_OK;
}

/* Workers from outside get places and slots alike: the first the first, and so on. */
static enum ls_status check_worker(void *context, const struct ls_unit_result *result,
                                   struct ls_error *err) {
  struct tally *tally = context;
  uint32_t slot;
  (void)err;
  assert_int_equal(result->output.length, sizeof slot);
  memcpy(&slot, result->output.data, sizeof slot);
  assert_int_equal(result->slot, slot);
  assert_int_equal(result->worker, slot - 1);
  ++tally->merged[result->units.first];
  return LS_OK;
}

static const struct ls_app telling_app = {.name = "tally",
                                          .open = open_app,
                                          .close = close_app,
                                          .units = count_units,
                                          .merge = check_worker,
                                          .compute = compute_slot};

static void a_merged_result_names_the_worker_that_computed_it(void **state) {
  (void)state;
  struct tally tally = {.units = 90, .iterations = 1, .threads_count = 3};
  struct ls_master_options options = make_options(&tally, &telling_app, "ss");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  expect_once(&tally, 1);
  ls_master_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_range_gets_its_own_input),
      cmocka_unit_test(failing_unit_is_tried_again_then_reported),
      cmocka_unit_test(a_merged_result_names_the_worker_that_computed_it),
      cmocka_unit_test(plan_is_pushed_to_the_workers_it_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
