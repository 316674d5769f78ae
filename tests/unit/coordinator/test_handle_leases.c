/* Workers that cost go together, when nothing is left for any of them. */
#include "harness.h"

static void join(struct rig *rig, uint32_t worker, uint64_t lease) {
  rig_step(rig, (struct ls_event){
                    .kind = LS_EVENT_JOINED, .worker = worker, .joined = {.lease = lease}});
}

/* Four workers, of whom the first two and the last two have a lease each; units one by one. */
static void open_run(struct rig *rig, uint64_t units, bool is_single) {
  struct ls_coordinator_config config = rig_config(1);
  config.workers = 4;
  config.is_single = is_single;
  rig_open(rig, &config);
  rig_iteration(rig, units);
  for (uint32_t i = 0; i < 4; i++) join(rig, i, 1 + i / 2);
}

static void a_lease_ends_when_all_its_workers_are_idle(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, 4, true);
  for (uint32_t i = 0; i < 4; i++) rig_ready(&rig, i);
  rig_done(&rig, 2, 2, 2, 1);
  assert_string_equal(rig_ready(&rig, 2), "");
  rig_done(&rig, 3, 3, 3, 1);
  assert_string_equal(rig_ready(&rig, 3), "release worker 2; release worker 3");
  assert_int_equal(rig_totals(&rig).workers_wanted, 2);
  /* Nobody is asked for in their place. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_HEARTBEAT, 0), "");
  rig_done(&rig, 0, 0, 0, 1);
  assert_string_equal(rig_ready(&rig, 0), "");
  rig_close(&rig);
}

static void who_may_still_be_needed_stays(void **state) {
  struct rig rig;
  (void)state;
  /* Another iteration may follow. */
  open_run(&rig, 2, false);
  for (uint32_t i = 0; i < 4; i++) assert_null(strstr(rig_ready(&rig, i), "release"));
  rig_close(&rig);
  /* What a worker that is away has may come back. */
  open_run(&rig, 2, true);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_worker(&rig, LS_EVENT_SUSPENDED, 1);
  assert_null(strstr(rig_ready(&rig, 2), "release"));
  assert_null(strstr(rig_ready(&rig, 3), "release"));
  rig_close(&rig);
}

static void workers_that_cost_nothing_stay(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.is_single = true;
  rig_open(&rig, &config);
  rig_iteration(&rig, 1);
  join(&rig, 0, 0);
  join(&rig, 1, 0);
  rig_ready(&rig, 0);
  assert_string_equal(rig_ready(&rig, 1), "");
  rig_close(&rig);
}

/* Units behind a running one may be wanted back. */
static void nobody_goes_while_something_waits_anywhere(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  config.is_single = true;
  rig_open(&rig, &config);
  rig_iteration(&rig, 2);
  join(&rig, 0, 1);
  join(&rig, 1, 2);
  rig_ready(&rig, 0);
  assert_string_equal(rig_ready(&rig, 1), "");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1),
                      "settle worker 0 chunk 0: 0+1 done; release worker 1");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_lease_ends_when_all_its_workers_are_idle),
                                     cmocka_unit_test(who_may_still_be_needed_stays),
                                     cmocka_unit_test(workers_that_cost_nothing_stay),
                                     cmocka_unit_test(nobody_goes_while_something_waits_anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
