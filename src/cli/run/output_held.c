#include "cli/run/output_held.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/console.h"
#include "runtime/os/temporary.h"

enum { BLOCK_BYTES = 1 << 16, STREAMS = 2 };

/* In the file, before the bytes of the two outputs. */
struct held_header {
  uint64_t lengths[STREAMS]; /* as they stand in the file */
};

static bool copy_file(int from, uint64_t length, int to) {
  char block[BLOCK_BYTES];
  for (uint64_t offset = 0; offset < length;) {
    size_t wanted = length - offset < sizeof block ? (size_t)(length - offset) : sizeof block;
    ssize_t got = pread(from, block, wanted, (off_t)offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return true;
    if (!ls_console_write(to, block, (size_t)got)) return false;
    offset += (uint64_t)got;
  }
  return true;
}

bool ls_output_copy(const struct ls_output *output, int file) {
  if (output->data != NULL) return ls_console_write(file, output->data, output->length);
  if (output->file >= 0) return copy_file(output->file, output->length, file);
  return true;
}

struct ls_held ls_held_make(bool compresses) {
  return (struct ls_held){.file = -1, .compresses = compresses};
}

void ls_held_close(struct ls_held *held) {
  if (held->file >= 0) close(held->file);
  *held = ls_held_make(held->compresses);
}

/* ---- compression ---- */

/* The next bytes of an output: from memory all that is left, from a file a block. */
static ssize_t read_some(const struct ls_output *output, uint64_t from, char *block,
                         const void **bytes) {
  ssize_t got;
  if (output->data != NULL) {
    *bytes = (const char *)output->data + from;
    return output->length - from < BLOCK_BYTES ? (ssize_t)(output->length - from) : BLOCK_BYTES;
  }
  *bytes = block;
  do {
    got = pread(output->file, block, BLOCK_BYTES, (off_t)from);
  } while (got < 0 && errno == EINTR);
  return got;
}

static bool write_deflated(z_stream *stream, int flush, int file) {
  char block[BLOCK_BYTES];
  do {
    stream->next_out = (Bytef *)block;
    stream->avail_out = sizeof block;
    if (deflate(stream, flush) == Z_STREAM_ERROR) return false;
    if (!ls_console_write(file, block, sizeof block - stream->avail_out)) return false;
  } while (stream->avail_out == 0);
  return true;
}

static bool copy_deflated(const struct ls_output *output, int file) {
  char block[BLOCK_BYTES];
  z_stream stream = {.zalloc = Z_NULL};
  if (deflateInit(&stream, Z_BEST_SPEED) != Z_OK) return false;
  bool is_copied = true;
  ssize_t got = 0;
  for (uint64_t done = 0; is_copied && done < output->length; done += (uint64_t)got) {
    const void *bytes = NULL;
    got = read_some(output, done, block, &bytes);
    is_copied = got > 0;
    if (!is_copied) break;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)got;
    is_copied = write_deflated(&stream, Z_NO_FLUSH, file);
  }
  is_copied = is_copied && write_deflated(&stream, Z_FINISH, file);
  (void)deflateEnd(&stream);
  return is_copied;
}

/* Gives a compressed part of the file to the writer. */
static enum ls_status give_inflated(int file, const struct ls_writer_part *part,
                                    struct ls_writer *writer, enum ls_writer_stream to,
                                    struct ls_error *err) {
  char packed[BLOCK_BYTES], block[BLOCK_BYTES];
  z_stream stream = {.zalloc = Z_NULL};
  enum ls_status status = LS_OK;
  int code = inflateInit(&stream);
  for (uint64_t done = 0; code == Z_OK && status == LS_OK;) {
    if (stream.avail_in == 0 && done < part->length) {
      size_t wanted =
          part->length - done < sizeof packed ? (size_t)(part->length - done) : sizeof packed;
      ssize_t got = pread(file, packed, wanted, (off_t)(part->offset + done));
      if (got <= 0) break;
      stream.next_in = (Bytef *)packed;
      stream.avail_in = (uInt)got;
      done += (uint64_t)got;
    }
    stream.next_out = (Bytef *)block;
    stream.avail_out = sizeof block;
    code = inflate(&stream, Z_NO_FLUSH);
    status = ls_writer_add(writer, to, block, sizeof block - stream.avail_out, err);
  }
  (void)inflateEnd(&stream);
  if (status == LS_OK && code != Z_STREAM_END)
    return ls_fail(err, LS_EIO, "the file that keeps outputs in order cannot be read");
  return status;
}

/* ---- the file ---- */

static bool copy(const struct ls_held *held, const struct ls_output *output) {
  if (output->length == 0) return true;
  return held->compresses ? copy_deflated(output, held->file) : ls_output_copy(output, held->file);
}

/* Writes both outputs behind the room of their header, and then that. */
static bool write_outputs(const struct ls_held *held, const struct ls_output *const outputs[2],
                          uint64_t *end) {
  struct held_header header = {{0, 0}};
  off_t at = (off_t)(held->bytes + sizeof header);
  if (lseek(held->file, at, SEEK_SET) < 0) return false;
  for (int i = 0; i < STREAMS; i++) {
    if (!copy(held, outputs[i])) return false;
    off_t next = lseek(held->file, 0, SEEK_CUR);
    if (next < 0) return false;
    header.lengths[i] = (uint64_t)(next - at);
    at = next;
  }
  *end = (uint64_t)at;
  return pwrite(held->file, &header, sizeof header, (off_t)held->bytes) == (ssize_t)sizeof header;
}

enum ls_status ls_held_put(struct ls_held *held, const struct ls_output *const outputs[2],
                           uint64_t *place, struct ls_error *err) {
  uint64_t end = 0;
  if (held->file < 0) {
    held->file = ls_temporary_file(err);
    if (held->file < 0) return LS_EIO;
  }
  if (!write_outputs(held, outputs, &end)) return ls_temporary_fail("what waits for its turn", err);
  *place = held->bytes;
  held->bytes = end;
  held->count++;
  return LS_OK;
}

enum ls_status ls_held_give(struct ls_held *held, uint64_t place, struct ls_writer *writer,
                            struct ls_error *err) {
  struct held_header header;
  if (pread(held->file, &header, sizeof header, (off_t)place) != (ssize_t)sizeof header)
    return ls_fail(err, LS_EIO, "the file that keeps outputs in order cannot be read");
  struct ls_writer_part part = {.file = held->file, .offset = place + sizeof header};
  for (int i = 0; i < STREAMS; i++) {
    part.length = header.lengths[i];
    enum ls_status status = LS_OK;
    if (held->compresses && part.length > 0)
      status = give_inflated(held->file, &part, writer, (enum ls_writer_stream)i, err);
    else
      status = ls_writer_add_part(writer, (enum ls_writer_stream)i, &part, err);
    if (status != LS_OK) return status;
    part.offset += part.length;
  }
  held->count--;
  /* No output waits any longer: the space is given back. */
  if (held->count == 0 && ftruncate(held->file, 0) == 0) held->bytes = 0;
  return LS_OK;
}
