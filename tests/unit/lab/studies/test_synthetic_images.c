#include "study_fixture.h"

#include "lab/studies/synthetic_images.h"

/* Parts get shorter, end one after the other, and the dearest one last. */
static void parts_fall_and_end(void **state) {
  (void)state;
  struct ls_study_image image;
  struct ls_random random;
  size_t dearest = 0, live = LS_STUDY_IMAGE_PARTS_MAX;
  ls_random_init(&random, 5, "image");
  ls_study_image_draw(&random, LS_STUDY_IMAGE_PARTS_MAX, &image);
  for (size_t i = 0; i < image.parts; i++) {
    assert_true(image.costs[i] >= 0.15 && image.costs[i] < 1);
    assert_true(image.ends[i] >= 12 && image.ends[i] <= LS_STUDY_IMAGE_ITERATIONS);
    if (image.costs[i] > image.costs[dearest]) dearest = i;
  }
  assert_int_equal(image.ends[dearest], LS_STUDY_IMAGE_ITERATIONS);
  for (size_t k = 0; k < LS_STUDY_IMAGE_ITERATIONS; k++) {
    struct ls_study_image_times times;
    double all = 0, of_live = 0;
    ls_study_image_times(&random, &image, k, &times);
    assert_true(times.live_count >= 1 && times.live_count <= live);
    live = times.live_count;
    for (size_t i = 0; i < image.parts; i++) {
      double usual = image.costs[i] * (1 - 0.85 * (double)k / (double)image.ends[i]);
      if (k >= image.ends[i]) assert_true(times.all[i] <= 0);
      if (k < image.ends[i]) assert_true(fabs(times.all[i] / usual - 1) <= 0.05 + 1e-12);
      all += times.all[i];
    }
    for (size_t i = 0; i < live; i++) of_live += times.live[i];
    assert_true(fabs(all - of_live) < 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_fall_and_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
