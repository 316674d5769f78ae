/* Messages come from other processes, perhaps from other machines: whatever arrives is either
 * exactly a message or refused in words. Frames lie on the heap with their exact size, so that the
 * address sanitizer sees a read of one byte too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/outcome.h"
#include "protocol/message.h"

enum { RANGES_MAX = 40, TIMES_MAX = 30, HELD_MAX = 20, BLOB_MAX = 300 };

/* Storage behind a random message. */
struct sample {
  struct ls_message message;
  struct ls_range ranges[RANGES_MAX];
  double times[TIMES_MAX];
  struct ls_message_held held[HELD_MAX];
  char blobs[7][BLOB_MAX], cookies[2][LS_COOKIE_BYTES];
  unsigned char content[LS_CONTENT_BYTES];
  struct ls_message_file files[LS_STAGED_OUTPUTS_MAX];
};

/* Numbers near the borders of MessagePack's widths come as often as any others. */
static uint64_t draw_whole(struct ls_random *random) {
  uint64_t shift = ls_random_below(random, 64);
  uint64_t number = ls_random_u64(random) >> shift;
  return ls_random_below(random, 4) == 0 ? (UINT64_C(1) << shift) - ls_random_below(random, 2)
                                         : number;
}

static struct ls_blob draw_blob(struct ls_random *random, char *storage) {
  size_t length = (size_t)ls_random_below(random, ls_random_below(random, 2) == 0 ? 4 : BLOB_MAX);
  for (size_t i = 0; i < length; i++) storage[i] = (char)ls_random_u64(random);
  return (struct ls_blob){length > 0 ? storage : NULL, length};
}

/* One in four is none. */
static struct ls_blob draw_cookie(struct ls_random *random, char *storage) {
  for (size_t i = 0; i < LS_COOKIE_BYTES; i++) storage[i] = (char)ls_random_u64(random);
  return (struct ls_blob){storage, ls_random_below(random, 4) == 0 ? 0 : LS_COOKIE_BYTES};
}

static struct ls_range draw_range(struct ls_random *random) {
  uint64_t first = draw_whole(random);
  if (first == UINT64_MAX) first--;
  uint64_t count = draw_whole(random);
  if (count > UINT64_MAX - first) count = UINT64_MAX - first;
  return (struct ls_range){first, count > 0 ? count : 1};
}

/* What a HELLO and a WELCOME of this version add. */
static void draw_session(struct ls_random *random, struct sample *sample) {
  struct ls_message *m = &sample->message;
  m->version = LS_PROTOCOL_VERSION;
  m->host = draw_blob(random, sample->blobs[4]);
  m->place = draw_blob(random, sample->blobs[5]);
  m->labels = draw_blob(random, sample->blobs[6]);
  m->speed = ls_random_real(random);
  m->lifetime_s = ls_random_real(random) * 1e5;
  m->cookie = draw_cookie(random, sample->cookies[0]);
  m->run = draw_cookie(random, sample->cookies[1]);
  m->results = draw_whole(random);
  m->earlier = draw_whole(random);
  m->era = draw_whole(random);
  m->held = sample->held;
  m->held_count = (size_t)ls_random_below(random, HELD_MAX + 1);
  for (size_t i = 0; i < m->held_count; i++) {
    sample->held[i] = (struct ls_message_held){draw_whole(random), draw_range(random)};
  }
}

static struct ls_blob draw_content(struct ls_random *random, unsigned char *storage) {
  for (int i = 0; i < LS_CONTENT_BYTES; i++) storage[i] = (unsigned char)ls_random_u64(random);
  return (struct ls_blob){storage, LS_CONTENT_BYTES};
}

static void draw_message(struct ls_random *random, enum ls_message_kind kind,
                         struct sample *sample) {
  static const uint8_t outcomes[] = {LS_OUTCOME_DONE, LS_OUTCOME_FAILED, LS_OUTCOME_TIMED_OUT,
                                     LS_OUTCOME_CANCELLED};
  struct ls_message *m = &sample->message;
  *m = (struct ls_message){.kind = kind, .ranges = sample->ranges};
  draw_session(random, sample);
  m->worker = (uint32_t)ls_random_u64(random);
  m->process_id = draw_whole(random);
  m->name = draw_blob(random, sample->blobs[0]);
  m->text = draw_blob(random, sample->blobs[1]);
  m->chunk = draw_whole(random);
  m->units = draw_whole(random) | 1;
  m->answer_s = ls_random_real(random);
  m->send_s = ls_random_real(random);
  m->limit_s = ls_random_real(random);
  m->ranges_count = 1 + (size_t)ls_random_below(random, RANGES_MAX);
  for (size_t i = 0; i < m->ranges_count; i++) sample->ranges[i] = draw_range(random);
  m->is_held = (uint8_t)ls_random_below(random, 2);
  m->input = draw_blob(random, sample->blobs[2]);
  m->range = draw_range(random);
  if (kind == LS_MESSAGE_OUTPUT) m->range.count = 1;
  m->outcome = outcomes[ls_random_below(random, sizeof outcomes)];
  m->receive_s = ls_random_real(random);
  m->stage_s = ls_random_real(random);
  m->lead_s = ls_random_real(random);
  m->exposed_s = ls_random_real(random);
  m->iteration = (uint32_t)ls_random_u64(random);
  m->streamed[0] = draw_whole(random);
  m->streamed[1] = draw_whole(random);
  m->offset = draw_whole(random);
  m->durable = draw_whole(random);
  m->heartbeat_s = ls_random_real(random);
  m->total = draw_whole(random);
  m->transfer = draw_whole(random);
  if (kind == LS_MESSAGE_INPUT || kind == LS_MESSAGE_ARRIVED) {
    m->transfer |= 1;
    m->offset |= 1;
  }
  m->compute_s = ls_random_real(random) * 1e6;
  m->squares = ls_random_real(random) * 1e12;
  m->latest = sample->times;
  m->latest_count = ls_random_below(random, TIMES_MAX + 1);
  for (size_t i = 0; i < m->latest_count; i++) sample->times[i] = ls_random_real(random);
  m->exit_code = (int32_t)draw_whole(random);
  m->signal = (int32_t)ls_random_u64(random);
  if (ls_random_below(random, 2) == 1)
    m->usage = (struct ls_usage){ls_random_real(random), ls_random_real(random),
                                 1 + ls_random_below(random, INT64_MAX)};
  m->output = draw_blob(random, sample->blobs[2]);
  m->error_output = draw_blob(random, sample->blobs[3]);
  m->stream = (uint8_t)(1 + ls_random_below(random, 2));
  m->files = sample->files;
  m->files_count = ls_random_below(random, LS_STAGED_OUTPUTS_MAX + 1);
  for (size_t i = 0; i < m->files_count; i++) {
    sample->files[i] = (struct ls_message_file){.is_there = ls_random_below(random, 2) == 1};
    if (!sample->files[i].is_there) continue;
    sample->files[i].bytes = draw_whole(random) >> 1;
    sample->files[i].mode = (uint32_t)ls_random_below(random, 01000);
  }
  m->content = draw_content(random, sample->content);
}

static void assert_blobs_equal(struct ls_blob a, struct ls_blob b) {
  assert_int_equal(a.length, b.length);
  assert_true(a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static void assert_hellos_equal(const struct ls_message *a, const struct ls_message *b) {
  assert_int_equal(a->version, b->version);
  assert_blobs_equal(a->name, b->name);
  assert_true(a->process_id == b->process_id);
  assert_blobs_equal(a->text, b->text);
  if (a->version != LS_PROTOCOL_VERSION) return;
  assert_blobs_equal(a->host, b->host);
  assert_blobs_equal(a->place, b->place);
  assert_blobs_equal(a->labels, b->labels);
  assert_memory_equal(&a->speed, &b->speed, sizeof(double));
  assert_memory_equal(&a->lifetime_s, &b->lifetime_s, sizeof(double));
  assert_int_equal(a->worker, b->worker);
  assert_blobs_equal(a->cookie, b->cookie);
  assert_blobs_equal(a->run, b->run);
  assert_true(a->era == b->era);
  assert_true(a->results == b->results);
  assert_true(a->earlier == b->earlier);
  assert_int_equal(a->held_count, b->held_count);
  if (a->held_count > 0) assert_memory_equal(a->held, b->held, a->held_count * sizeof *a->held);
}

static void assert_results_equal(const struct ls_message *a, const struct ls_message *b) {
  assert_true(a->chunk == b->chunk);
  assert_int_equal(a->iteration, b->iteration);
  assert_memory_equal(&a->range, &b->range, sizeof a->range);
  assert_int_equal(a->outcome, b->outcome);
  assert_memory_equal(&a->receive_s, &b->receive_s, 6 * sizeof(double));
  assert_int_equal(a->latest_count, b->latest_count);
  if (a->latest_count > 0)
    assert_memory_equal(a->latest, b->latest, a->latest_count * sizeof *a->latest);
  assert_int_equal(a->exit_code, b->exit_code);
  assert_memory_equal(&a->usage, &b->usage, sizeof a->usage);
  assert_int_equal(a->signal, b->signal);
  assert_blobs_equal(a->output, b->output);
  assert_blobs_equal(a->error_output, b->error_output);
  assert_memory_equal(a->streamed, b->streamed, sizeof a->streamed);
  assert_int_equal(a->files_count, b->files_count);
  for (size_t i = 0; i < a->files_count; i++) {
    assert_true(a->files[i].bytes == b->files[i].bytes);
    assert_int_equal(a->files[i].mode, b->files[i].mode);
    assert_int_equal(a->files[i].is_there, b->files[i].is_there);
  }
}

static void assert_contents_equal(const struct ls_message *a, const struct ls_message *b) {
  assert_blobs_equal(a->content, b->content);
  if (a->kind == LS_MESSAGE_ABSENT)
    assert_blobs_equal(a->text, b->text);
  else
    assert_true(a->offset == b->offset);
  if (a->kind == LS_MESSAGE_PIECE) assert_blobs_equal(a->input, b->input);
}

/* Of the fields that the kind has. Doubles are compared by their bits: nothing was computed. */
static void assert_messages_equal(const struct ls_message *a, const struct ls_message *b) {
  assert_int_equal(a->kind, b->kind);
  switch (a->kind) {
    case LS_MESSAGE_HELLO:
      assert_hellos_equal(a, b);
      break;
    case LS_MESSAGE_WELCOME:
      assert_int_equal(a->version, b->version);
      assert_int_equal(a->worker, b->worker);
      assert_blobs_equal(a->text, b->text);
      if (a->version != LS_PROTOCOL_VERSION) break;
      assert_blobs_equal(a->cookie, b->cookie);
      assert_blobs_equal(a->run, b->run);
      assert_true(a->era == b->era);
      break;
    case LS_MESSAGE_REFUSED:
      assert_blobs_equal(a->text, b->text);
      break;
    case LS_MESSAGE_REQUEST:
      assert_true(a->units == b->units);
      assert_memory_equal(&a->answer_s, &b->answer_s, sizeof(double));
      break;
    case LS_MESSAGE_HEARTBEAT:
      assert_memory_equal(&a->answer_s, &b->answer_s, sizeof(double));
      assert_memory_equal(&a->send_s, &b->send_s, sizeof(double));
      break;
    case LS_MESSAGE_CHUNK:
      assert_true(a->chunk == b->chunk);
      assert_int_equal(a->iteration, b->iteration);
      assert_int_equal(a->ranges_count, b->ranges_count);
      assert_true(memcmp(a->ranges, b->ranges, a->ranges_count * sizeof *a->ranges) == 0);
      assert_int_equal(a->is_held, b->is_held);
      assert_true(a->transfer == b->transfer);
      assert_true(a->total == b->total);
      assert_blobs_equal(a->input, b->input);
      break;
    case LS_MESSAGE_INPUT:
      assert_blobs_equal(a->input, b->input);
      assert_true(a->transfer == b->transfer && a->offset == b->offset);
      break;
    case LS_MESSAGE_ARRIVED:
      assert_true(a->transfer == b->transfer && a->offset == b->offset);
      break;
    case LS_MESSAGE_RESULT:
      assert_results_equal(a, b);
      break;
    case LS_MESSAGE_OUTPUT:
    case LS_MESSAGE_LINES:
      assert_true(a->chunk == b->chunk);
      assert_memory_equal(&a->range, &b->range, sizeof a->range);
      assert_int_equal(a->stream, b->stream);
      assert_true(a->offset == b->offset);
      assert_blobs_equal(a->output, b->output);
      break;
    case LS_MESSAGE_LIMIT:
      assert_true(a->limit_s == b->limit_s);
      break;
    case LS_MESSAGE_BENCHMARK:
      assert_memory_equal(&a->speed, &b->speed, sizeof(double));
      break;
    case LS_MESSAGE_BROADCAST:
      assert_int_equal(a->iteration, b->iteration);
      assert_true(a->offset == b->offset);
      assert_true(a->total == b->total);
      assert_blobs_equal(a->input, b->input);
      break;
    case LS_MESSAGE_WANT:
    case LS_MESSAGE_PIECE:
    case LS_MESSAGE_ABSENT:
      assert_contents_equal(a, b);
      break;
    case LS_MESSAGE_PULSE:
      assert_true(a->durable == b->durable);
      assert_memory_equal(&a->heartbeat_s, &b->heartbeat_s, sizeof(double));
      break;
    case LS_MESSAGE_CANCEL:
    case LS_MESSAGE_FETCH:
      assert_true(a->chunk == b->chunk);
      break;
    case LS_MESSAGE_PREFETCH:
      assert_true(a->units == b->units);
      break;
    default:
      break;
  }
}

/* Decodes a copy that ends where the frame ends. A refusal has words and leaves the message. */
static enum ls_status decode_exact(struct ls_decoder *decoder, const void *data, size_t length,
                                   struct ls_message *message, char **frame) {
  *frame = malloc(length > 0 ? length : 1);
  assert_non_null(*frame);
  if (length > 0) memcpy(*frame, data, length);
  struct ls_error err = {0};
  struct ls_message before = *message;
  enum ls_status status = ls_message_decode(decoder, *frame, length, message, &err);
  if (status != LS_OK) {
    assert_int_equal(status, LS_ECORRUPT);
    assert_true(strlen(err.text) > 10);
    assert_memory_equal(&before, message, sizeof before);
  }
  return status;
}

static void assert_refused(const void *data, size_t length, const char *words) {
  struct ls_decoder decoder = {0};
  struct ls_message message = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_message_decode(&decoder, data, length, &message, &err), LS_ECORRUPT);
  if (strstr(err.text, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, words);
  assert_int_equal(decoder.ranges_capacity, 0);
  ls_decoder_close(&decoder);
}

static void every_kind_survives_the_round_trip(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 1, "messages");
  struct ls_decoder decoder = {0};
  struct ls_bytes bytes = {0};
  struct sample sample;
  for (int round = 0; round < 2800; round++) {
    draw_message(&random, (enum ls_message_kind)(round % LS_MESSAGE_COUNT), &sample);
    ls_bytes_clear(&bytes);
    ls_message_encode(&sample.message, &bytes);
    assert_false(bytes.failed);
    struct ls_message got = {0};
    char *frame;
    assert_int_equal(decode_exact(&decoder, bytes.data, bytes.length, &got, &frame), LS_OK);
    assert_messages_equal(&sample.message, &got);
    free(frame);
  }
  ls_bytes_close(&bytes);
  ls_decoder_close(&decoder);
}

/* No prefix of a message is a message, and nothing may follow one. */
static void every_truncation_and_every_extension_is_refused(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 2, "messages");
  struct ls_decoder decoder = {0};
  struct ls_bytes bytes = {0};
  struct sample sample;
  for (int round = 0; round < 10 * LS_MESSAGE_COUNT; round++) {
    draw_message(&random, (enum ls_message_kind)(round % LS_MESSAGE_COUNT), &sample);
    ls_bytes_clear(&bytes);
    ls_message_encode(&sample.message, &bytes);
    struct ls_message got = {0};
    char *frame;
    for (size_t length = 0; length < bytes.length; length++) {
      assert_int_equal(decode_exact(&decoder, bytes.data, length, &got, &frame), LS_ECORRUPT);
      free(frame);
    }
    ls_bytes_append_char(&bytes, (char)ls_random_u64(&random));
    assert_int_equal(decode_exact(&decoder, bytes.data, bytes.length, &got, &frame), LS_ECORRUPT);
    free(frame);
  }
  ls_bytes_close(&bytes);
  ls_decoder_close(&decoder);
}

/* Bytes that are still a message after damage must survive a round trip of their own: the decoder
 * accepts nothing that the encoder could not have meant. */
static void damaged_bytes_never_crash_and_never_mislead(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 3, "messages");
  struct ls_decoder decoder = {0}, second = {0};
  struct ls_bytes bytes = {0}, again = {0};
  struct sample sample;
  size_t refused = 0;
  for (int round = 0; round < 20000; round++) {
    draw_message(&random, (enum ls_message_kind)(round % LS_MESSAGE_COUNT), &sample);
    ls_bytes_clear(&bytes);
    ls_message_encode(&sample.message, &bytes);
    for (uint64_t flips = 1 + ls_random_below(&random, 3); flips > 0; flips--) {
      size_t limit = ls_random_below(&random, 2) == 0 && bytes.length > 8 ? 8 : bytes.length;
      bytes.data[ls_random_below(&random, limit)] ^= (char)(1 << ls_random_below(&random, 8));
    }
    struct ls_message got = {0};
    char *frame;
    if (decode_exact(&decoder, bytes.data, bytes.length, &got, &frame) == LS_OK) {
      ls_bytes_clear(&again);
      ls_message_encode(&got, &again);
      struct ls_message copy = {0};
      assert_int_equal(ls_message_decode(&second, again.data, again.length, &copy, NULL), LS_OK);
      assert_messages_equal(&got, &copy);
    } else {
      refused++;
    }
    free(frame);
  }
  assert_true(refused > 1000);
  ls_bytes_close(&bytes);
  ls_bytes_close(&again);
  ls_decoder_close(&decoder);
  ls_decoder_close(&second);
}

/* Small messages share a frame: one is read after the other, and the first that is damaged ends the
 * reading without moving the offset. */
static void a_frame_may_hold_several_messages(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 6, "messages");
  struct ls_decoder decoder = {0};
  struct ls_bytes bytes = {0};
  static struct sample samples[3 * LS_MESSAGE_COUNT];
  const size_t count = sizeof samples / sizeof *samples;
  for (size_t i = 0; i < count; i++) {
    draw_message(&random, (enum ls_message_kind)(i % LS_MESSAGE_COUNT), &samples[i]);
    ls_message_encode(&samples[i].message, &bytes);
  }
  size_t offset = 0, before = 0;
  struct ls_blob frame = {bytes.data, bytes.length};
  for (size_t i = 0; i < count; i++) {
    struct ls_message got;
    assert_int_equal(ls_message_decode_next(&decoder, &frame, &offset, &got, NULL), LS_OK);
    assert_messages_equal(&samples[i].message, &got);
    assert_true(offset > before);
    before = offset;
  }
  assert_int_equal(offset, bytes.length);
  ls_bytes_append_char(&bytes, '\xc0');
  frame = (struct ls_blob){bytes.data, bytes.length};
  struct ls_message untouched = {.chunk = 4711};
  struct ls_error err = {0};
  assert_int_equal(ls_message_decode_next(&decoder, &frame, &offset, &untouched, &err),
                   LS_ECORRUPT);
  assert_non_null(strstr(err.text, "not a message"));
  assert_int_equal(offset, before);
  assert_true(untouched.chunk == 4711);
  ls_bytes_close(&bytes);
  ls_decoder_close(&decoder);
}

static void hostile_counts_fail_without_memory(void **state) {
  (void)state;
  /* A CHUNK whose ranges claim 2^32 - 1 numbers in 21 bytes; a message of 2^32 - 1 fields. */
  static const char ranges[] =
      "\x99\x04\x01\x00\x00\xdd\xff\xff\xff\xff"
      "123456789012";
  assert_refused(ranges, sizeof ranges - 1, "message CHUNK: ranges before byte 10");
  static const char fields[] =
      "\xdd\xff\xff\xff\xff"
      "123456789012345";
  assert_refused(fields, sizeof fields - 1, "not a message");
  static const char input[] =
      "\x99\x04\x01\x00\x00\x92\x00\x01\x00\x00\x00\xc6\xff\xff\xff\xff"
      "123456789";
  struct ls_decoder decoder = {0};
  struct ls_message message = {0};
  assert_int_equal(ls_message_decode(&decoder, input, sizeof input - 1, &message, NULL),
                   LS_ECORRUPT);
  assert_true(decoder.ranges_capacity <= 64);
  ls_decoder_close(&decoder);
}

static void frames_that_are_not_messages_are_named(void **state) {
  (void)state;
  assert_refused("", 0, "not a message");
  assert_refused(NULL, 0, "not a message");
  assert_refused("\xc0", 1, "not a message: message before byte 1: expected an array");
  assert_refused("\x90", 1, "not a message: kind");
  assert_refused("\x91\x1b", 2, "expected a whole number from 0 to 26, not 27");
  assert_refused("\x92\x07\x00", 3, "message HEARTBEAT: 1 fields, expected 2");
  assert_refused("\x91\x08", 2, "message CANCEL: 0 fields, expected 1");
  assert_refused("\x92\x08\xa0", 3, "message CANCEL: chunk before byte 3");
}

static void frames_over_the_limit_are_refused_by_their_length(void **state) {
  (void)state;
  assert_refused("\x91\x07", (size_t)LS_MESSAGE_BYTES_MAX + 1, "expected at most 67108864");
}

static void assert_accepted_message(const struct ls_message *message) {
  struct ls_bytes bytes = {0};
  ls_message_encode(message, &bytes);
  struct ls_decoder decoder = {0};
  struct ls_message got = {0};
  assert_int_equal(ls_message_decode(&decoder, bytes.data, bytes.length, &got, NULL), LS_OK);
  assert_messages_equal(message, &got);
  ls_decoder_close(&decoder);
  ls_bytes_close(&bytes);
}

/* Encodes the message and expects these words on decoding it. */
static void assert_refused_message(const struct ls_message *message, const char *words) {
  struct ls_bytes bytes = {0};
  ls_message_encode(message, &bytes);
  struct ls_decoder decoder = {0};
  struct ls_message got = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_message_decode(&decoder, bytes.data, bytes.length, &got, &err), LS_ECORRUPT);
  if (strstr(err.text, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, words);
  ls_decoder_close(&decoder);
  ls_bytes_close(&bytes);
}

/* A worker cannot say of units what the master alone may say. */
static void outcomes_that_no_worker_can_tell_are_refused(void **state) {
  (void)state;
  for (unsigned outcome = 0; outcome <= UINT8_MAX; outcome++) {
    struct ls_message result = {
        .kind = LS_MESSAGE_RESULT, .range = {0, 1}, .outcome = (uint8_t)outcome};
    if (!ls_outcome_is_result((enum ls_outcome)outcome)) {
      assert_refused_message(&result, "RESULT: outcome");
    } else {
      assert_true(outcome <= 1 || outcome == 4 || outcome == 5);
      assert_accepted_message(&result);
    }
  }
}

static void values_without_a_meaning_are_refused(void **state) {
  (void)state;
  struct ls_range none = {5, 0}, beyond = {UINT64_MAX, 1};
  assert_refused_message(&(struct ls_message){.kind = LS_MESSAGE_HELLO}, "HELLO: version");
  assert_refused_message(&(struct ls_message){.kind = LS_MESSAGE_REQUEST}, "REQUEST: units");
  const struct ls_blob shorter = {"0123456789abcdef0123456789abcde", LS_CONTENT_BYTES - 1};
  assert_refused_message(&(struct ls_message){.kind = LS_MESSAGE_WANT, .content = shorter},
                         "WANT: content");
  assert_refused_message(&(struct ls_message){.kind = LS_MESSAGE_PIECE}, "PIECE: content");
  assert_refused_message(
      &(struct ls_message){.kind = LS_MESSAGE_REQUEST, .units = 1, .answer_s = nan("")},
      "REQUEST: answer_s");
  assert_refused_message(&(struct ls_message){.kind = LS_MESSAGE_HEARTBEAT, .send_s = -1},
                         "HEARTBEAT: send_s");
  assert_refused_message(&(struct ls_message){.kind = LS_MESSAGE_BENCHMARK, .speed = -1},
                         "BENCHMARK: speed");
  assert_refused_message(
      &(struct ls_message){.kind = LS_MESSAGE_CHUNK, .ranges = &none, .ranges_count = 1},
      "CHUNK: count");
  assert_refused_message(
      &(struct ls_message){.kind = LS_MESSAGE_CHUNK, .ranges = &beyond, .ranges_count = 1},
      "a range that ends within 2^64");
  struct ls_range one = {5, 1};
  assert_refused_message(
      &(struct ls_message){
          .kind = LS_MESSAGE_CHUNK, .ranges = &one, .ranges_count = 1, .is_held = 2},
      "CHUNK: is_held");
  struct ls_message result = {.kind = LS_MESSAGE_RESULT, .range = {0, 1}};
  result.range = none;
  assert_refused_message(&result, "RESULT: count");
  result.range = beyond;
  assert_refused_message(&result, "a range that ends within 2^64");
  result.range.first = 0;
  result.compute_s = -1;
  assert_refused_message(&result, "RESULT: compute_s");
  result.compute_s = 0;
  result.stage_s = 1;
  result.exposed_s = -1;
  assert_refused_message(&result, "RESULT: staging");
  result.exposed_s = 0;
  result.usage = (struct ls_usage){.user_s = -1, .peak_bytes = 1};
  assert_refused_message(&result, "RESULT: user_s");
  result.usage = (struct ls_usage){.peak_bytes = UINT64_MAX};
  assert_refused_message(&result, "RESULT: peak_bytes");
  struct ls_message output = {.kind = LS_MESSAGE_OUTPUT, .range = {0, 1}};
  assert_refused_message(&output, "OUTPUT: stream");
  output.stream = LS_STREAM_FILE + LS_STAGED_OUTPUTS_MAX;
  assert_refused_message(&output, "OUTPUT: stream");
}

/* Two versions that meet must be able to say so: what they share is read, and the rest skipped. */
static void of_another_version_only_what_all_versions_share_is_read(void **state) {
  (void)state;
  static const char hello_of_version_6[] =
      "\x95\x00\x06\xa3"
      "bob\x2a\xa0";
  static const char hello_of_version_99[] =
      "\x95\x00\x63\xa3"
      "bob\x2a\xa0\xc1 what may that be?";
  struct ls_decoder decoder = {0};
  struct ls_message got = {0};
  assert_int_equal(
      ls_message_decode(&decoder, hello_of_version_6, sizeof hello_of_version_6 - 1, &got, NULL),
      LS_OK);
  assert_int_equal(got.version, 6);
  assert_int_equal(got.process_id, 42);
  assert_int_equal(
      ls_message_decode(&decoder, hello_of_version_99, sizeof hello_of_version_99 - 1, &got, NULL),
      LS_OK);
  assert_int_equal(got.version, 99);
  assert_int_equal(got.name.length, 3);
  assert_int_equal(got.cookie.length, 0);
  assert_accepted_message(&(struct ls_message){.kind = LS_MESSAGE_WELCOME, .version = 99});
  assert_refused(
      "\x95\x00\x13\xa3"
      "bob\x2a\xa0",
      9, "HELLO: annex");
  assert_refused(
      "\x95\x00\x13\xa3"
      "bob\x2a\xa0\x91\xa0",
      11, "12 fields after it");
  ls_decoder_close(&decoder);
}

/* A HELLO as version 6 reads it: the array of all versions stands alone at the beginning. */
static void the_beginning_of_a_hello_is_the_same_in_all_versions(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  ls_message_encode(&(struct ls_message){.kind = LS_MESSAGE_HELLO,
                                         .version = LS_PROTOCOL_VERSION,
                                         .name = {"bob", 3},
                                         .process_id = 42,
                                         .host = {"far", 3}},
                    &bytes);
  assert_true(bytes.length > 9);
  assert_memory_equal(bytes.data,
                      "\x95\x00\x13\xa3"
                      "bob\x2a\xa0",
                      9);
  ls_bytes_close(&bytes);
}

static void ranges_come_in_pairs_and_at_least_one(void **state) {
  (void)state;
  assert_refused("\x99\x04\x01\x00\x00\x90\x00\x00\x00\xc4\x00", 11, "pairs of first and count");
  assert_refused("\x99\x04\x01\x00\x00\x93\x00\x01\x02\x00\x00\x00\xc4\x00", 14,
                 "pairs of first and count");
}

static void a_message_without_memory_to_go_to_stays_failed(void **state) {
  (void)state;
  struct ls_bytes bytes = {.failed = true};
  ls_message_encode(&(struct ls_message){.kind = LS_MESSAGE_PULSE}, &bytes);
  assert_true(bytes.failed);
  assert_int_equal(bytes.length, 0);
}

static void small_messages_stay_small(void **state) {
  (void)state;
  /* One message per task is the dearest way to run: a heartbeat is 20 bytes, a result under 72. */
  struct ls_bytes bytes = {0};
  ls_message_encode(&(struct ls_message){.kind = LS_MESSAGE_HEARTBEAT}, &bytes);
  assert_int_equal(bytes.length, 20);
  ls_bytes_clear(&bytes);
  ls_message_encode(
      &(struct ls_message){.kind = LS_MESSAGE_RESULT, .chunk = 1000000, .range = {1000000, 1}},
      &bytes);
  assert_true(bytes.length < 72);
  ls_bytes_close(&bytes);
}

static void every_kind_has_a_name_of_its_own(void **state) {
  (void)state;
  for (int i = 0; i < LS_MESSAGE_COUNT; i++) {
    const char *name = ls_message_name((enum ls_message_kind)i);
    assert_true(strlen(name) > 2);
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(name, ls_message_name((enum ls_message_kind)j));
    }
  }
  assert_string_equal(ls_message_name(LS_MESSAGE_COUNT), "UNKNOWN");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_survives_the_round_trip),
      cmocka_unit_test(every_truncation_and_every_extension_is_refused),
      cmocka_unit_test(damaged_bytes_never_crash_and_never_mislead),
      cmocka_unit_test(a_frame_may_hold_several_messages),
      cmocka_unit_test(hostile_counts_fail_without_memory),
      cmocka_unit_test(frames_that_are_not_messages_are_named),
      cmocka_unit_test(frames_over_the_limit_are_refused_by_their_length),
      cmocka_unit_test(outcomes_that_no_worker_can_tell_are_refused),
      cmocka_unit_test(values_without_a_meaning_are_refused),
      cmocka_unit_test(of_another_version_only_what_all_versions_share_is_read),
      cmocka_unit_test(the_beginning_of_a_hello_is_the_same_in_all_versions),
      cmocka_unit_test(ranges_come_in_pairs_and_at_least_one),
      cmocka_unit_test(a_message_without_memory_to_go_to_stays_failed),
      cmocka_unit_test(small_messages_stay_small),
      cmocka_unit_test(every_kind_has_a_name_of_its_own),
  };
  return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
