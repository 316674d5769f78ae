#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "cli/subcommands.h"

static struct capture capture;

/* A program that is not loadstar. */

static int walk(int argc, char **argv, const struct ls_app *app) {
  (void)app;
  printf("%s has %d words, the last is %s\n", argv[0], argc, argv[argc - 1]);
  return 7;
}

static const struct ls_subcommand subcommands[] = {{"walk", "go on foot", walk, false},
                                                   {"wander", "go anywhere", walk, false},
                                                   {"march", "go with others", walk, true},
                                                   {NULL, NULL, NULL, false}};
static const struct ls_elsewhere elsewhere[] = {{"sail", "boat"}, {NULL, NULL}};
static const struct ls_program program = {.name = "legs",
                                          .summary = "carries people",
                                          .version = "legs 2",
                                          .subcommands = subcommands,
                                          .elsewhere = elsewhere,
                                          .examples = "  legs walk home\n",
                                          .linked = "march"};

static int run_legs(int argc, char **argv, const struct ls_app *app) {
  return ls_program_run(&program, argc, argv, app);
}

#define LEGS(...) \
  capture_main(&capture, run_legs, NULL, (char *[]){(char *)"/bin/legs", __VA_ARGS__, NULL}, "")
#define WORD(word) ((char *)(word))

static void a_subcommand_gets_its_own_words(void **state) {
  (void)state;
  LEGS(WORD("walk"), WORD("far"));
  assert_int_equal(capture.exit_status, 7);
  assert_string_equal(capture.output, "legs walk has 2 words, the last is far\n");
  LEGS(WORD("help"), WORD("wander"));
  assert_string_equal(capture.output, "legs wander has 2 words, the last is --help\n");
}

/* A link of that name. */
static void a_link_is_its_subcommand(void **state) {
  (void)state;
  capture_main(&capture, run_legs, NULL, (char *[]){WORD("/bin/march"), WORD("walk"), NULL}, "");
  assert_int_equal(capture.exit_status, 7);
  assert_string_equal(capture.output, "march has 2 words, the last is walk\n");
  capture_main(&capture, run_legs, NULL, (char *[]){WORD("march"), NULL}, "");
  assert_string_equal(capture.output, "march has 1 words, the last is march\n");
}

static void help_and_version_are_those_of_the_program(void **state) {
  (void)state;
  LEGS(WORD("--help"));
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.output,
                      "legs: carries people\n\nUsage: legs SUBCOMMAND [OPTION...]\n\n"
                      "  walk        go on foot\n  wander      go anywhere\n"
                      "  march       go with others\n\n"
                      "  -?, --help     give this help\n  -V, --version  print the version\n\n"
                      "`legs SUBCOMMAND --help' says more about each.\n\nExamples:\n"
                      "  legs walk home\n");
  LEGS(WORD("--version"));
  assert_string_equal(capture.output, "legs 2\n");
}

static void a_wrong_word_is_answered_with_what_is_meant(void **state) {
  (void)state;
  static const struct {
    const char *word, *answer;
  } rows[] = {
      {"wandre", "legs: there is no subcommand 'wandre'; did you mean 'wander'?\n"},
      {"sail", "legs: there is no subcommand 'sail'; it is `boat sail'\n"},
      {"nosuch",
       "legs: there is no subcommand 'nosuch'; the subcommands are walk, wander, march (see "
       "legs --help)\n"},
      /* Only a program that has `run` is thought to be meant with its options. */
      {"-j4",
       "legs: there is no subcommand '-j4'; the subcommands are walk, wander, march (see legs "
       "--help)\n"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    LEGS(WORD(rows[i].word));
    assert_int_equal(capture.exit_status, 2);
    assert_string_equal(capture.error, rows[i].answer);
    LEGS(WORD("help"), WORD(rows[i].word));
    assert_int_equal(capture.exit_status, 2);
    assert_string_equal(capture.error, rows[i].answer);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_subcommand_gets_its_own_words),
                                     cmocka_unit_test(a_link_is_its_subcommand),
                                     cmocka_unit_test(help_and_version_are_those_of_the_program),
                                     cmocka_unit_test(a_wrong_word_is_answered_with_what_is_meant)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
