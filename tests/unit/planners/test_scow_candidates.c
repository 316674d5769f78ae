#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "scow_scene.h"

enum { LOAD = 2000 };

static struct ls_scow_optimum find_optimum(const struct scene *scene) {
  struct ls_scow_optimum optimum;
  struct ls_scow_question question = {LOAD, LS_SCOW_MP, SIZE_MAX, 1};
  assert_int_equal(ls_scow_optimize(&scene->star, &question, &optimum, NULL), LS_OK);
  return optimum;
}

/* Every whole chunk of the first worker from half to twice the model's is tried, or 48 of them. */
static void no_chunk_of_the_first_worker_is_better(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "candidates");
  for (int turn = 0; turn < 20; turn++) {
    struct scene scene;
    open_scene(&scene, &random, (enum scow_kind)(turn % 3), LOAD, true);
    struct ls_scow_optimum optimum = find_optimum(&scene);
    assert_int_equal(ls_scow_search_chunks(&scene.search, &optimum, false, NULL), LS_OK);
    double best_s = scene.search.best_s, own = optimum.chunk;
    if (own <= 30) {
      for (double chunk = ceil(own / 2); chunk <= 2 * own; chunk++) {
        double period_s = ls_cost_time(&scene.star.items[0].compute, chunk);
        assert_int_equal(ls_scow_search_period(&scene.search, period_s, SIZE_MAX, true, NULL),
                         LS_OK);
      }
      expect_near(scene.search.best_s, best_s, 0);
    }
    close_scene(&scene);
  }
}

/* In real units the numbers of rounds next to nu are among those tried. */
static void the_models_numbers_of_rounds_are_tried(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 2, "candidates");
  for (int turn = 0; turn < 20; turn++) {
    struct scene scene;
    open_scene(&scene, &random, (enum scow_kind)(turn % 3), LOAD, false);
    struct ls_scow_optimum optimum = find_optimum(&scene);
    assert_int_equal(ls_scow_search_around(&scene.search, &optimum, LS_SCOW_MP, NULL), LS_OK);
    double best_s = scene.search.best_s;
    for (int side = 0; side < 2; side++)
      assert_int_equal(
          ls_scow_search_rounds(&scene.search, floor(optimum.rounds_real) + side, LS_SCOW_MP, NULL),
          LS_OK);
    expect_near(scene.search.best_s, best_s, 0);
    close_scene(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_chunk_of_the_first_worker_is_better),
      cmocka_unit_test(the_models_numbers_of_rounds_are_tried),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
