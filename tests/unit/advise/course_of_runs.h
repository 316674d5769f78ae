/* course_of_runs.h: the courses of runs that lasted as a known platform says. */
#ifndef LS_TESTS_UNIT_ADVISE_COURSE_OF_RUNS_H
#define LS_TESTS_UNIT_ADVISE_COURSE_OF_RUNS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/plan.h"
#include "model/replay.h"
#include "model/run_course.h"

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

/* What the worker computed; what the transfer took is not told. */
static inline void record_chunks(const struct ls_plan *plan, struct ls_run_course *course) {
  for (size_t i = 0; i < RUN_CHUNKS; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    course->sent[i] = (struct ls_course_chunk){
        .chunk = i, .worker = chunk->worker, .units = (uint64_t)chunk->units};
    course->ended[i] = course->sent[i];
    course->ended[i].compute_s = chunk->compute_end_s - chunk->compute_start_s;
    course->ended[i].end_s = chunk->compute_end_s;
  }
  course->sent_count = course->ended_count = RUN_CHUNKS;
  course->to_s = plan->makespan_s;
}

/* Chunks of 1 to units_most units in turn to both workers, as long as `truth` says. */
static inline struct ls_run_course make_course_of(const struct ls_platform *truth,
                                                  uint64_t units_most, uint64_t seed) {
  struct ls_random random;
  struct ls_plan plan;
  struct ls_run_course course = {.workers = calloc(RUN_WORKERS, sizeof *course.workers),
                                 .workers_count = RUN_WORKERS,
                                 .sent = calloc(RUN_CHUNKS, sizeof *course.sent),
                                 .ended = calloc(RUN_CHUNKS, sizeof *course.ended)};
  assert_true(course.workers != NULL && course.sent != NULL && course.ended != NULL);
  for (size_t i = 0; i < RUN_WORKERS; i++) {
    char name[16];
    snprintf(name, sizeof name, "local-%zu", i + 1);
    course.workers[i] = strdup(name);
  }
  ls_random_init(&random, seed, "chunks");
  ls_plan_init(&plan, "run", 0);
  for (size_t i = 0; i < RUN_CHUNKS; i++) {
    double units = (double)(1 + ls_random_below(&random, units_most));
    plan.load += units;
    ls_plan_add(&plan, (uint32_t)(i % RUN_WORKERS), 0, units);
  }
  assert_int_equal(ls_plan_finish(&plan, NULL), LS_OK);
  assert_int_equal(ls_replay(&plan, truth, NULL), LS_OK);
  record_chunks(&plan, &course);
  ls_plan_close(&plan);
  return course;
}

#endif
