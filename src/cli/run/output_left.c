#include "cli/run/output_left.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/output_held.h"
#include "runtime/os/temporary.h"

static const char suffix[] = ".out";

enum ls_status ls_output_leave(const struct ls_output *output, struct ls_bytes *name,
                               struct ls_error *err) {
  ls_bytes_clear(name);
  ls_bytes_append_text(name, ls_temporary_parent());
  ls_bytes_append_text(name, "/loadstar-XXXXXX");
  ls_bytes_append_text(name, suffix);
  ls_bytes_append_char(name, '\0');
  if (name->failed) return ls_fail(err, LS_ENOMEM, "--files: out of memory");
  int file = mkostemps(name->data, (int)strlen(suffix), O_CLOEXEC);
  if (file < 0)
    return ls_fail(err, LS_EIO, "--files: %s: %s (set TMPDIR or --tmpdir)", name->data,
                   strerror(errno));
  bool is_written = ls_output_copy(output, file);
  int reason = errno;
  if (close(file) != 0 || !is_written)
    return ls_fail(err, LS_EIO, "--files: %s: %s", name->data, strerror(reason));
  name->data[name->length - 1] = '\n';
  return LS_OK;
}
