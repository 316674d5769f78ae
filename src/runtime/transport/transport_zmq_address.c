/* transport_zmq_address.c: which addresses a transport takes, and the file at a path. */
#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/transport/transport_zmq_address.h"

bool ls_address_has_scheme(const char *address, const char *scheme) {
  return strncmp(address, scheme, strlen(scheme)) == 0;
}

/* "*" or 0 .. 65535; libzmq takes larger ones modulo 65536. */
static bool has_port(const char *address) {
  const char *colon = strrchr(address, ':');
  if (strcmp(colon, ":*") == 0) return true;
  char *end;
  errno = 0;
  unsigned long port = strtoul(colon + 1, &end, 10);
  return colon[1] >= '0' && colon[1] <= '9' && *end == '\0' && errno == 0 && port <= UINT16_MAX;
}

const char *ls_address_split(const char *address, char host[LS_ADDRESS_BYTES]) {
  const char *start = address + strlen("tcp://"), *colon = strrchr(start, ':');
  size_t length = (size_t)(colon - start);
  bool has_brackets = length >= 2 && start[0] == '[' && start[length - 1] == ']';
  if (has_brackets) {
    start++;
    length -= 2;
  }
  memcpy(host, start, length);
  host[length] = '\0';
  return colon + 1;
}

enum ls_status ls_address_check(const char *address, struct ls_error *err) {
  if (!ls_address_has_scheme(address, "inproc://") && !ls_address_has_scheme(address, "ipc://") &&
      !ls_address_has_scheme(address, "tcp://")) {
    return ls_fail(err, LS_EINVAL, "address '%s': expected inproc://, ipc:// or tcp://", address);
  }
  if (ls_address_has_scheme(address, "tcp://") && !has_port(address)) {
    return ls_fail(err, LS_EINVAL, "address '%s': expected a port from 0 to 65535 at its end",
                   address);
  }
  if (strlen(address) >= LS_ADDRESS_BYTES) {
    return ls_fail(err, LS_EINVAL, "address '%.40s...' has %zu bytes, expected at most %d", address,
                   strlen(address), LS_ADDRESS_BYTES - 1);
  }
  return LS_OK;
}

/* Does a process accept connections on the socket file? */
static bool is_served(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof name.sun_path) return false;
  memcpy(name.sun_path, path, strlen(path) + 1);
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return false;
  bool is_accepted = connect(file, (const struct sockaddr *)&name, sizeof name) == 0;
  (void)close(file);
  return is_accepted;
}

/* libzmq removes whatever lies at the path before it binds; so a file that is no socket, and the
 * socket of a living master, are looked for first. */
enum ls_status ls_address_check_path(const char *address, struct ls_error *err) {
  const char *path = address + strlen("ipc://");
  struct stat info;
  if (lstat(path, &info) != 0) return LS_OK;
  if (!S_ISSOCK(info.st_mode)) {
    return ls_fail(err, LS_EINVAL, "cannot listen on %s: the file is there and is no socket",
                   address);
  }
  if (is_served(path)) {
    return ls_fail(err, LS_EBUSY, "cannot listen on %s: another process does", address);
  }
  return LS_OK;
}

/* libzmq asks for the address on its own thread, and says nothing when there is none. */
enum ls_status ls_address_resolve(const char *address, struct ls_error *err) {
  char host[LS_ADDRESS_BYTES];
  (void)ls_address_split(address, host);
  struct addrinfo wanted = {.ai_family = strchr(host, ':') != NULL ? AF_INET6 : AF_INET,
                            .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  int failure = getaddrinfo(host, NULL, &wanted, &found);
  if (failure == 0) {
    freeaddrinfo(found);
    return LS_OK;
  }
  return ls_fail(err, LS_EIO, "cannot connect to %s: host '%s' is not known: %s", address, host,
                 failure == EAI_SYSTEM ? strerror(errno) : gai_strerror(failure));
}
