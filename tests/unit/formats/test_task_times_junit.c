#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_times_fixture.h"

static void tasks_have_their_times(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  take_text(ls_task_times_read_junit,
            "<?xml version=\"1.0\"?><testsuites><testsuite name=\"pytest\">"
            "<properties><property name=\"x\"/></properties>"
            "<testcase classname=\"tests.test_a.TestB\" file=\"tests/test_a.py\" name=\"c[1]\" "
            "time=\"0.25\"/>"
            "<testcase classname=\"tests.test_a\" file=\"tests/test_a.py\" name=\"d\" time=\"1\">"
            "<failure message=\"no\">text</failure></testcase>"
            "<testcase classname=\"tests.test_e\" name=\"f\" time=\"2\"><skipped/></testcase>"
            "<testcase classname=\"\" name=\"g\"/><testcase time=\"7\"/>"
            "<testcase classname=\"x\" name=\"\"><failure/></testcase>"
            "</testsuite></testsuites>",
            &times);
  expect_time(&times, "tests/test_a.py::TestB::c[1]", 0.25);
  expect_time(&times, "tests/test_a.py::d", (double)NAN);
  expect_time(&times, "tests.test_e::f", 2);
  expect_time(&times, "g", (double)NAN);
  assert_int_equal(times.failed, 1);
  assert_int_equal(times.nameless, 2);
  take_text(ls_task_times_read_junit,
            "<testsuite name=\"p\"><testcase name=\"p:cli / cli/run\" classname=\"p\" time=\"3\"/>"
            "</testsuite>",
            &times);
  expect_time(&times, "cli/run", 3);
  take_text(ls_task_times_read_junit,
            "<testsuite><testcase name=\"a\" time=\"1,234.5\"/>"
            "<testcase name=\"b\" time=\"12,345,678\"/></testsuite>",
            &times);
  expect_time(&times, "a", 1234.5);
  expect_time(&times, "b", 12345678);
  ls_task_times_close(&times);
}

static void wrong_fields_are_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"<suite/>", "the first element is \"suite\", expected testsuites or testsuite"},
      {"<testsuite><testcase name=\"a\" time=\"x\"/>", "time of a testcase is \"x\", expected"},
      {"<testsuite><testcase name=\"a\" time=\"-1\"/>", "time of a testcase is \"-1\""},
      {"<testsuite><testcase name=\"a\" time=\"nan\"/>", "time of a testcase is \"nan\""},
      {"<testsuite><testcase name=\"a\" time=\"0,234\"/>", "time of a testcase is \"0,234\""},
      {"<testsuite><testcase name=\"a\" time=\"0,234.5\"/>", "time of a testcase is"},
      {"<testsuite><testcase name=\"a\" time=\"1,234\"/>", "time of a testcase is \"1,234\""},
      {"<testsuite><testcase name=\"a\" time=\"1,23\"/>", "time of a testcase is \"1,23\""},
      {"<testsuite><testcase name=\"a\" time=\"1,2345\"/>", "time of a testcase is \"1,2345\""},
      {"<testsuite><testcase name=\"a\" time=\"1234,567\"/>", "time of a testcase is"},
      {"<testsuite><testcase name=\"a\" time=\",123\"/>", "time of a testcase is \",123\""},
      {"<testsuite><testcase name=\"a\"/><testcase name=\"a\"/></testsuite>", "expected each name"},
      {"<testsuite><testcase name=\"a\"><testcase name=\"b\"/>", "expected no other testcase"},
      {"<!DOCTYPE x [<!ENTITY y \"z\">]><testsuite/>", "no declarations of its own"},
      {"<testsuite>", "malformed XML"},
      {"", "malformed XML"},
  };
  expect_words_each(ls_task_times_read_junit, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_have_their_times),
      cmocka_unit_test(wrong_fields_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
