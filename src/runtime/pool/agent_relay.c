/* agent_relay.c: a second agent: its line is that of the first one. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/pool/agent_private.h"

enum { BLOCK_BYTES = 4096 };

/* What one end says to the other; false: one of them has ended. */
static bool carry(int from, int to) {
  char block[BLOCK_BYTES];
  ssize_t got = read(from, block, sizeof block);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  for (ssize_t sent = 0; sent < got;) {
    ssize_t written = write(to, block + sent, (size_t)(got - sent));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    sent += written;
  }
  return got > 0;
}

enum ls_status ls_agent_relay(const struct ls_agent_setup *setup, const char *folder,
                              struct ls_error *err) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  (void)snprintf(name.sun_path, sizeof name.sun_path, "%.96s/%s", folder, LS_AGENT_DOOR);
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return ls_fail(err, LS_EIO, "no socket for the agent's line: %s", strerror(errno));
  if (connect(file, (struct sockaddr *)&name, sizeof name) != 0) {
    enum ls_status status =
        ls_fail(err, LS_EBUSY, "the agent in %s does not answer: %s", folder, strerror(errno));
    (void)close(file);
    return status;
  }
  struct pollfd files[] = {{.fd = setup->input, .events = POLLIN}, {.fd = file, .events = POLLIN}};
  bool goes_on = true;
  while (goes_on) {
    if (poll(files, 2, -1) < 0 && errno != EINTR) break;
    if (files[1].revents != 0) goes_on = carry(file, setup->output);
    if (goes_on && files[0].revents != 0) goes_on = carry(setup->input, file);
  }
  (void)close(file);
  return LS_OK;
}
