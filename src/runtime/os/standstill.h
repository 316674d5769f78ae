/* standstill.h: notices from a process's own clock that it was stopped, and for how long.
 *
 * A process that is stopped by force learns of that by SIGCONT only.  It then began to stand still
 * after it last looked at the clock, and before it was to look again.  So a loop looks every
 * hundredth of the time that its present unit has taken: the length of a stop is known to a
 * hundredth of that, whoever stopped it and wherever it runs.  What it then waits for a processor
 * is none of the stop.  Pure: clock readings and the number of continuations are passed in.
 */
#ifndef LS_RUNTIME_OS_STANDSTILL_H
#define LS_RUNTIME_OS_STANDSTILL_H

#include <stdbool.h>

struct ls_standstill {
  double since_s;           /* the unit that runs, or the idleness, began */
  double mark_s, due_s;     /* the latest look, and when the next one was to be at the latest */
  double delayed_s, read_s; /* seconds that it has waited for a processor, and as of when */
  int continuations;        /* seen so far */
};

struct ls_stop {
  double seconds; /* 0: it was not stopped, or between two looks */
  double slack_s; /* they may be so many more or fewer */
};

/* A unit begins or ends. */
void ls_standstill_begin(struct ls_standstill *standstill, double now_s);
/* Seconds until the next look. */
double ls_standstill_patience_s(const struct ls_standstill *standstill, double now_s);
/* Is the time that it has waited for a processor to be read for the look of now?  That costs more
 * than a look. */
bool ls_standstill_needs_delay(const struct ls_standstill *standstill, double now_s,
                               int continuations);

struct ls_standstill_look {
  double now_s, due_s; /* the next look is due then */
  double delayed_s;    /* waited for a processor so far; NAN: not read */
  int continuations;
};
/* A look at the clock. */
struct ls_stop ls_standstill_look(struct ls_standstill *standstill,
                                  const struct ls_standstill_look *look);

#endif
