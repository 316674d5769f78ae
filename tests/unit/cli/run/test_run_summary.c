#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/run/run_summary.h"

static struct ls_master_worker workers[2];
static struct ls_master_report report;
static struct ls_run_summary summary;

static int set_up(void **state) {
  (void)state;
  workers[0] = (struct ls_master_worker){.name = "local-1",
                                         .slot = 1,
                                         .joined_s = 1,
                                         .left_s = (double)NAN,
                                         .busy_s = 8,
                                         .price_per_s = 1,
                                         .up_s = 9,
                                         .chunks = 4,
                                         .units = 40};
  workers[1] = (struct ls_master_worker){.name = "odd \"name\"\xff",
                                         .slot = 2,
                                         .joined_s = 0,
                                         .left_s = 5,
                                         .busy_s = 6,
                                         .price_per_s = 1,
                                         .up_s = 7,
                                         .chunks = 1,
                                         .units = 10};
  report = (struct ls_master_report){
      .makespan_s = 10,
      .efficiency = 0.875,
      .account =
          {.makespan_s = 10,
           .workers = 2,
           .parts_s = {[LS_ACCOUNT_WORK] = 7, [LS_ACCOUNT_IMBALANCE] = 1, [LS_ACCOUNT_ABSENT] = 2}},
      .totals =
          {.units = 60, .done = 50, .failed = 2, .waiting = 8, .chunks = 5, .workers_lost = 1},
      .units_done = 45,
      .units_failed = 2,
      .units_before = 5,
      .has_begun = true,
      .workers = workers,
      .workers_count = 2};
  summary = (struct ls_run_summary){.report = &report,
                                    .application = "run",
                                    .policy = "gss least_units=2",
                                    .order = "fifo",
                                    .units = 60,
                                    .prefetch = 1,
                                    .seed = 3};
  return 0;
}

static void counts_add_up(void **state) {
  (void)state;
  assert_int_equal(ls_run_summary_left(&summary), 8);
  assert_int_equal(ls_run_summary_failed(&summary), 2);
  /* A failure of an earlier session is still a failure of the run. */
  report.units_failed = 0;
  report.units_failed_before = 2;
  assert_int_equal(ls_run_summary_failed(&summary), 2);
  report.has_begun = false;
  assert_int_equal(ls_run_summary_left(&summary), 60);
}

static void staging_is_told_of_runs_that_stage(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_run_summary_write(&summary, &out);
  assert_null(strstr(out.data, "hidden"));
  ls_bytes_clear(&out);
  workers[0].stage_s = 4;
  workers[0].exposed_s = 0.5;
  report.prepare_s = 0.25;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, "    tasks   staged s  hidden\n"));
  assert_non_null(strstr(out.data, "       40      4.000   87.5%\n"));
  assert_non_null(strstr(out.data, "       10      0.000          left\n"));
  ls_bytes_clear(&out);
  ls_run_summary_write_json(&summary, &out);
  json_t *parsed = json_loads(out.data, 0, NULL);
  assert_non_null(parsed);
  assert_true(fabs(json_number_value(json_object_get(parsed, "prepare")) - 0.25) <= 1e-12);
  json_t *list = json_object_get(parsed, "workers"), *first = json_array_get(list, 0);
  assert_true(fabs(json_number_value(json_object_get(first, "staged")) - 4) <= 1e-12);
  assert_true(fabs(json_number_value(json_object_get(first, "hidden")) - 0.875) <= 1e-12);
  /* It staged nothing, so nothing was hidden, or not. */
  assert_true(json_is_null(json_object_get(json_array_get(list, 1), "hidden")));
  json_decref(parsed);
  ls_bytes_close(&out);
}

/* Only a command that may take several tasks says more than those do. */
static void commands_of_several_tasks_are_told(void **state) {
  struct ls_bytes out = {0};
  (void)state;
  ls_run_summary_write_json(&summary, &out);
  assert_null(strstr(out.data, "\"commands\""));
  ls_bytes_clear(&out);
  report.tasks_done = 7;
  report.tasks_failed = 2;
  summary.has_bundles = true;
  ls_run_summary_write_json(&summary, &out);
  assert_non_null(strstr(out.data, "\"commands\": 9, \"commands_failed\": 2"));
  summary.has_bundles = false;
  report.tasks_done = report.tasks_failed = 0;
  ls_bytes_close(&out);
}

static void a_derived_heartbeat_is_told(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  report.heartbeat_s = 1;
  report.beat_s = 30e-6;
  ls_run_summary_write(&summary, &out);
  assert_null(strstr(out.data, "heartbeat"));
  ls_bytes_clear(&out);
  report.heartbeat_s = 3;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, "\nheartbeat  3 s at most, as one costs 30 us: "));
  ls_bytes_clear(&out);
  ls_run_summary_write_json(&summary, &out);
  json_t *object = json_loadb(out.data, out.length, 0, NULL);
  assert_non_null(object);
  assert_true(fabs(json_number_value(json_object_get(object, "heartbeat")) - 3) < 1e-12);
  assert_true(fabs(json_number_value(json_object_get(object, "beat_cost")) - 30e-6) < 1e-12);
  json_decref(object);
  ls_bytes_close(&out);
}

static void recalls_are_told(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_run_summary_write(&summary, &out);
  assert_null(strstr(out.data, "recalls"));
  ls_bytes_clear(&out);
  report.totals.recalls = 3;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, "\nrecalls    3: what waited"));
  ls_bytes_clear(&out);
  ls_run_summary_write_json(&summary, &out);
  assert_non_null(strstr(ls_bytes_text(&out), ", \"recalls\": 3,"));
  ls_bytes_close(&out);
}

/* Else ten chunks of one task, of which two came back and one was a replica, were "of 0.7 tasks".
 */
static void a_chunk_counts_what_was_sent_in_it(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  report.units_done = 5;
  report.units_failed = 1;
  report.units_given_up = 1;
  report.totals.units_returned = 2;
  report.totals.replicas = 1;
  report.totals.chunks = 10;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, ": 10 chunks of 1 task;"));
  ls_bytes_close(&out);
  /* A run that was stopped at once leaves some at the workers. */
  report.totals.sent = 5;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, ": 10 chunks of 1.5 tasks;"));
  ls_bytes_close(&out);
  /* Whole chunks that were taken back before they began are none, nor is what was in them. */
  report.totals.units_returned += 4;
  report.totals.units_unbegun = 4;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, ": 10 chunks of 1.5 tasks;"));
  ls_bytes_close(&out);
}

static void people_read_what_happened(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, "45 done, 2 failed, 5 in earlier sessions, 8 not run"));
  assert_non_null(strstr(out.data, "10.000 s, efficiency 87.5 %"));
  assert_non_null(strstr(out.data, "gss least_units=2, order fifo: 5 chunks"));
  assert_non_null(strstr(out.data, "1 workers lost"));
  assert_non_null(strstr(out.data, "local-1               8.000      1.000        4       40\n"));
  /* Busy for longer than it was there is no negative idleness. */
  assert_non_null(strstr(out.data, "6.000      0.000        1       10  left\n"));
  ls_bytes_close(&out);
}

/* By default nobody has to know what a message is. */
static void a_brief_summary_has_plain_words(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  summary.is_brief = true;
  summary.prefetch_reason = "3, because it was asked for"; /* by --prefetch auto */
  double left_s = workers[1].left_s;
  workers[1].left_s = (double)NAN;
  ls_run_summary_write(&summary, &out);
  summary.is_brief = false;
  summary.prefetch_reason = NULL;
  workers[1].left_s = left_s;
  assert_non_null(strstr(out.data, "prefetch   3, because"));
  assert_non_null(strstr(out.data,
                         "45 tasks done in 10.00 s by 2 workers, 88 % busy, 2 failed, 8 not "
                         "run (and 5 in earlier sessions)\n"));
  assert_non_null(strstr(out.data, "faults     1 workers lost"));
  assert_null(strstr(out.data, "makespan"));
  assert_null(strstr(out.data, "efficiency"));
  assert_null(strstr(out.data, "policy"));
  assert_null(strstr(out.data, "EER"));
  assert_null(strstr(out.data, "messages"));
  assert_null(strstr(out.data, "local-1"));
  ls_bytes_close(&out);
}

static void a_task_that_costs_workers_is_abandoned(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  report.units_given_up = 3;
  summary.tries = 2;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, " 2 failed, 3 abandoned after 2 tries, 8 not run"));
  ls_bytes_close(&out);
}

/* Failed work is no useful work, but nobody was idle. */
static void who_computes_is_busy_whatever_comes_of_it(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  report.efficiency = 0;
  report.account.parts_s[LS_ACCOUNT_WORK] = 0;
  report.account.parts_s[LS_ACCOUNT_LOSSES] = 7;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, " by 2 workers, 88 % busy,"));
  assert_non_null(strstr(out.data, "efficiency 0.0 %"));
  ls_bytes_close(&out);
}

static void a_resume_that_finds_all_done_says_so(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  report.units_done = report.units_failed = report.totals.waiting = 0;
  report.totals.workers_lost = 0;
  report.units_before = 60;
  summary.is_brief = true;
  ls_run_summary_write(&summary, &out);
  assert_string_equal(out.data, "nothing to do: all 60 tasks were done in earlier sessions\n");
  ls_bytes_clear(&out);
  report.units_failed_before = 8;
  ls_run_summary_write(&summary, &out);
  assert_string_equal(out.data,
                      "nothing to do: in earlier sessions 52 tasks were done and 8 failed\n");
  ls_bytes_clear(&out);
  report.units_before = 9;
  ls_run_summary_write(&summary, &out);
  assert_string_equal(out.data,
                      "nothing to do: in earlier sessions 1 task was done and 8 failed\n");
  ls_bytes_clear(&out);
  report.units_before = 8;
  ls_run_summary_write(&summary, &out);
  assert_string_equal(out.data, "nothing to do: all 8 tasks failed in earlier sessions\n");
  ls_bytes_clear(&out);
  report.units_before = report.units_failed_before = 1;
  ls_run_summary_write(&summary, &out);
  assert_string_equal(out.data, "nothing to do: the task failed in an earlier session\n");
  ls_bytes_close(&out);
}

/* Others than these are noise. */
static void more_workers_are_named_where_they_save_a_tenth(void **state) {
  (void)state;
  struct ls_size_advice advice = {.is_known = true, .perfect = 8, .time_s = 8.5};
  struct ls_bytes out = {0};
  report.totals.waiting = 0;
  summary.size = &advice;
  summary.is_brief = true;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(
      out.data,
      "hint       8 workers of this speed, on cores of their own, would have taken 8.50 s\n"));
  ls_bytes_clear(&out);
  advice.time_s = 9.5;
  ls_run_summary_write(&summary, &out);
  assert_null(strstr(out.data, "hint"));
  ls_bytes_close(&out);
}

static void the_price_is_told_where_a_worker_has_one(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_run_summary_write(&summary, &out);
  assert_null(strstr(out.data, "price"));
  ls_bytes_close(&out);
  workers[1].price_per_s = 2.5;
  report.price = 9 + 2.5 * 7;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, "price      26.5 (cost x seconds up)\n"));
  assert_non_null(strstr(out.data, " % (at cost), EER "));
  assert_non_null(strstr(out.data, "tasks      price\n"));
  assert_non_null(strstr(out.data, "      40          9\n"));
  assert_non_null(strstr(out.data, "      10       17.5  left\n"));
  ls_bytes_close(&out);
}

static void machines_read_json(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_run_summary_write_json(&summary, &out);
  json_error_t error;
  json_t *json = json_loads(out.data, JSON_REJECT_DUPLICATES, &error);
  if (json == NULL) fail_msg("%s in %s", error.text, out.data);
  assert_int_equal(json_integer_value(json_object_get(json, "done")), 45);
  assert_int_equal(json_integer_value(json_object_get(json, "left")), 8);
  assert_string_equal(json_string_value(json_object_get(json, "policy")), "gss least_units=2");
  json_t *list = json_object_get(json, "workers");
  assert_int_equal(json_array_size(list), 2);
  assert_true(json_is_null(json_object_get(json_array_get(list, 0), "left")));
  json_decref(json);
  ls_bytes_close(&out);
}

static void what_was_chosen_is_explained(void **state) {
  (void)state;
  summary.reason = "gss, because in 9 simulations gss, prefetch 1 ends first";
  summary.expectations = "* gss, prefetch 1: 1 s\n  b\n  c\n  d\n  e\n  f\n  g\nchosen: gss\n";
  summary.prefetch_reason = "2: 9 s expected in 19 simulations, the best";
  summary.advice = "ss, prefetch 4 ends first";
  report.prefetch = 4;
  report.advices = 1;
  report.totals.chunking = ls_chunking_find("ss");
  report.totals.workers_wanted = 3;
  struct ls_bytes out = {0};
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, "auto       gss, because in 9 simulations"));
  assert_non_null(strstr(out.data, "           * gss, prefetch 1: 1 s\n"));
  assert_non_null(strstr(out.data, "prefetch   2: 9 s expected in 19 simulations, the best\n"));
  assert_non_null(strstr(out.data, "... and 2 more"));
  assert_null(strstr(out.data, "chosen: gss"));
  assert_non_null(strstr(out.data,
                         "advice     ss, prefetch 4 in place of gss least_units=2, prefetch 1: ss, "
                         "prefetch 4 ends first"));
  ls_bytes_clear(&out);
  ls_run_summary_write_json(&summary, &out);
  json_t *json = json_loads(ls_bytes_text(&out), JSON_REJECT_DUPLICATES, NULL);
  assert_string_equal(json_string_value(json_object_get(json, "auto")), summary.reason);
  assert_int_equal(json_integer_value(json_object_get(json, "prefetch_end")), 4);
  assert_string_equal(json_string_value(json_object_get(json, "policy_end")), "ss");
  assert_int_equal(json_integer_value(json_object_get(json, "workers_wanted_end")), 3);
  json_decref(json);
  ls_bytes_close(&out);
}

static void workers_wanted_and_replicas_are_told(void **state) {
  (void)state;
  uint32_t wanted[] = {8, 3, 3, 3, 2};
  report.wanted = wanted;
  report.wanted_count = 5;
  report.totals.replicas = 12;
  report.totals.replicas_won = 3;
  report.totals.replicas_lost_s = 4.5;
  summary.sizing = "asp";
  summary.replication = "gain";
  summary.extra = 1;
  struct ls_bytes out = {0};
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, "sizing     asp: 8, 3 x3, 2 workers wanted in 5 iterations\n"));
  assert_non_null(
      strstr(out.data,
             "replicas   gain: 12 made, 3 first, 9 wasted; 4.5 s of those that were not "
             "first; 1 extra workers\n"));
  ls_bytes_clear(&out);
  ls_run_summary_write_json(&summary, &out);
  json_t *json = json_loads(ls_bytes_text(&out), JSON_REJECT_DUPLICATES, NULL);
  assert_int_equal(json_array_size(json_object_get(json, "workers_wanted")), 5);
  assert_int_equal(json_integer_value(json_object_get(json, "copies_wasted")), 9);
  assert_true(json_real_value(json_object_get(json, "copies_lost_seconds")) == 4.5);
  json_decref(json);
  ls_bytes_close(&out);
}

/* How many workers were right. */
static void the_perfect_number_is_told(void **state) {
  const struct ls_size_advice advice = {.is_known = true,
                                        .perfect = 8,
                                        .ideal_from = 7,
                                        .ideal_to = 9,
                                        .most = 14,
                                        .time_s = 12.5,
                                        .efficiency = 0.83,
                                        .asp = 7.4,
                                        .start_up_s = 0.1};
  struct ls_bytes out = {0};
  (void)state;
  summary.size = &advice;
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(ls_bytes_text(&out),
                         "\nperfect    8 workers by these times (12.5 s, efficiency 83 %), ideal 7 "
                         "to 9; asp 7.4, start-up 0.1 s\n"));
  ls_bytes_clear(&out);
  ls_run_summary_write_json(&summary, &out);
  json_t *json = json_loads(ls_bytes_text(&out), JSON_REJECT_DUPLICATES, NULL);
  json_t *perfect = json_object_get(json, "perfect");
  assert_int_equal(json_integer_value(json_object_get(perfect, "perfect_number")), 8);
  json_decref(json);
  ls_bytes_close(&out);
}

static void pools_are_told(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  summary.pools = "2 local, 13 ssh";
  ls_run_summary_write(&summary, &text);
  assert_non_null(strstr(ls_bytes_text(&text), "\npools      2 local, 13 ssh\n"));
  ls_bytes_clear(&text);
  ls_run_summary_write_json(&summary, &text);
  assert_non_null(strstr(ls_bytes_text(&text), "\"pools\": \"2 local, 13 ssh\""));
  ls_bytes_close(&text);
}

/* Workers of pools elsewhere, and why there were not more. */
static void missing_workers_are_explained(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  report.slots = (struct ls_master_slots){.pending = 8, .denied = 3, .granted = 6, .ended = 2};
  strcpy(report.explanation, "8 wanted: 4 work, 4 pending (Priority)");
  ls_run_summary_write(&summary, &text);
  assert_non_null(strstr(ls_bytes_text(&text),
                         "\nslots      8 asked for, 6 granted, 2 ended, 3 not to be had\n"
                         "explained  8 wanted: 4 work, 4 pending (Priority)\n"));
  ls_bytes_clear(&text);
  ls_run_summary_write_json(&summary, &text);
  assert_non_null(strstr(ls_bytes_text(&text),
                         "\"slots\": {\"pending\": 8, \"denied\": 3, \"granted\": 6, "
                         "\"suspended\": 0, \"ended\": 2}, \"explained\": \"8 wanted"));
  ls_bytes_close(&text);
}

static void nothing_is_said_of_what_was_not_asked_for(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_run_summary_write(&summary, &out);
  assert_null(strstr(out.data, "auto "));
  assert_null(strstr(out.data, "advice"));
  assert_null(strstr(out.data, "sizing"));
  assert_null(strstr(out.data, "replicas"));
  assert_null(strstr(out.data, "perfect"));
  ls_bytes_close(&out);
}

static void many_workers_are_not_all_printed(void **state) {
  (void)state;
  static struct ls_master_worker many[100];
  for (int i = 0; i < 100; i++) many[i] = workers[0];
  report.workers = many;
  report.workers_count = 100;
  struct ls_bytes out = {0};
  ls_run_summary_write(&summary, &out);
  assert_non_null(strstr(out.data, "... and 60 more"));
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_brief_summary_has_plain_words, set_up),
      cmocka_unit_test_setup(a_task_that_costs_workers_is_abandoned, set_up),
      cmocka_unit_test_setup(who_computes_is_busy_whatever_comes_of_it, set_up),
      cmocka_unit_test_setup(a_resume_that_finds_all_done_says_so, set_up),
      cmocka_unit_test_setup(more_workers_are_named_where_they_save_a_tenth, set_up),
      cmocka_unit_test_setup(counts_add_up, set_up),
      cmocka_unit_test_setup(staging_is_told_of_runs_that_stage, set_up),
      cmocka_unit_test_setup(commands_of_several_tasks_are_told, set_up),
      cmocka_unit_test_setup(a_derived_heartbeat_is_told, set_up),
      cmocka_unit_test_setup(recalls_are_told, set_up),
      cmocka_unit_test_setup(a_chunk_counts_what_was_sent_in_it, set_up),
      cmocka_unit_test_setup(people_read_what_happened, set_up),
      cmocka_unit_test_setup(the_price_is_told_where_a_worker_has_one, set_up),
      cmocka_unit_test_setup(machines_read_json, set_up),
      cmocka_unit_test_setup(what_was_chosen_is_explained, set_up),
      cmocka_unit_test_setup(workers_wanted_and_replicas_are_told, set_up),
      cmocka_unit_test_setup(the_perfect_number_is_told, set_up),
      cmocka_unit_test_setup(pools_are_told, set_up),
      cmocka_unit_test_setup(missing_workers_are_explained, set_up),
      cmocka_unit_test_setup(nothing_is_said_of_what_was_not_asked_for, set_up),
      cmocka_unit_test_setup(many_workers_are_not_all_printed, set_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
