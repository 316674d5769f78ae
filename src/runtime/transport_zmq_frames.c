/* transport_zmq_frames.c: frames over libzmq, and the connections behind them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/message.h"
#include "runtime/clock.h"
#include "runtime/transport_wait.h"
#include "runtime/transport_zmq_private.h"

/* A ROUTER names each connection by a zero byte and a number of 4 bytes, so the peer number is that
 * number and no table is needed.  Names that a peer chose itself cannot begin with a zero byte. */
enum { NAME_BYTES = 5 };

/* The words of libzmq, with the address; a taken address is LS_EBUSY. */
enum ls_status ls_zmq_fail(const char *what, const char *address, struct ls_error *err) {
  int code = zmq_errno();
  enum ls_status status = LS_EIO;
  if (code == EADDRINUSE) status = LS_EBUSY;
  if (code == EINVAL || code == EPROTONOSUPPORT || code == ENAMETOOLONG) status = LS_EINVAL;
  if (code == ENOMEM) status = LS_ENOMEM;
  return ls_fail(err, status, "cannot %s %s: %s", what, address, zmq_strerror(code));
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
    return ls_zmq_fail("send to a peer of", endpoint->address, err);
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
      return ls_zmq_fail("send to", endpoint->address, err);
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

