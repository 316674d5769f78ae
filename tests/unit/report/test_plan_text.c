#include "report_fixture.h"

#include "model/replay.h"

/* Worker 0 gets 2 + 1 units, worker 1 gets 2, worker 2 nothing; a unit takes 1 s everywhere. */
static void make_plan(struct ls_platform *platform, struct ls_plan *plan) {
  assert_int_equal(ls_platform_init(platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++)
    platform->workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.25;
  ls_plan_init(plan, "by-hand", 5);
  ls_plan_add(plan, 0, 0, 2);
  ls_plan_add(plan, 1, 0, 2);
  ls_plan_add(plan, 0, 1, 1);
  ls_plan_set(plan, "theta", 1.5);
  ls_plan_set_text(plan, "proof", "none");
  assert_int_equal(ls_replay(plan, platform, NULL), LS_OK);
}

static void a_long_list_is_cut_between_two_values(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_bytes out = {0};
  struct ls_report_options options = {.is_ascii = 1};
  make_plan(&platform, &plan);
  uint32_t order[100];
  for (uint32_t i = 0; i < 100; i++) order[i] = i;
  ls_plan_set_list(&plan, "order", order, 100);
  ls_report_plan(&plan, &platform, &options, &out);
  assert_non_null(strstr(ls_bytes_text(&out), ", 60, 61, ...]\n"));
  ls_bytes_close(&out);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void a_plan_is_told_with_its_certificate_and_its_workers(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_bytes out = {0};
  struct ls_report_options options = {.is_ascii = 1};
  make_plan(&platform, &plan);
  ls_report_plan(&plan, &platform, &options, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "algorithm    by-hand\nload         5 units\nmakespan     3.5 s\n"));
  assert_non_null(strstr(text, "plan         3 chunks in 2 rounds for 2 of 3 workers\n"));
  assert_non_null(strstr(text, "lower bound  "));
  assert_non_null(strstr(text, "% above it\n"));
  assert_non_null(strstr(text, "  start-up   "));
  assert_non_null(strstr(text, "parameters   theta 1.5, proof \"none\"\n"));
  /* Chunks, units, busy, idle, first, last. */
  assert_non_null(
      strstr(text, "worker-0       2            3          3        0.5        0.5        3.5\n"));
  assert_non_null(
      strstr(text, "worker-1       1            2          2        1.5          1          3\n"));
  assert_non_null(strstr(text, "1 workers get nothing\n"));
  ls_bytes_close(&out);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void a_plan_that_is_none_says_why(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_bytes out = {0};
  struct ls_report_options options = {.is_ascii = 1};
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  ls_plan_init(&plan, "by-hand", 5);
  ls_plan_refuse(&plan, "the moon is \033[1mfull");
  ls_report_plan(&plan, &platform, &options, &out);
  assert_string_equal(
      ls_bytes_text(&out),
      "algorithm    by-hand\nload         5 units\nnot applicable: the moon is ?[1mfull\n");
  ls_bytes_close(&out);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void an_empty_plan_has_no_idle_time_to_explain(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_bytes out = {0};
  struct ls_report_options options = {0};
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  ls_plan_init(&plan, "by-hand", 0);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  ls_report_plan(&plan, &platform, &options, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "makespan     0 s\n"));
  assert_non_null(strstr(text, "plan         0 chunks in 0 rounds for 0 of 2 workers\n"));
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "start-up"));
  ls_bytes_close(&out);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_long_list_is_cut_between_two_values),
      cmocka_unit_test(a_plan_is_told_with_its_certificate_and_its_workers),
      cmocka_unit_test(a_plan_that_is_none_says_why),
      cmocka_unit_test(an_empty_plan_has_no_idle_time_to_explain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
