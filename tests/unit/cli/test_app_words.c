/* The words of an application. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cli/app_words.h"

enum { WORDS_MAX = 8 };

/* What was read: "n=3 c=". */
static char said[128];

static enum ls_status keep(void *context, int word, const char *text, struct ls_error *err) {
  size_t length = strlen(said);
  (void)context;
  (void)snprintf(said + length, sizeof said - length, "%c=%s ", word, text != NULL ? text : "");
  if (text == NULL || strcmp(text, "bad") != 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "app: --number is '%s'", text);
}

static enum ls_status read_line(const char *line, const char *letters, struct ls_error *err) {
  static const struct option options[] = {{"number", required_argument, NULL, 'n'},
                                          {"check", no_argument, NULL, 'c'},
                                          {NULL, 0, NULL, 0}};
  char text[128], *words[WORDS_MAX] = {(char *)"app"};
  int count = 1;
  (void)snprintf(text, sizeof text, "%s", line);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
    words[count++] = word;
  said[0] = '\0';
  struct ls_app_words given = {
      .application = "app", .letters = letters, .options = options, .read = keep};
  return ls_app_words_read(&given, count, words, err);
}

static void words_come_in_order_again_and_again(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(read_line("--number 3 --check --number=4", NULL, NULL), LS_OK);
    assert_string_equal(said, "n=3 c= n=4 ");
  }
  assert_int_equal(read_line("", NULL, NULL), LS_OK);
  assert_string_equal(said, "");
}

static void options_of_one_letter_are_those_that_were_named(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_int_equal(read_line("-t 5 --check", "t:", NULL), LS_OK);
  assert_string_equal(said, "t=5 c= ");
  assert_int_equal(read_line("-t 5", NULL, &err), LS_EINVAL);
  assert_string_equal(err.text, "app: '-t' is no option or lacks its value");
}

static void what_is_no_word_is_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *line, *words;
  } refused[] = {{"--colour", "app: '--colour' is no option or lacks its value"},
                 {"--number", "app: '--number' is no option or lacks its value"},
                 {"--check=1", "app: '--check=1' is no option or lacks its value"},
                 {"--check more", "app: unexpected word 'more'"},
                 {"--number bad --check", "app: --number is 'bad'"}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    struct ls_error err = {0};
    assert_int_equal(read_line(refused[i].line, NULL, &err), LS_EINVAL);
    assert_string_equal(err.text, refused[i].words);
  }
  assert_string_equal(said, "n=bad "); /* nothing is read behind it */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_come_in_order_again_and_again),
      cmocka_unit_test(options_of_one_letter_are_those_that_were_named),
      cmocka_unit_test(what_is_no_word_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
