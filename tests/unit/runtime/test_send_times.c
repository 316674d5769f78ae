/* Which rounds of a master that pushes tell what sending takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "runtime/journal/past/send_times.h"

enum { FIRST_WORKER = 4 };

struct scene {
  struct ls_send_times times;
  struct ls_run_course course;
};

static void hear_sends(struct scene *scene, enum ls_event_kind kind, double now_s,
                       struct ls_action *sends, size_t count) {
  struct ls_event event = {.kind = kind, .now_s = now_s};
  struct ls_actions actions = {.items = sends, .count = count};
  assert_int_equal(
      ls_send_times_step(&scene->times, FIRST_WORKER, &event, &actions, &scene->course), LS_OK);
}

static void hear(struct scene *scene, enum ls_event_kind kind, double now_s) {
  hear_sends(scene, kind, now_s, NULL, 0);
}

/* An event that lets a chunk go. */
static void push(struct scene *scene, enum ls_event_kind kind, double now_s, uint32_t worker,
                 uint64_t units) {
  struct ls_action send = {.kind = LS_ACTION_SEND, .worker = worker, .send = {.units = units}};
  hear_sends(scene, kind, now_s, &send, 1);
}

/* An iteration whose two workers have had their first chunks, until 3 s behind `from_s`. */
static void begin(struct scene *scene, double from_s) {
  hear(scene, LS_EVENT_ITERATION, from_s);
  hear(scene, LS_EVENT_JOINED, from_s + 1);
  hear(scene, LS_EVENT_JOINED, from_s + 1);
  push(scene, LS_EVENT_FREE, from_s + 1, 0, 10);
  push(scene, LS_EVENT_FREE, from_s + 2, 1, 10);
}

static void expect(const struct scene *scene, size_t index, uint32_t worker, double units,
                   double seconds) {
  assert_true(index < scene->course.sends_count);
  const struct ls_course_send *send = &scene->course.sends[index];
  assert_int_equal(send->worker, FIRST_WORKER + worker);
  assert_true(fabs(send->units - units) <= 1e-12 && fabs(send->seconds - seconds) <= 1e-12);
}

static void end(struct scene *scene, size_t count) {
  assert_int_equal(scene->course.sends_count, count);
  ls_send_times_close(&scene->times);
  ls_run_course_close(&scene->course);
}

static void a_round_lasts_until_the_master_is_free_again(void **state) {
  (void)state;
  struct scene scene = {.course = {.from_s = 0}};
  begin(&scene, 0);
  push(&scene, LS_EVENT_FREE, 3, 0, 20);
  push(&scene, LS_EVENT_FREE, 5, 1, 30);
  hear(&scene, LS_EVENT_FREE, 5.5);
  expect(&scene, 0, 0, 20, 2);
  expect(&scene, 1, 1, 30, 0.5);
  end(&scene, 2);
}

static void chunks_of_one_round_share_its_time(void **state) {
  (void)state;
  struct scene scene = {.course = {.from_s = 0}};
  begin(&scene, 0);
  push(&scene, LS_EVENT_FREE, 3, 0, 10);
  push(&scene, LS_EVENT_FREE, 3, 1, 20);
  push(&scene, LS_EVENT_FREE, 3, 0, 60);
  push(&scene, LS_EVENT_FREE, 4.5, 0, 1);
  expect(&scene, 0, 0, 30, 0.5);
  expect(&scene, 1, 1, 30, 0.5);
  end(&scene, 2);
}

/* Behind a FREE that let nothing go the master waits. */
static void a_master_that_waits_tells_nothing(void **state) {
  (void)state;
  struct scene scene = {.course = {.from_s = 0}};
  begin(&scene, 0);
  push(&scene, LS_EVENT_FREE, 3, 0, 10);
  hear(&scene, LS_EVENT_FREE, 3);
  push(&scene, LS_EVENT_RESULT, 4, 0, 10); /* there is room again */
  push(&scene, LS_EVENT_FREE, 4, 1, 10);
  push(&scene, LS_EVENT_FREE, 6, 1, 10);
  push(&scene, LS_EVENT_FREE, 7, 1, 10);
  hear(&scene, LS_EVENT_FREE, 7);
  hear(&scene, LS_EVENT_FREE, 9);
  expect(&scene, 0, 1, 10, 1); /* from 6 to 7 */
  end(&scene, 1);
}

static void nothing_counts_before_all_workers_are_there(void **state) {
  (void)state;
  struct scene scene = {.course = {.from_s = 0}};
  begin(&scene, 0);
  push(&scene, LS_EVENT_FREE, 3, 0, 10);
  push(&scene, LS_EVENT_FREE, 4, 1, 10);
  push(&scene, LS_EVENT_FREE, 5, 2, 10);
  push(&scene, LS_EVENT_FREE, 6, 0, 10);
  push(&scene, LS_EVENT_FREE, 8, 0, 10);
  expect(&scene, 0, 0, 10, 2);
  end(&scene, 1);
}

static void results_may_come_meanwhile_and_nothing_else(void **state) {
  (void)state;
  const enum ls_event_kind kinds[] = {LS_EVENT_JOINED, LS_EVENT_READY,   LS_EVENT_TIMER,
                                      LS_EVENT_ADVICE, LS_EVENT_GRANTED, LS_EVENT_ADDED};
  struct scene scene = {.course = {.from_s = 0}};
  begin(&scene, 0);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    hear(&scene, kinds[i], 3 + (double)i);
    push(&scene, LS_EVENT_FREE, 3 + (double)i, 0, 10);
  }
  push(&scene, LS_EVENT_FREE, 10, 0, 10);
  hear(&scene, LS_EVENT_ADVICE, 10); /* behind the chunk, and in its round */
  hear(&scene, LS_EVENT_RESULT, 11);
  hear(&scene, LS_EVENT_HEARTBEAT, 11);
  push(&scene, LS_EVENT_FREE, 11, 0, 10);
  hear(&scene, LS_EVENT_RESULT, 11.25);
  push(&scene, LS_EVENT_FREE, 11.25, 0, 10);
  expect(&scene, 0, 0, 10, 0.25);
  end(&scene, 1);
}

static void nothing_counts_behind_a_loss_in_its_iteration(void **state) {
  (void)state;
  const enum ls_event_kind kinds[] = {LS_EVENT_LOST, LS_EVENT_LEAVING, LS_EVENT_SUSPENDED,
                                      LS_EVENT_RESUMED, LS_EVENT_STOP};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    struct scene scene = {.course = {.from_s = 0}};
    begin(&scene, 0);
    push(&scene, LS_EVENT_FREE, 3, 0, 10);
    push(&scene, LS_EVENT_FREE, 4, 1, 10);
    hear(&scene, kinds[i], 5);
    push(&scene, LS_EVENT_FREE, 5, 2, 10); /* another one does what is left */
    push(&scene, LS_EVENT_FREE, 6, 2, 10);
    push(&scene, LS_EVENT_FREE, 7, 2, 10);
    expect(&scene, 0, 0, 10, 1);
    assert_int_equal(scene.course.sends_count, 1);
    begin(&scene, 10);
    push(&scene, LS_EVENT_FREE, 13, 0, 10);
    push(&scene, LS_EVENT_FREE, 15, 1, 10);
    expect(&scene, 1, 0, 10, 2);
    end(&scene, 2);
  }
}

/* With the first chunks of an iteration goes what the application tells everybody. */
static void each_iteration_has_first_chunks(void **state) {
  (void)state;
  struct scene scene = {.course = {.from_s = 0}};
  begin(&scene, 0);
  push(&scene, LS_EVENT_FREE, 3, 0, 10);
  hear(&scene, LS_EVENT_FREE, 4);
  push(&scene, LS_EVENT_ITERATION, 20, 0, 10);
  push(&scene, LS_EVENT_FREE, 21, 1, 10);
  push(&scene, LS_EVENT_FREE, 22, 0, 10);
  push(&scene, LS_EVENT_FREE, 23, 0, 10);
  expect(&scene, 0, 0, 10, 1);
  expect(&scene, 1, 0, 10, 1);
  end(&scene, 2);
}

/* A journal may say anything: no time is below 0, and nothing is divided by it. */
static void time_that_goes_back_ends_no_round(void **state) {
  (void)state;
  struct scene scene = {.course = {.from_s = 0}};
  begin(&scene, 0);
  push(&scene, LS_EVENT_FREE, 3, 0, 10);
  push(&scene, LS_EVENT_FREE, 2, 0, 10);
  push(&scene, LS_EVENT_FREE, (double)NAN, 0, 10);
  end(&scene, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_round_lasts_until_the_master_is_free_again),
      cmocka_unit_test(chunks_of_one_round_share_its_time),
      cmocka_unit_test(a_master_that_waits_tells_nothing),
      cmocka_unit_test(nothing_counts_before_all_workers_are_there),
      cmocka_unit_test(results_may_come_meanwhile_and_nothing_else),
      cmocka_unit_test(nothing_counts_behind_a_loss_in_its_iteration),
      cmocka_unit_test(each_iteration_has_first_chunks),
      cmocka_unit_test(time_that_goes_back_ends_no_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
