#include "planners/planner.h"

#include <stddef.h>
#include <string.h>

#define LS_PLANNER(id) extern const struct ls_planner ls_planner_##id;
#include "planners/list.h"
#undef LS_PLANNER

#define LS_PLANNER(id) &ls_planner_##id,
const struct ls_planner *const ls_planners[] = {
#include "planners/list.h"
    NULL};
#undef LS_PLANNER

const struct ls_planner *ls_planner_find(const char *name) {
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    if (strcmp(ls_planners[i]->name, name) == 0) return ls_planners[i];
  }
  return NULL;
}
