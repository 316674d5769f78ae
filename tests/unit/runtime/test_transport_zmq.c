/* One suite for every kind of address: peers are threads (inproc) or processes (ipc, tcp).
 * Nothing here sleeps and hopes: each step waits for a frame, with a limit far beyond the need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "protocol/message.h"
#include "runtime/clock.h"
#include "runtime/transport.h"

#define ZMQ ls_transport_zmq

static const double limit_s = 60;

/* The kind of address under test, and where ipc files lie. */
struct scene {
  bool is_threaded;
  char folder[64];
  char listen[128];
};

/* The life of a peer; the return value is its exit code, 0: all well. */
typedef int (*peer_fn)(struct ls_endpoint *endpoint, int number);

struct peer {
  peer_fn act;
  int number;
  char address[256];
  pthread_t thread;
  pid_t process;
  int result;
};

static void *live(void *context) {
  struct peer *peer = context;
  struct ls_endpoint *endpoint;
  struct ls_error err = {0};
  peer->result = 90;
  if (ZMQ.connect(peer->address, &endpoint, &err) != LS_OK) return NULL;
  peer->result = peer->act(endpoint, peer->number);
  ZMQ.close(endpoint, limit_s);
  return NULL;
}

static const char *find_act_name(peer_fn act);

/* A process starts this program anew: a mere fork, while the threads of libzmq run, could inherit
 * a lock that nobody opens any more. */
static void start_peer(const struct scene *scene, struct peer *peer, const char *address) {
  snprintf(peer->address, sizeof peer->address, "%s", address);
  if (scene->is_threaded) {
    assert_int_equal(pthread_create(&peer->thread, NULL, live, peer), 0);
    return;
  }
  char number[16], act[32], program[] = "test_transport_zmq", mark[] = "--peer";
  snprintf(number, sizeof number, "%d", peer->number);
  snprintf(act, sizeof act, "%s", find_act_name(peer->act));
  char *words[] = {program, mark, act, number, peer->address, NULL};
  assert_int_equal(posix_spawn(&peer->process, "/proc/self/exe", NULL, NULL, words, environ), 0);
}

static int join_peer(const struct scene *scene, struct peer *peer) {
  if (scene->is_threaded) {
    assert_int_equal(pthread_join(peer->thread, NULL), 0);
    return peer->result;
  }
  int status = 0;
  assert_int_equal(waitpid(peer->process, &status, 0), peer->process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The next frame within the limit. */
static bool receive_in_time(struct ls_endpoint *endpoint, struct ls_frame *frame) {
  double until_s = ls_clock_s() + limit_s;
  while (!ZMQ.receive(endpoint, frame)) {
    if (ls_clock_s() > until_s) return false;
    (void)ZMQ.wait(endpoint, NULL, 0, NULL, 1);
  }
  ZMQ.admit(endpoint, frame->peer);
  return true;
}

static bool send_number(struct ls_endpoint *endpoint, uint64_t peer, uint64_t number) {
  return ZMQ.send(endpoint, &(struct ls_frame){peer, &number, sizeof number}, limit_s, NULL) ==
         LS_OK;
}

static bool receive_number(struct ls_endpoint *endpoint, uint64_t *peer, uint64_t *number) {
  struct ls_frame frame;
  if (!receive_in_time(endpoint, &frame) || frame.length != sizeof *number) return false;
  memcpy(number, frame.data, sizeof *number);
  if (peer != NULL) *peer = frame.peer;
  return true;
}

static struct ls_endpoint *open_master(const struct scene *scene) {
  struct ls_endpoint *master = NULL;
  struct ls_error err = {0};
  if (ZMQ.listen(scene->listen, &master, &err) != LS_OK) fail_msg("%s", err.text);
  return master;
}

static int set_up(struct scene *scene, const char *scheme) {
  scene->is_threaded = strcmp(scheme, "inproc") == 0;
  snprintf(scene->folder, sizeof scene->folder, "/tmp/ls-transport-XXXXXX");
  if (mkdtemp(scene->folder) == NULL) return -1;
  if (strcmp(scheme, "tcp") == 0) {
    snprintf(scene->listen, sizeof scene->listen, "tcp://127.0.0.1:*");
  } else {
    snprintf(scene->listen, sizeof scene->listen, "%s://%s/master", scheme, scene->folder);
  }
  return 0;
}

static struct scene the_scene;

static int set_up_inproc(void **state) {
  *state = &the_scene;
  return set_up(&the_scene, "inproc");
}

static int set_up_ipc(void **state) {
  *state = &the_scene;
  return set_up(&the_scene, "ipc");
}

static int set_up_tcp(void **state) {
  *state = &the_scene;
  return set_up(&the_scene, "tcp");
}

/* That the folder can be removed is a test, too: no socket file is left behind. */
static int tear_down(void **state) {
  struct scene *scene = *state;
  return rmdir(scene->folder);
}

/* Peers for the tests below. */

enum { ORDER_FRAMES = 5000, FLOOD_FRAMES = 20000, FLOOD_BYTES = 1000, LARGE_BYTES = 20 << 20 };

static int send_in_order(struct ls_endpoint *endpoint, int number) {
  for (uint64_t i = 0; i < ORDER_FRAMES; i++) {
    if (!send_number(endpoint, 0, i * 100 + (uint64_t)number)) return 1;
  }
  uint64_t answer;
  for (uint64_t i = 0; i < ORDER_FRAMES; i++) {
    if (!receive_number(endpoint, NULL, &answer) || answer != i) return 2;
  }
  return 0;
}

static int echo_once(struct ls_endpoint *endpoint, int number) {
  (void)number;
  struct ls_frame frame;
  if (!send_number(endpoint, 0, 1) || !receive_in_time(endpoint, &frame)) return 1;
  return ZMQ.send(endpoint, &frame, limit_s, NULL) == LS_OK ? 0 : 2;
}

static int say_number(struct ls_endpoint *endpoint, int number) {
  uint64_t answer;
  if (!send_number(endpoint, 0, (uint64_t)number)) return 1;
  return receive_number(endpoint, NULL, &answer) && answer == (uint64_t)number * 3 ? 0 : 2;
}

static int say_and_leave(struct ls_endpoint *endpoint, int number) {
  return send_number(endpoint, 0, (uint64_t)number) ? 0 : 1;
}

/* Sends until the master, which does not read, holds it back; says so on the pipe `number`; goes
 * on. Stays until the master has it all: what is not read when a peer closes may be lost. */
static int flood(struct ls_endpoint *endpoint, int number) {
  static char filler[FLOOD_BYTES];
  uint64_t sent = 0;
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  while (sent < FLOOD_FRAMES) {
    status = ZMQ.send(endpoint, &(struct ls_frame){0, filler, sizeof filler}, 0.2, &err);
    if (status != LS_OK) break;
    sent++;
  }
  if (status != LS_EBUSY || strstr(err.text, "took no message") == NULL) return 1;
  if (write(number, "x", 1) != 1) return 4;
  for (; sent < FLOOD_FRAMES; sent++) {
    if (ZMQ.send(endpoint, &(struct ls_frame){0, filler, sizeof filler}, limit_s, NULL) != LS_OK)
      return 2;
  }
  struct ls_frame answer;
  return send_number(endpoint, 0, 4711) && receive_in_time(endpoint, &answer) ? 0 : 3;
}

/* A master that dies at once, without closing anything. */
static int listen_and_die(struct ls_endpoint *endpoint, int number) {
  (void)endpoint;
  _exit(number);
}

static const struct {
  const char *name;
  peer_fn act;
} acts[] = {
    {"send_in_order", send_in_order}, {"echo_once", echo_once}, {"say_number", say_number},
    {"say_and_leave", say_and_leave}, {"flood", flood},         {"listen_and_die", listen_and_die},
};

static const char *find_act_name(peer_fn act) {
  size_t i = 0;
  while (acts[i].act != act) i++;
  return acts[i].name;
}

/* The program as a peer: --peer ACT NUMBER ADDRESS. */
static int be_peer(char **words) {
  struct peer peer = {.number = (int)strtol(words[3], NULL, 10), .result = 91};
  for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
    if (strcmp(acts[i].name, words[2]) == 0) peer.act = acts[i].act;
  }
  snprintf(peer.address, sizeof peer.address, "%s", words[4]);
  if (peer.act == listen_and_die) {
    struct ls_endpoint *endpoint;
    if (ZMQ.listen(peer.address, &endpoint, NULL) == LS_OK) peer.act(endpoint, peer.number);
  } else {
    live(&peer);
  }
  return peer.result;
}

static void frames_keep_their_order_in_both_directions(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  struct peer peer = {.act = send_in_order, .number = 7};
  start_peer(scene, &peer, ZMQ.address(master));
  uint64_t from = 0, number;
  for (uint64_t i = 0; i < ORDER_FRAMES; i++) {
    assert_true(receive_number(master, &from, &number));
    assert_true(number == i * 100 + 7);
  }
  for (uint64_t i = 0; i < ORDER_FRAMES; i++) assert_true(send_number(master, from, i));
  assert_int_equal(join_peer(scene, &peer), 0);
  ZMQ.close(master, 1);
}

static void many_peers_are_told_apart(void **state) {
  enum { PEERS = 24 };
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  static struct peer peers[PEERS];
  uint64_t names[PEERS] = {0};
  for (int i = 0; i < PEERS; i++) {
    peers[i] = (struct peer){.act = say_number, .number = i};
    start_peer(scene, &peers[i], ZMQ.address(master));
  }
  for (int i = 0; i < PEERS; i++) {
    uint64_t from = 0, number = 0;
    assert_true(receive_number(master, &from, &number));
    assert_in_range(number, 0, PEERS - 1);
    assert_true(names[number] == 0);
    names[number] = from;
  }
  for (int i = 0; i < PEERS; i++) {
    for (int j = 0; j < i; j++) assert_true(names[i] != names[j]);
    assert_true(send_number(master, names[i], (uint64_t)i * 3));
  }
  for (int i = 0; i < PEERS; i++) assert_int_equal(join_peer(scene, &peers[i]), 0);
  ZMQ.close(master, 1);
}

static void large_frames_arrive_whole(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  struct peer peer = {.act = echo_once};
  start_peer(scene, &peer, ZMQ.address(master));
  uint64_t from = 0, number = 0;
  assert_true(receive_number(master, &from, &number));
  unsigned char *large = malloc(LARGE_BYTES);
  assert_non_null(large);
  for (size_t i = 0; i < LARGE_BYTES; i++) large[i] = (unsigned char)(i * 31 + (i >> 12));
  assert_int_equal(ZMQ.send(master, &(struct ls_frame){from, large, LARGE_BYTES}, 0, NULL), LS_OK);
  struct ls_frame frame;
  assert_true(receive_in_time(master, &frame));
  assert_int_equal(frame.length, LARGE_BYTES);
  assert_true(memcmp(frame.data, large, LARGE_BYTES) == 0);
  free(large);
  assert_int_equal(join_peer(scene, &peer), 0);
  ZMQ.close(master, 1);
}

static void empty_frames_are_frames(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  struct peer peer = {.act = echo_once};
  start_peer(scene, &peer, ZMQ.address(master));
  uint64_t from = 0, number = 0;
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(ZMQ.send(master, &(struct ls_frame){from, NULL, 0}, 0, NULL), LS_OK);
  struct ls_frame frame;
  assert_true(receive_in_time(master, &frame));
  assert_int_equal(frame.length, 0);
  assert_true(frame.peer == from);
  assert_int_equal(join_peer(scene, &peer), 0);
  ZMQ.close(master, 1);
}

static void frames_beyond_the_limit_are_refused_by_the_sender(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  struct ls_error err = {0};
  char byte = 0;
  /* Refused before it is read, so the buffer need not be that long. */
  assert_int_equal(
      ZMQ.send(master, &(struct ls_frame){1, &byte, (size_t)LS_MESSAGE_BYTES_MAX + 1}, 0, &err),
      LS_EINVAL);
  assert_non_null(strstr(err.text, ZMQ.address(master)));
  ZMQ.close(master, 0);
}

static void sending_to_a_peer_that_never_was_fails(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  struct ls_error err = {0};
  assert_int_equal(ZMQ.send(master, &(struct ls_frame){12345, "x", 1}, limit_s, &err), LS_EIO);
  assert_non_null(strstr(err.text, "peer 12345"));
  assert_int_equal(ZMQ.send(master, &(struct ls_frame){UINT64_MAX, "x", 1}, limit_s, &err), LS_EIO);
  assert_non_null(strstr(err.text, "is gone"));
  ZMQ.close(master, 0);
}

static void sending_to_a_peer_that_vanished_fails_and_harms_nobody(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  struct peer gone = {.act = say_and_leave, .number = 1}, other = {.act = say_number, .number = 5};
  uint64_t from = 0, number = 0;
  start_peer(scene, &gone, ZMQ.address(master));
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(join_peer(scene, &gone), 0);
  /* The end of a connection becomes known to the sender after a moment. */
  double until_s = ls_clock_s() + limit_s;
  struct ls_error err = {0};
  enum ls_status status;
  do {
    status = ZMQ.send(master, &(struct ls_frame){from, "x", 1}, 0, &err);
  } while (status == LS_OK && ls_clock_s() < until_s);
  assert_int_equal(status, LS_EIO);
  start_peer(scene, &other, ZMQ.address(master));
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(number, 5);
  assert_true(send_number(master, from, 15));
  assert_int_equal(join_peer(scene, &other), 0);
  ZMQ.close(master, 1);
}

/* Waits for the end of the connection, within the limit. */
static bool is_cut_in_time(struct ls_endpoint *endpoint) {
  double until_s = ls_clock_s() + limit_s;
  while (!ZMQ.is_cut(endpoint) && ls_clock_s() < until_s) {
    (void)ZMQ.wait(endpoint, NULL, 0, NULL, 1);
  }
  return ZMQ.is_cut(endpoint);
}

static void a_worker_learns_that_its_master_closed_and_finds_the_next_one(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene), *worker = NULL;
  char address[256];
  snprintf(address, sizeof address, "%s", ZMQ.address(master));
  uint64_t from = 0, number = 0;
  for (uint64_t i = 0; i < 3; i++) {
    assert_int_equal(ZMQ.connect(address, &worker, NULL), LS_OK);
    assert_true(send_number(worker, 0, i));
    assert_true(receive_number(master, &from, &number));
    assert_int_equal(number, i);
    assert_false(ZMQ.is_cut(worker));
    assert_false(ZMQ.is_cut(master));
    ZMQ.close(master, 0);
    assert_true(is_cut_in_time(worker));
    ZMQ.close(worker, 0);
    struct ls_error err = {0};
    if (ZMQ.listen(address, &master, &err) != LS_OK) fail_msg("%s", err.text);
  }
  ZMQ.close(master, 0);
}

static void a_connection_that_cannot_be_made_is_cut(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene), *worker = NULL;
  char address[256];
  snprintf(address, sizeof address, "%s", ZMQ.address(master));
  ZMQ.close(master, 0);
  /* Nobody listens there now. */
  assert_int_equal(ZMQ.connect(address, &worker, NULL), LS_OK);
  assert_true(is_cut_in_time(worker));
  ZMQ.close(worker, 0);
}

static void a_flood_is_held_back_at_its_source(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  int held[2];
  char byte;
  assert_int_equal(pipe(held), 0);
  struct peer peer = {.act = flood, .number = held[1]};
  start_peer(scene, &peer, ZMQ.address(master));
  /* The end that a process wrote to is closed here, so that its death is noticed, too. */
  if (!scene->is_threaded) (void)close(held[1]);
  assert_int_equal(read(held[0], &byte, 1), 1);
  uint64_t frames = 0;
  struct ls_frame frame;
  while (receive_in_time(master, &frame) && frame.length == FLOOD_BYTES) frames++;
  assert_int_equal(frames, FLOOD_FRAMES);
  assert_int_equal(frame.length, sizeof(uint64_t));
  assert_true(send_number(master, frame.peer, 4711));
  assert_int_equal(join_peer(scene, &peer), 0);
  assert_false(ZMQ.receive(master, &frame));
  if (scene->is_threaded) (void)close(held[1]);
  (void)close(held[0]);
  ZMQ.close(master, 0);
}

static void a_master_that_closes_still_sends_what_is_queued(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  struct peer peer = {.act = say_number, .number = 9};
  start_peer(scene, &peer, ZMQ.address(master));
  uint64_t from = 0, number = 0;
  assert_true(receive_number(master, &from, &number));
  assert_true(send_number(master, from, 27));
  ZMQ.close(master, limit_s);
  assert_int_equal(join_peer(scene, &peer), 0);
}

static void nothing_is_received_where_nothing_was_sent(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  struct ls_frame frame;
  assert_false(ZMQ.receive(master, &frame));
  assert_false(ZMQ.wait(master, NULL, 0, NULL, 0));
  assert_false(ZMQ.wait(master, NULL, 0, NULL, -1));
  assert_false(ZMQ.wait(master, NULL, 0, NULL, 0.001));
  ZMQ.close(master, 0);
}

static void waiting_hears_files_and_their_end(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  int first[2], second[2];
  assert_int_equal(pipe(first), 0);
  assert_int_equal(pipe(second), 0);
  const int files[] = {first[0], -1, second[0]};
  bool ready[3] = {true, true, true};
  assert_false(ZMQ.wait(master, files, 3, ready, 0));
  assert_false(ready[0] || ready[1] || ready[2]);
  assert_int_equal(write(second[1], "x", 1), 1);
  assert_false(ZMQ.wait(master, files, 3, ready, HUGE_VAL));
  assert_true(!ready[0] && !ready[1] && ready[2]);
  (void)close(first[1]);
  assert_false(ZMQ.wait(master, files, 3, ready, HUGE_VAL));
  assert_true(ready[0] && !ready[1] && ready[2]);
  struct peer peer = {.act = say_and_leave, .number = 4};
  start_peer(scene, &peer, ZMQ.address(master));
  double until_s = ls_clock_s() + limit_s;
  while (!ZMQ.wait(master, files, 3, ready, HUGE_VAL) && ls_clock_s() < until_s) continue;
  uint64_t number;
  assert_true(receive_number(master, NULL, &number));
  assert_int_equal(number, 4);
  assert_int_equal(join_peer(scene, &peer), 0);
  (void)close(first[0]);
  (void)close(second[0]);
  (void)close(second[1]);
  ZMQ.close(master, 0);
}

static volatile sig_atomic_t signals_heard;

static void hear_signal(int number) {
  (void)number;
  signals_heard++;
}

static void waiting_is_interrupted_by_signals(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  struct sigaction action = {.sa_handler = hear_signal}, before;
  assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
  signals_heard = 0;
  /* The timer repeats, lest a signal just before the wait is the only one. */
  const struct itimerval often = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
  assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
  assert_false(ZMQ.wait(master, NULL, 0, NULL, HUGE_VAL));
  assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
  assert_true(signals_heard > 0);
  assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
  ZMQ.close(master, 0);
}

static void an_address_that_is_taken_is_refused_by_name(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene), *second = NULL;
  struct ls_error err = {0};
  assert_int_equal(ZMQ.listen(ZMQ.address(master), &second, &err), LS_EBUSY);
  assert_non_null(strstr(err.text, ZMQ.address(master)));
  assert_null(second);
  /* The first one is unharmed, and the address is free again after it. */
  struct peer peer = {.act = say_and_leave, .number = 3};
  start_peer(scene, &peer, ZMQ.address(master));
  uint64_t number;
  assert_true(receive_number(master, NULL, &number));
  assert_int_equal(join_peer(scene, &peer), 0);
  ZMQ.close(master, 0);
  master = open_master(scene);
  ZMQ.close(master, 0);
}

static void connecting_where_nobody_listens_fails_by_name(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *endpoint = NULL;
  struct ls_error err = {0};
  if (strncmp(scene->listen, "tcp", 3) == 0) {
    /* A TCP master may come later; until then nothing is acknowledged. */
    assert_int_equal(ZMQ.connect("tcp://127.0.0.1:1", &endpoint, &err), LS_OK);
    struct ls_frame frame;
    assert_false(ZMQ.receive(endpoint, &frame));
    ZMQ.close(endpoint, 0);
    return;
  }
  assert_int_equal(ZMQ.connect(scene->listen, &endpoint, &err), LS_EIO);
  assert_non_null(strstr(err.text, scene->listen));
  assert_null(endpoint);
}

/* libzmq lets a stranger send a name of its own, and messages of several parts. */
static void frames_of_strangers_are_dropped(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene);
  void *context = zmq_ctx_new();
  void *named = zmq_socket(context, ZMQ_DEALER), *parted = zmq_socket(context, ZMQ_DEALER);
  void *ours = zmq_socket(context, ZMQ_DEALER);
  assert_int_equal(zmq_setsockopt(named, ZMQ_ROUTING_ID, "12345", 5), 0);
  assert_int_equal(zmq_connect(named, ZMQ.address(master)), 0);
  assert_int_equal(zmq_connect(parted, ZMQ.address(master)), 0);
  assert_int_equal(zmq_send(named, "a stranger", 10, 0), 10);
  assert_int_equal(zmq_send(parted, "one", 3, ZMQ_SNDMORE), 3);
  assert_int_equal(zmq_send(parted, "two", 3, 0), 3);
  assert_int_equal(zmq_connect(ours, ZMQ.address(master)), 0);
  assert_int_equal(zmq_send(ours, "single", 6, 0), 6);
  struct ls_frame frame;
  assert_true(receive_in_time(master, &frame));
  assert_int_equal(frame.length, 6);
  assert_memory_equal(frame.data, "single", 6);
  assert_false(ZMQ.receive(master, &frame));
  (void)zmq_close(named);
  (void)zmq_close(parted);
  (void)zmq_close(ours);
  (void)zmq_ctx_term(context);
  ZMQ.close(master, 0);
}

/* Addresses of one kind only. */

static void wrong_addresses_are_refused_by_name(void **state) {
  (void)state;
  char long_address[400] = "ipc:///tmp/";
  memset(long_address + 11, 'x', 300);
  char longish[200] = "ipc:///tmp/";
  memset(longish + 11, 'y', 150);
  const char *wrong[] = {"",
                         "/tmp/socket",
                         "udp://127.0.0.1:5",
                         "tcp://127.0.0.1",
                         "tcp://x",
                         "tcp://1.2.3.4:abc",
                         "tcp://127.0.0.1:-5",
                         "tcp://127.0.0.1:",
                         "inproc:/a",
                         "tcp://127.0.0.1:99999",
                         longish,
                         long_address};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_endpoint *endpoint = NULL;
    struct ls_error err = {0};
    enum ls_status status = ZMQ.listen(wrong[i], &endpoint, &err);
    if (status == LS_OK) fail_msg("listened on '%s'", wrong[i]);
    char part[41];
    snprintf(part, sizeof part, "%s", wrong[i]);
    if (strstr(err.text, part) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    assert_null(endpoint);
  }
  struct ls_endpoint *endpoint = NULL;
  struct ls_error err = {0};
  assert_int_equal(ZMQ.connect("tcp://nowhere", &endpoint, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "tcp://nowhere"));
  assert_int_equal(ZMQ.connect("nowhere", &endpoint, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "expected inproc://, ipc:// or tcp://"));
}

static void a_wildcard_port_becomes_the_chosen_one(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *first = open_master(scene), *second = open_master(scene);
  assert_null(strchr(ZMQ.address(first), '*'));
  assert_int_equal(strncmp(ZMQ.address(first), "tcp://127.0.0.1:", 16), 0);
  assert_true(strtol(ZMQ.address(first) + 16, NULL, 10) > 0);
  assert_string_not_equal(ZMQ.address(first), ZMQ.address(second));
  ZMQ.close(first, 0);
  ZMQ.close(second, 0);
}

static void the_socket_file_is_its_owners_only_and_goes_with_it(void **state) {
  const struct scene *scene = *state;
  mode_t before = umask(0);
  struct ls_endpoint *master = open_master(scene);
  struct stat info;
  assert_int_equal(stat(scene->listen + strlen("ipc://"), &info), 0);
  assert_true(S_ISSOCK(info.st_mode));
  assert_int_equal(info.st_mode & 0777, 0600);
  assert_int_equal(umask(before), 0);
  ZMQ.close(master, 0);
  assert_int_not_equal(stat(scene->listen + strlen("ipc://"), &info), 0);
}

static void a_file_that_is_no_socket_is_left_alone(void **state) {
  const struct scene *scene = *state;
  const char *path = scene->listen + strlen("ipc://");
  int file = open(path, O_CREAT | O_WRONLY, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, "precious", 8), 8);
  (void)close(file);
  struct ls_endpoint *endpoint = NULL;
  struct ls_error err = {0};
  assert_int_equal(ZMQ.listen(scene->listen, &endpoint, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "is no socket"));
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_size, 8);
  assert_int_equal(unlink(path), 0);
}

/* A master that was killed leaves its file; the next one at the path takes over. */
static void the_socket_file_of_a_dead_master_is_replaced(void **state) {
  const struct scene *scene = *state;
  struct peer dead = {.act = listen_and_die, .number = 17};
  start_peer(scene, &dead, scene->listen);
  assert_int_equal(join_peer(scene, &dead), 17);
  struct stat info;
  assert_int_equal(stat(scene->listen + strlen("ipc://"), &info), 0);
  struct ls_endpoint *master = open_master(scene);
  struct peer peer = {.act = say_number, .number = 2};
  start_peer(scene, &peer, ZMQ.address(master));
  uint64_t from = 0, number = 0;
  assert_true(receive_number(master, &from, &number));
  assert_true(send_number(master, from, 6));
  assert_int_equal(join_peer(scene, &peer), 0);
  ZMQ.close(master, 0);
}

static void a_folder_that_is_not_there_is_named(void **state) {
  const struct scene *scene = *state;
  char address[200];
  snprintf(address, sizeof address, "ipc://%s/none/master", scene->folder);
  struct ls_endpoint *endpoint = NULL;
  struct ls_error err = {0};
  assert_int_equal(ZMQ.listen(address, &endpoint, &err), LS_EIO);
  assert_non_null(strstr(err.text, address));
  assert_non_null(strstr(err.text, "No such file"));
}

/* Two masters in one process do not meet; a worker outlives its master without harm. */
static void inproc_masters_are_apart_and_may_leave_first(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *first = open_master(scene), *second = NULL, *worker = NULL;
  assert_int_equal(ZMQ.listen("inproc://second", &second, NULL), LS_OK);
  assert_int_equal(ZMQ.connect("inproc://second", &worker, NULL), LS_OK);
  assert_true(send_number(worker, 0, 8));
  uint64_t from = 0, number = 0;
  assert_true(receive_number(second, &from, &number));
  struct ls_frame frame;
  assert_false(ZMQ.receive(first, &frame));
  assert_true(send_number(second, from, 9));
  ZMQ.close(second, 0);
  assert_true(receive_number(worker, NULL, &number));
  assert_int_equal(number, 9);
  struct ls_endpoint *late = NULL;
  assert_int_equal(ZMQ.connect("inproc://second", &late, NULL), LS_EIO);
  ZMQ.close(worker, 0);
  ZMQ.close(first, 0);
}

static void closing_nothing_is_fine(void **state) {
  (void)state;
  ZMQ.close(NULL, 1);
  assert_string_equal(ZMQ.name, "zmq");
}

#define CASE(fact, scheme) \
  { #fact "/" #scheme, fact, set_up_##scheme, tear_down, NULL }
#define EVERYWHERE(fact) CASE(fact, inproc), CASE(fact, ipc), CASE(fact, tcp)

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "--peer") == 0) return be_peer(argv);
  const struct CMUnitTest tests[] = {
      EVERYWHERE(frames_keep_their_order_in_both_directions),
      EVERYWHERE(many_peers_are_told_apart),
      EVERYWHERE(large_frames_arrive_whole),
      EVERYWHERE(empty_frames_are_frames),
      EVERYWHERE(frames_beyond_the_limit_are_refused_by_the_sender),
      EVERYWHERE(sending_to_a_peer_that_never_was_fails),
      EVERYWHERE(sending_to_a_peer_that_vanished_fails_and_harms_nobody),
      EVERYWHERE(a_worker_learns_that_its_master_closed_and_finds_the_next_one),
      CASE(a_connection_that_cannot_be_made_is_cut, tcp),
      EVERYWHERE(a_flood_is_held_back_at_its_source),
      EVERYWHERE(a_master_that_closes_still_sends_what_is_queued),
      EVERYWHERE(nothing_is_received_where_nothing_was_sent),
      EVERYWHERE(waiting_hears_files_and_their_end),
      EVERYWHERE(waiting_is_interrupted_by_signals),
      EVERYWHERE(an_address_that_is_taken_is_refused_by_name),
      EVERYWHERE(connecting_where_nobody_listens_fails_by_name),
      CASE(frames_of_strangers_are_dropped, ipc),
      CASE(frames_of_strangers_are_dropped, tcp),
      cmocka_unit_test(wrong_addresses_are_refused_by_name),
      CASE(a_wildcard_port_becomes_the_chosen_one, tcp),
      CASE(the_socket_file_is_its_owners_only_and_goes_with_it, ipc),
      CASE(a_file_that_is_no_socket_is_left_alone, ipc),
      CASE(the_socket_file_of_a_dead_master_is_replaced, ipc),
      CASE(a_folder_that_is_not_there_is_named, ipc),
      CASE(inproc_masters_are_apart_and_may_leave_first, inproc),
      cmocka_unit_test(closing_nothing_is_fine),
  };
  return cmocka_run_group_tests_name("transport", tests, NULL, NULL);
}
