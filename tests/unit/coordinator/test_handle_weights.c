/* Policies that need weights get those that the workers show, where nobody told any. */
#include "harness.h"

#include "policies/chunking.h"

static struct ls_coordinator_config config_of(const char *policy) {
  struct ls_coordinator_config config = rig_config(1);
  config.chunking = ls_chunking_find(policy);
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  config.learns_weights = true;
  return config;
}

static void open_two(struct rig *rig, const struct ls_coordinator_config *config, uint64_t units) {
  rig_open(rig, config);
  rig_iteration(rig, units);
  for (uint32_t i = 0; i < 2; i++) rig_at(rig, 0, LS_EVENT_JOINED, i);
}

/* The units that a request of the worker brings it; `*chunk` and `*first` are those of its chunk.
 */
static uint64_t ask(struct rig *rig, double now_s, uint32_t slot, uint64_t *chunk,
                    uint64_t *first) {
  rig_step(rig, rig_asking(now_s, slot, 1));
  for (size_t i = 0; i < rig->actions.count; i++) {
    const struct ls_action *action = &rig->actions.items[i];
    if (action->kind != LS_ACTION_SEND || action->worker != slot) continue;
    *chunk = action->send.chunk;
    *first = rig->actions.ranges[action->send.first_range].first;
    return action->send.units;
  }
  return 0;
}

/* Units from `first` on that took as long as each other. */
static void end(struct rig *rig, double now_s, uint32_t slot, uint64_t chunk, struct ls_range units,
                double unit_s) {
  double count = (double)units.count;
  rig_step(rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                  .now_s = now_s,
                                  .worker = slot,
                                  .result = {.chunk = chunk,
                                             .units = units,
                                             .outcome = LS_OUTCOME_DONE,
                                             .seconds = count * unit_s,
                                             .squares = count * unit_s * unit_s}});
}

/* Each worker ends `count` units of its first chunk of 8, and is asked how many it gets next. */
static void compare(const struct ls_coordinator_config *config, uint64_t count, uint64_t next[2]) {
  struct rig rig;
  uint64_t chunks[2], firsts[2];
  open_two(&rig, config, 32);
  for (uint32_t i = 0; i < 2; i++) assert_int_equal(ask(&rig, 0, i, &chunks[i], &firsts[i]), 8);
  for (uint32_t i = 0; i < 2; i++)
    end(&rig, 30, i, chunks[i], (struct ls_range){firsts[i], count}, i == 0 ? 1 : 3);
  for (uint32_t i = 0; i < 2; i++) next[i] = ask(&rig, 31, i, &chunks[i], &firsts[i]);
  rig_close(&rig);
}

static void three_units_make_a_weight(void **state) {
  uint64_t next[2];
  (void)state;
  struct ls_coordinator_config config = config_of("wf2");
  compare(&config, 2, next);
  assert_true(next[0] == 4 && next[1] == 4);
  compare(&config, 3, next);
  /* Of 16 units half are shared by 3 : 1, as far as so few are credible. */
  assert_true(next[0] == 6 && next[1] == 3);
}

static void the_rounds_of_wf_are_by_what_was_learnt(void **state) {
  struct rig rig;
  uint64_t chunks[2], firsts[2];
  (void)state;
  struct ls_coordinator_config config = config_of("wf");
  open_two(&rig, &config, 64);
  for (uint32_t i = 0; i < 2; i++) assert_int_equal(ask(&rig, 0, i, &chunks[i], &firsts[i]), 16);
  for (uint32_t i = 0; i < 2; i++)
    end(&rig, 60, i, chunks[i], (struct ls_range){firsts[i], 16}, i == 0 ? 1 : 3);
  assert_int_equal(ask(&rig, 60, 0, &chunks[0], &firsts[0]), 12);
  assert_int_equal(ask(&rig, 60, 1, &chunks[1], &firsts[1]), 4);
  rig_close(&rig);
}

static struct ls_event benchmark(uint32_t slot, double speed) {
  return (struct ls_event){.kind = LS_EVENT_HEARTBEAT, .worker = slot, .speed = speed};
}

/* The first chunks are by what workers measured when they joined. */
static void benchmarks_are_the_first_weights(void **state) {
  static const struct {
    const char *policy;
    uint64_t slow, fast;
  } cases[] = {{"wf2", 8, 24}, {"wf", 8, 24}, {"sc", 16, 48}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_coordinator_config config = config_of(cases[i].policy);
    struct rig rig;
    uint64_t chunk, first;
    open_two(&rig, &config, 64);
    rig_step(&rig, benchmark(0, 0.25));
    rig_step(&rig, benchmark(1, 0.75));
    assert_int_equal(ask(&rig, 0, 0, &chunk, &first), cases[i].slow);
    assert_int_equal(ask(&rig, 0, 1, &chunk, &first), cases[i].fast);
    rig_close(&rig);
  }
}

/* In the midst of a batch, too, that was opened while all were alike. */
static void a_late_benchmark_counts_at_once(void **state) {
  struct ls_coordinator_config config = config_of("wf2");
  struct rig rig;
  uint64_t chunk, first;
  (void)state;
  open_two(&rig, &config, 64);
  rig_step(&rig, benchmark(0, 1));
  assert_int_equal(ask(&rig, 0, 0, &chunk, &first), 16);
  rig_step(&rig, benchmark(1, 0.25));
  assert_int_equal(ask(&rig, 0, 1, &chunk, &first), 7);
  rig_close(&rig);
}

/* What units show counts, and is the measure of the benchmarks of those who have shown nothing. */
static void units_count_more_than_benchmarks(void **state) {
  struct ls_coordinator_config config = config_of("wf");
  struct rig rig;
  uint64_t chunks[2], firsts[2];
  (void)state;
  open_two(&rig, &config, 64);
  rig_step(&rig, benchmark(0, 0.5));
  rig_step(&rig, benchmark(1, 0.5));
  for (uint32_t i = 0; i < 2; i++) assert_int_equal(ask(&rig, 0, i, &chunks[i], &firsts[i]), 16);
  for (uint32_t i = 0; i < 2; i++)
    end(&rig, 60, i, chunks[i], (struct ls_range){firsts[i], 16}, i == 0 ? 1 : 3);
  assert_int_equal(ask(&rig, 60, 0, &chunks[0], &firsts[0]), 12);
  assert_int_equal(ask(&rig, 60, 1, &chunks[1], &firsts[1]), 4);
  rig_close(&rig);
}

/* Whoever was told weights, or learns nothing, has equal ones still. */
static void benchmarks_change_no_weight_that_was_told(void **state) {
  static const double weights[] = {1, 1};
  (void)state;
  for (int is_told = 0; is_told <= 1; is_told++) {
    struct ls_coordinator_config config = config_of("wf2");
    struct rig rig;
    uint64_t chunk, first;
    config.learns_weights = is_told;
    if (is_told) config.weights = weights;
    if (is_told) config.weights_count = 2;
    open_two(&rig, &config, 64);
    rig_step(&rig, benchmark(0, 0.25));
    assert_int_equal(ask(&rig, 0, 0, &chunk, &first), 16);
    rig_close(&rig);
  }
}

/* Who is told speeds keeps them, whatever is measured; and nothing is learnt unless it is wanted.
 */
static void what_is_told_stands(void **state) {
  static const double weights[] = {1, 1};
  uint64_t next[2];
  (void)state;
  struct ls_coordinator_config config = config_of("wf2");
  config.weights = weights;
  config.weights_count = 2;
  compare(&config, 8, next);
  assert_int_equal(next[0], next[1]);
  config = config_of("wf2");
  config.learns_weights = false;
  compare(&config, 8, next);
  assert_int_equal(next[0], next[1]);
}

/* A fresh worker in a slot is as any newcomer, and one that slows down is noticed. */
static void weights_follow_their_worker(void **state) {
  struct rig rig;
  uint64_t chunks[2], firsts[2];
  (void)state;
  struct ls_coordinator_config config = config_of("wf2");
  open_two(&rig, &config, 4096);
  for (uint32_t i = 0; i < 2; i++) (void)ask(&rig, 0, i, &chunks[i], &firsts[i]);
  for (uint32_t i = 0; i < 2; i++)
    end(&rig, 9, i, chunks[i], (struct ls_range){firsts[i], 8}, i == 0 ? 1 : 3);
  uint64_t fast = ask(&rig, 10, 0, &chunks[0], &firsts[0]);
  uint64_t slow = ask(&rig, 10, 1, &chunks[1], &firsts[1]);
  assert_true(fast > 2 * slow && fast < 3 * slow);
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_LOST, .now_s = 11, .worker = 1, .lost = LS_LOSS_RECLAIMED});
  rig_at(&rig, 12, LS_EVENT_JOINED, 1);
  uint64_t fresh = ask(&rig, 12, 1, &chunks[1], &firsts[1]);
  assert_true(fresh > slow);
  /* It is as slow as its predecessor. */
  end(&rig, 60, 1, chunks[1], (struct ls_range){firsts[1], 40}, 3);
  uint64_t known = ask(&rig, 61, 1, &chunks[1], &firsts[1]);
  uint64_t other = ask(&rig, 61, 0, &chunks[0], &firsts[0]);
  assert_true(known < other);
  rig_close(&rig);
}

/* The next iteration begins with what the last one showed. */
static void static_chunks_are_by_what_an_iteration_showed(void **state) {
  struct rig rig;
  uint64_t chunks[2], firsts[2];
  (void)state;
  struct ls_coordinator_config config = config_of("sc");
  open_two(&rig, &config, 16);
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(ask(&rig, 0, i, &chunks[i], &firsts[i]), 8);
    end(&rig, 24, i, chunks[i], (struct ls_range){firsts[i], 8}, i == 0 ? 1 : 3);
  }
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_ITERATION, .now_s = 25, .iteration_units = 16});
  assert_int_equal(ask(&rig, 25, 0, &chunks[0], &firsts[0]), 11);
  assert_int_equal(ask(&rig, 25, 1, &chunks[1], &firsts[1]), 5);
  rig_close(&rig);
}

static size_t two_or_one;

static size_t want_some(const struct ls_sizing_view *view, size_t most) {
  (void)view;
  return two_or_one < most ? two_or_one : most;
}

static const struct ls_sizing some = {
    .name = "some", .summary = "as told", .reference = "none", .wanted = want_some};

/* Each unit of an iteration goes to one worker; the first one takes three times as long, and is the
 * one that is released, though the other has the higher slot. */
static const char *run_unlike(struct rig *rig, bool learns) {
  static const double expected[] = {1, 1, 1, 1, 1, 1, 1, 1};
  struct ls_coordinator_config config = rig_config(1);
  const struct ls_coordinator_times times = {.expected = expected, .count = 8};
  config.sizing = &some;
  config.learns_speeds = learns;
  two_or_one = 2;
  rig_open(rig, &config);
  assert_int_equal(ls_coordinator_declare(rig->coordinator, &times, NULL), LS_OK);
  rig_start(rig, 2, 8);
  double now_s = 0;
  for (uint64_t i = 0; i < 8; i++) {
    uint32_t worker = i % 2;
    double seconds = worker == 0 ? 3 : 1;
    rig_at(rig, now_s += seconds, LS_EVENT_READY, worker);
    end(rig, now_s, worker, i, (struct ls_range){i, 1}, seconds);
  }
  two_or_one = 1;
  return rig_step(
      rig, (struct ls_event){.kind = LS_EVENT_ITERATION, .now_s = now_s, .iteration_units = 8});
}

static void the_slower_one_by_what_was_expected_is_released(void **state) {
  struct rig rig;
  (void)state;
  assert_string_equal(run_unlike(&rig, true), "release worker 0");
  rig_close(&rig);
  assert_string_equal(run_unlike(&rig, false), "release worker 1");
  rig_close(&rig);
}

/* Who has done nothing yet is released by its benchmark, or by what an earlier run says of its
 * machine, unless speeds are told or not learnt. */
static const char *release_unknown(struct rig *rig, bool learns, bool is_past) {
  static const double expected[] = {1, 1, 1, 1};
  static const struct ls_coordinator_host hosts[] = {{5, 1.5}, {7, 0.5}, {9, 1}};
  struct ls_coordinator_config config = rig_config(1);
  const struct ls_coordinator_times times = {.expected = expected, .count = 4};
  config.sizing = &some;
  config.learns_speeds = learns;
  if (is_past) {
    config.hosts = hosts;
    config.hosts_count = 3;
  }
  two_or_one = 2;
  rig_open(rig, &config);
  assert_int_equal(ls_coordinator_declare(rig->coordinator, &times, NULL), LS_OK);
  rig_step(rig, (struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = 4});
  for (uint32_t worker = 0; worker < 2; worker++) {
    rig_step(rig,
             (struct ls_event){
                 .kind = LS_EVENT_JOINED, .worker = worker, .joined.place = worker == 0 ? 7 : 5});
    struct ls_event beat = {.kind = LS_EVENT_HEARTBEAT, .worker = worker};
    if (!is_past) beat.speed = worker == 0 ? 0.3 : 0.6;
    rig_step(rig, beat);
  }
  for (uint64_t i = 0; i < 4; i++) {
    rig_at(rig, (double)i, LS_EVENT_READY, i % 2);
    end(rig, (double)i, i % 2, i, (struct ls_range){i, 1}, 1);
  }
  two_or_one = 1;
  return rig_step(rig,
                  (struct ls_event){.kind = LS_EVENT_ITERATION, .now_s = 4, .iteration_units = 4});
}

static void the_slower_one_by_its_benchmark_is_released(void **state) {
  struct rig rig;
  (void)state;
  for (int is_past = 0; is_past < 2; is_past++) {
    assert_string_equal(release_unknown(&rig, true, is_past), "release worker 0");
    rig_close(&rig);
    assert_string_equal(release_unknown(&rig, false, is_past), "release worker 1");
    rig_close(&rig);
  }
}

/* Both wait, the slower one for longer: the list begins with the fastest, if speeds are learnt. */
static void the_fastest_has_the_head_of_the_list(void **state) {
  static const double expected[] = {5, 4, 3, 2, 1, 1, 1, 1};
  (void)state;
  for (int learns = 0; learns < 2; learns++) {
    struct rig rig;
    struct ls_coordinator_config config = rig_config(1);
    const struct ls_coordinator_times times = {.expected = expected, .count = 8};
    config.ordering = ls_ordering_find("lptf");
    config.learns_speeds = learns != 0;
    rig_open(&rig, &config);
    assert_int_equal(ls_coordinator_declare(rig.coordinator, &times, NULL), LS_OK);
    rig_start(&rig, 2, 8);
    double now_s = 0;
    for (uint64_t i = 0; i < 8; i++) {
      uint32_t worker = i % 2;
      double seconds = expected[i] * (worker == 0 ? 3 : 1);
      rig_at(&rig, now_s += seconds, LS_EVENT_READY, worker);
      end(&rig, now_s, worker, i, (struct ls_range){i, 1}, seconds);
    }
    for (uint32_t worker = 0; worker < 2; worker++) rig_at(&rig, now_s, LS_EVENT_READY, worker);
    const char *sent = rig_step(
        &rig, (struct ls_event){.kind = LS_EVENT_ITERATION, .now_s = now_s, .iteration_units = 8});
    assert_string_equal(sent, learns ? "send worker 1 chunk 8: 0+1; send worker 0 chunk 9: 1+1"
                                     : "send worker 0 chunk 8: 0+1; send worker 1 chunk 9: 1+1");
    rig_close(&rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_slower_one_by_what_was_expected_is_released),
      cmocka_unit_test(the_slower_one_by_its_benchmark_is_released),
      cmocka_unit_test(the_fastest_has_the_head_of_the_list),
      cmocka_unit_test(three_units_make_a_weight),
      cmocka_unit_test(benchmarks_are_the_first_weights),
      cmocka_unit_test(a_late_benchmark_counts_at_once),
      cmocka_unit_test(units_count_more_than_benchmarks),
      cmocka_unit_test(benchmarks_change_no_weight_that_was_told),
      cmocka_unit_test(the_rounds_of_wf_are_by_what_was_learnt),
      cmocka_unit_test(what_is_told_stands),
      cmocka_unit_test(weights_follow_their_worker),
      cmocka_unit_test(static_chunks_are_by_what_an_iteration_showed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
