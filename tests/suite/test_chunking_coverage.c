#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../support/chunking_driver.h"
#include "base/random.h"

/* Every policy of the list hands out every unit exactly once, for any order of requests, with
 * every choice of its arguments, and with workers lost and joined at every decision point.  This is
 * exhaustive and not a sample: published self-scheduling code is known to lose the last unit for
 * some loop lengths and numbers of workers only. */

enum order { CYCLIC, REVERSED, RANDOM, ONE_WORKER, ORDERS };
enum facts { UNKNOWN, KNOWN, WEIGHED, WEIGHED_WITH_ZEROS, FACTS };
struct coverage {
  enum order order;
  enum facts facts;
  const char *name, *text; /* an argument; NULL: none */
};
enum { UNITS_MAX = 200, WORKERS_MAX = 8, CHANGED_UNITS_MAX = 30, CHANGED_WORKERS_MAX = 4 };

static const double weights[DRIVER_WORKERS_MAX] = {1, 2, 3, 4, 5, 6, 7, 8};
static const double weights_with_zeros[DRIVER_WORKERS_MAX] = {0, 0.7, 0, 1.3, 3, 0, 0.33, 1};

static void know(struct driver *driver, enum facts facts) {
  if (facts == UNKNOWN) return;
  driver->setup.mean_seconds = 1;
  driver->setup.deviation_seconds = 0.1;
  driver->setup.overhead_seconds = 0.01;
  if (facts == WEIGHED) driver->setup.weights = weights;
  if (facts == WEIGHED_WITH_ZEROS) driver->setup.weights = weights_with_zeros;
}

/* Seconds of a unit: different for each worker, varying, and now and then none at all. */
static double choose_seconds(uint32_t worker, uint64_t request) {
  return request % 11 == 7 ? 0 : 0.1 + 0.3 * worker + 0.05 * (double)(request % 5);
}

static uint32_t choose_worker(enum order order, uint64_t request, size_t workers,
                              struct ls_random *random) {
  uint32_t position = (uint32_t)(request % workers);
  if (order == REVERSED) return (uint32_t)workers - 1 - position;
  if (order == RANDOM) return (uint32_t)ls_random_below(random, workers);
  return order == ONE_WORKER ? (uint32_t)workers - 1 : position;
}

/* Asks until nothing waits. A worker that gets 0 is parked, as the coordinator does it. */
static void hand_out_all(struct driver *driver, enum order order, bool is_reporting) {
  size_t workers = driver->setup.slots;
  uint64_t units = driver->setup.units, sum = 0, requests = 0;
  uint64_t held[DRIVER_WORKERS_MAX] = {0};
  struct ls_random random;
  ls_random_init(&random, units * 16 + workers, "requests");
  assert_int_equal(driver_start(driver, NULL), LS_OK);
  while (driver->view.units_unassigned > 0) {
    uint32_t worker = choose_worker(order, requests, workers, &random);
    if (is_reporting && held[worker] > 0) {
      driver_report(driver, worker, held[worker], choose_seconds(worker, requests));
    }
    uint64_t got = driver_ask(driver, worker);
    held[worker] = got;
    driver->view.now_s += 0.25;
    bool may_be_nothing = strcmp(driver->policy->name, "sc") == 0;
    if (got < 1 && !may_be_nothing) fail_msg("%s answers 0", driver->policy->name);
    sum += got;
    /* Random order reaches the last worker sooner or later; all others within two rounds. */
    if (++requests > 100 * (units + workers)) fail_msg("%s does not end", driver->policy->name);
  }
  assert_int_equal(sum, units);
}

static void cover_case(const struct ls_chunking *policy, uint64_t units, size_t workers,
                       const struct coverage *coverage) {
  bool is_listening = policy->on_report != NULL;
  for (int is_reporting = 0; is_reporting <= (is_listening ? 1 : 0); is_reporting++) {
    struct driver driver;
    driver_prepare(&driver, policy, units, workers);
    know(&driver, coverage->facts);
    if (coverage->name != NULL) {
      assert_int_equal(driver_set(&driver, coverage->name, coverage->text), LS_OK);
    }
    hand_out_all(&driver, coverage->order, is_reporting != 0);
    driver_close(&driver);
    ls_arguments_close(&driver.setup.arguments);
  }
}

static void cover(const struct ls_chunking *policy, const char *name, const char *text) {
  for (uint64_t units = 0; units <= UNITS_MAX; units += units < 20 ? 1 : LS_TEST_STRIDE) {
    for (size_t workers = 1; workers <= WORKERS_MAX; workers++) {
      for (int order = 0; order < ORDERS; order++) {
        if (order == ONE_WORKER && strcmp(policy->name, "sc") == 0) continue;
        for (int facts = 0; facts < FACTS; facts++) {
          /* Facts that the policy does not look at make no new case. */
          if (facts != UNKNOWN && policy->facts == 0) continue;
          struct coverage coverage = {(enum order)order, (enum facts)facts, name, text};
          cover_case(policy, units, workers, &coverage);
        }
      }
    }
  }
}

static void every_unit_is_handed_out_exactly_once(void **state) {
  (void)state;
  size_t covered = 0;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    const struct ls_chunking *policy = ls_chunkings[i];
    if (policy->is_pushed) continue;
    covered++;
    cover(policy, NULL, NULL);
    for (const struct ls_parameter *p = policy->parameters; p != NULL && p->name != NULL; p++) {
      for (size_t k = 0; p->choices != NULL && p->choices[k] != NULL; k++) {
        /* The default is covered already. */
        if ((double)k < p->otherwise || (double)k > p->otherwise) {
          cover(policy, p->name, p->choices[k]);
        }
      }
      bool may_be_auto = p->kind == LS_PARAMETER_WHOLE_OR_AUTO;
      if (may_be_auto) cover(policy, p->name, "auto");
      if ((may_be_auto || p->kind == LS_PARAMETER_WHOLE) && p->least <= 5 && p->most >= 5)
        cover(policy, p->name, "5");
      if (p->kind == LS_PARAMETER_REAL && p->least <= 0.7 && p->most >= 0.7)
        cover(policy, p->name, "0.7");
      if (p->kind == LS_PARAMETER_LIST) cover(policy, p->name, "[5, 1, 3]");
    }
  }
  assert_true(covered >= 21);
}

static void batch_sizes_never_grow(void **state) {
  static const char *const names[] = {"gss", "tss", "fac2", "tfss"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    for (uint64_t units = 1; units <= UNITS_MAX; units++) {
      for (size_t workers = 1; workers <= WORKERS_MAX; workers++) {
        struct driver driver;
        driver_prepare(&driver, ls_chunking_find(names[i]), units, workers);
        assert_int_equal(driver_start(&driver, NULL), LS_OK);
        uint64_t before = units;
        for (uint64_t request = 0; driver.view.units_unassigned > 0; request++) {
          uint64_t got = driver_ask(&driver, (uint32_t)(request % workers));
          assert_true(got <= before);
          before = got;
        }
        driver_close(&driver);
      }
    }
  }
}

static void equal_weights_make_wf2_fac2(void **state) {
  double equal[DRIVER_WORKERS_MAX];
  (void)state;
  for (size_t i = 0; i < DRIVER_WORKERS_MAX; i++) equal[i] = 0.7;
  for (uint64_t units = 0; units <= UNITS_MAX; units++) {
    for (size_t workers = 1; workers <= WORKERS_MAX; workers++) {
      struct driver plain, weighed;
      driver_prepare(&plain, ls_chunking_find("fac2"), units, workers);
      driver_prepare(&weighed, ls_chunking_find("wf2"), units, workers);
      weighed.setup.weights = equal;
      assert_int_equal(driver_start(&plain, NULL), LS_OK);
      assert_int_equal(driver_start(&weighed, NULL), LS_OK);
      for (uint64_t request = 0; plain.view.units_unassigned > 0; request++) {
        uint32_t worker = (uint32_t)(request % workers);
        assert_int_equal(driver_ask(&weighed, worker), driver_ask(&plain, worker));
      }
      assert_int_equal(weighed.view.units_unassigned, 0);
      driver_close(&plain);
      driver_close(&weighed);
    }
  }
}

/* Seconds that are the exact inverses of the weights: what awf-b measures is what wf2 is told. */
static void measured_weights_make_awf_b_wf2(void **state) {
  double exact[DRIVER_WORKERS_MAX], equal[DRIVER_WORKERS_MAX];
  (void)state;
  for (size_t i = 0; i < DRIVER_WORKERS_MAX; i++) {
    exact[i] = ldexp(1, (int)(i % 4));
    equal[i] = 1;
  }
  for (int is_equal = 0; is_equal <= 1; is_equal++) {
    const double *given = is_equal ? equal : exact;
    for (uint64_t units = 0; units <= UNITS_MAX; units++) {
      for (size_t workers = 1; workers <= WORKERS_MAX; workers++) {
        struct driver told, measured;
        uint64_t held[DRIVER_WORKERS_MAX] = {0};
        driver_prepare(&told, ls_chunking_find("wf2"), units, workers);
        driver_prepare(&measured, ls_chunking_find("awf-b"), units, workers);
        told.setup.weights = measured.setup.weights = given;
        assert_int_equal(driver_start(&told, NULL), LS_OK);
        assert_int_equal(driver_start(&measured, NULL), LS_OK);
        for (uint64_t request = 0; told.view.units_unassigned > 0; request++) {
          uint32_t worker = (uint32_t)(request % workers);
          if (held[worker] > 0) driver_report(&measured, worker, held[worker], 1 / given[worker]);
          held[worker] = driver_ask(&measured, worker);
          assert_int_equal(held[worker], driver_ask(&told, worker));
        }
        driver_close(&told);
        driver_close(&measured);
      }
    }
  }
}

/* A small master with units that have an identity. */
struct pool {
  struct driver driver;
  uint32_t waiting[CHANGED_UNITS_MAX]; /* the front is at the end */
  size_t waiting_count;
  uint32_t held[DRIVER_WORKERS_MAX][CHANGED_UNITS_MAX];
  size_t held_count[DRIVER_WORKERS_MAX];
  bool is_parked[DRIVER_WORKERS_MAX];
  uint32_t done[CHANGED_UNITS_MAX];
  size_t asked;
};

enum change_kind { LOSE, JOIN, LOSE_THEN_JOIN, LOSE_THEN_COME_BACK, LOSE_TWO, CHANGE_KINDS };

struct change {
  enum change_kind kind;
  uint32_t worker;
  size_t at; /* decision */
};

static void unpark_all(struct pool *pool) {
  memset(pool->is_parked, 0, sizeof pool->is_parked);
}

static void lose(struct pool *pool, uint32_t worker) {
  size_t back = pool->held_count[worker];
  if (!pool->driver.is_present[worker] || pool->driver.view.workers_present < 2) return;
  while (pool->held_count[worker] > 0) {
    pool->waiting[pool->waiting_count++] = pool->held[worker][--pool->held_count[worker]];
  }
  driver_lose(&pool->driver, worker, back);
  unpark_all(pool);
}

static void finish(struct pool *pool, uint32_t worker) {
  while (pool->held_count[worker] > 0) {
    pool->done[pool->held[worker][--pool->held_count[worker]]]++;
  }
}

static void ask(struct pool *pool, uint32_t worker) {
  size_t held = pool->held_count[worker];
  if (held > 0) driver_report(&pool->driver, worker, held, choose_seconds(worker, pool->asked));
  pool->driver.view.now_s += 0.25;
  finish(pool, worker);
  if (pool->waiting_count == 0) return;
  uint64_t got = driver_ask(&pool->driver, worker);
  pool->asked++;
  pool->is_parked[worker] = got == 0;
  for (uint64_t i = 0; i < got; i++) {
    pool->held[worker][pool->held_count[worker]++] = pool->waiting[--pool->waiting_count];
  }
  assert_int_equal(pool->driver.view.units_unassigned, pool->waiting_count);
}

static void apply(struct pool *pool, const struct change *change, bool is_first) {
  uint32_t newcomer = (uint32_t)pool->driver.setup.slots;
  uint32_t second = (change->worker + 1) % newcomer;
  if (is_first) {
    if (change->kind == JOIN) driver_join(&pool->driver, newcomer);
    if (change->kind != JOIN) lose(pool, change->worker);
    return;
  }
  if (change->kind == LOSE_THEN_JOIN) driver_join(&pool->driver, newcomer);
  if (change->kind == LOSE_THEN_COME_BACK) driver_join(&pool->driver, change->worker);
  if (change->kind == LOSE_TWO) lose(pool, second);
}

static bool is_all_done(const struct pool *pool) {
  for (size_t i = 0; i < pool->driver.setup.units; i++) {
    if (pool->done[i] == 0) return false;
  }
  return true;
}

/* True when the change came before the end: then a later decision point exists. */
static bool run_with_change(struct pool *pool, const struct change *change) {
  size_t applied = 0, idle = 0;
  assert_int_equal(driver_start(&pool->driver, NULL), LS_OK);
  for (uint32_t turn = 0; !is_all_done(pool); turn++) {
    uint32_t worker = turn % DRIVER_WORKERS_MAX;
    if (applied < 2 && pool->asked >= change->at + applied) {
      apply(pool, change, applied == 0);
      applied++;
      idle = 0;
    }
    bool can_ask = pool->driver.is_present[worker] && !pool->is_parked[worker];
    size_t asked = pool->asked;
    if (can_ask) ask(pool, worker);
    idle = pool->asked > asked ? 0 : idle + 1;
    if (idle > 2 * DRIVER_WORKERS_MAX) {
      fail_msg("%s: %zu units wait and nobody gets any (p = %zu, change %d of worker %u at %zu)",
               pool->driver.policy->name, pool->waiting_count, pool->driver.setup.slots,
               (int)change->kind, (unsigned)change->worker, change->at);
    }
  }
  for (size_t i = 0; i < pool->driver.setup.units; i++) assert_int_equal(pool->done[i], 1);
  return applied > 0;
}

static bool try_change(const struct ls_chunking *policy, uint64_t units, size_t workers,
                       const struct change *change) {
  struct pool pool;
  memset(&pool, 0, sizeof pool);
  driver_prepare(&pool.driver, policy, units, workers);
  /* Half of the cases with weights, one of them 0. */
  if (change->at % 2 == 1) know(&pool.driver, WEIGHED_WITH_ZEROS);
  for (size_t i = 0; i < units; i++) pool.waiting[i] = (uint32_t)(units - 1 - i);
  pool.waiting_count = (size_t)units;
  bool is_applied = run_with_change(&pool, change);
  driver_close(&pool.driver);
  return is_applied;
}

static void losses_and_joins_at_every_decision_lose_nothing(void **state) {
  size_t cases = 0;
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    if (ls_chunkings[i]->is_pushed) continue;
    for (uint64_t units = 0; units <= CHANGED_UNITS_MAX; units += units < 6 ? 1 : LS_TEST_STRIDE) {
      for (size_t workers = 1; workers <= CHANGED_WORKERS_MAX; workers++) {
        for (int kind = 0; kind < CHANGE_KINDS; kind++) {
          for (uint32_t worker = 0; worker < workers; worker++) {
            struct change change = {(enum change_kind)kind, worker, 0};
            while (try_change(ls_chunkings[i], units, workers, &change)) {
              change.at++;
              cases++;
            }
          }
        }
      }
    }
  }
  assert_true(cases > 10000);
}

/* Pushed: a random plan, one worker lost after `at` pushes with all that it holds. */
static void push_with_loss(const struct ls_chunking *policy, uint64_t seed, size_t at) {
  struct ls_plan_chunk chunks[CHANGED_UNITS_MAX];
  struct ls_plan plan = {.chunks = chunks};
  struct ls_random random;
  struct driver driver;
  uint64_t held[DRIVER_WORKERS_MAX] = {0}, units_total = 0;
  size_t count = 0;
  ls_random_init(&random, seed, "plan");
  uint32_t workers = 1 + (uint32_t)ls_random_below(&random, CHANGED_WORKERS_MAX);
  for (; count < seed % 7 + 1; count++) {
    uint32_t worker = (uint32_t)ls_random_below(&random, workers);
    uint64_t units = 1 + ls_random_below(&random, 4);
    chunks[count] = (struct ls_plan_chunk){.worker = worker, .units = (double)units};
    units_total += units;
  }
  driver_prepare(&driver, policy, units_total, workers);
  plan.chunks_count = count;
  driver.setup.plan = &plan;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  uint32_t lost = (uint32_t)ls_random_below(&random, workers);
  for (size_t pushes = 0; pushes <= 200; pushes++) {
    uint32_t worker = 0;
    uint64_t units = 0;
    if (pushes == at && workers > 1) {
      driver_lose(&driver, lost, held[lost]);
      held[lost] = 0;
    }
    if (!driver_push(&driver, &worker, &units)) {
      if (pushes >= at) break;
      continue;
    }
    assert_true(units >= 1 && driver.is_present[worker]);
    if (pushes < at)
      assert_true(worker == chunks[pushes].worker && units == (uint64_t)chunks[pushes].units);
    held[worker] += units;
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < DRIVER_WORKERS_MAX; i++) sum += held[i];
  assert_int_equal(sum, units_total);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void pushed_plans_lose_nothing(void **state) {
  size_t covered = 0;
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    if (!ls_chunkings[i]->is_pushed) continue;
    covered++;
    for (uint64_t seed = 0; seed < 1000; seed++) {
      for (size_t at = 0; at <= 8; at++) push_with_loss(ls_chunkings[i], seed, at);
    }
  }
  assert_true(covered >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_unit_is_handed_out_exactly_once),
      cmocka_unit_test(batch_sizes_never_grow),
      cmocka_unit_test(equal_weights_make_wf2_fac2),
      cmocka_unit_test(measured_weights_make_awf_b_wf2),
      cmocka_unit_test(losses_and_joins_at_every_decision_lose_nothing),
      cmocka_unit_test(pushed_plans_lose_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
