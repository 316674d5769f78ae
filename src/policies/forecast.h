/* forecast.h: the next time of a worker: the mean of its latest ones, and of how many by itself.
 *
 * Few times follow a speed that changes, many even out times that vary.  So after each time every
 * length is judged by how far its forecast was off, and the one that was nearest lately is used;
 * it is held unless another is clearly better, for a choice that jumps learns nothing.  A value: it
 * owns no memory, and {0} is a worker of which nothing is known.
 */
#ifndef LS_POLICIES_FORECAST_H
#define LS_POLICIES_FORECAST_H

#include <stddef.h>
#include <stdint.h>

enum {
  LS_FORECAST_LENGTHS = 6,
  LS_FORECAST_TIMES = 50, /* the greatest length */
  LS_FORECAST_ERRORS = 50 /* the forecasts by which a length is judged */
};

struct ls_forecast {
  uint64_t count;                  /* times observed */
  double times[LS_FORECAST_TIMES]; /* ring: number i at i mod its length */
  double errors[LS_FORECAST_LENGTHS]
               [LS_FORECAST_ERRORS]; /* rings, in seconds; none of the first time */
  size_t chosen;                     /* of the lengths */
};

/* The worker's next time, > 0 and finite. */
void ls_forecast_observe(struct ls_forecast *forecast, double seconds);
/* The mean of the latest times, of the length that is chosen; NAN: none was observed. */
double ls_forecast_seconds(const struct ls_forecast *forecast);
/* The length that is chosen: 1, 2, 5, 10, 20 or 50; 20 until there are LS_FORECAST_ERRORS. */
size_t ls_forecast_length(const struct ls_forecast *forecast);

#endif
