/* A team ends when all of it have, with the gravest of their statuses, and leaves nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/worker_process.h"
#include "cli/worker_team.h"
#include "protocol/message.h"
#include "runtime/transport/transport_wait.h"

static struct ls_worker_options make_worker(const char *address) {
  return (struct ls_worker_options){.transport = &ls_transport_zmq,
                                    .address = address,
                                    .name = "team",
                                    .speed = 1,
                                    .lifeline = -1,
                                    .wait_s = 0.05};
}

static void expect_nobody(void) {
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

static void without_a_master_each_gives_up(void **state) {
  (void)state;
  const struct ls_worker_options worker = make_worker("tcp://127.0.0.1:1");
  assert_int_equal(ls_worker_team_run("test", &worker, 3), LS_EXIT_INFRASTRUCTURE);
  expect_nobody();
}

static void the_gravest_status_is_the_teams(void **state) {
  (void)state;
  const struct ls_worker_options worker = make_worker("nowhere");
  assert_int_equal(ls_worker_team_run("test", &worker, 2), LS_EXIT_USAGE);
  expect_nobody();
}

/* The number behind the dot of what the next newcomer says of its place, who is then refused. */
static int refuse_one(struct ls_endpoint *master, const char *place) {
  struct ls_decoder decoder = {0};
  struct ls_message hello, refused = {.kind = LS_MESSAGE_REFUSED, .text = {"no", 2}};
  struct ls_bytes answer = {0};
  struct ls_frame frame;
  char said[LS_WORKER_PLACE_MAX + 12];
  while (!ls_transport_zmq.receive(master, &frame))
    (void)ls_transport_wait(&ls_transport_zmq, master, &(struct ls_wait_files){0}, 60);
  const struct ls_blob blob = {frame.data, frame.length};
  size_t offset = 0;
  assert_int_equal(ls_message_decode_next(&decoder, &blob, &offset, &hello, NULL), LS_OK);
  assert_int_equal(hello.kind, LS_MESSAGE_HELLO);
  (void)snprintf(said, sizeof said, "%.*s", (int)hello.place.length,
                 (const char *)hello.place.data);
  size_t length = strlen(place);
  int number = 0, end = 0;
  if (strncmp(said, place, length) != 0 || sscanf(said + length, ".%d%n", &number, &end) != 1 ||
      said[length + (size_t)end] != '\0')
    fail_msg("'%s', expected '%s.NUMBER'", said, place);
  ls_message_encode(&refused, &answer);
  const struct ls_frame words = {.peer = frame.peer, .data = answer.data, .length = answer.length};
  assert_int_equal(ls_transport_zmq.send(master, &words, 0, NULL), LS_OK);
  ls_bytes_close(&answer);
  ls_decoder_close(&decoder);
  return number;
}

/* The status of a team whose master's address comes through this file, up to its end. */
static int serve_at(int file, const char *place) {
  char address[100];
  size_t length = 0;
  for (ssize_t got; (got = read(file, address + length, sizeof address - 1 - length)) > 0;)
    length += (size_t)got;
  address[length] = '\0';
  struct ls_worker_options worker = make_worker(address);
  worker.wait_s = 60;
  worker.place = place;
  return ls_worker_team_run("test", &worker, 3);
}

/* Whoever started them can tell them apart. */
static void each_tells_its_place(void **state) {
  (void)state;
  struct ls_endpoint *master = NULL;
  char place[LS_WORKER_PLACE_MAX + 1];
  unsigned seen = 0;
  int how = 0, to_team[2];
  memset(place, 'x', sizeof place - 1);
  place[sizeof place - 1] = '\0';
  assert_int_equal(pipe(to_team), 0);
  /* Before the endpoint has threads: one that a fork finds within the allocator of the address
   * sanitizer keeps that locked in the child for ever. */
  pid_t team = fork();
  if (team == 0) {
    close(to_team[1]);
    _exit(serve_at(to_team[0], place));
  }
  close(to_team[0]);
  assert_int_equal(ls_transport_zmq.listen("tcp://127.0.0.1:*", NULL, &master, NULL), LS_OK);
  const char *address = ls_transport_zmq.address(master);
  assert_int_equal(write(to_team[1], address, strlen(address)), strlen(address));
  close(to_team[1]);
  for (int i = 0; i < 3; i++) seen |= 1u << refuse_one(master, place);
  assert_int_equal(seen, 0xe);
  ls_transport_zmq.close(master, 5);
  assert_int_equal(waitpid(team, &how, 0), team);
  assert_true(WIFEXITED(how));
  assert_int_equal(WEXITSTATUS(how), LS_EXIT_USAGE);
}

/* As they were, which may be ignored. */
static void signals_are_given_back(void **state) {
  (void)state;
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGCHLD};
  const struct ls_worker_options worker = make_worker("tcp://127.0.0.1:1");
  struct sigaction before[sizeof numbers / sizeof *numbers], action;
  sigset_t mask;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    assert_int_equal(sigaction(numbers[i], NULL, &before[i]), 0);
  (void)ls_worker_team_run("test", &worker, 2);
  assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &mask), 0);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    assert_int_equal(sigaction(numbers[i], NULL, &action), 0);
    assert_true(action.sa_handler == before[i].sa_handler);
    assert_false(sigismember(&mask, numbers[i]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_master_each_gives_up),
      cmocka_unit_test(the_gravest_status_is_the_teams),
      cmocka_unit_test(each_tells_its_place),
      cmocka_unit_test(signals_are_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
