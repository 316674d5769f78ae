#include "protocol/message.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/outcome.h"
#include "protocol/wire.h"

/* How a field travels. One table serves both directions, so they cannot drift apart. */
enum field_type {
  FIELD_WHOLE_8,
  FIELD_WHOLE_32,
  FIELD_WHOLE_64,
  FIELD_INTEGER,
  FIELD_REAL,
  FIELD_TEXT,
  FIELD_BLOB,
  FIELD_OUTCOME, /* enum ls_outcome in 8 bits, one that a worker can say */
  FIELD_RANGES,  /* of a CHUNK: one array first, count, first, count, ... */
  FIELD_TIMES    /* of a RESULT: one array of seconds */
};

struct field {
  const char *name;
  enum field_type type;
  size_t offset;        /* in struct ls_message */
  uint64_t least, most; /* of a whole number */
};

enum { FIELDS_MAX = 12 };

struct form {
  const char *name;
  size_t count;
  struct field fields[FIELDS_MAX];
};

#define AT(member) offsetof(struct ls_message, member)
#define WHOLE_64(label, member, least) \
  { label, FIELD_WHOLE_64, AT(member), least, UINT64_MAX }
#define PLAIN(label, type, member) \
  { label, type, AT(member), 0, 0 }
#define VERSION \
  { "version", FIELD_WHOLE_32, AT(version), 1, UINT32_MAX }

/* HELLO, WELCOME and REFUSED keep their form in all versions, so that two versions that meet can
 * say so in words; the receiver compares the version. */
static const struct form forms[LS_MESSAGE_COUNT] = {
    [LS_MESSAGE_HELLO] = {"HELLO",
                          4,
                          {VERSION, PLAIN("name", FIELD_TEXT, name),
                           WHOLE_64("process_id", process_id, 0),
                           PLAIN("token", FIELD_TEXT, text)}},
    [LS_MESSAGE_WELCOME] = {"WELCOME",
                            3,
                            {VERSION,
                             {"worker", FIELD_WHOLE_32, AT(worker), 0, UINT32_MAX},
                             PLAIN("settings", FIELD_TEXT, text)}},
    [LS_MESSAGE_REFUSED] = {"REFUSED", 1, {PLAIN("why", FIELD_TEXT, text)}},
    [LS_MESSAGE_REQUEST] = {"REQUEST",
                            2,
                            {WHOLE_64("units", units, 1), PLAIN("answer_s", FIELD_REAL, answer_s)}},
    [LS_MESSAGE_CHUNK] = {"CHUNK",
                          5,
                          {WHOLE_64("chunk", chunk, 0),
                           {"iteration", FIELD_WHOLE_32, AT(iteration), 0, UINT32_MAX},
                           PLAIN("ranges", FIELD_RANGES, ranges),
                           {"is_held", FIELD_WHOLE_8, AT(is_held), 0, 1},
                           PLAIN("input", FIELD_BLOB, input)}},
    [LS_MESSAGE_RESULT] =
        {"RESULT",
         12,
         {WHOLE_64("chunk", chunk, 0), WHOLE_64("first", range.first, 0),
          WHOLE_64("count", range.count, 1), PLAIN("outcome", FIELD_OUTCOME, outcome),
          PLAIN("receive_s", FIELD_REAL, receive_s), PLAIN("compute_s", FIELD_REAL, compute_s),
          PLAIN("squares", FIELD_REAL, squares), PLAIN("latest", FIELD_TIMES, latest),
          PLAIN("exit_code", FIELD_INTEGER, exit_code), PLAIN("signal", FIELD_INTEGER, signal),
          PLAIN("output", FIELD_BLOB, output), PLAIN("error_output", FIELD_BLOB, error_output)}},
    [LS_MESSAGE_OUTPUT] = {"OUTPUT",
                           4,
                           {WHOLE_64("chunk", chunk, 0),
                            WHOLE_64("unit", range.first, 0),
                            {"stream", FIELD_WHOLE_8, AT(stream), LS_STREAM_OUT, LS_STREAM_ERR},
                            PLAIN("output", FIELD_BLOB, output)}},
    [LS_MESSAGE_HEARTBEAT] = {"HEARTBEAT", 0, {{0}}},
    [LS_MESSAGE_CANCEL] = {"CANCEL", 1, {WHOLE_64("chunk", chunk, 0)}},
    [LS_MESSAGE_FETCH] = {"FETCH", 1, {WHOLE_64("chunk", chunk, 0)}},
    [LS_MESSAGE_PREFETCH] = {"PREFETCH", 1, {WHOLE_64("units", units, 0)}},
    [LS_MESSAGE_RELEASE] = {"RELEASE", 0, {{0}}},
    [LS_MESSAGE_BYE] = {"BYE", 0, {{0}}},
    [LS_MESSAGE_PULSE] = {"PULSE", 0, {{0}}},
    [LS_MESSAGE_RECALL] = {"RECALL", 0, {{0}}},
};

static void pack_ranges(msgpack_packer *packer, const struct ls_message *message) {
  assert(message->ranges_count >= 1 && message->ranges_count <= LS_MESSAGE_RANGES_MAX);
  msgpack_pack_array(packer, 2 * message->ranges_count);
  for (size_t i = 0; i < message->ranges_count; i++) {
    msgpack_pack_uint64(packer, message->ranges[i].first);
    msgpack_pack_uint64(packer, message->ranges[i].count);
  }
}

static void pack_times(msgpack_packer *packer, const struct ls_message *message) {
  assert(message->latest_count <= LS_MESSAGE_TIMES_MAX);
  msgpack_pack_array(packer, message->latest_count);
  for (size_t i = 0; i < message->latest_count; i++)
    msgpack_pack_double(packer, message->latest[i]);
}

static void pack_field(msgpack_packer *packer, const struct field *field,
                       const struct ls_message *message) {
  const void *value = (const char *)message + field->offset;
  const struct ls_blob *blob = value;
  switch (field->type) {
    case FIELD_WHOLE_8:
    case FIELD_OUTCOME:
      msgpack_pack_uint8(packer, *(const uint8_t *)value);
      break;
    case FIELD_WHOLE_32:
      msgpack_pack_uint32(packer, *(const uint32_t *)value);
      break;
    case FIELD_WHOLE_64:
      msgpack_pack_uint64(packer, *(const uint64_t *)value);
      break;
    case FIELD_INTEGER:
      msgpack_pack_int32(packer, *(const int32_t *)value);
      break;
    case FIELD_REAL:
      msgpack_pack_double(packer, *(const double *)value);
      break;
    case FIELD_TEXT:
      msgpack_pack_str(packer, blob->length);
      msgpack_pack_str_body(packer, blob->data, blob->length);
      break;
    case FIELD_BLOB:
      msgpack_pack_bin(packer, blob->length);
      msgpack_pack_bin_body(packer, blob->data, blob->length);
      break;
    case FIELD_RANGES:
      pack_ranges(packer, message);
      break;
    case FIELD_TIMES:
      pack_times(packer, message);
      break;
  }
}

void ls_message_encode(const struct ls_message *message, struct ls_bytes *out) {
  assert((unsigned)message->kind < LS_MESSAGE_COUNT);
  const struct form *form = &forms[message->kind];
  msgpack_packer packer;
  ls_wire_pack_into(&packer, out);
  msgpack_pack_array(&packer, 1 + form->count);
  msgpack_pack_uint8(&packer, (uint8_t)message->kind);
  for (size_t i = 0; i < form->count; i++) pack_field(&packer, &form->fields[i], message);
}

static void check_range(struct ls_reader *reader, const struct ls_range *range) {
  if (range->count > UINT64_MAX - range->first) {
    ls_reader_refuse(reader, "count", "a range that ends within 2^64");
  }
}

/* LS_ENOMEM only; the reader keeps what is wrong with the frame. */
static enum ls_status read_ranges(struct ls_reader *reader, struct ls_decoder *decoder,
                                  struct ls_message *message, struct ls_error *err) {
  size_t numbers = ls_reader_array(reader, "ranges", 2 * (size_t)LS_MESSAGE_RANGES_MAX);
  if (numbers == 0 || numbers % 2 != 0) {
    ls_reader_refuse(reader, "ranges", "pairs of first and count, at least one");
    return LS_OK;
  }
  size_t count = numbers / 2;
  /* The array holds no more numbers than there are bytes, so this memory follows what was sent. */
  if (ls_array_reserve((void **)&decoder->ranges, &decoder->ranges_capacity, count,
                       sizeof *decoder->ranges) != LS_OK) {
    return ls_fail(err, LS_ENOMEM, "no memory for the %zu ranges of a chunk", count);
  }
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++) {
    decoder->ranges[i].first = ls_reader_whole(reader, "first", 0, UINT64_MAX);
    decoder->ranges[i].count = ls_reader_whole(reader, "count", 1, UINT64_MAX);
    check_range(reader, &decoder->ranges[i]);
  }
  message->ranges = decoder->ranges;
  message->ranges_count = count;
  return LS_OK;
}

/* As read_ranges. */
static enum ls_status read_times(struct ls_reader *reader, struct ls_decoder *decoder,
                                 struct ls_message *message, struct ls_error *err) {
  size_t count = ls_reader_array(reader, "latest", LS_MESSAGE_TIMES_MAX);
  if (ls_array_reserve((void **)&decoder->times, &decoder->times_capacity, count,
                       sizeof *decoder->times) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for the %zu times of a result", count);
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++)
    decoder->times[i] = ls_reader_real(reader, "latest");
  message->latest = decoder->times;
  message->latest_count = count;
  return LS_OK;
}

static uint8_t read_outcome(struct ls_reader *reader, const struct field *field) {
  uint64_t outcome = ls_reader_whole(reader, field->name, 0, UINT8_MAX);
  if (!ls_outcome_is_result((enum ls_outcome)outcome)) {
    ls_reader_refuse(reader, field->name, "what becomes of units at a worker: 0, 1, 4 or 5");
  }
  return (uint8_t)outcome;
}

/* Every type but ranges and times, which need the decoder's memory. */
static void read_field(struct ls_reader *reader, const struct field *field,
                       struct ls_message *message) {
  void *value = (char *)message + field->offset;
  switch (field->type) {
    case FIELD_WHOLE_8:
      *(uint8_t *)value = (uint8_t)ls_reader_whole(reader, field->name, field->least, field->most);
      break;
    case FIELD_WHOLE_32:
      *(uint32_t *)value =
          (uint32_t)ls_reader_whole(reader, field->name, field->least, field->most);
      break;
    case FIELD_WHOLE_64:
      *(uint64_t *)value = ls_reader_whole(reader, field->name, field->least, field->most);
      break;
    case FIELD_INTEGER:
      *(int32_t *)value = ls_reader_integer(reader, field->name);
      break;
    case FIELD_REAL:
      *(double *)value = ls_reader_real(reader, field->name);
      break;
    case FIELD_TEXT:
      *(struct ls_blob *)value = ls_reader_text(reader, field->name);
      break;
    case FIELD_BLOB:
      *(struct ls_blob *)value = ls_reader_blob(reader, field->name);
      break;
    case FIELD_OUTCOME:
      *(uint8_t *)value = read_outcome(reader, field);
      break;
    case FIELD_RANGES:
    case FIELD_TIMES:
      break;
  }
}

/* Reads one message from where the reader stands. */
static enum ls_status decode_one(struct ls_reader *reader, struct ls_decoder *decoder,
                                 struct ls_message *message, struct ls_error *err) {
  size_t fields = ls_reader_array(reader, "message", 1 + FIELDS_MAX);
  uint64_t kind = ls_reader_whole(reader, "kind", 0, LS_MESSAGE_COUNT - 1);
  if (!ls_reader_is_well(reader)) {
    return ls_fail(err, LS_ECORRUPT, "not a message: %s", reader->problem);
  }
  const struct form *form = &forms[kind];
  if (fields != 1 + form->count) {
    return ls_fail(err, LS_ECORRUPT, "message %s: %zu fields, expected %zu", form->name, fields - 1,
                   form->count);
  }
  struct ls_message result = {.kind = (enum ls_message_kind)kind};
  for (size_t i = 0; i < form->count && ls_reader_is_well(reader); i++) {
    enum ls_status status = LS_OK;
    if (form->fields[i].type == FIELD_RANGES) {
      status = read_ranges(reader, decoder, &result, err);
    } else if (form->fields[i].type == FIELD_TIMES) {
      status = read_times(reader, decoder, &result, err);
    } else {
      read_field(reader, &form->fields[i], &result);
    }
    if (status != LS_OK) return status;
  }
  if (result.kind == LS_MESSAGE_OUTPUT) result.range.count = 1;
  check_range(reader, &result.range);
  if (!ls_reader_is_well(reader)) {
    return ls_fail(err, LS_ECORRUPT, "message %s: %s", form->name, reader->problem);
  }
  *message = result;
  return LS_OK;
}

enum ls_status ls_message_decode_next(struct ls_decoder *decoder, const struct ls_blob *frame,
                                      size_t *offset, struct ls_message *message,
                                      struct ls_error *err) {
  if (frame->length > LS_MESSAGE_BYTES_MAX) {
    return ls_fail(err, LS_ECORRUPT, "message of %zu bytes, expected at most %d", frame->length,
                   LS_MESSAGE_BYTES_MAX);
  }
  struct ls_reader reader;
  const char *start = frame->data;
  ls_reader_init(&reader, start != NULL ? start + *offset : NULL, frame->length - *offset);
  enum ls_status status = decode_one(&reader, decoder, message, err);
  if (status == LS_OK) *offset = frame->length - ls_reader_left(&reader);
  return status;
}

enum ls_status ls_message_decode(struct ls_decoder *decoder, const void *frame, size_t length,
                                 struct ls_message *message, struct ls_error *err) {
  struct ls_blob blob = {frame, length};
  struct ls_message result;
  size_t offset = 0;
  enum ls_status status = ls_message_decode_next(decoder, &blob, &offset, &result, err);
  if (status != LS_OK) return status;
  if (offset < length) {
    return ls_fail(err, LS_ECORRUPT, "message %s: expected its end, not %zu more bytes",
                   forms[result.kind].name, length - offset);
  }
  *message = result;
  return LS_OK;
}

void ls_decoder_close(struct ls_decoder *decoder) {
  free(decoder->ranges);
  free(decoder->times);
  *decoder = (struct ls_decoder){0};
}

const char *ls_message_name(enum ls_message_kind kind) {
  return (unsigned)kind < LS_MESSAGE_COUNT ? forms[kind].name : "UNKNOWN";
}
