#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/short_help.h"

static const struct argp_option own[] = {
    {"workers", 'j', "N", 0, "Start N workers (default: number of cores): N, or a share", 0},
    {"progress", 300, "HOW", OPTION_ARG_OPTIONAL, "Show it; all of it", 0},
    {"rare", 301, NULL, 0, "Hardly used", 0},
    {0}};
static const struct argp_option others[] = {{"arg-file", 'a', "FILE", 0, "Read inputs", 0}, {0}};
static const struct argp child = {.options = others};
static const struct argp_child children[] = {{.argp = &child}, {0}};
static const struct argp commands = {.options = own, .children = children};
static const struct argp application = {.options = own};

static void common_options_stand_with_the_first_statement_of_their_help(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  ls_short_help_write(&commands, "loadstar run", 80, &text);
  const char *got = ls_bytes_text(&text);
  assert_non_null(strstr(got, "Usage: loadstar run [OPTION...] [--] COMMAND"));
  assert_non_null(strstr(got, "\n  loadstar run -- gzip -k {} ::: *.txt\n"));
  assert_non_null(strstr(got, "\n  -j, --workers=N         Start N workers\n"));
  assert_non_null(strstr(got, "\n  -a, --arg-file=FILE     Read inputs\n"));
  assert_non_null(strstr(got, "\n      --progress[=HOW]    Show it\n"));
  assert_null(strstr(got, "rare"));
  ls_bytes_close(&text);
}

static void an_application_has_its_own_usage_and_no_examples_of_commands(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  ls_short_help_write(&application, "fibonacci run", 80, &text);
  assert_non_null(strstr(ls_bytes_text(&text), "Usage: fibonacci run [OPTION...]\n"));
  assert_null(strstr(ls_bytes_text(&text), "loadstar"));
  assert_non_null(strstr(ls_bytes_text(&text), "`fibonacci run --help' says all.\n"));
  ls_bytes_close(&text);
}

static void a_subcommand_of_another_program_shows_all_its_options(void **state) {
  (void)state;
  static const struct argp small = {.options = others, .args_doc = "FILE"};
  struct ls_bytes text = {0};
  ls_short_help_write(&small, "loadstar-lab check", 80, &text);
  assert_string_equal(ls_bytes_text(&text),
                      "Usage: loadstar-lab check [OPTION...] FILE\n\n"
                      "  -a, --arg-file=FILE     Read inputs\n\n"
                      "`loadstar-lab check --help' says all.\n");
  ls_bytes_close(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(common_options_stand_with_the_first_statement_of_their_help),
      cmocka_unit_test(an_application_has_its_own_usage_and_no_examples_of_commands),
      cmocka_unit_test(a_subcommand_of_another_program_shows_all_its_options)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
