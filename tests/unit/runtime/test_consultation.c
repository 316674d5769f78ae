/* test_consultation.c: when an adviser is asked, and what it is told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "runtime/master/consultation.h"

/* Two workers that have computed 50 units of 0.1 s each. */
struct scene {
  struct ls_app app;
  struct ls_master_options options;
  struct ls_connection items[3];
  struct ls_connections connections;
  struct ls_coordinator_totals totals;
  struct ls_consultation_facts facts;
  struct ls_consultation consultation;
};

/* The answer is what was told, in words. */
static bool repeat(void *context, const struct ls_adviser_facts *facts,
                   struct ls_adviser_answer *answer) {
  (void)context;
  answer->prefetch = facts->prefetch;
  (void)snprintf(answer->reason, sizeof answer->reason, "%zu workers of %zu, %llu units, %.3g s",
                 facts->workers_count, facts->workers_most, (unsigned long long)facts->units_left,
                 facts->left_s);
  return true;
}

static void open_scene(struct scene *scene) {
  *scene = (struct scene){.app = {.name = "app", .runs_commands = true}};
  ls_consultation_init(&scene->consultation, 0);
  static const struct ls_pool_choice pools[2] = {{.setup = {.slots = 3}}, {.setup = {.slots = 1}}};
  static const struct ls_site site = {.pools = pools, .pools_count = 2};
  scene->options = (struct ls_master_options){.app = &scene->app, .advise = repeat, .site = &site};
  for (int i = 0; i < 2; ++i) {
    scene->items[i] = (struct ls_connection){
        .is_connected = true, .since_s = 0, .seen = {.busy_s = 5, .units = 50}};
  }
  scene->connections = (struct ls_connections){.items = scene->items, .count = 3};
  scene->totals = (struct ls_coordinator_totals){.waiting = 900, .sent = 100, .units = 5000};
  scene->facts = (struct ls_consultation_facts){.options = &scene->options,
                                                .connections = &scene->connections,
                                                .totals = &scene->totals,
                                                .prefetch = 3,
                                                .now_s = 5};
}

/* Waits for the answer at most a minute. */
static struct ls_adviser_answer hear(struct scene *scene) {
  struct ls_adviser_answer answer;
  const struct timespec pause = {0, 1000000};
  for (int i = 0; i < 60000; ++i) {
    if (ls_consultation_poll(&scene->consultation, &answer)) return answer;
    (void)nanosleep(&pause, NULL);
  }
  fail_msg("no answer");
  return answer;
}

static void the_adviser_is_told_how_the_run_stands(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  ls_consultation_ask(&scene.consultation, &scene.facts);
  assert_false(ls_consultation_is_due(&scene.consultation, 1000));
  struct ls_adviser_answer answer = hear(&scene);
  assert_int_equal(answer.prefetch, 3);
  /* 20 units a second, 1000 are left. */
  assert_string_equal(answer.reason, "2 workers of 4, 1000 units, 50 s");
  ls_consultation_stop(&scene.consultation);
}

/* Else few units at the end of one iteration would send workers away that the next one needs. */
static void where_iterations_may_follow_a_whole_one_is_left(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  scene.app.runs_commands = false;
  ls_consultation_ask(&scene.consultation, &scene.facts);
  assert_string_equal(hear(&scene).reason, "2 workers of 4, 5000 units, 50 s");
  ls_consultation_stop(&scene.consultation);
}

/* What has nothing to do any more will hardly have in the next iteration. */
static void units_that_are_idle_are_not_left(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  scene.app.runs_commands = false;
  scene.totals.units_idle = 3500;
  ls_consultation_ask(&scene.consultation, &scene.facts);
  assert_string_equal(hear(&scene).reason, "2 workers of 4, 1500 units, 50 s");
  ls_consultation_stop(&scene.consultation);
}

/* The answer is what was told of each worker. */
static bool repeat_workers(void *context, const struct ls_adviser_facts *facts,
                           struct ls_adviser_answer *answer) {
  (void)context;
  size_t length = 0;
  for (size_t i = 0; i < facts->workers_count; ++i) {
    const struct ls_adviser_worker *worker = &facts->workers[i];
    int more = snprintf(answer->reason + length, sizeof answer->reason - length,
                        "%llu units, way %g s, %g s a chunk, room %llu; ",
                        (unsigned long long)worker->units, worker->latency_s, worker->overhead_s,
                        (unsigned long long)facts->rooms[i].units);
    length += (size_t)more;
  }
  return length < sizeof answer->reason;
}

/* Of those who are there, each with its own: the way is half of what an answer takes, and what ran
 * beside the units is without it. */
static void the_adviser_is_told_what_each_worker_is_like(void **state) {
  static const struct ls_room rooms[] = {{.units = 7}, {.units = 8}};
  struct scene scene;
  (void)state;
  open_scene(&scene);
  scene.options.advise = repeat_workers;
  scene.options.config.rooms = rooms;
  scene.options.config.rooms_count = 2;
  scene.items[2] = scene.items[1];
  scene.items[0].is_connected = false;
  for (int i = 0; i < 3; ++i) {
    scene.items[i].seen.units = 50 + (uint64_t)i;
    scene.items[i].answer_s = 0.5 * (i + 1);
    scene.items[i].overhead =
        (struct ls_overhead){.chunks = 4, .begins = 2, .beside_s = 10 * (i + 1)};
  }
  ls_consultation_ask(&scene.consultation, &scene.facts);
  assert_string_equal(hear(&scene).reason,
                      "51 units, way 0.5 s, 4.5 s a chunk, room 8; "
                      "52 units, way 0.75 s, 6.75 s a chunk, room 0; ");
  ls_consultation_stop(&scene.consultation);
}

static void intervals_grow(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  assert_false(ls_consultation_is_due(&scene.consultation, 0.9));
  assert_true(ls_consultation_is_due(&scene.consultation, 5));
  ls_consultation_ask(&scene.consultation, &scene.facts);
  (void)hear(&scene);
  assert_false(ls_consultation_is_due(&scene.consultation, 9.9));
  assert_true(ls_consultation_is_due(&scene.consultation, 10));
  ls_consultation_stop(&scene.consultation);
}

static void nobody_is_asked_too_early_or_too_late(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  scene.items[1].seen.units = 3;
  ls_consultation_ask(&scene.consultation, &scene.facts);
  assert_int_equal(scene.consultation.adviser.child, 0);
  assert_true(ls_consultation_is_due(&scene.consultation, 5.5));
  scene.items[1].seen.units = 50;
  scene.totals.waiting = scene.totals.sent = 5; /* half a second */
  ls_consultation_ask(&scene.consultation, &scene.facts);
  assert_int_equal(scene.consultation.adviser.child, 0);
  assert_false(ls_consultation_is_due(&scene.consultation, 9.9));
}

static void the_first_question_comes_as_early_as_it_is_told(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene);
  ls_consultation_init(&scene.consultation, 0.25);
  assert_false(ls_consultation_is_due(&scene.consultation, 0.2));
  assert_true(ls_consultation_is_due(&scene.consultation, 0.3));
  scene.totals.waiting = scene.totals.sent = 5; /* half a second */
  ls_consultation_ask(&scene.consultation, &scene.facts);
  assert_string_equal(hear(&scene).reason, "2 workers of 4, 10 units, 0.5 s");
  ls_consultation_stop(&scene.consultation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_adviser_is_told_how_the_run_stands),
      cmocka_unit_test(where_iterations_may_follow_a_whole_one_is_left),
      cmocka_unit_test(units_that_are_idle_are_not_left),
      cmocka_unit_test(the_adviser_is_told_what_each_worker_is_like),
      cmocka_unit_test(intervals_grow),
      cmocka_unit_test(the_first_question_comes_as_early_as_it_is_told),
      cmocka_unit_test(nobody_is_asked_too_early_or_too_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
