/* block_parts.h: the parts of a file for --pipe-part: where its blocks begin.
 *
 * But for rows of CSV, only the surroundings of each cut are read here; the workers read the
 * blocks.  Block g has the records that begin in its stretch of the file, so each record belongs to
 * exactly one, and a long record leaves the stretches behind its begin without a block.
 */
#ifndef LS_CLI_RUN_BLOCK_PARTS_H
#define LS_CLI_RUN_BLOCK_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/records.h"
#include "base/status.h"
#include "cli/run/input_form.h"
#include "protocol/block.h"

/* Starts as {.file = -1}. */
struct ls_block_parts {
  char *path; /* absolute */
  int file;
  struct ls_block_source source;
  uint64_t *edges; /* count + 1: block i is from edge i to edge i + 1; none is empty */
  size_t count, capacity;
};

/* Opens the file. LS_EINVAL: it is no regular file, or is not there. */
LS_CHECKED enum ls_status ls_block_parts_open(struct ls_block_parts *parts, const char *path,
                                              struct ls_error *err);
/* Cuts what begins at `first` into stretches of `stretch` bytes. LS_EINVAL: the file has changed
 * meanwhile. */
struct ls_block_cut {
  const struct ls_records *records;
  uint64_t first, stretch;
  /* The records are rows, or groups of them: where a row of CSV begins is only known to who has
   * read all rows before it, so the file is read once.  NULL: an edge may be sought anywhere. */
  const struct ls_input_form *rows;
  bool is_grouped;
  const struct ls_error *failure; /* of a search by the records; NULL: none fails */
};
LS_CHECKED enum ls_status ls_block_parts_cut(struct ls_block_parts *parts,
                                             const struct ls_block_cut *cut, struct ls_error *err);
void ls_block_parts_close(struct ls_block_parts *parts);

#endif
