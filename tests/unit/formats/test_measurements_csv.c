#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measurements_fixture.h"

static void columns_are_as_the_heading_says(void **state) {
  (void)state;
  struct taken taken = take_text(ls_measurements_read_csv,
                                 "seconds,units,worker,operation\r\n0.5,10,a,compute\r\n\n"
                                 "# a remark\n1e-3, 20 ,\"b, \"\"the\"\" second\",stage\n"
                                 "2,1,,prepare");
  const struct ls_measurements *measurements = &taken.measurements;
  assert_int_equal(measurements->count, 3);
  assert_int_equal(taken.read.lines, 3);
  assert_int_equal(measurements->items[0].measured, LS_OPERATION_COMPUTE);
  assert_true(fabs(measurements->items[0].units - 10) <= 0);
  assert_true(fabs(measurements->items[1].seconds - 1e-3) <= 0);
  assert_int_equal(measurements->items[1].measured, LS_OPERATION_STAGE);
  assert_string_equal(measurements->workers[1], "b, \"the\" second");
  assert_int_equal(measurements->items[2].worker, LS_MEASUREMENT_NO_WORKER);
  ls_measurements_close(&taken.measurements);
}

static void a_heading_may_be_left_out(void **state) {
  (void)state;
  struct taken taken = take_text(ls_measurements_read_csv, "reply,units,1,0\nreply,units,2,3\n");
  assert_int_equal(taken.measurements.count, 2);
  assert_int_equal(taken.measurements.workers_count, 1);
  ls_measurements_close(&taken.measurements);
}

static void wrong_fields_are_named_with_their_line(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"work,a,1,1", "file: line 1: operation is \"work\", expected prepare, send"},
      {"operation,worker,units,seconds\ncompute,,1,1", "file: line 2: worker is \"\""},
      {"compute,a,x,1", "units is \"x\", expected a number"},
      {"compute,a,0,1", "units is \"0\", expected a number > 0"},
      {"compute,a,-1,1", "units is \"-1\""},
      {"compute,a,nan,1", "units is \"nan\""},
      {"compute,a,0x10,1", "units is \"0x10\""},
      {"compute,a,1e999,1", "units is \"1e999\""},
      {"\ncompute,a,1e30,1", "file: line 2: units is 1e+30, expected a number from 1e-18"},
      {"compute,a,1,1e-30", "file: line 1: seconds is 1e-30, expected 0, or a number"},
      {"compute,a,1,-2", "seconds is \"-2\", expected a number >= 0"},
      {"compute,a,1", "seconds is missing"},
      {"compute,a,1,", "seconds is \"\""},
      {"compute,a,1,1,1", "a fifth field is \"1\""},
      {"compute,\"a,1,1", "a quote does not end"},
      {"compute,\"a\"b,1,1", "after the quote"},
      {"compute\n", "worker is missing"},
      {"seconds,units,worker,worker\n", "line 1: the heading has worker twice"},
      {"operation,worker,units,time\ncompute,a,1,1\n",
       "line 1: a field of the heading is \"time\", expected operation, worker, units, seconds"},
      {"Operation,worker,units,seconds\n", "a field of the heading is \"Operation\""},
      {"worker,units,seconds\n", "line 1: operation is missing in the heading"},
      {"operation,worker,units,seconds,host\n", "a field of the heading is \"host\""},
      {"compute,a,1,\x01", "seconds is \"?\""},
  };
  expect_words_each(ls_measurements_read_csv, cases, sizeof cases / sizeof *cases);
}

static void an_empty_text_is_no_measurement(void **state) {
  (void)state;
  struct taken taken = take_text(ls_measurements_read_csv, "\n# nothing\n");
  assert_int_equal(taken.measurements.count, 0);
  ls_measurements_close(&taken.measurements);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_as_the_heading_says),
      cmocka_unit_test(a_heading_may_be_left_out),
      cmocka_unit_test(wrong_fields_are_named_with_their_line),
      cmocka_unit_test(an_empty_text_is_no_measurement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
