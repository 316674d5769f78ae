/* transport_zmq_frames.c: frames over libzmq, and the connections behind them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/message.h"
#include "runtime/os/clock.h"
#include "runtime/transport/transport_wait.h"
#include "runtime/transport/transport_zmq_private.h"

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

/* ---- who is connected ---- */

/* A master cannot tell a worker that has its key wrong why it closes. `code`: of errno. */
static void note_handshake(struct ls_endpoint *endpoint, int event, int code) {
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) endpoint->handshake = LS_HANDSHAKE_REFUSED;
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) endpoint->handshake = LS_HANDSHAKE_FOREIGN;
  bool is_closed =
      event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL && (code == EPIPE || code == ECONNRESET);
  if (is_closed) endpoint->handshake = LS_HANDSHAKE_BROKEN;
}

static void hear_of_connections(struct ls_endpoint *endpoint) {
  int event, value;
  double now_s = ls_clock_s();
  while (ls_monitor_next(&endpoint->monitor, &event, &value)) {
    if (endpoint->guard != NULL) {
      ls_guard_accept(endpoint->guard, value, now_s);
    } else {
      endpoint->is_cut = true; /* a worker's monitor tells ends only */
      note_handshake(endpoint, event, value);
    }
  }
}

bool ls_zmq_is_cut(struct ls_endpoint *endpoint) {
  if (endpoint->is_master || endpoint->is_cut) return endpoint->is_cut;
  hear_of_connections(endpoint);
  bool is_inproc = ls_address_has_scheme(endpoint->address, "inproc://");
  if (is_inproc && !ls_hub_is_published(endpoint->hub)) endpoint->is_cut = true;
  return endpoint->is_cut;
}

enum ls_handshake ls_zmq_handshake(const struct ls_endpoint *endpoint) {
  return endpoint->handshake;
}

void ls_zmq_admit(struct ls_endpoint *endpoint, uint64_t peer) {
  if (endpoint->guard != NULL) ls_guard_admit(endpoint->guard, peer);
}

void ls_zmq_count_strangers(const struct ls_endpoint *endpoint, struct ls_strangers *strangers) {
  if (endpoint->guard == NULL) return;
  strangers->frames_dropped += ls_guard_frames_dropped(endpoint->guard);
  strangers->connections_closed += ls_guard_connections_closed(endpoint->guard);
}

/* ---- sending ---- */

/* Takes over the message, whether it succeeds or not. The number alone names the peer to libzmq. */
static enum ls_status send_to_peer(struct ls_endpoint *endpoint, uint64_t peer, zmq_msg_t *message,
                                   struct ls_error *err) {
  unsigned char name[NAME_BYTES] = {0, (unsigned char)(peer >> 24), (unsigned char)(peer >> 16),
                                    (unsigned char)(peer >> 8), (unsigned char)peer};
  if (zmq_send(endpoint->socket, name, sizeof name, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
    /* One that does not read loses its connection, lest it miss a frame without noticing. */
    bool is_full = zmq_errno() == EAGAIN;
    (void)zmq_msg_close(message);
    if (is_full && endpoint->guard != NULL) ls_guard_cut(endpoint->guard, peer);
    return ls_fail(err, LS_EIO, "peer %u of %s %s", (unsigned)(uint32_t)peer, endpoint->address,
                   is_full ? "does not read" : "is gone");
  }
  /* The message exists already, so nothing can fail between its name and itself. */
  if (zmq_msg_send(message, endpoint->socket, ZMQ_DONTWAIT) < 0) {
    (void)zmq_msg_close(message);
    return ls_zmq_fail("send to a peer of", endpoint->address, err);
  }
  return LS_OK;
}

/* How soon an end of the connection is seen while a frame cannot be sent. */
static const double CUT_LOOK_S = 0.1;

/* As above. Waits while the master is behind. */
static enum ls_status send_to_master(struct ls_endpoint *endpoint, zmq_msg_t *message,
                                     double patience_s, struct ls_error *err) {
  double start_s = 0;
  /* Nobody takes a frame after a cut. */
  for (bool is_first = true; !ls_zmq_is_cut(endpoint); is_first = false) {
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
    (void)zmq_poll(&item, 1, ls_wait_milliseconds(fmin(left_s, CUT_LOOK_S)));
  }
  (void)zmq_msg_close(message);
  if (endpoint->is_cut) {
    return ls_fail(err, LS_EIO, "the connection to the master at %s is broken", endpoint->address);
  }
  return ls_fail(err, LS_EBUSY, "the master at %s took no message for %g s", endpoint->address,
                 patience_s);
}

/* Over a connection, a larger frame would be answered by breaking it off. */
static enum ls_status check_length(const struct ls_endpoint *endpoint, const struct ls_frame *frame,
                                   struct ls_error *err) {
  if (frame->length <= LS_MESSAGE_BYTES_MAX) return LS_OK;
  return ls_fail(err, LS_EINVAL, "a message for %s has %zu bytes, expected at most %d",
                 endpoint->address, frame->length, LS_MESSAGE_BYTES_MAX);
}

static void end_loan(void *data, void *hint) {
  struct ls_loan loan = *(struct ls_loan *)hint;
  (void)data;
  free(hint);
  loan.release(loan.context);
}

enum ls_status ls_zmq_lend(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                           const struct ls_loan *loan, struct ls_error *err) {
  zmq_msg_t message;
  enum ls_status status = check_length(endpoint, frame, err);
  struct ls_loan *kept = malloc(sizeof *kept);
  /* libzmq reads the data, and no more. */
  bool is_lent = status == LS_OK && kept != NULL &&
                 zmq_msg_init_data(&message, (void *)(uintptr_t)frame->data, frame->length,
                                   end_loan, kept) == 0;
  if (is_lent) {
    *kept = *loan;
    return send_to_peer(endpoint, frame->peer, &message, err);
  }
  free(kept);
  loan->release(loan->context);
  if (status != LS_OK) return status;
  return ls_fail(err, LS_ENOMEM, "no memory for a message of %zu bytes", frame->length);
}

enum ls_status ls_zmq_send(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                           double patience_s, struct ls_error *err) {
  zmq_msg_t message;
  enum ls_status status = check_length(endpoint, frame, err);
  if (status != LS_OK) return status;
  if (zmq_msg_init_size(&message, frame->length) != 0) {
    return ls_fail(err, LS_ENOMEM, "no memory for a message of %zu bytes", frame->length);
  }
  if (frame->length > 0) memcpy(zmq_msg_data(&message), frame->data, frame->length);
  return endpoint->is_master ? send_to_peer(endpoint, frame->peer, &message, err)
                             : send_to_master(endpoint, &message, patience_s, err);
}

/* ---- receiving ---- */

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

/* The next frame of one of us into endpoint->frame: a sender of several parts is not. */
static bool take_frame(struct ls_endpoint *endpoint, uint64_t *peer, bool *is_ours) {
  if (!take_part(endpoint)) return false;
  *peer = 0;
  *is_ours = true;
  if (endpoint->is_master) {
    *is_ours = read_peer(&endpoint->frame, peer) && zmq_msg_more(&endpoint->frame);
    if (zmq_msg_more(&endpoint->frame) && !take_part(endpoint)) return false;
  }
  while (zmq_msg_more(&endpoint->frame)) {
    *is_ours = false;
    if (!take_part(endpoint)) return false;
  }
  return true;
}

/* Is the frame to be delivered? Its peer gets the descriptor of its connection into its number. */
static bool pass_guard(struct ls_endpoint *endpoint, uint64_t *peer) {
  if (endpoint->zap.socket != NULL && !ls_zap_has_admitted(&endpoint->frame)) return false;
  if (endpoint->guard == NULL) return true;
  hear_of_connections(endpoint);
  *peer = ls_guard_peer(zmq_msg_get(&endpoint->frame, ZMQ_SRCFD), (uint32_t)*peer);
  return ls_guard_hear(endpoint->guard, *peer, zmq_msg_size(&endpoint->frame), ls_clock_s());
}

bool ls_zmq_receive(struct ls_endpoint *endpoint, struct ls_frame *frame) {
  uint64_t peer;
  bool is_ours;
  while (take_frame(endpoint, &peer, &is_ours)) {
    if (!pass_guard(endpoint, &peer) || !is_ours) continue;
    frame->peer = peer;
    frame->data = zmq_msg_data(&endpoint->frame);
    frame->length = zmq_msg_size(&endpoint->frame);
    return true;
  }
  return false;
}

/* ---- waiting ---- */

/* The socket's descriptor tells only that this may have changed. */
static bool has_input(const struct ls_endpoint *endpoint) {
  int events = 0;
  size_t size = sizeof events;
  return zmq_getsockopt(endpoint->socket, ZMQ_EVENTS, &events, &size) == 0 &&
         (events & ZMQ_POLLIN) != 0;
}

bool ls_zmq_look(struct ls_endpoint *endpoint, struct ls_watch *watch) {
  bool was_cut = endpoint->is_cut, has = has_input(endpoint);
  if (ls_zmq_is_cut(endpoint) != was_cut) watch->seconds = 0;
  if (endpoint->guard != NULL) {
    hear_of_connections(endpoint);
    double now_s = ls_clock_s();
    ls_guard_look(endpoint->guard, !has, now_s);
    watch->seconds = fmin(watch->seconds, ls_guard_patience_s(endpoint->guard, now_s));
  }
  if (endpoint->zap.socket != NULL) {
    if (ls_zap_answer(&endpoint->zap)) watch->seconds = 0;
    ls_watch_add(watch, endpoint->zap.file);
  }
  int file = -1;
  size_t size = sizeof file;
  if (zmq_getsockopt(endpoint->socket, ZMQ_FD, &file, &size) == 0) ls_watch_add(watch, file);
  if (endpoint->monitor.socket != NULL) ls_watch_add(watch, endpoint->monitor.file);
  return has;
}
