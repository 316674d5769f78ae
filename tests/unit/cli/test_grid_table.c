/* test_grid_table.c: how algorithms stand, as text, JSON, CSV and a drawing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid_table.h"
#include "formats/platform_grid_json.h"

enum { ALGORITHMS = 2, PLATFORMS = 4 };

static const char *const names[ALGORITHMS] = {"umr", "a \"b\", c"};
/* By workers 2, 2, 5, 5; the second does not apply to the last platform. */
static const double makespans[ALGORITHMS][PLATFORMS] = {{10, 12, 10, 10},
                                                        {11, 10, 15, (double)INFINITY}};

struct fixture {
  struct ls_platform_grid grid;
  struct ls_standings standings;
  struct ls_grid_curve curve;
  struct ls_grid_point points[PLATFORMS];
  struct ls_grid_table table;
};

static void open_fixture(struct fixture *fixture) {
  static const char text[] =
      "{\"load\": 100, \"workers\": [2, 5], \"rate\": 10, \"transfer_latency\": 0.5,"
      " \"compute_latency\": [0, 0.25]}";
  struct ls_makespans all = {makespans[0], PLATFORMS, PLATFORMS};
  *fixture = (struct fixture){.curve = {.algorithms = ALGORITHMS}};
  assert_int_equal(
      ls_platform_grid_read(&fixture->grid, (struct ls_text){text, strlen(text), "g"}, NULL),
      LS_OK);
  for (size_t i = 0; i < PLATFORMS; i++)
    fixture->points[i] = ls_platform_grid_point(&fixture->grid, i / 2, i % 2);
  assert_int_equal(ls_standings_init(&fixture->standings, ALGORITHMS, NULL), LS_OK);
  ls_standings_add(&fixture->standings, &all);
  fixture->curve.axis = ls_grid_axis_choose(&fixture->grid);
  /* The larger value first: the curve stands in order all the same. */
  for (size_t i = PLATFORMS; i-- > 0;) {
    struct ls_makespans one = {&makespans[0][i], PLATFORMS, 1};
    assert_int_equal(ls_grid_curve_add(&fixture->curve, &fixture->points[i], &one, NULL), LS_OK);
  }
  fixture->table = (struct ls_grid_table){.grid = &fixture->grid,
                                          .names = names,
                                          .standings = &fixture->standings,
                                          .curve = &fixture->curve,
                                          .wants_curve = true};
}

static void close_fixture(struct fixture *fixture) {
  ls_grid_curve_close(&fixture->curve);
  ls_standings_close(&fixture->standings);
  ls_platform_grid_close(&fixture->grid);
}

static void the_table_says_what_is_compared(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_bytes out = {0};
  open_fixture(&fixture);
  ls_grid_table_write(&fixture.table, &out);
  static const char *const expected[] = {
      ("4 platforms: load 100, workers 2 to 5, speed 1, rate 10, transfer_latency 0.5, "
       "compute_latency 0 to 0.25\n"),
      " 1  umr         0.250         5.000    1.000   75.00      -  75.00\n",
      " 2  a \"b\", c    0.750        20.000    1.144   25.00  25.00      -\n",
      "a \"b\", c applies to 3 platforms; on the others",
      "Ties (1e-9) count half each.\n",
      "mean degradation in %, by workers\n",
      "        2   10.000    5.000\n",
      "        5    0.000   50.000\n"};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    if (strstr(ls_bytes_text(&out), expected[i]) == NULL)
      fail_msg("no '%s' in\n%s", expected[i], ls_bytes_text(&out));
  ls_bytes_close(&out);
  close_fixture(&fixture);
}

static double number_at(json_t *document, const char *list, size_t index, const char *key) {
  json_t *item = json_array_get(json_object_get(document, list), index);
  return json_number_value(json_object_get(item, key));
}

static void json_has_shares(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_bytes out = {0};
  open_fixture(&fixture);
  ls_grid_table_write_json(&fixture.table, &out);
  json_t *document = json_loads(ls_bytes_text(&out), JSON_REJECT_DUPLICATES, NULL);
  if (document == NULL) fail_msg("no JSON: %s", ls_bytes_text(&out));
  assert_int_equal(json_integer_value(json_object_get(document, "platforms")), 4);
  assert_true(fabs(number_at(document, "algorithms", 0, "degradation") - 0.05) < 1e-12);
  assert_true(fabs(number_at(document, "algorithms", 1, "best") - 0.25) < 1e-12);
  assert_int_equal(number_at(document, "algorithms", 1, "applies"), 3);
  assert_string_equal(json_string_value(json_object_get(document, "by")), "workers");
  assert_int_equal(number_at(document, "curve", 1, "value"), 5);
  json_decref(document);
  ls_bytes_close(&out);
  close_fixture(&fixture);
}

static void rows_of_csv_have_all_values(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_bytes out = {0};
  struct ls_makespans last = {&makespans[0][3], PLATFORMS, 1};
  open_fixture(&fixture);
  ls_grid_table_write_csv_head(&out);
  ls_grid_table_write_csv(&fixture.table, 4, &fixture.points[3], &last, &out);
  assert_string_equal(
      ls_bytes_text(&out),
      "platform,load,workers,speed,rate,delay,heterogeneity,transfer_latency,compute_latency,seed,"
      "algorithm,makespan,degradation,rank\n"
      "4,100,5,1,10,0,1,0.5,0.25,1,\"umr\",10,0,0\n"
      "4,100,5,1,10,0,1,0.5,0.25,1,\"a \"\"b\"\", c\",,,1\n");
  ls_bytes_close(&out);
  close_fixture(&fixture);
}

static void a_drawing_has_a_line_for_each(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_bytes out = {0};
  open_fixture(&fixture);
  assert_int_equal(ls_grid_table_draw(&fixture.table, &out, NULL), LS_OK);
  const char *first = strstr(ls_bytes_text(&out), "<polyline");
  assert_non_null(first);
  assert_non_null(strstr(first + 1, "<polyline"));
  assert_non_null(strstr(ls_bytes_text(&out), "mean degradation from the best"));
  ls_bytes_close(&out);
  close_fixture(&fixture);
}

static void the_first_that_varies_is_drawn_unless_one_is_named(void **state) {
  (void)state;
  struct fixture fixture;
  enum ls_grid_axis axis;
  struct ls_error err = {0};
  open_fixture(&fixture);
  assert_int_equal(fixture.curve.axis, LS_GRID_WORKERS);
  assert_int_equal(ls_grid_axis_read("compute_latency", &axis, &err), LS_OK);
  assert_int_equal(axis, LS_GRID_COMPUTE_LATENCY);
  assert_int_equal(ls_grid_axis_read("latency", &axis, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--by is 'latency', expected one of: load, workers"));
  struct ls_bytes text = {0};
  ls_grid_point_describe(&fixture.grid, &fixture.points[1], &text);
  assert_string_equal(ls_bytes_text(&text),
                      "load 100, workers 2, speed 1, rate 10, transfer_latency 0.5, "
                      "compute_latency 0.25");
  ls_bytes_close(&text);
  close_fixture(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_says_what_is_compared),
      cmocka_unit_test(json_has_shares),
      cmocka_unit_test(rows_of_csv_have_all_values),
      cmocka_unit_test(a_drawing_has_a_line_for_each),
      cmocka_unit_test(the_first_that_varies_is_drawn_unless_one_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
