/* Laws of task times have the mean and the variation that they are said to have. */
#include "support.h"

#include "base/statistics.h"
#include "simulate/task_times.h"

enum { COUNT = 40000 };
static double work[COUNT];

static struct ls_moments draw_law(const struct ls_task_times *times, uint64_t seed) {
  struct ls_random random;
  struct ls_moments moments = {0};
  ls_random_init(&random, seed, "law");
  assert_int_equal(ls_task_times_draw(times, &random, work, COUNT, NULL), LS_OK);
  for (size_t i = 0; i < COUNT; i++) {
    assert_true(work[i] >= 0 && isfinite(work[i]));
    ls_moments_add(&moments, work[i]);
  }
  return moments;
}

static void every_law_has_its_mean_and_variation(void **state) {
  (void)state;
  for (unsigned law = 0; law < LS_TASK_LAWS; law++) {
    struct ls_task_times times = {.law = (enum ls_task_law)law, .mean = 3, .variation = 0.25};
    struct ls_moments moments = draw_law(&times, law);
    double variation = ls_task_times_variation(&times);
    /* Five standard errors of the mean; the deviation of the heaviest law is known to 5 %. */
    assert_true(fabs(moments.mean - 3) <= 3 * (5 * variation / sqrt(COUNT) + 1e-9));
    assert_true(fabs(ls_moments_deviation(&moments) / 3 - variation) <= 0.05 * variation + 1e-9);
  }
}

static void a_flat_gamma_is_drawn_too(void **state) {
  (void)state;
  struct ls_task_times times = {.law = LS_TASK_GAMMA, .mean = 1, .variation = 2};
  struct ls_moments moments = draw_law(&times, 3);
  assert_true(fabs(moments.mean - 1) < 0.05);
  assert_true(fabs(ls_moments_deviation(&moments) - 2) < 0.2);
  times.variation = 0;
  assert_near(draw_law(&times, 3).least, 1, 0);
}

/* 1 / v^2 is no number any more. */
static void the_least_variation_is_none(void **state) {
  static const double variations[] = {1e-8, 1e-30, 1e-160, 5e-324};
  (void)state;
  for (int law = 0; ls_task_law_names[law] != NULL; law++) {
    for (size_t i = 0; i < sizeof variations / sizeof *variations; i++) {
      struct ls_task_times times = {
          .law = (enum ls_task_law)law, .mean = 1, .variation = variations[i]};
      struct ls_moments moments = draw_law(&times, 3);
      double variation = ls_task_times_variation(&times);
      assert_true(moments.least >= 0 && isfinite(moments.largest));
      if (variation < 1e-7) assert_true(fabs(moments.mean - 1) < 1e-6);
    }
  }
}

static void ramps_are_straight(void **state) {
  (void)state;
  struct ls_task_times times = {.law = LS_TASK_RAMP_DOWN, .mean = 1.01};
  draw_law(&times, 1);
  assert_near(work[0], 2, 1e-12);
  assert_near(work[COUNT - 1], 0.02, 1e-12);
  double first = work[0];
  times.law = LS_TASK_RAMP_UP;
  draw_law(&times, 1);
  assert_near(work[COUNT - 1], first, 1e-12);
}

/* Two values, one eight times the other, and as many as the variation tells. */
static void stragglers_take_eight_times_as_long(void **state) {
  (void)state;
  for (double share = 0.01; share < 0.11; share += 0.02) {
    double mean = 1 + 7 * share, variation = 7 * sqrt(share * (1 - share)) / mean;
    struct ls_task_times times = {.law = LS_TASK_STRAGGLERS, .mean = mean, .variation = variation};
    struct ls_moments moments = draw_law(&times, 5);
    size_t late = 0;
    assert_near(moments.least, 1, 1e-9);
    assert_near(moments.largest, 8, 1e-9);
    for (size_t i = 0; i < COUNT; i++) late += work[i] > 4;
    assert_true(fabs((double)late / COUNT - share) < 5 * sqrt(share / COUNT));
  }
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_error err = {0};
  ls_random_init(&random, 1, "law");
  struct ls_task_times wrong[] = {
      {LS_TASK_GAMMA, 0, 0.3},      {LS_TASK_GAMMA, (double)NAN, 0.3},
      {LS_TASK_GAMMA, 1, -0.3},     {LS_TASK_SHIFTED_EXPONENTIAL, 1, 1.1},
      {LS_TASK_STRAGGLERS, 1, 1.3}, {LS_TASK_LAWS, 1, 0}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(ls_task_times_draw(&wrong[i], &random, work, 1, &err), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_has_its_mean_and_variation),
      cmocka_unit_test(a_flat_gamma_is_drawn_too),
      cmocka_unit_test(the_least_variation_is_none),
      cmocka_unit_test(ramps_are_straight),
      cmocka_unit_test(stragglers_take_eight_times_as_long),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
