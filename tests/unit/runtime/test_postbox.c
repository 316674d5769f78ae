/* Whatever a connection takes, refuses or loses: over all connections together the master hears of
 * every result, in order, and every output from its beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "runtime/os/temporary.h"
#include "runtime/worker/postbox.h"

enum { PIECE = LS_MESSAGE_PIECE_BYTES };

static const struct ls_result_files held = {.is_held = true};

/* The other end of a connection. */
struct ear {
  struct ls_decoder decoder;
  struct ls_random random;
  unsigned refuses;   /* so many of ten frames */
  size_t frames_left; /* then the connection takes no more */
  size_t frames;
  uint64_t heard;       /* results of this connection */
  uint64_t first;       /* unit of its first result; UINT64_MAX: none */
  uint64_t streamed[4]; /* of the result to come */
  size_t urgent, plain;
  bool is_plain_first; /* a plain message came before a result */
};

static enum ls_status hear(void *context, const void *data, size_t length, struct ls_error *err) {
  struct ear *ear = context;
  struct ls_blob frame = {data, length};
  if (ear->frames_left == 0 || ls_random_below(&ear->random, 10) < ear->refuses) {
    return ls_fail(err, LS_EBUSY, "busy");
  }
  --ear->frames_left;
  ++ear->frames;
  for (size_t offset = 0; offset < length;) {
    struct ls_message message;
    assert_int_equal(ls_message_decode_next(&ear->decoder, &frame, &offset, &message, NULL), LS_OK);
    if (message.kind == LS_MESSAGE_RESULT) {
      if (ear->first == UINT64_MAX) ear->first = message.range.first;
      assert_true(message.range.first == ear->first + ear->heard);
      for (int i = 0; i < 2; ++i) assert_true(message.streamed[i] == ear->streamed[i]);
      for (size_t i = 0; i < message.files_count; ++i)
        assert_true(message.files[i].bytes == ear->streamed[2 + i]);
      memset(ear->streamed, 0, sizeof ear->streamed);
      ++ear->heard;
      if (ear->plain > 0) ear->is_plain_first = true;
    } else if (message.kind == LS_MESSAGE_OUTPUT) {
      int which = message.stream - LS_STREAM_OUT;
      assert_true(message.offset == ear->streamed[which]);
      ear->streamed[which] += message.output.length;
    } else {
      ++*(message.kind == LS_MESSAGE_REQUEST ? &ear->plain : &ear->urgent);
    }
  }
  return LS_OK;
}

static struct ear make_ear(void) {
  struct ear ear = {.frames_left = SIZE_MAX, .first = UINT64_MAX};
  ls_random_init(&ear.random, 1, "ear");
  return ear;
}

static void post(struct ls_postbox *postbox, uint64_t unit, const size_t bytes[2]) {
  struct ls_message result = {.kind = LS_MESSAGE_RESULT, .chunk = unit, .range = {unit, 1}};
  struct ls_result_file items[2];
  struct ls_result_files files = {.items = items};
  for (int i = 0; i < 2 && bytes != NULL; ++i) {
    if (bytes[i] == 0) continue;
    struct ls_error err;
    int file = ls_temporary_file(&err);
    assert_int_equal(ftruncate(file, (off_t)bytes[i]), 0);
    result.streamed[i] = bytes[i];
    items[files.count++] = (struct ls_result_file){file, bytes[i], (uint8_t)(LS_STREAM_OUT + i)};
  }
  ls_postbox_post_result(postbox, &result, &files, 1);
}

static void post_request(struct ls_postbox *postbox) {
  ls_postbox_post(postbox, &(struct ls_message){.kind = LS_MESSAGE_REQUEST, .units = 1}, 1);
}

static void small_messages_share_a_frame_and_plain_ones_come_last(void **state) {
  (void)state;
  struct ls_postbox postbox = {0};
  struct ear ear = make_ear();
  assert_false(ls_postbox_is_waiting(&postbox));
  post_request(&postbox);
  assert_true(ls_postbox_is_waiting(&postbox));
  for (uint64_t unit = 0; unit < 100; ++unit) post(&postbox, unit, NULL);
  assert_int_equal(ls_postbox_pump(&postbox, hear, &ear, NULL), LS_OK);
  assert_int_equal(ear.frames, 1);
  assert_int_equal(ear.heard, 100);
  assert_int_equal(ear.plain, 1);
  assert_false(ear.is_plain_first);
  assert_false(ls_postbox_is_waiting(&postbox));
  assert_int_equal(postbox.results.count, 100);
  ls_postbox_close(&postbox);
  ls_decoder_close(&ear.decoder);
}

/* A master that is behind must hear at once that its worker leaves. */
static void urgent_messages_overtake_a_large_output(void **state) {
  (void)state;
  struct ls_postbox postbox = {0};
  struct ear ear = make_ear();
  post(&postbox, 0, (const size_t[2]){5 * PIECE + 1, PIECE});
  ear.frames_left = 2;
  assert_int_equal(ls_postbox_pump(&postbox, hear, &ear, NULL), LS_EBUSY);
  ls_postbox_post_urgent(&postbox, &(struct ls_message){.kind = LS_MESSAGE_LEAVING}, 1);
  ear.frames_left = 1;
  assert_int_equal(ls_postbox_pump(&postbox, hear, &ear, NULL), LS_EBUSY);
  assert_int_equal(ear.urgent, 1);
  ear.frames_left = SIZE_MAX;
  assert_int_equal(ls_postbox_pump(&postbox, hear, &ear, NULL), LS_OK);
  assert_int_equal(ear.frames, 6 + 1 + 1 + 1); /* pieces of either stream, urgent, result */
  assert_int_equal(ear.heard, 1);
  ls_postbox_close(&postbox);
  ls_decoder_close(&ear.decoder);
}

static void results_stay_until_they_are_durable(void **state) {
  (void)state;
  struct ls_postbox postbox = {0};
  struct ear ear = make_ear();
  struct ls_error err;
  for (uint64_t unit = 0; unit < 10; ++unit) post(&postbox, unit, NULL);
  assert_int_equal(ls_postbox_acknowledge(&postbox, 1, &err), LS_ECORRUPT);
  assert_int_equal(ls_postbox_pump(&postbox, hear, &ear, NULL), LS_OK);
  assert_int_equal(ls_postbox_acknowledge(&postbox, 4, &err), LS_OK);
  assert_int_equal(ls_postbox_acknowledge(&postbox, 4, &err), LS_OK);
  assert_int_equal(ls_postbox_acknowledge(&postbox, 2, &err), LS_OK); /* an older word */
  assert_int_equal(postbox.results.count, 6);
  post(&postbox, 10, NULL);
  assert_int_equal(ls_postbox_acknowledge(&postbox, 11, &err), LS_ECORRUPT);
  assert_int_equal(ls_postbox_acknowledge(&postbox, 10, &err), LS_OK);
  assert_int_equal(postbox.results.count, 1);
  /* A new connection counts from its own beginning. */
  ls_postbox_restart(&postbox, 0);
  ls_decoder_close(&ear.decoder);
  ear = make_ear();
  assert_int_equal(ls_postbox_pump(&postbox, hear, &ear, NULL), LS_OK);
  assert_int_equal(ear.first, 10);
  assert_int_equal(ls_postbox_acknowledge(&postbox, 1, &err), LS_OK);
  assert_int_equal(postbox.results.count, 0);
  ls_postbox_close(&postbox);
  ls_decoder_close(&ear.decoder);
}

/* Seeded: connections that refuse, and end after any number of frames; acknowledgements that come
 * or are lost with them. */
static void every_result_arrives_over_whatever_connections(void **state) {
  (void)state;
  enum { UNITS = 60 };
  for (uint64_t seed = 0; seed < 200; ++seed) {
    struct ls_random random;
    struct ls_postbox postbox = {0};
    ls_random_init(&random, seed, "postbox");
    uint64_t posted = 0, acknowledged = 0;
    for (int connection = 0; acknowledged < UNITS; ++connection) {
      assert_true(connection < 10000);
      struct ear ear = make_ear();
      ear.random = random;
      (void)ls_random_u64(&random);
      ear.refuses = (unsigned)ls_random_below(&random, 9);
      ear.frames_left = (size_t)ls_random_below(&random, 100);
      ls_postbox_restart(&postbox, 0);
      uint64_t before = acknowledged;
      for (uint64_t step = ls_random_below(&random, 40); step > 0; --step) {
        if (posted < UNITS && ls_random_below(&random, 2) == 0) {
          size_t bytes[2] = {0, 0};
          for (int i = 0; i < 2; ++i) {
            if (ls_random_below(&random, 12) == 0) bytes[i] = 1 + ls_random_below(&random, 900000);
          }
          post(&postbox, posted++, bytes);
        }
        if (ls_random_below(&random, 5) == 0) post_request(&postbox);
        enum ls_status status = ls_postbox_pump(&postbox, hear, &ear, NULL);
        assert_true(status == LS_OK || status == LS_EBUSY);
        assert_true(ear.first == UINT64_MAX || ear.first == before);
        if (ls_random_below(&random, 4) == 0) {
          assert_int_equal(ls_postbox_acknowledge(&postbox, ear.heard, NULL), LS_OK);
          acknowledged = before + ear.heard;
        }
      }
      assert_int_equal(postbox.results.count, posted - acknowledged);
      ls_decoder_close(&ear.decoder);
    }
    ls_postbox_close(&postbox);
  }
}

static void held_results_leave_when_their_chunk_is_fetched(void **state) {
  (void)state;
  struct ls_postbox postbox = {0};
  struct ear ear = make_ear();
  for (uint64_t chunk = 0; chunk < 3; ++chunk) {
    ls_postbox_post_result(
        &postbox, &(struct ls_message){.kind = LS_MESSAGE_RESULT, .chunk = chunk, .range = {0, 1}},
        &held, 1);
  }
  assert_false(ls_postbox_is_waiting(&postbox));
  ls_postbox_fetch(&postbox, 2, 1);
  assert_int_equal(ls_postbox_pump(&postbox, hear, &ear, NULL), LS_OK);
  assert_int_equal(ear.heard, 1);
  assert_int_equal(postbox.held.count, 2);
  ls_postbox_forget(&postbox, 0);
  assert_int_equal(postbox.held.count + postbox.results.count, 0);
  ls_postbox_close(&postbox);
  ls_decoder_close(&ear.decoder);
}

static void lack_of_memory_is_told_by_the_pump(void **state) {
  (void)state;
  struct ls_postbox postbox = {.plain = {.failed = true}};
  struct ear ear = make_ear();
  struct ls_error err;
  assert_int_equal(ls_postbox_pump(&postbox, hear, &ear, &err), LS_ENOMEM);
  ls_postbox_close(&postbox);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_messages_share_a_frame_and_plain_ones_come_last),
      cmocka_unit_test(urgent_messages_overtake_a_large_output),
      cmocka_unit_test(results_stay_until_they_are_durable),
      cmocka_unit_test(every_result_arrives_over_whatever_connections),
      cmocka_unit_test(held_results_leave_when_their_chunk_is_fetched),
      cmocka_unit_test(lack_of_memory_is_told_by_the_pump),
  };
  return cmocka_run_group_tests_name("postbox", tests, NULL, NULL);
}
