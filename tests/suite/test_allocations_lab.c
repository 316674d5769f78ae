/* Whichever allocation fails, the evaluators of check say so and leave nothing behind. */
#include "lab/check/check.h"
#include "scarce_memory.h"

struct question {
  const struct ls_check_kind *kind;
  const char *arguments;
  double load;
  size_t workers;
};

static enum ls_status try_question(const void *context, struct ls_error *err) {
  const struct question *question = context;
  struct ls_check_record record = {
      .id = "record", .kind = question->kind->name, .algorithm = "", .load = question->load};
  long left = memory.left;
  memory_is_plenty();
  json_t *document = json_loads(question->arguments, 0, NULL), *got = NULL;
  record.arguments = ls_json_top(document, "record");
  record.has_platform = question->workers > 0;
  if (record.has_platform)
    assert_int_equal(ls_platform_init(&record.platform, question->workers, NULL), LS_OK);
  memory.left = left;
  enum ls_status status = question->kind->evaluate(&record, &got, err);
  memory_is_plenty();
  assert_true((status == LS_OK) == (got != NULL));
  json_decref(got);
  json_decref(document);
  ls_platform_close(&record.platform);
  return status;
}

static void evaluators_answer_or_say_so(void **state) {
  (void)state;
  static const struct question questions[] = {
      {&ls_check_kind_eer, "{\"task_work\": [3, 1, 2]}", 0, 0},
      {&ls_check_kind_monitor, "{\"seconds_per_task\": [1, 2]}", 20, 2},
      {&ls_check_kind_monitor,
       "{\"benchmark_tasks\": 1, \"seconds_per_task_by_phase\": [[1, 2], [2, 1]]}", 20, 2}};
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
    scarce_require(questions[i].kind->name, try_question, &questions[i]);
}

int main(void) {
  scarce_open();
  const struct CMUnitTest tests[] = {cmocka_unit_test(evaluators_answer_or_say_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
