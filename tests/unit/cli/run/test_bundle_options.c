#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/bundle_options.h"
#include "cli/run/run_options.h"
#include "option_key.h"

static enum ls_status give(struct ls_run_options *options, const char *name, const char *text,
                           struct ls_error *err) {
  int key = find_key(name);
  assert_true(ls_bundle_options_has(key));
  return ls_bundle_options_read(&options->bundles, key, text, err);
}

static void refuse(struct ls_run_options *options, const char *words) {
  struct ls_error err = {0};
  assert_int_equal(ls_bundle_options_check(options, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, words);
}

static void options_that_fill_commands_leave_sizes_to_the_policy(void **state) {
  (void)state;
  struct ls_run_options options = {.bundles = {.group = 0}};
  assert_int_equal(give(&options, "context-replace", NULL, NULL), LS_OK);
  assert_int_equal(give(&options, "units-max", "20", NULL), LS_OK);
  assert_int_equal(give(&options, "max-chars", "2k", NULL), LS_OK);
  assert_int_equal(give(&options, "split-failed", NULL, NULL), LS_OK);
  assert_int_equal(ls_bundle_options_check(&options, NULL), LS_OK);
  assert_int_equal(options.bundles.many, LS_MANY_REPEATED);
  assert_int_equal(options.bundles.tasks.units_max, 20);
  assert_true(options.bundles.tasks.line_bytes_max >= 2000);
  assert_true(options.bundles.tasks.splits_failed);
  assert_int_equal(options.bundles.group, 0);
  assert_null(options.policy);
  assert_true(options.has_whole_chunks);
  assert_false(ls_bundle_options_has('j') || ls_bundle_options_has(0));
}

/* One worker has nobody to share with: -X fills a line as --xargs does, so that what merges its
 * inputs gets all. */
static void one_worker_gets_all_inputs_at_once(void **state) {
  (void)state;
  const struct {
    struct ls_run_options options;
    bool fills_lines;
  } cases[] = {{{.workers = 1, .order = "fifo"}, true},
               {{.workers = 2, .order = "fifo"}, false},
               {{.order = "fifo"}, false},
               {{.workers = 1, .has_worker_by_task = true, .order = "fifo"}, false},
               {{.workers = 1, .workers_file = "./jobs", .order = "fifo"}, false},
               {{.workers = 1, .order = "random"}, false},
               {{.workers = 1, .order = "fifo", .policy = "gss"}, false},
               {{.workers = 1, .order = "fifo", .terms = {.deadline_s = 9}}, false},
               {{.workers = 1, .order = "fifo", .sizing = "asp"}, false},
               {{.workers = 1, .order = "fifo", .ssh = "n1"}, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_run_options options = cases[i].options;
    assert_int_equal(give(&options, "context-replace", NULL, NULL), LS_OK);
    assert_int_equal(ls_bundle_options_check(&options, NULL), LS_OK);
    assert_int_equal(options.bundles.many, LS_MANY_REPEATED);
    assert_int_equal(options.bundles.fills_lines, cases[i].fills_lines);
  }
}

/* Sizes that the user names are kept, unless a policy is named, too. */
static void a_number_of_inputs_is_that_of_commands(void **state) {
  (void)state;
  static const char *const names[] = {"max-args", "max-replace-args", "max-lines"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct ls_run_options options = {.order = "fifo"};
    assert_int_equal(give(&options, "context-replace", NULL, NULL), LS_OK);
    assert_int_equal(give(&options, names[i], "30", NULL), LS_OK);
    assert_int_equal(ls_bundle_options_check(&options, NULL), LS_OK);
    assert_int_equal(options.bundles.group, 30);
    assert_int_equal(options.bundles.tasks.units_max, 0);
    assert_int_equal(options.bundles.many, LS_MANY_REPEATED);
    assert_null(options.bundles.fills);
    assert_null(options.policy);
    options = (struct ls_run_options){.order = "fifo", .policy = "gss"};
    assert_int_equal(give(&options, "context-replace", NULL, NULL), LS_OK);
    assert_int_equal(give(&options, names[i], "30", NULL), LS_OK);
    assert_int_equal(ls_bundle_options_check(&options, NULL), LS_OK);
    assert_int_equal(options.bundles.tasks.units_max, 30);
    assert_false(options.bundles.fills_lines);
  }
}

/* Unless a policy or a plan says how many inputs a command has. */
static void lines_are_filled(void **state) {
  (void)state;
  static const char *const names[] = {"many", "xargs", "context-replace"};
  for (size_t i = 0; i < 3; i++) {
    for (int how = 0; how < 4; how++) {
      struct ls_run_options options = {.prefetch = 1,
                                       .has_prefetch = how == 3,
                                       .order = "fifo",
                                       .policy = how == 1 ? "gss" : NULL,
                                       .plan = how == 2 ? "plan.json" : NULL};
      bool fills = i < 2 && (how == 0 || how == 3);
      assert_int_equal(give(&options, names[i], NULL, NULL), LS_OK);
      assert_int_equal(ls_bundle_options_check(&options, NULL), LS_OK);
      assert_int_equal(options.bundles.fills_lines, fills);
      assert_int_equal(options.bundles.spreads_rest, fills && i == 0);
      assert_int_equal(options.prefetch, how == 0 && fills ? 0 : 1);
      if (fills) assert_string_equal(options.policy, "given");
      if (how == 1) assert_string_equal(options.policy, "gss");
      if (!fills && how != 1) assert_null(options.policy);
    }
  }
}

static void lines_have_their_inputs_in_order(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_run_options options = {.order = "random"};
  assert_int_equal(give(&options, "xargs", NULL, NULL), LS_OK);
  assert_int_equal(ls_bundle_options_check(&options, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--xargs"));
  assert_non_null(strstr(err.text, "random"));
  options = (struct ls_run_options){.order = "random", .policy = "gss"};
  assert_int_equal(give(&options, "xargs", NULL, NULL), LS_OK);
  assert_int_equal(ls_bundle_options_check(&options, NULL), LS_OK);
}

static void sizes_that_the_user_names_are_kept(void **state) {
  (void)state;
  struct ls_run_options options = {.bundles = {.group = 0}};
  assert_int_equal(give(&options, "max-replace-args", "3", NULL), LS_OK);
  assert_int_equal(ls_bundle_options_check(&options, NULL), LS_OK);
  assert_int_equal(options.bundles.group, 3);
  assert_int_equal(options.bundles.many, LS_MANY_REPEATED);
  assert_int_equal(options.bundles.tasks.units_max, 0);
  assert_null(options.policy);
  options = (struct ls_run_options){.bundles = {.group = 0}};
  assert_int_equal(give(&options, "max-args", "3", NULL), LS_OK);
  assert_int_equal(ls_bundle_options_check(&options, NULL), LS_OK);
  assert_int_equal(options.bundles.many, LS_MANY_JOINED);
  options = (struct ls_run_options){.bundles = {.group = 0}};
  assert_int_equal(give(&options, "max-replace-args", "0", NULL), LS_OK);
  assert_int_equal(ls_bundle_options_check(&options, NULL), LS_OK);
  assert_true(options.bundles.has_none && options.bundles.many == LS_MANY_NONE);
}

static void what_does_not_go_together_is_refused(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_run_options options = {.bundles = {.group = 0}};
  assert_int_equal(give(&options, "units-max", "3", NULL), LS_OK);
  refuse(&options, "--units-max needs -X, -m or --xargs");
  assert_int_equal(give(&options, "context-replace", NULL, NULL), LS_OK);
  assert_int_equal(give(&options, "many", NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "-X and -m exclude each other"));
  options.replication = "gain";
  refuse(&options, "-X and --replication exclude each other");
  options.replication = NULL;
  options.logins.is_on_all = true;
  refuse(&options, "-X and --onall exclude each other");
  options.logins.is_on_all = false;
  assert_int_equal(give(&options, "max-replace-args", "0", NULL), LS_OK);
  refuse(&options, "-N is 0 with -X, expected at least 1");
  assert_int_equal(give(&options, "max-args", "0", &err), LS_EINVAL);
  /* Which of them count is known when all options are: of data in blocks both do. */
  assert_int_equal(give(&options, "max-args", "2", NULL), LS_OK);
  refuse(&options, "-N and -n exclude each other");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_that_fill_commands_leave_sizes_to_the_policy),
      cmocka_unit_test(one_worker_gets_all_inputs_at_once),
      cmocka_unit_test(a_number_of_inputs_is_that_of_commands),
      cmocka_unit_test(lines_are_filled),
      cmocka_unit_test(lines_have_their_inputs_in_order),
      cmocka_unit_test(sizes_that_the_user_names_are_kept),
      cmocka_unit_test(what_does_not_go_together_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
