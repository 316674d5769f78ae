#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/validate.h"
#include "model/validate_private.h"

static void add_span(struct ls_timeline *timeline, enum ls_resource resource, uint32_t worker,
                     double start_s, double end_s) {
  ls_timeline_add_span(timeline, &(struct ls_span){.resource = resource,
                                                   .operation = LS_OPERATION_COMPUTE,
                                                   .worker = worker,
                                                   .chunk = timeline->spans_count,
                                                   .start_s = start_s,
                                                   .end_s = end_s});
}

static void open_timeline(struct ls_timeline *timeline) {
  ls_timeline_init(timeline);
  timeline->makespan_s = 10;
  ls_timeline_add_worker(timeline, "a", 0, (double)INFINITY);
  ls_timeline_add_worker(timeline, "b", 1, 8);
  add_span(timeline, LS_RESOURCE_WORKER, 0, 5, 10);
  add_span(timeline, LS_RESOURCE_WORKER, 0, 0, 5);
  add_span(timeline, LS_RESOURCE_WORKER, 1, 1, 8);
  add_span(timeline, LS_RESOURCE_NETWORK, 0, 0, 3);
  add_span(timeline, LS_RESOURCE_NETWORK, 1, 3, 4);
  assert_int_equal(ls_validate_timeline(timeline, NULL), LS_OK);
}

static void expect_fault(struct ls_timeline *timeline, const char *words) {
  struct ls_error err;
  assert_int_equal(ls_validate_timeline(timeline, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
  ls_timeline_close(timeline);
}

static void two_things_at_once_are_seen(void **state) {
  (void)state;
  struct ls_timeline timeline;
  open_timeline(&timeline);
  add_span(&timeline, LS_RESOURCE_WORKER, 0, 4, 5);
  expect_fault(&timeline, "worker 0: chunk 1 holds it until 5, chunk 5 from 4");
  /* The long one is not the neighbour of the one that it disturbs. */
  open_timeline(&timeline);
  add_span(&timeline, LS_RESOURCE_RETURN, 0, 0, 9);
  add_span(&timeline, LS_RESOURCE_RETURN, 0, 0, 0);
  add_span(&timeline, LS_RESOURCE_RETURN, 1, 8, 9);
  expect_fault(&timeline, "return 0: chunk 5 holds it until 9, chunk 7 from 8");
}

static void shared_networks_may_overlap(void **state) {
  (void)state;
  struct ls_timeline timeline;
  open_timeline(&timeline);
  add_span(&timeline, LS_RESOURCE_NETWORK, 0, 1, 4);
  timeline.has_shared_network = true;
  assert_int_equal(ls_validate_timeline(&timeline, NULL), LS_OK);
  timeline.has_shared_network = false;
  expect_fault(&timeline, "network 0: chunk 3 holds it until 3, chunk 5 from 1");
}

static void spans_of_no_time_disturb_nobody(void **state) {
  (void)state;
  struct ls_timeline timeline;
  open_timeline(&timeline);
  add_span(&timeline, LS_RESOURCE_WORKER, 0, 5, 5);
  add_span(&timeline, LS_RESOURCE_WORKER, 0, 0, 0);
  assert_int_equal(ls_validate_timeline(&timeline, NULL), LS_OK);
  add_span(&timeline, LS_RESOURCE_WORKER, 0, 2, 2);
  expect_fault(&timeline, "worker 0: chunk 1 holds it until 5, chunk 7 from 2");
}

static void impossible_spans_are_seen(void **state) {
  (void)state;
  struct ls_timeline timeline;
  open_timeline(&timeline);
  timeline.spans[0].end_s = 4;
  expect_fault(&timeline, "span 0 runs from 5 to 4");
  open_timeline(&timeline);
  timeline.spans[1].start_s = -1;
  expect_fault(&timeline, "span 1 runs from -1 to 5");
  open_timeline(&timeline);
  timeline.spans[1].start_s = (double)NAN;
  expect_fault(&timeline, "span 1 runs from nan to 5");
  open_timeline(&timeline);
  timeline.makespan_s = 9;
  expect_fault(&timeline, "span 0 ends at 10, after the makespan, 9");
  open_timeline(&timeline);
  timeline.makespan_s = (double)NAN;
  expect_fault(&timeline, "makespan is nan");
  open_timeline(&timeline);
  timeline.spans[2].worker = 2;
  expect_fault(&timeline, "span 2: worker is 2, must be below 2");
  open_timeline(&timeline);
  timeline.spans[2].operation = LS_OPERATION_COUNT;
  expect_fault(&timeline, "span 2: no such operation");
}

static void absent_workers_do_nothing(void **state) {
  (void)state;
  struct ls_timeline timeline;
  open_timeline(&timeline);
  timeline.workers[1].joined_s = 2;
  expect_fault(&timeline, "span 2: worker 1 is busy from 1 to 8, is there from 2 to 8");
  open_timeline(&timeline);
  timeline.workers[1].left_s = 7;
  expect_fault(&timeline, "span 2: worker 1 is busy from 1 to 8, is there from 1 to 7");
}

static void rounding_is_no_violation(void **state) {
  (void)state;
  assert_true(ls_validate_before(1, 1));
  assert_true(ls_validate_before(1 + 1e-10, 1));
  assert_true(ls_validate_before(1e12 + 1, 1e12));
  assert_false(ls_validate_before(1 + 1e-8, 1));
  assert_false(ls_validate_before((double)NAN, 1));
  assert_false(ls_validate_before(1, (double)NAN));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_things_at_once_are_seen),
      cmocka_unit_test(shared_networks_may_overlap),
      cmocka_unit_test(spans_of_no_time_disturb_nobody),
      cmocka_unit_test(impossible_spans_are_seen),
      cmocka_unit_test(absent_workers_do_nothing),
      cmocka_unit_test(rounding_is_no_violation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
