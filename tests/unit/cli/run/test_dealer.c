/* The dealer runs in a process of its own, as in a run; the test is the run, and the processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/dealer.h"

static struct ls_blocks blocks;
static int data[2], orders[2], reports[2];
static pid_t dealer;

static void start(const struct ls_block_options *options, size_t processes) {
  static uint64_t given[64]; /* counted in the child only */
  assert_true(processes <= sizeof given / sizeof *given);
  const struct ls_blocks_setup wanted = {.options = options};
  struct ls_error err = {0};
  if (ls_blocks_open(&blocks, &wanted, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(pipe2(data, O_CLOEXEC), 0);
  assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
  assert_int_equal(pipe2(reports, O_CLOEXEC), 0);
  const struct ls_dealer_setup setup = {.blocks = &blocks,
                                        .file = data[0],
                                        .name = "the data",
                                        .processes = processes,
                                        .orders = orders[0],
                                        .reports = reports[1],
                                        .given = given};
  dealer = fork();
  assert_true(dealer >= 0);
  if (dealer == 0) {
    close(data[1]);
    close(orders[1]);
    ls_dealer_run(&setup);
    _exit(0);
  }
  close(data[0]);
  close(orders[0]);
  close(reports[1]);
}

static void end(void) {
  const uint32_t leave = LS_DEALER_LEAVE;
  int status = -1;
  assert_int_equal(write(orders[1], &leave, sizeof leave), sizeof leave);
  assert_int_equal(waitpid(dealer, &status, 0), dealer);
  assert_int_equal(status, 0);
  close(data[1]);
  close(orders[1]);
  close(reports[0]);
  ls_blocks_close(&blocks);
}

static void say(const char *text) {
  assert_int_equal(write(data[1], text, strlen(text)), strlen(text));
}

static void say_end(void) {
  close(data[1]);
  data[1] = -1;
}

static void order(uint32_t what) {
  assert_int_equal(write(orders[1], &what, sizeof what), sizeof what);
}

/* Waits for a report, which must be this one; its number. */
static uint32_t hear(enum ls_dealer_news news) {
  struct ls_dealer_report report;
  assert_int_equal(read(reports[0], &report, sizeof report), sizeof report);
  assert_int_equal(report.news, news);
  return report.number;
}

/* The input of the next process. */
static int open_next(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%u", (int)dealer, (unsigned)hear(LS_DEALER_WANTS));
  int file = open(path, O_RDONLY | O_CLOEXEC);
  assert_true(file >= 0);
  return file;
}

static void expect(int file, const char *expected) {
  char text[256];
  size_t length = 0;
  while (length < strlen(expected)) {
    ssize_t got = read(file, text + length, strlen(expected) - length);
    assert_true(got > 0);
    length += (size_t)got;
  }
  assert_memory_equal(text, expected, length);
}

static void expect_end(int file) {
  char byte;
  assert_int_equal(read(file, &byte, 1), 0);
  close(file);
}

static const struct ls_block_options single = {.is_piped = true, .is_dealt = true, .records = 1};

/* Each begins with its first block, as soon as that has come whole. */
static void processes_begin_with_blocks(void **state) {
  (void)state;
  start(&single, 2);
  say("a\nb");
  int first = open_next();
  expect(first, "a\n");
  say("b\n");
  int second = open_next();
  expect(second, "bb\n");
  say_end();
  (void)hear(LS_DEALER_ENDS);
  expect_end(first);
  expect_end(second);
  end();
}

static void no_data_is_no_process(void **state) {
  (void)state;
  start(&single, 3);
  say_end();
  (void)hear(LS_DEALER_ENDS);
  end();
}

/* The first one reads nothing: all but its one block are for the other. */
static void who_takes_its_block_gets_the_next(void **state) {
  (void)state;
  start(&single, 2);
  say("1\n2\n");
  int slow = open_next(), quick = open_next();
  expect(quick, "2\n");
  for (int i = 3; i < 200; i++) {
    char text[16];
    snprintf(text, sizeof text, "%d\n", i);
    say(text);
    expect(quick, text);
  }
  say_end();
  (void)hear(LS_DEALER_ENDS);
  expect_end(quick);
  expect(slow, "1\n");
  expect_end(slow);
  end();
}

static void each_process_has_the_header_once(void **state) {
  (void)state;
  const struct ls_block_options options = {
      .is_piped = true, .is_dealt = true, .records = 1, .header = ":", .removes = true};
  start(&options, 2);
  say("h\n1\n2\n3\n");
  int first = open_next(), second = open_next();
  /* Line ends behind records are removed, as with all blocks. */
  expect(second, "h\n2");
  expect(second, "3");
  say_end();
  expect_end(second);
  expect(first, "h\n1");
  expect_end(first);
  (void)hear(LS_DEALER_ENDS);
  end();
}

static void block_of_a_dead_process_goes_to_another(void **state) {
  (void)state;
  start(&single, 2);
  say("1\n2\n");
  int first = open_next(), second = open_next();
  expect(second, "2\n");
  close(first);
  order(0);
  expect(second, "1\n");
  say("3\n");
  expect(second, "3\n");
  say_end();
  (void)hear(LS_DEALER_ENDS);
  expect_end(second);
  end();
}

/* Nobody is left: the data need not be read to their end, and what was in hand is told. */
static void dealer_stops_without_processes(void **state) {
  (void)state;
  start(&single, 1);
  say("1\n2\n3\n");
  int only = open_next();
  close(only);
  order(0);
  assert_int_equal(hear(LS_DEALER_UNREAD), 2);
  (void)hear(LS_DEALER_ENDS);
  end();
}

/* What was unread when the other had its end is told. */
static void last_block_of_a_dead_process_is_told(void **state) {
  (void)state;
  start(&single, 2);
  say("1\n2\n");
  int first = open_next(), second = open_next();
  say_end();
  (void)hear(LS_DEALER_ENDS);
  expect(second, "2\n");
  expect_end(second);
  order(1);
  close(first);
  order(0);
  assert_int_equal(hear(LS_DEALER_UNREAD), 1);
  end();
}

static void stop_gives_the_end_to_all(void **state) {
  (void)state;
  start(&single, 2);
  say("1\n2\n");
  int first = open_next(), second = open_next();
  order(LS_DEALER_STOP);
  (void)hear(LS_DEALER_ENDS);
  expect(first, "1\n");
  expect_end(first);
  expect(second, "2\n");
  expect_end(second);
  end();
}

/* The processes must not take it for the end of the data. */
static void failure_ends_nothing(void **state) {
  (void)state;
  const struct ls_block_options options = {
      .is_piped = true, .is_dealt = true, .records = 1, .columns = ",", .group_by = "1"};
  struct ls_error err;
  start(&options, 2);
  say("a,1\nb,1\n");
  int first = open_next();
  expect(first, "a,1\n");
  assert_int_equal(write(data[1], "\0,1\nc", 5), 5);
  (void)hear(LS_DEALER_FAILS);
  assert_int_equal(read(reports[0], &err, sizeof err), sizeof err);
  assert_int_equal(err.status, LS_EINVAL);
  assert_non_null(strstr(err.text, "zero byte"));
  assert_int_equal(fcntl(first, F_SETFL, O_NONBLOCK), 0);
  char byte;
  assert_int_equal(read(first, &byte, 1), -1);
  close(first);
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(processes_begin_with_blocks),
      cmocka_unit_test(no_data_is_no_process),
      cmocka_unit_test(who_takes_its_block_gets_the_next),
      cmocka_unit_test(each_process_has_the_header_once),
      cmocka_unit_test(block_of_a_dead_process_goes_to_another),
      cmocka_unit_test(dealer_stops_without_processes),
      cmocka_unit_test(last_block_of_a_dead_process_is_told),
      cmocka_unit_test(stop_gives_the_end_to_all),
      cmocka_unit_test(failure_ends_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
