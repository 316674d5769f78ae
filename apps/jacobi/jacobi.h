/* jacobi.h: heat that spreads in a plate, as an application of many iterations.
 *
 * An iteration is some sweeps over the whole plate; a unit is a strip of rows.  To sweep a strip
 * takes as many rows on either side of it as there are sweeps.  The strip's own temperatures are
 * packed for it, those around the seams between strips are broadcast, and what never changes, the
 * picture, is staged: the workers read it by themselves.  A strip around which nothing changed is
 * idle in the next iteration.
 *
 * jacobi.c opens and closes, jacobi_master.c and jacobi_worker.c are the two sides.
 */
#ifndef JACOBI_H
#define JACOBI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

#include "plate.h"

struct jacobi {
  const char *image, *output; /* of the words, which stay */
  uint64_t strips, sweeps, limit;
  double tolerance;
  bool is_serial, is_checked;
  struct plate plate;

  /* At the master: temperatures before and after this iteration, the rows that changed in the one
   * before and in this one, and the largest change by strip. */
  double *before, *after;
  bool *changed_before, *changed_after;
  double *changes;
  uint32_t iteration, restored;
  uint64_t computed, idle; /* strips, in all iterations */

  struct ls_bytes seams; /* at a worker: what was broadcast for this iteration */
};

/* Before the rows of each strip of an answer. */
struct answer {
  uint32_t iteration, slot;
  double change;
};

/* jacobi.c: the rows of strips. */
struct rows jacobi_rows(const struct jacobi *state, struct ls_range strips);
/* So many rows more on either side, as far as the plate goes. */
struct rows jacobi_widen(const struct jacobi *state, struct rows rows, size_t by);
/* The rows around the seam below a strip, which are one block of what is broadcast. */
struct rows jacobi_seam(const struct jacobi *state, uint64_t strip);
/* Of an iteration: the last one may have fewer than the others, or none. */
uint64_t jacobi_sweeps(const struct jacobi *state, uint32_t iteration);

/* The functions of the application: jacobi_master.c. */
enum ls_status jacobi_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err);
enum ls_status jacobi_units(void *context, uint32_t iteration, uint64_t *units,
                            struct ls_error *err);
enum ls_status jacobi_idle(void *context, uint32_t iteration, struct ls_ranges *units,
                           struct ls_error *err);
enum ls_status jacobi_broadcast(void *context, uint32_t iteration, struct ls_bytes *bytes,
                                struct ls_error *err);
enum ls_status jacobi_pack(void *context, struct ls_range units, uint32_t slot,
                           struct ls_bytes *input, struct ls_error *err);
enum ls_status jacobi_merge(void *context, const struct ls_unit_result *result,
                            struct ls_error *err);
enum ls_status jacobi_checkpoint(void *context, struct ls_bytes *bytes, struct ls_error *err);
enum ls_status jacobi_restore(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err);
/* jacobi_worker.c. */
enum ls_status jacobi_receive(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err);
enum ls_status jacobi_stage(void *context, const struct ls_work *work, struct ls_bytes *staged,
                            struct ls_error *err);
enum ls_status jacobi_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err);

#endif
