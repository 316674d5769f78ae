/* report_fixture.h: a small timeline with a bit of everything, for the tests of the formats. */
#ifndef LS_TESTS_REPORT_FIXTURE_H
#define LS_TESTS_REPORT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"

/* cmocka's own comparison is of floats only; NaN is near nothing. */
#define assert_near(got, expected, tolerance) \
  assert_true(fabs((double)(got) - (double)(expected)) <= (double)(tolerance))

static inline void fixture_span(struct ls_timeline *timeline, uint32_t worker, double start_s,
                                double end_s, enum ls_outcome outcome) {
  struct ls_span span = {.resource = LS_RESOURCE_WORKER,
                         .operation = LS_OPERATION_COMPUTE,
                         .outcome = outcome,
                         .worker = worker,
                         .chunk = timeline->spans_count,
                         .units = 3,
                         .start_s = start_s,
                         .end_s = end_s};
  ls_timeline_add_span(timeline, &span);
  if (end_s > timeline->makespan_s) timeline->makespan_s = end_s;
}

/* Worker "alpha" computes 0-8, fails 8-10; "beta" joins at 5, loses 6-8; a transfer 0-1. */
static inline void fixture_timeline(struct ls_timeline *timeline) {
  ls_timeline_init(timeline);
  ls_timeline_add_worker(timeline, "alpha", 0, (double)INFINITY);
  ls_timeline_add_worker(timeline, "<be\"t&a,\n\xff\033[1m", 5, 9);
  ls_timeline_add_decision(timeline, 0, 3);
  ls_timeline_add_decision(timeline, 1, 3);
  fixture_span(timeline, 0, 0, 8, LS_OUTCOME_DONE);
  fixture_span(timeline, 0, 8, 10, LS_OUTCOME_FAILED);
  fixture_span(timeline, 1, 6, 8, LS_OUTCOME_LOST);
  struct ls_span transfer = {
      .resource = LS_RESOURCE_NETWORK, .operation = LS_OPERATION_TRANSFER, .units = 3, .end_s = 1};
  ls_timeline_add_span(timeline, &transfer);
}

/* A chunk that goes to a worker in 2 s, is computed in 3, waits for 1 and returns in 2. */
static inline void fixture_round_trip(struct ls_timeline *timeline, uint32_t worker,
                                      double start_s) {
  static const struct {
    enum ls_resource resource;
    enum ls_operation operation;
    double from_s, to_s;
  } parts[] = {{LS_RESOURCE_NETWORK, LS_OPERATION_TRANSFER, 0, 2},
               {LS_RESOURCE_WORKER, LS_OPERATION_COMPUTE, 2, 5},
               {LS_RESOURCE_RETURN, LS_OPERATION_REPLY, 6, 8}};
  for (size_t i = 0; i < 3; i++) {
    struct ls_span span = {.resource = parts[i].resource,
                           .operation = parts[i].operation,
                           .worker = worker,
                           .start_s = start_s + parts[i].from_s,
                           .end_s = start_s + parts[i].to_s};
    ls_timeline_add_span(timeline, &span);
  }
}

/* A worker with so many spans that no drawing shows each. */
static inline void fixture_crowd(struct ls_timeline *timeline, size_t workers, size_t spans) {
  ls_timeline_init(timeline);
  for (size_t i = 0; i < workers; i++) {
    char name[32];
    snprintf(name, sizeof name, "node-%zu", i);
    ls_timeline_add_worker(timeline, name, 0, (double)INFINITY);
  }
  for (size_t k = 0; k < spans; k++)
    for (size_t i = 0; i < workers; i++)
      fixture_span(timeline, (uint32_t)i, (double)k, (double)k + 0.75, LS_OUTCOME_DONE);
}

static inline size_t fixture_count(const char *text, const char *word) {
  /* Not strstr: under the address sanitizer each call walks over all of a large drawing. */
  size_t count = 0, length = strlen(word);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == word[0] && strncmp(c, word, length) == 0) count++;
  }
  return count;
}

#endif
