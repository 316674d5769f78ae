#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "planners/scow/scow_search.h"
#include "scow_fixture.h"

struct scene {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_planner_setup setup;
  struct ls_budget budget;
  struct ls_scow_search search;
  struct ls_scow_optimum optimum;
};

static void open_scene(struct scene *scene, struct ls_random *random, enum scow_kind kind,
                       bool is_whole) {
  *scene = (struct scene){.setup = {.load = 2000, .is_whole = is_whole}};
  scow_open(&scene->platform, random, kind, 9);
  scene->setup.platform = &scene->platform;
  scow_star(&scene->platform, &scene->star);
  struct ls_scow_question question = {2000, LS_SCOW_MP, SIZE_MAX, 1};
  assert_int_equal(ls_scow_optimize(&scene->star, &question, &scene->optimum, NULL), LS_OK);
  assert_int_equal(
      ls_scow_search_open(&scene->search, &scene->setup, &scene->star, &scene->budget, NULL),
      LS_OK);
}

static void close_scene(struct scene *scene) {
  ls_scow_search_close(&scene->search);
  ls_scow_star_close(&scene->star);
  ls_platform_close(&scene->platform);
}

/* Every whole chunk of the first worker from half to twice the model's is tried, or 48 of them. */
static void no_chunk_of_the_first_worker_is_better(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "candidates");
  for (int turn = 0; turn < 20; turn++) {
    struct scene scene;
    open_scene(&scene, &random, (enum scow_kind)(turn % 3), true);
    assert_int_equal(ls_scow_search_chunks(&scene.search, &scene.optimum, false, NULL), LS_OK);
    double best_s = scene.search.best_s, own = scene.optimum.chunk;
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
    open_scene(&scene, &random, (enum scow_kind)(turn % 3), false);
    assert_int_equal(ls_scow_search_around(&scene.search, &scene.optimum, LS_SCOW_MP, NULL), LS_OK);
    double best_s = scene.search.best_s;
    for (int side = 0; side < 2; side++)
      assert_int_equal(ls_scow_search_rounds(&scene.search, floor(scene.optimum.rounds_real) + side,
                                             LS_SCOW_MP, NULL),
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
