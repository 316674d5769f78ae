/* hostile_guest: a worker that has the right key, and means no good.
 *
 * Usage: hostile_guest KEY MODE [COUNT]
 * It joins, then does one of: oversize (a frame larger than any), malformed (bytes that are no
 * message), foreign (results of the first COUNT chunks, which are others'), twice (HELLO again),
 * stolen (HELLO as worker COUNT, with a cookie of its own making), beats (COUNT HEARTBEATs). Prints
 * the kinds of messages that it hears until nothing has come for a second or it is cut, each once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "model/outcome.h"
#include "protocol/message.h"
#include "runtime/os/keys.h"

enum { QUIET_MS = 1000 };

struct guest {
  struct ls_key_file keys;
  void *context, *socket;
  char program[128];
  uint64_t era;
  struct ls_decoder decoder;
  bool heard[LS_MESSAGE_COUNT];
};

static void fail(const char *what) {
  fprintf(stderr, "hostile_guest: %s\n", what);
  exit(1);
}

static void say(const struct guest *guest, const struct ls_message *message) {
  struct ls_bytes bytes = {0};
  ls_message_encode(message, &bytes);
  if (zmq_send(guest->socket, bytes.data, bytes.length, 0) < 0) fail("cannot send");
  ls_bytes_close(&bytes);
}

/* False: nothing has come for a second. */
static bool hear(struct guest *guest, struct ls_message *message, zmq_msg_t *frame) {
  struct ls_error err;
  zmq_pollitem_t item = {.socket = guest->socket, .events = ZMQ_POLLIN};
  if (zmq_poll(&item, 1, QUIET_MS) <= 0) return false;
  if (zmq_msg_recv(frame, guest->socket, 0) < 0) fail("cannot receive");
  if (ls_message_decode(&guest->decoder, zmq_msg_data(frame), zmq_msg_size(frame), message, &err) !=
      LS_OK)
    fail(err.text);
  guest->heard[message->kind] = true;
  return true;
}

static struct ls_message make_hello(const struct guest *guest) {
  return (struct ls_message){.kind = LS_MESSAGE_HELLO,
                             .version = LS_PROTOCOL_VERSION,
                             .process_id = 1,
                             .speed = 1,
                             .name = {"hostile", 7},
                             .text = {guest->program, strlen(guest->program)}};
}

/* A master tells whom it refuses which program it wants. */
static void learn_program(struct guest *guest, const struct ls_message *refused) {
  static const char before[] = "the master's is ";
  char text[256];
  (void)snprintf(text, sizeof text, "%.*s", (int)refused->text.length,
                 (const char *)refused->text.data);
  const char *at = strstr(text, before);
  if (at == NULL) fail(text);
  (void)snprintf(guest->program, sizeof guest->program, "%s", at + strlen(before));
}

static void connect_guest(struct guest *guest) {
  const struct ls_key_file *keys = &guest->keys;
  const int linger_ms = 2000;
  if (guest->socket != NULL) zmq_close(guest->socket);
  void *socket = guest->socket = zmq_socket(guest->context, ZMQ_DEALER);
  if (zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, keys->server.public_key, LS_KEY_BYTES) != 0 ||
      zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, keys->client.public_key, LS_KEY_BYTES) != 0 ||
      zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys->client.secret_key, LS_KEY_BYTES) != 0 ||
      zmq_setsockopt(socket, ZMQ_LINGER, &linger_ms, sizeof linger_ms) != 0 ||
      zmq_connect(socket, keys->address) != 0)
    fail(zmq_strerror(zmq_errno()));
}

/* Whoever was refused once is not heard again on that connection. */
static void join(struct guest *guest) {
  struct ls_message message;
  zmq_msg_t frame;
  zmq_msg_init(&frame);
  do {
    connect_guest(guest);
    const struct ls_message hello = make_hello(guest);
    say(guest, &hello);
    if (!hear(guest, &message, &frame)) fail("the master does not answer");
    if (message.kind == LS_MESSAGE_REFUSED) learn_program(guest, &message);
  } while (message.kind != LS_MESSAGE_WELCOME);
  guest->era = message.era;
  zmq_msg_close(&frame);
}

static void claim_results(const struct guest *guest, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    say(guest, &(struct ls_message){.kind = LS_MESSAGE_RESULT,
                                    .chunk = i,
                                    .range = {i, 1},
                                    .outcome = LS_OUTCOME_DONE,
                                    .compute_s = 1e-3,
                                    .output = {"FORGED\n", 7}});
  }
}

static void act(const struct guest *guest, const char *mode, uint64_t count) {
  struct ls_message hello = make_hello(guest);
  if (strcmp(mode, "oversize") == 0) {
    size_t length = (size_t)LS_MESSAGE_BYTES_MAX + 1;
    char *frame = calloc(1, length);
    if (frame == NULL || zmq_send(guest->socket, frame, length, 0) < 0) fail("cannot send");
    free(frame);
  } else if (strcmp(mode, "malformed") == 0) {
    if (zmq_send(guest->socket, "\xc1\xff nonsense", 11, 0) < 0) fail("cannot send");
  } else if (strcmp(mode, "foreign") == 0) {
    claim_results(guest, count);
  } else if (strcmp(mode, "twice") == 0) {
    say(guest, &hello);
  } else if (strcmp(mode, "stolen") == 0) {
    hello.worker = (uint32_t)count;
    hello.era = guest->era;
    hello.cookie = (struct ls_blob){"0123456789abcdef", LS_COOKIE_BYTES};
    say(guest, &hello);
  } else if (strcmp(mode, "beats") == 0) {
    for (uint64_t i = 0; i < count; i++)
      say(guest, &(struct ls_message){.kind = LS_MESSAGE_HEARTBEAT});
  } else if (strcmp(mode, "join") != 0) {
    fail("no such mode");
  }
}

int main(int argc, char **argv) {
  struct ls_error err;
  struct guest guest = {.program = "?"};
  if (argc < 3) fail("usage: hostile_guest KEY MODE [COUNT]");
  if (ls_keys_read(argv[1], false, &guest.keys, &err) != LS_OK) fail(err.text);
  guest.context = zmq_ctx_new();
  join(&guest);
  guest.heard[LS_MESSAGE_REFUSED] = false;
  act(&guest, argv[2], argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
  struct ls_message message;
  zmq_msg_t frame;
  zmq_msg_init(&frame);
  for (int i = 0; i < 3 && hear(&guest, &message, &frame); i += message.kind == LS_MESSAGE_PULSE) {}
  zmq_msg_close(&frame);
  for (int kind = 0; kind < LS_MESSAGE_COUNT; kind++)
    if (guest.heard[kind]) printf("%s ", ls_message_name((enum ls_message_kind)kind));
  puts("");
  ls_decoder_close(&guest.decoder);
  zmq_close(guest.socket);
  zmq_ctx_term(guest.context);
  return 0;
}
