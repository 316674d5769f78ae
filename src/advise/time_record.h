/* time_record.h: what the ended units of a run took, kept in bounded room while it goes on.
 *
 * Whoever hears of results adds them.  At most LS_TIME_SAMPLES of them are kept: once there are so
 * many, every second one is dropped, and from then on every second one of those that come.  So the
 * samples are spread evenly over the run; the sums beside them are of all.
 */
#ifndef LS_ADVISE_TIME_RECORD_H
#define LS_ADVISE_TIME_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LS_TIME_SAMPLES = 512 };

/* One result that counts. */
struct ls_time_sample {
  uint32_t worker;
  double units;   /* that it held */
  double order;   /* so many units had ended when it began */
  double begin_s; /* by the clock of the run */
  double log_s;   /* the logarithm of the seconds of one of its units */
};

/* Of one worker: where its next result begins. */
struct ls_time_worker {
  bool has_ended;        /* something */
  double order;          /* units that had ended in the run when its last one did */
  double ended_s;        /* when that was */
  double units, seconds; /* of all of its results */
};

/* Starts as {0}; owns its workers.  Sticky: without memory for a worker its results are left out.
 */
struct ls_time_record {
  struct ls_time_sample samples[LS_TIME_SAMPLES]; /* in the order of their ends */
  size_t count;
  uint64_t stride, skipped; /* one of `stride` results is kept; 0 counts as 1 */
  uint64_t results;
  double units, seconds; /* of all results */
  struct ls_time_worker *workers;
  size_t workers_count, workers_capacity;
};

/* `seconds`: of all `units` together, which ended at `now_s`.  What is not finite, or not above 0,
 * is taken as the shortest time that counts, a nanosecond. */
void ls_time_record_add(struct ls_time_record *record, uint32_t worker, uint64_t units,
                        double seconds, double now_s);
/* The order of what the worker runs now. */
double ls_time_record_order(const struct ls_time_record *record, uint32_t worker);
void ls_time_record_close(struct ls_time_record *record);

#endif
