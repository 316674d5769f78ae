#include "runtime/transport/transport.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol/message.h"
#include "runtime/os/keys.h"
#include "runtime/os/limits.h"
#include "runtime/transport/transport_zmq_private.h"

/* A flood from workers is held back where it arises: so many frames wait on each side. */
enum { WORKER_SEND_FRAMES = 64, MASTER_RECEIVE_FRAMES = 64 };

/* Over TCP. More frames for one worker, a broadcast included, wait only where it does not read. */
enum { MASTER_SEND_FRAMES = 1 << 16 };

/* So many may wait to be accepted: a thousand local workers start at once. */
enum { BACKLOG = 4096 };

/* Twelve days; a worker whose connection has ended closes its socket within seconds. */
enum { NEVER_MS = 1 << 30 };

/* Over TCP. */
enum { CONNECTIONS_MAX = 8192 };

/* Of TCP: a half-open greeting is given up, and a machine that vanished is noticed by the kernel:
 * what was sent is not acknowledged for too long, nor are its probes where nothing was sent.  Those
 * of libzmq, with a timer each, were a third of what a thousand idle workers cost their master. */
enum { GREETING_MS = 5000, UNACKNOWLEDGED_MS = 15000, PROBE_EVERY_S = 5 };

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
    /* Workers of this machine are our own: one that is stopped misses nothing. */
    set_option(socket, ZMQ_SNDHWM, 0);
    set_option(socket, ZMQ_RCVHWM, MASTER_RECEIVE_FRAMES);
    set_option(socket, ZMQ_BACKLOG, BACKLOG);
  } else {
    set_option(socket, ZMQ_SNDHWM, WORKER_SEND_FRAMES);
    set_option(socket, ZMQ_RCVHWM, 0);
    /* libzmq would connect again and lose frames without a word. Told never to (-1), it would throw
     * away what had arrived before the end; so it is told to wait for ever. */
    set_option(socket, ZMQ_RECONNECT_IVL, NEVER_MS);
  }
  if (ls_address_has_scheme(address, "tcp://")) {
    if (strchr(address, '[') != NULL) set_option(socket, ZMQ_IPV6, 1);
    if (endpoint->is_master) set_option(socket, ZMQ_SNDHWM, MASTER_SEND_FRAMES);
    set_option(socket, ZMQ_HANDSHAKE_IVL, GREETING_MS);
    set_option(socket, ZMQ_TCP_MAXRT, UNACKNOWLEDGED_MS);
    set_option(socket, ZMQ_TCP_KEEPALIVE, 1);
    set_option(socket, ZMQ_TCP_KEEPALIVE_IDLE, PROBE_EVERY_S);
    set_option(socket, ZMQ_TCP_KEEPALIVE_INTVL, PROBE_EVERY_S);
  }
}

static int set_key(void *socket, int option, const char *key) {
  return zmq_setsockopt(socket, option, key, strlen(key) + 1);
}

/* Who may come in is asked before the socket listens. */
static enum ls_status use_keys(struct ls_endpoint *endpoint, const struct ls_curve *curve,
                               struct ls_error *err) {
  void *socket = endpoint->socket;
  int failures = 0;
  if (curve == NULL) return LS_OK;
  if (endpoint->is_master) {
    enum ls_status status = ls_zap_open(&endpoint->zap, endpoint->hub->context, curve, err);
    if (status != LS_OK) return status;
    set_option(socket, ZMQ_CURVE_SERVER, 1);
    failures += set_key(socket, ZMQ_CURVE_SECRETKEY, curve->server_secret);
    failures += zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, ls_zap_domain, strlen(ls_zap_domain));
  } else {
    failures += set_key(socket, ZMQ_CURVE_SERVERKEY, curve->server_public);
    failures += set_key(socket, ZMQ_CURVE_PUBLICKEY, curve->client_public);
    failures += set_key(socket, ZMQ_CURVE_SECRETKEY, curve->client_secret);
  }
  return failures == 0 ? LS_OK : ls_zmq_fail("use the keys for", endpoint->address, err);
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
    ls_zap_close(&endpoint->zap);
    double linger_ms = linger_s > 0 ? fmin(ceil(linger_s * 1e3), 1e9) : 0;
    set_option(endpoint->socket, ZMQ_LINGER, (int)linger_ms);
    (void)zmq_close(endpoint->socket);
  }
  if (endpoint->hub != NULL) {
    if (endpoint->is_master) ls_hub_unpublish(endpoint->hub);
    ls_hub_leave(endpoint->hub);
  }
  ls_guard_destroy(endpoint->guard);
  free(endpoint);
}

/* With a socket, its thread and its monitor libzmq opens about ten descriptors, and a missing one
 * is its end (and ours). */
enum { DESCRIPTORS_OF_SOCKET = 24 };

/* With the first socket of a context libzmq starts two. */
enum { THREADS_OF_CONTEXT = 2 };

static enum ls_status check_room(const char *address, struct ls_error *err) {
  if (!ls_limits_has_room(DESCRIPTORS_OF_SOCKET))
    return ls_fail(err, LS_ENOMEM,
                   "too few descriptors are left for a connection to %s (ulimit -n)", address);
  if (!ls_limits_has_threads(THREADS_OF_CONTEXT))
    return ls_fail(err, LS_ENOMEM,
                   "no room for the threads of a connection to %s: too few processes (ulimit -u, "
                   "or those of a container), or too little memory (ulimit -v)",
                   address);
  return LS_OK;
}

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
  enum ls_status status = check_room(address, err);
  if (status != LS_OK) {
    close_zmq(endpoint, 0);
    return status;
  }
  endpoint->socket = zmq_socket(hub->context, is_master ? ZMQ_ROUTER : ZMQ_DEALER);
  if (endpoint->socket == NULL) {
    status = ls_zmq_fail("make a socket for", address, err);
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
  if (failure != 0) return ls_zmq_fail("listen on", endpoint->address, err);
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

/* Strangers get a part of the descriptors at most: libzmq's thread, which accepts them, may be
 * ahead of ours, which closes them. */
static enum ls_status open_guard(struct ls_endpoint *endpoint, struct ls_error *err) {
  size_t most = ls_limits_descriptors_left() / 4;
  if (most > CONNECTIONS_MAX) most = CONNECTIONS_MAX;
  endpoint->guard = ls_guard_create(most);
  if (endpoint->guard == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory to listen on %s", endpoint->address);
  }
  return ls_monitor_open(&endpoint->monitor, endpoint->hub->context, endpoint->socket,
                         ZMQ_EVENT_ACCEPTED, err);
}

static enum ls_status bind_endpoint(struct ls_endpoint *endpoint, struct ls_error *err) {
  if (ls_address_has_scheme(endpoint->address, "ipc://")) return bind_path(endpoint, err);
  if (ls_address_has_scheme(endpoint->address, "tcp://")) {
    enum ls_status status = open_guard(endpoint, err);
    if (status != LS_OK) return status;
  }
  if (ls_address_has_scheme(endpoint->address, "inproc://")) {
    enum ls_status status = ls_hub_publish(endpoint->hub, endpoint->address, err);
    if (status != LS_OK) return status;
  }
  if (zmq_bind(endpoint->socket, endpoint->address) != 0) {
    return ls_zmq_fail("listen on", endpoint->address, err);
  }
  if (ls_address_has_scheme(endpoint->address, "tcp://")) {
    size_t length = sizeof endpoint->address;
    if (zmq_getsockopt(endpoint->socket, ZMQ_LAST_ENDPOINT, endpoint->address, &length) != 0) {
      return ls_zmq_fail("learn the port of", endpoint->address, err);
    }
  }
  return LS_OK;
}

static enum ls_status listen_zmq(const char *address, const struct ls_curve *curve,
                                 struct ls_endpoint **out, struct ls_error *err) {
  enum ls_status status = ls_address_check(address, err);
  if (status != LS_OK) return status;
  struct ls_endpoint *endpoint;
  status = create_endpoint(ls_hub_create(ls_address_has_scheme(address, "inproc://")), true,
                           address, &endpoint, err);
  if (status != LS_OK) return status;
  status = use_keys(endpoint, curve, err);
  if (status == LS_OK) status = bind_endpoint(endpoint, err);
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
    status = ls_monitor_open(
        &endpoint->monitor, endpoint->hub->context, endpoint->socket,
        ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
            ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH,
        err);
  }
  if (status == LS_OK && zmq_connect(endpoint->socket, endpoint->address) != 0) {
    status = ls_zmq_fail("connect to", endpoint->address, err);
  }
  return status;
}

static enum ls_status connect_zmq(const char *address, const struct ls_curve *curve,
                                  struct ls_endpoint **out, struct ls_error *err) {
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
  status = use_keys(endpoint, curve, err);
  if (status == LS_OK) status = connect_endpoint(endpoint, err);
  if (status == LS_OK) {
    *out = endpoint;
  } else {
    close_zmq(endpoint, 0);
  }
  return status;
}

static const char *address_zmq(const struct ls_endpoint *endpoint) {
  return endpoint->address;
}

const struct ls_transport ls_transport_zmq = {
    .name = "zmq",
    .prepare = ls_hub_prepare,
    .listen = listen_zmq,
    .connect = connect_zmq,
    .is_cut = ls_zmq_is_cut,
    .handshake = ls_zmq_handshake,
    .address = address_zmq,
    .send = ls_zmq_send,
    .lend = ls_zmq_lend,
    .receive = ls_zmq_receive,
    .admit = ls_zmq_admit,
    .count_strangers = ls_zmq_count_strangers,
    .look = ls_zmq_look,
    .close = close_zmq,
};
