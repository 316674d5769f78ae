/* test_capture.c: what a command writes is whole, or known not to be. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/execute/capture.h"

static void begin(struct ls_capture *capture, bool is_alone) {
  struct ls_error err;
  if (ls_capture_begin(capture, is_alone, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(capture->state, LS_CAPTURE_OPEN);
}

static void put(int target, size_t length) {
  char block[1000];
  memset(block, 'x', sizeof block);
  while (length > 0) {
    size_t part = length < sizeof block ? length : sizeof block;
    assert_int_equal(write(target, block, part), part);
    length -= part;
  }
}

/* Around the limit of what stays in memory; every byte once, in its order. */
static void all_of_it_is_here_at_every_size(void **state) {
  (void)state;
  struct ls_capture capture = ls_capture_make(1000);
  static const size_t sizes[] = {0, 1, 999, 1000, 1001, 2000, 60000};
  char text[8];
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    begin(&capture, true);
    put(capture.target, sizes[i]);
    ls_capture_drain(&capture);
    assert_int_equal(write(capture.target, "end", 3), 3);
    ls_capture_end(&capture);
    assert_int_equal(capture.state, LS_CAPTURE_WHOLE);
    assert_int_equal(ls_capture_length(&capture), sizes[i] + 3);
    assert_int_equal(ls_capture_read(&capture, sizes[i], text, sizeof text), 3);
    assert_memory_equal(text, "end", 3);
    assert_int_equal(ls_capture_read(&capture, sizes[i] + 3, text, sizeof text), 0);
    assert_true((capture.file >= 0) == (sizes[i] + 3 > 1000));
    int file = ls_capture_take(&capture);
    if (file >= 0) (void)close(file);
  }
  ls_capture_close(&capture);
}

static void what_has_no_room_is_broken(void **state) {
  (void)state;
  struct rlimit before, little;
  struct ls_capture capture = ls_capture_make(1000);
  (void)signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  little = before;
  little.rlim_cur = 5000;
  for (int i = 0; i < 2; ++i) {
    begin(&capture, true);
    put(capture.target, 20000);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    ls_capture_drain(&capture);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(capture.state, LS_CAPTURE_BROKEN);
    assert_non_null(strstr(capture.why.text, "File too large"));
    assert_non_null(strstr(capture.why.text, "MiB are free there"));
    /* The command goes on, and what it writes changes nothing. */
    put(capture.target, 10);
    ls_capture_end(&capture);
    assert_int_equal(capture.state, LS_CAPTURE_BROKEN);
    assert_int_equal(ls_capture_length(&capture), 0);
    assert_int_equal(ls_capture_take(&capture), -1);
  }
  begin(&capture, true);
  ls_capture_end(&capture);
  assert_int_equal(capture.state, LS_CAPTURE_WHOLE);
  ls_capture_close(&capture);
}

/* Who still writes does not keep the end waiting, nor get into the next command's output. */
static void survivors_are_nobody_elses(void **state) {
  (void)state;
  struct ls_capture capture = ls_capture_make(1000);
  int held[LS_CAPTURE_SURVIVORS_MAX + 8];
  (void)signal(SIGPIPE, SIG_IGN);
  for (size_t i = 0; i < sizeof held / sizeof *held; ++i) {
    begin(&capture, i == 0);
    held[i] = fcntl(capture.target, F_DUPFD_CLOEXEC, 3);
    if (i > 0) put(held[i - 1], 100);
    ls_capture_drain(&capture);
    ls_capture_end(&capture);
    assert_int_equal(ls_capture_length(&capture), 0);
  }
  assert_int_equal(capture.survivors_count, LS_CAPTURE_SURVIVORS_MAX);
  put(held[LS_CAPTURE_SURVIVORS_MAX], 10);
  assert_int_equal(write(held[0], "x", 1), -1);
  for (size_t i = 0; i < sizeof held / sizeof *held; ++i) (void)close(held[i]);
  ls_capture_drain(&capture);
  assert_int_equal(capture.survivors_count, 0);
  ls_capture_close(&capture);
}

/* Node.js makes its outputs so. */
static void next_command_waits_for_room(void **state) {
  (void)state;
  struct ls_capture capture = ls_capture_make(1000);
  begin(&capture, true);
  assert_int_equal(fcntl(capture.target, F_SETFL, O_NONBLOCK), 0);
  begin(&capture, true);
  assert_int_equal(fcntl(capture.target, F_GETFL) & O_NONBLOCK, 0);
  assert_int_not_equal(fcntl(capture.source, F_GETFL) & O_NONBLOCK, 0);
  ls_capture_close(&capture);
}

static void own_words_stand_behind_the_commands(void **state) {
  (void)state;
  struct ls_capture capture = ls_capture_make(10);
  char text[32];
  begin(&capture, true);
  put(capture.target, 8);
  ls_capture_end(&capture);
  ls_capture_add(&capture, "words", 5);
  assert_int_equal(ls_capture_read(&capture, 0, text, sizeof text), 13);
  assert_memory_equal(text, "xxxxxxxxwords", 13);
  ls_capture_close(&capture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_of_it_is_here_at_every_size),
      cmocka_unit_test(what_has_no_room_is_broken),
      cmocka_unit_test(survivors_are_nobody_elses),
      cmocka_unit_test(next_command_waits_for_room),
      cmocka_unit_test(own_words_stand_behind_the_commands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
