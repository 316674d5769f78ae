/* The workers of a run as two tables: by pool, and by time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "report/report.h"

static void workers_stand_by_pool_and_by_time(void **state) {
  struct ls_places places = {.end_s = 12};
  const struct ls_place_change changes[] = {{.time_s = 0, .kind = LS_PLACE_WANTED, .workers = 4},
                                            {.time_s = 0, .kind = LS_PLACE_PENDING, .workers = 3},
                                            {.time_s = 0.5, .kind = LS_PLACE_GRANTED, .workers = 2},
                                            {.time_s = 1.5, .kind = LS_PLACE_JOINED, .workers = 2},
                                            {.time_s = 2.5, .kind = LS_PLACE_LOST, .workers = 1}};
  struct ls_bytes text = {0};
  uint32_t pool;
  (void)state;
  assert_int_equal(ls_places_pool(&places, "slurm", &pool, NULL), LS_OK);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    assert_int_equal(ls_places_add(&places, &changes[i], NULL), LS_OK);
  ls_report_places(&places, &text);
  const char *expected =
      "  pool              granted   joined  at work  suspended     left     lost\n"
      "  slurm                   2        2        1          0        0        1\n"
      "\n"
      "  until s            wanted  pending  at work  suspended     left     lost\n"
      "  1                       4        1        0          0        0        0\n"
      "  2                       4        1        2          0        0        0\n"
      "  3                       4        1        1          0        0        1\n";
  assert_int_equal(strncmp(ls_bytes_text(&text), expected, strlen(expected)), 0);
  assert_non_null(strstr(ls_bytes_text(&text), "\n  12 "));
  ls_bytes_close(&text);
  ls_places_close(&places);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(workers_stand_by_pool_and_by_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
