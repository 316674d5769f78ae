#include "brute_force.h"

#include <stdlib.h>

/* The rows before the last one, as they stand: `profiles` has those of the first 0, 1, ... rows. */
struct walk {
  const struct space *space;
  uint64_t starts[SEQUENCES_MAX];
  uint64_t *profiles;
};

/* Counts the rows from `from` on anew, but for the last sequence. */
static void count_from(struct walk *walk, size_t from) {
  const struct space *space = walk->space;
  for (size_t i = from; i + 1 < space->sequences; i++) {
    const uint64_t *before = walk->profiles + i * space->profile_words;
    profile_add(space, before, space_row(space, i, walk->starts[i]),
                walk->profiles + (i + 1) * space->profile_words);
  }
}

/* To the next positions of all sequences but the last, of which there are some. */
static void advance(struct walk *walk) {
  size_t i = walk->space->sequences - 1;
  do {
    i--;
    walk->starts[i] = walk->starts[i] + 1 < walk->space->positions[i] ? walk->starts[i] + 1 : 0;
  } while (walk->starts[i] == 0);
  count_from(walk, i);
}

enum ls_status brute_force(const struct space *space, struct ls_range vectors, struct best *best,
                           struct ls_error *err) {
  size_t last = space->sequences - 1;
  struct walk walk = {.space = space};
  uint64_t favourites[ROW_WORDS_MAX];
  walk.profiles = calloc(space->sequences, space->profile_words * sizeof *walk.profiles);
  if (walk.profiles == NULL) return ls_fail(err, LS_ENOMEM, "motif: out of memory for profiles");
  space_unpack(space, vectors.first, space->sequences, walk.starts);
  count_from(&walk, 0);
  for (uint64_t done = 0; done < vectors.count;) {
    uint64_t first = done == 0 ? walk.starts[last] : 0, chosen, number = vectors.first + done;
    uint64_t count = space->positions[last] - first;
    if (count > vectors.count - done) count = vectors.count - done;
    uint64_t score = profile_score(space, walk.profiles + last * space->profile_words, favourites);
    score += profile_choose(space, favourites, last, (struct ls_range){first, count}, &chosen);
    best_take(best, score, number + chosen - first);
    done += count;
    if (done < vectors.count) advance(&walk);
  }
  free(walk.profiles);
  return LS_OK;
}
