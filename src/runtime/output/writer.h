/* writer.h: outputs leave through a process of its own, so that a reader that stops stops nobody
 * else.
 *
 * What is added waits in files without a name that both processes share: up to LS_WRITER_MEMORY_MAX
 * bytes in memory, more of it in the folder for temporary files.  The writer copies it, in order,
 * to two descriptors and counts what has left.  It dies with its master, and what had not left then
 * does not leave.
 */
#ifndef LS_RUNTIME_OUTPUT_WRITER_H
#define LS_RUNTIME_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
  LS_WRITER_MEMORY_MAX = 16 << 20, /* bytes that wait in memory */
  LS_WRITER_BEHIND = 256 << 20     /* with more than so many waiting it is behind */
};

enum ls_writer_stream { LS_WRITER_OUTPUT, LS_WRITER_ERROR };

/* Of a file, which is read with pread. */
struct ls_writer_part {
  int file;
  uint64_t offset, length;
};

struct ls_writer;

/* Starts the process. `files`: descriptors to write output and error output to, which stay the
 * caller's.  `waits_for_readers`: what leaves through a pipe has left when its reader has taken it,
 * so that what a reader which dies has not taken is known.  To be called while the process has one
 * thread. LS_EIO. */
LS_CHECKED enum ls_status ls_writer_open(const int files[2], bool waits_for_readers,
                                         struct ls_writer **out, struct ls_error *err);
/* Takes bytes over, without waiting for the reader. LS_ECLOSED: nobody reads one of the two
 * descriptors any more; LS_EIO: it cannot be written, or there is no room for what waits. */
LS_CHECKED enum ls_status ls_writer_add(struct ls_writer *writer, enum ls_writer_stream stream,
                                        const void *data, size_t length, struct ls_error *err);
/* The same of a part of a file, or up to its end. */
LS_CHECKED enum ls_status ls_writer_add_part(struct ls_writer *writer, enum ls_writer_stream stream,
                                             const struct ls_writer_part *part,
                                             struct ls_error *err);
/* Hands what was added to the process, which may begin earlier. Fails as ls_writer_add. */
LS_CHECKED enum ls_status ls_writer_attend(struct ls_writer *writer, struct ls_error *err);
/* The place in the stream after what was added, and up to where it has left: what was added before
 * ls_writer_given() was p has left once ls_writer_left() is at least p. */
uint64_t ls_writer_given(const struct ls_writer *writer);
uint64_t ls_writer_left(const struct ls_writer *writer);
/* So much waits that nothing should be made that adds to it. */
bool ls_writer_is_behind(const struct ls_writer *writer);
/* Readable when more has left; ls_writer_attend makes it unreadable. */
int ls_writer_file(const struct ls_writer *writer);
/* Waits until all has left, or `is_hurried` (asked after each signal) is true: LS_EINTERRUPTED. */
LS_CHECKED enum ls_status ls_writer_finish(struct ls_writer *writer, bool (*is_hurried)(void),
                                           struct ls_error *err);
/* Ends the process; what has not left is gone. NULL is fine. */
void ls_writer_close(struct ls_writer *writer);

#endif
