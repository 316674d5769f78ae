#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <stdio.h>

#include "masters_line.h"

enum { WORDS_MAX = 32 };

static enum ls_status read_text(const char *text, struct masters_line *line, char *copy,
                                struct ls_error *err) {
  char *argv[WORDS_MAX] = {NULL}, *rest;
  int argc = 0;
  (void)strcpy(copy, text);
  for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    argv[argc++] = word;
  }
  return masters_line_read(line, argc, argv, err);
}

/* The command line of one of the masters that `text` starts. */
static void expect_line(const char *text, uint64_t number, const char *expected) {
  struct masters_line line;
  char copy[512], got[512] = "";
  assert_int_equal(read_text(text, &line, copy, NULL), LS_OK);
  char **words = masters_line_make(&line, "motif", number);
  assert_non_null(words);
  for (size_t i = 0; words[i] != NULL; i++) {
    size_t length = strlen(got);
    (void)snprintf(got + length, sizeof got - length, "%s%s", i > 0 ? " " : "", words[i]);
  }
  assert_string_equal(got, expected);
  masters_line_free(words);
  masters_line_close(&line);
}

static void workers_and_shares_are_divided(void **state) {
  (void)state;
  expect_line("motif run -j 4 -- --random --masters 2", 1,
              "motif run --workers=2 -- --random --share=1/2");
  expect_line("motif run --jobs=5 --policy fac2 -- --masters=2 --random", 2,
              "motif run --workers=3 --policy fac2 -- --random --share=2/2");
  expect_line("motif run -qj3 -- --random --masters 3 -t 4", 3,
              "motif run --workers=1 -q -- --random -t 4 --share=3/3");
  expect_line("motif run --workers 7 --seed=4 -v -- --random --masters 3", 2,
              "motif run --workers=2 --seed=4 -v -- --random --share=2/3");
}

static void each_has_its_own_speeds_and_files(void **state) {
  (void)state;
  expect_line("motif run --speeds .6,.4,.3,.2 --journal j --json=s -- --random --masters 2", 2,
              "motif run --workers=2 --speeds=.3,.2 --journal=j.2 --json=s.2 -- --random "
              "--share=2/2");
  expect_line("motif run -j4 --calibrate p --journal j -- --random --masters 2", 1,
              "motif run --workers=2 --journal=j.1 --calibrate=p.1 -- --random --share=1/2");
  expect_line("motif run -j2 --listen h:0 --key k --svg=d --journal j -- --random --masters 2", 2,
              "motif run --workers=1 --journal=j.2 --svg=d.2 --key=k.2 --listen h:0 -- --random "
              "--share=2/2");
  expect_line("motif run -j3 --speeds=1,.5 --journal=j --resume -- --random --masters 2", 2,
              "motif run --workers=2 --speeds=.5,1 --journal=j.2 --resume -- --random --share=2/2");
}

static void transport_is_known_and_kept(void **state) {
  (void)state;
  static const char *const lines[] = {
      "motif run -j2 --transport=local -- --random --masters 2",
      "motif run -j2 --transport local -- --random --masters 2",
  };
  for (size_t i = 0; i < 2; i++) {
    struct masters_line line;
    char copy[512];
    assert_int_equal(read_text(lines[i], &line, copy, NULL), LS_OK);
    assert_string_equal(line.transport, "local");
    masters_line_close(&line);
    expect_line(lines[i], 1, "motif run --workers=1 --transport=local -- --random --share=1/2");
  }
}

static void refuse(const char *text, const char *named) {
  struct masters_line line;
  struct ls_error err = {0};
  char copy[512];
  assert_int_equal(read_text(text, &line, copy, &err), LS_EINVAL);
  if (strstr(err.text, named) == NULL) fail_msg("%s: %s", text, err.text);
}

static void wrong_lines_are_refused_in_words(void **state) {
  (void)state;
  refuse("motif run -j 1 -- --random --masters 2", "--masters is 2 with 1 workers");
  refuse("motif run -j 0 -- --random --masters 2", "--workers is '0'");
  refuse("motif run --workers=x -- --random --masters 2", "--workers is 'x'");
  refuse("motif run -xj2 -- --random --masters 2", "'-xj2'");
  refuse("motif run --json -j2 -- --random --masters 2", "--json needs =FILE");
  refuse("motif run -j2 --key -- --random --masters 2", "--key lacks its value");
  refuse("motif run -j4 -- --masters 2", "--fasta FILE, --records FILE or --random");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_and_shares_are_divided),
      cmocka_unit_test(each_has_its_own_speeds_and_files),
      cmocka_unit_test(transport_is_known_and_kept),
      cmocka_unit_test(wrong_lines_are_refused_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
