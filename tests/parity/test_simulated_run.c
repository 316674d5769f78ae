/* test_simulated_run.c: the same job, really run and simulated with the times that were recorded,
 * gives the same sequence of chunks.
 *
 * A real master runs with workers that are threads and a journal.  From the journal comes when each
 * worker first asked and how long each of its chunks kept it from asking again; with these times
 * the job is simulated.  Policies that listen to the seconds of single tasks are left out: two
 * clocks measure these, the worker's and the master's, and the journal's replay covers them.  So is
 * wf, which shares among those that are present: a real worker joins before it asks for the first
 * time, a simulated one at that instant.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulate/simulate.h"
#include "thread_job.h"

enum { UNITS = 240, CHUNKS_MAX = UNITS };

/* ---- the real run ---- */

/* No worker computes before all have units, so that all take part. */
static pthread_barrier_t all_have_units;
static _Thread_local bool has_begun;

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  (void)state, (void)err;
  *units = iteration == 0 ? UNITS : 0;
  return LS_OK;
}

/* Units of unequal length; whatever they really take is what is recorded. */
static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state, (void)output, (void)err;
  if (!has_begun) (void)pthread_barrier_wait(&all_have_units);
  has_begun = true;
  long micros = 0;
  for (uint64_t i = 0; i < work->units.count; i++)
    micros += 20 + (long)((work->units.first + i) * 37 % 200);
  struct timespec rest = {.tv_nsec = micros * 1000};
  (void)nanosleep(&rest, NULL);
  return LS_OK;
}

static const struct ls_app app = {.name = "simulated-run",
                                  .open = job_open,
                                  .units = count_units,
                                  .merge = job_merge,
                                  .compute = compute};

/* Half of the comparisons: smaller than most chunks. */
static const struct ls_room small_rooms[THREADS] = {{5, 5}, {9, 2}, {0, 0}};

static struct ls_coordinator_config make_config(const struct ls_chunking *chunking) {
  struct ls_coordinator_config config = {.chunking = chunking,
                                         .workers = THREADS,
                                         .workers_max = THREADS,
                                         .mean_seconds = 1e-4,
                                         .deviation_seconds = 5e-5,
                                         .overhead_seconds = 1e-4,
                                         .seed = 7};
  ls_arguments_init(&config.arguments, chunking->parameters);
  return config;
}

static void run_really(const struct ls_chunking *chunking, const struct ls_room *rooms,
                       const char *path) {
  struct job job = {.app = &app};
  struct ls_master_options options = {
      .app = &app,
      .state = &job,
      .config = make_config(chunking),
      .prefetch = 0,
      .heartbeat_s = 5, /* nobody is silent for a busy machine */
      .site = open_site(&ls_transport_zmq, "inproc://simulated-run"),
      .journal = path,
      .journal_mode = LS_JOURNAL_NEW,
      .job = {.application = "simulated-run",
              .command = "simulated-run",
              .directory = "/",
              .units = UNITS,
              .policy = chunking->name,
              .workers = THREADS},
      .workers_patience_s = 30,
      .announce = job_start_threads,
      .context = &job};
  struct ls_master_report report;
  struct ls_error err = {0};
  options.config.rooms = rooms;
  options.config.rooms_count = rooms != NULL ? THREADS : 0;
  assert_int_equal(pthread_barrier_init(&all_have_units, NULL, THREADS), 0);
  if (ls_master_run(&options, &report, &err) != LS_OK) fail_msg("%s: %s", chunking->name, err.text);
  job_join_threads(&job);
  assert_int_equal(pthread_barrier_destroy(&all_have_units), 0);
  assert_int_equal(job.merged, UNITS);
  ls_master_report_close(&report);
}

/* ---- what the journal says ---- */

struct record {
  struct {
    uint32_t worker;
    struct ls_range units;
    double begin_s;
  } chunks[CHUNKS_MAX];
  size_t chunks_count;
  size_t open[THREADS]; /* chunk of the worker, plus one; 0: none */
  double first_s[THREADS], latest_s;
  double work[UNITS]; /* seconds of each unit */
};

/* The worker is back: its chunk took it until now, each unit the same share of it. */
static void close_chunk(struct record *record, uint32_t worker, double now_s) {
  if (record->open[worker] == 0) return;
  size_t chunk = record->open[worker] - 1;
  struct ls_range units = record->chunks[chunk].units;
  for (uint64_t i = 0; i < units.count; i++) {
    record->work[units.first + i] = (now_s - record->chunks[chunk].begin_s) / (double)units.count;
  }
  record->open[worker] = 0;
}

/* The master may hear several in one instant: they are told apart by their order.  By no more than
 * that takes: a rule that reads the time and rounds must see the very time that it saw.
 */
static enum ls_status on_event(void *context, const struct ls_event *event,
                               const struct ls_actions *sends) {
  struct record *record = context;
  if (event->kind != LS_EVENT_READY) {
    assert_int_equal(sends->count, 0);
    return LS_OK;
  }
  assert_true(event->worker < THREADS && sends->count <= 1);
  double now_s = fmax(event->now_s, record->latest_s + 1e-10);
  record->latest_s = now_s;
  if (isnan(record->first_s[event->worker])) record->first_s[event->worker] = now_s;
  close_chunk(record, event->worker, now_s);
  if (sends->count == 0) return LS_OK;
  const struct ls_action *send = &sends->items[0];
  assert_int_equal(send->send.ranges_count, 1);
  assert_true(record->chunks_count < CHUNKS_MAX);
  size_t chunk = record->chunks_count++;
  record->chunks[chunk].worker = send->worker;
  record->chunks[chunk].units = sends->ranges[send->send.first_range];
  record->chunks[chunk].begin_s = now_s;
  record->open[send->worker] = chunk + 1;
  return LS_OK;
}

static void read_journal(const char *path, struct record *record) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal;
  struct ls_error err = {0};
  *record = (struct record){.first_s = {(double)NAN, (double)NAN, (double)NAN}};
  assert_int_equal(ls_journal_open(&request, &journal, &err), LS_OK);
  assert_int_equal(ls_journal_each_event(journal, 0, on_event, record, &err), LS_OK);
  ls_journal_close(journal);
  /* A worker that never asked again had the last units of all. */
  for (uint32_t i = 0; i < THREADS; i++) close_chunk(record, i, record->latest_s + 1);
}

/* ---- the simulation ---- */

static void simulate(const struct ls_chunking *chunking, const struct ls_room *rooms,
                     const struct record *record, struct ls_timeline *timeline) {
  struct ls_platform platform;
  struct ls_simulated_change join[THREADS];
  struct ls_simulated result;
  struct ls_error err = {0};
  assert_int_equal(ls_platform_init(&platform, THREADS, &err), LS_OK);
  for (uint32_t i = 0; i < THREADS; i++) {
    struct ls_worker_model *worker = &platform.workers[i];
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
    if (rooms != NULL && rooms[i].units > 0) worker->room_units = (double)rooms[i].units;
    if (rooms != NULL && rooms[i].units > 0) worker->window_to = (double)rooms[i].chunk_units;
    assert_true(record->first_s[i] > 0);
    join[i] = (struct ls_simulated_change){i, record->first_s[i]};
  }
  struct ls_simulation setup = {.platform = &platform,
                                .config = make_config(chunking),
                                .units = UNITS,
                                .task_work = record->work,
                                .join = join,
                                .join_count = THREADS};
  if (ls_simulate(&setup, &result, timeline, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(result.units_done, UNITS);
  ls_platform_close(&platform);
}

static void compare(const struct ls_chunking *chunking, const struct ls_room *rooms) {
  char folder[] = "/tmp/test-simulated-XXXXXX", path[64], command[96];
  struct record record;
  struct ls_timeline timeline;
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  run_really(chunking, rooms, path);
  read_journal(path, &record);
  ls_timeline_init(&timeline);
  simulate(chunking, rooms, &record, &timeline);
  assert_true(record.chunks_count >= THREADS);
  for (size_t i = 0; i < record.chunks_count && i < timeline.decisions_count; i++) {
    uint64_t units = (uint64_t)timeline.decisions[i].units;
    if (timeline.decisions[i].worker != record.chunks[i].worker ||
        units != record.chunks[i].units.count)
      fail_msg("%s, chunk %zu: really %u units to worker %u, simulated %u to %u", chunking->name, i,
               (unsigned)record.chunks[i].units.count, record.chunks[i].worker, (unsigned)units,
               timeline.decisions[i].worker);
  }
  assert_int_equal(timeline.decisions_count, record.chunks_count);
  ls_timeline_close(&timeline);
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

static void a_simulated_run_decides_as_the_real_one(void **state) {
  (void)state;
  size_t compared = 0;
  for (size_t i = 0; ls_chunkings[i] != NULL; ++i) {
    if (ls_chunkings[i]->is_pushed || ls_chunkings[i]->on_report != NULL) continue;
    if (strcmp(ls_chunkings[i]->name, "wf") == 0) continue;
    compare(ls_chunkings[i], NULL);
    compare(ls_chunkings[i], small_rooms);
    compared++;
  }
  assert_true(compared >= 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_simulated_run_decides_as_the_real_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
