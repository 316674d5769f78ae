/* motif_finding.h: the most similar words of l letters, one in each of t sequences of DNA.
 *
 * Brute force is one iteration, in which a unit is a start vector (alignment.h).  Branch and bound
 * has an iteration for each level of the tree; a unit is a prefix that may still lead to the best
 * vector (levels.h).  The bound travels by broadcast.  Both answer the best score, and of the
 * vectors that have it the first one.
 *
 * motif_finding.c opens and closes, motif_master.c and motif_worker.c are the two sides, masters.c
 * starts several masters that share a search.
 */
#ifndef MOTIF_FINDING_H
#define MOTIF_FINDING_H

#include <loadstar.h>

#include "alignment.h"
#include "levels.h"
#include "rows.h"
#include "sequences.h"
#include "words.h"

struct motif {
  struct words words;
  struct sequences sequences;
  struct planted planted;
  struct space space;
  struct ls_range share; /* of the vectors, or of the positions of the first sequence */

  /* At the master. */
  struct best best; /* of brute force */
  struct levels levels;
  struct rows rows; /* where they are sent */
  uint32_t restored;

  uint64_t bound; /* at a worker: what was broadcast for this iteration */
};

/* motif_finding.c */
enum ls_status motif_open(int argc, char **argv, void **out, struct ls_error *err);
void motif_close(void *context);

/* motif_master.c */
enum ls_status motif_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err);
enum ls_status motif_units(void *context, uint32_t iteration, uint64_t *units,
                           struct ls_error *err);
enum ls_status motif_broadcast(void *context, uint32_t iteration, struct ls_bytes *bytes,
                               struct ls_error *err);
enum ls_status motif_pack(void *context, struct ls_range units, uint32_t slot,
                          struct ls_bytes *input, struct ls_error *err);
enum ls_status motif_merge(void *context, const struct ls_unit_result *result,
                           struct ls_error *err);
enum ls_status motif_checkpoint(void *context, struct ls_bytes *bytes, struct ls_error *err);
enum ls_status motif_restore(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                             struct ls_error *err);
/* What is sought, and in what. */
void motif_describe(const struct motif *motif, struct ls_bytes *text);
/* A start vector with its score, its consensus and its rows. */
void motif_show(const struct motif *motif, const struct best *best, struct ls_bytes *text);

/* motif_worker.c */
enum ls_status motif_receive(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                             struct ls_error *err);
enum ls_status motif_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                             struct ls_error *err);

#endif
