/* blocks.h: data that are divided among commands in blocks of whole records.
 *
 * A stream is cut as it comes and kept until each block is done; of a file the places are known
 * before the run; with --tee all of it is one block, which each task gets; with --round-robin
 * another process cuts it and deals it out.  A unit of the run is a block, its value a text that
 * says which one it is, so a journal can tell whether data are the same.
 */
#ifndef LS_CLI_RUN_BLOCKS_H
#define LS_CLI_RUN_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/records.h"
#include "base/status.h"
#include "cli/run/block_edges.h"
#include "cli/run/block_groups.h"
#include "cli/run/block_options.h"
#include "cli/run/block_parts.h"
#include "cli/run/block_store.h"
#include "cli/run/dealing.h"
#include "cli/run/input_stream.h"
#include "protocol/block.h"

/* Zero without --pipe and --pipe-part; opened with ls_blocks_open. */
struct ls_blocks {
  const struct ls_block_options *options; /* NULL: there are none */
  bool is_remote;                         /* a worker may be on another machine */
  bool has_sums;                          /* each block of a stream is known by a checksum */
  struct ls_cutter cutter;
  struct ls_block_edges edges;     /* what separates records */
  struct ls_block_groups groups;   /* of lines, which are records with --group-by */
  struct ls_pattern *header_match; /* --header is an expression; NULL: a number of lines */
  struct ls_bytes header;
  bool has_header; /* it is known, or there is none */
  uint64_t offset; /* of the stream, behind the last block */
  struct ls_block_store store;
  struct ls_block_parts parts;
  struct ls_dealing dealing; /* with --round-robin: units are processes that are fed blocks */
  struct ls_bytes prefix;    /* of the names of --cat and --fifo; empty: none */
  struct ls_bytes name, path, data, kept;
};

/* What `is_remote` and `has_sums` say. */
struct ls_blocks_setup {
  const struct ls_block_options *options;
  bool is_remote, has_sums;
};

/* LS_EINVAL: an option is wrong. */
LS_CHECKED enum ls_status ls_blocks_open(struct ls_blocks *blocks,
                                         const struct ls_blocks_setup *setup, struct ls_error *err);
/* --pipe-part: finds the places of all blocks; `workers` share them. LS_EINVAL names the file. */
LS_CHECKED enum ls_status ls_blocks_cut_file(struct ls_blocks *blocks, const char *path,
                                             size_t workers, struct ls_error *err);
/* --tee: reads all of the descriptor. `name` stands in messages. */
LS_CHECKED enum ls_status ls_blocks_keep_all(struct ls_blocks *blocks, int file, const char *name,
                                             struct ls_error *err);
/* The next block of a stream whose next bytes are `data`: how many of these are used (0: more are
 * needed, or at the end none are left), and the block that they make, if they are no header.  It is
 * borrowed until the next call. */
struct ls_next_block {
  bool is_end; /* to be said: nothing follows the data */
  size_t used;
  bool is_block;
  struct ls_subject block;
};
LS_CHECKED enum ls_status ls_blocks_next(struct ls_blocks *blocks, struct ls_subject data,
                                         struct ls_next_block *next, struct ls_error *err);
/* For an input stream (input_stream.h): cuts the next block off the data, and stores it. */
LS_CHECKED enum ls_status ls_blocks_cut(void *context, const struct ls_bytes *arrived,
                                        struct ls_input_cut *cut, struct ls_error *err);
/* How many blocks may wait, so that memory stays bounded. */
uint64_t ls_blocks_most(const struct ls_blocks *blocks);
/* Appends which block of a file it is. */
void ls_blocks_describe_part(const struct ls_blocks *blocks, size_t number, struct ls_bytes *out);
/* Do the commands get a name? It is their only input then. */
bool ls_blocks_has_name(const struct ls_blocks *blocks);
/* The name for a unit at a worker's slot; "": it has none. Borrowed until the next call. */
const char *ls_blocks_name(struct ls_blocks *blocks, uint64_t unit, uint32_t slot);
/* What goes with the command of a unit. Borrowed until the next call. LS_EIO, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_blocks_of(struct ls_blocks *blocks, uint64_t unit, uint32_t slot,
                                       struct ls_block *block, struct ls_error *err);
/* Bytes that a unit's command was given, without the header that stands before the first block of
 * each task: all of the data with --tee, else those of the block, which the text describes. */
uint64_t ls_blocks_measure(const struct ls_blocks *blocks, uint64_t unit, const char *described);
/* These units are done. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_blocks_settle(struct ls_blocks *blocks, struct ls_range units,
                                           struct ls_error *err);
void ls_blocks_close(struct ls_blocks *blocks);

#endif
