/* master.c: the loop of a real master: drain, append, step, one commit, perform. */
#include "runtime/master.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "runtime/clock.h"
#include "runtime/master_private.h"

enum { FRAMES_PER_ROUND = 4096, KEPT_BYTES_MAX = 16 << 20, KEPT_FILES_MAX = 32 };
static const double HARD_STOP_PATIENCE_S = 5; /* then the pool ends workers that do not answer */
static const double POOL_PATIENCE_S = 2;

static double now(const struct ls_master *master) {
  return ls_clock_s() - master->origin_s;
}

/* ---- opening ---- */

static enum ls_status make_token(struct ls_master *master, struct ls_error *err) {
  const struct ls_master_options *options = master->options;
  if (options->token != NULL) {
    int length = snprintf(master->token, sizeof master->token, "%s", options->token);
    if (length < (int)sizeof master->token) return LS_OK;
    return ls_fail(err, LS_EINVAL, "the token has %d characters, at most %zu are allowed", length,
                   sizeof master->token - 1);
  }
  /* A private socket is protected by its folder; a socket on a network asks for a token. */
  if (options->listen == NULL || strncmp(options->listen, "tcp:", 4) != 0) return LS_OK;
  unsigned char chance[16];
  if (getrandom(chance, sizeof chance, 0) != (ssize_t)sizeof chance) {
    return ls_fail(err, LS_EIO, "no random bytes for the token: %s", strerror(errno));
  }
  for (size_t i = 0; i < sizeof chance; ++i) {
    (void)snprintf(master->token + 2 * i, 3, "%02x", chance[i]);
  }
  return LS_OK;
}

/* A socket of ours lies in a folder that only its owner can enter. */
static enum ls_status make_address(struct ls_master *master, struct ls_error *err) {
  if (master->options->listen != NULL) {
    (void)snprintf(master->address, sizeof master->address, "%s", master->options->listen);
    return LS_OK;
  }
  const char *folder = getenv("TMPDIR");
  /* The path of a socket holds at most 107 characters. */
  if (folder == NULL || folder[0] != '/' || strlen(folder) > 70) folder = "/tmp";
  (void)snprintf(master->directory, sizeof master->directory, "%s/loadstar-XXXXXX", folder);
  if (mkdtemp(master->directory) == NULL) {
    enum ls_status status =
        ls_fail(err, LS_EIO, "cannot make a private folder in %s: %s", folder, strerror(errno));
    master->directory[0] = 0;
    return status;
  }
  (void)snprintf(master->address, sizeof master->address, "ipc://%s/master", master->directory);
  return LS_OK;
}

static enum ls_status listen_there(struct ls_master *master, struct ls_error *err) {
  const struct ls_master_options *options = master->options;
  enum ls_status status = make_token(master, err);
  if (status == LS_OK) status = make_address(master, err);
  if (status == LS_OK) {
    status = options->transport->listen(master->address, &master->endpoint, err);
  }
  if (status != LS_OK) return status;
  (void)snprintf(master->address, sizeof master->address, "%s",
                 options->transport->address(master->endpoint));
  if (options->announce != NULL) {
    options->announce(options->context, master->address, master->token);
  }
  return LS_OK;
}

static enum ls_status create_coordinator(struct ls_master *master, struct ls_error *err) {
  struct ls_coordinator_config config = master->options->config;
  config.weights_count = config.workers;
  enum ls_status status = ls_coordinator_create(&config, &master->coordinator, err);
  const struct ls_master_options *options = master->options;
  if (status != LS_OK || options->times == NULL) return status;
  /* The declared times are all that is known of the times to come, too. */
  struct ls_coordinator_times times = {options->times, options->times, options->times_count};
  return ls_coordinator_declare(master->coordinator, &times, err);
}

static enum ls_status open_pool(struct ls_master *master, struct ls_error *err) {
  if (master->options->pool == NULL) return LS_OK;
  struct ls_pool_setup setup = master->options->pool_setup;
  setup.address = master->address;
  setup.token = master->token;
  return master->options->pool->open(&setup, &master->pool, err);
}

static enum ls_status open_master(struct ls_master *master, struct ls_error *err) {
  master->actions.wants_notes = master->options->note != NULL;
  enum ls_status status = create_coordinator(master, err);
  if (status == LS_OK) status = ls_master_restore(master, err);
  /* A long restore is no part of the session: neither of its makespan nor of anybody's patience. */
  master->origin_s = ls_clock_s();
  if (status == LS_OK) status = listen_there(master, err);
  if (status == LS_OK) status = open_pool(master, err);
  return status;
}

/* ---- the end of a round ---- */

void ls_master_close_outputs(struct ls_deferred *entry) {
  struct ls_output *outputs[2] = {&entry->result.output, &entry->result.error_output};
  for (int i = 0; i < 2; ++i) {
    if (outputs[i]->file >= 0) (void)close(outputs[i]->file);
    outputs[i]->file = -1;
  }
}

static void send_outbox(struct ls_master *master) {
  for (size_t i = 0; i < master->outbox_count; ++i) {
    const struct ls_outgoing *outgoing = &master->outbox[i];
    const struct ls_frame frame = {outgoing->peer, master->outbox_bytes.data + outgoing->offset,
                                   outgoing->length};
    struct ls_error err = {0};
    enum ls_status status = master->options->transport->send(master->endpoint, &frame, 0, &err);
    /* A peer that is gone is noticed elsewhere, with its units; but the answer to a frame that
     * cannot be sent at all would be waited for without end. */
    if (status != LS_EIO) ls_master_note_failure(master, status, &err);
  }
  master->outbox_count = 0;
  ls_bytes_clear(&master->outbox_bytes);
}

static void merge_deferred(struct ls_master *master) {
  const struct ls_app *app = master->options->app;
  for (size_t i = 0; i < master->deferred_count; ++i) {
    struct ls_deferred *entry = &master->deferred[i];
    struct ls_output *outputs[2] = {&entry->result.output, &entry->result.error_output};
    for (int k = 0; k < 2; ++k) {
      if (outputs[k]->file < 0 && outputs[k]->length > 0) {
        outputs[k]->data = master->kept_bytes.data + entry->offsets[k];
      }
    }
    struct ls_error err = {0};
    enum ls_status status = LS_OK;
    if (app->merge != NULL && master->failure.status == LS_OK) {
      status = app->merge(master->options->state, &entry->result, &err);
      ls_master_note_failure(master, status, &err);
      /* A computing application rebuilds its state from the journal: it keeps its outputs. */
      if (status == LS_OK && entry->is_journalled && app->runs_commands) {
        master->has_pending = true;
        if (app->delivered == NULL) {
          ls_journal_delivered(master->journal, entry->result.iteration, entry->result.units.first);
        }
      }
    }
    ls_master_close_outputs(entry);
  }
  master->deferred_count = master->deferred_files = 0;
  ls_bytes_clear(&master->kept_bytes);
}

/* Outputs that merge held back have left in the order of the units: forget them in the journal. */
static void note_delivered(struct ls_master *master) {
  const struct ls_app *app = master->options->app;
  if (!master->has_pending || app->delivered == NULL || master->failure.status != LS_OK) return;
  uint64_t until = app->delivered(master->options->state, master->iteration);
  while (master->delivered_until < until) {
    ls_journal_delivered(master->journal, master->iteration, master->delivered_until++);
  }
}

static void end_round(struct ls_master *master) {
  struct ls_error err = {0};
  if (master->journal != NULL) {
    ls_master_note_failure(master, ls_journal_commit(master->journal, &err), &err);
  }
  if (master->failure.status == LS_OK) send_outbox(master);
  merge_deferred(master);
  note_delivered(master);
}

/* ---- iterations ---- */

/* A run goes on without the list of wanted workers. */
static void note_wanted(struct ls_master *master) {
  struct ls_master_report *report = master->report;
  struct ls_coordinator_totals totals;
  void *wanted = report->wanted;
  if (ls_array_reserve(&wanted, &report->wanted_capacity, report->wanted_count + 1,
                       sizeof *report->wanted) != LS_OK) {
    return;
  }
  report->wanted = wanted;
  ls_coordinator_totals(master->coordinator, &totals);
  report->wanted[report->wanted_count++] = (uint32_t)totals.workers_wanted;
}

static void open_iteration(struct ls_master *master, uint32_t iteration) {
  struct ls_event event = {.kind = LS_EVENT_ITERATION, .now_s = master->now_s};
  struct ls_error err = {0};
  enum ls_status status =
      master->options->app->units(master->options->state, iteration, &event.iteration_units, &err);
  ls_master_note_failure(master, status, &err);
  if (status != LS_OK) return;
  if (iteration != master->iteration) master->delivered_until = 0;
  master->iteration = iteration;
  master->is_iteration_done = false;
  master->is_pushing = true;
  master->report->has_begun = true;
  ls_master_step(master, &event, NULL);
  if (event.iteration_units > 0 && master->failure.status == LS_OK) note_wanted(master);
}

/* Opens iterations until one has something to do: a resumed one may be complete already. */
static void open_iterations(struct ls_master *master, uint32_t iteration) {
  do {
    open_iteration(master, iteration++);
    end_round(master);
  } while (master->is_iteration_done && !master->is_finished && master->failure.status == LS_OK);
}

/* The coordinator takes the first workers for granted, as many as it wants. */
static void start_workers(struct ls_master *master) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(master->coordinator, &totals);
  uint64_t workers = totals.workers_wanted;
  if (master->is_finished || master->failure.status != LS_OK) return;
  /* However long units() took, the wait for workers begins now. */
  master->worker_seen_s = now(master);
  ls_master_gather(master);
  ls_master_request(master, workers);
}

/* ---- the loop ---- */

/* A round keeps a bounded amount until its commit, in memory and in descriptors. */
static bool is_full(const struct ls_master *master) {
  return master->kept_bytes.length > KEPT_BYTES_MAX || master->deferred_files > KEPT_FILES_MAX;
}

/* false: more may be there, for the next round. */
static bool drain(struct ls_master *master) {
  struct ls_frame frame;
  for (int i = 0; i < FRAMES_PER_ROUND && master->failure.status == LS_OK; ++i) {
    if (is_full(master)) return false;
    if (!master->options->transport->receive(master->endpoint, &frame)) break;
    ls_master_on_frame(master, &frame);
  }
  return true;
}

static double wait_at_most(const struct ls_master *master) {
  /* The first chunk of an iteration left with its opening; others may follow. */
  if (master->is_pushing && master->options->config.chunking->is_pushed) return 0;
  double until_s = fmin(master->wake_s, master->pulse_s);
  if (master->options->watch != NULL) until_s = fmin(until_s, master->watch_s);
  if (master->is_gathering) until_s = fmin(until_s, master->gather_s);
  if (isfinite(master->hard_stop_s)) until_s = fmin(until_s, master->now_s + 0.1);
  return fmax(0, until_s - now(master));
}

static bool must_end(const struct ls_master *master) {
  return master->failure.status != LS_OK || master->is_finished ||
         master->now_s - master->hard_stop_s > HARD_STOP_PATIENCE_S;
}

static void run_loop(struct ls_master *master) {
  const struct ls_transport *transport = master->options->transport;
  open_iterations(master, master->iteration);
  start_workers(master);
  while (!must_end(master)) {
    int file = master->pool != NULL ? master->options->pool->file(master->pool) : -1;
    bool is_ready = false;
    (void)transport->wait(master->endpoint, &file, file >= 0 ? 1 : 0, &is_ready,
                          wait_at_most(master));
    master->now_s = now(master);
    bool is_drained = drain(master);
    /* Losses come after the frames that the lost worker had still sent. */
    if (is_ready && is_drained) ls_master_on_pool(master);
    ls_master_on_time(master);
    end_round(master);
    if (master->is_iteration_done && !must_end(master)) {
      open_iterations(master, master->iteration + 1);
    }
  }
}

/* ---- closing ---- */

static void fill_report(struct ls_master *master) {
  struct ls_master_report *report = master->report;
  report->makespan_s = master->last_result_s;
  if (master->coordinator != NULL) ls_coordinator_totals(master->coordinator, &report->totals);
  report->totals.done = report->units_done;
  report->totals.failed = report->units_failed;
  report->totals.given_up = report->units_given_up;
  report->prefetch = master->prefetch;
  report->workers = calloc(master->workers_count + 1, sizeof *report->workers);
  double useful_s = 0, up_s = 0;
  for (size_t i = 0; report->workers != NULL && i < master->workers_count; ++i) {
    struct ls_master_worker *facts = &master->workers[i].facts;
    if (facts->slot == 0) continue;
    double left_s = isnan(facts->left_s) ? master->now_s : facts->left_s;
    double end_s = fmin(left_s, fmax(report->makespan_s, facts->joined_s));
    facts->up_s = fmax(end_s - facts->joined_s - facts->away_s, 0);
    report->workers[report->workers_count++] = *facts;
    report->price += facts->price_per_s * facts->up_s;
    up_s += facts->up_s;
    useful_s += facts->useful_s;
  }
  report->efficiency = up_s > 0 ? useful_s / up_s : 0;
}

static const char *end_state(const struct ls_master *master) {
  if (master->failure.status != LS_OK) return "failed";
  return master->report->was_stopped ? "stopped" : "finished";
}

static void close_master(struct ls_master *master) {
  const struct ls_master_options *options = master->options;
  ls_adviser_stop(&master->adviser);
  if (master->pool != NULL) {
    bool is_hurried = master->failure.status != LS_OK || !master->is_finished;
    options->pool->close(master->pool, is_hurried ? 0 : POOL_PATIENCE_S);
  }
  if (master->endpoint != NULL) options->transport->close(master->endpoint, 0.5);
  if (master->directory[0] != 0) (void)rmdir(master->directory);
  for (size_t i = 0; i < master->workers_count; ++i) ls_master_dismiss(master, (uint32_t)i);
  if (master->journal != NULL) {
    struct ls_error err = {0};
    ls_journal_end(master->journal, end_state(master), master->now_s);
    ls_master_note_failure(master, ls_journal_commit(master->journal, &err), &err);
  }
  fill_report(master);
  ls_journal_close(master->journal);
  ls_coordinator_destroy(master->coordinator);
  ls_actions_close(&master->actions);
  ls_decoder_close(&master->decoder);
  ls_bytes_close(&master->welcome);
  ls_bytes_close(&master->outbox_bytes);
  ls_bytes_close(&master->kept_bytes);
  ls_bytes_close(&master->input);
  free(master->outbox);
  free(master->deferred);
  free(master->workers);
}

enum ls_status ls_master_run(const struct ls_master_options *options,
                             struct ls_master_report *report, struct ls_error *err) {
  struct ls_master_options own = *options;
  struct ls_master master = {.options = &own,
                             .report = report,
                             .origin_s = ls_clock_s(),
                             .wake_s = HUGE_VAL,
                             .prefetch = options->prefetch,
                             .hard_stop_s = HUGE_VAL};
  *report = (struct ls_master_report){0};
  if (!(own.heartbeat_s > 0)) own.heartbeat_s = 1;
  master.pulse_s = own.heartbeat_s;
  own.config.workers_max = LS_WORKER_NONE - 1; /* whoever comes is welcome */
  /* A bag of few commands needs no more workers than it has commands, and waits for no others. */
  bool is_unsized = own.config.sizing == NULL;
  if (own.app->runs_commands && is_unsized) own.config.sizing = ls_sizing_find("fixed");
  enum ls_status status = open_master(&master, err);
  if (status == LS_OK) {
    run_loop(&master);
  } else {
    master.failure.status = status;
    if (err != NULL) master.failure = *err;
  }
  close_master(&master);
  if (master.failure.status != LS_OK) {
    if (err != NULL) *err = master.failure;
    return master.failure.status;
  }
  if (report->was_interrupted) {
    return ls_fail(err, LS_EINTERRUPTED, "interrupted by the user");
  }
  return LS_OK;
}

void ls_master_report_close(struct ls_master_report *report) {
  free(report->workers);
  free(report->wanted);
  *report = (struct ls_master_report){0};
}
