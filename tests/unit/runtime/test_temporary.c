#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/os/temporary.h"

static void file_is_private_nameless_and_not_inherited(void **state) {
  (void)state;
  struct stat facts;
  char text[4] = "";
  int file = ls_temporary_file(NULL);
  assert_true(file >= 0);
  assert_int_equal(fstat(file, &facts), 0);
  assert_int_equal(facts.st_nlink, 0);
  assert_int_equal(facts.st_mode & 0777, 0600);
  assert_true((fcntl(file, F_GETFD) & FD_CLOEXEC) != 0);
  assert_int_equal(pwrite(file, "abc", 3, 0), 3);
  assert_int_equal(pread(file, text, 3, 0), 3);
  assert_string_equal(text, "abc");
  assert_int_equal(close(file), 0);
}

static void folder_is_that_of_the_environment_and_named_when_it_fails(void **state) {
  (void)state;
  struct ls_error err = {0};
  const char *before = getenv("TMPDIR");
  char *kept = before != NULL ? strdup(before) : NULL;
  assert_int_equal(setenv("TMPDIR", "/no/such/folder", 1), 0);
  assert_int_equal(ls_temporary_file(&err), -1);
  assert_int_equal(err.status, LS_EIO);
  assert_non_null(strstr(err.text, "'/no/such/folder'"));
  /* No nameless file, and none with a name: /proc takes neither. */
  assert_int_equal(setenv("TMPDIR", "/proc", 1), 0);
  assert_int_equal(ls_temporary_file(&err), -1);
  assert_non_null(strstr(err.text, "'/proc'"));
  assert_int_equal(setenv("TMPDIR", "", 1), 0);
  int file = ls_temporary_file(&err);
  assert_true(file >= 0);
  assert_int_equal(close(file), 0);
  assert_int_equal(kept != NULL ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR"), 0);
  free(kept);
}

static bool is_there(const char *path) {
  struct stat facts;
  return lstat(path, &facts) == 0;
}

/* Leaves a file of its kind in the folder. */
static void fill(const char *folder, bool is_socket) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  (void)snprintf(name.sun_path, sizeof name.sun_path, "%s/%s", folder,
                 is_socket ? "master" : "notes");
  int file = is_socket ? socket(AF_UNIX, SOCK_STREAM, 0) : open(name.sun_path, O_CREAT, 0600);
  assert_true(file >= 0);
  if (is_socket) assert_int_equal(bind(file, (struct sockaddr *)&name, sizeof name), 0);
  assert_int_equal(close(file), 0);
}

static struct ls_temporary_folder open_folder(void) {
  struct ls_temporary_folder folder;
  struct ls_error err;
  if (ls_temporary_folder_open(&folder, &err) != LS_OK) fail_msg("%s", err.text);
  return folder;
}

static void private_folder_goes_with_its_sockets(void **state) {
  (void)state;
  struct ls_temporary_folder folder = open_folder();
  struct stat facts;
  char path[sizeof folder.path];
  memcpy(path, folder.path, sizeof path);
  assert_int_equal(stat(path, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0700);
  assert_true((fcntl(folder.lock, F_GETFD) & FD_CLOEXEC) != 0);
  fill(path, true);
  ls_temporary_folder_close(&folder);
  assert_false(is_there(path));
  assert_int_equal(folder.path[0], '\0');
  /* Twice does no harm. */
  ls_temporary_folder_close(&folder);
}

/* What is no socket was put there by somebody who may want it. */
static void folder_with_other_things_stays(void **state) {
  (void)state;
  struct ls_temporary_folder folder = open_folder();
  char path[sizeof folder.path], notes[sizeof folder.path + 16];
  memcpy(path, folder.path, sizeof path);
  (void)snprintf(notes, sizeof notes, "%s/notes", path);
  fill(path, true);
  fill(path, false);
  (void)close(folder.lock);
  ls_temporary_sweep(path);
  assert_true(is_there(notes));
  assert_int_equal(unlink(notes), 0);
  assert_int_equal(rmdir(path), 0); /* nothing else is left in it */
}

/* One of the user's own, by chance with a name like ours. */
static void folder_without_our_mark_is_left_as_it_is(void **state) {
  (void)state;
  struct ls_temporary_folder living = open_folder(), claimed = {.lock = -1};
  struct ls_error err = {0};
  char path[sizeof living.path], key[sizeof path + 8], link[sizeof path + 8];
  memcpy(path, living.path, sizeof path);
  (void)snprintf(strrchr(path, '/'), 32, "/loadstar-run-backup");
  (void)snprintf(key, sizeof key, "%s/key", path);
  (void)snprintf(link, sizeof link, "%s/link", path);
  assert_int_equal(mkdir(path, 0700), 0);
  ls_temporary_sweep(living.path);
  assert_true(is_there(path));
  assert_int_equal(close(open(key, O_WRONLY | O_CREAT, 0600)), 0);
  assert_int_equal(symlink("/", link), 0);
  fill(path, true);
  ls_temporary_sweep(living.path);
  assert_int_equal(ls_temporary_folder_claim(&claimed, "backup", &err), LS_EIO);
  assert_non_null(strstr(err.text, path));
  assert_true(is_there(key) && is_there(link));
  ls_temporary_remove(path); /* who is told its name by its owner may */
  assert_false(is_there(path));
  /* Of an owner that died before it had set the mark. */
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(ls_temporary_folder_claim(&claimed, "backup", &err), LS_OK);
  ls_temporary_folder_close(&claimed);
  assert_false(is_there(path));
  ls_temporary_folder_close(&living);
}

/* Only what carries our name, mode, owner and mark, and whose owner is dead. */
static void sweep_leaves_what_is_not_ours_alone(void **state) {
  (void)state;
  struct ls_temporary_folder dead = open_folder(), living = open_folder();
  char parent[sizeof dead.path], other[sizeof dead.path + 32], open_to_all[sizeof dead.path + 32];
  memcpy(parent, dead.path, sizeof parent);
  *strrchr(parent, '/') = '\0';
  (void)snprintf(other, sizeof other, "%s/loadstar-run-other-XXXXXX", parent);
  (void)snprintf(open_to_all, sizeof open_to_all, "%s/loadstar-run-XXXXXX", parent);
  assert_non_null(mkdtemp(other));
  assert_non_null(mkdtemp(open_to_all));
  assert_int_equal(chmod(open_to_all, 0755), 0);
  fill(dead.path, true);
  (void)close(dead.lock);
  ls_temporary_sweep(living.path);
  assert_false(is_there(dead.path));
  assert_true(is_there(living.path));
  assert_int_equal(rmdir(other), 0);
  assert_int_equal(rmdir(open_to_all), 0);
  ls_temporary_folder_close(&living);
  /* Places without a folder are nobody's. */
  ls_temporary_sweep("/");
  ls_temporary_sweep("nowhere");
  ls_temporary_sweep("/no/such/folder/at/all");
  ls_temporary_remove("/no/such/folder/at/all");
}

static void claimed_folder_is_found_by_its_letters(void **state) {
  (void)state;
  struct ls_temporary_folder first, second = {.lock = -1};
  struct ls_error err = {0};
  assert_int_equal(ls_temporary_folder_claim(&first, "abcXY1", &err), LS_OK);
  assert_string_equal(first.path + strlen(first.path) - 6, "abcXY1");
  fill(first.path, true);
  assert_int_equal(ls_temporary_folder_claim(&second, "abcXY1", &err), LS_EBUSY);
  assert_string_equal(second.path, first.path);
  assert_int_equal(second.lock, -1);
  /* Its owner dies, and leaves it with a socket and a link. */
  char link[128];
  (void)snprintf(link, sizeof link, "%s/link", first.path);
  assert_int_equal(symlink("master", link), 0);
  (void)close(first.lock);
  assert_int_equal(ls_temporary_folder_claim(&second, "abcXY1", &err), LS_OK);
  assert_false(is_there(link));
  ls_temporary_folder_close(&second);
  assert_false(is_there(first.path));
}

static void folder_of_others_is_not_claimed(void **state) {
  (void)state;
  struct ls_temporary_folder folder;
  struct ls_error err = {0};
  assert_int_equal(ls_temporary_folder_claim(&folder, "abcXY2", &err), LS_OK);
  char path[sizeof folder.path];
  strcpy(path, folder.path);
  assert_int_equal(chmod(path, 0755), 0);
  assert_int_equal(ls_temporary_folder_claim(&folder, "abcXY2", &err), LS_EIO);
  assert_non_null(strstr(err.text, path));
  ls_temporary_remove(path);
  assert_int_equal(symlink("/", path), 0);
  assert_int_equal(ls_temporary_folder_claim(&folder, "abcXY2", &err), LS_EIO);
  assert_int_equal(unlink(path), 0);
}

static void folder_that_cannot_be_made_is_named(void **state) {
  (void)state;
  struct ls_temporary_folder folder;
  struct ls_error err;
  const char *before = getenv("TMPDIR");
  char *kept = before != NULL ? strdup(before) : NULL;
  assert_int_equal(setenv("TMPDIR", "/proc", 1), 0);
  assert_int_equal(ls_temporary_folder_open(&folder, &err), LS_EIO);
  assert_non_null(strstr(err.text, "/proc"));
  /* A long one leaves a socket no room. */
  const char *odd = "/a-folder/whose-name-is-so-long/that-the-path-of-a-socket-within-it/would-be";
  assert_int_equal(setenv("TMPDIR", odd, 1), 0);
  folder = open_folder();
  assert_memory_equal(folder.path, "/tmp/loadstar-run-", 18);
  ls_temporary_folder_close(&folder);
  assert_int_equal(kept != NULL ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR"), 0);
  free(kept);
}

/* Workers go to other folders before they use it. */
static void relative_folder_is_meant_from_where_the_program_starts(void **state) {
  (void)state;
  char parent[] = "/tmp/loadstar-enter-XXXXXX", whole[64];
  const char *before = getenv("TMPDIR");
  char *kept = before != NULL ? strdup(before) : NULL, *here = getcwd(NULL, 0);
  assert_non_null(mkdtemp(parent));
  (void)snprintf(whole, sizeof whole, "%s/here", parent);
  assert_int_equal(mkdir(whole, 0700), 0);
  assert_int_equal(chdir(parent), 0);
  assert_int_equal(setenv("TMPDIR", "here", 1), 0);
  assert_int_equal(ls_temporary_enter("TMPDIR", getenv("TMPDIR"), NULL), LS_OK);
  assert_string_equal(getenv("TMPDIR"), whole);
  assert_string_equal(ls_temporary_parent(), whole);
  /* Nothing changes in what is absolute already, nor where there is nothing. */
  assert_int_equal(setenv("TMPDIR", "/tmp/../tmp", 1), 0);
  assert_int_equal(ls_temporary_enter("TMPDIR", "/tmp/../tmp", NULL), LS_OK);
  assert_int_equal(ls_temporary_enter("TMPDIR", "", NULL), LS_OK);
  assert_int_equal(ls_temporary_enter("TMPDIR", NULL, NULL), LS_OK);
  assert_string_equal(getenv("TMPDIR"), "/tmp/../tmp");
  assert_int_equal(unsetenv("TMPDIR"), 0);
  assert_string_equal(ls_temporary_parent(), "/tmp");
  assert_int_equal(rmdir(whole), 0);
  assert_int_equal(rmdir(parent), 0);
  assert_int_equal(chdir(here), 0);
  assert_int_equal(kept != NULL ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR"), 0);
  free(kept);
  free(here);
}

static void folder_that_cannot_be_used_is_refused_by_its_name(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_int_equal(ls_temporary_enter("TMPDIR", "nowhere/at all", &err), LS_EINVAL);
  assert_string_equal(err.text, "TMPDIR nowhere/at all: No such file or directory");
  assert_int_equal(ls_temporary_enter("--tmpdir", "/proc/self/status", &err), LS_EINVAL);
  assert_string_equal(err.text, "--tmpdir /proc/self/status: Not a directory");
}

static void what_cannot_be_written_is_told_with_the_folder(void **state) {
  (void)state;
  struct ls_error err = {0};
  const char *before = getenv("TMPDIR");
  char *kept = before != NULL ? strdup(before) : NULL;
  assert_int_equal(setenv("TMPDIR", "/small", 1), 0);
  errno = ENOSPC;
  assert_int_equal(ls_temporary_fail("a block", &err), LS_EIO);
  assert_string_equal(err.text,
                      "a block cannot be kept in '/small' (TMPDIR): No space left on device");
  assert_int_equal(kept != NULL ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR"), 0);
  free(kept);
}

/* No descriptor is left for the lock: what was made goes again. */
static void folder_that_cannot_be_locked_does_not_stay(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_temporary_folder folder;
  struct rlimit before;
  char parent[] = "/tmp/loadstar-temporary-XXXXXX";
  const char *named = getenv("TMPDIR");
  char *kept = named != NULL ? strdup(named) : NULL;
  assert_non_null(mkdtemp(parent));
  assert_int_equal(setenv("TMPDIR", parent, 1), 0);
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit none = {0, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  enum ls_status status = ls_temporary_folder_open(&folder, &err);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  assert_int_equal(status, LS_EIO);
  if (strstr(err.text, strerror(EMFILE)) == NULL) fail_msg("%s", err.text);
  assert_int_equal(rmdir(parent), 0);
  assert_int_equal(kept != NULL ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR"), 0);
  free(kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(file_is_private_nameless_and_not_inherited),
      cmocka_unit_test(folder_is_that_of_the_environment_and_named_when_it_fails),
      cmocka_unit_test(private_folder_goes_with_its_sockets),
      cmocka_unit_test(folder_with_other_things_stays),
      cmocka_unit_test(sweep_leaves_what_is_not_ours_alone),
      cmocka_unit_test(folder_without_our_mark_is_left_as_it_is),
      cmocka_unit_test(claimed_folder_is_found_by_its_letters),
      cmocka_unit_test(folder_of_others_is_not_claimed),
      cmocka_unit_test(folder_that_cannot_be_made_is_named),
      cmocka_unit_test(relative_folder_is_meant_from_where_the_program_starts),
      cmocka_unit_test(folder_that_cannot_be_used_is_refused_by_its_name),
      cmocka_unit_test(what_cannot_be_written_is_told_with_the_folder),
      cmocka_unit_test(folder_that_cannot_be_locked_does_not_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
