/* rows.h: start vectors sent as their rows, as published.
 *
 * In the thesis the data of a core task are the letters of its alignment, and a worker counts each
 * by itself; so sending costs time for every task, which its planners weigh.  Here a letter takes
 * two bits: a row begins with a byte of its own, a task is its rows one after the other.
 */
#ifndef MOTIF_ROWS_H
#define MOTIF_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

#include "alignment.h"
#include "sequences.h"

/* All rows of all sequences, as they are sent; none before it is opened ({0}). */
struct rows {
  size_t row_bytes;
  uint8_t *bytes; /* of all rows of the space, in its order */
};

/* Of one task. */
size_t rows_task_bytes(const struct space *space);
enum ls_status rows_open(struct rows *rows, const struct sequences *sequences,
                         const struct space *space, struct ls_error *err);
void rows_close(struct rows *rows);
/* Appends the tasks of these start vectors. */
void rows_pack(const struct rows *rows, const struct space *space, struct ls_range vectors,
               struct ls_bytes *bytes);
/* The best of the vectors of these numbers, whose tasks begin at `tasks`. */
void rows_search(const struct space *space, const uint8_t *tasks, struct ls_range vectors,
                 struct best *best);

#endif
