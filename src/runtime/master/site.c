#include "runtime/master/site.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/transport/transport_zmq_address.h"

struct ls_site ls_site_here(void) {
  struct ls_site site = {.doors = {{.transport = &ls_transport_zmq}}, .doors_count = 1};
  return site;
}

/* ---- who reaches an address ---- */

static bool is_loopback(const struct sockaddr *address) {
  if (address == NULL) return false;
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *four = (const void *)address;
    return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  if (address->sa_family == AF_INET6) {
    const struct sockaddr_in6 *six = (const void *)address;
    return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
  }
  return false;
}

static bool is_number(const struct sockaddr *address) {
  return address != NULL && (address->sa_family == AF_INET || address->sa_family == AF_INET6);
}

/* The address of an interface of this machine, such as lo; false: it is no interface. */
static bool find_interface(const char *name, struct sockaddr_storage *address) {
  struct ifaddrs *all = NULL;
  bool is_found = false;
  if (getifaddrs(&all) != 0) return false;
  for (const struct ifaddrs *one = all; one != NULL && !is_found; one = one->ifa_next) {
    if (strcmp(one->ifa_name, name) != 0 || one->ifa_addr == NULL) continue;
    if (one->ifa_addr->sa_family != AF_INET) continue;
    memcpy(address, one->ifa_addr, sizeof(struct sockaddr_in));
    is_found = true;
  }
  freeifaddrs(all);
  return is_found;
}

/* The number behind a host; libzmq listens at numbers only. */
static enum ls_status resolve(const char *address, const char *host,
                              struct sockaddr_storage *number, struct ls_error *err) {
  struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
  *number = (struct sockaddr_storage){.ss_family = AF_INET};
  if (strcmp(host, "*") == 0 || find_interface(host, number)) return LS_OK;
  int failure = getaddrinfo(host, NULL, &wanted, &found);
  if (failure != 0) {
    return ls_fail(err, LS_EINVAL, "cannot listen on %s: host '%s' is not known: %s", address, host,
                   failure == EAI_SYSTEM ? strerror(errno) : gai_strerror(failure));
  }
  memset(number, 0, sizeof *number);
  if (is_number(found->ai_addr)) memcpy(number, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return LS_OK;
}

/* "tcp://NUMBER:PORT", with the port as it was. */
static void write_number(const struct sockaddr_storage *number, const char *port, char *address) {
  char text[INET6_ADDRSTRLEN] = "0.0.0.0";
  bool is_six = number->ss_family == AF_INET6;
  const void *bytes = is_six ? (const void *)&((const struct sockaddr_in6 *)number)->sin6_addr
                             : (const void *)&((const struct sockaddr_in *)number)->sin_addr;
  (void)inet_ntop(number->ss_family, bytes, text, sizeof text);
  (void)snprintf(address, LS_SITE_ADDRESS_BYTES, is_six ? "tcp://[%s]:%s" : "tcp://%s:%s", text,
                 port);
}

static enum ls_status refuse_address(const char *text, struct ls_error *err) {
  return ls_fail(err, LS_EINVAL,
                 "cannot listen on '%.200s', expected tcp://HOST:PORT such as tcp://127.0.0.1:5555 "
                 "(PORT * chooses one, FIRST-LAST the first that is free)",
                 text);
}

/* "5500"; 0: it is no port. */
static unsigned read_port(const char *text, size_t length) {
  char digits[8];
  if (length == 0 || length >= sizeof digits || strspn(text, "0123456789") < length) return 0;
  memcpy(digits, text, length);
  digits[length] = '\0';
  unsigned long port = strtoul(digits, NULL, 10);
  return port <= UINT16_MAX ? (unsigned)port : 0;
}

/* "tcp://HOST:FIRST-LAST" as "tcp://HOST:FIRST", and how many ports follow. */
static enum ls_status split_range(const char *text, char *address, unsigned *more,
                                  struct ls_error *err) {
  const char *colon = strrchr(text, ':');
  bool has_host = ls_address_has_scheme(text, "tcp://") && colon > text + strlen("tcp://");
  if (!has_host || strlen(text) >= LS_SITE_ADDRESS_BYTES) return refuse_address(text, err);
  const char *port = colon + 1, *dash = strchr(port, '-');
  size_t length = dash != NULL ? (size_t)(dash - port) : strlen(port);
  unsigned first = read_port(port, length);
  unsigned last = dash != NULL ? read_port(dash + 1, strlen(dash + 1)) : first;
  bool is_any = dash == NULL && strcmp(port, "*") == 0;
  if (!is_any && (first == 0 || last < first)) return refuse_address(text, err);
  *more = last - first;
  (void)snprintf(address, LS_SITE_ADDRESS_BYTES, "%.*s%.*s", (int)(port - text), text, (int)length,
                 port);
  return LS_OK;
}

enum ls_status ls_site_check_address(const char *address, struct ls_error *err) {
  char first[LS_SITE_ADDRESS_BYTES];
  unsigned more;
  return split_range(address, first, &more, err);
}

static enum ls_status take_keys(struct ls_site *site, struct ls_site_door *door,
                                const struct ls_site_listening *wish, struct ls_error *err) {
  struct ls_key_file *keys = &site->keys;
  if (wish->is_insecure) return LS_OK;
  door->has_keys = true;
  if (keys->asked[0] != '\0') return LS_OK;
  if (wish->keys != NULL) {
    *keys = *wish->keys;
    bool is_same = strcmp(keys->asked, wish->address) == 0;
    if (is_same && ls_address_check(keys->bound, err) != LS_OK) return LS_EINVAL;
    if (is_same) (void)snprintf(door->address, sizeof door->address, "%s", keys->bound);
    if (is_same) door->ports_more = 0;
  } else {
    enum ls_status status = ls_keys_make(keys, err);
    if (status != LS_OK) return status;
  }
  (void)snprintf(keys->asked, sizeof keys->asked, "%s", wish->address);
  return LS_OK;
}

enum ls_status ls_site_listen(struct ls_site *site, const struct ls_site_listening *wish,
                              struct ls_error *err) {
  char host[LS_ADDRESS_BYTES], address[LS_SITE_ADDRESS_BYTES];
  struct sockaddr_storage number;
  struct ls_site_door door = {
      .transport = &ls_transport_zmq, .is_open = true, .is_for_pools = wish->is_for_pools};
  enum ls_status status = split_range(wish->address, address, &door.ports_more, err);
  if (status != LS_OK) return status;
  if (site->doors_count == LS_SITE_DOORS_MAX) {
    return ls_fail(err, LS_EINVAL, "cannot listen on %s: a run listens on %d addresses at most",
                   wish->address, LS_SITE_DOORS_MAX - 1);
  }
  const char *port = ls_address_split(address, host);
  status = resolve(address, host, &number, err);
  if (status != LS_OK) return status;
  write_number(&number, port, door.address);
  if (wish->advertise != NULL)
    (void)snprintf(door.advertise, sizeof door.advertise, "%s", wish->advertise);
  status = take_keys(site, &door, wish, err);
  if (status == LS_OK) site->doors[site->doors_count++] = door;
  return status;
}

/* ---- what guests are told ---- */

static bool is_any(const char *host) {
  return strcmp(host, "*") == 0 || strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
}

/* A number by which other machines reach this one; it stays 127.0.0.1 where there is none. */
static void find_outer_number(char *host, size_t host_bytes) {
  struct ifaddrs *all = NULL;
  (void)snprintf(host, host_bytes, "127.0.0.1");
  if (getifaddrs(&all) != 0) return;
  for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
    bool is_four = one->ifa_addr != NULL && one->ifa_addr->sa_family == AF_INET;
    if (!is_four || is_loopback(one->ifa_addr)) continue;
    const struct sockaddr_in *four = (const void *)one->ifa_addr;
    (void)inet_ntop(AF_INET, &four->sin_addr, host, (socklen_t)host_bytes);
    break;
  }
  freeifaddrs(all);
}

/* The name of this machine where it leads back to it, else a number of it. */
static void find_own_host(char *host, size_t host_bytes) {
  struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
  bool is_good = gethostname(host, host_bytes - 1) == 0 && host[0] != '\0' &&
                 getaddrinfo(host, NULL, &wanted, &found) == 0;
  /* Debian's hosts file gives the name a number of the loopback: of no use elsewhere. */
  is_good = is_good && !is_loopback(found->ai_addr);
  if (found != NULL) freeaddrinfo(found);
  if (!is_good) find_outer_number(host, host_bytes);
}

void ls_site_advertise(const struct ls_site_door *door, const char *bound,
                       char address[LS_SITE_ADDRESS_BYTES]) {
  char host[LS_ADDRESS_BYTES];
  (void)snprintf(address, LS_SITE_ADDRESS_BYTES, "%s", bound);
  if (!ls_address_has_scheme(bound, "tcp://")) return;
  const char *port = ls_address_split(bound, host);
  if (door->advertise[0] != '\0') {
    (void)snprintf(host, sizeof host, "%s", door->advertise);
  } else if (is_any(host)) {
    find_own_host(host, sizeof host);
  } else {
    return;
  }
  bool is_six = strchr(host, ':') != NULL;
  (void)snprintf(address, LS_SITE_ADDRESS_BYTES, is_six ? "tcp://[%.200s]:%s" : "tcp://%.200s:%s",
                 host, port);
}
