#include "runtime/os/temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char prefix[] = "loadstar-run-";
enum { PARENT_LENGTH_MAX = 70, TRIES_MAX = 100 };

/* ---- the folder of all of them ---- */

const char *ls_temporary_parent(void) {
  const char *parent = getenv("TMPDIR");
  return parent != NULL && parent[0] != '\0' ? parent : "/tmp";
}

enum ls_status ls_temporary_enter(const char *source, const char *path, struct ls_error *err) {
  if (path == NULL || path[0] == '\0') return LS_OK;
  char *whole = realpath(path, NULL);
  struct stat facts;
  bool is_usable = whole != NULL && stat(whole, &facts) == 0;
  if (is_usable && !S_ISDIR(facts.st_mode)) {
    is_usable = false;
    errno = ENOTDIR;
  }
  const char *known = getenv("TMPDIR");
  /* What tasks see of an absolute name stays as the user has written it. */
  bool stays = path[0] == '/' && known != NULL && strcmp(known, path) == 0;
  is_usable =
      is_usable && access(whole, W_OK | X_OK) == 0 && (stays || setenv("TMPDIR", whole, 1) == 0);
  enum ls_status status =
      is_usable ? LS_OK : ls_fail(err, LS_EINVAL, "%s %s: %s", source, path, strerror(errno));
  free(whole);
  return status;
}

/* ---- files ---- */

/* Not every file system has nameless files: then by name, which is taken away at once. */
static int make_named(const char *folder) {
  char *path = NULL;
  if (asprintf(&path, "%s/loadstar-XXXXXX", folder) < 0) return -1;
  int file = mkostemp(path, O_CLOEXEC);
  int reason = errno;
  if (file >= 0) (void)unlink(path);
  free(path);
  errno = reason;
  return file;
}

int ls_temporary_file(struct ls_error *err) {
  const char *folder = ls_temporary_parent();
  int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) file = make_named(folder);
  if (file < 0) {
    (void)ls_fail(err, LS_EIO, "cannot make a temporary file in '%s' (TMPDIR): %s", folder,
                  strerror(errno));
  }
  return file;
}

enum ls_status ls_temporary_fail(const char *what, struct ls_error *err) {
  int reason = errno;
  const char *folder = ls_temporary_parent();
  struct statvfs facts;
  char room[48] = "";
  if (statvfs(folder, &facts) == 0)
    (void)snprintf(room, sizeof room, "; %.1f MiB are free there",
                   (double)facts.f_bavail * (double)facts.f_frsize / (1 << 20));
  return ls_fail(err, LS_EIO, "%s cannot be kept in '%s' (TMPDIR): %s%s", what, folder,
                 strerror(reason), room);
}

/* ---- folders ---- */

/* The lock of a folder that exists: its descriptor, or -1; EWOULDBLOCK: somebody has it. */
static int lock_folder(const char *path) {
  int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat ours, there;
  /* Somebody may have removed it, and made another one, before the lock was ours. */
  int reason = 0;
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    reason = errno;
  } else if (fstat(file, &ours) == 0 && lstat(path, &there) == 0 && ours.st_ino == there.st_ino &&
             ours.st_dev == there.st_dev) {
    return file;
  }
  (void)close(file);
  errno = reason;
  return -1;
}

static bool set_mark(int folder) {
  int mark = openat(folder, LS_TEMPORARY_MARK, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  return mark >= 0 && close(mark) == 0;
}

static bool has_mark(int folder) {
  struct stat facts;
  return fstatat(folder, LS_TEMPORARY_MARK, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(facts.st_mode) && facts.st_size == 0;
}

static const char *find_parent(void) {
  const char *parent = ls_temporary_parent();
  return strlen(parent) <= PARENT_LENGTH_MAX ? parent : "/tmp";
}

enum ls_status ls_temporary_folder_open(struct ls_temporary_folder *folder, struct ls_error *err) {
  const char *parent = find_parent();
  for (int i = 0; i < TRIES_MAX; ++i) {
    struct ls_temporary_folder made = {.lock = -1};
    (void)snprintf(made.path, sizeof made.path, "%s/%sXXXXXX", parent, prefix);
    if (mkdtemp(made.path) == NULL) break;
    made.lock = lock_folder(made.path);
    if (made.lock >= 0 && set_mark(made.lock)) {
      *folder = made;
      return LS_OK;
    }
    /* A sweep that came in between took it for one that a dead process has left; or there is no
     * descriptor to be had, and it would stay. */
    int reason = errno;
    if (made.lock >= 0) (void)close(made.lock);
    (void)rmdir(made.path);
    errno = reason;
  }
  return ls_fail(err, LS_EIO, "cannot make a private folder in %s: %s", parent, strerror(errno));
}

/* What may be in such a folder goes. */
static void clear_folder(const char *path) {
  int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *folder = file >= 0 ? fdopendir(file) : NULL;
  if (folder == NULL) {
    if (file >= 0) (void)close(file);
    return;
  }
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    struct stat facts;
    bool goes = fstatat(file, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                (S_ISSOCK(facts.st_mode) || S_ISLNK(facts.st_mode) ||
                 strcmp(entry->d_name, LS_TEMPORARY_KEY) == 0 ||
                 strcmp(entry->d_name, LS_TEMPORARY_MARK) == 0);
    if (goes) (void)unlinkat(file, entry->d_name, 0);
  }
  (void)closedir(folder);
}

void ls_temporary_remove(const char *path) {
  clear_folder(path);
  (void)rmdir(path); /* which fails when somebody keeps other things there */
}

void ls_temporary_folder_close(struct ls_temporary_folder *folder) {
  if (folder->path[0] != '\0') ls_temporary_remove(folder->path);
  if (folder->lock >= 0) (void)close(folder->lock);
  *folder = (struct ls_temporary_folder){.lock = -1};
}

/* One of ours by its name, its owner and its mode? */
static bool is_ours(int parent, const char *name) {
  struct stat facts;
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
  const char *chance = name + sizeof prefix - 1;
  if (strlen(chance) != LS_TEMPORARY_LETTERS) return false;
  for (const char *letter = chance; *letter != '\0'; ++letter) {
    if (!isalnum((unsigned char)*letter)) return false;
  }
  return fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == geteuid() && (facts.st_mode & 07777) == 0700;
}

static enum ls_status take_folder(struct ls_temporary_folder *folder, struct ls_error *err) {
  clear_folder(folder->path);
  if (set_mark(folder->lock)) return LS_OK;
  enum ls_status status =
      ls_fail(err, LS_EIO, "cannot mark the folder %s: %s", folder->path, strerror(errno));
  ls_temporary_folder_close(folder);
  return status;
}

enum ls_status ls_temporary_folder_claim(struct ls_temporary_folder *folder,
                                         const char letters[LS_TEMPORARY_LETTERS + 1],
                                         struct ls_error *err) {
  struct ls_temporary_folder made = {.lock = -1};
  struct stat facts;
  (void)snprintf(made.path, sizeof made.path, "%s/%s%.6s", find_parent(), prefix, letters);
  for (int i = 0; i < TRIES_MAX; ++i) {
    bool is_new = mkdir(made.path, 0700) == 0;
    if (!is_new && errno != EEXIST)
      return ls_fail(err, LS_EIO, "cannot make the folder %s: %s", made.path, strerror(errno));
    if (lstat(made.path, &facts) != 0) continue; /* swept meanwhile */
    if (!S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & 0077) != 0)
      return ls_fail(err, LS_EIO, "%s is there, and is no private folder of this user", made.path);
    made.lock = lock_folder(made.path);
    if (made.lock < 0 && errno != EWOULDBLOCK) continue;
    *folder = made;
    if (made.lock < 0) return ls_fail(err, LS_EBUSY, "%s belongs to a living process", made.path);
    if (is_new || has_mark(made.lock)) return take_folder(folder, err);
    bool is_empty = rmdir(made.path) == 0; /* of one that died before it had set the mark */
    (void)close(made.lock);
    *folder = (struct ls_temporary_folder){.lock = -1};
    if (!is_empty) return ls_fail(err, LS_EIO, "%s is there, and is no folder of a run", made.path);
  }
  return ls_fail(err, LS_EIO, "cannot hold the folder %s: %s", made.path, strerror(errno));
}

void ls_temporary_sweep(const char *path) {
  char parent[PATH_MAX], name[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (slash == NULL || slash == path || strlen(path) >= sizeof parent) return;
  (void)snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
  DIR *folder = opendir(parent);
  if (folder == NULL) return;
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    if (!is_ours(dirfd(folder), entry->d_name)) continue;
    int length = snprintf(name, sizeof name, "%s/%s", parent, entry->d_name);
    if (length >= (int)sizeof name) continue;
    int lock = lock_folder(name);
    if (lock < 0) continue; /* its owner lives */
    if (has_mark(lock)) ls_temporary_remove(name);
    (void)close(lock);
  }
  (void)closedir(folder);
}
