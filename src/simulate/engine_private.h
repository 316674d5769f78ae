/* engine_private.h: the state of one simulation, shared by the files of this folder.
 *
 * The engine owns the coordinator, the queue of events and what is known of every live chunk and
 * worker.  A kind of event is its priority too, so the order of the constants decides what comes
 * first at one instant: units that end count before a worker leaves, and a departure comes before
 * requests.  What the master and the ports have to look at comes after these, by flags: it needs
 * no place in the queue.  Failures (of memory, of the coordinator) are sticky: the loop of
 * simulate.c ends at the first.
 *
 * A machine is an entry of the platform; a worker is a number at the coordinator.  A machine that
 * was released and is granted again gets a new number: machine = number mod machines.
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
#include "model/timeline.h"
#include "simulate/simulate.h"

enum ls_engine_event {
  LS_ENGINE_JOIN,     /* worker */
  LS_ENGINE_WORK,     /* worker and stamp: a milestone of its processor */
  LS_ENGINE_LEAVE,    /* worker */
  LS_ENGINE_PAUSE,    /* worker */
  LS_ENGINE_RESUME,   /* worker */
  LS_ENGINE_GRANTED,  /* worker: a requested machine is there */
  LS_ENGINE_RELEASE,  /* worker: it is not needed any more */
  LS_ENGINE_SENT,     /* the master's processor is done with what it sends */
  LS_ENGINE_PORT_END, /* port: what it carries is across */
  LS_ENGINE_ARRIVED,  /* chunk: at its worker */
  LS_ENGINE_CANCEL,   /* index of a cancelled chunk: the word reaches its worker */
  LS_ENGINE_REPORT,   /* index of a report that reaches the master */
  LS_ENGINE_REQUEST,  /* worker: its request reaches the master */
  LS_ENGINE_TIMER     /* the time that the coordinator wished for */
};

/* A range of a chunk, and what stands before it in the chunk. */
struct ls_engine_piece {
  struct ls_range units;
  uint64_t units_before;
  double work_before; /* in units of work */
};

/* A live chunk, in one cache line. Its place is used again once nobody needs it any more. */
struct ls_engine_chunk {
  uint64_t number; /* the coordinator's, which is that of the decision */
  uint64_t first;  /* of a chunk that is one range, its first unit */
  uint64_t units;
  struct ls_engine_piece *pieces; /* of any other; kept for the next chunk of this place */
  uint32_t pieces_count, pieces_capacity;
  uint32_t worker, epoch;
  double decided_s;
  uint32_t next_free;
  uint32_t iteration; /* a copy that nobody wants may run into the next one */
};

/* Finished work that the policy has not heard of. */
struct ls_feedback {
  uint32_t worker;
  uint64_t units;
  double seconds, squares, last_seconds;
};

struct ls_cancelled {
  uint32_t worker;
  uint64_t chunk; /* the coordinator's number */
};

enum ls_phase { LS_PHASE_IDLE, LS_PHASE_RECEIVING, LS_PHASE_COMPUTING };

enum { LS_ENGINE_FEW = 4 };

/* What a usual chunk needs comes first, then what any chunk does, so that it lies in few cache
 * lines. */
struct ls_engine_worker {
  uint32_t stamp;       /* of the one valid WORK event */
  uint32_t usual_chunk; /* the one at the processor, while usual.c may take that event; or none */
  uint32_t served_rank; /* order of the service of its previous request */
  enum ls_phase phase;
  struct ls_cost compute; /* the model's */
  double compute_start_s;
  double base_s, base_work_s; /* nominal seconds of the chunk's work done at base_s */
  double computing_s;         /* of the run, work that counted */

  uint64_t units_waiting; /* here, their computing not begun */
  uint64_t milestone;     /* units of the chunk that are done when it comes */
  uint64_t done, started; /* units of the chunk at the processor */
  const struct ls_worker_model *model;
  uint32_t *queue; /* ring of chunks; the first one is at the processor */
  uint32_t queue_head, queue_count, queue_capacity;
  uint32_t epoch; /* grows with every departure: what was sent before is lost */
  bool is_present;
  bool is_asking;              /* a request is outstanding */
  bool is_plain;               /* nominal speed at all times */
  bool is_direct;              /* its chunks may go the short way of usual.c */
  uint32_t few[LS_ENGINE_FEW]; /* the ring as long as it is small */
  double delay_s;              /* of a message in either direction */

  bool is_expected;      /* it is there, or will be, or was */
  bool is_suspended;     /* away, and may come back */
  bool is_reclaimed;     /* ... until the next iteration */
  double join_s, left_s; /* join_s: INFINITY before; left_s: INFINITY while it is there */
  double paused_s, suspended_s;
  /* Where the policy listens: */
  uint64_t finished;          /* units of the run */
  double last_end_s;          /* when the last finished unit ended */
  struct ls_feedback fresh;   /* finished since the latest request or report */
  struct ls_feedback carried; /* what the outstanding request brings */
};

struct ls_port {
  struct ls_heap waiting;
  bool is_reply;
  uint32_t chunk; /* what it carries */
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
  union {
    struct {
      bool is_finished;
      bool has_failed;       /* status is not LS_OK */
      bool is_iteration_due; /* the next one begins when all replies are back */
      bool is_master_busy, is_serve_due, is_push_due;
      bool has_served; /* what is decided now is sent before anything else: it is `sending` */
      bool has_single; /* the only request that waits is `single`, and not in the heap */
      bool is_port_busy[2], is_grant_due[2];
    };
    uint64_t unrest[2]; /* all of these, to be looked at together */
  };
  bool is_pushed;     /* the policy pushes: nobody asks */
  bool has_feedback;  /* the policy listens to reports */
  bool has_on_master; /* some worker shares the master's processor */
  bool is_scheduling; /* units remain unassigned */
  bool is_serving;    /* a request: the first chunk that is decided answers it */
  uint64_t prefetch, report_every;
  const double *work_before; /* of this iteration: units + 1 prefix sums; NULL: all 1 */
  double *work_sums;         /* of all iterations */
  const double *work;        /* of this iteration; NULL: all 1 */
  bool has_unit_results;
  struct ls_event ready, result; /* of the short way: only what differs is written each time */
  double makespan_s;

  struct ls_engine_chunk *chunks;
  size_t chunks_capacity;
  uint32_t chunks_used, chunks_free;
  uint64_t decisions;
  struct ls_engine_worker *workers;
  size_t workers_count;        /* numbers: machines times how often each may come */
  struct ls_feedback *reports; /* under way to the master, and arrived */
  size_t reports_count, reports_capacity;
  struct ls_cancelled *cancelled;
  size_t cancelled_count, cancelled_capacity;

  struct ls_heap requests; /* at the master, by (arrival, served_rank) */
  uint64_t single;         /* epoch << 32 | worker; see has_single */
  double single_s;         /* its arrival */
  uint32_t served_count;
  uint32_t *outbox; /* chunks decided, not yet begun to be sent */
  size_t outbox_head, outbox_count, outbox_capacity;
  uint32_t sending; /* the chunk at the master's processor */

  struct ls_port ports[2]; /* outwards (under one-port both ways), inwards */
  uint64_t done_units;

  uint32_t iteration, iterations;
  double iteration_s; /* begin of this one */
  double useful_before_s, up_before_s;
  struct ls_random *up_chance; /* per machine, for mean_up_s */
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

/* Neither the master nor the ports have or wait for anything, and the run goes on. */
static inline bool ls_engine_is_restful(const struct ls_engine *engine) {
  return (engine->unrest[0] | engine->unrest[1]) == 0;
}

/* simulate.c: the queue, the first failure. */
void ls_engine_fail(struct ls_engine *engine, enum ls_status status);
void ls_engine_push(struct ls_engine *engine, double time_s, enum ls_engine_event kind,
                    uint64_t payload);
void ls_engine_add_span(struct ls_engine *engine, const struct ls_span *span);
static inline bool ls_engine_has_spans(const struct ls_engine *engine) {
  return engine->timeline && engine->setup->wants_spans;
}
/* Room for `needed` items in the array; false: the failure is noted. */
bool ls_engine_grow(struct ls_engine *engine, void **items, size_t *capacity, size_t needed,
                    size_t item_bytes);

/* setup.c: refuses a setup that no run can be made of. */
LS_CHECKED enum ls_status ls_simulation_check(const struct ls_simulation *setup,
                                              struct ls_error *err);

/* usual.c: a chunk without detours. */
/* The lone request at an idle master, of an idle worker; false: the master looks further. */
bool ls_usual_serve(struct ls_engine *engine);
/* The next event of a computing worker has been made: may ls_usual_finish take it? */
static inline void ls_usual_mark(const struct ls_engine *engine, struct ls_engine_worker *worker) {
  uint32_t place = worker->queue[worker->queue_head];
  const struct ls_engine_chunk *chunk = &engine->chunks[place];
  if (worker->is_direct && worker->queue_count == 1 && chunk->pieces_count == 1 &&
      worker->done == 0 && worker->milestone == chunk->units && !worker->is_asking)
    worker->usual_chunk = place;
}
/* The only chunk of a worker is done, and nobody wants to know when each unit was; false: nothing
 * has changed, it goes the long way. */
bool ls_usual_finish(struct ls_engine *engine, uint32_t worker, uint32_t stamp);

/* chunks.c: the table of live chunks. */
/* The chunk of a SEND, or UINT32_MAX on failure. */
uint32_t ls_engine_chunk_add(struct ls_engine *engine, const struct ls_action *action);
/* A new place; UINT32_MAX on failure. */
uint32_t ls_engine_chunk_make_place(struct ls_engine *engine);
/* The index of a free place; UINT32_MAX on failure. */
static inline uint32_t ls_engine_chunk_place(struct ls_engine *engine) {
  uint32_t place = engine->chunks_free;
  if (place == UINT32_MAX) return ls_engine_chunk_make_place(engine);
  engine->chunks_free = engine->chunks[place].next_free;
  return place;
}
/* Writes the chunk of a SEND into the place, as far as its first range; this range. */
static inline const struct ls_range *ls_engine_chunk_fill(struct ls_engine *engine, uint32_t place,
                                                          const struct ls_action *action) {
  const struct ls_range *ranges = &engine->actions.ranges[action->first_range];
  struct ls_engine_chunk *chunk = &engine->chunks[place];
  assert(action->chunk == engine->decisions && action->ranges_count < UINT32_MAX);
  chunk->number = engine->decisions++;
  chunk->worker = action->worker;
  chunk->epoch = engine->workers[action->worker].epoch;
  chunk->first = ranges->first;
  chunk->units = ranges->count;
  chunk->pieces_count = (uint32_t)action->ranges_count;
  chunk->decided_s = engine->now_s;
  chunk->iteration = engine->iteration;
  return ranges;
}
static inline void ls_engine_chunk_drop(struct ls_engine *engine, uint32_t chunk) {
  engine->chunks[chunk].next_free = engine->chunks_free;
  engine->chunks_free = chunk;
}
/* Piece number `index` of the chunk. */
static inline struct ls_engine_piece ls_engine_chunk_piece(const struct ls_engine_chunk *chunk,
                                                           size_t index) {
  if (chunk->pieces_count > 1) return chunk->pieces[index];
  return (struct ls_engine_piece){.units = {chunk->first, chunk->units}};
}
/* Work of the first `units` units of a chunk, in units of work. */
double ls_engine_chunk_work(const struct ls_engine *engine, const struct ls_engine_chunk *chunk,
                            uint64_t units);

/* master.c: requests, decisions, sending. */
void ls_engine_master_step(struct ls_engine *engine, struct ls_event *event);
/* What the coordinator's step has answered is done. */
void ls_engine_master_perform(struct ls_engine *engine, enum ls_status status);
void ls_engine_master_request(struct ls_engine *engine, uint32_t worker);
void ls_engine_master_report(struct ls_engine *engine, const struct ls_feedback *feedback);
void ls_engine_master_serve(struct ls_engine *engine);
void ls_engine_master_sent(struct ls_engine *engine);
/* Makes the master look for something to do at this instant, after all else of it. */
static inline void ls_engine_master_wake(struct ls_engine *engine) {
  if (!engine->is_master_busy) engine->is_serve_due = true;
}

/* network.c: the ports. */
void ls_network_ask(struct ls_engine *engine, uint32_t chunk, bool is_reply);
void ls_network_grant(struct ls_engine *engine, size_t port);
void ls_network_end(struct ls_engine *engine, size_t port);
static inline bool ls_network_is_idle(const struct ls_engine *engine) {
  return !engine->is_port_busy[0] && !engine->is_port_busy[1] &&
         engine->ports[0].waiting.count == 0 && engine->ports[1].waiting.count == 0;
}

/* processor.c: the worker's side of a chunk's life. */
void ls_processor_arrive(struct ls_engine *engine, uint32_t chunk);
void ls_processor_work(struct ls_engine *engine, uint32_t worker, uint32_t stamp);
void ls_processor_ask(struct ls_engine *engine, uint32_t worker);
/* All that is at the worker is lost but what is finished, which counts. */
void ls_processor_clear(struct ls_engine *engine, uint32_t worker);
/* The word reaches the worker that the chunk is not wanted any more. */
void ls_processor_cancel(struct ls_engine *engine, uint32_t worker, uint64_t number);
/* The master begins or ends to schedule: workers on it change their speed. */
void ls_processor_share(struct ls_engine *engine, bool is_scheduling);

/* results.c: what a worker tells of the chunk at its processor. */
void ls_processor_send_results(struct ls_engine *engine, uint32_t worker, uint64_t done,
                               double end_s);
/* The units of the chunk from `done` on go back. */
void ls_processor_cancel_results(struct ls_engine *engine, uint32_t worker, uint32_t chunk,
                                 uint64_t done);

/* presence.c: workers come and go. */
void ls_presence_join(struct ls_engine *engine, uint32_t worker);
void ls_presence_leave(struct ls_engine *engine, uint32_t worker);
void ls_presence_pause(struct ls_engine *engine, uint32_t worker);
void ls_presence_resume(struct ls_engine *engine, uint32_t worker);
/* A requested machine is there. */
void ls_presence_granted(struct ls_engine *engine, uint32_t worker);
/* The coordinator does not need the worker any more. */
void ls_presence_release(struct ls_engine *engine, uint32_t worker);
/* The coordinator wants so many more machines. */
void ls_presence_request(struct ls_engine *engine, uint64_t count);
/* Seconds that the worker was there up to `until_s`, and not suspended. */
double ls_presence_up(const struct ls_engine_worker *worker, double until_s);

/* reclaim.c: machines taken away by chance. */
bool ls_reclaim_open(struct ls_engine *engine);
void ls_reclaim_close(struct ls_engine *engine);
/* The worker came or came back: when is it taken away? */
void ls_reclaim_plan(struct ls_engine *engine, uint32_t worker);
/* The worker was taken away: when is it given back? */
void ls_reclaim_plan_return(struct ls_engine *engine, uint32_t worker);
/* An iteration begins: whoever was taken away in the one before is back, and one may be taken. */
void ls_reclaim_begin(struct ls_engine *engine);

/* iterations.c */
uint64_t ls_simulated_iteration_units(const struct ls_simulation *setup, uint32_t iteration);
/* Opens the first iteration. */
void ls_simulated_iteration_open(struct ls_engine *engine);
/* The coordinator has all results of the iteration: the next one begins, or the run ends. */
void ls_simulated_iteration_begin(struct ls_engine *engine);
/* Writes down what the present iteration was like. */
void ls_simulated_iteration_measure(struct ls_engine *engine, double end_s);

#endif
