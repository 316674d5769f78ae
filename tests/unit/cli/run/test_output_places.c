#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/run/output_places.h"
#include "runtime/os/temporary.h"

static const struct ls_grammar grammar = {.sources_count = 1};

static char folder[] = "/tmp/loadstar-test-XXXXXX";
static struct ls_task_source source;
static struct ls_task_files files;
static struct ls_output_places places = {.files = &files, .is_synced = true};

static int set_up(void **state) {
  (void)state;
  static char *words[] = {(char *)"a", (char *)"b"};
  const struct ls_file_options options = {.outputs = {{"d/e/{}.out", "{}.log"}, 2}};
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) return -1;
  if (ls_task_source_add_words(&source, words, 2, false, NULL) != LS_OK) return -1;
  if (ls_task_source_finish(&source, NULL) != LS_OK) return -1;
  return ls_task_files_open(&files, &options, &source, &grammar, NULL) == LS_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  ls_task_files_close(&files);
  ls_task_source_close(&source);
  return chdir("/") + rmdir(folder);
}

static size_t count_entries(const char *path) {
  size_t count = 0;
  DIR *list = opendir(path);
  while (list != NULL && readdir(list) != NULL) ++count;
  if (list != NULL) closedir(list);
  return count > 2 ? count - 2 : 0;
}

static void read_file(const char *path, char data[16]) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  data[fread(data, 1, 15, file)] = '\0';
  assert_int_equal(fclose(file), 0);
}

static void an_output_has_its_place_when_it_is_taken_and_not_before(void **state) {
  (void)state;
  struct stat facts;
  char data[16];
  int file = ls_output_places_open(&places, 0, 0, NULL);
  assert_true(file >= 0);
  assert_int_equal(write(file, "data", 4), 4);
  /* A master that is killed now leaves nothing but folders. */
  assert_int_equal(count_entries("d/e"), 0);
  const struct ls_output_file outputs[2] = {{file, 0640, true}, {-1, 0600, true}};
  assert_int_equal(ls_output_places_keep(&places, 0, outputs, 2, NULL), LS_OK);
  assert_int_equal(stat("d/e/a.out", &facts), -1);
  assert_int_equal(count_entries("d/e"), 1);
  assert_int_equal(close(file), 0);
  /* What stood there is replaced whole, once; a second time changes nothing. */
  FILE *earlier = fopen("d/e/a.out", "w");
  assert_true(fputs("earlier and longer", earlier) >= 0 && fclose(earlier) == 0);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ls_output_places_take(&places, 0, NULL), LS_OK);
    read_file("d/e/a.out", data);
    assert_string_equal(data, "data");
  }
  assert_int_equal(count_entries("d/e"), 1);
  assert_int_equal(stat("d/e/a.out", &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0640);
  assert_int_equal(stat("a.log", &facts), 0);
  assert_true(facts.st_size == 0);
  assert_int_equal(unlink("d/e/a.out") + unlink("a.log") + rmdir("d/e") + rmdir("d"), 0);
}

/* Of a session that was killed, whose task then ends otherwise. */
static void what_was_not_committed_is_forgotten(void **state) {
  (void)state;
  struct stat facts;
  const struct ls_output_file made[2] = {{-1, 0600, true}, {-1, 0600, true}};
  const struct ls_output_file lacking[1] = {{-1, 0, false}};
  assert_int_equal(ls_output_places_keep(&places, 1, made, 2, NULL), LS_OK);
  assert_int_equal(ls_output_places_keep(&places, 1, lacking, 1, NULL), LS_OK);
  assert_int_equal(ls_output_places_take(&places, 1, NULL), LS_OK);
  assert_int_equal(stat("d/e/b.out", &facts), -1);
  assert_int_equal(stat("b.log", &facts), -1);
  assert_int_equal(rmdir("d/e") + rmdir("d"), 0);
}

static void a_place_that_cannot_be_had_is_named(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_int_equal(ls_output_places_open(&places, 2, 0, &err), -1);
  assert_int_equal(err.status, LS_ECORRUPT);
  assert_int_equal(ls_output_places_open(&places, 0, 2, &err), -1);
  assert_int_equal(err.status, LS_ECORRUPT);
  FILE *file = fopen("d", "w");
  assert_int_equal(fclose(file), 0);
  assert_int_equal(ls_output_places_open(&places, 0, 0, &err), -1);
  assert_int_equal(err.status, LS_EIO);
  assert_non_null(strstr(err.text, "'d/e' cannot be written there"));
  assert_int_equal(unlink("d"), 0);
  const struct ls_output_file outputs[2] = {{-1, 0, false}, {-1, 0600, true}};
  assert_int_equal(mkdir("a.log", 0700), 0);
  assert_int_equal(ls_output_places_keep(&places, 0, outputs, 2, NULL), LS_OK);
  assert_int_equal(ls_output_places_take(&places, 0, &err), LS_EIO);
  assert_non_null(strstr(err.text, "'a.log' cannot take its place"));
  assert_int_equal(rmdir("a.log"), 0);
  /* A pipe stays what it is; so would a device. */
  assert_int_equal(mkfifo("a.log", 0600), 0);
  assert_int_equal(ls_output_places_take(&places, 0, &err), LS_EIO);
  assert_non_null(strstr(err.text, "'a.log' cannot take its place: File exists"));
  assert_int_equal(unlink("a.log"), 0);
  assert_int_equal(ls_output_places_take(&places, 0, &err), LS_OK);
  assert_int_equal(unlink("a.log"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_output_has_its_place_when_it_is_taken_and_not_before),
      cmocka_unit_test(what_was_not_committed_is_forgotten),
      cmocka_unit_test(a_place_that_cannot_be_had_is_named),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
