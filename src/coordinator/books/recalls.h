/* recalls.h: when it is worth it to take back what waits at a busy worker, for one that is idle.
 *
 * The expected wait there is weighed against a message's way there and back and the unit's time at
 * the idle worker.  What runs for longer than it was expected to is expected to run as long again
 * (rent or buy, as in patience.h): so whatever is expected, a unit is not left to wait for longer
 * than the idle worker would take for it.  The way is the shortest that was seen: from the sending
 * of units to a worker that had nothing to their result, without the seconds that they took.
 */
#ifndef LS_COORDINATOR_BOOKS_RECALLS_H
#define LS_COORDINATOR_BOOKS_RECALLS_H

#include <stdbool.h>
#include <stdint.h>

struct ls_recalls {
  double way_s;      /* there and back; HUGE_VAL: not known */
  double look_s;     /* then it is worth looking again; HUGE_VAL: never */
  double answered_s; /* until then what was recalled last may come */
  bool is_due;       /* somebody is idle, or has more than runs there, since the last look */
  uint64_t count;    /* recalls, of the run */
};

/* Of a holder, and of an idle worker; in seconds, by what is known; 0: nothing is. */
struct ls_recall_facts {
  double begun_s;   /* when what runs at the holder began */
  double running_s; /* it takes; with it the other units of its chunk, of which nobody tells */
  double behind_s;  /* the units of later chunks take there */
  double unit_s;    /* the last of all takes at the idle worker */
  double least_s;   /* what the holder will do within it is left there */
};

void ls_recalls_init(struct ls_recalls *recalls);
/* A result came after so long, without the time of its units. */
void ls_recalls_hear(struct ls_recalls *recalls, double seconds);
/* A recall that has brought nothing for so long found nothing. */
double ls_recalls_answer(const struct ls_recalls *recalls);
/* The seconds after which the holder is expected to be done with all it has. */
double ls_recalls_stay(const struct ls_recall_facts *facts, double now_s);
/* When it is worth it to take the last unit to the idle worker; <= now_s: now. */
double ls_recalls_due(const struct ls_recalls *recalls, const struct ls_recall_facts *facts,
                      double now_s);
bool ls_recalls_are_sound(const struct ls_recalls *recalls);

#endif
