/* bundle.h: a command that takes several units at once, as bytes: the input of a range of units.
 *
 * The words of the command stand once, each a row of pieces: literal text, or a column, of which
 * every unit has a text.  So whoever has the bundle makes the command of any part of the range.  A
 * group of pieces that repeats becomes a word for each unit; in one that does not, each column
 * becomes the texts of all units, and the words end between them.  For a shell all groups are one
 * word, its script, with spaces where words would end.
 *
 * One MessagePack array: is it a script, [the words before it], [[repeats, piece, ...], ...],
 * [columns: 0 a text of each unit, 1 that of the first], units, [texts, unit by unit].  A piece is
 * a binary, or the number of a column.  A zero byte in a text ends a word.
 */
#ifndef LS_PROTOCOL_BUNDLE_H
#define LS_PROTOCOL_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "protocol/command.h"
#include "protocol/message.h"

/* How tasks hold several units. */
struct ls_bundling {
  uint64_t units_max;      /* of one task; 0: each unit is a command of its own, no bundle */
  uint64_t line_bytes_max; /* of its command line; 0: what the system takes */
  bool are_blocks;         /* each unit has a command with a block, no bundle: a task is the first
                              command, with the blocks of all its units */
  bool splits_failed;      /* a task that fails is halved until the guilty units are known */
};

struct ls_bundle_piece {
  struct ls_blob literal; /* data NULL: a column */
  size_t column;
};

struct ls_bundle_group {
  size_t first, count; /* of the pieces */
  bool repeats;
};

/* The command without the texts of the units. Borrowed. */
struct ls_bundle_shape {
  bool is_script;
  const struct ls_blob *heads; /* words before the groups */
  size_t heads_count;
  const struct ls_bundle_group *groups;
  size_t groups_count;
  const struct ls_bundle_piece *pieces;
  size_t pieces_count;
  const bool *is_of_first; /* by column: the text of the first unit stands for all */
  size_t columns_count;
};

/* Appends all but the texts; then come those of each unit, column by column. */
void ls_bundle_encode(const struct ls_bundle_shape *shape, uint64_t units, struct ls_bytes *out);
void ls_bundle_encode_text(const void *text, size_t length, struct ls_bytes *out);

/* A decoded bundle; all texts are borrowed from the input. Storage is kept between calls. Starts as
 * {0}. */
struct ls_bundle {
  struct ls_bundle_shape shape;
  uint64_t units;
  struct ls_blob *texts; /* units x columns */
  struct ls_blob *heads;
  struct ls_bundle_group *groups;
  struct ls_bundle_piece *pieces;
  bool *columns;
  size_t texts_capacity, heads_capacity, groups_capacity, pieces_capacity, columns_capacity;
};

/* Decodes the bundle at `*offset` of an input and moves the offset behind it. LS_ECORRUPT,
 * LS_ENOMEM: the bundle has no units. */
LS_CHECKED enum ls_status ls_bundle_decode(struct ls_bundle *bundle, const void *input,
                                           size_t length, size_t *offset, struct ls_error *err);

/* What a command line may be. */
struct ls_line_limits {
  uint64_t bytes;      /* of all words, with a zero byte and a pointer each */
  uint64_t line_bytes; /* of all words, with a zero byte each */
  uint64_t word_bytes; /* of a word, with its zero byte */
};

/* The command of the first of `*units` (counted from the bundle's first) that fit together, into
 * `command`; those others are taken off. LS_EINVAL: not even one fits; the text names it.
 * LS_ENOMEM.
 */
LS_CHECKED enum ls_status ls_bundle_expand(const struct ls_bundle *bundle, struct ls_range *units,
                                           const struct ls_line_limits *limits,
                                           struct ls_command *command, struct ls_error *err);
void ls_bundle_close(struct ls_bundle *bundle);

#endif
