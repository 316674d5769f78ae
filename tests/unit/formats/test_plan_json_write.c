#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "formats/plan_json.h"
#include "formats/plan_json_private.h"
#include "model/plan.h"
#include "model/plan_repeat.h"
#include "model/replay.h"

static double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_number(value)) fail_msg("%s is no number", key);
  return json_number_value(value);
}

/* Transfer 1 a chunk, compute 1 a unit, receive 0.5 a chunk: chunk 0 of 2 units: 0..1, 1.5..3.5. */
static json_t *write_and_parse(bool is_replayed) {
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_bytes text = {0};
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = 1;
    platform.workers[i].costs[LS_OPERATION_RECEIVE].latency_s = 0.5;
  }
  ls_plan_init(&plan, "test", 5);
  ls_plan_add(&plan, 0, 0, 2);
  ls_plan_add(&plan, 1, 1, 3);
  ls_plan_set(&plan, "theta", 0.5);
  ls_plan_set(&plan, "unknown", (double)NAN);
  ls_plan_order_returns(&plan);
  if (is_replayed) assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  ls_plan_write(&plan, &platform, &text);
  assert_false(text.failed);
  json_t *document = json_loads(ls_bytes_text(&text), JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(document);
  ls_bytes_close(&text);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  return document;
}

static void every_field_is_written(void **state) {
  (void)state;
  json_t *document = write_and_parse(true);
  assert_string_equal(json_string_value(json_object_get(document, "outcome")), "ok");
  assert_string_equal(json_string_value(json_object_get(document, "why")), "");
  assert_string_equal(json_string_value(json_object_get(document, "algorithm")), "test");
  assert_true(number_of(document, "load") == 5);
  assert_true(number_of(document, "rounds") == 2);
  assert_true(number_of(document, "makespan") == 5.5);
  assert_true(number_of(document, "workers_used") == 2);
  assert_true(number_of(document, "messages") == 2);
  const json_t *parameters = json_object_get(document, "parameters");
  assert_true(number_of(parameters, "theta") == 0.5);
  assert_true(json_is_null(json_object_get(parameters, "unknown")));
  assert_int_equal(json_array_size(json_object_get(document, "returns")), 0);
  const json_t *chunk = json_array_get(json_object_get(document, "chunks"), 0);
  assert_true(number_of(chunk, "transfer_end") == 1);
  assert_true(number_of(chunk, "compute_start") == 1.5);
  assert_true(number_of(chunk, "compute_end") == 3.5);
  assert_true(json_is_null(json_object_get(chunk, "reply_start")));
  json_decref(document);
}

static void certificate_and_workers_are_written(void **state) {
  (void)state;
  json_t *document = write_and_parse(true);
  const json_t *certificate = json_object_get(document, "certificate");
  /* (5 + 1.5 + 2.5 + 3.5) / 3: three workers, whose first chunks come in turn. */
  assert_true(fabs(number_of(certificate, "lower_bound") - 12.5 / 3) < 1e-9);
  assert_true(fabs(number_of(certificate, "gap") - (5.5 * 3 / 12.5 - 1)) < 1e-9);
  assert_true(fabs(number_of(certificate, "start_up") - 1) < 1e-12);
  assert_true(number_of(certificate, "tail") == 0);
  const json_t *workers = json_object_get(document, "workers");
  assert_int_equal(json_array_size(workers), 3);
  const json_t *first = json_array_get(workers, 0), *idle = json_array_get(workers, 2);
  assert_string_equal(json_string_value(json_object_get(first, "name")), "worker-0");
  assert_true(number_of(first, "units") == 2 && number_of(first, "busy") == 2.5);
  assert_true(number_of(first, "idle") == 3);
  assert_true(number_of(idle, "units") == 0 && number_of(idle, "idle") == 5.5);
  json_decref(document);
}

/* That nothing is staged is no time that is unknown. */
static void unknown_times_are_null(void **state) {
  (void)state;
  json_t *document = write_and_parse(false);
  assert_true(json_is_null(json_object_get(document, "makespan")));
  const json_t *chunk = json_array_get(json_object_get(document, "chunks"), 1);
  for (size_t time = 0; time < LS_PLAN_TIMES; time++) {
    const char *name = ls_plan_times_of_chunk[time].name;
    if (strcmp(name, "stage_start") == 0)
      assert_null(json_object_get(chunk, name));
    else
      assert_true(json_is_null(json_object_get(chunk, name)));
  }
  const json_t *certificate = json_object_get(document, "certificate");
  assert_true(json_is_null(json_object_get(certificate, "gap")));
  json_decref(document);
}

static void staging_is_a_time_of_its_chunk(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan, again;
  struct ls_bytes text = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_STAGE].per_unit_s = 0.5;
  ls_plan_init(&plan, "test", 8);
  ls_plan_add(&plan, 0, 0, 4);
  ls_plan_add(&plan, 0, 1, 4);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  ls_plan_write(&plan, &platform, &text);
  json_t *document = json_loads(ls_bytes_text(&text), JSON_REJECT_DUPLICATES, NULL);
  const json_t *chunks = json_object_get(document, "chunks");
  assert_true(number_of(json_array_get(chunks, 0), "stage_start") == 0);
  assert_true(number_of(json_array_get(chunks, 1), "stage_start") == 2);
  assert_true(number_of(json_array_get(chunks, 1), "compute_start") == 6);
  struct ls_text source = {ls_bytes_text(&text), text.length, "plan.json"};
  assert_int_equal(ls_plan_read(&again, source, &platform, &err), LS_OK);
  ls_plan_close(&again);
  platform.stage_ahead = 0;
  assert_int_equal(ls_plan_read(&again, source, &platform, &err), LS_EINVAL);
  assert_string_equal(err.text, "plan.json: makespan is 10, expected 12, as the replay says");
  json_decref(document);
  ls_bytes_close(&text);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Chunks of 2 units, transfers of 1 s: 0..1 and computing 1..3, then the body from 1 s on. */
static void body_is_written_once_relative_to_its_beginning(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan, again;
  struct ls_bytes text = {0};
  json_t *document = NULL;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_SEND].latency_s = 1;
  ls_plan_init(&plan, "test", 2000002);
  ls_plan_add(&plan, 0, 0, 2);
  ls_plan_add(&plan, 0, 1, 2);
  ls_plan_repeat(&plan, 1, 2, 1000000);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  ls_plan_write(&plan, &platform, &text);
  assert_true(text.length < 2000);
  struct ls_text written = {ls_bytes_text(&text), text.length, "own text"};
  assert_int_equal(ls_json_parse(written, &document, NULL), LS_OK);
  const json_t *repeat = json_object_get(document, "repeat");
  const json_t *body = json_array_get(json_object_get(document, "chunks"), 1);
  assert_true(number_of(repeat, "from") == 1 && number_of(repeat, "to") == 2);
  assert_true(number_of(repeat, "times") == 1000000);
  assert_true(number_of(document, "messages") == 1000001);
  assert_true(number_of(document, "rounds") == 1000001);
  assert_true(number_of(body, "send_start") == 0 && number_of(body, "transfer_start") == 1);
  assert_true(number_of(body, "compute_start") == 2); /* 3 s after the start */
  assert_true(number_of(document, "makespan") == 2000003);
  const json_t *worker = json_array_get(json_object_get(document, "workers"), 0);
  assert_true(number_of(worker, "busy") == 2000002 && number_of(worker, "idle") == 1);
  assert_int_equal(ls_plan_read(&again, written, &platform, NULL), LS_OK);
  assert_true(again.makespan_s == plan.makespan_s && again.repeat.times == 1000000);
  ls_plan_close(&again);
  json_decref(document);
  ls_bytes_close(&text);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void returns_behind_a_body_are_written_and_read(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan, again;
  struct ls_bytes text = {0};
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = 0.25;
    platform.workers[i].costs[LS_OPERATION_REPLY].latency_s = 2;
  }
  ls_plan_init(&plan, "test", 2000002);
  for (uint32_t i = 0; i < 4; i++) ls_plan_add(&plan, i % 2, i / 2, 1);
  ls_plan_repeat(&plan, 0, 2, 1000000);
  ls_plan_add_return(&plan, 3);
  ls_plan_add_return(&plan, 2);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  /* Worker 1 is half a second behind the million and one seconds; then two replies. */
  assert_true(plan.makespan_s == 1000001 + 0.5 + 4);
  ls_plan_write(&plan, &platform, &text);
  assert_true(text.length < 2000);
  struct ls_text written = {ls_bytes_text(&text), text.length, "own text"};
  assert_int_equal(ls_plan_read(&again, written, &platform, NULL), LS_OK);
  assert_true(again.makespan_s == plan.makespan_s && again.repeat.times == 1000000);
  assert_true(again.returns_count == 2 && again.returns[0] == 3 && again.returns[1] == 2);
  ls_plan_close(&again);
  ls_bytes_close(&text);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_field_is_written),
      cmocka_unit_test(certificate_and_workers_are_written),
      cmocka_unit_test(unknown_times_are_null),
      cmocka_unit_test(staging_is_a_time_of_its_chunk),
      cmocka_unit_test(body_is_written_once_relative_to_its_beginning),
      cmocka_unit_test(returns_behind_a_body_are_written_and_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
