#include "cli/run/input_stream.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "runtime/clock.h"

enum { BLOCK_VALUES = 1024, READ_BYTES = 1 << 16, VALUE_BYTES_MAX = 32 << 20 };

/* Values of BLOCK_VALUES consecutive numbers, each ended by a zero byte. */
struct block {
  struct ls_bytes text;
  size_t offsets[BLOCK_VALUES];
  size_t count, released;
};

struct ls_input_stream {
  int file;
  char stop;
  char *name;
  struct ls_bytes arrived; /* bytes that are in no value so far */
  size_t searched;         /* of them: no value ends there */
  struct block **blocks;   /* NULL: all of its values were released */
  size_t blocks_count, blocks_capacity;
  uint64_t count;
  bool has_whole; /* a value may have arrived whole, and was not taken */
  bool is_at_end, is_ended;
};

static void close_file(int file) {
  if (file != STDIN_FILENO) close(file);
}

enum ls_status ls_input_stream_open(int file, char stop, const char *name,
                                    struct ls_input_stream **out, struct ls_error *err) {
  struct ls_input_stream *stream = calloc(1, sizeof *stream);
  char *copy = strdup(name);
  if (stream == NULL || copy == NULL) {
    free(stream);
    free(copy);
    close_file(file);
    return ls_fail(err, LS_ENOMEM, "%s: out of memory", name);
  }
  *stream = (struct ls_input_stream){.file = file, .stop = stop, .name = copy};
  *out = stream;
  return LS_OK;
}

/* The block of the next value; NULL: out of memory. */
static struct block *find_place(struct ls_input_stream *stream) {
  if (stream->count < stream->blocks_count * BLOCK_VALUES)
    return stream->blocks[stream->blocks_count - 1];
  struct block *block = calloc(1, sizeof *block);
  if (block == NULL ||
      ls_array_reserve((void **)&stream->blocks, &stream->blocks_capacity, stream->blocks_count + 1,
                       sizeof(struct block *)) != LS_OK) {
    free(block);
    return NULL;
  }
  stream->blocks[stream->blocks_count++] = block;
  return block;
}

static enum ls_status add_value(struct ls_input_stream *stream, const char *text, size_t length,
                                struct ls_error *err) {
  if (stream->stop != '\0' && memchr(text, '\0', length) != NULL)
    return ls_fail(err, LS_EINVAL,
                   "%s: line %llu holds a zero byte, expected text (or -0 for values that end in "
                   "zero bytes)",
                   stream->name, (unsigned long long)stream->count + 1);
  struct block *block = find_place(stream);
  if (block == NULL) return ls_fail(err, LS_ENOMEM, "%s: out of memory", stream->name);
  block->offsets[block->count] = block->text.length;
  ls_bytes_append(&block->text, text, length);
  ls_bytes_append_char(&block->text, '\0');
  if (block->text.failed) return ls_fail(err, LS_ENOMEM, "%s: out of memory", stream->name);
  block->count++;
  stream->count++;
  return LS_OK;
}

/* Takes up to `*most` values from what has arrived, and counts them down. */
static enum ls_status cut_values(struct ls_input_stream *stream, uint64_t *most,
                                 struct ls_error *err) {
  struct ls_bytes *arrived = &stream->arrived;
  enum ls_status status = LS_OK;
  size_t at = 0;
  stream->has_whole = *most == 0 && arrived->length > stream->searched;
  while (*most > 0 && stream->searched < arrived->length && status == LS_OK) {
    const char *stop =
        memchr(arrived->data + stream->searched, stream->stop, arrived->length - stream->searched);
    stream->searched = stop == NULL ? arrived->length : (size_t)(stop - arrived->data) + 1;
    if (stop == NULL) break;
    status = add_value(stream, arrived->data + at, stream->searched - at - 1, err);
    at = stream->searched;
    *most -= 1;
    stream->has_whole = *most == 0 && arrived->length > at;
  }
  if (at > 0) {
    memmove(arrived->data, arrived->data + at, arrived->length - at);
    arrived->length -= at;
    stream->searched -= at;
  }
  if (status == LS_OK && stream->searched > VALUE_BYTES_MAX)
    status = ls_fail(err, LS_EINVAL, "%s: value %llu is longer than %d bytes", stream->name,
                     (unsigned long long)stream->count + 1, (int)VALUE_BYTES_MAX);
  return status;
}

/* Adds what can be read at once; false: nothing can. */
static bool read_some(struct ls_input_stream *stream, enum ls_status *status,
                      struct ls_error *err) {
  struct pollfd ready = {.fd = stream->file, .events = POLLIN};
  if (poll(&ready, 1, 0) <= 0) return false;
  char block[READ_BYTES];
  ssize_t got = read(stream->file, block, sizeof block);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (got < 0) {
    *status = ls_fail(err, LS_EINVAL, "%s: %s", stream->name, strerror(errno));
    return false;
  }
  ls_bytes_append(&stream->arrived, block, (size_t)got);
  if (stream->arrived.failed) *status = ls_fail(err, LS_ENOMEM, "%s: out of memory", stream->name);
  stream->is_at_end = got == 0;
  return *status == LS_OK;
}

enum ls_status ls_input_stream_read(struct ls_input_stream *stream, uint64_t most,
                                    struct ls_error *err) {
  enum ls_status status = cut_values(stream, &most, err);
  while (status == LS_OK && most > 0 && !stream->is_at_end && read_some(stream, &status, err))
    status = cut_values(stream, &most, err);
  if (status != LS_OK || !stream->is_at_end || stream->has_whole || stream->is_ended) return status;
  /* What no byte ends is the last value. */
  if (stream->arrived.length > 0) {
    if (most == 0) {
      stream->has_whole = true;
      return LS_OK;
    }
    status = add_value(stream, stream->arrived.data, stream->arrived.length, err);
  }
  stream->is_ended = status == LS_OK;
  ls_bytes_close(&stream->arrived);
  stream->searched = 0;
  return status;
}

enum ls_status ls_input_stream_wait(struct ls_input_stream *stream, uint64_t most, double seconds,
                                    struct ls_error *err) {
  double until_s = ls_clock_s() + seconds;
  uint64_t enough = stream->count + most;
  for (;;) {
    enum ls_status status = ls_input_stream_read(stream, enough - stream->count, err);
    double left_s = until_s - ls_clock_s();
    if (status != LS_OK || stream->is_ended || stream->count >= enough || left_s <= 0)
      return status;
    struct pollfd ready = {.fd = stream->file, .events = POLLIN};
    (void)poll(&ready, 1, (int)ceil(1000 * left_s));
  }
}

uint64_t ls_input_stream_count(const struct ls_input_stream *stream) {
  return stream->count;
}

bool ls_input_stream_is_ended(const struct ls_input_stream *stream) {
  return stream->is_ended;
}

int ls_input_stream_file(const struct ls_input_stream *stream) {
  return stream->has_whole || stream->is_at_end ? -1 : stream->file;
}

const char *ls_input_stream_value(const struct ls_input_stream *stream, uint64_t index) {
  assert(index < stream->count);
  const struct block *block = stream->blocks[index / BLOCK_VALUES];
  assert(block != NULL);
  return block->text.data + block->offsets[index % BLOCK_VALUES];
}

void ls_input_stream_release(struct ls_input_stream *stream, struct ls_range values) {
  for (uint64_t i = 0; i < values.count; i++) {
    size_t place = (size_t)((values.first + i) / BLOCK_VALUES);
    struct block *block = stream->blocks[place];
    assert(block != NULL && block->released < block->count);
    if (++block->released < BLOCK_VALUES) continue;
    ls_bytes_close(&block->text);
    free(block);
    stream->blocks[place] = NULL;
  }
}

void ls_input_stream_close(struct ls_input_stream *stream) {
  if (stream == NULL) return;
  for (size_t i = 0; i < stream->blocks_count; i++) {
    if (stream->blocks[i] != NULL) ls_bytes_close(&stream->blocks[i]->text);
    free(stream->blocks[i]);
  }
  free(stream->blocks);
  ls_bytes_close(&stream->arrived);
  close_file(stream->file);
  free(stream->name);
  free(stream);
}
