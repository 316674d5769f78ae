/* chunking.h: how many units does the worker that asks get now?  The interface of chunking
 * policies.
 *
 * A policy is a struct of functions over plain facts and its own state, which it takes from an
 * arena of the coordinator.  It knows no clock and no message.  A caller clips the answer to the
 * units that wait and to the worker's room: a policy that keeps count of what it gave minds both.
 * A worker without room is not asked for.  A worker that gets 0 is parked and asked for again when
 * units come back and when a worker is lost (units reserved for it are free then).
 *
 * Workers live in slots, and a slot is used again when its worker has gone.  So p of the published
 * formulas is the number of slots: the workers of the platform at first, present or not yet.  It
 * never falls, and grows only when a worker joins while no slot is free.  In a sum over p workers
 * all slots count, that of a lost worker until another one takes it.
 */
#ifndef LS_POLICIES_CHUNKING_H
#define LS_POLICIES_CHUNKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/parameter.h"
#include "base/status.h"
#include "model/plan.h"

/* The work of a slot's worker in the iterations before this one: sums over them of k times its
 * units and of k times their seconds, with k = 1, 2, ... the number of the iteration. No units:
 * nothing known.
 */
struct ls_chunking_earlier {
  double units, seconds;
};

/* The facts that a policy may know before the start. Borrowed pointers live as long as the state.
 */
struct ls_chunking_setup {
  uint64_t units;        /* N of this iteration */
  size_t slots;          /* p at its beginning, >= 1 */
  const double *weights; /* `slots` entries >= 0, to be read by init only; NULL: all equal */
  /* `slots` entries, to be read by init only (it goes on counting); NULL: no earlier iteration */
  const struct ls_chunking_earlier *earlier;
  double mean_seconds;      /* of a unit; NAN: unknown */
  double deviation_seconds; /* of a unit; NAN: unknown */
  double overhead_seconds;  /* cost of one request with both latencies; NAN: unknown */
  uint64_t seed;
  /* Its workers are those of the first slots; to be read by init only; NULL: no costs are known */
  const struct ls_platform *platform;
  /* follow-plan: what to push, chunks of whole units for slots; it outlives the state; else NULL */
  const struct ls_plan *plan;
  struct ls_arguments arguments;
};

/* The facts at a decision. */
struct ls_chunking_view {
  double now_s;
  uint64_t units;            /* N of this iteration */
  uint64_t units_unassigned; /* R >= 1 when next_units is called */
  size_t workers_present;    /* joined, not lost */
  size_t slots;              /* p; the arrays have so many entries */
  const double *weights;     /* >= 0: told of the slot, else measured of its worker, else 1 */
  const bool *is_present;    /* its worker has joined and is not lost */
  const bool *is_counted;    /* present, or of the platform and still awaited */
  /* By slot: the most units of a chunk for which its worker has room; NULL: any. For next_send all
   * are of this instant, for next_units that of the worker that asks. */
  const uint64_t *units_free;
  /* For next_send.  By slot: the most units of a chunk that its worker can do before its time is
   * over; NULL: any. */
  const uint64_t *units_lasting;
};

/* The units that a worker finished since its previous report. `units` is 0 when it tells
 * `units_gone` only.
 */
struct ls_chunking_report {
  uint32_t worker;
  uint64_t units;
  double seconds, squares; /* sums over the units of task seconds and of their squares */
  double elapsed_s;     /* between the master's handling of the previous report and of this one */
  const double *latest; /* of its last units one by one, in order; at most as many as it wants */
  size_t latest_count;
  uint64_t units_gone; /* failed or cancelled: sent to it, not finished, and not there any more */
};

/* The facts of the setup that a policy makes use of; whatever it does not need is ignored. */
enum ls_chunking_fact {
  LS_CHUNKING_WEIGHTS = 1,
  LS_CHUNKING_MEAN = 2,
  LS_CHUNKING_DEVIATION = 4,
  LS_CHUNKING_OVERHEAD = 8,
  LS_CHUNKING_SEED = 16,
  LS_CHUNKING_PLAN = 32,
  LS_CHUNKING_COSTS = 64 /* of the platform */
};

enum ls_chunking_change {
  LS_CHUNKING_JOINED,  /* a fresh worker: the facts of the slot's former one are forgotten */
  LS_CHUNKING_RESUMED, /* the slot's own worker, lost before, is back */
  LS_CHUNKING_LOST
};

struct ls_chunking {
  const char *name;                      /* "gss" */
  const char *summary;                   /* one line */
  const char *reference;                 /* "Polychronopoulos, Kuck 1987" */
  const struct ls_parameter *parameters; /* ends with a NULL name; NULL: none */
  unsigned facts;                        /* enum ls_chunking_fact, joined by | */
  bool is_pushed;                        /* next_send instead of next_units */
  bool learns;                           /* its weights, which begin with those that were told */
  /* Makes the state, all of whose memory is the arena's; the arena stays where it is until it is
   * closed.  LS_EINVAL when the setup cannot be served (names what is missing).  NULL: the policy
   * has no state. */
  enum ls_status (*init)(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                         void **state, struct ls_error *err);
  /* Room for so many slots, before a worker joins in one beyond those of now; besides init the only
   * place where a policy allocates.  LS_ENOMEM: nothing has changed.  NULL: the policy keeps
   * nothing by slot. */
  enum ls_status (*resize)(void *state, size_t slots, struct ls_error *err);
  /* >= 1, or 0: nothing for this worker now. */
  uint64_t (*next_units)(void *state, const struct ls_chunking_view *view, uint32_t worker);
  /* Pushed policies: the next chunk to send now; false: nothing (more). */
  bool (*next_send)(void *state, const struct ls_chunking_view *view, uint32_t *worker,
                    uint64_t *units);
  void (*on_report)(void *state, const struct ls_chunking_view *view,
                    const struct ls_chunking_report *report); /* may be NULL */
  /* `units_back`: whole units that wait again by this change. init expects a worker in
   * every slot, present or not yet: the caller tells by LOST (0 units back) in which slots there is
   * none and none is awaited. */
  void (*on_worker)(void *state, const struct ls_chunking_view *view, uint32_t worker,
                    enum ls_chunking_change change, uint64_t units_back); /* may be NULL */
  /* Units came back for another reason: a failed task is to be tried again, or a leaving worker,
   * which was told as lost with 0 units, is gone with those it still had. */
  void (*on_return)(void *state, const struct ls_chunking_view *view,
                    uint64_t units_back); /* may be NULL */
};

/* All chunking policies, NULL-terminated, one line each in chunking/list.h. */
extern const struct ls_chunking *const ls_chunkings[];
/* By name; NULL when there is none. */
const struct ls_chunking *ls_chunking_find(const char *name);
/* A report comes without a request after every so many units that a worker finished in its slot and
 * told the seconds of, whatever its requests told meanwhile; replicas do not count.  The value of
 * the policy's parameter "report_every" (auto: 1); 0 (reports travel with requests only) when it
 * has none. */
uint64_t ls_chunking_report_every(const struct ls_chunking *policy,
                                  const struct ls_arguments *arguments);
/* The state with which the policy begins; NULL in `*state` when it has none. */
LS_CHECKED enum ls_status ls_chunking_init(const struct ls_chunking *policy, struct ls_arena *arena,
                                           const struct ls_chunking_setup *setup, void **state,
                                           struct ls_error *err);

/* For policies: the most units of a chunk for which the worker has room. */
static inline uint64_t ls_chunking_room(const struct ls_chunking_view *view, uint32_t worker) {
  return view->units_free != NULL ? view->units_free[worker] : UINT64_MAX;
}
/* For policies that push: the most units of a chunk for which the worker has the time. */
static inline uint64_t ls_chunking_lasting(const struct ls_chunking_view *view, uint32_t worker) {
  return view->units_lasting != NULL ? view->units_lasting[worker] : UINT64_MAX;
}
/* For policies. LS_EINVAL unless every weight is finite and >= 0 (no weights at all are fine). */
LS_CHECKED enum ls_status ls_chunking_check_weights(const struct ls_chunking_setup *setup,
                                                    struct ls_error *err);
/* LS_ENOMEM, in words. */
LS_CHECKED enum ls_status ls_chunking_no_memory(struct ls_error *err);

/* How many times of single units a report is to end with: the value of the policy's parameter
 * "history" (auto: as many as a forecast may count); 0 when it has none. */
size_t ls_chunking_history(const struct ls_chunking *policy, const struct ls_arguments *arguments);

#endif
