#include "runtime/execute/executor.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "runtime/execute/child.h"
#include "runtime/execute/executor_private.h"
#include "runtime/os/clock.h"

/* Of shared memory: two inputs, two outputs. */
enum { PIECE_INPUT = 0, PIECE_OUTPUT = 2, PIECES = 4 };

/* A call that is over this fast leaves the child waiting for longer than it computed. */
static const double quick_s = 0.0002;

/* A question that was sent before its start. */
struct ahead {
  uint64_t chunk;
  struct ls_range units, packed;
  int32_t output_at;
  uint32_t number;
};

struct ls_executor {
  struct ls_executor_setup setup;
  struct ls_child child;
  struct ls_child_news news;
  struct ls_shared_memory pieces[PIECES];
  bool is_running;
  struct ls_question question; /* about the units that run */
  bool was_ahead;              /* it was sent before their start */
  uint64_t units_max;
  enum ls_outcome stop; /* why the child is killed; LS_OUTCOME_DONE: it is not */
  struct ls_bytes error_output;

  bool is_quick;                             /* the last call was */
  struct ahead ahead[LS_EXECUTOR_AHEAD_MAX]; /* ring */
  size_t ahead_head, ahead_count;
  struct ls_bytes questions; /* to be sent together */
};

static void destroy_child(struct ls_executor *executor) {
  if (executor == NULL) return;
  ls_child_close(&executor->child);
  for (size_t i = 0; i < PIECES; ++i) ls_shared_memory_close(&executor->pieces[i]);
  ls_bytes_close(&executor->error_output);
  ls_bytes_close(&executor->questions);
  free(executor);
}

static enum ls_status create_child(const struct ls_executor_setup *setup, struct ls_executor **out,
                                   struct ls_error *err) {
  struct ls_executor *executor = calloc(1, sizeof *executor);
  if (executor == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the executor");
  executor->setup = *setup;
  executor->units_max = 1;
  for (size_t i = 0; i < PIECES; ++i) executor->pieces[i].file = -1;
  ls_child_init(&executor->child, &(struct ls_child_setup){.executor = &executor->setup,
                                                           .pieces = executor->pieces,
                                                           .input_at = PIECE_INPUT,
                                                           .news = &executor->news});
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < PIECES && status == LS_OK; ++i) {
    status = ls_shared_memory_open(&executor->pieces[i], err);
  }
  if (status == LS_OK) {
    *out = executor;
  } else {
    destroy_child(executor);
  }
  return status;
}

static void receive(struct ls_executor *executor, uint32_t iteration,
                    const struct ls_bytes *bytes) {
  executor->news = (struct ls_child_news){iteration, bytes};
}

static bool is_same_range(struct ls_range a, struct ls_range b) {
  return a.first == b.first && a.count == b.count;
}

/* Ends a child whose questions are not wanted any more. */
static void drop_child(struct ls_executor *executor) {
  ls_child_kill(&executor->child);
  (void)ls_child_end(&executor->child);
  executor->ahead_count = 0;
}

static void forget(struct ls_executor *executor) {
  if (executor->ahead_count == 0) return;
  ls_child_withdraw(&executor->child, executor->ahead[executor->ahead_head].number);
  executor->ahead_count = 0;
  if (executor->child.is_spent && !executor->is_running) drop_child(executor);
}

/* Was this the next question, so that its answer is on the way? */
static bool was_asked(struct ls_executor *executor, const struct ls_upcoming *next) {
  if (executor->ahead_count == 0) return false;
  const struct ahead *first = &executor->ahead[executor->ahead_head];
  if (first->chunk == next->chunk && is_same_range(first->units, next->work.units) &&
      is_same_range(first->packed, next->work.packed)) {
    executor->question.output_at = first->output_at;
    executor->question.number = first->number;
    executor->ahead_head = (executor->ahead_head + 1) % LS_EXECUTOR_AHEAD_MAX;
    --executor->ahead_count;
    return true;
  }
  forget(executor);
  return false;
}

static struct ls_question make_question(const struct ls_work *work, int32_t output_at) {
  return (struct ls_question){.call = LS_CHILD_COMPUTE,
                              .work = *work,
                              .staged_at = LS_CHILD_NOWHERE,
                              .output_at = output_at};
}

/* Asks about the units that run. A child that died while it was idle is replaced once. */
static enum ls_status ask(struct ls_executor *executor, struct ls_error *err) {
  executor->was_ahead = false;
  for (int attempt = 0; attempt < 2; ++attempt) {
    enum ls_status status = ls_child_start(&executor->child, err);
    if (status != LS_OK) return status;
    if (ls_child_ask(&executor->child, &executor->question)) return LS_OK;
    drop_child(executor);
  }
  return ls_fail(err, LS_EIO, "the child that computes dies at once");
}

static enum ls_status start_child(struct ls_executor *executor, const struct ls_upcoming *next,
                                  struct ls_error *err) {
  assert(!executor->is_running && next->work.units.count >= 1);
  executor->stop = LS_OUTCOME_DONE;
  ls_bytes_clear(&executor->error_output);
  executor->was_ahead = was_asked(executor, next);
  struct ls_question question = make_question(&next->work, PIECE_OUTPUT);
  if (executor->was_ahead) question.output_at = executor->question.output_at;
  if (executor->was_ahead) question.number = executor->question.number;
  executor->question = question;
  executor->child.asked_s = ls_clock_s();
  enum ls_status status = executor->was_ahead ? LS_OK : ask(executor, err);
  executor->is_running = status == LS_OK;
  return status;
}

/* One question ahead is enough for the child to go on at once, but for calls that are over before
 * the worker has looked.  A time limit counts from the start of a call, which is known only when it
 * is asked for alone. */
static void look_ahead(const struct ls_executor *executor, struct ls_ahead *ahead) {
  size_t most = executor->is_quick ? LS_EXECUTOR_AHEAD_MAX : 1;
  bool is_wanted = executor->is_running && !executor->child.is_receiving &&
                   !executor->child.is_spent && !(executor->setup.timeout_s > 0) &&
                   executor->ahead_count < (most + 1) / 2;
  *ahead = (struct ls_ahead){.units_max = executor->units_max, .may_divide = !executor->is_quick};
  if (is_wanted) ahead->room = most - executor->ahead_count;
  for (size_t i = 0; i < executor->ahead_count; ++i) {
    size_t place = (executor->ahead_head + i) % LS_EXECUTOR_AHEAD_MAX;
    ahead->units += executor->ahead[place].units.count;
  }
}

/* The output of what runs may lie in the other piece; of many, they come with the answers. */
static int32_t find_output(const struct ls_executor *executor) {
  if (executor->is_quick) return LS_CHILD_NOWHERE;
  return executor->question.output_at == PIECE_OUTPUT ? PIECE_OUTPUT + 1 : PIECE_OUTPUT;
}

static void announce(struct ls_executor *executor, const struct ls_upcoming *upcoming,
                     size_t count) {
  struct ls_ahead ahead;
  look_ahead(executor, &ahead);
  ls_bytes_clear(&executor->questions);
  for (size_t i = 0; i < count && i < ahead.room; ++i) {
    const struct ls_work *work = &upcoming[i].work;
    struct ls_question question = make_question(work, find_output(executor));
    if (!ls_child_may_follow(&executor->child, work, !executor->is_quick)) break;
    if (!ls_child_add(&executor->child, &question, &executor->questions)) break;
    size_t place = (executor->ahead_head + executor->ahead_count++) % LS_EXECUTOR_AHEAD_MAX;
    executor->ahead[place] = (struct ahead){upcoming[i].chunk, work->units, work->packed,
                                            question.output_at, question.number};
  }
  struct iovec parts[] = {{executor->questions.data, executor->questions.length}};
  if (parts[0].iov_len == 0) return;
  /* Half a question would make nonsense of all that follow. */
  if (executor->questions.failed || !ls_child_send(executor->child.socket, parts, 1)) {
    ls_child_kill(&executor->child);
  }
}

static int get_file(const struct ls_executor *executor) {
  return executor->is_running ? executor->child.socket : -1;
}

static double get_patience_s(const struct ls_executor *executor) {
  double timeout_s = executor->setup.timeout_s;
  if (executor->is_running && ls_child_has_more(&executor->child)) return 0;
  if (!executor->is_running || !(timeout_s > 0)) return (double)INFINITY;
  return fmax(0, executor->child.asked_s + timeout_s - ls_clock_s());
}

static void report(struct ls_executor *executor, enum ls_outcome outcome, double seconds,
                   struct ls_execution *execution) {
  *execution = ls_computation_report(outcome, executor->question.work.units, seconds);
  ls_bytes_clear(&executor->child.output);
  execution->output = &executor->child.output;
  execution->error_output = &executor->error_output;
  executor->is_running = false;
}

/* The child is gone: because we killed it, or because the application did. */
static void report_end(struct ls_executor *executor, struct ls_execution *execution) {
  int state = ls_child_end(&executor->child);
  executor->ahead_count = 0;
  bool is_its_own = executor->stop == LS_OUTCOME_DONE;
  report(executor, is_its_own ? LS_OUTCOME_FAILED : executor->stop,
         ls_clock_s() - executor->child.asked_s, execution);
  if (!is_its_own) return;
  execution->signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  execution->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
  ls_child_write_end(&executor->child, state, "computed", executor->question.work.units,
                     &executor->error_output);
}

static void report_answer(struct ls_executor *executor, struct ls_execution *execution) {
  const struct ls_answer *answer = &executor->child.answer;
  uint64_t units = executor->question.work.units.count;
  *execution = ls_computation_report((enum ls_outcome)answer->outcome,
                                     executor->question.work.units, answer->seconds);
  execution->output = ls_child_output(&executor->child, &executor->question);
  execution->error_output = &executor->child.error_output;
  executor->is_running = false;
  if (execution->output == NULL) {
    report(executor, LS_OUTCOME_FAILED, answer->seconds, execution);
    ls_bytes_printf(&executor->error_output, "%s: no memory for the output\n",
                    executor->setup.app->name);
  }
  executor->units_max = ls_computation_adapt(executor->units_max, units, answer->seconds);
  executor->is_quick = answer->seconds < quick_s;
  if (executor->child.is_spent) drop_child(executor);
}

/* The child ended between two questions, of which it had the second: nobody is to blame. */
static bool is_asked_anew(struct ls_executor *executor) {
  bool is_its_own = executor->stop == LS_OUTCOME_DONE;
  if (!is_its_own || !executor->was_ahead) return false;
  if (ls_child_has_begun(&executor->child, executor->question.number)) return false;
  drop_child(executor);
  return ask(executor, NULL) == LS_OK;
}

static bool has_finished(struct ls_executor *executor, struct ls_execution *execution) {
  if (!executor->is_running) return false;
  enum ls_child_progress progress = ls_child_listen(&executor->child);
  if (progress == LS_CHILD_ANSWERED && executor->stop == LS_OUTCOME_DONE) {
    report_answer(executor, execution);
    return true;
  }
  if (progress == LS_CHILD_BROKEN && is_asked_anew(executor)) return false;
  if (progress != LS_CHILD_NOTHING) {
    report_end(executor, execution);
    return true;
  }
  double timeout_s = executor->setup.timeout_s;
  if (!(timeout_s > 0) || ls_clock_s() < executor->child.asked_s + timeout_s) return false;
  executor->stop = LS_OUTCOME_TIMED_OUT;
  ls_child_kill(&executor->child);
  report_end(executor, execution);
  return true;
}

/* The end of the socket then tells `finished`. */
static void cancel_child(struct ls_executor *executor) {
  if (!executor->is_running) return;
  executor->stop = LS_OUTCOME_CANCELLED;
  ls_child_kill(&executor->child);
}

/* With a time limit for each unit, units are computed one by one. */
static uint64_t get_units_max(const struct ls_executor *executor) {
  if (executor->ahead_count > 0) return executor->ahead[executor->ahead_head].units.count;
  return executor->setup.timeout_s > 0 ? 1 : executor->units_max;
}

static void suspend_child(struct ls_executor *executor) {
  ls_child_suspend(&executor->child);
}

static void resume_child(struct ls_executor *executor, double away_s) {
  ls_child_resume(&executor->child, away_s);
}

static bool has_stood(struct ls_executor *executor, const struct ls_stop *stop) {
  return ls_child_has_stood(&executor->child, stop);
}

const struct ls_executor_kind ls_executor_child = {.name = "child",
                                                   .create = create_child,
                                                   .destroy = destroy_child,
                                                   .start = start_child,
                                                   .announce = announce,
                                                   .forget = forget,
                                                   .look_ahead = look_ahead,
                                                   .receive = receive,
                                                   .file = get_file,
                                                   .patience_s = get_patience_s,
                                                   .finished = has_finished,
                                                   .cancel = cancel_child,
                                                   .suspend = suspend_child,
                                                   .resume = resume_child,
                                                   .stood = has_stood,
                                                   .units_max = get_units_max};
