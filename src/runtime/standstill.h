/* standstill.h: notices from a process's own clock that it was stopped, and for how long.
 *
 * A process that is stopped by force learns of that by SIGCONT only.  It then began to stand still
 * after it last looked at the clock, and before it was to look again.  So a loop looks every
 * hundredth of the time that its present unit has taken: the length of a stop is known to a
 * hundredth of that, whoever stopped it and wherever it runs.  Pure: clock readings and the number
 * of continuations are passed in.
 */
#ifndef LS_RUNTIME_STANDSTILL_H
#define LS_RUNTIME_STANDSTILL_H

struct ls_standstill {
  double since_s;       /* the unit that runs, or the idleness, began */
  double mark_s, due_s; /* the latest look, and when the next one was to be at the latest */
  int continuations;    /* seen so far */
};

struct ls_stop {
  double seconds; /* 0: it was not stopped, or between two looks */
  double slack_s; /* they may be so many more or fewer */
};

/* A unit begins or ends. */
void ls_standstill_begin(struct ls_standstill *standstill, double now_s);
/* Seconds until the next look. */
double ls_standstill_patience_s(const struct ls_standstill *standstill, double now_s);
/* A look at the clock; the next one is due then. */
struct ls_stop ls_standstill_look(struct ls_standstill *standstill, double now_s, double due_s,
                                  int continuations);

#endif
