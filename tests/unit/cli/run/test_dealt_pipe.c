/* The input of one process, which the test reads in its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/dealt_pipe.h"

static struct ls_dealt_pipe feed;
static struct ls_returned_blocks blocks;
static uint64_t told;
static const struct ls_subject nothing = {"", 0};

static void give(const char *header, const char *text) {
  struct ls_error err = {0};
  const struct ls_subject first = {header, strlen(header)}, block = {text, strlen(text)};
  if (ls_dealt_pipe_give(&feed, first, block, &err) != LS_OK) fail_msg("%s", err.text);
}

/* As the process would. */
static void read_all(const char *expected) {
  char data[4096];
  ssize_t got = read(feed.ends[0], data, strlen(expected));
  assert_int_equal(got, strlen(expected));
  assert_memory_equal(data, expected, strlen(expected));
}

static void take(const char *expected) {
  assert_true(ls_returned_blocks_has(&blocks));
  struct ls_subject block = ls_returned_blocks_take(&blocks);
  assert_int_equal(block.length, strlen(expected));
  assert_memory_equal(block.data, expected, block.length);
}

static bool is_writable(void) {
  struct pollfd file = {.fd = feed.ends[1], .events = POLLOUT};
  return poll(&file, 1, 0) == 1;
}

static void header_goes_before_the_first_block(void **state) {
  (void)state;
  assert_int_equal(ls_dealt_pipe_open(&feed, 10, &told, NULL), LS_OK);
  give("h\n", "a\n");
  give("", "b\n");
  assert_true(ls_dealt_pipe_has_room(&feed));
  read_all("h\na\nb\n");
  assert_int_equal(told, 6);
  ls_dealt_pipe_finish(&feed);
  char byte;
  assert_int_equal(read(feed.ends[0], &byte, 1), 0);
  ls_dealt_pipe_close(&feed);
}

/* Who has not read its small block is not free. */
static void small_pipe_is_free_when_it_is_empty(void **state) {
  (void)state;
  assert_int_equal(ls_dealt_pipe_open(&feed, 2, &told, NULL), LS_OK);
  assert_true(is_writable());
  give("", "a\n");
  assert_false(is_writable());
  read_all("a\n");
  assert_true(is_writable());
  ls_dealt_pipe_close(&feed);
}

static void what_nobody_has_begun_to_read_comes_back(void **state) {
  (void)state;
  assert_int_equal(ls_dealt_pipe_open(&feed, 10, &told, NULL), LS_OK);
  give("head\n", "one\n");
  give("", "two\n");
  give("", "three\n");
  give("", "four\n");
  read_all("head\none\nt");
  assert_int_equal(ls_dealt_pipe_end(&feed, &blocks, NULL), LS_OK);
  take("three\n");
  take("four\n");
  assert_false(ls_returned_blocks_has(&blocks));
  ls_returned_blocks_close(&blocks);
}

/* Also where it has not read its header. */
static void process_that_reads_nothing_keeps_nothing(void **state) {
  (void)state;
  assert_int_equal(ls_dealt_pipe_open(&feed, 10, &told, NULL), LS_OK);
  give("head\n", "one\n");
  give("", "two\n");
  assert_int_equal(ls_dealt_pipe_end(&feed, &blocks, NULL), LS_OK);
  take("one\n");
  assert_int_equal(ls_dealt_pipe_open(&feed, 10, &told, NULL), LS_OK);
  give("", "three\n");
  read_all("three\n");
  assert_int_equal(ls_dealt_pipe_end(&feed, &blocks, NULL), LS_OK);
  take("two\n");
  assert_false(ls_returned_blocks_has(&blocks));
  ls_returned_blocks_close(&blocks);
}

/* A block that is larger than its pipe is written as it is read, or comes back whole. */
static void large_block_waits_beside_its_pipe(void **state) {
  (void)state;
  enum { LENGTH = 3 << 20 };
  char *data = malloc(LENGTH), *copy = malloc(LENGTH);
  assert_non_null(data);
  assert_non_null(copy);
  for (size_t i = 0; i < LENGTH; i++) data[i] = (char)(i * 7 + i / 251);
  const struct ls_subject block = {data, LENGTH};
  assert_int_equal(ls_dealt_pipe_open(&feed, LENGTH, &told, NULL), LS_OK);
  assert_int_equal(ls_dealt_pipe_give(&feed, nothing, block, NULL), LS_OK);
  assert_false(ls_dealt_pipe_has_room(&feed));
  size_t length = 0;
  while (length < LENGTH) {
    ssize_t got = read(feed.ends[0], copy + length, LENGTH - length);
    if (got < 0) {
      assert_int_equal(errno, EAGAIN);
      got = 0;
    }
    length += (size_t)got;
    assert_int_equal(ls_dealt_pipe_push(&feed, NULL), LS_OK);
  }
  assert_memory_equal(copy, data, LENGTH);
  assert_true(ls_dealt_pipe_has_room(&feed));
  assert_int_equal(ls_dealt_pipe_give(&feed, nothing, block, NULL), LS_OK);
  assert_int_equal(ls_dealt_pipe_end(&feed, &blocks, NULL), LS_OK);
  struct ls_subject back = ls_returned_blocks_take(&blocks);
  assert_int_equal(back.length, LENGTH);
  assert_memory_equal(back.data, data, LENGTH);
  /* One byte of it was read: it is gone. */
  assert_int_equal(ls_dealt_pipe_open(&feed, LENGTH, &told, NULL), LS_OK);
  assert_int_equal(ls_dealt_pipe_give(&feed, nothing, block, NULL), LS_OK);
  assert_int_equal(read(feed.ends[0], copy, 1), 1);
  assert_int_equal(ls_dealt_pipe_end(&feed, &blocks, NULL), LS_OK);
  assert_false(ls_returned_blocks_has(&blocks));
  ls_returned_blocks_close(&blocks);
  free(data);
  free(copy);
}

/* With --rrs a record may have no bytes. */
static void empty_block_is_no_loss(void **state) {
  (void)state;
  assert_int_equal(ls_dealt_pipe_open(&feed, 10, &told, NULL), LS_OK);
  give("", "");
  give("", "a\n");
  assert_int_equal(ls_dealt_pipe_end(&feed, &blocks, NULL), LS_OK);
  take("a\n");
  assert_false(ls_returned_blocks_has(&blocks));
  ls_returned_blocks_close(&blocks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(header_goes_before_the_first_block),
      cmocka_unit_test(small_pipe_is_free_when_it_is_empty),
      cmocka_unit_test(what_nobody_has_begun_to_read_comes_back),
      cmocka_unit_test(process_that_reads_nothing_keeps_nothing),
      cmocka_unit_test(large_block_waits_beside_its_pipe),
      cmocka_unit_test(empty_block_is_no_loss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
