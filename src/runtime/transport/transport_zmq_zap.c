/* transport_zmq_zap.c: libzmq's questions about keys, answered. */
#include <stdint.h>
#include <string.h>

#include "runtime/transport/transport_zmq_zap.h"

#include "runtime/os/keys.h"

static const char address[] = "inproc://zeromq.zap.01", version[] = "1.0", mechanism[] = "CURVE";
const char ls_zap_domain[] = "loadstar";
/* What the frames of an admitted peer carry. */
static const char user[] = "worker", property[] = "User-Id";

/* A flood of strangers must not keep the master from its workers. */
enum { ANSWERS_AT_ONCE = 32 };

/* Of a question: version, number, domain, address, identity, mechanism, and the key. */
enum { PARTS = 7, VERSION = 0, NUMBER = 1, DOMAIN_NAME = 2, MECHANISM = 5, KEY = 6 };
enum { PART_BYTES = 256 };

struct part {
  unsigned char data[PART_BYTES];
  size_t length; /* more than there are: it is longer */
};

enum ls_status ls_zap_open(struct ls_zap *zap, void *context, const struct ls_curve *curve,
                           struct ls_error *err) {
  const int nothing = 0;
  size_t size = sizeof zap->file;
  void *socket = NULL;
  if (zmq_z85_decode(zap->client, curve->client_public) == NULL)
    return ls_fail(err, LS_EINVAL, "the public key of the workers is no key of Z85");
  socket = zmq_socket(context, ZMQ_REP);
  if (socket == NULL || zmq_setsockopt(socket, ZMQ_LINGER, &nothing, sizeof nothing) != 0 ||
      zmq_bind(socket, address) != 0 || zmq_getsockopt(socket, ZMQ_FD, &zap->file, &size) != 0) {
    enum ls_status status =
        ls_fail(err, LS_EIO, "cannot check keys: %s", zmq_strerror(zmq_errno()));
    if (socket != NULL) (void)zmq_close(socket);
    return status;
  }
  zap->socket = socket;
  return LS_OK;
}

static bool is_text(const struct part *part, const char *text) {
  return part->length == strlen(text) && memcmp(part->data, text, part->length) == 0;
}

/* All parts of a question, those beyond PARTS left out; false: there is none now. */
static bool take_question(const struct ls_zap *zap, struct part parts[PARTS], size_t *count) {
  int more = 1;
  size_t size = sizeof more;
  for (*count = 0; more != 0; ++*count) {
    struct part other, *part = *count < PARTS ? &parts[*count] : &other;
    int length = zmq_recv(zap->socket, part->data, sizeof part->data, ZMQ_DONTWAIT);
    if (length < 0) return false;
    part->length = (size_t)length;
    if (zmq_getsockopt(zap->socket, ZMQ_RCVMORE, &more, &size) != 0) return false;
  }
  return true;
}

static void send_part(const struct ls_zap *zap, const void *data, size_t length, int flags) {
  /* Nobody hears the answer but libzmq, which closes the connection without one. */
  (void)zmq_send(zap->socket, data, length, flags | ZMQ_DONTWAIT);
}

static void answer(const struct ls_zap *zap, const struct part *number, bool is_ours) {
  const char *status = is_ours ? "200" : "400", *name = is_ours ? user : "";
  send_part(zap, version, strlen(version), ZMQ_SNDMORE);
  send_part(zap, number->data, number->length, ZMQ_SNDMORE);
  send_part(zap, status, strlen(status), ZMQ_SNDMORE);
  send_part(zap, "", 0, ZMQ_SNDMORE);
  send_part(zap, name, strlen(name), ZMQ_SNDMORE);
  send_part(zap, "", 0, 0);
}

bool ls_zap_answer(struct ls_zap *zap) {
  struct part parts[PARTS];
  size_t count;
  if (zap->socket == NULL) return false;
  for (int i = 0; i < ANSWERS_AT_ONCE; i++) {
    if (!take_question(zap, parts, &count)) return false;
    bool is_question = count > NUMBER && parts[NUMBER].length <= PART_BYTES;
    bool is_ours = is_question && count == PARTS && is_text(&parts[VERSION], version) &&
                   is_text(&parts[DOMAIN_NAME], ls_zap_domain) &&
                   is_text(&parts[MECHANISM], mechanism) && parts[KEY].length == LS_ZAP_KEY_BYTES &&
                   memcmp(parts[KEY].data, zap->client, LS_ZAP_KEY_BYTES) == 0;
    if (!is_question) parts[NUMBER].length = 0;
    answer(zap, &parts[NUMBER], is_ours);
  }
  return true;
}

bool ls_zap_has_admitted(zmq_msg_t *frame) {
  const char *name = zmq_msg_gets(frame, property);
  return name != NULL && strcmp(name, user) == 0;
}

void ls_zap_close(struct ls_zap *zap) {
  if (zap->socket != NULL) (void)zmq_close(zap->socket);
  *zap = (struct ls_zap){.file = -1};
}
