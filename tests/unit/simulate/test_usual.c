/* The short way of usual chunks is that of all others: every random world is played with a
 * timeline, which forbids the short way, and without, which allows it. All digits agree. */
#include "support.h"

#include "base/random.h"

enum { WORKERS_MAX = 7, UNITS_MAX = 150, ITERATIONS_MAX = 3, CHANGES = 2 };

struct scene {
  struct ls_platform platform;
  struct ls_simulation setup;
  struct ls_simulated_iteration iterations[2][ITERATIONS_MAX];
  struct ls_simulated_change leave[CHANGES], join[CHANGES];
  struct ls_simulated_pause pause;
  struct ls_availability piece;
  const struct ls_availability *pieces[WORKERS_MAX];
  size_t pieces_count[WORKERS_MAX];
  double work[UNITS_MAX * ITERATIONS_MAX];
};

static bool chance(struct ls_random *random, uint64_t of) {
  return ls_random_below(random, of) == 0;
}

/* Times on a coarse grid meet each other often, which is where the order matters. */
static double draw_time(struct ls_random *random, bool is_coarse) {
  return is_coarse ? 0.5 * (double)(1 + ls_random_below(random, 4)) : 0.25 + ls_random_real(random);
}

static void draw_platform(struct scene *scene, struct ls_random *random, bool is_coarse) {
  open_platform(&scene->platform, 2 + ls_random_below(random, WORKERS_MAX - 1));
  for (size_t i = 0; i < scene->platform.workers_count; i++) {
    struct ls_worker_model *worker = &scene->platform.workers[i];
    worker->compute.per_unit_s = draw_time(random, is_coarse);
    if (chance(random, 4)) worker->compute.latency_s = 0.5;
    /* Some workers are not direct. */
    if (chance(random, 6)) worker->transfer.latency_s = 0.25;
    if (chance(random, 6)) worker->reply.per_unit_s = 0.125;
    if (chance(random, 6)) worker->delay_s = 0.5;
    if (chance(random, 8)) worker->send.latency_s = 0.25;
    if (chance(random, 8)) worker->receive.latency_s = 0.25;
  }
  if (chance(random, 8)) scene->platform.workers[0].is_on_master = true;
  if (chance(random, 8)) scene->platform.prepare.latency_s = 0.125;
  if (chance(random, 8)) scene->platform.ports = LS_PORTS_ONE;
}

/* Worker 0 stays, so that every run ends. */
static void draw_changes(struct scene *scene, struct ls_random *random) {
  struct ls_simulation *setup = &scene->setup;
  uint32_t last = (uint32_t)scene->platform.workers_count - 1;
  if (chance(random, 3)) {
    scene->leave[0] = (struct ls_simulated_change){last, 0.5 * (double)ls_random_below(random, 20)};
    setup->leave = scene->leave;
    setup->leave_count = 1;
  } else if (chance(random, 3)) {
    double from_s = 0.5 * (double)ls_random_below(random, 20);
    scene->pause = (struct ls_simulated_pause){last, from_s, from_s + 1.5};
    setup->pauses = &scene->pause;
    setup->pauses_count = 1;
  } else if (chance(random, 3)) {
    scene->join[0] = (struct ls_simulated_change){last, 2.5};
    setup->join = scene->join;
    setup->join_count = 1;
  }
  if (chance(random, 6)) setup->reclaim.probability = 0.5;
  if (chance(random, 6)) {
    scene->piece = (struct ls_availability){3, 0.5};
    scene->pieces[0] = &scene->piece;
    scene->pieces_count[0] = 1;
    setup->availability = scene->pieces;
    setup->availability_count = scene->pieces_count;
  }
}

static void draw_scene(struct scene *scene, uint64_t seed) {
  static const char *const names[] = {"ss", "ss", "gss", "fac2", "sc", "tss", "rand", "wf2", "af"};
  struct ls_random random;
  memset(scene, 0, sizeof *scene);
  ls_random_init(&random, seed, "usual worlds");
  bool is_coarse = chance(&random, 2);
  draw_platform(scene, &random, is_coarse);
  uint64_t units = 1 + ls_random_below(&random, UNITS_MAX);
  struct ls_simulation *setup = &scene->setup;
  *setup = make_simulation(&scene->platform, names[ls_random_below(&random, 9)], units);
  setup->config.mean_seconds = 1;
  setup->config.deviation_seconds = 0.3;
  setup->config.overhead_seconds = 0.1;
  setup->config.seed = seed;
  setup->config.is_exact = false;
  setup->prefetch = chance(&random, 4) ? 2 : 0;
  setup->iterations = 1 + (uint32_t)ls_random_below(&random, ITERATIONS_MAX);
  if (chance(&random, 2)) {
    for (size_t i = 0; i < UNITS_MAX * ITERATIONS_MAX; i++)
      scene->work[i] = draw_time(&random, is_coarse);
    setup->task_work = scene->work;
  }
  draw_changes(scene, &random);
}

static void assert_same(double got, double expected, const char *what, uint64_t seed) {
  if (!(got >= expected && got <= expected))
    fail_msg("seed %u: %s is %.17g, expected %.17g", (unsigned)seed, what, got, expected);
}

static void compare(const struct scene *scene, const struct ls_simulated *results, uint64_t seed) {
  assert_same(results[1].makespan_s, results[0].makespan_s, "makespan", seed);
  assert_same(results[1].efficiency, results[0].efficiency, "efficiency", seed);
  assert_same(results[1].up_s, results[0].up_s, "up", seed);
  assert_int_equal(results[1].chunks, results[0].chunks);
  assert_int_equal(results[1].units_done, results[0].units_done);
  assert_int_equal(results[1].reclaims, results[0].reclaims);
  for (size_t k = 0; k < scene->setup.iterations; k++) {
    const struct ls_simulated_iteration *got = &scene->iterations[1][k];
    const struct ls_simulated_iteration *expected = &scene->iterations[0][k];
    assert_same(got->end_s, expected->end_s, "end", seed);
    assert_same(got->useful_s, expected->useful_s, "useful", seed);
    assert_int_equal(got->workers, expected->workers);
  }
}

/* Runs that cannot end (a machine taken away for ever holds what only it may do) agree, too. */
static void the_short_way_is_that_of_all_others(void **state) {
  (void)state;
  static struct scene scene;
  size_t ended = 0;
  for (uint64_t seed = 0; seed < 3000; seed++) {
    draw_scene(&scene, seed);
    struct ls_simulated results[2] = {{.chunks = 0}, {.chunks = 0}};
    struct ls_error errors[2] = {{0}, {0}};
    enum ls_status statuses[2];
    for (size_t i = 0; i < 2; i++) {
      struct ls_timeline timeline;
      ls_timeline_init(&timeline);
      scene.setup.iterations_out = scene.iterations[i];
      scene.setup.config.is_exact = i == 0 && seed % 2;
      statuses[i] = ls_simulate(&scene.setup, &results[i], i == 0 ? &timeline : NULL, &errors[i]);
      ls_timeline_close(&timeline);
    }
    assert_int_equal(statuses[1], statuses[0]);
    assert_string_equal(errors[1].text, errors[0].text);
    if (statuses[0] == LS_OK) {
      compare(&scene, results, seed);
      ended++;
    }
    ls_platform_close(&scene.platform);
  }
  assert_true(ended > 2500);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_short_way_is_that_of_all_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
