/* alignment.h: start vectors, the alignments they stand for, and their scores.
 *
 * A start vector has one position for each sequence; the words of l letters that begin there are
 * the rows of its alignment matrix.  Its profile counts the letters in each column; its score is
 * the sum of the largest counts.  Vectors are numbered in mixed radix, the last sequence fastest,
 * so the order of the numbers is the lexicographic one; prefixes, of the first sequences only, are
 * numbered likewise.
 *
 * A row is kept as bits, four for each column, of which its letter sets one.  The counts of a
 * profile are kept as planes of such bits, so that one instruction counts in 16 columns.  With the
 * most frequent letters of each column as bits, too (favourites), one row more adds as much to the
 * score as it has bits in common with them.
 */
#ifndef MOTIF_ALIGNMENT_H
#define MOTIF_ALIGNMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

#include "sequences.h"

enum {
  COLUMNS_PER_WORD = 16,
  COUNT_BITS = 6,
  SEQUENCES_MIN = 2,
  SEQUENCES_MAX = 62, /* 2^62 vectors at least; counts fit into their bits */
  MOTIF_LENGTH_MAX = 4096,
  ROW_WORDS_MAX = MOTIF_LENGTH_MAX / COLUMNS_PER_WORD,
  PROFILE_WORDS_MAX = ROW_WORDS_MAX * COUNT_BITS
};

/* All rows of all sequences. */
struct space {
  size_t sequences, length;                          /* t and l */
  uint64_t positions[SEQUENCES_MAX], positions_most; /* of each sequence; of the longest one */
  uint64_t vectors;                                  /* their product; fewer than 2^63 */
  size_t words;                                      /* of a row */
  size_t planes;                                     /* of a count: so many bits */
  size_t profile_words;                              /* of a profile */
  size_t first_rows[SEQUENCES_MAX];
  size_t rows_count; /* positions of all sequences */
  uint64_t *rows;    /* rows_count x words, those of a sequence from its first one on */
};

/* The best start vector of some, or the best prefix. */
struct best {
  bool is_known;
  uint64_t score, number;
};

/* `has_last`: a motif may also begin at the last place that leaves room for it. A letter that is
 * none of A, C, G, T is like no other. LS_EINVAL: a sequence is too short, or there are too many
 * start vectors. */
enum ls_status space_open(struct space *space, const struct sequences *sequences, size_t length,
                          bool has_last, struct ls_error *err);
void space_close(struct space *space);
static inline const uint64_t *space_row(const struct space *space, size_t sequence,
                                        uint64_t position) {
  return space->rows + (space->first_rows[sequence] + (size_t)position) * space->words;
}
/* The positions of a prefix of so many rows, and back. */
void space_unpack(const struct space *space, uint64_t number, size_t depth, uint64_t *starts);
uint64_t space_pack(const struct space *space, const uint64_t *starts, size_t depth);

/* `after` (profile_words) counts what `before` does, and one row more. They may be the same. */
void profile_add(const struct space *space, const uint64_t *before, const uint64_t *row,
                 uint64_t *after);
/* Counts the rows of a prefix. */
void profile_of(const struct space *space, const uint64_t *starts, size_t depth, uint64_t *profile);
/* The score; and the letters that are most frequent in each column (`words` of bits). */
uint64_t profile_score(const struct space *space, const uint64_t *profile, uint64_t *favourites);
/* Of these positions of a sequence the first one whose row adds most to the score; how much. */
uint64_t profile_choose(const struct space *space, const uint64_t *favourites, size_t sequence,
                        struct ls_range positions, uint64_t *chosen);
/* How much one row adds. */
uint64_t profile_match(const struct space *space, const uint64_t *favourites, const uint64_t *row);
/* The most frequent letter of each column, of several the first in A, C, G, T; `length` of them. */
void favourites_spell(const struct space *space, const uint64_t *favourites, char *consensus);

/* Keeps the higher score; of equal ones the lower number. */
void best_take(struct best *best, uint64_t score, uint64_t number);
void best_merge(struct best *best, const struct best *other);

#endif
