/* engine_private.h: the state of one simulation, shared by the files of this folder.
 *
 * The engine owns the coordinator, the queue of events and what is known of every chunk and worker.
 * A kind of event is its priority too, so the order of the constants decides what comes first at
 * one instant: units that end count before a worker leaves, and a departure comes before requests.
 * Failures (of memory, of the coordinator) are sticky: the loop of simulate.c ends at the first.
 */
#ifndef LS_SIMULATE_ENGINE_PRIVATE_H
#define LS_SIMULATE_ENGINE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/status.h"
#include "coordinator/coordinator.h"
#include "model/timeline.h"
#include "simulate/simulate.h"

enum ls_engine_event {
  LS_ENGINE_JOIN,     /* worker */
  LS_ENGINE_WORK,     /* worker and stamp: a milestone of its processor */
  LS_ENGINE_LEAVE,    /* worker */
  LS_ENGINE_SENT,     /* the master's processor is done with what it sends */
  LS_ENGINE_PORT_END, /* port: what it carries is across */
  LS_ENGINE_ARRIVED,  /* chunk: at its worker */
  LS_ENGINE_REPORT,   /* index of a report that reaches the master */
  LS_ENGINE_REQUEST,  /* worker: its request reaches the master */
  LS_ENGINE_SERVE,    /* the master looks for something to do */
  LS_ENGINE_GRANT,    /* port: carry the next one */
  LS_ENGINE_TIMER     /* the time that the coordinator wished for */
};

/* A range of a chunk, and what stands before it in the chunk. */
struct ls_engine_piece {
  struct ls_range units;
  uint64_t units_before;
  double work_before; /* in units of work */
};

struct ls_engine_chunk {
  uint64_t number; /* the coordinator's */
  uint32_t worker;
  uint64_t units;
  size_t first_piece, pieces_count;
  double decided_s;
};

/* Finished work that the policy has not heard of. */
struct ls_feedback {
  uint32_t worker;
  uint64_t units;
  double seconds, squares, last_seconds;
};

enum ls_phase { LS_PHASE_IDLE, LS_PHASE_RECEIVING, LS_PHASE_COMPUTING };

struct ls_engine_worker {
  double join_s, left_s; /* left_s: INFINITY while it is there */
  bool is_present;
  bool is_asking;       /* a request is outstanding */
  uint32_t served_rank; /* order of the service of its previous request */

  uint64_t *queue; /* ring of chunks; the first one is at the processor */
  size_t queue_head, queue_count, queue_capacity;
  uint64_t units_waiting; /* here, their computing not begun */

  enum ls_phase phase;
  uint32_t stamp;         /* of the one valid WORK event */
  uint64_t milestone;     /* units of the chunk that are done when it comes */
  uint64_t done, started; /* units of the chunk at the processor */
  double compute_start_s;
  double base_s, base_work_s; /* nominal seconds of the chunk's work done at base_s */
  double last_end_s;          /* when the last finished unit ended */
  double computing_s;         /* of the run, work that counted */
  struct ls_feedback fresh;   /* finished since the latest request or report */
  struct ls_feedback carried; /* what the outstanding request brings */
};

struct ls_port {
  struct ls_heap waiting;
  bool is_busy, is_reply;
  uint64_t chunk; /* what it carries */
  double start_s;
};

struct ls_engine {
  const struct ls_simulation *setup;
  const struct ls_platform *platform;
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  struct ls_timeline *timeline; /* NULL: nobody wants one */
  struct ls_heap events;
  double now_s;
  enum ls_status status; /* sticky */
  struct ls_error *err;
  bool is_finished;
  bool is_pushed;      /* the policy pushes: nobody asks */
  bool has_feedback;   /* the policy listens to reports */
  bool has_on_master;  /* some worker shares the master's processor */
  bool is_scheduling;  /* units remain unassigned */
  double *work_before; /* units + 1 prefix sums of task_work; NULL: all 1 */
  double makespan_s;

  struct ls_engine_chunk *chunks;
  size_t chunks_count, chunks_capacity;
  struct ls_engine_piece *pieces;
  size_t pieces_count, pieces_capacity;
  struct ls_engine_worker *workers;
  struct ls_feedback *reports; /* under way to the master, and arrived */
  size_t reports_count, reports_capacity;

  struct ls_heap requests; /* at the master, by (arrival, served_rank) */
  uint32_t served_count;
  uint64_t *outbox; /* chunks decided, not yet begun to be sent */
  size_t outbox_head, outbox_count, outbox_capacity;
  bool is_master_busy, is_serve_queued, is_push_due;
  bool is_serving;  /* a request: what is decided now is sent before anything else */
  bool has_served;  /* ... and `sending` is that chunk */
  uint64_t sending; /* the chunk at the master's processor */

  struct ls_port ports[2]; /* outwards (under one-port both ways), inwards */
  uint64_t done_units;
};

/* simulate.c: the queue, the first failure, and the way to the coordinator. */
void ls_engine_push(struct ls_engine *engine, double time_s, enum ls_engine_event kind,
                    uint64_t payload);
void ls_engine_fail(struct ls_engine *engine, enum ls_status status);
void ls_engine_span(struct ls_engine *engine, const struct ls_span *span);
double ls_engine_delay(const struct ls_engine *engine, uint32_t worker);

/* setup.c: refuses a setup that no run can be made of. */
LS_CHECKED enum ls_status ls_simulation_check(const struct ls_simulation *setup,
                                              struct ls_error *err);

/* master.c: requests, decisions, sending. */
void ls_master_step(struct ls_engine *engine, struct ls_event *event);
void ls_master_request(struct ls_engine *engine, uint32_t worker);
void ls_master_report(struct ls_engine *engine, const struct ls_feedback *feedback);
void ls_master_serve(struct ls_engine *engine);
void ls_master_sent(struct ls_engine *engine);
/* Makes the master look for something to do at this instant, after all else of it. */
void ls_master_wake(struct ls_engine *engine);

/* network.c: the ports. */
void ls_network_ask(struct ls_engine *engine, uint64_t chunk, bool is_reply);
void ls_network_grant(struct ls_engine *engine, size_t port);
void ls_network_end(struct ls_engine *engine, size_t port);
bool ls_network_is_idle(const struct ls_engine *engine);

/* processor.c: the worker's side of a chunk's life. */
void ls_processor_join(struct ls_engine *engine, uint32_t worker);
void ls_processor_leave(struct ls_engine *engine, uint32_t worker);
void ls_processor_arrive(struct ls_engine *engine, uint64_t chunk);
void ls_processor_work(struct ls_engine *engine, uint32_t worker, uint32_t stamp);
/* The master begins or ends to schedule: workers on it change their speed. */
void ls_processor_share(struct ls_engine *engine, bool is_scheduling);

#endif
