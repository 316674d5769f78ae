#include "runtime/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"

enum { LINKS_MAX = 40 };

/* Where the file shall stand, and beside it what becomes it. */
struct place {
  struct ls_bytes path, beside;
  mode_t mode;
};

static void place_close(struct place *place) {
  ls_bytes_close(&place->path);
  ls_bytes_close(&place->beside);
}

/* What a link names that nothing stands behind yet; owned, NULL: it cannot be told, errno says why.
 */
static char *follow(const char *path) {
  char *target = strdup(path);
  for (int links = 0; target != NULL; links++) {
    char next[PATH_MAX];
    ssize_t length = readlink(target, next, sizeof next - 1);
    if (length < 0) return target;
    next[length] = '\0';
    const char *slash = next[0] == '/' ? NULL : strrchr(target, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - target) + 1;
    char *joined = NULL;
    errno = ELOOP;
    if (links == LINKS_MAX || asprintf(&joined, "%.*s%s", (int)folder, target, next) < 0)
      joined = NULL;
    int reason = errno;
    free(target);
    errno = reason;
    target = joined;
  }
  return NULL;
}

/* Follows a link to what it names. */
static enum ls_status place_open(struct place *place, const char *path, struct ls_error *err) {
  struct stat facts;
  *place = (struct place){.mode = 0666};
  if (path[0] == '\0') return ls_fail(err, LS_EINVAL, "'' is no name of a file");
  bool is_there = stat(path, &facts) == 0;
  if (is_there && !S_ISREG(facts.st_mode))
    return ls_fail(err, LS_EINVAL, "%s: is %s, expected an ordinary file or none", path,
                   S_ISDIR(facts.st_mode) ? "a folder" : "no ordinary file");
  if (is_there) place->mode = facts.st_mode & 0777;
  char *resolved = is_there ? realpath(path, NULL) : follow(path);
  if (resolved == NULL) return ls_fail(err, LS_EINVAL, "%s: %s", path, strerror(errno));
  ls_bytes_printf(&place->path, "%s", resolved);
  ls_bytes_printf(&place->beside, "%s.new-%ld", resolved, (long)getpid());
  free(resolved);
  if (!place->path.failed && !place->beside.failed) return LS_OK;
  place_close(place);
  return ls_fail(err, LS_ENOMEM, "%s: out of memory", path);
}

static int make_beside(const struct place *place) {
  return open(ls_bytes_text(&place->beside), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, place->mode);
}

enum ls_status ls_whole_file_check(const char *path, struct ls_error *err) {
  struct place place;
  enum ls_status status = place_open(&place, path, err);
  if (status != LS_OK) return status;
  int file = make_beside(&place);
  if (file < 0) {
    status = ls_fail(err, LS_EINVAL, "%s: nothing can be written there: %s", path, strerror(errno));
  } else {
    (void)close(file);
    (void)unlink(ls_bytes_text(&place.beside));
  }
  place_close(&place);
  return status;
}

/* 0, or why not. */
static int write_part(int file, const struct ls_text *part) {
  for (size_t at = 0; at < part->length;) {
    ssize_t written = write(file, part->data + at, part->length - at);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) at += (size_t)written;
  }
  return 0;
}

static int write_parts(int file, const struct ls_text *parts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int reason = write_part(file, &parts[i]);
    if (reason != 0) return reason;
  }
  return fsync(file) == 0 ? 0 : errno;
}

enum ls_status ls_whole_file_write(const char *path, const struct ls_text *parts, size_t count,
                                   struct ls_error *err) {
  struct place place;
  enum ls_status status = place_open(&place, path, err);
  if (status != LS_OK) return status;
  const char *beside = ls_bytes_text(&place.beside);
  int file = make_beside(&place);
  int reason = file < 0 ? errno : write_parts(file, parts, count);
  if (file >= 0 && close(file) != 0 && reason == 0) reason = errno;
  if (reason == 0 && rename(beside, ls_bytes_text(&place.path)) != 0) reason = errno;
  if (reason != 0) {
    if (file >= 0) (void)unlink(beside);
    status = ls_fail(err, LS_EIO, "%s: %s", path, strerror(reason));
  }
  place_close(&place);
  return status;
}

/* ---- names ---- */

static bool are_one(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *find_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool find_folder(const char *path, struct stat *facts) {
  size_t length = (size_t)(find_name(path) - path);
  char *folder = length > 0 ? strndup(path, length) : strdup(".");
  bool is_there = folder != NULL && stat(folder, facts) == 0;
  free(folder);
  return is_there;
}

bool ls_whole_file_is_same(const char *path, const char *other) {
  struct stat first, second;
  bool is_there = stat(path, &first) == 0, is_other_there = stat(other, &second) == 0;
  if (is_there && is_other_there) return S_ISREG(first.st_mode) && are_one(&first, &second);
  return is_there == is_other_there && strcmp(find_name(path), find_name(other)) == 0 &&
         find_folder(path, &first) && find_folder(other, &second) && are_one(&first, &second);
}
