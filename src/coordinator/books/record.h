/* record.h: the measurements of workers and tasks, and the knowledge made of them.
 *
 * Durations come with results.  They wait here for the next report to the chunking policy, are
 * summed by worker and over all, and become the known times of tasks where an order, a sizing or a
 * replication learns.  Sums of workers are plain; those weighted by iteration, which AWF wants, are
 * made from them.  A new worker in a slot begins with nothing.  Invariant (ls_record_is_sound):
 * what was seen is the sum over the workers in the slots and those that departed.
 */
#ifndef LS_COORDINATOR_BOOKS_RECORD_H
#define LS_COORDINATOR_BOOKS_RECORD_H

#include "base/range.h"
#include "policies/chunking.h"
#include "policies/predictor.h"
#include "theory/eer.h"
#include "theory/speeds.h"

struct ls_record_slot {
  struct ls_chunking_report report; /* gathered for the policy since reported_s */
  double *latest;                   /* of the report: at most `history` times, in order */
  size_t latest_capacity;
  double reported_s, result_s;    /* result_s: when its last result came */
  uint64_t results;               /* finished units whose seconds came with them */
  double units, seconds, squares; /* of the worker, since it came */
  double iteration_units, iteration_seconds;
  struct ls_speed_sample ratios; /* seconds of its units over those that were expected of them at a
                                    worker of speed 1 */
  /* Its speed: by these when the iteration began, else a past one, else by its benchmark; or 0. */
  double alpha;
  bool is_shown;                      /* by its units */
  double past;                        /* its machine's speed in an earlier run; 0: not known */
  double benchmark;                   /* its speed beside the master's; 0: not known */
  struct ls_chunking_earlier earlier; /* k-weighted, over the iterations that have ended */
};

/* The tasks of this iteration and of earlier ones. */
struct ls_record_tasks {
  bool is_learning;
  struct ls_task_history *history; /* seconds on a worker of speed 1; NULL: it is not wanted */
  double *seconds;                 /* by unit of this iteration, wall clock; NAN: not yet */
  uint64_t seconds_count;
  size_t seconds_capacity;
  double *expected, *actual; /* declared */
  uint64_t declared_count;
  struct ls_task_facts facts; /* of the iteration that ended last */
};

struct ls_record {
  struct ls_record_slot *slots;
  size_t count, capacity;
  size_t history;        /* last unit times that the policy wants in a report */
  uint64_t report_every; /* results that make a report of their own; 0: none */
  uint32_t iterations;   /* opened in this session */
  double benchmark_mean; /* of a worker of speed 1; 0: there was none */
  bool has_shown;        /* any worker, by its units */
  struct {
    uint64_t units, reports;
    double seconds, squares, overhead_s;
  } seen;                          /* of the session: the facts that were not told */
  struct ls_speed_sample departed; /* the part of `seen` that is of workers who have gone */
  /* Of the units of this iteration that were timed; `normal_seconds`: at a worker of speed 1. */
  double working_units, working_seconds, normal_seconds;
  double earlier_up_seconds;
  struct ls_record_tasks tasks;
};

/* The content of a result about units that are done at a slot; never more times than units. */
struct ls_record_entry {
  uint32_t slot;
  struct ls_range units;
  double seconds, squares; /* sums over them */
  const double *latest;    /* of its last units one by one, in order */
  size_t latest_count;
  double speed;    /* of the worker */
  bool is_replica; /* the policy did not send it */
};

void ls_record_close(struct ls_record *record);
LS_CHECKED enum ls_status ls_record_add_slots(struct ls_record *record, size_t slots);
/* Another worker is in the slot; or the same one came back: pending reports are void. */
void ls_record_begin(struct ls_record *record, uint32_t slot, double now_s, bool is_new);
/* What the entry says of a part of its units: the times that are told one by one are its own, the
 * others are equal. */
struct ls_record_entry ls_record_cut(const struct ls_record_entry *entry, struct ls_range part);
/* LS_ENOMEM: nothing was written. `*is_report_due`: enough came for a report without a request. */
LS_CHECKED enum ls_status ls_record_add(struct ls_record *record,
                                        const struct ls_record_entry *entry, double now_s,
                                        bool *is_report_due);
/* The units that the slot's worker finished since its last report, which begins anew; false: none.
 * The list of times is borrowed until the next entry. */
bool ls_record_take_report(struct ls_record *record, uint32_t slot, double now_s,
                           struct ls_chunking_report *report);

/* An iteration ends: the sums of the workers join those of the earlier ones. */
void ls_record_end_iteration(struct ls_record *record);
/* Sums over iterations, this one counted as its number says; for each slot below the count. */
void ls_record_earlier(const struct ls_record *record, struct ls_chunking_earlier *earlier);
/* Units per second as measured; 0: nothing is known of the worker. */
double ls_record_rate(const struct ls_record *record, uint32_t slot);
/* Credible speeds of the workers that did at least `units_least`, as weights; of all others that of
 * their benchmark, in the measure of those who have both, else the
 * mean. */
LS_CHECKED enum ls_status ls_record_speeds(const struct ls_record *record, size_t slots,
                                           double units_least, double *weights);
/* The entry's units were expected to take so long at a worker of speed 1, before they are timed. */
void ls_record_compare(struct ls_record *record, const struct ls_record_entry *entry);
/* Renews the alphas of those who did at least `units_least` units of which something was expected:
 * as far as the differences exceed chance, beside a mean of 1. LS_ENOMEM: they stay. */
LS_CHECKED enum ls_status ls_record_renew_alphas(struct ls_record *record, double units_least);
/* The speed of the worker's machine in an earlier run, > 0: its alpha until its units show one. */
void ls_record_take_past(struct ls_record *record, uint32_t slot, double speed);
/* The worker's speed beside the master's, > 0: its alpha, in the measure of the others', unless its
 * units show one. */
void ls_record_hear_benchmark(struct ls_record *record, uint32_t slot, double speed);
bool ls_record_is_sound(const struct ls_record *record);

/* record_tasks.c: times of single tasks. */
LS_CHECKED enum ls_status ls_record_keep_history(struct ls_record *record, struct ls_error *err);
LS_CHECKED enum ls_status ls_record_learn(struct ls_record *record, struct ls_range units,
                                          double seconds, struct ls_error *err);
LS_CHECKED enum ls_status ls_record_declare(struct ls_record *record, const double *expected,
                                            const double *actual, uint64_t count,
                                            struct ls_error *err);
/* The tasks of the iteration, which has ended, become facts and history. */
LS_CHECKED enum ls_status ls_record_end_tasks(struct ls_record *record);
/* Room for the times of `units` new ones. Facts and history stay. */
LS_CHECKED enum ls_status ls_record_open_tasks(struct ls_record *record, uint64_t units,
                                               struct ls_error *err);
/* The iteration has so many more. */
LS_CHECKED enum ls_status ls_record_add_tasks(struct ls_record *record, uint64_t units);
/* The part of the entry's units is done: in how far the list of times reaches, each unit has its
 * own; the others the mean. */
void ls_record_time(struct ls_record *record, const struct ls_record_entry *entry,
                    struct ls_range part);
/* The time of the unit on a worker of speed 1, from history or declared; NAN: not known. */
double ls_record_expect(const struct ls_record *record, uint64_t unit);
/* May it be known of one unit, and other than of another one? */
static inline bool ls_record_tells_units_apart(const struct ls_record *record) {
  return record->tasks.history != NULL || record->tasks.declared_count > 0;
}

#endif
