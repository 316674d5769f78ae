/* past_slowness.h: how much longer than expected the units of an earlier run took, by what it sent
 * and heard.
 *
 * What a coordinator learns while it runs: a unit that ended alone is an end, a second run of it
 * that was stopped then would have lasted longer.  Expected is the mean of the unit's earlier
 * iterations, else that of the iteration so far.  Sticky: after LS_ENOMEM nothing more is learnt.
 */
#ifndef LS_ADVISE_PAST_SLOWNESS_H
#define LS_ADVISE_PAST_SLOWNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/action.h"
#include "coordinator/event.h"
#include "policies/slowness.h"

struct ls_past_slowness {
  struct ls_slowness slowness; /* what was learnt */
  enum ls_status status;
  struct ls_past_unit {
    double seconds; /* sum over iterations */
    uint32_t count, iteration, runs_count;
    struct ls_past_unit_run {
      uint32_t slot, visit, rank;
      double sent_s;
    } runs[2]; /* of this iteration, that go on */
  } * units;
  size_t units_count, units_capacity;
  struct ls_past_slot {
    uint32_t visit, sent, resolved; /* visit: workers before it; units of this worker */
    double result_s;
  } * slots;
  size_t slots_count, slots_capacity;
  uint32_t iteration;
  double now_s;
  double iteration_seconds, iteration_units; /* that ended */
};

void ls_past_slowness_close(struct ls_past_slowness *past);
/* A session begins: with nobody, and with the iteration that the last one left. */
void ls_past_slowness_begin(struct ls_past_slowness *past);
/* An event, and what was sent at it. */
void ls_past_slowness_hear(struct ls_past_slowness *past, const struct ls_event *event,
                           const struct ls_actions *sends);

#endif
