/* test_plan_crew.c: a plan for the workers that keep a deadline or a limit of price. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"

static struct capture capture;

/* The dear fast one stands first, so that a crew's numbers are not the platform's. */
#define MARKET                                                                \
  "1x(compute=0.5x, transfer=0.01x, cost=9); 2x(compute=1x, transfer=0.01x, " \
  "cost=3); 1x(compute=2x, transfer=0.01x, cost=1)"
#define PLAN(...)                                                                                 \
  CAPTURE(&capture, "", (char *)"plan", (char *)"-p", (char *)MARKET, (char *)"-l", (char *)"60", \
          (char *)"--json", __VA_ARGS__)

static json_t *load(void) {
  json_t *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  if (document == NULL) fail_msg("no JSON: %s %s", capture.output, capture.error);
  return document;
}

static double number_of(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

static void the_cheapest_plan_within_the_deadline_is_made(void **state) {
  (void)state;
  /* The last worker alone takes 120 s at a price of 1. */
  PLAN((char *)"-a", (char *)"one-round", (char *)"--deadline=130");
  assert_int_equal(capture.exit_status, 0);
  json_t *document = load();
  assert_true(number_of(document, "makespan") <= 130 && number_of(document, "price") <= 130);
  const json_t *workers = json_object_get(document, "workers");
  assert_int_equal(json_array_size(workers), 4);
  assert_true(number_of(json_array_get(workers, 3), "units") > 59.9);
  assert_true(number_of(json_array_get(workers, 0), "price") == 0);
  assert_non_null(strstr(capture.error, "cheapest within 130 s: "));
  assert_non_null(strstr(capture.error, ", 1 of 4 workers"));
  json_decref(document);
}

/* With a deadline that all keep, or a price that buys all, nothing is left out that helps. */
static void a_loose_price_is_the_fastest_plan(void **state) {
  (void)state;
  PLAN((char *)"-a", (char *)"umr");
  json_t *document = load();
  double makespan_s = number_of(document, "makespan");
  json_decref(document);
  PLAN((char *)"-a", (char *)"umr", (char *)"--price-max=1e9");
  assert_int_equal(capture.exit_status, 0);
  document = load();
  assert_true(number_of(document, "makespan") <= makespan_s * (1 + 1e-9));
  json_decref(document);
}

static void what_cannot_be_kept_is_said(void **state) {
  (void)state;
  PLAN((char *)"-a", (char *)"one-round", (char *)"--deadline=1");
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.error, "none ends within 1 s; the fastest: "));
  json_t *document = load();
  assert_int_equal(json_integer_value(json_object_get(document, "workers_used")), 4);
  json_decref(document);
  PLAN((char *)"-a", (char *)"one-round", (char *)"--price-max=1");
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.error, "none costs at most 1; the cheapest: "));
  CAPTURE(&capture, "", (char *)"plan", (char *)"-p", (char *)"2x(stage=1x)", (char *)"-l",
          (char *)"9", (char *)"-a", (char *)"umr", (char *)"--deadline=9");
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.output, "not applicable"));
}

static void looser_deadlines_never_cost_more(void **state) {
  double price = 1e300;
  (void)state;
  for (int deadline = 20; deadline <= 140; deadline += 15) {
    char option[32];
    (void)snprintf(option, sizeof option, "--deadline=%d", deadline);
    PLAN((char *)"-a", (char *)"umr", option);
    assert_int_equal(capture.exit_status, 0);
    json_t *document = load();
    assert_true(number_of(document, "price") <= price * (1 + 1e-9));
    assert_true(number_of(document, "makespan") <= deadline * (1 + 1e-9));
    price = number_of(document, "price");
    json_decref(document);
  }
}

static void wrong_options_are_refused(void **state) {
  (void)state;
  PLAN((char *)"-a", (char *)"umr", (char *)"--deadline=-3");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--deadline is"));
  PLAN((char *)"-a", (char *)"umr", (char *)"--deadline=3", (char *)"--price-max=3");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "expected one of them"));
  PLAN((char *)"--analysis=bounds", (char *)"--deadline=3");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "a deadline or a limit of price is given with --analysis"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cheapest_plan_within_the_deadline_is_made),
      cmocka_unit_test(a_loose_price_is_the_fastest_plan),
      cmocka_unit_test(what_cannot_be_kept_is_said),
      cmocka_unit_test(looser_deadlines_never_cost_more),
      cmocka_unit_test(wrong_options_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
