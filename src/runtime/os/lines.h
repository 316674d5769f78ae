/* lines.h: lines that come and go over descriptors that never block.
 */
#ifndef LS_RUNTIME_OS_LINES_H
#define LS_RUNTIME_OS_LINES_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/text.h"

enum { LS_LINE_BYTES_MAX = 16 << 10, LS_LINES_WAITING_MAX = 4 << 20 };

/* What has been read, and not been taken yet. Starts as {0}. */
struct ls_lines {
  struct ls_bytes bytes;
  size_t first;
};

/* Makes the descriptor one that never blocks, and that no program inherits. */
void ls_lines_prepare(int file);
/* Reads what is there now. False: its end, or a failure. */
bool ls_lines_fill(struct ls_lines *lines, int file);
/* The next whole line, without its end, borrowed until the next fill; false: there is none yet. A
 * line that is too long is lost up to its last part. */
bool ls_lines_take(struct ls_lines *lines, struct ls_text *line);
/* Writes what the descriptor takes now, which is forgotten. False: nobody reads it (SIGPIPE is to
 * be ignored), or too much is waiting. */
bool ls_lines_flush(struct ls_bytes *waiting, int file);
/* What has been read behind the last line, borrowed until the next fill. */
struct ls_text ls_lines_rest(const struct ls_lines *lines);
void ls_lines_close(struct ls_lines *lines);

#endif
