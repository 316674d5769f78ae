/* test_bundler.c: the words of commands that take several inputs; what GNU parallel 20221122 makes
 * of the same command and inputs is in the comments' place: the expected words are its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cli/run/bundler.h"

struct example {
  enum ls_many many;
  size_t group, sources;
  const char *words[4];
  const char *values[7]; /* input by input */
  const char *expected;  /* words joined by "|" */
};

static void join(const char *const *words, size_t count, struct ls_bytes *out) {
  ls_bytes_clear(out);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ls_bytes_append_char(out, '|');
    ls_bytes_append_text(out, words[i]);
  }
}

static void check(const struct example *example, bool is_shell) {
  size_t words = 0, values = 0, count = 0;
  while (words < 4 && example->words[words] != NULL) words++;
  while (values < 7 && example->values[values] != NULL) values++;
  size_t sources = example->sources, inputs = values / sources;
  struct ls_template compiled;
  struct ls_bundler bundler = {.compiled = &compiled};
  struct ls_bytes packed = {0}, text = {0};
  struct ls_error err = {0};
  const struct ls_command_line command = {example->words, words, is_shell, NULL};
  size_t most = example->group > sources ? example->group : sources;
  const char *const *made = NULL;
  if (ls_template_init(&compiled, &command, &(struct ls_grammar){.sources_count = most}, &err) !=
          LS_OK ||
      ls_template_take_many(&compiled, example->many, example->group, sources, &err) != LS_OK)
    fail_msg("%s", err.text);
  struct ls_template_task task = {
      .values = example->values, .values_count = values, .sequence = 7, .slot = 3};
  assert_int_equal(ls_bundler_begin(&bundler, &task, inputs, &packed, NULL), LS_OK);
  task.values_count = sources;
  for (size_t i = 0; i < inputs; i++, task.values += sources, task.sequence++)
    assert_int_equal(ls_bundler_add(&bundler, &task, &packed, NULL), LS_OK);
  if (ls_bundler_read(&bundler, &packed, &made, &count, &err) != LS_OK) fail_msg("%s", err.text);
  join(made, count, &text);
  assert_string_equal(ls_bytes_text(&text), example->expected);
  ls_bundler_close(&bundler);
  ls_bytes_close(&packed);
  ls_bytes_close(&text);
  ls_template_close(&compiled);
}

#define X LS_MANY_REPEATED
#define M LS_MANY_JOINED

static void words_are_those_of_gnu_parallel(void **state) {
  (void)state;
  static const struct example examples[] = {
      {X, 0, 1, {"e", "pict{}.jpg"}, {"A", "B", "C"}, "e|pictA.jpg|pictB.jpg|pictC.jpg"},
      {M, 0, 1, {"e", "p{}s"}, {"A", "B", "C"}, "e|pA|B|Cs"},
      {M, 0, 1, {"e", "a{}b{}c"}, {"A", "B", "C"}, "e|aA|B|CbA|B|Cc"},
      {X, 0, 1, {"e", "a{}b{}c"}, {"A", "B"}, "e|aAbAc|aBbBc"},
      {X, 0, 1, {"e", "x{#}", "{}"}, {"A", "B", "C"}, "e|x7|A|B|C"},
      {X, 0, 1, {"e", "x{#}y{}", "{.}"}, {"A.a", "B.b"}, "e|x7yA.a|x7yB.b|A|B"},
      {X, 0, 1, {"e", "{}", "{}"}, {"A", "B"}, "e|A|B|A|B"},
      {X, 0, 1, {"e"}, {"A", "B"}, "e|A|B"},
      {X, 0, 1, {"e", "{%}"}, {"A", "B"}, "e|3"},
      {X, 2, 1, {"e", "{1}", "{2}"}, {"A", "B"}, "e|A|B"},
      {X, 2, 1, {"e", "{1}", "{2}"}, {"C"}, "e|C|"},
      {X, 2, 1, {"e", "{}", "x"}, {"A", "B"}, "e|A|B|x"},
      {M, 2, 1, {"e", "p{}s"}, {"A", "B"}, "e|pA|Bs"},
      {X, 2, 1, {"e", "p{}s"}, {"A", "B"}, "e|pAs|pBs"},
      {X, 2, 1, {"e", "p{}s"}, {"C"}, "e|pCs"},
      {X, 2, 1, {"e", "{#}"}, {"A", "B"}, "e|7"},
      {X, 0, 2, {"e", "{}"}, {"A", "1", "A", "2"}, "e|A|1|A|2"},
      {X, 0, 2, {"e", "{1}-{2}"}, {"A", "1", "B", "2"}, "e|A-1|B-2"},
      {X, 0, 2, {"e", "p{}s"}, {"A", "1", "B", "2"}, "e|pA 1s|pB 2s"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i], false);
}

/* A script is cut at its spaces only, and all of them are there again. */
static void scripts_repeat_what_stands_between_spaces(void **state) {
  (void)state;
  static const struct example examples[] = {
      {X,
       0,
       1,
       {"e  pict{}.jpg |\twc -c"},
       {"A", "b c"},
       "/bin/sh|-c|e  pictA.jpg pict'b c'.jpg |\twc -c"},
      {M, 0, 1, {"e", "p{}s", "; x"}, {"A", "B"}, "/bin/sh|-c|e pA Bs ; x"},
      {X, 0, 1, {"e"}, {"A", "b;c"}, "/bin/sh|-c|e A 'b;c'"},
      {X, 2, 1, {"e {2} {1}"}, {"A"}, "/bin/sh|-c|e  A"},
      {X, 2, 1, {"e {2} {1}"}, {"a b", "c"}, "/bin/sh|-c|e c 'a b'"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i], true);
}

static void numbers_that_mean_two_things_are_refused(void **state) {
  (void)state;
  static const char *const words[] = {"e", "{1}"};
  struct ls_template compiled;
  struct ls_error err = {0};
  const struct ls_command_line command = {words, 2, false, NULL}, none = {words, 0, false, NULL};
  assert_int_equal(
      ls_template_init(&compiled, &command, &(struct ls_grammar){.sources_count = 3}, NULL), LS_OK);
  assert_int_equal(ls_template_take_many(&compiled, X, 3, 2, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "{1} could be the source or the input"));
  assert_int_equal(ls_template_take_many(&compiled, X, 0, 2, NULL), LS_OK);
  ls_template_close(&compiled);
  assert_int_equal(
      ls_template_init(&compiled, &none, &(struct ls_grammar){.sources_count = 1}, NULL), LS_OK);
  assert_int_equal(ls_template_take_many(&compiled, X, 0, 1, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "there is no command"));
  ls_template_close(&compiled);
}

static void a_command_that_takes_none_has_no_input(void **state) {
  (void)state;
  static const char *const words[] = {"e", "x{}y{#}"};
  static const char *const values[] = {"A"};
  for (size_t count = 1; count <= 2; count++) {
    struct ls_template compiled;
    struct ls_expansion out = {0};
    struct ls_bytes text = {0};
    const struct ls_command_line command = {words, count, false, NULL};
    const struct ls_template_task task = {.values = values, .sequence = 7, .slot = 1};
    assert_int_equal(
        ls_template_init(&compiled, &command, &(struct ls_grammar){.sources_count = 1}, NULL),
        LS_OK);
    ls_template_take_none(&compiled);
    assert_int_equal(ls_template_expand(&compiled, &task, &out, NULL), LS_OK);
    join(out.words, out.words_count, &text);
    assert_string_equal(ls_bytes_text(&text), count == 1 ? "e" : "e|xy7");
    ls_bytes_close(&text);
    ls_expansion_close(&out);
    ls_template_close(&compiled);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_those_of_gnu_parallel),
      cmocka_unit_test(scripts_repeat_what_stands_between_spaces),
      cmocka_unit_test(numbers_that_mean_two_things_are_refused),
      cmocka_unit_test(a_command_that_takes_none_has_no_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
