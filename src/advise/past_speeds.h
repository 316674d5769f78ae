/* past_speeds.h: how fast the machines of an earlier run were, by what it heard.
 *
 * The time of a unit on a machine is taken for a product, its own length over the machine's speed.
 * Units that several machines did tell their speeds apart (least squares of logarithms, in sweeps
 * that begin with the benchmarks, or without them with the mean times).  Where no unit went to two
 * machines, what they begin with stays.  Differences that chance explains are none
 * (theory/speeds.h).  Sticky: after LS_ENOMEM nothing more is learnt.
 */
#ifndef LS_ADVISE_PAST_SPEEDS_H
#define LS_ADVISE_PAST_SPEEDS_H

#include "base/range.h"
#include "base/status.h"
#include "coordinator/coordinator.h"
#include "coordinator/event.h"

struct ls_past_speeds {
  enum ls_status status;
  struct ls_past_machine {
    uint64_t place;
    double benchmark; /* beside the master's, of the last worker that told one; 0: none */
    double units;     /* of its times */
    double speed;     /* once it is estimated; 0: not known */
  } * machines;
  size_t machines_count, machines_capacity;
  struct ls_past_time {
    uint64_t unit; /* the first one of a range, whose units count as equal */
    double units, seconds;
    size_t machine;
  } * times;
  size_t times_count, times_capacity;
  size_t *slots; /* 1 + the machine of the worker that is there; 0: not known */
  size_t slots_count, slots_capacity;
};

void ls_past_speeds_close(struct ls_past_speeds *past);
/* A session begins with nobody. */
void ls_past_speeds_begin(struct ls_past_speeds *past);
void ls_past_speeds_hear(struct ls_past_speeds *past, const struct ls_event *event);
/* The machines that did a few units at least, by place; their speeds have the mean 1.  None if that
 * is true of fewer than two.  The caller frees `*hosts`. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_past_speeds_estimate(struct ls_past_speeds *past,
                                                  struct ls_coordinator_host **hosts,
                                                  size_t *hosts_count);

/* Behind the estimate: the speed of the machine that did this range in so many seconds a unit; 1
 * where that is not known. */
double ls_past_speeds_of(const struct ls_past_speeds *past, struct ls_range units, double seconds);

#endif
