#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include "base/random.h"
#include "runtime/master/guests/result_bounds.h"

static void what_is_possible_stays(void **state) {
  (void)state;
  const double latest[] = {1, 2};
  struct ls_message result = {.range = {4, 2},
                              .receive_s = 0.5,
                              .stage_s = 4,
                              .lead_s = 5,
                              .exposed_s = 1,
                              .compute_s = 3,
                              .squares = 5,
                              .latest = latest,
                              .latest_count = 2,
                              .usage = {.user_s = 20, .system_s = 3}};
  const struct ls_message before = result;
  result.squares = 7; /* 0.5 s of receiving are part of them */
  ls_result_bound(&result, 10);
  assert_true(result.receive_s == before.receive_s && result.compute_s == before.compute_s);
  assert_true(result.stage_s == before.stage_s && result.lead_s == before.lead_s);
  assert_true(result.exposed_s == before.exposed_s && result.squares == 7);
  assert_true(result.usage.user_s == before.usage.user_s);
  assert_int_equal(result.latest_count, 2);
}

static void nothing_lasts_longer_than_its_chunk_was_out(void **state) {
  (void)state;
  const double lies[] = {1e5, 1e300, DBL_MAX}, latest[] = {1e5};
  for (size_t i = 0; i < sizeof lies / sizeof *lies; ++i) {
    struct ls_message result = {.range = {0, 1},
                                .compute_s = lies[i],
                                .stage_s = lies[i],
                                .lead_s = lies[i],
                                .exposed_s = lies[i],
                                .squares = DBL_MAX,
                                .latest = latest,
                                .latest_count = 1,
                                .usage = {.user_s = DBL_MAX, .system_s = DBL_MAX}};
    ls_result_bound(&result, 0.1);
    assert_true(result.compute_s > 0.1 && result.compute_s < 0.2);
    assert_true(result.stage_s < 0.2 && result.lead_s < 0.2 && result.exposed_s < 0.2);
    assert_true(result.squares <= 0.04);
    assert_true(result.usage.user_s < 1e5 && result.usage.system_s < 1e5);
    assert_int_equal(result.latest_count, 0);
  }
}

static void what_no_clock_tells_is_nothing(void **state) {
  (void)state;
  struct ls_message result = {.range = {0, 3}, .compute_s = 5e-324, .squares = 5e-324};
  ls_result_bound(&result, 1);
  assert_true(result.compute_s == 0 && result.squares == 0);
}

/* Whatever is said, sums, squares and the time that the chunk was out fit each other. */
static void the_numbers_fit(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 1, "bounds");
  for (int turn = 0; turn < 2000; ++turn) {
    const double latest[] = {exp(200 * ls_random_real(&random) - 100)};
    double out_s = 10 * ls_random_real(&random);
    struct ls_message result = {.range = {0, 1 + ls_random_below(&random, 9)},
                                .receive_s = exp(200 * ls_random_real(&random) - 100),
                                .compute_s = exp(200 * ls_random_real(&random) - 100),
                                .squares = exp(200 * ls_random_real(&random) - 100),
                                .latest = latest,
                                .latest_count = ls_random_below(&random, 2)};
    ls_result_bound(&result, out_s);
    double sum_s = result.receive_s + result.compute_s, units = (double)result.range.count;
    assert_true(sum_s >= 0 && sum_s <= 1.01 * out_s + 0.051);
    assert_true(result.squares <= sum_s * sum_s * (1 + 1e-12));
    assert_true(result.squares * units >= sum_s * sum_s * (1 - 1e-12));
    assert_true(result.latest_count == 0 || latest[0] <= 1.02 * sum_s + 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_possible_stays),
      cmocka_unit_test(nothing_lasts_longer_than_its_chunk_was_out),
      cmocka_unit_test(what_no_clock_tells_is_nothing),
      cmocka_unit_test(the_numbers_fit),
  };
  return cmocka_run_group_tests_name("result_bounds", tests, NULL, NULL);
}
