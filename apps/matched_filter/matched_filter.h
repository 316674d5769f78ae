/* matched_filter.h: vessels in slices of a CT, found by a bank of matched filters.
 *
 * A unit is a block of the image; its result are the responses of its pixels.  Whoever has them
 * writes them at once to their place in a file: so what counts as done is there, and a resumed
 * master takes it from there.  In iteration 1, which there is only when workers write, they make
 * the picture of the responses.
 *
 * matched_filter.c opens and closes, filter_words.c reads the words, filter_master.c and
 * filter_worker.c are the two sides, conclusion.c is the end.
 */
#ifndef MATCHED_FILTER_APPLICATION_H
#define MATCHED_FILTER_APPLICATION_H

#include <stdbool.h>
#include <stdint.h>

#include <loadstar.h>

#include "facts.h"
#include "filter.h"
#include "image.h"
#include "inner_blocks.h"
#include "patch.h"
#include "plane.h"

struct words {
  const char *image, *output, *raw; /* of the words, which stay */
  enum response response;
  enum form form;
  enum edge edge;
  size_t block_width, block_height;
  bool is_cut;     /* blocks: areas that each worker cuts as it finds best */
  bool is_sent;    /* input: the master packs it; else the workers read it */
  bool is_written; /* results: the workers write them; else they return */
  bool has_summary, has_unit_sums, is_checked;
  double stage_s; /* added to the staging of a unit */
};

struct matched {
  struct words words;
  bool is_synced; /* responses and picture are on the disk before their units count as done */
  struct image image;
  struct blocks blocks;
  struct filter *filter;
  struct plane responses;     /* of the file given, else of one beside the picture, or in memory */
  struct plane picture;       /* under a name of its own until it is whole */
  char *partial, *unfinished; /* these names; owned, NULL: not needed */

  /* At the master. */
  uint32_t iteration;
  uint64_t image_digest;
  struct facts *facts; /* by unit */
  uint64_t failed;     /* units without responses */

  /* Room for a block, where one is computed. */
  struct patch patch;
  int64_t *values;
  struct inner_blocks inner; /* words.is_cut; learnt by this process, and its own */
};

/* filter_words.c */
LS_CHECKED enum ls_status words_read(struct words *words, int argc, char **argv,
                                     struct ls_error *err);
/* What is read and what is written, also on the way, are different files. */
LS_CHECKED enum ls_status matched_check_files(const struct matched *state, struct ls_error *err);

/* filter_worker.c: block by block, in whichever process. */

/* Appends the samples of units and of what is around them. */
LS_CHECKED enum ls_status matched_read(const struct matched *state, struct ls_range units,
                                       struct ls_bytes *samples, struct ls_error *err);
/* The responses of a unit into `state->values`; `samples` has the pixels of `of`. */
LS_CHECKED enum ls_status matched_filter_unit(struct matched *state, uint64_t unit,
                                              struct ls_range of, const void *samples,
                                              struct ls_error *err);
/* The same, of what it reads by itself. */
LS_CHECKED enum ls_status matched_read_and_filter(struct matched *state, uint64_t unit,
                                                  struct ls_error *err);
/* Turns the written responses of a unit into a part of the picture. */
LS_CHECKED enum ls_status matched_paint(struct matched *state, uint64_t unit,
                                        const struct facts *whole, struct ls_error *err);

/* filter_master.c: opens the file of responses; those that nobody has written are then known by a
 * value that no response has, as are those of another image, other blocks or another filter. */
LS_CHECKED enum ls_status matched_open_responses(struct matched *state, struct ls_error *err);
/* Its first `state->responses.header_bytes`: whose responses they are. */
void matched_write_header(const struct matched *state, char header[PLANE_HEADER_MAX]);

/* conclusion.c */

/* Of all units. */
struct facts matched_join_facts(const struct matched *state);
/* All responses are written: makes the picture, unless the workers have, and says what was asked
 * for. */
LS_CHECKED enum ls_status matched_conclude(struct matched *state, struct ls_error *err);

/* The functions of the application: filter_master.c. */
enum ls_status matched_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err);
enum ls_status matched_units(void *context, uint32_t iteration, uint64_t *units,
                             struct ls_error *err);
enum ls_status matched_pack(void *context, struct ls_range units, uint32_t slot,
                            struct ls_bytes *input, struct ls_error *err);
enum ls_status matched_merge(void *context, const struct ls_unit_result *result,
                             struct ls_error *err);
enum ls_status matched_skip(void *context, const struct ls_unit_result *result,
                            struct ls_error *err);
/* filter_worker.c */
enum ls_status matched_stage(void *context, const struct ls_work *work, struct ls_bytes *staged,
                             struct ls_error *err);
enum ls_status matched_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                               struct ls_error *err);

#endif
