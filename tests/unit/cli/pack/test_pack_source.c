#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pack_cli_fixture.h"

static char path[] = "/tmp/pack-source-XXXXXX";

static void write_file(const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void the_content_says_what_a_file_is(void **state) {
  (void)state;
  static const char *const texts[] = {
      "\xef\xbb\xbfname,seconds\na,1\n",
      ("Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"
       "1\t:\t1\t2\t0\t0\t0\t0\ta\n"),
      "JobName|ElapsedRaw\na|3\n",
      "{\"a\": 4}",
      "\n[[\"a\", 5]]",
      "<testsuite><testcase name=\"a\" time=\"6\"/></testsuite>"};
  struct ls_task_times times = {.items = NULL};
  struct ls_error err = {0};
  for (size_t i = 0; i < 6; i++) {
    write_file(texts[i]);
    if (ls_pack_source_read(&times, path, LS_PACK_FORM_ANY, &err) != LS_OK)
      fail_msg("%s", err.text);
    assert_int_equal(times.items[0].count, i + 1);
  }
  assert_true(fabs(times.items[0].mean_s - 3.5) < 1e-12);
  ls_task_times_close(&times);
}

static void what_is_of_no_form_is_refused(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  struct ls_error err = {0};
  write_file("some words\n");
  assert_int_equal(ls_pack_source_read(&times, path, LS_PACK_FORM_ANY, &err), LS_EINVAL);
  expect_text(err.text, "its format is unknown, expected a journal");
  assert_int_equal(ls_pack_source_read(&times, path, LS_PACK_FORM_LIST, &err), LS_OK);
  ls_task_times_close(&times);
  write_file("");
  assert_int_equal(ls_pack_source_read(&times, path, LS_PACK_FORM_ANY, &err), LS_EINVAL);
  expect_text(err.text, "is empty, expected times of tasks");
  assert_int_equal(ls_pack_source_list(&times, path, false, &err), LS_EINVAL);
  expect_text(err.text, "is empty, expected a task on each line");
  write_file("name,seconds\n");
  assert_int_equal(ls_pack_source_read(&times, path, LS_PACK_FORM_ANY, &err), LS_EINVAL);
  expect_text(err.text, "names no task");
  assert_int_equal(ls_pack_source_read(&times, "/no/such", LS_PACK_FORM_ANY, &err), LS_EINVAL);
  expect_text(err.text, "/no/such");
}

static int make_file(void **state) {
  (void)state;
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int remove_file(void **state) {
  (void)state;
  return unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_content_says_what_a_file_is),
      cmocka_unit_test(what_is_of_no_form_is_refused),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
