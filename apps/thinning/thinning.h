/* thinning.h: lines instead of areas: a picture is thinned until no pixel can go, as an application
 * of many iterations.
 *
 * A unit is a part of the picture, some rows of it, and keeps its number in all iterations; it is
 * computed from these rows and a few on either side, its halo.  A part in which and around which
 * nothing has changed is idle: it would stay as it is.  All that a worker needs is sent to it.
 *
 * thinning.c opens and closes, thinning_words.c reads the words, thinning_master.c and
 * thinning_worker.c are the two sides, conclusion.c is the end.
 */
#ifndef THINNING_APPLICATION_H
#define THINNING_APPLICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

#include "picture.h"
#include "rules.h"

struct thinning_words {
  const char *image, *output; /* of the words, which stay */
  const struct algorithm *algorithm;
  uint64_t parts, cost;
  double threshold;
  bool is_own; /* a part ends with its first iteration without a deletion of its own */
  bool has_statistics;
};

/* Rows first .. first + count - 1 of a picture. */
struct rows {
  size_t first, count;
};

/* How many parts were live in each of the first iterations. */
enum { LIVE_MAX = 40 };

struct thinning {
  struct thinning_words words;
  size_t width, height; /* of the picture: read by the master, and broadcast */

  /* At the master. */
  struct picture before, after; /* this iteration */
  bool *is_changed;             /* by row: a pixel of it went in this iteration */
  bool *is_live;                /* by part */
  uint64_t pixels_in, tasks;    /* live parts of all iterations */
  uint64_t live[LIVE_MAX];
};

/* thinning_words.c */
LS_CHECKED enum ls_status thinning_words_read(struct thinning_words *words, int argc, char **argv,
                                              struct ls_error *err);

/* thinning.c */

/* At most one for each row. */
uint64_t thinning_parts(const struct thinning *state);
/* The rows of parts, as far as there are some. */
struct rows thinning_rows(const struct thinning *state, struct ls_range parts);
/* The same, with their halos as far as the picture goes. */
struct rows thinning_halo(const struct thinning *state, struct ls_range parts);

/* conclusion.c: writes the picture and says what there was, after so many iterations. */
LS_CHECKED enum ls_status thinning_conclude(const struct thinning *state, uint32_t iterations,
                                            struct ls_error *err);

/* Before the rows of each part that has changed, in an answer: its number among the units of the
 * call, the highest byte first.  What has not changed has no answer. */
enum { NUMBER_BYTES = 4 };
void thinning_append_number(struct ls_bytes *bytes, size_t number);
size_t thinning_read_number(const char *bytes);

/* The functions of the application: thinning_master.c. */
enum ls_status thinning_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err);
enum ls_status thinning_units(void *context, uint32_t iteration, uint64_t *units,
                              struct ls_error *err);
enum ls_status thinning_idle(void *context, uint32_t iteration, struct ls_ranges *units,
                             struct ls_error *err);
enum ls_status thinning_broadcast(void *context, uint32_t iteration, struct ls_bytes *bytes,
                                  struct ls_error *err);
enum ls_status thinning_pack(void *context, struct ls_range units, uint32_t slot,
                             struct ls_bytes *input, struct ls_error *err);
enum ls_status thinning_merge(void *context, const struct ls_unit_result *result,
                              struct ls_error *err);
enum ls_status thinning_checkpoint(void *context, struct ls_bytes *bytes, struct ls_error *err);
enum ls_status thinning_restore(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                                struct ls_error *err);
/* thinning_worker.c */
enum ls_status thinning_receive(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                                struct ls_error *err);
enum ls_status thinning_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                                struct ls_error *err);

#endif
