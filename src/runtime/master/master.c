/* master.c: the loop of a real master: drain, append, step, one commit, perform. */
#include "runtime/master/master.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/books/patience.h"
#include "coordinator/running.h"
#include "runtime/execute/ending.h"
#include "runtime/journal/past/journal_sizing.h"
#include "runtime/master/master_private.h"
#include "runtime/master/master_resume.h"
#include "runtime/os/benchmark.h"
#include "runtime/os/clock.h"

enum { FRAMES_PER_ROUND = 4096, UNDRAINED_MAX = 16 };
static const double STOP_PATIENCE_S = 5; /* then the pool ends workers that do not answer */
static const double POOL_PATIENCE_S = 2;

static double now(const struct ls_master *master) {
  return ls_clock_s() - master->origin_s;
}

void ls_master_note_failure(struct ls_master *master, enum ls_status status,
                            const struct ls_error *err) {
  if (status == LS_OK || master->failure.status != LS_OK) return;
  master->failure = *err;
  master->failure.status = status;
}

/* A worker has all of a content; it stands in the journal of the run. */
static void note_file(void *context, uint32_t worker, const struct ls_file_sent *sent) {
  struct ls_master *master = context;
  const struct ls_master_options *options = master->options;
  if (options->file_sent == NULL || master->books.journal == NULL) return;
  options->file_sent(options->context, master->books.journal, master->books.workers_base + worker,
                     sent);
}

/* Pieces of files leave behind all else. */
static void post_files(struct ls_master *master) {
  struct ls_error err = {0};
  enum ls_status status = ls_file_sender_post(&master->files, &master->outbox, master->now_s, &err);
  ls_master_note_failure(master, status, &err);
}

void ls_master_settle_round(struct ls_master *master) {
  struct ls_error err = {0};
  if (master->failure.status == LS_OK) post_files(master);
  if (master->books.journal != NULL) {
    ls_master_note_failure(master, ls_journal_commit(master->books.journal, &err), &err);
  }
  if (master->failure.status == LS_OK) {
    /* What packing and the commit have taken is no part of a transfer. */
    ls_port_post(&master->port, &master->outbox, now(master));
    ls_master_note_failure(master, ls_outbox_send(&master->outbox, &master->doors.endpoints, &err),
                           &err);
  }
  if (master->failure.status == LS_OK) {
    ls_master_note_failure(master, ls_deliveries_merge(&master->deliveries, &err), &err);
  } else {
    ls_deliveries_drop(&master->deliveries);
  }
}

/* ---- iterations ---- */

static void note_wanted(struct ls_master *master) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(master->books.coordinator, &totals);
  uint64_t units = totals.waiting + totals.sent;
  ls_master_report_want(master->report, (uint32_t)totals.workers_wanted, units);
  if (master->books.journal == NULL || master->options->app->runs_commands) return;
  ls_journal_opening(master->books.journal,
                     &(struct ls_journal_opening){.time_s = master->now_s,
                                                  .iteration = master->iteration,
                                                  .units = units,
                                                  .wanted = totals.workers_wanted});
}

static void open_iteration(struct ls_master *master, uint32_t iteration) {
  struct ls_event event = {.kind = LS_EVENT_ITERATION, .now_s = master->now_s};
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  if (iteration > master->iteration)
    status = ls_iterations_checkpoint(&master->iterations, iteration, &err);
  if (status == LS_OK)
    status = ls_iterations_units(&master->iterations, iteration, &event.iteration_units, &err);
  ls_master_note_failure(master, status, &err);
  if (status != LS_OK) return;
  event.idle = ls_iterations_idle(&master->iterations)->items;
  event.idle_count = ls_iterations_idle(&master->iterations)->count;
  event.needs = ls_iterations_needs(&master->iterations)->items;
  event.needs_count = ls_iterations_needs(&master->iterations)->count;
  if (iteration == 0) master->supply.units = event.iteration_units;
  event.is_incomplete = iteration == 0 && master->supply.is_open;
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
    ls_master_settle_round(master);
  } while (master->is_iteration_done && !master->is_finished && master->failure.status == LS_OK);
}

/* The coordinator takes the first workers for granted, as many as it wants. */
static void start_workers(struct ls_master *master) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(master->books.coordinator, &totals);
  if (master->is_finished || master->failure.status != LS_OK) return;
  /* However long units() took, the wait for workers begins now. */
  master->worker_seen_s = now(master);
  if (!master->options->config.chunking->is_pushed) {
    ls_gathering_open(&master->gathering, totals.workers_wanted);
  }
  ls_pools_request(&master->doors.pools, (size_t)totals.workers_wanted);
}

/* ---- the loop ---- */

/* false: more may be there, for the next round. */
static bool drain(struct ls_master *master) {
  struct ls_peer from;
  struct ls_frame frame;
  for (int i = 0; i < FRAMES_PER_ROUND && master->failure.status == LS_OK; ++i) {
    if (ls_deliveries_is_full(&master->deliveries)) return false;
    if (!ls_endpoints_receive(&master->doors.endpoints, &from, &frame)) return true;
    ls_master_on_frame(master, from, &frame);
  }
  return false;
}

static double wait_at_most(const struct ls_master *master) {
  /* The first chunk of an iteration left with its opening; others may follow. */
  bool is_pushed = master->options->config.chunking->is_pushed && !master->gathering.is_held;
  if ((master->is_pushing && is_pushed) || ls_file_sender_is_waiting(&master->files)) return 0;
  double until_s = fmin(master->wake_s, master->pulse_s);
  if (!ls_master_is_staffed(master)) until_s = fmin(until_s, master->check_s);
  if (master->options->watch != NULL) until_s = fmin(until_s, master->watch_s);
  if (master->gathering.is_open && !master->gathering.is_held)
    until_s = fmin(until_s, master->gathering.until_s);
  until_s = fmin(until_s, ls_staffing_until_s(&master->staffing));
  until_s = fmin(until_s, ls_port_due_s(&master->port));
  if (isfinite(master->hard_stop_s)) until_s = fmin(until_s, master->now_s + 0.1);
  return fmax(0, until_s - now(master));
}

/* The loop stood still for so long: it was stopped, or the application took its time. Nobody could
 * be heard meanwhile, so that time counts for nobody's patience. */
static void forgive(struct ls_master *master, double stall_s) {
  if (stall_s < master->pace.heartbeat_s) return;
  master->worker_seen_s += stall_s;
  master->hard_stop_s += stall_s;
}

/* A pool without a descriptor is polled by time. Outputs that have left end the wait, too. Whether
 * units can be taken. */
static bool wait_for_something(struct ls_master *master) {
  struct ls_pools *pools = &master->doors.pools;
  struct ls_coordinator_totals totals;
  size_t count = pools->count;
  ls_pools_look_for_files(pools);
  int outputs_file = ls_deliveries_file(&master->deliveries);
  ls_coordinator_totals(master->books.coordinator, &totals);
  bool is_short = ls_supply_is_short(&master->supply, &totals);
  bool is_given = is_short && master->supply.file < 0;
  if (outputs_file >= 0) pools->files[count++] = outputs_file;
  if (is_short && !is_given) pools->files[count++] = master->supply.file;
  master->pools_due_s = fmin(master->pools_due_s, now(master) + ls_pools_patience_s(pools));
  double seconds = fmin(wait_at_most(master), fmax(0, master->pools_due_s - now(master)));
  if (is_given) seconds = 0;
  ls_endpoints_wait(&master->doors.endpoints, pools->files, count, pools->ready, seconds);
  ls_master_end_round(master);
  forgive(master, now(master) - master->now_s - seconds);
  master->now_s = now(master);
  for (size_t i = 0; i < pools->count; ++i) {
    if (pools->ready[i]) master->pools_due_s = master->now_s;
  }
  return is_given || (is_short && pools->ready[count - 1]);
}

/* Units that have become known. */
static void take_units(struct ls_master *master) {
  struct ls_event event = {.kind = LS_EVENT_ADDED, .now_s = master->now_s};
  struct ls_error err = {0};
  enum ls_status status = ls_supply_take(&master->supply, &event.added, &err);
  ls_master_note_failure(master, status, &err);
  if (status != LS_OK || (event.added.units == 0 && !event.added.is_last)) return;
  ls_master_step(master, &event, NULL);
}

/* The one place where what arrived comes before what is concluded from its absence: losses come
 * after the frames that the lost worker had still sent, silence after those that waited through a
 * stall. Frames without end put it off for a while only. */
static void take_in(struct ls_master *master, bool has_units) {
  master->undrained = drain(master) ? 0 : master->undrained + 1;
  if (has_units && !master->is_stopping) take_units(master);
  if (master->undrained == 0 || master->undrained > UNDRAINED_MAX) {
    if (master->now_s >= master->pools_due_s) ls_master_on_pools(master);
    ls_master_on_cuts(master);
    ls_master_judge(master);
  }
  ls_master_on_time(master);
}

/* What is being ended has the time that the user gives it. */
static double find_stop_patience_s(const struct ls_master_options *options) {
  struct ls_ending ending;
  if (options->stop_patience_s > 0) return options->stop_patience_s;
  bool is_given =
      options->ending != NULL && ls_ending_read(options->ending, &ending, NULL) == LS_OK;
  return STOP_PATIENCE_S + (is_given ? ls_ending_length_s(&ending) : 0);
}

static bool must_end(const struct ls_master *master) {
  return master->failure.status != LS_OK || master->is_finished ||
         master->now_s - master->hard_stop_s > find_stop_patience_s(master->options);
}

/* Did the last sending not find the peer? */
static bool is_gone(const struct ls_outbox *outbox, struct ls_peer peer) {
  for (size_t i = 0; i < outbox->gone_count; ++i) {
    const struct ls_peer *gone = &outbox->gone[i];
    if (gone->endpoint == peer.endpoint && gone->number == peer.number) return true;
  }
  return false;
}

/* Workers from outside that the last word has not reached. */
static void mark_unaware(struct ls_master *master) {
  for (uint32_t i = 0; i < master->connections.count; ++i) {
    struct ls_connection *worker = &master->connections.items[i];
    bool is_unheard = ls_coordinator_is_unheard(master->books.coordinator, i) ||
                      is_gone(&master->outbox, worker->peer);
    worker->is_unaware = worker->peer.endpoint > 0 && is_unheard;
    master->unaware += worker->is_unaware;
  }
}

static void give_up_unaware(struct ls_master *master) {
  for (uint32_t i = 0; i < master->connections.count && master->unaware > 0; ++i) {
    const struct ls_connection *worker = &master->connections.items[i];
    if (worker->is_unaware) ls_endpoints_give_up(&master->doors.endpoints, worker->peer);
  }
}

/* Who is cut off when the run ends comes back within Q, or is dead: it hears that it may go. */
static void await_cut_off(struct ls_master *master) {
  const struct ls_master_options *options = master->options;
  double silence_s = options->config.silence_s > 0
                         ? options->config.silence_s
                         : 3 * master->pace.judged_s + LS_PATIENCE_ANSWER_S;
  double until_s = now(master) + silence_s;
  bool is_interrupted = master->report->was_interrupted;
  mark_unaware(master);
  while (master->unaware > 0 && !is_interrupted && master->failure.status == LS_OK) {
    master->now_s = now(master);
    if (master->now_s >= until_s) break;
    ls_endpoints_wait(&master->doors.endpoints, NULL, 0, NULL,
                      fmin(until_s - master->now_s, master->pace.heartbeat_s));
    (void)drain(master);
    ls_master_settle_round(master);
    is_interrupted = options->interrupts != NULL && *options->interrupts != master->interrupts_seen;
  }
  give_up_unaware(master);
}

static void run_loop(struct ls_master *master) {
  open_iterations(master, master->iteration);
  start_workers(master);
  while (!must_end(master)) {
    take_in(master, wait_for_something(master));
    ls_master_settle_round(master);
    if (master->is_iteration_done && !must_end(master)) {
      open_iterations(master, master->iteration + 1);
    }
  }
  if (master->is_finished) await_cut_off(master);
}

/* ---- opening and closing ---- */

static void record(struct ls_master *master, const struct ls_master_report *report) {
  const struct ls_master_options *options = master->options;
  if (options->record == NULL || master->books.journal == NULL) return;
  options->record(options->context, master->books.journal, report);
}

static enum ls_status open_master(struct ls_master *master, struct ls_error *err) {
  const struct ls_master_options *options = master->options;
  master->actions.wants_notes = options->note != NULL;
  if (options->is_synced && options->app->sync != NULL) options->app->sync(options->state);
  enum ls_status status = ls_master_books_open(&master->books, options, err);
  ls_deliveries_init(&master->deliveries, options->app, options->state, master->books.journal);
  master->deliveries.failed = options->failed;
  master->deliveries.context = options->context;
  ls_iterations_init(&master->iterations, options->app, options->state, options->first_units);
  ls_iterations_record(&master->iterations, master->books.journal);
  ls_news_init(&master->news, options->app, options->state);
  ls_consultation_init(&master->consultation, options->advise_after_s);
  ls_packer_init(&master->packer, options->app, options->state, &master->port);
  master->port.most = options->inputs_at_once;
  ls_supply_init(&master->supply, options->app, options->state);
  master->files =
      (struct ls_file_sender){.source = options->files, .told = note_file, .context = master};
  if (status == LS_OK && master->books.is_resumed) {
    status = ls_master_restore(&master->books, &master->iterations, &master->deliveries,
                               master->report, err);
  }
  if (status == LS_OK) record(master, NULL);
  master->iteration = master->books.iteration;
  /* A long restore is no part of the session: neither of its makespan nor of anybody's patience. */
  master->origin_s = ls_clock_s();
  if (status == LS_OK) status = ls_master_doors_open(&master->doors, options, err);
  ls_admission_init(&master->admission, options);
  if (status == LS_OK && ls_admission_needs_benchmark(options))
    master->admission.benchmark = ls_benchmark_rounds(ls_benchmark_master_s);
  if (status == LS_OK) {
    const unsigned char *run = master->books.journal != NULL ? master->books.run : NULL;
    status = ls_tickets_open(&master->tickets, run, err);
  }
  return status;
}

static const char *end_state(const struct ls_master *master) {
  if (master->failure.status != LS_OK) return "failed";
  return master->report->was_stopped ? "stopped" : "finished";
}

/* The run is over with its last result: what its workers were suspended behind it is no part of it,
 * in the journal neither. */
static void close_facts(struct ls_master *master, uint32_t number) {
  struct ls_connection *worker = &master->connections.items[number];
  double suspended_s = ls_master_suspended_s(master, number, master->last_settled_s);
  bool is_less = suspended_s < ls_master_suspended_s(master, number, master->now_s);
  worker->facts.suspended_s = suspended_s;
  if (master->books.coordinator != NULL)
    worker->facts.speed = ls_coordinator_speed(master->books.coordinator, number);
  ls_account_know_away(&worker->account, suspended_s);
  ls_master_worker_cover(&worker->facts, worker->account.late_s);
  if (is_less) ls_master_journal_facts(master, number, &worker->facts);
}

static void fill_report(struct ls_master *master) {
  struct ls_coordinator_totals totals;
  bool has_totals = master->books.coordinator != NULL;
  if (has_totals) ls_coordinator_totals(master->books.coordinator, &totals);
  master->report->makespan_s = master->last_settled_s;
  master->report->prefetch = master->prefetch;
  master->report->messages_sent = master->outbox.messages;
  master->report->staged_bytes = master->files.bytes_sent;
  for (uint32_t i = 0; i < master->connections.count; ++i) close_facts(master, i);
  ls_master_report_finish(master->report, &master->connections, has_totals ? &totals : NULL,
                          master->now_s);
}

/* Nobody else waits any more. */
static void finish_outputs(struct ls_master *master) {
  struct ls_error err = {0};
  if (master->failure.status != LS_OK) return;
  enum ls_status status = ls_deliveries_finish(&master->deliveries, &err);
  if (status == LS_EINTERRUPTED) {
    master->report->was_interrupted = master->report->was_stopped = true;
  } else {
    ls_master_note_failure(master, status, &err);
  }
}

/* Whoever has not joined by now has nothing, and nobody would answer it any more. */
static void end_latecomers(struct ls_master *master) {
  struct ls_pools *pools = &master->doors.pools;
  bool *has_joined = calloc(pools->slots + 1, sizeof *has_joined);
  if (has_joined == NULL) return; /* The pools end them when their patience is over. */
  for (size_t i = 0; i < master->connections.count; ++i) {
    const struct ls_connection *worker = &master->connections.items[i];
    if (worker->has_process) has_joined[worker->facts.slot] = true;
  }
  for (uint32_t slot = 1; slot <= pools->slots; ++slot) {
    if (!has_joined[slot]) ls_pools_kill(pools, slot);
  }
  free(has_joined);
}

static void close_master(struct ls_master *master) {
  ls_consultation_stop(&master->consultation);
  bool is_hurried = master->failure.status != LS_OK || !master->is_finished;
  master->report->strangers = ls_endpoints_strangers(&master->doors.endpoints);
  ls_master_end_explain(master);
  end_latecomers(master);
  ls_master_doors_close(&master->doors, is_hurried ? 0 : POOL_PATIENCE_S);
  for (size_t i = 0; i < master->connections.count; ++i) ls_master_dismiss(master, (uint32_t)i);
  finish_outputs(master);
  fill_report(master);
  if (master->books.journal != NULL) {
    struct ls_error err = {0};
    record(master, master->report);
    ls_journal_end(master->books.journal, end_state(master), master->now_s);
    ls_master_note_failure(master, ls_journal_commit(master->books.journal, &err), &err);
  }
  ls_deliveries_close(&master->deliveries);
  ls_outbox_close(&master->outbox);
  ls_file_sender_close(&master->files);
  ls_packer_close(&master->packer);
  ls_port_close(&master->port);
  ls_news_close(&master->news);
  ls_iterations_close(&master->iterations);
  ls_supply_close(&master->supply);
  ls_admission_close(&master->admission);
  ls_time_limit_close(&master->limit);
  ls_tickets_close(&master->tickets);
  ls_connections_close(&master->connections);
  ls_actions_close(&master->actions);
  ls_decoder_close(&master->decoder);
  ls_master_books_close(&master->books);
}

/* Of several pools the slowest is waited for. */
static double find_grant_s(const struct ls_site *site) {
  double grant_s = 0;
  for (size_t i = 0; i < site->pools_count; ++i) {
    grant_s = fmax(grant_s, site->pools[i].kind->grant_s);
  }
  return grant_s;
}

/* Other pools give and lose workers in other times. */
static void take_past(struct ls_master_options *own, double grant_first_s) {
  const struct ls_master_past *past = &own->past;
  bool is_alike = past->grant_first_s > 0 && !(past->grant_first_s < grant_first_s) &&
                  !(past->grant_first_s > grant_first_s);
  if (!is_alike) return;
  if (past->grant_s > 0) own->config.grant_s = past->grant_s;
  own->config.past_losses = past->losses;
  own->config.past_up_s = past->up_s;
}

enum ls_status ls_master_run(const struct ls_master_options *options,
                             struct ls_master_report *report, struct ls_error *err) {
  struct ls_master_options own = *options;
  struct ls_master master = {.options = &own,
                             .report = report,
                             .origin_s = ls_clock_s(),
                             .wake_s = HUGE_VAL,
                             .pools_due_s = HUGE_VAL,
                             .prefetch = options->prefetch,
                             .limit = {.percent = options->timeout_percent},
                             .hard_stop_s = HUGE_VAL};
  *report = (struct ls_master_report){0};
  ls_pace_init(&master.pace, own.heartbeat_s);
  own.heartbeat_s = report->heartbeat_s = master.pace.heartbeat_s;
  report->grant_first_s = find_grant_s(own.site);
  if (!(own.config.grant_s > 0)) own.config.grant_s = report->grant_first_s;
  take_past(&own, report->grant_first_s);
  master.pulse_s = own.heartbeat_s;
  own.config.heartbeat_s = own.heartbeat_s;
  own.config.workers_max = LS_WORKER_NONE - 1; /* whoever comes is welcome */
  own.config.has_needs = own.app->need != NULL;
  own.config.labels = own.labels;
  own.config.labels_count = own.labels_count;
  /* A bag of few commands needs no more workers than it has commands, and waits for no others; but
   * where each worker has units of its own it needs just them. */
  bool is_unsized = own.config.sizing == NULL && own.config.homes == 0 && !own.config.has_needs;
  if (own.app->runs_commands && is_unsized && own.app->more == NULL)
    own.config.sizing = ls_sizing_find("fixed");
  own.config.is_single = own.app->runs_commands;
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
