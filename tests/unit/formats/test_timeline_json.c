#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "formats/timeline_json.h"
#include "model/timeline.h"

/* One worker that joined at 1, computed from 2 to 4 and left at 5; a lost attempt from 4 to 5. */
static void open_timeline(struct ls_timeline *timeline) {
  ls_timeline_init(timeline);
  timeline->makespan_s = 6;
  timeline->seed = 42;
  ls_timeline_add_worker(timeline, "a \"quoted\" name", 1, 5);
  ls_timeline_add_decision(timeline, 0, 3);
  ls_timeline_add_span(timeline, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                   .operation = LS_OPERATION_COMPUTE,
                                                   .units = 3,
                                                   .start_s = 2,
                                                   .end_s = 4});
  ls_timeline_add_span(timeline, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                   .operation = LS_OPERATION_COMPUTE,
                                                   .outcome = LS_OUTCOME_LOST,
                                                   .start_s = 4,
                                                   .end_s = 5});
  ls_timeline_add_note(timeline, "[  5.00] worker 0 lost");
}

static json_t *write_and_parse(int with_spans, int with_notes) {
  struct ls_timeline timeline;
  struct ls_bytes text = {0};
  open_timeline(&timeline);
  ls_timeline_write(&timeline,
                    &(struct ls_timeline_extras){.has_spans = with_spans, .has_notes = with_notes},
                    &text);
  assert_false(text.failed);
  json_t *document = json_loads(ls_bytes_text(&text), JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(document);
  ls_bytes_close(&text);
  ls_timeline_close(&timeline);
  return document;
}

static double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

static void everything_is_written(void **state) {
  (void)state;
  json_t *document = write_and_parse(1, 1);
  assert_true(number_of(document, "seed") == 42);
  assert_true(number_of(document, "makespan") == 6);
  assert_true(number_of(document, "efficiency") == 0.5);
  const json_t *chunk = json_array_get(json_object_get(document, "chunks"), 0);
  assert_true(number_of(chunk, "worker") == 0 && number_of(chunk, "units") == 3);
  const json_t *spans = json_object_get(document, "spans");
  assert_int_equal(json_array_size(spans), 2);
  const json_t *done = json_array_get(spans, 0), *lost = json_array_get(spans, 1);
  assert_string_equal(json_string_value(json_object_get(done, "resource")), "worker");
  assert_string_equal(json_string_value(json_object_get(done, "operation")), "compute");
  assert_true(number_of(done, "start") == 2 && number_of(done, "end") == 4);
  assert_null(json_object_get(done, "outcome"));
  assert_string_equal(json_string_value(json_object_get(lost, "outcome")), "lost");
  const json_t *worker = json_array_get(json_object_get(document, "workers"), 0);
  assert_string_equal(json_string_value(json_object_get(worker, "name")), "a \"quoted\" name");
  assert_true(number_of(worker, "units") == 3 && number_of(worker, "chunks") == 1);
  assert_true(number_of(worker, "busy") == 3 && number_of(worker, "useful") == 2);
  assert_true(number_of(worker, "up") == 4 && number_of(worker, "idle") == 1);
  assert_true(number_of(worker, "joined") == 1 && number_of(worker, "left") == 5);
  const json_t *note = json_array_get(json_object_get(document, "notes"), 0);
  assert_string_equal(json_string_value(note), "[  5.00] worker 0 lost");
  json_decref(document);
}

static void staging_is_written_where_some_is(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes text = {0};
  open_timeline(&timeline);
  ls_timeline_add_span(&timeline, &(struct ls_span){.resource = LS_RESOURCE_READER,
                                                    .operation = LS_OPERATION_STAGE,
                                                    .start_s = 1,
                                                    .end_s = 5});
  ls_timeline_write(&timeline, &(struct ls_timeline_extras){.has_spans = true}, &text);
  json_t *document = json_loads(ls_bytes_text(&text), JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(document);
  const json_t *worker = json_array_get(json_object_get(document, "workers"), 0);
  assert_true(number_of(worker, "staged") == 4 && number_of(worker, "hidden") == 0.75);
  const json_t *span = json_array_get(json_object_get(document, "spans"), 2);
  assert_string_equal(json_string_value(json_object_get(span, "resource")), "reader");
  assert_string_equal(json_string_value(json_object_get(span, "operation")), "stage");
  json_decref(document);
  ls_bytes_close(&text);
  ls_timeline_close(&timeline);
}

static void spans_and_notes_come_only_when_asked_for(void **state) {
  (void)state;
  json_t *document = write_and_parse(0, 0);
  assert_null(json_object_get(document, "spans"));
  assert_null(json_object_get(document, "notes"));
  assert_non_null(json_object_get(document, "chunks"));
  json_decref(document);
  document = write_and_parse(0, 1);
  assert_null(json_object_get(document, "spans"));
  assert_non_null(json_object_get(document, "notes"));
  json_decref(document);
}

static void empty_timeline_is_good_json(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_bytes text = {0};
  ls_timeline_init(&timeline);
  ls_timeline_add_worker(&timeline, "stays", 0, (double)INFINITY);
  ls_timeline_add_worker(&timeline, "never came", (double)INFINITY, (double)INFINITY);
  ls_timeline_write(&timeline, &(struct ls_timeline_extras){.has_spans = true, .has_notes = true},
                    &text);
  json_t *document = json_loads(ls_bytes_text(&text), 0, NULL);
  assert_non_null(document);
  const json_t *absent = json_array_get(json_object_get(document, "workers"), 1);
  assert_true(json_is_null(json_object_get(absent, "joined")));
  const json_t *worker = json_array_get(json_object_get(document, "workers"), 0);
  assert_true(json_is_null(json_object_get(worker, "left")));
  assert_true(number_of(document, "efficiency") == 0);
  json_decref(document);
  ls_bytes_close(&text);
  ls_timeline_close(&timeline);
}

/* By pool at the end, and behind the changes of each moment. */
static void places_are_written_by_pool_and_by_moment(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_places places = {.end_s = 5};
  const struct ls_place_change changes[] = {{.time_s = 0, .kind = LS_PLACE_WANTED, .workers = 2},
                                            {.time_s = 0, .kind = LS_PLACE_PENDING, .workers = 2},
                                            {.time_s = 1, .kind = LS_PLACE_GRANTED, .workers = 2},
                                            {.time_s = 2, .kind = LS_PLACE_JOINED, .workers = 1}};
  struct ls_bytes text = {0};
  uint32_t pool;
  assert_int_equal(ls_places_pool(&places, "slurm", &pool, NULL), LS_OK);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    assert_int_equal(ls_places_add(&places, &changes[i], NULL), LS_OK);
  ls_timeline_init(&timeline);
  ls_timeline_write(&timeline, &(struct ls_timeline_extras){.places = &places}, &text);
  json_t *document = json_loads(ls_bytes_text(&text), 0, NULL);
  assert_non_null(document);
  const json_t *written = json_object_get(document, "places");
  const json_t *slurm = json_array_get(json_object_get(written, "pools"), 0);
  assert_string_equal(json_string_value(json_object_get(slurm, "name")), "slurm");
  assert_true(number_of(slurm, "granted") == 2 && number_of(slurm, "coming") == 1);
  const json_t *course = json_object_get(written, "course");
  assert_int_equal(json_array_size(course), 3);
  assert_true(number_of(json_array_get(course, 0), "pending") == 2);
  assert_true(number_of(json_array_get(course, 2), "working") == 1);
  json_decref(document);
  ls_bytes_close(&text);
  ls_places_close(&places);
  ls_timeline_close(&timeline);
}

/* What is not known is null. */
static void the_workers_of_iterations_are_written(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_sizing_row rows[] = {{.units = 9,
                                  .wanted = 4,
                                  .granted = 3,
                                  .present = 2.5,
                                  .seconds = 2,
                                  .efficiency = 0.5,
                                  .asp = 3,
                                  .ideal_from = 2,
                                  .ideal_to = 4},
                                 {.iteration = 1, .begin_s = 2}};
  const struct ls_sizing_course course = {.rows = rows, .count = 2};
  struct ls_bytes text = {0};
  ls_timeline_init(&timeline);
  ls_timeline_write(&timeline, &(struct ls_timeline_extras){.sizing = &course}, &text);
  json_t *document = json_loads(ls_bytes_text(&text), 0, NULL);
  assert_non_null(document);
  const json_t *written = json_object_get(document, "iterations");
  const json_t *first = json_array_get(written, 0), *second = json_array_get(written, 1);
  assert_int_equal(json_array_size(written), 2);
  assert_true(number_of(first, "wanted") == 4 && number_of(first, "granted") == 3);
  assert_true(number_of(first, "eer") == 4 && number_of(first, "asp") == 3);
  assert_int_equal(json_integer_value(json_array_get(json_object_get(first, "ideal"), 1)), 4);
  assert_true(number_of(second, "begin") == 2 && number_of(second, "iteration") == 1);
  assert_true(json_is_null(json_object_get(second, "eer")));
  assert_true(json_is_null(json_object_get(second, "ideal")));
  json_decref(document);
  ls_bytes_close(&text);
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_written),
      cmocka_unit_test(staging_is_written_where_some_is),
      cmocka_unit_test(spans_and_notes_come_only_when_asked_for),
      cmocka_unit_test(empty_timeline_is_good_json),
      cmocka_unit_test(places_are_written_by_pool_and_by_moment),
      cmocka_unit_test(the_workers_of_iterations_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
