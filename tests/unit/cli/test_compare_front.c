/* test_compare_front.c: time against price, over planners or policies and crews. */
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

/* A slow cheap one, two of the middle, a fast dear one: 2 x 3 x 2 - 1 crews. */
#define MARKET                                                                       \
  "1x(compute=2x, transfer=0.01x, cost=1); 2x(compute=1x, transfer=0.01x, cost=3); " \
  "1x(compute=0.5x, transfer=0.01x, cost=9)"
#define FRONT(...)                                                                     \
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)MARKET, (char *)"-l", \
          (char *)"60", __VA_ARGS__)

static json_t *load(void) {
  json_t *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  if (document == NULL) fail_msg("no JSON: %s %s", capture.output, capture.error);
  return document;
}

static double number_of(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

static void check_front(const json_t *document) {
  const json_t *front = json_object_get(document, "front");
  assert_true(json_array_size(front) > 1);
  for (size_t i = 1; i < json_array_size(front); i++) {
    const json_t *before = json_array_get(front, i - 1), *entry = json_array_get(front, i);
    assert_true(number_of(before, "makespan") < number_of(entry, "makespan"));
    assert_true(number_of(before, "price") > number_of(entry, "price"));
  }
}

static void the_front_falls_and_all_crews_were_tried(void **state) {
  (void)state;
  FRONT((char *)"--front", (char *)"--json", (char *)"-a", (char *)"one-round,umr");
  assert_int_equal(capture.exit_status, 0);
  json_t *document = load();
  check_front(document);
  assert_int_equal(json_integer_value(json_object_get(document, "tried")), 2 * 11);
  assert_true(json_is_true(json_object_get(document, "complete")));
  /* The cheapest of all: one worker whose second is cheap for its speed. */
  const json_t *front = json_object_get(document, "front");
  const json_t *last = json_array_get(front, json_array_size(front) - 1);
  assert_int_equal(json_array_size(json_object_get(last, "workers")), 1);
  assert_string_equal(json_string_value(json_array_get(json_object_get(last, "names"), 0)),
                      "worker-0");
  json_decref(document);
  FRONT((char *)"--front", (char *)"--policies", (char *)"ss,fac2", (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  document = load();
  check_front(document);
  assert_non_null(strstr(capture.output, "{\"policy\": \"ss\""));
  json_decref(document);
}

static double choose(const char *option, const char *key) {
  FRONT((char *)option, (char *)"--json", (char *)"--policies=ss");
  assert_int_equal(capture.exit_status, 0);
  json_t *document = load();
  assert_true(json_is_true(json_object_get(document, "met")));
  double value = number_of(json_object_get(document, "chosen"), key);
  json_decref(document);
  return value;
}

static void looser_limits_never_cost_more(void **state) {
  double price = (double)INFINITY, time_s = (double)INFINITY;
  (void)state;
  for (int limit = 30; limit <= 130; limit += 20) {
    char option[32];
    (void)snprintf(option, sizeof option, "--deadline=%d", limit);
    double now = choose(option, "price");
    assert_true(now <= price);
    price = now;
    assert_true(choose(option, "makespan") <= limit);
  }
  for (int limit = 130; limit <= 600; limit += 90) {
    char option[32];
    (void)snprintf(option, sizeof option, "--price-max=%d", limit);
    double now = choose(option, "makespan");
    assert_true(now <= time_s);
    time_s = now;
    assert_true(choose(option, "price") <= limit);
  }
}

static void what_cannot_be_kept_is_said_with_the_best_there_is(void **state) {
  (void)state;
  FRONT((char *)"--deadline=1", (char *)"-a", (char *)"one-round");
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.output, "none ends within 1 s; the fastest: "));
  assert_non_null(strstr(capture.output, "one-round on 4 workers"));
  FRONT((char *)"--price-max=1", (char *)"--policies=ss", (char *)"--json");
  assert_int_equal(capture.exit_status, 1);
  json_t *document = load();
  assert_true(json_is_false(json_object_get(document, "met")));
  assert_non_null(strstr(json_string_value(json_object_get(document, "why")),
                         "none costs at most 1; the cheapest: "));
  json_decref(document);
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)"2x(stage=1x)", (char *)"-l",
          (char *)"9", (char *)"--front", (char *)"-a", (char *)"umr");
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.output, "no algorithm applies to any workers"));
}

static void numbers_of_workers_bound_the_crews(void **state) {
  (void)state;
  FRONT((char *)"--front", (char *)"--workers=2-3", (char *)"-a", (char *)"one-round",
        (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *document = load();
  const json_t *front = json_object_get(document, "front");
  for (size_t i = 0; i < json_array_size(front); i++) {
    size_t workers = json_array_size(json_object_get(json_array_get(front, i), "workers"));
    assert_true(workers >= 2 && workers <= 3);
  }
  json_decref(document);
}

static void the_picture_shows_front_and_choice(void **state) {
  char path[] = "/tmp/front-XXXXXX", text[8192], option[64];
  (void)state;
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  (void)snprintf(option, sizeof option, "--svg=%s", path);
  FRONT((char *)"--deadline=40", option, (char *)"-a", (char *)"one-round");
  assert_int_equal(capture.exit_status, 0);
  FILE *file = fdopen(descriptor, "r");
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  (void)fclose(file);
  (void)remove(path);
  assert_non_null(strstr(text, "<svg"));
  assert_non_null(strstr(text, "60 units: time against price"));
  assert_non_null(strstr(text, "cheapest within 40 s"));
}

static void wrong_options_are_refused(void **state) {
  static const struct {
    const char *option, *words;
  } wrong[] = {{"--deadline=0", "--deadline is '0', expected seconds > 0"},
               {"--price-max=-2", "--price-max is"},
               {"--deadline=soon", "--deadline is"},
               {"--svg=f.svg", "--svg is given without --policies, --front"}};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    FRONT((char *)wrong[i].option);
    assert_int_equal(capture.exit_status, 2);
    assert_non_null(strstr(capture.error, wrong[i].words));
  }
  FRONT((char *)"--svg=f.svg", (char *)"--workers=1-2");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--svg and --workers exclude each other"));
  FRONT((char *)"--deadline=3", (char *)"--price-max=3");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "expected one of them"));
  FRONT((char *)"--front", (char *)"-a", (char *)"no-such");
  assert_int_equal(capture.exit_status, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_front_falls_and_all_crews_were_tried),
      cmocka_unit_test(looser_limits_never_cost_more),
      cmocka_unit_test(what_cannot_be_kept_is_said_with_the_best_there_is),
      cmocka_unit_test(numbers_of_workers_bound_the_crews),
      cmocka_unit_test(the_picture_shows_front_and_choice),
      cmocka_unit_test(wrong_options_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
