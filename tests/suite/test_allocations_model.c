/* Whichever allocation fails, model says so and leaves nothing behind; what takes no memory, the
 * climb over sizes of calibrate too, is known to take none.
 */
#include "calibrate/size_climb.h"
#include "model/account.h"
#include "model/certificate.h"
#include "model/load.h"
#include "model/metrics.h"
#include "model/plan_share.h"
#include "model/platform_build.h"
#include "model/replay.h"
#include "model/validate.h"
#include "scarce_model.h"
#include "theory/speeds.h"

static enum ls_status try_platform(const void *context, struct ls_error *err) {
  struct ls_platform platform;
  (void)context;
  scarce_mark(&platform, sizeof platform);
  enum ls_status status = ls_platform_init(&platform, 4, err);
  memory_is_plenty();
  if (status == LS_OK)
    ls_platform_close(&platform);
  else
    scarce_require_untouched("platform", &platform, sizeof platform);
  return status;
}

static enum ls_status try_platform_copies(const void *context, struct ls_error *err) {
  struct ls_platform platform = ls_platform_without_workers();
  struct ls_worker_model model = ls_platform_free_worker();
  size_t capacity = 0;
  (void)context;
  enum ls_status status = ls_platform_add_copies(&platform, &capacity, "node", 3, &model);
  if (status == LS_OK) status = ls_platform_add_copies(&platform, &capacity, NULL, 9, &model);
  if (status == LS_OK) status = ls_platform_add_copies(&platform, &capacity, "one", 1, &model);
  memory_is_plenty();
  if (status == LS_OK) assert_int_equal(platform.workers_count, 13);
  ls_platform_close(&platform);
  return status == LS_OK ? status : ls_fail(err, status, "no memory for copies");
}

static enum ls_status try_build(const void *context, struct ls_error *err) {
  const struct scarce_plan *what = context;
  struct ls_plan plan;
  scarce_build_plan(what, &plan);
  enum ls_status status = ls_plan_finish(&plan, err);
  memory_is_plenty();
  ls_plan_close(&plan);
  return status;
}

static enum ls_status try_unfold(const void *context, struct ls_error *err) {
  struct ls_plan plan, flat;
  scarce_mark(&flat, sizeof flat);
  enum ls_status status = ls_plan_unfolded(context, 3, &flat, err);
  long left = memory.left;
  memory_is_plenty();
  if (status != LS_OK) {
    scarce_require_untouched("unfolded", &flat, sizeof flat);
    return status;
  }
  ls_plan_close(&flat);
  scarce_copy_plan(context, &plan);
  size_t before = plan.chunks_count;
  memory.left = left;
  status = ls_plan_unfold(&plan, err);
  memory_is_plenty();
  if (status != LS_OK) assert_int_equal(plan.chunks_count, before);
  ls_plan_close(&plan);
  return status;
}

static enum ls_status try_whole(const void *context, struct ls_error *err) {
  struct ls_plan plan;
  long left = memory.left;
  memory_is_plenty();
  scarce_copy_plan(context, &plan);
  memory.left = left;
  enum ls_status status = ls_plan_make_whole(&plan, NULL, err);
  memory_is_plenty();
  assert_true(ls_plan_is_whole(&plan) == (status == LS_OK));
  ls_plan_close(&plan);
  return status;
}

static enum ls_status try_round(const void *context, struct ls_error *err) {
  uint64_t units[3];
  (void)context;
  scarce_mark(units, sizeof units);
  enum ls_status status = ls_load_round((double[]){1, 2, 4}, 3, 11, units, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("round", units, sizeof units);
  return status;
}

/* All that is read of a plan on its platform. */
struct placed {
  const struct ls_platform *platform;
  const struct ls_plan *plan;
};

static enum ls_status try_replay(const void *context, struct ls_error *err) {
  const struct placed *placed = context;
  struct ls_plan plan;
  long left = memory.left;
  memory_is_plenty();
  scarce_copy_plan(placed->plan, &plan);
  memory.left = left;
  enum ls_status status = ls_replay(&plan, placed->platform, err);
  memory_is_plenty();
  if (status == LS_OK) assert_true(plan.makespan_s > 0);
  if (status != LS_OK) {
    assert_true(isnan(plan.makespan_s));
    assert_null(plan.repeat.last_end_s);
    for (size_t i = 0; i < plan.chunks_count; i++)
      assert_true(isnan(plan.chunks[i].send_start_s) && isnan(plan.chunks[i].reply_end_s));
  }
  ls_plan_close(&plan);
  return status;
}

static enum ls_status try_makespan(const void *context, struct ls_error *err) {
  const struct placed *placed = context;
  double makespan_s;
  scarce_mark(&makespan_s, sizeof makespan_s);
  enum ls_status status = ls_replay_makespan(placed->plan, placed->platform, &makespan_s, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("makespan", &makespan_s, sizeof makespan_s);
  return status;
}

static enum ls_status try_timeline(const void *context, struct ls_error *err) {
  const struct placed *placed = context;
  struct ls_timeline timeline;
  scarce_mark(&timeline, sizeof timeline);
  enum ls_status status = ls_replay_timeline(placed->plan, placed->platform, &timeline, err);
  memory_is_plenty();
  if (status == LS_OK)
    ls_timeline_close(&timeline);
  else
    scarce_require_untouched("timeline", &timeline, sizeof timeline);
  return status;
}

static enum ls_status try_certificate(const void *context, struct ls_error *err) {
  const struct placed *placed = context;
  struct ls_certificate certificate;
  scarce_mark(&certificate, sizeof certificate);
  enum ls_status status = ls_certificate_of(placed->plan, placed->platform, &certificate, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("certificate", &certificate, sizeof certificate);
  return status;
}

static enum ls_status try_validate(const void *context, struct ls_error *err) {
  const struct placed *placed = context;
  enum ls_status status = ls_validate_plan(placed->plan, placed->platform, err);
  if (status == LS_OK) status = ls_validate_limits(placed->plan, placed->platform, err);
  memory_is_plenty();
  return status;
}

static void plans_survive(void **state) {
  (void)state;
  scarce_require("platform", try_platform, NULL);
  scarce_require("copies", try_platform_copies, NULL);
  scarce_require("round", try_round, NULL);
  for (size_t i = 0; i < SCARCE_PLANS; i++) {
    const struct scarce_plan *what = &scarce_plans[i];
    struct ls_platform platform;
    struct ls_plan plan;
    scarce_open_platform(what->ports, &platform);
    scarce_build_plan(what, &plan);
    struct placed placed = {&platform, &plan};
    scarce_require("build", try_build, what);
    scarce_require("replay", try_replay, &placed);
    scarce_require("makespan", try_makespan, &placed);
    assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
    scarce_require("replay again", try_replay, &placed);
    scarce_require("validate", try_validate, &placed);
    scarce_require("certificate", try_certificate, &placed);
    scarce_require("timeline", try_timeline, &placed);
    if (ls_plan_repeats(&plan)) scarce_require("unfold", try_unfold, &plan);
    if (!ls_plan_is_whole(&plan)) scarce_require("whole", try_whole, &plan);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

static enum ls_status try_build_timeline(const void *context, struct ls_error *err) {
  const bool *is_summed = context;
  struct ls_timeline timeline;
  scarce_build_timeline(&timeline, *is_summed);
  enum ls_status status = ls_timeline_finish(&timeline, err);
  memory_is_plenty();
  ls_timeline_close(&timeline);
  return status;
}

static enum ls_status try_validate_timeline(const void *context, struct ls_error *err) {
  enum ls_status status = ls_validate_timeline(context, err);
  memory_is_plenty();
  return status;
}

static enum ls_status try_account(const void *context, struct ls_error *err) {
  struct ls_account account;
  scarce_mark(&account, sizeof account);
  enum ls_status status = ls_account_of(context, NULL, &account, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("account", &account, sizeof account);
  return status;
}

static void timelines_survive(void **state) {
  struct ls_timeline timeline;
  (void)state;
  scarce_require("timeline", try_build_timeline, &(bool){false});
  scarce_require("summed timeline", try_build_timeline, &(bool){true});
  scarce_build_timeline(&timeline, false);
  scarce_require("validate timeline", try_validate_timeline, &timeline);
  scarce_require("account", try_account, &timeline);
  ls_timeline_close(&timeline);
}

/* What takes no memory cannot lack it. */
static enum ls_status try_frugal(const void *context, struct ls_error *err) {
  const struct placed *placed = context;
  struct ls_metrics metrics;
  struct ls_timeline timeline;
  struct ls_plan_share shares[SCARCE_WORKERS];
  struct ls_size_climb climb;
  struct ls_worker_metrics workers[SCARCE_WORKERS];
  struct ls_speed_sample samples[2] = {{3, 4, 6}, {5, 6, 8}};
  double seconds[2];
  size_t index;
  long left = memory.left;
  memory_is_plenty();
  scarce_build_timeline(&timeline, false);
  memory.left = left;
  ls_metrics_of(&timeline, &metrics, workers);
  ls_plan_shares(placed->plan, placed->platform, shares);
  (void)ls_lower_bound_quick(placed->platform, 12);
  (void)ls_speeds_estimate(samples, 2, seconds);
  ls_size_climb_init(&climb, 9, 4, 0.05);
  while (ls_size_climb_next(&climb, &index))
    ls_size_climb_measured(&climb, index, 10 - (double)index);
  enum ls_status status = ls_platform_check(placed->platform, err);
  memory_is_plenty();
  ls_timeline_close(&timeline);
  return status;
}

static void what_takes_no_memory_cannot_lack_it(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scarce_open_platform(LS_PORTS_TWO, &platform);
  scarce_build_plan(&scarce_plans[0], &plan);
  scarce_require_none("frugal", try_frugal, &(struct placed){&platform, &plan});
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_survive),
      cmocka_unit_test(timelines_survive),
      cmocka_unit_test(what_takes_no_memory_cannot_lack_it),
  };
  scarce_open();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
