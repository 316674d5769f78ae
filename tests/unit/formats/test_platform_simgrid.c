#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/platform_simgrid.h"

#define ZONE(...) \
  "<platform version='4.1'>\n<zone id='z' routing='Full'>\n" __VA_ARGS__ "</zone></platform>"
#define TWO_HOSTS "<host id='m' speed='1Gf'/><host id='w' speed='2Gf'/>"
#define ONE_LINK  "<link id='l' bandwidth='10MBps' latency='1ms'/>"

static enum ls_status read_text(struct ls_platform *platform, const char *text,
                                struct ls_error *err) {
  struct ls_simgrid_unit unit = ls_simgrid_unit_default();
  return ls_platform_read_simgrid(platform, (struct ls_text){text, strlen(text), "p.xml"}, &unit,
                                  err);
}

static void expect_refused(const char *text, const char *message) {
  struct ls_platform platform = {.workers_count = 77};
  struct ls_error err = {0};
  assert_int_equal(read_text(&platform, text, &err), LS_EINVAL);
  assert_int_equal(platform.workers_count, 77);
  if (strstr(err.text, message) == NULL) fail_msg("'%s' does not say '%s'", err.text, message);
}

static void speeds_and_routes_become_costs_of_a_unit(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simgrid_unit unit = {.flops = 4e9, .bytes = 5e6};
  static const char text[] =
      ZONE(TWO_HOSTS ONE_LINK "<route src='m' dst='w'><link_ctn id='l'/></route>");
  assert_int_equal(ls_platform_read_simgrid(
                       &platform, (struct ls_text){text, strlen(text), "p.xml"}, &unit, NULL),
                   LS_OK);
  assert_int_equal(platform.workers_count, 1);
  const struct ls_worker_model *worker = &platform.workers[0];
  assert_string_equal(worker->name, "w");
  assert_true(worker->costs[LS_OPERATION_COMPUTE].per_unit_s == 2 &&
              worker->costs[LS_OPERATION_COMPUTE].latency_s == 0);
  assert_true(worker->costs[LS_OPERATION_TRANSFER].per_unit_s == 0.5 &&
              worker->costs[LS_OPERATION_TRANSFER].latency_s == 1e-3);
  assert_true(worker->costs[LS_OPERATION_REPLY].per_unit_s == 0 &&
              worker->costs[LS_OPERATION_REPLY].latency_s == 0);
  assert_int_equal(platform.ports, LS_PORTS_TWO);
  ls_platform_close(&platform);
}

static void the_master_is_marked_or_called_so_or_the_first(void **state) {
  (void)state;
  static const char *const texts[] = {
      ZONE(TWO_HOSTS "<host id='x' speed='1f'><prop id='loadstar.master' value='true'/></host>"
                     "<host id='master' speed='1f'/><route src='x' dst='w'/>"),
      ZONE(TWO_HOSTS "<host id='master' speed='1f'/><route src='master' dst='w'/>"),
      ZONE(TWO_HOSTS "<route src='m' dst='w'/>")};
  for (size_t i = 0; i < 3; i++) {
    struct ls_platform platform;
    assert_int_equal(read_text(&platform, texts[i], NULL), LS_OK);
    assert_int_equal(platform.workers_count, 1);
    assert_string_equal(platform.workers[0].name, "w");
    assert_true(platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s ==
                0); /* a route without links */
    ls_platform_close(&platform);
  }
}

static void a_route_in_the_other_direction_serves_when_it_is_symmetrical(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(read_text(&platform, ZONE(TWO_HOSTS "<route src='w' dst='m'/>"), NULL), LS_OK);
  assert_int_equal(platform.workers_count, 1);
  ls_platform_close(&platform);
  expect_refused(ZONE(TWO_HOSTS "<route src='w' dst='m' symmetrical='NO'/>"), "no route leads");
}

static void a_property_wins(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(
      read_text(&platform,
                ZONE("<prop id='loadstar.ports' value='one-port'/><host id='m' speed='1Gf'/>"
                     "<host id='w' speed='2Gf'><prop id='loadstar.compute.per_unit' value='7'/>"
                     "<prop id='loadstar.compute.latency' value='0.5'/>"
                     "<prop id='loadstar.transfer.latency' value='3'/></host>" ONE_LINK
                     "<route src='m' dst='w'><link_ctn id='l'/></route>"),
                NULL),
      LS_OK);
  const struct ls_worker_model *worker = &platform.workers[0];
  assert_true(worker->costs[LS_OPERATION_COMPUTE].per_unit_s == 7 &&
              worker->costs[LS_OPERATION_COMPUTE].latency_s == 0.5);
  assert_true(worker->costs[LS_OPERATION_TRANSFER].latency_s == 3 &&
              worker->costs[LS_OPERATION_TRANSFER].per_unit_s == 0.1);
  assert_int_equal(platform.ports, LS_PORTS_ONE);
  ls_platform_close(&platform);
}

static void a_star_that_is_none_is_refused(void **state) {
  (void)state;
  expect_refused(ZONE(""), "p.xml: there is no host");
  expect_refused(ZONE("<host id='a' speed='1f'/>"), "no route leads from the master 'a'");
  expect_refused(ZONE("<host id='a' speed='1f'/><host id='a' speed='1f'/>"),
                 "two hosts are called 'a'");
  expect_refused(ZONE(TWO_HOSTS "<route src='m' dst='nobody'/>"),
                 "line 3: the route leads to 'nobody', which is no host");
  expect_refused(ZONE(TWO_HOSTS "<route src='m' dst='w'/><route src='w' dst='m'/>"),
                 "a second route");
  expect_refused(ZONE("<host id='m' speed='1f'/><host id='w' speed='0f'/><route src='m' dst='w'/>"),
                 "host 'w': speed is 0");
  expect_refused(ZONE("<prop id='loadstar.share' value='2'/>" TWO_HOSTS "<route src='m' dst='w'/>"),
                 "p.xml: master: share is 2");
}

static void a_unit_must_be_worth_something(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_error err = {0};
  static const char text[] = ZONE(TWO_HOSTS "<route src='m' dst='w'/>");
  double bad[] = {0, -1, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < 4; i++) {
    struct ls_simgrid_unit unit = {.flops = bad[i], .bytes = 1};
    assert_int_equal(
        ls_platform_read_simgrid(&platform, (struct ls_text){text, strlen(text), "p"}, &unit, &err),
        LS_EINVAL);
    unit = (struct ls_simgrid_unit){.flops = 1, .bytes = bad[i]};
    assert_int_equal(
        ls_platform_read_simgrid(&platform, (struct ls_text){text, strlen(text), "p"}, &unit, &err),
        LS_EINVAL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(speeds_and_routes_become_costs_of_a_unit),
      cmocka_unit_test(the_master_is_marked_or_called_so_or_the_first),
      cmocka_unit_test(a_route_in_the_other_direction_serves_when_it_is_symmetrical),
      cmocka_unit_test(a_property_wins),
      cmocka_unit_test(a_star_that_is_none_is_refused),
      cmocka_unit_test(a_unit_must_be_worth_something),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
