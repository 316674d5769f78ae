#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_orders.h"
#include "returns_fixture.h"

static void for_platforms(size_t rounds, size_t count_max,
                          void (*check)(const struct ls_returns *returns, size_t kind)) {
  struct ls_random random;
  ls_random_init(&random, 5, "orders");
  for (size_t kind = 0; kind < rounds; kind++) {
    struct ls_returns returns;
    returns_make(&returns, &random, 1 + kind % count_max, kind, false);
    check(&returns, kind);
    ls_returns_close(&returns);
  }
}

static void check_best(const struct ls_returns *returns, size_t kind) {
  (void)kind;
  expect_near(returns_throughput(returns, "fifo"), returns_enumerate(returns, RETURNS_FIFO), 1e-11);
  expect_near(returns_throughput(returns, "lifo"), returns_enumerate(returns, RETURNS_LIFO), 1e-11);
}

/* Against all orders by the program, which is computed otherwise. */
static void closed_forms_are_best_of_their_kind(void **state) {
  (void)state;
  for_platforms(200, 4, check_best);
}

/* Theorem 2 as printed: sorted by c (z > 1: backwards), enrolled iff d < 1/rho (c < 1/rho). */
static void check_theorem(const struct ls_returns *returns, size_t kind) {
  double z = ls_returns_ratio(returns);
  struct ls_scenario scenario, sorted;
  bool is_proven;
  (void)kind;
  if (isnan(z)) return;
  assert_int_equal(ls_scenario_open(&scenario, returns->count, NULL), LS_OK);
  assert_int_equal(ls_scenario_open(&sorted, returns->count, NULL), LS_OK);
  assert_int_equal(ls_returns_fifo(returns, &scenario, &is_proven, NULL), LS_OK);
  assert_true(is_proven);
  assert_int_equal(ls_returns_sort(returns, LS_RETURNS_BY_SEND, sorted.sends, NULL), LS_OK);
  double rho = scenario.throughput;
  size_t enrolled = 0;
  for (size_t k = 0; k < returns->count; k++) {
    uint32_t i = sorted.sends[z > 1 ? returns->count - 1 - k : k];
    const struct ls_returns_worker *worker = &returns->workers[i];
    bool is_in = (z > 1 ? worker->send_s : worker->reply_s) * rho < 1;
    assert_int_equal(scenario.units[i] > 0, is_in);
    if (!is_in) continue;
    if (fabs(z - 1) > 1e-9) assert_int_equal(scenario.sends[enrolled], i);
    enrolled++;
  }
  assert_int_equal(enrolled, scenario.count);
  ls_scenario_close(&scenario);
  ls_scenario_close(&sorted);
}

static void theorem_2_holds_where_d_is_z_c(void **state) {
  (void)state;
  for_platforms(200, 12, check_theorem);
}

static void check_ties(const struct ls_returns *returns, size_t kind) {
  struct ls_scenario scenario;
  struct ls_random random;
  bool is_proven;
  if (kind / 4 % 5 != 2) return;
  ls_random_init(&random, kind, "ties");
  assert_int_equal(ls_scenario_open(&scenario, returns->count, NULL), LS_OK);
  assert_int_equal(ls_returns_fifo(returns, &scenario, &is_proven, NULL), LS_OK);
  double rho = scenario.throughput;
  for (size_t k = scenario.count; k > 1; k--) {
    size_t other = ls_random_below(&random, k);
    uint32_t worker = scenario.sends[k - 1];
    scenario.sends[k - 1] = scenario.sends[other];
    scenario.sends[other] = worker;
  }
  ls_returns_fifo_loads(returns, &scenario);
  expect_near(scenario.throughput, rho, 1e-12);
  ls_scenario_close(&scenario);
}

static void all_orders_tie_where_d_equals_c(void **state) {
  (void)state;
  for_platforms(200, 9, check_ties);
}

static void check_scale(const struct ls_returns *returns, size_t kind) {
  struct ls_returns scaled;
  (void)kind;
  scaled = *returns;
  scaled.workers = calloc(returns->count, sizeof *scaled.workers);
  assert_non_null(scaled.workers);
  for (size_t i = 0; i < returns->count; i++) {
    const struct ls_returns_worker *worker = &returns->workers[i];
    scaled.workers[i] = (struct ls_returns_worker){
        1e-7 * worker->send_s, 1e-7 * worker->compute_s, 1e-7 * worker->reply_s, 0, 0, 0};
  }
  static const char *const names[] = {"fifo", "lifo", "fifo-inc-c", "fifo-inc-w"};
  for (size_t k = 0; k < 4; k++) {
    double rho = returns_throughput(returns, names[k]);
    expect_near(1e-7 * returns_throughput(&scaled, names[k]) / rho, 1, 1e-12);
  }
  free(scaled.workers);
}

static void costs_scale_the_throughput(void **state) {
  (void)state;
  for_platforms(40, 6, check_scale);
}

/* Theorem 1 by its recurrence over all workers, for more workers than are sorted at first. */
static void many_workers_get_the_loads_of_few_formulas(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_returns returns;
  struct ls_scenario best, all;
  bool is_proven;
  ls_random_init(&random, 7, "many");
  for (size_t kind = 0; kind < 8; kind += 3) {
    returns_make(&returns, &random, 20000, kind, false);
    assert_int_equal(ls_scenario_open(&best, returns.count, NULL), LS_OK);
    assert_int_equal(ls_scenario_open(&all, returns.count, NULL), LS_OK);
    assert_int_equal(ls_returns_lifo(&returns, &best, NULL), LS_OK);
    /* c + d = (1 + z) c: the order is that of c. */
    assert_int_equal(ls_returns_sort(&returns, LS_RETURNS_BY_SEND, all.sends, NULL), LS_OK);
    all.count = returns.count;
    ls_returns_lifo_loads(&returns, &all);
    expect_near(best.throughput, all.throughput, 1e-13);
    assert_true(best.count < all.count);
    assert_int_equal(ls_returns_fifo(&returns, &best, &is_proven, NULL), LS_OK);
    /* Theorem 2: the prefix in that order whose last worker still helps, and no more. */
    all.count = best.count;
    ls_returns_fifo_loads(&returns, &all);
    assert_true(returns.workers[all.sends[all.count - 1]].reply_s * all.throughput < 1);
    if (all.count < returns.count)
      assert_true(returns.workers[all.sends[all.count]].reply_s * all.throughput >= 1);
    expect_near(best.throughput, all.throughput, 1e-12);
    ls_scenario_close(&best);
    ls_scenario_close(&all);
    ls_returns_close(&returns);
  }
}

static void free_returns_make_all_kinds_equal(void **state) {
  (void)state;
  struct ls_returns returns;
  returns_take(&returns, (const double[][3]){{2, 3, 0}, {1, 4, 0}, {3, 1, 0}}, 3);
  double fifo = returns_throughput(&returns, "fifo");
  expect_near(returns_throughput(&returns, "lifo"), fifo, 1e-12);
  expect_near(returns_enumerate(&returns, RETURNS_ANY), fifo, 1e-12);
  for (size_t i = 0; i < 3; i++) { /* the mirror: free sends */
    returns.workers[i].reply_s = returns.workers[i].send_s;
    returns.workers[i].send_s = 0;
  }
  expect_near(returns_throughput(&returns, "fifo"), fifo, 1e-12);
  expect_near(returns_throughput(&returns, "lifo"), fifo, 1e-12);
  ls_returns_close(&returns);
}

static void a_worker_may_compute_for_nothing(void **state) {
  (void)state;
  struct ls_returns returns;
  returns_take(&returns, (const double[][3]){{1, 0, 1}, {1, 0, 1}, {1, 0, 1}}, 3);
  expect_near(returns_throughput(&returns, "fifo"), 0.75, 1e-12);
  expect_near(returns_throughput(&returns, "lifo"), 0.5, 1e-12);
  returns.workers[1] = (struct ls_returns_worker){0, 0, 1, 0, 0, 0};
  expect_near(returns_throughput(&returns, "fifo"), returns_enumerate(&returns, RETURNS_FIFO),
              1e-9);
  ls_returns_close(&returns);
}

/* A worker whose start is free may stand anywhere in the list. */
static void a_worker_may_start_for_nothing_at_every_place(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 27, "free start");
  for (size_t turn = 0; turn < 10; turn++) {
    for (size_t place = 0; place < 4; place++) {
      struct ls_returns returns;
      returns_make(&returns, &random, 4, turn, false);
      returns.workers[place].send_s = returns.workers[place].compute_s = 0;
      double fifo = returns_throughput(&returns, "fifo");
      expect_near(fifo, returns_enumerate(&returns, RETURNS_FIFO), 1e-9);
      double exact = returns_throughput(&returns, "returns-exact");
      assert_true(fifo <= exact * (1 + 1e-9));
      expect_near(exact, returns_enumerate(&returns, RETURNS_ANY), 1e-9);
      ls_returns_close(&returns);
    }
  }
}

static void the_ratio_is_nan_for_uncorrelated_costs(void **state) {
  (void)state;
  struct ls_returns returns;
  returns_take(&returns, (const double[][3]){{1, 5, 2}, {2, 1, 4}, {0, 1, 0}}, 3);
  expect_near(ls_returns_ratio(&returns), 2, 1e-15);
  returns.workers[1].reply_s = 3;
  assert_true(isnan(ls_returns_ratio(&returns)));
  ls_returns_close(&returns);
}

/* The listed keep their order; for d = z c all stand as in Theorem 2. */
static void check_list(const struct ls_returns *returns, size_t kind) {
  (void)kind;
  bool is_proven;
  uint32_t before[16];
  struct ls_scenario scenario;
  double z = ls_returns_ratio(returns);
  assert_int_equal(ls_scenario_open(&scenario, returns->count, NULL), LS_OK);
  assert_int_equal(ls_returns_fifo(returns, &scenario, &is_proven, NULL), LS_OK);
  size_t enrolled = scenario.count, found = 0, listed = 0;
  memcpy(before, scenario.sends, enrolled * sizeof *before);
  ls_returns_fifo_list_all(returns, &scenario);
  assert_int_equal(scenario.count, returns->count);
  for (size_t k = 0; k < scenario.count; k++) {
    uint32_t worker = scenario.sends[k];
    listed |= (size_t)1 << worker;
    assert_int_equal(scenario.returns[k], worker);
    if (found < enrolled && worker == before[found])
      found++;
    else
      assert_false(scenario.units[worker] > 0);
    if (k == 0 || isnan(z) || fabs(z - 1) <= 1e-9) continue;
    double rise = returns->workers[worker].send_s - returns->workers[scenario.sends[k - 1]].send_s;
    assert_true(z < 1 ? rise >= 0 : rise <= 0);
  }
  assert_int_equal(found, enrolled);
  assert_int_equal(listed, ((size_t)1 << returns->count) - 1);
  ls_scenario_close(&scenario);
}

static void those_left_out_have_their_place_in_the_order(void **state) {
  (void)state;
  for_platforms(200, 9, check_list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms_are_best_of_their_kind),
      cmocka_unit_test(theorem_2_holds_where_d_is_z_c),
      cmocka_unit_test(all_orders_tie_where_d_equals_c),
      cmocka_unit_test(costs_scale_the_throughput),
      cmocka_unit_test(many_workers_get_the_loads_of_few_formulas),
      cmocka_unit_test(free_returns_make_all_kinds_equal),
      cmocka_unit_test(a_worker_may_compute_for_nothing),
      cmocka_unit_test(a_worker_may_start_for_nothing_at_every_place),
      cmocka_unit_test(those_left_out_have_their_place_in_the_order),
      cmocka_unit_test(the_ratio_is_nan_for_uncorrelated_costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
