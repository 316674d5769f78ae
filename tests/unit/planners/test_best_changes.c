#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "planners/search/best_changes.h"

enum { WORKERS = 5, TURNS = 5000 };

static void open_pattern(struct ls_best_pattern *pattern) {
  assert_int_equal(ls_best_order_init(&pattern->tail, WORKERS, NULL), LS_OK);
  assert_int_equal(ls_best_order_init(&pattern->body, 2 * (size_t)WORKERS, NULL), LS_OK);
}

static void close_pattern(struct ls_best_pattern *pattern) {
  free(pattern->tail.items);
  free(pattern->body.items);
}

static void copy_pattern(struct ls_best_pattern *to, const struct ls_best_pattern *from) {
  ls_best_order_copy(&to->tail, &from->tail);
  ls_best_order_copy(&to->body, &from->body);
}

static void check_pattern(const struct ls_best_pattern *pattern) {
  size_t seen[WORKERS] = {0};
  assert_in_range(pattern->tail.count, 1, WORKERS);
  assert_true(pattern->body.count <= 2 * (size_t)WORKERS);
  for (size_t i = 0; i < pattern->tail.count; i++) {
    assert_true(pattern->tail.items[i] < WORKERS);
    assert_int_equal(seen[pattern->tail.items[i]]++, 0);
  }
  for (size_t i = 0; i < pattern->body.count; i++) {
    assert_int_equal(seen[pattern->body.items[i]], 1);
  }
}

static void patterns_stay_patterns(void **state) {
  struct ls_best_chance chance = {.workers_count = WORKERS};
  struct ls_best_pattern pattern, trial;
  size_t changed = 0, shortest = WORKERS, longest_body = 0;
  (void)state;
  ls_random_init(&chance.random, 1, "changes");
  open_pattern(&pattern);
  open_pattern(&trial);
  pattern.tail.items[0] = 2;
  pattern.tail.count = 1;
  for (size_t turn = 0; turn < TURNS; turn++) {
    copy_pattern(&trial, &pattern);
    if (!ls_best_pattern_change(&trial, &chance)) continue;
    check_pattern(&trial);
    copy_pattern(&pattern, &trial);
    changed++;
    if (pattern.tail.count < shortest) shortest = pattern.tail.count;
    if (pattern.body.count > longest_body) longest_body = pattern.body.count;
  }
  assert_true(changed > TURNS / 2);
  assert_int_equal(shortest, 1);
  assert_true(longest_body > WORKERS);
  close_pattern(&pattern);
  close_pattern(&trial);
}

/* A search that cannot reach an order cannot find it. */
static void all_orders_of_the_tail_are_reached(void **state) {
  struct ls_best_chance chance = {.workers_count = 3};
  struct ls_best_pattern pattern, trial;
  bool is_seen[27] = {false};
  size_t seen = 0;
  (void)state;
  ls_random_init(&chance.random, 2, "changes");
  open_pattern(&pattern);
  open_pattern(&trial);
  pattern.tail.count = 1;
  for (size_t turn = 0; turn < TURNS; turn++) {
    copy_pattern(&trial, &pattern);
    if (!ls_best_pattern_change(&trial, &chance)) continue;
    copy_pattern(&pattern, &trial);
    if (pattern.tail.count < 3) continue;
    size_t code = pattern.tail.items[0] * 9 + pattern.tail.items[1] * 3 + pattern.tail.items[2];
    seen += !is_seen[code];
    is_seen[code] = true;
  }
  assert_int_equal(seen, 6);
  close_pattern(&pattern);
  close_pattern(&trial);
}

static void identical_workers_do_not_change_places(void **state) {
  struct ls_best_chance chance = {.workers_count = 2, .is_identical = true};
  struct ls_best_pattern pattern, trial;
  (void)state;
  ls_random_init(&chance.random, 3, "changes");
  open_pattern(&pattern);
  open_pattern(&trial);
  pattern.tail.items[0] = 0;
  pattern.tail.items[1] = 1;
  pattern.tail.count = 2;
  for (size_t turn = 0; turn < TURNS; turn++) {
    copy_pattern(&trial, &pattern);
    if (!ls_best_pattern_change(&trial, &chance) || trial.tail.count < 2) continue;
    assert_memory_equal(trial.tail.items, pattern.tail.items, 2 * sizeof(uint32_t));
  }
  close_pattern(&pattern);
  close_pattern(&trial);
}

static void messages_change_one_at_a_time(void **state) {
  struct ls_best_chance chance = {.workers_count = WORKERS};
  struct ls_best_order order, trial;
  size_t longest = 0;
  (void)state;
  ls_random_init(&chance.random, 4, "changes");
  assert_int_equal(ls_best_order_init(&order, 8, NULL), LS_OK);
  assert_int_equal(ls_best_order_init(&trial, 8, NULL), LS_OK);
  order.count = 1;
  for (size_t turn = 0; turn < TURNS; turn++) {
    ls_best_order_copy(&trial, &order);
    if (!ls_best_order_change(&trial, &chance)) continue;
    assert_in_range(trial.count, 1, 8);
    assert_in_range(trial.count + 1, order.count, order.count + 2);
    for (size_t i = 0; i < trial.count; i++) assert_true(trial.items[i] < WORKERS);
    ls_best_order_copy(&order, &trial);
    if (order.count > longest) longest = order.count;
  }
  assert_int_equal(longest, 8);
  free(order.items);
  free(trial.items);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns_stay_patterns),
      cmocka_unit_test(all_orders_of_the_tail_are_reached),
      cmocka_unit_test(identical_workers_do_not_change_places),
      cmocka_unit_test(messages_change_one_at_a_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
