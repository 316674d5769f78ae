#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/replay.h"
#include "model/validate.h"

/* Two workers that read for 2 s and compute for 3 s, two chunks each; the caller closes both. */
static void open_good(struct ls_platform *platform, struct ls_plan *plan) {
  assert_int_equal(ls_platform_init(platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    platform->workers[i].costs[LS_OPERATION_STAGE] = (struct ls_cost){2, 0};
    platform->workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){3, 0};
  }
  ls_plan_init(plan, "test", 4);
  for (uint32_t i = 0; i < 4; i++) ls_plan_add(plan, i % 2, 0, 1);
  assert_int_equal(ls_replay(plan, platform, NULL), LS_OK);
  assert_int_equal(ls_validate_plan(plan, platform, NULL), LS_OK);
}

static void expect_fault(struct ls_plan *plan, struct ls_platform *platform, const char *words) {
  struct ls_error err = {0};
  assert_int_equal(ls_validate_plan(plan, platform, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
  ls_plan_close(plan);
  ls_platform_close(platform);
}

static void too_many_readers_are_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan);
  platform.storage_readers = 1;
  expect_fault(&plan, &platform, "chunk 1: with it 2 workers read at 0 s, must be at most 1");
}

static void a_reader_too_far_ahead_is_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan);
  platform.stage_ahead = 0; /* the second chunks were staged while the first ones computed */
  expect_fault(&plan, &platform,
               "chunk 2: with it 2 chunks are staged ahead at 2 s, must be at most 1");
  open_good(&platform, &plan);
  plan.chunks[2].stage_start_s = 1;
  expect_fault(&plan, &platform, "chunk 2");
}

static void a_chunk_is_staged_before_it_is_computed(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan);
  plan.chunks[0].stage_start_s = 0.5;
  expect_fault(&plan, &platform,
               "chunk 0: the end of staging is 2.5, the start of receiving is 2, must not be "
               "earlier");
  open_good(&platform, &plan);
  plan.chunks[0].stage_start_s = (double)NAN;
  expect_fault(&plan, &platform, "chunk 0: arrival is 0, stage_start is nan");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(too_many_readers_are_seen),
      cmocka_unit_test(a_reader_too_far_ahead_is_seen),
      cmocka_unit_test(a_chunk_is_staged_before_it_is_computed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
