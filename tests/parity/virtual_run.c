#include "virtual_run.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/execute/executor.h"
#include "runtime/master/master.h"
#include "runtime/os/clock.h"
#include "runtime/worker/worker.h"

#include "../support/open_site.h"

/* ---- who takes part: workers by number, and the master behind them ---- */

enum { PARTIES_MAX = VIRTUAL_WORKERS_MAX + 1, FIRST_PROCESS = 1000, POOL_FILE = 987654 };

struct letter { /* a frame on its way */
  double arrives_s;
  struct letter *next;
  uint64_t peer;
  size_t length;
  char data[];
};

struct ls_endpoint { /* a party */
  enum { RUNS, WAITS, GONE } state;
  bool is_woken;
  double until_s;
  struct letter *inbox, *read; /* by arrival; the one that was received last */
};

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  const struct virtual_job *job;
  struct ls_endpoint parties[PARTIES_MAX];
  size_t workers;
  double now_s;
  bool is_lost[VIRTUAL_WORKERS_MAX], is_told[VIRTUAL_WORKERS_MAX];
  _Atomic int interrupts[VIRTUAL_WORKERS_MAX];
  uint32_t iteration;
  uint64_t merged;
} world = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local size_t self; /* party */

static struct ls_endpoint *find_master(void) {
  return &world.parties[world.workers];
}

/* ---- time ---- */

/* Nobody is stopped by force, so nobody looks for it: virtual time would go by looks. */
double __wrap_ls_standstill_patience_s(const void *standstill, double now_s);
double __wrap_ls_standstill_patience_s(const void *standstill, double now_s) {
  (void)standstill, (void)now_s;
  return (double)INFINITY;
}

double __wrap_ls_clock_s(void);
double __wrap_ls_clock_s(void) {
  pthread_mutex_lock(&world.lock);
  double now_s = world.now_s;
  pthread_mutex_unlock(&world.lock);
  return now_s;
}

pid_t __wrap_getpid(void);
pid_t __wrap_getpid(void) {
  return FIRST_PROCESS + (pid_t)self;
}

/* The next loss that the pool has not told; INFINITY: none. */
static double find_loss(size_t *worker) {
  double lost_s = (double)INFINITY;
  for (size_t i = 0; i < world.workers; i++) {
    if (world.is_told[i] || !(world.job->workers[i].lost_s < lost_s)) continue;
    lost_s = world.job->workers[i].lost_s;
    *worker = i;
  }
  return lost_s;
}

static double find_wake(size_t party) {
  const struct ls_endpoint *endpoint = &world.parties[party];
  size_t lost;
  double wake_s = endpoint->until_s;
  if (endpoint->inbox != NULL) wake_s = fmin(wake_s, endpoint->inbox->arrives_s);
  return endpoint == find_master() ? fmin(wake_s, find_loss(&lost)) : wake_s;
}

/* When nobody runs, whoever has to do something first is woken. */
static void go_on(void) {
  size_t first = PARTIES_MAX;
  for (size_t i = 0; i <= world.workers; i++) {
    const struct ls_endpoint *party = &world.parties[i];
    if (party->state == RUNS || party->is_woken) return;
    if (party->state == WAITS && (first == PARTIES_MAX || find_wake(i) < find_wake(first)))
      first = i;
  }
  if (first == PARTIES_MAX) return;
  double wake_s = find_wake(first);
  if (!isfinite(wake_s)) abort(); /* all would wait for ever */
  world.now_s = fmax(world.now_s, wake_s);
  world.parties[first].is_woken = true;
  pthread_cond_broadcast(&world.changed);
}

/* ---- the transport ---- */

static enum ls_status listen_there(const char *address, const struct ls_curve *curve,
                                   struct ls_endpoint **out, struct ls_error *err) {
  (void)address, (void)curve, (void)err;
  *out = find_master();
  return LS_OK;
}

static enum ls_status connect_there(const char *address, const struct ls_curve *curve,
                                    struct ls_endpoint **out, struct ls_error *err) {
  (void)address, (void)curve, (void)err;
  *out = &world.parties[self];
  return LS_OK;
}

static const char *get_address(const struct ls_endpoint *endpoint) {
  (void)endpoint;
  return "virtual";
}

/* To and from a worker that is lost nothing goes any more. */
static enum ls_status send_frame(struct ls_endpoint *endpoint, const struct ls_frame *frame,
                                 double patience_s, struct ls_error *err) {
  (void)patience_s, (void)err;
  bool is_master = endpoint == find_master();
  size_t worker = is_master ? (size_t)frame->peer - 1 : self;
  struct letter *letter = malloc(sizeof *letter + frame->length);
  if (letter == NULL) abort();
  pthread_mutex_lock(&world.lock);
  *letter = (struct letter){.arrives_s = world.now_s + world.job->workers[worker].delay_s,
                            .peer = is_master ? 0 : worker + 1,
                            .length = frame->length};
  memcpy(letter->data, frame->data, frame->length);
  if (world.is_lost[worker]) {
    free(letter);
  } else {
    struct letter **place = &(is_master ? &world.parties[worker] : find_master())->inbox;
    while (*place != NULL && !((*place)->arrives_s > letter->arrives_s)) place = &(*place)->next;
    letter->next = *place;
    *place = letter;
  }
  pthread_mutex_unlock(&world.lock);
  return LS_OK;
}

static bool has_arrived(const struct ls_endpoint *endpoint) {
  return endpoint->inbox != NULL && !(endpoint->inbox->arrives_s > world.now_s);
}

static bool receive_frame(struct ls_endpoint *endpoint, struct ls_frame *frame) {
  pthread_mutex_lock(&world.lock);
  bool is_there = has_arrived(endpoint);
  if (is_there) {
    free(endpoint->read);
    endpoint->read = endpoint->inbox;
    endpoint->inbox = endpoint->inbox->next;
    *frame = (struct ls_frame){endpoint->read->peer, endpoint->read->data, endpoint->read->length};
  }
  pthread_mutex_unlock(&world.lock);
  return is_there;
}

/* A worker that is lost wakes once more, to end its thread. */
static void lose_now(void) {
  for (size_t i = 0; i < world.workers; i++) {
    if (world.is_lost[i] || world.job->workers[i].lost_s > world.now_s) continue;
    world.is_lost[i] = true;
    world.interrupts[i] = 1;
    world.parties[i].until_s = world.now_s;
  }
}

static bool wait_there(struct ls_endpoint *endpoint, const int *files, size_t files_count,
                       bool *ready, double seconds) {
  size_t lost;
  pthread_mutex_lock(&world.lock);
  endpoint->until_s = world.now_s + seconds;
  if (!has_arrived(endpoint)) {
    endpoint->state = WAITS;
    go_on();
    while (!endpoint->is_woken) pthread_cond_wait(&world.changed, &world.lock);
    endpoint->is_woken = false;
    endpoint->state = RUNS;
  }
  if (endpoint == find_master()) lose_now();
  for (size_t i = 0; i < files_count; i++)
    ready[i] = files[i] == POOL_FILE && find_loss(&lost) <= world.now_s;
  bool is_there = has_arrived(endpoint);
  pthread_mutex_unlock(&world.lock);
  return is_there;
}

static void close_there(struct ls_endpoint *endpoint, double linger_s) {
  (void)linger_s;
  pthread_mutex_lock(&world.lock);
  endpoint->state = GONE;
  go_on();
  pthread_mutex_unlock(&world.lock);
}

/* No connection breaks: losses are told by the pool. */
static bool is_cut_there(struct ls_endpoint *endpoint) {
  (void)endpoint;
  return false;
}

static void admit_there(struct ls_endpoint *endpoint, uint64_t peer) {
  (void)endpoint, (void)peer;
}

static const struct ls_transport transport = {.name = "virtual",
                                              .listen = listen_there,
                                              .connect = connect_there,
                                              .is_cut = is_cut_there,
                                              .address = get_address,
                                              .send = send_frame,
                                              .receive = receive_frame,
                                              .admit = admit_there,
                                              .wait = wait_there,
                                              .close = close_there};

/* ---- the executor ---- */

struct ls_executor {
  struct ls_range units;
  double start_s, end_s;
  bool is_running;
  struct ls_bytes output, error_output;
};

static enum ls_status create(const struct ls_executor_setup *setup, struct ls_executor **out,
                             struct ls_error *err) {
  (void)setup, (void)err;
  *out = calloc(1, sizeof **out);
  if (*out == NULL) abort();
  return LS_OK;
}

static enum ls_status start(struct ls_executor *executor, const struct ls_upcoming *next,
                            struct ls_error *err) {
  const struct virtual_job *job = world.job;
  (void)err;
  executor->units = next->work.units;
  executor->start_s = executor->end_s = ls_clock_s();
  for (uint64_t i = 0; i < next->work.units.count; i++)
    executor->end_s += job->workers[self].unit_s *
                       job->work[world.iteration * job->units + next->work.units.first + i];
  executor->is_running = true;
  return LS_OK;
}

static int get_file(const struct ls_executor *executor) {
  (void)executor;
  return -1;
}

static double get_patience_s(const struct ls_executor *executor) {
  if (!executor->is_running) return (double)INFINITY;
  return world.is_lost[self] ? 0 : fmax(0, executor->end_s - ls_clock_s());
}

static bool has_finished(struct ls_executor *executor, struct ls_execution *execution) {
  bool is_over = world.is_lost[self] || !(ls_clock_s() < executor->end_s);
  if (!executor->is_running || !is_over) return false;
  double seconds = executor->end_s - executor->start_s;
  executor->is_running = false;
  *execution = (struct ls_execution){.outcome = LS_OUTCOME_DONE,
                                     .units = executor->units,
                                     .compute_s = seconds,
                                     .squares = seconds * seconds / (double)executor->units.count,
                                     .output = &executor->output,
                                     .error_output = &executor->error_output,
                                     .output_file = -1,
                                     .error_file = -1};
  return true;
}

static void cancel(struct ls_executor *executor) {
  executor->end_s = ls_clock_s();
}

static void destroy(struct ls_executor *executor) {
  free(executor);
}

static uint64_t get_units_max(const struct ls_executor *executor) {
  (void)executor;
  return 1;
}

static const struct ls_executor_kind virtual_executor = {.name = "virtual",
                                                         .create = create,
                                                         .destroy = destroy,
                                                         .start = start,
                                                         .file = get_file,
                                                         .patience_s = get_patience_s,
                                                         .finished = has_finished,
                                                         .cancel = cancel,
                                                         .units_max = get_units_max};

/* ---- the pool: it tells of losses ---- */

static enum ls_status open_pool(const struct ls_pool_setup *setup, struct ls_pool **out,
                                struct ls_error *err) {
  (void)setup, (void)err;
  *out = (struct ls_pool *)&world;
  return LS_OK;
}

static void request_workers(struct ls_pool *pool, size_t count) {
  (void)pool, (void)count;
}

static void leave_worker(struct ls_pool *pool, uint32_t slot) {
  (void)pool, (void)slot;
}

static bool poll_news(struct ls_pool *pool, struct ls_pool_news *news) {
  size_t worker = 0;
  (void)pool;
  if (!(find_loss(&worker) <= ls_clock_s())) return false;
  world.is_told[worker] = true;
  *news = (struct ls_pool_news){.kind = LS_POOL_LOST,
                                .slot = (uint32_t)worker + 1,
                                .pid = FIRST_PROCESS + (int64_t)worker,
                                .cause = LS_LOSS_CRASHED,
                                .signal = 9};
  return true;
}

static int find_file(const struct ls_pool *pool) {
  (void)pool;
  return POOL_FILE;
}

static double get_pool_patience_s(const struct ls_pool *pool) {
  (void)pool;
  return (double)INFINITY;
}

static uint32_t find_slot(const struct ls_pool *pool, const struct ls_pool_claim *claim) {
  (void)pool;
  return (uint32_t)(claim->pid - FIRST_PROCESS) + 1;
}

static struct ls_pool_counts get_counts(const struct ls_pool *pool) {
  (void)pool;
  return (struct ls_pool_counts){0};
}

static void close_pool(struct ls_pool *pool, double patience_s) {
  (void)pool, (void)patience_s;
}

static const struct ls_pool_kind pool = {.name = "virtual",
                                         .has_lifelines = true,
                                         .open = open_pool,
                                         .request = request_workers,
                                         .kill = leave_worker,
                                         .poll = poll_news,
                                         .file = find_file,
                                         .patience_s = get_pool_patience_s,
                                         .slot = find_slot,
                                         .counts = get_counts,
                                         .close = close_pool};

/* ---- the application and the threads ---- */

static enum ls_status open_app(int argc, char **argv, void **state, struct ls_error *err) {
  (void)argc, (void)argv, (void)err;
  *state = NULL;
  return LS_OK;
}

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  (void)state, (void)err;
  *units = iteration < world.job->iterations ? world.job->units : 0;
  world.iteration = iteration;
  return LS_OK;
}

static enum ls_status name_idle(void *state, uint32_t iteration, struct ls_ranges *units,
                                struct ls_error *err) {
  (void)state, (void)err;
  for (size_t i = 0; i < 2; i++) ls_ranges_add(units, world.job->idle[iteration][i]);
  return LS_OK;
}

static enum ls_status merge(void *state, const struct ls_unit_result *result,
                            struct ls_error *err) {
  (void)state, (void)err;
  world.merged += result->units.count;
  return LS_OK;
}

static const struct ls_app app = {
    .name = "virtual", .open = open_app, .units = count_units, .idle = name_idle, .merge = merge};

static pthread_t threads[VIRTUAL_WORKERS_MAX];

static void *work(void *context) {
  char name[32];
  self = (size_t)(uintptr_t)context;
  (void)snprintf(name, sizeof name, "local-%zu", self + 1);
  struct ls_worker_options options = {.transport = &transport,
                                      .address = "virtual",
                                      .name = name,
                                      .speed = 1,
                                      .lifeline = -1,
                                      .is_thread = true,
                                      .executor = &virtual_executor,
                                      .interrupts = &world.interrupts[self],
                                      .app = &app};
  return (void *)(uintptr_t)ls_worker_run(&options, NULL);
}

/* They count as running from now on, so that time stands still until all of them wait. */
static void start_threads(void *context, const char *address, const char *key) {
  (void)context, (void)address, (void)key;
  for (size_t i = 0; i < world.workers; i++) world.parties[i].state = RUNS;
  for (size_t i = 0; i < world.workers; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i), 0);
}

static void open_world(const struct virtual_job *job) {
  world.job = job;
  world.workers = job->workers_count;
  world.now_s = 0;
  world.merged = 0;
  for (size_t i = 0; i < PARTIES_MAX; i++)
    world.parties[i] = (struct ls_endpoint){.until_s = (double)INFINITY};
  for (size_t i = 0; i < VIRTUAL_WORKERS_MAX; i++) {
    world.is_lost[i] = world.is_told[i] = false;
    world.interrupts[i] = 0;
  }
  self = world.workers;
}

static void close_world(void) {
  for (size_t i = 0; i <= world.workers; i++) {
    struct ls_endpoint *party = &world.parties[i];
    free(party->read);
    while (party->inbox != NULL) {
      struct letter *letter = party->inbox;
      party->inbox = letter->next;
      free(letter);
    }
  }
}

uint64_t virtual_run(const struct virtual_job *job) {
  struct ls_master_report report;
  struct ls_error err = {0};
  const struct ls_pool_choice choice = {.kind = &pool, .setup = {.slots = job->workers_count}};
  struct ls_master_options options = {.app = &app,
                                      .config = job->config,
                                      .prefetch = job->prefetch,
                                      .heartbeat_s = 1e9,
                                      .site = open_site_with(&transport, "virtual", &choice),
                                      .workers_patience_s = 1e12,
                                      .announce = start_threads};
  open_world(job);
  if (ls_master_run(&options, &report, &err) != LS_OK) fail_msg("%s", err.text);
  for (size_t i = 0; i < world.workers; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  ls_master_report_close(&report);
  close_world();
  return world.merged;
}
