/* fit_fixture.h: plans of one round, and that they fit. */
#ifndef LS_TESTS_UNIT_PLANNERS_FIT_FIXTURE_H
#define LS_TESTS_UNIT_PLANNERS_FIT_FIXTURE_H

#include "model/validate.h"
#include "planners/fit.h"

static inline void open_platform(struct ls_platform *platform, size_t workers) {
  assert_int_equal(ls_platform_init(platform, workers, NULL), LS_OK);
}

/* One round: units of worker 0, 1, ... */
static inline void open_plan(struct ls_plan *plan, const double *units, size_t count) {
  double load = 0;
  for (size_t i = 0; i < count; i++) load += units[i];
  ls_plan_init(plan, "test", load);
  for (size_t i = 0; i < count; i++) {
    if (units[i] > 0) ls_plan_add(plan, (uint32_t)i, 0, units[i]);
  }
}

static inline void require_fitted(struct ls_plan *plan, const struct ls_platform *platform,
                                  bool is_whole) {
  struct ls_error err;
  if (ls_fit_replay(plan, platform, is_whole, &err) != LS_OK) fail_msg("%s", err.text);
  if (plan->outcome != LS_PLAN_OK) fail_msg("%s", plan->why);
  if (ls_validate_plan(plan, platform, &err) != LS_OK) fail_msg("%s", err.text);
  if (is_whole) assert_true(ls_plan_is_whole(plan));
}

#endif
