#include "completion/completion_fixture.h"

static void spellings_are_those_of_an_option_and_its_synonyms(void **state) {
  (void)state;
  json_t *option = json_loads(
      "{\"long\": \"jobs\", \"short\": \"j\", \"synonyms\": "
      "[{\"long\": \"max\", \"short\": null}, {\"long\": null, "
      "\"short\": \"P\"}]}",
      0, NULL);
  json_t *spellings = ls_completion_spellings(option);
  struct ls_bytes text = {0};
  ls_completion_join(spellings, ",", &text);
  assert_string_equal(ls_bytes_text(&text), "--jobs,-j,--max,-P");
  ls_bytes_close(&text);
  json_decref(spellings);
  json_decref(option);
}

static void special_characters_are_escaped(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  ls_completion_escape("a'b[c]d", 6, "[]", "\\'", &text);
  assert_string_equal(ls_bytes_text(&text), "a\\'b\\[c\\]");
  ls_bytes_close(&text);
}

static void a_command_stands_first_or_behind_dashes(void **state) {
  (void)state;
  static const struct {
    const char *table;
    bool is_first, is_behind;
  } cases[] = {{"{\"usage\": \"[--] COMMAND [WORD...]\"}", true, true},
               {"{\"usage\": \"[FILE...] [-- COMMAND...]\"}", false, true},
               {"{\"usage\": \"FILE\"}", false, false},
               {"{\"usage\": null}", false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    json_t *table = json_loads(cases[i].table, 0, NULL);
    assert_int_equal(ls_completion_takes_command(table, true), cases[i].is_first);
    assert_int_equal(ls_completion_takes_command(table, false), cases[i].is_behind);
    json_decref(table);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spellings_are_those_of_an_option_and_its_synonyms),
      cmocka_unit_test(special_characters_are_escaped),
      cmocka_unit_test(a_command_stands_first_or_behind_dashes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
