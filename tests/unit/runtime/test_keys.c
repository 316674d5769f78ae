/* Keys are made anew, and their files are private, whole, and nobody else's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "../../support/test_folder.h"
#include "runtime/os/keys.h"

struct scene {
  char folder[TEST_FOLDER_BYTES], path[80];
  struct ls_key_file keys; /* of a worker's file, there */
};

static int set_up(void **state) {
  struct scene *scene = calloc(1, sizeof *scene);
  assert_non_null(scene);
  test_folder_make(scene->folder);
  (void)snprintf(scene->path, sizeof scene->path, "%s/run.key", scene->folder);
  assert_int_equal(ls_keys_make(&scene->keys, NULL), LS_OK);
  strcpy(scene->keys.address, "tcp://127.0.0.1:1");
  scene->keys.is_master = false;
  assert_int_equal(ls_keys_write(&scene->keys, scene->path, NULL), LS_OK);
  *state = scene;
  return 0;
}

static int tear_down(void **state) {
  struct scene *scene = *state;
  test_folder_remove(scene->folder);
  free(scene);
  return 0;
}

static void expect_refusal(const char *path, const char *words) {
  struct ls_key_file read;
  struct ls_error err = {0};
  assert_int_equal(ls_keys_read(path, false, &read, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL || strstr(err.text, path) == NULL) fail_msg("%s", err.text);
}

static void keys_are_pairs_and_new_each_time(void **state) {
  (void)state;
  struct ls_key_file keys[2];
  for (int i = 0; i < 2; i++) {
    char public[LS_KEY_BYTES];
    assert_int_equal(ls_keys_make(&keys[i], NULL), LS_OK);
    assert_int_equal(zmq_curve_public(public, keys[i].server.secret_key), 0);
    assert_string_equal(public, keys[i].server.public_key);
    assert_int_equal(zmq_curve_public(public, keys[i].client.secret_key), 0);
    assert_string_equal(public, keys[i].client.public_key);
    assert_string_not_equal(keys[i].server.secret_key, keys[i].client.secret_key);
    assert_int_equal(strspn(keys[i].run, "0123456789abcdef"), LS_KEY_RUN_BYTES - 1);
  }
  assert_string_not_equal(keys[0].server.secret_key, keys[1].server.secret_key);
  assert_string_not_equal(keys[0].client.secret_key, keys[1].client.secret_key);
  assert_string_not_equal(keys[0].run, keys[1].run);
}

/* Whatever the umask is. */
static void a_file_is_private_and_replaces_one_of_its_kind(void **state) {
  struct scene *scene = *state;
  struct ls_key_file read;
  struct stat facts;
  assert_int_equal(stat(scene->path, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0600);
  struct ls_key_file others;
  assert_int_equal(ls_keys_make(&others, NULL), LS_OK);
  strcpy(others.address, "tcp://127.0.0.1:2");
  others.is_master = false;
  mode_t before = umask(0);
  assert_int_equal(ls_keys_write(&others, scene->path, NULL), LS_OK);
  (void)umask(before);
  assert_int_equal(stat(scene->path, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0600);
  assert_int_equal(ls_keys_read(scene->path, false, &read, NULL), LS_OK);
  assert_string_equal(read.address, "tcp://127.0.0.1:2");
  assert_string_equal(read.client.secret_key, others.client.secret_key);
}

static void what_is_no_key_file_is_not_replaced(void **state) {
  struct scene *scene = *state;
  struct ls_error err = {0};
  char other[128];
  struct stat facts;
  (void)snprintf(other, sizeof other, "%s/diary", scene->folder);
  int file = open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_int_equal(write(file, "dear", 4), 4);
  (void)close(file);
  assert_int_equal(ls_keys_write(&scene->keys, other, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "diary is there and is not replaced"));
  assert_int_equal(stat(other, &facts), 0);
  assert_int_equal(facts.st_size, 4);
  /* Nor a link to one of its kind, nor a worker's file by a master's record. */
  (void)unlink(other);
  assert_int_equal(symlink(scene->path, other), 0);
  assert_int_equal(ls_keys_write(&scene->keys, other, &err), LS_EINVAL);
  scene->keys.is_master = true;
  assert_int_equal(ls_keys_write(&scene->keys, scene->path, &err), LS_EINVAL);
  (void)snprintf(other, sizeof other, "%s/no/such", scene->folder);
  assert_int_equal(ls_keys_write(&scene->keys, other, &err), LS_EIO);
  assert_non_null(strstr(err.text, "no/such"));
}

static void files_of_others_and_of_other_kinds_are_refused(void **state) {
  struct scene *scene = *state;
  char link[128], pipe[128], large[LS_KEY_FILE_BYTES_MAX];
  (void)snprintf(link, sizeof link, "%s/link", scene->folder);
  (void)snprintf(pipe, sizeof pipe, "%s/pipe", scene->folder);
  assert_int_equal(symlink(scene->path, link), 0);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  expect_refusal(link, "is a link");
  expect_refusal(pipe, "is no plain file"); /* and nobody waits for a writer */
  expect_refusal(scene->folder, "is no plain file");
  expect_refusal("/nowhere/run.key", "No such file");
  static const mode_t modes[] = {0640, 0604, 0610, 0601};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    char mode[16];
    assert_int_equal(chmod(scene->path, modes[i]), 0);
    (void)snprintf(mode, sizeof mode, "mode %04o", (unsigned)modes[i]);
    expect_refusal(scene->path, mode);
  }
  assert_int_equal(chmod(scene->path, 0600), 0);
  if (geteuid() == 0) {
    assert_int_equal(chown(scene->path, 12345, 0), 0);
    expect_refusal(scene->path, "is of user 12345");
    assert_int_equal(chown(scene->path, 0, 0), 0);
  }
  assert_int_equal(truncate(scene->path, 60), 0);
  expect_refusal(scene->path, "is no JSON");
  memset(large, ' ', sizeof large);
  int file = open(scene->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  assert_int_equal(write(file, large, sizeof large), sizeof large);
  (void)close(file);
  expect_refusal(scene->path, "bytes and more");
}

/* What stands behind the line is somebody else's. */
static void a_line_of_standard_input_is_read(void **state) {
  struct scene *scene = *state;
  struct ls_key_file read_keys;
  struct ls_bytes text = {0};
  int ends[2], before = dup(STDIN_FILENO);
  char rest[8] = "";
  ls_key_file_write(&scene->keys, &text);
  ls_bytes_append_text(&text, "behind");
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], text.data, text.length), text.length);
  assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  assert_int_equal(ls_keys_read("-", false, &read_keys, NULL), LS_OK);
  assert_string_equal(read_keys.client.secret_key, scene->keys.client.secret_key);
  assert_int_equal(read(STDIN_FILENO, rest, sizeof rest), 6);
  assert_string_equal(rest, "behind");
  assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
  (void)close(before);
  (void)close(ends[0]);
  (void)close(ends[1]);
  ls_bytes_close(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_are_pairs_and_new_each_time),
      cmocka_unit_test_setup_teardown(a_file_is_private_and_replaces_one_of_its_kind, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(what_is_no_key_file_is_not_replaced, set_up, tear_down),
      cmocka_unit_test_setup_teardown(files_of_others_and_of_other_kinds_are_refused, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_line_of_standard_input_is_read, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
