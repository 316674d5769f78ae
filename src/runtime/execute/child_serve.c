/* child_serve.c: the child's side: questions in, answers out. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/execute/child.h"
#include "runtime/execute/executor_private.h"
#include "runtime/os/clock.h"

/* Questions that are sent together come with one system call. */
enum { ARRIVED_BYTES = 16384 };

struct server {
  const struct ls_child_setup *setup;
  const struct ls_claims *claims;
  int file;
  size_t arrived_at, arrived_end; /* of `arrived`, what is not read yet */
  struct ls_bytes inbox;          /* an input that came with its question */
  const void *input;              /* of the latest question that brought one */
  size_t length;
  struct ls_bytes output, error_output;
  char arrived[ARRIVED_BYTES];
};

/* At most `wanted` bytes of what has arrived; awaits some. 0 at the end of the stream. */
static size_t take(struct server *server, size_t wanted, const char **data) {
  if (server->arrived_at == server->arrived_end) {
    ssize_t got;
    do {
      got = recv(server->file, server->arrived, sizeof server->arrived, 0);
    } while (got < 0 && errno == EINTR);
    server->arrived_at = 0;
    server->arrived_end = got > 0 ? (size_t)got : 0;
  }
  size_t there = server->arrived_end - server->arrived_at;
  size_t length = wanted < there ? wanted : there;
  *data = server->arrived + server->arrived_at;
  server->arrived_at += length;
  return length;
}

/* False at the end of the stream. */
static bool read_question(struct server *server, struct ls_question *question) {
  for (size_t at = 0; at < sizeof *question;) {
    const char *data;
    size_t length = take(server, sizeof *question - at, &data);
    if (length == 0) return false;
    memcpy((char *)question + at, data, length);
    at += length;
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

static bool read_following(struct server *server, size_t length) {
  ls_bytes_clear(&server->inbox);
  while (length > 0) {
    const char *data;
    size_t part = take(server, length, &data);
    if (part == 0) return false;
    ls_bytes_append(&server->inbox, data, part);
    length -= part;
  }
  return !server->inbox.failed;
}

/* Where the input of the question is; false: half of it, or nowhere. */
static bool find_input(struct server *server, struct ls_question *question) {
  struct ls_work *work = &question->work;
  struct ls_shared_memory *pieces = server->setup->pieces;
  if (question->input_at == LS_CHILD_FOLLOWS) {
    if (!read_following(server, work->length)) return false;
    server->input = server->inbox.data;
    server->length = work->length;
  } else if (question->input_at >= 0) {
    struct ls_shared_memory *memory = &pieces[question->input_at];
    if (!ls_shared_memory_follow(memory, work->length)) return false;
    server->input = memory->data;
    server->length = work->length;
  }
  work->input = server->input;
  work->length = server->length;
  work->staged = NULL;
  if (question->staged_at < 0) return true;
  struct ls_shared_memory *memory = &pieces[question->staged_at];
  if (!ls_shared_memory_follow(memory, work->staged_length)) return false;
  work->staged = memory->data;
  return true;
}

/* A staged input always goes where the question says; another output when it is large. */
static bool share_output(const struct server *server, const struct ls_question *question) {
  size_t length = server->output.length;
  if (question->output_at < 0) return false;
  if (question->call != LS_CHILD_STAGE && length <= LS_CHILD_INLINE_MAX) return false;
  struct ls_shared_memory *memory = &server->setup->pieces[question->output_at];
  if (!ls_shared_memory_grow(memory, length + 1)) return false;
  if (length > 0) memcpy(memory->data, server->output.data, length);
  memory->data[length] = '\0';
  return true;
}

static enum ls_outcome call(struct server *server, const struct ls_question *question,
                            double *seconds) {
  const struct ls_executor_setup *setup = server->setup->executor;
  const struct ls_work *work = &question->work;
  struct ls_bytes *output = &server->output, *error_output = &server->error_output;
  switch (question->call) {
    case LS_CHILD_RECEIVE:
      return ls_receiving_run(setup, work, error_output);
    case LS_CHILD_STAGE:
      return ls_staging_run(setup, work, output, error_output, seconds);
    case LS_CHILD_COMPUTE:
      break;
  }
  return ls_computation_run(setup, work, output, error_output, seconds);
}

static bool answer(struct server *server, const struct ls_question *question) {
  struct ls_answer answer = {.number = question->number};
  ls_bytes_clear(&server->output);
  ls_bytes_clear(&server->error_output);
  answer.begun_s = ls_clock_s();
  answer.outcome = (uint64_t)call(server, question, &answer.seconds);
  answer.output_length = server->output.length;
  answer.error_length = server->error_output.length;
  answer.is_shared = share_output(server, question) ? 1 : 0;
  struct iovec parts[3] = {{&answer, sizeof answer}};
  size_t count = 1;
  if (answer.is_shared == 0 && answer.output_length > 0) {
    parts[count++] = (struct iovec){server->output.data, server->output.length};
  }
  if (answer.error_length > 0) {
    parts[count++] = (struct iovec){server->error_output.data, server->error_output.length};
  }
  return ls_child_send(server->file, parts, count);
}

static bool is_withdrawn(const struct server *server, const struct ls_question *question) {
  return question->number != 0 && !ls_claims_take(server->claims, question->number);
}

_Noreturn void ls_child_serve(const struct ls_child_setup *setup, const struct ls_claims *claims,
                              int file, pid_t parent) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  struct server server = {.setup = setup, .claims = claims, .file = file};
  struct ls_question question;
  while (read_question(&server, &question)) {
    if (!find_input(&server, &question)) break;
    if (!is_withdrawn(&server, &question) && !answer(&server, &question)) break;
  }
  /* The parent's buffers and exit handlers are not the child's to run. */
  _exit(0);
}
