/* May a command begin on this machine now? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/execute/machine_state.h"

static void each_limit_counts_by_itself(void **state) {
  (void)state;
  const struct ls_machine_facts facts = {.load = 3, .free_bytes = 1000};
  struct ls_command_manners manners = {.load_most = 3, .memory_least_bytes = 1000};
  assert_true(ls_machine_is_good(&(struct ls_command_manners){0}, &facts, NULL));
  assert_true(ls_machine_is_good(&manners, &facts, NULL));
  manners.load_most = 2.99;
  assert_false(ls_machine_is_good(&manners, &facts, NULL));
  manners.load_most = 0;
  manners.memory_least_bytes = 1001;
  assert_false(ls_machine_is_good(&manners, &facts, NULL));
}

/* Pages that only leave make room; the first look has nothing to compare with. */
static void only_swapping_both_ways_bars(void **state) {
  (void)state;
  const struct ls_command_manners manners = {.avoids_swap = true};
  const struct ls_machine_facts before = {.swapped_in = 5, .swapped_out = 5};
  struct ls_machine_facts now = {.swapped_in = 5, .swapped_out = 9};
  assert_true(ls_machine_is_good(&manners, &now, &before));
  now.swapped_in = 6;
  assert_true(ls_machine_is_good(&manners, &now, NULL));
  assert_false(ls_machine_is_good(&manners, &now, &before));
  now.swapped_out = 5;
  assert_true(ls_machine_is_good(&manners, &now, &before));
}

/* What a kernel does not tell holds nothing up. */
static void unknown_facts_bar_nothing(void **state) {
  (void)state;
  const struct ls_command_manners manners = {
      .load_most = 0.5, .memory_least_bytes = 1000, .avoids_swap = true};
  const struct ls_machine_facts facts = {.load = (double)NAN};
  assert_true(ls_machine_is_good(&manners, &facts, &facts));
}

static void the_machine_is_looked_at_now_and_then(void **state) {
  (void)state;
  const struct ls_command_manners easy = {.memory_least_bytes = 1};
  const struct ls_command_manners hard = {.memory_least_bytes = UINT64_MAX};
  struct ls_machine_facts facts;
  struct ls_machine_state machine = {0};
  ls_machine_look("", &facts);
  assert_true(facts.free_bytes > 0 && facts.load >= 0);
  assert_true(ls_machine_lets_begin(&machine, &easy, 100));
  /* Within the time of a look its answer stays. */
  assert_true(ls_machine_lets_begin(&machine, &hard, 100 + ls_machine_look_s / 2));
  assert_false(ls_machine_lets_begin(&machine, &hard, 100 + ls_machine_look_s));
  assert_true(ls_machine_lets_begin(&machine, &(struct ls_command_manners){0}, 101));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_limit_counts_by_itself),
      cmocka_unit_test(only_swapping_both_ways_bars),
      cmocka_unit_test(unknown_facts_bar_nothing),
      cmocka_unit_test(the_machine_is_looked_at_now_and_then),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
