#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "cli/subcommands.h"

static struct capture capture;

static void help_names_every_subcommand(void **state) {
  (void)state;
  static const char *const words[] = {"--help", "-?", "help"};
  for (int i = 0; i < 3; i++) {
    CAPTURE(&capture, "", (char *)words[i]);
    assert_int_equal(capture.exit_status, 0);
    for (const struct ls_subcommand *item = ls_subcommands; item->name != NULL; item++)
      assert_non_null(strstr(capture.output, item->summary));
    assert_non_null(strstr(capture.output, "Examples:"));
    assert_string_equal(capture.error, "");
  }
}

static void every_subcommand_has_help_with_an_example(void **state) {
  (void)state;
  for (const struct ls_subcommand *item = ls_subcommands; item->name != NULL; item++) {
    CAPTURE(&capture, "", (char *)item->name, (char *)"--help");
    assert_int_equal(capture.exit_status, 0);
    char usage[64];
    snprintf(usage, sizeof usage, "Usage: loadstar %s", item->name);
    assert_non_null(strstr(capture.output, usage));
    assert_non_null(strstr(capture.output, "Example"));
  }
}

static void the_version_is_printed(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"--version");
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.output, "loadstar " LS_VERSION "\n");
  CAPTURE(&capture, "", (char *)"run", (char *)"--version");
  assert_string_equal(capture.output, "loadstar " LS_VERSION "\n");
}

static void an_unknown_subcommand_is_bad_usage(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"nope");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "'nope'"));
  assert_non_null(
      strstr(capture.error, "run, parallel, worker, plan, simulate, compare, calibrate, report"));
  assert_string_equal(capture.output, "");
  capture_app(&capture, NULL, (char *[]){(char *)"loadstar", NULL}, "");
  assert_int_equal(capture.exit_status, 2);
}

static enum ls_status count_dots(void *state, uint32_t iteration, uint64_t *units,
                                 struct ls_error *err) {
  (void)state, (void)iteration;
  *units = 0;
  return ls_fail(err, LS_EINVAL, "dots: none are to be drawn");
}

static enum ls_status draw_dots(void *state, const struct ls_work *work, struct ls_bytes *output,
                                struct ls_error *err) {
  (void)state, (void)work, (void)output;
  return ls_fail(err, LS_EINVAL, "dots: none are to be drawn");
}

static void what_an_application_does_not_tell_is_named(void **state) {
  (void)state;
  static const struct {
    struct ls_app app;
    const char *missing;
  } cases[] = {
      {{.units = count_dots, .compute = draw_dots}, "dots: its struct ls_app has no name\n"},
      {{.name = "dots", .compute = draw_dots}, "dots: its struct ls_app has no units\n"},
      {{.name = "dots", .units = count_dots}, "dots: its struct ls_app has no compute\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    capture_app(&capture, &cases[i].app, (char *[]){(char *)"dots", (char *)"run", NULL}, "");
    assert_int_equal(capture.exit_status, 2);
    assert_string_equal(capture.error, cases[i].missing);
  }
}

static void an_application_has_the_same_subcommands(void **state) {
  (void)state;
  static const struct ls_app app = {.name = "dots",
                                    .summary = "draws dots",
                                    .usage = "--dots N",
                                    .units = count_dots,
                                    .compute = draw_dots};
  capture_app(&capture, &app, (char *[]){(char *)"/bin/dots", (char *)"--help", NULL}, "");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "dots: draws dots"));
  assert_non_null(strstr(capture.output, "dots run -j2 -- --dots N"));
  capture_app(&capture, &app, (char *[]){(char *)"dots", (char *)"run", (char *)"--help", NULL},
              "");
  assert_non_null(strstr(capture.output, "--dots N"));
  assert_null(strstr(capture.output, "--arg-file"));
  capture_app(&capture, &app, (char *[]){(char *)"dots", (char *)"run", (char *)"--shell", NULL},
              "");
  assert_int_equal(capture.exit_status, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(help_names_every_subcommand),
                                     cmocka_unit_test(every_subcommand_has_help_with_an_example),
                                     cmocka_unit_test(the_version_is_printed),
                                     cmocka_unit_test(an_unknown_subcommand_is_bad_usage),
                                     cmocka_unit_test(what_an_application_does_not_tell_is_named),
                                     cmocka_unit_test(an_application_has_the_same_subcommands)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
