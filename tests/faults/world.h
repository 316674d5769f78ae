/* world.h: a lossy world around the real coordinator and real worker sides, in virtual time.
 *
 * One seed makes one run: a policy, an order, prefetch, retries, iterations, and what goes wrong:
 * workers crash, hang, are suspended, join and leave; messages are late and come twice; tasks fail
 * and kill their workers; the master is restarted from what it had settled; advice changes the
 * policy and the number of workers; somebody says stop.
 * The world keeps its own book of every unit and complains at the first difference, and wherever a
 * chunk comes to a worker that has no room for it.
 */
#ifndef TESTS_FAULTS_WORLD_H
#define TESTS_FAULTS_WORLD_H

#include <stdbool.h>
#include <stdio.h>

#include "base/heap.h"
#include "base/random.h"
#include "coordinator/coordinator.h"
#include "coordinator/worker_side.h"

enum {
  WORLD_UNITS_MAX = 64,
  WORLD_WORKERS_MAX = 96,
  WORLD_SLOTS_MAX = 48,     /* of those that are told apart: a run uses fewer */
  WORLD_CHAOS_WORKERS = 20, /* workers with higher numbers are reliable, so that runs end */
  WORLD_ITERATIONS_MAX = 3,
  WORLD_CHOICES_MAX = 32,
  WORLD_STEPS_MAX = 200000
};

enum happening_kind {
  HAPPENS_TO_MASTER, /* a message arrives at the master */
  HAPPENS_TO_WORKER, /* a message arrives at a worker */
  HAPPENS_ENDED,     /* a worker ends what it runs */
  HAPPENS_HEARTBEAT, /* a worker should say that it lives */
  HAPPENS_CRASH,     /* a worker dies */
  HAPPENS_HANG,      /* a worker stands still for a while */
  HAPPENS_AWAKE,     /* ... and goes on */
  HAPPENS_SUSPEND,   /* its owner takes the machine back for a while */
  HAPPENS_RESUME,
  HAPPENS_JOIN,    /* a new worker starts */
  HAPPENS_TIMER,   /* the coordinator's wish */
  HAPPENS_FREE,    /* the master's port is free */
  HAPPENS_RESTART, /* the master dies and is started anew */
  HAPPENS_STOP,
  HAPPENS_ADVICE,   /* another policy, another number of workers */
  HAPPENS_ITERATION /* the application answers with the next batch */
};

enum { WORLD_RANGES_MAX = WORLD_UNITS_MAX };

/* What the master sends to a worker. */
struct parcel {
  enum ls_action_kind kind;
  uint64_t chunk;
  struct ls_range ranges[WORLD_RANGES_MAX];
  size_t ranges_count;
};

struct happening {
  enum happening_kind kind;
  uint32_t session, worker, stamp;
  bool is_fragile; /* gets lost when its sender dies before it arrives */
  struct ls_event event;
  size_t parcel;
};

/* In the eyes of the coordinator. */
enum presence { PRESENCE_NONE, PRESENCE_THERE, PRESENCE_SUSPENDED, PRESENCE_LOST };

struct world_worker {
  bool is_alive, is_frozen, is_suspended;
  bool was_suspended; /* at some time */
  bool is_reliable;
  enum presence presence;
  uint32_t stamp; /* of the running job */
  double ends_s;  /* when the running job ends; while frozen: seconds that are left */
  struct ls_worker_side side;
  double inbox_s, outbox_s; /* the last delivery on each way: links keep the order */
  uint32_t slot;            /* in the coordinator, once it has joined */
};

/* The world's own book of one unit of the present iteration. */
struct world_unit {
  bool is_settled, is_computed;
  enum ls_outcome outcome;
  uint32_t owner; /* LS_WORKER_NONE: waits */
  uint64_t chunk;
  uint32_t copy_owner; /* has a second copy; LS_WORKER_NONE: nobody */
  uint64_t copy_chunk;
  uint32_t failures, losses;
  bool was_left; /* failed with no retry left while another copy ran: that one decides */
};

struct world_rules { /* drawn once */
  struct ls_coordinator_config config;
  struct ls_planned_chunk plan[WORLD_UNITS_MAX];
  struct ls_coordinator_choice choices[WORLD_CHOICES_MAX];
  struct ls_room rooms[WORLD_SLOTS_MAX]; /* by slot; all of no units: there are none */
  double weights[WORLD_SLOTS_MAX], expected[WORLD_UNITS_MAX];
  uint64_t units[WORLD_ITERATIONS_MAX];
  uint32_t iterations;
  struct ls_side_settings side;
  bool has_killers;
  double delay_s, chaos_until_s, crash, hang, suspend, duplicate, fail;
};

struct world_summary {
  uint64_t steps, losses, restarts, failed, given_up, done, copies, replicas_won, left, released,
      reused, filled; /* filled: chunks that took the last of a room */
};

struct world {
  uint64_t seed;
  struct ls_random random;
  struct world_rules rules;
  FILE *trace; /* NULL: none */
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  struct ls_side_actions side_actions;
  struct ls_heap queue;
  struct happening *happenings;
  size_t happenings_count, happenings_capacity;
  struct parcel *parcels;
  size_t parcels_count, parcels_capacity;
  struct world_worker workers[WORLD_WORKERS_MAX];
  uint32_t workers_count;
  uint32_t holders[WORLD_WORKERS_MAX]; /* by slot: 1 + the worker in it; 0: none yet */
  struct world_unit units[WORLD_UNITS_MAX];
  uint32_t iteration, session, sessions_left;
  double now_s, base_s; /* base_s: when the present master started */
  double heard_s;       /* what the master was told last */
  struct world_summary summary;
  uint32_t timer_stamp;
  bool is_finished, is_stopping, is_between;
  char problem[256]; /* "" while all is well */
};

/* True when every invariant held; else `problem` (256 bytes) says what did not. */
bool world_run(uint64_t seed, FILE *trace, char *problem, struct world_summary *summary);

/* world_rules.c */
void world_draw_rules(struct world *world);
/* What happens when a unit is computed for the `attempt`-th time (from 0). */
enum unit_fate { FATE_DONE, FATE_FAILS, FATE_TIMES_OUT, FATE_KILLS };
enum unit_fate world_fate(const struct world *world, uint64_t unit, uint32_t attempt);

/* world.c */
void world_complain(struct world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
struct happening *world_plan(struct world *world, double in_s, enum happening_kind kind,
                             uint32_t worker);
double world_draw(struct world *world, double least, double most);
bool world_chance(struct world *world, double probability);

/* world_master.c: the way to the coordinator, and the book. */
void world_step(struct world *world, struct ls_event *event);
void world_start_master(struct world *world);

/* world_worker.c */
void world_join(struct world *world);
/* The worker is there, or there again. */
void world_enter(struct world *world, uint32_t number);
void world_arrive(struct world *world, uint32_t number, const struct parcel *parcel);
void world_end_job(struct world *world, uint32_t number);
void world_crash(struct world *world, uint32_t number);
void world_freeze(struct world *world, uint32_t number);
void world_thaw(struct world *world, uint32_t number);
void world_heartbeat(struct world *world, uint32_t number);
void world_tell_master(struct world *world, uint32_t number, const struct ls_event *event);

#endif
