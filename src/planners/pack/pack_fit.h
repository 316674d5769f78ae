/* pack_fit.h: do tasks fit into rooms? A search in depth that says yes, no, or nothing.
 *
 * Only the `large` longest tasks are whole; the others are sand that fills what is left, so that
 * "no" holds for whole tasks, too.  With all tasks large, "yes" is a division.
 */
#ifndef LS_PLANNERS_PACK_FIT_H
#define LS_PLANNERS_PACK_FIT_H

#include "planners/pack/packing.h"

enum ls_pack_answer { LS_PACK_FITS, LS_PACK_FITS_NOT, LS_PACK_UNKNOWN };

/* Owned. */
struct ls_pack_fit {
  const struct ls_pack_problem *problem;
  double *rooms;      /* left in each shard, in seconds at speed 1 */
  double *tried;      /* of each task: the room that it was put into */
  double *rest;       /* of each task: work from it on */
  uint32_t *shard_of; /* of each task that is placed */
  double *undone;     /* of each task: the room as it was, to the last bit */
};

/* LS_ENOMEM: there is nothing to close. */
LS_CHECKED enum ls_status ls_pack_fit_init(struct ls_pack_fit *fit,
                                           const struct ls_pack_problem *problem);
/* Within `makespan_s`? LS_PACK_UNKNOWN: the budget is spent. LS_PACK_FITS: `fit->shard_of` says how
 * for the first `large` tasks (1 to all). */
enum ls_pack_answer ls_pack_fit_ask(struct ls_pack_fit *fit, double makespan_s, size_t large,
                                    struct ls_budget *budget);
void ls_pack_fit_close(struct ls_pack_fit *fit);

#endif
