#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "planners/pack/pack_bins.h"

static void each_size_goes_into_the_first_room(void **state) {
  (void)state;
  const double rooms[] = {3, 5, 2, 5, 1};
  struct ls_pack_bins bins;
  assert_int_equal(ls_pack_bins_init(&bins, 5), LS_OK);
  for (int turn = 0; turn < 2; turn++) {
    ls_pack_bins_open(&bins, rooms, 5);
    assert_int_equal(ls_pack_bins_put(&bins, 4), 1);
    assert_int_equal(ls_pack_bins_put(&bins, 4), 3);
    assert_true(ls_pack_bins_put(&bins, 4) == SIZE_MAX);
    assert_int_equal(ls_pack_bins_put(&bins, 2), 0);
    assert_int_equal(ls_pack_bins_put(&bins, 2), 2);
    assert_int_equal(ls_pack_bins_put(&bins, 0), 0);
  }
  ls_pack_bins_open(&bins, rooms, 1);
  assert_true(ls_pack_bins_put(&bins, 4) == SIZE_MAX);
  ls_pack_bins_close(&bins);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_size_goes_into_the_first_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
