/* One suite for every transport: a master with one end or several, and its peers, which are threads
 * (inproc), processes (ipc, tcp) or ranks of MPI.  A further transport is a line in `kinds`.  Under
 * a launcher of MPI, as `test_transports --ranks MODULE FOLDER`, rank 0 is the master, and all
 * others do what it tells them over a socket in FOLDER.
 * Nothing here sleeps and hopes: each step waits for a frame, with a limit far beyond the need. */
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
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "protocol/message.h"
#include "runtime/master/guests/endpoints.h"
#include "runtime/os/clock.h"
#include "runtime/transport/mpi_module.h"
#include "runtime/transport/transport_wait.h"
#include "transport_peers.h"

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
  const int count = count_peers(scene, PEERS);
  uint64_t names[PEERS] = {0};
  for (int i = 0; i < count; i++) {
    peers[i] = (struct peer){.act = say_number, .number = i};
    start_peer(scene, &peers[i], master);
  }
  for (int i = 0; i < count; i++) {
    uint64_t from = 0, number = 0;
    assert_true(receive_number(master, &from, &number));
    assert_in_range(number, 0, (uintmax_t)count - 1);
    assert_true(names[number] == 0);
    names[number] = from;
  }
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) assert_true(names[i] != names[j]);
    assert_true(send_number(master, names[i], (uint64_t)i * 3));
  }
  for (int i = 0; i < count; i++) assert_int_equal(join_peer(scene, &peers[i]), 0);
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
    (void)ls_transport_wait(worker->transport, worker->endpoint, &no_files, 1);
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
  const int count = count_peers(scene, PEERS);
  uint64_t from = 0, number = 0;
  for (int i = 0; i < count; i++) {
    peers[i] = (struct peer){.act = say_and_stay, .number = i};
    start_peer(scene, &peers[i], master);
  }
  for (int i = 0; i < count; i++) assert_true(receive_number(master, &from, &number));
  ls_endpoints_close(master, limit_s);
  for (int i = 0; i < count; i++) assert_int_equal(join_peer(scene, &peers[i]), 0);
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

/* Peers are spread over the ends by their numbers, and that of a flood is the file it writes to:
 * whichever is free would leave the end to chance. */
enum { FLOOD_FILE = 60 * ENDS_MAX };

/* A pipe that is written to at `number`; where it is read. */
static int open_pipe(int number) {
  int held[2];
  assert_int_equal(pipe(held), 0);
  assert_int_equal(dup2(held[1], number), number);
  (void)close(held[1]);
  return held[0];
}

static void hold_back_flood(const struct scene *scene, int end) {
  struct ls_endpoints *master = open_master(scene);
  int held = open_pipe(FLOOD_FILE + end);
  char byte;
  uint64_t from = 0;
  struct peer peer = {.act = flood, .number = FLOOD_FILE + end};
  start_peer(scene, &peer, master);
  assert_int_equal(peer.end, end);
  /* The end that a process wrote to is closed here, so that its death is noticed, too; a rank opens
   * it itself. */
  bool is_inherited = !scene->kind->is_threaded && peer.rank == 0;
  if (is_inherited) (void)close(peer.number);
  assert_int_equal(read(held, &byte, 1), 1);
  uint64_t frames = 0;
  struct ls_frame frame;
  while (receive_in_time(master, &from, &frame) && frame.length == FLOOD_BYTES) frames++;
  assert_int_equal(frames, FLOOD_FRAMES);
  assert_int_equal(frame.length, sizeof(uint64_t));
  assert_true(send_number(master, from, 4711));
  assert_int_equal(join_peer(scene, &peer), 0);
  assert_true(receive_nothing(master));
  if (!is_inherited) (void)close(peer.number);
  (void)close(held);
  ls_endpoints_close(master, 0);
}

static void a_flood_is_held_back_at_its_source(void **state) {
  const struct scene *scene = *state;
  for (int end = 0; end < ENDS_MAX && scene->kind->schemes[end] != NULL; end++) {
    hold_back_flood(scene, end);
  }
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

/* Each look at MPI takes a sleep more, so sleeps tell how often it was looked at: load makes them
 * fewer.  One that spins sleeps never, and takes all the processor time that it can have. */
static void waiting_for_nothing_is_rest(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoints *master = open_master(scene);
  const char *bells = getenv("LOADSTAR_MPI_BELLS");
  long sleeps_most = bells != NULL && strcmp(bells, "no") == 0 ? 1300 : 150;
  struct rusage before, after;
  double until_s = ls_clock_s() + 1, used_s = ls_clock_processor_s();
  assert_int_equal(getrusage(RUSAGE_THREAD, &before), 0);
  for (double left_s = 1; left_s > 0; left_s = until_s - ls_clock_s()) {
    ls_endpoints_wait(master, NULL, 0, NULL, left_s);
    assert_true(receive_nothing(master));
  }
  assert_int_equal(getrusage(RUSAGE_THREAD, &after), 0);
  assert_in_range(after.ru_nvcsw - before.ru_nvcsw, 0, sleeps_most);
  assert_true(ls_clock_processor_s() - used_s < 0.2);
  ls_endpoints_close(master, 0);
}

/* Nothing moves before the master takes part.  Ranks that do not ring look all the time. */
static void sending_to_a_busy_master_is_rest(void **state) {
  const struct scene *scene = *state;
  const char *bells = getenv("LOADSTAR_MPI_BELLS");
  if (bells != NULL && strcmp(bells, "no") == 0) skip();
  struct ls_endpoints *master = open_master(scene);
  struct peer peer = {.act = send_and_rest, .number = FLOOD_FILE};
  struct ls_frame frame;
  uint64_t from = 0, number = 0;
  char byte;
  int held = open_pipe(peer.number);
  start_peer(scene, &peer, master);
  assert_int_equal(peer.end, 0);
  assert_true(receive_number(master, &from, &number));
  for (int i = 0; i < 2; i++) assert_true(send_number(master, from, 2));
  assert_int_equal(read(held, &byte, 1), 1);
  for (int i = 0; i < 2; i++) {
    assert_true(receive_in_time(master, &from, &frame));
    assert_int_equal(frame.length, LONG_BYTES);
  }
  assert_true(send_number(master, from, 3));
  assert_int_equal(join_peer(scene, &peer), 0);
  (void)close(peer.number);
  (void)close(held);
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
#define RANKS(fact)      CASE(fact, mpi), CASE(fact, joined_mpi)

static int test_ranks(void) {
  const struct CMUnitTest tests[] = {
      RANKS(frames_keep_their_order_in_both_directions),
      RANKS(many_peers_are_told_apart),
      RANKS(large_frames_arrive_whole),
      RANKS(lent_frames_arrive_whole_and_every_loan_ends),
      RANKS(empty_frames_are_frames),
      RANKS(frames_beyond_the_limit_are_refused_by_the_sender),
      RANKS(sending_to_a_peer_that_never_was_fails),
      RANKS(sending_to_a_peer_that_vanished_fails_and_harms_nobody),
      RANKS(every_visitor_has_a_number_of_its_own),
      CASE(a_worker_learns_that_its_master_closed_and_finds_the_next_one, mpi),
      RANKS(peers_learn_that_the_master_has_gone),
      RANKS(a_flood_is_held_back_at_its_source),
      RANKS(a_master_that_closes_still_sends_what_is_queued),
      RANKS(nothing_is_received_where_nothing_was_sent),
      RANKS(waiting_for_nothing_is_rest),
      RANKS(sending_to_a_busy_master_is_rest),
      RANKS(waiting_hears_files_and_their_end),
      RANKS(waiting_is_interrupted_by_signals),
  };
  return cmocka_run_group_tests_name("transports over MPI", tests, NULL, NULL);
}

/* --ranks MODULE FOLDER: MPI has no master that comes later, since all ranks start together. */
static int be_job(char **words) {
  const struct ls_mpi_module *module;
  struct ls_error err = {0};
  char address[256];
  bool is_open = getenv("OMPI_COMM_WORLD_SIZE") != NULL;
  int size = number_of(is_open ? "OMPI_COMM_WORLD_SIZE" : "PMI_SIZE");
  int rank = number_of(is_open ? "OMPI_COMM_WORLD_RANK" : "PMI_RANK"), result = 94;
  snprintf(address, sizeof address, "ipc://%s/control", words[3]);
  /* Once MPI has started at a rank, rank 0 has begun to start it, and the socket is there. */
  if (size < 2 || size > RANKS_MAX || ls_mpi_module_load(words[2], &module, &err) != LS_OK ||
      (rank == 0 &&
       ls_endpoints_listen(&job.control, &ls_transport_zmq, address, NULL, &err) != LS_OK) ||
      module->transport->start((uint32_t)size, &err) != LS_OK) {
    fprintf(stderr, "test_transports: rank %d of %d: %s\n", rank, size, err.text);
    return 95;
  }
  job.transport = module->transport;
  job.ranks = size - 1;
  kinds[KIND_MPI].transports[0] = kinds[KIND_JOINED_MPI].transports[0] = module->transport;
  if (rank > 0) {
    result = be_rank(rank, address);
  } else {
    for (int i = 1; i <= job.ranks; i++) (void)await_rank(i);
    result = test_ranks();
    for (int i = 1; i <= job.ranks; i++) order_rank(i, "", 0);
    ls_endpoints_close(&job.control, limit_s);
  }
  module->transport->end(false);
  return result;
}

int main(int argc, char **argv) {
  if (argc == 7 && strcmp(argv[1], "--peer") == 0) return be_peer(argv);
  if (argc == 4 && strcmp(argv[1], "--ranks") == 0) return be_job(argv);
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
