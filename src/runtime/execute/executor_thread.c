/* executor_thread.c: a thread of the worker calls the functions of an application.
 *
 * The thread does what `direct` does, one start after the other; the loop hears of each end by a
 * descriptor.  A thread cannot be ended from outside: what is cancelled is computed to its end, and
 * then counts for nothing.
 */
#include "runtime/execute/executor.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "coordinator/event.h"
#include "runtime/os/limits.h"

struct ls_executor {
  struct ls_executor *direct; /* the thread's, from `asked` to `has_ended` */
  pthread_t thread;
  bool has_thread, is_running, is_cancelled;
  double stood_s; /* with its process, since the last start */
  struct ls_upcoming next;
  sem_t asked;    /* `next` is to be computed, or the thread is to end */
  bool is_ending; /* that */
  atomic_bool has_ended;
  int ends; /* readable when has_ended */

  uint32_t iteration; /* of what was broadcast; borrowed until the next */
  const struct ls_bytes *broadcast;
  struct ls_bytes news; /* that of `news_iteration`, for the thread */
  uint32_t news_iteration;
  bool has_news;
};

static void tell_end(struct ls_executor *executor) {
  const uint64_t one = 1;
  atomic_store(&executor->has_ended, true);
  ssize_t written = write(executor->ends, &one, sizeof one);
  (void)written; /* a counter of 64 bits has room */
}

static void *serve(void *context) {
  struct ls_executor *executor = context;
  for (;;) {
    while (sem_wait(&executor->asked) != 0) continue;
    if (executor->is_ending) return NULL;
    /* It cannot fail, but for its units. */
    (void)!ls_executor_direct.start(executor->direct, &executor->next, NULL);
    tell_end(executor);
  }
}

/* What it computes is finished first. */
static void destroy_thread(struct ls_executor *executor) {
  if (executor == NULL) return;
  if (executor->has_thread) {
    executor->is_ending = true;
    (void)sem_post(&executor->asked);
    (void)pthread_join(executor->thread, NULL);
  }
  if (executor->direct != NULL) ls_executor_direct.destroy(executor->direct);
  if (executor->ends >= 0) (void)close(executor->ends);
  (void)sem_destroy(&executor->asked);
  ls_bytes_close(&executor->news);
  free(executor);
}

/* Signals are the loop's, but for those that a crash sends to the thread itself. */
static int start_thread(struct ls_executor *executor) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  sigset_t blocked, before;
  (void)sigfillset(&blocked);
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i) (void)sigdelset(&blocked, own[i]);
  (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
  int failure = pthread_create(&executor->thread, NULL, serve, executor);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  executor->has_thread = failure == 0;
  return failure;
}

static enum ls_status create_thread(const struct ls_executor_setup *setup, struct ls_executor **out,
                                    struct ls_error *err) {
  struct ls_executor *executor = calloc(1, sizeof *executor);
  if (executor == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the executor");
  (void)sem_init(&executor->asked, 0, 0);
  executor->ends = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int failure = executor->ends >= 0 ? 0 : errno;
  enum ls_status status = ls_executor_direct.create(setup, &executor->direct, err);
  if (status == LS_OK && failure == 0) failure = start_thread(executor);
  if (status == LS_OK && failure != 0) {
    status =
        ls_fail(err, LS_EIO, "cannot start a thread to compute in: %s", ls_limits_words(failure));
  }
  if (status == LS_OK) {
    *out = executor;
  } else {
    destroy_thread(executor);
  }
  return status;
}

static void receive(struct ls_executor *executor, uint32_t iteration,
                    const struct ls_bytes *bytes) {
  executor->iteration = iteration;
  executor->broadcast = bytes;
}

/* The next broadcast may come while the thread still reads this one: it has a copy. */
static enum ls_status give_news(struct ls_executor *executor, uint32_t iteration,
                                struct ls_error *err) {
  bool is_known = executor->has_news && executor->news_iteration == iteration;
  if (executor->broadcast == NULL || executor->iteration != iteration || is_known) return LS_OK;
  ls_bytes_clear(&executor->news);
  ls_bytes_append(&executor->news, executor->broadcast->data, executor->broadcast->length);
  if (executor->news.failed) return ls_fail(err, LS_ENOMEM, "out of memory for what was broadcast");
  executor->has_news = true;
  executor->news_iteration = iteration;
  ls_executor_direct.receive(executor->direct, iteration, &executor->news);
  return LS_OK;
}

static enum ls_status start_thread_on(struct ls_executor *executor, const struct ls_upcoming *next,
                                      struct ls_error *err) {
  assert(!executor->is_running);
  enum ls_status status = give_news(executor, next->work.iteration, err);
  if (status != LS_OK) return status;
  executor->next = *next;
  executor->is_running = true;
  executor->is_cancelled = false;
  executor->stood_s = 0;
  atomic_store(&executor->has_ended, false);
  (void)sem_post(&executor->asked);
  return LS_OK;
}

static int get_file(const struct ls_executor *executor) {
  return executor->is_running ? executor->ends : -1;
}

static double get_patience_s(const struct ls_executor *executor) {
  (void)executor;
  return (double)INFINITY;
}

static bool has_finished(struct ls_executor *executor, struct ls_execution *execution) {
  uint64_t count;
  if (!executor->is_running || !atomic_load(&executor->has_ended)) return false;
  /* The thread says so before it writes. */
  while (read(executor->ends, &count, sizeof count) != sizeof count) continue;
  (void)ls_executor_direct.finished(executor->direct, execution);
  executor->is_running = false;
  execution->compute_s = fmax(0, execution->compute_s - executor->stood_s);
  execution->squares = execution->compute_s * execution->compute_s / (double)execution->units.count;
  if (executor->is_cancelled) {
    execution->outcome = LS_OUTCOME_CANCELLED;
    ls_bytes_clear(execution->output);
    ls_bytes_clear(execution->error_output);
  }
  return true;
}

static void cancel_thread(struct ls_executor *executor) {
  executor->is_cancelled = true;
}

static bool has_stood(struct ls_executor *executor, const struct ls_stop *stop) {
  executor->stood_s += stop->seconds;
  return true;
}

static uint64_t get_units_max(const struct ls_executor *executor) {
  return executor->is_running ? 1 : ls_executor_direct.units_max(executor->direct);
}

const struct ls_executor_kind ls_executor_thread = {.name = "thread",
                                                    .create = create_thread,
                                                    .destroy = destroy_thread,
                                                    .start = start_thread_on,
                                                    .receive = receive,
                                                    .file = get_file,
                                                    .patience_s = get_patience_s,
                                                    .finished = has_finished,
                                                    .cancel = cancel_thread,
                                                    .stood = has_stood,
                                                    .units_max = get_units_max};
