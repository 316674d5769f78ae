/* The coordinator never sends a worker more units than it has room for, whatever the policy says.
 */
#include "harness.h"

#include "coordinator/books/rooms.h"

static void units_that_left_their_chunk_take_room_until_they_are_told(void **state) {
  struct ls_room told[] = {{5, 0}, {0, 0}, {7, 2}};
  struct ls_rooms rooms = {.told = told, .told_count = 3};
  (void)state;
  assert_int_equal(ls_rooms_add_slots(&rooms, 4), LS_OK);
  assert_int_equal(ls_rooms_measure(&rooms, 0, 3), 2);
  for (uint64_t unit = 10; unit < 12; unit++)
    assert_int_equal(ls_rooms_keep(&rooms, &(struct ls_remnant){8, unit, 0}), LS_OK);
  assert_int_equal(ls_rooms_measure(&rooms, 0, 3), 0);
  ls_rooms_forget(&rooms, 0, 9, (struct ls_range){10, 2}); /* of another chunk */
  ls_rooms_forget(&rooms, 1, 8, (struct ls_range){10, 2}); /* of another worker */
  assert_int_equal(ls_rooms_measure(&rooms, 0, 3), 0);
  ls_rooms_forget(&rooms, 0, 8, (struct ls_range){11, 5});
  assert_int_equal(ls_rooms_measure(&rooms, 0, 3), 1);
  ls_rooms_forget(&rooms, 0, 8, (struct ls_range){11, 5}); /* told twice */
  assert_int_equal(ls_rooms_measure(&rooms, 0, 3), 1);
  ls_rooms_vacate(&rooms, 0);
  assert_int_equal(ls_rooms_measure(&rooms, 0, 3), 2);
  assert_true(ls_rooms_measure(&rooms, 1, 1000) == UINT64_MAX);
  assert_int_equal(ls_rooms_measure(&rooms, 2, 0), 2); /* one chunk */
  assert_int_equal(ls_rooms_measure(&rooms, 2, 6), 1);
  assert_int_equal(ls_rooms_measure(&rooms, 2, 9), 0);
  assert_true(ls_rooms_measure(&rooms, 3, 1000) == UINT64_MAX); /* nothing was told of it */
  ls_rooms_close(&rooms);
}

static struct ls_room two_rooms[] = {{5, 0}, {6, 2}};

static void open_rooms(struct rig *rig, uint64_t size, uint64_t units) {
  struct ls_coordinator_config config = rig_config(size);
  config.rooms = two_rooms;
  config.rooms_count = 2;
  rig_open(rig, &config);
  rig_start(rig, 3, units);
}

static const char *ask(struct rig *rig, uint32_t worker, uint64_t units) {
  return rig_step(
      rig, (struct ls_event){.kind = LS_EVENT_READY, .worker = worker, .ready_units = units});
}

static void a_chunk_is_cut_to_what_fits(void **state) {
  struct rig rig;
  (void)state;
  open_rooms(&rig, 4, 100);
  assert_string_equal(ask(&rig, 0, 1), "send worker 0 chunk 0: 0+4");
  assert_string_equal(ask(&rig, 0, 1), "send worker 0 chunk 1: 4+1");
  /* The one beyond the platform has any room. */
  assert_string_equal(ask(&rig, 2, 8), "send worker 2 chunk 2: 5+4; send worker 2 chunk 3: 9+4");
  /* No chunk of worker 1 has more than two. */
  assert_string_equal(ask(&rig, 1, 100),
                      "send worker 1 chunk 4: 13+2; send worker 1 chunk 5: 15+2; "
                      "send worker 1 chunk 6: 17+2");
  rig_close(&rig);
}

static void who_is_full_is_not_asked_for_and_waits_for_room(void **state) {
  struct rig rig;
  (void)state;
  open_rooms(&rig, 5, 100);
  assert_string_equal(ask(&rig, 0, 1), "send worker 0 chunk 0: 0+5");
  uint64_t asked = hearing.asked;
  assert_string_equal(ask(&rig, 0, 1), "");
  assert_true(rig_noted(&rig, LS_NOTE_ASKED_NOTHING));
  assert_int_equal(hearing.asked, asked);
  assert_string_equal(rig_done(&rig, 0, 0, 0, 2),
                      "settle worker 0 chunk 0: 0+2 done; send worker 0 chunk 1: 5+2");
  /* It was served: the next result moves nothing. */
  assert_string_equal(rig_done(&rig, 0, 0, 2, 1), "settle worker 0 chunk 0: 2+1 done");
  rig_close(&rig);
}

static void a_new_worker_in_the_slot_has_all_the_room(void **state) {
  struct rig rig;
  (void)state;
  open_rooms(&rig, 5, 100);
  ask(&rig, 0, 5);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  assert_string_equal(ask(&rig, 0, 5), "send worker 0 chunk 1: 0+5");
  rig_close(&rig);
}

static uint64_t replicate_first(const struct ls_replication_view *view) {
  return view->units < 1 ? 0 : 1;
}
static const struct ls_replication first_twice = {
    .name = "first", .summary = "the first unit", .reference = "none", .replicas = replicate_first};

/* Four units, of which the first has a replica; two slots have room for one. */
static struct rig open_replicated(uint32_t workers) {
  static const struct ls_room rooms[] = {{1, 0}, {1, 0}};
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  config.rooms = rooms;
  config.rooms_count = 2;
  config.replication = &first_twice;
  rig_open(&rig, &config);
  rig_start(&rig, workers, 4);
  return rig;
}

/* The worker computes the replica until it hears that it lost; its message may lie behind a chunk.
 */
static void a_replica_that_lost_takes_room_until_its_worker_tells(void **state) {
  struct rig rig = open_replicated(2);
  (void)state;
  assert_string_equal(ask(&rig, 0, 1), "send worker 0 chunk 0: 0+1");
  assert_string_equal(ask(&rig, 1, 1), "send worker 1 chunk 1: 0+1");
  assert_string_equal(ask(&rig, 1, 1), "");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1),
                      "settle worker 0 chunk 0: 0+1 done; cancel worker 1 chunk 1");
  assert_string_equal(ask(&rig, 1, 1), "");
  assert_string_equal(rig_result(&rig, 1, 1, (struct ls_range){0, 1}, LS_OUTCOME_CANCELLED),
                      "send worker 1 chunk 2: 1+1");
  rig_close(&rig);
}

/* A replica is a chunk, too. */
static void no_replica_goes_to_who_is_full(void **state) {
  struct rig rig = open_replicated(3);
  (void)state;
  assert_string_equal(ask(&rig, 2, 1), "send worker 2 chunk 0: 0+1");
  assert_string_equal(ask(&rig, 0, 1), "send worker 0 chunk 1: 0+1");
  assert_string_equal(ask(&rig, 1, 1), "send worker 1 chunk 2: 1+1");
  assert_string_equal(ask(&rig, 1, 1), "");
  rig_close(&rig);
}

static struct rig open_plan(struct ls_plan_chunk *chunks, size_t count, size_t *returns,
                            size_t returns_count) {
  const struct ls_plan plan = {.chunks = chunks,
                               .chunks_count = count,
                               .has_returns = returns != NULL,
                               .returns = returns,
                               .returns_count = returns_count};
  struct ls_coordinator_config config = rig_config(0);
  struct rig rig;
  uint64_t units = 0;
  for (size_t i = 0; i < count; i++) units += (uint64_t)chunks[i].units;
  config.chunking = ls_chunking_find("follow-plan");
  config.plan = &plan;
  config.rooms = two_rooms;
  config.rooms_count = 2;
  rig_open(&rig, &config);
  rig_start(&rig, 2, units);
  return rig;
}

static const char *set_free(struct rig *rig) {
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_FREE});
}

static void a_pushed_chunk_waits_for_room_for_all_of_it(void **state) {
  static struct ls_plan_chunk plan[] = {
      {.worker = 0, .units = 4}, {.worker = 0, .units = 3}, {.worker = 1, .units = 2}};
  (void)state;
  struct rig rig = open_plan(plan, 3, NULL, 0);
  assert_string_equal(set_free(&rig), "send worker 0 chunk 0: 0+4");
  assert_string_equal(set_free(&rig), "");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1), "settle worker 0 chunk 0: 0+1 done");
  assert_string_equal(rig_done(&rig, 0, 0, 1, 1),
                      "settle worker 0 chunk 0: 1+1 done; send worker 0 chunk 1: 4+3");
  assert_string_equal(set_free(&rig), "send worker 1 chunk 2: 7+2");
  rig_close(&rig);
}

static void what_goes_elsewhere_than_planned_is_cut(void **state) {
  static struct ls_plan_chunk plan[] = {
      {.worker = 0, .units = 5}, {.worker = 0, .units = 3}, {.worker = 1, .units = 2}};
  (void)state;
  struct rig rig = open_plan(plan, 3, NULL, 0);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  assert_string_equal(set_free(&rig), "send worker 1 chunk 0: 0+2");
  assert_string_equal(set_free(&rig), "send worker 1 chunk 1: 2+2");
  assert_string_equal(set_free(&rig), "send worker 1 chunk 2: 4+2");
  assert_string_equal(set_free(&rig), "");
  assert_string_equal(rig_done(&rig, 1, 0, 0, 2),
                      "settle worker 1 chunk 0: 0+2 done; send worker 1 chunk 3: 6+2");
  rig_close(&rig);
}

static void a_planned_chunk_that_never_fits_is_refused(void **state) {
  static struct ls_plan_chunk plan[] = {{.worker = 0, .units = 5}, {.worker = 1, .units = 3}};
  struct ls_coordinator_config config = rig_config(0);
  struct ls_coordinator *coordinator = NULL;
  struct ls_error err = {0};
  (void)state;
  config.chunking = ls_chunking_find("follow-plan");
  config.plan = &(struct ls_plan){.chunks = plan, .chunks_count = 2};
  config.rooms = two_rooms;
  config.rooms_count = 2;
  assert_int_equal(ls_coordinator_create(&config, &coordinator, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "chunk 1 of the plan: units is 3, worker 1 takes at most 2 at once");
  plan[0].units = 6; /* a room is for chunks, too */
  assert_int_equal(ls_coordinator_create(&config, &coordinator, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "chunk 0 of the plan: units is 6, worker 0 takes at most 5 at once");
}

/* Nobody says that units of a held result have ended, and the chunk that waits for their room is to
 * return first: the run would stand still. */
static void a_held_result_makes_room_before_its_turn(void **state) {
  static struct ls_plan_chunk plan[] = {
      {.worker = 0, .units = 4}, {.worker = 0, .units = 3}, {.worker = 1, .units = 2}};
  static size_t returns[] = {1, 0};
  (void)state;
  struct rig rig = open_plan(plan, 3, returns, 2);
  assert_string_equal(set_free(&rig), "send worker 0 chunk 0: 0+4");
  assert_int_equal(rig.actions.items[0].send.way, LS_RESULT_HELD);
  assert_string_equal(set_free(&rig), "fetch worker 0 chunk 0");
  assert_string_equal(set_free(&rig), ""); /* once */
  assert_string_equal(rig_done(&rig, 0, 0, 0, 4),
                      "settle worker 0 chunk 0: 0+4 done; send worker 0 chunk 1: 4+3; "
                      "fetch worker 0 chunk 1");
  assert_string_equal(set_free(&rig), "send worker 1 chunk 2: 7+2");
  rig_done(&rig, 1, 2, 7, 2);
  assert_string_equal(rig_done(&rig, 0, 1, 4, 3),
                      "settle worker 0 chunk 1: 4+3 done; iteration done 0");
  rig_close(&rig);
}

/* A result that comes in its order makes room by itself. */
static void held_results_in_order_are_left_in_order(void **state) {
  static struct ls_plan_chunk plan[] = {
      {.worker = 0, .units = 2}, {.worker = 0, .units = 2}, {.worker = 0, .units = 3}};
  static size_t returns[] = {0, 1, 2};
  (void)state;
  struct rig rig = open_plan(plan, 3, returns, 3);
  assert_string_equal(set_free(&rig), "send worker 0 chunk 0: 0+2; fetch worker 0 chunk 0");
  assert_string_equal(set_free(&rig), "send worker 0 chunk 1: 2+2");
  assert_string_equal(set_free(&rig), "");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 2),
                      "settle worker 0 chunk 0: 0+2 done; send worker 0 chunk 2: 4+3; "
                      "fetch worker 0 chunk 1");
  rig_close(&rig);
}

/* The next chunk may fit its worker as soon as that is there: nobody gives up the order for it. */
static void no_result_makes_room_for_an_awaited_worker(void **state) {
  static struct ls_plan_chunk plan[] = {{.worker = 0, .units = 5}, {.worker = 1, .units = 2}};
  static size_t returns[] = {1, 0};
  struct ls_coordinator_config config = rig_config(0);
  struct rig rig;
  (void)state;
  config.chunking = ls_chunking_find("follow-plan");
  config.plan = &(struct ls_plan){.chunks = plan,
                                  .chunks_count = 2,
                                  .has_returns = true,
                                  .returns = returns,
                                  .returns_count = 2};
  config.rooms = two_rooms;
  config.rooms_count = 2;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 7);
  assert_string_equal(set_free(&rig), "send worker 0 chunk 0: 0+5");
  assert_int_equal(rig.actions.items[0].send.way, LS_RESULT_HELD);
  assert_string_equal(set_free(&rig), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 1),
                      "send worker 1 chunk 1: 5+2; fetch worker 1 chunk 1");
  rig_close(&rig);
}

/* Worker 1 is full; what worker 0 holds, too, is in nobody's way. */
static void only_the_planned_worker_makes_room(void **state) {
  static struct ls_plan_chunk plan[] = {{.worker = 0, .units = 2},
                                        {.worker = 1, .units = 2},
                                        {.worker = 1, .units = 2},
                                        {.worker = 1, .units = 2},
                                        {.worker = 1, .units = 2}};
  static size_t returns[] = {4, 0, 1, 2, 3};
  (void)state;
  struct rig rig = open_plan(plan, 5, returns, 5);
  for (int i = 0; i < 4; i++) set_free(&rig);
  assert_string_equal(set_free(&rig), "fetch worker 1 chunk 1");
  assert_string_equal(rig_done(&rig, 1, 1, 2, 2),
                      "settle worker 1 chunk 1: 2+2 done; send worker 1 chunk 4: 8+2; "
                      "fetch worker 1 chunk 4");
  rig_close(&rig);
}

/* A lost worker's chunk may go to anybody: the first one that only holds makes room. */
static void any_worker_makes_room_for_the_chunk_of_a_lost_one(void **state) {
  static struct ls_plan_chunk plan[] = {
      {.worker = 1, .units = 2}, {.worker = 0, .units = 5}, {.worker = 1, .units = 2}};
  static size_t returns[] = {2, 1};
  (void)state;
  struct rig rig = open_plan(plan, 3, returns, 2);
  for (int i = 0; i < 2; i++) set_free(&rig);
  rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_string_equal(set_free(&rig), "fetch worker 0 chunk 1");
  rig_close(&rig);
}

static void only_remnants_that_can_be_are_sound(void **state) {
  static const struct ls_room told = {1, 0};
  struct ls_rooms rooms = {.told = &told, .told_count = 1};
  const struct ls_remnant remnant = {.chunk = 3, .unit = 5, .slot = 0};
  (void)state;
  assert_int_equal(ls_rooms_add_slots(&rooms, 1), LS_OK);
  assert_int_equal(ls_rooms_keep(&rooms, &remnant), LS_OK);
  assert_true(ls_rooms_are_sound(&rooms));
  assert_int_equal(ls_rooms_keep(&rooms, &remnant), LS_OK);
  assert_false(ls_rooms_are_sound(&rooms)); /* twice */
  ls_rooms_forget(&rooms, 0, 3, (struct ls_range){5, 1});
  assert_true(ls_rooms_are_sound(&rooms));
  assert_int_equal(ls_rooms_keep(&rooms, &(struct ls_remnant){3, 5, 1}), LS_OK);
  assert_false(ls_rooms_are_sound(&rooms)); /* of no slot */
  rooms.told_count = 0;
  rooms.remnants[0].slot = 0;
  assert_false(ls_rooms_are_sound(&rooms)); /* where nothing is counted */
  ls_rooms_close(&rooms);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_remnants_that_can_be_are_sound),
      cmocka_unit_test(units_that_left_their_chunk_take_room_until_they_are_told),
      cmocka_unit_test(a_chunk_is_cut_to_what_fits),
      cmocka_unit_test(who_is_full_is_not_asked_for_and_waits_for_room),
      cmocka_unit_test(a_new_worker_in_the_slot_has_all_the_room),
      cmocka_unit_test(a_replica_that_lost_takes_room_until_its_worker_tells),
      cmocka_unit_test(no_replica_goes_to_who_is_full),
      cmocka_unit_test(a_pushed_chunk_waits_for_room_for_all_of_it),
      cmocka_unit_test(what_goes_elsewhere_than_planned_is_cut),
      cmocka_unit_test(a_planned_chunk_that_never_fits_is_refused),
      cmocka_unit_test(a_held_result_makes_room_before_its_turn),
      cmocka_unit_test(held_results_in_order_are_left_in_order),
      cmocka_unit_test(no_result_makes_room_for_an_awaited_worker),
      cmocka_unit_test(only_the_planned_worker_makes_room),
      cmocka_unit_test(any_worker_makes_room_for_the_chunk_of_a_lost_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
