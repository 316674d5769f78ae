/* test_event_kinds.c: every kind of event and of action is made and taken, in the simulator and in
 * runs.
 *
 * Both drivers really drive here, and the linker puts a counter between them and the two state
 * machines: each event that reaches the coordinator is counted with whether it was of use, each
 * action that leaves it, and each event that reaches a worker's side.  An action was taken when
 * what it asks for came about.  Simulations are asked for as a user does, by their arguments.
 *
 * A kind that a driver has not is listed with its reason, and fails as soon as it occurs.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulate/world.h"
#include "thread_job.h"

enum driver { SIMULATOR, RUN, DRIVERS };

/* ---- between the drivers and the state machines ---- */

struct counts {
  unsigned events[LS_EVENT_COUNT], of_use[LS_EVENT_COUNT], actions[LS_ACTION_COUNT];
  _Atomic unsigned heard[LS_SIDE_EVENT_COUNT]; /* by the sides of the workers, which are threads */
  unsigned settled, finished;                  /* units that a driver counted, runs that ended */
};

static struct counts counts[DRIVERS];
static enum driver driver;
static atomic_bool was_recalled; /* something, since the last run began */

enum ls_status __real_ls_coordinator_step(struct ls_coordinator *coordinator,
                                          const struct ls_event *event, struct ls_actions *actions,
                                          struct ls_error *err);
enum ls_status __wrap_ls_coordinator_step(struct ls_coordinator *coordinator,
                                          const struct ls_event *event, struct ls_actions *actions,
                                          struct ls_error *err);
enum ls_status __real_ls_worker_side_step(struct ls_worker_side *side,
                                          const struct ls_side_event *event,
                                          struct ls_side_actions *actions);
enum ls_status __wrap_ls_worker_side_step(struct ls_worker_side *side,
                                          const struct ls_side_event *event,
                                          struct ls_side_actions *actions);

/* Of use: accepted, and not ignored. */
enum ls_status __wrap_ls_coordinator_step(struct ls_coordinator *coordinator,
                                          const struct ls_event *event, struct ls_actions *actions,
                                          struct ls_error *err) {
  struct counts *now = &counts[driver];
  int wants_notes = actions->wants_notes;
  bool is_ignored = false;
  actions->wants_notes = 1;
  enum ls_status status = __real_ls_coordinator_step(coordinator, event, actions, err);
  actions->wants_notes = wants_notes;
  now->events[event->kind]++;
  for (size_t i = 0; i < actions->count; i++) {
    now->actions[actions->items[i].kind]++;
    if (actions->items[i].kind == LS_ACTION_RECALL) was_recalled = true;
  }
  for (size_t i = 0; i < actions->notes_count; i++)
    is_ignored = is_ignored || actions->notes[i].kind == LS_NOTE_IGNORED;
  if (wants_notes == 0) actions->notes_count = 0;
  now->of_use[event->kind] += status == LS_OK && !is_ignored;
  return status;
}

enum ls_status __wrap_ls_worker_side_step(struct ls_worker_side *side,
                                          const struct ls_side_event *event,
                                          struct ls_side_actions *actions) {
  counts[driver].heard[event->kind]++;
  return __real_ls_worker_side_step(side, event, actions);
}

/* ---- simulations ---- */

enum { UNITS = 60, PATIENCE_MS = 30000 };

static struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 20},
                                        {.worker = 1, .units = 15},
                                        {.worker = 2, .units = 15},
                                        {.worker = 0, .units = 10}};
static size_t returns[] = {1, 0, 3};
static const struct ls_plan plan = {.chunks = chunks,
                                    .chunks_count = 4,
                                    .has_returns = true,
                                    .returns = returns,
                                    .returns_count = 3};

/* Three workers; a unit takes a second at each. */
static void simulate(const char *policy, const char *text) {
  struct ls_platform platform;
  struct ls_world world;
  struct ls_simulated result;
  struct ls_error err = {0};
  json_t *document = NULL;
  assert_int_equal(ls_platform_init(&platform, 3, &err), LS_OK);
  for (size_t i = 0; i < 3; i++) {
    platform.workers[i].delay_s = 0.1;
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
    platform.workers[i].costs[LS_OPERATION_REPLY].latency_s = 0.1;
  }
  if (ls_json_parse((struct ls_text){text, strlen(text), "arguments"}, &document, &err) != LS_OK)
    fail_msg("%s", err.text);
  struct ls_world_request request = {.platform = &platform,
                                     .units = UNITS,
                                     .policy = policy,
                                     .asking = LS_ASKING_ROOM,
                                     .arguments = ls_json_top(document, "arguments")};
  if (ls_world_open(&world, &request, &err) != LS_OK) fail_msg("%s", err.text);
  if (world.setup.config.chunking->is_pushed) world.setup.config.plan = &plan;
  if (ls_simulate(&world.setup, &result, NULL, &err) != LS_OK) fail_msg("%s: %s", text, err.text);
  counts[SIMULATOR].settled += (unsigned)result.units_done;
  counts[SIMULATOR].finished++;
  ls_world_close(&world);
  json_decref(document);
  ls_platform_close(&platform);
}

static void simulate_all(void) {
  driver = SIMULATOR;
  simulate("follow-plan", "{}");
  simulate("fac2",
           "{\"pauses\": [{\"worker\": 0, \"from\": 2.5, \"until\": 6}], \"iterations\": 2}");
  simulate("gss", "{\"reclaim\": {\"mean_up\": 10, \"mean_away\": 3}}");
  simulate("gss",
           "{\"pauses\": [{\"worker\": 0, \"from\": 2.5, \"until\": 6, \"kept\": true}],"
           " \"additions\": [{\"time\": 1, \"units\": 5}, {\"time\": 4, \"units\": 7}]}");
  simulate("ss",
           "{\"leave\": [{\"worker\": 0, \"time\": 4.5}],"
           " \"grant\": {\"at_start\": 2, \"delay\": 1}}");
  simulate("ss",
           "{\"grant\": {\"at_start\": 2, \"limit\": 2},"
           " \"advice\": [{\"time\": 2, \"workers\": 3}]}");
  simulate("ss",
           "{\"advice\": [{\"time\": 2, \"policy\": \"gss\", \"prefetch\": 2,"
           " \"workers\": 2}]}");
  simulate("gss", "{\"depart\": [{\"worker\": 1, \"time\": 3.2}]}");
  simulate("sc", "{\"leave\": [{\"worker\": 0, \"time\": 30}]}");
  simulate("ss", "{\"stop\": {\"time\": 5}}");
  simulate("ss", "{\"deadline\": 5}");
  simulate("gss", "{\"stop\": {\"time\": 5, \"hard\": true}}");
}

/* ---- runs ---- */

static const struct {
  long unit_ns;
  double deadline_s;
  bool leaves, is_advised, is_stopped, is_streamed, recalls;
  const char *policy;
} jobs[] = {{.unit_ns = 1000000, .policy = "follow-plan"},
            {.unit_ns = 100000000, .policy = "ss", .leaves = true, .is_advised = true},
            {.unit_ns = 20000000, .policy = "ss", .deadline_s = 0.3},
            {.unit_ns = 1000000, .policy = "gss", .is_streamed = true},
            {.unit_ns = 1000000, .policy = "ss", .recalls = true},
            {.unit_ns = 20000000, .policy = "gss", .is_stopped = true}};

static size_t job_index;
static unsigned pool_calls, wanted_of_pool; /* calls: of this run */
static atomic_bool has_left;                /* a worker, of this run */
static atomic_bool has_waited;              /* a unit, for a recall in this run */

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  (void)state, (void)err;
  *units = iteration > 0 ? 0 : jobs[job_index].is_streamed ? UNITS / 2 : UNITS;
  return LS_OK;
}

static enum ls_status add_units(void *state, struct ls_more *more, struct ls_error *err) {
  (void)state, (void)err;
  *more = (struct ls_more){.units = UNITS - UNITS / 2, .is_last = true, .file = -1};
  return LS_OK;
}

/* One unit lasts until what waits behind it is recalled; that it is not is seen at the end. It is
 * the first one of the worker that asked last, or behind the first result: it got two.
 */
static void await_recall(void) {
  const struct timespec moment = {0, 1000000};
  for (int i = 0; i < PATIENCE_MS && !was_recalled; i++) (void)nanosleep(&moment, NULL);
}

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  static _Thread_local uint32_t calls;
  struct timespec rest = {0, 0};
  (void)state, (void)output, (void)err;
  uint64_t nanoseconds = (uint64_t)jobs[job_index].unit_ns * work->units.count;
  rest.tv_sec = (time_t)(nanoseconds / 1000000000);
  rest.tv_nsec = (long)(nanoseconds % 1000000000);
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue;
  bool is_followed = calls == 0 && work->units.first + 1 >= THREADS;
  if (jobs[job_index].recalls && is_followed && !atomic_exchange(&has_waited, true)) await_recall();
  /* Whoever comes to its eighth unit first: a certain one may come late, or be released before. */
  if (++calls == 8 && jobs[job_index].leaves && !atomic_exchange(&has_left, true))
    job_member->interrupts = 1;
  return LS_OK;
}

static const struct ls_app app = {.name = "kinds",
                                  .open = job_open,
                                  .units = count_units,
                                  .merge = job_merge,
                                  .compute = compute};

/* A pool that is asked for workers, and has none but the threads.  At the beginning of a run it is
 * asked for those that the coordinator takes for granted. */
static enum ls_status open_pool(const struct ls_pool_setup *setup, struct ls_pool **out,
                                struct ls_error *err) {
  (void)setup, (void)err;
  *out = (struct ls_pool *)&wanted_of_pool;
  return LS_OK;
}

static void request_workers(struct ls_pool *pool, size_t count) {
  (void)pool;
  if (pool_calls++ > 0) wanted_of_pool += (unsigned)count;
}

static void leave_worker(struct ls_pool *pool, uint32_t slot) {
  (void)pool, (void)slot;
}

static bool poll_news(struct ls_pool *pool, struct ls_pool_news *news) {
  (void)pool, (void)news;
  return false;
}

static int find_file(const struct ls_pool *pool) {
  (void)pool;
  return -1;
}

static double get_patience_s(const struct ls_pool *pool) {
  (void)pool;
  return (double)INFINITY;
}

static uint32_t find_slot(const struct ls_pool *pool, const struct ls_pool_claim *claim) {
  (void)pool, (void)claim;
  return 0;
}

static struct ls_pool_counts get_counts(const struct ls_pool *pool) {
  (void)pool;
  return (struct ls_pool_counts){0};
}

static void close_pool(struct ls_pool *pool, double patience_s) {
  (void)pool, (void)patience_s;
}

static const struct ls_pool_kind pool = {.name = "test",
                                         .has_lifelines = true,
                                         .open = open_pool,
                                         .request = request_workers,
                                         .kill = leave_worker,
                                         .poll = poll_news,
                                         .file = find_file,
                                         .patience_s = get_patience_s,
                                         .slot = find_slot,
                                         .counts = get_counts,
                                         .close = close_pool};

static const struct ls_pool_choice threads_pool = {.kind = &pool};

static bool advise(void *context, const struct ls_adviser_facts *facts,
                   struct ls_adviser_answer *answer) {
  (void)context, (void)facts;
  *answer = (struct ls_adviser_answer){.policy = 1, .workers = 2, .prefetch = 2};
  return true;
}

static enum ls_master_wish halt(void *context, const struct ls_master_report *so_far) {
  (void)context;
  bool is_due = jobs[job_index].is_stopped && so_far->units_done > 6;
  return is_due ? LS_WISH_STOP_NOW : LS_WISH_GO_ON;
}

static void run(size_t index) {
  static struct ls_coordinator_choice choice;
  struct job job = {.app = &app};
  struct ls_master_report report;
  struct ls_error err = {0};
  job_index = index;
  pool_calls = 0;
  has_left = has_waited = was_recalled = false;
  choice.chunking = ls_chunking_find("gss");
  ls_arguments_init(&choice.arguments, choice.chunking->parameters);
  struct ls_app own = app;
  if (jobs[index].is_streamed) own.more = add_units;
  struct ls_master_options options = {
      .app = &own,
      .state = &job,
      .config = {.chunking = ls_chunking_find(jobs[index].policy),
                 .workers = THREADS,
                 .workers_max = THREADS + 1,
                 .spares_newcomers = jobs[index].recalls,
                 .recalls = jobs[index].recalls,
                 .mean_seconds = (double)NAN,
                 .deviation_seconds = (double)NAN,
                 .overhead_seconds = (double)NAN,
                 .deadline_s = jobs[index].deadline_s},
      .prefetch = 1,
      .heartbeat_s = 0.02,
      .site = open_site_with(&ls_transport_zmq, "inproc://kinds", &threads_pool),
      .workers_patience_s = 30,
      .halt = halt,
      .announce = job_start_threads,
      .advise = jobs[index].is_advised ? advise : NULL,
      .context = &job};
  ls_arguments_init(&options.config.arguments, options.config.chunking->parameters);
  if (options.config.chunking->is_pushed) {
    options.config.plan = &plan;
  } else {
    options.config.choices = &choice;
    options.config.choices_count = 1;
  }
  if (ls_master_run(&options, &report, &err) != LS_OK) fail_msg("run %zu: %s", index, err.text);
  job_join_threads(&job);
  counts[RUN].settled += (unsigned)job.merged;
  counts[RUN].finished++;
  ls_master_report_close(&report);
}

static void run_all(void) {
  driver = RUN;
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) run(i);
}

/* ---- the tests ---- */

/* Why a driver has not a kind; NULL: it has. */
static const char *const lacks_event[DRIVERS][LS_EVENT_COUNT] = {
    [SIMULATOR] = {[LS_EVENT_HEARTBEAT] = "no simulated worker falls silent"},
    [RUN] = {[LS_EVENT_SUSPENDED] = "comes with the pools",
             [LS_EVENT_RESUMED] = "comes with the pools",
             [LS_EVENT_GRANTED] = "comes with the pools",
             [LS_EVENT_REFUSED] = "comes with the pools"}};

static const char *const lacks_action[DRIVERS][LS_ACTION_COUNT] = {
    [RUN] = {[LS_ACTION_AWAIT_FREE] = "only a paced master is asked, and a real one is not paced"}};

static const char *const names[DRIVERS] = {"the simulator", "a run"};

static void every_event_is_made_in_both_drivers_and_taken(void **state) {
  (void)state;
  for (enum driver i = SIMULATOR; i < DRIVERS; i++)
    for (enum ls_event_kind kind = LS_EVENT_JOINED; kind < LS_EVENT_COUNT; kind++) {
      const char *name = ls_event_name(kind), *reason = lacks_event[i][kind];
      unsigned made = counts[i].events[kind], taken = counts[i].of_use[kind];
      if (reason != NULL && made > 0)
        fail_msg("%s makes %s, and the list says: %s", names[i], name, reason);
      if (reason == NULL && made == 0) fail_msg("%s never makes %s", names[i], name);
      if (reason == NULL && taken == 0)
        fail_msg("the coordinator never takes %s of %s", name, names[i]);
    }
}

/* How often what the action asks for came about. */
static unsigned count_answers(enum driver i, enum ls_action_kind kind) {
  const struct counts *now = &counts[i];
  switch (kind) {
    case LS_ACTION_SEND:
      return now->heard[LS_SIDE_EVENT_CHUNK];
    case LS_ACTION_FETCH:
      return now->heard[LS_SIDE_EVENT_FETCH];
    case LS_ACTION_CANCEL:
      return now->heard[LS_SIDE_EVENT_CANCEL];
    case LS_ACTION_RECALL:
      return now->heard[LS_SIDE_EVENT_RECALL];
    case LS_ACTION_RELEASE: /* a simulated machine just goes */
      return i == RUN ? now->heard[LS_SIDE_EVENT_RELEASE] : now->events[LS_EVENT_LOST];
    case LS_ACTION_REQUEST_WORKERS:
      return i == RUN ? wanted_of_pool : now->events[LS_EVENT_GRANTED];
    case LS_ACTION_SET_PREFETCH:
      return now->heard[LS_SIDE_EVENT_PREFETCH];
    case LS_ACTION_WAKE_AT:
      return now->events[LS_EVENT_TIMER];
    case LS_ACTION_SETTLE:
      return now->settled;
    case LS_ACTION_ITERATION_DONE:
      return now->events[LS_EVENT_ITERATION];
    case LS_ACTION_AWAIT_FREE:
      return now->events[LS_EVENT_FREE];
    default:
      return kind == LS_ACTION_FINISH ? now->finished : 0;
  }
}

static void every_action_is_made_and_taken_in_both_drivers(void **state) {
  (void)state;
  for (enum driver i = SIMULATOR; i < DRIVERS; i++)
    for (enum ls_action_kind kind = LS_ACTION_SEND; kind < LS_ACTION_COUNT; kind++) {
      const char *name = ls_action_name(kind), *reason = lacks_action[i][kind];
      unsigned made = counts[i].actions[kind];
      if (reason != NULL && made > 0)
        fail_msg("in %s %s occurs, and the list says: %s", names[i], name, reason);
      if (reason == NULL && made == 0) fail_msg("in %s %s never occurs", names[i], name);
      if (reason == NULL && count_answers(i, kind) == 0)
        fail_msg("%s never does what %s asks for", names[i], name);
    }
}

static int drive_both(void **state) {
  (void)state;
  simulate_all();
  run_all();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_event_is_made_in_both_drivers_and_taken),
      cmocka_unit_test(every_action_is_made_and_taken_in_both_drivers),
  };
  return cmocka_run_group_tests(tests, drive_both, NULL);
}
