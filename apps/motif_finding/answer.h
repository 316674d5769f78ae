/* answer.h: what a search found, as bytes between worker and master, and as a line between the
 * masters of a shared search and the one who started them.
 */
#ifndef MOTIF_ANSWER_H
#define MOTIF_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include <loadstar.h>

#include "alignment.h"

enum { ANSWER_BYTES = 24 };

void answer_append(const struct best *best, struct ls_bytes *bytes);
/* False: they are no answer. Of `limit` vectors or prefixes. */
bool answer_take(const void *data, size_t length, uint64_t limit, struct best *best);

/* "score 40 of 48 at 3 11 0 7 5 2". */
void answer_write_score(const struct space *space, const struct best *best, struct ls_bytes *line);
/* "best       score 40 of 48 at 3 11 0 7 5 2", without the end of the line. */
void answer_write(const struct space *space, const struct best *best, struct ls_bytes *line);
/* False: the line, up to its end, is no answer. */
bool answer_read(const struct space *space, const char *line, struct best *best);

#endif
