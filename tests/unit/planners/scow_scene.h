/* scow_scene.h: a random platform of the theory of periods, and a search that is open on it. */
#ifndef LS_TESTS_UNIT_PLANNERS_SCOW_SCENE_H
#define LS_TESTS_UNIT_PLANNERS_SCOW_SCENE_H

#include "planners/scow/scow_search.h"
#include "scow_fixture.h"

struct scene {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_planner_setup setup;
  struct ls_budget budget;
  struct ls_scow_search search;
};

static inline void open_scene(struct scene *scene, struct ls_random *random, enum scow_kind kind,
                              double load, bool is_whole) {
  *scene = (struct scene){.setup = {.load = load, .is_whole = is_whole}};
  scow_open(&scene->platform, random, kind, 9);
  scene->setup.platform = &scene->platform;
  scow_star(&scene->platform, &scene->star);
  assert_int_equal(
      ls_scow_search_open(&scene->search, &scene->setup, &scene->star, &scene->budget, NULL),
      LS_OK);
}

static inline void close_scene(struct scene *scene) {
  ls_scow_search_close(&scene->search);
  ls_scow_star_close(&scene->star);
  ls_platform_close(&scene->platform);
}

#endif
