/* scow_search_private.h: how candidates come into a search: scow_search.c ends them and has them
 * judged, scow_shapes.c makes their rounds, scow_candidates.c says which ones, scow_falling.c ends
 * the best one in shrinking rounds.
 */
#ifndef LS_PLANNERS_SCOW_SCOW_SEARCH_PRIVATE_H
#define LS_PLANNERS_SCOW_SCOW_SEARCH_PRIVATE_H

#include "planners/scow/scow_search.h"

/* Of more workers fewer candidates are tried: a replay takes milliseconds. */
enum { LS_SCOW_FEW_WORKERS = 256 };

/* A round in theory. */
struct ls_scow_shape {
  double period_s; /* P of the last round */
  double send_s;   /* D of all workers; NAN: of each its own */
};

/* Sizes the trial's round for a period (6.1): full chunks in activation order, `full_most` at most,
 * then one partial worker. */
void ls_scow_size_round(struct ls_scow_search *search, double period_s, size_t full_most,
                        bool may_have_partial);
/* The trial's `units` are set: collects those with units. */
void ls_scow_gather(struct ls_scow_search *search);
/* Keeps the trial where it is better than all before. */
LS_CHECKED enum ls_status ls_scow_judge_trial(struct ls_scow_search *search, struct ls_error *err);
/* The trial's identical rounds are `keep`: every m that is worth a look, judged. `is_published`:
 * the one m of the formula, judged by its prediction. */
LS_CHECKED enum ls_status ls_scow_try_tails(struct ls_scow_search *search,
                                            const struct ls_scow_shape *shape, bool is_published,
                                            struct ls_error *err);
/* The trial's units and ramp are set: as many identical rounds as fit, one less, two less. */
LS_CHECKED enum ls_status ls_scow_try_keeps(struct ls_scow_search *search,
                                            const struct ls_scow_shape *shape,
                                            struct ls_error *err);

/* In whole units: the periods at which sizes change, the best of them by the model replayed. */
LS_CHECKED enum ls_status ls_scow_search_periods(struct ls_scow_search *search,
                                                 struct ls_error *err);
/* The rounds of steady-state and asymptotic. */
LS_CHECKED enum ls_status ls_scow_search_rates(struct ls_scow_search *search, struct ls_error *err);

#endif
