#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/calibrate/calibrate_check.h"

/* Two workers were there; the second has no name, and did nothing. */
static char *names[] = {(char *)"a", NULL};
static const struct ls_run_course course = {.workers = names, .workers_count = 2};
static struct ls_prediction_times times[] = {{8, 8.5, 8, 8.25}, {0, 0, 0, 0}};
static const struct ls_prediction prediction = {
    .workers_count = 2, .workers = times, .all = {8, 8.5, 8, 8.5}, .units = 9, .chunks = 3};

static void people_see_both_and_the_error(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_check_write_text(&prediction, &course, "run.journal", &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "run.journal: 9 units in 3 chunks, pushed one after another\n"));
  assert_non_null(
      strstr(text, "makespan                                8          8.5     -5.88 %"));
  assert_non_null(
      strstr(text, "a ends                                  8         8.25     -3.03 %"));
  assert_null(strstr(text, "in their order"));
  /* Of a worker that neither did nor was to do anything there is nothing to say. */
  assert_null(strstr(text, "- busy"));
  ls_bytes_close(&out);
}

static void how_it_was_replayed_is_told(void **state) {
  (void)state;
  struct ls_prediction asked = prediction;
  struct ls_bytes out = {0};
  asked.is_asked = asked.is_by_order = true;
  ls_check_write_text(&asked, &course, "run.journal", &out);
  assert_non_null(strstr(ls_bytes_text(&out), "chunks, sent as their workers asked for them\n"));
  assert_non_null(strstr(ls_bytes_text(&out), "they are taken in their order\n"));
  ls_bytes_clear(&out);
  ls_check_write_json(&asked, &course, "run.journal", &out);
  assert_non_null(
      strstr(ls_bytes_text(&out), "\"chunks_are\": \"asked\", \"workers_by\": \"order\""));
  ls_bytes_close(&out);
}

static void machines_read_both(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  double predicted, happened, error;
  int idle_error;
  ls_check_write_json(&prediction, &course, "run.journal", &out);
  json_t *document = json_loads(ls_bytes_text(&out), 0, NULL);
  assert_non_null(document);
  assert_int_equal(json_unpack(document, "{s:{s:F, s:F, s:F}}", "makespan", "predicted", &predicted,
                               "happened", &happened, "error_percent", &error),
                   0);
  assert_true(fabs(predicted - 8) <= 0 && fabs(happened - 8.5) <= 0);
  assert_true(fabs(error - 100 * (8 / 8.5 - 1)) <= 1e-9);
  json_t *idle = json_array_get(json_object_get(document, "workers"), 1);
  idle_error = json_is_null(json_object_get(json_object_get(idle, "busy"), "error_percent"));
  assert_true(idle_error);
  json_decref(document);
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(people_see_both_and_the_error),
      cmocka_unit_test(how_it_was_replayed_is_told),
      cmocka_unit_test(machines_read_both),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
