/* writer_process.c: the process that waits for the readers of the output. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "runtime/writer_private.h"

/* Room that was read is given back in steps of so many bytes. */
enum { PUNCHED_BYTES = 1 << 20 };

/* Of the stream, from the place `at`. */
struct block {
  char bytes[LS_WRITER_BLOCK_BYTES + sizeof(struct ls_writer_header)];
  uint64_t at;
  size_t length;
};

static int find_file(const struct ls_writer_end *end, uint64_t place) {
  return place < atomic_load(&end->shared->spill) ? end->memory : end->disk;
}

/* As much of the stream as there is, and as the block can hold; false: it cannot be read. */
static bool read_block(const struct ls_writer_end *end, uint64_t at, struct block *block) {
  uint64_t until = atomic_load(&end->shared->given), spill = atomic_load(&end->shared->spill);
  uint64_t offset = at - atomic_load(&end->shared->origin);
  if (at < spill && until > spill) until = spill;
  size_t wanted = until - at < sizeof block->bytes ? (size_t)(until - at) : sizeof block->bytes;
  block->at = at;
  block->length = 0;
  while (block->length < wanted) {
    ssize_t got = pread(find_file(end, at), block->bytes + block->length, wanted - block->length,
                        (off_t)(offset + block->length));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = ENODATA;
    if (got <= 0) return false;
    block->length += (size_t)got;
  }
  return true;
}

/* A descriptor that does not block is waited for. */
static bool write_whole(int file, const char *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, data, length);
    if (written < 0 && errno == EAGAIN) {
      struct pollfd room = {.fd = file, .events = POLLOUT};
      (void)poll(&room, 1, -1);
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    data += written;
    length -= (size_t)written;
  }
  return true;
}

/* Moves the bytes of consecutive records of one stream together and writes them at once: tiny
 * outputs are many. Returns how much of the block was used, 0 after a failure. */
static size_t write_run(const struct ls_writer_end *end, struct block *block) {
  struct ls_writer_header first, header;
  size_t used = 0, kept = 0;
  memcpy(&first, block->bytes, sizeof first);
  while (block->length - used >= sizeof header) {
    memcpy(&header, block->bytes + used, sizeof header);
    if (header.stream != first.stream || block->length - used < sizeof header + header.length)
      break;
    memmove(block->bytes + kept, block->bytes + used + sizeof header, header.length);
    used += sizeof header + header.length;
    kept += header.length;
  }
  if (write_whole(end->files[first.stream], block->bytes, kept)) return used;
  atomic_store(&end->shared->failed_stream, (int)first.stream);
  atomic_store(&end->shared->reason, errno);
  return 0;
}

static void wake_master(const struct ls_writer_end *end) {
  /* A full line wakes it, too. */
  (void)!send(end->line, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Before `left` is told: while the master knows of bytes that wait, the files stay as they are. */
static void give_back(const struct ls_writer_end *end, uint64_t *punched, uint64_t left) {
  uint64_t origin = atomic_load(&end->shared->origin);
  int files[2] = {end->memory, end->disk};
  if (*punched < origin) *punched = origin;
  if (left - *punched < PUNCHED_BYTES) return;
  for (int i = 0; i < 2; ++i) {
    if (files[i] < 0) continue;
    (void)fallocate(files[i], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    (off_t)(*punched - origin), (off_t)(left - *punched));
  }
  *punched = left;
}

/* Writes all that was given; false: a write has failed, or the stream cannot be read. */
static bool write_given(const struct ls_writer_end *end, uint64_t *punched) {
  struct block block;
  uint64_t left = atomic_load(&end->shared->left);
  while (left < atomic_load(&end->shared->given)) {
    if (!read_block(end, left, &block)) {
      atomic_store(&end->shared->failed_stream, -1);
      atomic_store(&end->shared->reason, errno);
      return false;
    }
    size_t used = write_run(end, &block);
    if (used == 0) return false;
    left += used;
    give_back(end, punched, left);
    atomic_store(&end->shared->left, left);
    wake_master(end);
  }
  return true;
}

void ls_writer_serve(const struct ls_writer_end *end) {
  uint64_t punched = 0;
  char bytes[256];
  while (write_given(end, &punched)) {
    ssize_t got = read(end->line, bytes, sizeof bytes);
    if (got == 0 || (got < 0 && errno != EINTR)) return;
  }
  wake_master(end);
}
