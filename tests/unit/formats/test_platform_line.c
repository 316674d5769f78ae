#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "formats/platform_json.h"
#include "formats/platform_line.h"
#include "platform_fixture.h"

static enum ls_status read_line(struct ls_platform *platform, const char *text,
                                struct ls_error *err) {
  /* The exact length on the heap, so that a sanitizer sees a read of one byte too many. */
  size_t length = strlen(text);
  char *exact = malloc(length + (length == 0));
  assert_non_null(exact);
  memcpy(exact, text, length);
  enum ls_status status =
      ls_platform_read_line(platform, (struct ls_text){exact, length, "line"}, err);
  free(exact);
  return status;
}

/* The text must be refused, with these words behind the column. */
static void expect_refused(const char *text, size_t column, const char *words) {
  struct ls_platform platform = {.workers_count = 77};
  struct ls_error err = {0};
  char place[48];
  assert_int_equal(read_line(&platform, text, &err), LS_EINVAL);
  assert_int_equal(platform.workers_count, 77);
  (void)snprintf(place, sizeof place, "line: column %zu: ", column);
  if (strncmp(err.text, place, strlen(place)) != 0 || strstr(err.text, words) == NULL)
    fail_msg("'%s' does not say '%s' and '%s'", err.text, place, words);
}

static void every_setting_of_a_worker_is_read(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(read_line(&platform,
                             "2x(name=n, send=1+2x, transfer=3+4x, delay=5, stage=0.5+0.75x,"
                             " receive=6+7x, compute=8+9x, reply=10+11x, window=25:450, room=400, "
                             "cost=12, on_master=true,"
                             " task_seconds=gamma:9:4.5)",
                             NULL),
                   LS_OK);
  assert_int_equal(platform.workers_count, 2);
  assert_string_equal(platform.workers[0].name, "n-0");
  const struct ls_worker_model *worker = &platform.workers[1];
  assert_string_equal(worker->name, "n-1");
  platform_expect_full_worker(worker);
  ls_platform_close(&platform);
}

/* Wherever it stands, the law's mean is what a unit takes. */
static void a_law_of_times_wins_over_the_cost_of_a_unit(void **state) {
  (void)state;
  static const char *const texts[] = {"(compute=0.5+2x, task_seconds=exponential:3)",
                                      "(task_seconds=exponential:3, compute=0.5+2x)",
                                      "(compute=0.5, task_seconds = exponential : 3 : 2.9)"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct ls_platform platform;
    struct ls_error err = {0};
    if (read_line(&platform, texts[i], &err) != LS_OK) fail_msg("%s", err.text);
    assert_true(platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s == 0.5);
    assert_true(platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s == 3);
    assert_int_equal(platform.workers[0].unit_law, LS_DURATION_EXPONENTIAL);
    assert_true(platform.workers[0].unit_variation == 1);
    ls_platform_close(&platform);
  }
}

static void what_is_absent_is_as_in_the_json_form(void **state) {
  (void)state;
  struct ls_platform line, json;
  struct ls_bytes first = {0}, second = {0};
  static const char text[] = "{\"workers\": [{\"count\": 3}, {\"name\": \"b\"}]}";
  assert_int_equal(read_line(&line, "3x() + (name=b)", NULL), LS_OK);
  assert_int_equal(ls_platform_read(&json, (struct ls_text){text, strlen(text), "json"}, NULL),
                   LS_OK);
  ls_platform_write(&line, &first);
  ls_platform_write(&json, &second);
  assert_string_equal(ls_bytes_text(&first), ls_bytes_text(&second));
  ls_bytes_close(&first);
  ls_bytes_close(&second);
  ls_platform_close(&line);
  ls_platform_close(&json);
}

static void costs_may_be_written_in_any_order_and_with_blanks(void **state) {
  (void)state;
  static const char *const texts[] = {"(compute=0.5+2x)", "(compute=2x+0.5)",
                                      "( compute = .5 + 2 x )", "\n1(compute=5e-1+0.2e+1x)\n",
                                      "1 x(compute=0.50+2.x)"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct ls_platform platform;
    struct ls_error err = {0};
    if (read_line(&platform, texts[i], &err) != LS_OK) fail_msg("%s", err.text);
    assert_true(platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s == 0.5);
    assert_true(platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s == 2);
    ls_platform_close(&platform);
  }
}

static void settings_of_the_platform_stand_outside_brackets(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(read_line(&platform,
                             "(compute=1x); ports=multi-port, alpha=0.8, limit=3; prepare=0.1+2x,"
                             "share=0.25, readers=5",
                             NULL),
                   LS_OK);
  assert_int_equal(platform.ports, LS_PORTS_MULTI);
  assert_true(platform.ports_alpha == 0.8 && platform.ports_limit == 3);
  assert_true(platform.prepare.latency_s == 0.1 && platform.prepare.per_unit_s == 2);
  assert_true(platform.master_share == 0.25);
  assert_int_equal(platform.storage_readers, 5);
  ls_platform_close(&platform);
}

static void a_refusal_points_at_the_column(void **state) {
  (void)state;
  expect_refused("", 1, "the text ends");
  expect_refused("10x", 4, "expected (");
  expect_refused("10x(compute=1x", 15, "a comma or )");
  expect_refused("(compute=1x) 5", 14, "; and more");
  expect_refused("(compute=1x);", 14, "NAME=VALUE");
  expect_refused("(speed=3)", 2, "send, transfer, delay");
  expect_refused("(compute)", 2, "NAME=VALUE");
  expect_refused("(compute=1x, compute=2x)", 14, "only once");
  expect_refused("(compute=1x+2x)", 13, "one latency and one cost per unit");
  expect_refused("(name=)", 7, "a name of");
  expect_refused("(name=a b)", 9, "a comma or )");
  expect_refused("(window=3)", 10, "a colon");
  expect_refused("(window=3:2)", 9, "not before it begins");
  expect_refused("(on_master=1)", 12, "true or false");
  expect_refused("(task_seconds=zipf:1:2)", 15, "LAW:MEAN:DEVIATION");
  expect_refused("(task_seconds=gamma)", 15, "LAW:MEAN:DEVIATION");
  expect_refused("(task_seconds=gamma:x)", 21, "a mean > 0");
  expect_refused("(task_seconds=gamma:0:1)", 21, "a mean > 0");
  expect_refused("(task_seconds=gamma:1)", 22, "a colon and the deviation");
  expect_refused("(task_seconds=gamma:1e201:1)", 21, "a mean > 0 in seconds (1e-200");
  expect_refused("(task_seconds=gamma:1:1e7)", 23, "at most a million times the mean");
  expect_refused("(task_seconds=gamma:1:)", 23, "a deviation in seconds");
  expect_refused("(); ports=three", 11, "one-port, two-port or multi-port");
  expect_refused("(); share=0", 11, "above 0");
  expect_refused("(); readers=0", 13, "a whole number >= 1");
  expect_refused("(); ports=multi-port, limit=0.5", 29, "a whole number");
  expect_refused("ports=one-port", 15, "a group of workers");
}

static void numbers_that_no_cost_can_have_are_refused(void **state) {
  (void)state;
  static const char *const values[] = {"-1", "nan", "inf", "1e999", "", "x", "+1", "e5", "."};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char text[48];
    (void)snprintf(text, sizeof text, "(compute=%s)", values[i]);
    expect_refused(text, 10, "expected a");
  }
  /* strtod would read sixteen. */
  expect_refused("(delay=0x10)", 9, "a comma or )");
}

static void counts_of_workers_are_limited(void **state) {
  (void)state;
  static const char *const counts[] = {"0", "1.5", "1000001", "1e99"};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    char text[48];
    (void)snprintf(text, sizeof text, "%sx()", counts[i]);
    expect_refused(text, 1, "a whole number of workers from 1 to 1000000");
  }
  expect_refused("999999x(); 2x()", 12, "from 1 to 1");
}

static void limits_of_ports_need_multi_port(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_error err = {0};
  assert_int_equal(read_line(&platform, "(); alpha=0.5", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "ports=multi-port"));
}

/* Whatever numbers are written with all their digits come back. */
static void random_costs_are_read_exactly(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 5, "lines");
  for (int i = 0; i < 500; i++) {
    double latency = ldexp(ls_random_real(&random), (int)ls_random_below(&random, 60) - 40);
    double per_unit = ldexp(ls_random_real(&random), (int)ls_random_below(&random, 60) - 40);
    char text[120];
    (void)snprintf(text, sizeof text, "(transfer=%.17g+%.17gx)", latency, per_unit);
    struct ls_platform platform;
    assert_int_equal(read_line(&platform, text, NULL), LS_OK);
    assert_true(platform.workers[0].costs[LS_OPERATION_TRANSFER].latency_s == latency);
    assert_true(platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s == per_unit);
    ls_platform_close(&platform);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_setting_of_a_worker_is_read),
      cmocka_unit_test(a_law_of_times_wins_over_the_cost_of_a_unit),
      cmocka_unit_test(what_is_absent_is_as_in_the_json_form),
      cmocka_unit_test(costs_may_be_written_in_any_order_and_with_blanks),
      cmocka_unit_test(settings_of_the_platform_stand_outside_brackets),
      cmocka_unit_test(a_refusal_points_at_the_column),
      cmocka_unit_test(numbers_that_no_cost_can_have_are_refused),
      cmocka_unit_test(counts_of_workers_are_limited),
      cmocka_unit_test(limits_of_ports_need_multi_port),
      cmocka_unit_test(random_costs_are_read_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
