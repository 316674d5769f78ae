#include "alignment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"

/* The lowest bit of each column. */
static const uint64_t COLUMNS = UINT64_C(0x1111111111111111);

/* Sequences of one length are told of together. */
static enum ls_status refuse_vectors(const struct space *space, bool are_alike,
                                     struct ls_error *err) {
  if (are_alike) {
    return ls_fail(err, LS_EINVAL,
                   "motif: %" PRIu64
                   " positions in each of %zu sequences make more than 2^63 "
                   "start vectors",
                   space->positions[0], space->sequences);
  }
  return ls_fail(err, LS_EINVAL,
                 "motif: %zu sequences with %" PRIu64
                 " positions at most make more than 2^63 start vectors",
                 space->sequences, space->positions_most);
}

static enum ls_status count_positions(struct space *space, const struct sequences *sequences,
                                      bool has_last, struct ls_error *err) {
  size_t needed = space->length + !has_last;
  bool are_alike = true;
  space->vectors = 1;
  for (size_t i = 0; i < space->sequences; i++) {
    if (sequences->lengths[i] < needed) {
      const char *record = sequences->origins[i].record;
      return ls_fail(err, LS_EINVAL, "motif: %s has %zu letters, expected at least %zu",
                     record != NULL ? record : "a sequence", sequences->lengths[i], needed);
    }
    space->positions[i] = sequences->lengths[i] - needed + 1;
    space->first_rows[i] = space->rows_count;
    space->rows_count += (size_t)space->positions[i];
    if (space->positions[i] > space->positions_most) space->positions_most = space->positions[i];
    are_alike = are_alike && space->positions[i] == space->positions[0];
  }
  for (size_t i = 0; i < space->sequences; i++) {
    if (space->vectors > INT64_MAX / space->positions[i]) {
      return refuse_vectors(space, are_alike, err);
    }
    space->vectors *= space->positions[i];
  }
  return LS_OK;
}

static void fill_rows(struct space *space, const struct sequences *sequences) {
  for (size_t i = 0; i < space->sequences; i++) {
    const uint8_t *letters = sequences_at(sequences, i);
    for (uint64_t position = 0; position < space->positions[i]; position++) {
      uint64_t *row = space->rows + (space->first_rows[i] + (size_t)position) * space->words;
      for (size_t column = 0; column < space->length; column++) {
        uint8_t letter = letters[position + column];
        if (letter >= NO_LETTER) continue;
        row[column / COLUMNS_PER_WORD] |= UINT64_C(1) << (4 * (column % COLUMNS_PER_WORD) + letter);
      }
    }
  }
}

enum ls_status space_open(struct space *space, const struct sequences *sequences, size_t length,
                          bool has_last, struct ls_error *err) {
  struct space made = {.sequences = sequences->count, .length = length};
  enum ls_status status = count_positions(&made, sequences, has_last, err);
  if (status != LS_OK) return status;
  made.words = (length + COLUMNS_PER_WORD - 1) / COLUMNS_PER_WORD;
  made.planes = 1;
  while (made.sequences >> made.planes != 0) made.planes++;
  made.profile_words = made.words * made.planes;
  made.rows = calloc(made.rows_count, made.words * sizeof *made.rows);
  if (made.rows == NULL) {
    return ls_fail(err, LS_ENOMEM, "motif: out of memory for %zu rows", made.rows_count);
  }
  fill_rows(&made, sequences);
  *space = made;
  return LS_OK;
}

void space_close(struct space *space) {
  free(space->rows);
  space->rows = NULL;
}

void space_unpack(const struct space *space, uint64_t number, size_t depth, uint64_t *starts) {
  for (size_t i = depth; i > 0; i--) {
    starts[i - 1] = number % space->positions[i - 1];
    number /= space->positions[i - 1];
  }
}

uint64_t space_pack(const struct space *space, const uint64_t *starts, size_t depth) {
  uint64_t number = 0;
  for (size_t i = 0; i < depth; i++) number = number * space->positions[i] + starts[i];
  return number;
}

/* ---- profiles ---- */

/* Each plane has one bit of each count: the row is added as in writing, with a carry. */
void profile_add(const struct space *space, const uint64_t *before, const uint64_t *row,
                 uint64_t *after) {
  for (size_t word = 0; word < space->words; word++) {
    uint64_t carry = row[word];
    for (size_t i = word * space->planes; i < (word + 1) * space->planes; i++) {
      uint64_t plane = before[i];
      after[i] = plane ^ carry;
      carry &= plane;
    }
  }
}

void profile_of(const struct space *space, const uint64_t *starts, size_t depth,
                uint64_t *profile) {
  memset(profile, 0, space->profile_words * sizeof *profile);
  for (size_t i = 0; i < depth; i++) {
    profile_add(space, profile, space_row(space, i, starts[i]), profile);
  }
}

/* The lowest bit of each column that has any. */
static inline uint64_t fold(uint64_t bits) {
  bits |= bits >> 1;
  bits |= bits >> 2;
  return bits & COLUMNS;
}

/* The columns that have any bit. */
static inline uint64_t count_columns(uint64_t bits) {
  uint64_t columns = fold(bits);
  columns = (columns + (columns >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (columns * UINT64_C(0x0101010101010101)) >> 56;
}

/* The largest count of a column is found bit by bit, the highest first: of the letters that are
 * still the most frequent ones, those with this bit, if there are any. */
uint64_t profile_score(const struct space *space, const uint64_t *profile, uint64_t *favourites) {
  uint64_t score = 0;
  for (size_t word = 0; word < space->words; word++) {
    uint64_t most = UINT64_MAX;
    for (size_t bit = space->planes; bit > 0; bit--) {
      uint64_t have = most & profile[word * space->planes + bit - 1];
      uint64_t columns = fold(have);
      most = have | (most & ~(columns * 15));
      score += count_columns(have) << (bit - 1);
    }
    favourites[word] = most;
  }
  return score;
}

static inline uint64_t match(const uint64_t *favourites, const uint64_t *row, size_t words) {
  uint64_t matches = 0;
  for (size_t i = 0; i < words; i++) matches += count_columns(favourites[i] & row[i]);
  return matches;
}

uint64_t profile_match(const struct space *space, const uint64_t *favourites, const uint64_t *row) {
  return match(favourites, row, space->words);
}

static inline uint64_t choose(const struct space *space, const uint64_t *favourites,
                              const uint64_t *row, struct ls_range positions, uint64_t *chosen) {
  uint64_t most = 0;
  *chosen = positions.first;
  for (uint64_t i = 0; i < positions.count; i++, row += space->words) {
    uint64_t matches = match(favourites, row, space->words);
    if (matches <= most) continue;
    most = matches;
    *chosen = positions.first + i;
  }
  return most;
}

/* The usual motif takes one word: the compiler is told. */
uint64_t profile_choose(const struct space *space, const uint64_t *favourites, size_t sequence,
                        struct ls_range positions, uint64_t *chosen) {
  const uint64_t *row = space_row(space, sequence, positions.first);
  struct space narrow = {.words = 1};
  if (space->words == 1) return choose(&narrow, favourites, row, positions, chosen);
  return choose(space, favourites, row, positions, chosen);
}

void favourites_spell(const struct space *space, const uint64_t *favourites, char *consensus) {
  for (size_t column = 0; column < space->length; column++) {
    uint64_t bits = favourites[column / COLUMNS_PER_WORD] >> (4 * (column % COLUMNS_PER_WORD)) & 15;
    uint8_t code = 0;
    while (code < 3 && (bits >> code & 1) == 0) code++;
    consensus[column] = records_letter(code);
  }
}

/* ---- the best ---- */

void best_take(struct best *best, uint64_t score, uint64_t number) {
  bool is_better =
      !best->is_known || score > best->score || (score == best->score && number < best->number);
  if (is_better) *best = (struct best){true, score, number};
}

void best_merge(struct best *best, const struct best *other) {
  if (other->is_known) best_take(best, other->score, other->number);
}
