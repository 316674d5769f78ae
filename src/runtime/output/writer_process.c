/* writer_process.c: the process that waits for the readers of the output. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "runtime/output/writer_private.h"

/* Room that was read is given back in steps of so many bytes. */
enum { PUNCHED_BYTES = 1 << 20 };

/* Nothing tells when a reader has taken something: it is looked at again after so long. So many
 * writes may be in pipes. */
enum { LOOK_MS = 10, UNREAD_MAX = 1024 };

/* What was written to a pipe at once: its end among all bytes for that pipe, and the place of the
 * stream behind it. */
struct unread {
  int pipe;
  uint64_t end, place;
};

struct progress {
  uint64_t at; /* of the stream: it is written up to here */
  uint64_t punched;
  int pipe_of[2];   /* by stream; two may have one; -1: no pipe */
  uint64_t sent[2]; /* by pipe */
  struct unread unread[UNREAD_MAX];
  size_t first, count;
};

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
 * outputs are many. Returns how much of the block was used, 0 after a failure; `*written`: how many
 * bytes that was for the reader. */
static size_t write_run(const struct ls_writer_end *end, struct block *block, size_t *written) {
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
  *written = kept;
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

/* ---- what readers have taken ---- */

static void find_pipes(const struct ls_writer_end *end, struct progress *progress) {
  struct stat facts[2];
  for (int i = 0; i < 2; ++i) {
    bool is_pipe = fstat(end->files[i], &facts[i]) == 0 && S_ISFIFO(facts[i].st_mode);
    progress->pipe_of[i] = end->waits_for_readers && is_pipe ? i : -1;
  }
  bool is_one = progress->pipe_of[0] >= 0 && progress->pipe_of[1] >= 0 &&
                facts[0].st_ino == facts[1].st_ino && facts[0].st_dev == facts[1].st_dev;
  if (is_one) progress->pipe_of[1] = 0;
}

/* Others may write there, too: then some of it is taken for ours, and waits a little longer. */
static uint64_t count_unread(const struct ls_writer_end *end, int pipe) {
  int bytes = 0;
  return ioctl(end->files[pipe], FIONREAD, &bytes) == 0 ? (uint64_t)bytes : 0;
}

static void tell_left(const struct ls_writer_end *end, struct progress *progress, uint64_t left) {
  if (left == atomic_load(&end->shared->left)) return;
  give_back(end, &progress->punched, left);
  atomic_store(&end->shared->left, left);
  wake_master(end);
}

/* In the order in which it was written. */
static void note_read(const struct ls_writer_end *end, struct progress *progress) {
  uint64_t taken[2] = {0, 0}, left = atomic_load(&end->shared->left);
  for (int i = 0; i < 2 && progress->count > 0; ++i) {
    uint64_t unread = count_unread(end, i);
    taken[i] = progress->sent[i] > unread ? progress->sent[i] - unread : 0;
  }
  while (progress->count > 0) {
    const struct unread *oldest = &progress->unread[progress->first];
    if (oldest->pipe >= 0 && oldest->end > taken[oldest->pipe]) break;
    left = oldest->place;
    progress->first = (progress->first + 1) % UNREAD_MAX;
    --progress->count;
  }
  tell_left(end, progress, progress->count == 0 ? progress->at : left);
}

/* Until a reader may have taken something, or the master has something to say. false: the reader
 * has gone and has left some of it, or the master is gone. */
static bool wait_for_readers(const struct ls_writer_end *end, struct progress *progress) {
  struct pollfd looks[3] = {{.fd = end->line, .events = POLLIN},
                            {.fd = progress->pipe_of[0] >= 0 ? end->files[0] : -1},
                            {.fd = progress->pipe_of[1] >= 0 ? end->files[1] : -1}};
  (void)poll(looks, 3, LOOK_MS);
  note_read(end, progress);
  for (int i = 0; i < 2 && progress->count > 0; ++i) {
    int pipe = progress->pipe_of[i];
    bool has_gone = pipe >= 0 && (looks[1 + i].revents & POLLERR) != 0;
    if (!has_gone || count_unread(end, pipe) == 0) continue;
    atomic_store(&end->shared->failed_stream, i);
    atomic_store(&end->shared->reason, EPIPE);
    return false;
  }
  char bytes[256];
  ssize_t got = recv(end->line, bytes, sizeof bytes, MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static void note_written(const struct ls_writer_end *end, struct progress *progress,
                         enum ls_writer_stream stream, size_t bytes) {
  int pipe = progress->pipe_of[stream];
  if (pipe >= 0) progress->sent[pipe] += bytes;
  if (pipe < 0 && progress->count == 0) {
    tell_left(end, progress, progress->at);
    return;
  }
  size_t next = (progress->first + progress->count++) % UNREAD_MAX;
  progress->unread[next] =
      (struct unread){pipe, pipe >= 0 ? progress->sent[pipe] : 0, progress->at};
  note_read(end, progress);
}

/* Writes all that was given; false: a write has failed, or the stream cannot be read. */
static bool write_given(const struct ls_writer_end *end, struct progress *progress) {
  struct block block;
  while (progress->at < atomic_load(&end->shared->given)) {
    if (progress->count == UNREAD_MAX) {
      if (!wait_for_readers(end, progress)) return false;
      continue;
    }
    if (!read_block(end, progress->at, &block)) {
      atomic_store(&end->shared->failed_stream, -1);
      atomic_store(&end->shared->reason, errno);
      return false;
    }
    struct ls_writer_header first;
    memcpy(&first, block.bytes, sizeof first);
    size_t kept = 0, used = write_run(end, &block, &kept);
    if (used == 0) return false;
    progress->at += used;
    note_written(end, progress, (enum ls_writer_stream)first.stream, kept);
  }
  return true;
}

void ls_writer_serve(const struct ls_writer_end *end) {
  char bytes[256];
  struct progress progress = {.at = atomic_load(&end->shared->left)};
  find_pipes(end, &progress);
  while (write_given(end, &progress)) {
    if (progress.count > 0) {
      if (!wait_for_readers(end, &progress)) break;
      continue;
    }
    ssize_t got = read(end->line, bytes, sizeof bytes);
    if (got == 0 || (got < 0 && errno != EINTR)) return;
  }
  wake_master(end);
}
