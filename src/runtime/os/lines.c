#include "runtime/os/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { BLOCK_BYTES = 4096 };

void ls_lines_prepare(int file) {
  int flags = fcntl(file, F_GETFL);
  if (flags >= 0) (void)fcntl(file, F_SETFL, flags | O_NONBLOCK);
  (void)fcntl(file, F_SETFD, FD_CLOEXEC);
}

/* What was taken needs no room any more. */
static void make_room(struct ls_lines *lines) {
  size_t left = lines->bytes.length - lines->first;
  if (left > LS_LINE_BYTES_MAX) {
    lines->first = lines->bytes.length - LS_LINE_BYTES_MAX;
    left = LS_LINE_BYTES_MAX;
  }
  if (lines->first == 0) return;
  memmove(lines->bytes.data, lines->bytes.data + lines->first, left);
  lines->bytes.length = left;
  lines->first = 0;
}

bool ls_lines_fill(struct ls_lines *lines, int file) {
  char block[BLOCK_BYTES];
  make_room(lines);
  for (;;) {
    ssize_t got = read(file, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (got == 0) return false;
    ls_bytes_append(&lines->bytes, block, (size_t)got);
    /* A full block: the rest is read when this has been taken. */
    if (lines->bytes.failed) return false;
    if ((size_t)got < sizeof block || lines->bytes.length > LS_LINE_BYTES_MAX) return true;
  }
}

bool ls_lines_take(struct ls_lines *lines, struct ls_text *line) {
  if (lines->bytes.data == NULL) return false;
  const char *begin = lines->bytes.data + lines->first;
  size_t left = lines->bytes.length - lines->first;
  const char *end = memchr(begin, '\n', left);
  if (end == NULL) return false;
  size_t length = (size_t)(end - begin);
  lines->first += length + 1;
  if (length > 0 && begin[length - 1] == '\r') --length;
  *line = (struct ls_text){begin, length, NULL};
  return true;
}

bool ls_lines_flush(struct ls_bytes *waiting, int file) {
  size_t sent = 0;
  bool is_read = !waiting->failed;
  while (is_read && sent < waiting->length) {
    ssize_t written = write(file, waiting->data + sent, waiting->length - sent);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      is_read = errno == EAGAIN || errno == EWOULDBLOCK;
      break;
    }
    sent += (size_t)written;
  }
  if (sent > 0) memmove(waiting->data, waiting->data + sent, waiting->length - sent);
  waiting->length -= sent;
  return is_read && waiting->length <= LS_LINES_WAITING_MAX;
}

struct ls_text ls_lines_rest(const struct ls_lines *lines) {
  if (lines->bytes.data == NULL) return (struct ls_text){"", 0, NULL};
  return (struct ls_text){lines->bytes.data + lines->first, lines->bytes.length - lines->first,
                          NULL};
}

void ls_lines_close(struct ls_lines *lines) {
  if (lines->bytes.data != NULL) explicit_bzero(lines->bytes.data, lines->bytes.capacity);
  ls_bytes_close(&lines->bytes);
  *lines = (struct ls_lines){0};
}
