/* The properties of every platform and every plan, on a thousand seeded ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/bound_of.h"
#include "../support/long_run.h"
#include "base/statistics.h"
#include "formats/plan_json.h"
#include "formats/platform_json.h"
#include "model/account_worker.h"
#include "model/certificate.h"
#include "model/load.h"
#include "model/metrics.h"
#include "model/replay.h"
#include "model/validate.h"
#include "random_model.h"

enum { SEEDS = 1000 };

static uint64_t count_enumerated(void) {
  return cases_of(3000, 300);
}

struct scene {
  struct ls_random random;
  struct ls_platform platform;
  struct ls_plan plan;
};

static void open_scene(struct scene *scene, uint64_t seed) {
  ls_random_init(&scene->random, seed, "model properties");
  random_platform(&scene->random, &scene->platform);
  random_plan(&scene->random, &scene->platform, &scene->plan);
}

static void open_replayed(struct scene *scene, uint64_t seed) {
  open_scene(scene, seed);
  struct ls_error err;
  if (ls_replay(&scene->plan, &scene->platform, &err) != LS_OK) {
    fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
  }
}

static void close_scene(struct scene *scene) {
  ls_plan_close(&scene->plan);
  ls_platform_close(&scene->platform);
}

static void require(uint64_t seed, enum ls_status status, const struct ls_error *err) {
  if (status != LS_OK) fail_msg("seed %llu: %s", (unsigned long long)seed, err->text);
}

static bool is_near(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static void every_random_platform_passes_its_check(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_error err;
    open_scene(&scene, seed);
    require(seed, ls_platform_check(&scene.platform, &err), &err);
    close_scene(&scene);
  }
}

static void every_replay_is_valid(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_error err;
    open_replayed(&scene, seed);
    require(seed, ls_validate_plan(&scene.plan, &scene.platform, &err), &err);
    close_scene(&scene);
  }
}

static void makespan_alone_has_the_same_digits(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_error err;
    double makespan_s = -1;
    open_scene(&scene, seed);
    require(seed, ls_replay_makespan(&scene.plan, &scene.platform, &makespan_s, &err), &err);
    assert_true(isnan(scene.plan.makespan_s));
    require(seed, ls_replay(&scene.plan, &scene.platform, &err), &err);
    if (!(makespan_s == scene.plan.makespan_s)) {
      fail_msg("seed %llu: %.17g, %.17g", (unsigned long long)seed, makespan_s,
               scene.plan.makespan_s);
    }
    close_scene(&scene);
  }
}

static void no_plan_is_below_the_lower_bound(void **state) {
  (void)state;
  int close = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_replayed(&scene, seed);
    struct ls_lower_bound bound = bound_of(&scene.platform, scene.plan.load);
    if (!(scene.plan.makespan_s >= bound.bound_s * (1 - 1e-12))) {
      fail_msg("seed %llu: makespan %.17g, bound %.17g (%s)", (unsigned long long)seed,
               scene.plan.makespan_s, bound.bound_s, bound.name);
    }
    close += bound.bound_s > 0.5 * scene.plan.makespan_s;
    close_scene(&scene);
  }
  /* A bound of 0 would pass, too: it must be near for many. */
  assert_true(close > SEEDS / 10);
}

enum { UNITS_MOST = 8 };

/* All plans of so many whole units. */
struct enumeration {
  const struct ls_platform *platform;
  uint64_t seed;
  double load, least_s;
  double units[UNITS_MOST];
  uint32_t workers[UNITS_MOST];
};

static void play_all(struct enumeration *all, size_t count, uint64_t left) {
  if (left == 0) {
    struct ls_plan plan;
    double makespan_s = 0;
    ls_plan_init(&plan, "enumerated", all->load);
    for (size_t i = 0; i < count; i++) ls_plan_add(&plan, all->workers[i], 0, all->units[i]);
    assert_int_equal(ls_plan_finish(&plan, NULL), LS_OK);
    assert_int_equal(ls_replay_makespan(&plan, all->platform, &makespan_s, NULL), LS_OK);
    ls_plan_close(&plan);
    all->least_s = fmin(all->least_s, makespan_s);
    return;
  }
  for (uint64_t units = 1; units <= left && count < UNITS_MOST; units++) {
    for (uint32_t i = 0; i < all->platform->workers_count; i++) {
      if (!ls_worker_takes(&all->platform->workers[i], (double)units)) continue;
      all->units[count] = (double)units;
      all->workers[count] = i;
      play_all(all, count + 1, left - units);
    }
  }
}

/* Readers, a storage, rooms and costs of one station alone, which random platforms have not. */
static void vary_platform(struct ls_random *random, struct ls_platform *platform) {
  bool has_stage = ls_random_below(random, 3) == 0, is_plain = ls_random_below(random, 3) == 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    if (is_plain && worker->windows_count == 0) {
      worker->costs[LS_OPERATION_SEND] = (struct ls_cost){0, 0};
      worker->costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0, 0};
      worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 0.2 + ls_random_real(random);
    }
    if (has_stage && worker->windows_count == 0)
      worker->costs[LS_OPERATION_STAGE] = random_operation(random, 0.5);
    if (ls_random_below(random, 4) == 0)
      worker->room_units = 2 + (double)ls_random_below(random, 3);
  }
  if (has_stage) platform->storage_readers = ls_random_below(random, 3);
  if (has_stage) platform->stage_ahead = (uint32_t)ls_random_below(random, 3);
}

static void the_best_of_all_plans_is_not_below_the_lower_bound(void **state) {
  (void)state;
  int near = 0, found = 0;
  for (uint64_t seed = 0; seed < count_enumerated(); seed++) {
    struct ls_random random;
    struct ls_platform platform;
    ls_random_init(&random, seed, "all plans");
    do {
      random_platform(&random, &platform);
      if (platform.workers_count <= 3) break;
      ls_platform_close(&platform);
    } while (true);
    vary_platform(&random, &platform);
    uint64_t load = 1 + ls_random_below(&random, seed % 50 == 0 ? UNITS_MOST : 5);
    struct enumeration all = {&platform, seed, (double)load, (double)INFINITY, {0}, {0}};
    play_all(&all, 0, load);
    struct ls_lower_bound bound = bound_of(&platform, all.load);
    if (!(all.least_s >= bound.bound_s * (1 - 1e-12))) {
      fail_msg("seed %llu: best of all plans %.17g, bound %.17g (%s)", (unsigned long long)seed,
               all.least_s, bound.bound_s, bound.name);
    }
    found += isfinite(all.least_s);
    near += bound.bound_s > 0.8 * all.least_s;
    ls_platform_close(&platform);
  }
  /* A bound of 0 would pass, too. */
  assert_true(near * 3 > found);
}

/* The formulas of docs/theory/umr.md, 2, written down once more: two ports, no sharing. */
static double replay_by_formula(const struct ls_plan *plan, const struct ls_platform *platform) {
  double m = 0, net = 0, back = 0, end = 0;
  double free_s[8] = {0}, computed[64];
  bool is_done[64] = {false};
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    const struct ls_worker_model *worker = &platform->workers[chunk->worker];
    double x = chunk->units;
    const struct ls_cost *costs = ls_worker_costs(worker, x);
    m += ls_cost_time(&platform->prepare, x) + ls_cost_time(&costs[LS_OPERATION_SEND], x);
    net = fmax(net, m) + ls_cost_time(&costs[LS_OPERATION_TRANSFER], x);
    free_s[chunk->worker] = fmax(net + worker->delay_s, free_s[chunk->worker]) +
                            ls_cost_time(&costs[LS_OPERATION_RECEIVE], x) +
                            ls_cost_time(&costs[LS_OPERATION_COMPUTE], x);
    computed[i] = free_s[chunk->worker];
    end = fmax(end, computed[i]);
  }
  size_t replies = plan->has_returns ? plan->returns_count : plan->chunks_count;
  for (size_t k = 0; k < replies; k++) {
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < plan->chunks_count; i++) {
      if (!is_done[i] && (next == SIZE_MAX || computed[i] < computed[next])) next = i;
    }
    if (plan->has_returns) next = plan->returns[k];
    is_done[next] = true;
    const struct ls_plan_chunk *chunk = &plan->chunks[next];
    double reply_s = ls_cost_time(
        &ls_worker_costs(&platform->workers[chunk->worker], chunk->units)[LS_OPERATION_REPLY],
        chunk->units);
    if (!plan->has_returns && !(reply_s > 0)) continue;
    back = fmax(back, computed[next]) + reply_s;
    end = fmax(end, back);
  }
  return end;
}

static void two_port_replay_follows_the_formulas(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_scene(&scene, seed);
    scene.platform.ports = LS_PORTS_TWO;
    assert_int_equal(ls_replay(&scene.plan, &scene.platform, NULL), LS_OK);
    assert_true(is_near(scene.plan.makespan_s, replay_by_formula(&scene.plan, &scene.platform)));
    close_scene(&scene);
  }
}

/* One transfer at a time is what two-port means. */
static void multi_port_with_limit_one_is_two_port(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    double two_s, multi_s;
    open_scene(&scene, seed);
    scene.platform.ports = LS_PORTS_TWO;
    assert_int_equal(ls_replay_makespan(&scene.plan, &scene.platform, &two_s, NULL), LS_OK);
    scene.platform.ports = LS_PORTS_MULTI;
    scene.platform.ports_limit = 1;
    assert_int_equal(ls_replay_makespan(&scene.plan, &scene.platform, &multi_s, NULL), LS_OK);
    if (!is_near(two_s, multi_s)) {
      fail_msg("seed %llu: %.17g, %.17g", (unsigned long long)seed, two_s, multi_s);
    }
    close_scene(&scene);
  }
}

static void scale_cost(struct ls_cost *cost, double factor) {
  cost->latency_s *= factor;
  cost->per_unit_s *= factor;
}

/* A power of two loses no digit, so the makespan scales exactly. */
static void slower_clocks_change_nothing_else(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_replayed(&scene, seed);
    double before_s = scene.plan.makespan_s;
    scale_cost(&scene.platform.prepare, 4);
    for (size_t i = 0; i < scene.platform.workers_count; i++) {
      struct ls_worker_model *worker = &scene.platform.workers[i];
      scale_cost(&worker->costs[LS_OPERATION_SEND], 4);
      scale_cost(&worker->costs[LS_OPERATION_TRANSFER], 4);
      scale_cost(&worker->costs[LS_OPERATION_RECEIVE], 4);
      scale_cost(&worker->costs[LS_OPERATION_COMPUTE], 4);
      scale_cost(&worker->costs[LS_OPERATION_REPLY], 4);
      scale_windows(&scene.platform, worker, 1, 4);
      worker->delay_s *= 4;
    }
    assert_int_equal(ls_replay(&scene.plan, &scene.platform, NULL), LS_OK);
    assert_true(scene.plan.makespan_s == 4 * before_s);
    close_scene(&scene);
  }
}

static void timelines_of_replays_are_valid(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_timeline timeline;
    struct ls_metrics metrics;
    struct ls_worker_metrics workers[8];
    struct ls_error err;
    double units[8], total = 0;
    open_replayed(&scene, seed);
    require(seed, ls_replay_timeline(&scene.plan, &scene.platform, &timeline, &err), &err);
    require(seed, ls_validate_timeline(&timeline, &err), &err);
    ls_metrics_of(&timeline, &metrics, workers);
    assert_true(metrics.makespan_s == scene.plan.makespan_s);
    assert_true(metrics.efficiency >= 0 && metrics.efficiency <= 1 + 1e-9);
    ls_plan_units(&scene.plan, scene.platform.workers_count, units);
    for (size_t i = 0; i < scene.platform.workers_count; i++) {
      assert_true(is_near(workers[i].units, units[i]));
      /* Whoever gets nothing is not taken. */
      double there_s = units[i] > 0 ? metrics.makespan_s : 0;
      assert_true(is_near(workers[i].busy_s + workers[i].idle_s, there_s));
      total += units[i];
    }
    assert_true(is_near(total, scene.plan.load));
    ls_timeline_close(&timeline);
    close_scene(&scene);
  }
}

/* Units per second of the chunks of a worker, each by its window, but for their latencies; without
 * a chunk of its one or cheapest window. */
static double find_speed(const struct scene *scene, uint32_t number) {
  const struct ls_worker_model *worker = &scene->platform.workers[number];
  double units = 0, seconds = 0;
  for (size_t i = 0; i < scene->plan.chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &scene->plan.chunks[i];
    if (chunk->worker != number) continue;
    const struct ls_cost *costs = ls_worker_costs(worker, chunk->units);
    units += chunk->units;
    seconds += chunk->units * costs[LS_OPERATION_RECEIVE].per_unit_s;
    seconds += chunk->units * costs[LS_OPERATION_COMPUTE].per_unit_s;
  }
  if (units > 0) return units / seconds;
  return 1 / (worker->costs[LS_OPERATION_RECEIVE].per_unit_s +
              worker->costs[LS_OPERATION_COMPUTE].per_unit_s);
}

static double sum_latencies(const struct scene *scene, uint32_t number) {
  double seconds = 0;
  for (size_t i = 0; i < scene->plan.chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &scene->plan.chunks[i];
    if (chunk->worker == number)
      seconds += ls_account_fixed_s(&scene->platform, number, chunk->units);
  }
  return seconds;
}

/* The parts of the certificate and the latencies are the whole way to the makespan. */
static void certificates_add_up(void **state) {
  (void)state;
  int checked = 0, with_windows = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_certificate certificate;
    open_replayed(&scene, seed);
    assert_int_equal(ls_certificate_of(&scene.plan, &scene.platform, &certificate, NULL), LS_OK);
    if (!isnan(certificate.start_up_s)) {
      double speed = 0, latency_s = 0;
      for (uint32_t i = 0; i < scene.platform.workers_count; i++) {
        double own = find_speed(&scene, i);
        speed += own;
        latency_s += own * sum_latencies(&scene, i);
      }
      latency_s /= speed;
      double sum_s = scene.plan.load / speed + latency_s + certificate.start_up_s +
                     certificate.port_wait_s + certificate.imbalance_s + certificate.tail_s;
      assert_true(is_near(sum_s, scene.plan.makespan_s));
      assert_true(certificate.start_up_s >= 0 && certificate.port_wait_s >= 0);
      assert_true(certificate.imbalance_s >= 0 && certificate.tail_s >= 0);
      checked++;
      with_windows += ls_platform_has_windows(&scene.platform);
    }
    close_scene(&scene);
  }
  assert_true(checked > SEEDS / 10 && with_windows > 10);
}

static void assert_same_cost(const struct ls_cost *a, const struct ls_cost *b) {
  assert_true(a->latency_s == b->latency_s);
  assert_true(a->per_unit_s == b->per_unit_s);
}

static void assert_same_platform(const struct ls_platform *a, const struct ls_platform *b) {
  assert_int_equal(a->workers_count, b->workers_count);
  for (size_t i = 0; i < a->workers_count; i++) {
    const struct ls_worker_model *v = &a->workers[i], *w = &b->workers[i];
    assert_string_equal(v->name, w->name);
    assert_same_cost(&v->costs[LS_OPERATION_SEND], &w->costs[LS_OPERATION_SEND]);
    assert_same_cost(&v->costs[LS_OPERATION_TRANSFER], &w->costs[LS_OPERATION_TRANSFER]);
    assert_same_cost(&v->costs[LS_OPERATION_RECEIVE], &w->costs[LS_OPERATION_RECEIVE]);
    assert_same_cost(&v->costs[LS_OPERATION_COMPUTE], &w->costs[LS_OPERATION_COMPUTE]);
    assert_same_cost(&v->costs[LS_OPERATION_REPLY], &w->costs[LS_OPERATION_REPLY]);
    assert_true(v->delay_s == w->delay_s);
    assert_true(v->window_from == w->window_from && v->window_to == w->window_to);
    assert_true(v->price_per_s == w->price_per_s);
    assert_int_equal(v->is_on_master, w->is_on_master);
  }
  assert_same_cost(&a->prepare, &b->prepare);
  assert_true(a->master_share == b->master_share);
  assert_int_equal(a->ports, b->ports);
  assert_true(a->ports_alpha == b->ports_alpha);
  assert_true(a->ports_limit == b->ports_limit);
}

static void platforms_survive_their_json(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_platform again;
    struct ls_error err;
    struct ls_bytes text = {0};
    open_scene(&scene, seed);
    ls_platform_write(&scene.platform, &text);
    require(seed,
            ls_platform_read(&again, (struct ls_text){text.data, text.length, "p.json"}, &err),
            &err);
    assert_same_platform(&scene.platform, &again);
    ls_platform_close(&again);
    ls_bytes_close(&text);
    close_scene(&scene);
  }
}

static bool is_same_time(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void plans_survive_their_json(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_plan again;
    struct ls_error err;
    struct ls_bytes text = {0}, text_again = {0};
    open_replayed(&scene, seed);
    ls_plan_write(&scene.plan, &scene.platform, &text);
    require(seed,
            ls_plan_read(&again, (struct ls_text){text.data, text.length, "plan.json"},
                         &scene.platform, &err),
            &err);
    assert_int_equal(again.chunks_count, scene.plan.chunks_count);
    for (size_t i = 0; i < again.chunks_count; i++) {
      const struct ls_plan_chunk *a = &scene.plan.chunks[i], *b = &again.chunks[i];
      assert_int_equal(a->worker, b->worker);
      assert_int_equal(a->round, b->round);
      assert_true(a->units == b->units);
      assert_true(is_same_time(a->compute_end_s, b->compute_end_s));
      assert_true(is_same_time(a->reply_end_s, b->reply_end_s));
    }
    assert_true(again.makespan_s == scene.plan.makespan_s);
    assert_true(ls_plan_get(&again, "theta", -1) == ls_plan_get(&scene.plan, "theta", -2));
    ls_plan_write(&again, &scene.platform, &text_again);
    assert_string_equal(ls_bytes_text(&text), ls_bytes_text(&text_again));
    ls_bytes_close(&text_again);
    ls_bytes_close(&text);
    ls_plan_close(&again);
    close_scene(&scene);
  }
}

static void rounding_preserves_sums_and_order(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    double shares[20], sum = 0;
    uint64_t units[20], given = 0;
    ls_random_init(&random, seed, "rounding");
    size_t count = 1 + ls_random_below(&random, 20);
    uint64_t total = ls_random_below(&random, 1000);
    for (size_t i = 0; i < count; i++) {
      shares[i] = random_cost(&random, 10);
      sum += shares[i];
    }
    assert_int_equal(ls_load_round(shares, count, total, units, NULL), LS_OK);
    for (size_t i = 0; i < count; i++) {
      given += units[i];
      double exact = sum > 0 ? shares[i] * (double)total / sum : (double)total / (double)count;
      assert_true(fabs((double)units[i] - exact) < 1 + 1e-9);
      if (sum > 0 && shares[i] == 0) assert_int_equal(units[i], 0);
      for (size_t j = 0; j < i; j++) {
        if (shares[j] >= shares[i]) assert_true(units[j] >= units[i]);
      }
    }
    assert_true(given == total);
  }
}

static void whole_plans_keep_the_load(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_error err;
    open_scene(&scene, seed);
    scene.plan.load = floor(scene.plan.load + 0.5);
    /* Rounding alone knows no windows. */
    for (size_t i = 0; i < scene.platform.workers_count; i++)
      if (scene.platform.workers[i].windows_count > 0) forget_windows(&scene.platform.workers[i]);
    require(seed, ls_plan_make_whole(&scene.plan, &scene.platform, &err), &err);
    if (scene.plan.chunks_count > 0) {
      assert_true(ls_plan_is_whole(&scene.plan));
      require(seed, ls_replay(&scene.plan, &scene.platform, &err), &err);
      require(seed, ls_validate_plan(&scene.plan, &scene.platform, &err), &err);
    }
    close_scene(&scene);
  }
}

/* Plants one fault into a replayed plan; false where this kind needs another plan. */
static bool plant_fault(struct scene *scene, uint64_t kind) {
  struct ls_plan *plan = &scene->plan;
  if (plan->chunks_count == 0) return false;
  struct ls_plan_chunk *chunk = &plan->chunks[ls_random_below(&scene->random, plan->chunks_count)];
  switch (kind) {
    case 0:
      chunk->units *= 1.5;
      return true;
    case 1:
      chunk->compute_end_s += 0.25;
      return true;
    case 2:
      chunk->send_start_s = -1;
      return true;
    case 3:
      plan->makespan_s *= 0.5;
      return plan->makespan_s > 0.1;
    case 4:
      chunk->worker = (uint32_t)scene->platform.workers_count;
      return true;
    case 5:
      chunk->transfer_end_s = chunk->compute_start_s + 1;
      return true;
    case 6:
      if (isnan(chunk->reply_start_s)) return false;
      chunk->reply_start_s = chunk->compute_end_s - 1;
      return true;
    case 7:
      chunk->reply_start_s = isnan(chunk->reply_start_s) ? 1e3 : (double)NAN;
      return true;
    default:
      chunk->compute_start_s = (double)NAN;
      return true;
  }
}

static void planted_faults_are_found(void **state) {
  (void)state;
  int planted[9] = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_error err;
    open_replayed(&scene, seed);
    uint64_t kind = seed % 9;
    if (plant_fault(&scene, kind)) {
      planted[kind]++;
      if (ls_validate_plan(&scene.plan, &scene.platform, &err) != LS_EINVAL) {
        fail_msg("seed %llu: fault %llu was not seen", (unsigned long long)seed,
                 (unsigned long long)kind);
      }
    }
    close_scene(&scene);
  }
  for (int kind = 0; kind < 9; kind++) assert_true(planted[kind] > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_random_platform_passes_its_check),
      cmocka_unit_test(every_replay_is_valid),
      cmocka_unit_test(makespan_alone_has_the_same_digits),
      cmocka_unit_test(no_plan_is_below_the_lower_bound),
      cmocka_unit_test(the_best_of_all_plans_is_not_below_the_lower_bound),
      cmocka_unit_test(two_port_replay_follows_the_formulas),
      cmocka_unit_test(multi_port_with_limit_one_is_two_port),
      cmocka_unit_test(slower_clocks_change_nothing_else),
      cmocka_unit_test(timelines_of_replays_are_valid),
      cmocka_unit_test(certificates_add_up),
      cmocka_unit_test(platforms_survive_their_json),
      cmocka_unit_test(plans_survive_their_json),
      cmocka_unit_test(rounding_preserves_sums_and_order),
      cmocka_unit_test(whole_plans_keep_the_load),
      cmocka_unit_test(planted_faults_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
