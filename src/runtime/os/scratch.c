#include "runtime/os/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/os/temporary.h"
#include "runtime/os/tree.h"

static const char prefix[] = "loadstar-", mark[] = "keep-cache";
enum { RUN_DIGITS = 2 * LS_SCRATCH_RUN_BYTES, TRIES_MAX = 100 };

/* Is it the folder that its name leads to, ours alone? Who removes one may have been faster. */
static bool is_current(int folder, const char *path) {
  struct stat ours, there;
  return fstat(folder, &ours) == 0 && lstat(path, &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

static bool is_private(int folder) {
  struct stat facts;
  return fstat(folder, &facts) == 0 && facts.st_uid == geteuid() && (facts.st_mode & 077) == 0;
}

/* Nobody works there: what is in it goes, but for what is kept. The lock is ours. */
static void empty(int folder) {
  static const char *const kept[] = {LS_SCRATCH_KEPT, NULL};
  static const char *const kept_with_files[] = {LS_SCRATCH_KEPT, LS_SCRATCH_FILES, mark, NULL};
  bool is_marked = faccessat(folder, mark, F_OK, 0) == 0;
  ls_tree_empty(folder, is_marked ? kept_with_files : kept);
}

static void clear(int folder, const char *path) {
  empty(folder);
  (void)unlinkat(folder, LS_SCRATCH_KEPT, AT_REMOVEDIR);
  (void)rmdir(path);
}

static int open_folder(const char *path) {
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* loadstar-, the digits of a run, -, the number of this user? */
static bool is_name_of_ours(const char *name) {
  char user[32];
  size_t length = sizeof prefix - 1;
  (void)snprintf(user, sizeof user, "-%u", (unsigned)geteuid());
  if (strncmp(name, prefix, length) != 0) return false;
  if (strspn(name + length, "0123456789abcdef") != RUN_DIGITS) return false;
  return strcmp(name + length + RUN_DIGITS, user) == 0;
}

void ls_scratch_sweep(void) {
  const char *parent = ls_temporary_parent();
  DIR *list = opendir(parent);
  if (list == NULL) return;
  const struct dirent *entry;
  while ((entry = readdir(list)) != NULL) {
    char *path = NULL;
    if (!is_name_of_ours(entry->d_name)) continue;
    if (asprintf(&path, "%s/%s", parent, entry->d_name) < 0) break;
    int folder = open_folder(path);
    bool is_dead = folder >= 0 && is_private(folder) && flock(folder, LOCK_EX | LOCK_NB) == 0;
    if (is_dead) clear(folder, path);
    if (folder >= 0) (void)close(folder);
    free(path);
  }
  (void)closedir(list);
}

static enum ls_status fail_there(const char *path, const char *reason, struct ls_error *err) {
  return ls_fail(err, LS_EIO, "the folder '%s' (TMPDIR, or --cache) cannot be used: %s", path,
                 reason);
}

/* Where nobody works any more, what dead workers of the same run have left goes; then the lock is
 * shared. */
static bool share(int folder) {
  if (flock(folder, LOCK_EX | LOCK_NB) == 0) empty(folder);
  return flock(folder, LOCK_SH) == 0;
}

/* Makes it where it is not, and joins those who work there. */
static enum ls_status join(const char *path, int *folder, struct ls_error *err) {
  for (int i = 0; i < TRIES_MAX; ++i) {
    if (mkdir(path, 0700) != 0 && errno != EEXIST) break;
    int there = open_folder(path);
    if (there < 0 && errno == ENOENT) continue;
    if (there < 0) break;
    if (!is_private(there)) {
      (void)close(there);
      return fail_there(path, "it is another user's, or open to others", err);
    }
    if (share(there) && is_current(there, path)) {
      *folder = there;
      return LS_OK;
    }
    (void)close(there);
  }
  return fail_there(path, strerror(errno), err);
}

/* Owned by the caller; NULL: no memory. */
static char *name_folder(const struct ls_scratch_setup *setup) {
  char digits[RUN_DIGITS + 1], *path = NULL;
  if (setup->path != NULL) return strdup(setup->path);
  for (size_t i = 0; i < LS_SCRATCH_RUN_BYTES; ++i)
    (void)snprintf(digits + 2 * i, 3, "%02x", (unsigned)setup->run[i]);
  int length =
      asprintf(&path, "%s/%s%s-%u", ls_temporary_parent(), prefix, digits, (unsigned)geteuid());
  return length < 0 ? NULL : path;
}

static enum ls_status mark_kept(int folder, const char *path, struct ls_error *err) {
  int file = openat(folder, mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return fail_there(path, strerror(errno), err);
  (void)close(file);
  return LS_OK;
}

enum ls_status ls_scratch_open(struct ls_scratch *scratch, const struct ls_scratch_setup *setup,
                               struct ls_error *err) {
  char *path = name_folder(setup);
  int folder = -1;
  if (path == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the name of a folder");
  enum ls_status status = join(path, &folder, err);
  if (status == LS_OK && setup->keeps_files) status = mark_kept(folder, path, err);
  if (status != LS_OK) {
    if (folder >= 0) (void)close(folder);
    free(path);
    return status;
  }
  *scratch = (struct ls_scratch){.path = path, .folder = folder};
  ls_scratch_sweep();
  return LS_OK;
}

void ls_scratch_close(struct ls_scratch *scratch) {
  if (scratch->folder >= 0) {
    if (flock(scratch->folder, LOCK_EX | LOCK_NB) == 0) clear(scratch->folder, scratch->path);
    (void)close(scratch->folder);
  }
  free(scratch->path);
  *scratch = (struct ls_scratch){.folder = -1};
}
