/* chunking.h: how many units does the worker that asks get now?  The interface of chunking
 * policies.
 *
 * A policy is a struct of functions over plain facts and its own state, a block of memory whose
 * size it names and which the coordinator allocates once.  It knows no clock and no message.
 * Whoever calls clips the answer to the units that wait.  A worker that gets 0 is parked and asked
 * for again when units come back and when a worker is lost (what was kept for it is free then).
 */
#ifndef LS_POLICIES_CHUNKING_H
#define LS_POLICIES_CHUNKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parameter.h"
#include "base/status.h"

/* A chunk of a plan to follow: whole units. */
struct ls_planned_chunk {
  uint32_t worker;
  uint64_t units;
};

/* What a worker did in the iterations before this one: sums over them of k times its units and of
 * k times their seconds, with k = 1, 2, ... the number of the iteration. No units: nothing known.
 */
struct ls_chunking_earlier {
  double units, seconds;
};

/* What a policy may know before the start. Borrowed pointers live as long as the state. */
struct ls_chunking_setup {
  uint64_t units;        /* N of this iteration */
  size_t workers;        /* p: the workers of the platform, present or not yet */
  size_t workers_max;    /* fixed at create; worker numbers are below it */
  const double *weights; /* workers_max entries >= 0, or NULL: all equal */
  const struct ls_chunking_earlier *earlier; /* workers_max entries, to be read by init only (it
                                                goes on counting); NULL: no earlier iteration */
  double mean_seconds;                       /* of a unit; NAN: unknown */
  double deviation_seconds;                  /* of a unit; NAN: unknown */
  double overhead_seconds; /* cost of one request with both latencies; NAN: unknown */
  uint64_t seed;
  const struct ls_planned_chunk *plan; /* follow-plan: what to push, in order; else NULL */
  size_t plan_count;
  struct ls_arguments arguments;
};

/* The facts at a decision. */
struct ls_chunking_view {
  double now_s;
  uint64_t units;            /* N of this iteration */
  uint64_t units_unassigned; /* R >= 1 when next_units is called */
  size_t workers_present;    /* joined, not lost */
  const bool *is_present;    /* workers_max entries */
};

/* What a worker finished since its previous report. `units` is 0 when all it tells is `units_gone`.
 */
struct ls_chunking_report {
  uint32_t worker;
  uint64_t units;
  double seconds, squares; /* sums over the units of task seconds and of their squares */
  double elapsed_s;    /* between the master's handling of the previous report and of this one */
  double last_seconds; /* of the last unit */
  uint64_t units_gone; /* failed or cancelled: sent to it, not finished, and not there any more */
};

/* The facts of the setup that a policy makes use of; whatever it does not need is ignored. */
enum ls_chunking_fact {
  LS_CHUNKING_WEIGHTS = 1,
  LS_CHUNKING_MEAN = 2,
  LS_CHUNKING_DEVIATION = 4,
  LS_CHUNKING_OVERHEAD = 8,
  LS_CHUNKING_SEED = 16,
  LS_CHUNKING_PLAN = 32
};

enum ls_chunking_change { LS_CHUNKING_JOINED, LS_CHUNKING_LOST };

struct ls_chunking {
  const char *name;                      /* "gss" */
  const char *summary;                   /* one line */
  const char *reference;                 /* "Polychronopoulos, Kuck 1987" */
  const struct ls_parameter *parameters; /* ends with a NULL name; NULL: none */
  unsigned facts;                        /* enum ls_chunking_fact, joined by | */
  bool is_pushed;                        /* next_send instead of next_units */
  /* May be 0; the state is then whatever calloc(1, 0) gives. */
  size_t (*state_bytes)(const struct ls_chunking_setup *setup);
  /* Fills the zeroed state. LS_EINVAL when the setup cannot be served (names what is missing). */
  enum ls_status (*init)(void *state, const struct ls_chunking_setup *setup, struct ls_error *err);
  /* >= 1, or 0: nothing for this worker now. */
  uint64_t (*next_units)(void *state, const struct ls_chunking_view *view, uint32_t worker);
  /* Pushed policies: the next chunk to send now; false: nothing (more). */
  bool (*next_send)(void *state, const struct ls_chunking_view *view, uint32_t *worker,
                    uint64_t *units);
  void (*on_report)(void *state, const struct ls_chunking_view *view,
                    const struct ls_chunking_report *report); /* may be NULL */
  /* `units_back`: whole units that returned to the pool by this change. init expects the workers
   * below setup->workers, present or not yet: at the start of a later iteration the caller tells by
   * LOST (0 units back) which of them are gone for good. */
  void (*on_worker)(void *state, const struct ls_chunking_view *view, uint32_t worker,
                    enum ls_chunking_change change, uint64_t units_back); /* may be NULL */
  /* Units came back for another reason (a failed task to be tried again). */
  void (*on_return)(void *state, const struct ls_chunking_view *view,
                    uint64_t units_back); /* may be NULL */
};

/* All chunking policies, NULL-terminated, one line each in chunking/list.h. */
extern const struct ls_chunking *const ls_chunkings[];
/* By name; NULL when there is none. */
const struct ls_chunking *ls_chunking_find(const char *name);
/* A worker reports without asking after every so many units, by its own count of all that it
 * finished, whatever its requests told meanwhile: the value of the policy's parameter
 * "report_every"; 0 (reports travel with requests only) when it has none. */
uint64_t ls_chunking_report_every(const struct ls_chunking *policy,
                                  const struct ls_arguments *arguments);

#endif
