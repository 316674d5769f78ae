#include "branch.h"

#include <stdlib.h>

static uint64_t most_of(const struct space *space, uint64_t score, size_t depth) {
  return score + (space->sequences - depth) * space->length;
}

void branch_expand(const struct space *space, uint64_t prefix, size_t depth,
                   struct branching *branching, uint8_t *kept) {
  uint64_t starts[SEQUENCES_MAX], profile[PROFILE_WORDS_MAX], favourites[ROW_WORDS_MAX];
  space_unpack(space, prefix, depth, starts);
  profile_of(space, starts, depth, profile);
  uint64_t score = profile_score(space, profile, favourites);
  /* The bound has risen since the prefix was kept. */
  if (most_of(space, score, depth) < branching->bound) return;
  uint64_t positions = space->positions[depth];
  for (uint64_t i = 0; i < positions; i++) {
    uint64_t child = score + profile_match(space, favourites, space_row(space, depth, i));
    best_take(&branching->best, child, prefix * positions + i);
    if (kept == NULL || most_of(space, child, depth + 1) < branching->bound) continue;
    kept[i / 8] |= (uint8_t)(1 << i % 8);
  }
}

void branch_complete(const struct space *space, uint64_t prefix, size_t depth, struct best *best) {
  uint64_t starts[SEQUENCES_MAX], profile[PROFILE_WORDS_MAX], favourites[ROW_WORDS_MAX];
  space_unpack(space, prefix, depth, starts);
  profile_of(space, starts, depth, profile);
  for (size_t i = depth; i < space->sequences; i++) {
    (void)profile_score(space, profile, favourites);
    struct ls_range all = {0, space->positions[i]};
    (void)profile_choose(space, favourites, i, all, &starts[i]);
    profile_add(space, profile, space_row(space, i, starts[i]), profile);
  }
  uint64_t score = profile_score(space, profile, favourites);
  best_take(best, score, space_pack(space, starts, space->sequences));
}

/* Numbers grow on the way, so of equal scores the first is the lowest: the pseudo-code of the
 * thesis (section 6.5.1), whose Bypass and NextVertex both go to the next position. */
enum ls_status branch_serially(const struct space *space, struct ls_range starts, struct best *best,
                               uint64_t *visited, struct ls_error *err) {
  uint64_t at[SEQUENCES_MAX], favourites[ROW_WORDS_MAX];
  uint64_t *profiles = calloc(space->sequences + 1, space->profile_words * sizeof *profiles);
  if (profiles == NULL) return ls_fail(err, LS_ENOMEM, "motif: out of memory for profiles");
  size_t depth = 1;
  at[0] = starts.first;
  *visited = 0;
  while (depth > 0) {
    uint64_t end = depth == 1 ? starts.first + starts.count : space->positions[depth - 1];
    if (at[depth - 1] == end) {
      depth--;
      if (depth > 0) at[depth - 1]++;
      continue;
    }
    uint64_t *profile = profiles + depth * space->profile_words;
    profile_add(space, profile - space->profile_words, space_row(space, depth - 1, at[depth - 1]),
                profile);
    uint64_t score = profile_score(space, profile, favourites);
    ++*visited;
    if (depth == space->sequences) best_take(best, score, space_pack(space, at, depth));
    bool is_left =
        depth == space->sequences || (best->is_known && most_of(space, score, depth) < best->score);
    if (is_left) {
      at[depth - 1]++;
    } else {
      at[depth++] = 0;
    }
  }
  free(profiles);
  return LS_OK;
}
