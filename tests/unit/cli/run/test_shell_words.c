#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/shell_words.h"

static void the_shell_is_the_users(void **state) {
  (void)state;
  static const struct {
    struct ls_shell_facts facts;
    const char *expected;
  } cases[] = {{{0}, "/bin/sh"},
               {{.parent = "/usr/bin/bash"}, "/usr/bin/bash"},
               {{.parent = "/usr/bin/zsh-5.9"}, "/usr/bin/zsh-5.9"},
               {{.parent = "/bin/ksh93"}, "/bin/ksh93"},
               {{.parent = "/bin/busybox"}, "/bin/busybox"},
               {{.parent = "/usr/bin/fish"}, "/bin/sh"},
               {{.parent = "/usr/bin/python3"}, "/bin/sh"},
               {{.parent = "/usr/bin/ssh"}, "/bin/sh"},
               {{.parent = "/usr/bin/dash", .is_usual = true}, "/bin/sh"},
               {{.parent = "/bin/bash", .environment = "/bin/zsh"}, "/bin/zsh"},
               {{.parent = "/bin/bash", .environment = ""}, "/bin/bash"},
               {{.wanted = "ksh", .environment = "/bin/zsh"}, "ksh"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(ls_shell_choose(&cases[i].facts), cases[i].expected);
}

static void busybox_is_told_to_be_a_shell(void **state) {
  (void)state;
  struct ls_shell_words words = ls_shell_words_of("/bin/busybox");
  assert_int_equal(words.count, 3);
  assert_string_equal(words.words[1], "sh");
  words = ls_shell_words_of("/bin/bash");
  assert_int_equal(words.count, 2);
  assert_string_equal(words.words[1], "-c");
}

static void the_name_says_how_quotes_are_read(void **state) {
  (void)state;
  static const struct {
    const char *program;
    enum ls_quoting expected;
  } cases[] = {{"/bin/sh", LS_QUOTING_SH},      {"zsh-5.9", LS_QUOTING_SH},
               {"/bin/busybox", LS_QUOTING_SH}, {"/usr/bin/fish", LS_QUOTING_FISH},
               {"csh", LS_QUOTING_CSH},         {"/bin/tcsh", LS_QUOTING_CSH},
               {"rc", LS_QUOTING_RC},           {"xonsh", LS_QUOTING_UNKNOWN},
               {"pwsh", LS_QUOTING_UNKNOWN},    {"/usr/bin/python3", LS_QUOTING_UNKNOWN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(ls_shell_words_of(cases[i].program).quoting, cases[i].expected);
}

static void syntax_is_told_from_words(void **state) {
  (void)state;
  assert_true(ls_shell_has_syntax("a|b", 3) && ls_shell_has_syntax("$x", 2));
  assert_false(ls_shell_has_syntax("a|b", 1) || ls_shell_has_syntax("a b-c.d/e", 9));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_shell_is_the_users),
      cmocka_unit_test(busybox_is_told_to_be_a_shell),
      cmocka_unit_test(the_name_says_how_quotes_are_read),
      cmocka_unit_test(syntax_is_told_from_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
