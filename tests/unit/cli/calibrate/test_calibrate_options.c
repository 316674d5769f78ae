#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "capture.h"
#include "cli/calibrate/calibrate_options.h"

static struct ls_calibrate_options parse(char **words) {
  struct ls_calibrate_options options = ls_calibrate_options_default();
  int argc = 0;
  while (words[argc] != NULL) argc++;
  assert_int_equal(argp_parse(&ls_calibrate_options_argp, argc, words, 0, NULL, &options), 0);
  return options;
}

#define PARSE(...) parse((char *[]){(char *)"loadstar calibrate", __VA_ARGS__, NULL})

static void defaults_are_as_the_help_says(void **state) {
  (void)state;
  struct ls_calibrate_options options = PARSE((char *)"a.csv", (char *)"b.journal");
  assert_int_equal(options.files_count, 2);
  assert_string_equal(options.files[1], "b.journal");
  assert_int_equal(options.form, LS_CALIBRATE_ANY);
  assert_true(isnan(options.calibration.tolerance) && options.calibration.seeks_windows);
  assert_false(options.wants_probe || options.wants_json || options.wants_makespans);
  assert_true(fabs(options.probe.sizes.most - 1000) <= 0 && fabs(options.probe.seconds - 10) <= 0);
}

static void options_are_taken(void **state) {
  (void)state;
  struct ls_calibrate_options options =
      PARSE((char *)"--from=joblog", (char *)"--tolerance=0.5", (char *)"--one-law", (char *)"-j",
            (char *)"--window=2", (char *)"--check=x", (char *)"--check=y", (char *)"-op.json",
            (char *)"log");
  assert_int_equal(options.form, LS_CALIBRATE_JOBLOG);
  assert_true(fabs(options.calibration.tolerance - 0.5) <= 0);
  assert_false(options.calibration.seeks_windows);
  assert_int_equal(options.checks_count, 2);
  assert_int_equal(options.window, 2);
  assert_string_equal(options.output, "p.json");
  options = PARSE((char *)"--fit=makespan", (char *)"a.journal");
  assert_true(options.wants_makespans);
  assert_int_equal(options.form, LS_CALIBRATE_JOURNAL);
}

static void a_command_to_probe_keeps_its_options(void **state) {
  (void)state;
  struct ls_calibrate_options options =
      PARSE((char *)"--probe", (char *)"--sizes=5-80", (char *)"--seconds=2.5",
            (char *)"--workers=3", (char *)"--measurements=9", (char *)"--seed=4", (char *)"--",
            (char *)"./work", (char *)"-n", (char *)"{}");
  assert_true(options.wants_probe);
  assert_int_equal(options.files_count, 3);
  assert_string_equal(options.files[1], "-n");
  assert_true(fabs(options.probe.sizes.least - 5) <= 0 && fabs(options.probe.sizes.most - 80) <= 0);
  assert_int_equal(options.probe.workers, 3);
  assert_int_equal(options.probe.measurements_most, 9);
  assert_int_equal(options.probe.seed, 4);
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  static struct capture capture;
  const char *const cases[][5] = {
      {"--sizes is '8-5'", "--probe", "--sizes=8-5", "true", "{}"},
      {"--sizes is '0-5'", "--probe", "--sizes=0-5", "true", "{}"},
      {"--sizes is '1.5-5'", "--probe", "--sizes=1.5-5", "true", "{}"},
      {"--sizes is '7'", "--probe", "--sizes=7", "true", "{}"},
      {"--seconds", "--probe", "--seconds=-1", "true", "{}"},
      {"--workers", "--probe", "--workers=0", "true", "{}"},
      {"the command is missing", "--probe", NULL, NULL, NULL},
      {"need files", "--probe", "--from=csv", "true", "{}"},
      {"expected measurements or makespan", "--fit=speed", "a", NULL, NULL},
      {"room for one of", "-", "--output=-", "--plot=-", NULL},
      {"what --json prints", "-", "--output=-", "--json", NULL},
      {"what --json prints", "-", "--plot=-", "--json", NULL},
      {"what --check prints", "-", "--output=-", "--check=x", NULL},
      {"needs journals", "--fit=makespan", "--from=csv", "a", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *words[8] = {(char *)"loadstar", (char *)"calibrate"};
    for (size_t k = 1; k < 5 && cases[i][k] != NULL; k++) words[k + 1] = (char *)cases[i][k];
    capture_app(&capture, NULL, words, "");
    if (capture.exit_status != 2 || strstr(capture.error, cases[i][0]) == NULL)
      fail_msg("case %zu ends with %d: %s", i, capture.exit_status, capture.error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_as_the_help_says),
      cmocka_unit_test(options_are_taken),
      cmocka_unit_test(a_command_to_probe_keeps_its_options),
      cmocka_unit_test(what_makes_no_sense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
