/* words.h: what the words of the command line say. */
#ifndef MOTIF_WORDS_H
#define MOTIF_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

struct words {
  /* Of the command line, which stays. Records: each is a sequence, so t and m are theirs; neither:
   * random sequences. */
  const char *fasta, *records;
  uint64_t seed;
  size_t sequences, length, letters; /* t, l, m */
  bool has_last;                     /* the last position of a sequence counts, too */
  bool has_plant;
  size_t mutations; /* of what is planted */
  bool sends_rows;  /* of each start vector, as published; else its number says all */
  bool is_branching, is_serial, is_checked;
  uint64_t share, shares; /* this run's part of the search space: number `share` from 1 on */
  uint64_t masters;       /* 0: not given */
};

enum ls_status words_read(struct words *words, int argc, char **argv, struct ls_error *err);
/* m - l + 1, or m - l as in the thesis. */
uint64_t words_positions(const struct words *words);
/* Branch and bound shares out these positions of the first sequence: in as many parts at most. */
enum ls_status words_check_shares(const struct words *words, uint64_t positions, uint64_t shares,
                                  struct ls_error *err);
/* Share `number`, from 1 on, of `count` things in `shares` parts. */
struct ls_range words_share(uint64_t count, uint64_t number, uint64_t shares);

#endif
