/* spool.c: pieces of a large output go to a file that nobody else can see. */
#include "runtime/spool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "runtime/temporary.h"

struct ls_spool ls_spool_make(void) {
  return (struct ls_spool){.file = -1};
}

enum ls_status ls_spool_add(struct ls_spool *spool, const void *data, size_t length,
                            struct ls_error *err) {
  if (spool->file < 0) spool->file = ls_temporary_file(err);
  if (spool->file < 0) return LS_EIO;
  const char *bytes = data;
  while (length > 0) {
    ssize_t written = write(spool->file, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return ls_fail(err, LS_EIO, "cannot keep a large output: %s", strerror(errno));
    }
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
