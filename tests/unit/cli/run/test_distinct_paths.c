/* test_distinct_paths.c: two tasks that make one file are named with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/run/distinct_paths.h"

/* Two a task. */
struct table {
  const char *const *names;
};

static enum ls_status read_name(void *context, uint64_t task, size_t index, struct ls_bytes *path,
                                struct ls_error *err) {
  const struct table *table = context;
  const char *name = table->names[2 * task + index];
  if (name == NULL) return ls_fail(err, LS_EINVAL, "task %d has none", (int)task);
  ls_bytes_append_text(path, name);
  return LS_OK;
}

static void equal_paths_are_found_however_they_are_written(void **state) {
  static const struct {
    const char *names[6];
    enum ls_status expected;
    const char *words;
  } cases[] = {
      {{"a", "b", "c", "d", "e", "f"}, LS_OK, ""},
      {{"a", "b", "a/b", "/a", "../a", "b/a"}, LS_OK, ""},
      {{"a", "b", "c", "a", "e", "f"}, LS_EINVAL, "--x: tasks 1 and 2 both make 'a', expected a"},
      {{"a", "b", "c", "d", "e", ".//a/"}, LS_EINVAL, "--x: tasks 1 and 3 both make 'a'"},
      {{"a", "a", "c", "d", "e", "f"}, LS_EINVAL, "--x: tasks 1 and 1 both make 'a'"},
      {{"a", "b", "./", "d", "e", "f"}, LS_EINVAL, "--x of task 2 is no name of a file"},
      {{"a", "b", "c", NULL, "e", "f"}, LS_EINVAL, "task 1 has none"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_error err = {0};
    struct table table = {cases[i].names};
    const struct ls_distinct_paths paths = {
        .option = "--x", .tasks = 3, .per_task = 2, .read = read_name, .context = &table};
    assert_int_equal(ls_distinct_paths_check(&paths, &err), cases[i].expected);
    assert_memory_equal(err.text, cases[i].words, strlen(cases[i].words));
  }
}

static void no_tasks_make_no_files(void **state) {
  (void)state;
  const struct ls_distinct_paths none = {.option = "--x", .read = read_name};
  assert_int_equal(ls_distinct_paths_check(&none, NULL), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_paths_are_found_however_they_are_written),
      cmocka_unit_test(no_tasks_make_no_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
