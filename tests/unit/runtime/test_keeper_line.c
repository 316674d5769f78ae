#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/pool/keeper_line.h"

static void open_pair(struct ls_keeper_line *a, struct ls_keeper_line *b) {
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  *a = (struct ls_keeper_line){.file = ends[0]};
  *b = (struct ls_keeper_line){.file = ends[1]};
}

static void post(struct ls_keeper_line *line, enum ls_keeper_kind kind, uint32_t slot) {
  ls_keeper_line_post(line,
                      &(struct ls_keeper_record){.kind = kind, .slot = slot, .pid = (int)slot});
}

static void records_arrive_whole_and_in_order(void **state) {
  (void)state;
  struct ls_keeper_line a, b;
  struct ls_keeper_record record = {.kind = LS_KEEPER_UNSTARTED, .slot = 7, .number = 0.5};
  open_pair(&a, &b);
  assert_false(ls_keeper_line_take(&b, &record));
  memset(record.words, 'x', sizeof record.words);
  ls_keeper_line_post(&a, &record);
  post(&a, LS_KEEPER_ENDED, 8);
  assert_true(ls_keeper_line_take(&b, &record));
  assert_int_equal(record.slot, 7);
  assert_true(record.number == 0.5);
  /* Whatever was sent, the words end. */
  assert_int_equal(strlen(record.words), LS_KEEPER_WORDS_MAX);
  assert_true(ls_keeper_line_take(&b, &record));
  assert_int_equal(record.kind, LS_KEEPER_ENDED);
  assert_false(ls_keeper_line_take(&b, &record));
  assert_false(b.is_broken);
  ls_keeper_line_close(&a);
  ls_keeper_line_close(&b);
}

/* The sender goes on, and what waits at it arrives as the receiver takes. */
static void receiver_that_sleeps_holds_nobody_up(void **state) {
  (void)state;
  enum { RECORDS = 5000 };
  struct ls_keeper_line a, b;
  struct ls_keeper_record record;
  open_pair(&a, &b);
  for (uint32_t i = 0; i < RECORDS; ++i) post(&a, LS_KEEPER_STARTED, i);
  assert_true(ls_keeper_line_is_waiting(&a));
  uint32_t next = 0;
  while (next < RECORDS) {
    if (!ls_keeper_line_take(&b, &record)) {
      assert_false(b.is_broken);
      ls_keeper_line_flush(&a);
      continue;
    }
    assert_int_equal(record.slot, next++);
    /* The queue does not grow behind its first record. */
    if (next % 100 == 0) post(&a, LS_KEEPER_STARTED, RECORDS + next / 100 - 1);
  }
  ls_keeper_line_flush(&a);
  assert_false(ls_keeper_line_is_waiting(&a));
  assert_true(a.capacity < 2 * RECORDS);
  ls_keeper_line_close(&a);
  ls_keeper_line_close(&b);
}

/* Somebody may stop a worker and let it go on a thousand times while nobody listens. */
static void stops_that_are_over_do_not_fill_the_queue(void **state) {
  (void)state;
  struct ls_keeper_line a, b;
  struct ls_keeper_record record;
  open_pair(&a, &b);
  while (!ls_keeper_line_is_waiting(&a)) post(&a, LS_KEEPER_STARTED, 1);
  size_t before = a.count;
  for (int i = 0; i < 1000; ++i) {
    post(&a, LS_KEEPER_STOPPED, 2);
    post(&a, LS_KEEPER_STOPPED, 3);
    post(&a, LS_KEEPER_CONTINUED, 2);
    post(&a, LS_KEEPER_CONTINUED, 3);
  }
  assert_int_equal(a.count, before);
  /* But a stop that has been heard of is told to be over. */
  post(&a, LS_KEEPER_STOPPED, 2);
  post(&a, LS_KEEPER_ENDED, 2);
  post(&a, LS_KEEPER_CONTINUED, 2);
  assert_int_equal(a.count, before + 3);
  while (ls_keeper_line_take(&b, &record)) ls_keeper_line_flush(&a);
  post(&a, LS_KEEPER_CONTINUED, 3);
  assert_true(ls_keeper_line_take(&b, &record));
  assert_int_equal(record.kind, LS_KEEPER_CONTINUED);
  ls_keeper_line_close(&a);
  ls_keeper_line_close(&b);
}

static void end_that_is_gone_is_noticed_after_its_last_words(void **state) {
  (void)state;
  struct ls_keeper_line a, b;
  struct ls_keeper_record record;
  open_pair(&a, &b);
  post(&a, LS_KEEPER_ENDED, 4);
  ls_keeper_line_close(&a);
  assert_int_equal(a.file, -1);
  assert_true(ls_keeper_line_take(&b, &record));
  assert_false(ls_keeper_line_take(&b, &record));
  assert_true(b.is_broken);
  open_pair(&a, &b);
  ls_keeper_line_close(&a);
  post(&b, LS_KEEPER_START, 1);
  assert_true(b.is_broken);
  assert_false(ls_keeper_line_is_waiting(&b));
  post(&b, LS_KEEPER_START, 1);
  ls_keeper_line_close(&b);
}

static void record_of_another_size_breaks_the_line(void **state) {
  (void)state;
  struct ls_keeper_line a, b;
  struct ls_keeper_record record;
  for (int i = 0; i < 2; ++i) {
    char bytes[sizeof record + 1] = "";
    open_pair(&a, &b);
    size_t length = i == 0 ? sizeof record - 1 : sizeof record + 1;
    assert_int_equal(send(a.file, bytes, length, 0), length);
    assert_false(ls_keeper_line_take(&b, &record));
    assert_true(b.is_broken);
    ls_keeper_line_close(&a);
    ls_keeper_line_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_arrive_whole_and_in_order),
      cmocka_unit_test(receiver_that_sleeps_holds_nobody_up),
      cmocka_unit_test(stops_that_are_over_do_not_fill_the_queue),
      cmocka_unit_test(end_that_is_gone_is_noticed_after_its_last_words),
      cmocka_unit_test(record_of_another_size_breaks_the_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
