/* test_journal_replay.c: the journal of a real run, replayed, gives the same decisions.
 *
 * A real master runs with workers that are threads and a journal; then the recorded events go
 * through a fresh coordinator, and every SEND must be the one that was recorded with its event.  So
 * it is for seeded jobs: all policies that are asked for units, several prefetches, workers of
 * unequal speeds, and workers that leave while units wait at them.  In the last iteration some
 * units have nothing to do.  In some jobs every third unit needs a label that some workers have.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "thread_job.h"

enum {
  UNITS = 700,
  ITERATIONS = 2,
  SEEDED_UNITS = 150,
  SEEDS = 200,
  NEED_SEEDS = 60,
  CHUNKS_MAX = 1 << 16
};

/* A run that lasts long enough to be advised: what a unit takes. */
enum { SLOW_NS = 10000000, WAIT_NS = 100000 };

struct trial {
  const char *policy, *order;
  bool is_advised, recalls, has_needs;
  uint64_t seed, units, prefetch;
  long unit_ns[THREADS];          /* what a unit takes there */
  uint32_t leaves_after[THREADS]; /* calls; 0: never */
  const char *labels[THREADS];
};

/* The one that runs now; the application's functions see nothing else of the test. */
static const struct trial *running;

/* Since this run or replay began: workers that said that they leave, and workers that are gone. */
static _Atomic uint32_t leaving, gone;
/* Units that a worker computed without the label that they need. */
static _Atomic uint32_t misplaced;

enum ls_status __real_ls_coordinator_step(struct ls_coordinator *coordinator,
                                          const struct ls_event *event, struct ls_actions *actions,
                                          struct ls_error *err);
enum ls_status __wrap_ls_coordinator_step(struct ls_coordinator *coordinator,
                                          const struct ls_event *event, struct ls_actions *actions,
                                          struct ls_error *err);

/* Put before the coordinator by the linker.  Who leaves is released with its last result, or lost.
 */
enum ls_status __wrap_ls_coordinator_step(struct ls_coordinator *coordinator,
                                          const struct ls_event *event, struct ls_actions *actions,
                                          struct ls_error *err) {
  enum ls_status status = __real_ls_coordinator_step(coordinator, event, actions, err);
  leaving += event->kind == LS_EVENT_LEAVING;
  gone += event->kind == LS_EVENT_LOST;
  for (size_t i = 0; i < actions->count; ++i) {
    gone += actions->items[i].kind == LS_ACTION_RELEASE;
  }
  return status;
}

static uint32_t count_leavers(const struct trial *trial) {
  uint32_t count = 0;
  for (size_t i = 0; i < THREADS; ++i) count += trial->leaves_after[i] > 0;
  return count;
}

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  (void)state, (void)err;
  *units = iteration < ITERATIONS ? running->units : 0;
  return LS_OK;
}

/* What is idle then: a range in the middle, and the last unit. */
static struct ls_range find_middle(void) {
  return (struct ls_range){running->units / 3, running->units / 10};
}

static uint64_t count_idle(void) {
  return find_middle().count + 1;
}

static enum ls_status name_idle(void *state, uint32_t iteration, struct ls_ranges *units,
                                struct ls_error *err) {
  (void)state, (void)err;
  if (iteration < ITERATIONS - 1) return LS_OK;
  ls_ranges_add(units, find_middle());
  ls_ranges_add(units, (struct ls_range){running->units - 1, 1});
  return LS_OK;
}

static const char *find_need(void *state, uint32_t iteration, uint64_t unit) {
  (void)state, (void)iteration;
  return unit % 3 == 0 ? "gpu" : NULL;
}

/* Every 50th unit fails, so that units go back to the pool and are sent again. */
static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state, (void)output;
  uint64_t last = work->units.first + work->units.count - 1;
  if (last / 50 != work->units.first / 50 || work->units.first % 50 == 0) {
    return ls_fail(err, LS_EINVAL, "a fiftieth unit");
  }
  return LS_OK;
}

static void rest(long units, long unit_ns) {
  struct timespec time = {0, units * unit_ns % 1000000000};
  while (nanosleep(&time, &time) != 0) continue;
}

/* Whoever leaves does so in the last iteration at the latest, and the others wait for it there:
 * else the run may be over before a worker that hardly gets a processor has made its calls. */
static enum ls_status compute_slowly(void *state, const struct ls_work *work,
                                     struct ls_bytes *output, struct ls_error *err) {
  static _Thread_local uint32_t calls;
  uint32_t leaves_after = running->leaves_after[job_member->number];
  rest((long)work->units.count % 100, running->unit_ns[job_member->number]);
  bool may_all = !running->has_needs || running->labels[job_member->number] != NULL;
  for (uint64_t i = 0; i < work->units.count && !may_all; ++i)
    misplaced += find_need(state, work->iteration, work->units.first + i) != NULL;
  bool is_last = work->iteration == ITERATIONS - 1;
  if (leaves_after > 0 && (++calls == leaves_after || is_last)) job_member->interrupts = 1;
  while (leaves_after == 0 && is_last && gone < count_leavers(running)) rest(1, WAIT_NS);
  return compute(state, work, output, err);
}

static const struct ls_app app = {.name = "replay",
                                  .open = job_open,
                                  .units = count_units,
                                  .idle = name_idle,
                                  .merge = job_merge,
                                  .compute = compute_slowly};

static const struct ls_app needing_app = {.name = "replay",
                                          .open = job_open,
                                          .units = count_units,
                                          .idle = name_idle,
                                          .need = find_need,
                                          .merge = job_merge,
                                          .compute = compute_slowly};

static struct ls_coordinator_config make_config(const struct trial *trial) {
  struct ls_coordinator_config config = {.chunking = ls_chunking_find(trial->policy),
                                         .ordering = ls_ordering_find(trial->order),
                                         .workers = THREADS,
                                         .workers_max = THREADS,
                                         .mean_seconds = (double)NAN,
                                         .deviation_seconds = (double)NAN,
                                         .overhead_seconds = (double)NAN,
                                         .seed = trial->seed,
                                         .retries = 1,
                                         .spares_newcomers = trial->recalls,
                                         .recalls = trial->recalls && !trial->has_needs,
                                         .has_needs = trial->has_needs,
                                         .silence_s = 30};
  static struct ls_coordinator_choice choices[2];
  const char *const names[2] = {"ss", "awf-c"};
  for (size_t i = 0; i < 2; ++i) {
    choices[i].chunking = ls_chunking_find(names[i]);
    ls_arguments_init(&choices[i].arguments, choices[i].chunking->parameters);
  }
  config.choices = choices;
  config.choices_count = trial->has_needs ? 0 : 2;
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  return config;
}

/* Another policy, and one worker fewer: once, though the worker may take its time to leave. */
static bool advise(void *context, const struct ls_adviser_facts *facts,
                   struct ls_adviser_answer *answer) {
  (void)context;
  bool was_given = facts->chunking != ls_chunking_find("ss");
  if (was_given || facts->workers_count < THREADS) return false;
  *answer = (struct ls_adviser_answer){.policy = 2, .workers = THREADS - 1, .prefetch = 2};
  return true;
}

static void run_with_journal(const struct trial *trial, const char *path,
                             struct ls_coordinator_totals *totals) {
  struct job job = {.app = trial->has_needs ? &needing_app : &app};
  struct ls_master_options options = {.app = job.app,
                                      .state = &job,
                                      .config = make_config(trial),
                                      .prefetch = trial->prefetch,
                                      .heartbeat_s = 0.2,
                                      .site = open_site(&ls_transport_zmq, "inproc://replay"),
                                      .journal = path,
                                      .journal_mode = LS_JOURNAL_NEW,
                                      .job = {.application = "replay",
                                              .command = "replay",
                                              .directory = "/",
                                              .units = trial->units,
                                              .policy = trial->policy,
                                              .workers = THREADS},
                                      .workers_patience_s = 30,
                                      .announce = job_start_threads,
                                      .advise = trial->is_advised ? advise : NULL,
                                      .context = &job};
  struct ls_master_report report;
  struct ls_error err = {0};
  running = trial;
  leaving = gone = misplaced = 0;
  memcpy(job.labels, trial->labels, sizeof job.labels);
  if (ls_master_run(&options, &report, &err) != LS_OK) fail_msg("%s: %s", trial->policy, err.text);
  job_join_threads(&job);
  assert_int_equal(job.merged, ITERATIONS * trial->units - count_idle());
  assert_int_equal(leaving, count_leavers(trial));
  assert_int_equal(misplaced, 0);
  assert_int_equal(report.advices, trial->is_advised ? 1 : 0);
  *totals = report.totals;
  ls_master_report_close(&report);
}

struct replay {
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  uint64_t sends, events;
  uint64_t sent[CHUNKS_MAX]; /* units, by chunk */
  uint64_t unbegun;          /* chunks that came back whole before they began: they are none */
};

static void count_unbegun(struct replay *replay, const struct ls_event *event) {
  const struct ls_event_result *result = &event->result;
  if (event->kind != LS_EVENT_RESULT || result->outcome != LS_OUTCOME_CANCELLED) return;
  if (result->chunk >= CHUNKS_MAX || result->seconds > 0) return;
  replay->unbegun += result->units.count == replay->sent[result->chunk];
}

static enum ls_status on_event(void *context, const struct ls_event *event,
                               const struct ls_actions *recorded) {
  struct replay *replay = context;
  struct ls_error err = {0};
  count_unbegun(replay, event);
  if (ls_coordinator_step(replay->coordinator, event, &replay->actions, &err) != LS_OK) {
    fail_msg("event %" PRIu64 ": %s", replay->events, err.text);
  }
  size_t at = 0;
  for (size_t i = 0; i < replay->actions.count; ++i) {
    const struct ls_action *action = &replay->actions.items[i];
    if (action->kind != LS_ACTION_SEND) continue;
    assert_true(at < recorded->count);
    const struct ls_action *expected = &recorded->items[at++];
    assert_int_equal(action->worker, expected->worker);
    assert_int_equal(action->send.chunk, expected->send.chunk);
    assert_int_equal(action->send.ranges_count, expected->send.ranges_count);
    assert_memory_equal(replay->actions.ranges + action->send.first_range,
                        recorded->ranges + expected->send.first_range,
                        action->send.ranges_count * sizeof(struct ls_range));
    assert_true(action->send.chunk < CHUNKS_MAX);
    replay->sent[action->send.chunk] = action->send.units;
    ++replay->sends;
  }
  assert_int_equal(at, recorded->count);
  ++replay->events;
  return LS_OK;
}

/* Of the whole run. */
static void compare_totals(const struct ls_coordinator_totals *replayed,
                           const struct ls_coordinator_totals *real) {
  assert_true(replayed->is_finished && real->is_finished);
  assert_int_equal(replayed->chunks, real->chunks);
  assert_int_equal(replayed->requests, real->requests);
  assert_int_equal(replayed->results_dropped, real->results_dropped);
  assert_int_equal(replayed->units_retried, real->units_retried);
  assert_int_equal(replayed->units_returned, real->units_returned);
  assert_int_equal(replayed->recalls, real->recalls);
  assert_int_equal(replayed->workers_lost, real->workers_lost);
}

/* The real run's totals. */
static struct ls_coordinator_totals check(const struct trial *trial) {
  char folder[] = "/tmp/test-replay-XXXXXX", path[64], command[96];
  struct ls_coordinator_totals real, totals;
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  run_with_journal(trial, path, &real);
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal;
  struct ls_error err = {0};
  assert_int_equal(ls_journal_open(&request, &journal, &err), LS_OK);
  struct ls_coordinator_config config = make_config(trial);
  static struct replay replay;
  replay = (struct replay){.coordinator = NULL};
  assert_int_equal(ls_coordinator_create(&config, &replay.coordinator, &err), LS_OK);
  assert_int_equal(ls_journal_each_event(journal, 0, on_event, &replay, &err), LS_OK);
  assert_true(replay.events > 0 && replay.sends > 0);
  ls_coordinator_totals(replay.coordinator, &totals);
  compare_totals(&totals, &real);
  assert_int_equal(totals.chunks + replay.unbegun, replay.sends);
  assert_string_equal(totals.chunking->name, trial->is_advised ? "awf-c" : trial->policy);
  ls_actions_close(&replay.actions);
  ls_coordinator_destroy(replay.coordinator);
  ls_journal_close(journal);
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
  return real;
}

static void replayed_journal_gives_the_same_decisions(void **state) {
  (void)state;
  struct trial trial = {.order = "fifo", .seed = 7, .units = UNITS, .prefetch = 4};
  for (size_t i = 0; ls_chunkings[i] != NULL; ++i) {
    if (ls_chunkings[i]->is_pushed) continue;
    trial.policy = ls_chunkings[i]->name;
    (void)check(&trial);
  }
  trial.order = "random";
  trial.policy = "fac2";
  (void)check(&trial);
  trial.policy = "ss";
  (void)check(&trial);
}

static void replayed_advice_gives_the_same_decisions(void **state) {
  (void)state;
  struct trial trial = {.policy = "ss",
                        .order = "fifo",
                        .seed = 7,
                        .units = UNITS,
                        .prefetch = 4,
                        .is_advised = true};
  for (size_t i = 0; i < THREADS; ++i) trial.unit_ns[i] = SLOW_NS;
  (void)check(&trial);
}

/* The first worker of the test stays, so that the run ends. */
static struct trial make_trial(uint64_t seed, const char *policy, uint64_t prefetch) {
  struct trial trial = {.policy = policy,
                        .recalls = prefetch > 0,
                        .seed = seed,
                        .units = SEEDED_UNITS,
                        .prefetch = prefetch};
  struct ls_random random;
  ls_random_init(&random, seed, "journal-replay");
  trial.order = ls_random_below(&random, 4) == 0 ? "random" : "fifo";
  for (size_t i = 0; i < THREADS; ++i) {
    trial.unit_ns[i] = 1000L << ls_random_below(&random, 8);
    bool leaves = i > 0 && ls_random_below(&random, 2) == 0;
    trial.leaves_after[i] = leaves ? 1 + (uint32_t)ls_random_below(&random, 4) : 0;
  }
  return trial;
}

enum { POLICIES_MAX = 64 };

static size_t list_policies(const char *policies[POLICIES_MAX]) {
  size_t count = 0;
  for (size_t i = 0; ls_chunkings[i] != NULL; ++i) {
    assert_true(count < POLICIES_MAX);
    if (!ls_chunkings[i]->is_pushed) policies[count++] = ls_chunkings[i]->name;
  }
  return count;
}

static void seeded_jobs_are_replayed_with_the_same_decisions(void **state) {
  (void)state;
  static const uint64_t prefetches[] = {0, 1, 3};
  const char *policies[POLICIES_MAX];
  size_t count = list_policies(policies), left = 0, lost = 0, returned = 0, recalls = 0;
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    struct trial trial = make_trial(seed, policies[seed % count], prefetches[seed / count % 3]);
    struct ls_coordinator_totals totals = check(&trial);
    left += count_leavers(&trial);
    lost += totals.workers_lost;
    returned += totals.units_returned;
    recalls += totals.recalls;
  }
  printf(
      "%zu policies, %d jobs: %zu workers left, %zu of them with units, %zu units went back, "
      "%zu recalls\n",
      count, SEEDS, left, lost, returned, recalls);
  assert_true(count * 3 <= SEEDS && left >= SEEDS / 2 && lost >= SEEDS / 10);
  assert_true(returned > 0 && recalls > 0);
}

/* The first worker can do all, and stays. */
static void jobs_with_needs_are_replayed_with_the_same_decisions(void **state) {
  (void)state;
  const char *policies[POLICIES_MAX];
  size_t count = list_policies(policies), left = 0;
  for (uint64_t seed = 0; seed < NEED_SEEDS; ++seed) {
    struct trial trial = make_trial(seed, policies[seed % count], seed / count % 3);
    trial.has_needs = true;
    trial.labels[0] = "gpu";
    for (size_t i = 1; i < THREADS; ++i) trial.labels[i] = (seed >> i & 1) != 0 ? "big,gpu" : NULL;
    (void)check(&trial);
    left += count_leavers(&trial);
  }
  assert_true(left >= NEED_SEEDS / 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replayed_journal_gives_the_same_decisions),
      cmocka_unit_test(replayed_advice_gives_the_same_decisions),
      cmocka_unit_test(seeded_jobs_are_replayed_with_the_same_decisions),
      cmocka_unit_test(jobs_with_needs_are_replayed_with_the_same_decisions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
