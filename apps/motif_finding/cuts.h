/* cuts.h: where sequences are cut out of a genome: at places that a seed says, none over another.
 *
 * Places are tried one by one, so that most genomes have each place with the same chance.  Where
 * the tries leave gaps that are too short, the sequences are laid out at once: runs get their
 * numbers of them, and the free letters of a run are drawn between them.  So only what has no room
 * has no answer.
 */
#ifndef MOTIF_CUTS_H
#define MOTIF_CUTS_H

#include <loadstar.h>

/* The places of `count` sequences of `length` letters, none of which is NO_LETTER.
 * LS_EINVAL: there is no room for them; LS_ENOMEM. */
LS_CHECKED enum ls_status cuts_draw(const struct ls_bytes *codes, size_t length, uint64_t seed,
                                    size_t *places, size_t count);

#endif
