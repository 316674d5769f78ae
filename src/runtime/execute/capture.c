#include "runtime/execute/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/os/temporary.h"

/* A command that writes without end must not keep its worker from everything else. */
enum { BLOCK_BYTES = 64 << 10, BLOCKS_AT_ONCE = 16 };

struct ls_capture ls_capture_make(size_t inline_max) {
  return (struct ls_capture){.source = -1, .target = -1, .file = -1, .inline_max = inline_max};
}

static void close_file(int *file) {
  if (*file >= 0) (void)close(*file);
  *file = -1;
}

/* ---- processes that have outlived their command ---- */

/* false: nobody writes there any more. */
static bool pour_away(int source) {
  char block[4096];
  ssize_t length;
  for (int i = 0; i < BLOCKS_AT_ONCE; ++i) {
    length = read(source, block, sizeof block);
    if (length == 0) return false;
    if (length < 0) return errno == EINTR || errno == EAGAIN;
  }
  return true;
}

static void serve_survivors(struct ls_capture *capture) {
  size_t kept = 0;
  for (size_t i = 0; i < capture->survivors_count; ++i) {
    if (pour_away(capture->survivors[i]))
      capture->survivors[kept++] = capture->survivors[i];
    else
      (void)close(capture->survivors[i]);
  }
  capture->survivors_count = kept;
}

/* They would die of SIGPIPE, and may be servers; but of too many the oldest one does. */
static void leave_pipe(struct ls_capture *capture) {
  close_file(&capture->target);
  if (capture->source < 0) return;
  serve_survivors(capture);
  if (!pour_away(capture->source)) {
    close_file(&capture->source);
    return;
  }
  if (capture->survivors_count == LS_CAPTURE_SURVIVORS_MAX) {
    (void)close(capture->survivors[0]);
    --capture->survivors_count;
    memmove(capture->survivors, capture->survivors + 1,
            capture->survivors_count * sizeof *capture->survivors);
  }
  capture->survivors[capture->survivors_count++] = capture->source;
  capture->source = -1;
}

/* ---- beginning ---- */

static enum ls_status make_pipe(struct ls_capture *capture, struct ls_error *err) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return ls_fail(err, LS_EIO, "no pipe for the outputs of commands: %s", strerror(errno));
  capture->source = ends[0];
  capture->target = ends[1];
  /* The two ends are two open files: the command's still waits. */
  if (fcntl(capture->source, F_SETFL, O_NONBLOCK) == 0) return LS_OK;
  return ls_fail(err, LS_EIO, "the pipe for outputs of commands: %s", strerror(errno));
}

enum ls_status ls_capture_begin(struct ls_capture *capture, bool is_alone, struct ls_error *err) {
  ls_bytes_clear(&capture->text);
  close_file(&capture->file);
  capture->bytes = 0;
  capture->state = LS_CAPTURE_OPEN;
  capture->why.text[0] = '\0';
  if (!is_alone) leave_pipe(capture);
  if (capture->source < 0) return make_pipe(capture, err);
  /* Some programs make their outputs non-blocking, for all that have them. */
  if (fcntl(capture->target, F_SETFL, 0) == 0) return LS_OK;
  return ls_fail(err, LS_EIO, "the pipe for outputs of commands: %s", strerror(errno));
}

/* ---- taking ---- */

static void break_off(struct ls_capture *capture) {
  capture->state = LS_CAPTURE_BROKEN;
  close_file(&capture->file);
  ls_bytes_clear(&capture->text);
  capture->bytes = 0;
}

static void write_out(struct ls_capture *capture, const char *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(capture->file, data, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      (void)!ls_temporary_fail("the output of a command", &capture->why);
      break_off(capture);
      return;
    }
    data += written;
    length -= (size_t)written;
    capture->bytes += (uint64_t)written;
  }
}

/* What is in memory becomes the beginning of a file. */
static void spill(struct ls_capture *capture) {
  capture->file = ls_temporary_file(&capture->why);
  if (capture->file < 0) {
    break_off(capture);
    return;
  }
  write_out(capture, capture->text.data, capture->text.length);
  ls_bytes_close(&capture->text);
}

void ls_capture_add(struct ls_capture *capture, const void *data, size_t length) {
  if (capture->state == LS_CAPTURE_BROKEN) return;
  bool is_small =
      length <= capture->inline_max && capture->text.length <= capture->inline_max - length;
  if (capture->file < 0 && is_small) {
    ls_bytes_append(&capture->text, data, length);
    return;
  }
  if (capture->file < 0) spill(capture);
  if (capture->file >= 0) write_out(capture, data, length);
}

/* At most `most` bytes; 0: there are none now. */
static size_t take_block(struct ls_capture *capture, size_t most) {
  char block[BLOCK_BYTES];
  ssize_t length;
  do {
    length = read(capture->source, block, most < sizeof block ? most : sizeof block);
  } while (length < 0 && errno == EINTR);
  if (length > 0) ls_capture_add(capture, block, (size_t)length);
  return length > 0 ? (size_t)length : 0;
}

void ls_capture_drain(struct ls_capture *capture) {
  if (capture->survivors_count > 0) serve_survivors(capture);
  if (capture->source < 0) return;
  /* A pipe that gave less than a block is empty. */
  for (int i = 0; i < BLOCKS_AT_ONCE; ++i) {
    if (take_block(capture, BLOCK_BYTES) < BLOCK_BYTES) break;
  }
}

/* Others may go on writing: what is there at this moment is all. */
void ls_capture_end(struct ls_capture *capture) {
  int left = 0;
  if (capture->source >= 0 && ioctl(capture->source, FIONREAD, &left) == 0) {
    while (left > 0) {
      size_t taken = take_block(capture, (size_t)left);
      if (taken == 0) break;
      left -= (int)taken;
    }
  }
  if (capture->state == LS_CAPTURE_OPEN) capture->state = LS_CAPTURE_WHOLE;
}

/* ---- what is here ---- */

uint64_t ls_capture_length(const struct ls_capture *capture) {
  return capture->file >= 0 ? capture->bytes : capture->text.length;
}

size_t ls_capture_read(const struct ls_capture *capture, uint64_t offset, char *block,
                       size_t room) {
  uint64_t length = ls_capture_length(capture);
  if (offset >= length) return 0;
  size_t wanted = length - offset < room ? (size_t)(length - offset) : room;
  if (capture->file < 0) {
    memcpy(block, capture->text.data + offset, wanted);
    return wanted;
  }
  ssize_t got;
  do {
    got = pread(capture->file, block, wanted, (off_t)offset);
  } while (got < 0 && errno == EINTR);
  return got > 0 ? (size_t)got : 0;
}

int ls_capture_take(struct ls_capture *capture) {
  int file = capture->file;
  capture->file = -1;
  capture->bytes = 0;
  return file;
}

void ls_capture_close(struct ls_capture *capture) {
  close_file(&capture->source);
  close_file(&capture->target);
  close_file(&capture->file);
  for (size_t i = 0; i < capture->survivors_count; ++i) (void)close(capture->survivors[i]);
  ls_bytes_close(&capture->text);
  *capture = ls_capture_make(capture->inline_max);
}
