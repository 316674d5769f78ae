#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/os/lines.h"

static void open_pipe(int ends[2]) {
  assert_int_equal(pipe(ends), 0);
  ls_lines_prepare(ends[0]);
  ls_lines_prepare(ends[1]);
}

static void put(int file, const char *text) {
  assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
}

static void expect(struct ls_lines *lines, const char *expected) {
  struct ls_text line;
  assert_true(ls_lines_take(lines, &line));
  assert_int_equal(line.length, strlen(expected));
  assert_memory_equal(line.data, expected, line.length);
}

static void lines_are_whole_however_they_arrive(void **state) {
  (void)state;
  int ends[2];
  struct ls_lines lines = {0};
  struct ls_text line;
  open_pipe(ends);
  assert_false(ls_lines_take(&lines, &line));
  assert_int_equal(ls_lines_rest(&lines).length, 0);
  assert_true(ls_lines_fill(&lines, ends[0])); /* nothing is there */
  put(ends[1], "one\r\ntw");
  assert_true(ls_lines_fill(&lines, ends[0]));
  expect(&lines, "one");
  assert_false(ls_lines_take(&lines, &line));
  put(ends[1], "o\n\nthree");
  assert_true(ls_lines_fill(&lines, ends[0]));
  expect(&lines, "two");
  expect(&lines, "");
  assert_false(ls_lines_take(&lines, &line));
  assert_int_equal(ls_lines_rest(&lines).length, 5);
  assert_memory_equal(ls_lines_rest(&lines).data, "three", 5);
  (void)close(ends[1]);
  assert_false(ls_lines_fill(&lines, ends[0]));
  assert_true((fcntl(ends[0], F_GETFD) & FD_CLOEXEC) != 0);
  (void)close(ends[0]);
  ls_lines_close(&lines);
}

/* Whatever a login prints, memory is bounded, and the next line is whole. */
static void of_a_line_without_end_the_rest_stays(void **state) {
  (void)state;
  int ends[2];
  struct ls_lines lines = {0};
  struct ls_text line;
  char block[4096];
  memset(block, 'x', sizeof block);
  open_pipe(ends);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(write(ends[1], block, sizeof block), sizeof block);
    assert_true(ls_lines_fill(&lines, ends[0]));
    assert_false(ls_lines_take(&lines, &line));
    assert_true(lines.bytes.length <= 2 * LS_LINE_BYTES_MAX);
  }
  put(ends[1], "\nnext\n");
  assert_true(ls_lines_fill(&lines, ends[0]));
  assert_true(ls_lines_take(&lines, &line));
  expect(&lines, "next");
  (void)close(ends[0]);
  (void)close(ends[1]);
  ls_lines_close(&lines);
}

static void what_is_not_taken_waits(void **state) {
  (void)state;
  int ends[2];
  struct ls_bytes waiting = {0};
  char block[4096];
  size_t sent = 0, got = 0;
  memset(block, 'x', sizeof block);
  open_pipe(ends);
  assert_true(ls_lines_flush(&waiting, ends[1]));
  for (int i = 0; i < 100; i++) ls_bytes_append(&waiting, block, sizeof block);
  sent = waiting.length;
  assert_true(ls_lines_flush(&waiting, ends[1]));
  assert_in_range(waiting.length, 1, sent - 1);
  while (waiting.length > 0) {
    ssize_t length = read(ends[0], block, sizeof block);
    if (length > 0) got += (size_t)length;
    assert_true(ls_lines_flush(&waiting, ends[1]));
  }
  for (ssize_t length; (length = read(ends[0], block, sizeof block)) > 0;) got += (size_t)length;
  assert_int_equal(got, sent);
  /* Nobody reads it, or not for long. */
  while (waiting.length <= LS_LINES_WAITING_MAX + (1 << 20))
    ls_bytes_append(&waiting, block, sizeof block);
  assert_false(ls_lines_flush(&waiting, ends[1]));
  (void)signal(SIGPIPE, SIG_IGN);
  (void)close(ends[0]);
  assert_false(ls_lines_flush(&waiting, ends[1]));
  (void)close(ends[1]);
  ls_bytes_close(&waiting);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_whole_however_they_arrive),
      cmocka_unit_test(of_a_line_without_end_the_rest_stays),
      cmocka_unit_test(what_is_not_taken_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
