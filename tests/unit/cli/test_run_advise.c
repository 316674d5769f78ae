/* --policy auto before a run: by what an earlier run showed, or by the rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run_advise.h"

enum { LESSONS = 40 };

struct told {
  struct ls_candidate chosen;
  struct ls_bytes reason, table;
};

static void tell(const struct ls_run_situation *situation, struct told *told) {
  struct ls_error err = {0};
  *told = (struct told){0};
  if (ls_run_advise(situation, &told->chosen, &told->reason, &told->table, &err) != LS_OK)
    fail_msg("%s", err.text);
  assert_non_null(told->chosen.chunking);
  assert_true(told->reason.length > 0);
  assert_null(strchr(ls_bytes_text(&told->reason), '\n'));
}

static void close_told(struct told *told) {
  ls_bytes_close(&told->reason);
  ls_bytes_close(&told->table);
}

static void without_a_history_the_rule_says_ss_and_why(void **state) {
  struct ls_run_situation situation = {.units = 100, .workers = 4, .prefetch = 1};
  struct told told;
  (void)state;
  tell(&situation, &told);
  assert_string_equal(told.chosen.chunking->name, "ss");
  assert_int_equal(told.chosen.prefetch, 1);
  assert_non_null(strstr(ls_bytes_text(&told.reason), "nothing is known"));
  assert_int_equal(told.table.length, 0);
  close_told(&told);
}

static struct ls_run_history make_history(struct ls_coordinator_lesson *lessons, double seconds) {
  for (size_t i = 0; i < LESSONS; i++)
    lessons[i] = (struct ls_coordinator_lesson){.units = {i, 1}, .seconds = seconds};
  return (struct ls_run_history){.lessons = lessons,
                                 .lessons_count = LESSONS,
                                 .units = LESSONS,
                                 .units_first = LESSONS,
                                 .mean_seconds = seconds};
}

/* Long tasks: single ones are as good as any, and nothing else is clearly better. */
static void long_tasks_keep_single_units(void **state) {
  struct ls_coordinator_lesson lessons[LESSONS];
  struct ls_run_history history = make_history(lessons, 50);
  struct ls_run_situation situation = {
      .history = &history, .units = LESSONS, .workers = 4, .prefetch = 1};
  struct told told;
  (void)state;
  tell(&situation, &told);
  assert_string_equal(told.chosen.chunking->name, "ss");
  assert_non_null(strstr(ls_bytes_text(&told.table), "s expected"));
  close_told(&told);
}

/* Tasks far shorter than a request: they go in larger chunks, or many wait. */
static void tiny_tasks_travel_together(void **state) {
  struct ls_coordinator_lesson lessons[LESSONS];
  struct ls_run_history history = make_history(lessons, 1e-5);
  struct ls_run_situation situation = {
      .history = &history, .units = 5000000, .workers = 4, .prefetch = 1};
  struct told told;
  (void)state;
  tell(&situation, &told);
  assert_true(strcmp(told.chosen.chunking->name, "ss") != 0 || told.chosen.prefetch > 1);
  close_told(&told);
}

/* ---- during the run ---- */

static bool advise_now(uint64_t prefetch, double waited_s, struct ls_adviser_answer *answer) {
  const struct ls_candidate used = {.chunking = ls_chunking_find("ss")};
  /* 100 units of 0.05 s at each of two workers. */
  struct ls_adviser_worker workers[2] = {{5, 5 + waited_s, 100}, {5, 5 + waited_s, 100}};
  struct ls_adviser_facts facts = {.now_s = 5 + waited_s,
                                   .units_left = 2000,
                                   .prefetch = prefetch,
                                   .workers = workers,
                                   .workers_count = 2};
  memset(answer, 0, sizeof *answer);
  return ls_run_advise_now(&used, false, &facts, answer);
}

static void workers_that_wait_are_given_more_ahead(void **state) {
  struct ls_adviser_answer answer;
  (void)state;
  assert_true(advise_now(1, 5, &answer));
  assert_true(answer.prefetch > 1 && answer.prefetch <= 64);
  assert_int_equal(answer.workers, 0);
  assert_non_null(strstr(answer.reason, "ss, prefetch"));
  assert_true(advise_now(0, 5, &answer));
  assert_true(answer.prefetch >= 1);
}

static void workers_that_are_busy_are_left_alone(void **state) {
  struct ls_adviser_answer answer;
  (void)state;
  assert_false(advise_now(1, 0.05, &answer));
  /* Waiting that says nothing, as in later iterations. */
  assert_false(advise_now(1, -5, &answer));
  assert_int_equal(answer.prefetch, 0);
}

static void without_workers_or_work_there_is_no_advice(void **state) {
  const struct ls_candidate used = {.chunking = ls_chunking_find("ss")};
  struct ls_adviser_worker worker = {5, 10, 100};
  struct ls_adviser_answer answer;
  (void)state;
  assert_false(ls_run_advise_now(
      &used, false, &(struct ls_adviser_facts){.units_left = 9, .prefetch = 1}, &answer));
  assert_false(ls_run_advise_now(
      &used, false,
      &(struct ls_adviser_facts){.prefetch = 1, .workers = &worker, .workers_count = 1}, &answer));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_history_the_rule_says_ss_and_why),
      cmocka_unit_test(long_tasks_keep_single_units),
      cmocka_unit_test(workers_that_wait_are_given_more_ahead),
      cmocka_unit_test(workers_that_are_busy_are_left_alone),
      cmocka_unit_test(without_workers_or_work_there_is_no_advice),
      cmocka_unit_test(tiny_tasks_travel_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
