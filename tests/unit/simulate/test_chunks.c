/* The table of live chunks: places are used again, and a chunk of several ranges keeps its order.
 */
#include "support.h"

#include "simulate/engine_private.h"

static struct ls_engine_worker worker;

static void open_table(struct ls_engine *engine) {
  *engine = (struct ls_engine){.workers = &worker, .chunks_free = UINT32_MAX};
}

static void close_table(struct ls_engine *engine) {
  for (uint32_t i = 0; i < engine->chunks_used; i++) free(engine->chunks[i].ranges);
  free(engine->chunks);
}

static uint32_t add(struct ls_engine *engine, struct ls_range *ranges, size_t count) {
  engine->actions.ranges = ranges;
  struct ls_action action = {.kind = LS_ACTION_SEND,
                             .send = {.chunk = engine->decisions, .ranges_count = count}};
  for (size_t i = 0; i < count; i++) action.send.units += ranges[i].count;
  return ls_engine_chunk_add(engine, &action);
}

static void a_place_is_used_again(void **state) {
  (void)state;
  struct ls_engine engine;
  struct ls_range range = {3, 4};
  open_table(&engine);
  uint32_t first = add(&engine, &range, 1), second = add(&engine, &range, 1);
  assert_int_not_equal(first, second);
  ls_engine_chunk_drop(&engine, first);
  assert_int_equal(add(&engine, &range, 1), first);
  assert_int_equal(engine.chunks[first].number, 2);
  assert_int_equal(engine.chunks_used, 2);
  close_table(&engine);
}

static void a_chunk_of_one_range_needs_no_storage(void **state) {
  (void)state;
  struct ls_engine engine;
  struct ls_range range = {3, 4};
  open_table(&engine);
  uint32_t chunk = add(&engine, &range, 1);
  assert_null(engine.chunks[chunk].ranges);
  assert_int_equal(engine.chunks[chunk].first.first, 3);
  assert_int_equal(engine.chunks[chunk].units, 4);
  close_table(&engine);
}

static void a_chunk_of_several_ranges_keeps_their_order(void **state) {
  (void)state;
  struct ls_engine engine;
  struct ls_range ranges[] = {{4, 2}, {0, 1}, {2, 2}};
  open_table(&engine);
  uint32_t chunk = add(&engine, ranges, 3);
  assert_int_equal(engine.chunks[chunk].units, 5);
  assert_int_equal(engine.chunks[chunk].ranges_count, 3);
  assert_memory_equal(engine.chunks[chunk].ranges, ranges, sizeof ranges);
  close_table(&engine);
}

/* A replica may run into the next iteration, whose tasks are others. */
static void each_iteration_has_sums_of_its_own(void **state) {
  (void)state;
  struct ls_engine engine;
  const uint64_t units[] = {2, 3};
  const double sums[] = {0, 1, 3, 0, 5, 6, 7};
  const struct ls_simulation setup = {.iteration_units = units};
  open_table(&engine);
  engine.setup = &setup;
  engine.iteration = 1;
  engine.work_before = sums + 3;
  assert_ptr_equal(ls_engine_work_sums(&engine, 1), sums + 3);
  assert_ptr_equal(ls_engine_work_sums(&engine, 0), sums);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_place_is_used_again),
      cmocka_unit_test(a_chunk_of_one_range_needs_no_storage),
      cmocka_unit_test(a_chunk_of_several_ranges_keeps_their_order),
      cmocka_unit_test(each_iteration_has_sums_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
