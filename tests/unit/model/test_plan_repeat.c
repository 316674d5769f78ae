#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/plan_repeat.h"

/* Chunks of 1, 2, 4 and 8 units; those of 2 and 4 are played three times. */
static void open_plan(struct ls_plan *plan) {
  ls_plan_init(plan, "test", 27);
  for (uint32_t i = 0; i < 4; i++) ls_plan_add(plan, i % 2, i, 1 << i);
  ls_plan_repeat(plan, 1, 3, 3);
  assert_int_equal(ls_plan_finish(plan, NULL), LS_OK);
}

static const double flat_units[] = {1, 2, 4, 2, 4, 2, 4, 8};
enum { FLAT = sizeof flat_units / sizeof *flat_units };

static void cursor_passes_the_body_so_many_times(void **state) {
  (void)state;
  struct ls_plan plan;
  open_plan(&plan);
  struct ls_plan_cursor cursor = ls_plan_begin(&plan), half = cursor;
  for (size_t i = 0; i < FLAT; i++) {
    if (i == 4) half = cursor;
    const struct ls_plan_chunk *chunk = ls_plan_next(&cursor);
    assert_non_null(chunk);
    assert_true(chunk->units == flat_units[i]);
  }
  assert_null(ls_plan_next(&cursor));
  assert_null(ls_plan_next(&cursor));
  /* A copy goes on by itself from where it was made. */
  for (size_t i = 4; i < FLAT; i++) assert_true(ls_plan_next(&half)->units == flat_units[i]);
  assert_null(ls_plan_next(&half));
  ls_plan_close(&plan);
}

static void sums_count_every_play(void **state) {
  (void)state;
  struct ls_plan plan;
  double units[2];
  open_plan(&plan);
  assert_int_equal(ls_plan_messages(&plan), FLAT);
  assert_int_equal(ls_plan_times(&plan, 0), 1);
  assert_int_equal(ls_plan_times(&plan, 2), 3);
  assert_int_equal(ls_plan_times(&plan, 3), 1);
  ls_plan_units(&plan, 2, units);
  assert_true(units[0] == 13 && units[1] == 14);
  assert_int_equal(ls_plan_rounds(&plan), 8);
  ls_plan_close(&plan);
}

static void unfolded_plan_has_the_same_chunks(void **state) {
  (void)state;
  struct ls_plan plan, flat;
  open_plan(&plan);
  assert_int_equal(ls_plan_unfolded(&plan, 2, &flat, NULL), LS_OK);
  assert_int_equal(flat.chunks_count, FLAT - 2);
  ls_plan_close(&flat);
  ls_plan_set(&plan, "period", 6);
  assert_int_equal(ls_plan_unfold(&plan, NULL), LS_OK);
  assert_false(ls_plan_repeats(&plan));
  assert_int_equal(plan.chunks_count, FLAT);
  for (size_t i = 0; i < FLAT; i++) {
    assert_true(plan.chunks[i].units == flat_units[i]);
    assert_int_equal(plan.chunks[i].round, i);
  }
  assert_true(ls_plan_get(&plan, "period", 0) == 6);
  assert_int_equal(ls_plan_rounds(&plan), FLAT);
  ls_plan_close(&plan);
}

static void million_plays_take_no_more_memory_than_one(void **state) {
  (void)state;
  struct ls_plan plan;
  ls_plan_init(&plan, "test", 1e6);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_repeat(&plan, 0, 1, 1000000);
  assert_int_equal(plan.chunks_count, 1);
  assert_int_equal(ls_plan_messages(&plan), 1000000);
  ls_plan_close(&plan);
}

static void expect_refused(size_t from, size_t to, uint64_t times, const char *words) {
  struct ls_plan plan;
  struct ls_error err = {0};
  ls_plan_init(&plan, "test", 2);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_repeat(&plan, from, to, times);
  assert_int_equal(ls_plan_finish(&plan, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
  ls_plan_close(&plan);
}

static void repetition_that_cannot_be_is_refused(void **state) {
  (void)state;
  expect_refused(0, 3, 2, "repeat: to is 3");
  expect_refused(1, 1, 2, "repeat: from is 1");
  expect_refused(0, 2, 0, "repeat: times is 0");
  expect_refused(0, 2, UINT64_MAX / 2, "repeat: times is");
}

static void plan_repeats_once(void **state) {
  (void)state;
  struct ls_plan plan;
  struct ls_error err = {0};
  open_plan(&plan);
  ls_plan_repeat(&plan, 0, 1, 2);
  assert_int_equal(ls_plan_finish(&plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "one body only"));
  ls_plan_close(&plan);
}

/* One result of a body would be one of each play. */
static void returns_name_chunks_behind_the_body(void **state) {
  (void)state;
  struct ls_plan plan, flat;
  struct ls_error err = {0};
  size_t behind;
  open_plan(&plan);
  ls_plan_add_return(&plan, plan.repeat.to - 1);
  assert_int_equal(ls_plan_finish(&plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "is not after what repeats"));
  ls_plan_close(&plan);
  open_plan(&plan);
  behind = plan.repeat.to;
  ls_plan_add_return(&plan, behind);
  assert_int_equal(ls_plan_finish(&plan, NULL), LS_OK);
  assert_int_equal(ls_plan_check_returns(&plan, NULL), LS_OK);
  assert_int_equal(ls_plan_unfolded(&plan, UINT64_MAX, &flat, NULL), LS_OK);
  assert_int_equal(flat.returns_count, 1);
  assert_int_equal(flat.returns[0], behind + flat.chunks_count - plan.chunks_count);
  ls_plan_close(&flat);
  plan.returns[0] = 0;
  assert_int_equal(ls_plan_check_returns(&plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "returns[0] is 0, must be at least"));
  plan.returns[0] = behind;
  assert_int_equal(ls_plan_unfold(&plan, NULL), LS_OK);
  assert_int_equal(plan.returns[0], plan.chunks_count - 1);
  ls_plan_close(&plan);
}

static void body_is_refused_where_an_earlier_chunk_returns(void **state) {
  (void)state;
  struct ls_plan plan;
  struct ls_error err = {0};
  ls_plan_init(&plan, "test", 5);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 1, 0, 1);
  ls_plan_add_return(&plan, 1);
  ls_plan_repeat(&plan, 0, 1, 3);
  assert_int_equal(ls_plan_finish(&plan, NULL), LS_OK);
  ls_plan_close(&plan);
  ls_plan_init(&plan, "test", 5);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add_return(&plan, 0);
  ls_plan_repeat(&plan, 0, 1, 3);
  assert_int_equal(ls_plan_finish(&plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "the order of returns names an earlier chunk"));
  ls_plan_close(&plan);
}

static void body_of_one_play_repeats_nothing(void **state) {
  (void)state;
  struct ls_plan plan;
  ls_plan_init(&plan, "test", 1);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_repeat(&plan, 0, 1, 1);
  assert_int_equal(ls_plan_finish(&plan, NULL), LS_OK);
  assert_false(ls_plan_repeats(&plan));
  assert_int_equal(ls_plan_messages(&plan), 1);
  ls_plan_close(&plan);
}

/* 1.5 units of a body are no whole units: the plays are written out and rounded together. */
static void whole_units_are_cut_from_all_plays(void **state) {
  (void)state;
  struct ls_plan plan;
  double units = 0;
  ls_plan_init(&plan, "test", 6);
  ls_plan_add(&plan, 0, 0, 1.5);
  ls_plan_repeat(&plan, 0, 1, 4);
  assert_int_equal(ls_plan_make_whole(&plan, NULL, NULL), LS_OK);
  assert_false(ls_plan_repeats(&plan));
  assert_true(ls_plan_is_whole(&plan));
  ls_plan_units(&plan, 1, &units);
  assert_true(units == 6);
  ls_plan_close(&plan);
}

/* Before memory is asked for. */
static void what_is_too_long_to_be_written_out_is_said(void **state) {
  struct ls_plan plan, flat;
  struct ls_error err = {0};
  (void)state;
  ls_plan_init(&plan, "test", 1e9);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_repeat(&plan, 0, 1, 1000000000);
  assert_int_equal(ls_plan_unfolded(&plan, UINT64_MAX, &flat, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "the plan repeats itself to 1000000000 chunks, and no more than 67108864 are "
                      "written out");
  assert_int_equal(ls_plan_unfolded(&plan, 5, &flat, &err), LS_OK);
  assert_int_equal(flat.chunks_count, 5);
  ls_plan_close(&flat);
  ls_plan_close(&plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cursor_passes_the_body_so_many_times),
      cmocka_unit_test(sums_count_every_play),
      cmocka_unit_test(unfolded_plan_has_the_same_chunks),
      cmocka_unit_test(what_is_too_long_to_be_written_out_is_said),
      cmocka_unit_test(million_plays_take_no_more_memory_than_one),
      cmocka_unit_test(repetition_that_cannot_be_is_refused),
      cmocka_unit_test(plan_repeats_once),
      cmocka_unit_test(returns_name_chunks_behind_the_body),
      cmocka_unit_test(body_is_refused_where_an_earlier_chunk_returns),
      cmocka_unit_test(body_of_one_play_repeats_nothing),
      cmocka_unit_test(whole_units_are_cut_from_all_plays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
