#include "protocol/form.h"

#include <assert.h>

#include "base/array.h"
#include "model/outcome.h"

static void pack_ranges(struct ls_bytes *out, const struct ls_message *message) {
  assert(message->ranges_count >= 1 && message->ranges_count <= LS_MESSAGE_RANGES_MAX);
  ls_wire_put_array(out, 2 * message->ranges_count);
  for (size_t i = 0; i < message->ranges_count; i++) {
    ls_wire_put_whole(out, message->ranges[i].first);
    ls_wire_put_whole(out, message->ranges[i].count);
  }
}

static void pack_times(struct ls_bytes *out, const struct ls_message *message) {
  assert(message->latest_count <= LS_MESSAGE_TIMES_MAX);
  ls_wire_put_array(out, message->latest_count);
  for (size_t i = 0; i < message->latest_count; i++) ls_wire_put_real(out, message->latest[i]);
}

static void pack_staging(struct ls_bytes *out, const struct ls_message *message) {
  const double times[] = {message->stage_s, message->lead_s, message->exposed_s};
  size_t count = message->stage_s > 0 ? sizeof times / sizeof *times : 0;
  ls_wire_put_array(out, count);
  for (size_t i = 0; i < count; i++) ls_wire_put_real(out, times[i]);
}

static void pack_usage(struct ls_bytes *out, const struct ls_usage *usage) {
  ls_wire_put_array(out, ls_usage_is_known(usage) ? 3 : 0);
  if (!ls_usage_is_known(usage)) return;
  ls_wire_put_real(out, usage->user_s);
  ls_wire_put_real(out, usage->system_s);
  ls_wire_put_whole(out, usage->peak_bytes);
}

static void pack_files(struct ls_bytes *out, const struct ls_message *message) {
  assert(message->files_count <= LS_STAGED_OUTPUTS_MAX);
  ls_wire_put_array(out, 2 * message->files_count);
  for (size_t i = 0; i < message->files_count; i++) {
    const struct ls_message_file *file = &message->files[i];
    ls_wire_put_whole(out, file->is_there ? 1 + file->mode : 0);
    ls_wire_put_whole(out, file->is_there ? file->bytes : 0);
  }
}

static void pack_held(struct ls_bytes *out, const struct ls_message *message) {
  assert(message->held_count <= LS_MESSAGE_RANGES_MAX);
  ls_wire_put_array(out, 3 * message->held_count);
  for (size_t i = 0; i < message->held_count; i++) {
    ls_wire_put_whole(out, message->held[i].chunk);
    ls_wire_put_whole(out, message->held[i].units.first);
    ls_wire_put_whole(out, message->held[i].units.count);
  }
}

static void pack_field(struct ls_bytes *out, const struct ls_field *field,
                       const struct ls_message *message) {
  const void *value = (const char *)message + field->offset;
  const struct ls_blob *blob = value;
  switch (field->type) {
    case LS_FIELD_WHOLE_8:
    case LS_FIELD_OUTCOME:
      ls_wire_put_whole(out, *(const uint8_t *)value);
      break;
    case LS_FIELD_WHOLE_32:
      ls_wire_put_whole(out, *(const uint32_t *)value);
      break;
    case LS_FIELD_WHOLE_64:
      ls_wire_put_whole(out, *(const uint64_t *)value);
      break;
    case LS_FIELD_INTEGER:
      ls_wire_put_integer(out, *(const int32_t *)value);
      break;
    case LS_FIELD_REAL:
      ls_wire_put_real(out, *(const double *)value);
      break;
    case LS_FIELD_TEXT:
      ls_wire_put_text(out, blob->data, blob->length);
      break;
    case LS_FIELD_BLOB:
    case LS_FIELD_COOKIE:
    case LS_FIELD_CONTENT:
      ls_wire_put_blob(out, blob->data, blob->length);
      break;
    case LS_FIELD_RANGES:
      pack_ranges(out, message);
      break;
    case LS_FIELD_TIMES:
      pack_times(out, message);
      break;
    case LS_FIELD_STAGING:
      pack_staging(out, message);
      break;
    case LS_FIELD_USAGE:
      pack_usage(out, &message->usage);
      break;
    case LS_FIELD_FILES:
      pack_files(out, message);
      break;
    case LS_FIELD_HELD:
      pack_held(out, message);
      break;
  }
}
void ls_form_pack(const struct ls_form *form, const struct ls_message *message,
                  struct ls_bytes *out) {
  for (size_t i = 0; i < form->count; i++) pack_field(out, &form->fields[i], message);
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

/* As read_ranges. */
static enum ls_status read_held(struct ls_reader *reader, struct ls_decoder *decoder,
                                struct ls_message *message, struct ls_error *err) {
  size_t numbers = ls_reader_array(reader, "held", 3 * (size_t)LS_MESSAGE_RANGES_MAX);
  if (numbers % 3 != 0) {
    ls_reader_refuse(reader, "held", "chunk, first and count of each");
    return LS_OK;
  }
  size_t count = numbers / 3;
  if (ls_array_reserve((void **)&decoder->held, &decoder->held_capacity, count,
                       sizeof *decoder->held) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for the %zu ranges that a worker holds", count);
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++) {
    decoder->held[i].chunk = ls_reader_whole(reader, "chunk", 0, UINT64_MAX - 1);
    decoder->held[i].units.first = ls_reader_whole(reader, "first", 0, UINT64_MAX);
    decoder->held[i].units.count = ls_reader_whole(reader, "count", 1, UINT64_MAX);
    check_range(reader, &decoder->held[i].units);
  }
  message->held = decoder->held;
  message->held_count = count;
  return LS_OK;
}

static void read_files(struct ls_reader *reader, struct ls_decoder *decoder,
                       struct ls_message *message) {
  size_t numbers = ls_reader_array(reader, "files", 2 * (size_t)LS_STAGED_OUTPUTS_MAX);
  if (numbers % 2 != 0) ls_reader_refuse(reader, "files", "mode and bytes of each");
  for (size_t i = 0; i < numbers / 2 && ls_reader_is_well(reader); i++) {
    uint64_t mode = ls_reader_whole(reader, "mode", 0, 1 + 0777);
    uint64_t bytes = ls_reader_whole(reader, "bytes", 0, mode > 0 ? INT64_MAX : 0);
    decoder->files[i] = (struct ls_message_file){
        .bytes = bytes, .mode = mode > 0 ? (uint32_t)mode - 1 : 0, .is_there = mode > 0};
  }
  message->files = decoder->files;
  message->files_count = numbers / 2;
}

static void read_staging(struct ls_reader *reader, struct ls_message *message) {
  double *const times[] = {&message->stage_s, &message->lead_s, &message->exposed_s};
  size_t count = ls_reader_array(reader, "staging", sizeof times / sizeof *times);
  if (count != 0 && count != sizeof times / sizeof *times)
    ls_reader_refuse(reader, "staging", "three times, or none");
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++)
    *times[i] = ls_reader_real(reader, "staging");
}

static void read_usage(struct ls_reader *reader, struct ls_usage *usage) {
  size_t count = ls_reader_array(reader, "usage", 3);
  if (count != 0 && count != 3) ls_reader_refuse(reader, "usage", "three numbers, or none");
  if (count == 0 || !ls_reader_is_well(reader)) return;
  usage->user_s = ls_reader_real(reader, "user_s");
  usage->system_s = ls_reader_real(reader, "system_s");
  usage->peak_bytes = ls_reader_whole(reader, "peak_bytes", 1, INT64_MAX);
}

static struct ls_blob read_cookie(struct ls_reader *reader, const struct ls_field *field) {
  struct ls_blob cookie = ls_reader_blob(reader, field->name);
  if (cookie.length != 0 && cookie.length != LS_COOKIE_BYTES)
    ls_reader_refuse(reader, field->name, "16 bytes, or none");
  return cookie;
}

static struct ls_blob read_content(struct ls_reader *reader, const struct ls_field *field) {
  struct ls_blob content = ls_reader_blob(reader, field->name);
  if (content.length != LS_CONTENT_BYTES) ls_reader_refuse(reader, field->name, "32 bytes");
  return content;
}

static uint8_t read_outcome(struct ls_reader *reader, const struct ls_field *field) {
  uint64_t outcome = ls_reader_whole(reader, field->name, 0, UINT8_MAX);
  if (!ls_outcome_is_result((enum ls_outcome)outcome)) {
    ls_reader_refuse(reader, field->name, "what becomes of units at a worker: 0, 1, 4 or 5");
  }
  return (uint8_t)outcome;
}

/* Every type but lists, which need the decoder's memory. */
static void read_field(struct ls_reader *reader, const struct ls_field *field,
                       struct ls_message *message) {
  void *value = (char *)message + field->offset;
  switch (field->type) {
    case LS_FIELD_WHOLE_8:
      *(uint8_t *)value = (uint8_t)ls_reader_whole(reader, field->name, field->least, field->most);
      break;
    case LS_FIELD_WHOLE_32:
      *(uint32_t *)value =
          (uint32_t)ls_reader_whole(reader, field->name, field->least, field->most);
      break;
    case LS_FIELD_WHOLE_64:
      *(uint64_t *)value = ls_reader_whole(reader, field->name, field->least, field->most);
      break;
    case LS_FIELD_INTEGER:
      *(int32_t *)value = ls_reader_integer(reader, field->name);
      break;
    case LS_FIELD_REAL:
      *(double *)value = ls_reader_real(reader, field->name);
      break;
    case LS_FIELD_TEXT:
      *(struct ls_blob *)value = ls_reader_text(reader, field->name);
      break;
    case LS_FIELD_BLOB:
      *(struct ls_blob *)value = ls_reader_blob(reader, field->name);
      break;
    case LS_FIELD_COOKIE:
      *(struct ls_blob *)value = read_cookie(reader, field);
      break;
    case LS_FIELD_CONTENT:
      *(struct ls_blob *)value = read_content(reader, field);
      break;
    case LS_FIELD_OUTCOME:
      *(uint8_t *)value = read_outcome(reader, field);
      break;
    case LS_FIELD_RANGES:
    case LS_FIELD_TIMES:
    case LS_FIELD_STAGING:
    case LS_FIELD_USAGE:
    case LS_FIELD_FILES:
    case LS_FIELD_HELD:
      break;
  }
}

enum ls_status ls_form_read(const struct ls_form *form, struct ls_reader *reader,
                            struct ls_decoder *decoder, struct ls_message *message,
                            struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < form->count && status == LS_OK && ls_reader_is_well(reader); i++) {
    switch (form->fields[i].type) {
      case LS_FIELD_RANGES:
        status = read_ranges(reader, decoder, message, err);
        break;
      case LS_FIELD_TIMES:
        status = read_times(reader, decoder, message, err);
        break;
      case LS_FIELD_STAGING:
        read_staging(reader, message);
        break;
      case LS_FIELD_USAGE:
        read_usage(reader, &message->usage);
        break;
      case LS_FIELD_FILES:
        read_files(reader, decoder, message);
        break;
      case LS_FIELD_HELD:
        status = read_held(reader, decoder, message, err);
        break;
      default:
        read_field(reader, &form->fields[i], message);
        break;
    }
  }
  check_range(reader, &message->range);
  return status;
}
