/* output_dress.h: outputs as they are shown: with a tag and a tab before each line, without what
 * was shown before, and with an end to the last line.
 *
 * What is in memory stays there; a large output goes from its file to another private one.
 */
#ifndef LS_CLI_RUN_OUTPUT_DRESS_H
#define LS_CLI_RUN_OUTPUT_DRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/application.h"

struct ls_dress {
  const char *tag;  /* NULL: none */
  const char *head; /* a line before all others, which has no tag; NULL: none */
  uint64_t from;    /* the bytes before were shown; a line begins here */
  bool ends_lines;  /* a last line without an end gets one */
};

/* An output that is dressed. Starts as ls_dressed_make(). */
struct ls_dressed {
  struct ls_bytes bytes;
  int file; /* owned; -1: none */
};

struct ls_dressed ls_dressed_make(void);
/* Makes `*out`, which borrows from `dressed` until its next use, or is `output` as it stands.
 * LS_EIO, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_dressed_fill(struct ls_dressed *dressed, const struct ls_dress *dress,
                                          const struct ls_output *output, struct ls_output *out,
                                          struct ls_error *err);
void ls_dressed_close(struct ls_dressed *dressed);

#endif
