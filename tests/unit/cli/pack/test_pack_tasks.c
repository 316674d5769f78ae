#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pack_cli_fixture.h"

static void times_are_joined_by_name(void **state) {
  (void)state;
  struct tables tables;
  take_tables(&tables, "a,1\nb,3\nc,5\n", "a,2\nb,3\n", "new\nb\na\n");
  const struct ls_pack_tasks *tasks = &tables.tasks;
  assert_int_equal(tasks->count, 3);
  assert_int_equal(tasks->known, 2);
  assert_int_equal(tasks->repeated, 2);
  assert_int_equal(tasks->unlisted, 1);
  /* The median of 1.5, 3 and 5 is what the new one takes; the longest stands first. */
  assert_true(fabs(tasks->fill_s - 3) < 1e-12);
  assert_string_equal(tasks->names[2], "a");
  assert_true(fabs(tasks->seconds[0] - 3) < 1e-12 && fabs(tasks->seconds[2] - 1.5) < 1e-12);
  /* Squares 0.5 of a mean of 1.5, and 0, with a degree of freedom each. */
  assert_true(fabs(tasks->variation - sqrt(0.5 / 2.25 / 2)) < 1e-12);
  assert_true(tasks->has_spread && tasks->has_times);
  close_tables(&tables);
}

static void the_order_of_a_list_means_nothing(void **state) {
  (void)state;
  struct tables one, other;
  take_tables(&one, "x,1\n", NULL, "a\nb\nc\nd\ne\nf\nx\n");
  take_tables(&other, "x,1\n", NULL, "f\nx\nd\nb\nc\ne\na\n");
  for (size_t i = 0; i < 7; i++) assert_string_equal(one.tasks.names[i], other.tasks.names[i]);
  close_tables(&one);
  close_tables(&other);
}

static void sizes_stand_for_times(void **state) {
  (void)state;
  struct tables tables;
  /* 2 seconds for 10: a size of 20 takes 4. */
  take_tables(&tables, "name,seconds,size\na,2,10\nb,,20\nc,,\n", NULL, NULL);
  assert_int_equal(tables.tasks.by_size, 1);
  assert_string_equal(tables.tasks.names[0], "b");
  assert_true(fabs(tables.tasks.seconds[0] - 4) < 1e-12);
  close_tables(&tables);
  take_tables(&tables, "name,size\na,7\nb,20\n", NULL, NULL);
  assert_false(tables.tasks.has_times);
  assert_true(fabs(tables.tasks.seconds[0] - 20) < 1e-12);
  close_tables(&tables);
  take_tables(&tables, "name,seconds\na,\nb,\n", NULL, NULL);
  assert_true(fabs(tables.tasks.seconds[0] - 1) < 1e-12 && !tables.tasks.has_times);
  close_tables(&tables);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_are_joined_by_name),
      cmocka_unit_test(the_order_of_a_list_means_nothing),
      cmocka_unit_test(sizes_stand_for_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
