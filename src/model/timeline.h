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

#include "base/bytes.h"
#include "base/status.h"

enum ls_resource {
  LS_RESOURCE_MASTER,  /* the master's processor */
  LS_RESOURCE_NETWORK, /* outwards, or both directions under one-port */
  LS_RESOURCE_RETURN,  /* inwards under two-port and multi-port */
  LS_RESOURCE_WORKER   /* the worker's processor */
};

enum ls_operation {
  LS_OPERATION_PREPARE,
  LS_OPERATION_SEND,
  LS_OPERATION_TRANSFER,
  LS_OPERATION_RECEIVE,
  LS_OPERATION_COMPUTE,
  LS_OPERATION_REPLY,
  LS_OPERATION_COUNT
};

const char *ls_operation_name(enum ls_operation operation); /* "compute" */
const char *ls_resource_name(enum ls_resource resource);    /* "worker" */

/* Why a compute span's work did or did not count. */
enum ls_span_mark { LS_SPAN_GOOD, LS_SPAN_FAILED, LS_SPAN_LOST };

struct ls_span {
  enum ls_resource resource;
  enum ls_operation operation;
  enum ls_span_mark mark;
  uint32_t worker;
  uint64_t chunk; /* number of the decision */
  uint64_t
      units; /* units covered by this span, rounded to whole ones; 0 when it is no whole number */
  double start_s, end_s;
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
};

struct ls_timeline {
  struct ls_timeline_worker *workers;
  size_t workers_count, workers_capacity;
  struct ls_decision *decisions;
  size_t decisions_count, decisions_capacity;
  struct ls_span *spans; /* in the order in which they were added */
  size_t spans_count, spans_capacity;
  char **notes; /* in words, owned */
  size_t notes_count, notes_capacity;
  double makespan_s;
  uint64_t seed;
  bool has_shared_network; /* multi-port: transfers may overlap in time */
  struct ls_error failure;
};

void ls_timeline_init(struct ls_timeline *timeline);
void ls_timeline_close(struct ls_timeline *timeline);
void ls_timeline_add_worker(struct ls_timeline *timeline, const char *name, double joined_s,
                            double left_s);
void ls_timeline_add_decision(struct ls_timeline *timeline, uint32_t worker, double units);
void ls_timeline_add_span(struct ls_timeline *timeline, const struct ls_span *span);
void ls_timeline_add_note(struct ls_timeline *timeline, const char *text);
LS_CHECKED enum ls_status ls_timeline_finish(const struct ls_timeline *timeline,
                                             struct ls_error *err);
/* The JSON form (design: "A timeline"): chunks, makespan, efficiency, workers; spans and notes only
 * when asked for. */
void ls_timeline_write(const struct ls_timeline *timeline, int with_spans, int with_notes,
                       struct ls_bytes *out);

#endif
