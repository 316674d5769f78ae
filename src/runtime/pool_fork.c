/* pool_fork.c: workers as processes on this machine. */
#include "runtime/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "runtime/clock.h"
#include "runtime/process.h"

enum { WORDS_APPENDED = 8, KNOWN_MAX = 64 };

static const double grace_s = 1.0, look_s = 0.02;
static const char token_name[] = "LOADSTAR_TOKEN";

struct slot {
  struct ls_process process; /* pid 0: free */
  int lifeline;              /* we hold the end that is never written to */
};

struct ls_pool {
  struct ls_pool_setup setup; /* its texts are ours */
  char **command;             /* with room for WORDS_APPENDED more words */
  size_t command_count;
  char **environment; /* ours with the token; only the array and the token are owned */
  char *token_entry, *address;
  double *speeds;
  struct slot *slots; /* by slot - 1 */
  size_t running;
  int epoll; /* of the pidfds; -1: none */
  bool has_pidfds;
  pid_t known[KNOWN_MAX]; /* children that are none of ours */
  size_t known_count;
};

static void destroy_pool(struct ls_pool *pool) {
  for (size_t i = 0; i < pool->command_count && pool->command != NULL; ++i) free(pool->command[i]);
  free(pool->command);
  free(pool->environment);
  free(pool->token_entry);
  free(pool->address);
  free(pool->speeds);
  free(pool->slots);
  if (pool->epoll >= 0) (void)close(pool->epoll);
  free(pool);
}

/* Our environment, without a token of an outer run; with that of this one. */
static bool copy_environment(struct ls_pool *pool, const char *token) {
  size_t count = 0, kept = 0, name_length = sizeof token_name - 1;
  while (environ[count] != NULL) ++count;
  pool->environment = calloc(count + 2, sizeof *pool->environment);
  if (pool->environment == NULL) return false;
  for (size_t i = 0; i < count; ++i) {
    bool is_token =
        strncmp(environ[i], token_name, name_length) == 0 && environ[i][name_length] == '=';
    if (!is_token) pool->environment[kept++] = environ[i];
  }
  if (token == NULL || token[0] == '\0') return true;
  if (asprintf(&pool->token_entry, "%s=%s", token_name, token) < 0) {
    pool->token_entry = NULL;
    return false;
  }
  pool->environment[kept] = pool->token_entry;
  return true;
}

static bool copy_setup(struct ls_pool *pool, const struct ls_pool_setup *setup) {
  size_t count = 0;
  while (setup->command[count] != NULL) ++count;
  pool->setup = *setup;
  pool->command = calloc(count + WORDS_APPENDED + 1, sizeof *pool->command);
  pool->address = strdup(setup->address);
  pool->slots = calloc(setup->slots, sizeof *pool->slots);
  pool->speeds = calloc(setup->speeds_count + 1, sizeof *pool->speeds);
  if (pool->command == NULL || pool->address == NULL || pool->slots == NULL ||
      pool->speeds == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    pool->command[i] = strdup(setup->command[i]);
    if (pool->command[i] == NULL) return false;
    ++pool->command_count;
  }
  if (setup->speeds_count > 0) {
    memcpy(pool->speeds, setup->speeds, setup->speeds_count * sizeof *pool->speeds);
  }
  return copy_environment(pool, setup->token);
}

static enum ls_status open_fork(const struct ls_pool_setup *setup, struct ls_pool **out,
                                struct ls_error *err) {
  if (setup->slots == 0 || setup->command == NULL || setup->command[0] == NULL) {
    return ls_fail(err, LS_EINVAL, "pool fork: %zu slots and %s command, expected at least one",
                   setup->slots, setup->command == NULL ? "no" : "a");
  }
  for (size_t i = 0; i < setup->speeds_count; ++i) {
    if (!(setup->speeds[i] > 0 && setup->speeds[i] <= 1)) {
      return ls_fail(err, LS_EINVAL, "pool fork: speed %zu is %g, must be > 0 and at most 1", i,
                     setup->speeds[i]);
    }
  }
  struct ls_pool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the pool");
  pool->epoll = epoll_create1(EPOLL_CLOEXEC);
  pool->has_pidfds = pool->epoll >= 0;
  if (!copy_setup(pool, setup)) {
    destroy_pool(pool);
    return ls_fail(err, LS_ENOMEM, "out of memory for the pool");
  }
  ls_process_adopt();
  pool->known_count = ls_process_children(pool->known, KNOWN_MAX);
  *out = pool;
  return LS_OK;
}

/* Without a pidfd for every worker, file() has nothing to offer and poll() asks each one. */
static void watch_process(struct ls_pool *pool, size_t index) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = index}};
  int pidfd = pool->slots[index].process.pidfd;
  if (pidfd < 0 || !pool->has_pidfds || epoll_ctl(pool->epoll, EPOLL_CTL_ADD, pidfd, &event) != 0) {
    pool->has_pidfds = false;
  }
}

static enum ls_status start_worker(struct ls_pool *pool, size_t index, struct ls_error *err) {
  struct slot *slot = &pool->slots[index];
  int lifeline[2];
  if (pipe2(lifeline, O_CLOEXEC) != 0) {
    return ls_fail(err, LS_EIO, "cannot make the lifeline of worker local-%zu: %s", index + 1,
                   strerror(errno));
  }
  size_t speeds_count = pool->setup.speeds_count;
  double speed = speeds_count > 0 ? pool->speeds[index % speeds_count] : 1.0;
  char name[32], speed_text[32], lifeline_text[16];
  (void)snprintf(name, sizeof name, "local-%zu", index + 1);
  (void)snprintf(speed_text, sizeof speed_text, "%.17g", speed);
  (void)snprintf(lifeline_text, sizeof lifeline_text, "%d", lifeline[0]);
  char connect_word[] = "--connect", name_word[] = "--name", speed_word[] = "--speed",
       lifeline_word[] = "--lifeline";
  char *words[WORDS_APPENDED + 1] = {connect_word, pool->address, name_word,     name, speed_word,
                                     speed_text,   lifeline_word, lifeline_text, NULL};
  memcpy(pool->command + pool->command_count, words, sizeof words);
  /* Standard output is the run's; messages of a worker go to standard error. */
  struct ls_process_request request = {.argv = pool->command,
                                       .environment = pool->environment,
                                       .output = STDERR_FILENO,
                                       .error_output = STDERR_FILENO,
                                       .keep = &lifeline[0],
                                       .keep_count = 1};
  enum ls_status status = ls_process_start(&request, &slot->process, NULL, err);
  memset(pool->command + pool->command_count, 0, sizeof words);
  (void)close(lifeline[0]);
  if (status != LS_OK) {
    (void)close(lifeline[1]);
    return ls_fail_while(err, status, "worker local-%zu", index + 1);
  }
  slot->lifeline = lifeline[1];
  ++pool->running;
  watch_process(pool, index);
  return LS_OK;
}

static enum ls_status request_workers(struct ls_pool *pool, size_t n, size_t *granted,
                                      struct ls_error *err) {
  size_t started = 0;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < pool->setup.slots && started < n && status == LS_OK; ++i) {
    if (pool->slots[i].process.pid != 0) continue;
    status = start_worker(pool, i, err);
    if (status == LS_OK) ++started;
  }
  /* Some are better than none. */
  if (status != LS_OK && started == 0) return status;
  *granted = started;
  return LS_OK;
}

static uint32_t find_slot(const struct ls_pool *pool, pid_t pid) {
  for (size_t i = 0; i < pool->setup.slots && pid > 0; ++i) {
    if (pool->slots[i].process.pid == pid) return (uint32_t)(i + 1);
  }
  return 0;
}

static void kill_worker(struct ls_pool *pool, uint32_t slot) {
  if (slot < 1 || slot > pool->setup.slots) return;
  const struct slot *place = &pool->slots[slot - 1];
  if (place->process.pid != 0) ls_process_signal(&place->process, SIGKILL);
}

static void close_lifeline(struct slot *slot) {
  if (slot->lifeline >= 0) (void)close(slot->lifeline);
  slot->lifeline = -1;
}

/* Processes that a worker leaves when it dies become ours, and are ended; the other workers, and
 * the processes that this one was started with, stay. */
static void end_orphans(struct ls_pool *pool) {
  if (pool->known_count > KNOWN_MAX) return;
  pid_t *known = calloc(pool->known_count + pool->setup.slots, sizeof *known);
  if (known == NULL) return;
  size_t count = 0;
  for (; count < pool->known_count; ++count) known[count] = pool->known[count];
  for (size_t i = 0; i < pool->setup.slots; ++i) {
    if (pool->slots[i].process.pid != 0) known[count++] = pool->slots[i].process.pid;
  }
  (void)ls_process_kill_orphans(known, count);
  free(known);
}

/* Takes the end of the worker in a slot, if it has ended. */
static bool reap_worker(struct ls_pool *pool, size_t index, struct ls_pool_loss *loss) {
  struct slot *slot = &pool->slots[index];
  struct ls_process_end end;
  struct ls_process process = slot->process;
  if (process.pid == 0 || !ls_process_ended(&slot->process, false, &end)) return false;
  /* The rest of its group first: a child that computes for it. */
  ls_process_signal(&process, SIGKILL);
  close_lifeline(slot);
  slot->process = (struct ls_process){.pid = 0, .pidfd = -1};
  --pool->running;
  end_orphans(pool);
  *loss = (struct ls_pool_loss){.slot = (uint32_t)(index + 1),
                                .pid = process.pid,
                                .exit_code = end.exit_code,
                                .signal = end.signal};
  return true;
}

static int poll_losses(struct ls_pool *pool, struct ls_pool_loss *loss) {
  if (pool->running == 0) return 0;
  struct epoll_event event;
  if (pool->has_pidfds) {
    if (epoll_wait(pool->epoll, &event, 1, 0) <= 0) return 0;
    return reap_worker(pool, (size_t)event.data.u64, loss) ? 1 : 0;
  }
  for (size_t i = 0; i < pool->setup.slots; ++i) {
    if (reap_worker(pool, i, loss)) return 1;
  }
  return 0;
}

static int get_file(const struct ls_pool *pool) {
  return pool->has_pidfds ? pool->epoll : -1;
}

static size_t count_running(const struct ls_pool *pool) {
  return pool->running;
}

/* Reaps for at most so long; are all gone? */
static bool wait_for_workers(struct ls_pool *pool, double seconds) {
  double until_s = ls_clock_s() + seconds;
  struct ls_pool_loss loss;
  for (;;) {
    while (poll_losses(pool, &loss) != 0) continue;
    double left_s = until_s - ls_clock_s();
    if (pool->running == 0) return true;
    if (!(left_s > 0)) return false;
    if (!pool->has_pidfds) left_s = fmin(left_s, look_s);
    struct epoll_event event;
    int milliseconds = (int)fmin(ceil(left_s * 1e3), 1e6);
    if (pool->epoll < 0) {
      (void)usleep((useconds_t)(left_s * 1e6));
    } else {
      (void)epoll_wait(pool->epoll, &event, 1, milliseconds);
    }
  }
}

static void close_fork(struct ls_pool *pool, double patience_s) {
  if (pool == NULL) return;
  if (!wait_for_workers(pool, patience_s)) {
    /* The end of its lifeline stops a worker sooner than a signal, which lets it finish. */
    for (size_t i = 0; i < pool->setup.slots; ++i) {
      if (pool->slots[i].process.pid == 0) continue;
      ls_process_signal(&pool->slots[i].process, SIGTERM);
      close_lifeline(&pool->slots[i]);
    }
    if (!wait_for_workers(pool, grace_s)) {
      for (size_t i = 0; i < pool->setup.slots; ++i) kill_worker(pool, (uint32_t)(i + 1));
      (void)wait_for_workers(pool, (double)INFINITY);
    }
  }
  end_orphans(pool);
  destroy_pool(pool);
}

const struct ls_pool_kind ls_pool_fork = {.name = "fork",
                                          .open = open_fork,
                                          .request = request_workers,
                                          .slot = find_slot,
                                          .kill = kill_worker,
                                          .poll = poll_losses,
                                          .file = get_file,
                                          .running = count_running,
                                          .close = close_fork};
