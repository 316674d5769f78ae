/* motif_case.h: small searches by seed, and their scores as the definition has them. */
#ifndef MOTIF_CASE_H
#define MOTIF_CASE_H

#include "alignment.h"
#include "records.h"
#include "sequences.h"

/* One search: sequences and all their rows. */
struct motif_case {
  struct sequences sequences;
  struct space space;
};

/* `letters` different ones occur, of four: with fewer of them there are more ties. */
static inline void open_case(struct motif_case *made, uint64_t seed, size_t count, size_t length,
                             size_t positions, uint8_t letters) {
  assert_int_equal(sequences_open(&made->sequences, count, positions + length - 1, NULL), LS_OK);
  sequences_draw(&made->sequences, seed);
  for (size_t i = 0; i < count * made->sequences.length; i++) made->sequences.letters[i] %= letters;
  assert_int_equal(space_open(&made->space, &made->sequences, length, true, NULL), LS_OK);
}

/* Of a size that the seed says: at most 5 sequences, 20 columns, 6 positions; every second one has
 * sequences of different lengths, every fourth one letters that are none of the four, too. */
static inline void open_any_case(struct motif_case *made, uint64_t seed) {
  struct ls_random chance;
  ls_random_init(&chance, seed, "case");
  size_t count = 2 + ls_random_below(&chance, 4), length = 1 + ls_random_below(&chance, 20);
  size_t positions = 1 + ls_random_below(&chance, 6);
  open_case(made, seed, count, length, positions, (uint8_t)(1 + ls_random_below(&chance, 4)));
  if (seed % 2 == 0) return;
  space_close(&made->space);
  for (size_t i = 0; i < count; i++) {
    made->sequences.lengths[i] -= ls_random_below(&chance, positions);
    uint8_t *letters = made->sequences.letters + i * made->sequences.length;
    size_t place = ls_random_below(&chance, made->sequences.lengths[i]);
    if (seed % 4 == 1) letters[place] = NO_LETTER;
  }
  assert_int_equal(space_open(&made->space, &made->sequences, length, true, NULL), LS_OK);
}

static inline void close_case(struct motif_case *made) {
  space_close(&made->space);
  sequences_close(&made->sequences);
}

/* Letter by letter: the sum over the columns of the largest count, for the first `depth` rows. */
static inline uint64_t score_plainly(const struct motif_case *made, const uint64_t *starts,
                                     size_t depth) {
  uint64_t score = 0;
  for (size_t column = 0; column < made->space.length; column++) {
    uint64_t counts[4] = {0}, most = 0;
    for (size_t i = 0; i < depth; i++) {
      uint8_t letter = sequences_at(&made->sequences, i)[starts[i] + column];
      uint64_t count = letter < NO_LETTER ? ++counts[letter] : 0;
      if (count > most) most = count;
    }
    score += most;
  }
  return score;
}

/* Every vector of the range, one by one. */
static inline struct best search_plainly(const struct motif_case *made, struct ls_range vectors) {
  struct best best = {0};
  uint64_t starts[SEQUENCES_MAX];
  for (uint64_t i = 0; i < vectors.count; i++) {
    space_unpack(&made->space, vectors.first + i, made->space.sequences, starts);
    uint64_t score = score_plainly(made, starts, made->space.sequences);
    if (!best.is_known || score > best.score) {
      best = (struct best){true, score, vectors.first + i};
    }
  }
  return best;
}

static inline void assert_same_best(struct best one, struct best other) {
  assert_int_equal(one.is_known, other.is_known);
  assert_int_equal(one.score, other.score);
  assert_int_equal(one.number, other.number);
}

#endif
