/* A line that repeats another run than that which failed is worse than none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/repeat.h"

enum { WORDS_MAX = 16 };

static struct ls_run_options options;
static struct ls_repeat repeat;
static struct ls_bytes line;

static int close_all(void **state) {
  (void)state;
  ls_run_options_close(&options);
  ls_repeat_close(&repeat);
  ls_bytes_close(&line);
  return 0;
}

/* The options of this command line, NULL at its end. */
static void read_line(char **words) {
  int count = 0;
  while (words[count] != NULL) count++;
  assert_int_equal(ls_run_options_read(&options, count, words, NULL, LS_RUN_ALL_NAMES), -1);
}

#define READ(...) read_line((char *[]){(char *)"loadstar run", __VA_ARGS__, NULL})
#define W(text)   (char *)(text)

static void note(uint64_t task, const char *one, const char *other) {
  const char *inputs[] = {one, other};
  ls_repeat_note(&repeat, task, inputs, other != NULL ? 2 : 1);
}

static const char *say(size_t sources) {
  ls_bytes_clear(&line);
  if (!ls_repeat_write(&repeat, "loadstar run", &options, sources, &line)) return NULL;
  return ls_bytes_text(&line);
}

static void all_options_stay_and_tasks_are_sorted(void **state) {
  (void)state;
  READ(W("-j1"), W("--timeout"), W("5"), W("--retries=2"), W("--workdir"), W("/tmp/a b"),
       W("--shell=/bin/sh"), W("-v"), W("-a"), W("list"), W("--"), W("./a b"), W("{}"));
  note(7, "h", NULL);
  note(2, "it's c", NULL);
  assert_string_equal(say(1),
                      "loadstar run --workers=1 --timeout=5 --retries=2 --workdir='/tmp/a b' "
                      "--shell=/bin/sh --verbose -- './a b' '{}' ::: 'it'\\''s c' h");
}

static void command_lines_are_inputs(void **state) {
  (void)state;
  READ(W("--shell=/bin/sh"), W(":::"), W("exit 3"), W("true"));
  note(0, "exit 3", NULL);
  assert_string_equal(say(1), "loadstar run --shell=/bin/sh ::: 'exit 3'");
}

/* Not all combinations of what failed have failed. */
static void inputs_of_several_sources_are_linked(void **state) {
  (void)state;
  READ(W("--arg-sep"), W(",,"), W("--"), W("echo"), W(",,"), W("a"), W("b"), W(",,"), W("1"),
       W("2"));
  note(3, "b", "2");
  note(0, "a", "1");
  assert_string_equal(say(2), "loadstar run --arg-sep=,, -- echo ,, a b ,,+ 1 2");
  assert_null(say(3));
}

static void groups_of_inputs_stay_groups(void **state) {
  (void)state;
  READ(W("-N2"), W("--"), W("echo"), W(":::"), W("a"));
  note(2, "e", NULL);
  note(0, "a", "b");
  assert_string_equal(say(1), "loadstar run --max-replace-args=2 -- echo ::: a b e");
}

/* Their numbers, names or times would be those of others. */
static void tasks_that_others_make_are_not_repeated_by_a_line(void **state) {
  static char *const lines[][WORDS_MAX] = {
      {W("loadstar run"), W("--"), W("echo"), W("{#}"), W(":::"), W("a"), NULL},
      {W("loadstar run"), W("--tagstring"), W("{0#}"), W("--"), W("echo"), W(":::"), W("a"), NULL},
      {W("loadstar run"), W("--seqreplace"), W("@"), W("--"), W("echo"), W("@"), W(":::"), W("a"),
       NULL},
      {W("loadstar run"), W("--header"), W(":"), W("--"), W("echo"), W(":::"), W("a"), NULL},
      {W("loadstar run"), W("--times"), W("file"), W("--"), W("echo"), W(":::"), W("a"), NULL},
      {W("loadstar run"), W("--"), W("echo"), W(":::"), W("a"), NULL}};
  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    bool is_last = i + 1 == sizeof lines / sizeof *lines;
    read_line((char **)lines[i]);
    note(0, "a", NULL);
    assert_int_equal(say(1) != NULL, is_last);
    close_all(NULL);
  }
}

static void an_input_that_looks_like_a_mark_is_none(void **state) {
  (void)state;
  READ(W("--"), W("echo"));
  note(0, ":::", NULL);
  assert_null(say(1));
}

static void what_is_too_long_is_not_said(void **state) {
  static char much[LS_REPEAT_BYTES_MOST];
  (void)state;
  READ(W("--"), W("echo"));
  memset(much, 'x', sizeof much - 1);
  note(0, much, NULL);
  assert_null(say(1)); /* with the command */
  for (uint64_t i = 1; i < 100000; i++) note(i, "y", NULL);
  assert_true(repeat.is_incomplete);
  assert_true(repeat.inputs.length <= LS_REPEAT_BYTES_MOST);
  assert_null(say(1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(all_options_stay_and_tasks_are_sorted, close_all),
      cmocka_unit_test_teardown(command_lines_are_inputs, close_all),
      cmocka_unit_test_teardown(inputs_of_several_sources_are_linked, close_all),
      cmocka_unit_test_teardown(groups_of_inputs_stay_groups, close_all),
      cmocka_unit_test_teardown(tasks_that_others_make_are_not_repeated_by_a_line, close_all),
      cmocka_unit_test_teardown(an_input_that_looks_like_a_mark_is_none, close_all),
      cmocka_unit_test_teardown(what_is_too_long_is_not_said, close_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
