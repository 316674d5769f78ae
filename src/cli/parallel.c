/* parallel.c: `loadstar parallel`: GNU parallel's options and meanings for the runs of `run'. */
#include <argp.h>
#include <stdio.h>

#include "cli/console.h"
#include "cli/parallel_words.h"
#include "cli/subcommands.h"

/* The statuses below mean that so many tasks failed. */
enum { EXIT_ERROR = 255 };

int ls_parallel_main(int argc, char **argv, const struct ls_app *app) {
  struct ls_parallel_words words = {0};
  struct ls_error err = {0};
  (void)app;
  argp_err_exit_status = EXIT_ERROR;
  if (ls_parallel_words_read(&words, argc, argv, &err) != LS_OK) {
    (void)ls_console_fail(argv[0], &err);
    ls_parallel_words_close(&words);
    return EXIT_ERROR;
  }
  bool is_counted = false;
  int result = ls_run_dialect_main((int)words.count, words.items, &is_counted);
  ls_parallel_words_close(&words);
  bool is_error = !is_counted && (result == LS_EXIT_USAGE || result == LS_EXIT_INFRASTRUCTURE);
  return is_error ? EXIT_ERROR : result;
}
