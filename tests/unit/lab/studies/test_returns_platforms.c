/* The stars of the studies of loads with results. */
#include "study_fixture.h"

#include "lab/studies/returns_platforms.h"

static void costs_are_in_their_ranges(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_platform platform;
  ls_random_init(&random, 1, "star");
  assert_int_equal(ls_study_returns_star(&platform, 50, 3, 0.8, &random, NULL), LS_OK);
  for (size_t i = 0; i < 50; i++) {
    const struct ls_worker_model *worker = &platform.workers[i];
    assert_true(worker->costs[LS_OPERATION_TRANSFER].per_unit_s >= 0.5 &&
                worker->costs[LS_OPERATION_TRANSFER].per_unit_s < 1.5);
    assert_true(worker->costs[LS_OPERATION_COMPUTE].per_unit_s >= 1.5 &&
                worker->costs[LS_OPERATION_COMPUTE].per_unit_s < 4.5);
    assert_true(fabs(worker->costs[LS_OPERATION_REPLY].per_unit_s -
                     0.8 * worker->costs[LS_OPERATION_TRANSFER].per_unit_s) < 1e-15);
  }
  ls_platform_close(&platform);
}

static void throughputs_are_those_of_the_replay(void **state) {
  (void)state;
  struct ls_platform platform;
  double throughput = 0, enrolled = 0;
  struct ls_error err = {0};
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = 2;
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 3;
  platform.workers[0].costs[LS_OPERATION_REPLY].per_unit_s = 1;
  assert_int_equal(ls_study_throughput(&platform, "lifo", &throughput, &enrolled, &err), LS_OK);
  assert_true(fabs(throughput - 1.0 / 6) < 1e-15);
  assert_true(fabs(enrolled - 1) < 1e-15);
  platform.workers[0].delay_s = 1;
  assert_int_equal(ls_study_throughput(&platform, "lifo", &throughput, &enrolled, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "delay"));
  assert_int_equal(ls_study_throughput(&platform, "none", &throughput, NULL, &err), LS_EINVAL);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_are_in_their_ranges),
      cmocka_unit_test(throughputs_are_those_of_the_replay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
