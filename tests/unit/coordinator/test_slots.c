/* A pool that replaces its workers for ever runs as on its first day: a slot is used again, so that
 * nothing grows with the number of workers that ever came.
 *
 * The allocator is wrapped by the linker (see meson.build): it counts.
 */
#include "../../support/counted_memory.h"
#include "harness.h"

enum { SLOTS = 4, UNITS = 64, WARM_UP = 20000, REPLACEMENTS = 100000 };

static void open_pool(struct rig *rig, const struct ls_chunking *policy) {
  struct ls_coordinator_config config = rig_config(1);
  struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 1 << 30}};
  const struct ls_plan plan = {.chunks = chunks, .chunks_count = 1};
  config.chunking = policy;
  ls_arguments_init(&config.arguments, policy->parameters);
  config.workers = SLOTS;
  config.workers_max = LS_WORKER_NONE - 1;
  config.plan = &plan;
  config.is_exact = false;
  rig_open(rig, &config);
  rig->actions.wants_notes = false;
  rig_start(rig, SLOTS, UNITS);
}

static void step(struct rig *rig, enum ls_event_kind kind, uint32_t worker) {
  struct ls_event event = {.kind = kind, .worker = worker, .now_s = rig->now_s};
  if (ls_coordinator_step(rig->coordinator, &event, &rig->actions, NULL) != LS_OK) fail();
}

/* Whoever comes into the first slot asks, and is lost with what it got. */
static void replace(struct rig *rig, uint32_t number) {
  uint32_t worker = number % SLOTS;
  rig->now_s += 0.25;
  step(rig, LS_EVENT_LOST, worker);
  step(rig, LS_EVENT_JOINED, worker);
  if (worker == 0) step(rig, LS_EVENT_READY, worker);
}

static void a_hundred_thousand_replacements_need_no_memory(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    struct rig rig;
    open_pool(&rig, ls_chunkings[i]);
    for (uint32_t j = 0; j < WARM_UP; j++) replace(&rig, j);
    size_t before = allocations;
    for (uint32_t j = 0; j < REPLACEMENTS; j++) replace(&rig, j);
    if (allocations != before)
      fail_msg("%s allocates %zu times", ls_chunkings[i]->name, allocations - before);
    assert_int_equal(rig_totals(&rig).workers_lost, WARM_UP + REPLACEMENTS);
    assert_int_equal(rig_totals(&rig).workers_present, SLOTS);
    assert_true(ls_coordinator_is_sound(rig.coordinator));
    rig_close(&rig);
  }
}

/* p of the policies: gss gives one p-th. */
static void p_is_the_largest_pool_that_was_there_at_once(void **state) {
  (void)state;
  struct rig rig;
  open_pool(&rig, ls_chunking_find("gss"));
  for (uint32_t j = 0; j < WARM_UP; j++) replace(&rig, j);
  for (uint32_t i = 0; i < SLOTS; i++) step(&rig, LS_EVENT_LOST, i);
  step(&rig, LS_EVENT_JOINED, 0);
  step(&rig, LS_EVENT_READY, 0);
  assert_int_equal(rig.actions.items[0].kind, LS_ACTION_SEND);
  assert_int_equal(rig.actions.items[0].send.units, UNITS / SLOTS);
  step(&rig, LS_EVENT_LOST, 0);
  for (uint32_t i = 0; i < 2 * SLOTS; i++) step(&rig, LS_EVENT_JOINED, i);
  step(&rig, LS_EVENT_READY, 7);
  assert_int_equal(rig.actions.items[0].send.units, UNITS / (2 * SLOTS));
  for (uint32_t i = 1; i < 2 * SLOTS; i++) step(&rig, LS_EVENT_LOST, i);
  step(&rig, LS_EVENT_READY, 0);
  assert_int_equal(rig.actions.items[0].send.units, UNITS / (2 * SLOTS));
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hundred_thousand_replacements_need_no_memory),
      cmocka_unit_test(p_is_the_largest_pool_that_was_there_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
