/* master_actions.c: one event through journal and coordinator, and the actions that follow.
 *
 * Nothing leaves here: frames go to the outbox, results to the deliveries, and both wait for the
 * commit of the round.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/running.h"
#include "runtime/journal/journal_packs.h"
#include "runtime/master/master_private.h"
#include "runtime/master/reason.h"
#include "runtime/os/clock.h"

double ls_master_suspended_s(const struct ls_master *master, uint32_t number, double until_s) {
  const struct ls_coordinator *coordinator = master->books.coordinator;
  return coordinator != NULL ? ls_coordinator_suspended_s(coordinator, number, until_s) : 0;
}

void ls_master_account(struct ls_master *master, uint32_t number,
                       const struct ls_account_work *work) {
  struct ls_account_worker *account = &master->connections.items[number].account;
  struct ls_account_work own = *work;
  ls_account_know_away(account, ls_master_suspended_s(master, number, master->now_s));
  /* What comes when all is settled is no part of the run. */
  double beyond_s = master->is_finished ? fmax(0, own.end_s - master->last_settled_s) : 0;
  own.end_s -= beyond_s;
  own.seconds -= beyond_s;
  if (work->seconds > 0 && !(own.seconds > 0)) return;
  own.seconds = fmax(0, own.seconds);
  ls_account_work(account, &own);
}

struct ls_master_worker ls_master_facts(const struct ls_master *master, uint32_t number) {
  const struct ls_connection *worker = &master->connections.items[number];
  struct ls_master_worker facts = worker->facts;
  facts.suspended_s = ls_master_suspended_s(master, number, master->now_s);
  ls_master_worker_cover(&facts, worker->account.late_s);
  return facts;
}

void ls_master_journal_worker(struct ls_master *master, uint32_t number) {
  struct ls_master_worker facts = ls_master_facts(master, number);
  ls_master_journal_facts(master, number, &facts);
}

void ls_master_journal_facts(struct ls_master *master, uint32_t number,
                             const struct ls_master_worker *facts) {
  const struct ls_journal_worker worker = {.worker = master->books.workers_base + number,
                                           .slot = facts->slot,
                                           .name = facts->name,
                                           .joined_s = facts->joined_s,
                                           .left_s = facts->left_s,
                                           .away_s = facts->away_s + facts->suspended_s,
                                           .price_per_s = facts->price_per_s,
                                           .labels = master->connections.items[number].labels};
  /* What is measured of a run is not worth its failure: here, and in what follows. */
  struct ls_course_rows *course = master->options->course;
  if (course != NULL) (void)!ls_course_rows_add_worker(course, &worker);
  if (master->books.journal != NULL) ls_journal_worker(master->books.journal, &worker);
}

/* A result, or an attempt that settled nothing. */
static void journal_end(struct ls_master *master, const struct ls_journal_result *row,
                        bool is_settled) {
  struct ls_course_rows *course = master->options->course;
  struct ls_journal_result own = *row;
  own.is_settled = is_settled;
  if (course != NULL && course->course.ended_count < LS_MASTER_COURSE_MOST)
    (void)!ls_course_rows_add_end(course, &own);
  if (master->options->tasks != NULL && is_settled && row->outcome == LS_OUTCOME_DONE)
    ls_task_log_add(master->options->tasks,
                    &(struct ls_task_log_entry){.iteration = row->iteration,
                                                .slot = row->worker - master->books.workers_base,
                                                .units = row->units.count,
                                                .seconds = row->seconds});
  if (master->options->timed != NULL && is_settled && row->outcome == LS_OUTCOME_DONE)
    master->options->timed(
        master->options->context,
        &(struct ls_master_timed){.slot = row->worker - master->books.workers_base,
                                  .units = row->units.count,
                                  .seconds = row->seconds,
                                  .now_s = master->now_s});
  if (master->books.journal == NULL) return;
  if (is_settled)
    ls_journal_result(master->books.journal, row);
  else
    ls_journal_attempt(master->books.journal, row);
}

/* Since the last end, as far as the worker was there: behind that nobody knows what it did. */
static double measure_vain(const struct ls_master *master, uint32_t worker) {
  const struct ls_connection *connection = &master->connections.items[worker];
  double away_s = ls_master_suspended_s(master, worker, master->now_s) - connection->away_before_s;
  return fmax(0, master->now_s - connection->last_end_s - away_s);
}

void ls_master_journal_loss(struct ls_master *master, uint32_t worker,
                            const struct ls_running *running) {
  const struct ls_connection *connection = &master->connections.items[worker];
  ls_master_account(
      master, worker,
      &(struct ls_account_work){
          .start_s = connection->last_end_s, .end_s = master->now_s, .chunk = running->chunk});
  for (size_t i = 0; i < master->actions.count; ++i) {
    const struct ls_action *action = &master->actions.items[i];
    bool is_settled = action->kind == LS_ACTION_SETTLE &&
                      running->unit - action->settle.units.first < action->settle.units.count;
    if (is_settled) return;
  }
  const struct ls_journal_result attempt = {.iteration = master->iteration,
                                            .units = {running->unit, 1},
                                            .outcome = LS_OUTCOME_LOST,
                                            .worker = master->books.workers_base + worker,
                                            .slot = connection->facts.slot,
                                            .attempt = (uint32_t)running->attempt,
                                            .chunk = running->chunk,
                                            .start_s = connection->last_end_s,
                                            .seconds = measure_vain(master, worker)};
  journal_end(master, &attempt, false);
}

/* Its pool hears of it. */
static void see(struct ls_master *master, const struct ls_connection *worker,
                enum ls_pool_sight sight) {
  if (worker->has_process) ls_pools_see(&master->doors.pools, worker->facts.slot, sight);
}

void ls_master_dismiss(struct ls_master *master, uint32_t number) {
  struct ls_connection *worker = &master->connections.items[number];
  if (!ls_connections_leave(&master->connections, number, master->now_s)) return;
  see(master, worker, LS_POOL_SAW_END);
  if (worker->asks_first > 0) ls_gathering_withdraw(&master->gathering);
  worker->asks_first = 0;
  ls_file_sender_forget(&master->files, number);
  ls_port_forget(&master->port, worker->peer);
  ls_tickets_revoke(&master->tickets, number);
  ls_master_journal_worker(master, number);
}

/* A worker that was silent may hang: its pool ends it. */
static void release(struct ls_master *master, uint32_t number,
                    const struct ls_action_release *how) {
  struct ls_connection *worker = &master->connections.items[number];
  struct ls_message message = {.kind = LS_MESSAGE_RELEASE};
  ls_outbox_post(&master->outbox, worker->peer, &message);
  if (how->was_silent) {
    ls_pools_kill(&master->doors.pools, worker->facts.slot);
    ls_endpoints_give_up(&master->doors.endpoints, worker->peer);
  }
  if (how->has_run) ls_master_journal_loss(master, number, &how->running);
  worker->is_released = !how->was_silent;
  if (!how->was_silent) see(master, worker, LS_POOL_SAW_RELEASE);
  if (how->was_silent)
    ls_master_note_loss(master, worker->facts.slot);
  else
    ls_master_note_release(master, worker->facts.slot);
  ls_master_dismiss(master, number);
}

static struct ls_journal_result describe(struct ls_master *master, const struct ls_event *event,
                                         const struct ls_message *message) {
  const struct ls_connection *worker = &master->connections.items[event->worker];
  return (struct ls_journal_result){
      .iteration = master->iteration,
      .units = event->result.units,
      .worker = master->books.workers_base + event->worker,
      .slot = worker->facts.slot,
      .attempt = 1,
      .chunk = event->result.chunk,
      .has_timed_out = event->result.outcome == LS_OUTCOME_TIMED_OUT,
      .exit_code = message->exit_code,
      .signal = message->signal,
      .usage = message->usage,
      .start_s = 0,
      .seconds = message->receive_s + message->compute_s,
      .compute_s = message->compute_s,
      .stage_s = message->stage_s,
      .lead_s = message->lead_s,
      .exposed_s = message->exposed_s,
      .output_bytes = message->output.length + worker->spools[0].bytes,
      .error_bytes = message->error_output.length + worker->spools[1].bytes};
}

static bool has_output(const struct ls_journal_result *row) {
  return row->output_bytes > 0 || row->error_bytes > 0;
}

static void journal_outputs(struct ls_master *master, const struct ls_connection *worker,
                            const struct ls_journal_result *row, const struct ls_message *message) {
  const struct ls_blob blobs[2] = {message->output, message->error_output};
  for (int i = 0; i < 2; ++i) {
    if (blobs[i].length == 0 && worker->spools[i].file < 0) continue;
    ls_journal_output(master->books.journal,
                      &(struct ls_journal_blob){.iteration = row->iteration,
                                                .unit = row->units.first,
                                                .stream = i + 1,
                                                .data = blobs[i].data,
                                                .length = blobs[i].length,
                                                .file = worker->spools[i].file});
  }
}

/* The outputs of a result: the files of its spools change their owner, bytes stay borrowed. */
static struct ls_output take_output(struct ls_spool *spool, const struct ls_blob *blob) {
  if (spool->file >= 0) return ls_spool_take(spool);
  return (struct ls_output){.data = blob->data, .length = blob->length, .file = -1};
}

static void defer(struct ls_master *master, const struct ls_unit_result *result,
                  bool is_journalled) {
  struct ls_error err = {0};
  ls_master_note_failure(
      master, ls_deliveries_defer(&master->deliveries, result, is_journalled, &err), &err);
}

/* Only what failed for good is asked about. */
static void journal_reason(struct ls_master *master, const struct ls_unit_result *result) {
  char reason[LS_REASON_BYTES];
  if (master->books.journal == NULL || result->outcome == LS_OUTCOME_DONE) return;
  ls_reason_read(&result->error_output, reason);
  if (reason[0] != '\0')
    ls_journal_reason(master->books.journal, result->iteration, result->units.first, reason);
}

/* What some of a result's units took: their share by number. So the rows of a result that is
 * settled in parts add up to it. */
static void cut_row(struct ls_journal_result *row, struct ls_range units) {
  if (units.count == row->units.count) return;
  double all = (double)row->units.count, share = (double)units.count / all;
  double before = (double)(units.first - row->units.first) / all;
  row->start_s += row->seconds * before;
  if (row->stage_s > 0) row->lead_s = fmax(0, row->lead_s + before * (row->seconds - row->stage_s));
  row->seconds *= share;
  row->compute_s *= share;
  row->stage_s *= share;
  row->exposed_s *= share;
  row->usage.user_s *= share;
  row->usage.system_s *= share;
  row->units = units;
}

/* Before the commit, behind which they take their places. */
static void keep_files(struct ls_master *master, struct ls_connection *worker,
                       const struct ls_message *message) {
  struct ls_error failure = {0};
  enum ls_status status =
      ls_output_files_keep(&worker->files, master->options->file_target, message, &failure);
  if (status != LS_OK) ls_master_note_unit_failure(master, message->range.first, &failure);
}

/* What a command took tells how long others may take. */
static void learn_limit(struct ls_master *master, const struct ls_journal_result *row) {
  bool is_command = row->units.count == 1 || master->options->app->bundling != NULL;
  if (row->outcome != LS_OUTCOME_DONE || !is_command) return;
  if (!ls_time_limit_learn(&master->limit, row->compute_s)) return;
  struct ls_message message = {.kind = LS_MESSAGE_LIMIT, .limit_s = master->limit.told_s};
  master->admission.limit_s = message.limit_s;
  ls_connections_post(&master->connections, &master->outbox, &message);
  ls_pools_limit(&master->doors.pools, message.limit_s);
}

static void settle_result(struct ls_master *master, const struct ls_action *action,
                          const struct ls_message *message, struct ls_journal_result *row) {
  struct ls_connection *worker = &master->connections.items[action->worker];
  cut_row(row, action->settle.units);
  row->outcome = action->settle.outcome;
  row->attempt = (uint32_t)action->settle.attempt;
  bool is_journalled = master->books.journal != NULL;
  keep_files(master, worker, message);
  if (is_journalled && has_output(row)) journal_outputs(master, worker, row, message);
  journal_end(master, row, true);
  struct ls_unit_result result = {
      .iteration = row->iteration,
      .units = row->units,
      .outcome = row->outcome,
      .worker = row->worker,
      .slot = row->slot,
      .attempt = row->attempt,
      .chunk = row->chunk,
      .has_timed_out = row->has_timed_out,
      .exit_code = row->exit_code,
      .signal = row->signal,
      .usage = row->usage,
      .start_s = master->books.offset_s + row->start_s,
      .seconds = row->seconds,
      .compute_s = row->compute_s,
      .stage_s = row->stage_s,
      .output = take_output(&worker->spools[0], &message->output),
      .error_output = take_output(&worker->spools[1], &message->error_output)};
  learn_limit(master, row);
  journal_reason(master, &result);
  defer(master, &result, is_journalled && has_output(row));
}

/* Why a unit was given up, as a failed one says it in its error output. */
static struct ls_output explain_given_up(const struct ls_action_settle *settle,
                                         char text[LS_REASON_BYTES]) {
  struct ls_output said = {.data = text, .file = -1};
  if (settle->ends == 0)
    (void)snprintf(text, LS_REASON_BYTES, "loadstar: %llu of its workers died while it ran\n",
                   (unsigned long long)settle->kills);
  else
    (void)snprintf(text, LS_REASON_BYTES,
                   "loadstar: stopped %llu times by the end of its worker's time, after %.4g s at "
                   "most; it needs a worker with %.4g s left\n",
                   (unsigned long long)settle->ends, settle->ran_s, 2 * settle->ran_s);
  said.length = strlen(text);
  return said;
}

/* No result exists: the unit lost its worker too often, or no worker lives long enough. */
static void settle_given_up(struct ls_master *master, const struct ls_action *action) {
  char text[LS_REASON_BYTES];
  struct ls_connection *worker = &master->connections.items[action->worker];
  struct ls_journal_result row = {.iteration = master->iteration,
                                  .units = action->settle.units,
                                  .outcome = LS_OUTCOME_GIVEN_UP,
                                  .worker = master->books.workers_base + action->worker,
                                  .slot = worker->facts.slot,
                                  .attempt = (uint32_t)action->settle.attempt,
                                  .chunk = action->settle.chunk,
                                  .start_s = master->now_s};
  journal_end(master, &row, true);
  struct ls_unit_result result = {.iteration = row.iteration,
                                  .units = row.units,
                                  .outcome = row.outcome,
                                  .worker = LS_WORKER_NONE,
                                  .slot = row.slot,
                                  .attempt = row.attempt,
                                  .chunk = row.chunk,
                                  .start_s = master->books.offset_s + row.start_s,
                                  .output = {.file = -1},
                                  .error_output = explain_given_up(&action->settle, text)};
  journal_reason(master, &result);
  defer(master, &result, false);
}

static void count_settled(struct ls_master *master, const struct ls_action *action) {
  master->has_settled = true;
  master->last_settled_s = master->now_s;
  ls_master_report_settle(master->report, &action->settle);
  if (action->settle.outcome != LS_OUTCOME_DONE) return;
  struct ls_connection *worker = &master->connections.items[action->worker];
  worker->facts.units += action->settle.units.count;
  see(master, worker, LS_POOL_SAW_WORK);
}

/* What the application tells everybody goes before the first chunk of an iteration. */
static void tell_news(struct ls_master *master, struct ls_connection *worker) {
  struct ls_error err = {0};
  if (worker->told == (uint64_t)master->iteration + 1) return;
  worker->told = (uint64_t)master->iteration + 1;
  enum ls_status status =
      ls_news_post(&master->news, master->iteration, worker->peer, &master->outbox, &err);
  ls_master_note_failure(master, status, &err);
}

/* What packing took, which the master did for this chunk, or its part of it: what takes less than a
 * millisecond is not worth a row. */
static void note_packing(struct ls_master *master, const struct ls_action *action, double begun_s) {
  static const double row_least_s = 1e-3;
  double seconds = ls_clock_s() - begun_s;
  master->report->prepare_s += seconds;
  if (master->books.journal == NULL || seconds < row_least_s) return;
  ls_journal_pack(master->books.journal,
                  &(struct ls_journal_pack){.worker = action->worker,
                                            .chunk = action->send.chunk,
                                            .units = action->send.units,
                                            .start_s = fmax(0, begun_s - master->origin_s),
                                            .seconds = seconds});
}

/* Journals the decision, packs its input and posts it. */
static void send_chunk(struct ls_master *master, const struct ls_action *action) {
  struct ls_connection *worker = &master->connections.items[action->worker];
  struct ls_error err = {0};
  const struct ls_packer_chunk chunk = {
      .chunk = action->send.chunk,
      .iteration = master->iteration,
      .coordinator = master->books.coordinator,
      .ranges = master->actions.ranges + action->send.first_range,
      .ranges_count = action->send.ranges_count,
      .is_held = action->send.way == LS_RESULT_HELD,
      .to = worker->peer,
      .is_far = ls_endpoints_is_far(&master->doors.endpoints, worker->peer.endpoint),
      .worker = action->worker,
      .slot = worker->facts.slot};
  if (master->books.journal != NULL) {
    ls_journal_decision(master->books.journal, &master->actions, action);
  }
  tell_news(master, worker);
  double begun_s = ls_clock_s();
  ls_master_note_failure(master, ls_packer_post(&master->packer, &chunk, &master->outbox, &err),
                         &err);
  if (master->options->app->pack != NULL) note_packing(master, action, begun_s);
  ls_overhead_sent(&worker->overhead, action->send.units, master->now_s);
  ++worker->facts.chunks;
  master->is_pushing = true;
}

/* A message about a chunk. */
static void post(struct ls_master *master, const struct ls_action *action,
                 enum ls_message_kind kind) {
  struct ls_message message = {.kind = kind, .chunk = action->chunk};
  ls_outbox_post(&master->outbox, master->connections.items[action->worker].peer, &message);
}

static void perform(struct ls_master *master, const struct ls_action *action) {
  struct ls_message prefetch = {.kind = LS_MESSAGE_PREFETCH};
  switch (action->kind) {
    case LS_ACTION_SEND:
      send_chunk(master, action);
      break;
    case LS_ACTION_FETCH:
      post(master, action, LS_MESSAGE_FETCH);
      break;
    case LS_ACTION_CANCEL:
      post(master, action, LS_MESSAGE_CANCEL);
      break;
    case LS_ACTION_RECALL:
      post(master, action, LS_MESSAGE_RECALL);
      break;
    case LS_ACTION_RELEASE:
      release(master, action->worker, &action->release);
      break;
    case LS_ACTION_REQUEST_WORKERS:
      if (master->is_stopping) break;
      ls_staffing_request(&master->staffing, &master->doors.pools, (size_t)action->workers,
                          master->now_s);
      break;
    case LS_ACTION_SET_PREFETCH:
      prefetch.units = action->prefetch;
      ls_connections_post(&master->connections, &master->outbox, &prefetch);
      break;
    case LS_ACTION_WAKE_AT:
      master->wake_s = action->time_s;
      break;
    case LS_ACTION_ITERATION_DONE:
      master->is_iteration_done = true;
      break;
    case LS_ACTION_FINISH:
      master->is_finished = master->is_stopping = true;
      break;
    default:
      break; /* SETTLE: below, with the result that it belongs to */
  }
}

static void tell_notes(struct ls_master *master) {
  if (master->options->note == NULL) return;
  const char *noun = master->options->app->runs_commands ? "task" : "unit";
  struct ls_bytes text = {0};
  for (size_t i = 0; i < master->actions.notes_count; ++i) {
    ls_bytes_clear(&text);
    ls_note_write(&master->actions.notes[i], noun, &text);
    master->options->note(master->options->context, ls_bytes_text(&text));
  }
  ls_bytes_close(&text);
}

/* Accounts for the computing behind a result, accepted or not: the worker was busy. */
static void account(struct ls_master *master, const struct ls_event *event,
                    struct ls_journal_result *row) {
  struct ls_connection *worker = &master->connections.items[event->worker];
  row->start_s = ls_connection_place_span(worker, master->now_s, row->seconds);
  double away_s = ls_master_suspended_s(master, event->worker, master->now_s);
  ls_overhead_ended(&worker->overhead, event->result.units.count,
                    row->seconds + away_s - worker->away_before_s, master->now_s);
  worker->away_before_s = away_s;
  worker->facts.busy_s += row->seconds;
  worker->facts.stage_s += row->stage_s;
  worker->facts.exposed_s += row->exposed_s;
  if (event->result.outcome == LS_OUTCOME_CANCELLED) return;
  worker->seen.busy_s += row->seconds;
  worker->seen.units += event->result.units.count;
  ls_staffing_serve(&master->staffing);
  if (event->result.squares > 0) worker->seen.squares += event->result.squares;
}

/* The fixed cost of the chunk is that of its size when it was sent; of one that came back late only
 * what came is known. */
static double price_chunk(const struct ls_master *master, const struct ls_event *event) {
  uint64_t sent =
      ls_coordinator_units_sent(master->books.coordinator, event->worker, event->result.chunk);
  uint64_t units = sent > 0 ? sent : event->result.units.count;
  return ls_account_fixed_s(master->options->platform, event->worker, (double)units);
}

/* A result that counts whole is one for the application, too, however its units were settled: some
 * of them may have been somebody else's by then. */
static bool settles_whole(const struct ls_master *master, const struct ls_event *event) {
  uint64_t done = 0;
  for (size_t i = 0; i < master->actions.count; ++i) {
    const struct ls_action *action = &master->actions.items[i];
    bool is_done = action->kind == LS_ACTION_SETTLE && action->settle.outcome == LS_OUTCOME_DONE;
    if (is_done) done += action->settle.units.count;
  }
  return event->result.is_whole && done == event->result.units.count;
}

/* One part of a result, as the coordinator settled it. The outputs of a command go with the first.
 */
static void settle_part(struct ls_master *master, const struct ls_action *action,
                        const struct ls_message *message, struct ls_journal_result *row,
                        bool is_first) {
  struct ls_message rest = *message;
  if (is_first || !master->options->app->runs_commands) {
    settle_result(master, action, message, row);
    return;
  }
  rest.output = rest.error_output = (struct ls_blob){NULL, 0};
  row->output_bytes = row->error_bytes = 0;
  settle_result(master, action, &rest, row);
}

/* What of the result was settled is told to journal and application; the number of units. */
static uint64_t settle_parts(struct ls_master *master, const struct ls_event *event,
                             const struct ls_message *message,
                             const struct ls_journal_result *row) {
  uint64_t settled = 0, told = 0;
  bool is_whole = settles_whole(master, event);
  for (size_t i = 0; i < master->actions.count; ++i) {
    struct ls_action action = master->actions.items[i];
    if (action.kind != LS_ACTION_SETTLE) continue;
    settled += action.settle.units.count;
    count_settled(master, &action);
    if (action.settle.outcome == LS_OUTCOME_GIVEN_UP) {
      settle_given_up(master, &action);
      continue;
    }
    if (is_whole && told > 0) continue;
    struct ls_journal_result part = *row;
    if (is_whole) action.settle.units = event->result.units;
    settle_part(master, &action, message, &part, told++ == 0);
    ls_master_report_task(master->report, action.settle.outcome);
    if (action.settle.outcome == LS_OUTCOME_DONE)
      master->connections.items[event->worker].facts.useful_s += part.compute_s;
  }
  return settled;
}

/* `fixed_s`: of the chunk, as it was priced before the step, which may have forgotten it. */
static void follow_result(struct ls_master *master, const struct ls_event *event,
                          const struct ls_message *message, double fixed_s) {
  struct ls_journal_result row = describe(master, event, message);
  ls_usage_add(&master->report->usage, &row.usage);
  account(master, event, &row);
  uint64_t settled = settle_parts(master, event, message, &row);
  bool has_failed =
      event->result.outcome == LS_OUTCOME_FAILED || event->result.outcome == LS_OUTCOME_TIMED_OUT;
  /* Who has not heard that its result was heard tells it again: that is no further attempt. */
  bool is_expected = master->actions.units_dropped < event->result.units.count;
  if (settled == 0 && has_failed && is_expected) {
    row.units = event->result.units;
    row.outcome = LS_OUTCOME_FAILED;
    journal_end(master, &row, false);
  }
  bool is_useful = settled > 0 && event->result.outcome == LS_OUTCOME_DONE;
  /* What took no time ends no wait. */
  if (row.seconds > 0)
    ls_master_account(master, event->worker,
                      &(struct ls_account_work){.start_s = row.start_s,
                                                .end_s = master->now_s,
                                                .seconds = row.seconds,
                                                .chunk = event->result.chunk,
                                                .is_useful = is_useful,
                                                .fixed_s = fixed_s});
  /* A result that was dropped or is tried again leaves its output behind. */
  for (int i = 0; i < 2; ++i) {
    ls_spool_close(&master->connections.items[event->worker].spools[i]);
  }
  ls_output_files_drop(&master->connections.items[event->worker].files);
}

/* Behind a step: the seconds for which a worker that is back was away are kept, also where it just
 * spoke again. */
static void journal_return(struct ls_master *master, const struct ls_event *event,
                           bool was_unheard) {
  bool is_back =
      was_unheard && !ls_coordinator_is_unheard(master->books.coordinator, event->worker);
  if (event->kind == LS_EVENT_RESUMED || is_back) ls_master_journal_worker(master, event->worker);
}

bool ls_master_step(struct ls_master *master, const struct ls_event *event,
                    const struct ls_message *message) {
  struct ls_error err = {0};
  bool was_unheard = ls_coordinator_is_unheard(master->books.coordinator, event->worker);
  double fixed_s = message != NULL ? price_chunk(master, event) : 0;
  if (master->books.journal != NULL) ls_journal_event(master->books.journal, event);
  enum ls_status status =
      ls_coordinator_step(master->books.coordinator, event, &master->actions, &err);
  if (status != LS_OK) {
    bool is_advice = event->kind == LS_EVENT_ADVICE && status == LS_EINVAL;
    if (!is_advice) ls_master_note_failure(master, status, &err);
    return false;
  }
  struct ls_course_rows *course = master->options->course;
  if (course != NULL && course->course.sent_count < LS_MASTER_COURSE_MOST)
    (void)!ls_course_rows_hear(course, master->books.workers_base, event, &master->actions);
  if (message != NULL) {
    follow_result(master, event, message, fixed_s);
  } else {
    for (size_t i = 0; i < master->actions.count; ++i) {
      const struct ls_action *action = &master->actions.items[i];
      if (action->kind != LS_ACTION_SETTLE) continue;
      settle_given_up(master, action);
      count_settled(master, action);
    }
  }
  for (size_t i = 0; i < master->actions.count; ++i) perform(master, &master->actions.items[i]);
  tell_notes(master);
  journal_return(master, event, was_unheard);
  return true;
}
