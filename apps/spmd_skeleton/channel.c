#include "channel.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>

bool channel_open(int ends[2]) {
  return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
}

/* The other side is gone, or went with messages that it had not read. */
static bool is_end(int error) {
  return error == EPIPE || error == ECONNRESET;
}

bool channel_send(int channel, const void *bytes, size_t count) {
  const char *at = bytes;
  while (count > 0) {
    ssize_t sent = send(channel, at, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      if (is_end(errno)) errno = 0;
      return false;
    }
    at += sent;
    count -= (size_t)sent;
  }
  return true;
}

bool channel_receive(int channel, void *bytes, size_t count) {
  char *at = bytes;
  while (count > 0) {
    ssize_t got = recv(channel, at, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      if (got == 0 || is_end(errno)) errno = 0;
      return false;
    }
    at += got;
    count -= (size_t)got;
  }
  return true;
}
