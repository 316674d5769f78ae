#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/master/sending/file_sender.h"

enum { TOTAL = 3 * LS_PIECE_BYTES };
static const unsigned char good[LS_CONTENT_BYTES] = {1}, bad[LS_CONTENT_BYTES] = {2};

static enum ls_status read_part(void *context, const struct ls_file_part *part,
                                struct ls_file_bytes *bytes, struct ls_error *err) {
  (void)context;
  if (memcmp(part->name, good, LS_CONTENT_BYTES) != 0)
    return ls_fail(err, LS_EINVAL, "it has changed");
  memset(bytes->data, 'x', LS_PIECE_BYTES);
  bytes->length = LS_PIECE_BYTES;
  bytes->total = TOTAL;
  return LS_OK;
}

static const struct ls_file_source source = {.read = read_part};
static unsigned told;

static void note(void *context, uint32_t worker, const struct ls_file_sent *sent) {
  (void)context;
  assert_true(sent->bytes == TOTAL && sent->seconds > 0);
  told += 1 + worker;
}

static enum ls_status ask(struct ls_file_sender *sender, uint32_t worker,
                          const unsigned char *content, uint64_t offset) {
  struct ls_file_want want = {.to = {0, worker}, .worker = worker, .offset = offset};
  memcpy(want.name, content, LS_CONTENT_BYTES);
  return ls_file_sender_ask(sender, &want, 1, NULL);
}

/* The messages of one round, to the workers in this order. */
static size_t post(struct ls_file_sender *sender, struct ls_outbox *outbox) {
  ls_outbox_close(outbox);
  assert_int_equal(ls_file_sender_post(sender, outbox, 2, NULL), LS_OK);
  return outbox->count;
}

static void a_worker_gets_one_piece_a_round_and_others_theirs(void **state) {
  (void)state;
  struct ls_file_sender sender = {.source = &source, .told = note};
  struct ls_outbox outbox = {0};
  told = 0;
  assert_false(ls_file_sender_is_waiting(&sender));
  for (uint64_t i = 0; i < 3; ++i) {
    assert_int_equal(ask(&sender, 0, good, i * LS_PIECE_BYTES), LS_OK);
    assert_int_equal(ask(&sender, 1, good, i * LS_PIECE_BYTES), LS_OK);
  }
  for (size_t i = 0; i < 3; ++i) {
    assert_true(ls_file_sender_is_waiting(&sender));
    assert_int_equal(told, 0);
    assert_int_equal(post(&sender, &outbox), 2);
    assert_int_equal(outbox.items[0].to.number, 0);
    assert_int_equal(outbox.items[1].to.number, 1);
  }
  assert_int_equal(told, 1 + 2);
  assert_int_equal(post(&sender, &outbox), 0);
  assert_true(sender.bytes_sent == 2 * TOTAL);
  ls_outbox_close(&outbox);
  ls_file_sender_close(&sender);
}

static void what_cannot_be_had_is_said(void **state) {
  (void)state;
  struct ls_file_sender sender = {.source = &source}, without = {0};
  struct ls_outbox outbox = {0};
  struct ls_decoder decoder = {0};
  struct ls_message message;
  assert_int_equal(ask(&sender, 0, bad, 0), LS_OK);
  assert_int_equal(post(&sender, &outbox), 1);
  assert_int_equal(
      ls_message_decode(&decoder, outbox.bytes.data, outbox.bytes.length, &message, NULL), LS_OK);
  assert_int_equal(message.kind, LS_MESSAGE_ABSENT);
  assert_memory_equal(message.text.data, "it has changed", 14);
  assert_int_equal(ask(&without, 0, good, 0), LS_OK);
  assert_int_equal(post(&without, &outbox), 1);
  ls_outbox_close(&outbox);
  ls_decoder_close(&decoder);
  ls_file_sender_close(&sender);
  ls_file_sender_close(&without);
}

static void who_has_gone_gets_nothing_and_nobody_floods(void **state) {
  (void)state;
  struct ls_file_sender sender = {.source = &source};
  struct ls_outbox outbox = {0};
  enum ls_status status = LS_OK;
  size_t count = 0;
  assert_int_equal(ask(&sender, 1, good, 0), LS_OK);
  while (status == LS_OK && count < 1000) {
    status = ask(&sender, 0, good, 0);
    ++count;
  }
  assert_int_equal(status, LS_ECORRUPT);
  assert_true(count > LS_PIECES_AHEAD);
  ls_file_sender_forget(&sender, 0);
  assert_int_equal(post(&sender, &outbox), 1);
  assert_false(ls_file_sender_is_waiting(&sender));
  ls_outbox_close(&outbox);
  ls_file_sender_close(&sender);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_worker_gets_one_piece_a_round_and_others_theirs),
      cmocka_unit_test(what_cannot_be_had_is_said),
      cmocka_unit_test(who_has_gone_gets_nothing_and_nobody_floods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
