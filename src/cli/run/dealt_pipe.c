#include "cli/run/dealt_pipe.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"

/* A pipe of one page has room when it is empty; more than the largest one nobody may have. */
enum { PIPE_BYTES_LEAST = 4096, PIPE_BYTES_MOST = 1 << 20, BLOCK_PARTS = 16 };

/* ---- blocks that came back ---- */

bool ls_returned_blocks_has(const struct ls_returned_blocks *blocks) {
  return blocks->next < blocks->count;
}

struct ls_subject ls_returned_blocks_take(struct ls_returned_blocks *blocks) {
  assert(ls_returned_blocks_has(blocks));
  size_t length = blocks->lengths[blocks->next++];
  struct ls_subject block = {ls_bytes_text(&blocks->bytes) + blocks->at, length};
  blocks->at += length;
  return block;
}

/* Those that were taken need no room any more. */
static void forget_taken(struct ls_returned_blocks *blocks) {
  size_t left = blocks->count - blocks->next;
  if (blocks->next == 0) return;
  memmove(blocks->lengths, blocks->lengths + blocks->next, left * sizeof *blocks->lengths);
  blocks->bytes.length -= blocks->at;
  memmove(blocks->bytes.data, blocks->bytes.data + blocks->at, blocks->bytes.length);
  blocks->count = left;
  blocks->next = blocks->at = 0;
}

static enum ls_status add_length(struct ls_returned_blocks *blocks, size_t length,
                                 struct ls_error *err) {
  if (ls_array_reserve((void **)&blocks->lengths, &blocks->capacity, blocks->count + 1,
                       sizeof *blocks->lengths) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for blocks that no process has read");
  blocks->lengths[blocks->count++] = length;
  return LS_OK;
}

void ls_returned_blocks_close(struct ls_returned_blocks *blocks) {
  ls_bytes_close(&blocks->bytes);
  free(blocks->lengths);
  *blocks = (struct ls_returned_blocks){.count = 0};
}

/* ---- the pipe ---- */

enum ls_status ls_dealt_pipe_open(struct ls_dealt_pipe *pipe, size_t block_bytes, uint64_t *told,
                                  struct ls_error *err) {
  *pipe = (struct ls_dealt_pipe){.ends = {-1, -1}, .told = told};
  if (pipe2(pipe->ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return ls_fail(err, LS_EIO, "no pipe is to be had for a process: %s", strerror(errno));
  size_t bytes = block_bytes / BLOCK_PARTS;
  if (bytes < PIPE_BYTES_LEAST) bytes = PIPE_BYTES_LEAST;
  if (bytes > PIPE_BYTES_MOST) bytes = PIPE_BYTES_MOST;
  /* One of another size serves as well, if not as evenly. */
  (void)fcntl(pipe->ends[1], F_SETPIPE_SZ, (int)bytes);
  return LS_OK;
}

bool ls_dealt_pipe_has_room(const struct ls_dealt_pipe *pipe) {
  return pipe->at == pipe->left.length;
}

/* Writes what fits; `*at` counts on. */
static enum ls_status write_some(struct ls_dealt_pipe *pipe, struct ls_subject data, size_t *at,
                                 struct ls_error *err) {
  while (*at < data.length) {
    ssize_t written = write(pipe->ends[1], data.data + *at, data.length - *at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return LS_OK;
    if (written < 0)
      return ls_fail(err, LS_EIO, "a block cannot be given to a process: %s", strerror(errno));
    *at += (size_t)written;
    pipe->written += (uint64_t)written;
    __atomic_store_n(pipe->told, pipe->written, __ATOMIC_RELAXED);
  }
  return LS_OK;
}

static uint64_t count_unread(const struct ls_dealt_pipe *pipe) {
  int unread = 0;
  return ioctl(pipe->ends[0], FIONREAD, &unread) == 0 && unread > 0 ? (uint64_t)unread : 0;
}

/* Blocks whose end has been read are the process's. */
static void forget_read(struct ls_dealt_pipe *pipe) {
  uint64_t consumed = pipe->written - count_unread(pipe);
  size_t gone = 0;
  while (gone < pipe->begins_count) {
    bool is_last = gone + 1 == pipe->begins_count;
    uint64_t end = is_last ? pipe->written : pipe->begins[gone + 1];
    if (end > consumed) break;
    gone++;
  }
  pipe->begins_count -= gone;
  memmove(pipe->begins, pipe->begins + gone, pipe->begins_count * sizeof *pipe->begins);
}

static enum ls_status note_begin(struct ls_dealt_pipe *pipe, uint64_t begin, struct ls_error *err) {
  if (pipe->begins_count > 0) forget_read(pipe);
  if (ls_array_reserve((void **)&pipe->begins, &pipe->begins_capacity, pipe->begins_count + 1,
                       sizeof *pipe->begins) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for the blocks of a process");
  pipe->begins[pipe->begins_count++] = begin;
  return LS_OK;
}

static enum ls_status keep_left(struct ls_dealt_pipe *pipe, struct ls_subject data, size_t at,
                                struct ls_error *err) {
  ls_bytes_append(&pipe->left, data.data + at, data.length - at);
  return pipe->left.failed ? ls_fail(err, LS_ENOMEM, "out of memory for a block") : LS_OK;
}

enum ls_status ls_dealt_pipe_give(struct ls_dealt_pipe *pipe, struct ls_subject header,
                                  struct ls_subject block, struct ls_error *err) {
  assert(ls_dealt_pipe_has_room(pipe) && pipe->ends[1] >= 0);
  assert(header.length == 0 || pipe->written == 0);
  size_t at = 0;
  ls_bytes_clear(&pipe->left);
  pipe->at = 0;
  enum ls_status status = note_begin(pipe, pipe->written + header.length, err);
  if (status == LS_OK && header.length > 0) status = keep_left(pipe, header, 0, err);
  if (status == LS_OK && header.length == 0) status = write_some(pipe, block, &at, err);
  if (status == LS_OK && at < block.length) status = keep_left(pipe, block, at, err);
  return status == LS_OK ? ls_dealt_pipe_push(pipe, err) : status;
}

enum ls_status ls_dealt_pipe_push(struct ls_dealt_pipe *pipe, struct ls_error *err) {
  const struct ls_subject left = {ls_bytes_text(&pipe->left), pipe->left.length};
  enum ls_status status = write_some(pipe, left, &pipe->at, err);
  /* A long record holds its memory no longer than it must. */
  if (status == LS_OK && ls_dealt_pipe_has_room(pipe) && left.length > PIPE_BYTES_MOST) {
    ls_bytes_close(&pipe->left);
    pipe->at = 0;
  }
  return status;
}

static void close_end(int *end) {
  if (*end >= 0) (void)close(*end);
  *end = -1;
}

void ls_dealt_pipe_finish(struct ls_dealt_pipe *pipe) {
  close_end(&pipe->ends[1]);
}

/* All that nobody has read, in one call: who else may still read gets all or nothing of it. */
static enum ls_status drain(struct ls_dealt_pipe *pipe, struct ls_bytes *out,
                            struct ls_error *err) {
  uint64_t unread = count_unread(pipe);
  char *data = unread > 0 ? malloc((size_t)unread) : NULL;
  if (unread == 0) return LS_OK;
  if (data == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for blocks of a process");
  ssize_t got = read(pipe->ends[0], data, (size_t)unread);
  if (got > 0) ls_bytes_append(out, data, (size_t)got);
  free(data);
  return LS_OK;
}

/* Of a block that the process has begun to read, the rest is nobody's. */
static enum ls_status give_back(struct ls_dealt_pipe *pipe, const struct ls_bytes *unread,
                                struct ls_returned_blocks *blocks, struct ls_error *err) {
  uint64_t end = pipe->written + pipe->left.length - pipe->at, from = end - unread->length;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < pipe->begins_count && status == LS_OK; i++) {
    uint64_t begin = pipe->begins[i];
    uint64_t next = i + 1 < pipe->begins_count ? pipe->begins[i + 1] : end;
    if (begin < from || next == begin) continue;
    ls_bytes_append(&blocks->bytes, unread->data + (begin - from), (size_t)(next - begin));
    status = add_length(blocks, (size_t)(next - begin), err);
  }
  if (status == LS_OK && blocks->bytes.failed)
    return ls_fail(err, LS_ENOMEM, "out of memory for blocks that no process has read");
  return status;
}

enum ls_status ls_dealt_pipe_end(struct ls_dealt_pipe *pipe, struct ls_returned_blocks *blocks,
                                 struct ls_error *err) {
  struct ls_bytes unread = {0};
  enum ls_status status = LS_OK;
  forget_taken(blocks);
  if (pipe->begins_count > 0) status = drain(pipe, &unread, err);
  ls_bytes_append(&unread, ls_bytes_text(&pipe->left) + pipe->at, pipe->left.length - pipe->at);
  if (unread.failed) status = ls_fail(err, LS_ENOMEM, "out of memory for blocks of a process");
  if (status == LS_OK) status = give_back(pipe, &unread, blocks, err);
  ls_bytes_close(&unread);
  ls_dealt_pipe_close(pipe);
  return status;
}

void ls_dealt_pipe_close(struct ls_dealt_pipe *pipe) {
  close_end(&pipe->ends[0]);
  close_end(&pipe->ends[1]);
  ls_bytes_close(&pipe->left);
  free(pipe->begins);
  *pipe = (struct ls_dealt_pipe){.ends = {-1, -1}};
}
