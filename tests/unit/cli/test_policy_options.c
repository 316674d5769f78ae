/* The options that say which policies are simulated in which world. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/simulate_policies.h"

static struct ls_platform platform;

static void parse(struct ls_policy_options *options, const char *const *words) {
  char *argv[16] = {(char *)"test"};
  int argc = 1;
  for (; words[argc - 1] != NULL; argc++) argv[argc] = (char *)words[argc - 1];
  *options = (struct ls_policy_options){0};
  assert_int_equal(argp_parse(&ls_policy_options_argp, argc, argv, ARGP_NO_EXIT, NULL, options), 0);
}

static enum ls_status open_run(struct ls_policy_run *run, const struct ls_policy_options *options,
                               double load, struct ls_error *err) {
  struct ls_policy_place place = {.platform = &platform, .name = "here", .load = load};
  return ls_policy_run_open(run, options, &place, err);
}

static void a_list_keeps_the_settings_of_each_policy(void **state) {
  (void)state;
  struct ls_policy_options options;
  parse(&options, (const char *const[]){"--policy=gss:2,rounding=floor,ss", "--policies=tss:4",
                                        "--order=fifo,lptf", NULL});
  assert_int_equal(options.policies.count, 3);
  assert_string_equal(options.policies.items[0], "gss:2,rounding=floor");
  assert_string_equal(options.policies.items[1], "ss");
  assert_string_equal(options.policies.items[2], "tss:4");
  assert_int_equal(options.orders.count, 2);
  ls_policy_options_close(&options);
}

static void settings_become_arguments(void **state) {
  (void)state;
  struct ls_policy_options options;
  struct ls_policy_run run;
  parse(&options, (const char *const[]){"--policy=ss", "--set=prefetch=2", "--set=weights=nominal",
                                        "--set=seed=5", "--jobs=1", NULL});
  assert_int_equal(open_run(&run, &options, 10, NULL), LS_OK);
  struct ls_json weights = ls_json_member(&run.grid.arguments, "weights");
  assert_string_equal(json_string_value(weights.value), "nominal");
  assert_int_equal(json_integer_value(ls_json_member(&run.grid.arguments, "prefetch").value), 2);
  assert_int_equal(run.grid.seed, 5);
  assert_int_equal(run.grid.units, 10);
  assert_int_equal(run.grid.seeds, 1);
  ls_policy_run_close(&run);
  ls_policy_options_close(&options);
}

static void further_platforms_are_read(void **state) {
  (void)state;
  struct ls_policy_options options;
  struct ls_policy_run run;
  parse(&options, (const char *const[]){"--policy=ss", "--and-platform=3x(compute=2x)", NULL});
  assert_int_equal(open_run(&run, &options, 10, NULL), LS_OK);
  assert_int_equal(run.grid.platform_names.count, 2);
  assert_int_equal(run.grid.platforms[1].workers_count, 3);
  ls_policy_run_close(&run);
  ls_policy_options_close(&options);
}

static void what_cannot_be_read_is_refused(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"--arguments=/nowhere/a.json", "/nowhere/a.json"},
                                         {"--and-platform=3x(compute=", "--platform"}};
  for (size_t i = 0; i < 2; i++) {
    struct ls_policy_options options;
    struct ls_policy_run run;
    struct ls_error err = {0};
    parse(&options, (const char *const[]){"--policy=ss", cases[i][0], NULL});
    assert_int_equal(open_run(&run, &options, 10, &err), LS_EINVAL);
    if (strstr(err.text, cases[i][1]) == NULL) fail_msg("'%s' lacks '%s'", err.text, cases[i][1]);
    assert_int_equal(open_run(&run, &options, 10.5, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "whole number"));
    ls_policy_options_close(&options);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_keeps_the_settings_of_each_policy),
      cmocka_unit_test(settings_become_arguments),
      cmocka_unit_test(further_platforms_are_read),
      cmocka_unit_test(what_cannot_be_read_is_refused),
  };
  if (ls_platform_init(&platform, 2, NULL) != LS_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ls_platform_close(&platform);
  return failed;
}
