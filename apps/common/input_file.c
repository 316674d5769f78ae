#include "input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ls_status refuse(const char *application, const char *path, const struct stat *facts,
                             struct ls_error *err) {
  return ls_fail(err, LS_EINVAL, "%s: %s: is %s, expected a file", application, path,
                 S_ISDIR(facts->st_mode)    ? "a folder"
                 : S_ISFIFO(facts->st_mode) ? "a pipe"
                                            : "a device");
}

static enum ls_status open_any(const char *application, const char *path, bool may_be_pipe,
                               int *file, struct ls_error *err) {
  struct stat facts;
  /* A pipe that is not wanted would let open wait. */
  int opened = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (may_be_pipe ? 0 : O_NONBLOCK));
  if (opened >= 0 && fstat(opened, &facts) == 0) {
    bool is_pipe = may_be_pipe && S_ISFIFO(facts.st_mode);
    enum ls_status status =
        S_ISREG(facts.st_mode) || is_pipe ? LS_OK : refuse(application, path, &facts, err);
    if (status == LS_OK) *file = opened;
    if (status != LS_OK) (void)close(opened);
    return status;
  }
  enum ls_status status = ls_fail(err, LS_EINVAL, "%s: %s: %s", application, path, strerror(errno));
  if (opened >= 0) (void)close(opened);
  return status;
}

enum ls_status input_file_open(const char *application, const char *path, int *file,
                               struct ls_error *err) {
  return open_any(application, path, false, file, err);
}

enum ls_status input_file_read(const char *application, const char *path, bool may_be_pipe,
                               struct ls_bytes *bytes, struct ls_error *err) {
  char block[65536];
  int file = -1;
  ssize_t got = 1;
  enum ls_status status = open_any(application, path, may_be_pipe, &file, err);
  if (status != LS_OK) return status;
  while (got != 0 && !bytes->failed) {
    got = read(file, block, sizeof block);
    if (got < 0 && errno != EINTR) break;
    if (got > 0) ls_bytes_append(bytes, block, (size_t)got);
  }
  if (got < 0) {
    status = ls_fail(err, LS_EINVAL, "%s: %s: %s", application, path, strerror(errno));
  } else if (bytes->failed) {
    status = ls_fail(err, LS_ENOMEM, "%s: %s: out of memory", application, path);
  }
  (void)close(file);
  return status;
}
