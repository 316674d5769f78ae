#include "runtime/pool/ssh/shipped.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/os/temporary.h"
#include "runtime/os/tree.h"

/* A younger one may still be on its way. */
static const time_t OLD_S = 3600;

static bool is_name(const char *name) {
  const size_t length = sizeof LS_SHIPPED_PREFIX - 1;
  if (strncmp(name, LS_SHIPPED_PREFIX, length) != 0) return false;
  const char *letter = name + length;
  while (isalnum((unsigned char)*letter)) ++letter;
  return *letter == '\0' && letter - name == (ptrdiff_t)length + LS_TEMPORARY_LETTERS;
}

enum ls_status ls_shipped_check(const char *path, struct ls_error *err) {
  const char *slash = strrchr(path, '/');
  if (path[0] == '/' && strlen(path) < PATH_MAX && is_name(slash + 1)) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--shipped is '%.80s', expected /.../%s and %d letters", path,
                 LS_SHIPPED_PREFIX, LS_TEMPORARY_LETTERS);
}

/* The folder above, and the name in it. */
static int open_parent(const char *path, const char **name) {
  char parent[PATH_MAX];
  const char *slash = strrchr(path, '/');
  (void)snprintf(parent, sizeof parent, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  *name = slash + 1;
  return open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int open_ours(int parent, const char *name) {
  struct stat facts;
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && fstat(folder, &facts) == 0 && facts.st_uid == geteuid()) return folder;
  if (folder >= 0) (void)close(folder);
  return -1;
}

static bool is_left(int folder) {
  struct stat facts;
  return fstat(folder, &facts) == 0 && time(NULL) - facts.st_mtime > OLD_S &&
         flock(folder, LOCK_EX | LOCK_NB) == 0;
}

static void sweep(int parent) {
  int again = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = again >= 0 ? fdopendir(again) : NULL;
  const struct dirent *entry;
  while (entries != NULL && (entry = readdir(entries)) != NULL) {
    int folder = is_name(entry->d_name) ? open_ours(parent, entry->d_name) : -1;
    if (folder < 0) continue;
    if (is_left(folder)) ls_tree_remove(parent, entry->d_name);
    (void)close(folder);
  }
  if (entries != NULL) {
    (void)closedir(entries);
  } else if (again >= 0) {
    (void)close(again);
  }
}

int ls_shipped_hold(const char *path) {
  const char *name;
  int parent = open_parent(path, &name), folder = parent >= 0 ? open_ours(parent, name) : -1;
  if (folder >= 0) (void)flock(folder, LOCK_SH | LOCK_NB);
  if (parent >= 0) sweep(parent);
  if (parent >= 0) (void)close(parent);
  return folder;
}

void ls_shipped_remove(const char *path) {
  const char *name;
  int parent = open_parent(path, &name), folder = parent >= 0 ? open_ours(parent, name) : -1;
  if (folder >= 0) ls_tree_remove(parent, name);
  if (folder >= 0) (void)close(folder);
  if (parent >= 0) (void)close(parent);
}
