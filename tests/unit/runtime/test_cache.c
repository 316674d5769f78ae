#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "cache_fixture.h"

static void a_file_is_there_whole_or_not_at_all(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  struct ls_staged_input input = fixture_input("x", "some bytes");
  struct ls_cache_arrival arrival = {.file = -1};
  assert_true(cache.bytes_max > 0);
  assert_int_equal(ls_cache_begin(&cache, &arrival, input.content, input.bytes, NULL), LS_OK);
  assert_int_equal(ls_cache_add(&arrival, "some ", 5, NULL), LS_OK);
  assert_false(fixture_has(&cache, &input));
  assert_int_equal(ls_cache_add(&arrival, "bytes!", 6, NULL), LS_ECORRUPT);
  assert_int_equal(ls_cache_add(&arrival, "bytes", 5, NULL), LS_OK);
  assert_int_equal(ls_cache_end(&cache, &arrival, NULL), LS_OK);
  assert_int_equal(arrival.file, -1);
  assert_true(fixture_has(&cache, &input));
  ++input.bytes;
  assert_false(fixture_has(&cache, &input));
  fixture_close(&cache);
}

static void what_has_another_content_is_not_kept(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  struct ls_staged_input input = fixture_input("x", "true");
  struct ls_cache_arrival arrival = {.file = -1};
  struct ls_error err = {0};
  assert_int_equal(ls_cache_begin(&cache, &arrival, input.content, input.bytes, NULL), LS_OK);
  assert_int_equal(ls_cache_add(&arrival, "lies", 4, NULL), LS_OK);
  assert_int_equal(ls_cache_end(&cache, &arrival, &err), LS_ECORRUPT);
  assert_false(fixture_has(&cache, &input));
  /* One that is given up leaves nothing either. */
  assert_int_equal(ls_cache_begin(&cache, &arrival, input.content, input.bytes, NULL), LS_OK);
  ls_cache_abandon(&cache, &arrival);
  ls_cache_abandon(&cache, &arrival);
  assert_int_equal(unlinkat(fixture_scratch.folder, "files", AT_REMOVEDIR), 0);
  ls_cache_close(&cache);
}

static void tasks_get_links_that_they_can_replace_but_not_change(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  struct stat facts;
  struct ls_staged_input input = fixture_bring(&cache, "d/x", "data");
  int sandbox = fixture_scratch.folder;
  assert_int_equal(ls_cache_link(&cache, &input, sandbox, NULL), LS_OK);
  assert_int_equal(fstatat(sandbox, "d/x", &facts, 0), 0);
  assert_int_equal(facts.st_mode & 07777, 0444);
  assert_int_equal(facts.st_nlink, 2);
  input.name = "d/y";
  input.is_executable = true;
  assert_int_equal(ls_cache_link(&cache, &input, sandbox, NULL), LS_OK);
  assert_int_equal(fstatat(sandbox, "d/y", &facts, 0), 0);
  assert_int_equal(facts.st_mode & 07777, 0555);
  /* Twice the same name, a name that leads out, a content that is not there. */
  assert_int_equal(ls_cache_link(&cache, &input, sandbox, NULL), LS_EIO);
  input.name = "../y";
  assert_int_equal(ls_cache_link(&cache, &input, sandbox, NULL), LS_EINVAL);
  struct ls_error err = {0};
  struct ls_staged_input other = fixture_input("z", "other");
  assert_int_equal(ls_cache_link(&cache, &other, sandbox, &err), LS_EIO);
  assert_non_null(strstr(err.text, "input 'z'"));
  /* Who has the right, and writes all the same, harms only those who have it now. */
  assert_int_equal(fchmodat(sandbox, "d/x", 0600, 0), 0);
  int file = openat(sandbox, "d/x", O_WRONLY | O_CLOEXEC);
  assert_int_equal(write(file, "DATA", 4), 4);
  assert_int_equal(close(file), 0);
  input.is_executable = false;
  assert_false(fixture_has(&cache, &input));
  ls_tree_remove(sandbox, "d");
  fixture_close(&cache);
}

static void one_worker_of_a_machine_has_the_turn(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0), other = fixture_open(0);
  assert_string_not_equal(cache.pins_name, other.pins_name);
  int turn = ls_cache_take_turn(&cache);
  assert_true(turn >= 0);
  assert_int_equal(ls_cache_take_turn(&other), -1);
  assert_int_equal(close(turn), 0);
  turn = ls_cache_take_turn(&other);
  assert_true(turn >= 0);
  assert_int_equal(close(turn), 0);
  ls_cache_close(&other);
  fixture_close(&cache);
}

/* Whoever clears up looks so which workers live. */
static void whose_pins_are_locked_is_there(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  int pins = openat(fixture_scratch.folder, cache.pins_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true(pins >= 0);
  assert_int_equal(flock(pins, LOCK_SH | LOCK_NB), -1);
  assert_int_equal(errno, EWOULDBLOCK);
  fixture_close(&cache);
  assert_int_equal(flock(pins, LOCK_EX | LOCK_NB), 0);
  assert_int_equal(close(pins), 0);
}

/* As where standard input was closed. */
static void the_turn_may_be_descriptor_0(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  assert_true(kept >= 0);
  assert_int_equal(close(STDIN_FILENO), 0);
  int turn = ls_cache_take_turn(&cache), other = ls_cache_take_turn(&cache);
  assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
  assert_int_equal(close(kept), 0);
  assert_int_equal(turn, STDIN_FILENO);
  assert_int_equal(other, -1);
  fixture_close(&cache);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_there_whole_or_not_at_all),
      cmocka_unit_test(what_has_another_content_is_not_kept),
      cmocka_unit_test(tasks_get_links_that_they_can_replace_but_not_change),
      cmocka_unit_test(one_worker_of_a_machine_has_the_turn),
      cmocka_unit_test(whose_pins_are_locked_is_there),
      cmocka_unit_test(the_turn_may_be_descriptor_0),
  };
  return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
