#include "check_fixture.h"
#include "lab/check/check_tasks.h"

static enum ls_status read_tasks(const char *arguments, struct ls_check_tasks *tasks,
                                 struct ls_error *err) {
  json_t *document = read_quoted(arguments);
  struct ls_check_record record = {.id = "record", .arguments = ls_json_top(document, "record")};
  enum ls_status status = ls_check_tasks_read(&record, tasks, err);
  json_decref(document);
  return status;
}

static void tasks_are_listed_or_made(void **state) {
  struct ls_check_tasks tasks;
  (void)state;
  assert_int_equal(read_tasks("{'task_work': [3, 1]}", &tasks, NULL), LS_OK);
  assert_int_equal(tasks.count, 2);
  assert_float_equal((float)tasks.work[0], 3, 0);
  ls_check_tasks_close(&tasks);
  assert_int_equal(read_tasks("{'workload': {'tasks': 10, 'share_percent': 50, 'large_differ': "
                              "false, 'small_differ': false}}",
                              &tasks, NULL),
                   LS_OK);
  assert_int_equal(tasks.count, 10);
  assert_float_equal((float)tasks.work[0], 25, 1e-4f);
  ls_check_tasks_close(&tasks);
}

static void what_is_malformed_is_refused_by_name(void **state) {
  const struct {
    const char *arguments, *words;
  } cases[] = {{"{}", "expected one of"},
               {"{'task_work': 3}", "task_work"},
               {"{'task_work': [null]}", "task_work"},
               {"{'workload': {'tasks': 5}}", "share_percent"},
               {"{'workload': {'size': 5}}", "size"}};
  struct ls_check_tasks tasks;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_error err = {0};
    assert_int_equal(read_tasks(cases[i].arguments, &tasks, &err), LS_EINVAL);
    if (strstr(err.text, cases[i].words) == NULL)
      fail_msg("'%s' lacks '%s'", err.text, cases[i].words);
  }
}

static void absent_whole_numbers_have_their_default(void **state) {
  json_t *document = read_quoted("{'seed': 7, 'share': 0.5}");
  struct ls_check_record record = {.id = "record", .arguments = ls_json_top(document, "record")};
  struct ls_error err = {0};
  uint64_t number = 0;
  (void)state;
  assert_int_equal(ls_check_whole(&record, "seed", 1, &number, NULL), LS_OK);
  assert_int_equal(number, 7);
  assert_int_equal(ls_check_whole(&record, "extra", 3, &number, NULL), LS_OK);
  assert_int_equal(number, 3);
  assert_int_equal(ls_check_whole(&record, "share", 3, &number, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "share"));
  json_decref(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_are_listed_or_made),
      cmocka_unit_test(what_is_malformed_is_refused_by_name),
      cmocka_unit_test(absent_whole_numbers_have_their_default),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
