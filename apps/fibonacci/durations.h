/* durations.h: how long each unit lasts in each iteration.
 *
 * Either all alike or on a ramp, or told one by one, or the workload of heymann2001, chapter 3
 * (loadstar's `struct ls_workload`); in each iteration by up to a share longer or shorter.  The
 * draws are those of `loadstar simulate' with the same workload and seed.
 */
#ifndef FIBONACCI_DURATIONS_H
#define FIBONACCI_DURATIONS_H

#include <loadstar.h>

struct durations {
  uint64_t units;
  double seconds;              /* of a unit */
  double ramp;                 /* the last unit takes (1 + ramp) times the first */
  struct ls_workload workload; /* 0 tasks: none; else it tells `units`, too */
  bool is_listed;              /* `units` and `usual` are told one by one */
  double variation; /* each time is (1 + u) times as long, u in [-variation, variation] */
  uint64_t seed;
  double *usual, *varied; /* of `units`; NULL: not needed */
  struct ls_random chance;
  uint64_t iterations_drawn; /* `varied` is that of the last of them */
};

/* "28,50,1,1,28": tasks, percent of the work in large ones, do these differ, do the others, seconds
 * in all.  LS_EINVAL names the text and the field. */
enum ls_status durations_read_workload(const char *text, struct ls_workload *workload,
                                       struct ls_error *err);
/* "5.6,4.6,4": seconds of each unit, which tell `units`; LS_EINVAL names the text. */
enum ls_status durations_read_list(const char *text, struct durations *durations,
                                   struct ls_error *err);
/* After the settings, down to `seed`, are known; all else is zero. */
enum ls_status durations_open(struct durations *durations, struct ls_error *err);
void durations_close(struct durations *durations);
/* Seconds. Iterations that go forward cost O(units) each, others as many as lie before them. */
double durations_find(struct durations *durations, uint32_t iteration, uint64_t unit);

#endif
