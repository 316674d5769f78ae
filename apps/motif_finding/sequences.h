/* sequences.h: sequences of DNA, in which a motif is sought.
 *
 * They are the records of a file, each as long as it is; or all of one length, cut from a genome at
 * places that a seed says, or drawn letter by letter.  In those of one length a motif may be
 * planted: the same random letters in each of them, some of which are changed.  A seed gives
 * the same sequences on every machine, so that master and workers need not send them.
 */
#ifndef MOTIF_SEQUENCES_H
#define MOTIF_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

/* Where a sequence is from: a record of a file, and how many of its letters stand before. */
struct origin {
  char *record; /* NULL: it was drawn; owned */
  size_t offset;
};

struct sequences {
  size_t count, length; /* t sequences of m letters; m of the longest one */
  uint8_t *letters;     /* count x length: 0 to 3 for A, C, G, T, more for what is none of them */
  size_t *lengths;      /* of each */
  struct origin *origins;
};

/* What is planted: `letters` with `mutations` of them changed in each sequence, at `starts`. */
struct planted {
  size_t length, mutations;
  uint8_t *letters; /* `length` of them */
  uint64_t *starts; /* one for each sequence */
};

/* Room for `count` sequences of `length` letters. */
enum ls_status sequences_open(struct sequences *sequences, size_t count, size_t length,
                              struct ls_error *err);
void sequences_close(struct sequences *sequences);
static inline const uint8_t *sequences_at(const struct sequences *sequences, size_t number) {
  return sequences->letters + number * sequences->length;
}
/* Every letter is drawn, all four with the same chance. */
void sequences_draw(struct sequences *sequences, uint64_t seed);
/* Cuts them out of a text in FASTA: at places that are drawn, none over another one, none over the
 * end of a record or a letter that is none of A, C, G, T (in either case). */
enum ls_status sequences_cut(struct sequences *sequences, const struct ls_text *fasta,
                             uint64_t seed, struct ls_error *err);
/* The same of a file. */
enum ls_status sequences_read(struct sequences *sequences, const char *path, uint64_t seed,
                              struct ls_error *err);
/* Opens them as the records of a file, in its order. LS_EINVAL: fewer than 2 or more than
 * `count_max`. */
enum ls_status sequences_read_records(struct sequences *sequences, const char *path,
                                      size_t count_max, struct ls_error *err);
/* Have they letters A, C, G, T only? */
bool sequences_are_plain(const struct sequences *sequences);
/* Draws a motif of `planted->length` letters and the place of each sequence, below `positions`, and
 * writes the motif there with `planted->mutations` other letters. */
enum ls_status sequences_plant(struct sequences *sequences, struct planted *planted,
                               uint64_t positions, uint64_t seed, struct ls_error *err);
void planted_close(struct planted *planted);

#endif
