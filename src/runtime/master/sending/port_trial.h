/* port_trial.h: how many inputs may travel at a time where nobody says it: learnt from transfers.
 *
 * Links are separate where two transfers at once take no longer than one alone.  So the number
 * doubles as long as transfers beside others keep the rate that they have alone, and falls to half
 * where they do not.
 */
#ifndef LS_RUNTIME_MASTER_SENDING_PORT_TRIAL_H
#define LS_RUNTIME_MASTER_SENDING_PORT_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

/* Of the way to a worker: its last transfer alone. Starts as {0}. */
struct ls_port_alone {
  size_t bytes; /* 0: there was none yet */
  double seconds;
};

/* Starts as {0}. */
struct ls_port_trial {
  size_t most;    /* at a time, found so far; 0: 1 */
  size_t known;   /* ways whose rate alone is known */
  size_t samples; /* of transfers beside others, at the present number */
  double slower;  /* sum over them: how many times what they take alone */
  size_t pause;   /* so many transfers before the next number is tried */
};

/* A transfer over a way has ended: its bytes and seconds, and the most that travelled at a time
 * meanwhile. */
void ls_port_trial_end(struct ls_port_trial *trial, struct ls_port_alone *alone,
                       const struct ls_port_alone *transfer, size_t at_once);

#endif
