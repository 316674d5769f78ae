#include "cli/run/output_places.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "cli/console.h"

enum { HIDDEN_BYTES = 64, LINK_BYTES = 32, BLOCK_BYTES = 1 << 16, SHOWN_BYTES = 200 };

/* Where an output belongs. */
struct place {
  char folder[PATH_MAX];
  const char *name;          /* borrowed of the task's files */
  char hidden[HIDDEN_BYTES]; /* its name before it has its place */
};

static enum ls_status fail_place(const char *path, const char *doing, struct ls_error *err) {
  int reason = errno;
  char shown[SHOWN_BYTES];
  ls_console_show(path, shown, sizeof shown);
  return ls_fail(err, LS_EIO, "output '%s' %s: %s", shown, doing, strerror(reason));
}

static enum ls_status find_place(const struct ls_output_places *places, uint64_t unit, size_t index,
                                 struct place *place, struct ls_error *err) {
  const char *path = NULL;
  enum ls_status status = ls_task_files_output(places->files, unit, index, &path, err);
  if (status != LS_OK) return status;
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  if (length >= sizeof place->folder) {
    errno = ENAMETOOLONG;
    return fail_place(path, "has no place", err);
  }
  const char *folder = slash == NULL ? "." : length == 0 ? "/" : path;
  size_t folder_length = folder == path ? length : 1;
  (void)snprintf(place->folder, sizeof place->folder, "%.*s", (int)folder_length, folder);
  place->name = slash == NULL ? path : slash + 1;
  uint64_t digest = ls_digest_add(LS_DIGEST_START, place->name, strlen(place->name));
  (void)snprintf(place->hidden, sizeof place->hidden, ".loadstar-%016" PRIx64 "-%" PRIu64, digest,
                 unit + 1);
  return LS_OK;
}

/* Makes what is missing of a folder. */
static int open_folder(char *path) {
  const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  int folder = open(path, flags);
  if (folder >= 0 || errno != ENOENT) return folder;
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(path, 0777);
    *slash = '/';
  }
  if (mkdir(path, 0777) != 0 && errno != EEXIST) return -1;
  return open(path, flags);
}

/* Where no file can be without a name it loses it at once, and is copied when it gets one. */
static int make_nameless(int folder) {
  int file = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  char path[LINK_BYTES + 24];
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d/.loadstar-XXXXXX", folder);
  file = mkostemp(path, O_CLOEXEC);
  if (file >= 0) (void)unlink(path);
  return file;
}

int ls_output_places_open(void *context, uint64_t unit, size_t index, struct ls_error *err) {
  const struct ls_output_places *places = context;
  struct place place;
  if (find_place(places, unit, index, &place, err) != LS_OK) return -1;
  int folder = open_folder(place.folder);
  int file = folder >= 0 ? make_nameless(folder) : -1;
  if (file < 0) (void)fail_place(place.folder, "cannot be written there", err);
  if (folder >= 0) close(folder);
  return file;
}

/* ---- names ---- */

static bool copy_to(int from, int to) {
  char block[BLOCK_BYTES];
  for (off_t offset = 0;;) {
    ssize_t length = pread(from, block, sizeof block, offset);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return length == 0;
    if (!ls_console_write(to, block, (size_t)length)) return false;
    offset += length;
  }
}

/* A file of its own, with the bytes of another one; -1: an empty one. */
static bool make_named(int folder, const char *name, const struct ls_output_file *output,
                       bool is_synced) {
  int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  bool is_made = output->file < 0 || copy_to(output->file, file);
  is_made = is_made && fchmod(file, output->mode) == 0 && (!is_synced || fsync(file) == 0);
  int reason = errno;
  close(file);
  if (!is_made) (void)unlinkat(folder, name, 0);
  errno = reason;
  return is_made;
}

static bool link_named(int folder, const char *name, const struct ls_output_file *output,
                       bool is_synced) {
  char path[LINK_BYTES];
  if (fchmod(output->file, output->mode) != 0) return false;
  if (is_synced && fsync(output->file) != 0) return false;
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", output->file);
  return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) == 0;
}

static enum ls_status keep_one(const struct ls_output_places *places, struct place *place,
                               const struct ls_output_file *output, struct ls_error *err) {
  int folder = open_folder(place->folder);
  if (folder < 0) return fail_place(place->folder, "cannot be written there", err);
  (void)unlinkat(folder, place->hidden, 0);
  bool is_kept = output->file >= 0 && link_named(folder, place->hidden, output, places->is_synced);
  if (!is_kept) is_kept = make_named(folder, place->hidden, output, places->is_synced);
  if (is_kept && places->is_synced) is_kept = fsync(folder) == 0;
  enum ls_status status = is_kept ? LS_OK : fail_place(place->name, "cannot be kept", err);
  close(folder);
  return status;
}

/* What an earlier session has left is not what the journal knows. */
static void forget_one(const struct place *place) {
  int folder = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  (void)unlinkat(folder, place->hidden, 0);
  close(folder);
}

enum ls_status ls_output_places_keep(void *context, uint64_t unit,
                                     const struct ls_output_file *files, size_t count,
                                     struct ls_error *err) {
  const struct ls_output_places *places = context;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < places->files->outputs_count && status == LS_OK; i++) {
    struct place place;
    status = find_place(places, unit, i, &place, err);
    if (status != LS_OK) continue;
    if (i < count && files[i].is_there)
      status = keep_one(places, &place, &files[i], err);
    else
      forget_one(&place);
  }
  return status;
}

/* A device or a pipe would give way to the file, and be no more. */
static bool may_be_replaced(int folder, const char *name) {
  struct stat facts;
  if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) return true;
  if (S_ISREG(facts.st_mode) || S_ISLNK(facts.st_mode)) return true;
  errno = S_ISDIR(facts.st_mode) ? EISDIR : EEXIST;
  return false;
}

enum ls_status ls_output_places_take(const struct ls_output_places *places, uint64_t unit,
                                     struct ls_error *err) {
  for (size_t i = 0; i < places->files->outputs_count; i++) {
    struct place place;
    enum ls_status status = find_place(places, unit, i, &place, err);
    if (status != LS_OK) return status;
    int folder = open(place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_kept = folder >= 0 && faccessat(folder, place.hidden, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    bool is_taken = is_kept && may_be_replaced(folder, place.name) &&
                    renameat(folder, place.hidden, folder, place.name) == 0;
    if (!is_taken && errno != ENOENT) status = fail_place(place.name, "cannot take its place", err);
    if (folder >= 0) close(folder);
    if (status != LS_OK) return status;
  }
  return LS_OK;
}
