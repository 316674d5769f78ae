#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/change.h"

static void expect(const char *name, const char *value, const char *expected) {
  struct ls_change change = {0};
  struct ls_bytes out = {0};
  assert_true(ls_change_path_find((struct ls_change_text){name, strlen(name)}, true, &change));
  assert_int_equal(ls_change_apply(&change, value, &out, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void parts_of_a_path_are_those_of_gnu_parallel(void **state) {
  (void)state;
  static const struct {
    const char *value, *expected[13];
  } cases[] = {
      {"/abs/f.tar.gz",
       {"/abs/f.tar.gz", "/abs/f.tar", "f.tar.gz", "/abs", "f.tar", "/abs/f", "/abs/f.tar.gz", "f",
        "f.tar.gz", "/abs", "gz", "tar.gz", ""}},
      {"d.x/f", {"d.x/f", "d.x/f", "f", "d.x", "f", "d.x/f", "d.x/f", "f", "f", "d.x", "", "", ""}},
      {"x.", {"x.", "x", "x.", ".", "x", "x.", "x.", "x.", "x.", "", "", "", ""}},
      {".a", {".a", "", ".a", ".", "", ".a", ".a", ".a", ".a", "", "a", "", ""}},
      {"a..b", {"a..b", "a.", "a..b", ".", "a.", "a", "a..b", "a", "a..b", "", "b", ".b", ""}},
      {"a.b.c.d",
       {"a.b.c.d", "a.b.c", "a.b.c.d", ".", "a.b.c", "a.b", "a", "a.b", "a", "", "d", "c.d",
        "b.c.d"}},
      {"/a", {"/a", "/a", "a", "/", "a", "/a", "/a", "a", "a", "", "", "", ""}},
      {"", {"", "", "", ".", "", "", "", "", "", "", "", "", ""}},
      {"a/b/", {"a/b/", "a/b/", "", "a", "", "a/b/", "a/b/", "", "", "a/b", "", "", ""}},
  };
  static const char *const names[] = {"",    ".",    "/",  "//", "/.",  "..",  "...",
                                      "/..", "/...", "+/", "+.", "+..", "+..."};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      expect(names[k], cases[i].value, cases[i].expected[k]);
}

static void some_need_plus(void **state) {
  (void)state;
  struct ls_change change = {0};
  assert_true(ls_change_path_find((struct ls_change_text){"/.x", 2}, false, &change));
  assert_false(ls_change_path_find((struct ls_change_text){"/..", 3}, false, &change));
  assert_false(ls_change_path_find((struct ls_change_text){"///", 3}, true, &change));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_a_path_are_those_of_gnu_parallel),
      cmocka_unit_test(some_need_plus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
