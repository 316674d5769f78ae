#include "runtime/executor.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/clock.h"
#include "runtime/executor_child_private.h"
#include "runtime/executor_private.h"
#include "runtime/limits.h"

/* Up to this many bytes of input are sent ahead: all that is ahead fits into the socket, so that
 * neither side ever waits for the other to read. */
enum { AHEAD_INPUT_MAX = 512, INBOX_BYTES = 65536 };

/* A call that is over this fast leaves the child waiting for longer than it computed. */
static const double quick_s = 0.0002;

/* A question that was sent before its start. */
struct ahead {
  uint64_t chunk;
  struct ls_range units, packed;
};

struct ls_executor {
  struct ls_executor_setup setup;
  pid_t child; /* 0: none */
  int socket;  /* to the child; -1: none */
  bool is_running;
  struct ls_range units;
  const void *input; /* what the child has; NULL: nothing */
  struct ls_range packed;
  uint64_t units_max;
  double start_s;
  enum ls_outcome stop; /* why the child is killed; LS_OUTCOME_DONE: it is not */
  struct ls_answer answer;
  size_t received; /* bytes of the answer and what follows it */
  struct ls_bytes output, error_output;

  bool is_quick;                             /* the last call was */
  struct ahead ahead[LS_EXECUTOR_AHEAD_MAX]; /* ring */
  size_t ahead_head, ahead_count;
  struct ls_bytes questions; /* to be sent together */
  size_t inbox_head, inbox_length;
  char inbox[INBOX_BYTES]; /* answers that came together */
};

static enum ls_status create_child(const struct ls_executor_setup *setup, struct ls_executor **out,
                                   struct ls_error *err) {
  struct ls_executor *executor = calloc(1, sizeof *executor);
  if (executor == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the executor");
  executor->setup = *setup;
  executor->socket = -1;
  executor->units_max = 1;
  *out = executor;
  return LS_OK;
}

/* Ends the child, if there is one; how it ended. */
static int end_child(struct ls_executor *executor) {
  int state = 0;
  if (executor->socket >= 0) (void)close(executor->socket);
  executor->socket = -1;
  executor->input = NULL;
  executor->ahead_count = 0;
  executor->inbox_head = executor->inbox_length = 0;
  if (executor->child == 0) return 0;
  while (waitpid(executor->child, &state, 0) < 0 && errno == EINTR) continue;
  executor->child = 0;
  return state;
}

static void destroy_child(struct ls_executor *executor) {
  if (executor == NULL) return;
  if (executor->child != 0) (void)kill(executor->child, SIGKILL);
  (void)end_child(executor);
  ls_bytes_close(&executor->output);
  ls_bytes_close(&executor->error_output);
  ls_bytes_close(&executor->questions);
  free(executor);
}

static enum ls_status fork_child(struct ls_executor *executor, struct ls_error *err) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return ls_fail(err, LS_EIO, "cannot make a socket pair to compute in a child: %s",
                   strerror(errno));
  }
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    (void)close(pair[0]);
    ls_limits_restore();
    ls_child_serve(&executor->setup, pair[1], parent);
  }
  (void)close(pair[1]);
  if (child < 0) {
    (void)close(pair[0]);
    return ls_fail(err, LS_EIO, "cannot fork a child to compute in: %s", strerror(errno));
  }
  executor->child = child;
  executor->socket = pair[0];
  return LS_OK;
}

static bool is_same_range(struct ls_range a, struct ls_range b) {
  return a.first == b.first && a.count == b.count;
}

/* The rest of a range reuses the input that the child has; its first part brings it. */
static struct ls_question make_question(struct ls_executor *executor, const struct ls_work *work) {
  bool is_rest = executor->input == work->input && is_same_range(executor->packed, work->packed) &&
                 work->units.first != work->packed.first;
  executor->input = work->input;
  executor->packed = work->packed;
  return (struct ls_question){.work = *work, .has_input = !is_rest};
}

static bool ask(struct ls_executor *executor, const struct ls_work *work) {
  struct ls_question question = make_question(executor, work);
  struct iovec parts[] = {{&question, sizeof question},
                          {(void *)(uintptr_t)work->input, work->length}};
  return ls_child_send(executor->socket, parts,
                       question.has_input != 0 && work->length > 0 ? 2 : 1);
}

/* Was this the next question, so that its answer is on the way? */
static bool was_asked(struct ls_executor *executor, const struct ls_upcoming *next) {
  if (executor->ahead_count == 0) return false;
  const struct ahead *first = &executor->ahead[executor->ahead_head];
  if (first->chunk == next->chunk && is_same_range(first->units, next->work.units) &&
      is_same_range(first->packed, next->work.packed)) {
    executor->ahead_head = (executor->ahead_head + 1) % LS_EXECUTOR_AHEAD_MAX;
    --executor->ahead_count;
    return true;
  }
  /* Something was cancelled: the child computes units that are not wanted any more. */
  (void)kill(executor->child, SIGKILL);
  (void)end_child(executor);
  return false;
}

static enum ls_status start_child(struct ls_executor *executor, const struct ls_upcoming *next,
                                  struct ls_error *err) {
  assert(!executor->is_running && next->work.units.count >= 1);
  enum ls_status status = LS_OK;
  executor->units = next->work.units;
  executor->stop = LS_OUTCOME_DONE;
  executor->received = 0;
  ls_bytes_clear(&executor->output);
  ls_bytes_clear(&executor->error_output);
  bool is_asked = was_asked(executor, next);
  /* A child that died while it was idle is replaced once. */
  for (int attempt = 0; attempt < 2 && !is_asked; ++attempt) {
    if (executor->child == 0) status = fork_child(executor, err);
    if (status != LS_OK) return status;
    is_asked = ask(executor, &next->work);
    if (!is_asked) (void)end_child(executor);
  }
  if (!is_asked) return ls_fail(err, LS_EIO, "the child that computes dies at once");
  executor->start_s = ls_clock_s();
  executor->is_running = true;
  return LS_OK;
}

/* A time limit counts from the start of a call, which is known only when it is asked for alone. */
static size_t count_announced(const struct ls_executor *executor, size_t *room) {
  bool is_wanted = executor->is_running && executor->is_quick && !(executor->setup.timeout_s > 0) &&
                   executor->ahead_count < LS_EXECUTOR_AHEAD_MAX / 2;
  *room = is_wanted ? LS_EXECUTOR_AHEAD_MAX - executor->ahead_count : 0;
  return executor->ahead_count;
}

static void announce(struct ls_executor *executor, const struct ls_upcoming *upcoming,
                     size_t count) {
  size_t room;
  (void)count_announced(executor, &room);
  ls_bytes_clear(&executor->questions);
  for (size_t i = 0; i < count && i < room && upcoming[i].work.length <= AHEAD_INPUT_MAX; ++i) {
    struct ls_question question = make_question(executor, &upcoming[i].work);
    ls_bytes_append(&executor->questions, &question, sizeof question);
    if (question.has_input != 0) {
      ls_bytes_append(&executor->questions, upcoming[i].work.input, upcoming[i].work.length);
    }
    size_t place = (executor->ahead_head + executor->ahead_count++) % LS_EXECUTOR_AHEAD_MAX;
    executor->ahead[place] =
        (struct ahead){upcoming[i].chunk, upcoming[i].work.units, upcoming[i].work.packed};
  }
  struct iovec parts[] = {{executor->questions.data, executor->questions.length}};
  if (parts[0].iov_len == 0) return;
  /* Half a question would make nonsense of all that follow. */
  if (executor->questions.failed || !ls_child_send(executor->socket, parts, 1)) {
    (void)kill(executor->child, SIGKILL);
  }
}

static int get_file(const struct ls_executor *executor) {
  return executor->is_running ? executor->socket : -1;
}

static double get_patience_s(const struct ls_executor *executor) {
  double timeout_s = executor->setup.timeout_s;
  if (executor->is_running && executor->inbox_head < executor->inbox_length) return 0;
  if (!executor->is_running || !(timeout_s > 0)) return (double)INFINITY;
  return fmax(0, executor->start_s + timeout_s - ls_clock_s());
}

enum progress { PROGRESS_NONE, PROGRESS_WHOLE, PROGRESS_BROKEN };

/* At most `wanted` bytes from the child, of which many may have come at once. */
static size_t take_bytes(struct ls_executor *executor, size_t wanted, const char **data) {
  size_t there = executor->inbox_length - executor->inbox_head;
  size_t length = wanted < there ? wanted : there;
  *data = executor->inbox + executor->inbox_head;
  executor->inbox_head += length;
  return length;
}

static enum progress fill_inbox(struct ls_executor *executor) {
  ssize_t got;
  do {
    got = recv(executor->socket, executor->inbox, sizeof executor->inbox, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return PROGRESS_NONE;
  if (got <= 0) return PROGRESS_BROKEN;
  executor->inbox_head = 0;
  executor->inbox_length = (size_t)got;
  return PROGRESS_WHOLE;
}

/* Takes what has arrived: the answer, then the output, then the text of a failure. */
static enum progress receive_answer(struct ls_executor *executor) {
  struct ls_answer *answer = &executor->answer;
  const size_t head = sizeof *answer;
  for (;;) {
    size_t received = executor->received, end = head;
    if (received >= head) end += answer->output_length;
    bool is_error_text = received >= head && received >= end;
    if (is_error_text) end += answer->error_length;
    if (received >= head && received == end) return PROGRESS_WHOLE;
    const char *data;
    size_t got = take_bytes(executor, end - received, &data);
    if (got == 0) {
      enum progress progress = fill_inbox(executor);
      if (progress != PROGRESS_WHOLE) return progress;
    } else if (received < head) {
      memcpy((char *)answer + received, data, got);
    } else {
      ls_bytes_append(is_error_text ? &executor->error_output : &executor->output, data, got);
    }
    executor->received += got;
  }
}

static void fill_outputs(struct ls_executor *executor, struct ls_execution *execution) {
  execution->output = &executor->output;
  execution->error_output = &executor->error_output;
  executor->is_running = false;
}

static void report_answer(struct ls_executor *executor, struct ls_execution *execution) {
  const struct ls_answer *answer = &executor->answer;
  *execution =
      ls_computation_report((enum ls_outcome)answer->outcome, executor->units, answer->seconds);
  executor->units_max =
      ls_computation_adapt(executor->units_max, executor->units.count, answer->seconds);
  executor->is_quick = answer->seconds < quick_s;
  fill_outputs(executor, execution);
}

/* The child is gone: because we killed it, or because the application did. */
static void report_end(struct ls_executor *executor, struct ls_execution *execution) {
  int state = end_child(executor);
  enum ls_outcome outcome = executor->stop;
  if (outcome == LS_OUTCOME_DONE) outcome = LS_OUTCOME_FAILED;
  *execution = ls_computation_report(outcome, executor->units, ls_clock_s() - executor->start_s);
  ls_bytes_clear(&executor->output);
  ls_bytes_clear(&executor->error_output);
  if (executor->stop == LS_OUTCOME_DONE) {
    unsigned long long first = executor->units.first, last = first + executor->units.count - 1;
    if (WIFSIGNALED(state)) {
      execution->signal = WTERMSIG(state);
      ls_bytes_printf(&executor->error_output,
                      "%s: ended by signal %d (%s) while it computed units %llu to %llu\n",
                      executor->setup.app->name, execution->signal, strsignal(execution->signal),
                      first, last);
    } else {
      execution->exit_code = WEXITSTATUS(state);
      ls_bytes_printf(&executor->error_output,
                      "%s: exited with status %d while it computed units %llu to %llu\n",
                      executor->setup.app->name, execution->exit_code, first, last);
    }
  }
  fill_outputs(executor, execution);
}

static bool has_finished(struct ls_executor *executor, struct ls_execution *execution) {
  if (!executor->is_running) return false;
  switch (receive_answer(executor)) {
    case PROGRESS_WHOLE:
      if (executor->stop == LS_OUTCOME_DONE) {
        report_answer(executor, execution);
      } else {
        report_end(executor, execution);
      }
      return true;
    case PROGRESS_BROKEN:
      report_end(executor, execution);
      return true;
    case PROGRESS_NONE:
      break;
  }
  double timeout_s = executor->setup.timeout_s;
  if (!(timeout_s > 0) || ls_clock_s() < executor->start_s + timeout_s) return false;
  executor->stop = LS_OUTCOME_TIMED_OUT;
  (void)kill(executor->child, SIGKILL);
  report_end(executor, execution);
  return true;
}

/* The end of the socket then tells `finished`. */
static void cancel_child(struct ls_executor *executor) {
  if (!executor->is_running) return;
  executor->stop = LS_OUTCOME_CANCELLED;
  (void)kill(executor->child, SIGKILL);
}

/* With a time limit for each unit, units are computed one by one. */
static uint64_t get_units_max(const struct ls_executor *executor) {
  return executor->setup.timeout_s > 0 ? 1 : executor->units_max;
}

const struct ls_executor_kind ls_executor_child = {.name = "child",
                                                   .create = create_child,
                                                   .destroy = destroy_child,
                                                   .start = start_child,
                                                   .announce = announce,
                                                   .announced = count_announced,
                                                   .file = get_file,
                                                   .patience_s = get_patience_s,
                                                   .finished = has_finished,
                                                   .cancel = cancel_child,
                                                   .units_max = get_units_max};
