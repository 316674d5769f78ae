/* nearest.h: which of some names a mistyped word is meant for.
 */
#ifndef LS_BASE_NEAREST_H
#define LS_BASE_NEAREST_H

#include <stddef.h>

#include "base/bytes.h"

enum { LS_NEAREST_LENGTH_MAX = 64 };

/* How many characters are to be put in, left out, changed, or exchanged with their neighbour to
 * make one of the other; both have at most LS_NEAREST_LENGTH_MAX, else SIZE_MAX. */
size_t ls_nearest_distance(const char *one, const char *other);
/* The name that is near enough to be meant, the first of several; NULL: none is. Entries may be
 * NULL. */
const char *ls_nearest_name(const char *word, const char *const *names, size_t count);
/* Appends what a word that is none of a NULL-terminated list can be: "did you mean 'umr'?" with all
 * that are equally near, and where all names are to be found; where none is near, "expected one of:
 * one-round, ...". The entries begin with a pointer to their name; `also` is a name before them, or
 * NULL. */
void ls_nearest_answer(const char *word, const void *const *entries, const char *also,
                       struct ls_bytes *out);

#endif
