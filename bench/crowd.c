#include "crowd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <zmq.h>

#include "coordinator/worker_side.h"
#include "runtime/execute/settings.h"
#include "runtime/os/clock.h"
#include "runtime/worker/line.h"

enum { EVENTS = 256, CONTEXT_SOCKETS = 10000 };

/* As workers have them: a connection that was cut is made anew by the line. */
enum { GREETING_MS = 5000, NEVER_MS = 1 << 30 };

/* How often the beats are looked at. */
static const double LOOK_S = 0.02;

/* A worker's end of the connection. */
struct ls_endpoint {
  void *socket, *monitor;
  int files[2]; /* of these */
  bool is_cut;
  zmq_msg_t frame;
};

struct peer {
  struct ls_line line;
  struct ls_worker_side side;
  struct ls_settings settings;
  uint32_t iteration; /* of the latest chunk */
  double asked_s, answer_s;
  bool is_gone; /* released, or cut off */
};

struct ls_crowd {
  struct ls_curve curve;
  const char *program;
  struct peer *peers;
  size_t count, joined, gone;
  int waiting; /* epoll */
  struct ls_decoder decoder;
  struct ls_side_actions actions;
  double looked_s;
};

static void *context;

static void require(bool is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "crowd: %s failed: %s\n", what, zmq_strerror(zmq_errno()));
  exit(1);
}

static void require_status(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "crowd: %s\n", err->text);
  exit(1);
}

/* ---- the transport ---- */

static void set_option(void *socket, int option, int value) {
  require(zmq_setsockopt(socket, option, &value, sizeof value) == 0, "an option of a socket");
}

static void set_key(void *socket, int option, const char *key) {
  require(zmq_setsockopt(socket, option, key, strlen(key) + 1) == 0, "a key");
}

static int find_file(void *socket) {
  int file = -1;
  size_t size = sizeof file;
  require(zmq_getsockopt(socket, ZMQ_FD, &file, &size) == 0, "the descriptor of a socket");
  return file;
}

/* Tells the end of the connection only. */
static void *watch(void *socket) {
  static unsigned long number;
  char address[64];
  (void)snprintf(address, sizeof address, "inproc://monitor-%lu", number++);
  require(zmq_socket_monitor(
              socket, address,
              ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                  ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) == 0,
          "to watch a socket");
  void *monitor = zmq_socket(context, ZMQ_PAIR);
  require(monitor != NULL && zmq_connect(monitor, address) == 0, "a monitor");
  set_option(monitor, ZMQ_LINGER, 0);
  return monitor;
}

static enum ls_status connect_peer(const char *address, const struct ls_curve *curve,
                                   struct ls_endpoint **out, struct ls_error *err) {
  struct ls_endpoint *endpoint = calloc(1, sizeof *endpoint);
  require(endpoint != NULL, "memory");
  void *socket = endpoint->socket = zmq_socket(context, ZMQ_DEALER);
  (void)err;
  require(socket != NULL, "a socket");
  set_option(socket, ZMQ_LINGER, 0);
  set_option(socket, ZMQ_SNDHWM, 0);
  set_option(socket, ZMQ_RCVHWM, 0);
  set_option(socket, ZMQ_RECONNECT_IVL, NEVER_MS);
  set_option(socket, ZMQ_HANDSHAKE_IVL, GREETING_MS);
  set_key(socket, ZMQ_CURVE_SERVERKEY, curve->server_public);
  set_key(socket, ZMQ_CURVE_PUBLICKEY, curve->client_public);
  set_key(socket, ZMQ_CURVE_SECRETKEY, curve->client_secret);
  endpoint->monitor = watch(socket);
  require(zmq_connect(socket, address) == 0, "to connect");
  endpoint->files[0] = find_file(socket);
  endpoint->files[1] = find_file(endpoint->monitor);
  (void)zmq_msg_init(&endpoint->frame);
  *out = endpoint;
  return LS_OK;
}

static enum ls_status send_frame(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                                 double patience_s, struct ls_error *err) {
  (void)patience_s;
  if (zmq_send(endpoint->socket, frame->data, frame->length, ZMQ_DONTWAIT) >= 0) return LS_OK;
  return ls_fail(err, LS_EBUSY, "not now");
}

static bool receive_frame(struct ls_endpoint *endpoint, struct ls_frame *frame) {
  (void)zmq_msg_close(&endpoint->frame);
  (void)zmq_msg_init(&endpoint->frame);
  if (zmq_msg_recv(&endpoint->frame, endpoint->socket, ZMQ_DONTWAIT) < 0) return false;
  *frame = (struct ls_frame){0, zmq_msg_data(&endpoint->frame), zmq_msg_size(&endpoint->frame)};
  return true;
}

static bool is_cut(struct ls_endpoint *endpoint) {
  char event[256];
  while (zmq_recv(endpoint->monitor, event, sizeof event, ZMQ_DONTWAIT) >= 0)
    endpoint->is_cut = true;
  return endpoint->is_cut;
}

static void close_peer(struct ls_endpoint *endpoint, double linger_s) {
  (void)linger_s;
  (void)zmq_msg_close(&endpoint->frame);
  (void)zmq_socket_monitor(endpoint->socket, NULL, 0);
  (void)zmq_close(endpoint->monitor);
  (void)zmq_close(endpoint->socket);
  free(endpoint);
}

static const struct ls_transport transport = {.name = "crowd",
                                              .connect = connect_peer,
                                              .is_cut = is_cut,
                                              .send = send_frame,
                                              .receive = receive_frame,
                                              .close = close_peer};

/* ---- a worker ---- */

static void ask(struct peer *peer, uint64_t units) {
  const struct ls_message request = {
      .kind = LS_MESSAGE_REQUEST, .units = units, .answer_s = peer->answer_s};
  ls_line_post(&peer->line, &request);
  peer->asked_s = ls_clock_s();
}

static void tell(const struct ls_crowd *crowd, struct peer *peer,
                 const struct ls_side_result *result) {
  struct ls_message message = {.kind = LS_MESSAGE_RESULT,
                               .chunk = result->chunk,
                               .iteration = peer->iteration,
                               .range = result->units,
                               .outcome = (uint8_t)result->outcome,
                               .compute_s = result->seconds,
                               .squares = result->squares,
                               .latest_count = result->times_count};
  if (result->times_count > 0) message.latest = crowd->actions.times + result->first_time;
  ls_line_post_result(&peer->line, &message, &(struct ls_result_files){.is_held = result->is_held});
}

static void step(struct ls_crowd *crowd, struct peer *peer, const struct ls_side_event *event) {
  require(ls_worker_side_step(&peer->side, event, &crowd->actions) == LS_OK, "memory");
  for (size_t i = 0; i < crowd->actions.count; i++) {
    const struct ls_side_action *action = &crowd->actions.items[i];
    if (action->kind == LS_SIDE_ACTION_ASK) ask(peer, action->units);
    if (action->kind == LS_SIDE_ACTION_TELL) tell(crowd, peer, &action->result);
  }
}

/* All units that are here take no time; what is asked for then is asked for once. */
static void work(struct ls_crowd *crowd, struct peer *peer) {
  while (peer->side.is_running) {
    const struct ls_side_event ended = {
        .kind = LS_SIDE_EVENT_ENDED,
        .is_held_back = ls_worker_side_waiting(&peer->side) > 0,
        .ended = {.units = peer->side.running.units.count, .outcome = LS_OUTCOME_DONE}};
    step(crowd, peer, &ended);
  }
}

static void enter(struct ls_crowd *crowd, struct peer *peer, const struct ls_message *welcome) {
  struct ls_error err;
  require(welcome->kind == LS_MESSAGE_WELCOME, "to be welcomed");
  require_status(ls_settings_read(&peer->settings, welcome->text.data, welcome->text.length, &err),
                 &err);
  peer->line.session.heartbeat_s = peer->settings.heartbeat_s;
  (void)ls_line_welcome(&peer->line, welcome);
  ls_worker_side_init(&peer->side, &peer->settings.side);
  crowd->joined++;
  step(crowd, peer, &(struct ls_side_event){.kind = LS_SIDE_EVENT_JOINED});
}

static void on_chunk(struct ls_crowd *crowd, struct peer *peer, const struct ls_message *chunk,
                     bool is_followed) {
  double now_s = ls_clock_s();
  if (peer->side.is_asking) {
    peer->answer_s = now_s - peer->asked_s;
    if (peer->answer_s < peer->line.session.heartbeat_s)
      ls_session_answered(&peer->line.session, peer->answer_s);
  }
  peer->iteration = chunk->iteration;
  step(crowd, peer,
       &(struct ls_side_event){.kind = LS_SIDE_EVENT_CHUNK,
                               .is_held_back = true,
                               .arrived = {.chunk = chunk->chunk,
                                           .ranges = chunk->ranges,
                                           .ranges_count = chunk->ranges_count,
                                           .is_held = chunk->is_held != 0,
                                           .is_followed = is_followed}});
}

static void leave(struct ls_crowd *crowd, struct peer *peer) {
  crowd->gone += !peer->is_gone;
  peer->is_gone = true;
}

static void on_message(struct ls_crowd *crowd, struct peer *peer, const struct ls_message *message,
                       bool is_followed) {
  struct ls_error err;
  if (!ls_line_is_open(&peer->line)) {
    enter(crowd, peer, message);
    return;
  }
  switch (message->kind) {
    case LS_MESSAGE_CHUNK:
      on_chunk(crowd, peer, message, is_followed);
      break;
    case LS_MESSAGE_PULSE:
      require_status(ls_line_hear_pulse(&peer->line, message, &err), &err);
      break;
    case LS_MESSAGE_PREFETCH:
      step(crowd, peer,
           &(struct ls_side_event){.kind = LS_SIDE_EVENT_PREFETCH, .prefetch = message->units});
      break;
    case LS_MESSAGE_CANCEL:
    case LS_MESSAGE_RECALL:
      break; /* what is here has ended */
    case LS_MESSAGE_RELEASE:
      leave(crowd, peer);
      break;
    default:
      fprintf(stderr, "crowd: the master says %s\n", ls_message_name(message->kind));
      exit(1);
  }
}

static void on_frame(struct ls_crowd *crowd, struct peer *peer, const struct ls_frame *frame) {
  const struct ls_blob blob = {frame->data, frame->length};
  struct ls_message message;
  struct ls_error err;
  size_t offset = 0;
  ls_line_hear(&peer->line);
  while (offset < frame->length) {
    require_status(ls_message_decode_next(&crowd->decoder, &blob, &offset, &message, &err), &err);
    on_message(crowd, peer, &message, offset < frame->length);
  }
}

static void pump(struct peer *peer) {
  struct ls_error err;
  if (!peer->is_gone) require_status(ls_line_pump(&peer->line, &err), &err);
}

/* The master closes connections of which nothing was heard for too long: then it is called anew. */
static void cut_line(struct ls_crowd *crowd, struct peer *peer) {
  const struct ls_endpoint *endpoint = peer->line.endpoint;
  if (ls_line_is_open(&peer->line)) {
    leave(crowd, peer);
    return;
  }
  for (size_t i = 0; i < 2; i++)
    (void)epoll_ctl(crowd->waiting, EPOLL_CTL_DEL, endpoint->files[i], NULL);
  ls_line_cut(&peer->line);
}

/* A socket that has sent may have taken in what its descriptor would tell of. */
static void serve_peer(struct ls_crowd *crowd, struct peer *peer) {
  struct ls_frame frame;
  bool has_heard;
  if (peer->line.endpoint == NULL) return;
  /* What had arrived before still counts. */
  bool was_cut = is_cut(peer->line.endpoint);
  do {
    has_heard = false;
    while (receive_frame(peer->line.endpoint, &frame)) {
      has_heard = true;
      on_frame(crowd, peer, &frame);
    }
    if (ls_line_is_open(&peer->line)) work(crowd, peer);
    pump(peer);
  } while (has_heard);
  if (was_cut && !peer->is_gone) cut_line(crowd, peer);
}

static void call(struct ls_crowd *crowd, size_t number) {
  struct peer *peer = &crowd->peers[number];
  struct ls_error err;
  char name[32];
  int length = snprintf(name, sizeof name, "peer-%zu", number);
  struct ls_message hello = {.kind = LS_MESSAGE_HELLO,
                             .version = LS_PROTOCOL_VERSION,
                             .process_id = (uint64_t)getpid(),
                             .name = {name, (size_t)length},
                             .text = {crowd->program, strlen(crowd->program)},
                             .speed = 1};
  require_status(ls_line_call(&peer->line, &hello, &err), &err);
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = number};
  for (size_t i = 0; i < 2; i++)
    require(epoll_ctl(crowd->waiting, EPOLL_CTL_ADD, peer->line.endpoint->files[i], &event) == 0,
            "to wait for a socket");
}

static void beat(struct ls_crowd *crowd) {
  double now_s = ls_clock_s();
  if (now_s < crowd->looked_s + LOOK_S) return;
  crowd->looked_s = now_s;
  for (size_t i = 0; i < crowd->count; i++) {
    struct peer *peer = &crowd->peers[i];
    const struct ls_session *session = &peer->line.session;
    if (session->stage == LS_SESSION_CUT && now_s >= session->retry_s) call(crowd, i);
    if (!ls_line_is_open(&peer->line) || peer->is_gone ||
        now_s < session->sent_s + session->heartbeat_s)
      continue;
    ls_line_beat(&peer->line);
    serve_peer(crowd, peer);
  }
}

/* ---- all of them ---- */

void crowd_serve(struct ls_crowd *crowd, double seconds) {
  struct epoll_event events[EVENTS];
  double patience_s = seconds < LOOK_S ? seconds : LOOK_S;
  int count = epoll_wait(crowd->waiting, events, EVENTS, (int)(patience_s * 1e3));
  for (int i = 0; i < count; i++) serve_peer(crowd, &crowd->peers[events[i].data.u64]);
  beat(crowd);
}

struct ls_crowd *crowd_open(const struct ls_key_file *keys, size_t peers, const char *program) {
  struct ls_crowd *crowd = calloc(1, sizeof *crowd);
  require(crowd != NULL, "memory");
  crowd->curve = ls_keys_of_worker(keys);
  crowd->peers = calloc(peers, sizeof *crowd->peers);
  crowd->count = peers;
  crowd->waiting = epoll_create1(EPOLL_CLOEXEC);
  context = zmq_ctx_new();
  require(crowd->peers != NULL && crowd->waiting >= 0 &&
              zmq_ctx_set(context, ZMQ_MAX_SOCKETS, CONTEXT_SOCKETS) == 0,
          "to begin");
  crowd->program = program;
  for (size_t i = 0; i < peers; i++) {
    ls_line_init(&crowd->peers[i].line, &transport, keys->address, &crowd->curve);
    call(crowd, i);
  }
  for (size_t i = 0; i < peers; i++) serve_peer(crowd, &crowd->peers[i]);
  return crowd;
}

size_t crowd_joined(const struct ls_crowd *crowd) {
  return crowd->joined;
}

size_t crowd_gone(const struct ls_crowd *crowd) {
  return crowd->gone;
}

void crowd_close(struct ls_crowd *crowd) {
  for (size_t i = 0; i < crowd->count; i++) {
    struct peer *peer = &crowd->peers[i];
    ls_line_close(&peer->line, 0);
    ls_worker_side_close(&peer->side);
    ls_settings_close(&peer->settings);
  }
  ls_side_actions_close(&crowd->actions);
  ls_decoder_close(&crowd->decoder);
  (void)close(crowd->waiting);
  (void)zmq_ctx_term(context);
  free(crowd->peers);
  free(crowd);
}
