#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "../../support/chunking_driver.h"
#include "base/random.h"
#include "model/platform.h"

static struct driver prepare(uint64_t units, size_t workers) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("rumr"), units, workers);
  return driver;
}

static void set(struct driver *driver, const char *name, const char *text) {
  assert_int_equal(driver_set(driver, name, text), LS_OK);
}

static void expect(struct driver *driver, const uint64_t *sizes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(driver_ask(driver, (uint32_t)(i % driver->setup.slots)), sizes[i]);
  }
}

/* Growing rounds, then factoring down to a floor of 3. */
static void rounds_grow_and_then_batches_shrink(void **state) {
  (void)state;
  const uint64_t sizes[] = {1, 13, 161, 38, 19, 9, 5, 3};
  struct driver driver = prepare(1000, 4);
  set(&driver, "error", "0.3");
  set(&driver, "units_per_second", "1");
  set(&driver, "transfer_seconds_per_unit", "0.02");
  set(&driver, "transfer_latency_seconds", "0.1");
  set(&driver, "compute_latency_seconds", "0.5");
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(driver_ask(&driver, i % 4), sizes[i / 4]);
  assert_int_equal(driver_ask(&driver, 0), 3);
  assert_int_equal(driver_ask(&driver, 1), 1);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void free_transfers_need_one_round_only(void **state) {
  (void)state;
  const uint64_t sizes[] = {16, 16, 16, 16, 16, 2, 2};
  struct driver driver = prepare(100, 5);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  expect(&driver, sizes, 7);
  driver_close(&driver);
}

static void no_error_needs_no_second_phase(void **state) {
  (void)state;
  const uint64_t sizes[] = {25, 25, 25, 25};
  struct driver driver = prepare(100, 4);
  set(&driver, "error", "0");
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  expect(&driver, sizes, 4);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

/* The second phase must be worth its latencies: 20 units of 4 workers take 5 s, one chunk 6 s. */
static void a_second_phase_below_its_latencies_is_left_out(void **state) {
  (void)state;
  for (int is_fast = 0; is_fast <= 1; is_fast++) {
    struct driver driver = prepare(100, 4);
    set(&driver, "compute_latency_seconds", is_fast ? "4" : "6");
    assert_int_equal(driver_start(&driver, NULL), LS_OK);
    assert_int_equal(driver_ask(&driver, 0), is_fast ? 20 : 25);
    driver_close(&driver);
  }
}

/* Uniform rounds: all compute their chunks of one in the same time, the latencies included. */
static void unequal_workers_compute_a_round_in_the_same_time(void **state) {
  struct ls_worker_model workers[4] = {0};
  struct ls_platform platform = {.workers_count = 4, .workers = workers};
  struct driver driver = prepare(100000, 4);
  double seconds[3][4];
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    double unit_s = 1 + (double)i;
    workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.5, 0.05};
    workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){3 + (double)i, unit_s};
  }
  driver.setup.platform = &platform;
  set(&driver, "error", "0.2");
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  for (size_t j = 0; j < 3; j++)
    for (uint32_t i = 0; i < 4; i++) {
      const struct ls_cost *compute = &workers[i].costs[LS_OPERATION_COMPUTE];
      double units = (double)driver_ask(&driver, i);
      seconds[j][i] = compute->latency_s + units * compute->per_unit_s;
    }
  for (size_t j = 0; j < 3; j++)
    for (size_t i = 1; i < 4; i++) assert_true(fabs(seconds[j][i] - seconds[j][0]) < 2 * 4);
  for (size_t j = 1; j < 3; j++) assert_true(seconds[j][0] > 2 * seconds[j - 1][0]);
  driver_close(&driver);
}

/* Its latency is longer than a round: it would only hold up the others. */
static void a_worker_that_is_not_worth_its_latency_gets_no_round(void **state) {
  struct ls_worker_model workers[3] = {0};
  struct ls_platform platform = {.workers_count = 3, .workers = workers};
  struct driver driver = prepare(300, 3);
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0, 0.02};
    workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){i == 1 ? 1000 : 0.1, 1};
  }
  driver.setup.platform = &platform;
  set(&driver, "error", "0");
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  assert_true(driver_ask(&driver, 0) > 0);
  assert_int_equal(driver_ask(&driver, 1), 0);
  assert_true(driver_ask(&driver, 2) > 0);
  driver_close(&driver);
}

/* What was told holds for all; equal costs are as good from a platform as from arguments. */
static void a_platform_tells_equal_workers_as_arguments_do(void **state) {
  struct ls_worker_model workers[4] = {0};
  struct ls_platform platform = {.workers_count = 4, .workers = workers};
  const uint64_t sizes[] = {1, 13, 161, 38, 19, 9, 5, 3};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.1, 0.02};
    workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 1};
  }
  struct driver driver = prepare(1000, 4);
  driver.setup.platform = &platform;
  set(&driver, "error", "0.3");
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(driver_ask(&driver, i % 4), sizes[i / 4]);
  driver_close(&driver);
}

/* Only a known mean tells the speed that latencies are compared with. */
static void the_mean_time_stands_for_the_speed(void **state) {
  (void)state;
  struct driver told = prepare(500, 4), known = prepare(500, 4);
  const char *const costs[][2] = {{"transfer_seconds_per_unit", "0.01"},
                                  {"transfer_latency_seconds", "0.05"},
                                  {"compute_latency_seconds", "0.1"}};
  for (size_t i = 0; i < 3; i++) {
    set(&told, costs[i][0], costs[i][1]);
    set(&known, costs[i][0], costs[i][1]);
  }
  set(&told, "units_per_second", "4");
  known.setup.mean_seconds = 0.25;
  assert_int_equal(driver_start(&told, NULL), LS_OK);
  assert_int_equal(driver_start(&known, NULL), LS_OK);
  for (uint32_t i = 0; told.view.units_unassigned > 0; i++) {
    assert_int_equal(driver_ask(&told, i % 4), driver_ask(&known, i % 4));
  }
  driver_close(&told);
  driver_close(&known);
}

/* The first phase never takes from what the second one keeps back. */
static void the_first_phase_leaves_the_rest_alone(void **state) {
  (void)state;
  for (uint64_t units = 1; units <= 200; units++) {
    struct driver driver = prepare(units, 3);
    set(&driver, "error", "0.5");
    assert_int_equal(driver_start(&driver, NULL), LS_OK);
    for (uint32_t i = 0; i < 3 && 2 * (driver.view.units_unassigned - 1) >= units; i++) {
      assert_true(driver_ask(&driver, i) >= 1);
      assert_true(2 * driver.view.units_unassigned >= units);
    }
    driver_close(&driver);
  }
}

/* A platform of equal workers without error: all units go in rounds. */
struct case_of_rounds {
  size_t workers;
  uint64_t units;
  double speed, transfer_s, transfer_latency_s, compute_latency_s;
};

/* c_j = theta c_{j-1} + beta with a given sum, by the recurrence itself, in the direction in which
 * errors shrink; `ratios` and `offsets` say how each chunk depends on the one it begins with. */
static void solve_rounds(const struct case_of_rounds *costs, size_t count, long double *chunks) {
  long double transfer_all = (long double)costs->transfer_s * (long double)costs->workers;
  long double theta = 1 / ((long double)costs->speed * transfer_all);
  long double latency = (long double)costs->workers * (long double)costs->transfer_latency_s;
  long double beta = ((long double)costs->compute_latency_s - latency) / transfer_all;
  long double ratio = 1, offset = 0, ratios = 0, offsets = 0, ratio_of[200], offset_of[200];
  for (size_t i = 0; i < count; i++) {
    size_t j = theta > 1 ? count - 1 - i : i;
    ratio_of[j] = ratio;
    offset_of[j] = offset;
    ratios += ratio;
    offsets += offset;
    ratio = theta > 1 ? ratio / theta : ratio * theta;
    offset = theta > 1 ? (offset - beta) / theta : offset * theta + beta;
  }
  long double share = (long double)costs->units / (long double)costs->workers;
  long double start = (share - offsets) / ratios;
  for (size_t j = 0; j < count; j++) chunks[j] = ratio_of[j] * start + offset_of[j];
}

/* All that a schedule of so many rounds takes, term by term; infinite: a round is empty. */
static long double play_rounds(const struct case_of_rounds *costs, size_t count,
                               const long double *chunks) {
  long double first_s =
      (long double)costs->transfer_latency_s + chunks[0] * (long double)costs->transfer_s;
  long double seconds = (long double)costs->workers * first_s;
  for (size_t j = 0; j < count; j++) {
    if (!(chunks[j] > 0)) return HUGE_VALL;
    seconds += (long double)costs->compute_latency_s + chunks[j] / (long double)costs->speed;
  }
  return seconds;
}

/* The fewest rounds within 1e-9 of the least time; 0: the times do not tell clearly. */
static size_t find_rounds(const struct case_of_rounds *costs) {
  long double seconds[200], chunks[200], least_s = HUGE_VALL;
  for (size_t i = 0; i < 200; i++) {
    solve_rounds(costs, i + 1, chunks);
    seconds[i] = play_rounds(costs, i + 1, chunks);
    long double smallest = fminl(chunks[0], chunks[i]);
    if (fabsl(smallest) < 1e-6L) return 0;
    least_s = fminl(least_s, seconds[i]);
  }
  size_t found = 0;
  while (seconds[found] > least_s * (1 + 1e-9L)) found++;
  for (size_t i = 0; i <= found; i++) {
    if (fabsl(seconds[i] / least_s - (1 + 1e-9L)) < 1e-11L) return 0;
  }
  return found + 1;
}

static void set_real(struct driver *driver, const char *name, double value) {
  char text[32];
  (void)snprintf(text, sizeof text, "%.17g", value);
  set(driver, name, text);
}

/* What worker 0 gets, while all ask in turn. */
static void expect_rounds(const struct case_of_rounds *costs, size_t count) {
  struct driver driver = prepare(costs->units, costs->workers);
  long double chunks[200], sum = 0;
  uint64_t given = 0;
  set(&driver, "error", "0");
  set_real(&driver, "units_per_second", costs->speed);
  set_real(&driver, "transfer_seconds_per_unit", costs->transfer_s);
  set_real(&driver, "transfer_latency_seconds", costs->transfer_latency_s);
  set_real(&driver, "compute_latency_seconds", costs->compute_latency_s);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  solve_rounds(costs, count, chunks);
  for (size_t j = 0; j < count && driver.view.units_unassigned > 0; j++) {
    sum += chunks[j];
    if (fabsl(sum - floorl(sum) - 0.5L) < 1e-6L) break; /* it may be rounded either way */
    uint64_t until = (uint64_t)floorl(sum + 0.5L);
    if (until == given) continue;
    for (uint32_t i = 0; i < costs->workers; i++) {
      uint64_t left = driver.view.units_unassigned, units = until - given;
      assert_int_equal(driver_ask(&driver, i), units < left ? units : left);
    }
    given = until;
  }
  driver_close(&driver);
}

/* Against the recurrence in extended precision and all round counts: theta from 1/4 to 30 and, in
 * every fourth case, about 1.  Without the time of computing, or with chunks iterated from the
 * first one, the number of rounds is another. */
static void the_rounds_are_those_of_the_least_time(void **state) {
  struct ls_random random;
  size_t judged = 0, several = 0;
  (void)state;
  ls_random_init(&random, 1, "rumr");
  for (int i = 0; i < 2000; i++) {
    struct case_of_rounds costs = {.workers = 1 + ls_random_below(&random, 8)};
    double theta = 0.25 * pow(120, ls_random_real(&random));
    if (i % 4 == 0) theta = 1 + (i % 8 == 0 ? 1 : -1) * pow(10, -3 - 13 * ls_random_real(&random));
    costs.units = 1 + ls_random_below(&random, i % 2 == 0 ? 1000 : 1000000);
    costs.speed = pow(10, 2 * ls_random_real(&random) - 1);
    costs.transfer_s = 1 / (theta * costs.speed * (double)costs.workers);
    if (i % 3 > 0) costs.transfer_latency_s = ls_random_real(&random) / (double)costs.workers;
    if (i % 5 > 0) costs.compute_latency_s = ls_random_real(&random);
    size_t rounds = find_rounds(&costs);
    if (rounds == 0) continue;
    expect_rounds(&costs, rounds);
    judged++;
    several += rounds > 1;
  }
  assert_true(judged > 1500);
  assert_true(several > 1000);
}

static void an_error_beyond_1_is_refused(void **state) {
  (void)state;
  struct driver driver = prepare(10, 2);
  assert_int_equal(driver_set(&driver, "error", "1.5"), LS_EINVAL);
  assert_int_equal(driver_set(&driver, "error", "-0.1"), LS_EINVAL);
  assert_int_equal(driver_set(&driver, "units_per_second", "nan"), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unequal_workers_compute_a_round_in_the_same_time),
      cmocka_unit_test(a_worker_that_is_not_worth_its_latency_gets_no_round),
      cmocka_unit_test(a_platform_tells_equal_workers_as_arguments_do),
      cmocka_unit_test(rounds_grow_and_then_batches_shrink),
      cmocka_unit_test(free_transfers_need_one_round_only),
      cmocka_unit_test(no_error_needs_no_second_phase),
      cmocka_unit_test(a_second_phase_below_its_latencies_is_left_out),
      cmocka_unit_test(the_mean_time_stands_for_the_speed),
      cmocka_unit_test(the_first_phase_leaves_the_rest_alone),
      cmocka_unit_test(the_rounds_are_those_of_the_least_time),
      cmocka_unit_test(an_error_beyond_1_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
