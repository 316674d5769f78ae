#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "formats/platform_json.h"
#include "formats/platform_simgrid.h"

static double draw(struct ls_random *random) {
  if (ls_random_below(random, 4) == 0) return 0;
  return ldexp(1 + ls_random_real(random), (int)ls_random_below(random, 40) - 30);
}

/* Platforms with every field set at random. */
static void make_platform(struct ls_random *random, struct ls_platform *platform) {
  assert_int_equal(ls_platform_init(platform, 1 + ls_random_below(random, 12), NULL), LS_OK);
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    struct ls_cost *costs[] = {
        &worker->costs[LS_OPERATION_SEND], &worker->costs[LS_OPERATION_TRANSFER],
        &worker->costs[LS_OPERATION_RECEIVE], &worker->costs[LS_OPERATION_COMPUTE],
        &worker->costs[LS_OPERATION_REPLY]};
    for (size_t k = 0; k < 5; k++) *costs[k] = (struct ls_cost){draw(random), draw(random)};
    worker->delay_s = draw(random);
    worker->window_from = draw(random);
    if (ls_random_below(random, 2) == 0) worker->window_to = worker->window_from + 1;
    if (ls_random_below(random, 2) == 0) worker->room_units = worker->window_from + 1;
    worker->price_per_s = draw(random);
    worker->is_on_master = ls_random_below(random, 2) == 0;
    worker->unit_law = (enum ls_duration_law)ls_random_below(random, LS_DURATION_LAWS);
    double most = ls_duration_law_variation_most(worker->unit_law);
    if (worker->unit_law != LS_DURATION_CONSTANT) worker->unit_variation = fmin(draw(random), most);
  }
  platform->ports = (enum ls_ports)ls_random_below(random, 3);
  if (platform->ports == LS_PORTS_MULTI) {
    platform->ports_alpha = ls_random_real(random);
    platform->ports_limit = ls_random_below(random, 3);
  }
  platform->prepare = (struct ls_cost){draw(random), draw(random)};
  platform->master_share = 0.5 + ls_random_real(random) / 2;
}

static void expect_same_cost(const struct ls_cost *a, const struct ls_cost *b) {
  assert_true(a->latency_s == b->latency_s);
  if (!(a->per_unit_s == b->per_unit_s)) {
    fail_msg("%.17g became %.17g", a->per_unit_s, b->per_unit_s);
  }
}

static void expect_same(const struct ls_platform *a, const struct ls_platform *b) {
  assert_int_equal(a->workers_count, b->workers_count);
  for (size_t i = 0; i < a->workers_count; i++) {
    const struct ls_worker_model *left = &a->workers[i], *right = &b->workers[i];
    assert_string_equal(left->name, right->name);
    expect_same_cost(&left->costs[LS_OPERATION_SEND], &right->costs[LS_OPERATION_SEND]);
    expect_same_cost(&left->costs[LS_OPERATION_TRANSFER], &right->costs[LS_OPERATION_TRANSFER]);
    expect_same_cost(&left->costs[LS_OPERATION_RECEIVE], &right->costs[LS_OPERATION_RECEIVE]);
    expect_same_cost(&left->costs[LS_OPERATION_COMPUTE], &right->costs[LS_OPERATION_COMPUTE]);
    expect_same_cost(&left->costs[LS_OPERATION_REPLY], &right->costs[LS_OPERATION_REPLY]);
    assert_true(left->delay_s == right->delay_s && left->price_per_s == right->price_per_s);
    assert_true(left->window_from == right->window_from && left->window_to == right->window_to);
    assert_true(left->room_units == right->room_units);
    assert_int_equal(left->is_on_master, right->is_on_master);
    assert_int_equal(left->unit_law, right->unit_law);
    assert_true(left->unit_variation == right->unit_variation);
  }
  assert_int_equal(a->ports, b->ports);
  assert_int_equal(a->ports_limit, b->ports_limit);
  assert_true(a->ports_alpha == b->ports_alpha && a->master_share == b->master_share);
  expect_same_cost(&a->prepare, &b->prepare);
}

static void what_is_written_is_read_again(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 11, "platforms");
  for (int i = 0; i < 300; i++) {
    struct ls_platform platform, again;
    struct ls_bytes text = {0};
    struct ls_error err = {0};
    struct ls_simgrid_unit unit = {1 + draw(&random), 1 + draw(&random)};
    make_platform(&random, &platform);
    assert_int_equal(ls_platform_write_simgrid(&platform, &unit, &text, &err), LS_OK);
    if (ls_platform_read_simgrid(&again, (struct ls_text){text.data, text.length, "xml"}, &unit,
                                 &err) != LS_OK)
      fail_msg("%s", err.text);
    expect_same(&platform, &again);
    ls_platform_close(&again);
    ls_platform_close(&platform);
    ls_bytes_close(&text);
  }
}

/* Costs whose speed or bandwidth would be infinite, or none. */
static void costs_beyond_all_speeds_are_read_again(void **state) {
  (void)state;
  static const double costs[] = {1e-310, 1e-300, 1e300, 1e308, 0};
  static const struct ls_simgrid_unit units[] = {{1e9, 1e6}, {1e-100, 1e-100}, {1e100, 1e100}};
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
      struct ls_platform platform, again;
      struct ls_bytes text = {0};
      struct ls_error err = {0};
      assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
      platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = costs[i];
      platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = costs[i];
      assert_int_equal(ls_platform_write_simgrid(&platform, &units[k], &text, &err), LS_OK);
      if (ls_platform_read_simgrid(&again, (struct ls_text){text.data, text.length, "xml"},
                                   &units[k], &err) != LS_OK)
        fail_msg("%g: %s", costs[i], err.text);
      expect_same(&platform, &again);
      ls_platform_close(&again);
      ls_platform_close(&platform);
      ls_bytes_close(&text);
    }
  }
}

static void names_are_escaped_and_the_master_gets_one_of_its_own(void **state) {
  (void)state;
  struct ls_platform platform, again;
  struct ls_bytes text = {0};
  struct ls_simgrid_unit unit = ls_simgrid_unit_default();
  static const char json[] =
      "{\"workers\": [{\"name\": \"a<b>&'\\\"\"}, {\"name\": \"master\"}, {\"name\": \"\u00fc\"}]}";
  assert_int_equal(ls_platform_read(&platform, (struct ls_text){json, strlen(json), "json"}, NULL),
                   LS_OK);
  assert_int_equal(ls_platform_write_simgrid(&platform, &unit, &text, NULL), LS_OK);
  assert_int_equal(ls_platform_read_simgrid(&again, (struct ls_text){text.data, text.length, "xml"},
                                            &unit, NULL),
                   LS_OK);
  expect_same(&platform, &again);
  ls_platform_close(&again);
  ls_platform_close(&platform);
  ls_bytes_close(&text);
}

static void several_windows_have_no_words_in_xml(void **state) {
  (void)state;
  static const char json[] =
      "{\"workers\": [{}, {\"windows\": [{\"to\": 4}, {\"from\": 5, \"to\": 9}]}]}";
  struct ls_simgrid_unit unit = ls_simgrid_unit_default();
  struct ls_platform platform;
  struct ls_bytes text = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_platform_read(&platform, (struct ls_text){json, strlen(json), "json"}, NULL),
                   LS_OK);
  assert_int_equal(ls_platform_write_simgrid(&platform, &unit, &text, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 1: has 2 windows"));
  assert_int_equal(text.length, 0);
  ls_platform_close(&platform);
}

static void names_that_xml_cannot_hold_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{\"workers\": [{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"a\"}]}",
      "{\"workers\": [{\"name\": \"a\\u0001\"}]}"};
  static const char *const messages[] = {"two workers are called 'a'", "a control character"};
  struct ls_simgrid_unit unit = ls_simgrid_unit_default();
  for (size_t i = 0; i < 2; i++) {
    struct ls_platform platform;
    struct ls_bytes text = {0};
    struct ls_error err = {0};
    assert_int_equal(
        ls_platform_read(&platform, (struct ls_text){texts[i], strlen(texts[i]), "json"}, NULL),
        LS_OK);
    assert_int_equal(ls_platform_write_simgrid(&platform, &unit, &text, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, messages[i]));
    ls_platform_close(&platform);
    ls_bytes_close(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read_again),
      cmocka_unit_test(costs_beyond_all_speeds_are_read_again),
      cmocka_unit_test(names_are_escaped_and_the_master_gets_one_of_its_own),
      cmocka_unit_test(several_windows_have_no_words_in_xml),
      cmocka_unit_test(names_that_xml_cannot_hold_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
