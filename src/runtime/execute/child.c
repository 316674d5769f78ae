#include "runtime/execute/child.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/range_words.h"
#include "coordinator/event.h"
#include "runtime/os/clock.h"
#include "runtime/os/limits.h"
#include "runtime/os/process.h"

void ls_child_init(struct ls_child *child, const struct ls_child_setup *setup) {
  *child = (struct ls_child){.setup = *setup, .socket = -1};
}

enum ls_status ls_child_start(struct ls_child *child, struct ls_error *err) {
  if (child->pid != 0) return LS_OK;
  enum ls_status status = child->claims.board == NULL ? ls_claims_open(&child->claims, err) : LS_OK;
  if (status != LS_OK) return status;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return ls_fail(err, LS_EIO, "cannot make a socket pair to compute in a child: %s",
                   strerror(errno));
  }
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    const struct ls_child *sibling = child->setup.sibling;
    (void)close(pair[0]);
    if (sibling != NULL && sibling->socket >= 0) (void)close(sibling->socket);
    ls_limits_restore();
    ls_child_serve(&child->setup, &child->claims, pair[1], parent);
  }
  (void)close(pair[1]);
  if (pid < 0) {
    (void)close(pair[0]);
    return ls_fail(err, LS_EIO, "cannot fork a child to compute in: %s", ls_limits_words(errno));
  }
  child->pid = pid;
  child->socket = pair[0];
  return LS_OK;
}

void ls_child_kill(struct ls_child *child) {
  if (child->pid != 0) (void)kill(child->pid, SIGKILL);
}

void ls_child_suspend(const struct ls_child *child) {
  if (child->pid != 0) (void)kill(child->pid, SIGSTOP);
}

/* What it was asked ahead may have begun before the answer to the question before was heard. */
void ls_child_resume(struct ls_child *child, double away_s) {
  if (child->pid == 0) return;
  uint32_t number = ls_claims_seen(&child->claims);
  struct ls_child_absence *absence = &child->absences[number % 2];
  double before_s = absence->number == number ? absence->seconds : 0;
  *absence = (struct ls_child_absence){number, before_s + away_s};
  child->asked_s += away_s;
  (void)kill(child->pid, SIGCONT);
}

/* Both go on at once, so that the child may have answered, and begun the next, before this. */
bool ls_child_has_stood(struct ls_child *child, const struct ls_stop *stop) {
  if (child->pid == 0) return true;
  if (!ls_process_has_stood(child->pid)) return false;
  child->stop.until = ls_claims_seen(&child->claims);
  child->stop.length.seconds += stop->seconds;
  child->stop.length.slack_s += stop->slack_s;
  child->asked_s += stop->seconds;
  return true;
}

int ls_child_end(struct ls_child *child) {
  int state = 0;
  if (child->socket >= 0) (void)close(child->socket);
  child->socket = -1;
  child->has_input = child->has_received = child->is_receiving = child->is_spent = false;
  child->got = child->inbox_head = child->inbox_length = 0;
  child->stop = (struct ls_child_stop){0};
  if (child->pid == 0) return 0;
  while (waitpid(child->pid, &state, 0) < 0 && errno == EINTR) continue;
  child->pid = 0;
  return state;
}

void ls_child_close(struct ls_child *child) {
  ls_child_kill(child);
  (void)ls_child_end(child);
  ls_claims_close(&child->claims);
  ls_bytes_close(&child->output);
  ls_bytes_close(&child->error_output);
}

bool ls_child_knows(const struct ls_child *child, uint32_t iteration) {
  return child->setup.executor->app->receive == NULL ||
         (child->has_received && child->received == iteration);
}

/* The rest of a range reuses the input that the child has; its first part brings it. */
static bool is_rest(const struct ls_child *child, const struct ls_work *work) {
  return child->has_input && child->input == work->input &&
         child->packed.first == work->packed.first && child->packed.count == work->packed.count &&
         work->units.first != work->packed.first;
}

static void note_input(struct ls_child *child, const struct ls_work *work) {
  child->has_input = true;
  child->input = work->input;
  child->packed = work->packed;
}

static bool share_input(struct ls_child *child, struct ls_question *question, int32_t turn) {
  const struct ls_work *work = &question->work;
  int32_t place = child->setup.input_at + turn;
  struct ls_shared_memory *memory = &child->setup.pieces[place];
  if (!ls_shared_memory_grow(memory, work->length)) return false;
  memcpy(memory->data, work->input, work->length);
  question->input_at = place;
  child->input_turn = turn;
  return true;
}

/* The input goes along, or into shared memory when it is large. */
static bool send_question(struct ls_child *child, struct ls_question *question) {
  const struct ls_work *work = &question->work;
  if (question->input_at != LS_CHILD_KEPT && work->length > LS_CHILD_INLINE_MAX) {
    (void)share_input(child, question, child->input_turn);
  }
  struct iovec parts[] = {{question, sizeof *question},
                          {(void *)(uintptr_t)work->input, work->length}};
  bool has_more = question->input_at == LS_CHILD_FOLLOWS && work->length > 0;
  return ls_child_send(child->socket, parts, has_more ? 2 : 1);
}

static bool send_news(struct ls_child *child, uint32_t iteration) {
  const struct ls_child_news *news = child->setup.news;
  bool is_there = news->bytes != NULL && news->iteration == iteration;
  struct ls_question question = {.call = LS_CHILD_RECEIVE,
                                 .work = {.iteration = iteration},
                                 .input_at = LS_CHILD_FOLLOWS,
                                 .staged_at = LS_CHILD_NOWHERE,
                                 .output_at = LS_CHILD_NOWHERE};
  if (is_there) question.work.input = news->bytes->data;
  if (is_there) question.work.length = news->bytes->length;
  child->has_received = child->is_receiving = true;
  child->received = iteration;
  child->has_input = false; /* the news take its place */
  return send_question(child, &question);
}

static bool ask_now(struct ls_child *child) {
  struct ls_question question = child->question;
  question.input_at = is_rest(child, &question.work) ? LS_CHILD_KEPT : LS_CHILD_FOLLOWS;
  note_input(child, &question.work);
  child->asked_s = ls_clock_s();
  return send_question(child, &question);
}

static uint32_t take_number(struct ls_child *child) {
  if (++child->asked == 0) ++child->asked;
  ls_claims_offer(&child->claims, child->asked);
  return child->asked;
}

bool ls_child_ask(struct ls_child *child, const struct ls_question *question) {
  child->question = *question;
  child->question.number = take_number(child);
  child->asked_s = ls_clock_s();
  if (!ls_child_knows(child, question->work.iteration)) {
    return send_news(child, question->work.iteration);
  }
  return ask_now(child);
}

bool ls_child_may_follow(const struct ls_child *child, const struct ls_work *work, bool is_next) {
  bool is_small = work->length <= LS_CHILD_AHEAD_BYTES;
  /* Those that were withdrawn wait there, too, until the child comes to them. */
  bool is_full = child->asked - ls_claims_seen(&child->claims) > LS_EXECUTOR_AHEAD_MAX;
  return !child->is_receiving && !child->is_spent && !is_full && (is_small || is_next) &&
         ls_child_knows(child, work->iteration);
}

bool ls_child_add(struct ls_child *child, struct ls_question *question,
                  struct ls_bytes *questions) {
  const struct ls_work *work = &question->work;
  question->input_at = is_rest(child, work) ? LS_CHILD_KEPT : LS_CHILD_FOLLOWS;
  bool is_large = question->input_at != LS_CHILD_KEPT && work->length > LS_CHILD_AHEAD_BYTES;
  /* That of the question before may be in use. */
  if (is_large && !share_input(child, question, 1 - child->input_turn)) return false;
  child->has_shared = is_large;
  question->number = take_number(child);
  note_input(child, work);
  ls_bytes_append(questions, question, sizeof *question);
  bool follows = question->input_at == LS_CHILD_FOLLOWS;
  if (follows) ls_bytes_append(questions, work->input, work->length);
  return true;
}

bool ls_child_has_begun(const struct ls_child *child, uint32_t number) {
  return ls_claims_has_begun(&child->claims, number);
}

/* What is asked next brings its input, into the piece that a withdrawn question has left. */
void ls_child_withdraw(struct ls_child *child, uint32_t number) {
  bool has_begun = false;
  for (uint32_t at = child->asked + 1; at != number;) {
    (void)ls_claims_withdraw(&child->claims, --at);
    has_begun = has_begun || ls_child_has_begun(child, at);
  }
  child->has_input = false;
  if (child->has_shared) child->input_turn = 1 - child->input_turn;
  child->has_shared = false;
  child->is_spent = has_begun;
  if (has_begun) ls_child_kill(child);
}

/* At most `wanted` bytes from the child, of which many may have come at once. */
static size_t take_bytes(struct ls_child *child, size_t wanted, const char **data) {
  size_t there = child->inbox_length - child->inbox_head;
  size_t length = wanted < there ? wanted : there;
  *data = child->inbox + child->inbox_head;
  child->inbox_head += length;
  return length;
}

static enum ls_child_progress fill_inbox(struct ls_child *child) {
  ssize_t got;
  do {
    got = recv(child->socket, child->inbox, sizeof child->inbox, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return LS_CHILD_NOTHING;
  if (got <= 0) return LS_CHILD_BROKEN;
  child->inbox_head = 0;
  child->inbox_length = (size_t)got;
  return LS_CHILD_ANSWERED;
}

/* The answer that took as long as the stop is that of the question in which it was. */
static void skip_stop(struct ls_child *child) {
  struct ls_child_stop *stop = &child->stop;
  struct ls_answer *answer = &child->answer;
  bool is_behind = (int32_t)(answer->number - stop->until) > 0;
  bool has_it = answer->seconds >= stop->length.seconds - stop->length.slack_s;
  if (!is_behind && has_it) answer->seconds = fmax(0, answer->seconds - stop->length.seconds);
  if (is_behind || has_it) *stop = (struct ls_child_stop){0};
}

/* The answer, then the output, then the text of a failure. */
static enum ls_child_progress take_answer(struct ls_child *child) {
  struct ls_answer *answer = &child->answer;
  const size_t head = sizeof *answer;
  if (child->got == 0) {
    ls_bytes_clear(&child->output);
    ls_bytes_clear(&child->error_output);
  }
  for (;;) {
    size_t got = child->got, end = head;
    if (got >= head && answer->is_shared == 0) end += answer->output_length;
    bool is_error_text = got >= head && got >= end;
    if (is_error_text) end += answer->error_length;
    if (got >= head && got == end) break;
    const char *data;
    size_t length = take_bytes(child, end - got, &data);
    if (length == 0) {
      enum ls_child_progress progress = fill_inbox(child);
      if (progress != LS_CHILD_ANSWERED) return progress;
    } else if (got < head) {
      memcpy((char *)answer + got, data, length);
    } else {
      ls_bytes_append(is_error_text ? &child->error_output : &child->output, data, length);
    }
    child->got += length;
  }
  child->got = 0;
  const struct ls_child_absence *absence = &child->absences[answer->number % 2];
  if (absence->number == answer->number) {
    answer->seconds = fmax(0, answer->seconds - absence->seconds);
  }
  if (child->stop.length.seconds > 0) skip_stop(child);
  return LS_CHILD_ANSWERED;
}

enum ls_child_progress ls_child_listen(struct ls_child *child) {
  enum ls_child_progress progress = take_answer(child);
  if (progress != LS_CHILD_ANSWERED || !child->is_receiving) return progress;
  child->is_receiving = false;
  child->has_received = child->answer.outcome == LS_OUTCOME_DONE;
  if (!child->has_received) return progress;
  return ask_now(child) ? LS_CHILD_NOTHING : LS_CHILD_BROKEN;
}

bool ls_child_has_more(const struct ls_child *child) {
  return child->inbox_head < child->inbox_length;
}

struct ls_bytes *ls_child_output(struct ls_child *child, const struct ls_question *question) {
  if (child->answer.is_shared == 0) return &child->output;
  struct ls_shared_memory *memory = &child->setup.pieces[question->output_at];
  size_t length = child->answer.output_length;
  if (!ls_shared_memory_follow(memory, length)) return NULL;
  child->shared = (struct ls_bytes){.data = memory->data, .length = length};
  return &child->shared;
}

void ls_child_write_end(const struct ls_child *child, int state, const char *doing,
                        struct ls_range units, struct ls_bytes *text) {
  const char *name = child->setup.executor->app->name;
  char which[LS_RANGE_WORDS_BYTES];
  (void)ls_range_words(units, which);
  if (WIFSIGNALED(state)) {
    ls_bytes_printf(text, "%s: ended by signal %d (%s) while it %s %s\n", name, WTERMSIG(state),
                    strsignal(WTERMSIG(state)), doing, which);
  } else {
    ls_bytes_printf(text, "%s: exited with status %d while it %s %s\n", name, WEXITSTATUS(state),
                    doing, which);
  }
}
