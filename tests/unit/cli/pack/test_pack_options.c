#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "../capture.h"

static void wrong_options_are_named(void **state) {
  (void)state;
  static struct capture capture;
  static const struct {
    char *words[8];
    const char *says;
  } cases[] = {
      {{"-k", "2"}, "FILE is missing"},
      {{"f"}, "--shards is missing"},
      {{"f", "-k", "0"}, "--shards is '0', expected a whole number from 1"},
      {{"f", "--speeds", "1,0"}, "--speeds is '0'"},
      {{"f", "--speeds", "1,,1"}, "--speeds is ''"},
      {{"f", "-k", "2", "--speeds", "1,1,1"}, "--speeds has 3 values, expected 2"},
      {{"f", "--index", "3/2"}, "--index: I is '3'"},
      {{"f", "--index", "0/2"}, "--index: I is '0'"},
      {{"f", "--index", "2"}, "expected I/K"},
      {{"f", "--index", "1/2", "-k", "3"}, "expected the same number"},
      {{"f", "--index", "1/2", "--unknown-speeds", "2"}, "expected one of them"},
      {{"f", "--index", "1/2", "--speeds", "1"}, "expected 2, one for each shard"},
      {{"f", "--job-seconds", "nan"}, "--job-seconds is 'nan'"},
      {{"f", "--job-seconds", "5", "--start-cost", "5"}, "--start-cost is 5, expected less"},
      {{"f", "--job-seconds", "5", "-k", "2"}, "expected one of them"},
      {{"f", "--unknown-speeds", "2", "--speeds", "1,1,1"}, "expected at most 2"},
      {{"f", "-k", "2", "--from", "xml"}, "--from is 'xml', expected csv, joblog"},
      {{"f", "-k", "2", "--unknown", "x"}, "expected median or mean"},
      {{"f", "-k", "2", "--slurm", "s"}, "without --output"},
      {{"f", "-k", "2", "--", "true"}, "COMMAND is given without --slurm"},
      {{"f", "-k", "2", "--sizes"}, "--sizes is given without --tasks"},
      {{"-", "-k", "2", "-t", "-"}, "standard input is read once"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *words[12] = {(char *)"loadstar", (char *)"pack"};
    for (size_t k = 0; k < 8; k++) words[k + 2] = cases[i].words[k];
    capture_app(&capture, NULL, words, "");
    assert_int_equal(capture.exit_status, 2);
    if (strstr(capture.error, cases[i].says) == NULL)
      fail_msg("'%s' does not say '%s'", capture.error, cases[i].says);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_options_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
