#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/metrics.h"
#include "model/timeline.h"

static void what_was_added_is_there(void **state) {
  (void)state;
  struct ls_timeline timeline;
  char name[] = "node";
  char note[] = "a note";
  ls_timeline_init(&timeline);
  ls_timeline_add_worker(&timeline, name, 1, (double)INFINITY);
  ls_timeline_add_note(&timeline, note);
  name[0] = note[0] = 'x'; /* texts are copied */
  for (uint32_t i = 0; i < 100; i++) {
    ls_timeline_add_decision(&timeline, i, i / 2.0);
    ls_timeline_add_span(&timeline, &(struct ls_span){.chunk = i, .start_s = i, .end_s = i + 1});
  }
  assert_int_equal(ls_timeline_finish(&timeline, NULL), LS_OK);
  assert_int_equal(timeline.workers_count, 1);
  assert_string_equal(timeline.workers[0].name, "node");
  assert_true(timeline.workers[0].joined_s == 1);
  assert_string_equal(timeline.notes[0], "a note");
  assert_int_equal(timeline.decisions_count, 100);
  assert_int_equal(timeline.spans_count, 100);
  for (uint32_t i = 0; i < 100; i++) {
    assert_int_equal(timeline.decisions[i].worker, i);
    assert_int_equal(timeline.spans[i].chunk, i);
  }
  ls_timeline_close(&timeline);
  assert_null(timeline.spans);
  ls_timeline_close(&timeline);
}

static void first_failure_sticks(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_error err;
  ls_timeline_init(&timeline);
  (void)ls_fail(&timeline.failure, LS_ENOMEM, "no memory");
  ls_timeline_add_worker(&timeline, "w", 0, 1);
  ls_timeline_add_decision(&timeline, 0, 1);
  ls_timeline_add_span(&timeline, &(struct ls_span){.end_s = 1});
  ls_timeline_add_note(&timeline, "n");
  assert_int_equal(timeline.workers_count + timeline.decisions_count + timeline.spans_count +
                       timeline.notes_count,
                   0);
  assert_int_equal(ls_timeline_finish(&timeline, &err), LS_ENOMEM);
  assert_string_equal(err.text, "no memory");
  ls_timeline_close(&timeline);
}

/* Of a long run: as many spans as workers, operations and outcomes, and the same metrics. */
static void a_summed_timeline_tells_what_a_listed_one_does(void **state) {
  (void)state;
  struct ls_timeline listed, summed;
  struct ls_metrics metrics[2];
  struct ls_worker_metrics workers[2][2];
  ls_timeline_init(&listed);
  ls_timeline_init(&summed);
  summed.is_summed = true;
  for (int k = 0; k < 2; k++) {
    struct ls_timeline *timeline = k == 0 ? &listed : &summed;
    for (uint64_t i = 0; i < 5000; i++) {
      uint32_t worker = i % 3 == 0;
      ls_timeline_add_decision(timeline, worker, 2);
      ls_timeline_add_span(
          timeline, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                      .operation = LS_OPERATION_COMPUTE,
                                      .outcome = i % 7 == 0 ? LS_OUTCOME_LOST : LS_OUTCOME_DONE,
                                      .worker = worker,
                                      .chunk = i,
                                      .units = 2,
                                      .start_s = (double)i,
                                      .end_s = (double)i + 0.5});
    }
    for (uint64_t i = 1; i < 5000; i += 49)
      ls_timeline_take_back(
          timeline, &(struct ls_span){.worker = i % 3 == 0, .chunk = i, .units = 1, .end_s = 0.25});
    ls_timeline_add_worker(timeline, "a", 0, (double)INFINITY);
    ls_timeline_add_worker(timeline, "b", 0, (double)INFINITY);
    timeline->makespan_s = 5000;
    assert_int_equal(ls_timeline_finish(timeline, NULL), LS_OK);
    ls_metrics_of(timeline, &metrics[k], workers[k]);
  }
  assert_true(summed.spans_count <= 2 * LS_OPERATION_COUNT * LS_OUTCOME_COUNT);
  assert_int_equal(summed.decisions_count, 5000);
  assert_true(fabs(metrics[1].efficiency - metrics[0].efficiency) < 1e-12);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(workers[1][i].chunks, workers[0][i].chunks);
    assert_true(fabs(workers[1][i].units - workers[0][i].units) < 1e-9);
    assert_true(fabs(workers[1][i].busy_s - workers[0][i].busy_s) < 1e-9);
    assert_true(fabs(workers[1][i].useful_s - workers[0][i].useful_s) < 1e-9);
  }
  ls_timeline_close(&listed);
  ls_timeline_close(&summed);
}

/* Three units of a second each, of which the last was done elsewhere; then all. */
static void what_did_not_count_is_lost_at_the_end_of_its_span(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_span span = {.resource = LS_RESOURCE_WORKER,
                         .operation = LS_OPERATION_COMPUTE,
                         .worker = 1,
                         .chunk = 4,
                         .units = 3,
                         .start_s = 5,
                         .end_s = 8};
  ls_timeline_init(&timeline);
  ls_timeline_add_span(&timeline, &span);
  ls_timeline_take_back(&timeline,
                        &(struct ls_span){.worker = 1, .chunk = 4, .units = 1, .end_s = 1});
  assert_int_equal(timeline.spans_count, 2);
  assert_true(timeline.spans[0].units == 2 && timeline.spans[0].end_s == 7);
  assert_true(timeline.spans[1].units == 0 && timeline.spans[1].start_s == 7);
  assert_true(timeline.spans[1].end_s == 8 && timeline.spans[1].outcome == LS_OUTCOME_LOST);
  /* Another chunk's, or another worker's, is not it. */
  ls_timeline_take_back(&timeline,
                        &(struct ls_span){.worker = 1, .chunk = 5, .units = 1, .end_s = 1});
  ls_timeline_take_back(&timeline,
                        &(struct ls_span){.worker = 0, .chunk = 4, .units = 1, .end_s = 1});
  assert_int_equal(timeline.spans_count, 2);
  ls_timeline_take_back(&timeline,
                        &(struct ls_span){.worker = 1, .chunk = 4, .units = 2, .end_s = 9});
  assert_true(timeline.spans[0].units == 0 && timeline.spans[0].end_s == 5);
  assert_true(timeline.spans[2].start_s == 5 && timeline.spans[2].end_s == 7);
  ls_timeline_close(&timeline);
}

/* What is on its way when the last result is there is no part of the run. */
static void what_lies_behind_the_end_is_cut_off(void **state) {
  (void)state;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  static const double spans[][2] = {{0, 2}, {1, 4}, {3, 5}, {4, 4}, {3, 3}, {2, 3}};
  for (uint64_t i = 0; i < sizeof spans / sizeof *spans; i++)
    ls_timeline_add_span(
        &timeline, &(struct ls_span){.chunk = i, .start_s = spans[i][0], .end_s = spans[i][1]});
  ls_timeline_add_absence(&timeline, &(struct ls_absence){.from_s = 1, .until_s = 4});
  ls_timeline_add_absence(&timeline, &(struct ls_absence){.from_s = 3, .until_s = 4});
  ls_timeline_end(&timeline, 3);
  assert_int_equal(ls_timeline_finish(&timeline, NULL), LS_OK);
  assert_true(timeline.makespan_s == 3);
  static const uint64_t kept[] = {0, 1, 4, 5};
  assert_int_equal(timeline.spans_count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(timeline.spans[i].chunk, kept[i]);
    assert_true(timeline.spans[i].start_s == spans[kept[i]][0]);
    assert_true(timeline.spans[i].end_s == fmin(spans[kept[i]][1], 3));
  }
  assert_int_equal(timeline.absences_count, 1);
  assert_true(timeline.absences[0].until_s == 3);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_added_is_there),
      cmocka_unit_test(first_failure_sticks),
      cmocka_unit_test(what_lies_behind_the_end_is_cut_off),
      cmocka_unit_test(what_did_not_count_is_lost_at_the_end_of_its_span),
      cmocka_unit_test(a_summed_timeline_tells_what_a_listed_one_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
