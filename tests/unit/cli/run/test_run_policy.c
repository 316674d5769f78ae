#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/run_policy.h"
#include "cli/run/run_pools.h"

static char *make_file(const char *content) {
  char *path = strdup("/tmp/test-policy-XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, content, strlen(content)), (ssize_t)strlen(content));
  close(file);
  return path;
}

static void refuse(const struct ls_run_options *options, const char *expected) {
  struct ls_run_policy policy;
  struct ls_error err = {0};
  assert_int_equal(ls_run_policy_choose(&policy, options, 100, &err), LS_EINVAL);
  if (strstr(err.text, expected) == NULL) fail_msg("'%s' lacks '%s'", err.text, expected);
}

static void refuse_early(const struct ls_run_options *options, bool has_times,
                         const char *expected) {
  struct ls_error err = {0};
  assert_int_equal(ls_run_policy_check(options, has_times, &err), LS_EINVAL);
  if (strstr(err.text, expected) == NULL) fail_msg("'%s' lacks '%s'", err.text, expected);
}

static void names_are_known_before_anything_begins(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo"};
  assert_int_equal(ls_run_policy_check(&options, false, NULL), LS_OK);
  options.order = "lptf";
  assert_int_equal(ls_run_policy_check(&options, true, NULL), LS_OK);
  refuse_early(&options, false, "--order is 'lptf', which needs the times of the tasks");
  options.order = "lifo";
  refuse_early(&options, true, "--order is 'lifo'");
  options = (struct ls_run_options){.order = "fifo", .policy = "gss:2"};
  assert_int_equal(ls_run_policy_check(&options, false, NULL), LS_OK);
  options.policy = "guided";
  refuse_early(&options, false, "--policy is 'guided'");
  options.policy = "follow-plan";
  refuse_early(&options, false, "--policy follow-plan needs --plan FILE");
  options = (struct ls_run_options){.order = "fifo", .sizing = "big"};
  refuse_early(&options, false, "--sizing is 'big'");
  options = (struct ls_run_options){.order = "fifo", .replication = "twice"};
  refuse_early(&options, false, "--replication is 'twice'");
  options = (struct ls_run_options){.order = "fifo", .policy = "auto:1"};
  refuse_early(&options, false, "auto takes no value");
}

static void ss_with_all_cores_is_the_default(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo"};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_string_equal(policy.config.chunking->name, "ss");
  /* auto has chosen it. */
  assert_true(policy.advised.reason.length > 0);
  assert_int_equal(policy.config.workers, ls_run_pools_cores());
  assert_true(ls_run_pools_cores() >= 1);
  assert_null(policy.config.weights);
  assert_true(isnan(policy.config.mean_seconds));
  struct ls_bytes text = {0};
  ls_run_policy_describe(&policy, &text);
  assert_string_equal(ls_bytes_text(&text), "ss");
  ls_bytes_close(&text);
  ls_run_policy_close(&policy);
}

static void parameters_come_from_three_places(void **state) {
  (void)state;
  char *path = make_file("{\"least_units\": 5, \"mean_seconds\": 0.5, \"weights\": [1, 0.25]}");
  struct ls_run_options options = {
      .order = "fifo", .workers = 2, .policy = "gss:2", .arguments = path};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  struct ls_bytes text = {0};
  ls_run_policy_describe(&policy, &text);
  assert_string_equal(ls_bytes_text(&text), "gss least_units=5");
  assert_true(policy.config.mean_seconds > 0.4 && policy.config.mean_seconds < 0.6);
  assert_true(policy.config.weights[1] < 0.3);
  ls_run_policy_close(&policy);
  /* --set overrides the file, which overrides what stands behind the colon. */
  options.settings[options.settings_count++] = "least_units=7";
  options.settings[options.settings_count++] = "rounding=floor";
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  ls_bytes_clear(&text);
  ls_run_policy_describe(&policy, &text);
  assert_string_equal(ls_bytes_text(&text), "gss least_units=7 rounding=floor");
  ls_bytes_close(&text);
  ls_run_policy_close(&policy);
  unlink(path);
  free(path);
}

static void speeds_are_weights(void **state) {
  (void)state;
  double speeds[] = {1, 0.5};
  struct ls_run_options options = {
      .order = "random", .speeds = speeds, .speeds_count = 2, .policy = "wf2"};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_int_equal(policy.config.workers, 2);
  assert_true(policy.config.weights[1] < 0.6);
  ls_run_policy_close(&policy);
  /* Fewer speeds than workers: they repeat. */
  options.workers = 3;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_true(policy.config.weights[2] > 0.9);
  ls_run_policy_close(&policy);
}

static void seconds_per_task_are_inverse_weights(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo", .workers = 2, .policy = "wf:printed"};
  struct ls_run_policy policy;
  options.settings[options.settings_count++] = "seconds_per_task=[0.5, 4]";
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_float_equal((float)policy.config.weights[0], 2, 1e-6f);
  assert_float_equal((float)policy.config.weights[1], 0.25, 1e-6f);
  ls_run_policy_close(&policy);
  options.settings[0] = "seconds_per_task=[0.5, 0]";
  refuse(&options, "seconds_per_task");
  options.settings[0] = "seconds_per_task=[1]";
  refuse(&options, "expected 2");
  options.settings[0] = "seconds_per_task=nominal";
  refuse(&options, "seconds_per_task");
}

/* Else workers would have begun more before the verdict arrives. */
static void a_halt_rule_sends_nothing_ahead(void **state) {
  (void)state;
  struct ls_run_policy policy;
  struct ls_run_options options = {.order = "fifo", .policy = "gss", .workers = 2, .prefetch = 4};
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_int_equal(policy.config.rooms_count, 0);
  ls_run_policy_close(&policy);
  options.halt = (struct ls_halt){.reason = LS_HALT_FAIL, .count = 1};
  options.platform = "2x(compute=0.1+1x, room=7)";
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  /* Of guests, too. */
  assert_int_equal(policy.config.rooms_count, LS_RUN_WORKERS_MAX);
  for (size_t i = 0; i < policy.config.rooms_count; i++)
    assert_int_equal(policy.config.rooms[i].units, 1);
  ls_run_policy_close(&policy);
}

/* Each start is one chunk, of no more units than one command takes. */
static void with_a_delay_a_chunk_is_a_start(void **state) {
  (void)state;
  struct ls_run_policy policy;
  struct ls_run_options options = {
      .order = "fifo", .policy = "gss", .workers = 2, .limits.delay_s = 3, .retry_delay_s = 4};
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_true(policy.config.start_delay_s == 3 && policy.config.retry_delay_s == 4);
  assert_int_equal(policy.config.rooms_count, LS_RUN_WORKERS_MAX);
  assert_int_equal(policy.config.rooms[7].units, 1);
  ls_run_policy_close(&policy);
  options.bundles.tasks.units_max = 5;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_int_equal(policy.config.rooms[7].units, 5);
  ls_run_policy_close(&policy);
  options.bundles.tasks.units_max = UINT32_MAX;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_true(policy.config.rooms_count == 0 && policy.prefetch == 0);
  ls_run_policy_close(&policy);
}

static void unknown_names_are_answered_with_the_known_ones(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo", .policy = "nope"};
  refuse(&options, "--policy is 'nope', expected one of: auto, ss, ");
  options = (struct ls_run_options){.order = "nope"};
  refuse(&options, "--order is 'nope', expected one of: fifo");
  options = (struct ls_run_options){.order = "fifo", .policy = "gss", .settings_count = 1};
  options.settings[0] = "nope=1";
  refuse(&options, "least_units");
  options.settings[0] = "least_units=0";
  refuse(&options, "least_units");
  options.settings[0] = "least_units=nan";
  refuse(&options, "least_units");
  options.settings[0] = "mean_seconds=-1";
  refuse(&options, "mean_seconds");
  options.settings[0] = "weights=[1]";
  options.workers = 2;
  refuse(&options, "expected 2");
  options.settings[0] = "weights=[1, -1]";
  refuse(&options, "weights");
  options = (struct ls_run_options){.order = "fifo", .policy = "ss:1"};
  refuse(&options, "no parameter");
}

static void bad_argument_files_are_named(void **state) {
  (void)state;
  static const char *const bodies[] = {"", "[1]", "{", "{\"nope\": 1}", "{\"least_units\": null}"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char *path = make_file(bodies[i]);
    struct ls_run_options options = {.order = "fifo", .policy = "gss", .arguments = path};
    refuse(&options, path);
    unlink(path);
    free(path);
  }
}

static void a_plan_is_followed(void **state) {
  (void)state;
  char *path =
      make_file("{\"chunks\": [{\"worker\": 0, \"units\": 60}, {\"worker\": 2, \"units\": 40}]}");
  struct ls_run_options options = {.order = "fifo", .plan = path};
  struct ls_run_policy policy;
  struct ls_error err = {0};
  if (ls_run_policy_choose(&policy, &options, 100, &err) != LS_OK) fail_msg("%s", err.text);
  assert_string_equal(policy.config.chunking->name, "follow-plan");
  assert_int_equal(policy.config.workers, 3);
  assert_int_equal(policy.config.plan->chunks_count, 2);
  assert_true(policy.config.plan->chunks[1].units == 40);
  ls_run_policy_close(&policy);
  options.workers = 2;
  refuse(&options, path);
  unlink(path);
  free(path);
}

/* A chunk of several units would find no room for ever. */
static void a_halt_rule_lets_the_chunks_of_a_plan_leave(void **state) {
  (void)state;
  char *path = make_file("{\"chunks\": [{\"worker\": 0, \"units\": 60}]}");
  struct ls_run_options options = {
      .order = "fifo", .plan = path, .halt = {.reason = LS_HALT_FAIL, .count = 1}};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 60, NULL), LS_OK);
  assert_int_equal(policy.config.rooms_count, 0);
  ls_run_policy_close(&policy);
  unlink(path);
  free(path);
}

/* Its chunks stay as few as the file has. */
static void a_plan_that_repeats_is_followed(void **state) {
  (void)state;
  char *path = make_file(
      "{\"chunks\": [{\"worker\": 0, \"units\": 60}, {\"worker\": 1, \"units\": 40}],"
      " \"repeat\": {\"from\": 0, \"to\": 2, \"times\": 1000000}}");
  struct ls_run_options options = {.order = "fifo", .plan = path};
  struct ls_run_policy policy;
  struct ls_error err = {0};
  if (ls_run_policy_choose(&policy, &options, 100000000, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(policy.config.plan->chunks_count, 2);
  assert_int_equal(policy.config.plan->repeat.times, 1000000);
  ls_run_policy_close(&policy);
  unlink(path);
  free(path);
}

static void the_order_of_returns_goes_with_the_plan(void **state) {
  (void)state;
  char *path = make_file(
      "{\"chunks\": [{\"worker\": 0, \"units\": 60}, {\"worker\": 1, \"units\": 40}],"
      " \"returns\": [1, 0]}");
  struct ls_run_options options = {.order = "fifo", .plan = path};
  struct ls_run_policy policy;
  struct ls_error err = {0};
  if (ls_run_policy_choose(&policy, &options, 100, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(policy.config.plan->returns_count, 2);
  assert_int_equal(policy.config.plan->returns[0], 1);
  ls_run_policy_close(&policy);
  unlink(path);
  free(path);
}

/* A result of what repeats would be one of each play. */
static void returns_of_a_plan_that_repeats_stand_behind_it(void **state) {
  (void)state;
  static const char *const returns[] = {"[0]", "[1, 0]"};
  for (size_t i = 0; i < 2; i++) {
    char body[256];
    snprintf(body, sizeof body,
             "{\"chunks\": [{\"worker\": 0, \"units\": 6}, {\"worker\": 1, \"units\": 4}],"
             " \"repeat\": {\"from\": 0, \"to\": 2, \"times\": 10}, \"returns\": %s}",
             returns[i]);
    char *path = make_file(body);
    struct ls_run_options options = {.order = "fifo", .plan = path};
    refuse(&options, path);
    refuse(&options, "expected the index of a chunk after those that repeat");
    unlink(path);
    free(path);
  }
}

static void plans_that_do_not_fit_are_refused(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "{\"chunks\": [{\"worker\": 0, \"units\": 99}]}",
      "{\"chunks\": [{\"worker\": 0, \"units\": 99.5}, {\"worker\": 0, \"units\": 0.5}]}",
      "{\"chunks\": [{\"worker\": -1, \"units\": 100}]}", "{\"chunks\": 1}", "x"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char *path = make_file(bodies[i]);
    struct ls_run_options options = {.order = "fifo", .plan = path};
    refuse(&options, path);
    unlink(path);
    free(path);
  }
  struct ls_run_options options = {.order = "fifo", .policy = "follow-plan"};
  refuse(&options, "needs --plan");
}

static void auto_without_a_history_is_ss_and_says_why(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo", .policy = "auto", .prefetch = 1};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_string_equal(policy.config.chunking->name, "ss");
  assert_int_equal(policy.prefetch, 1);
  assert_non_null(strstr(ls_bytes_text(&policy.advised.reason), "ss, because "));
  ls_run_policy_close(&policy);
  options.policy = "auto:3";
  refuse(&options, "auto takes no value");
  options.policy = "auto";
  options.history = "/nonexistent/journal";
  refuse(&options, "/nonexistent/journal");
}

static void a_platform_says_who_the_workers_are(void **state) {
  (void)state;
  struct ls_run_options options = {
      .order = "fifo", .policy = "wf2", .platform = "2x(compute=1x)+1x(compute=4x)"};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_int_equal(policy.config.workers, 3);
  assert_int_equal(policy.places, 3);
  assert_non_null(policy.config.weights);
  assert_true(policy.config.weights[0] > 3.999 * policy.config.weights[2]);
  assert_true(policy.config.weights[0] < 4.001 * policy.config.weights[2]);
  assert_null(policy.config.choices);
  ls_run_policy_close(&policy);
  options.workers = 2;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_int_equal(policy.config.workers, 2);
  ls_run_policy_close(&policy);
  options.workers = 4;
  refuse(&options, "--platform has 3 workers, the run 4");
  options.platform = "nonsense(";
  refuse(&options, "--platform: column 1: found 'nonsense('");
  options.platform = "/nonexistent/platform.json";
  refuse(&options, "--platform: /nonexistent/platform.json");
}

/* Eight tasks of one length: the fifth to seventh worker would end nothing earlier. */
static void auto_keeps_the_fastest_workers_that_are_of_use(void **state) {
  (void)state;
  struct ls_run_options options = {
      .order = "fifo",
      .policy = "auto",
      .prefetch = 1,
      .has_prefetch = true,
      .platform = "1x(compute=900x)+4x(compute=100x)+2x(compute=800x)"};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 8, NULL), LS_OK);
  assert_int_equal(policy.config.workers, 4);
  assert_int_equal(policy.config.workers_max, 4);
  assert_true(policy.may_save);
  for (size_t i = 0; i < 4; i++) assert_true(policy.config.weights[i] > 0.0099);
  assert_true(policy.config.choices_count > 5);
  assert_true(policy.config.mean_seconds > 100);
  ls_run_policy_close(&policy);
  /* Another option decides on the number. */
  options.listen = "tcp://127.0.0.1:*";
  assert_int_equal(ls_run_policy_choose(&policy, &options, 8, NULL), LS_OK);
  assert_int_equal(policy.config.workers, 7);
  assert_false(policy.may_save);
  ls_run_policy_close(&policy);
}

/* Slowed workers keep their speeds: the pool starts just the chosen ones, fastest first. Speeds
 * repeat, so the workers 1, 4 and 2, 5 are fast. */
static void the_workers_that_auto_keeps_keep_their_speeds(void **state) {
  (void)state;
  double speeds[] = {0.1, 1, 0.99};
  struct ls_run_options options = {.order = "fifo",
                                   .policy = "auto",
                                   .prefetch = 1,
                                   .has_prefetch = true,
                                   .workers = 7,
                                   .speeds = speeds,
                                   .speeds_count = 3,
                                   .platform = "7x(compute=100x)"};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 8, NULL), LS_OK);
  assert_int_equal(policy.config.workers, 4);
  assert_int_equal(policy.places, 4);
  assert_non_null(policy.speeds);
  for (size_t i = 0; i < 4; i++) {
    assert_float_equal((float)policy.speeds[i], i < 2 ? 1.0f : 0.99f, 1e-6f);
    assert_float_equal((float)policy.config.weights[i], i < 2 ? 1.0f : 0.99f, 1e-6f);
  }
  ls_run_policy_close(&policy);
  /* All are of use: nothing is chosen among the speeds, and there is a place for each. */
  assert_int_equal(ls_run_policy_choose(&policy, &options, 1000, NULL), LS_OK);
  assert_int_equal(policy.config.workers, 7);
  assert_int_equal(policy.places, 7);
  assert_null(policy.speeds);
  ls_run_policy_close(&policy);
}

static void orders_take_their_parameter_behind_a_colon(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "average:last"};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_string_equal(policy.config.ordering->name, "average");
  assert_ptr_equal(policy.config.ordering_arguments, &policy.order_arguments);
  assert_int_equal((int)policy.order_arguments.values[0], LS_PREDICTOR_LAST);
  ls_run_policy_close(&policy);
  options.order = "average:oracle";
  refuse(&options, "oracle");
  options.order = "fifo:2";
  refuse(&options, "no parameter");
}

static void a_named_policy_is_not_advised(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo", .policy = "ss"};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_int_equal(policy.advised.reason.length, 0);
  ls_run_policy_close(&policy);
}

static void settings_reach_sizing_and_replication(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo",
                                   .workers = 3,
                                   .sizing = "self",
                                   .replication = "gain",
                                   .settings = {"slack=0.5", "price=2"},
                                   .settings_count = 2};
  struct ls_run_policy policy;
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, NULL), LS_OK);
  assert_ptr_equal(policy.config.sizing_arguments, &policy.adaptive.sizing_arguments);
  assert_float_equal(policy.config.sizing_arguments->values[1], 0.5, 0);
  assert_float_equal(policy.config.replication_arguments->values[0], 2, 0);
  ls_run_policy_close(&policy);
  options.sizing = NULL;
  refuse(&options, "slack");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_known_before_anything_begins),
      cmocka_unit_test(ss_with_all_cores_is_the_default),
      cmocka_unit_test(auto_without_a_history_is_ss_and_says_why),
      cmocka_unit_test(a_named_policy_is_not_advised),
      cmocka_unit_test(settings_reach_sizing_and_replication),
      cmocka_unit_test(a_platform_says_who_the_workers_are),
      cmocka_unit_test(auto_keeps_the_fastest_workers_that_are_of_use),
      cmocka_unit_test(the_workers_that_auto_keeps_keep_their_speeds),
      cmocka_unit_test(orders_take_their_parameter_behind_a_colon),
      cmocka_unit_test(parameters_come_from_three_places),
      cmocka_unit_test(speeds_are_weights),
      cmocka_unit_test(seconds_per_task_are_inverse_weights),
      cmocka_unit_test(a_halt_rule_sends_nothing_ahead),
      cmocka_unit_test(with_a_delay_a_chunk_is_a_start),
      cmocka_unit_test(unknown_names_are_answered_with_the_known_ones),
      cmocka_unit_test(bad_argument_files_are_named),
      cmocka_unit_test(a_plan_is_followed),
      cmocka_unit_test(a_halt_rule_lets_the_chunks_of_a_plan_leave),
      cmocka_unit_test(a_plan_that_repeats_is_followed),
      cmocka_unit_test(the_order_of_returns_goes_with_the_plan),
      cmocka_unit_test(returns_of_a_plan_that_repeats_stand_behind_it),
      cmocka_unit_test(plans_that_do_not_fit_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
