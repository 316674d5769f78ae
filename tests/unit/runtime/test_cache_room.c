#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cache_fixture.h"

static void set_use(const struct ls_cache *cache, const struct ls_staged_input *input,
                    time_t seconds) {
  const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_nsec = UTIME_OMIT}};
  char digits[LS_CONTENT_DIGITS + 1];
  ls_content_write(input->content, digits);
  assert_int_equal(utimensat(cache->files, digits, times, 0), 0);
}

static void what_was_used_least_recently_goes_first(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(12);
  struct ls_staged_input a = fixture_bring(&cache, "a", "aaaa"),
                         b = fixture_bring(&cache, "b", "bbbb");
  struct ls_staged_input c = fixture_bring(&cache, "c", "cccc");
  set_use(&cache, &a, 30);
  set_use(&cache, &b, 10);
  set_use(&cache, &c, 20);
  assert_int_equal(ls_cache_make_room(&cache, 0, NULL), LS_OK);
  assert_int_equal(ls_cache_make_room(&cache, 5, NULL), LS_OK);
  assert_true(fixture_has(&cache, &a));
  assert_false(fixture_has(&cache, &b));
  assert_false(fixture_has(&cache, &c));
  fixture_close(&cache);
}

static void what_somebody_needs_stays(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(8), other = fixture_open(8);
  struct ls_error err = {0};
  struct ls_staged_input a = fixture_bring(&cache, "a", "aaaa"),
                         b = fixture_bring(&cache, "b", "bbbb");
  assert_true(ls_cache_pin(&cache, a.content, a.bytes));
  assert_true(ls_cache_pin(&other, a.content, a.bytes));
  ls_cache_unpin(&cache, a.content);
  assert_int_equal(ls_cache_make_room(&cache, 5, &err), LS_EBUSY);
  assert_non_null(strstr(err.text, "5 bytes do not fit with 4 in use, at most 8"));
  assert_true(fixture_has(&cache, &a));
  assert_false(fixture_has(&cache, &b));
  /* A worker that was killed needs nothing any more: its lock goes with it. */
  assert_int_equal(close(other.pins), 0);
  other.pins = open("/dev/null", O_RDONLY | O_CLOEXEC);
  assert_int_equal(ls_cache_make_room(&cache, 5, &err), LS_OK);
  assert_false(fixture_has(&cache, &a));
  ls_cache_close(&other);
  fixture_close(&cache);
}

static void a_task_that_runs_keeps_its_inputs(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(4);
  struct ls_staged_input a = fixture_bring(&cache, "a", "aaaa");
  assert_int_equal(ls_cache_link(&cache, &a, fixture_scratch.folder, NULL), LS_OK);
  assert_int_equal(ls_cache_make_room(&cache, 1, NULL), LS_EBUSY);
  assert_int_equal(unlinkat(fixture_scratch.folder, "a", 0), 0);
  assert_int_equal(ls_cache_make_room(&cache, 1, NULL), LS_OK);
  fixture_close(&cache);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_used_least_recently_goes_first),
      cmocka_unit_test(what_somebody_needs_stays),
      cmocka_unit_test(a_task_that_runs_keeps_its_inputs),
  };
  return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
