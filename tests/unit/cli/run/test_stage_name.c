#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/run/stage_name.h"

static void paths_have_the_names_of_the_rules(void **state) {
  (void)state;
  static const char *const known[][2] = {{"a", "a"},
                                         {"a/b/c", "a/b/c"},
                                         {"./a", "a"},
                                         {"a//b/./c", "c"},
                                         {"/a/b/c", "c"},
                                         {"/a/./b/c", "b/c"},
                                         {"/a/./b/./c", "b/c"},
                                         {"a/./b", "b"},
                                         {"-rf", "-rf"},
                                         {"two words", "two words"},
                                         {"a\nb", "a\nb"},
                                         {"/a/b/..c", "..c"},
                                         {".hidden", ".hidden"},
                                         {"./././x", "x"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    struct ls_bytes name = {0};
    struct ls_error err = {0};
    if (ls_stage_name(known[i][0], "--stage-in", &name, &err) != LS_OK)
      fail_msg("%s: %s", known[i][0], err.text);
    assert_string_equal(ls_bytes_text(&name), known[i][1]);
    ls_bytes_close(&name);
  }
}

static void paths_without_a_name_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",     "/",      ".",    "..",        "a/",     "/a/./",
                                    "../a", "a/../b", "a/..", "/a/./../b", "/a/./.", "./"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_bytes name = {0};
    struct ls_error err = {0};
    assert_int_equal(ls_stage_name(bad[i], "--stage-in", &name, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "--stage-in is '"));
    ls_bytes_close(&name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_have_the_names_of_the_rules),
      cmocka_unit_test(paths_without_a_name_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
