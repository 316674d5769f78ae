/* What a run has measured, in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "cli/run/run_learnt.h"
#include "run_course_fixture.h"

static void write(uint64_t chunks, bool is_uniform, struct ls_bytes *text, struct ls_bytes *json) {
  struct ls_course_rows course;
  struct ls_run_learnt learnt;
  make_course(&course, 2, chunks, is_uniform);
  assert_int_equal(ls_run_learnt_make(&course, &learnt, NULL), LS_OK);
  assert_int_equal(course.course.ended_count, chunks); /* it may go on */
  ls_run_learnt_write(&learnt, text);
  ls_run_learnt_write_json(&learnt, json);
  ls_run_learnt_close(&learnt);
  ls_course_rows_close(&course);
}

static void a_law_is_told_with_its_intervals(void **state) {
  (void)state;
  struct ls_bytes text = {0}, json = {0};
  write(24, false, &text, &json);
  assert_ptr_equal(strstr(ls_bytes_text(&text), "learnt     compute 0.5 s + 0.25 s a unit (90 %: "),
                   ls_bytes_text(&text));
  json_t *document = json_loads(ls_bytes_text(&json), 0, NULL);
  assert_int_equal(json_array_size(document), 2);
  const json_t *first = json_array_get(document, 0);
  assert_string_equal(json_string_value(json_object_get(first, "worker")), "local-1");
  assert_true(fabs(json_number_value(json_object_get(first, "latency")) - 0.5) < 1e-9);
  json_decref(document);
  ls_bytes_close(&text);
  ls_bytes_close(&json);
}

static void one_size_does_not_tell_the_latency(void **state) {
  (void)state;
  struct ls_bytes text = {0}, json = {0};
  write(24, true, &text, &json);
  assert_non_null(strstr(ls_bytes_text(&text), "compute 0.5 s a unit"));
  assert_non_null(strstr(ls_bytes_text(&text), "not told apart: all chunks are of 2"));
  ls_bytes_close(&text);
  ls_bytes_close(&json);
}

static void nothing_is_learnt_of_nothing(void **state) {
  (void)state;
  struct ls_bytes text = {0}, json = {0};
  write(0, true, &text, &json);
  assert_int_equal(text.length, 0);
  assert_string_equal(ls_bytes_text(&json), "[]");
  ls_bytes_close(&json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_is_told_with_its_intervals),
      cmocka_unit_test(one_size_does_not_tell_the_latency),
      cmocka_unit_test(nothing_is_learnt_of_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
