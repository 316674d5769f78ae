#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/master/news.h"
#include "runtime/worker/broadcast.h"

struct program {
  size_t bytes;
  int calls;
};

static char get_byte(uint32_t iteration, size_t place) {
  return (char)((iteration + place * 7) % 251);
}

static enum ls_status tell(void *state, uint32_t iteration, struct ls_bytes *bytes,
                           struct ls_error *err) {
  struct program *program = state;
  program->calls++;
  if (iteration == 13) return ls_fail(err, LS_EIO, "thirteen");
  for (size_t i = 0; i < program->bytes; i++) ls_bytes_append_char(bytes, get_byte(iteration, i));
  return LS_OK;
}

static const struct ls_app app = {.name = "app", .broadcast = tell};

/* What a worker makes of the frames for this peer. */
static void assert_told(const struct ls_outbox *outbox, uint64_t peer, uint32_t iteration,
                        size_t bytes) {
  struct ls_broadcast broadcast = {0};
  struct ls_decoder decoder = {0};
  for (size_t i = 0; i < outbox->count; i++) {
    const struct ls_outgoing *frame = &outbox->items[i];
    struct ls_message message;
    if (frame->to.number != peer) continue;
    assert_non_null(frame->borrowed);
    assert_int_equal(ls_message_decode(&decoder, frame->borrowed, frame->length, &message, NULL),
                     LS_OK);
    assert_int_equal(message.kind, LS_MESSAGE_BROADCAST);
    assert_true(frame->length < 300000);
    assert_int_equal(ls_broadcast_add(&broadcast, &message, NULL), LS_OK);
  }
  assert_true(ls_broadcast_has(&broadcast, iteration));
  assert_int_equal(broadcast.bytes.length, bytes);
  for (size_t i = 0; i < bytes; i++) {
    if (broadcast.bytes.data[i] != get_byte(iteration, i)) fail_msg("byte %zu is wrong", i);
  }
  ls_broadcast_close(&broadcast);
  ls_decoder_close(&decoder);
}

static void every_worker_is_told_all_and_the_application_asked_once(void **state) {
  (void)state;
  static const size_t sizes[] = {0,
                                 1,
                                 1000,
                                 LS_MESSAGE_PIECE_BYTES - 1,
                                 LS_MESSAGE_PIECE_BYTES,
                                 LS_MESSAGE_PIECE_BYTES + 1,
                                 3000000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct program program = {.bytes = sizes[i]};
    struct ls_news news;
    ls_news_init(&news, &app, &program);
    for (uint32_t iteration = 0; iteration < 3; iteration++) {
      struct ls_outbox outbox = {0};
      for (uint64_t peer = 5; peer < 8; peer++) {
        assert_int_equal(ls_news_post(&news, iteration, (struct ls_peer){0, peer}, &outbox, NULL),
                         LS_OK);
      }
      for (uint64_t peer = 5; peer < 8; peer++) assert_told(&outbox, peer, iteration, sizes[i]);
      assert_int_equal(program.calls, iteration + 1);
      ls_outbox_close(&outbox);
    }
    ls_news_close(&news);
  }
}

static void an_application_without_news_tells_nothing(void **state) {
  (void)state;
  static const struct ls_app silent = {.name = "silent"};
  struct ls_news news;
  struct ls_outbox outbox = {0};
  ls_news_init(&news, &silent, NULL);
  assert_int_equal(ls_news_post(&news, 0, (struct ls_peer){0, 1}, &outbox, NULL), LS_OK);
  assert_int_equal(outbox.count, 0);
  ls_news_close(&news);
  ls_outbox_close(&outbox);
}

static void a_failure_of_the_application_is_its_own(void **state) {
  (void)state;
  struct program program = {.bytes = 1};
  struct ls_news news;
  struct ls_outbox outbox = {0};
  struct ls_error err = {0};
  ls_news_init(&news, &app, &program);
  assert_int_equal(ls_news_post(&news, 13, (struct ls_peer){0, 1}, &outbox, &err), LS_EIO);
  assert_string_equal(err.text, "thirteen");
  assert_int_equal(outbox.count, 0);
  ls_news_close(&news);
  ls_outbox_close(&outbox);
}

/* A gigabyte more than may be queued for a worker; nothing of it is written. */
static enum ls_status tell_too_much(void *state, uint32_t iteration, struct ls_bytes *bytes,
                                    struct ls_error *err) {
  (void)state, (void)iteration, (void)err;
  const size_t length = ((size_t)1 << 30) + 1;
  *bytes =
      (struct ls_bytes){.data = calloc(1, length + 1), .length = length, .capacity = length + 1};
  bytes->failed = bytes->data == NULL;
  return LS_OK;
}

static void a_broadcast_is_bounded(void **state) {
  (void)state;
  static const struct ls_app large = {.name = "large", .broadcast = tell_too_much};
  struct ls_news news;
  struct ls_outbox outbox = {0};
  struct ls_error err = {0};
  ls_news_init(&news, &large, NULL);
  assert_int_equal(ls_news_post(&news, 2, (struct ls_peer){0, 1}, &outbox, &err), LS_EINVAL);
  assert_string_equal(
      err.text, "the broadcast of iteration 2 has 1073741825 bytes, expected at most 1073741824");
  assert_int_equal(outbox.count, 0);
  ls_news_close(&news);
  ls_outbox_close(&outbox);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_worker_is_told_all_and_the_application_asked_once),
      cmocka_unit_test(an_application_without_news_tells_nothing),
      cmocka_unit_test(a_failure_of_the_application_is_its_own),
      cmocka_unit_test(a_broadcast_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
