/* handshake_speed: many workers come at once, each with the run's key.
 *
 * Usage: handshake_speed [PEERS [TURNS]]
 *
 * PEERS connections (1,000) of another thread of this process shake hands, say a word and are
 * answered: at an endpoint of ours, with its guard and its check of keys, and at a bare ROUTER of
 * libzmq under CURVE, which checks nothing.  They take turns; what counts is the median of the
 * ratios.  At ours each round of the loop is measured in processor time of its thread: for so long
 * the master is away from everything else.  Prints one JSON line; exit status 1: what is to be
 * reached is missed.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zmq.h>

#include "base/statistics.h"
#include "runtime/os/clock.h"
#include "runtime/os/keys.h"
#include "runtime/os/limits.h"
#include "runtime/transport/transport_wait.h"

enum { PEERS_MAX = 4000, TURNS_MAX = 101, WORD_BYTES = 5 };

static const double RATIO_REACH = 2, AWAY_REACH_S = 0.05;

struct flood {
  const struct ls_key_file *keys;
  const char *address;
  size_t peers;
  _Atomic bool is_over; /* all were answered */
};

static void require(int is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "handshake_speed: %s failed: %s\n", what, zmq_strerror(zmq_errno()));
  exit(1);
}

/* The workers' side: all connect, say a word, and wait for the answer. */
static void *come(void *of) {
  struct flood *flood = of;
  static void *sockets[PEERS_MAX];
  const int nothing = 0;
  char answer[WORD_BYTES];
  void *context = zmq_ctx_new();
  require(zmq_ctx_set(context, ZMQ_MAX_SOCKETS, PEERS_MAX + 10) == 0, "the room for sockets");
  for (size_t i = 0; i < flood->peers; i++) {
    void *socket = sockets[i] = zmq_socket(context, ZMQ_DEALER);
    const struct ls_key_file *keys = flood->keys;
    require(socket != NULL, "a socket");
    (void)zmq_setsockopt(socket, ZMQ_LINGER, &nothing, sizeof nothing);
    (void)zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, keys->server.public_key, LS_KEY_BYTES);
    (void)zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, keys->client.public_key, LS_KEY_BYTES);
    (void)zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys->client.secret_key, LS_KEY_BYTES);
    require(zmq_connect(socket, flood->address) == 0, "to connect");
    require(zmq_send(socket, "hello", WORD_BYTES, 0) == WORD_BYTES, "to say a word");
  }
  for (size_t i = 0; i < flood->peers; i++)
    require(zmq_recv(sockets[i], answer, sizeof answer, 0) == WORD_BYTES, "to be answered");
  flood->is_over = true;
  for (size_t i = 0; i < flood->peers; i++) (void)zmq_close(sockets[i]);
  (void)zmq_ctx_term(context);
  return NULL;
}

static double read_own_clock(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds until all have been heard; the longest round of the loop. */
static double serve(const struct ls_key_file *keys, size_t peers, double *away_s) {
  const struct ls_curve curve = ls_keys_of_master(keys);
  struct ls_endpoint *master = NULL;
  struct ls_error err = {0};
  if (ls_transport_zmq.listen("tcp://127.0.0.1:*", &curve, &master, &err) != LS_OK) {
    fprintf(stderr, "handshake_speed: %s\n", err.text);
    exit(1);
  }
  struct flood flood = {.keys = keys, .address = ls_transport_zmq.address(master), .peers = peers};
  pthread_t thread;
  double begun_s = ls_clock_s();
  require(pthread_create(&thread, NULL, come, &flood) == 0, "a thread");
  /* A connection that took too long is made anew, and says its word twice. */
  while (!flood.is_over) {
    struct ls_frame frame;
    double before_s = read_own_clock();
    (void)ls_transport_wait(&ls_transport_zmq, master, &(struct ls_wait_files){0}, 0.01);
    while (ls_transport_zmq.receive(master, &frame)) {
      ls_transport_zmq.admit(master, frame.peer);
      const struct ls_frame answer = {frame.peer, "hello", WORD_BYTES};
      require(ls_transport_zmq.send(master, &answer, 0, NULL) == LS_OK, "an answer");
    }
    double round_s = read_own_clock() - before_s;
    if (round_s > *away_s) *away_s = round_s;
  }
  double end_s = ls_clock_s();
  require(pthread_join(thread, NULL) == 0, "the end of a thread");
  ls_transport_zmq.close(master, 0);
  return end_s - begun_s;
}

static double serve_barely(const struct ls_key_file *keys, size_t peers) {
  const int one = 1, nothing = 0, backlog = 4096;
  char address[64], name[256], word[WORD_BYTES];
  size_t length = sizeof address;
  void *context = zmq_ctx_new(), *router = zmq_socket(context, ZMQ_ROUTER);
  (void)zmq_setsockopt(router, ZMQ_LINGER, &nothing, sizeof nothing);
  (void)zmq_setsockopt(router, ZMQ_BACKLOG, &backlog, sizeof backlog);
  (void)zmq_setsockopt(router, ZMQ_CURVE_SERVER, &one, sizeof one);
  (void)zmq_setsockopt(router, ZMQ_CURVE_SECRETKEY, keys->server.secret_key, LS_KEY_BYTES);
  require(zmq_bind(router, "tcp://127.0.0.1:*") == 0, "to listen");
  require(zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, address, &length) == 0, "the port");
  struct flood flood = {.keys = keys, .address = address, .peers = peers};
  pthread_t thread;
  double begun_s = ls_clock_s();
  require(pthread_create(&thread, NULL, come, &flood) == 0, "a thread");
  zmq_pollitem_t item = {.socket = router, .events = ZMQ_POLLIN};
  while (!flood.is_over) {
    if (zmq_poll(&item, 1, 10) <= 0) continue;
    int size = zmq_recv(router, name, sizeof name, 0);
    require(size > 0 && zmq_recv(router, word, sizeof word, 0) == WORD_BYTES, "to hear");
    require(zmq_send(router, name, (size_t)size, ZMQ_SNDMORE) == size &&
                zmq_send(router, word, sizeof word, 0) == WORD_BYTES,
            "a bare answer");
  }
  double end_s = ls_clock_s();
  require(pthread_join(thread, NULL) == 0, "the end of a thread");
  (void)zmq_close(router);
  (void)zmq_ctx_term(context);
  return end_s - begun_s;
}

int main(int argc, char **argv) {
  size_t peers = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
  size_t turns = argc > 2 ? strtoull(argv[2], NULL, 10) : 5;
  double ratios[TURNS_MAX], seconds[TURNS_MAX], away_s = 0;
  struct ls_key_file keys;
  if (peers < 1 || peers > PEERS_MAX || turns < 1 || turns > TURNS_MAX) {
    fprintf(stderr, "usage: handshake_speed [PEERS 1 to %d [TURNS 1 to %d]]\n", PEERS_MAX,
            TURNS_MAX);
    return 2;
  }
  ls_limits_raise();
  if (ls_keys_make(&keys, NULL) != LS_OK) return 1;
  for (size_t i = 0; i < turns; i++) {
    seconds[i] = serve(&keys, peers, &away_s);
    ratios[i] = seconds[i] / serve_barely(&keys, peers);
  }
  ls_sort_ascending(ratios, turns);
  ls_sort_ascending(seconds, turns);
  double ratio = ratios[turns / 2];
  printf(
      "{\"what\": \"%zu handshakes at once\", \"turns\": %zu, \"seconds\": %.3g, "
      "\"ratio_to_bare\": %.3g, \"away_s\": %.3g, \"reach\": {\"ratio_to_bare\": %g, "
      "\"away_s\": %g}}\n",
      peers, turns, seconds[turns / 2], ratio, away_s, RATIO_REACH, AWAY_REACH_S);
  return ratio <= RATIO_REACH && away_s <= AWAY_REACH_S ? 0 : 1;
}
