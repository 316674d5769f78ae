#include "cli/run/summary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"

struct ls_summary_file {
  int file;
  char *path; /* NULL: standard output */
  bool is_created, is_written;
};

enum ls_status ls_summary_file_open(const char *path, struct ls_summary_file **out,
                                    struct ls_error *err) {
  bool is_output = path == NULL || strcmp(path, "-") == 0;
  struct ls_summary_file *file = calloc(1, sizeof *file);
  char *copy = is_output ? NULL : strdup(path);
  if (file == NULL || (copy == NULL && !is_output)) {
    free(file);
    free(copy);
    return ls_fail(err, LS_ENOMEM, "--json: out of memory");
  }
  *file = (struct ls_summary_file){.file = STDOUT_FILENO, .path = copy};
  if (!is_output) {
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
    file->file = open(path, flags | O_EXCL, 0666);
    file->is_created = file->file >= 0;
    if (!file->is_created && errno == EEXIST) file->file = open(path, flags, 0666);
  }
  if (file->file < 0) {
    enum ls_status status = ls_fail(err, LS_EINVAL, "--json: %s: %s", path, strerror(errno));
    ls_summary_file_close(file);
    return status;
  }
  *out = file;
  return LS_OK;
}

/* Takes away the content of the file; a pipe, a terminal or a device cannot be cut, and needs not
 * be. */
static bool clear_file(const struct ls_summary_file *file) {
  struct stat about;
  if (file->path == NULL || fstat(file->file, &about) != 0 || !S_ISREG(about.st_mode)) return true;
  return ftruncate(file->file, 0) == 0;
}

enum ls_status ls_summary_file_write(struct ls_summary_file *file, const struct ls_bytes *text,
                                     struct ls_error *err) {
  const char *name = file->path == NULL ? "standard output" : file->path;
  if (text->failed) return ls_fail(err, LS_ENOMEM, "--json: %s: out of memory", name);
  bool is_written =
      clear_file(file) && ls_console_write(file->file, ls_bytes_text(text), text->length);
  int reason = errno;
  if (!is_written) (void)clear_file(file);
  /* Some file systems tell only here that there is no room. */
  if (file->path != NULL) {
    if (close(file->file) != 0 && is_written) {
      is_written = false;
      reason = errno;
    }
    file->file = -1;
  }
  file->is_written = is_written;
  return is_written ? LS_OK : ls_fail(err, LS_EIO, "--json: %s: %s", name, strerror(reason));
}

void ls_summary_file_close(struct ls_summary_file *file) {
  if (file == NULL) return;
  if (file->path != NULL && file->file >= 0) close(file->file);
  if (file->is_created && !file->is_written) unlink(file->path);
  free(file->path);
  free(file);
}
