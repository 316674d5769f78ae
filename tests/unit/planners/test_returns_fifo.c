#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planners/returns/returns.h"
#include "returns_best_fixture.h"

static void the_recovered_platforms_have_their_throughput(void **state) {
  (void)state;
  const struct returns_recovered wanted = {1.0 / 2, 47.0 / 632, 2};
  returns_expect_recovered("fifo", &wanted);
}

static void the_plan_ends_at_the_load_over_the_throughput(void **state) {
  (void)state;
  returns_expect_end("fifo", false);
}

static void a_worker_that_costs_nothing_is_refused(void **state) {
  (void)state;
  returns_expect_refusal("fifo");
}

static void latencies_end_no_sooner(void **state) {
  (void)state;
  returns_expect_latencies_cost("fifo");
}

/* Slow links may start at once, and fast ones late: a worker that the orders without latencies
 * leave out may be the best one. */
static void with_latencies_no_worker_alone_ends_sooner(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 142, "fifo");
  static const double loads[] = {0.1, 1, 10};
  for (size_t kind = 0; kind < 120; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    size_t count = 2 + kind % 4;
    double load = loads[kind % 3];
    returns_make(&returns, &random, count, kind, kind % 5 == 1);
    for (size_t i = 0; i < count; i++) {
      struct ls_returns_worker *worker = &returns.workers[i];
      worker->send_latency_s = returns_draw(&random, 0, 20);
      worker->compute_latency_s = returns_draw(&random, 0, 20);
      worker->reply_latency_s = returns_draw(&random, 0, 20);
      worker->send_s *= i == 0 ? 3 : 1;
    }
    returns_plan(&returns, "fifo", load, false, &plan);
    for (size_t i = 0; i < count; i++) {
      const struct ls_returns_worker *worker = &returns.workers[i];
      double alone_s = worker->send_latency_s + worker->compute_latency_s +
                       worker->reply_latency_s +
                       (worker->send_s + worker->compute_s + worker->reply_s) * load;
      if (!(plan.makespan_s <= alone_s * (1 + 1e-9)))
        fail_msg("kind %zu: %g, worker %zu alone %g", kind, plan.makespan_s, i, alone_s);
    }
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
}

/* Beyond 12 workers single ones are added to and dropped from those of the plan without latencies:
 * that plan with its latencies is never better. */
static void many_workers_with_latencies_are_no_worse_than_without_a_choice(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 143, "fifo");
  for (size_t kind = 0; kind < 6; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    returns_make(&returns, &random, 16, kind, false);
    for (size_t i = 0; i < 16; i++)
      returns.workers[i].reply_latency_s = returns_draw(&random, 0, 0.5);
    returns_plan(&returns, "fifo", 20, false, &plan);
    assert_true(plan.makespan_s <=
                ls_plan_get(&plan, "linear_makespan_and_latencies", (double)NAN) * (1 + 1e-9));
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_recovered_platforms_have_their_throughput),
      cmocka_unit_test(the_plan_ends_at_the_load_over_the_throughput),
      cmocka_unit_test(a_worker_that_costs_nothing_is_refused),
      cmocka_unit_test(latencies_end_no_sooner),
      cmocka_unit_test(with_latencies_no_worker_alone_ends_sooner),
      cmocka_unit_test(many_workers_with_latencies_are_no_worse_than_without_a_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
