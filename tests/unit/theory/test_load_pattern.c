/* The seven load patterns, segment by segment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "theory/load_pattern.h"

static struct ls_random random_source;

static double share_at(const struct ls_load_course *course, double time_s) {
  double share = 1;
  for (size_t i = 0; i < course->count && course->pieces[i].from_s <= time_s; i++)
    share = course->pieces[i].share;
  return share;
}

static void segments_share_the_duration(void **state) {
  (void)state;
  /* What holds in the middle of each third (of three) or half (of two). */
  static const struct {
    enum ls_pattern_kind kind;
    size_t segments;
    double shares[3];
  } cases[] = {{LS_PATTERN_HIGH_LOW, 2, {0.4, 1, 0}},
               {LS_PATTERN_LOW_HIGH, 2, {1, 0.4, 0}},
               {LS_PATTERN_LOW_HIGH_LOW, 3, {1, 0.4, 1}},
               {LS_PATTERN_HIGH_LOW_HIGH, 3, {0.4, 1, 0.4}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_load_pattern pattern = {
        .kind = cases[i].kind, .duration_s = 12, .busy = 0.4, .slot_s = 1};
    struct ls_load_course course = {NULL, 0};
    assert_int_equal(ls_load_pattern_make(&pattern, 0, &random_source, &course, NULL), LS_OK);
    for (size_t k = 0; k < cases[i].segments; k++) {
      double middle_s = 12 * ((double)k + 0.5) / (double)cases[i].segments;
      assert_true(share_at(&course, middle_s) == cases[i].shares[k]);
    }
    assert_true(share_at(&course, 12) == 1);
    free(course.pieces);
  }
}

static void random_load_is_busy_in_half_of_the_slots(void **state) {
  (void)state;
  struct ls_load_pattern pattern = {
      .kind = LS_PATTERN_RANDOM, .duration_s = 4000, .busy = 0.25, .slot_s = 2};
  struct ls_load_course course = {NULL, 0};
  size_t busy = 0;
  ls_random_init(&random_source, 5, "pattern");
  assert_int_equal(ls_load_pattern_make(&pattern, 0, &random_source, &course, NULL), LS_OK);
  for (size_t slot = 0; slot < 2000; slot++) busy += share_at(&course, 2 * (double)slot + 1) < 1;
  assert_in_range(busy, 880, 1120);
  for (size_t i = 1; i < course.count; i++)
    assert_true(course.pieces[i].from_s > course.pieces[i - 1].from_s);
  free(course.pieces);
}

static void worker_i_runs_pattern_i_of_the_seven(void **state) {
  (void)state;
  struct ls_load_pattern seven = {
      .kind = LS_PATTERN_SEVEN, .first = 5, .duration_s = 21, .busy = 0.5, .slot_s = 1};
  for (size_t worker = 0; worker < 14; worker++) {
    struct ls_load_pattern one = seven;
    struct ls_load_course courses[2];
    one.kind = (enum ls_pattern_kind)((5 + worker) % 7);
    ls_random_init(&random_source, 1, "pattern");
    assert_int_equal(ls_load_pattern_make(&seven, worker, &random_source, &courses[0], NULL),
                     LS_OK);
    ls_random_init(&random_source, 1, "pattern");
    assert_int_equal(ls_load_pattern_make(&one, 0, &random_source, &courses[1], NULL), LS_OK);
    assert_int_equal(courses[0].count, courses[1].count);
    for (size_t i = 0; i < courses[0].count; i++) {
      assert_true(courses[0].pieces[i].from_s == courses[1].pieces[i].from_s);
      assert_true(courses[0].pieces[i].share == courses[1].pieces[i].share);
    }
    free(courses[0].pieces);
    free(courses[1].pieces);
  }
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  const struct ls_load_pattern good = {.kind = LS_PATTERN_SEVEN, .duration_s = 1, .slot_s = 1};
  struct ls_load_pattern wrong[] = {good, good, good, good, good};
  wrong[0].duration_s = 0;
  wrong[1].busy = -1;
  wrong[2].slot_s = 0;
  wrong[3].slot_s = 1e-12;
  wrong[4].kind = (enum ls_pattern_kind)(LS_PATTERN_SEVEN + 1);
  for (size_t i = 0; i < 5; i++) {
    struct ls_error err = {0};
    struct ls_load_course course = {NULL, 0};
    assert_int_equal(ls_load_pattern_make(&wrong[i], 0, &random_source, &course, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "load_pattern."));
    assert_null(course.pieces);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(segments_share_the_duration),
      cmocka_unit_test(random_load_is_busy_in_half_of_the_slots),
      cmocka_unit_test(worker_i_runs_pattern_i_of_the_seven),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
