#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_names.h"

static const struct argp_option own[] = {{"seed", 's', "N", 0, "A number", 0},
                                         {"grain", 0, NULL, OPTION_ALIAS, NULL, 0},
                                         {"json", 300, "FILE", OPTION_ARG_OPTIONAL, "A file", 0},
                                         {NULL, 0, NULL, 0, "A group", 0},
                                         {"quiet", 'q', NULL, 0, "Nothing", 0},
                                         {0}};
static const struct argp_option others[] = {{"colsep", 'C', "RE", 0, "Columns", 0},
                                            {"group-by", 301, "N", 0, "Groups", 0},
                                            {"process-slot-var", 302, "V", 0, "A variable", 0},
                                            {0}};
static const struct argp child = {.options = others};
static const struct argp_child children[] = {{.argp = &child}, {0}};
static const struct argp parser = {.options = own, .children = children};

static enum ls_status check(const char *line, unsigned flags, struct ls_error *err) {
  char copy[256], *words[16] = {(char *)"loadstar"};
  int count = 1;
  strcpy(copy, line);
  for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
    words[count++] = word;
  return ls_option_names_check(&parser, count, words, flags, err);
}

static void the_option_that_was_meant_is_named(void **state) {
  (void)state;
  static const struct {
    const char *line, *message;
  } cases[] = {
      {"--sede 3", "unrecognized option '--sede', did you mean '--seed'?"},
      {"--colspe=,", "unrecognized option '--colspe', did you mean '--colsep'?"},
      {"-q --see 1 -s 2 --garin 3", "unrecognized option '--garin', did you mean '--grain'?"},
      {"--json --quit", "unrecognized option '--quit', did you mean '--quiet'?"},
      {"x --hepl", "unrecognized option '--hepl', did you mean '--help'?"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_error err = {0};
    assert_int_equal(check(cases[i].line, 0, &err), LS_EINVAL);
    assert_string_equal(err.text, cases[i].message);
  }
}

static void dashes_may_be_left_out(void **state) {
  (void)state;
  char by[] = "--groupby", variable[] = "--processslot-var=x", beginning[] = "--group-b=2";
  char *words[] = {(char *)"loadstar", by,           (char *)"1", variable,
                   beginning,          (char *)"--", by,          NULL};
  assert_int_equal(ls_option_names_check(&parser, 7, words, 0, NULL), LS_OK);
  assert_string_equal(words[1], "--group-by");
  assert_string_equal(words[3], "--process-slot-var=x");
  assert_ptr_equal(words[4], beginning);
  assert_ptr_equal(words[6], by);
  free(words[1]);
  free(words[3]);
}

static void what_is_right_or_near_to_nothing_is_left(void **state) {
  (void)state;
  static const char *const lines[] = {
      "", "--seed 3", "--se 3", "--json=x", "--frobnicate",
      /* Values of options, and what stands behind the end of them. */
      "--seed --sede", "-s --sede", "-qs --sede", "-C --sede", "-- --sede", "- --seed=--sede"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    assert_int_equal(check(lines[i], 0, NULL), LS_OK);
}

static void words_of_a_command_are_its_own(void **state) {
  (void)state;
  assert_int_equal(check("-q echo --sede", ARGP_IN_ORDER, NULL), LS_OK);
  assert_int_equal(check("-q --sede echo", ARGP_IN_ORDER, NULL), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_option_that_was_meant_is_named),
      cmocka_unit_test(dashes_may_be_left_out),
      cmocka_unit_test(what_is_right_or_near_to_nothing_is_left),
      cmocka_unit_test(words_of_a_command_are_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
