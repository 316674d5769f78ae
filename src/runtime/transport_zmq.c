#include "runtime/transport.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "base/array.h"
#include "protocol/message.h"
#include "runtime/clock.h"
#include "runtime/limits.h"
#include "runtime/transport_zmq_private.h"

/* A ROUTER names each connection by a zero byte and a number of 4 bytes, so the peer number is that
 * number and no table is needed.  Names that a peer chose itself cannot begin with a zero byte. */
enum { NAME_BYTES = 5 };

/* A flood from workers is held back where it arises: so many frames wait on each side. */
enum { WORKER_SEND_FRAMES = 64, MASTER_RECEIVE_FRAMES = 64 };

/* So many may wait to be accepted: a thousand local workers start at once. */
enum { BACKLOG = 4096 };

/* Of TCP: a machine that vanished is noticed by the probes, a half-open greeting is given up. */
enum { PROBE_EVERY_MS = 5000, PROBE_PATIENCE_MS = 15000, GREETING_MS = 10000, KEEPALIVE_S = 15 };

struct ls_endpoint {
  struct ls_hub *hub;
  void *socket;
  char address[LS_ADDRESS_BYTES];
  bool is_master;
  bool has_path; /* the socket file of ipc is there, and is this one: */
  dev_t path_device;
  ino_t path_number;
  bool has_frame; /* `frame` is open */
  zmq_msg_t frame;
  struct ls_monitor monitor; /* of a worker's connection over ipc or TCP */
  bool is_cut;
  struct pollfd *items; /* of wait */
  size_t items_capacity;
};

/* The words of libzmq, with the address; a taken address is LS_EBUSY. */
static enum ls_status fail_zmq(const char *what, const char *address, struct ls_error *err) {
  int code = zmq_errno();
  enum ls_status status = LS_EIO;
  if (code == EADDRINUSE) status = LS_EBUSY;
  if (code == EINVAL || code == EPROTONOSUPPORT || code == ENAMETOOLONG) status = LS_EINVAL;
  if (code == ENOMEM) status = LS_ENOMEM;
  return ls_fail(err, status, "cannot %s %s: %s", what, address, zmq_strerror(code));
}

static void set_option(void *socket, int option, int value) {
  int status = zmq_setsockopt(socket, option, &value, sizeof value);
  assert(status == 0); /* Options and values are constants that libzmq 4.2 and later know. */
  (void)status;
}

static void configure(struct ls_endpoint *endpoint, const char *address) {
  void *socket = endpoint->socket;
  int64_t bytes_max = LS_MESSAGE_BYTES_MAX;
  int status = zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof bytes_max);
  assert(status == 0);
  (void)status;
  if (endpoint->is_master) {
    set_option(socket, ZMQ_ROUTER_MANDATORY, 1);
    /* The queue for a worker is bounded by its prefetch, and the master must never wait. */
    set_option(socket, ZMQ_SNDHWM, 0);
    set_option(socket, ZMQ_RCVHWM, MASTER_RECEIVE_FRAMES);
    set_option(socket, ZMQ_BACKLOG, BACKLOG);
  } else {
    set_option(socket, ZMQ_SNDHWM, WORKER_SEND_FRAMES);
    set_option(socket, ZMQ_RCVHWM, 0);
    /* libzmq would connect again and lose frames without a word. */
    set_option(socket, ZMQ_RECONNECT_IVL, -1);
  }
  if (ls_address_has_scheme(address, "tcp://")) {
    set_option(socket, ZMQ_HEARTBEAT_IVL, PROBE_EVERY_MS);
    set_option(socket, ZMQ_HEARTBEAT_TIMEOUT, PROBE_PATIENCE_MS);
    set_option(socket, ZMQ_HEARTBEAT_TTL, PROBE_PATIENCE_MS);
    set_option(socket, ZMQ_HANDSHAKE_IVL, GREETING_MS);
    set_option(socket, ZMQ_TCP_KEEPALIVE, 1);
    set_option(socket, ZMQ_TCP_KEEPALIVE_IDLE, KEEPALIVE_S);
    set_option(socket, ZMQ_TCP_KEEPALIVE_INTVL, KEEPALIVE_S);
  }
}

/* libzmq leaves the file. A master that has taken the path over in the meantime keeps its own. */
static void remove_path(const struct ls_endpoint *endpoint) {
  const char *path = endpoint->address + strlen("ipc://");
  struct stat info;
  if (endpoint->has_path && lstat(path, &info) == 0 && info.st_dev == endpoint->path_device &&
      info.st_ino == endpoint->path_number) {
    (void)unlink(path);
  }
}

static void close_zmq(struct ls_endpoint *endpoint, double linger_s) {
  if (endpoint == NULL) return;
  remove_path(endpoint);
  if (endpoint->has_frame) (void)zmq_msg_close(&endpoint->frame);
  if (endpoint->socket != NULL) {
    ls_monitor_close(&endpoint->monitor, endpoint->socket);
    double linger_ms = linger_s > 0 ? fmin(ceil(linger_s * 1e3), 1e9) : 0;
    set_option(endpoint->socket, ZMQ_LINGER, (int)linger_ms);
    (void)zmq_close(endpoint->socket);
  }
  if (endpoint->hub != NULL) {
    if (endpoint->is_master) ls_hub_unpublish(endpoint->hub);
    ls_hub_leave(endpoint->hub);
  }
  free(endpoint->items);
  free(endpoint);
}

/* With a socket, its thread and its monitor libzmq opens about ten descriptors, and a missing one
 * is its end (and ours). */
enum { DESCRIPTORS_OF_SOCKET = 24 };

/* Takes over one of the hub's endpoints (NULL: there was no memory for the hub). */
static enum ls_status create_endpoint(struct ls_hub *hub, bool is_master, const char *address,
                                      struct ls_endpoint **out, struct ls_error *err) {
  struct ls_endpoint *endpoint = hub != NULL ? calloc(1, sizeof *endpoint) : NULL;
  if (endpoint == NULL) {
    if (hub != NULL) ls_hub_leave(hub);
    return ls_fail(err, LS_ENOMEM, "no memory for a connection to %s", address);
  }
  endpoint->hub = hub;
  endpoint->is_master = is_master;
  if (!ls_limits_has_room(DESCRIPTORS_OF_SOCKET)) {
    close_zmq(endpoint, 0);
    return ls_fail(err, LS_EIO, "too few descriptors are left for a connection to %s (ulimit -n)",
                   address);
  }
  endpoint->socket = zmq_socket(hub->context, is_master ? ZMQ_ROUTER : ZMQ_DEALER);
  if (endpoint->socket == NULL) {
    enum ls_status status = fail_zmq("make a socket for", address, err);
    close_zmq(endpoint, 0);
    return status;
  }
  configure(endpoint, address);
  memcpy(endpoint->address, address, strlen(address) + 1);
  *out = endpoint;
  return LS_OK;
}

/* The socket file is its owner's only from its first moment on: bind obeys the umask. */
static enum ls_status bind_path(struct ls_endpoint *endpoint, struct ls_error *err) {
  enum ls_status status = ls_address_check_path(endpoint->address, err);
  if (status != LS_OK) return status;
  mode_t before = umask(0177);
  int failure = zmq_bind(endpoint->socket, endpoint->address);
  int code = errno;
  (void)umask(before);
  errno = code;
  if (failure != 0) return fail_zmq("listen on", endpoint->address, err);
  const char *path = endpoint->address + strlen("ipc://");
  struct stat info;
  if (chmod(path, 0600) != 0 || lstat(path, &info) != 0) {
    return ls_fail(err, LS_EIO, "cannot make %s private: %s", endpoint->address, strerror(errno));
  }
  endpoint->has_path = true;
  endpoint->path_device = info.st_dev;
  endpoint->path_number = info.st_ino;
  return LS_OK;
}

static enum ls_status bind_endpoint(struct ls_endpoint *endpoint, struct ls_error *err) {
  if (ls_address_has_scheme(endpoint->address, "ipc://")) return bind_path(endpoint, err);
  if (ls_address_has_scheme(endpoint->address, "inproc://")) {
    enum ls_status status = ls_hub_publish(endpoint->hub, endpoint->address, err);
    if (status != LS_OK) return status;
  }
  if (zmq_bind(endpoint->socket, endpoint->address) != 0) {
    return fail_zmq("listen on", endpoint->address, err);
  }
  if (ls_address_has_scheme(endpoint->address, "tcp://")) {
    size_t length = sizeof endpoint->address;
    if (zmq_getsockopt(endpoint->socket, ZMQ_LAST_ENDPOINT, endpoint->address, &length) != 0) {
      return fail_zmq("learn the port of", endpoint->address, err);
    }
  }
  return LS_OK;
}

static enum ls_status listen_zmq(const char *address, struct ls_endpoint **out,
                                 struct ls_error *err) {
  enum ls_status status = ls_address_check(address, err);
  if (status != LS_OK) return status;
  struct ls_endpoint *endpoint;
  status = create_endpoint(ls_hub_create(ls_address_has_scheme(address, "inproc://")), true,
                           address, &endpoint, err);
  if (status != LS_OK) return status;
  status = bind_endpoint(endpoint, err);
  if (status == LS_OK) {
    *out = endpoint;
  } else {
    close_zmq(endpoint, 0);
  }
  return status;
}

/* Watched from its first moment on: the end of a connection is told once. */
static enum ls_status connect_endpoint(struct ls_endpoint *endpoint, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (!ls_address_has_scheme(endpoint->address, "inproc://")) {
    status = ls_monitor_open(&endpoint->monitor, endpoint->hub->context, endpoint->socket,
                             ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED, err);
  }
  if (status == LS_OK && zmq_connect(endpoint->socket, endpoint->address) != 0) {
    status = fail_zmq("connect to", endpoint->address, err);
  }
  return status;
}

static enum ls_status connect_zmq(const char *address, struct ls_endpoint **out,
                                  struct ls_error *err) {
  enum ls_status status = ls_address_check(address, err);
  if (status == LS_OK && ls_address_has_scheme(address, "tcp://")) {
    status = ls_address_resolve(address, err);
  }
  if (status != LS_OK) return status;
  bool is_inproc = ls_address_has_scheme(address, "inproc://");
  struct stat info;
  struct ls_hub *hub = is_inproc ? ls_hub_join(address) : NULL;
  /* libzmq would wait for ever for a name that is not served; the master always listens first. */
  if ((is_inproc && hub == NULL) ||
      (ls_address_has_scheme(address, "ipc://") && stat(address + strlen("ipc://"), &info) != 0)) {
    return ls_fail(err, LS_EIO, "cannot connect to %s: no process listens there", address);
  }
  struct ls_endpoint *endpoint;
  status = create_endpoint(is_inproc ? hub : ls_hub_create(false), false, address, &endpoint, err);
  if (status != LS_OK) return status;
  status = connect_endpoint(endpoint, err);
  if (status == LS_OK) {
    *out = endpoint;
  } else {
    close_zmq(endpoint, 0);
  }
  return status;
}

static bool is_cut_zmq(struct ls_endpoint *endpoint) {
  int event, value;
  /* The only events that are asked for are ends. */
  while (ls_monitor_next(&endpoint->monitor, &event, &value)) endpoint->is_cut = true;
  bool is_inproc_worker =
      !endpoint->is_master && ls_address_has_scheme(endpoint->address, "inproc://");
  if (is_inproc_worker && !ls_hub_is_published(endpoint->hub)) endpoint->is_cut = true;
  return endpoint->is_cut;
}

static const char *address_zmq(const struct ls_endpoint *endpoint) {
  return endpoint->address;
}

static int milliseconds(double seconds) {
  if (!(seconds > 0)) return 0;
  return seconds < 1e6 ? (int)ceil(seconds * 1e3) : 1000000000;
}

/* Takes over the message, whether it succeeds or not. */
static enum ls_status send_to_peer(struct ls_endpoint *endpoint, uint64_t peer, zmq_msg_t *message,
                                   struct ls_error *err) {
  unsigned char name[NAME_BYTES] = {0, (unsigned char)(peer >> 24), (unsigned char)(peer >> 16),
                                    (unsigned char)(peer >> 8), (unsigned char)peer};
  if (peer > UINT32_MAX ||
      zmq_send(endpoint->socket, name, sizeof name, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
    (void)zmq_msg_close(message);
    return ls_fail(err, LS_EIO, "peer %llu of %s is gone", (unsigned long long)peer,
                   endpoint->address);
  }
  /* The message exists already, so nothing can fail between its name and itself. */
  if (zmq_msg_send(message, endpoint->socket, ZMQ_DONTWAIT) < 0) {
    (void)zmq_msg_close(message);
    return fail_zmq("send to a peer of", endpoint->address, err);
  }
  return LS_OK;
}

/* As above. Waits while the master is behind. */
static enum ls_status send_to_master(struct ls_endpoint *endpoint, zmq_msg_t *message,
                                     double patience_s, struct ls_error *err) {
  double start_s = 0;
  for (bool is_first = true;; is_first = false) {
    if (zmq_msg_send(message, endpoint->socket, ZMQ_DONTWAIT) >= 0) return LS_OK;
    if (zmq_errno() != EAGAIN && zmq_errno() != EINTR) {
      (void)zmq_msg_close(message);
      return fail_zmq("send to", endpoint->address, err);
    }
    double now_s = ls_clock_s();
    if (is_first) start_s = now_s;
    double left_s = patience_s - (now_s - start_s);
    if (!(left_s > 0)) break;
    zmq_pollitem_t item = {.socket = endpoint->socket, .events = ZMQ_POLLOUT};
    (void)zmq_poll(&item, 1, milliseconds(left_s));
  }
  (void)zmq_msg_close(message);
  return ls_fail(err, LS_EBUSY, "the master at %s took no message for %g s", endpoint->address,
                 patience_s);
}

static enum ls_status send_zmq(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                               double patience_s, struct ls_error *err) {
  /* Over a connection, a larger frame would be answered by breaking it off. */
  if (frame->length > LS_MESSAGE_BYTES_MAX) {
    return ls_fail(err, LS_EINVAL, "a message for %s has %zu bytes, expected at most %d",
                   endpoint->address, frame->length, LS_MESSAGE_BYTES_MAX);
  }
  zmq_msg_t message;
  if (zmq_msg_init_size(&message, frame->length) != 0) {
    return ls_fail(err, LS_ENOMEM, "no memory for a message of %zu bytes", frame->length);
  }
  if (frame->length > 0) memcpy(zmq_msg_data(&message), frame->data, frame->length);
  return endpoint->is_master ? send_to_peer(endpoint, frame->peer, &message, err)
                             : send_to_master(endpoint, &message, patience_s, err);
}

/* The next part into endpoint->frame; false: there is none now. */
static bool take_part(struct ls_endpoint *endpoint) {
  if (endpoint->has_frame) (void)zmq_msg_close(&endpoint->frame);
  (void)zmq_msg_init(&endpoint->frame);
  endpoint->has_frame = true;
  int length;
  do {
    length = zmq_msg_recv(&endpoint->frame, endpoint->socket, ZMQ_DONTWAIT);
  } while (length < 0 && zmq_errno() == EINTR);
  return length >= 0;
}

/* The sender's number out of the part that the ROUTER put in front; false: a name of its own. */
static bool read_peer(zmq_msg_t *part, uint64_t *peer) {
  const unsigned char *name = zmq_msg_data(part);
  if (zmq_msg_size(part) != NAME_BYTES || name[0] != 0) return false;
  *peer = (uint64_t)name[1] << 24 | (uint64_t)name[2] << 16 | (uint64_t)name[3] << 8 | name[4];
  return true;
}

static bool receive_zmq(struct ls_endpoint *endpoint, struct ls_frame *frame) {
  while (take_part(endpoint)) {
    uint64_t peer = 0;
    bool is_ours = true;
    if (endpoint->is_master) {
      is_ours = read_peer(&endpoint->frame, &peer) && zmq_msg_more(&endpoint->frame);
      if (zmq_msg_more(&endpoint->frame) && !take_part(endpoint)) return false;
    }
    /* Our frames have one part; a sender of more is not one of us, and is not listened to. */
    while (zmq_msg_more(&endpoint->frame)) {
      is_ours = false;
      if (!take_part(endpoint)) return false;
    }
    if (is_ours) {
      frame->peer = peer;
      frame->data = zmq_msg_data(&endpoint->frame);
      frame->length = zmq_msg_size(&endpoint->frame);
      return true;
    }
  }
  return false;
}

/* The socket's descriptor tells only that this may have changed. */
static bool has_input(const struct ls_endpoint *endpoint) {
  int events = 0;
  size_t size = sizeof events;
  return zmq_getsockopt(endpoint->socket, ZMQ_EVENTS, &events, &size) == 0 &&
         (events & ZMQ_POLLIN) != 0;
}

/* zmq_poll would do the same with three times as many system calls. */
static bool wait_zmq(struct ls_endpoint *endpoint, const int *files, size_t files_count,
                     bool *ready, double seconds) {
  for (size_t i = 0; i < files_count; i++) ready[i] = false;
  /* Without memory only the socket is waited for, and not for long: the caller asks again. */
  struct pollfd single, *items = &single;
  if (ls_array_reserve((void **)&endpoint->items, &endpoint->items_capacity, files_count + 2,
                       sizeof *endpoint->items) == LS_OK) {
    items = endpoint->items;
  } else {
    files_count = 0;
    seconds = fmin(seconds, 0.01);
  }
  size_t size = sizeof items[0].fd;
  items[0] = (struct pollfd){.fd = -1, .events = POLLIN};
  if (zmq_getsockopt(endpoint->socket, ZMQ_FD, &items[0].fd, &size) != 0) return false;
  for (size_t i = 0; i < files_count; i++) {
    items[1 + i] = (struct pollfd){.fd = files[i], .events = POLLIN};
  }
  bool is_watched = items != &single && endpoint->monitor.socket != NULL;
  if (is_watched) items[1 + files_count] = (struct pollfd){endpoint->monitor.file, POLLIN, 0};
  /* The descriptors tell of changes only: earlier frames and events are asked for first. */
  bool was_cut = endpoint->is_cut, has = has_input(endpoint);
  bool is_due = has || is_cut_zmq(endpoint) != was_cut;
  nfds_t count = (nfds_t)files_count + (is_watched ? 2 : 1);
  if (poll(items, count, is_due ? 0 : milliseconds(seconds)) <= 0) return has;
  /* The end of a file stands among the events as POLLHUP. */
  for (size_t i = 0; i < files_count; i++) ready[i] = items[1 + i].revents != 0;
  return has || (items[0].revents != 0 && has_input(endpoint));
}

const struct ls_transport ls_transport_zmq = {
    .name = "zmq",
    .listen = listen_zmq,
    .connect = connect_zmq,
    .is_cut = is_cut_zmq,
    .address = address_zmq,
    .send = send_zmq,
    .receive = receive_zmq,
    .wait = wait_zmq,
    .close = close_zmq,
};
