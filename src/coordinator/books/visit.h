/* visit.h: what is known of the worker in a slot since it came: what it said of itself, why it is
 * away, and what was taken back meanwhile.
 */
#ifndef LS_COORDINATOR_BOOKS_VISIT_H
#define LS_COORDINATOR_BOOKS_VISIT_H

#include <math.h>

#include "coordinator/event.h"

struct ls_visit {
  double ends_s;      /* its lifetime is over then; HUGE_VAL: not known */
  double answer_s;    /* told last; 0: nothing yet */
  double send_s;      /* its largest output took so long to leave */
  double asked_for_s; /* when it was requested; NAN: it was not, or has asked for work since */
  uint64_t place, lease;
  uint32_t lane; /* of the units that the next report tells of */
  bool has_lifeline;
  bool has_worked;     /* something was sent to it */
  bool was_asked_for;  /* it counts among those that are wanted; else it came by itself */
  bool was_replaced;   /* while it is suspended: another one was asked for in its place */
  enum ls_away reason; /* while it is suspended */
  double expected_s;   /* what it ran when it went away takes; NAN: not known, or nothing ran */
  double ran_s;        /* that had run for so long */
  bool has_given_back; /* that went back to the others, as this unit of this chunk: */
  uint64_t chunk, unit;
  uint64_t recalled; /* what waits there of chunks with lower numbers was recalled, at: */
  double recalled_s;
  uint64_t
      refused_by; /* it was idle, and this policy, by its number, gave it none of what came back */
};

static inline struct ls_visit ls_visit_begin(const struct ls_event_joined *joined,
                                             double asked_for_s, double now_s) {
  bool is_mortal = joined->lifetime_s > 0 && isfinite(joined->lifetime_s);
  return (struct ls_visit){.ends_s = is_mortal ? now_s + joined->lifetime_s : HUGE_VAL,
                           .asked_for_s = asked_for_s,
                           .place = joined->place,
                           .lease = joined->lease,
                           .has_lifeline = joined->has_lifeline,
                           .expected_s = (double)NAN};
}

#endif
