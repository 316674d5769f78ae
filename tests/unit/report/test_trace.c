#include "report_fixture.h"

#include <jansson.h>

static json_t *write_and_parse(const struct ls_timeline *timeline, const char *title) {
  struct ls_bytes out = {0};
  struct ls_report_options options = {.title = title};
  json_error_t failure;
  ls_report_trace.write(timeline, &options, &out);
  json_t *document = json_loadb(out.data, out.length, JSON_REJECT_DUPLICATES, &failure);
  if (document == NULL) fail_msg("%s", failure.text);
  ls_bytes_close(&out);
  return document;
}

static const char *text_of(const json_t *event, const char *key) {
  return json_string_value(json_object_get(event, key));
}

static void spans_are_complete_events_in_microseconds_on_their_row(void **state) {
  (void)state;
  struct ls_timeline timeline;
  fixture_timeline(&timeline);
  json_t *document = write_and_parse(&timeline, "t");
  const json_t *events = json_object_get(document, "traceEvents");
  size_t spans = 0, threads = 0;
  for (size_t i = 0; i < json_array_size(events); i++) {
    const json_t *event = json_array_get(events, i);
    if (strcmp(text_of(event, "name"), "thread_name") == 0) threads++;
    if (strcmp(text_of(event, "ph"), "X") != 0) continue;
    const struct ls_span *span = &timeline.spans[spans++];
    assert_near(json_number_value(json_object_get(event, "ts")), 1e6 * span->start_s, 1e-3);
    assert_near(json_number_value(json_object_get(event, "dur")),
                1e6 * (span->end_s - span->start_s), 1e-3);
    json_int_t row = span->resource == LS_RESOURCE_NETWORK ? 0 : 1 + (json_int_t)span->worker;
    assert_int_equal(json_integer_value(json_object_get(event, "tid")), row);
  }
  assert_int_equal(spans, 4);
  assert_int_equal(threads, 3);
  json_decref(document);
  ls_timeline_close(&timeline);
}

static void failures_can_be_told_by_name_and_category(void **state) {
  (void)state;
  struct ls_timeline timeline;
  fixture_timeline(&timeline);
  json_t *document = write_and_parse(&timeline, NULL);
  const json_t *events = json_object_get(document, "traceEvents");
  size_t failed = 0, lost = 0;
  for (size_t i = 0; i < json_array_size(events); i++) {
    const json_t *event = json_array_get(events, i);
    const char *category = text_of(event, "cat");
    if (category == NULL) continue;
    if (strcmp(category, "failed") == 0) {
      assert_string_equal(text_of(event, "name"), "compute failed");
      failed++;
    }
    lost += strcmp(category, "lost") == 0;
  }
  assert_true(failed == 1 && lost == 1);
  json_decref(document);
  ls_timeline_close(&timeline);
}

static void an_empty_timeline_is_valid_json(void **state) {
  (void)state;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  json_t *document = write_and_parse(&timeline, "\xff\"\\\n");
  assert_int_equal(json_array_size(json_object_get(document, "traceEvents")), 1);
  json_decref(document);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans_are_complete_events_in_microseconds_on_their_row),
      cmocka_unit_test(failures_can_be_told_by_name_and_category),
      cmocka_unit_test(an_empty_timeline_is_valid_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
