/* pack_cli_fixture.h: words, tables of tasks and a folder for the tests of `loadstar pack`. */
#ifndef LS_TESTS_UNIT_CLI_PACK_FIXTURE_H
#define LS_TESTS_UNIT_CLI_PACK_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/pack/pack_division.h"
#include "cli/pack/pack_files.h"
#include "cli/pack/pack_text.h"
#include "formats/task_times_text.h"

/* Options as if these words had been given behind "pack"; NULL ends them. */
static inline void take_options(struct ls_pack_options *options, const char *const *words) {
  static char *argv[32];
  int argc = 0;
  argv[argc++] = (char *)(uintptr_t) "pack";
  while (words[argc - 1] != NULL) {
    argv[argc] = (char *)(uintptr_t)words[argc - 1]; /* argp permutes words, and writes into none */
    argc++;
  }
  argv[argc] = NULL;
  ls_pack_options_read(options, argc, argv);
}

#define OPTIONS(options, ...) take_options((options), (const char *const[]){__VA_ARGS__, NULL})

/* Name,seconds,size lines of one or two files, and a list (NULL: none). */
struct tables {
  struct ls_task_times times, list;
  struct ls_pack_tasks tasks;
};

static inline void take_tables(struct tables *tables, const char *first, const char *second,
                               const char *list) {
  *tables = (struct tables){.times = {.items = NULL}};
  const char *const files[] = {first, second};
  for (int i = 0; i < 2; i++)
    if (files[i] != NULL)
      assert_int_equal(ls_task_times_read_csv(
                           &tables->times, (struct ls_text){files[i], strlen(files[i]), "f"}, NULL),
                       LS_OK);
  if (list != NULL)
    assert_int_equal(ls_task_times_read_list(
                         &tables->list, (struct ls_text){list, strlen(list), "l"}, false, NULL),
                     LS_OK);
  assert_int_equal(ls_pack_tasks_make(&tables->times, list == NULL ? NULL : &tables->list, false,
                                      &tables->tasks, NULL),
                   LS_OK);
}

static inline void close_tables(struct tables *tables) {
  ls_pack_tasks_close(&tables->tasks);
  ls_task_times_close(&tables->times);
  ls_task_times_close(&tables->list);
}

static inline void expect_text(const char *text, const char *words) {
  if (strstr(text, words) == NULL) fail_msg("'%s' does not say '%s'", text, words);
}

#endif
