#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/timeline.h"

static void every_name_is_there(void **state) {
  (void)state;
  assert_string_equal(ls_operation_name(LS_OPERATION_PREPARE), "prepare");
  assert_string_equal(ls_operation_name(LS_OPERATION_COMPUTE), "compute");
  assert_string_equal(ls_resource_name(LS_RESOURCE_MASTER), "master");
  assert_string_equal(ls_resource_name(LS_RESOURCE_WORKER), "worker");
  for (int i = 0; i < LS_OPERATION_COUNT; i++) {
    assert_true(strlen(ls_operation_name((enum ls_operation)i)) > 0);
  }
}

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_is_there),
      cmocka_unit_test(what_was_added_is_there),
      cmocka_unit_test(first_failure_sticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
