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

#include "../../../support/journal_of_chunks.h"
#include "cli/calibrate/calibrate_source.h"

static void write_file(const char *text) {
  FILE *file = fopen(file_path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void the_content_says_what_a_file_is(void **state) {
  (void)state;
  static const char *const texts[] = {
      "\xef\xbb\xbfoperation,worker,units,seconds\ncompute,a,1,1\n",
      ("Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"
       "1\ta\t1\t2\t0\t0\t0\t0\ttrue\n"),
      "NodeList|ElapsedRaw\na|3\n"};
  struct ls_calibrate_sources sources = {.failed = 0};
  for (size_t i = 0; i < 3; i++) {
    struct ls_error err = {0};
    write_file(texts[i]);
    if (ls_calibrate_source_read(&sources, file_path, LS_CALIBRATE_ANY, &err) != LS_OK)
      fail_msg("%s", err.text);
    assert_int_equal(sources.measurements.count, i + 1);
    assert_true(fabs(sources.measurements.items[i].seconds - (double)(i + 1)) <= 0);
  }
  assert_int_equal(ls_calibrate_source_read(&sources, journal_path, LS_CALIBRATE_ANY, NULL), LS_OK);
  assert_true(sources.measurements.count > 3);
  assert_int_equal(sources.measurements.workers_count, 3);
  assert_int_equal(sources.failed, 1);
  ls_calibrate_sources_close(&sources);
}

/* A bar in a name or a comment makes no accounting of Slurm. */
static void a_bar_in_a_csv_is_no_sacct(void **state) {
  (void)state;
  static const char *const texts[] = {
      "compute,a|b,1,1\n", "# size|seconds of NodeList|x\ncompute,a,1,1\n",
      "#NodeList|ElapsedRaw\ncompute,a,1,1\n", "compute,NodeList|Elapsed,1,1\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct ls_calibrate_sources sources = {.failed = 0};
    struct ls_error err = {0};
    write_file(texts[i]);
    if (ls_calibrate_source_read(&sources, file_path, LS_CALIBRATE_ANY, &err) != LS_OK)
      fail_msg("%s", err.text);
    assert_int_equal(sources.measurements.count, 1);
    ls_calibrate_sources_close(&sources);
  }
  struct ls_calibrate_sources sources = {.failed = 0};
  write_file("JobID|Elapsed|State|NodeList\r\n7|00:00:02|COMPLETED|n1\r\n");
  assert_int_equal(ls_calibrate_source_read(&sources, file_path, LS_CALIBRATE_ANY, NULL), LS_OK);
  assert_int_equal(sources.measurements.count, 1);
  ls_calibrate_sources_close(&sources);
}

static void a_form_that_is_given_is_taken(void **state) {
  (void)state;
  struct ls_calibrate_sources sources = {.failed = 0};
  struct ls_error err = {0};
  write_file("compute,a|b,1,1\n");
  assert_int_equal(ls_calibrate_source_read(&sources, file_path, LS_CALIBRATE_SACCT, &err),
                   LS_EINVAL);
  assert_int_equal(ls_calibrate_source_read(&sources, file_path, LS_CALIBRATE_CSV, NULL), LS_OK);
  assert_int_equal(ls_calibrate_source_read(&sources, file_path, LS_CALIBRATE_JOBLOG, &err),
                   LS_EINVAL);
  assert_int_equal(ls_calibrate_source_read(&sources, file_path, LS_CALIBRATE_JOURNAL, &err),
                   LS_EINVAL);
  ls_calibrate_sources_close(&sources);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_content_says_what_a_file_is),
      cmocka_unit_test(a_bar_in_a_csv_is_no_sacct),
      cmocka_unit_test(a_form_that_is_given_is_taken),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
