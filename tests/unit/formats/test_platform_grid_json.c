#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "formats/platform_grid_json.h"

#define REST "\"load\": 100, \"rate\": 20"

static enum ls_status read_text(const char *text, struct ls_platform_grid *grid,
                                struct ls_error *err) {
  return ls_platform_grid_read(grid, (struct ls_text){text, strlen(text), "g.json"}, err);
}

static void expect_values(const struct ls_platform_grid *grid, enum ls_grid_axis axis,
                          const double *values, size_t count) {
  assert_int_equal(grid->axes[axis].count, count);
  for (size_t i = 0; i < count; i++)
    assert_memory_equal(&grid->axes[axis].items[i], &values[i], sizeof *values);
}

/* 3 x 0.1 is 0.3 in a range, to the bit. */
static void numbers_lists_and_ranges_are_values(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  const char *text =
      "{\"load\": [100, 1000], \"workers\": {\"from\": 2, \"to\": 9, \"step\": 3},"
      " \"rate\": 20.5, \"transfer_latency\": {\"from\": 0, \"to\": 0.3, \"step\": 0.1},"
      " \"heterogeneity\": [1, 4], \"seed\": 7, \"seeds\": 2, \"ports\": \"one-port\"}";
  assert_int_equal(read_text(text, &grid, NULL), LS_OK);
  expect_values(&grid, LS_GRID_LOAD, (const double[]){100, 1000}, 2);
  expect_values(&grid, LS_GRID_WORKERS, (const double[]){2, 5, 8}, 3);
  expect_values(&grid, LS_GRID_SPEED, (const double[]){1}, 1);
  expect_values(&grid, LS_GRID_RATE, (const double[]){20.5}, 1);
  expect_values(&grid, LS_GRID_TRANSFER_LATENCY, (const double[]){0, 0.1, 0.2, 0.3}, 4);
  expect_values(&grid, LS_GRID_COMPUTE_LATENCY, (const double[]){0}, 1);
  expect_values(&grid, LS_GRID_SEED, (const double[]){7, 8}, 2);
  assert_int_equal(grid.ports, LS_PORTS_ONE);
  assert_int_equal(ls_platform_grid_count(&grid), 2 * 3 * 4 * 2 * 2);
  ls_platform_grid_close(&grid);
}

static void rates_may_follow_the_workers(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  const char *text =
      "{\"load\": 1, \"workers\": [10, 15],"
      " \"rate\": {\"from\": 1.1, \"to\": 1.3, \"step\": 1, \"of\": \"workers\"}}";
  const double rates[] = {11, 12, 13, 16, 17, 18, 19}; /* of 1.1 x 15 = 16.5: rounded down */
  assert_int_equal(read_text(text, &grid, NULL), LS_OK);
  assert_int_equal(grid.blocks, sizeof rates / sizeof *rates);
  for (size_t i = 0; i < grid.blocks; i++) {
    struct ls_grid_point point = ls_platform_grid_point(&grid, i, 0);
    assert_true(point.values[LS_GRID_WORKERS] > (i < 3 ? 9 : 14));
    assert_memory_equal(&point.values[LS_GRID_RATE], &rates[i], sizeof *rates);
  }
  ls_platform_grid_close(&grid);
}

static const struct refused {
  const char *text, *words;
} refusals[] = {
    {"[]", "g.json: the document is an array, expected an object"},
    {"{" REST "}", "g.json: workers is missing, expected a number, a list"},
    {"{" REST ", \"workers\": 0}", "g.json: workers is 0, expected"},
    {"{" REST ", \"workers\": 2.5}", "g.json: workers is 2.5, expected"},
    {"{" REST ", \"workers\": []}", "g.json: workers is an array, expected a list of 1 to 100000"},
    {"{" REST ", \"workers\": [1, \"2\"]}", "g.json: workers[1] is \"2\", expected"},
    {"{" REST ", \"workers\": {\"from\": 3, \"to\": 2, \"step\": 1}}",
     "g.json: workers.to is 2, expected"},
    {"{" REST ", \"workers\": {\"from\": 1, \"to\": 2}}", "g.json: workers.step is missing"},
    {"{" REST ", \"workers\": {\"from\": 1, \"to\": 2, \"step\": 1, \"of\": \"load\"}}",
     "g.json: workers.of"},
    {"{" REST ", \"workers\": 2, \"delay\": -1}", "g.json: delay is -1, expected"},
    {"{" REST ", \"workers\": 2, \"delay\": {\"from\": 0, \"to\": 1, \"step\": 1e-9}}",
     "g.json: delay.step is 1.0000000000000001e-09, expected a step of at most 100000 values"},
    {"{" REST ", \"workers\": 2, \"speeds\": 1}", "speeds"},
    {"{" REST ", \"workers\": 2, \"seeds\": 3}", "g.json: seeds is 3, expected 1 where no"},
    {"{" REST ", \"workers\": 2, \"heterogeneity\": 0.5}", "g.json: heterogeneity is 0.5"},
    {"{" REST ", \"workers\": 2, \"ports\": \"multi-port\"}",
     "g.json: ports is \"multi-port\", expected \"two-port\" or \"one-port\""},
    {"{\"load\": 0, \"workers\": 1, \"rate\": 1}", "g.json: load is 0, expected"},
    {"{\"load\": 1, \"workers\": 2,"
     " \"rate\": {\"from\": 1, \"to\": 2, \"step\": 1, \"of\": \"load\"}}",
     "g.json: rate.of is \"load\", expected \"workers\""},
    {"{\"load\": 1, \"workers\": 2,"
     " \"rate\": {\"from\": 0.1, \"to\": 2, \"step\": 1, \"of\": \"workers\"}}",
     "g.json: rate goes from 0 to 4 for 2 workers, expected"},
    {"{" REST ", \"workers\": {\"from\": 1, \"to\": 100000, \"step\": 1},"
     " \"speed\": {\"from\": 1, \"to\": 100000, \"step\": 1},"
     " \"delay\": {\"from\": 1, \"to\": 100000, \"step\": 1}}",
     "g.json: the grid has more than"},
};

static void what_is_wrong_is_named(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    struct ls_platform_grid grid;
    struct ls_error err = {0};
    if (read_text(refusals[i].text, &grid, &err) != LS_EINVAL)
      fail_msg("%s is not refused", refusals[i].text);
    if (strstr(err.text, refusals[i].words) == NULL)
      fail_msg("%s: '%s' lacks '%s'", refusals[i].text, err.text, refusals[i].words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_lists_and_ranges_are_values),
      cmocka_unit_test(rates_may_follow_the_workers),
      cmocka_unit_test(what_is_wrong_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
