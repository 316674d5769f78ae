#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "advise/grid_run.h"
#include "grid_fixture.h"

enum { ALGORITHMS = 2, MOST_TAKEN = 4096 };

/* What `take` saw. */
struct diary {
  size_t fails_at; /* platforms before a failure */
  size_t taken;
  double seen[MOST_TAKEN];
};

/* A makespan that tells its platform. */
static double name_point(const struct ls_grid_point *point) {
  return 1 + point->values[LS_GRID_WORKERS] + 100 * point->values[LS_GRID_RATE] +
         1e4 * point->values[LS_GRID_TRANSFER_LATENCY] +
         1e6 * point->values[LS_GRID_COMPUTE_LATENCY];
}

static enum ls_status play(void *context, const struct ls_grid_piece *piece, double *makespans_s,
                           size_t stride, struct ls_error *err) {
  (void)context;
  (void)err;
  size_t count = 0;
  struct ls_grid_point *points = ls_grid_piece_points(piece, &count);
  assert_non_null(points);
  assert_true(count <= stride);
  for (size_t i = 0; i < count; i++) {
    makespans_s[i] = name_point(&points[i]);
    makespans_s[stride + i] = 2 * makespans_s[i];
  }
  free(points);
  return LS_OK;
}

static enum ls_status take(void *context, const struct ls_grid_piece *piece,
                           const struct ls_makespans *makespans, struct ls_error *err) {
  struct diary *diary = context;
  size_t count = 0;
  struct ls_grid_point *points = ls_grid_piece_points(piece, &count);
  assert_int_equal(count, makespans->count);
  for (size_t i = 0; i < count; i++) {
    double expected = name_point(&points[i]);
    assert_memory_equal(&makespans->at[i], &expected, sizeof expected);
    diary->seen[diary->taken++] = expected;
  }
  free(points);
  if (diary->taken <= diary->fails_at) return LS_OK;
  return ls_fail(err, LS_EIO, "no room for rows");
}

static enum ls_status map(size_t processes, const struct ls_grid_work *work, void *results,
                          struct ls_error *err) {
  (void)processes;
  enum ls_status status = LS_OK;
  for (size_t i = work->count; i-- > 0 && status == LS_OK;)
    status = work->compute(work->context, i, (char *)results + i * work->result_bytes, err);
  return status;
}

static enum ls_status run_grid(const struct ls_platform_grid *grid, size_t processes,
                               const bool *is_wanted, struct diary *diary,
                               struct ls_standings *standings) {
  struct ls_grid_run run = {.grid = grid,
                            .is_wanted = is_wanted,
                            .algorithms = ALGORITHMS,
                            .processes = processes,
                            .context = diary,
                            .play = play,
                            .take = take,
                            .map = map};
  assert_int_equal(ls_standings_init(standings, ALGORITHMS, NULL), LS_OK);
  return ls_grid_run(&run, standings, NULL);
}

/* In the order of the grid, each once, however many processes cut it into pieces. */
static void platforms_are_taken_in_their_order(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  static struct diary first, second;
  struct ls_standings standings[2];
  make_grid(&grid, 2, 9, 1);
  first = second = (struct diary){.fails_at = MOST_TAKEN};
  assert_int_equal(run_grid(&grid, 1, NULL, &first, &standings[0]), LS_OK);
  assert_int_equal(run_grid(&grid, 7, NULL, &second, &standings[1]), LS_OK);
  assert_true(ls_grid_piece_most(&grid, 1) > ls_grid_piece_most(&grid, 7));
  assert_int_equal(first.taken, 4 * 81);
  assert_memory_equal(&first, &second, sizeof first);
  for (size_t i = 0; i < first.taken; i++) {
    struct ls_grid_point point = ls_platform_grid_point(&grid, i / 81, i % 81);
    double expected = name_point(&point);
    assert_memory_equal(&first.seen[i], &expected, sizeof expected);
  }
  assert_int_equal(standings[0].platforms, 4 * 81);
  assert_memory_equal(standings[0].items, standings[1].items,
                      ALGORITHMS * sizeof *standings[0].items);
  for (size_t i = 0; i < 2; i++) ls_standings_close(&standings[i]);
  ls_platform_grid_close(&grid);
}

static void only_what_is_wanted_takes_part(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  static struct diary diary;
  struct ls_standings standings;
  bool is_wanted[4 * 81] = {false};
  make_grid(&grid, 2, 9, 1);
  diary = (struct diary){.fails_at = MOST_TAKEN};
  is_wanted[0] = is_wanted[80] = is_wanted[81] = is_wanted[323] = true;
  assert_int_equal(run_grid(&grid, 2, is_wanted, &diary, &standings), LS_OK);
  assert_int_equal(diary.taken, 4);
  assert_int_equal(standings.platforms, 4);
  ls_standings_close(&standings);
  ls_platform_grid_close(&grid);
}

static void a_failure_ends_it(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  static struct diary diary;
  struct ls_standings standings;
  make_grid(&grid, 2, 9, 1);
  diary = (struct diary){.fails_at = 100};
  assert_int_equal(run_grid(&grid, 2, NULL, &diary, &standings), LS_EIO);
  assert_true(diary.taken < 4 * 81);
  ls_standings_close(&standings);
  ls_platform_grid_close(&grid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(platforms_are_taken_in_their_order),
      cmocka_unit_test(only_what_is_wanted_takes_part),
      cmocka_unit_test(a_failure_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
