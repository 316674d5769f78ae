#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <unistd.h>

#include "runtime/transport/transport_wait.h"

/* Something that is looked after: a pipe, from which each look takes what is there. */
struct thing {
  int file;
  int looks, bytes;
  double seconds; /* it wants to be looked at again after so long */
};

static bool look_at(void *context, struct ls_watch *watch) {
  struct thing *thing = context;
  bool ready = thing->bytes > 0;
  thing->looks++;
  watch->seconds = fmin(watch->seconds, thing->seconds);
  ls_watch_add(watch, thing->file);
  return ready;
}

static void what_is_there_ends_the_wait_at_once(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  struct thing thing = {.file = ends[0], .bytes = 1, .seconds = (double)INFINITY};
  bool ready = true;
  const struct ls_wait_files files = {&ends[0], &ready, 1, false};
  assert_true(ls_wait_for(look_at, &thing, &files, (double)INFINITY));
  assert_false(ready);
  assert_int_equal(thing.looks, 1);
  (void)close(ends[0]);
  (void)close(ends[1]);
}

static void a_watched_descriptor_leads_to_a_second_look(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "x", 1), 1);
  struct thing thing = {.file = ends[0], .seconds = (double)INFINITY};
  const struct ls_wait_files none = {0};
  assert_false(ls_wait_for(look_at, &thing, &none, (double)INFINITY));
  assert_int_equal(thing.looks, 2);
  (void)close(ends[0]);
  (void)close(ends[1]);
}

static void a_file_ends_the_wait_and_its_end_does_so_too(void **state) {
  (void)state;
  int watched[2], ends[2];
  bool ready[2] = {true, false};
  assert_int_equal(pipe(watched), 0);
  assert_int_equal(pipe(ends), 0);
  struct thing thing = {.file = watched[0], .seconds = (double)INFINITY};
  const int files[] = {-1, ends[0]};
  const struct ls_wait_files waited = {files, ready, 2, false};
  (void)close(ends[1]);
  assert_false(ls_wait_for(look_at, &thing, &waited, (double)INFINITY));
  assert_false(ready[0]);
  assert_true(ready[1]);
  (void)close(ends[0]);
  (void)close(watched[0]);
  (void)close(watched[1]);
}

/* It would wait for ever otherwise. */
static void a_look_may_shorten_the_wait(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  struct thing thing = {.file = ends[0], .seconds = 0.002};
  const struct ls_wait_files none = {0};
  assert_false(ls_wait_for(look_at, &thing, &none, (double)INFINITY));
  assert_int_equal(thing.looks, 1);
  (void)close(ends[0]);
  (void)close(ends[1]);
}

/* What no descriptor tells of: the third look finds it. */
static bool look_again(void *context, struct ls_watch *watch) {
  struct thing *thing = context;
  watch->pause_s = fmin(watch->pause_s, thing->seconds);
  return ++thing->looks == 3;
}

static void a_look_may_ask_for_another_one_within_the_wait(void **state) {
  (void)state;
  struct thing thing = {.seconds = 1e-5}, late = {.looks = 3, .seconds = 1e-5};
  const struct ls_wait_files none = {0};
  assert_true(ls_wait_for(look_again, &thing, &none, (double)INFINITY));
  assert_int_equal(thing.looks, 3);
  assert_false(ls_wait_for(look_again, &late, &none, 0.002));
  assert_true(late.looks > 3);
}

static void seconds_become_milliseconds_rounded_up(void **state) {
  (void)state;
  static const struct {
    double seconds;
    int milliseconds;
  } cases[] = {{-1, 0},
               {0, 0},
               {0.0001, 1},
               {0.001, 1},
               {0.0011, 2},
               {999999, 999999000},
               {(double)INFINITY, 1000000000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(ls_wait_milliseconds(cases[i].seconds), cases[i].milliseconds);
  assert_int_equal(ls_wait_milliseconds((double)NAN), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_there_ends_the_wait_at_once),
      cmocka_unit_test(a_watched_descriptor_leads_to_a_second_look),
      cmocka_unit_test(a_file_ends_the_wait_and_its_end_does_so_too),
      cmocka_unit_test(a_look_may_shorten_the_wait),
      cmocka_unit_test(a_look_may_ask_for_another_one_within_the_wait),
      cmocka_unit_test(seconds_become_milliseconds_rounded_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
