/* advise.h: which policy, prefetch and number of workers: chosen by simulating the candidates.
 *
 * Every candidate plays the same draws of the same world (task times, speeds); the least mean
 * makespan wins, and the candidate in use is kept unless another is clearly better: by more than a
 * margin, and by more than the chance of the draws.  Then the least number of workers that makes no
 * difference may be looked for.  The fixed rule answers without a simulation.  Both say why in
 * words.
 */
#ifndef LS_ADVISE_ADVISE_H
#define LS_ADVISE_ADVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/statistics.h"
#include "base/status.h"
#include "policies/chunking.h"
#include "simulate/simulate.h"

/* A candidate.  `workers` 0: all of the platform; else so many of the fastest. */
struct ls_candidate {
  const struct ls_chunking *chunking;
  struct ls_arguments arguments;
  uint64_t prefetch;
  size_t workers;
};

/* Where the candidates are tried: writes draw number `draw` into the zeroed setup: all but policy,
 * prefetch and report_every.  Its pointers stay valid until the next call. */
struct ls_advice_world {
  void *context;
  enum ls_status (*draw)(void *context, size_t draw, struct ls_simulation *setup,
                         struct ls_error *err);
};

/* The expectation of a candidate. */
struct ls_expectation {
  struct ls_candidate candidate;
  double makespan_s, least_s, most_s; /* mean, least and most over the draws */
  struct ls_moments behind; /* by how much it took longer than the one in use, draw by draw */
  double efficiency;        /* mean */
  size_t draws;             /* that it played; 0: refused, or not reached */
};

struct ls_advice_setup {
  struct ls_advice_world world;
  const struct ls_candidate *candidates; /* the first is played even when time is short */
  size_t candidates_count;
  size_t current;     /* the one in use; SIZE_MAX: none */
  size_t draws;       /* >= 1 */
  double margin;      /* share of the time by which another must be better than the current one */
  bool saves_workers; /* look for the least number of workers that makes no difference */
  /* Asked before each simulation; true: no time is left. NULL: never. */
  bool (*stop)(void *context);
  void *stop_context;
};

struct ls_advice {
  /* Of all candidates, in their order, then of the numbers of workers that were tried; owned. */
  struct ls_expectation *expectations;
  size_t count;
  size_t best;    /* the least mean makespan */
  size_t base;    /* the best, or the current one where that is kept */
  size_t chosen;  /* the base, or the same with fewer workers */
  size_t workers; /* of the world's platform */
  size_t simulations;
  bool was_stopped;
  double margin;
  double task_deviation_s; /* in the first draw */
};

/* LS_EINVAL: no candidate could be played (the first refusal in words). The caller closes. */
LS_CHECKED enum ls_status ls_advise(const struct ls_advice_setup *setup, struct ls_advice *advice,
                                    struct ls_error *err);
void ls_advice_close(struct ls_advice *advice);
/* "af, prefetch 1, 8 workers": a candidate. */
void ls_candidate_describe(const struct ls_candidate *candidate, struct ls_bytes *out);
/* The table of the expectations, best first, and why this candidate was chosen. */
void ls_advice_explain(const struct ls_advice *advice, struct ls_bytes *out);

/* ---- the fixed rule ---- */

struct ls_situation {
  double latency;   /* one way, in mean task times; NAN: not known, taken as nothing */
  double variation; /* deviation / mean of task times; NAN: not known */
  uint64_t prefetch;
  bool is_static;    /* speeds do not change */
  bool knows_speeds; /* relative speeds are known, or all are equal */
};

/* ss, sc, wf2 or af; the reason in words goes to `why` (may be NULL). */
const struct ls_chunking *ls_advise_by_rule(const struct ls_situation *situation,
                                            struct ls_bytes *why);

#endif
