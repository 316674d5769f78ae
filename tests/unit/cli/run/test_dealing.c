/* The run's side, with a real dealer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/blocks.h"

static const struct ls_block_options single = {.is_piped = true, .is_dealt = true, .records = 1};
static struct ls_blocks blocks;
static struct ls_dealing *const dealing = &blocks.dealing;
static struct ls_error err;
static int data[2];

static void start(size_t processes) {
  const struct ls_blocks_setup wanted = {.options = &single};
  assert_int_equal(ls_blocks_open(&blocks, &wanted, &err), LS_OK);
  assert_int_equal(pipe2(data, O_CLOEXEC), 0);
  const struct ls_dealing_setup setup = {
      .blocks = &blocks, .file = data[0], .name = "the data", .processes = processes};
  assert_int_equal(ls_dealing_start(dealing, &setup, &err), LS_OK);
}

static void end(void) {
  close(data[0]);
  close(data[1]);
  ls_blocks_close(&blocks);
}

static void say(const char *text) {
  assert_int_equal(write(data[1], text, strlen(text)), strlen(text));
}

/* Waits for what there is to be told; units that have come. */
static enum ls_status ask(struct ls_more *more) {
  struct pollfd file = {.fd = dealing->reports, .events = POLLIN};
  assert_int_equal(poll(&file, 1, -1), 1);
  return ls_dealing_more(dealing, more, &err);
}

static int open_input(uint64_t unit) {
  struct ls_block block;
  assert_int_equal(ls_blocks_of(&blocks, unit, 1, &block, &err), LS_OK);
  assert_true(block.is_whole);
  assert_int_equal(block.header_length, 0);
  int file = open(block.path, O_RDONLY | O_CLOEXEC);
  assert_true(file >= 0);
  return file;
}

static void unit_is_a_process_that_is_fed(void **state) {
  (void)state;
  struct ls_more more;
  char text[8];
  start(2);
  say("a\n");
  assert_int_equal(ask(&more), LS_OK);
  assert_int_equal(more.units, 1);
  assert_false(more.is_last);
  int input = open_input(0);
  assert_int_equal(read(input, text, sizeof text), 2);
  ls_dealing_stop(dealing);
  ls_dealing_stop(dealing);
  assert_int_equal(ask(&more), LS_OK);
  assert_true(more.is_last);
  assert_int_equal(read(input, text, sizeof text), 0);
  /* The end comes behind what was counted; nobody has been the second process, or a third. */
  assert_int_equal(ls_dealing_measure(dealing, 0), 2);
  assert_int_equal(ls_dealing_measure(dealing, 1), 0);
  assert_int_equal(ls_dealing_measure(dealing, 2), 0);
  close(input);
  assert_int_equal(ls_blocks_settle(&blocks, (struct ls_range){0, 1}, &err), LS_OK);
  assert_int_equal(ls_dealing_finish(dealing), 0);
  assert_int_equal(ls_dealing_finish(dealing), 0);
  end();
}

static void unit_is_handed_out_once(void **state) {
  (void)state;
  struct ls_more more;
  struct ls_block block;
  start(1);
  say("a\n");
  assert_int_equal(ask(&more), LS_OK);
  close(open_input(0));
  assert_int_equal(ls_blocks_of(&blocks, 0, 1, &block, &err), LS_EIO);
  assert_non_null(strstr(err.text, "the worker of process 1 was lost"));
  end();
}

static void what_nobody_has_read_is_counted(void **state) {
  (void)state;
  struct ls_more more = {.is_last = false};
  start(1);
  say("a\nb\n");
  assert_int_equal(ask(&more), LS_OK);
  close(open_input(0));
  ls_dealing_settle(dealing, (struct ls_range){0, 1});
  while (!more.is_last) assert_int_equal(ask(&more), LS_OK);
  assert_int_equal(ls_dealing_finish(dealing), 2);
  end();
}

/* The processes have seen an end that is none. */
static void dealer_that_dies_fails_the_run(void **state) {
  (void)state;
  struct ls_more more;
  start(1);
  assert_int_equal(kill(dealing->dealer, SIGKILL), 0);
  assert_int_equal(ask(&more), LS_EIO);
  assert_non_null(strstr(err.text, "has died"));
  /* Nobody hears it, and nobody is hurt. */
  ls_dealing_settle(dealing, (struct ls_range){0, 1});
  end();
}

static void failure_of_the_dealer_is_told(void **state) {
  (void)state;
  struct ls_more more;
  const struct ls_blocks_setup wanted = {.options = &single};
  assert_int_equal(ls_blocks_open(&blocks, &wanted, &err), LS_OK);
  data[1] = -1;
  data[0] = open("/", O_RDONLY | O_CLOEXEC);
  const struct ls_dealing_setup setup = {
      .blocks = &blocks, .file = data[0], .name = "the folder", .processes = 1};
  assert_int_equal(ls_dealing_start(dealing, &setup, &err), LS_OK);
  assert_int_equal(ask(&more), LS_EINVAL);
  assert_non_null(strstr(err.text, "the folder: "));
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unit_is_a_process_that_is_fed),
      cmocka_unit_test(unit_is_handed_out_once),
      cmocka_unit_test(what_nobody_has_read_is_counted),
      cmocka_unit_test(dealer_that_dies_fails_the_run),
      cmocka_unit_test(failure_of_the_dealer_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
