#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "formats/sacct_lines.h"

static struct ls_text make(const char *text) {
  return (struct ls_text){text, strlen(text), "file"};
}

static void the_heading_tells_what_divides(void **state) {
  (void)state;
  static const struct {
    const char *text;
    char expected;
  } cases[] = {{"JobID|State\n1|x\n", '|'}, {"\r\nJobName;Elapsed\r\n", ';'},
               {"State\tNodeList", '\t'},   {"Elapsed\n", '|'},
               {"JobID|Elapsed|\n", '|'},   {"", '|'}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char separator = '\0';
    assert_int_equal(ls_sacct_find_separator(make(cases[i].text), &separator, NULL), LS_OK);
    assert_int_equal(separator, cases[i].expected);
  }
}

static void other_lines_are_refused(void **state) {
  (void)state;
  char separator;
  assert_int_equal(ls_sacct_find_separator(make("JobID  Elapsed\n"), &separator, NULL), LS_EINVAL);
  assert_int_equal(ls_sacct_find_separator(make("17_3|a|b\n"), &separator, NULL), LS_EINVAL);
}

static void its_lines_are_told_from_others(void **state) {
  (void)state;
  static const char *const ours[] = {"JobID|State\n", "NodeList,Elapsed", "17|a|b\n", "17_[1-3]|a"};
  static const char *const others[] = {"name,seconds\n", "",        "\n", "17 a\n", "17\n", "a|b\n",
                                       "{\"JobID\": 1}", "#JobID\n"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    assert_true(ls_sacct_is_ours(make(ours[i])));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false(ls_sacct_is_ours(make(others[i])));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_heading_tells_what_divides),
      cmocka_unit_test(other_lines_are_refused),
      cmocka_unit_test(its_lines_are_told_from_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
