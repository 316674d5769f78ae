#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cli/run/template.h"

struct example {
  const char *words[4]; /* of the template */
  const char *values[3];
  const char *expected; /* words joined by "|" */
};

static void check_with(const struct example *example, bool is_shell,
                       const struct ls_grammar *given) {
  size_t words = 0, values = 0;
  while (words < 4 && example->words[words] != NULL) words++;
  while (values < 3 && example->values[values] != NULL) values++;
  struct ls_template compiled;
  struct ls_grammar grammar = *given;
  grammar.sources_count = values;
  const struct ls_command_line command = {example->words, words, is_shell, NULL};
  assert_int_equal(ls_template_init(&compiled, &command, &grammar, NULL), LS_OK);
  struct ls_expansion out = {0};
  struct ls_template_task task = {
      .values = example->values, .sequence = 7, .slot = 3, .tasks = 120, .slots = 10};
  /* Twice, since the storage is used again. */
  for (int again = 0; again < 2; again++) {
    assert_int_equal(ls_template_expand(&compiled, &task, &out, NULL), LS_OK);
    char text[512] = "";
    for (size_t i = 0; i < out.words_count; i++) {
      if (i > 0) strcat(text, "|");
      strcat(text, out.words[i]);
    }
    assert_string_equal(text, example->expected);
  }
  ls_expansion_close(&out);
  ls_template_close(&compiled);
}

static void check(const struct example *example, bool is_shell) {
  check_with(example, is_shell, &(struct ls_grammar){0});
}

static void replacement_strings_are_those_of_gnu_parallel(void **state) {
  (void)state;
  static const struct example examples[] = {{{"e", "{}"}, {"d/a.tar.gz"}, "e|d/a.tar.gz"},
                                            {{"e", "{.}"}, {"d/a.tar.gz"}, "e|d/a.tar"},
                                            {{"e", "{/}"}, {"d/a.tar.gz"}, "e|a.tar.gz"},
                                            {{"e", "{//}"}, {"d/a.tar.gz"}, "e|d"},
                                            {{"e", "{/.}"}, {"d/a.tar.gz"}, "e|a.tar"},
                                            {{"e", "{#}", "{%}"}, {"v"}, "e|7|3"},
                                            {{"e", "{.}"}, {"d.x/a"}, "e|d.x/a"},
                                            {{"e", "{.}"}, {"a."}, "e|a"},
                                            {{"e", "{/}"}, {"d/"}, "e|"},
                                            {{"e", "{//}"}, {"a"}, "e|."},
                                            {{"e", "{//}"}, {"/a"}, "e|/"},
                                            {{"e", "{//}"}, {"/"}, "e|/"},
                                            {{"e", "{//}"}, {"a/b/"}, "e|a"},
                                            {{"e", "{//}"}, {"a//b"}, "e|a"},
                                            {{"e", "{//}"}, {""}, "e|."},
                                            {{"{}", "x"}, {"prog"}, "prog|x"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i], false);
}

static void they_stand_anywhere_in_a_word(void **state) {
  (void)state;
  static const struct example examples[] = {{{"e", "a{}b{#}c"}, {"v"}, "e|avb7c"},
                                            {{"e", "{}{}"}, {"v w"}, "e|v wv w"},
                                            {{"e", "{.}.png"}, {"a.jpg"}, "e|a.png"},
                                            {{"e", "{{}}"}, {"v"}, "e|{v}"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i], false);
}

static void without_any_the_values_are_appended(void **state) {
  (void)state;
  static const struct example examples[] = {{{"e"}, {"v w"}, "e|v w"},
                                            {{"e", ""}, {"v"}, "e||v"},
                                            {{"e"}, {"1", "2"}, "e|1|2"},
                                            {{"e", "{#}"}, {"v"}, "e|7"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i], false);
}

static void sources_are_named_by_number(void **state) {
  (void)state;
  static const struct example examples[] = {
      {{"e", "{2}", "{1}"}, {"a", "b"}, "e|b|a"},
      {{"e", "{2.}{1/}"}, {"d/a", "b.c"}, "e|ba"},
      {{"e", "{1//}", "{2/.}"}, {"d/a", "x/b.c"}, "e|d|b"},
      /* {} of several sources: words of their own, or in one word with spaces between. */
      {{"e", "{}"}, {"a", "b c"}, "e|a|b c"},
      {{"e", "x{}"}, {"a", "b"}, "e|xa b"},
      {{"e", "{/}"}, {"d/a", "d/b"}, "e|a|b"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i], false);
}

static void other_braces_are_literal(void **state) {
  (void)state;
  static const struct example examples[] = {{{"e", "{print $1}"}, {"v"}, "e|{print $1}|v"},
                                            {{"e", "{", "}"}, {"v"}, "e|{|}|v"},
                                            {{"e", "{0}{01}{x}"}, {"v"}, "e|{0}{01}{x}|v"},
                                            {{"e", "{1#}{1%}"}, {"v"}, "e|{1#}{1%}|v"},
                                            {{"e", "{1..9}"}, {"v"}, "e|{1..9}|v"},
                                            {{"e", "{-}{2,3}"}, {"v"}, "e|{-}{2,3}|v"},
                                            {{"e", "{=x"}, {"v"}, "e|{=x|v"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i], false);
}

static void the_shell_gets_one_text_with_quoted_values(void **state) {
  (void)state;
  static const struct example examples[] = {
      {{"cat {} | wc"}, {"a b"}, "/bin/sh|-c|cat 'a b' | wc"},
      {{"echo", "{}", ">x"}, {"$HOME"}, "/bin/sh|-c|echo '$HOME' >x"},
      {{"echo"}, {"it's"}, "/bin/sh|-c|echo 'it'\\''s'"},
      {{"{}"}, {"a b"}, "/bin/sh|-c|'a b'"},
      {{"echo {}"}, {"a", "b c"}, "/bin/sh|-c|echo a 'b c'"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i], true);
}

static void without_a_command_values_are_command_lines(void **state) {
  (void)state;
  static const struct example examples[] = {
      {{NULL}, {"echo $HOME | cat"}, "/bin/sh|-c|echo $HOME | cat"},
      {{NULL}, {""}, "/bin/sh|-c|"},
      {{NULL}, {"echo", "{}"}, "/bin/sh|-c|echo {}"}};
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) check(&examples[i], false);
}

static void a_source_that_does_not_exist_is_refused(void **state) {
  (void)state;
  static const char *const words[] = {"e", "a{3}"}, *const huge[] = {"{99999999999999999999}"};
  const struct ls_command_line unknown = {words, 2, false, NULL}, literal = {huge, 1, false, NULL};
  const struct ls_grammar two = {.sources_count = 2};
  struct ls_template compiled;
  struct ls_error err = {0};
  assert_int_equal(ls_template_init(&compiled, &unknown, &two, &err), LS_EINVAL);
  assert_string_equal(err.text, "{3} in '{3}': there are 2 input sources");
  assert_int_equal(ls_template_init(&compiled, &literal, &two, NULL), LS_EINVAL);
}

static void columns_may_be_lacking_and_are_counted_from_both_ends(void **state) {
  (void)state;
  static const char *const words[] = {"{1}", "{4}", "{-1}", "{x}", "{y.}"};
  static const char *const values[] = {"a", "b", "c.d"};
  static const size_t begins[] = {0, 2, 3};
  static const struct ls_value_name names[] = {{.text = "x", .place = {.source = 1, .column = 3}},
                                               {.text = "y", .place = {.source = 2, .column = 1}}};
  const struct ls_command_line command = {words, 5, false, NULL};
  const struct ls_grammar grammar = {
      .sources_count = 2, .has_columns = true, .names = names, .names_count = 2};
  struct ls_template compiled;
  assert_int_equal(ls_template_init(&compiled, &command, &grammar, NULL), LS_OK);
  struct ls_template_task task = {.values = values, .values_count = 3, .begins = begins};
  struct ls_expansion out = {0};
  assert_int_equal(ls_template_expand(&compiled, &task, &out, NULL), LS_OK);
  static const char *const expected[] = {"a", "", "c.d", "", "c"};
  for (size_t i = 0; i < 5; i++) assert_string_equal(out.words[i], expected[i]);
  ls_expansion_close(&out);
  ls_template_close(&compiled);
}

static void numbers_are_padded_to_the_longest(void **state) {
  (void)state;
  const struct ls_grammar plus = {.has_plus = true};
  check_with(&(struct example){{"{0#}", "{0%}", "{##}"}, {"v"}, "007|03|120"}, false, &plus);
}

static void the_shell_is_the_one_that_is_given(void **state) {
  (void)state;
  static const char *const words[] = {"f"}, *const values[] = {"a b"};
  const struct ls_shell_words busybox = ls_shell_words_of("/bin/busybox");
  const struct ls_command_line command = {words, 1, true, &busybox};
  const struct ls_grammar grammar = {.sources_count = 1};
  struct ls_template compiled;
  struct ls_expansion out = {0};
  assert_int_equal(ls_template_init(&compiled, &command, &grammar, NULL), LS_OK);
  struct ls_template_task task = {.values = values, .sequence = 1, .slot = 1};
  assert_int_equal(ls_template_expand(&compiled, &task, &out, NULL), LS_OK);
  assert_int_equal(out.words_count, 4);
  assert_string_equal(out.words[1], "sh");
  assert_string_equal(out.words[3], "f 'a b'");
  ls_expansion_close(&out);
  ls_template_close(&compiled);
}

static void without_sources_nothing_is_appended(void **state) {
  (void)state;
  check(&(struct example){{"e", "x"}, {NULL}, "e|x"}, false);
  check(&(struct example){{"e", "x"}, {NULL}, "/bin/sh|-c|e x"}, true);
}

/* The shell joins the words anyway; without one each is a word of its own. */
static void for_the_shell_a_string_may_stand_in_several_words(void **state) {
  (void)state;
  check(&(struct example){{"e", "{=", "s/a/b c/", "=}"}, {"xa"}, "/bin/sh|-c|e 'xb c'"}, true);
  check(&(struct example){{"e", "", "a b{}"}, {"v"}, "/bin/sh|-c|e  a bv"}, true);
  const char *words[] = {"e", "{=", "$_++", "=}"};
  struct ls_command_line command = {words, 4, true, NULL};
  const struct ls_grammar grammar = {.sources_count = 1};
  struct ls_template compiled = {0};
  assert_int_equal(ls_template_init(&compiled, &command, &grammar, NULL), LS_EINVAL);
  /* Words that stay words have no such string, and nothing is taken silently. */
  struct ls_error err;
  words[2] = "s/a/b/";
  command.is_shell = false;
  assert_int_equal(ls_template_init(&compiled, &command, &grammar, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "'{=' begins a replacement string that ends in the word '=}'"));
}

/* Inputs, also where they are chosen; numbers are none. */
static void what_takes_values_is_known(void **state) {
  static const enum ls_replacement takes[] = {LS_REPLACE_VALUE, LS_REPLACE_CHOICE,
                                              LS_REPLACE_UNLIKE},
                                   others[] = {LS_REPLACE_SEQUENCE, LS_REPLACE_SLOT,
                                               LS_REPLACE_TASKS, LS_REPLACE_SLOT_PADDED};
  (void)state;
  for (size_t i = 0; i < sizeof takes / sizeof *takes; i++)
    assert_true(ls_segment_takes_values(&(struct ls_segment){.kind = takes[i]}));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false(ls_segment_takes_values(&(struct ls_segment){.kind = others[i]}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(for_the_shell_a_string_may_stand_in_several_words),
      cmocka_unit_test(without_sources_nothing_is_appended),
      cmocka_unit_test(what_takes_values_is_known),
      cmocka_unit_test(replacement_strings_are_those_of_gnu_parallel),
      cmocka_unit_test(they_stand_anywhere_in_a_word),
      cmocka_unit_test(without_any_the_values_are_appended),
      cmocka_unit_test(sources_are_named_by_number),
      cmocka_unit_test(other_braces_are_literal),
      cmocka_unit_test(the_shell_gets_one_text_with_quoted_values),
      cmocka_unit_test(without_a_command_values_are_command_lines),
      cmocka_unit_test(a_source_that_does_not_exist_is_refused),
      cmocka_unit_test(columns_may_be_lacking_and_are_counted_from_both_ends),
      cmocka_unit_test(numbers_are_padded_to_the_longest),
      cmocka_unit_test(the_shell_is_the_one_that_is_given)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
