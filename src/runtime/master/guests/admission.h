/* admission.h: who may join a run, and what it is told.
 *
 * Pure, but for the numbers of places from outside that it counts.
 */
#ifndef LS_RUNTIME_MASTER_GUESTS_ADMISSION_H
#define LS_RUNTIME_MASTER_GUESTS_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/labels.h"
#include "protocol/message.h"
#include "runtime/master/master.h"
#include "runtime/pool/pools.h"

struct ls_admission {
  const struct ls_master_options *options;
  struct ls_bytes settings;     /* as text, of the worker that was welcomed last */
  uint32_t outside;             /* workers that joined from outside the pools */
  uint64_t unfit;               /* greetings of those without the label that the run needs */
  char labels[LS_LABELS_BYTES]; /* of the worker that was given a place last */
  double limit_s;               /* of a unit, in place of that of the options; 0: that */
  double now_s;                 /* of the run, for the next welcome */
  uint64_t benchmark;           /* rounds (benchmark.h) for workers that may be of any speed */
  bool tells_speeds;            /* of those that are known, to the coordinator */
};

/* Borrows the options until close. */
void ls_admission_init(struct ls_admission *admission, const struct ls_master_options *options);
/* Are workers' speeds to be told when they join?  They are where they are learnt, and a worker may
 * come that is not as fast as the master. */
bool ls_admission_tells_speeds(const struct ls_master_options *options);
/* Is one of them known by a benchmark only?  Not of workers of this machine: they are as fast as
 * the master, or emulate a speed that is told. */
bool ls_admission_needs_benchmark(const struct ls_master_options *options);
/* Is the worker from this place to make one? */
bool ls_admission_asks_speed(const struct ls_admission *admission, uint32_t place);
/* Its speed beside the master's, where it is known without one and is to be told; else 0. */
double ls_admission_speed(const struct ls_admission *admission, uint32_t place);
/* NULL: the greeting that came in by this door is right; else what is wrong with it, in words
 * written to `why`. Who comes by an open door runs the same program. */
const char *ls_admission_refuse(const struct ls_admission *admission, uint32_t door,
                                const struct ls_message *hello, char *why, size_t why_bytes);
/* The place of a worker: its slot in the pools, or one from outside, a new number each time. 0: it
 * has none, for it lacks the label that the run needs. */
uint32_t ls_admission_place(struct ls_admission *admission, const struct ls_pools *pools,
                            uint32_t door, const struct ls_message *hello);
/* The answer to the worker that has joined in a slot of the coordinator, from this place.
 * LS_ENOMEM. The text is borrowed until the next one. */
LS_CHECKED enum ls_status ls_admission_welcome(struct ls_admission *admission, uint32_t slot,
                                               uint32_t place, struct ls_message *welcome,
                                               struct ls_error *err);
void ls_admission_close(struct ls_admission *admission);

#endif
