/* The check that all other tests rely on must see every kind of damage. */
#include "harness.h"

#include "coordinator/coordinator_private.h"

/* 3 units done, 3 at worker 0, 3 back from worker 1, 3 never touched; worker 2 waits. */
static void open_busy(struct rig *rig) {
  struct ls_coordinator_config config = rig_config(3);
  config.is_exact = false;
  rig_open(rig, &config);
  rig_start(rig, 3, 12);
  rig_ready(rig, 0);
  rig_ready(rig, 0);
  rig_ready(rig, 1);
  rig_done(rig, 0, 0, 0, 3);
  hearing.size = 0;
  rig_ready(rig, 2);
  rig_worker(rig, LS_EVENT_LOST, 1);
  assert_true(ls_coordinator_is_sound(rig->coordinator));
}

static void lose_a_unit(struct ls_coordinator *c) {
  c->waiting.cursor++;
}
static void lose_a_unit_with_the_count(struct ls_coordinator *c) {
  c->waiting.cursor++;
  c->waiting.units--;
}
static void settle_silently(struct ls_coordinator *c) {
  c->state[3] = LS_UNIT_DONE;
}
static void settle_without_taking_it_back(struct ls_coordinator *c) {
  c->state[3] = LS_UNIT_DONE;
  c->sent--;
  c->done++;
}
static void send_twice(struct ls_coordinator *c) {
  c->pieces.items[c->waiting.front.first].units.first--;
}
static void miscount_a_worker(struct ls_coordinator *c) {
  c->members[0].units++;
}
static void miscount_a_chunk(struct ls_coordinator *c) {
  c->chunks[c->members[0].first_chunk].units--;
}
static void show_a_dead_worker(struct ls_coordinator *c) {
  c->is_active[1] = true;
}
static void resurrect(struct ls_coordinator *c) {
  c->members[1].presence = LS_PRESENCE_ACTIVE;
}
static void forget_a_parked_one(struct ls_coordinator *c) {
  c->parked_first = c->parked_last = LS_INDEX_NONE;
}
static void leak_a_piece(struct ls_coordinator *c) {
  c->pieces.live++;
}
static void leak_a_chunk(struct ls_coordinator *c) {
  c->chunks_live++;
}
static void spoil_a_state(struct ls_coordinator *c) {
  c->state[11] = 77;
}
static void cut_the_list(struct ls_coordinator *c) {
  c->waiting.front.pieces++;
}
static void leave_the_iteration(struct ls_coordinator *c) {
  c->pieces.items[c->waiting.front.first].units.count = 100;
}

static void await_a_dead_worker(struct ls_coordinator *c) {
  c->members[1].is_awaited = true;
  c->awaited++;
}
static void await_whom_nobody_counts(struct ls_coordinator *c) {
  c->awaited++;
}

static void every_damage_is_seen(void **state) {
  (void)state;
  void (*const damages[])(struct ls_coordinator *) = {lose_a_unit,
                                                      lose_a_unit_with_the_count,
                                                      settle_silently,
                                                      leave_the_iteration,
                                                      send_twice,
                                                      miscount_a_worker,
                                                      miscount_a_chunk,
                                                      show_a_dead_worker,
                                                      resurrect,
                                                      forget_a_parked_one,
                                                      leak_a_piece,
                                                      leak_a_chunk,
                                                      spoil_a_state,
                                                      cut_the_list,
                                                      await_a_dead_worker,
                                                      await_whom_nobody_counts,
                                                      settle_without_taking_it_back};
  for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
    struct rig rig;
    open_busy(&rig);
    damages[i](rig.coordinator);
    if (ls_coordinator_is_sound(rig.coordinator)) fail_msg("damage %zu was not seen", i);
    rig_close(&rig);
  }
}

static uint64_t replicate_one(const struct ls_replication_view *view) {
  return view->units > 0;
}

static void forget_a_twin(struct ls_coordinator *c) {
  c->twins.count--;
}
static void move_a_twin(struct ls_coordinator *c) {
  c->twins.items[0].workers[1] = 2;
}
static void settle_a_twin(struct ls_coordinator *c) {
  c->twins.items[0].unit = 5;
}
static void exhaust_a_twin(struct ls_coordinator *c) {
  c->failures = calloc(c->units, sizeof *c->failures);
  assert_non_null(c->failures);
  c->failures[0] = 1;
}

static void every_damage_of_a_twin_is_seen(void **state) {
  static const struct ls_replication one = {
      .name = "one", .summary = "the first", .reference = "none", .replicas = replicate_one};
  void (*const damages[])(struct ls_coordinator *) = {forget_a_twin, move_a_twin, settle_a_twin,
                                                      exhaust_a_twin};
  (void)state;
  for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.replication = &one;
    rig_open(&rig, &config);
    rig_start(&rig, 3, 6);
    for (uint32_t worker = 0; worker < 3; worker++) rig_ready(&rig, worker);
    assert_int_equal(rig_totals(&rig).copies, 1);
    assert_true(ls_coordinator_is_sound(rig.coordinator));
    damages[i](rig.coordinator);
    if (ls_coordinator_is_sound(rig.coordinator)) fail_msg("damage %zu was not seen", i);
    rig_close(&rig);
  }
}

static void a_fresh_coordinator_is_sound(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  struct rig rig;
  rig_open(&rig, &config);
  assert_true(ls_coordinator_is_sound(rig.coordinator));
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_damage_is_seen),
      cmocka_unit_test(every_damage_of_a_twin_is_seen),
      cmocka_unit_test(a_fresh_coordinator_is_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
