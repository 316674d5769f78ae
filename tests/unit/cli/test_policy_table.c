#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/policy_table.h"

enum { CASES = 6 };

static const char *const policies[] = {"ss", "gss", "sc"};
static const char *const orders[] = {"fifo", "random"};
static const char *const names[] = {"only"};
static struct ls_platform platform;
static struct ls_policy_grid grid;
static json_t *arguments;

static int make_grid(void **state) {
  (void)state;
  arguments = json_loads("{\"task_times\": {\"law\": \"gamma\", \"variation\": 0.5}}", 0, NULL);
  grid = (struct ls_policy_grid){.policies = {policies, 3},
                                 .orders = {orders, 2},
                                 .platform_names = {names, 1},
                                 .platforms = &platform,
                                 .arguments = ls_json_top(arguments, "test"),
                                 .units = 40,
                                 .seed = 3,
                                 .seeds = 4,
                                 .map = ls_policy_table_map,
                                 .processes = 1};
  return ls_platform_init(&platform, 3, NULL) == LS_OK && arguments != NULL ? 0 : -1;
}

static int free_grid(void **state) {
  (void)state;
  ls_platform_close(&platform);
  json_decref(arguments);
  return 0;
}

static void processes_do_not_change_the_figures(void **state) {
  (void)state;
  struct ls_policy_case one[CASES], three[CASES];
  assert_int_equal(ls_policy_grid_cases(&grid), CASES);
  assert_int_equal(ls_policy_grid_run(&grid, one, NULL), LS_OK);
  grid.processes = 3;
  assert_int_equal(ls_policy_grid_run(&grid, three, NULL), LS_OK);
  assert_memory_equal(one, three, sizeof one);
}

static void table_json_and_drawing_show_all_cases(void **state) {
  (void)state;
  struct ls_policy_case cases[CASES];
  struct ls_bytes table = {0}, json = {0}, drawing = {0};
  assert_int_equal(ls_policy_grid_run(&grid, cases, NULL), LS_OK);
  ls_policy_table_write(&grid, cases, &table);
  size_t lines = 0;
  for (const char *c = ls_bytes_text(&table); *c != '\0'; c++) lines += *c == '\n';
  assert_int_equal(lines, CASES + 1);
  ls_policy_table_write_json(&grid, cases, &json);
  json_t *document = json_loads(ls_bytes_text(&json), JSON_REJECT_DUPLICATES, NULL);
  json_t *items = json_object_get(document, "cases");
  assert_int_equal(json_array_size(items), CASES);
  for (size_t i = 0; i < CASES; i++) {
    double regret = json_number_value(json_object_get(json_array_get(items, i), "regret"));
    assert_true(!(regret < ls_policy_grid_regret(&grid, cases, i)) &&
                !(regret > ls_policy_grid_regret(&grid, cases, i)));
  }
  json_decref(document);
  assert_int_equal(ls_policy_table_draw(&grid, cases, &drawing, NULL), LS_OK);
  assert_int_equal(strncmp(ls_bytes_text(&drawing), "<svg", 4), 0);
  ls_bytes_close(&table);
  ls_bytes_close(&json);
  ls_bytes_close(&drawing);
}

static void assert_orders(const struct ls_policy_case *cases, const char *const *expected) {
  struct ls_bytes json = {0};
  ls_policy_table_write_json(&grid, cases, &json);
  json_t *document = json_loads(ls_bytes_text(&json), JSON_REJECT_DUPLICATES, NULL);
  json_t *items = json_object_get(document, "cases");
  assert_int_equal(json_array_size(items), ls_policy_grid_cases(&grid));
  for (size_t i = 0; i < json_array_size(items); i++) {
    json_t *order = json_object_get(json_array_get(items, i), "order");
    assert_string_equal(json_string_value(order), expected[cases[i].order]);
  }
  json_decref(document);
  ls_bytes_close(&json);
}

/* Whoever asks for none gets that of the arguments, or else the first of all. */
static void each_case_names_its_order(void **state) {
  (void)state;
  static const char *const none[] = {NULL};
  struct ls_policy_case cases[CASES];
  assert_int_equal(ls_policy_grid_run(&grid, cases, NULL), LS_OK);
  assert_orders(cases, orders);
  grid.orders = (struct ls_policy_words){none, 1};
  assert_int_equal(ls_policy_grid_run(&grid, cases, NULL), LS_OK);
  assert_orders(cases, (const char *const[]){"fifo"});
  assert_int_equal(json_object_set_new(arguments, "order", json_string("lptf")), 0);
  assert_int_equal(ls_policy_grid_run(&grid, cases, NULL), LS_OK);
  assert_orders(cases, (const char *const[]){"lptf"});
}

static json_t *find_case(json_t *cases, const char *policy) {
  for (size_t i = 0; i < json_array_size(cases); i++) {
    json_t *item = json_array_get(cases, i);
    if (strcmp(json_string_value(json_object_get(item, "policy")), policy) == 0) return item;
  }
  fail_msg("no %s", policy);
  return NULL;
}

/* On unequal workers, of whose speeds it does not know, wf2 is fac2; auto is what it has chosen. */
static void ties_are_marked_and_equals_named(void **state) {
  (void)state;
  static const char *const alike[] = {"fac2", "wf2", "auto"};
  struct ls_policy_case cases[CASES];
  struct ls_bytes table = {0}, json = {0}, drawing = {0};
  grid.policies.items = alike;
  grid.orders.count = 1;
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 3;
  assert_int_equal(ls_policy_grid_want_makespans(&grid, NULL), LS_OK);
  assert_int_equal(ls_policy_grid_run(&grid, cases, NULL), LS_OK);
  assert_non_null(cases[2].chosen.chunking);
  ls_policy_grid_rank(cases, 3);
  ls_policy_table_write(&grid, cases, &table);
  const char *text = ls_bytes_text(&table);
  assert_non_null(strstr(text, "  best\n"));
  assert_non_null(strstr(text,
                         "\nwf2: as long as fac2 with every seed, in as many chunks; wf2 does "
                         "not know the speeds here (--known tells them)\n"));
  assert_non_null(strstr(text, "\nauto: "));
  assert_non_null(strstr(text, "chosen in simulations with other seeds"));
  ls_policy_table_write_json(&grid, cases, &json);
  json_t *document = json_loads(ls_bytes_text(&json), JSON_REJECT_DUPLICATES, NULL);
  json_t *items = json_object_get(document, "cases");
  json_t *wf2 = find_case(items, "wf2"), *fac2 = find_case(items, "fac2");
  size_t other = (size_t)json_integer_value(json_object_get(wf2, "same_as"));
  assert_ptr_equal(json_array_get(items, other), fac2);
  assert_true(json_is_null(json_object_get(fac2, "same_as")));
  assert_null(json_object_get(fac2, "chosen"));
  assert_non_null(json_object_get(find_case(items, "auto"), "chosen"));
  assert_true(json_is_true(json_object_get(json_array_get(items, 0), "best")));
  assert_false(json_is_true(json_object_get(json_array_get(items, 1), "best")));
  assert_non_null(json_object_get(json_object_get(wf2, "behind_best"), "half_width_95"));
  json_decref(document);
  assert_int_equal(ls_policy_table_draw(&grid, cases, &drawing, NULL), LS_OK);
  assert_non_null(strstr(ls_bytes_text(&drawing), " (best)</text>"));
  assert_non_null(strstr(ls_bytes_text(&drawing), ">wf2"));
  free(grid.makespans);
  ls_bytes_close(&table);
  ls_bytes_close(&json);
  ls_bytes_close(&drawing);
}

/* Where all speeds are the same, knowing them would change nothing. */
static void nobody_misses_speeds_that_are_equal(void **state) {
  (void)state;
  static const char *const alike[] = {"fac2", "wf2"};
  struct ls_policy_case cases[CASES];
  struct ls_bytes table = {0};
  grid.policies = (struct ls_policy_words){alike, 2};
  grid.orders.count = 1;
  assert_int_equal(ls_policy_grid_want_makespans(&grid, NULL), LS_OK);
  assert_int_equal(ls_policy_grid_run(&grid, cases, NULL), LS_OK);
  ls_policy_table_write(&grid, cases, &table);
  assert_non_null(
      strstr(ls_bytes_text(&table), "\nwf2: as long as fac2 with every seed, in as many chunks\n"));
  free(grid.makespans);
  ls_bytes_close(&table);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_grid, free_grid)
  const struct CMUnitTest tests[] = {
      TEST(processes_do_not_change_the_figures),   TEST(each_case_names_its_order),
      TEST(ties_are_marked_and_equals_named),      TEST(nobody_misses_speeds_that_are_equal),
      TEST(table_json_and_drawing_show_all_cases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
