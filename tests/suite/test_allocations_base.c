/* Whichever allocation fails, base, theory and solve say so and leave nothing behind. */
#include "base/arena.h"
#include "base/array.h"
#include "base/heap.h"
#include "base/json.h"
#include "base/parameter.h"
#include "base/random.h"
#include "scarce_model.h"
#include "solve/linear.h"
#include "theory/eer.h"
#include "theory/list_schedule.h"
#include "theory/load_pattern.h"
#include "theory/loss.h"
#include "theory/workload.h"

/* ---- base ---- */

static enum ls_status try_arena(const void *context, struct ls_error *err) {
  struct ls_arena arena = {0};
  enum ls_status status = LS_OK;
  unsigned char *block = ls_arena_take(&arena, 3), *items = NULL;
  for (size_t count = 1; block != NULL && count < 40; count += 7) {
    unsigned char *grown = ls_arena_array(&arena, items, count, sizeof *items);
    if (grown == NULL) block = NULL; /* what was there before still is */
    if (grown == NULL && items != NULL) items[0] = 1;
    if (grown != NULL) items = grown;
  }
  memory_is_plenty();
  (void)context;
  if (block == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for the arena");
  ls_arena_close(&arena);
  return status;
}

static enum ls_status try_array(const void *context, struct ls_error *err) {
  void *items = NULL;
  size_t capacity = 0;
  enum ls_status status = LS_OK;
  for (size_t needed = 1; status == LS_OK && needed < 50; needed += 10) {
    size_t before = capacity;
    status = ls_array_reserve(&items, &capacity, needed, sizeof(double));
    if (status == LS_OK) ((double *)items)[needed - 1] = 1;
    if (status != LS_OK) assert_int_equal(capacity, before);
  }
  memory_is_plenty();
  (void)context;
  free(items);
  return status == LS_OK ? status : ls_fail(err, status, "no memory for the array");
}

static enum ls_status try_heap(const void *context, struct ls_error *err) {
  struct ls_heap heap = {0};
  struct ls_heap_item item;
  enum ls_status status = LS_OK;
  size_t pushed = 0;
  for (; status == LS_OK && pushed < 60; pushed += status == LS_OK)
    status = ls_heap_push(&heap, (double)(60 - pushed), 0, pushed);
  memory_is_plenty();
  (void)context;
  for (size_t i = pushed; i-- > 0;) {
    assert_true(ls_heap_pop(&heap, &item));
    assert_int_equal(item.payload, i);
  }
  assert_false(ls_heap_pop(&heap, &item));
  ls_heap_close(&heap);
  return status == LS_OK ? status : ls_fail(err, status, "no memory for the heap");
}

static enum ls_status try_bytes(const void *context, struct ls_error *err) {
  struct ls_bytes bytes = {0};
  static const char *const expected =
      "a word, 00000000000000000000000000000000007 of 7.\"\\u0007\"";
  ls_bytes_append_text(&bytes, "a word");
  ls_bytes_append_char(&bytes, ',');
  ls_bytes_printf(&bytes, " %035d of %d", 7, 7);
  ls_bytes_append(&bytes, ".", 1);
  ls_json_write_string(&bytes, "\a");
  memory_is_plenty();
  (void)context;
  if (!bytes.failed) assert_string_equal(ls_bytes_text(&bytes), expected);
  if (bytes.failed) assert_memory_equal(ls_bytes_text(&bytes), expected, bytes.length);
  enum ls_status status = scarce_bytes(&bytes, err);
  ls_bytes_close(&bytes);
  return status;
}

static const char json_text[] =
    "{\"a\": [1, 2.5, true, null, \"text\", {\"b\": [[], {}]}], \"c\": -3, \"d\": \"\\u00e4\"}";

static enum ls_status try_json(const void *context, struct ls_error *err) {
  json_t *document;
  scarce_mark(&document, sizeof document);
  struct ls_text text = {json_text, sizeof json_text - 1, "scarce.json"};
  enum ls_status status = ls_json_parse(text, &document, err);
  memory_is_plenty();
  (void)context;
  if (status != LS_OK) {
    scarce_require_untouched("json", &document, sizeof document);
    return status;
  }
  struct ls_json top = ls_json_top(document, "scarce.json");
  struct ls_json a = ls_json_member(&top, "a"), item = ls_json_item(&a, 4);
  size_t count;
  const char *word;
  assert_int_equal(ls_json_array(&a, &count, NULL), LS_OK);
  assert_int_equal(count, 6);
  assert_int_equal(ls_json_string(&item, &word, NULL), LS_OK);
  assert_string_equal(word, "text");
  json_decref(document);
  return LS_OK;
}

static enum ls_status try_arguments(const void *context, struct ls_error *err) {
  static const char *const moods[] = {"good", "bad", NULL};
  static const struct ls_parameter parameters[] = {
      {.name = "units", .kind = LS_PARAMETER_WHOLE, .otherwise = 1, .least = 1, .most = 9},
      {.name = "order", .kind = LS_PARAMETER_LIST, .least = 0, .most = 9},
      {.name = "mood", .kind = LS_PARAMETER_CHOICE, .choices = moods},
      {.name = NULL},
  };
  double six = 6;
  const struct ls_argument_list last = {&six, 1};
  struct ls_arguments arguments;
  (void)context;
  ls_arguments_init(&arguments, parameters);
  enum ls_status status = ls_arguments_set(&arguments, parameters, "mood", "bad", err);
  if (status == LS_OK) status = ls_arguments_set(&arguments, parameters, "order", "[3, 1, 2]", err);
  if (status == LS_OK) status = ls_arguments_set(&arguments, parameters, "order", "[4, 5]", err);
  if (status == LS_OK) status = ls_arguments_set_list(&arguments, parameters, "order", &last, err);
  memory_is_plenty();
  const struct ls_argument_list *order = ls_arguments_list(&arguments, parameters, "order");
  /* Whichever failed, the list is that of the one before it. */
  static const double ends[] = {0, 6, 5, 2};
  assert_true(order->count <= 3 && (order->count == 1) == (status == LS_OK));
  if (order->count > 0)
    assert_memory_equal(&order->items[order->count - 1], &ends[order->count], sizeof *ends);
  ls_arguments_close(&arguments);
  return status;
}

static void base_survives(void **state) {
  (void)state;
  scarce_require("arena", try_arena, NULL);
  scarce_require("array", try_array, NULL);
  scarce_require("heap", try_heap, NULL);
  scarce_require("bytes", try_bytes, NULL);
  scarce_require("json", try_json, NULL);
  scarce_require("arguments", try_arguments, NULL);
}

/* ---- theory ---- */

static const double task_work[] = {5, 1, 4, 2, 3, 9};
enum { TASKS = 6 };

static enum ls_status try_list(const void *context, struct ls_error *err) {
  struct ls_list_setup setup = {
      .work = task_work, .tasks = TASKS, .workers = 2, .per_unit = (double[]){1, 2}};
  struct {
    struct ls_list_schedule schedule;
    uint32_t workers[TASKS];
    uint64_t list[TASKS];
  } out;
  (void)context;
  scarce_mark(&out, sizeof out);
  enum ls_status status = ls_list_sort(task_work, TASKS, out.list, err);
  if (status != LS_OK) scarce_require_untouched("list", &out, sizeof out);
  if (status == LS_OK) {
    setup.list = out.list;
    status = ls_list_schedule(&setup, &out.schedule, out.workers, err);
    if (status != LS_OK) scarce_require_untouched("schedule", &out.schedule, sizeof out.schedule);
  }
  memory_is_plenty();
  return status;
}

static enum ls_status try_eer(const void *context, struct ls_error *err) {
  struct ls_list_setup setup = {.work = task_work,
                                .tasks = TASKS,
                                .workers = 3,
                                .per_unit = (double[]){1, 2, 3},
                                .costs = (double[]){1, 1, 2}};
  struct ls_eer_point points[3];
  (void)context;
  enum ls_status status = ls_eer_curve(&setup, points, err);
  memory_is_plenty();
  return status;
}

static enum ls_status try_facts(const void *context, struct ls_error *err) {
  struct ls_task_facts facts;
  (void)context;
  scarce_mark(&facts, sizeof facts);
  enum ls_status status = ls_task_facts(task_work, TASKS, &facts, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("facts", &facts, sizeof facts);
  return status;
}

static enum ls_status try_pattern(const void *context, struct ls_error *err) {
  struct ls_random random;
  struct ls_load_course course;
  struct ls_load_pattern pattern = {LS_PATTERN_SEVEN, *(const size_t *)context, 100, 0.3, 2};
  ls_random_init(&random, 1, "pattern");
  scarce_mark(&course, sizeof course);
  enum ls_status status = ls_load_pattern_make(&pattern, 0, &random, &course, err);
  memory_is_plenty();
  if (status == LS_OK)
    free(course.pieces);
  else
    scarce_require_untouched("pattern", &course, sizeof course);
  return status;
}

static enum ls_status try_loss(const void *context, struct ls_error *err) {
  static const struct ls_lost_worker lost = {1, 2.5};
  struct ls_loss_setup setup = {task_work, TASKS, 3, 2, &lost, 1, true};
  struct ls_loss_cycle cycle;
  (void)context;
  scarce_mark(&cycle, sizeof cycle);
  enum ls_status status = ls_loss_play(&setup, &cycle, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("loss", &cycle, sizeof cycle);
  return status;
}

static const struct ls_loss_study study = {task_work, TASKS, 2, 1, 1, 2, false};

static enum ls_status try_worsening(const void *context, struct ls_error *err) {
  struct ls_worsening worsening;
  const bool *is_spared = context;
  scarce_mark(&worsening, sizeof worsening);
  enum ls_status status = *is_spared ? ls_loss_spared(&study, &worsening, err)
                                     : ls_loss_expect(&study, &worsening, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("worsening", &worsening, sizeof worsening);
  return status;
}

static enum ls_status try_choose(const void *context, struct ls_error *err) {
  size_t replicas;
  (void)context;
  scarce_mark(&replicas, sizeof replicas);
  enum ls_status status = ls_loss_choose(&study, 0.1, 0.5, &replicas, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("choose", &replicas, sizeof replicas);
  return status;
}

static enum ls_status try_workload(const void *context, struct ls_error *err) {
  struct ls_workload workload = {10, 60, true, true, 100};
  double work[10];
  (void)context;
  return ls_workload_make(&workload, work, err);
}

static enum ls_status try_crew(const void *context, struct ls_error *err) {
  struct ls_eer_crew crew;
  scarce_mark(&crew, sizeof crew);
  enum ls_status status = ls_eer_crew_of(context, &crew, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("crew", &crew, sizeof crew);
  return status;
}

static void theories_survive(void **state) {
  struct ls_timeline timeline;
  (void)state;
  scarce_require("list", try_list, NULL);
  scarce_require("eer", try_eer, NULL);
  scarce_require("facts", try_facts, NULL);
  for (size_t i = 0; i < LS_PATTERNS; i++) scarce_require("pattern", try_pattern, &i);
  scarce_require("loss", try_loss, NULL);
  scarce_require("worsening", try_worsening, &(bool){false});
  scarce_require("spared", try_worsening, &(bool){true});
  scarce_require("choose", try_choose, NULL);
  scarce_require_none("workload", try_workload, NULL);
  scarce_build_timeline(&timeline, false);
  scarce_require("crew", try_crew, &timeline);
  ls_timeline_close(&timeline);
}

/* ---- solve ---- */

static enum ls_status try_linear(const void *context, struct ls_error *err) {
  const bool *is_integer = context;
  struct ls_linear program;
  struct ls_linear_solution solution;
  ls_linear_init(&program, true);
  for (size_t i = 0; i < 12; i++) {
    size_t column = ls_linear_column(&program, 1 + (double)i);
    ls_linear_bound(&program, column, 0, 3);
    if (*is_integer && i > 1) ls_linear_integer(&program, column);
    ls_linear_row(&program, i % 3 == 0 ? LS_AT_LEAST : LS_AT_MOST, i % 3 == 0 ? 0.25 : 5.5);
    for (size_t j = 0; j <= column; j++) ls_linear_entry(&program, j, i % 3 == 0 ? 0.5 : 1);
  }
  scarce_mark(&solution, sizeof solution);
  enum ls_status status = ls_linear_solve(&program, 0, &solution, err);
  memory_is_plenty();
  if (status == LS_OK)
    ls_linear_solution_close(&solution);
  else
    scarce_require_untouched("linear", &solution, sizeof solution);
  ls_linear_close(&program);
  return status;
}

static void programs_survive(void **state) {
  (void)state;
  scarce_require("linear", try_linear, &(bool){false});
  scarce_require("integer", try_linear, &(bool){true});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(base_survives),
      cmocka_unit_test(theories_survive),
      cmocka_unit_test(programs_survive),
  };
  scarce_open();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
