/* What a policy is told when it begins. */
#include "harness.h"

/* Units of a chunk are done, and the worker asks: so the policy hears of them. */
static void report_done(struct rig *rig, uint32_t worker, uint64_t chunk, struct ls_range units,
                        double seconds, double now_s) {
  rig_step(rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                  .worker = worker,
                                  .now_s = now_s,
                                  .result = {.chunk = chunk,
                                             .units = units,
                                             .seconds = seconds,
                                             .squares = seconds * seconds / (double)units.count}});
  rig_at(rig, now_s, LS_EVENT_READY, worker);
}

/* The driver does not tell what they took. */
static void settle_quietly(struct rig *rig, uint32_t worker, uint64_t chunk, uint64_t first,
                           uint64_t count) {
  rig_step(rig, (struct ls_event){
                    .kind = LS_EVENT_RESULT,
                    .worker = worker,
                    .result = {.chunk = chunk, .units = {first, count}, .seconds = (double)NAN}});
}

/* The later an iteration, the more it counts; what nobody told is what was observed. */
static void a_later_iteration_knows_what_the_earlier_ones_showed(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  config.mean_seconds = config.deviation_seconds = config.overhead_seconds = (double)NAN;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 4);
  assert_null(hearing.setup.earlier);
  assert_true(isnan(hearing.setup.mean_seconds));
  rig_ready(&rig, 0);
  report_done(&rig, 0, 0, (struct ls_range){0, 2}, 6, 8);
  report_done(&rig, 0, 0, (struct ls_range){2, 2}, 2, 12);
  rig_iteration(&rig, 8); /* worker 0 has asked already */
  assert_non_null(hearing.setup.earlier);
  assert_float_equal((float)hearing.setup.earlier[0].units, 4, 1e-6f);
  assert_float_equal((float)hearing.setup.earlier[0].seconds, 8, 1e-6f);
  assert_float_equal((float)hearing.setup.earlier[1].units, 0, 1e-6f);
  assert_float_equal((float)hearing.setup.mean_seconds, 2, 1e-6f);
  /* Times 3, 3, 1, 1: the squared differences sum to 4. */
  assert_float_equal((float)hearing.setup.deviation_seconds, sqrtf(4.0f / 3), 1e-6f);
  /* It did not compute for 2 of the 8 seconds before the first report, and 2 of 4 later. */
  assert_float_equal((float)hearing.setup.overhead_seconds, 2, 1e-6f);
  rig_ready(&rig, 1);
  report_done(&rig, 1, 2, (struct ls_range){4, 1}, 5, 20);
  settle_quietly(&rig, 1, 2, 5, 3);
  settle_quietly(&rig, 0, 1, 0, 4);
  rig_iteration(&rig, 4);
  assert_float_equal((float)hearing.setup.earlier[1].units, 2, 1e-6f);
  assert_float_equal((float)hearing.setup.earlier[1].seconds, 10, 1e-6f);
  rig_close(&rig);
}

static void facts_that_were_told_are_not_replaced_by_observed_ones(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  config.mean_seconds = 7;
  config.deviation_seconds = 3;
  config.overhead_seconds = 1;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 4);
  rig_ready(&rig, 0);
  report_done(&rig, 0, 0, (struct ls_range){0, 2}, 6, 8);
  settle_quietly(&rig, 0, 0, 2, 2);
  rig_iteration(&rig, 4);
  assert_float_equal((float)hearing.setup.mean_seconds, 7, 1e-6f);
  assert_float_equal((float)hearing.setup.deviation_seconds, 3, 1e-6f);
  assert_float_equal((float)hearing.setup.overhead_seconds, 1, 1e-6f);
  rig_close(&rig);
}

static void a_policy_that_refuses_leaves_nothing_behind(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  struct ls_error err = {0};
  rig_open(&rig, &config);
  hearing.refuses_setup = true;
  struct ls_event event = {.kind = LS_EVENT_ITERATION, .iteration_units = 4};
  assert_int_equal(rig_try(&rig, event, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "not to my liking"));
  hearing.refuses_setup = false;
  rig_iteration(&rig, 4);
  assert_int_equal(hearing.setup.units, 4);
  assert_int_equal(hearing.setup.slots, 2);
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_later_iteration_knows_what_the_earlier_ones_showed),
      cmocka_unit_test(facts_that_were_told_are_not_replaced_by_observed_ones),
      cmocka_unit_test(a_policy_that_refuses_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
