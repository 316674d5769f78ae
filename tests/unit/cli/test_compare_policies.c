#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"
#include "cli/compare_policies.h"

static struct capture capture;

#define COMPARE(...) \
  CAPTURE(&capture, "", (char *)"compare", (char *)"-l", (char *)"12", __VA_ARGS__)

static void a_range_is_read(void **state) {
  (void)state;
  struct ls_worker_range range = {0, 0};
  assert_int_equal(ls_worker_range_read(&range, "3-17", NULL), LS_OK);
  assert_int_equal(range.least, 3);
  assert_int_equal(range.most, 17);
  assert_int_equal(ls_worker_range_read(&range, "8", NULL), LS_OK);
  assert_int_equal(range.least, 8);
  assert_int_equal(range.most, 8);
  static const char *const wrong[] = {
      "", "-", "0-3", "5-4", "1-x", "1-2-3", "99999999999999999999999999999999999999-2"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_error err = {0};
    assert_int_equal(ls_worker_range_read(&range, wrong[i], &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "--workers"));
  }
  assert_int_equal(range.least, 8);
}

static void the_better_policy_comes_first(void **state) {
  (void)state;
  COMPARE((char *)"-p", (char *)"1x(compute=1x); 1x(compute=5x)", (char *)"--policies=sc,ss",
          (char *)"--set=recall=false");
  assert_int_equal(capture.exit_status, 0);
  const char *first = strstr(capture.output, "\nss "), *second = strstr(capture.output, "\nsc ");
  assert_true(first != NULL && second != NULL && first < second);
}

/* The fastest workers come first: with one worker the twelve units take twelve seconds. */
static void numbers_of_workers_are_compared(void **state) {
  (void)state;
  COMPARE((char *)"-p", (char *)"2x(compute=4x); 2x(compute=1x)", (char *)"--workers=1-4",
          (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  const json_t *points = json_object_get(document, "workers");
  assert_int_equal(json_array_size(points), 4);
  assert_true(json_number_value(json_object_get(json_array_get(points, 0), "time")) == 12);
  assert_true(json_number_value(json_object_get(json_array_get(points, 1), "time")) == 6);
  assert_int_equal(json_integer_value(json_object_get(document, "perfect_number")), 2);
  json_decref(document);
  COMPARE((char *)"-p", (char *)"2x(compute=1x)", (char *)"--workers=1-2");
  assert_non_null(strstr(capture.output, "perfect number 2, ideal [2]"));
}

/* Both fast workers at 3 for six seconds: the price is that of all seconds up. */
static void prices_are_shown_where_a_worker_has_one(void **state) {
  (void)state;
  COMPARE((char *)"-p", (char *)"2x(compute=1x, cost=3)", (char *)"--policies=ss",
          (char *)"--json");
  assert_non_null(strstr(capture.output, "\"price\": {\"mean\": 36,"));
  COMPARE((char *)"-p", (char *)"2x(compute=1x, cost=3)", (char *)"--policies=ss");
  assert_non_null(strstr(capture.output, "    chunks      price\n"));
  assert_non_null(strstr(capture.output, "        36\n"));
  COMPARE((char *)"-p", (char *)"2x(compute=1x, cost=3)", (char *)"--workers=1-2");
  assert_non_null(strstr(capture.output, "       EER s      price\n"));
  assert_non_null(strstr(capture.output, "        36  perfect\n"));
  COMPARE((char *)"-p", (char *)"2x(compute=1x)", (char *)"--policies=ss");
  assert_null(strstr(capture.output, "price"));
}

static void what_cannot_be_compared_is_refused(void **state) {
  (void)state;
  COMPARE((char *)"-p", (char *)"2x(compute=1x)", (char *)"--workers=1-3");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "the platform has 2 workers"));
  COMPARE((char *)"-p", (char *)"2x(compute=1x)", (char *)"--workers=1-2", (char *)"--policies",
          (char *)"ss,gss");
  assert_non_null(strstr(capture.error, "--workers goes with one policy"));
  COMPARE((char *)"-p", (char *)"2x(compute=1x)", (char *)"--workers=1-2", (char *)"-a",
          (char *)"umr");
  assert_non_null(strstr(capture.error, "--algorithms is given with --policies or --workers"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_range_is_read),
      cmocka_unit_test(the_better_policy_comes_first),
      cmocka_unit_test(numbers_of_workers_are_compared),
      cmocka_unit_test(prices_are_shown_where_a_worker_has_one),
      cmocka_unit_test(what_cannot_be_compared_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
