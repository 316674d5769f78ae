#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advise/prediction.h"

/* Two workers; the one called "b" is there first. A run of 3 + 2 + 4 units. */
static char *names[] = {(char *)"b", (char *)"a"};
static struct ls_course_chunk sent[] = {{.chunk = 0, .worker = 1, .units = 3},
                                        {.chunk = 1, .worker = 0, .units = 2},
                                        {.chunk = 2, .worker = 1, .units = 4}};
static struct ls_course_chunk ended[] = {
    {.chunk = 0, .worker = 1, .units = 3, .compute_s = 3.5, .end_s = 14},
    {.chunk = 1, .worker = 0, .units = 2, .compute_s = 4, .receive_s = 1, .end_s = 15},
    {.chunk = 2, .worker = 1, .units = 4, .compute_s = 4.5, .end_s = 18.5}};

static struct ls_run_course make_course(void) {
  return (struct ls_run_course){.workers = names,
                                .workers_count = 2,
                                .sent = sent,
                                .sent_count = 3,
                                .ended = ended,
                                .ended_count = 3,
                                .from_s = 10,
                                .to_s = 18.5};
}

static struct ls_platform make_platform(const char *first, const char *second) {
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  const char *const given[] = {first, second};
  for (size_t i = 0; i < 2; i++) {
    free(platform.workers[i].name);
    platform.workers[i].name = strdup(given[i]);
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 1 + (double)i};
  }
  return platform;
}

static void predicted_times_are_those_of_the_replay(void **state) {
  (void)state;
  struct ls_run_course course = make_course();
  struct ls_platform platform = make_platform("a", "b");
  struct ls_prediction prediction;
  assert_int_equal(ls_prediction_make(&course, &platform, &prediction, NULL), LS_OK);
  assert_true(fabs(prediction.all.end_predicted_s - 8) <= 1e-12);
  assert_true(fabs(prediction.all.end_happened_s - 8.5) <= 1e-12);
  assert_true(fabs(prediction.workers[1].busy_predicted_s - 8) <= 1e-12);
  assert_true(fabs(prediction.workers[0].busy_predicted_s - 4.5) <= 1e-12);
  assert_true(fabs(prediction.workers[0].busy_happened_s - 5) <= 1e-12);
  assert_true(fabs(prediction.workers[0].end_happened_s - 5) <= 1e-12);
  assert_int_equal(prediction.units, 9);
  ls_prediction_close(&prediction);
  ls_platform_close(&platform);
}

static void without_a_name_in_common_workers_go_by_their_order(void **state) {
  (void)state;
  struct ls_run_course course = make_course();
  struct ls_platform platform = make_platform("x", "y");
  struct ls_prediction prediction;
  assert_int_equal(ls_prediction_make(&course, &platform, &prediction, NULL), LS_OK);
  assert_true(prediction.is_by_order);
  assert_true(fabs(prediction.workers[0].busy_predicted_s - 2.5) <= 1e-12);
  ls_prediction_close(&prediction);
  ls_platform_close(&platform);
}

static void a_worker_that_the_platform_lacks_is_named(void **state) {
  (void)state;
  struct ls_run_course course = make_course();
  struct ls_platform platform = make_platform("a", "c");
  struct ls_prediction prediction;
  struct ls_error err = {0};
  assert_int_equal(ls_prediction_make(&course, &platform, &prediction, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker b of the run is not on the platform"));
  course.ended_count = 0;
  assert_int_equal(ls_prediction_make(&course, &platform, &prediction, &err), LS_EINVAL);
  ls_platform_close(&platform);
}

/* Worker 0 asked for its second chunk when it had ended the first. */
static void chunks_that_were_asked_for_wait_for_it(void **state) {
  (void)state;
  struct ls_run_course course = make_course();
  struct ls_platform platform = make_platform("a", "b");
  double asked[] = {0, 0, 3};
  struct ls_prediction prediction;
  platform.workers[0].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){1, 0};
  course.asked_units = asked;
  assert_int_equal(ls_prediction_make(&course, &platform, &prediction, NULL), LS_OK);
  assert_true(prediction.is_asked && !prediction.is_by_order);
  /* 1 + 3.5, then the way again and 4.5. */
  assert_true(fabs(prediction.all.end_predicted_s - 10) <= 1e-12);
  ls_prediction_close(&prediction);
  course.asked_units = NULL;
  assert_int_equal(ls_prediction_make(&course, &platform, &prediction, NULL), LS_OK);
  assert_false(prediction.is_asked);
  assert_true(fabs(prediction.all.end_predicted_s - 9) <= 1e-12);
  ls_prediction_close(&prediction);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(predicted_times_are_those_of_the_replay),
      cmocka_unit_test(without_a_name_in_common_workers_go_by_their_order),
      cmocka_unit_test(a_worker_that_the_platform_lacks_is_named),
      cmocka_unit_test(chunks_that_were_asked_for_wait_for_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
