#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "coordinator/event.h"
#include "runtime/execute/child.h"

/* Its output is the number of the first unit and the input; unit 13 fails. */
static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state;
  if (work->units.first == 13) return ls_fail(err, LS_EIO, "unlucky");
  ls_bytes_printf(output, "%llu:", (unsigned long long)work->units.first);
  ls_bytes_append(output, work->input, work->length);
  return LS_OK;
}

static const struct ls_app app = {.name = "app", .compute = compute};
static const struct ls_executor_setup setup = {.app = &app, .speed = 1};

struct child {
  int socket;
  pid_t process;
};

static struct child start_child(void) {
  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  pid_t parent = getpid(), process = fork();
  if (process == 0) {
    close(pair[0]);
    const struct ls_child_setup own = {.executor = &setup};
    ls_child_serve(&own, NULL, pair[1], parent);
  }
  assert_true(process > 0);
  close(pair[1]);
  return (struct child){pair[0], process};
}

/* How the child ended, once the parent's end of the socket is closed. */
static int end_child(struct child child) {
  int state = -1;
  close(child.socket);
  assert_int_equal(waitpid(child.process, &state, 0), child.process);
  return state;
}

/* `input`: NULL: that of the question before. */
static struct ls_question make_question(uint64_t unit, const char *input) {
  return (struct ls_question){.work = {.units = {unit, 1},
                                       .packed = {unit, 1},
                                       .length = input == NULL ? 0 : strlen(input)},
                              .call = LS_CHILD_COMPUTE,
                              .input_at = input == NULL ? LS_CHILD_KEPT : LS_CHILD_FOLLOWS,
                              .staged_at = LS_CHILD_NOWHERE,
                              .output_at = LS_CHILD_NOWHERE};
}

static void ask(struct child child, uint64_t unit, const char *input) {
  struct ls_question question = make_question(unit, input);
  struct iovec parts[] = {{&question, sizeof question},
                          {(void *)(uintptr_t)input, (size_t)question.work.length}};
  assert_true(ls_child_send(child.socket, parts, input != NULL ? 2 : 1));
}

static void expect_answer(struct child child, enum ls_outcome outcome, const char *output,
                          const char *error) {
  struct ls_answer answer;
  char text[128] = "";
  assert_int_equal(recv(child.socket, &answer, sizeof answer, MSG_WAITALL), sizeof answer);
  assert_int_equal(answer.outcome, outcome);
  assert_true(answer.seconds >= 0);
  assert_int_equal(answer.output_length, strlen(output));
  size_t length = answer.output_length + answer.error_length;
  assert_true(length < sizeof text);
  if (length > 0) assert_int_equal(recv(child.socket, text, length, MSG_WAITALL), length);
  assert_memory_equal(text, output, strlen(output));
  assert_non_null(strstr(text + answer.output_length, error));
}

static void questions_are_answered_in_their_order(void **state) {
  (void)state;
  struct child child = start_child();
  ask(child, 1, "first");
  ask(child, 2, "");
  ask(child, 3, "third");
  expect_answer(child, LS_OUTCOME_DONE, "1:first", "");
  expect_answer(child, LS_OUTCOME_DONE, "2:", "");
  expect_answer(child, LS_OUTCOME_DONE, "3:third", "");
  assert_int_equal(end_child(child), 0);
}

/* Many come with one look at the socket, whose end may be the middle of a question or an input. */
static void questions_may_come_together_and_in_pieces(void **state) {
  (void)state;
  enum { QUESTIONS = 400, FIRST = 100 };
  static const size_t steps[] = {7, 1, 300, 96, 41000};
  struct child child = start_child();
  struct ls_bytes sent = {0};
  char input[80] = "", expected[100];
  for (uint64_t i = 0; i < QUESTIONS; i++) {
    snprintf(input, sizeof input, "%0*d", (int)(1 + 7 * i % 61), 5);
    struct ls_question question = make_question(FIRST + i, input);
    ls_bytes_append(&sent, &question, sizeof question);
    ls_bytes_append_text(&sent, input);
  }
  assert_false(sent.failed);
  for (size_t at = 0, turn = 0; at < sent.length; turn++) {
    size_t step = steps[turn % (sizeof steps / sizeof *steps)];
    if (step > sent.length - at) step = sent.length - at;
    struct iovec part = {sent.data + at, step};
    assert_true(ls_child_send(child.socket, &part, 1));
    at += step;
  }
  for (uint64_t i = 0; i < QUESTIONS; i++) {
    snprintf(expected, sizeof expected, "%d:%0*d", (int)(FIRST + i), (int)(1 + 7 * i % 61), 5);
    expect_answer(child, LS_OUTCOME_DONE, expected, "");
  }
  assert_int_equal(end_child(child), 0);
  ls_bytes_close(&sent);
}

static void a_question_without_input_has_that_of_the_one_before(void **state) {
  (void)state;
  struct child child = start_child();
  ask(child, 1, "kept");
  ask(child, 2, NULL);
  expect_answer(child, LS_OUTCOME_DONE, "1:kept", "");
  expect_answer(child, LS_OUTCOME_DONE, "2:kept", "");
  assert_int_equal(end_child(child), 0);
}

static void a_failure_is_an_answer_and_the_child_goes_on(void **state) {
  (void)state;
  struct child child = start_child();
  ask(child, 13, "x");
  ask(child, 14, "y");
  expect_answer(child, LS_OUTCOME_FAILED, "", "unlucky");
  expect_answer(child, LS_OUTCOME_DONE, "14:y", "");
  assert_int_equal(end_child(child), 0);
}

/* A master that dies in the middle of a question leaves nothing behind. */
static void half_a_question_is_the_end(void **state) {
  (void)state;
  struct child child = start_child();
  struct ls_question question = {.call = LS_CHILD_COMPUTE,
                                 .work = {.units = {1, 1}, .length = 100},
                                 .input_at = LS_CHILD_FOLLOWS,
                                 .staged_at = LS_CHILD_NOWHERE};
  struct iovec parts[] = {{&question, sizeof question}, {(void *)(uintptr_t) "half", 4}};
  assert_true(ls_child_send(child.socket, parts, 2));
  assert_int_equal(end_child(child), 0);
}

/* More than a socket holds goes in pieces, while another process reads; to nobody it fails. */
static void parts_arrive_whole_whatever_the_socket_takes_at_once(void **state) {
  (void)state;
  enum { BYTES = 3 << 20 };
  char *data = malloc(BYTES);
  int pair[2], status = -1;
  assert_non_null(data);
  for (size_t i = 0; i < BYTES; i++) data[i] = (char)(i % 251);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  pid_t reader = fork();
  if (reader == 0) {
    close(pair[0]);
    char *got = malloc(BYTES + 3);
    ssize_t length = got == NULL ? -1 : recv(pair[1], got, BYTES + 3, MSG_WAITALL);
    bool is_whole =
        length == BYTES + 3 && memcmp(got, "abc", 3) == 0 && memcmp(got + 3, data, BYTES) == 0;
    _exit(is_whole ? 0 : 1);
  }
  assert_true(reader > 0);
  close(pair[1]);
  struct iovec parts[] = {{(void *)(uintptr_t) "ab", 2},
                          {(void *)(uintptr_t) "", 0},
                          {(void *)(uintptr_t) "c", 1},
                          {data, BYTES}};
  assert_true(ls_child_send(pair[0], parts, 4));
  assert_int_equal(waitpid(reader, &status, 0), reader);
  assert_int_equal(status, 0);
  struct iovec late[] = {{data, 1}};
  assert_false(ls_child_send(pair[0], late, 1));
  close(pair[0]);
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(questions_are_answered_in_their_order),
      cmocka_unit_test(questions_may_come_together_and_in_pieces),
      cmocka_unit_test(a_question_without_input_has_that_of_the_one_before),
      cmocka_unit_test(a_failure_is_an_answer_and_the_child_goes_on),
      cmocka_unit_test(half_a_question_is_the_end),
      cmocka_unit_test(parts_arrive_whole_whatever_the_socket_takes_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
