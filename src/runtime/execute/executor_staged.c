/* executor_staged.c: a reader stages the inputs of the next units while a computer computes.
 *
 * What is started and what is announced are pieces in a queue.  The reader takes them one by one,
 * in order, and puts what it stages into a slab of shared memory, where the computer finds it.  The
 * next piece is handed to the computer as soon as it is staged, so that it goes on without a pause.
 * A piece that is not wanted any more leaves the queue at once, and is withdrawn from the computer;
 * its slab stays taken until the reader has answered.
 */
#include "runtime/execute/executor.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/execute/child.h"
#include "runtime/execute/executor_private.h"
#include "runtime/os/clock.h"

/* Shared memory: two inputs of either child, two outputs, and slabs: one for each piece of a full
 * queue, and for one that was dropped. */
enum { AT_READER = 0, AT_COMPUTER = 2, AT_OUTPUT = 4, AT_SLABS = 6 };
enum { PIECES_MAX = LS_EXECUTOR_AHEAD_MAX + 1, MEMORIES_MAX = AT_SLABS + PIECES_MAX + 1 };

/* What is staged and not begun, in bytes; one larger piece is staged alone. */
static const double staged_bytes_max = 64 << 20;

enum piece_state {
  PIECE_WAITS,
  PIECE_IN_READER,
  PIECE_STAGED,
  PIECE_HANDED, /* staged, and the computer's as soon as the piece before has ended */
  PIECE_IN_COMPUTER,
  PIECE_FAILED
};

struct piece {
  struct ls_upcoming next;
  enum piece_state state;
  int32_t slab;            /* from PIECE_IN_READER on, but for PIECE_FAILED */
  double staged_from_s;    /* the reader began, on the clock */
  double stage_s;          /* that staging took */
  int32_t output_at;       /* from PIECE_HANDED or PIECE_IN_COMPUTER on */
  uint32_t number;         /* of the question, if it was handed ahead; 0: it was not */
  enum ls_outcome outcome; /* of PIECE_FAILED */
};

struct ls_executor {
  struct ls_executor_setup setup;
  struct ls_child_news news;
  struct ls_shared_memory memories[MEMORIES_MAX];
  size_t memories_count;
  bool is_taken[MEMORIES_MAX]; /* of slabs */
  struct ls_child reader, computer;
  bool is_reading; /* the reader has a question, about `slab_read` */
  int32_t slab_read;
  int poll; /* becomes readable when a child answers */

  struct piece pieces[PIECES_MAX]; /* the started one is the first, while it runs */
  size_t count;
  bool is_running;
  enum ls_outcome stop; /* why what runs is ended; LS_OUTCOME_DONE: it is not */
  double idle_since_s;  /* the computer, unless it computes; 0: it never did */
  uint64_t units_max;
  double bytes_per_unit;                /* of what was staged last */
  struct ls_bytes handed;               /* the question about it */
  struct ls_bytes output, error_output; /* of what ended otherwise than by an answer */
  struct ls_bytes failure;              /* words of the first PIECE_FAILED */
};

static void destroy_staged(struct ls_executor *executor) {
  if (executor == NULL) return;
  ls_child_close(&executor->reader);
  ls_child_close(&executor->computer);
  for (size_t i = 0; i < executor->memories_count; ++i) {
    ls_shared_memory_close(&executor->memories[i]);
  }
  if (executor->poll >= 0) (void)close(executor->poll);
  ls_bytes_close(&executor->handed);
  ls_bytes_close(&executor->output);
  ls_bytes_close(&executor->error_output);
  ls_bytes_close(&executor->failure);
  free(executor);
}

static enum ls_status open_memories(struct ls_executor *executor, struct ls_error *err) {
  size_t count = AT_SLABS + executor->setup.stage_ahead + 2;
  while (executor->memories_count < count) {
    enum ls_status status =
        ls_shared_memory_open(&executor->memories[executor->memories_count], err);
    if (status != LS_OK) return status;
    ++executor->memories_count;
  }
  executor->poll = epoll_create1(EPOLL_CLOEXEC);
  if (executor->poll >= 0) return LS_OK;
  return ls_fail(err, LS_EIO, "cannot wait for two children: %s", strerror(errno));
}

static enum ls_status create_staged(const struct ls_executor_setup *setup, struct ls_executor **out,
                                    struct ls_error *err) {
  struct ls_executor *executor = calloc(1, sizeof *executor);
  if (executor == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the executor");
  executor->setup = *setup;
  if (setup->stage_ahead > LS_EXECUTOR_AHEAD_MAX) {
    executor->setup.stage_ahead = LS_EXECUTOR_AHEAD_MAX;
  }
  executor->units_max = 1;
  executor->poll = -1;
  struct ls_child_setup child = {.executor = &executor->setup,
                                 .pieces = executor->memories,
                                 .input_at = AT_READER,
                                 .news = &executor->news,
                                 .sibling = &executor->computer};
  ls_child_init(&executor->reader, &child);
  child.input_at = AT_COMPUTER;
  child.sibling = &executor->reader;
  ls_child_init(&executor->computer, &child);
  enum ls_status status = open_memories(executor, err);
  if (status == LS_OK) {
    *out = executor;
  } else {
    destroy_staged(executor);
  }
  return status;
}

static void receive(struct ls_executor *executor, uint32_t iteration,
                    const struct ls_bytes *bytes) {
  executor->news = (struct ls_child_news){iteration, bytes};
}

/* ---- the children ---- */

/* Only a child that has a question is waited for: else the end of an idle one would be heard again
 * and again. */
static void watch(struct ls_executor *executor, const struct ls_child *child, int operation) {
  struct epoll_event event = {.events = EPOLLIN};
  if (child->socket >= 0) (void)epoll_ctl(executor->poll, operation, child->socket, &event);
}

static int end(struct ls_executor *executor, struct ls_child *child) {
  watch(executor, child, EPOLL_CTL_DEL);
  return ls_child_end(child);
}

/* Asks the child, which is forked when it is not there; one that died while it was idle is replaced
 * once. */
static enum ls_status ask(struct ls_executor *executor, struct ls_child *child,
                          const struct ls_question *question, struct ls_error *err) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    enum ls_status status = ls_child_start(child, err);
    if (status != LS_OK) return status;
    watch(executor, child, EPOLL_CTL_ADD);
    if (ls_child_ask(child, question)) return LS_OK;
    ls_child_kill(child);
    (void)end(executor, child);
  }
  return ls_fail(err, LS_EIO, "the child that computes dies at once");
}

static bool is_late(const struct ls_executor *executor, const struct ls_child *child) {
  double timeout_s = executor->setup.timeout_s;
  return timeout_s > 0 && ls_clock_s() >= child->asked_s + timeout_s;
}

/* ---- pieces ---- */

static bool is_staged(const struct piece *piece) {
  return piece->state == PIECE_STAGED || piece->state == PIECE_HANDED;
}

static void leave_slab(struct ls_executor *executor, struct piece *piece) {
  if (is_staged(piece) || piece->state == PIECE_IN_COMPUTER) {
    executor->is_taken[piece->slab] = false;
  }
}

/* What was handed ahead was not what ended the computer: another one gets it. */
static int end_computer(struct ls_executor *executor) {
  for (size_t i = 0; i < executor->count; ++i) {
    struct piece *piece = &executor->pieces[i];
    if (piece->state != PIECE_HANDED) continue;
    piece->state = PIECE_STAGED;
    piece->number = 0;
  }
  return end(executor, &executor->computer);
}

static void remove_first(struct ls_executor *executor) {
  leave_slab(executor, &executor->pieces[0]);
  --executor->count;
  memmove(executor->pieces, executor->pieces + 1, executor->count * sizeof *executor->pieces);
}

/* A computer that has begun it is ended; when it still owes an answer, after that. */
static void take_back(struct ls_executor *executor, const struct piece *piece) {
  if (piece->state != PIECE_HANDED) return;
  ls_child_withdraw(&executor->computer, piece->number);
  if (executor->is_running) return;
  if (executor->computer.is_spent) {
    (void)end(executor, &executor->computer);
  } else {
    watch(executor, &executor->computer, EPOLL_CTL_DEL);
  }
}

/* All but what runs. */
static void forget(struct ls_executor *executor) {
  size_t kept = executor->is_running ? 1 : 0;
  while (executor->count > kept) {
    struct piece *last = &executor->pieces[--executor->count];
    take_back(executor, last);
    leave_slab(executor, last);
  }
}

static void add_piece(struct ls_executor *executor, const struct ls_upcoming *next) {
  assert(executor->count < PIECES_MAX);
  executor->pieces[executor->count++] = (struct piece){.next = *next, .state = PIECE_WAITS};
}

static void fail_piece(struct ls_executor *executor, struct piece *piece, enum ls_outcome outcome) {
  leave_slab(executor, piece);
  piece->state = PIECE_FAILED;
  piece->outcome = outcome;
}

/* ---- reading ---- */

static struct piece *find_read(struct ls_executor *executor) {
  for (size_t i = 0; i < executor->count; ++i) {
    if (executor->pieces[i].state == PIECE_IN_READER) return &executor->pieces[i];
  }
  return NULL; /* it was dropped meanwhile */
}

/* Only one piece can have failed: none is read behind it. A reader that has not answered took until
 * now. */
static void end_reading(struct ls_executor *executor, enum ls_outcome outcome, bool is_answered) {
  const struct ls_answer *answer = &executor->reader.answer;
  struct piece *piece = find_read(executor);
  executor->is_reading = false;
  if (piece == NULL || outcome != LS_OUTCOME_DONE) executor->is_taken[executor->slab_read] = false;
  if (piece == NULL) return;
  piece->staged_from_s = is_answered ? answer->begun_s : executor->reader.asked_s;
  piece->stage_s = is_answered ? answer->seconds : ls_clock_s() - executor->reader.asked_s;
  if (outcome != LS_OUTCOME_DONE) {
    fail_piece(executor, piece, outcome);
    return;
  }
  piece->state = PIECE_STAGED;
  piece->next.work.staged_length = (size_t)answer->output_length;
  executor->bytes_per_unit = (double)answer->output_length / (double)piece->next.work.units.count;
}

static void hear_reader(struct ls_executor *executor) {
  if (!executor->is_reading) return;
  struct ls_child *reader = &executor->reader;
  struct ls_range units = reader->question.work.units;
  enum ls_child_progress progress = ls_child_listen(reader);
  bool was_late = progress == LS_CHILD_NOTHING && is_late(executor, reader);
  if (progress == LS_CHILD_NOTHING && !was_late) return;
  ls_bytes_clear(&executor->failure);
  if (was_late) ls_child_kill(reader);
  if (progress != LS_CHILD_ANSWERED) {
    int state = end(executor, reader);
    if (!was_late) ls_child_write_end(reader, state, "staged", units, &executor->failure);
    end_reading(executor, was_late ? LS_OUTCOME_TIMED_OUT : LS_OUTCOME_FAILED, false);
    return;
  }
  watch(executor, reader, EPOLL_CTL_DEL);
  enum ls_outcome outcome = (enum ls_outcome)reader->answer.outcome;
  if (outcome == LS_OUTCOME_DONE && reader->answer.is_shared == 0) {
    outcome = LS_OUTCOME_FAILED;
    ls_bytes_printf(&executor->failure, "%s: no memory for what was staged\n",
                    executor->setup.app->name);
  }
  if (reader->error_output.length > 0) {
    ls_bytes_append(&executor->failure, reader->error_output.data, reader->error_output.length);
  }
  end_reading(executor, outcome, true);
}

/* Staged and not begun; what is started is about to begin. */
static double count_staged(const struct ls_executor *executor) {
  double bytes = 0;
  for (size_t i = executor->is_running ? 1 : 0; i < executor->count; ++i) {
    const struct piece *piece = &executor->pieces[i];
    if (is_staged(piece)) bytes += (double)piece->next.work.staged_length;
  }
  return bytes;
}

/* The next piece for the reader; NULL: none now. */
static struct piece *choose_piece(struct ls_executor *executor) {
  for (size_t i = 0; i < executor->count; ++i) {
    struct piece *piece = &executor->pieces[i];
    if (piece->state == PIECE_FAILED) return NULL;
    if (piece->state != PIECE_WAITS) continue;
    double staged = count_staged(executor);
    double more = executor->bytes_per_unit * (double)piece->next.work.units.count;
    return staged > 0 && staged + more > staged_bytes_max ? NULL : piece;
  }
  return NULL;
}

static int32_t take_slab(struct ls_executor *executor) {
  int32_t slab = AT_SLABS;
  while (executor->is_taken[slab]) ++slab;
  assert((size_t)slab < executor->memories_count);
  executor->is_taken[slab] = true;
  return slab;
}

static void keep_reading(struct ls_executor *executor) {
  struct piece *piece = executor->is_reading ? NULL : choose_piece(executor);
  if (piece == NULL) return;
  struct ls_error err = {0};
  int32_t slab = take_slab(executor);
  struct ls_question question = {.call = LS_CHILD_STAGE,
                                 .work = piece->next.work,
                                 .staged_at = LS_CHILD_NOWHERE,
                                 .output_at = slab};
  if (ask(executor, &executor->reader, &question, &err) != LS_OK) {
    executor->is_taken[slab] = false;
    ls_bytes_clear(&executor->failure);
    ls_bytes_printf(&executor->failure, "%s: %s\n", executor->setup.app->name, err.text);
    fail_piece(executor, piece, LS_OUTCOME_FAILED);
    return;
  }
  piece->state = PIECE_IN_READER;
  piece->slab = executor->slab_read = slab;
  executor->is_reading = true;
}

/* ---- starts ---- */

static bool is_same_range(struct ls_range a, struct ls_range b) {
  return a.first == b.first && a.count == b.count;
}

static bool is_first(const struct ls_executor *executor, const struct ls_upcoming *next) {
  if (executor->count == 0) return false;
  const struct ls_upcoming *first = &executor->pieces[0].next;
  return first->chunk == next->chunk && is_same_range(first->work.units, next->work.units) &&
         is_same_range(first->work.packed, next->work.packed);
}

static struct ls_question make_question(struct piece *piece, int32_t output_at) {
  piece->output_at = output_at;
  return (struct ls_question){.call = LS_CHILD_COMPUTE,
                              .work = piece->next.work,
                              .staged_at = piece->slab,
                              .output_at = output_at};
}

/* The output of what runs may lie in one of two places. */
static void hand_ahead(struct ls_executor *executor) {
  struct piece *first = &executor->pieces[0], *next = &executor->pieces[1];
  bool may_be = executor->count > 1 && first->state == PIECE_IN_COMPUTER &&
                next->state == PIECE_STAGED && executor->stop == LS_OUTCOME_DONE;
  if (!may_be || !ls_child_may_follow(&executor->computer, &next->next.work, true)) return;
  int32_t output_at = first->output_at == AT_OUTPUT ? AT_OUTPUT + 1 : AT_OUTPUT;
  struct ls_question question = make_question(next, output_at);
  ls_bytes_clear(&executor->handed);
  if (!ls_child_add(&executor->computer, &question, &executor->handed)) return;
  struct iovec parts[] = {{executor->handed.data, executor->handed.length}};
  /* Half a question would make nonsense of all that follow. */
  if (executor->handed.failed || !ls_child_send(executor->computer.socket, parts, 1)) {
    ls_child_kill(&executor->computer);
  }
  next->number = question.number;
  next->state = PIECE_HANDED;
}

/* What is staged goes to the computer. */
static void keep_computing(struct ls_executor *executor) {
  struct piece *piece = &executor->pieces[0];
  if (!executor->is_running) return;
  hand_ahead(executor);
  if (piece->state != PIECE_STAGED) return;
  struct ls_error err = {0};
  struct ls_question question = make_question(piece, AT_OUTPUT);
  if (ask(executor, &executor->computer, &question, &err) == LS_OK) {
    piece->state = PIECE_IN_COMPUTER;
    return;
  }
  ls_bytes_clear(&executor->failure);
  ls_bytes_printf(&executor->failure, "%s: %s\n", executor->setup.app->name, err.text);
  fail_piece(executor, piece, LS_OUTCOME_FAILED);
}

static enum ls_status start_staged(struct ls_executor *executor, const struct ls_upcoming *next,
                                   struct ls_error *err) {
  (void)err;
  assert(!executor->is_running && next->work.units.count >= 1);
  if (!is_first(executor, next)) {
    forget(executor);
    add_piece(executor, next);
  }
  executor->is_running = true;
  executor->stop = LS_OUTCOME_DONE;
  struct piece *first = &executor->pieces[0];
  if (first->state == PIECE_HANDED) {
    first->state = PIECE_IN_COMPUTER;
    executor->computer.asked_s = ls_clock_s(); /* a time limit counts from here */
  }
  hear_reader(executor);
  keep_computing(executor);
  keep_reading(executor);
  return LS_OK;
}

static void look_ahead(const struct ls_executor *executor, struct ls_ahead *ahead) {
  *ahead = (struct ls_ahead){.may_divide = true};
  ahead->units_max = executor->setup.timeout_s > 0 ? 1 : executor->units_max;
  size_t first = executor->is_running ? 1 : 0;
  for (size_t i = first; i < executor->count; ++i) {
    ahead->units += executor->pieces[i].next.work.units.count;
  }
  size_t announced = executor->count - first;
  if (executor->is_running) ahead->room = executor->setup.stage_ahead - announced;
}

static void announce(struct ls_executor *executor, const struct ls_upcoming *upcoming,
                     size_t count) {
  struct ls_ahead ahead;
  look_ahead(executor, &ahead);
  for (size_t i = 0; i < count && i < ahead.room; ++i) add_piece(executor, &upcoming[i]);
  keep_reading(executor);
}

/* ---- ends ---- */

static int get_file(const struct ls_executor *executor) {
  return executor->is_running ? executor->poll : -1;
}

static double get_patience_s(const struct ls_executor *executor) {
  if (!executor->is_running) return (double)INFINITY;
  const struct piece *piece = &executor->pieces[0];
  bool is_computing = piece->state == PIECE_IN_COMPUTER;
  bool is_over =
      piece->state == PIECE_FAILED || (executor->stop != LS_OUTCOME_DONE && !is_computing);
  if (is_over || ls_child_has_more(&executor->computer) || ls_child_has_more(&executor->reader)) {
    return 0;
  }
  double timeout_s = executor->setup.timeout_s, until_s = (double)INFINITY;
  if (!(timeout_s > 0)) return until_s;
  if (is_computing) until_s = executor->computer.asked_s + timeout_s;
  if (executor->is_reading) until_s = fmin(until_s, executor->reader.asked_s + timeout_s);
  return fmax(0, until_s - ls_clock_s());
}

/* How long before its computing the piece was staged, and for how long the computer had nothing to
 * do meanwhile: what it did before had ended then. */
static void tell_staging(struct ls_executor *executor, const struct piece *piece, double begun_s,
                         struct ls_execution *execution) {
  double alone_from_s = fmax(piece->staged_from_s, executor->idle_since_s);
  execution->stage_s = piece->stage_s;
  execution->lead_s = fmax(begun_s - piece->staged_from_s, piece->stage_s);
  execution->exposed_s = fmax(0, piece->staged_from_s + piece->stage_s - alone_from_s);
}

/* What runs is over; the outputs are those that did not come as an answer. `begun_s`: of computing,
 * if it came to that. */
static void finish(struct ls_executor *executor, enum ls_outcome outcome, double begun_s,
                   double seconds, struct ls_execution *execution) {
  struct piece *piece = &executor->pieces[0];
  *execution = ls_computation_report(outcome, piece->next.work.units, seconds);
  if (piece->state == PIECE_IN_COMPUTER) {
    tell_staging(executor, piece, begun_s, execution);
    executor->idle_since_s = begun_s + seconds;
  } else if (piece->state == PIECE_FAILED) {
    tell_staging(executor, piece, piece->staged_from_s + piece->stage_s, execution);
  }
  execution->output = &executor->output;
  execution->error_output = &executor->error_output;
  ls_bytes_clear(&executor->error_output);
  executor->is_running = false;
  remove_first(executor);
}

static void finish_answer(struct ls_executor *executor, struct ls_execution *execution) {
  const struct ls_answer *answer = &executor->computer.answer;
  double stage_s = executor->pieces[0].stage_s;
  uint64_t units = executor->pieces[0].next.work.units.count;
  struct ls_question question = {.output_at = executor->pieces[0].output_at};
  finish(executor, (enum ls_outcome)answer->outcome, answer->begun_s, answer->seconds, execution);
  bool has_next = executor->count > 0 && executor->pieces[0].state == PIECE_HANDED;
  if (!has_next) watch(executor, &executor->computer, EPOLL_CTL_DEL);
  if (executor->computer.is_spent) (void)end_computer(executor);
  struct ls_bytes *output = ls_child_output(&executor->computer, &question);
  if (output == NULL) {
    execution->outcome = LS_OUTCOME_FAILED;
    ls_bytes_printf(&executor->error_output, "%s: no memory for the output\n",
                    executor->setup.app->name);
  } else {
    execution->output = output;
    execution->error_output = &executor->computer.error_output;
  }
  executor->units_max =
      ls_computation_adapt(executor->units_max, units, fmax(stage_s, answer->seconds));
}

/* The computer is gone: because we killed it, or because the application did. */
static void finish_end(struct ls_executor *executor, struct ls_execution *execution) {
  struct ls_range units = executor->pieces[0].next.work.units;
  double begun_s = executor->computer.asked_s, seconds = ls_clock_s() - begun_s;
  int state = end_computer(executor);
  bool is_its_own = executor->stop == LS_OUTCOME_DONE;
  finish(executor, is_its_own ? LS_OUTCOME_FAILED : executor->stop, begun_s, seconds, execution);
  if (!is_its_own) return;
  execution->signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  execution->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
  ls_child_write_end(&executor->computer, state, "computed", units, &executor->error_output);
}

/* It never came to the computer. */
static bool finish_early(struct ls_executor *executor, struct ls_execution *execution) {
  struct piece *piece = &executor->pieces[0];
  bool has_failed = piece->state == PIECE_FAILED;
  if (!has_failed && executor->stop == LS_OUTCOME_DONE) return false;
  enum ls_outcome outcome = executor->stop != LS_OUTCOME_DONE ? executor->stop : piece->outcome;
  finish(executor, outcome, 0, 0, execution);
  bool is_told = has_failed && outcome != LS_OUTCOME_CANCELLED && executor->failure.length > 0;
  if (is_told) {
    ls_bytes_append(&executor->error_output, executor->failure.data, executor->failure.length);
  }
  return true;
}

/* The computer ended between two pieces, of which it had the second: nobody is to blame. */
static bool is_begun_anew(struct ls_executor *executor) {
  struct piece *piece = &executor->pieces[0];
  if (executor->stop != LS_OUTCOME_DONE || piece->number == 0) return false;
  if (ls_child_has_begun(&executor->computer, piece->number)) return false;
  (void)end_computer(executor);
  piece->state = PIECE_STAGED;
  piece->number = 0;
  keep_computing(executor);
  return true;
}

static bool has_finished(struct ls_executor *executor, struct ls_execution *execution) {
  if (!executor->is_running) return false;
  hear_reader(executor);
  keep_computing(executor);
  keep_reading(executor);
  if (executor->pieces[0].state != PIECE_IN_COMPUTER) return finish_early(executor, execution);
  enum ls_child_progress progress = ls_child_listen(&executor->computer);
  if (progress == LS_CHILD_NOTHING && is_late(executor, &executor->computer)) {
    executor->stop = LS_OUTCOME_TIMED_OUT;
    ls_child_kill(&executor->computer);
    progress = LS_CHILD_BROKEN;
  }
  if (progress == LS_CHILD_NOTHING) {
    hand_ahead(executor); /* what was broadcast may have been received */
    return false;
  }
  if (progress == LS_CHILD_BROKEN && is_begun_anew(executor)) {
    return finish_early(executor, execution);
  }
  if (progress == LS_CHILD_ANSWERED && executor->stop == LS_OUTCOME_DONE) {
    finish_answer(executor, execution);
  } else {
    finish_end(executor, execution);
  }
  return true;
}

static void cancel_staged(struct ls_executor *executor) {
  if (!executor->is_running) return;
  executor->stop = LS_OUTCOME_CANCELLED;
  if (executor->pieces[0].state == PIECE_IN_COMPUTER) ls_child_kill(&executor->computer);
}

static uint64_t get_units_max(const struct ls_executor *executor) {
  size_t next = executor->is_running ? 1 : 0;
  if (executor->count > next) return executor->pieces[next].next.work.units.count;
  return executor->setup.timeout_s > 0 ? 1 : executor->units_max;
}

static void suspend_staged(struct ls_executor *executor) {
  ls_child_suspend(&executor->reader);
  ls_child_suspend(&executor->computer);
}

static void resume_staged(struct ls_executor *executor, double away_s) {
  ls_child_resume(&executor->reader, away_s);
  ls_child_resume(&executor->computer, away_s);
}

static bool has_stood(struct ls_executor *executor, const struct ls_stop *stop) {
  bool has_reader_stood = ls_child_has_stood(&executor->reader, stop);
  return ls_child_has_stood(&executor->computer, stop) && has_reader_stood;
}

const struct ls_executor_kind ls_executor_staged = {.name = "staged",
                                                    .create = create_staged,
                                                    .destroy = destroy_staged,
                                                    .start = start_staged,
                                                    .announce = announce,
                                                    .look_ahead = look_ahead,
                                                    .forget = forget,
                                                    .receive = receive,
                                                    .file = get_file,
                                                    .patience_s = get_patience_s,
                                                    .finished = has_finished,
                                                    .cancel = cancel_staged,
                                                    .suspend = suspend_staged,
                                                    .resume = resume_staged,
                                                    .stood = has_stood,
                                                    .units_max = get_units_max};
