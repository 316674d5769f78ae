#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/homogeneity.h"

static struct ls_worker_fits make_worker(double latency_s, double per_unit_s) {
  struct ls_worker_fits worker = {.fits = {{.count = 0}}};
  worker.fits[LS_OPERATION_COMPUTE] = (struct ls_affine_fit){.law = {latency_s, per_unit_s},
                                                             .raw = {latency_s, per_unit_s},
                                                             .count = 100,
                                                             .units_least = 10,
                                                             .units_most = 100};
  return worker;
}

/* Definition 5: slopes and constants differ by at most TOL, or the cluster is heterogeneous. */
static void the_tolerance_is_on_slopes_and_constants(void **state) {
  (void)state;
  const struct ls_worker_fits workers[] = {make_worker(1, 2), make_worker(1.09, 1.95),
                                           make_worker(1, 2.2)};
  struct ls_workers_laws laws = {workers, 3, 1};
  assert_true(ls_workers_are_alike(&laws, 0, 1, 0.1));
  assert_false(ls_workers_are_alike(&laws, 0, 1, 0.08));
  assert_false(ls_workers_are_alike(&laws, 0, 2, 0.1));
}

static void without_a_tolerance_times_within_five_percent_are_alike(void **state) {
  (void)state;
  struct ls_worker_fits workers[] = {make_worker(1, 2), make_worker(0.5, 2.05), make_worker(1, 2.2),
                                     make_worker(1, 2.2)};
  struct ls_workers_laws laws = {workers, 4, 1};
  /* What noise explains is no difference. */
  workers[3].fits[LS_OPERATION_COMPUTE].noise_share = 0.5;
  assert_true(ls_workers_are_alike(&laws, 0, 1, (double)NAN));
  assert_false(ls_workers_are_alike(&laws, 0, 2, (double)NAN));
  assert_true(ls_workers_are_alike(&laws, 0, 3, (double)NAN));
}

/* Of one size there is only a mean, which 100 tasks tell well: 1 s and 2.5 s are not alike, however
 * the tasks are spread. At the end of a line they might be. */
static void means_of_one_size_that_noise_does_not_explain_differ(void **state) {
  (void)state;
  struct ls_worker_fits workers[] = {make_worker(0, 0.1), make_worker(0, 0.25),
                                     make_worker(0, 0.13)};
  struct ls_workers_laws laws = {workers, 3, 1};
  for (size_t i = 0; i < 3; i++) {
    struct ls_affine_fit *fit = &workers[i].fits[LS_OPERATION_COMPUTE];
    fit->noise_share = 1;
    fit->is_told_apart = true;
  }
  assert_true(ls_workers_are_alike(&laws, 0, 1, (double)NAN));
  for (size_t i = 0; i < 3; i++) {
    struct ls_affine_fit *fit = &workers[i].fits[LS_OPERATION_COMPUTE];
    fit->units_most = fit->units_least = 10;
    fit->is_told_apart = false;
  }
  assert_false(ls_workers_are_alike(&laws, 0, 1, (double)NAN));
  assert_true(ls_workers_are_alike(&laws, 0, 2, (double)NAN));
}

static void a_worker_of_another_operation_is_not_alike(void **state) {
  (void)state;
  struct ls_worker_fits workers[] = {make_worker(1, 2), make_worker(1, 2)};
  struct ls_workers_laws laws = {workers, 2, 1};
  workers[1].fits[LS_OPERATION_SEND] = workers[1].fits[LS_OPERATION_COMPUTE];
  assert_false(ls_workers_are_alike(&laws, 0, 1, 100));
}

/* Two workers in two windows: one window in which they differ is enough. */
static void workers_are_alike_in_all_windows_or_not_at_all(void **state) {
  (void)state;
  const struct ls_worker_fits fits[] = {make_worker(1, 2), make_worker(5, 1), make_worker(1, 2),
                                        make_worker(5, 2)};
  struct ls_workers_laws laws = {fits, 2, 2};
  assert_false(ls_workers_are_alike(&laws, 0, 1, 0.5));
  assert_true(ls_workers_are_alike(&laws, 0, 1, 1.5));
}

/* 1.00, 1.06 and 1.12 are alike in neighbours only: all pairs of a group must be. */
static void groups_hold_no_pair_that_differs(void **state) {
  (void)state;
  const struct ls_worker_fits workers[] = {make_worker(0, 1), make_worker(0, 1.06),
                                           make_worker(0, 1.12), make_worker(0, 1.02)};
  uint32_t groups[4], made;
  struct ls_workers_laws laws = {workers, 4, 1};
  assert_int_equal(ls_workers_group(&laws, 0.07, groups, &made, NULL), LS_OK);
  const uint32_t expected[] = {0, 0, 1, 0};
  assert_int_equal(made, 2);
  for (size_t i = 0; i < 4; i++) assert_int_equal(groups[i], expected[i]);
}

static void factors_compare_computing_at_a_size(void **state) {
  (void)state;
  struct ls_worker_fits workers[] = {make_worker(0, 1), make_worker(10, 2), make_worker(0, 1)};
  workers[2].fits[LS_OPERATION_COMPUTE].count = 0;
  double factors[3];
  struct ls_workers_laws laws = {workers, 3, 1};
  ls_workers_normalise(&laws, 0, 10, factors);
  assert_true(fabs(factors[0] - 0.5) <= 1e-12 && fabs(factors[1] - 1.5) <= 1e-12);
  assert_true(isnan(factors[2]));
}

static void factors_are_one_where_computing_takes_no_time(void **state) {
  (void)state;
  struct ls_worker_fits fits[3] = {0};
  struct ls_workers_laws laws = {fits, 3, 1};
  double factors[3];
  for (size_t i = 0; i < 2; i++) fits[i].fits[LS_OPERATION_COMPUTE].count = 5;
  ls_workers_normalise(&laws, 0, 10, factors);
  assert_true(fabs(factors[0] - 1) <= 0 && fabs(factors[1] - 1) <= 0);
  assert_true(isnan(factors[2]));
  /* A raw fit that is negative at this size makes no negative factor. */
  fits[0].fits[LS_OPERATION_COMPUTE].raw = (struct ls_cost){-5, 0.1};
  fits[0].fits[LS_OPERATION_COMPUTE].law = (struct ls_cost){0, 0.1};
  fits[1].fits[LS_OPERATION_COMPUTE].law = (struct ls_cost){1, 0.2};
  ls_workers_normalise(&laws, 0, 10, factors);
  assert_true(fabs(factors[0] - 0.5) <= 1e-12 && fabs(factors[1] - 1.5) <= 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tolerance_is_on_slopes_and_constants),
      cmocka_unit_test(without_a_tolerance_times_within_five_percent_are_alike),
      cmocka_unit_test(means_of_one_size_that_noise_does_not_explain_differ),
      cmocka_unit_test(a_worker_of_another_operation_is_not_alike),
      cmocka_unit_test(workers_are_alike_in_all_windows_or_not_at_all),
      cmocka_unit_test(groups_hold_no_pair_that_differs),
      cmocka_unit_test(factors_compare_computing_at_a_size),
      cmocka_unit_test(factors_are_one_where_computing_takes_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
