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

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_error err = {0};
  ls_random_init(&random, 1, "law");
  struct ls_task_times wrong[] = {{LS_TASK_GAMMA, 0, 0.3},
                                  {LS_TASK_GAMMA, (double)NAN, 0.3},
                                  {LS_TASK_GAMMA, 1, -0.3},
                                  {LS_TASK_LAWS, 1, 0}};
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(ls_task_times_draw(&wrong[i], &random, work, 1, &err), LS_EINVAL);
  assert_int_equal(sizeof wrong / sizeof *wrong, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_has_its_mean_and_variation),
      cmocka_unit_test(a_flat_gamma_is_drawn_too),
      cmocka_unit_test(ramps_are_straight),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
