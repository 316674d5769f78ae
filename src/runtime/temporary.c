#include "runtime/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
  const char *folder = getenv("TMPDIR");
  if (folder == NULL || folder[0] == '\0') folder = "/tmp";
  int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) file = make_named(folder);
  if (file < 0) {
    (void)ls_fail(err, LS_EIO, "cannot make a temporary file in '%s' (TMPDIR): %s", folder,
                  strerror(errno));
  }
  return file;
}
