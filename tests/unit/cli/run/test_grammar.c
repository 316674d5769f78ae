#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/grammar.h"

/* What becomes of a value, "text" for no replacement string, or the message. */
static const char *tell(const struct ls_grammar *grammar, const char *text, const char *value) {
  static char told[600];
  struct ls_found_replacement found;
  struct ls_error err = {0};
  struct ls_bytes out = {0};
  enum ls_status status = ls_grammar_find(grammar, text, &found, &err);
  if (status == LS_OK && found.length > 0) {
    assert_int_equal(found.length, strlen(text));
    assert_int_equal(ls_change_apply(&found.change, value, &out, NULL), LS_OK);
  }
  snprintf(told, sizeof told, "%s",
           status != LS_OK     ? err.text
           : found.length == 0 ? "text"
                               : ls_bytes_text(&out));
  ls_change_close(&found.change);
  ls_bytes_close(&out);
  return told;
}

static const struct ls_grammar usual = {.sources_count = 2};
static const struct ls_grammar plus = {.has_plus = true, .sources_count = 2};

static void strings_of_plus_are_known_with_it_only(void **state) {
  (void)state;
  static const char *const strings[] = {
      "{..}",       "{2..}",  "{+/}",      "{/..}",  "{##}",    "{0#}",    "{0%}",
      "{choose_k}", "{uniq}", "{2%_demo}", "{-1..}", "{1/a/b}", "{2uniq}", "{-1choose_k}"};
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
    assert_non_null(strstr(tell(&usual, strings[i], "v"), "is a replacement string with --plus"));
    assert_null(strstr(tell(&plus, strings[i], "v"), "replacement string"));
  }
}

/* Else a command would run with them as they stand, and succeed. */
static void strings_that_only_others_know_are_refused(void **state) {
  (void)state;
  static const char *const foreign[] = {"{:}", "{///}", "{1:}", "{....}", "{-2.:}"};
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    assert_non_null(
        strstr(tell(&usual, foreign[i], "v"), "is no replacement string, expected one of {} {.}"));
    assert_non_null(strstr(tell(&plus, "{host}", "v"), "is no replacement string"));
  }
  assert_non_null(strstr(tell(&usual, "{= $_++ =}", "v"), "is other code than substitutions"));
}

static void other_braces_are_text(void **state) {
  (void)state;
  static const char *const texts[] = {"{a,b}", "{1,5}",  "{print $1}", "{",   "{1..9}", "{1:2}",
                                      "{0}",   "{007}",  "{x}",        "{=x", "{1#}",   "{-}",
                                      "}",     "{host}", "{#x}",       "x"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_string_equal(tell(&usual, texts[i], "v"), "text");
}

static void sources_are_numbered_from_both_ends(void **state) {
  (void)state;
  struct ls_found_replacement found;
  assert_int_equal(ls_grammar_find(&usual, "{-2/.}", &found, NULL), LS_OK);
  assert_true(found.place.is_from_end && found.place.column == 2);
  assert_int_equal(ls_grammar_find(&usual, "{2}", &found, NULL), LS_OK);
  assert_true(!found.place.is_from_end && found.place.column == 2);
  assert_string_equal(tell(&usual, "{-3}", "v"), "{-3} in '{-3}': there are 2 input sources");
  const struct ls_grammar columns = {.has_columns = true, .sources_count = 1};
  assert_string_equal(tell(&columns, "{9}", "v"), "v");
}

static void spellings_take_the_place_of_the_usual_ones(void **state) {
  (void)state;
  const struct ls_grammar spelled = {.sources_count = 2,
                                     .spellings = {"%", ".e", NULL, NULL, NULL, "%#", NULL}};
  assert_string_equal(tell(&spelled, "%", "a.b"), "a.b");
  assert_string_equal(tell(&spelled, ".e", "a.b"), "a");
  assert_string_equal(tell(&spelled, "{}", "v"), "text");
  assert_string_equal(tell(&spelled, "{.}", "v"), "text");
  assert_string_equal(tell(&spelled, "{#}", "v"), "text");
  assert_string_equal(tell(&spelled, "{/}", "d/v"), "v");
  assert_string_equal(tell(&spelled, "{2.}", "a.b"), "a");
  assert_non_null(strstr(tell(&spelled, "{:}", "v"), "is no replacement string"));
  /* The longest one counts. */
  struct ls_found_replacement found;
  assert_int_equal(ls_grammar_find(&spelled, "%#", &found, NULL), LS_OK);
  assert_int_equal(found.kind, LS_REPLACE_SEQUENCE);
}

static void names_stand_for_columns(void **state) {
  (void)state;
  static const struct ls_value_name names[] = {
      {.text = "x", .place = {.source = 1, .column = 2}},
      {.text = "x.", .place = {.source = 2, .column = 1}},
      {.text = "a b", .place = {.source = 1, .column = 1}}};
  const struct ls_grammar named = {
      .sources_count = 2, .names = names, .names_count = 3, .has_plus = true};
  struct ls_found_replacement found;
  assert_int_equal(ls_grammar_find(&named, "{x}", &found, NULL), LS_OK);
  assert_true(found.place.source == 1 && found.place.column == 2);
  assert_int_equal(ls_grammar_find(&named, "{x.}", &found, NULL), LS_OK);
  assert_true(found.place.source == 2 && found.place.column == 1);
  assert_string_equal(tell(&named, "{a b/.}", "d/e.f"), "e");
  assert_string_equal(tell(&named, "{a b:1}", "xyz"), "yz");
  assert_string_equal(tell(&named, "{= s/y// =}", "xyz"), "xz");
  assert_string_equal(tell(&named, "{=x s/y// =}", "xyz"), "xz");
  assert_string_equal(tell(&named, "{xy}", "v"), "text");
}

static void names_that_no_column_has_are_refused(void **state) {
  (void)state;
  static const struct ls_value_name names[] = {{.text = "name"}, {.text = "size"}};
  const struct ls_grammar named = {.names = names, .names_count = 2, .sources_count = 1};
  static const char *const refused[] = {"{sise}", "{other}", "{sise/.}", "{h\xc3\xb6he} x"};
  static const char *const text[] = {"{ print }", "{a,b}", "{1..9}", "{", "{}", "{a", "{a b}", "x"};
  struct ls_error err = {0};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    assert_int_equal(ls_grammar_check_name(&named, refused[i], &err), LS_EINVAL);
    assert_int_equal(ls_grammar_check_name(&usual, refused[i], NULL), LS_OK);
  }
  for (size_t i = 0; i < sizeof text / sizeof *text; i++)
    assert_int_equal(ls_grammar_check_name(&named, text[i], NULL), LS_OK);
  assert_int_equal(ls_grammar_check_name(&named, "{sise}", &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "'{sise}': no column of --header has that name; did you mean {size}? (as "
                      "text it would be '{ sise }')");
}

static void brackets_of_substitutions_may_be_others(void **state) {
  (void)state;
  const struct ls_grammar commas = {.parens = ",,,,", .sources_count = 1};
  assert_string_equal(tell(&commas, ",,s/I/O/g,,", "FII"), "FOO");
  assert_string_equal(tell(&commas, "{= s/a/b/ =}", "a"), "text");
  assert_string_equal(tell(&usual, "{=2 s/a/b/ =}", "a"), "b");
  assert_string_equal(tell(&usual, "{=s:[.]bak$::=}", "a.bak"), "a");
}

/* The shell divided it: nobody means its parts as they stand. */
static void substitutions_in_several_words_are_refused(void **state) {
  (void)state;
  static const char *const refused[][4] = {{"echo", "{=", "s/a/b/", "=}"},
                                           {"{=2", "s/a/b/ =}"},
                                           {"x{= y =}{=-1", "b", "c=}"},
                                           {"{= y =}", "a {= s/a/b/", "=}"}};
  static const char *const fine[][3] = {
      {"{= s/a/b/ =}", "=}"}, {"=}", "{="}, {"{=x", "=}"}, {"{=", "b"}, {",,", "s/a/b/", ",,"}};
  const struct ls_grammar commas = {.parens = ",,,,", .sources_count = 1};
  struct ls_error err = {0};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    size_t count = i == 1 ? 2 : i == 0 ? 4 : 3;
    assert_int_equal(ls_grammar_check_words(&usual, refused[i], count, &err), LS_EINVAL);
    assert_int_equal(ls_grammar_check_words(&commas, refused[i], count, NULL), LS_OK);
  }
  for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
    assert_int_equal(ls_grammar_check_words(&usual, fine[i], i == 4 ? 3 : 2, NULL), LS_OK);
  assert_int_equal(ls_grammar_check_words(&commas, fine[4], 3, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "',,' begins a replacement string that ends in the word ',,'"));
}

static void rules_of_the_user_come_first(void **state) {
  (void)state;
  struct ls_rule rules[3] = {0};
  assert_int_equal(ls_rule_compile("{.} s/x/y/", &rules[0], NULL), LS_OK);
  assert_int_equal(ls_rule_compile("{-(.+?)} s/$$1//", &rules[1], NULL), LS_OK);
  assert_int_equal(ls_rule_compile("@@ s/a/b/g", &rules[2], NULL), LS_OK);
  const struct ls_grammar ruled = {.rules = rules, .rules_count = 3, .sources_count = 2};
  assert_string_equal(tell(&ruled, "{.}", "x.z"), "y.z");
  assert_string_equal(tell(&ruled, "{2.}", "x.z"), "y.z");
  assert_string_equal(tell(&ruled, "{-_old}", "f_old"), "f");
  assert_string_equal(tell(&ruled, "{2-_old}", "f_old"), "f");
  assert_string_equal(tell(&ruled, "@@", "aa"), "bb");
  assert_string_equal(tell(&ruled, "{/}", "d/f"), "f");
  for (size_t i = 0; i < 3; i++) ls_rule_close(&rules[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strings_of_plus_are_known_with_it_only),
      cmocka_unit_test(strings_that_only_others_know_are_refused),
      cmocka_unit_test(other_braces_are_text),
      cmocka_unit_test(sources_are_numbered_from_both_ends),
      cmocka_unit_test(spellings_take_the_place_of_the_usual_ones),
      cmocka_unit_test(names_stand_for_columns),
      cmocka_unit_test(names_that_no_column_has_are_refused),
      cmocka_unit_test(brackets_of_substitutions_may_be_others),
      cmocka_unit_test(substitutions_in_several_words_are_refused),
      cmocka_unit_test(rules_of_the_user_come_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
