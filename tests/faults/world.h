/* world.h: a lossy world around the real coordinator and real worker sides, in virtual time.
 *
 * One seed makes one run: a policy, an order, prefetch, retries, iterations, and what goes wrong:
 * workers crash, hang, are suspended, join and leave; messages are late and come twice; tasks fail
 * and kill their workers; the master is restarted from what it had settled; advice changes the
 * policy, the prefetch and the number of workers; requested workers are refused or never come;
 * somebody says stop.
 * It also makes the settings of both sides: ordered returns, plans that repeat, reports and
 * histories, a paced master, what a worker's driver knows of its progress (world_settings.c).  A
 * plain world is one without these: seeds that failed before there were any play in it as they did.
 * The world keeps its own book of every unit and complains at the first difference, wherever a
 * chunk comes to a worker that has no room for it, and where a plan is not followed: its chunks,
 * and the order in which their results are fetched.
 */
#ifndef TESTS_FAULTS_WORLD_H
#define TESTS_FAULTS_WORLD_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/heap.h"
#include "base/random.h"
#include "coordinator/coordinator.h"
#include "coordinator/worker_side.h"
#include "model/plan_repeat.h"

enum {
  WORLD_UNITS_MAX = 64,
  WORLD_SLOTS_MAX = 48,     /* of those that are told apart: a run uses fewer */
  WORLD_WORKERS_MAX = 600,  /* one after another, also in a slot that was used before */
  WORLD_CHAOS_WORKERS = 20, /* workers with higher numbers are reliable, so that runs end */
  WORLD_ITERATIONS_MAX = 3,
  WORLD_CHOICES_MAX = 32,
  WORLD_LESSONS_MAX = 8,
  WORLD_STEPS_MAX = 200000
};

enum happening_kind {
  HAPPENS_TO_MASTER, /* a message arrives at the master */
  HAPPENS_TO_WORKER, /* a message arrives at a worker */
  HAPPENS_BEGUN,     /* a worker has received what it runs */
  HAPPENS_ENDED,     /* a worker ends what it runs, or some units of it */
  HAPPENS_HEARTBEAT, /* a worker should say that it lives */
  HAPPENS_CRASH,     /* a worker dies */
  HAPPENS_HANG,      /* a worker stands still for a while */
  HAPPENS_AWAKE,     /* ... and goes on */
  HAPPENS_SUSPEND,   /* its owner takes the machine back for a while */
  HAPPENS_RESUME,
  HAPPENS_CUT,     /* its connection breaks */
  HAPPENS_LINK,    /* ... and there is a new one */
  HAPPENS_STALL,   /* the master stands still for a while */
  HAPPENS_EXPIRE,  /* its time ends: what runs is stopped */
  HAPPENS_LEAVE,   /* a worker is to leave in order */
  HAPPENS_JOIN,    /* a new worker starts */
  HAPPENS_NEVER,   /* ... or never comes */
  HAPPENS_TIMER,   /* the coordinator's wish */
  HAPPENS_FREE,    /* the master's port is free */
  HAPPENS_RESTART, /* the master dies and is started anew */
  HAPPENS_STOP,
  HAPPENS_ADVICE,    /* another policy, another number of workers */
  HAPPENS_ITERATION, /* the application answers with the next batch */
  HAPPENS_ADDED      /* ... or has more units of this one */
};

enum { WORLD_RANGES_MAX = WORLD_UNITS_MAX };

/* What a worker's side is to hear; mostly the master sent it. */
struct parcel {
  struct ls_side_event event; /* of a chunk, its ranges are these: */
  struct ls_range ranges[WORLD_RANGES_MAX];
};

/* A result that the master does not have yet. */
struct open_result {
  struct ls_event event;
  struct open_result *next;
};

struct happening {
  enum happening_kind kind;
  uint32_t session, worker, stamp;
  uint32_t link;                  /* of the worker's connections, the one that carries it */
  bool is_of_cut;                 /* the driver tells of a cut connection while it is cut */
  bool is_inside;                 /* the worker tells itself */
  const struct open_result *open; /* the result that it carries */
  bool is_fragile;                /* gets lost when its sender dies before it arrives */
  struct ls_event event;
  uint64_t units; /* that have ended */
  size_t parcel;
};

/* In the eyes of the coordinator. */
enum presence {
  PRESENCE_NONE,
  PRESENCE_THERE,
  PRESENCE_SUSPENDED,
  PRESENCE_LEAVING,
  PRESENCE_LOST
};

/* A result that stays at its worker until it is fetched. */
struct kept_result {
  struct ls_event event;
  struct kept_result *next;
};

struct world_worker {
  bool is_alive, is_frozen, is_suspended, is_cut;
  bool has_lifeline;
  bool is_recalled;         /* was told to give back what waits, and was sent nothing since */
  double crowded_s;         /* since then more than one unit is here, and somebody idles */
  bool is_asking;           /* in the master's eyes: its request has no answer yet */
  uint32_t link;            /* the number of its connection */
  struct open_result *open; /* in the order in which they ended */
  bool was_suspended;       /* at some time */
  bool keeps_what_runs, is_watched;
  bool is_reliable;
  enum presence presence;
  enum ls_away reason; /* while it is suspended */
  bool is_vacated;     /* ... and what ran there is gone */
  bool has_given_back; /* what it ran waits, in the coordinator's eyes: */
  uint64_t back_unit, back_chunk;
  uint32_t stamp; /* of the running job */
  double ends_s;  /* when the running job begins or ends; while frozen: seconds that are left */
  uint64_t ends_units; /* ... so many units of it */
  struct ls_worker_side side;
  struct kept_result *kept; /* in the order in which they ended */
  double inbox_s, outbox_s; /* the last delivery on each way: links keep the order */
  double watched_s;         /* ... and of what somebody else tells */
  double late_s;            /* when messages are read that came while it stood still */
  uint32_t slot;            /* in the coordinator, once it has joined */
  double lives_until_s;     /* by the coordinator's clock; 0: for ever */
  bool was_sent;            /* anything, since it came */
};

/* The world's own book of one unit of the present iteration. */
struct world_unit {
  bool is_settled, is_computed;
  bool was_sent;
  bool may_be_computed; /* in a chunk that was cancelled: the result may count */
  enum ls_outcome outcome;
  uint32_t owner; /* LS_WORKER_NONE: waits, or is in its pause */
  uint64_t chunk;
  uint32_t replica_owner; /* has a replica; LS_WORKER_NONE: nobody */
  uint64_t replica_chunk;
  uint32_t doubted; /* waits, and this worker, counted from 1, may have it; 0: nobody */
  uint64_t doubted_chunk;
  bool is_orphan; /* one that is lost may have it, for a while */
  bool is_back;   /* its owner came back with it */
  uint32_t failures, losses;
  uint32_t ends;         /* of lifetimes that stopped it */
  double ran_s;          /* ... after so long; NAN: who had it said nothing */
  double paused_until_s; /* after a failure */
  uint32_t lefts;        /* failed with no retry left while another one ran: that one decides */
  bool was_left_to_two;  /* ... by a result that came late */
};

/* The world's own book of one chunk, by its number; bits are units of the iteration. */
struct world_chunk {
  uint32_t worker, iteration;
  uint64_t sent, told;            /* told: by the worker's side */
  uint8_t order[WORLD_UNITS_MAX]; /* of sending; as many as `sent` has */
  size_t order_count;
  bool is_held, is_free; /* is_free: fetched, or cancelled */
  bool is_cancelled;
  bool is_unawaited; /* fetched before its turn, or cancelled: the order goes on without it */
};

/* The world's own book of the plan, in an iteration. */
struct world_course {
  struct ls_plan_cursor cursor;   /* behind what was pushed */
  uint64_t sent[WORLD_UNITS_MAX]; /* by chunk of the plan: its number plus 1; 0: not sent */
  size_t turn;                    /* in the order of returns: the result that comes next */
  uint64_t vain;     /* workers that were away and lost all, since a unit was settled */
  bool is_abandoned; /* ... so often that the order is not kept any more */
};

struct world_rules { /* drawn once */
  struct ls_coordinator_config config;
  struct ls_plan plan;
  struct ls_plan_chunk chunks[WORLD_UNITS_MAX]; /* of the plan */
  struct ls_coordinator_choice choices[WORLD_CHOICES_MAX];
  struct ls_room rooms[WORLD_SLOTS_MAX]; /* by slot; all of no units: there are none */
  double weights[WORLD_SLOTS_MAX], expected[WORLD_UNITS_MAX];
  uint64_t units[WORLD_ITERATIONS_MAX];
  uint32_t iterations;
  struct ls_side_settings side;
  bool has_killers;
  double delay_s, chaos_until_s, crash, hang, suspend, duplicate, fail;
  /* The rest stays zero in a plain world. */
  size_t returns[WORLD_UNITS_MAX];
  struct ls_coordinator_lesson lessons[WORLD_LESSONS_MAX];
  bool knows_times, tells_times, is_announced, recalls; /* is_announced: LEAVING comes first */
  bool has_tasks; /* results of several units count whole or not at all */
  double leave, reclaim, output, hold_back, refuse, never;
  double keep;            /* a suspended machine keeps what ran on it */
  double watch;           /* ... and somebody else tells of that: later than it speaks itself */
  bool has_stoppers;      /* units that stop their worker, and outlast their limit */
  double cut;             /* connections break */
  double lifelines;       /* workers that are never silent */
  double lifetime;        /* workers that have so long to live; 0: all live for ever */
  bool stops;             /* at the end of its time a worker stops what it runs */
  double slow;            /* every seventh unit takes so much longer */
  double stall;           /* the master stands still, for at most so long; 0: never */
  bool grows, has_advice; /* grows: units are added to iterations */
};

struct world_summary {
  uint64_t steps, losses, restarts, failed, given_up, done, replicas, replicas_won, left, released,
      reused, filled, /* filled: chunks that took the last of a room */
      whole, torn,    /* results of several units: counted, and of no use for one of them */
      fetched, departed, refused, paced, reported, early, /* fetched before their turn */
      late, late_failures, expired, outlasted, recalled, cuts, stalls, added,
      taken_back,  /* recalled for an idle worker */
      doubted,     /* chunks of units that somebody may have */
      owned_again, /* ... units that were its, when it came back */
      repeated;    /* chunks of a plan in later plays of its body */
};

struct world {
  uint64_t seed;
  bool is_plain, is_unwatched;
  struct ls_random random;
  struct ls_random extra; /* what a plain world does not need */
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
  uint32_t holders[WORLD_SLOTS_MAX]; /* by slot: 1 + the worker in it; 0: none yet */
  struct world_unit units[WORLD_UNITS_MAX];
  struct world_course course;
  struct world_chunk *chunks; /* of this session */
  size_t chunks_count, chunks_capacity;
  struct ls_arena arena; /* times of units, results that are kept */
  uint32_t iteration, session, sessions_left;
  double now_s, base_s;              /* base_s: when the present master started */
  double heard_s;                    /* what the master was told last */
  double started_s;                  /* the latest start; below 0: none, or of an earlier session */
  double stalled_until_s, stalled_s; /* the last time that it stood still, and for how long */
  uint64_t known_units;              /* of this iteration */
  uint32_t opened_iteration;
  struct world_summary summary;
  uint32_t timer_stamp;
  bool is_finished, is_stopping, is_between;
  bool is_incomplete; /* more units of this iteration will come */
  char problem[256];  /* "" while all is well */
};

/* Those of this iteration. */
static inline uint64_t count_units(const struct world *world) {
  return world->iteration < world->rules.iterations ? world->known_units : 0;
}

/* A run to be made. */
struct world_request {
  uint64_t seed;
  bool is_plain;
  bool is_unwatched; /* nobody else tells of a worker, and no unit stops its own */
  FILE *trace;       /* NULL: none */
};

/* True when every invariant held; else `problem` (256 bytes) says what did not. */
bool world_run(const struct world_request *request, char *problem, struct world_summary *summary);

/* world_rules.c */
void world_draw_rules(struct world *world);
/* world_settings.c: what a plain world does not have. `world_draw_settings` comes before the plan
 * is drawn, the others behind it. */
void world_draw_settings(struct world *world);
void world_draw_returns(struct world *world);
void world_draw_repeat(struct world *world);
/* From the stream of these settings; never in a plain world. */
bool world_may(struct world *world, double probability);

/* What happens when a unit is computed for the `attempt`-th time (from 0). */
enum unit_fate { FATE_DONE, FATE_FAILS, FATE_TIMES_OUT, FATE_KILLS };
/* Does it stop its worker? */
bool world_is_stopper(const struct world *world, uint64_t unit);
enum unit_fate world_fate(const struct world *world, uint64_t unit, uint32_t attempt);

/* world.c */
void world_complain(struct world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* By the clock, so that what is planned for one instant comes in this order. */
struct happening *world_plan_at(struct world *world, double at_s, enum happening_kind kind,
                                uint32_t worker);
struct happening *world_plan(struct world *world, double in_s, enum happening_kind kind,
                             uint32_t worker);
double world_draw(struct world *world, double least, double most);
bool world_chance(struct world *world, double probability);

/* world_master.c: the way to the coordinator. */
void world_step(struct world *world, struct ls_event *event);
void world_start_master(struct world *world);

/* world_units.c: the book of the units. Before the step: who is there. */
void world_note_event(struct world *world, const struct ls_event *event);
/* Behind it: the coordinator's own decisions on who is there, and what a result says. */
void world_note_decisions(struct world *world, const struct ls_event *event);
void world_note_result(struct world *world, const struct ls_event *event);
void world_note_ended(struct world *world, const struct ls_event *event);
/* May nothing be sent yet, so soon behind the latest start? */
bool world_is_delayed(const struct world *world);
/* Does nobody have it, and is it not in a pause? */
bool world_is_waiting(const struct world *world, uint64_t unit);
/* Of a SEND, a SETTLE, a CANCEL. */
void world_note_owners(struct world *world, const struct ls_action *action);
void world_note_settled(struct world *world, const struct ls_action *action);
void world_note_cancelled(struct world *world, const struct ls_action *action);
/* Units that the worker owes. */
size_t world_count_owned(const struct world *world, uint32_t number);
/* Results that are there are counted in the same step. */
void world_check_units(struct world *world);
void world_check_all_settled(struct world *world);

/* world_doubts.c: the book of units that a worker may have which fell silent, or was cut off. It is
 * away with this one, in the chunk; nobody else has it. */
void world_doubt(struct world *world, uint32_t number, uint64_t unit, uint64_t chunk);
/* It stands still, or is gone: nobody has what it had. `is_presumed`: nobody knows that it is gone.
 */
void world_trust(struct world *world, uint32_t number, bool is_presumed);
/* It is back: what it has, and nobody took, is its own again. */
void world_clear_up(struct world *world, uint32_t number, const struct ls_event *event);
/* Does it say that it has the unit?  Over the same connection it has all. */
bool world_is_held(const struct ls_event *event, uint64_t chunk, uint64_t unit);
/* What waits and nobody may have goes first. */
void world_check_doubt(struct world *world, const struct ls_action *action);

/* world_checks.c */
void world_note_asking(struct world *world, const struct ls_event *event);
/* One that is suspended was told to forget what waits there. */
void world_check_cancelled(struct world *world, uint32_t number);
/* No worker idles while there is something for it. */
void world_check_lively(struct world *world);
/* ... nor while a unit waits behind another one's. */
void world_check_crowded(struct world *world);
void world_check_judgement(struct world *world);
/* What it says of a connection that is gone. */
void world_check_cut(struct world *world, const struct ls_event *event);

/* world_lifetimes.c: the book of the ends of time. Before the step: does the event say that one
 * stopped a unit? */
bool world_is_end(const struct world *world, const struct ls_event *event, uint64_t *unit);
bool world_is_told_to_stop(const struct world *world);
/* Is its time over, in the coordinator's eyes? */
bool world_is_over(const struct world *world, uint32_t number);
/* The unit was stopped so; `ran_s` NAN: nobody says after how long. */
void world_note_end(struct world *world, uint64_t unit, double ran_s);
/* Behind the step: who was stopped too often is given up. */
void world_check_end(struct world *world, uint64_t unit);
/* The unit is sent to a worker that lives long enough. */
void world_check_lifetime(struct world *world, uint32_t number, uint64_t unit);
/* May the unit wait for one that lives longer than the worker, which asks? */
bool world_may_be_kept_from(const struct world *world, uint32_t number, uint64_t unit);
/* Does it, in any case? */
bool world_is_kept_from(const struct world *world, uint32_t number, uint64_t unit);
/* May the worker's time be over before so many more units are done there? */
bool world_may_lack_time(const struct world *world, uint32_t number, uint64_t units);

/* world_book.c: the book of the chunks. */
void world_note_sent(struct world *world, const struct ls_action *action);
void world_note_told(struct world *world, uint32_t number, const struct ls_side_result *result);
void world_note_freed(struct world *world, const struct ls_action *action);
/* Was the unit of this iteration sent to the worker in this chunk?  `*is_wanted`: and the chunk was
 * not cancelled. */
bool world_was_sent(const struct world *world, uint32_t worker, uint64_t chunk, uint64_t unit,
                    bool *is_wanted);
/* The unit that runs at the worker: the first one it owes, of its oldest chunk; false: none. */
bool world_find_running(const struct world *world, uint32_t worker, uint64_t *chunk,
                        uint64_t *unit);
/* Results of a chunk that is held come when it is fetched. */
void world_check_freed(struct world *world, const struct ls_event *event);

/* world_plan.c: the book of the plan that is followed. */
void world_open_plan(struct world *world);
void world_note_pushed(struct world *world, const struct ls_action *action);
void world_note_fetched(struct world *world, const struct ls_action *action);
/* All was taken from a worker that is away. */
void world_note_vacated(struct world *world);
/* Is there an order of results, which is kept? */
bool world_is_ordered(const struct world *world);
/* Behind every step. */
void world_note_plan(struct world *world);

/* Opens the iteration with what is known of it; `*units` and `*is_incomplete` for the event. */
void world_open_units(struct world *world, struct ls_event *event);
void world_add_units(struct world *world);

/* world_link.c */
void world_cut(struct world *world, uint32_t number);
void world_reconnect(struct world *world, uint32_t number);
/* Until the master has it, the result may have to be sent again. */
struct open_result *world_open_result(struct world *world, uint32_t number,
                                      const struct ls_event *event);
/* Does the message arrive?  One that is lost on a broken connection does not. */
bool world_passes(struct world *world, const struct happening *happening);

/* world_worker.c */
void world_join(struct world *world);
/* A worker that was on its way does not come. */
void world_never_join(struct world *world);
/* The worker is there, or there again. */
void world_enter(struct world *world, uint32_t number);
void world_arrive(struct world *world, uint32_t number, const struct parcel *parcel);
/* The parcel arrives in so many seconds; its event and ranges are still to be filled in. */
struct parcel *world_send(struct world *world, uint32_t number, double at_s);
void world_begin_job(struct world *world, uint32_t number);
void world_end_job(struct world *world, uint32_t number, uint64_t units);
void world_leave(struct world *world, uint32_t number);
/* Its time is over: what it runs is stopped. */
void world_expire(struct world *world, uint32_t number);
void world_crash(struct world *world, uint32_t number, enum ls_loss cause);
void world_freeze(struct world *world, uint32_t number);
void world_thaw(struct world *world, uint32_t number);
void world_heartbeat(struct world *world, uint32_t number);
void world_tell_master(struct world *world, uint32_t number, const struct ls_event *event);

#endif
