#include "cuts.h"

#include <stdbool.h>
#include <stdlib.h>

#include "records.h"

enum { DRAWS_MAX = 1000 };

/* ---- one by one ---- */

/* Where sequences may begin, in order; NULL: out of memory. */
static size_t *find_places(const struct ls_bytes *codes, size_t length, size_t *count) {
  size_t *places = calloc(codes->length + 1, sizeof *places);
  size_t run = 0;
  *count = 0;
  for (size_t i = 0; places != NULL && i < codes->length; i++) {
    run = codes->data[i] == NO_LETTER ? 0 : run + 1;
    if (run >= length) places[(*count)++] = i + 1 - length;
  }
  return places;
}

static bool is_free(const size_t *taken, size_t count, size_t place, size_t length) {
  for (size_t i = 0; i < count; i++) {
    size_t apart = taken[i] > place ? taken[i] - place : place - taken[i];
    if (apart < length) return false;
  }
  return true;
}

static enum ls_status try_places(const struct ls_bytes *codes, size_t length, uint64_t seed,
                                 size_t *taken, size_t wanted) {
  struct ls_random chance;
  size_t count, found = 0, *places = find_places(codes, length, &count);
  if (places == NULL) return LS_ENOMEM;
  ls_random_init(&chance, seed, "places");
  for (size_t i = 0; count > 0 && found < wanted && i < DRAWS_MAX * wanted; i++) {
    size_t place = places[ls_random_below(&chance, count)];
    if (is_free(taken, found, place, length)) taken[found++] = place;
  }
  free(places);
  return found == wanted ? LS_OK : LS_EINVAL;
}

/* ---- all at once ---- */

/* Each of `*of` things that are left, one after the other, is one of `*wanted` with the same chance
 * as the others. */
static bool is_drawn(struct ls_random *chance, size_t *wanted, size_t *of) {
  bool is_one = ls_random_below(chance, (*of)--) < *wanted;
  *wanted -= is_one;
  return is_one;
}

/* The run of letters from `*at` on; 0: it was the last one. */
static size_t find_run(const struct ls_bytes *codes, size_t *at) {
  size_t end = *at;
  while (end < codes->length && codes->data[end] == NO_LETTER) end++;
  *at = end;
  while (end < codes->length && codes->data[end] != NO_LETTER) end++;
  return end - *at;
}

static size_t count_room(const struct ls_bytes *codes, size_t length) {
  size_t room = 0;
  for (size_t at = 0, run; (run = find_run(codes, &at)) > 0; at += run) room += run / length;
  return room;
}

/* A run holds sequences and free letters: which of all these are the sequences? */
static size_t *lay_run(struct ls_range run, size_t wanted, size_t length, struct ls_random *chance,
                       size_t *places) {
  size_t of = run.count - wanted * length + wanted;
  for (size_t at = run.first; wanted > 0;) {
    bool is_sequence = is_drawn(chance, &wanted, &of);
    if (is_sequence) *places++ = at;
    at += is_sequence ? length : 1;
  }
  return places;
}

static enum ls_status lay_out(const struct ls_bytes *codes, size_t length, uint64_t seed,
                              size_t *places, size_t wanted) {
  struct ls_random chance;
  size_t left = wanted, room = count_room(codes, length), *end = places;
  if (room < wanted) return LS_EINVAL;
  ls_random_init(&chance, seed, "layout");
  for (size_t at = 0, run; left > 0 && (run = find_run(codes, &at)) > 0; at += run) {
    size_t here = 0;
    for (size_t i = 0; i < run / length; i++) here += is_drawn(&chance, &left, &room);
    end = lay_run((struct ls_range){at, run}, here, length, &chance, end);
  }
  for (size_t i = wanted; i > 1; i--) {
    size_t other = ls_random_below(&chance, i), place = places[other];
    places[other] = places[i - 1];
    places[i - 1] = place;
  }
  return LS_OK;
}

enum ls_status cuts_draw(const struct ls_bytes *codes, size_t length, uint64_t seed, size_t *places,
                         size_t count) {
  enum ls_status status = try_places(codes, length, seed, places, count);
  return status == LS_EINVAL ? lay_out(codes, length, seed, places, count) : status;
}
