/* timeline.h: which resource did what for which chunk, from when to when.
 *
 * A simulation, a run and the replay of a plan leave the same timeline; reports read nothing else.
 * Sticky builder like the plan.  Owned by its creator.
 */
#ifndef LS_MODEL_TIMELINE_H
#define LS_MODEL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"
#include "model/operation.h"
#include "model/outcome.h"

LS_C_BEGIN

struct ls_span {
  enum ls_resource resource;
  enum ls_operation operation;
  enum ls_outcome outcome; /* whether a compute span's work counted, and why not */
  uint32_t worker;
  uint64_t chunk; /* number of the decision */
  uint64_t
      units; /* units covered by this span, rounded to whole ones; 0 when it is no whole number */
  double start_s, end_s;
  /* Of a run: its first unit, counted from 1 in its iteration as in the job log; 0: not known. */
  uint64_t task;
  uint32_t peak_kib; /* of memory; 0: not known */
  uint16_t attempt;  /* 1: the first of its unit */
  int16_t exit_code; /* of a command; below 0: the signal that ended it */
  bool is_running;   /* has not ended: its end is when it was looked at; it counts no units yet */
};

/* A decision: worker and units, in the order in which they were made. */
struct ls_decision {
  uint32_t worker;
  double units;
};

/* What is known of one worker of the timeline. */
struct ls_timeline_worker {
  char *name;              /* owned */
  double joined_s, left_s; /* present from, until; left_s is INFINITY while it stayed to the end */
  double suspended_s;      /* seconds suspended in between */
  double price_per_s;      /* of a second up; 1 unless set */
  bool is_untaken;         /* a plan has nothing for it: it is not there, and costs nothing */
  char *labels;            /* what it has, between commas; owned; NULL: nothing */
  double exposed_s;        /* it staged, and computed nothing; NAN: as the spans have it */
};

/* A time in between in which a worker was suspended, or nobody was in its place. */
struct ls_absence {
  uint32_t worker;
  double from_s, until_s;
};

struct ls_timeline {
  struct ls_timeline_worker *workers;
  size_t workers_count, workers_capacity;
  struct ls_decision *decisions;
  size_t decisions_count, decisions_capacity;
  struct ls_span *spans; /* in the order in which they were added */
  size_t spans_count, spans_capacity;
  struct ls_absence *absences; /* as far as they are known, by time */
  size_t absences_count, absences_capacity;
  char **notes; /* in words, owned */
  size_t notes_count, notes_capacity;
  double makespan_s;
  uint64_t seed;
  /* Set before anything is added: spans are summed by worker, operation and outcome, from 0 on, and
   * decisions are counted, so that a run of any length takes the same memory.  That is enough for
   * metrics and the summary, and for no chart. */
  bool is_summed;
  bool is_of_workers; /* set likewise: of spans only those of workers' processors are kept */
  uint64_t *chunks;   /* of a summed one: decisions by worker */
  size_t chunks_count, chunks_capacity;
  bool has_shared_network; /* multi-port: transfers may overlap in time */
  struct ls_error failure;
};

void ls_timeline_init(struct ls_timeline *timeline);
void ls_timeline_close(struct ls_timeline *timeline);
void ls_timeline_add_worker(struct ls_timeline *timeline, const char *name, double joined_s,
                            double left_s);
/* Of the worker that was added last. */
void ls_timeline_price_worker(struct ls_timeline *timeline, double price_per_s);
/* What the worker that was added last has; "": nothing. */
void ls_timeline_label_worker(struct ls_timeline *timeline, const char *labels);
void ls_timeline_add_decision(struct ls_timeline *timeline, uint32_t worker, double units);
void ls_timeline_add_span(struct ls_timeline *timeline, const struct ls_span *span);
/* Of what the worker computed of a chunk so many units, of so many seconds, did not count: they are
 * lost, at the end of its span. */
void ls_timeline_take_back(struct ls_timeline *timeline, const struct ls_span *vain);
/* The worker may be added later. */
void ls_timeline_add_absence(struct ls_timeline *timeline, const struct ls_absence *absence);
void ls_timeline_add_note(struct ls_timeline *timeline, const char *text);
/* The makespan, and the end: what lies behind it is cut off, as far as it is not summed. */
void ls_timeline_end(struct ls_timeline *timeline, double makespan_s);
LS_CHECKED enum ls_status ls_timeline_finish(const struct ls_timeline *timeline,
                                             struct ls_error *err);

LS_C_END

#endif
