/* records.h: where the records of a stream end, and how blocks of whole records are cut from it.
 *
 * A record ends behind a text (a line end), before a text (the `>` of FASTA), or only where both
 * meet; or a function finds the edge (a pattern, quotes, groups of lines).  Nothing is copied and
 * nothing is read: the caller has the bytes, and comes again with more of them.  Blocks depend on
 * the bytes alone, not on how they arrived, and every byte is looked at a bounded number of times,
 * however long a record is.
 */
#ifndef LS_BASE_RECORDS_H
#define LS_BASE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LS_RECORD_NONE SIZE_MAX

/* The first edge behind `from`, which is an edge itself; LS_RECORD_NONE: none is certain yet.
 * `is_end`: nothing follows the bytes. An edge at their end is allowed. */
typedef size_t (*ls_record_fn)(void *context, const char *data, size_t length, size_t from,
                               bool is_end);

/* What separates records. Texts are borrowed and may hold any byte; both empty and no function:
 * every byte is a record. */
struct ls_records {
  const char *end, *start;
  size_t end_length, start_length;
  ls_record_fn find; /* in place of the texts; NULL: none */
  void *context;
};

/* The first edge whose end text begins at `from` or later (without an end text: that lies behind
 * `from`); LS_RECORD_NONE. For texts only. */
size_t ls_records_first(const struct ls_records *records, const char *data, size_t length,
                        size_t from);
/* The last edge that is > 0 and at most `most`; LS_RECORD_NONE. For texts only. */
size_t ls_records_last(const struct ls_records *records, const char *data, size_t length,
                       size_t most);

/* Cuts blocks. The first six fields are settings, the rest is {0} at first. */
struct ls_cutter {
  struct ls_records records;
  uint64_t group;       /* so many pieces between edges make one record; 0: one */
  uint64_t records_max; /* a block has so many records; 0: any number */
  size_t bytes_max;     /* a block with several records is no longer; 0: any length */
  bool skips_leading;   /* end texts in front of the first record are part of it */

  bool has_begun; /* a record was found that is more than its end */

  size_t edge, searched; /* of this block: the last edge found, and where to look on */
  size_t last;           /* the end of its last whole record */
  uint64_t pieces, whole;
  size_t retry; /* a function is asked again when there are so many bytes */
};

/* `data` begins where the last block ended. The length of the next block; 0: more bytes are needed,
 * or none are left. With `is_end` what is left is a record, too. */
size_t ls_cutter_cut(struct ls_cutter *cutter, const char *data, size_t length, bool is_end);

#endif
