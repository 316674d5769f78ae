/* spool.c: pieces of a large output go to a file that nobody else can see. */
#include "runtime/output/spool.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/os/temporary.h"

struct ls_spool ls_spool_make(void) {
  return (struct ls_spool){.file = -1};
}

/* A file of somebody else lies where they want it: the kernel knows where. */
static enum ls_status fail_there(const struct ls_spool *spool, struct ls_error *err) {
  int reason = errno;
  char link[40], path[PATH_MAX];
  if (spool->is_temporary) return ls_temporary_fail("a large output", err);
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", spool->file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/');
  if (slash != NULL) slash[slash == path ? 1 : 0] = '\0';
  return ls_fail(err, LS_EIO, "an output file cannot be written in '%s': %s", path,
                 strerror(reason));
}

enum ls_status ls_spool_add(struct ls_spool *spool, const void *data, size_t length,
                            struct ls_error *err) {
  if (spool->file < 0) {
    spool->file = ls_temporary_file(err);
    spool->is_temporary = true;
  }
  if (spool->file < 0) return LS_EIO;
  const char *bytes = data;
  while (length > 0) {
    ssize_t written = write(spool->file, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail_there(spool, err);
    bytes += written;
    length -= (size_t)written;
    spool->bytes += (size_t)written;
  }
  return LS_OK;
}

struct ls_output ls_spool_take(struct ls_spool *spool) {
  struct ls_output output = {.length = spool->bytes, .file = spool->file};
  *spool = ls_spool_make();
  return output;
}

void ls_spool_close(struct ls_spool *spool) {
  if (spool->file >= 0) (void)close(spool->file);
  *spool = ls_spool_make();
}
