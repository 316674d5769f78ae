/* journal_of_runs.h: journals of runs that lasted as a known platform says, in the folder of
 * journal_of_chunks.h. */
#ifndef LS_TESTS_UNIT_CLI_CALIBRATE_JOURNAL_OF_RUNS_H
#define LS_TESTS_UNIT_CLI_CALIBRATE_JOURNAL_OF_RUNS_H

#include "base/random.h"
#include "coordinator/coordinator.h"
#include "journal_of_chunks.h"
#include "model/plan.h"
#include "model/replay.h"

enum { RUN_CHUNKS = 30, RUN_WORKERS = 2 };

static inline struct ls_platform make_truth(double transfer_latency_s) {
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, RUN_WORKERS, NULL), LS_OK);
  for (size_t i = 0; i < RUN_WORKERS; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){transfer_latency_s, 0};
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 0.1};
  }
  return platform;
}

/* One result for each chunk: what the worker computed; what the transfer took is not told. */
static inline void record_chunk(struct ls_journal *journal, const struct ls_plan_chunk *chunk,
                                uint64_t number, uint64_t first) {
  struct ls_range range = {first, (uint64_t)chunk->units};
  struct ls_actions actions = {.ranges = &range, .ranges_count = 1};
  struct ls_action send = {.kind = LS_ACTION_SEND,
                           .worker = chunk->worker,
                           .send = {.chunk = number, .units = range.count, .ranges_count = 1}};
  double seconds = chunk->compute_end_s - chunk->compute_start_s;
  struct ls_journal_result result = {.units = range,
                                     .outcome = LS_OUTCOME_DONE,
                                     .worker = chunk->worker,
                                     .slot = chunk->worker + 1,
                                     .attempt = 1,
                                     .chunk = number,
                                     .start_s = chunk->compute_start_s,
                                     .seconds = seconds,
                                     .compute_s = seconds};
  ls_journal_event(journal, &(struct ls_event){.kind = LS_EVENT_READY,
                                               .worker = chunk->worker,
                                               .now_s = chunk->send_start_s,
                                               .ready_units = 1});
  ls_journal_decision(journal, &actions, &send);
  ls_journal_result(journal, &result);
}

/* Chunks of 1 to units_most units in turn to both workers, as long as `truth` says. */
static inline void make_run_of(const char *path, const struct ls_platform *truth,
                               uint64_t units_most, uint64_t seed) {
  struct ls_random random;
  struct ls_plan plan;
  uint64_t units = 0;
  ls_random_init(&random, seed, "chunks");
  ls_plan_init(&plan, "run", 0);
  for (size_t i = 0; i < RUN_CHUNKS; i++) {
    uint64_t count = 1 + ls_random_below(&random, units_most);
    units += count;
    ls_plan_add(&plan, (uint32_t)(i % RUN_WORKERS), 0, (double)count);
  }
  plan.load = (double)units;
  assert_int_equal(ls_plan_finish(&plan, NULL), LS_OK);
  assert_int_equal(ls_replay(&plan, truth, NULL), LS_OK);
  struct ls_journal_job job = {
      .application = "run", .command = "true", .directory = "/", .units = units, .policy = "ss"};
  struct ls_journal_request request = {.path = path, .job = &job};
  struct ls_journal *journal = NULL;
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  for (uint32_t worker = 0; worker < RUN_WORKERS; worker++) {
    char name[16];
    snprintf(name, sizeof name, "local-%u", (unsigned)worker + 1);
    struct ls_journal_worker one = {
        .worker = worker, .slot = worker + 1, .name = name, .left_s = (double)NAN};
    ls_journal_worker(journal, &one);
    ls_journal_event(journal, &(struct ls_event){.kind = LS_EVENT_JOINED, .worker = worker});
  }
  uint64_t first = 0;
  for (size_t i = 0; i < RUN_CHUNKS; i++) {
    record_chunk(journal, &plan.chunks[i], i, first);
    first += (uint64_t)plan.chunks[i].units;
  }
  ls_journal_end(journal, "finished", plan.makespan_s);
  assert_int_equal(ls_journal_commit(journal, NULL), LS_OK);
  ls_journal_close(journal);
  ls_plan_close(&plan);
}

#endif
