/* xmi_pass.h: the backward pass of xmi: chunks of round-robin messages without a wait.
 *
 * Message r is the one after which r more are sent; its units are p_r x + q_r, where x makes the
 * sum the load.  p and q do not depend on the number of messages, so one pass from the last message
 * to the front serves every number.  Where p grows (theta < 1), q grows along with it and units
 * would be small differences; so q is now and then taken anew as q - factor p, and x as x + factor,
 * from that message on.
 */
#ifndef LS_PLANNERS_ROUNDS_XMI_PASS_H
#define LS_PLANNERS_ROUNDS_XMI_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/statistics.h"
#include "base/status.h"
#include "model/plan.h"
#include "planners/star/reduced_star.h"

/* From `message` on, q is what it was less factor * p. */
struct ls_xmi_change {
  size_t message;
  double factor;
};

/* p grows by at least 4 between two changes and stays below 1e250. */
enum { LS_XMI_CHANGES_MAX = 420 };

struct ls_xmi_pass {
  const struct ls_reduced_star *workers;
  double load;
  size_t messages;           /* so far */
  double *p, *q;             /* of each message; q as it was taken then */
  double *p_tails, *q_tails; /* by place: sums over the block before, from there to its end */
  double *p_own, *q_own;     /* by place: computing seconds of a worker's messages */
  double *free_s;            /* by place: for replays */
  double p_head, q_head;     /* sums over the block's own beginning */
  double p_largest;
  struct ls_sum p_sum, q_sum;
  double speed, send_per_unit_s;       /* units per second of all; of the fastest link */
  double work_latency, send_latency_s; /* lost units, seconds of the port: by latencies so far */
  double x_least;                      /* below it some chunk is negative */
  double x_sent; /* below it some chunk with a latency is too small to be sent */
  struct ls_xmi_change changes[LS_XMI_CHANGES_MAX];
  size_t changes_count;
};

/* Room for `messages_max`; the pass borrows the workers, whose compute_per_unit_s must be > 0. A
 * pass that is {0} may be closed. */
LS_CHECKED enum ls_status ls_xmi_pass_init(struct ls_xmi_pass *pass,
                                           const struct ls_reduced_star *workers,
                                           size_t messages_max, double load, struct ls_error *err);
void ls_xmi_pass_close(struct ls_xmi_pass *pass);
/* Goes one message towards the front. `place`: messages % count, which the caller counts along.
 * False: no larger number of messages can be used. O(1) amortised. */
bool ls_xmi_pass_extend(struct ls_xmi_pass *pass, size_t place);
/* Can the messages so far be sent, none of them negative? Then `*x` is theirs. */
bool ls_xmi_pass_is_usable(const struct ls_xmi_pass *pass, double *x);
/* No plan of so many messages or more, all of them sent, ends before: their latencies alone keep
 * the workers, or the port, busy that long. */
double ls_xmi_pass_bound_s(const struct ls_xmi_pass *pass);
/* When all end; `place` is that of the first message, the one added last. */
double ls_xmi_pass_end_s(struct ls_xmi_pass *pass, size_t place, double x);
/* Adds the first `messages` of the pass, in send order. */
void ls_xmi_pass_add(const struct ls_xmi_pass *pass, size_t messages, double x,
                     struct ls_plan *plan);

#endif
