#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/replay.h"
#include "model/validate_private.h"

/* Four equal transfers of 2 s of data each, alpha 1, at most two at once: 0..4, 0..4, 4..8, 4..8.
 */
static void open_good(struct ls_platform *platform, struct ls_plan *plan) {
  assert_int_equal(ls_platform_init(platform, 4, NULL), LS_OK);
  platform->ports = LS_PORTS_MULTI;
  platform->ports_alpha = 1;
  platform->ports_limit = 2;
  ls_plan_init(plan, "test", 8);
  for (uint32_t i = 0; i < 4; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 1;
    platform->workers[i].costs[LS_OPERATION_REPLY].per_unit_s = 0.5;
    ls_plan_add(plan, i, 0, 2);
  }
  assert_int_equal(ls_replay(plan, platform, NULL), LS_OK);
  assert_true(fabs(plan->chunks[3].transfer_end_s - 8) < 1e-12);
  assert_int_equal(ls_validate_sharing(plan, platform, NULL), LS_OK);
}

static void expect_fault(struct ls_plan *plan, struct ls_platform *platform, const char *words) {
  struct ls_error err;
  assert_int_equal(ls_validate_sharing(plan, platform, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
  ls_plan_close(plan);
  ls_platform_close(platform);
}

static void too_fast_a_transfer_is_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan);
  plan.chunks[0].transfer_end_s = 3;
  expect_fault(&plan, &platform, "its transfer moves 1.5 s of data, must be 2");
}

static void too_many_at_once_are_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan);
  platform.ports_limit = 1;
  expect_fault(&plan, &platform, "2 transfers at 0, the limit is 1");
}

static void wrong_sharing_is_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan);
  platform.ports_alpha = 0.5;
  expect_fault(&plan, &platform, "its transfer moves 2.82");
}

static void latency_is_not_skipped(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan);
  platform.workers[0].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){5, 0};
  expect_fault(&plan, &platform, "chunk 0: its transfer moves");
}

static void replies_are_checked_too(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan);
  plan.chunks[3].reply_end_s += 1;
  expect_fault(&plan, &platform, "chunk 3: its transfer moves");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(too_fast_a_transfer_is_seen), cmocka_unit_test(too_many_at_once_are_seen),
      cmocka_unit_test(wrong_sharing_is_seen),       cmocka_unit_test(latency_is_not_skipped),
      cmocka_unit_test(replies_are_checked_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
