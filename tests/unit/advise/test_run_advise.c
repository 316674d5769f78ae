/* --policy auto before a run: by what an earlier run showed, or by the rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "advise/run_advise.h"

enum { LESSONS = 40 };

static void tell(const struct ls_run_situation *situation, struct ls_run_advised *told) {
  struct ls_error err = {0};
  if (ls_run_advise(situation, told, &err) != LS_OK) fail_msg("%s", err.text);
  assert_non_null(told->chosen.chunking);
  assert_true(told->reason.length > 0);
  assert_null(strchr(ls_bytes_text(&told->reason), '\n'));
}

static void without_a_history_the_rule_says_ss_and_why(void **state) {
  struct ls_run_situation situation = {.units = 100, .workers = 4, .prefetch = 1};
  struct ls_run_advised told;
  (void)state;
  tell(&situation, &told);
  assert_string_equal(told.chosen.chunking->name, "ss");
  assert_int_equal(told.chosen.prefetch, 1);
  assert_non_null(strstr(ls_bytes_text(&told.reason), "nothing is known"));
  assert_int_equal(told.table.length, 0);
  ls_run_advised_close(&told);
}

/* All units took the same time. */
static struct ls_run_history make_history(double *shares, double seconds) {
  for (size_t i = 0; i < LESSONS; i++) shares[i] = 1;
  return (struct ls_run_history){
      .shares = shares, .shares_count = LESSONS, .units = LESSONS, .mean_seconds = seconds};
}

/* Long tasks: single ones are as good as any, and nothing else is clearly better. */
static void long_tasks_keep_single_units(void **state) {
  double shares[LESSONS];
  struct ls_run_history history = make_history(shares, 50);
  struct ls_run_situation situation = {
      .history = &history, .units = LESSONS, .workers = 4, .prefetch = 1};
  struct ls_run_advised told;
  (void)state;
  tell(&situation, &told);
  assert_string_equal(told.chosen.chunking->name, "ss");
  assert_non_null(strstr(ls_bytes_text(&told.table), "s expected"));
  ls_run_advised_close(&told);
}

/* Tasks far shorter than a request: they go in larger chunks, or many wait. */
static void tiny_tasks_travel_together(void **state) {
  double shares[LESSONS];
  struct ls_run_history history = make_history(shares, 1e-5);
  struct ls_run_situation situation = {
      .history = &history, .units = 5000000, .workers = 4, .prefetch = 1};
  struct ls_run_advised told;
  (void)state;
  tell(&situation, &told);
  assert_true(strcmp(told.chosen.chunking->name, "ss") != 0 || told.chosen.prefetch > 1);
  ls_run_advised_close(&told);
}

/* Half of the tasks ten times as long as the others, declared: no history is needed. */
static void declared_times_can_be_tried(void **state) {
  double times[LESSONS];
  struct ls_run_situation situation = {.times = times, .units = LESSONS, .workers = 4};
  struct ls_run_advised told;
  (void)state;
  for (size_t i = 0; i < LESSONS; i++) times[i] = i % 2 == 0 ? 1 : 10;
  tell(&situation, &told);
  assert_true(told.mean_s > 5.4 && told.mean_s < 5.6);
  assert_true(told.deviation_s > 4 && told.deviation_s < 5);
  assert_non_null(strstr(ls_bytes_text(&told.table), "s expected"));
  ls_run_advised_close(&told);
}

static void a_platform_can_be_tried_without_a_history(void **state) {
  struct ls_platform platform;
  struct ls_run_advised told;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 4, NULL), LS_OK);
  for (size_t i = 0; i < 4; i++) {
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = i < 2 ? 1 : 3;
    platform.workers[i].delay_s = 0.5;
  }
  struct ls_run_situation situation = {
      .platform = &platform, .units = 400, .workers = 4, .prefetch = 0, .keeps_prefetch = true};
  tell(&situation, &told);
  /* Half a second each way for each request: not for single tasks. */
  assert_string_not_equal(told.chosen.chunking->name, "ss");
  assert_int_equal(told.chosen.prefetch, 0);
  assert_true(told.mean_s > 1.9 && told.mean_s < 2.1);
  ls_run_advised_close(&told);
  ls_platform_close(&platform);
}

/* Two long tasks and many workers: workers without a task are not started, if that is allowed. */
static void no_more_workers_than_are_of_use(void **state) {
  const double times[6] = {6000, 6000, 100, 100, 100, 100};
  struct ls_run_situation situation = {
      .times = times, .units = 6, .workers = 16, .keeps_prefetch = true, .may_save = true};
  struct ls_run_advised told;
  (void)state;
  tell(&situation, &told);
  assert_int_equal(told.chosen.workers, 3);
  assert_non_null(strstr(ls_bytes_text(&told.reason), "workers"));
  ls_run_advised_close(&told);
  situation.may_save = false;
  tell(&situation, &told);
  assert_int_equal(told.chosen.workers, 0);
  ls_run_advised_close(&told);
}

/* A history's times hold what processes took to start, and do not tell it: the policy learns. */
static void tasks_of_several_units_get_a_policy_that_learns_their_start(void **state) {
  double shares[LESSONS];
  struct ls_run_history history = make_history(shares, 50);
  struct ls_run_situation situation = {
      .units = 100, .workers = 4, .prefetch = 1, .has_whole_chunks = true};
  struct ls_run_advised told;
  (void)state;
  for (int has_history = 0; has_history < 2; has_history++) {
    situation.history = has_history ? &history : NULL;
    tell(&situation, &told);
    assert_string_equal(told.chosen.chunking->name, "affine");
    assert_string_equal(told.chosen.chunking->name, ls_run_advise_whole_chunks());
    assert_int_equal(told.chosen.prefetch, 0);
    assert_non_null(strstr(ls_bytes_text(&told.reason), "to start is not known"));
    ls_run_advised_close(&told);
  }
  situation.prefetch = 2;
  situation.keeps_prefetch = true;
  tell(&situation, &told);
  assert_int_equal(told.chosen.prefetch, 2);
  ls_run_advised_close(&told);
}

/* Known starts are tried: single units would take 67 times as long as their work. */
static void a_known_start_makes_chunks_large(void **state) {
  struct ls_platform platform;
  struct ls_run_advised told;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++)
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.002, 0.00003};
  struct ls_run_situation situation = {
      .platform = &platform, .units = 4000, .workers = 2, .prefetch = 1, .has_whole_chunks = true};
  tell(&situation, &told);
  assert_string_not_equal(told.chosen.chunking->name, "ss");
  assert_true(told.table.length > 0);
  ls_run_advised_close(&told);
  ls_platform_close(&platform);
}

/* ---- during the run ---- */

struct scene {
  const char *policy;
  uint64_t prefetch, units, units_left;
  double unit_s, latency_s;
  size_t workers, workers_most;
  bool keeps_prefetch, has_whole_chunks, may_save;
};

/* Workers that did `units` of `unit_s` each, so far from the master. */
static bool advise(const struct scene *scene, struct ls_adviser_answer *answer) {
  struct ls_adviser_worker workers[64];
  const struct ls_coordinator_config used = {.chunking = ls_chunking_find(scene->policy)};
  const struct ls_run_advisable advisable = {.used = &used,
                                             .keeps_prefetch = scene->keeps_prefetch,
                                             .has_whole_chunks = scene->has_whole_chunks,
                                             .may_save = scene->may_save};
  double busy_s = (double)scene->units * scene->unit_s;
  assert_in_range(scene->workers, 0, 64);
  for (size_t i = 0; i < scene->workers; i++)
    workers[i] = (struct ls_adviser_worker){busy_s, scene->latency_s, scene->units,
                                            busy_s * scene->unit_s, 0};
  struct ls_adviser_facts facts = {.now_s = busy_s,
                                   .units_left = scene->units_left,
                                   .prefetch = scene->prefetch,
                                   .chunking = used.chunking,
                                   .workers = workers,
                                   .workers_count = scene->workers,
                                   .workers_most = scene->workers_most};
  memset(answer, 0, sizeof *answer);
  return ls_run_advise_now(&advisable, &facts, answer);
}

static bool advise_now(uint64_t prefetch, double latency_s, struct ls_adviser_answer *answer) {
  struct scene scene = {.policy = "ss",
                        .prefetch = prefetch,
                        .units = 100,
                        .units_left = 2000,
                        .unit_s = 0.05,
                        .latency_s = latency_s,
                        .workers = 2,
                        .workers_most = 2};
  return advise(&scene, answer);
}

/* With prefetch 0 kept, only another policy can hide a way that costs as much as a unit. */
static void a_policy_that_waits_too_often_gives_way_to_another(void **state) {
  struct scene scene = {.policy = "ss",
                        .units = 100,
                        .units_left = 4000,
                        .unit_s = 0.05,
                        .latency_s = 0.03,
                        .workers = 4,
                        .workers_most = 4,
                        .keeps_prefetch = true};
  struct ls_coordinator_choice choices[LS_RUN_CHOICES_MAX];
  struct ls_adviser_answer answer;
  (void)state;
  assert_true(advise(&scene, &answer));
  size_t count = ls_run_advise_choices(choices);
  scene.has_whole_chunks = true;
  struct ls_adviser_answer other;
  assert_false(advise(&scene, &other)); /* what was seen tells no start */
  assert_in_range(answer.policy, 1, count);
  const char *name = choices[answer.policy - 1].chunking->name;
  assert_string_not_equal(name, "ss");
  assert_int_equal(answer.prefetch, 0);
  assert_int_equal(answer.workers, 0);
  assert_true(strncmp(answer.reason, name, strlen(name)) == 0);
}

/* Units of 20 us keep the master busy with a few workers; 64 of them are too many.  When units
 * become long again, they are all wanted back. */
static void workers_go_and_come_back(void **state) {
  struct scene scene = {.policy = "ss",
                        .prefetch = 1,
                        .units = 100000,
                        .units_left = 500000000,
                        .unit_s = 2e-5,
                        .workers = 64,
                        .workers_most = 64,
                        .keeps_prefetch = true,
                        .may_save = true};
  struct ls_adviser_answer answer;
  (void)state;
  scene.may_save = false;
  (void)advise(&scene, &answer);
  assert_int_equal(answer.workers, 0);
  struct scene long_units = {.policy = "ss",
                             .prefetch = 1,
                             .units = 10,
                             .units_left = 4000,
                             .unit_s = 2,
                             .workers = 3,
                             .workers_most = 16,
                             .may_save = true};
  assert_true(advise(&long_units, &answer));
  assert_int_equal(answer.workers, 16);
  assert_int_equal(answer.policy, 0);
  assert_non_null(strstr(answer.reason, "all 16 workers are of use again"));
  /* Twenty units of equal length on sixteen workers take two rounds: ten can do that. */
  long_units.workers = 16;
  long_units.units_left = 20;
  long_units.unit_s = 20;
  long_units.units = 5;
  assert_true(advise(&long_units, &answer));
  assert_int_equal(answer.workers, 10);
}

/* Units of 30 ms, of which every twelfth lasts 1.2 s: whether one worker fewer takes longer hangs
 * on the worker that gets the last long ones, which no draw can know. */
static void nobody_goes_where_fewer_are_enough_by_chance_only(void **state) {
  const struct ls_adviser_worker workers[4] = {{1.44, 5e-5, 9, 1.4472, 0},
                                               {1.5, 5e-5, 11, 1.449, 0},
                                               {1.41, 5e-5, 8, 1.4463, 0},
                                               {1.44, 5e-5, 48, 0.0432, 0}};
  const struct ls_coordinator_config used = {.chunking = ls_chunking_find("ss")};
  const struct ls_run_advisable advisable = {.used = &used, .may_save = true};
  (void)state;
  for (uint64_t left = 40; left <= 90; left += 5) {
    struct ls_adviser_facts facts = {.now_s = 1.5,
                                     .left_s = 100, /* time for all draws */
                                     .units_left = left,
                                     .prefetch = 1,
                                     .chunking = used.chunking,
                                     .workers = workers,
                                     .workers_count = 4,
                                     .workers_most = 4};
    struct ls_adviser_answer answer = {0};
    (void)ls_run_advise_now(&advisable, &facts, &answer);
    if (answer.workers != 0) fail_msg("%llu left: %s", (unsigned long long)left, answer.reason);
  }
}

/* Units of 50 ms, 100 ms from the master. */
static void workers_that_are_far_are_given_more_ahead(void **state) {
  struct ls_adviser_answer answer;
  (void)state;
  assert_true(advise_now(1, 0.1, &answer));
  assert_true(answer.prefetch > 1 || answer.policy > 0);
  assert_int_equal(answer.workers, 0);
  assert_non_null(strstr(answer.reason, "prefetch"));
  assert_true(advise_now(0, 0.1, &answer));
}

static void workers_that_are_near_are_left_alone(void **state) {
  struct ls_adviser_answer answer;
  (void)state;
  assert_false(advise_now(1, 0.001, &answer));
  assert_false(advise_now(1, 0, &answer));
  assert_int_equal(answer.prefetch, 0);
}

static void without_workers_or_work_there_is_no_advice(void **state) {
  struct scene scene = {.policy = "ss", .prefetch = 1, .units_left = 9};
  struct ls_adviser_answer answer;
  (void)state;
  assert_false(advise(&scene, &answer));
  scene = (struct scene){
      .policy = "ss", .prefetch = 1, .units = 100, .unit_s = 0.05, .workers = 1, .workers_most = 1};
  assert_false(advise(&scene, &answer));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_history_the_rule_says_ss_and_why),
      cmocka_unit_test(long_tasks_keep_single_units),
      cmocka_unit_test(declared_times_can_be_tried),
      cmocka_unit_test(a_platform_can_be_tried_without_a_history),
      cmocka_unit_test(no_more_workers_than_are_of_use),
      cmocka_unit_test(a_policy_that_waits_too_often_gives_way_to_another),
      cmocka_unit_test(workers_go_and_come_back),
      cmocka_unit_test(nobody_goes_where_fewer_are_enough_by_chance_only),
      cmocka_unit_test(workers_that_are_far_are_given_more_ahead),
      cmocka_unit_test(workers_that_are_near_are_left_alone),
      cmocka_unit_test(without_workers_or_work_there_is_no_advice),
      cmocka_unit_test(tiny_tasks_travel_together),
      cmocka_unit_test(tasks_of_several_units_get_a_policy_that_learns_their_start),
      cmocka_unit_test(a_known_start_makes_chunks_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
