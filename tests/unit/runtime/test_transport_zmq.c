/* Addresses of each kind, and what listening does to files; what all transports do is in
 * tests/suite/test_transports.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "runtime/os/clock.h"
#include "runtime/transport/transport.h"
#include "runtime/transport/transport_wait.h"

#define ZMQ ls_transport_zmq

static const double limit_s = 60;

enum { DEAD = 17 };

/* The kind of address under test, and where ipc files lie. */
struct scene {
  char folder[64];
  char listen[128];
};

/* The next frame within the limit. */
static bool receive_in_time(struct ls_endpoint *endpoint, struct ls_frame *frame) {
  double until_s = ls_clock_s() + limit_s;
  while (!ZMQ.receive(endpoint, frame)) {
    if (ls_clock_s() > until_s) return false;
    (void)ls_transport_wait(&ZMQ, endpoint, &(struct ls_wait_files){0}, 1);
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
  if (ZMQ.listen(scene->listen, NULL, &master, &err) != LS_OK) fail_msg("%s", err.text);
  return master;
}

/* A worker in this process says a number, and the master hears it. */
static void must_meet(struct ls_endpoint *master) {
  struct ls_endpoint *worker = NULL;
  struct ls_error err = {0};
  uint64_t from = 0, number = 0;
  if (ZMQ.connect(ZMQ.address(master), NULL, &worker, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(send_number(worker, 0, 5));
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(number, 5);
  assert_true(send_number(master, from, 15));
  assert_true(receive_number(worker, NULL, &number));
  assert_int_equal(number, 15);
  ZMQ.close(worker, 0);
}

static int set_up(struct scene *scene, const char *scheme) {
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

static void an_address_that_is_taken_is_refused_by_name(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *master = open_master(scene), *second = NULL;
  struct ls_error err = {0};
  assert_int_equal(ZMQ.listen(ZMQ.address(master), NULL, &second, &err), LS_EBUSY);
  assert_non_null(strstr(err.text, ZMQ.address(master)));
  assert_null(second);
  /* The first one is unharmed, and the address is free again after it. */
  must_meet(master);
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
    assert_int_equal(ZMQ.connect("tcp://127.0.0.1:1", NULL, &endpoint, &err), LS_OK);
    struct ls_frame frame;
    assert_false(ZMQ.receive(endpoint, &frame));
    ZMQ.close(endpoint, 0);
    return;
  }
  assert_int_equal(ZMQ.connect(scene->listen, NULL, &endpoint, &err), LS_EIO);
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
    enum ls_status status = ZMQ.listen(wrong[i], NULL, &endpoint, &err);
    if (status == LS_OK) fail_msg("listened on '%s'", wrong[i]);
    char part[41];
    snprintf(part, sizeof part, "%s", wrong[i]);
    if (strstr(err.text, part) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    assert_null(endpoint);
  }
  struct ls_endpoint *endpoint = NULL;
  struct ls_error err = {0};
  assert_int_equal(ZMQ.connect("tcp://nowhere", NULL, &endpoint, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "tcp://nowhere"));
  assert_int_equal(ZMQ.connect("nowhere", NULL, &endpoint, &err), LS_EINVAL);
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
  assert_int_equal(ZMQ.listen(scene->listen, NULL, &endpoint, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "is no socket"));
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_size, 8);
  assert_int_equal(unlink(path), 0);
}

/* A master that was killed leaves its file; the next one at the path takes over. */
static void the_socket_file_of_a_dead_master_is_replaced(void **state) {
  const struct scene *scene = *state;
  char program[] = "test_transport_zmq", mark[] = "--listen-and-die", address[128];
  snprintf(address, sizeof address, "%s", scene->listen);
  char *words[] = {program, mark, address, NULL};
  pid_t process = 0;
  int status = 0;
  assert_int_equal(posix_spawn(&process, "/proc/self/exe", NULL, NULL, words, environ), 0);
  assert_int_equal(waitpid(process, &status, 0), process);
  assert_int_equal(WEXITSTATUS(status), DEAD);
  struct stat info;
  assert_int_equal(stat(scene->listen + strlen("ipc://"), &info), 0);
  struct ls_endpoint *master = open_master(scene);
  must_meet(master);
  ZMQ.close(master, 0);
}

static void a_folder_that_is_not_there_is_named(void **state) {
  const struct scene *scene = *state;
  char address[200];
  snprintf(address, sizeof address, "ipc://%s/none/master", scene->folder);
  struct ls_endpoint *endpoint = NULL;
  struct ls_error err = {0};
  assert_int_equal(ZMQ.listen(address, NULL, &endpoint, &err), LS_EIO);
  assert_non_null(strstr(err.text, address));
  assert_non_null(strstr(err.text, "No such file"));
}

/* Two masters in one process do not meet; a worker outlives its master without harm. */
static void inproc_masters_are_apart_and_may_leave_first(void **state) {
  const struct scene *scene = *state;
  struct ls_endpoint *first = open_master(scene), *second = NULL, *worker = NULL;
  assert_int_equal(ZMQ.listen("inproc://second", NULL, &second, NULL), LS_OK);
  assert_int_equal(ZMQ.connect("inproc://second", NULL, &worker, NULL), LS_OK);
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
  assert_int_equal(ZMQ.connect("inproc://second", NULL, &late, NULL), LS_EIO);
  ZMQ.close(worker, 0);
  ZMQ.close(first, 0);
}

/* Ends of connections of this process that the kernel gives up when the other machine is silent. */
static size_t count_watched_ends(void) {
  size_t count = 0;
  for (int file = 3; file < 256; ++file) {
    struct sockaddr_storage peer;
    socklen_t peer_bytes = sizeof peer, size = sizeof(int);
    int is_probed = 0, patience_ms = 0;
    if (getpeername(file, (struct sockaddr *)&peer, &peer_bytes) != 0) continue;
    if (peer.ss_family != AF_INET) continue;
    assert_int_equal(getsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &is_probed, &size), 0);
    assert_int_equal(getsockopt(file, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience_ms, &size), 0);
    count += is_probed != 0 && patience_ms > 0 && patience_ms <= 15000;
  }
  return count;
}

/* A machine that vanishes sends no end. */
static void the_kernel_watches_both_ends(void **state) {
  struct ls_endpoint *master = open_master(*state), *worker = NULL;
  struct ls_error err = {0};
  uint64_t from, number;
  if (ZMQ.connect(ZMQ.address(master), NULL, &worker, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(send_number(worker, 0, 5));
  assert_true(receive_number(master, &from, &number));
  assert_int_equal(count_watched_ends(), 2);
  ZMQ.close(worker, 0);
  ZMQ.close(master, 0);
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
  if (argc == 3 && strcmp(argv[1], "--listen-and-die") == 0) {
    struct ls_endpoint *endpoint;
    _exit(ZMQ.listen(argv[2], NULL, &endpoint, NULL) == LS_OK ? DEAD : 1);
  }
  const struct CMUnitTest tests[] = {
      EVERYWHERE(an_address_that_is_taken_is_refused_by_name),
      EVERYWHERE(connecting_where_nobody_listens_fails_by_name),
      CASE(frames_of_strangers_are_dropped, ipc),
      CASE(frames_of_strangers_are_dropped, tcp),
      cmocka_unit_test(wrong_addresses_are_refused_by_name),
      CASE(a_wildcard_port_becomes_the_chosen_one, tcp),
      CASE(the_kernel_watches_both_ends, tcp),
      CASE(the_socket_file_is_its_owners_only_and_goes_with_it, ipc),
      CASE(a_file_that_is_no_socket_is_left_alone, ipc),
      CASE(the_socket_file_of_a_dead_master_is_replaced, ipc),
      CASE(a_folder_that_is_not_there_is_named, ipc),
      CASE(inproc_masters_are_apart_and_may_leave_first, inproc),
      cmocka_unit_test(closing_nothing_is_fine),
  };
  return cmocka_run_group_tests_name("transport", tests, NULL, NULL);
}
