#include "protocol/message.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "protocol/form.h"

#define AT(member) offsetof(struct ls_message, member)
#define WHOLE_64(label, member, least) \
  { label, LS_FIELD_WHOLE_64, AT(member), least, UINT64_MAX }
/* The greatest number means that there is none. */
#define CHUNK \
  { "chunk", LS_FIELD_WHOLE_64, AT(chunk), 0, UINT64_MAX - 1 }
#define PLAIN(label, type, member) \
  { label, LS_FIELD_##type, AT(member), 0, 0 }
#define ITERATION \
  { "iteration", LS_FIELD_WHOLE_32, AT(iteration), 0, UINT32_MAX }
#define VERSION \
  { "version", LS_FIELD_WHOLE_32, AT(version), 1, UINT32_MAX }

/* HELLO, WELCOME and REFUSED keep their form in all versions, so that two versions that meet can
 * say so in words; the receiver compares the version. What a version adds stands in `annexes`. */
static const struct ls_form forms[LS_MESSAGE_COUNT] = {
    [LS_MESSAGE_HELLO] = {"HELLO",
                          4,
                          {VERSION, PLAIN("name", TEXT, name),
                           WHOLE_64("process_id", process_id, 0), PLAIN("program", TEXT, text)}},
    [LS_MESSAGE_WELCOME] = {"WELCOME",
                            3,
                            {VERSION,
                             {"worker", LS_FIELD_WHOLE_32, AT(worker), 0, UINT32_MAX},
                             PLAIN("settings", TEXT, text)}},
    [LS_MESSAGE_REFUSED] = {"REFUSED", 1, {PLAIN("why", TEXT, text)}},
    [LS_MESSAGE_REQUEST] = {"REQUEST",
                            2,
                            {WHOLE_64("units", units, 1), PLAIN("answer_s", REAL, answer_s)}},
    [LS_MESSAGE_CHUNK] = {"CHUNK",
                          8,
                          {CHUNK,
                           ITERATION,
                           WHOLE_64("attempts_before", attempts_before, 0),
                           PLAIN("ranges", RANGES, ranges),
                           {"is_held", LS_FIELD_WHOLE_8, AT(is_held), 0, 1},
                           WHOLE_64("transfer", transfer, 0),
                           WHOLE_64("total", total, 0),
                           PLAIN("input", BLOB, input)}},
    [LS_MESSAGE_RESULT] =
        {"RESULT",
         18,
         {CHUNK, ITERATION, WHOLE_64("first", range.first, 0), WHOLE_64("count", range.count, 1),
          PLAIN("outcome", OUTCOME, outcome), PLAIN("receive_s", REAL, receive_s),
          PLAIN("staging", STAGING, stage_s), PLAIN("compute_s", REAL, compute_s),
          PLAIN("squares", REAL, squares), PLAIN("latest", TIMES, latest),
          PLAIN("exit_code", INTEGER, exit_code), PLAIN("signal", INTEGER, signal),
          PLAIN("usage", USAGE, usage), PLAIN("output", BLOB, output),
          PLAIN("error_output", BLOB, error_output), WHOLE_64("output_streamed", streamed[0], 0),
          WHOLE_64("error_streamed", streamed[1], 0), PLAIN("files", FILES, files)}},
    [LS_MESSAGE_OUTPUT] = {"OUTPUT",
                           5,
                           {CHUNK,
                            WHOLE_64("unit", range.first, 0),
                            {"stream", LS_FIELD_WHOLE_8, AT(stream), LS_STREAM_OUT,
                             LS_STREAM_FILE + LS_STAGED_OUTPUTS_MAX - 1},
                            WHOLE_64("offset", offset, 0),
                            PLAIN("output", BLOB, output)}},
    [LS_MESSAGE_LINES] = {"LINES",
                          6,
                          {CHUNK,
                           WHOLE_64("first", range.first, 0),
                           WHOLE_64("count", range.count, 1),
                           {"stream", LS_FIELD_WHOLE_8, AT(stream), LS_STREAM_OUT, LS_STREAM_ERR},
                           WHOLE_64("offset", offset, 0),
                           PLAIN("output", BLOB, output)}},
    [LS_MESSAGE_HEARTBEAT] = {"HEARTBEAT",
                              2,
                              {PLAIN("answer_s", REAL, answer_s), PLAIN("send_s", REAL, send_s)}},
    [LS_MESSAGE_CANCEL] = {"CANCEL", 1, {CHUNK}},
    [LS_MESSAGE_FETCH] = {"FETCH", 1, {CHUNK}},
    [LS_MESSAGE_PREFETCH] = {"PREFETCH", 1, {WHOLE_64("units", units, 0)}},
    [LS_MESSAGE_RELEASE] = {"RELEASE", 0, {{0}}},
    [LS_MESSAGE_BYE] = {"BYE", 0, {{0}}},
    [LS_MESSAGE_PULSE] =
        {"PULSE", 2, {WHOLE_64("durable", durable, 0), PLAIN("heartbeat_s", REAL, heartbeat_s)}},
    [LS_MESSAGE_RECALL] = {"RECALL", 0, {{0}}},
    [LS_MESSAGE_LEAVING] = {"LEAVING", 0, {{0}}},
    [LS_MESSAGE_SUSPENDED] = {"SUSPENDED", 0, {{0}}},
    [LS_MESSAGE_RESUMED] = {"RESUMED", 1, {PLAIN("stood_s", REAL, stood_s)}},
    [LS_MESSAGE_BROADCAST] = {"BROADCAST",
                              4,
                              {ITERATION, WHOLE_64("offset", offset, 0),
                               WHOLE_64("total", total, 0), PLAIN("input", BLOB, input)}},
    [LS_MESSAGE_LIMIT] = {"LIMIT", 1, {PLAIN("limit_s", REAL, limit_s)}},
    [LS_MESSAGE_BENCHMARK] = {"BENCHMARK", 1, {PLAIN("speed", REAL, speed)}},
    [LS_MESSAGE_INPUT] = {"INPUT",
                          3,
                          {WHOLE_64("transfer", transfer, 1), WHOLE_64("offset", offset, 0),
                           PLAIN("input", BLOB, input)}},
    [LS_MESSAGE_ARRIVED] = {"ARRIVED",
                            2,
                            {WHOLE_64("transfer", transfer, 1), WHOLE_64("offset", offset, 1)}},
    [LS_MESSAGE_WANT] = {"WANT",
                         2,
                         {PLAIN("content", CONTENT, content), WHOLE_64("offset", offset, 0)}},
    [LS_MESSAGE_PIECE] = {"PIECE",
                          3,
                          {PLAIN("content", CONTENT, content), WHOLE_64("offset", offset, 0),
                           PLAIN("input", BLOB, input)}},
    [LS_MESSAGE_ABSENT] = {"ABSENT",
                           2,
                           {PLAIN("content", CONTENT, content), PLAIN("why", TEXT, text)}},
};

static const struct ls_form annexes[] = {
    [LS_MESSAGE_HELLO] = {"HELLO",
                          12,
                          {PLAIN("host", TEXT, host),
                           PLAIN("place", TEXT, place),
                           PLAIN("labels", TEXT, labels),
                           PLAIN("speed", REAL, speed),
                           PLAIN("lifetime_s", REAL, lifetime_s),
                           {"worker", LS_FIELD_WHOLE_32, AT(worker), 0, UINT32_MAX},
                           PLAIN("cookie", COOKIE, cookie),
                           PLAIN("run", COOKIE, run),
                           WHOLE_64("era", era, 0),
                           WHOLE_64("results", results, 0),
                           WHOLE_64("earlier", earlier, 0),
                           PLAIN("held", HELD, held)}},
    [LS_MESSAGE_WELCOME] = {"WELCOME",
                            3,
                            {PLAIN("cookie", COOKIE, cookie), PLAIN("run", COOKIE, run),
                             WHOLE_64("era", era, 0)}},
};

static bool has_annex(enum ls_message_kind kind) {
  return kind == LS_MESSAGE_HELLO || kind == LS_MESSAGE_WELCOME;
}
void ls_message_encode(const struct ls_message *message, struct ls_bytes *out) {
  assert((unsigned)message->kind < LS_MESSAGE_COUNT);
  const struct ls_form *form = &forms[message->kind];
  ls_wire_put_array(out, 1 + form->count);
  ls_wire_put_whole(out, (uint8_t)message->kind);
  ls_form_pack(form, message, out);
  if (!has_annex(message->kind) || message->version != LS_PROTOCOL_VERSION) return;
  form = &annexes[message->kind];
  ls_wire_put_array(out, form->count);
  ls_form_pack(form, message, out);
}
/* What another version adds, and sends behind it, has no meaning here. */
static enum ls_status read_annex(struct ls_reader *reader, struct ls_decoder *decoder,
                                 struct ls_message *message, struct ls_error *err) {
  if (message->version != LS_PROTOCOL_VERSION) {
    if (ls_reader_is_well(reader)) reader->at = reader->end;
    return LS_OK;
  }
  const struct ls_form *form = &annexes[message->kind];
  size_t fields = ls_reader_array(reader, "annex", LS_FORM_FIELDS_MAX);
  if (fields != form->count) {
    char expected[64];
    (void)snprintf(expected, sizeof expected, "%zu fields after it", form->count);
    ls_reader_refuse(reader, "annex", expected);
  }
  return ls_form_read(form, reader, decoder, message, err);
}

/* Reads one message from where the reader stands. */
static enum ls_status decode_one(struct ls_reader *reader, struct ls_decoder *decoder,
                                 struct ls_message *message, struct ls_error *err) {
  size_t fields = ls_reader_array(reader, "message", 1 + LS_FORM_FIELDS_MAX);
  uint64_t kind = ls_reader_whole(reader, "kind", 0, LS_MESSAGE_COUNT - 1);
  if (!ls_reader_is_well(reader)) {
    return ls_fail(err, LS_ECORRUPT, "not a message: %s", reader->problem);
  }
  const struct ls_form *form = &forms[kind];
  if (fields != 1 + form->count) {
    return ls_fail(err, LS_ECORRUPT, "message %s: %zu fields, expected %zu", form->name, fields - 1,
                   form->count);
  }
  struct ls_message result = {.kind = (enum ls_message_kind)kind};
  if (result.kind == LS_MESSAGE_OUTPUT) result.range.count = 1;
  enum ls_status status = ls_form_read(form, reader, decoder, &result, err);
  if (status == LS_OK && has_annex(result.kind)) {
    status = read_annex(reader, decoder, &result, err);
  }
  if (status != LS_OK) return status;
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
  free(decoder->held);
  *decoder = (struct ls_decoder){0};
}

const char *ls_message_name(enum ls_message_kind kind) {
  return (unsigned)kind < LS_MESSAGE_COUNT ? forms[kind].name : "UNKNOWN";
}
