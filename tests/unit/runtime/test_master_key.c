/* The keys of a run lie where they are looked for: for workers, and for the run that goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../support/test_folder.h"
#include "runtime/master/master_key.h"

struct scene {
  char folder[TEST_FOLDER_BYTES], key[80], journal[80];
  bool is_for_pools;
  struct ls_site site;
  struct ls_master_options options;
};

static int set_up(void **state) {
  struct scene *scene = calloc(1, sizeof *scene);
  assert_non_null(scene);
  test_folder_make(scene->folder);
  (void)snprintf(scene->key, sizeof scene->key, "%s/run.key", scene->folder);
  (void)snprintf(scene->journal, sizeof scene->journal, "%s/run.db", scene->folder);
  assert_int_equal(ls_keys_make(&scene->site.keys, NULL), LS_OK);
  strcpy(scene->site.keys.asked, "tcp://*:*");
  scene->options = (struct ls_master_options){.site = &scene->site};
  *state = scene;
  return 0;
}

static int tear_down(void **state) {
  struct scene *scene = *state;
  test_folder_remove(scene->folder);
  free(scene);
  return 0;
}

static enum ls_status publish(const struct scene *scene, struct ls_temporary_folder *folder,
                              struct ls_bytes *path, struct ls_error *err) {
  struct ls_key_file keys = scene->site.keys;
  const struct ls_master_key_door door = {&keys, scene->is_for_pools};
  strcpy(keys.bound, "tcp://0.0.0.0:7");
  strcpy(keys.address, "tcp://me:7");
  return ls_master_key_publish(&scene->options, &door, folder, path, err);
}

static void a_run_without_a_journal_keeps_its_secret(void **state) {
  struct scene *scene = *state;
  struct ls_temporary_folder folder = {.lock = -1};
  struct ls_bytes path = {0};
  struct ls_key_file read;
  scene->options.key = scene->key;
  assert_int_equal(publish(scene, &folder, &path, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&path), scene->key);
  assert_string_equal(folder.path, "");
  assert_int_equal(ls_keys_read(scene->key, false, &read, NULL), LS_OK);
  assert_string_equal(read.address, "tcp://me:7");
  assert_string_equal(read.run, scene->site.keys.run);
  assert_int_equal(access(scene->journal, F_OK), -1);
  ls_bytes_close(&path);
}

static void a_journal_has_a_record_beside_it(void **state) {
  struct scene *scene = *state;
  struct ls_temporary_folder folder = {.lock = -1};
  struct ls_bytes path = {0}, record = {0};
  struct ls_key_file read;
  scene->options.key = scene->key;
  scene->options.journal = scene->journal;
  assert_int_equal(publish(scene, &folder, &path, NULL), LS_OK);
  assert_int_equal(ls_master_key_name_record(scene->journal, &record, NULL), LS_OK);
  assert_int_equal(ls_keys_read(ls_bytes_text(&record), true, &read, NULL), LS_OK);
  assert_string_equal(read.asked, "tcp://*:*");
  assert_string_equal(read.bound, "tcp://0.0.0.0:7");
  assert_string_equal(read.server.secret_key, scene->site.keys.server.secret_key);
  ls_bytes_close(&path);
  ls_bytes_close(&record);
}

/* It goes with its folder, which is the only trace of it. */
static void without_a_place_it_lies_in_a_private_folder(void **state) {
  struct scene *scene = *state;
  struct ls_temporary_folder folder = {.lock = -1};
  struct ls_bytes path = {0};
  struct stat facts;
  assert_int_equal(publish(scene, &folder, &path, NULL), LS_OK);
  assert_int_equal(strncmp(ls_bytes_text(&path), folder.path, strlen(folder.path)), 0);
  assert_int_equal(stat(folder.path, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0700);
  assert_int_equal(stat(ls_bytes_text(&path), &facts), 0);
  char before[sizeof folder.path];
  strcpy(before, folder.path);
  ls_temporary_folder_close(&folder);
  assert_int_equal(access(before, F_OK), -1);
  ls_bytes_close(&path);
}

/* Its workers hear from the pool what they need; the run that goes on needs the record. */
static void a_door_for_pools_has_a_file_where_the_user_wants_one(void **state) {
  struct scene *scene = *state;
  struct ls_temporary_folder folder = {.lock = -1};
  struct ls_bytes path = {0}, record = {0};
  struct ls_key_file read;
  scene->is_for_pools = true;
  scene->options.journal = scene->journal;
  assert_int_equal(publish(scene, &folder, &path, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&path), "");
  assert_string_equal(folder.path, "");
  assert_int_equal(ls_master_key_name_record(scene->journal, &record, NULL), LS_OK);
  assert_int_equal(ls_keys_read(ls_bytes_text(&record), true, &read, NULL), LS_OK);
  scene->options.key = scene->key;
  assert_int_equal(publish(scene, &folder, &path, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&path), scene->key);
  assert_int_equal(ls_keys_read(scene->key, false, &read, NULL), LS_OK);
  ls_bytes_close(&path);
  ls_bytes_close(&record);
}

static void a_file_of_somebody_else_ends_it(void **state) {
  struct scene *scene = *state;
  struct ls_temporary_folder folder = {.lock = -1};
  struct ls_bytes path = {0};
  struct ls_error err = {0};
  FILE *diary = fopen(scene->key, "w");
  assert_non_null(diary);
  (void)fclose(diary);
  scene->options.key = scene->key;
  assert_int_equal(publish(scene, &folder, &path, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, scene->key));
  ls_bytes_close(&path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_run_without_a_journal_keeps_its_secret, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_journal_has_a_record_beside_it, set_up, tear_down),
      cmocka_unit_test_setup_teardown(without_a_place_it_lies_in_a_private_folder, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_door_for_pools_has_a_file_where_the_user_wants_one, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_file_of_somebody_else_ends_it, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
