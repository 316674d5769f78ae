/* block_edges.h: what stands between records: texts, or regular expressions, and its removal.
 *
 * An expression is only believed where so many bytes follow that more of them could not change what
 * it matches, so blocks do not depend on how the data arrive.
 */
#ifndef LS_CLI_RUN_BLOCK_EDGES_H
#define LS_CLI_RUN_BLOCK_EDGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/records.h"
#include "base/status.h"
#include "cli/run/input_form.h"
#include "cli/run/pattern.h"

/* So many bytes behind a match. */
enum { LS_BLOCK_EDGE_BYTES = 4096 };

/* Starts as {0}. */
struct ls_block_edges {
  struct ls_bytes end, start;                 /* texts; empty: none */
  const struct ls_input_form *rows;           /* records are rows of CSV; NULL: they are not */
  struct ls_pattern *edge;                    /* where both meet; NULL: texts are no expressions */
  bool is_before;                             /* it is a start, and stands behind its edge */
  struct ls_pattern *end_match, *start_match; /* NULL: none */
  struct ls_pattern *joint_match;             /* both, one behind the other; NULL: one is missing */
  struct ls_pattern *first_match, *last_match; /* the start at the beginning, the end at the end */
  struct ls_error failure;                     /* of a search */
};

/* The texts are there: makes expressions of them. LS_EINVAL: one is none. */
LS_CHECKED enum ls_status ls_block_edges_compile(struct ls_block_edges *edges,
                                                 struct ls_error *err);
/* For a cutter; borrows the edges. */
struct ls_records ls_block_edges_records(struct ls_block_edges *edges);
/* Appends the block without all that separates records: all matches of the only text or expression;
 * of two what matches where they meet, a start that the block begins with and an end that it ends
 * with. */
LS_CHECKED enum ls_status ls_block_edges_remove(struct ls_block_edges *edges, const char *data,
                                                size_t length, struct ls_bytes *out,
                                                struct ls_error *err);
void ls_block_edges_close(struct ls_block_edges *edges);

#endif
