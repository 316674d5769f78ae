#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pack_cli_fixture.h"

static const char TIMES[] = "a,4\nb,3\nc,3\nd,2\n";

static void divide(struct tables *tables, struct ls_pack_options *options,
                   struct ls_pack_division *division) {
  take_tables(tables, TIMES, NULL, NULL);
  assert_int_equal(ls_pack_divide(options, &tables->tasks, division, NULL), LS_OK);
  size_t tasks = 0;
  double work = 0;
  for (size_t k = 0; k < division->count; k++) {
    tasks += division->parts[k].tasks;
    work += division->parts[k].seconds;
  }
  assert_int_equal(tasks, 4);
  assert_true(fabs(work - 12) < 1e-12);
  ls_pack_options_close(options);
  close_tables(tables);
}

static void shards_end_together(void **state) {
  (void)state;
  struct tables tables;
  struct ls_pack_options options;
  struct ls_pack_division division;
  OPTIONS(&options, "f", "--speeds", "0.5,1", "--start-cost", "1");
  divide(&tables, &options, &division);
  /* The order of the speeds is that of the shards. */
  assert_true(fabs(division.parts[0].seconds - 4) < 1e-12);
  assert_true(fabs(division.makespan_s - 8) < 1e-12 && division.is_optimal);
  assert_true(fabs(division.machine_s - 18) < 1e-12);
  assert_int_equal(division.neighbours_count, 3);
  assert_true(fabs(division.neighbours[0].makespan_s - 13) < 1e-12);
  assert_true(fabs(division.neighbours[1].makespan_s - 9) < 1e-12);
  ls_pack_division_close(&division);
}

static void jobs_have_room_for_their_start(void **state) {
  (void)state;
  struct tables tables;
  struct ls_pack_options options;
  struct ls_pack_division division;
  OPTIONS(&options, "f", "--job-seconds", "8", "--start-cost", "2");
  divide(&tables, &options, &division);
  assert_int_equal(division.mode, LS_PACK_JOBS);
  assert_int_equal(division.count, 2);
  assert_true(division.is_optimal && division.makespan_s <= 6 + 1e-9);
  ls_pack_division_close(&division);
}

static void bags_have_machines_when_speeds_are_known(void **state) {
  (void)state;
  struct tables tables;
  struct ls_pack_options options;
  struct ls_pack_division division;
  OPTIONS(&options, "f", "--unknown-speeds", "2", "-k", "3", "--speeds", "1,3");
  divide(&tables, &options, &division);
  assert_true(division.ratio >= division.sand_ratio && division.ratio <= 2);
  assert_true(fabs(division.sand_ratio - 8.0 / 7) < 1e-12);
  assert_non_null(division.machine_of);
  assert_true(division.machines_s <= division.ratio * 12 / 4 * (1 + 1e-9));
  ls_pack_division_close(&division);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shards_end_together),
      cmocka_unit_test(jobs_have_room_for_their_start),
      cmocka_unit_test(bags_have_machines_when_speeds_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
