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

#include "capture.h"
#include "formats/platform_json.h"

static struct capture capture;

#define CALIBRATE(input, ...) CAPTURE(&capture, input, (char *)"calibrate", __VA_ARGS__)

static const char MEASURED[] =
    "operation,worker,units,seconds\ncompute,a,1,3\ncompute,a,2,5\ncompute,a,4,9\n"
    "send,a,1,0.1\nsend,a,3,0.3\n";

static void the_platform_is_one_that_reads_back(void **state) {
  (void)state;
  struct ls_platform platform;
  CALIBRATE(MEASURED, (char *)"-", (char *)"-o", (char *)"-");
  assert_int_equal(capture.exit_status, 0);
  struct ls_text text = {capture.output, strlen(capture.output), "output"};
  assert_int_equal(ls_platform_read(&platform, text, NULL), LS_OK);
  assert_string_equal(platform.workers[0].name, "a");
  assert_true(fabs(platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s - 2) <= 1e-9);
  assert_true(fabs(platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s - 1) <= 1e-9);
  ls_platform_close(&platform);
}

static void text_is_for_people_and_json_for_machines(void **state) {
  (void)state;
  CALIBRATE(MEASURED, (char *)"-");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "5 measurements of 1 worker in 1 file\n"));
  CALIBRATE(MEASURED, (char *)"-", (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  assert_int_equal(strncmp(capture.output, "{ \"measurements\": 5", 19), 0);
}

static void wrong_words_and_measurements_are_refused(void **state) {
  (void)state;
  const struct {
    const char *words[4], *input, *message;
  } cases[] = {
      {{NULL}, "", "FILE is missing"},
      {{"-", "--from=xml"}, "", "expected csv, joblog, sacct or journal"},
      {{"-", "--tolerance=-1"}, "", "--tolerance"},
      {{"--platform=2x(compute=1x)"}, "", "without --check"},
      {{"-", "--platform=2x(compute=1x)"}, MEASURED, "with measurements"},
      {{"-"}, "", "holds no measurement"},
      {{"-"},
       "prepare,,1,1\nprepare,,2,1.5\n",
       "-: holds no measurement of a worker, only of what the master prepares"},
      {{"-"}, "compute,a,1\n", "standard input: line 1: seconds is missing"},
      {{"-", "-o", "-"}, "send,a,1,1\n", "worker a: there is no measurement of compute"},
      {{"/nowhere/at/all"}, "", "/nowhere/at/all"},
      {{"-", "--check=/nowhere/at/all"}, MEASURED, "/nowhere/at/all"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *words[8] = {(char *)"loadstar", (char *)"calibrate"};
    for (size_t k = 0; k < 4 && cases[i].words[k] != NULL; k++)
      words[k + 2] = (char *)cases[i].words[k];
    capture_app(&capture, NULL, words, cases[i].input);
    if (capture.exit_status != 2 || strstr(capture.error, cases[i].message) == NULL)
      fail_msg("case %zu ends with %d: %s", i, capture.exit_status, capture.error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_platform_is_one_that_reads_back),
      cmocka_unit_test(text_is_for_people_and_json_for_machines),
      cmocka_unit_test(wrong_words_and_measurements_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
