#include "report_fixture.h"

#include <jansson.h>

#include "report/page_private.h"

static void describe(void *context, uint64_t task, struct ls_bytes *out) {
  (void)context;
  ls_bytes_printf(out, "</script>\xe2\x80\xa8%llu\xff", (unsigned long long)task);
}

/* The document in the element. */
static json_t *read_data(const struct ls_timeline *timeline,
                         const struct ls_report_options *options) {
  struct ls_bytes out = {0};
  const struct ls_page page = {
      .timeline = timeline, .options = options, .out = &out, .noun = "task"};
  ls_page_data(&page);
  assert_false(out.failed);
  static const char head[] = "<script type=\"application/json\" id=\"data\">\n";
  const char *text = ls_bytes_text(&out), *end = strstr(text, "</script>");
  assert_int_equal(strncmp(text, head, strlen(head)), 0);
  /* The first end of an element is the last. */
  assert_non_null(end);
  assert_string_equal(end, "</script>\n");
  assert_null(strstr(text, "\xe2\x80\xa8"));
  json_error_t error;
  json_t *document =
      json_loadb(text + strlen(head), (size_t)(end - text) - strlen(head), 0, &error);
  if (document == NULL) fail_msg("%s", error.text);
  ls_bytes_close(&out);
  return document;
}

static void expect(const json_t *document, const char *name, const char *text) {
  char *found = json_dumps(json_object_get(document, name), JSON_COMPACT | JSON_ENCODE_ANY);
  assert_string_equal(found, text);
  free(found);
}

static void columns_tell_every_span(void **state) {
  (void)state;
  struct ls_timeline timeline;
  const struct ls_report_run run = {.units = 20, .describe = describe};
  fixture_timeline(&timeline);
  timeline.spans[0].task = 5;
  timeline.spans[1].task = 8;
  timeline.spans[1].exit_code = -9;
  timeline.spans[1].attempt = 2;
  timeline.spans[2].is_running = true;
  json_t *document = read_data(&timeline, &(struct ls_report_options){.run = &run});
  expect(document, "end", "10000000");
  expect(document, "total", "20");
  expect(document, "gap", "[0,0,0,6000000]");
  expect(document, "time", "[1000000,8000000,2000000,2000000]");
  expect(document, "task", "[0,5,3,-8]");
  expect(document, "units", "[3,4]");
  /* transfer, compute, failed, running */
  expect(document, "kind", "[6,1,0,1,1,1,3,1]");
  expect(document, "chunk_units", "[3,2]");
  const json_t *facts = json_object_get(document, "facts");
  assert_int_equal(json_array_size(facts), 2);
  const json_t *fact = json_array_get(facts, 1);
  assert_int_equal(json_integer_value(json_array_get(fact, 1)), -9);
  assert_int_equal(json_integer_value(json_array_get(fact, 2)), 2);
  assert_string_equal(json_string_value(json_array_get(fact, 4)),
                      "</script>\xe2\x80\xa8"
                      "8?");
  json_decref(document);
  ls_timeline_close(&timeline);
}

/* Where each task is a chunk their numbers go along; where not, tasks of a chunk follow. */
static void chunks_are_told_in_few_numbers(void **state) {
  (void)state;
  struct ls_timeline timeline;
  fixture_crowd(&timeline, 1, 6);
  for (size_t i = 0; i < 6; i++) {
    timeline.spans[i].task = i + 1;
    timeline.spans[i].chunk = i;
    ls_timeline_add_decision(&timeline, 0, 1);
  }
  json_t *document = read_data(&timeline, &(struct ls_report_options){.title = ""});
  expect(document, "chunk_is", "\"after task\"");
  expect(document, "chunk", "[-1,6]");
  json_decref(document);
  timeline.decisions_count = 2;
  for (size_t i = 0; i < 6; i++) timeline.spans[i].chunk = i < 4 ? 0 : 7;
  document = read_data(&timeline, &(struct ls_report_options){.title = ""});
  expect(document, "chunk_is", "\"repeated\"");
  expect(document, "chunk", "[0,4,7,2]");
  json_decref(document);
  ls_timeline_close(&timeline);
}

static void a_long_run_names_only_its_slowest_and_failed(void **state) {
  (void)state;
  struct ls_timeline timeline;
  fixture_crowd(&timeline, 2, 10050);
  for (size_t i = 0; i < timeline.spans_count; i++) timeline.spans[i].task = i + 1;
  timeline.spans[77].outcome = LS_OUTCOME_FAILED;
  timeline.spans[99].end_s += 0.125;
  json_t *document = read_data(&timeline, &(struct ls_report_options){.title = ""});
  const json_t *facts = json_object_get(document, "facts");
  assert_int_equal(json_array_size(facts), 1001);
  json_decref(document);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_tell_every_span),
      cmocka_unit_test(chunks_are_told_in_few_numbers),
      cmocka_unit_test(a_long_run_names_only_its_slowest_and_failed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
