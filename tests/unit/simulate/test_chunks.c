/* The table of live chunks: places are used again, and a chunk of several ranges keeps its order.
 */
#include "support.h"

#include "simulate/engine_private.h"

static struct ls_engine_worker worker;

static void open_table(struct ls_engine *engine) {
  *engine = (struct ls_engine){.workers = &worker, .chunks_free = UINT32_MAX};
}

static void close_table(struct ls_engine *engine) {
  for (uint32_t i = 0; i < engine->chunks_used; i++) free(engine->chunks[i].pieces);
  free(engine->chunks);
}

static uint32_t add(struct ls_engine *engine, struct ls_range *ranges, size_t count) {
  engine->actions.ranges = ranges;
  struct ls_action action = {.chunk = engine->decisions, .ranges_count = count};
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

static void a_chunk_of_one_range_needs_no_pieces(void **state) {
  (void)state;
  struct ls_engine engine;
  struct ls_range range = {3, 4};
  open_table(&engine);
  uint32_t chunk = add(&engine, &range, 1);
  assert_null(engine.chunks[chunk].pieces);
  struct ls_engine_piece piece = ls_engine_chunk_piece(&engine.chunks[chunk], 0);
  assert_int_equal(piece.units.first, 3);
  assert_int_equal(piece.units.count, 4);
  assert_near(ls_engine_chunk_work(&engine, &engine.chunks[chunk], 2), 2, 0);
  close_table(&engine);
}

static void work_of_a_prefix_follows_the_ranges(void **state) {
  (void)state;
  struct ls_engine engine;
  /* Task i weighs i + 1. */
  const double before[] = {0, 1, 3, 6, 10, 15, 21};
  struct ls_range ranges[] = {{4, 2}, {0, 1}, {2, 2}};
  open_table(&engine);
  engine.work_before = before;
  uint32_t chunk = add(&engine, ranges, 3);
  assert_int_equal(engine.chunks[chunk].units, 5);
  const double expected[] = {0, 5, 11, 12, 15, 19};
  for (uint64_t units = 0; units <= 5; units++)
    assert_near(ls_engine_chunk_work(&engine, &engine.chunks[chunk], units), expected[units],
                1e-15);
  close_table(&engine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_place_is_used_again),
      cmocka_unit_test(a_chunk_of_one_range_needs_no_pieces),
      cmocka_unit_test(work_of_a_prefix_follows_the_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
