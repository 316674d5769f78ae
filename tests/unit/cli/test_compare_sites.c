/* test_compare_sites.c: whether a second site pays, by planners and by policies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"

static struct capture capture;

/* Two near workers, four faster ones behind a link on which a unit lasts for 0.1 s and a second
 * more. */
#define SITES "2x(compute=0.1+1x, transfer=0.001+0.001x); 4x(compute=0.1+0.5x, transfer=1+0.1x)"
#define COMPARE(...) \
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)SITES, (char *)"-l", __VA_ARGS__)

static void assert_has(const char *text, const char *part) {
  if (strstr(text, part) == NULL) fail_msg("'%s' is not in: %s", part, text);
}

static json_t *load(void) {
  json_t *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  if (document == NULL) fail_msg("no JSON: %s %s", capture.output, capture.error);
  return document;
}

static const json_t *site_of(const json_t *document, size_t at) {
  return json_array_get(json_object_get(document, "sites"), at);
}

static double makespan_of(const json_t *document, size_t at) {
  return json_number_value(json_object_get(site_of(document, at), "makespan"));
}

static void a_second_site_pays_where_there_is_much_to_do(void **state) {
  (void)state;
  COMPARE((char *)"100", (char *)"--sites", (char *)"--policy", (char *)"ss,gss", (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *document = load();
  assert_int_equal(json_array_size(json_object_get(site_of(document, 0), "workers")), 2);
  assert_int_equal(json_array_size(json_object_get(site_of(document, 1), "workers")), 4);
  assert_int_equal(json_array_size(json_object_get(site_of(document, 2), "workers")), 6);
  assert_true(makespan_of(document, 2) < 0.8 * makespan_of(document, 0));
  assert_true(makespan_of(document, 2) < makespan_of(document, 1));
  assert_true(json_is_true(json_object_get(document, "pays")));
  json_decref(document);
}

/* Two units: both are done where they are near before one has come to the far site and back. */
static void it_does_not_where_there_is_little(void **state) {
  (void)state;
  COMPARE((char *)"2", (char *)"--sites", (char *)"--policy", (char *)"ss");
  assert_int_equal(capture.exit_status, 0);
  assert_has(capture.output, "the 4 far workers do not pay: ");
  assert_has(capture.output, "near       2 ");
  assert_has(capture.output, "ss: worker-0, worker-1\n");
}

/* What it says of a site is what the policy alone gives on that site's workers. */
static void the_figures_are_those_of_the_policy(void **state) {
  (void)state;
  COMPARE((char *)"100", (char *)"--sites", (char *)"--policy", (char *)"gss", (char *)"--json");
  json_t *document = load();
  double near_s = makespan_of(document, 0);
  json_decref(document);
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p",
          (char *)"2x(compute=0.1+1x, transfer=0.001+0.001x)", (char *)"-l", (char *)"100",
          (char *)"--policy", (char *)"gss", (char *)"--json");
  char expected[64];
  (void)snprintf(expected, sizeof expected, "%.12g", near_s);
  assert_has(capture.output, expected);
}

static void planners_are_asked_where_no_policy_is_named(void **state) {
  (void)state;
  COMPARE((char *)"100", (char *)"--sites", (char *)"-a", (char *)"one-round,umr",
          (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *document = load();
  assert_non_null(json_object_get(site_of(document, 0), "algorithm"));
  assert_true(makespan_of(document, 2) <= makespan_of(document, 0));
  json_decref(document);
}

static void one_site_is_refused(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)"3x(compute=1x, transfer=0.5x)",
          (char *)"-l", (char *)"9", (char *)"--sites");
  assert_int_equal(capture.exit_status, 2);
  assert_has(capture.error, "the delay of a unit is 0.5 to 0.5 s, expected some workers that are");
}

static void it_stands_alone(void **state) {
  (void)state;
  COMPARE((char *)"9", (char *)"--sites", (char *)"--deadline", (char *)"5");
  assert_int_equal(capture.exit_status, 2);
  assert_has(capture.error, "--sites is given with a deadline or a limit of price");
  COMPARE((char *)"9", (char *)"--sites", (char *)"--front");
  assert_int_equal(capture.exit_status, 2);
  assert_has(capture.error, "--sites is given with --front");
}

/* No period is limited by near workers that cost nothing to reach. */
static void a_site_that_nothing_applies_to_has_no_figure(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p",
          (char *)"2x(compute=1x); 2x(compute=0.5x, transfer=5+0.1x)", (char *)"-l", (char *)"50",
          (char *)"--sites", (char *)"-a", (char *)"scow");
  assert_int_equal(capture.exit_status, 1);
  assert_has(capture.output, "none applies: worker-0, worker-1\n");
  assert_has(capture.output, "do not pay: no way with them, no way without");
}

static void several_platforms_are_refused(void **state) {
  (void)state;
  COMPARE((char *)"9", (char *)"--sites", (char *)"--policy", (char *)"ss",
          (char *)"--and-platform", (char *)"2x(compute=1x)");
  assert_int_equal(capture.exit_status, 2);
  assert_has(capture.error, "--sites goes with one platform, but 2 are given");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_site_pays_where_there_is_much_to_do),
      cmocka_unit_test(it_does_not_where_there_is_little),
      cmocka_unit_test(the_figures_are_those_of_the_policy),
      cmocka_unit_test(planners_are_asked_where_no_policy_is_named),
      cmocka_unit_test(one_site_is_refused),
      cmocka_unit_test(it_stands_alone),
      cmocka_unit_test(a_site_that_nothing_applies_to_has_no_figure),
      cmocka_unit_test(several_platforms_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
