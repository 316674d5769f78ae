/* engine_private.h: the state of one simulation, shared by the files of this folder.
 *
 * The engine owns the coordinator, the worker sides, the queue of events and the facts of every
 * live chunk and worker.  A kind of event is its priority too, so the order of the constants
 * decides which comes first at one instant: units that end count before a worker leaves, and a
 * departure comes before requests.  The work of the master and the ports comes after these, by
 * flags: it needs no entry in the queue.  Failures (of memory, of the coordinator) are sticky: the
 * loop of simulate.c ends at the first.
 *
 * Each worker of the platform has a slot of its own at the coordinator, also when it was released
 * and is granted again; what lies between counts as time in which it was suspended.
 */
#ifndef LS_SIMULATE_ENGINE_PRIVATE_H
#define LS_SIMULATE_ENGINE_PRIVATE_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/random.h"
#include "base/status.h"
#include "coordinator/coordinator.h"
#include "coordinator/worker_side.h"
#include "model/room.h"
#include "model/timeline.h"
#include "model/windows.h"
#include "simulate/chunks_private.h"
#include "simulate/drawn_times_private.h"
#include "simulate/mail_private.h"
#include "simulate/network_private.h"
#include "simulate/reader_private.h"
#include "simulate/simulate.h"

enum ls_engine_event {
  LS_ENGINE_JOIN,     /* worker */
  LS_ENGINE_STAGED,   /* worker and stamp: its reader has staged a chunk */
  LS_ENGINE_WORK,     /* worker and stamp: a milestone of its processor */
  LS_ENGINE_LEAVE,    /* worker */
  LS_ENGINE_DEPART,   /* worker, and how far it is with leaving in order */
  LS_ENGINE_PAUSE,    /* worker */
  LS_ENGINE_STAND,    /* index of a pause: its worker stands still, with all it has */
  LS_ENGINE_RESUME,   /* worker */
  LS_ENGINE_GRANTED,  /* worker: a requested machine is there */
  LS_ENGINE_RELEASE,  /* worker: it is not needed any more */
  LS_ENGINE_SENT,     /* the master's processor has sent its message */
  LS_ENGINE_PORT_END, /* port: its message is across */
  LS_ENGINE_ARRIVED,  /* chunk: at its worker */
  LS_ENGINE_ORDER,    /* index of an order: it reaches its worker */
  LS_ENGINE_FRAME,    /* worker: its messages of one instant reach the master */
  LS_ENGINE_TIMER,    /* the time that the coordinator wished for */
  LS_ENGINE_ADVICE,   /* index of an advice */
  LS_ENGINE_ADDITION, /* index of an addition */
  LS_ENGINE_STOP
};

/* STAGING: the started chunk waits for its reader. */
enum ls_phase { LS_PHASE_IDLE, LS_PHASE_STAGING, LS_PHASE_RECEIVING, LS_PHASE_COMPUTING };

/* The fields that every chunk needs come first, so that they lie in few cache lines. */
struct ls_engine_worker {
  uint32_t stamp;       /* of the one valid WORK event */
  uint32_t served_rank; /* order of the service of its previous request */
  uint32_t epoch;       /* grows with every departure: messages sent before are lost */
  enum ls_phase phase;
  /* The job at the processor: its first unit, and how many of its units are done. */
  uint64_t first, done;
  uint64_t milestone;     /* units of the job that are done when the WORK event comes; 0: none */
  uint32_t job_iteration; /* whose tasks it computes */
  bool is_present;
  bool is_plain;      /* nominal speed at all times */
  bool is_requesting; /* its request stands at the master, not served */
  struct ls_cost compute;
  struct ls_drawn_times *drawn; /* NULL: its units take what their work says */
  double compute_start_s;       /* of the chunk */
  double base_s, base_work_s;   /* nominal seconds of the job's work done at base_s */
  double last_end_s;            /* when the last unit ended, or the work of the chunk began */
  double computing_s;           /* of the run, work that counted */
  double delay_s;               /* of a message in either direction */
  struct ls_mail_list said;     /* on the way to the master, or there and behind a request ... */
  uint32_t frames_arrived;      /* ... frames of which have arrived */
  struct ls_mail_list held;     /* results of chunks that are not fetched */
  struct ls_mail_list freed;    /* of fetched ones; told at the instant at which they are freed */
  const struct ls_worker_model *model;
  struct ls_worker_side side;

  bool is_expected;                  /* it is there, or will be, or has left for good */
  bool is_suspended;                 /* away, and may come back */
  bool is_still;                     /* ... with all it has: it is present, and does nothing */
  double wakes_s;                    /* until then */
  double phase_left_s;               /* of what it receives */
  double phase_start_s, phase_end_s; /* of what it receives, while it does */
  bool is_reclaimed;                 /* ... until the next iteration */
  double join_s, left_s;             /* first, INFINITY before; last, INFINITY while it is there */
  double paused_s, suspended_s;
};

/* A request at the master. */
struct ls_engine_request {
  double arrival_s;
  uint64_t units;
  uint32_t worker, epoch;
};

struct ls_engine {
  const struct ls_simulation *setup;
  const struct ls_platform *platform;
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  struct ls_span *vain; /* computed, and dropped: units and seconds by worker and chunk */
  size_t vain_count, vain_capacity;
  struct ls_absence *late; /* that ended behind the makespan as it was then: maybe behind the run */
  size_t late_count, late_capacity;
  struct ls_side_actions side_actions;
  struct ls_timeline *timeline; /* NULL: none is wanted */
  struct ls_heap events;
  double now_s;
  enum ls_status status; /* sticky */
  struct ls_error *err;
  union {
    struct {
      bool is_finished;
      bool has_failed;       /* status is not LS_OK */
      bool is_iteration_due; /* the next one begins when all replies are back */
      bool is_master_busy, is_serve_due, is_push_due;
      bool is_port_busy[2], is_grant_due[2];
      bool is_read_due; /* a place at the storage may be given away */
    };
    uint64_t unrest[2]; /* all of these, to be looked at together */
  };
  bool is_pushed;                        /* the policy pushes: nobody asks */
  bool has_on_master;                    /* some worker shares the master's processor */
  bool is_scheduling;                    /* units remain unassigned */
  struct ls_side_settings side_settings; /* of a worker that receives nothing */
  bool has_listeners;                    /* somebody wants to know what units take */
  const double *work_before;             /* of this iteration: units + 1 prefix sums; NULL: all 1 */
  double *work_sums;                     /* of all iterations */
  const double *work;                    /* of this iteration; NULL: all 1 */
  double makespan_s;

  struct ls_engine_chunk *chunks;
  size_t chunks_capacity;
  uint32_t chunks_used, chunks_free;
  uint32_t *held_entries; /* by number, of chunks whose results are held: where they stand */
  size_t held_entries_capacity;
  uint64_t decisions;
  struct ls_engine_worker *workers;
  size_t workers_count;
  struct ls_mail *mails;
  size_t mails_capacity;
  uint32_t mails_used, mails_free;
  struct ls_order *orders;
  size_t orders_capacity;
  uint32_t orders_used, orders_free;
  double *times; /* of units that have just ended */
  size_t times_capacity;

  struct ls_engine_request *requests; /* ring, by (arrival, rank of the worker) */
  size_t requests_head, requests_count, requests_capacity;
  struct ls_engine_request retry; /* of a worker that was refused, made again when units came back;
                                     at INFINITY: there is none */
  uint32_t served_count;
  uint32_t *outbox; /* chunks decided, not yet begun to be sent */
  size_t outbox_head, outbox_count, outbox_capacity;
  uint32_t sending; /* the chunk at the master's processor */

  struct ls_port ports[2]; /* outwards (under one-port both ways), inwards */
  struct ls_reading reading;
  uint64_t done_units;

  uint32_t iteration, iterations;
  double iteration_s; /* begin of this one */
  double useful_before_s, up_before_s;
  struct ls_random *up_chance; /* per worker, for mean_up_s */
  struct ls_random reclaim_chance, grant_chance;
  uint64_t reclaims;
  size_t requested; /* machines that the coordinator wants and nobody could grant yet */
};

/* Seconds for `units` > 0. */
static inline double ls_engine_cost(const struct ls_cost *cost, uint64_t units) {
  return cost->latency_s + cost->per_unit_s * (double)units;
}

static inline bool ls_engine_is_wanted(const struct ls_engine *engine, uint32_t chunk) {
  const struct ls_engine_worker *worker = &engine->workers[engine->chunks[chunk].worker];
  return worker->is_present && worker->epoch == engine->chunks[chunk].epoch;
}

/* When the worker's latest unit ended, which was not later than now but for rounding. */
static inline double ls_engine_last_end_s(const struct ls_engine *engine, uint32_t worker) {
  double end_s = engine->workers[worker].last_end_s;
  return end_s < engine->now_s ? end_s : engine->now_s;
}

/* The chunk whose units run at the worker. */
static inline struct ls_engine_chunk *ls_engine_running_chunk(struct ls_engine *engine,
                                                              uint32_t worker) {
  const struct ls_worker_side *side = &engine->workers[worker].side;
  assert(side->is_running);
  return &engine->chunks[side->running.payload];
}

/* Neither the master nor the ports have or wait for anything, and the run goes on. */
static inline bool ls_engine_is_restful(const struct ls_engine *engine) {
  return (engine->unrest[0] | engine->unrest[1]) == 0;
}

/* simulate.c: the queue, the first failure. */
void ls_engine_fail(struct ls_engine *engine, enum ls_status status);
static inline void ls_engine_push(struct ls_engine *engine, double time_s,
                                  enum ls_engine_event kind, uint64_t payload) {
  assert(time_s >= engine->now_s);
  enum ls_status status = ls_heap_push(&engine->events, time_s, (uint32_t)kind, payload);
  if (status != LS_OK) ls_engine_fail(engine, status);
}
void ls_engine_add_span(struct ls_engine *engine, const struct ls_span *span);
static inline bool ls_engine_has_spans(const struct ls_engine *engine) {
  return engine->timeline && engine->setup->wants_spans;
}
/* Room for `needed` items in the array; false: the failure is noted. */
bool ls_engine_grow_more(struct ls_engine *engine, void **items, size_t *capacity, size_t needed,
                         size_t item_bytes);
static inline bool ls_engine_grow(struct ls_engine *engine, void **items, size_t *capacity,
                                  size_t needed, size_t item_bytes) {
  return needed <= *capacity || ls_engine_grow_more(engine, items, capacity, needed, item_bytes);
}

/* setup.c: refuses a setup that no run can be made of. */
LS_CHECKED enum ls_status ls_simulation_check(const struct ls_simulation *setup,
                                              struct ls_error *err);

/* The entry is free for another chunk. */
static inline void ls_engine_chunk_drop(struct ls_engine *engine, uint32_t chunk) {
  engine->chunks[chunk].next_free = engine->chunks_free;
  engine->chunks_free = chunk;
}
/* dispatcher.c: requests, decisions, sending. */
/* The coordinator hears the event; the units of a result that did not count. */
uint64_t ls_engine_master_step(struct ls_engine *engine, struct ls_event *event);
void ls_engine_master_request(struct ls_engine *engine, uint32_t worker, uint64_t units);
void ls_engine_master_serve(struct ls_engine *engine);
void ls_engine_master_sent(struct ls_engine *engine);
/* Makes the master look for something to do at this instant, after all else of it. */
static inline void ls_engine_master_wake(struct ls_engine *engine) {
  if (!engine->is_master_busy) engine->is_serve_due = true;
}

/* What comes to a worker that stands still waits for it; for ever, if it never goes on. */
static inline void ls_engine_wait(struct ls_engine *engine, uint32_t number,
                                  enum ls_engine_event kind, uint64_t payload) {
  double wakes_s = engine->workers[number].wakes_s;
  if (isfinite(wakes_s)) ls_engine_push(engine, wakes_s, kind, payload);
}

/* Where workers stage, the worker's reader takes up what it may. */
static inline void ls_reader_look(struct ls_engine *engine, uint32_t worker) {
  if (engine->reading.readers != NULL) ls_reader_take_up(engine, worker);
}

static inline bool ls_network_is_idle(const struct ls_engine *engine) {
  return !engine->is_port_busy[0] && !engine->is_port_busy[1] &&
         engine->ports[0].waiting.count == 0 && engine->ports[1].waiting.count == 0;
}

#endif
