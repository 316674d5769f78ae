/* transport_peers.h: the masters and peers of the transports' suite.
 *
 * Peers are threads (inproc), processes (ipc, tcp) or ranks of MPI, which rank 0 tells over a
 * socket what to do. Nothing here sleeps and hopes: each step waits for a frame, with a limit far
 * beyond the need.
 */
#ifndef LS_TESTS_SUITE_TRANSPORT_PEERS_H
#define LS_TESTS_SUITE_TRANSPORT_PEERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
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
#include "runtime/master/guests/endpoints.h"
#include "runtime/os/clock.h"
#include "runtime/transport/mpi_module.h"
#include "runtime/transport/transport_wait.h"

static const double limit_s = 60;
static const struct ls_wait_files no_files;

enum { ENDS_MAX = 3, RANKS_MAX = 16 };

/* How masters and peers of a kind meet. */
struct kind {
  const struct ls_transport *transports[ENDS_MAX]; /* of the master's ends */
  const char *schemes[ENDS_MAX];                   /* NULL: no further end */
  bool is_threaded;
};

enum { KIND_INPROC, KIND_IPC, KIND_TCP, KIND_JOINED, KIND_MPI, KIND_JOINED_MPI, KINDS };

/* The transport of MPI is known when its module is loaded. */
static struct kind kinds[KINDS] = {
    [KIND_INPROC] = {{&ls_transport_zmq}, {"inproc"}, true},
    [KIND_IPC] = {{&ls_transport_zmq}, {"ipc"}, false},
    [KIND_TCP] = {{&ls_transport_zmq}, {"tcp"}, false},
    [KIND_JOINED] = {{&ls_transport_zmq, &ls_transport_zmq}, {"ipc", "tcp"}, false},
    [KIND_MPI] = {{NULL}, {"mpi"}, false},
    [KIND_JOINED_MPI] = {{NULL, &ls_transport_zmq, &ls_transport_zmq},
                         {"mpi", "ipc", "tcp"},
                         false},
};

/* Of a job of MPI. At rank 0: how the others are reached, and who of them has nothing to do. */
static struct {
  const struct ls_transport *transport;
  int ranks; /* but for rank 0 */
  struct ls_endpoints control;
  uint64_t names[RANKS_MAX];
  bool is_busy[RANKS_MAX];
  bool has_result[RANKS_MAX];
  int results[RANKS_MAX];
} job;

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
  } else if (strcmp(scheme, "mpi") == 0) {
    snprintf(address, 128, "mpi:");
  } else {
    snprintf(address, 128, "%s://%s/master", scheme, scene->folder);
  }
}

static struct ls_endpoints the_master;

/* One at a time: valid until the next call. */
static struct ls_endpoints *open_master(const struct scene *scene) {
  the_master = (struct ls_endpoints){0};
  for (int i = 0; i < ENDS_MAX && scene->kind->schemes[i] != NULL; i++) {
    char address[128];
    struct ls_error err = {0};
    write_address(scene, i, address);
    if (ls_endpoints_listen(&the_master, scene->kind->transports[i], address, NULL, &err) != LS_OK)
      fail_msg("%s", err.text);
  }
  return &the_master;
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
  struct ls_error err = {0};
  enum ls_status status = send_to(master, to, &number, sizeof number, &err);
  if (status != LS_OK) print_error("%s\n", err.text);
  return status == LS_OK;
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
  int rank; /* 0: it is none */
  int result;
};

static bool hear(struct worker *worker, struct ls_frame *frame) {
  double until_s = ls_clock_s() + limit_s;
  while (!worker->transport->receive(worker->endpoint, frame)) {
    if (ls_clock_s() > until_s) return false;
    (void)ls_transport_wait(worker->transport, worker->endpoint, &no_files, 1);
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

/* What a rank is to do; no act: to end. */
struct order {
  char act[32];
  int number;
  pid_t master;
};

/* So many of `most` can be there at once. */
static int count_peers(const struct scene *scene, int most) {
  bool has_ranks = strcmp(scene->kind->schemes[0], "mpi") == 0;
  int ends = scene->kind->schemes[1] == NULL ? 1 : ENDS_MAX;
  return has_ranks && ends * job.ranks < most ? ends * job.ranks : most;
}

static void order_rank(int rank, const char *act, int number) {
  struct order order = {.number = number, .master = getpid()};
  snprintf(order.act, sizeof order.act, "%s", act);
  assert_int_equal(
      ls_endpoints_send(&job.control, find_peer(job.names[rank]), &order, sizeof order, NULL),
      LS_OK);
}

static void start_rank(struct peer *peer) {
  int rank = 1;
  while (rank <= job.ranks && job.is_busy[rank]) rank++;
  assert_in_range(rank, 1, job.ranks);
  job.is_busy[rank] = true;
  peer->rank = rank;
  order_rank(rank, find_act_name(peer->act), peer->number);
}

/* A result is two numbers: rank, and exit code; at first, rank and -1. */
static void hear_ranks(void) {
  struct ls_peer from;
  struct ls_frame frame;
  int told[2];
  while (ls_endpoints_receive(&job.control, &from, &frame)) {
    assert_int_equal(frame.length, sizeof told);
    memcpy(told, frame.data, sizeof told);
    assert_in_range(told[0], 1, job.ranks);
    job.names[told[0]] = name_peer(from);
    job.results[told[0]] = told[1];
    job.has_result[told[0]] = true;
  }
}

/* What the master has sent moves while it waits. */
static int await_rank(int rank) {
  while (!job.has_result[rank]) {
    if (the_master.count > 0) ls_endpoints_wait(&the_master, NULL, 0, NULL, 0.001);
    ls_endpoints_wait(&job.control, NULL, 0, NULL, the_master.count > 0 ? 0.001 : 1);
    hear_ranks();
  }
  job.has_result[rank] = job.is_busy[rank] = false;
  return job.results[rank];
}

/* Peers spread over the ends of the master. A process starts this program anew: a mere fork, while
 * the threads of a transport run, could inherit a lock that nobody opens any more. */
static void start_peer(const struct scene *scene, struct peer *peer,
                       const struct ls_endpoints *master) {
  peer->kind = (size_t)(scene->kind - kinds);
  peer->end = peer->number % (int)master->count;
  snprintf(peer->address, sizeof peer->address, "%s",
           ls_endpoints_address(master, (uint32_t)peer->end));
  peer->rank = 0;
  if (strcmp(scene->kind->schemes[peer->end], "mpi") == 0) {
    start_rank(peer);
    return;
  }
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
  if (peer->rank > 0) return await_rank(peer->rank);
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
  return set_up(state, KIND_INPROC);
}

static int set_up_ipc(void **state) {
  return set_up(state, KIND_IPC);
}

static int set_up_tcp(void **state) {
  return set_up(state, KIND_TCP);
}

static int set_up_joined(void **state) {
  return set_up(state, KIND_JOINED);
}

static int set_up_mpi(void **state) {
  return set_up(state, KIND_MPI);
}

static int set_up_joined_mpi(void **state) {
  return set_up(state, KIND_JOINED_MPI);
}

/* That the folder can be removed is a test, too: no socket file is left behind. */
static int tear_down(void **state) {
  struct scene *scene = *state;
  return rmdir(scene->folder);
}

/* ---- what peers do ---- */

enum { ORDER_FRAMES = 5000, FLOOD_FRAMES = 20000, FLOOD_BYTES = 1000, LONG_BYTES = 1 << 20 };

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
    (void)ls_transport_wait(worker->transport, worker->endpoint, &no_files, 1);
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

/* A peer that only looks for a message does not hear the ring for it: it hears that in a later
 * wait, when it says nothing of what was sent since. */
static bool hear_without_wait(struct worker *worker) {
  const struct timespec pause = {.tv_nsec = 1000000};
  struct ls_frame frame;
  double until_s = ls_clock_s() + limit_s;
  while (!worker->transport->receive(worker->endpoint, &frame)) {
    if (ls_clock_s() > until_s) return false;
    (void)nanosleep(&pause, NULL);
  }
  return true;
}

/* Sends two long frames to a master that does not look, waits for half a second beside it, says on
 * the pipe `number` that this is over, and goes when it is answered. */
static int send_and_rest(struct worker *worker, int number) {
  static char filler[LONG_BYTES];
  const struct ls_wait_files at_work = {.is_relaxed = true};
  uint64_t answer;
  if (!say_number_once(worker, 1)) return 1;
  if (!hear_without_wait(worker) || !hear_without_wait(worker)) return 1;
  double until_s = ls_clock_s() + 0.5, used_s = ls_clock_processor_s();
  for (int i = 0; i < 2; i++) {
    if (say(worker, filler, sizeof filler, 0.2, NULL) != LS_OK) return 2;
  }
  for (double left_s = 0.5; left_s > 0; left_s = until_s - ls_clock_s()) {
    (void)ls_transport_wait(worker->transport, worker->endpoint, &at_work, left_s);
  }
  used_s = ls_clock_processor_s() - used_s;
  if (write(number, "x", 1) != 1) return 3;
  if (!hear_number(worker, &answer)) return 4;
  return used_s < 0.1 ? 0 : 5;
}

static const struct {
  const char *name;
  peer_fn act;
  bool has_file; /* its number is a descriptor of the master's process */
} acts[] = {
    {"send_in_order", send_in_order, false}, {"echo_once", echo_once, false},
    {"say_number", say_number, false},       {"say_and_leave", say_and_leave, false},
    {"say_and_stay", say_and_stay, false},   {"flood", flood, true},
    {"send_and_rest", send_and_rest, true},
};

static const char *find_act_name(peer_fn act) {
  size_t i = 0;
  while (acts[i].act != act) i++;
  return acts[i].name;
}

/* A file of rank 0, which is on the same machine. */
static int open_file_of(pid_t process, int file) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)process, file);
  return open(path, O_WRONLY | O_CLOEXEC);
}

static void follow_order(const struct order *order, int told[2]) {
  struct worker worker = {.transport = job.transport};
  int number = order->number;
  told[1] = 90;
  if (worker.transport->connect("mpi:", NULL, &worker.endpoint, NULL) != LS_OK) return;
  for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
    if (strcmp(acts[i].name, order->act) != 0) continue;
    if (acts[i].has_file) number = open_file_of(order->master, order->number);
    told[1] = acts[i].act(&worker, number);
    if (acts[i].has_file) (void)close(number);
  }
  worker.transport->close(worker.endpoint, limit_s);
}

/* The program as a rank but 0: does what it is told until it is told to end. */
static int be_rank(int rank, const char *address) {
  struct worker control = {.transport = &ls_transport_zmq};
  struct ls_frame frame;
  struct order order;
  int told[2] = {rank, -1};
  double until_s = ls_clock_s() + limit_s;
  while (control.transport->connect(address, NULL, &control.endpoint, NULL) != LS_OK) {
    if (ls_clock_s() > until_s) return 91;
    (void)sched_yield();
  }
  do {
    if (say(&control, told, sizeof told, limit_s, NULL) != LS_OK) return 92;
    /* A suite lasts longer than a step of it. */
    bool has = false;
    for (int i = 0; i < 10 && !has; i++) has = hear(&control, &frame);
    if (!has || frame.length != sizeof order) return 93;
    memcpy(&order, frame.data, sizeof order);
    if (order.act[0] != '\0') follow_order(&order, told);
  } while (order.act[0] != '\0');
  control.transport->close(control.endpoint, 0);
  return 0;
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

static int number_of(const char *name) {
  const char *text = getenv(name);
  return text != NULL ? (int)strtol(text, NULL, 10) : -1;
}

#endif
