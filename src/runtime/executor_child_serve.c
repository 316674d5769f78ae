/* executor_child_serve.c: the child's side: questions in, answers out. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/executor_child_private.h"
#include "runtime/executor_private.h"

/* Reads exactly `length` bytes; false at the end of the stream. */
static bool read_whole(int file, void *data, size_t length) {
  char *place = data;
  while (length > 0) {
    ssize_t got = recv(file, place, length, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    place += got;
    length -= (size_t)got;
  }
  return true;
}

bool ls_child_send(int file, struct iovec *parts, size_t count) {
  struct msghdr header = {.msg_iov = parts, .msg_iovlen = count};
  while (header.msg_iovlen > 0) {
    ssize_t sent = sendmsg(file, &header, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    size_t left = (size_t)sent;
    while (header.msg_iovlen > 0 && left >= header.msg_iov->iov_len) {
      left -= header.msg_iov->iov_len;
      ++header.msg_iov;
      --header.msg_iovlen;
    }
    if (header.msg_iovlen == 0) break;
    header.msg_iov->iov_base = (char *)header.msg_iov->iov_base + left;
    header.msg_iov->iov_len -= left;
  }
  return true;
}

/* Makes room for the input of a question and reads it. */
static bool read_input(int file, struct ls_bytes *input, size_t length) {
  ls_bytes_clear(input);
  char block[65536];
  while (length > 0) {
    size_t step = length < sizeof block ? length : sizeof block;
    if (!read_whole(file, block, step)) return false;
    ls_bytes_append(input, block, step);
    length -= step;
  }
  return !input->failed;
}

_Noreturn void ls_child_serve(const struct ls_executor_setup *setup, int file, pid_t parent) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  struct ls_bytes input = {0}, output = {0}, error_output = {0};
  struct ls_question question;
  while (read_whole(file, &question, sizeof question)) {
    if (question.has_input != 0 && !read_input(file, &input, question.work.length)) break;
    ls_bytes_clear(&output);
    ls_bytes_clear(&error_output);
    question.work.input = input.data;
    question.work.length = input.length;
    struct ls_answer answer = {0};
    answer.outcome = (uint64_t)ls_computation_run(setup, &question.work, &output, &error_output,
                                                  &answer.seconds);
    answer.output_length = output.length;
    answer.error_length = error_output.length;
    struct iovec parts[] = {{&answer, sizeof answer},
                            {output.data, output.length},
                            {error_output.data, error_output.length}};
    size_t count = error_output.length > 0 ? 3 : output.length > 0 ? 2 : 1;
    if (!ls_child_send(file, parts, count)) break;
  }
  /* The parent's buffers and exit handlers are not the child's to run. */
  _exit(0);
}
