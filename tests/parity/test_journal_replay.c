/* test_journal_replay.c: the journal of a real run, replayed, gives the same decisions.
 *
 * A real master runs with workers that are threads and a journal; then the recorded events go
 * through a fresh coordinator, and every SEND must be the one that was recorded with its event.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "thread_job.h"

enum { UNITS = 700 };

/* A run that lasts long enough to be advised: what a unit takes. */
enum { SLOW_NS = 10000000 };

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  (void)state, (void)err;
  *units = iteration < 2 ? UNITS : 0;
  return LS_OK;
}

/* Every 50th unit fails, so that units go back to the pool and are sent again. */
static enum ls_status compute(void *state, struct ls_range units, struct ls_range packed,
                              const void *input, size_t length, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state, (void)packed, (void)input, (void)length, (void)output;
  uint64_t last = units.first + units.count - 1;
  if (last / 50 != units.first / 50 || units.first % 50 == 0) {
    return ls_fail(err, LS_EINVAL, "a fiftieth unit");
  }
  return LS_OK;
}

static enum ls_status compute_slowly(void *state, struct ls_range units, struct ls_range packed,
                                     const void *input, size_t length, struct ls_bytes *output,
                                     struct ls_error *err) {
  struct timespec time = {0, (long)units.count % 100 * SLOW_NS};
  while (nanosleep(&time, &time) != 0) continue;
  return compute(state, units, packed, input, length, output, err);
}

static const struct ls_app app = {.name = "replay",
                                  .open = job_open,
                                  .units = count_units,
                                  .merge = job_merge,
                                  .compute = compute};

static const struct ls_app slow_app = {.name = "replay",
                                       .open = job_open,
                                       .units = count_units,
                                       .merge = job_merge,
                                       .compute = compute_slowly};

static struct ls_coordinator_config make_config(const char *policy, const char *order) {
  struct ls_coordinator_config config = {.chunking = ls_chunking_find(policy),
                                         .ordering = ls_ordering_find(order),
                                         .workers = THREADS,
                                         /* As many as a master allows for. */
                                         .workers_max = THREADS + 20000,
                                         .mean_seconds = (double)NAN,
                                         .deviation_seconds = (double)NAN,
                                         .overhead_seconds = (double)NAN,
                                         .seed = 7,
                                         .retries = 1,
                                         .silence_s = 30};
  static struct ls_coordinator_choice choices[2];
  const char *const names[2] = {"ss", "awf-c"};
  for (size_t i = 0; i < 2; ++i) {
    choices[i].chunking = ls_chunking_find(names[i]);
    ls_arguments_init(&choices[i].arguments, choices[i].chunking->parameters);
  }
  config.choices = choices;
  config.choices_count = 2;
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  return config;
}

/* Another policy, and one worker fewer. */
static bool advise(void *context, const struct ls_adviser_facts *facts,
                   struct ls_adviser_answer *answer) {
  (void)context;
  if (facts->workers_count < THREADS) return false;
  *answer = (struct ls_adviser_answer){.policy = 2, .workers = THREADS - 1, .prefetch = 2};
  return true;
}

static void run_with_journal(const char *policy, const char *order, bool is_advised,
                             const char *path) {
  struct job job = {.app = is_advised ? &slow_app : &app};
  struct ls_master_options options = {.app = job.app,
                                      .state = &job,
                                      .config = make_config(policy, order),
                                      .prefetch = 4,
                                      .heartbeat_s = 0.2,
                                      .transport = &ls_transport_zmq,
                                      .listen = "inproc://replay",
                                      .journal = path,
                                      .journal_mode = LS_JOURNAL_NEW,
                                      .job = {.application = "replay",
                                              .command = "replay",
                                              .directory = "/",
                                              .units = UNITS,
                                              .policy = policy,
                                              .workers = THREADS},
                                      .workers_patience_s = 30,
                                      .announce = job_start_threads,
                                      .advise = is_advised ? advise : NULL,
                                      .context = &job};
  struct ls_master_report report;
  struct ls_error err = {0};
  if (ls_master_run(&options, &report, &err) != LS_OK) fail_msg("%s: %s", policy, err.text);
  job_join_threads(&job);
  assert_int_equal(job.merged, 2 * UNITS);
  assert_int_equal(report.advices, is_advised ? 1 : 0);
  ls_master_report_close(&report);
}

struct replay {
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  uint64_t sends, events;
};

static enum ls_status on_event(void *context, const struct ls_event *event,
                               const struct ls_actions *recorded) {
  struct replay *replay = context;
  struct ls_error err = {0};
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
    assert_int_equal(action->chunk, expected->chunk);
    assert_int_equal(action->ranges_count, expected->ranges_count);
    assert_memory_equal(replay->actions.ranges + action->first_range,
                        recorded->ranges + expected->first_range,
                        action->ranges_count * sizeof(struct ls_range));
    ++replay->sends;
  }
  assert_int_equal(at, recorded->count);
  ++replay->events;
  return LS_OK;
}

static void check(const char *policy, const char *order, bool is_advised) {
  char folder[] = "/tmp/test-replay-XXXXXX", path[64], command[96];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  run_with_journal(policy, order, is_advised, path);
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal;
  struct ls_error err = {0};
  assert_int_equal(ls_journal_open(&request, &journal, &err), LS_OK);
  struct ls_coordinator_config config = make_config(policy, order);
  struct replay replay = {0};
  assert_int_equal(ls_coordinator_create(&config, &replay.coordinator, &err), LS_OK);
  assert_int_equal(ls_journal_each_event(journal, 0, on_event, &replay, &err), LS_OK);
  assert_true(replay.events > 0 && replay.sends >= 2 * THREADS);
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(replay.coordinator, &totals);
  assert_true(totals.is_finished);
  assert_int_equal(totals.chunks, replay.sends);
  assert_string_equal(totals.chunking->name, is_advised ? "awf-c" : policy);
  ls_actions_close(&replay.actions);
  ls_coordinator_destroy(replay.coordinator);
  ls_journal_close(journal);
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

static void replayed_journal_gives_the_same_decisions(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; ++i) {
    if (ls_chunkings[i]->is_pushed) continue;
    check(ls_chunkings[i]->name, "fifo", false);
  }
  check("fac2", "random", false);
  check("ss", "random", false);
  check("ss", "fifo", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(replayed_journal_gives_the_same_decisions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
