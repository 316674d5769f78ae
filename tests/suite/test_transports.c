/* One suite for every transport: a master with one end or several, and its peers, which are threads
 * (inproc) or processes (all others).  A further transport is a line in `kinds`.
 * Nothing here sleeps and hopes: each step waits for a frame, with a limit far beyond the need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "protocol/message.h"
#include "runtime/clock.h"
#include "runtime/endpoints.h"

static const double limit_s = 60;

enum { ENDS_MAX = 2 };

/* How masters and peers of a kind meet. */
struct kind {
  const struct ls_transport *transports[ENDS_MAX]; /* of the master's ends */
  const char *schemes[ENDS_MAX];                   /* NULL: no further end */
  bool is_threaded;
};

static const struct kind kinds[] = {
    {{&ls_transport_zmq}, {"inproc"}, true},
    {{&ls_transport_zmq}, {"ipc"}, false},
    {{&ls_transport_zmq}, {"tcp"}, false},
    {{&ls_transport_zmq, &ls_transport_zmq}, {"ipc", "tcp"}, false},
};

/* The kind under test, and where ipc files lie. */
struct scene {
  const struct kind *kind;
  char folder[64];
};

/* A peer of the master, as one number. */
static uint64_t name_peer(struct ls_peer peer) {
  return (uint64_t)peer.endpoint << 60 | peer.number;
}

static struct ls_peer find_peer(uint64_t name) {
  return (struct ls_peer){(uint32_t)(name >> 60), name & (UINT64_MAX >> 4)};
}

static void write_address(const struct scene *scene, int end, char address[128]) {
  const char *scheme = scene->kind->schemes[end];
  if (strcmp(scheme, "tcp") == 0) {
    snprintf(address, 128, "tcp://127.0.0.1:*");
  } else {
    snprintf(address, 128, "%s://%s/master", scheme, scene->folder);
  }
}

/* One at a time: valid until the next call. */
static struct ls_endpoints *open_master(const struct scene *scene) {
  static struct ls_endpoints master;
  master = (struct ls_endpoints){0};
  for (int i = 0; i < ENDS_MAX && scene->kind->schemes[i] != NULL; i++) {
    char address[128];
    struct ls_error err = {0};
    write_address(scene, i, address);
    if (ls_endpoints_listen(&master, scene->kind->transports[i], address, NULL, &err) != LS_OK)
      fail_msg("%s", err.text);
  }
  return &master;
}

/* The next frame within the limit; all who send are admitted. */
static bool receive_in_time(struct ls_endpoints *master, uint64_t *from, struct ls_frame *frame) {
  double until_s = ls_clock_s() + limit_s;
  struct ls_peer peer;
  while (!ls_endpoints_receive(master, &peer, frame)) {
    if (ls_clock_s() > until_s) return false;
    ls_endpoints_wait(master, NULL, 0, NULL, 1);
  }
  ls_endpoints_admit(master, peer);
  *from = name_peer(peer);
  return true;
}

static bool receive_number(struct ls_endpoints *master, uint64_t *from, uint64_t *number) {
  struct ls_frame frame;
  if (!receive_in_time(master, from, &frame) || frame.length != sizeof *number) return false;
  memcpy(number, frame.data, sizeof *number);
  return true;
}

static bool receive_nothing(struct ls_endpoints *master) {
  struct ls_peer from;
  struct ls_frame frame;
  return !ls_endpoints_receive(master, &from, &frame);
}

static enum ls_status send_to(struct ls_endpoints *master, uint64_t to, const void *data,
                              size_t length, struct ls_error *err) {
  return ls_endpoints_send(master, find_peer(to), data, length, err);
}

static bool send_number(struct ls_endpoints *master, uint64_t to, uint64_t number) {
  return send_to(master, to, &number, sizeof number, NULL) == LS_OK;
}

/* ---- peers ---- */

/* A worker's end. */
struct worker {
  const struct ls_transport *transport;
  struct ls_endpoint *endpoint;
};

/* The life of a peer; the return value is its exit code, 0: all well. */
typedef int (*peer_fn)(struct worker *worker, int number);

struct peer {
  peer_fn act;
  int number;
  size_t kind;
  int end;
  char address[256];
  pthread_t thread;
  pid_t process;
  int result;
};

static bool hear(struct worker *worker, struct ls_frame *frame) {
  double until_s = ls_clock_s() + limit_s;
  while (!worker->transport->receive(worker->endpoint, frame)) {
    if (ls_clock_s() > until_s) return false;
    (void)worker->transport->wait(worker->endpoint, NULL, 0, NULL, 1);
  }
  return true;
}

static bool hear_number(struct worker *worker, uint64_t *number) {
  struct ls_frame frame;
  if (!hear(worker, &frame) || frame.length != sizeof *number) return false;
  memcpy(number, frame.data, sizeof *number);
  return true;
}

static enum ls_status say(struct worker *worker, const void *data, size_t length, double patience_s,
                          struct ls_error *err) {
  const struct ls_frame frame = {0, data, length};
  return worker->transport->send(worker->endpoint, &frame, patience_s, err);
}

static bool say_number_once(struct worker *worker, uint64_t number) {
  return say(worker, &number, sizeof number, limit_s, NULL) == LS_OK;
}

static void *live(void *context) {
  struct peer *peer = context;
  struct worker worker = {.transport = kinds[peer->kind].transports[peer->end]};
  peer->result = 90;
  if (worker.transport->connect(peer->address, NULL, &worker.endpoint, NULL) != LS_OK) return NULL;
  peer->result = peer->act(&worker, peer->number);
  worker.transport->close(worker.endpoint, limit_s);
  return NULL;
}

static const char *find_act_name(peer_fn act);

/* Peers spread over the ends of the master. A process starts this program anew: a mere fork, while
 * the threads of a transport run, could inherit a lock that nobody opens any more. */
static void start_peer(const struct scene *scene, struct peer *peer,
                       const struct ls_endpoints *master) {
  peer->kind = (size_t)(scene->kind - kinds);
  peer->end = peer->number % (int)master->count;
  snprintf(peer->address, sizeof peer->address, "%s",
           ls_endpoints_address(master, (uint32_t)peer->end));
  if (scene->kind->is_threaded) {
    assert_int_equal(pthread_create(&peer->thread, NULL, live, peer), 0);
    return;
  }
  char number[16], kind[16], end[16], act[32], program[] = "test_transports", mark[] = "--peer";
  snprintf(number, sizeof number, "%d", peer->number);
  snprintf(kind, sizeof kind, "%zu", peer->kind);
  snprintf(end, sizeof end, "%d", peer->end);
  snprintf(act, sizeof act, "%s", find_act_name(peer->act));
  char *words[] = {program, mark, act, number, kind, end, peer->address, NULL};
  assert_int_equal(posix_spawn(&peer->process, "/proc/self/exe", NULL, NULL, words, environ), 0);
}

static int join_peer(const struct scene *scene, struct peer *peer) {
  if (scene->kind->is_threaded) {
    assert_int_equal(pthread_join(peer->thread, NULL), 0);
    return peer->result;
  }
  int status = 0;
  assert_int_equal(waitpid(peer->process, &status, 0), peer->process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static struct scene the_scene;

static int set_up(void **state, size_t kind) {
  *state = &the_scene;
  the_scene.kind = &kinds[kind];
  snprintf(the_scene.folder, sizeof the_scene.folder, "/tmp/ls-transport-XXXXXX");
  return mkdtemp(the_scene.folder) == NULL ? -1 : 0;
}

static int set_up_inproc(void **state) {
  return set_up(state, 0);
}

static int set_up_ipc(void **state) {
  return set_up(state, 1);
}

static int set_up_tcp(void **state) {
  return set_up(state, 2);
}

static int set_up_joined(void **state) {
  return set_up(state, 3);
}

/* That the folder can be removed is a test, too: no socket file is left behind. */
static int tear_down(void **state) {
  struct scene *scene = *state;
  return rmdir(scene->folder);
}

/* ---- what peers do ---- */

enum { ORDER_FRAMES = 5000, FLOOD_FRAMES = 20000, FLOOD_BYTES = 1000 };

static int send_in_order(struct worker *worker, int number) {
  for (uint64_t i = 0; i < ORDER_FRAMES; i++) {
    if (!say_number_once(worker, i * 100 + (uint64_t)number)) return 1;
  }
  uint64_t answer;
  for (uint64_t i = 0; i < ORDER_FRAMES; i++) {
    if (!hear_number(worker, &answer) || answer != i) return 2;
  }
  return 0;
}

static int echo_once(struct worker *worker, int number) {
  (void)number;
  struct ls_frame frame;
  if (!say_number_once(worker, 1) || !hear(worker, &frame)) return 1;
  return say(worker, frame.data, frame.length, limit_s, NULL) == LS_OK ? 0 : 2;
}

static int say_number(struct worker *worker, int number) {
  uint64_t answer;
  if (!say_number_once(worker, (uint64_t)number)) return 1;
  return hear_number(worker, &answer) && answer == (uint64_t)number * 3 ? 0 : 2;
}

static int say_and_leave(struct worker *worker, int number) {
  return say_number_once(worker, (uint64_t)number) ? 0 : 1;
}

/* A number, and then nothing until the master has gone. */
static int say_and_stay(struct worker *worker, int number) {
  struct ls_frame frame;
  if (!say_number_once(worker, (uint64_t)number)) return 1;
  double until_s = ls_clock_s() + limit_s;
  while (!worker->transport->is_cut(worker->endpoint) && ls_clock_s() < until_s) {
    (void)worker->transport->wait(worker->endpoint, NULL, 0, NULL, 1);
  }
  return worker->transport->receive(worker->endpoint, &frame) ? 2 : 0;
}

/* Sends until the master, which does not read, holds it back; says so on the pipe `number`; goes
 * on. Stays until the master has it all: what is not read when a peer closes may be lost. */
static int flood(struct worker *worker, int number) {
  static char filler[FLOOD_BYTES];
  uint64_t sent = 0, answer;
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  while (sent < FLOOD_FRAMES) {
    status = say(worker, filler, sizeof filler, 0.2, &err);
    if (status != LS_OK) break;
    sent++;
  }
  if (status != LS_EBUSY || strstr(err.text, "took no message") == NULL) return 1;
  if (write(number, "x", 1) != 1) return 4;
  for (; sent < FLOOD_FRAMES; sent++) {
    if (say(worker, filler, sizeof filler, limit_s, NULL) != LS_OK) return 2;
  }
  return say_number_once(worker, 4711) && hear_number(worker, &answer) ? 0 : 3;
}

static const struct {
  const char *name;
  peer_fn act;
} acts[] = {
    {"send_in_order", send_in_order}, {"echo_once", echo_once},       {"say_number", say_number},
    {"say_and_leave", say_and_leave}, {"say_and_stay", say_and_stay}, {"flood", flood},
};

static const char *find_act_name(peer_fn act) {
  size_t i = 0;
  while (acts[i].act != act) i++;
  return acts[i].name;
}

/* The program as a peer: --peer ACT NUMBER KIND END ADDRESS. */
static int be_peer(char **words) {
  struct peer peer = {.number = (int)strtol(words[3], NULL, 10),
                      .kind = strtoul(words[4], NULL, 10),
                      .end = (int)strtol(words[5], NULL, 10),
                      .result = 91};
  for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
    if (strcmp(acts[i].name, words[2]) == 0) peer.act = acts[i].act;
  }
  snprintf(peer.address, sizeof peer.address, "%s", words[6]);
  live(&peer);
  return peer.result;
}

/* ---- the facts ---- */

static void frames_keep_their_order_in_both_directions(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct peer peer = {.act = send_in_order, .number = 7};
  start_peer(scene, &peer, master);
  uint64_t from = 0, number;
  for (uint64_t i = 0; i < ORDER_FRAMES; i++) {
    assert_true(receive_number(master, &from, &number));
    assert_true(number == i * 100 + 7);
  }
  for (uint64_t i = 0; i < ORDER_FRAMES; i++) assert_true(send_number(master, from, i));
  assert_int_equal(join_peer(scene, &peer), 0);
  ls_endpoints_close(master, 1);
}

static void many_peers_are_told_apart(void **state) {
  enum { PEERS = 24 };
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct peer peers[PEERS];
  uint64_t names[PEERS] = {0};
  for (int i = 0; i < PEERS; i++) {
    peers[i] = (struct peer){.act = say_number, .number = i};
    start_peer(scene, &peers[i], master);
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
  ls_endpoints_close(master, 1);
}

static void large_frames_arrive_whole(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct peer peer = {.act = echo_once};
  start_peer(scene, &peer, master);
  uint64_t from = 0, number = 0;
  assert_true(receive_number(master, &from, &number));
  unsigned char *large = malloc(LS_MESSAGE_BYTES_MAX);
  assert_non_null(large);
  for (size_t i = 0; i < LS_MESSAGE_BYTES_MAX; i++) large[i] = (unsigned char)(i * 31 + (i >> 12));
  assert_int_equal(send_to(master, from, large, LS_MESSAGE_BYTES_MAX, NULL), LS_OK);
  struct ls_frame frame;
  assert_true(receive_in_time(master, &from, &frame));
  assert_int_equal(frame.length, LS_MESSAGE_BYTES_MAX);
  assert_true(memcmp(frame.data, large, LS_MESSAGE_BYTES_MAX) == 0);
  free(large);
  assert_int_equal(join_peer(scene, &peer), 0);
  ls_endpoints_close(master, 1);
}

static void count_release(void *context) {
  atomic_fetch_add((_Atomic int *)context, 1);
}

/* The data is read where it lies, and given back once, whatever becomes of it. */
static void lent_frames_arrive_whole_and_every_loan_ends(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct peer peer = {.act = echo_once};
  _Atomic int ended = 0;
  const struct ls_loan loan = {count_release, &ended};
  uint64_t from = 0, number = 0;
  struct ls_frame frame;
  unsigned char *large = malloc(LS_MESSAGE_BYTES_MAX);
  assert_non_null(large);
  for (size_t i = 0; i < LS_MESSAGE_BYTES_MAX; i++) large[i] = (unsigned char)(i * 7 + (i >> 10));
  const struct ls_blob blob = {large, LS_MESSAGE_BYTES_MAX}, too_long = {large, blob.length + 1};
  start_peer(scene, &peer, master);
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(ls_endpoints_lend(master, find_peer(from), &blob, &loan, NULL), LS_OK);
  assert_true(receive_in_time(master, &from, &frame));
  assert_int_equal(frame.length, blob.length);
  assert_true(memcmp(frame.data, large, blob.length) == 0);
  assert_int_equal(join_peer(scene, &peer), 0);
  assert_int_equal(ls_endpoints_lend(master, find_peer(12345), &blob, &loan, NULL), LS_EIO);
  assert_int_equal(ls_endpoints_lend(master, find_peer(from), &too_long, &loan, NULL), LS_EINVAL);
  ls_endpoints_close(master, 0);
  assert_int_equal(ended, 3);
  free(large);
}

static void empty_frames_are_frames(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct peer peer = {.act = echo_once};
  start_peer(scene, &peer, master);
  uint64_t from = 0, number = 0;
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(send_to(master, from, NULL, 0, NULL), LS_OK);
  struct ls_frame frame;
  uint64_t again = 0;
  assert_true(receive_in_time(master, &again, &frame));
  assert_int_equal(frame.length, 0);
  assert_true(again == from);
  assert_int_equal(join_peer(scene, &peer), 0);
  ls_endpoints_close(master, 1);
}

static void frames_beyond_the_limit_are_refused_by_the_sender(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct ls_error err = {0};
  char byte = 0;
  /* Refused before it is read, so the buffer need not be that long. */
  assert_int_equal(send_to(master, 1, &byte, (size_t)LS_MESSAGE_BYTES_MAX + 1, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, ls_endpoints_address(master, 0)));
  ls_endpoints_close(master, 0);
}

static void sending_to_a_peer_that_never_was_fails(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct ls_error err = {0};
  assert_int_equal(send_to(master, 12345, "x", 1, &err), LS_EIO);
  assert_non_null(strstr(err.text, "peer 12345"));
  assert_int_equal(send_to(master, UINT64_MAX >> 4, "x", 1, &err), LS_EIO);
  assert_non_null(strstr(err.text, "is gone"));
  ls_endpoints_close(master, 0);
}

static void sending_to_a_peer_that_vanished_fails_and_harms_nobody(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct peer gone = {.act = say_and_leave, .number = 1}, other = {.act = say_number, .number = 5};
  uint64_t from = 0, number = 0;
  start_peer(scene, &gone, master);
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(join_peer(scene, &gone), 0);
  /* The end of a connection becomes known to the sender after a moment. */
  double until_s = ls_clock_s() + limit_s;
  struct ls_error err = {0};
  enum ls_status status;
  do {
    status = send_to(master, from, "x", 1, &err);
  } while (status == LS_OK && ls_clock_s() < until_s);
  assert_int_equal(status, LS_EIO);
  start_peer(scene, &other, master);
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(number, 5);
  assert_true(send_number(master, from, 15));
  assert_int_equal(join_peer(scene, &other), 0);
  ls_endpoints_close(master, 1);
}

static bool is_cut_in_time(struct worker *worker) {
  double until_s = ls_clock_s() + limit_s;
  while (!worker->transport->is_cut(worker->endpoint) && ls_clock_s() < until_s) {
    (void)worker->transport->wait(worker->endpoint, NULL, 0, NULL, 1);
  }
  return worker->transport->is_cut(worker->endpoint);
}

/* The next master listens where the one before did. */
static void a_worker_learns_that_its_master_closed_and_finds_the_next_one(void **state) {
  const struct scene *scene = *state;
  struct worker worker = {.transport = scene->kind->transports[0]};
  struct ls_endpoints *master = open_master(scene);
  char address[256];
  snprintf(address, sizeof address, "%s", ls_endpoints_address(master, 0));
  uint64_t from = 0, number = 0;
  for (uint64_t i = 0; i < 3; i++) {
    assert_int_equal(worker.transport->connect(address, NULL, &worker.endpoint, NULL), LS_OK);
    assert_true(say_number_once(&worker, i));
    assert_true(receive_number(master, &from, &number));
    assert_int_equal(number, i);
    assert_false(worker.transport->is_cut(worker.endpoint));
    ls_endpoints_close(master, 0);
    assert_true(is_cut_in_time(&worker));
    assert_int_equal(say(&worker, "x", 1, limit_s, NULL), LS_EIO);
    worker.transport->close(worker.endpoint, 0);
    struct ls_error err = {0};
    if (ls_endpoints_listen(master, worker.transport, address, NULL, &err) != LS_OK)
      fail_msg("%s", err.text);
  }
  ls_endpoints_close(master, 0);
}

/* Nobody listens yet: the worker asks again, and finds the master that comes. */
static void a_worker_that_was_too_early_joins_later(void **state) {
  const struct scene *scene = *state;
  struct worker worker = {.transport = scene->kind->transports[0]};
  struct ls_endpoints *master = open_master(scene);
  char address[256];
  uint64_t from = 0, number = 0;
  snprintf(address, sizeof address, "%s", ls_endpoints_address(master, 0));
  ls_endpoints_close(master, 0);
  enum ls_status status = worker.transport->connect(address, NULL, &worker.endpoint, NULL);
  if (status == LS_OK) {
    assert_true(is_cut_in_time(&worker));
    worker.transport->close(worker.endpoint, 0);
  } else {
    assert_int_equal(status, LS_EIO);
  }
  assert_int_equal(ls_endpoints_listen(master, worker.transport, address, NULL, NULL), LS_OK);
  assert_int_equal(worker.transport->connect(address, NULL, &worker.endpoint, NULL), LS_OK);
  assert_true(say_number_once(&worker, 6));
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(number, 6);
  worker.transport->close(worker.endpoint, 0);
  ls_endpoints_close(master, 0);
}

static void peers_learn_that_the_master_has_gone(void **state) {
  enum { PEERS = 4 };
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct peer peers[PEERS];
  uint64_t from = 0, number = 0;
  for (int i = 0; i < PEERS; i++) {
    peers[i] = (struct peer){.act = say_and_stay, .number = i};
    start_peer(scene, &peers[i], master);
  }
  for (int i = 0; i < PEERS; i++) assert_true(receive_number(master, &from, &number));
  ls_endpoints_close(master, limit_s);
  for (int i = 0; i < PEERS; i++) assert_int_equal(join_peer(scene, &peers[i]), 0);
}

/* Numbers are never given twice, so a peer that has gone is not mistaken for the next one. */
static void every_visitor_has_a_number_of_its_own(void **state) {
  enum { VISITS = 300 };
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  uint64_t names[VISITS], number = 0;
  for (uint64_t i = 0; i < VISITS; i++) {
    uint32_t end = (uint32_t)(i % master->count);
    struct worker worker = {.transport = scene->kind->transports[end]};
    const char *address = ls_endpoints_address(master, end);
    assert_int_equal(worker.transport->connect(address, NULL, &worker.endpoint, NULL), LS_OK);
    assert_true(say_number_once(&worker, i));
    assert_true(receive_number(master, &names[i], &number));
    assert_int_equal(number, i);
    for (uint64_t j = 0; j < i; j++) assert_true(names[j] != names[i]);
    worker.transport->close(worker.endpoint, 0);
  }
  ls_endpoints_close(master, 0);
}

static void a_flood_is_held_back_at_its_source(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  int held[2];
  char byte;
  assert_int_equal(pipe(held), 0);
  uint64_t from = 0;
  struct peer peer = {.act = flood, .number = held[1]};
  start_peer(scene, &peer, master);
  /* The end that a process wrote to is closed here, so that its death is noticed, too. */
  if (!scene->kind->is_threaded) (void)close(held[1]);
  assert_int_equal(read(held[0], &byte, 1), 1);
  uint64_t frames = 0;
  struct ls_frame frame;
  while (receive_in_time(master, &from, &frame) && frame.length == FLOOD_BYTES) frames++;
  assert_int_equal(frames, FLOOD_FRAMES);
  assert_int_equal(frame.length, sizeof(uint64_t));
  assert_true(send_number(master, from, 4711));
  assert_int_equal(join_peer(scene, &peer), 0);
  assert_true(receive_nothing(master));
  if (scene->kind->is_threaded) (void)close(held[1]);
  (void)close(held[0]);
  ls_endpoints_close(master, 0);
}

static void a_master_that_closes_still_sends_what_is_queued(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct peer peer = {.act = say_number, .number = 9};
  start_peer(scene, &peer, master);
  uint64_t from = 0, number = 0;
  assert_true(receive_number(master, &from, &number));
  assert_true(send_number(master, from, 27));
  ls_endpoints_close(master, limit_s);
  assert_int_equal(join_peer(scene, &peer), 0);
}

static void nothing_is_received_where_nothing_was_sent(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  static const double seconds[] = {0, -1, 0.001};
  for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
    ls_endpoints_wait(master, NULL, 0, NULL, seconds[i]);
    assert_true(receive_nothing(master));
  }
  ls_endpoints_close(master, 0);
}

static void waiting_hears_files_and_their_end(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  int first[2], second[2];
  assert_int_equal(pipe(first), 0);
  assert_int_equal(pipe(second), 0);
  const int files[] = {first[0], -1, second[0]};
  bool ready[3] = {true, true, true};
  ls_endpoints_wait(master, files, 3, ready, 0);
  assert_false(ready[0] || ready[1] || ready[2]);
  assert_int_equal(write(second[1], "x", 1), 1);
  ls_endpoints_wait(master, files, 3, ready, HUGE_VAL);
  assert_true(!ready[0] && !ready[1] && ready[2]);
  (void)close(first[1]);
  ls_endpoints_wait(master, files, 3, ready, HUGE_VAL);
  assert_true(ready[0] && !ready[1] && ready[2]);
  struct peer peer = {.act = say_and_leave, .number = 4};
  start_peer(scene, &peer, master);
  uint64_t from = 0, number = 0;
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(number, 4);
  assert_int_equal(join_peer(scene, &peer), 0);
  (void)close(first[0]);
  (void)close(second[0]);
  (void)close(second[1]);
  ls_endpoints_close(master, 0);
}

static volatile sig_atomic_t signals_heard;

static void hear_signal(int number) {
  (void)number;
  signals_heard++;
}

static void waiting_is_interrupted_by_signals(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  struct sigaction action = {.sa_handler = hear_signal}, before;
  assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
  signals_heard = 0;
  /* The timer repeats, lest a signal just before the wait is the only one. */
  const struct itimerval often = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
  assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
  ls_endpoints_wait(master, NULL, 0, NULL, HUGE_VAL);
  assert_true(receive_nothing(master));
  assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
  assert_true(signals_heard > 0);
  assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
  ls_endpoints_close(master, 0);
}

/* Peers of one context, for a thousand with threads of their own would be another test. */
static void a_thousand_peers_are_served(void **state) {
  enum { PEERS = 1000 };
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  void *context = zmq_ctx_new(), **sockets = calloc(PEERS, sizeof *sockets);
  const char *address = ls_endpoints_address(master, 0);
  uint64_t sum = 0;
  assert_non_null(sockets);
  assert_int_equal(zmq_ctx_set(context, ZMQ_MAX_SOCKETS, PEERS + 10), 0);
  for (uint64_t i = 0; i < PEERS; i++) {
    sockets[i] = zmq_socket(context, ZMQ_DEALER);
    assert_non_null(sockets[i]);
    assert_int_equal(zmq_connect(sockets[i], address), 0);
    assert_int_equal(zmq_send(sockets[i], &i, sizeof i, 0), sizeof i);
  }
  for (int i = 0; i < PEERS; i++) {
    uint64_t from = 0, number = 0;
    assert_true(receive_number(master, &from, &number));
    sum += number;
    assert_true(send_number(master, from, number * 3));
  }
  assert_int_equal(sum, (uint64_t)PEERS * (PEERS - 1) / 2);
  for (uint64_t i = 0; i < PEERS; i++) {
    uint64_t answer = 0;
    assert_int_equal(zmq_recv(sockets[i], &answer, sizeof answer, 0), sizeof answer);
    assert_int_equal(answer, i * 3);
    zmq_close(sockets[i]);
  }
  free(sockets);
  zmq_ctx_term(context);
  ls_endpoints_close(master, 0);
}

#define CASE(fact, kind) \
  { #fact "/" #kind, fact, set_up_##kind, tear_down, NULL }
#define EVERYWHERE(fact) CASE(fact, inproc), CASE(fact, ipc), CASE(fact, tcp), CASE(fact, joined)

int main(int argc, char **argv) {
  if (argc == 7 && strcmp(argv[1], "--peer") == 0) return be_peer(argv);
  const struct CMUnitTest tests[] = {
      EVERYWHERE(frames_keep_their_order_in_both_directions),
      EVERYWHERE(many_peers_are_told_apart),
      EVERYWHERE(large_frames_arrive_whole),
      EVERYWHERE(lent_frames_arrive_whole_and_every_loan_ends),
      EVERYWHERE(empty_frames_are_frames),
      EVERYWHERE(frames_beyond_the_limit_are_refused_by_the_sender),
      EVERYWHERE(sending_to_a_peer_that_never_was_fails),
      EVERYWHERE(sending_to_a_peer_that_vanished_fails_and_harms_nobody),
      EVERYWHERE(every_visitor_has_a_number_of_its_own),
      EVERYWHERE(a_worker_learns_that_its_master_closed_and_finds_the_next_one),
      EVERYWHERE(a_worker_that_was_too_early_joins_later),
      EVERYWHERE(peers_learn_that_the_master_has_gone),
      EVERYWHERE(a_flood_is_held_back_at_its_source),
      EVERYWHERE(a_master_that_closes_still_sends_what_is_queued),
      EVERYWHERE(nothing_is_received_where_nothing_was_sent),
      EVERYWHERE(waiting_hears_files_and_their_end),
      EVERYWHERE(waiting_is_interrupted_by_signals),
      CASE(a_thousand_peers_are_served, ipc),
      CASE(a_thousand_peers_are_served, tcp),
  };
  return cmocka_run_group_tests_name("transports", tests, NULL, NULL);
}
