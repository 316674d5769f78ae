/* test_gathering.c: the first requests wait for each other, but not for long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/master/guests/gathering.h"

static void all_that_are_awaited_end_it(void **state) {
  struct ls_gathering gathering;
  (void)state;
  ls_gathering_open(&gathering, 3);
  for (int i = 0; i < 3; ++i) {
    assert_false(ls_gathering_is_over(&gathering, 10));
    ls_gathering_add(&gathering, 10);
  }
  assert_true(ls_gathering_is_over(&gathering, 10));
}

static void nobody_waits_for_ever_once_one_has_asked(void **state) {
  struct ls_gathering gathering;
  (void)state;
  ls_gathering_open(&gathering, 3);
  assert_false(ls_gathering_is_over(&gathering, 1e9));
  ls_gathering_add(&gathering, 10);
  assert_false(ls_gathering_is_over(&gathering, 10.04));
  ls_gathering_add(&gathering, 10.04);
  assert_true(ls_gathering_is_over(&gathering, 10.06));
}

static void one_that_is_gone_is_not_counted(void **state) {
  struct ls_gathering gathering;
  (void)state;
  ls_gathering_open(&gathering, 2);
  ls_gathering_add(&gathering, 1);
  ls_gathering_withdraw(&gathering);
  ls_gathering_add(&gathering, 1);
  assert_false(ls_gathering_is_over(&gathering, 1));
  ls_gathering_add(&gathering, 1);
  assert_true(ls_gathering_is_over(&gathering, 1));
}

static void one_worker_has_nobody_to_wait_for(void **state) {
  struct ls_gathering gathering;
  (void)state;
  ls_gathering_open(&gathering, 1);
  assert_false(gathering.is_open);
  ls_gathering_open(&gathering, 2);
  assert_true(gathering.is_open);
  ls_gathering_close(&gathering);
  assert_false(ls_gathering_is_over(&gathering, 1e9));
}

static void who_asks_while_it_is_held_waits(void **state) {
  struct ls_gathering gathering = {0};
  (void)state;
  ls_gathering_hold(&gathering);
  ls_gathering_add(&gathering, 1);
  assert_false(ls_gathering_is_over(&gathering, 1e9));
  ls_gathering_hold(&gathering);
  assert_int_equal(gathering.asked, 1);
  ls_gathering_let_go(&gathering);
  assert_true(ls_gathering_is_over(&gathering, 1));
}

/* The others are still awaited then. */
static void letting_go_does_not_end_the_beginning(void **state) {
  struct ls_gathering gathering;
  (void)state;
  ls_gathering_open(&gathering, 3);
  ls_gathering_add(&gathering, 1);
  ls_gathering_hold(&gathering);
  ls_gathering_let_go(&gathering);
  assert_false(ls_gathering_is_over(&gathering, 1));
  assert_true(ls_gathering_is_over(&gathering, 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_are_awaited_end_it),
      cmocka_unit_test(nobody_waits_for_ever_once_one_has_asked),
      cmocka_unit_test(one_that_is_gone_is_not_counted),
      cmocka_unit_test(who_asks_while_it_is_held_waits),
      cmocka_unit_test(letting_go_does_not_end_the_beginning),
      cmocka_unit_test(one_worker_has_nobody_to_wait_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
