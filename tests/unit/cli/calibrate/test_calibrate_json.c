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

#include <jansson.h>

#include "calibrate_fixture.h"

static json_t *write_fixture(const struct fixture *fixture, const char *platform,
                             const char *check) {
  struct ls_bytes out = {0};
  struct ls_calibrate_parts parts = {platform, NULL, check};
  json_error_t fault;
  ls_calibrate_write_json(&fixture->result, &parts, &out);
  json_t *document = json_loads(ls_bytes_text(&out), 0, &fault);
  if (document == NULL) fail_msg("no JSON: %s\n%s", fault.text, ls_bytes_text(&out));
  ls_bytes_close(&out);
  return document;
}

static void machines_read_everything(void **state) {
  (void)state;
  struct fixture fixture;
  double from, to, latency, per_unit, mean;
  const char *law, *name;
  fixture_open(&fixture);
  fixture.sources.measurements.in_transfer = 1U << LS_OPERATION_PREPARE | 1U << LS_OPERATION_SEND;
  json_t *document = write_fixture(&fixture, "{\"workers\": []}", "{\"journal\": \"j\"}");
  const json_t *parts = json_object_get(document, "in_transfer");
  assert_int_equal(json_array_size(parts), 2);
  assert_string_equal(json_string_value(json_array_get(parts, 1)), "send");
  assert_int_equal(json_unpack(document, "{s:[{s:[s], s:[{s:F, s:F, s:{s:F, s:{s:F}}}]}]}",
                               "groups", "workers", &name, "windows", "from", &from, "to", &to,
                               "compute", "latency", &latency, "raw", "per_unit", &per_unit),
                   0);
  assert_string_equal(name, "fast");
  assert_true(fabs(from - 1) <= 0 && fabs(to - 10) <= 0);
  assert_true(fabs(latency - 1) <= 1e-9 && fabs(per_unit - 0.5) <= 1e-9);
  assert_int_equal(json_unpack(document, "{s:[{s:{s:s, s:F}}]}", "workers", "task_seconds", "law",
                               &law, "mean", &mean),
                   0);
  assert_string_equal(law, "constant");
  assert_int_equal(json_array_size(json_object_get(document, "checks")), 1);
  assert_true(json_is_object(json_object_get(document, "platform")));
  json_decref(document);
  fixture_close(&fixture);
}

static void without_a_platform_there_is_null(void **state) {
  (void)state;
  struct fixture fixture;
  fixture_open(&fixture);
  struct ls_probe_setup probe = {.seed = 42};
  fixture.result.no_platform = "for want of \"anything\"";
  fixture.result.probe = &probe;
  json_t *document = write_fixture(&fixture, NULL, "");
  assert_true(json_is_null(json_object_get(document, "platform")));
  assert_string_equal(json_string_value(json_object_get(document, "no_platform")),
                      "for want of \"anything\"");
  assert_int_equal(json_integer_value(json_object_get(document, "seed")), 42);
  assert_int_equal(json_array_size(json_object_get(document, "checks")), 0);
  json_decref(document);
  fixture_close(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(machines_read_everything),
      cmocka_unit_test(without_a_platform_there_is_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
