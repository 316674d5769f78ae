#include "cli/run/output_dress.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "runtime/os/temporary.h"

enum { BLOCK_BYTES = 1 << 16 };

struct ls_dressed ls_dressed_make(void) {
  return (struct ls_dressed){.file = -1};
}

void ls_dressed_close(struct ls_dressed *dressed) {
  if (dressed->file >= 0) close(dressed->file);
  ls_bytes_close(&dressed->bytes);
  *dressed = ls_dressed_make();
}

/* `*begins`: a line begins here; it is written. */
static void append_lines(struct ls_bytes *out, const char *tag, const char *text, size_t length,
                         bool *begins) {
  while (length > 0) {
    const char *end = memchr(text, '\n', length);
    size_t line = end != NULL ? (size_t)(end - text) + 1 : length;
    if (*begins && tag != NULL) {
      ls_bytes_append_text(out, tag);
      ls_bytes_append_char(out, '\t');
    }
    ls_bytes_append(out, text, line);
    *begins = end != NULL;
    text += line;
    length -= line;
  }
}

static void append_head(struct ls_bytes *out, const struct ls_dress *dress) {
  if (dress->head == NULL) return;
  ls_bytes_append_text(out, dress->head);
  ls_bytes_append_char(out, '\n');
}

static enum ls_status write_out(struct ls_dressed *dressed, size_t *length, struct ls_error *err) {
  if (dressed->bytes.failed) return ls_fail(err, LS_ENOMEM, "out of memory for outputs");
  if (!ls_console_write(dressed->file, dressed->bytes.data, dressed->bytes.length))
    return ls_temporary_fail("an output that is shown", err);
  *length += dressed->bytes.length;
  ls_bytes_clear(&dressed->bytes);
  return LS_OK;
}

/* `*length`: of what was written. */
static enum ls_status copy_dressed(struct ls_dressed *dressed, const struct ls_dress *dress,
                                   const struct ls_output *output, size_t *length,
                                   struct ls_error *err) {
  char block[BLOCK_BYTES];
  bool begins = true;
  enum ls_status status = LS_OK;
  *length = 0;
  append_head(&dressed->bytes, dress);
  for (uint64_t done = dress->from; done < output->length && status == LS_OK;) {
    ssize_t got = pread(output->file, block, sizeof block, (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ls_fail(err, LS_EIO, "an output cannot be read: %s", strerror(errno));
    if (got == 0) break;
    append_lines(&dressed->bytes, dress->tag, block, (size_t)got, &begins);
    status = write_out(dressed, length, err);
    done += (uint64_t)got;
  }
  if (status != LS_OK || begins || !dress->ends_lines) return status;
  ls_bytes_append_char(&dressed->bytes, '\n');
  return write_out(dressed, length, err);
}

enum ls_status ls_dressed_fill(struct ls_dressed *dressed, const struct ls_dress *dress,
                               const struct ls_output *output, struct ls_output *out,
                               struct ls_error *err) {
  bool begins = true;
  size_t length = 0;
  ls_dressed_close(dressed);
  *out = *output;
  bool is_plain = dress->tag == NULL && dress->head == NULL && dress->from == 0;
  if (is_plain && !dress->ends_lines) return LS_OK;
  bool is_empty = output->length == 0 && dress->head != NULL;
  if (output->data != NULL || is_empty) {
    append_head(&dressed->bytes, dress);
    size_t from = dress->from < output->length ? (size_t)dress->from : output->length;
    append_lines(&dressed->bytes, dress->tag, (const char *)output->data + from,
                 output->length - from, &begins);
    if (dress->ends_lines && !begins) ls_bytes_append_char(&dressed->bytes, '\n');
    *out = (struct ls_output){ls_bytes_text(&dressed->bytes), dressed->bytes.length, -1};
    return dressed->bytes.failed ? ls_fail(err, LS_ENOMEM, "out of memory for outputs") : LS_OK;
  }
  if (output->file < 0) return LS_OK;
  dressed->file = ls_temporary_file(err);
  if (dressed->file < 0) return LS_EIO;
  enum ls_status status = copy_dressed(dressed, dress, output, &length, err);
  *out = (struct ls_output){.length = length, .file = dressed->file};
  return status;
}
