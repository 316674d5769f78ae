#include "runtime/master/reason.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The first bytes, wherever they are. */
static size_t read_head(const struct ls_output *output, char *out, size_t most) {
  if (output->data != NULL) {
    size_t length = output->length < most ? output->length : most;
    memcpy(out, output->data, length);
    return length;
  }
  if (output->file < 0) return 0;
  ssize_t got;
  do got = pread(output->file, out, most, 0);
  while (got < 0 && errno == EINTR);
  return got < 0 ? 0 : (size_t)got;
}

void ls_reason_read(const struct ls_output *error_output, char reason[LS_REASON_BYTES]) {
  char head[LS_REASON_BYTES];
  size_t length = read_head(error_output, head, sizeof head - 1);
  head[length] = '\0';
  const char *begin = head + strspn(head, " \t\r\n");
  length = strcspn(begin, "\r\n");
  memcpy(reason, begin, length);
  reason[length] = '\0';
}
