/* replacement_speed: what a request costs after workers were replaced many times, beside a fresh
 * pool.
 *
 * Usage: replacement_speed [REPLACEMENTS [TURNS]]
 *
 * Two coordinators of 4 workers each play the policies that look at all slots at a request.  In one
 * of them workers were lost and replaced, one after another, before.  A request is a READY and the
 * RESULT that gives its units back, so that all requests find the same.  The two take turns, so
 * that a busy machine slows both; what counts is the median of the ratios of each turn.  Prints one
 * JSON line for each policy; exit status 1: the ratio to reach is missed.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "coordinator/coordinator.h"
#include "processor_time.h"

enum { WORKERS = 4, UNITS = 1 << 16, REQUESTS = 20000, TURNS_MAX = 101 };

/* At most. */
static const double RATIO_REACH = 1.2;

struct pool {
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  double now_s;
};

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "replacement_speed: %s\n", err->text);
  exit(1);
}

static void step(struct pool *pool, struct ls_event event) {
  struct ls_error err = {0};
  event.now_s = pool->now_s;
  require(ls_coordinator_step(pool->coordinator, &event, &pool->actions, &err), &err);
}

/* The first unit that the worker gets takes a second, and the others go back. */
static void request(struct pool *pool, uint32_t worker, uint64_t done) {
  step(pool, (struct ls_event){.kind = LS_EVENT_READY, .worker = worker, .ready_units = 1});
  struct ls_action_send send = pool->actions.items[0].send;
  struct ls_range units = pool->actions.ranges[send.first_range];
  struct ls_event result = {.kind = LS_EVENT_RESULT,
                            .worker = worker,
                            .result = {.chunk = send.chunk,
                                       .units = {units.first, done},
                                       .outcome = LS_OUTCOME_DONE,
                                       .seconds = (double)done}};
  if (done > 0) step(pool, result);
  if (units.count == done) return;
  result.result.outcome = LS_OUTCOME_CANCELLED;
  result.result.units = (struct ls_range){units.first + done, units.count - done};
  result.result.seconds = 0;
  step(pool, result);
}

static void open_pool(struct pool *pool, const char *policy) {
  struct ls_error err = {0};
  struct ls_coordinator_config config = {.chunking = ls_chunking_find(policy),
                                         .workers = WORKERS,
                                         .workers_max = LS_WORKER_NONE - 1,
                                         .mean_seconds = (double)NAN,
                                         .deviation_seconds = (double)NAN,
                                         .overhead_seconds = (double)NAN};
  *pool = (struct pool){0};
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  require(ls_coordinator_create(&config, &pool->coordinator, &err), &err);
  step(pool, (struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = UNITS});
  for (uint32_t i = 0; i < WORKERS; i++)
    step(pool, (struct ls_event){.kind = LS_EVENT_JOINED, .worker = i});
  for (uint32_t i = 0; i < WORKERS; i++) request(pool, i, 1);
}

static void close_pool(struct pool *pool) {
  ls_coordinator_destroy(pool->coordinator);
  ls_actions_close(&pool->actions);
}

static void replace(struct pool *pool, size_t replacements) {
  for (size_t i = 0; i < replacements; i++) {
    uint32_t worker = (uint32_t)(i % WORKERS);
    pool->now_s += 0.25;
    step(pool, (struct ls_event){.kind = LS_EVENT_LOST, .worker = worker});
    step(pool, (struct ls_event){.kind = LS_EVENT_JOINED, .worker = worker});
    request(pool, worker, i + WORKERS < replacements ? 0 : 1);
  }
}

static double time_requests(struct pool *pool) {
  double begin_s = read_clock();
  for (uint32_t i = 0; i < REQUESTS; i++) {
    pool->now_s += 0.25;
    request(pool, i % WORKERS, 0);
  }
  return (read_clock() - begin_s) / REQUESTS;
}

static bool run(const char *policy, size_t replacements, size_t turns) {
  struct pool fresh, old;
  double ratios[TURNS_MAX], fresh_s[TURNS_MAX];
  open_pool(&fresh, policy);
  open_pool(&old, policy);
  replace(&old, replacements);
  for (size_t i = 0; i < turns; i++) {
    fresh_s[i] = time_requests(&fresh);
    ratios[i] = time_requests(&old) / fresh_s[i];
  }
  ls_sort_ascending(ratios, turns);
  ls_sort_ascending(fresh_s, turns);
  double ratio = ratios[turns / 2];
  printf(
      "{\"policy\": \"%s\", \"replacements\": %zu, \"request_us\": %.3f, \"ratio\": %.3f, "
      "\"reach\": %g}\n",
      policy, replacements, 1e6 * fresh_s[turns / 2], ratio, RATIO_REACH);
  close_pool(&fresh);
  close_pool(&old);
  return ratio <= RATIO_REACH;
}

int main(int count, char **arguments) {
  static const char *const policies[] = {"af", "awf-c", "monitor"};
  size_t replacements = count > 1 ? strtoul(arguments[1], NULL, 10) : 20000;
  size_t turns = count > 2 ? strtoul(arguments[2], NULL, 10) : 11;
  bool is_reached = true;
  if (turns < 1 || turns > TURNS_MAX) {
    fprintf(stderr, "replacement_speed: %zu turns, expected 1 to %d\n", turns, TURNS_MAX);
    return 2;
  }
  for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
    if (!run(policies[i], replacements, turns)) is_reached = false;
  return is_reached ? 0 : 1;
}
