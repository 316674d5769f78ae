#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "returns_fixture.h"

/* Asks for a platform of two workers on which `change` has been made. */
static enum ls_status open_changed(void (*change)(struct ls_platform *platform),
                                   struct ls_planner_reason *why, struct ls_error *err) {
  struct ls_platform platform;
  struct ls_returns returns;
  enum ls_status status = LS_OK;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  change(&platform);
  struct ls_planner_setup setup = {.platform = &platform, .load = 1};
  if (ls_returns_applicable(&setup, why)) {
    status = ls_returns_open(&returns, &setup, NULL, err);
    if (status == LS_OK) ls_returns_close(&returns);
  }
  ls_platform_close(&platform);
  return status;
}

static void expect_refusal(void (*change)(struct ls_platform *platform), const char *word) {
  struct ls_planner_reason why = {{0}};
  assert_int_equal(open_changed(change, &why, NULL), LS_OK);
  if (strstr(why.text, word) == NULL) fail_msg("%s does not name %s", why.text, word);
}

static void share_ports(struct ls_platform *platform) {
  platform->ports = LS_PORTS_MULTI;
}

static void prepare(struct ls_platform *platform) {
  platform->prepare.per_unit_s = 1;
}

static void send(struct ls_platform *platform) {
  platform->workers[1].costs[LS_OPERATION_SEND].latency_s = 1;
}

static void receive(struct ls_platform *platform) {
  platform->workers[1].costs[LS_OPERATION_RECEIVE].per_unit_s = 1;
}

static void delay(struct ls_platform *platform) {
  platform->workers[1].delay_s = 1;
}

static void what_the_theory_leaves_out_is_named(void **state) {
  (void)state;
  expect_refusal(share_ports, "multi-port");
  expect_refusal(prepare, "master.prepare");
  expect_refusal(send, "worker 1: send");
  expect_refusal(receive, "worker 1: receive");
  expect_refusal(delay, "worker 1: delay");
}

static void cost_nothing(struct ls_platform *platform) {
  platform->workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
}

static void a_worker_that_costs_nothing_is_bad_input(void **state) {
  (void)state;
  struct ls_planner_reason why;
  struct ls_error err;
  assert_int_equal(open_changed(cost_nothing, &why, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 1"));
}

/* Sends end at 2 and 5; computing ends at 5 and 6; worker 1 returns first, from 6 to 9, and worker
 * 0 until 11. */
static void the_makespan_is_that_of_packed_sends_and_ordered_returns(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_scenario scenario;
  returns_take(&returns, (const double[][3]){{1, 1.5, 1}, {3, 1, 3}}, 2);
  assert_int_equal(ls_scenario_open(&scenario, 2, NULL), LS_OK);
  ls_scenario_list(&scenario, (const uint32_t[]){0, 1}, 2);
  scenario.returns[0] = 1;
  scenario.returns[1] = 0;
  const double units[] = {2, 1};
  expect_near(ls_returns_makespan(&returns, &scenario, units), 11, 1e-15);
  /* With one port the returns wait for the last send, which costs nothing here. */
  returns.is_one_port = true;
  expect_near(ls_returns_makespan(&returns, &scenario, units), 11, 1e-15);
  returns.workers[1].send_latency_s = 0.5;
  expect_near(ls_returns_makespan(&returns, &scenario, units), 11.5, 1e-15);
  expect_near(ls_returns_makespan(&returns, &scenario, (const double[]){2, 0}), 7, 1e-15);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
}

static void one_port_holds_results_until_the_last_send(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_scenario scenario;
  returns_take(&returns, (const double[][3]){{1, 0, 1}, {1, 0, 1}}, 2);
  assert_int_equal(ls_scenario_open(&scenario, 2, NULL), LS_OK);
  ls_scenario_list(&scenario, (const uint32_t[]){0, 1}, 2);
  const double units[] = {1, 1};
  expect_near(ls_returns_makespan(&returns, &scenario, units), 3, 1e-15);
  returns.is_one_port = true;
  expect_near(ls_returns_makespan(&returns, &scenario, units), 4, 1e-15);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
}

static void idle_workers_leave_the_orders(void **state) {
  (void)state;
  struct ls_scenario scenario;
  assert_int_equal(ls_scenario_open(&scenario, 3, NULL), LS_OK);
  ls_scenario_list(&scenario, (const uint32_t[]){2, 0, 1}, 3);
  scenario.units[1] = scenario.units[2] = 1;
  ls_scenario_compact(&scenario);
  assert_int_equal(scenario.count, 2);
  assert_int_equal(scenario.sends[0], 2);
  assert_int_equal(scenario.returns[1], 1);
  ls_scenario_close(&scenario);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_theory_leaves_out_is_named),
      cmocka_unit_test(a_worker_that_costs_nothing_is_bad_input),
      cmocka_unit_test(the_makespan_is_that_of_packed_sends_and_ordered_returns),
      cmocka_unit_test(one_port_holds_results_until_the_last_send),
      cmocka_unit_test(idle_workers_leave_the_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
