#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/replay.h"
#include "model/replay_batch.h"

enum { WORKERS_MAX = 9, MESSAGES_MAX = 60, CASES_MAX = 21, TURNS = 150 };

/* Latencies of 0 are a third of all, so that ties between ends and arrivals occur. */
static double draw_latency(struct ls_random *random) {
  return ls_random_below(random, 3) == 0 ? 0 : ls_random_real(random);
}

struct cases {
  struct ls_replay_batch batch;
  double compute_latencies_s[CASES_MAX], transfer_latencies_s[CASES_MAX];
  double units[MESSAGES_MAX][CASES_MAX];
  const double *rows[MESSAGES_MAX];
  double scratch[(WORKERS_MAX + 1) * CASES_MAX + MESSAGES_MAX];
  double makespans_s[CASES_MAX];
};

static void draw_cases(struct cases *cases, uint64_t seed) {
  struct ls_random random;
  ls_random_init(&random, seed, "batch");
  cases->batch = (struct ls_replay_batch){
      .workers_count = 1 + ls_random_below(&random, WORKERS_MAX),
      .messages_count = 1 + ls_random_below(&random, MESSAGES_MAX),
      .cases_count = 1 + ls_random_below(&random, CASES_MAX),
      .transfer_per_unit_s = ls_random_below(&random, 4) == 0 ? 0 : ls_random_real(&random),
      .compute_per_unit_s = ls_random_real(&random) * 8,
      .compute_latencies_s = cases->compute_latencies_s,
      .scratch = cases->scratch};
  for (size_t i = 0; i < CASES_MAX; i++) {
    cases->compute_latencies_s[i] = draw_latency(&random);
    cases->transfer_latencies_s[i] = draw_latency(&random);
  }
  for (size_t i = 0; i < MESSAGES_MAX; i++) {
    for (size_t j = 0; j < CASES_MAX; j++) cases->units[i][j] = 1e-6 + ls_random_real(&random);
    cases->rows[i] = cases->units[i];
  }
  assert_true(ls_replay_batch_scratch(WORKERS_MAX, MESSAGES_MAX, CASES_MAX) <=
              sizeof cases->scratch / sizeof *cases->scratch);
  memset(cases->scratch, 0x55, sizeof cases->scratch); /* need not be cleared by the caller */
}

/* One case by the general replay; `row_of` says which column of units it uses. */
static double replay_one(const struct cases *cases, size_t index, size_t column,
                         double transfer_latency_s) {
  struct ls_platform platform;
  struct ls_plan plan;
  double makespan_s = -1, load = 0;
  const struct ls_replay_batch *batch = &cases->batch;
  assert_int_equal(ls_platform_init(&platform, batch->workers_count, NULL), LS_OK);
  for (size_t i = 0; i < batch->workers_count; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){transfer_latency_s, batch->transfer_per_unit_s};
    platform.workers[i].costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){cases->compute_latencies_s[index], batch->compute_per_unit_s};
  }
  for (size_t i = 0; i < batch->messages_count; i++) load += cases->rows[i][column];
  ls_plan_init(&plan, "batch", load);
  for (size_t i = 0; i < batch->messages_count; i++) {
    ls_plan_add(&plan, (uint32_t)(i % batch->workers_count), (uint32_t)(i / batch->workers_count),
                cases->rows[i][column]);
  }
  assert_int_equal(ls_replay_makespan(&plan, &platform, &makespan_s, NULL), LS_OK);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  return makespan_s;
}

/* Bit for bit: no tolerance at all. */
static void expect_same_bits(double a, double b) {
  assert_memory_equal(&a, &b, sizeof a);
}

static void cases_with_own_units_have_the_digits_of_the_general_replay(void **state) {
  (void)state;
  struct cases *cases = calloc(1, sizeof *cases);
  assert_non_null(cases);
  for (uint64_t seed = 0; seed < TURNS; seed++) {
    draw_cases(cases, seed);
    ls_replay_batch_each(&cases->batch, cases->transfer_latencies_s, cases->rows,
                         cases->makespans_s);
    for (size_t i = 0; i < cases->batch.cases_count; i++)
      expect_same_bits(cases->makespans_s[i],
                       replay_one(cases, i, i, cases->transfer_latencies_s[i]));
  }
  free(cases);
}

static void cases_with_the_same_units_have_the_digits_of_the_general_replay(void **state) {
  (void)state;
  struct cases *cases = calloc(1, sizeof *cases);
  double units[MESSAGES_MAX];
  assert_non_null(cases);
  for (uint64_t seed = 0; seed < TURNS; seed++) {
    draw_cases(cases, seed);
    for (size_t i = 0; i < MESSAGES_MAX; i++) units[i] = cases->units[i][0];
    double latency_s = cases->transfer_latencies_s[0];
    ls_replay_batch_same(&cases->batch, latency_s, units, cases->makespans_s);
    for (size_t i = 0; i < cases->batch.cases_count; i++)
      expect_same_bits(cases->makespans_s[i], replay_one(cases, i, 0, latency_s));
  }
  free(cases);
}

/* Uniform rounds store the units of a round once. */
static void messages_may_share_a_row_of_units(void **state) {
  (void)state;
  struct cases *cases = calloc(1, sizeof *cases);
  assert_non_null(cases);
  for (uint64_t seed = 0; seed < 20; seed++) {
    draw_cases(cases, seed);
    for (size_t i = 0; i < MESSAGES_MAX; i++)
      cases->rows[i] = cases->units[i / cases->batch.workers_count];
    ls_replay_batch_each(&cases->batch, cases->transfer_latencies_s, cases->rows,
                         cases->makespans_s);
    for (size_t i = 0; i < cases->batch.cases_count; i++)
      expect_same_bits(cases->makespans_s[i],
                       replay_one(cases, i, i, cases->transfer_latencies_s[i]));
  }
  free(cases);
}

static void a_single_message_ends_after_transfer_and_computing(void **state) {
  (void)state;
  double scratch[2], makespan_s, latency_s = 0.25, units = 4;
  const double *rows[1] = {&units};
  struct ls_replay_batch batch = {.workers_count = 1,
                                  .messages_count = 1,
                                  .cases_count = 1,
                                  .transfer_per_unit_s = 0.5,
                                  .compute_per_unit_s = 2,
                                  .compute_latencies_s = &latency_s,
                                  .scratch = scratch};
  assert_int_equal(ls_replay_batch_scratch(1, 1, 1), 2);
  ls_replay_batch_same(&batch, 0.125, &units, &makespan_s);
  expect_same_bits(makespan_s, 0.125 + 2 + 0.25 + 8);
  ls_replay_batch_each(&batch, (double[]){0.125}, rows, &makespan_s);
  expect_same_bits(makespan_s, 0.125 + 2 + 0.25 + 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cases_with_own_units_have_the_digits_of_the_general_replay),
      cmocka_unit_test(cases_with_the_same_units_have_the_digits_of_the_general_replay),
      cmocka_unit_test(messages_may_share_a_row_of_units),
      cmocka_unit_test(a_single_message_ends_after_transfer_and_computing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
