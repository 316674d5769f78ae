#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/plan_json.h"
#include "model/plan.h"
#include "model/replay.h"

static void open_platform(struct ls_platform *platform) {
  assert_int_equal(ls_platform_init(platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++)
    platform->workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){1, 0.5};
}

static enum ls_status read_text(struct ls_plan *plan, const char *text, struct ls_error *err) {
  struct ls_platform platform;
  open_platform(&platform);
  enum ls_status status =
      ls_plan_read(plan, (struct ls_text){text, strlen(text), "plan.json"}, &platform, err);
  ls_platform_close(&platform);
  return status;
}

static void expect_refused(const char *text, const char *message) {
  struct ls_plan plan = {.chunks_count = 77};
  struct ls_error err = {0};
  assert_int_equal(read_text(&plan, text, &err), LS_EINVAL);
  assert_string_equal(err.text, message);
  assert_int_equal(plan.chunks_count, 77);
}

/* One chunk of 2 units: transfer 0..2, compute 2..4. */
static void expect_top_refused(const char *fields, const char *message) {
  char text[512], whole[512];
  (void)snprintf(text, sizeof text, "{\"chunks\": [{\"worker\": 0, \"units\": 2}], %s}", fields);
  (void)snprintf(whole, sizeof whole, "plan.json: %s", message);
  expect_refused(text, whole);
}

static void expect_chunk_refused(const char *fields, const char *message) {
  char text[512], whole[512];
  (void)snprintf(text, sizeof text, "{\"chunks\": [{\"worker\": 0, \"units\": 2, %s}]}", fields);
  (void)snprintf(whole, sizeof whole, "plan.json: chunks[0].%s", message);
  expect_refused(text, whole);
}

static void worker_and_units_suffice(void **state) {
  (void)state;
  struct ls_plan plan;
  assert_int_equal(read_text(&plan, "{\"chunks\": [{\"worker\": 1, \"units\": 2}]}", NULL), LS_OK);
  assert_int_equal(plan.chunks_count, 1);
  assert_int_equal(plan.chunks[0].worker, 1);
  assert_true(plan.load == 2 && plan.makespan_s == 4);
  assert_false(plan.has_returns);
  ls_plan_close(&plan);
}

static void right_times_are_accepted(void **state) {
  (void)state;
  struct ls_plan plan;
  assert_int_equal(
      read_text(&plan,
                "{\"outcome\": \"ok\", \"why\": \"\", \"algorithm\": \"umr\", \"load\": 2,"
                " \"rounds\": 7, \"makespan\": 4.0000000001, \"workers_used\": 1, \"messages\": 1,"
                " \"certificate\": {\"lower_bound\": 3, \"bound\": \"x\", \"gap\": null,"
                "   \"start_up\": 0, \"port_wait\": 0, \"imbalance\": 0, \"tail\": 0},"
                " \"parameters\": {\"theta\": 2.5, \"send_order\": [1], \"proven\": true},"
                " \"chunks\": [{\"worker\": 0, \"round\": 3, \"units\": 2, \"send_start\": 0,"
                "   \"transfer_start\": 0, \"transfer_end\": 2, \"compute_start\": 2,"
                "   \"compute_end\": 4, \"reply_start\": null, \"reply_end\": null}],"
                " \"returns\": [],"
                " \"workers\": [{\"name\": \"a\", \"units\": 2, \"busy\": 2, \"idle\": 2}]}",
                NULL),
      LS_OK);
  assert_string_equal(plan.algorithm, "umr");
  assert_true(ls_plan_get(&plan, "theta", 0) == 2.5);
  assert_int_equal(plan.parameters_count, 1);
  assert_int_equal(plan.chunks[0].round, 3);
  assert_true(plan.has_returns);
  assert_true(plan.makespan_s == 4);
  ls_plan_close(&plan);
}

static void empty_plan_takes_no_time(void **state) {
  (void)state;
  struct ls_plan plan;
  assert_int_equal(read_text(&plan, "{\"chunks\": [], \"load\": 0, \"makespan\": 0}", NULL), LS_OK);
  assert_true(plan.makespan_s == 0 && plan.load == 0);
  ls_plan_close(&plan);
}

static void wrong_times_are_named(void **state) {
  (void)state;
  expect_top_refused("\"makespan\": 4.1",
                     "makespan is 4.0999999999999996, expected 4, as the replay says");
  expect_chunk_refused("\"send_start\": 1", "send_start is 1, expected 0, as the replay says");
  expect_chunk_refused("\"transfer_start\": 1",
                       "transfer_start is 1, expected 0, as the replay says");
  expect_chunk_refused("\"transfer_end\": 1", "transfer_end is 1, expected 2, as the replay says");
  expect_chunk_refused("\"compute_start\": 3",
                       "compute_start is 3, expected 2, as the replay says");
  expect_chunk_refused("\"compute_end\": 3", "compute_end is 3, expected 4, as the replay says");
  expect_chunk_refused("\"reply_start\": 4",
                       "reply_start is 4, expected null: there is no such event");
  expect_chunk_refused("\"reply_end\": 4", "reply_end is 4, expected null: there is no such event");
}

static void every_field_of_a_chunk_is_checked(void **state) {
  (void)state;
  expect_chunk_refused("\"size\": 1", "size is not a known field");
  expect_chunk_refused("\"round\": -1",
                       "round is -1, expected a whole number from 0 to 4294967295");
  expect_chunk_refused("\"round\": 1.5",
                       "round is 1.5, expected a whole number from 0 to 4294967295");
  const char *const times[] = {"send_start",  "transfer_start", "transfer_end", "compute_start",
                               "compute_end", "reply_start",    "reply_end"};
  for (size_t i = 0; i < 7; i++) {
    char field[64], message[96];
    (void)snprintf(field, sizeof field, "\"%s\": -1", times[i]);
    (void)snprintf(message, sizeof message, "%s is -1, expected a number >= 0", times[i]);
    expect_chunk_refused(field, message);
    (void)snprintf(field, sizeof field, "\"%s\": \"soon\"", times[i]);
    (void)snprintf(message, sizeof message, "%s is \"soon\", expected a number >= 0", times[i]);
    expect_chunk_refused(field, message);
  }
  expect_refused("{\"chunks\": [{\"worker\": 2, \"units\": 1}]}",
                 "plan.json: chunks[0].worker is 2, expected a whole number from 0 to 1");
  expect_refused("{\"chunks\": [{\"worker\": -1, \"units\": 1}]}",
                 "plan.json: chunks[0].worker is -1, expected a whole number from 0 to 1");
  expect_refused("{\"chunks\": [{\"units\": 1}]}",
                 "plan.json: chunks[0].worker is missing, expected a whole number from 0 to 1");
  expect_refused("{\"chunks\": [{\"worker\": 0}]}",
                 "plan.json: chunks[0].units is missing, expected a number >= 0");
  expect_refused("{\"chunks\": [{\"worker\": 0, \"units\": 0}]}",
                 "plan.json: chunks[0].units is 0, expected a number > 0");
  expect_refused("{\"chunks\": [{\"worker\": 0, \"units\": -1}]}",
                 "plan.json: chunks[0].units is -1, expected a number >= 0");
  expect_refused("{\"chunks\": [7]}", "plan.json: chunks[0] is 7, expected an object");
  struct ls_plan plan;
  assert_int_equal(read_text(&plan, "{\"chunks\": [{\"worker\": 0, \"units\": NaN}]}", NULL),
                   LS_EINVAL);
}

static void every_field_of_the_top_is_checked(void **state) {
  (void)state;
  expect_refused("{}", "plan.json: chunks is missing, expected an array");
  expect_refused("[]", "plan.json: the document is an array, expected an object");
  expect_refused("{\"chunks\": {}}", "plan.json: chunks is an object, expected an array");
  expect_top_refused("\"loud\": 1", "loud is not a known field, did you mean 'load'?");
  expect_top_refused("\"outcome\": \"good\"",
                     "outcome is \"good\", expected \"ok\" or \"not_applicable\"");
  expect_top_refused("\"outcome\": 1", "outcome is 1, expected a string");
  expect_top_refused("\"why\": 1", "why is 1, expected a string");
  expect_top_refused("\"algorithm\": []", "algorithm is an array, expected a string");
  expect_top_refused("\"algorithm\": \"01234567890123456789012345678901\"",
                     "algorithm is \"01234567890123456789012345678901\", expected a shorter text");
  expect_top_refused("\"load\": 3", "load is 3, expected 2, the sum of the chunks");
  expect_top_refused("\"load\": -2", "load is -2, expected a number >= 0");
  expect_top_refused("\"rounds\": -1",
                     "rounds is -1, expected a whole number from 0 to 9007199254740992");
  expect_top_refused("\"makespan\": -1", "makespan is -1, expected a number >= 0");
  expect_top_refused("\"workers_used\": 2", "workers_used is 2, expected 1, as the chunks say");
  expect_top_refused("\"messages\": 3", "messages is 3, expected 1, as the chunks say");
  expect_top_refused("\"messages\": 0.5",
                     "messages is 0.5, expected a whole number from 0 to 9007199254740992");
  expect_top_refused("\"parameters\": []", "parameters is an array, expected an object");
  expect_top_refused("\"parameters\": {\"01234567890123456789012345678901\": 1}",
                     "parameters.01234567890123456789012345678901 is 1, expected a name of 1 to 31 "
                     "bytes");
}

static void certificate_workers_and_returns_are_checked(void **state) {
  (void)state;
  expect_top_refused("\"certificate\": 1", "certificate is 1, expected an object");
  expect_top_refused("\"certificate\": {\"luck\": 1}", "certificate.luck is not a known field");
  expect_top_refused("\"certificate\": {\"gap\": \"x\"}",
                     "certificate.gap is \"x\", expected a finite number");
  expect_top_refused("\"certificate\": {\"bound\": 1}",
                     "certificate.bound is 1, expected a string");
  expect_top_refused("\"workers\": 1", "workers is 1, expected an array");
  expect_top_refused("\"workers\": [1]", "workers[0] is 1, expected an object");
  expect_top_refused("\"workers\": [{\"speed\": 1}]", "workers[0].speed is not a known field");
  expect_top_refused("\"workers\": [{\"name\": 1}]", "workers[0].name is 1, expected a string");
  expect_top_refused("\"workers\": [{\"units\": -1}]",
                     "workers[0].units is -1, expected a number >= 0");
  expect_top_refused("\"workers\": [{\"busy\": -1}]",
                     "workers[0].busy is -1, expected a number >= 0");
  expect_top_refused("\"workers\": [{\"idle\": -1}]",
                     "workers[0].idle is -1, expected a number >= 0");
  expect_top_refused("\"returns\": 1", "returns is 1, expected an array");
  expect_top_refused("\"returns\": [1]",
                     "returns[0] is 1, expected the index of a chunk, each once");
  expect_top_refused("\"returns\": [0, 0]",
                     "returns[1] is 0, expected the index of a chunk, each once");
  expect_top_refused("\"returns\": [-1]",
                     "returns[0] is -1, expected a whole number from 0 to 9007199254740992");
}

static void not_applicable_is_an_answer(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan, again;
  struct ls_bytes text = {0};
  open_platform(&platform);
  ls_plan_init(&plan, "mi", 100);
  ls_plan_refuse(&plan, "the workers are \"not\" identical");
  ls_plan_write(&plan, &platform, &text);
  assert_non_null(strstr(ls_bytes_text(&text), "\"outcome\": \"not_applicable\""));
  assert_non_null(strstr(ls_bytes_text(&text), "\"makespan\": null"));
  assert_int_equal(
      ls_plan_read(&again, (struct ls_text){text.data, text.length, "x"}, &platform, NULL), LS_OK);
  assert_int_equal(again.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_string_equal(again.why, plan.why);
  assert_true(again.load == 100);
  ls_plan_close(&again);
  expect_top_refused("\"outcome\": \"not_applicable\"",
                     "chunks is an array, expected no chunks in a plan that is not applicable");
  ls_bytes_close(&text);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void without_a_platform_times_are_not_compared(void **state) {
  (void)state;
  struct ls_plan plan;
  struct ls_error err;
  const char *text =
      "{\"makespan\": 1, \"chunks\": [{\"worker\": 9, \"units\": 2, \"send_start\": 5}]}";
  assert_int_equal(
      ls_plan_read_chunks(&plan, (struct ls_text){text, strlen(text), "plan.json"}, 10, NULL),
      LS_OK);
  /* They are what the text says. */
  assert_true(fabs(plan.chunks[0].send_start_s - 5) < 1e-12);
  assert_true(isnan(plan.chunks[0].compute_end_s) && isnan(plan.makespan_s));
  ls_plan_close(&plan);
  assert_int_equal(
      ls_plan_read_chunks(&plan, (struct ls_text){text, strlen(text), "plan.json"}, 9, &err),
      LS_EINVAL);
  assert_string_equal(err.text,
                      "plan.json: chunks[0].worker is 9, expected a whole number from 0 to 8");
}

static void repetition_is_read_and_refused_by_name(void **state) {
  (void)state;
  struct ls_plan plan;
  struct ls_error err = {0};
  assert_int_equal(read_text(&plan,
                             "{\"load\": 7, \"messages\": 3,"
                             " \"repeat\": {\"from\": 1, \"to\": 2, \"times\": 2},"
                             " \"chunks\": [{\"worker\": 0, \"units\": 1}, {\"worker\": 1,"
                             " \"units\": 3, \"send_start\": 0, \"compute_start\": 4}]}",
                             &err),
                   LS_OK);
  assert_true(plan.repeat.from == 1 && plan.repeat.to == 2 && plan.repeat.times == 2);
  assert_true(plan.load == 7);
  ls_plan_close(&plan);
  assert_int_equal(read_text(&plan,
                             "{\"chunks\": [{\"worker\": 0, \"units\": 1}, {\"worker\": 1,"
                             " \"units\": 3}], \"repeat\": {\"from\": 0, \"to\": 1, \"times\": 9},"
                             " \"returns\": [1]}",
                             &err),
                   LS_OK);
  assert_true(plan.has_returns && plan.returns_count == 1 && plan.returns[0] == 1);
  ls_plan_close(&plan);
  expect_top_refused("\"repeat\": {\"from\": 0, \"to\": 1}",
                     "repeat.times is missing, expected a whole number from 1 to 9007199254740992");
  expect_top_refused("\"repeat\": {\"from\": 0, \"to\": 2, \"times\": 3}",
                     "repeat: to is 2, more than the chunks");
  expect_top_refused("\"repeat\": {\"from\": 0, \"to\": 1, \"times\": 3, \"of\": 1}",
                     "repeat.of is not a known field");
  expect_top_refused("\"repeat\": {\"from\": 0, \"to\": 1, \"times\": 3}, \"load\": 2",
                     "load is 2, expected 6, the sum of the chunks");
  expect_top_refused("\"repeat\": {\"from\": 0, \"to\": 1, \"times\": 3}, \"returns\": [0]",
                     "returns[0] is 0, expected the index of a chunk after those that repeat");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worker_and_units_suffice),
      cmocka_unit_test(right_times_are_accepted),
      cmocka_unit_test(empty_plan_takes_no_time),
      cmocka_unit_test(wrong_times_are_named),
      cmocka_unit_test(every_field_of_a_chunk_is_checked),
      cmocka_unit_test(every_field_of_the_top_is_checked),
      cmocka_unit_test(certificate_workers_and_returns_are_checked),
      cmocka_unit_test(not_applicable_is_an_answer),
      cmocka_unit_test(without_a_platform_times_are_not_compared),
      cmocka_unit_test(repetition_is_read_and_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
