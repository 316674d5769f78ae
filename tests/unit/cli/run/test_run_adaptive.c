#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/run_adaptive.h"

static void make_file(const char *content, size_t length, char path[32]) {
  strcpy(path, "/tmp/test-adaptive-XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, content, length), (ssize_t)length);
  (void)close(file);
}

static void refuse(const struct ls_run_options *options, const char *expected) {
  struct ls_run_adaptive adaptive;
  struct ls_error err = {0};
  assert_int_equal(ls_run_adaptive_choose(&adaptive, options, 3, 4, &err), LS_EINVAL);
  if (strstr(err.text, expected) == NULL) fail_msg("'%s' lacks '%s'", err.text, expected);
}

static void nothing_said_leaves_the_coordinator_as_it_is(void **state) {
  struct ls_run_options options = {0};
  struct ls_run_adaptive adaptive;
  struct ls_coordinator_config config = {.workers = 4};
  (void)state;
  assert_int_equal(ls_run_adaptive_choose(&adaptive, &options, 3, 4, NULL), LS_OK);
  ls_run_adaptive_apply(&adaptive, &options, &config);
  assert_null(config.sizing);
  assert_null(config.replication);
  assert_null(config.sizing_arguments);
  assert_null(adaptive.times);
  assert_int_equal(config.extra, 0);
  ls_run_adaptive_close(&adaptive);
}

static void names_values_and_numbers_reach_the_coordinator(void **state) {
  struct ls_run_options options = {
      .sizing = "self:0.6", .replication = "gain:0.5", .extra = 2, .loss_rate = 0.25};
  struct ls_run_adaptive adaptive;
  struct ls_coordinator_config config = {.workers = 4};
  (void)state;
  assert_int_equal(ls_run_adaptive_choose(&adaptive, &options, 3, 4, NULL), LS_OK);
  ls_run_adaptive_apply(&adaptive, &options, &config);
  assert_string_equal(config.sizing->name, "self");
  assert_string_equal(config.replication->name, "gain");
  assert_ptr_equal(config.sizing_arguments, &adaptive.sizing_arguments);
  assert_float_equal(
      ls_arguments_get(config.sizing_arguments, config.sizing->parameters, "efficiency"), 0.6, 0);
  assert_float_equal(
      ls_arguments_get(config.replication_arguments, config.replication->parameters, "price"), 0.5,
      0);
  assert_int_equal(config.extra, 2);
  assert_float_equal(config.loss_rate, 0.25, 0);
  ls_run_adaptive_close(&adaptive);
}

/* Up to three, unless told, and never all. */
static void replication_auto_chooses_among_extra_workers(void **state) {
  /* Workers, `--extra` (NOT_SAID: without), kept at most. */
  enum { NOT_SAID = 99 };
  static const size_t extras[][3] = {
      {1, NOT_SAID, 0}, {3, NOT_SAID, 2}, {20, NOT_SAID, 3}, {20, 5, 5}, {20, 0, 0}};
  (void)state;
  for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
    struct ls_run_options options = {.replication = "auto",
                                     .extra = extras[i][1] == NOT_SAID ? 0 : extras[i][1],
                                     .has_extra = extras[i][1] != NOT_SAID,
                                     .efficiency_weight = "0.25"};
    struct ls_run_adaptive adaptive;
    struct ls_coordinator_config config = {.workers = extras[i][0]};
    assert_int_equal(ls_run_adaptive_choose(&adaptive, &options, 3, extras[i][0], NULL), LS_OK);
    ls_run_adaptive_apply(&adaptive, &options, &config);
    assert_int_equal(config.extra, extras[i][2]);
    assert_float_equal(ls_arguments_get(config.replication_arguments,
                                        config.replication->parameters, "efficiency_weight"),
                       0.25, 0);
    ls_run_adaptive_close(&adaptive);
  }
}

static void replication_none_is_no_replication(void **state) {
  struct ls_run_options options = {.replication = "none"};
  struct ls_run_adaptive adaptive;
  (void)state;
  assert_int_equal(ls_run_adaptive_choose(&adaptive, &options, 3, 4, NULL), LS_OK);
  assert_null(adaptive.replication);
}

static void what_cannot_be_is_named(void **state) {
  (void)state;
  refuse(&(struct ls_run_options){.sizing = "huge"}, "fixed, self, table, asp");
  refuse(&(struct ls_run_options){.sizing = "fixed:3"}, "fixed has no parameter");
  refuse(&(struct ls_run_options){.replication = "double"}, "none, single, complete, gain");
  refuse(&(struct ls_run_options){.replication = "complete"}, "needs --extra");
  refuse(&(struct ls_run_options){.extra = 4}, "fewer than the 4 workers");
  refuse(&(struct ls_run_options){.efficiency_weight = "1"}, "needs --replication auto");
  refuse(&(struct ls_run_options){.replication = "gain", .efficiency_weight = "1"},
         "needs --replication auto");
  refuse(&(struct ls_run_options){.replication = "none", .efficiency_weight = "1"},
         "needs --replication auto");
  refuse(&(struct ls_run_options){.replication = "auto", .efficiency_weight = "-1"},
         "--efficiency-weight");
  refuse(&(struct ls_run_options){.times = "/nonexistent/times"}, "/nonexistent/times");
}

static void settings_find_the_sizing_or_the_replication(void **state) {
  struct ls_run_options options = {.sizing = "self", .replication = "gain"};
  struct ls_run_adaptive adaptive;
  struct ls_error err = {0};
  bool is_known = false;
  (void)state;
  assert_int_equal(ls_run_adaptive_choose(&adaptive, &options, 3, 4, NULL), LS_OK);
  assert_int_equal(ls_run_adaptive_set(&adaptive, "slack", "0.3", &is_known, &err), LS_OK);
  assert_true(is_known);
  assert_float_equal(
      ls_arguments_get(&adaptive.sizing_arguments, adaptive.sizing->parameters, "slack"), 0.3, 0);
  assert_int_equal(ls_run_adaptive_set(&adaptive, "price", "2", &is_known, &err), LS_OK);
  assert_true(is_known);
  assert_int_equal(ls_run_adaptive_set(&adaptive, "price", "much", &is_known, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "replication gain"));
  assert_int_equal(ls_run_adaptive_set(&adaptive, "rounding", "ceil", &is_known, &err), LS_OK);
  assert_false(is_known);
}

static void times_are_one_number_a_line(void **state) {
  static const char text[] = " 1.5 \n0\r\n2e-3";
  struct ls_run_adaptive adaptive;
  char path[32];
  (void)state;
  make_file(text, strlen(text), path);
  struct ls_run_options options = {.times = path};
  assert_int_equal(ls_run_adaptive_choose(&adaptive, &options, 3, 4, NULL), LS_OK);
  assert_int_equal(adaptive.times_count, 3);
  assert_float_equal(adaptive.times[0], 1.5, 0);
  assert_float_equal(adaptive.times[1], 0, 0);
  assert_float_equal(adaptive.times[2], 2e-3, 0);
  ls_run_adaptive_close(&adaptive);
  (void)unlink(path);
}

static void times_that_do_not_fit_name_their_line(void **state) {
  static const struct {
    const char *text, *expected;
  } cases[] = {{"1\ntwo\n3\n", "line 2"},
               {"1\n-2\n3\n", "line 2"},
               {"1\n\n3\n", "line 2"},
               {"1\n2\n", "2 lines, expected 3"},
               {"1\n2\n3\n4\n", "4 lines, expected 3"},
               {"1\nnan\n3\n", "line 2"},
               {"", "0 lines, expected 3"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[32];
    make_file(cases[i].text, strlen(cases[i].text), path);
    refuse(&(struct ls_run_options){.times = path}, cases[i].expected);
    (void)unlink(path);
  }
  char path[32];
  make_file("1\n2\0\n3\n", 7, path);
  refuse(&(struct ls_run_options){.times = path}, "zero byte");
  (void)unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_said_leaves_the_coordinator_as_it_is),
      cmocka_unit_test(names_values_and_numbers_reach_the_coordinator),
      cmocka_unit_test(replication_auto_chooses_among_extra_workers),
      cmocka_unit_test(replication_none_is_no_replication),
      cmocka_unit_test(what_cannot_be_is_named),
      cmocka_unit_test(settings_find_the_sizing_or_the_replication),
      cmocka_unit_test(times_are_one_number_a_line),
      cmocka_unit_test(times_that_do_not_fit_name_their_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
