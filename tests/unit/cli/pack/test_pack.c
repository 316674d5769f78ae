#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "../capture.h"

/* Standard input is a file of times; what is printed is the shard, the table or JSON. */
static void names_come_out(void **state) {
  (void)state;
  static struct capture capture;
  static const char times[] = "name,seconds\na,4\nb,3\nc,3\nd,2\n";
  CAPTURE(&capture, times, (char *)"pack", (char *)"-", (char *)"--index", (char *)"1/2");
  assert_int_equal(capture.exit_status, 0);
  assert_int_equal(strlen(capture.output), 4);
  assert_non_null(strstr(capture.error, "new ones would run nowhere"));
  CAPTURE(&capture, times, (char *)"pack", (char *)"-", (char *)"-k2");
  assert_non_null(strstr(capture.output, "proven optimal"));
  CAPTURE(&capture, times, (char *)"pack", (char *)"-", (char *)"-k2", (char *)"--json");
  assert_non_null(strstr(capture.output, "\"mode\": \"shards\""));
  CAPTURE(&capture, "name,seconds\na,-4\n", (char *)"pack", (char *)"-", (char *)"-k2");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "standard input: line 2: seconds is \"-4\""));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_come_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
