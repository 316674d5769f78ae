/* time_trend.h: whether the times of units change while a run goes on, and with what certainty.
 *
 * The logarithm of a time is a level of its worker, a trend and chance.  Four trends are weighed
 * against each other by how probable they make the samples: none; one in the order of the units
 * (a ramp, from one time to another); one in time, which all workers share (a machine that slows
 * down); one in time of each worker.  Levels of workers differ as far as they differ
 * beyond chance.  What is uncertain is drawn: ls_time_trend_draw gives one possible course.
 */
#ifndef LS_ADVISE_TIME_TREND_H
#define LS_ADVISE_TIME_TREND_H

#include <stddef.h>

#include "advise/time_record.h"
#include "base/random.h"

enum ls_trend { LS_TREND_NONE, LS_TREND_ORDER, LS_TREND_TIME, LS_TREND_OWN, LS_TRENDS };
enum { LS_TREND_GRID = 33, LS_TREND_WORKERS = 128 /* later ones are like the mean of all */ };

/* Of one worker under one trend. */
struct ls_trend_worker {
  double level, level_deviation;
  double slope, slope_deviation; /* in time */
  double share;                  /* of all samples */
  double middle;                 /* mean of the times of its samples: where its level stands */
};

struct ls_time_trend {
  double probability[LS_TRENDS];
  struct ls_trend_worker workers[LS_TRENDS][LS_TREND_WORKERS + 1]; /* the last one: any other */
  double units, span_s; /* of the whole run: the scales of order and time */
  double variance;      /* of chance */
  /* The ramp: logarithms of its last over its first time, and what each means for the level. */
  double ramps[LS_TREND_GRID], ramp_sums[LS_TREND_GRID], ramp_levels[LS_TREND_GRID];
  double ramp_level; /* that the levels of workers were found with */
  double ramp;       /* the most probable one */
};

/* One course that the samples allow. */
struct ls_trend_draw {
  enum ls_trend trend;
  double units, span_s, rise; /* rise: a ramp's last time over its first one, less 1 */
  double level[LS_TREND_WORKERS + 1], slope[LS_TREND_WORKERS + 1], middle[LS_TREND_WORKERS + 1];
};

/* Of a run of `units` in all; the record has at least two samples. */
void ls_time_trend_fit(const struct ls_time_record *record, double units,
                       struct ls_time_trend *trend);
/* With the most probable numbers of one trend. */
void ls_time_trend_centre(const struct ls_time_trend *trend, enum ls_trend kind,
                          struct ls_trend_draw *draw);
void ls_time_trend_draw(const struct ls_time_trend *trend, enum ls_trend kind,
                        struct ls_random *random, struct ls_trend_draw *draw);
/* What the logarithm of a unit's time is expected to be, but for chance: of a unit before which
 * `order` others ended, begun at `begin_s` by the worker. */
double ls_trend_draw_log(const struct ls_trend_draw *draw, size_t worker, double order,
                         double begin_s);
/* A draw from the normal distribution with mean 0 and deviation 1. */
double ls_trend_normal(struct ls_random *random);

#endif
