/* The inputs of a task, from the sources that tasks are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/report_inputs.h"

/* Sources of one letter each: "ab" is two values. A '+' before them: linked to the one before. */
static void make_inputs(struct ls_report_inputs *inputs, const char *const *letters, size_t count) {
  *inputs =
      (struct ls_report_inputs){.sources = calloc(count, sizeof *inputs->sources), .count = count};
  for (size_t i = 0; i < count; i++) {
    struct ls_report_input_source *source = &inputs->sources[i];
    const char *letter = letters[i];
    source->is_linked = *letter == '+';
    if (source->is_linked) letter++;
    source->begins = calloc(strlen(letter) + 1, sizeof *source->begins);
    for (; *letter != '\0'; letter++) {
      source->begins[source->count++] = source->text.length;
      ls_bytes_append(&source->text, letter, 1);
      ls_bytes_append_char(&source->text, '\0');
    }
  }
}

static void expect_tasks(const char *const *letters, size_t count, const char *const *tasks) {
  struct ls_report_inputs inputs;
  make_inputs(&inputs, letters, count);
  uint64_t task = 1;
  for (;; task++) {
    struct ls_bytes out = {0};
    ls_report_inputs_write(&inputs, task, &out);
    const char *expected = tasks[task - 1] != NULL ? tasks[task - 1] : "";
    if (strcmp(ls_bytes_text(&out), expected) != 0)
      fail_msg("task %d: '%s', expected '%s'", (int)task, ls_bytes_text(&out), expected);
    ls_bytes_close(&out);
    if (tasks[task - 1] == NULL) break;
  }
  ls_report_inputs_close(&inputs);
  assert_null(inputs.sources);
}

static void the_last_source_changes_fastest(void **state) {
  (void)state;
  expect_tasks((const char *const[]){"abc"}, 1, (const char *const[]){"a", "b", "c", NULL});
  expect_tasks((const char *const[]){"ab", "xyz"}, 2,
               (const char *const[]){"a x", "a y", "a z", "b x", "b y", "b z", NULL});
}

/* A shorter one begins anew. */
static void what_is_linked_goes_along(void **state) {
  (void)state;
  expect_tasks((const char *const[]){"abc", "+xy"}, 2,
               (const char *const[]){"a x", "b y", "c x", NULL});
  expect_tasks((const char *const[]){"ab", "xy", "+pq"}, 3,
               (const char *const[]){"a x p", "a y q", "b x p", "b y q", NULL});
}

static void without_sources_nothing_is_said(void **state) {
  (void)state;
  struct ls_report_inputs none = {0};
  struct ls_bytes out = {0};
  ls_report_inputs_write(&none, 1, &out);
  assert_int_equal(out.length, 0);
  ls_report_inputs_close(&none);
  expect_tasks((const char *const[]){"ab", ""}, 2, (const char *const[]){NULL});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_source_changes_fastest),
      cmocka_unit_test(what_is_linked_goes_along),
      cmocka_unit_test(without_sources_nothing_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
