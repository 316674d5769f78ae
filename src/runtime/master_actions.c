/* master_actions.c: one event through journal and coordinator, and the actions that follow.
 *
 * Nothing leaves here: frames go to the outbox, results to the deferred list, and both wait for the
 * commit of the round.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/master_private.h"

/* A worker that was silent may hang: its pool ends it. */
static void release(struct ls_master *master, uint32_t number, bool is_silent) {
  struct ls_peer *worker = &master->workers[number];
  struct ls_message message = {.kind = LS_MESSAGE_RELEASE};
  ls_master_post(master, worker->peer, &message);
  bool is_ours = worker->facts.slot <= master->options->pool_setup.slots;
  if (is_silent && is_ours && master->pool != NULL) {
    master->options->pool->kill(master->pool, worker->facts.slot);
  }
  ls_master_dismiss(master, number);
}

/* Where a finished range stands in time: clocks of machines are never compared, so it ends when the
 * master hears of it, and begins its duration earlier, but not before the worker's previous one. */
static double place_span(struct ls_peer *worker, double now_s, double seconds) {
  double start_s = now_s - seconds;
  if (start_s < worker->last_end_s) start_s = worker->last_end_s;
  if (start_s > now_s) start_s = now_s;
  return start_s;
}

static struct ls_journal_result describe(struct ls_master *master, const struct ls_event *event,
                                         const struct ls_message *message) {
  const struct ls_peer *worker = &master->workers[event->worker];
  return (struct ls_journal_result){
      .iteration = master->iteration,
      .units = event->result.units,
      .worker = master->workers_base + event->worker,
      .slot = worker->facts.slot,
      .attempt = 1,
      .chunk = event->result.chunk,
      .has_timed_out = event->result.outcome == LS_OUTCOME_TIMED_OUT,
      .exit_code = message->exit_code,
      .signal = message->signal,
      .start_s = 0,
      .seconds = message->receive_s + message->compute_s,
      .compute_s = message->compute_s,
      .output_bytes = message->output.length + worker->spool_bytes[0],
      .error_bytes = message->error_output.length + worker->spool_bytes[1]};
}

static bool has_output(const struct ls_journal_result *row) {
  return row->output_bytes > 0 || row->error_bytes > 0;
}

static void journal_outputs(struct ls_master *master, const struct ls_peer *worker,
                            const struct ls_journal_result *row, const struct ls_message *message) {
  const struct ls_blob blobs[2] = {message->output, message->error_output};
  for (int i = 0; i < 2; ++i) {
    if (blobs[i].length == 0 && worker->spools[i] < 0) continue;
    ls_journal_output(master->journal, &(struct ls_journal_blob){.iteration = row->iteration,
                                                                 .unit = row->units.first,
                                                                 .stream = i + 1,
                                                                 .data = blobs[i].data,
                                                                 .length = blobs[i].length,
                                                                 .file = worker->spools[i]});
  }
}

static struct ls_deferred *defer(struct ls_master *master) {
  if (ls_array_reserve((void **)&master->deferred, &master->deferred_capacity,
                       master->deferred_count + 1, sizeof *master->deferred) != LS_OK) {
    ls_master_fail_memory(master);
    return NULL;
  }
  struct ls_deferred *entry = &master->deferred[master->deferred_count++];
  *entry = (struct ls_deferred){0};
  entry->result.output.file = entry->result.error_output.file = -1;
  return entry;
}

/* Moves the outputs of a result to the deferred entry: bytes are copied, files change their owner.
 */
static void keep_outputs(struct ls_master *master, struct ls_deferred *entry,
                         struct ls_peer *worker, const struct ls_message *message) {
  struct ls_output *outputs[2] = {&entry->result.output, &entry->result.error_output};
  const struct ls_blob blobs[2] = {message->output, message->error_output};
  for (int i = 0; i < 2; ++i) {
    if (worker->spools[i] >= 0) {
      outputs[i]->file = worker->spools[i];
      outputs[i]->length = worker->spool_bytes[i];
      worker->spools[i] = -1;
      worker->spool_bytes[i] = 0;
      ++master->deferred_files;
    } else if (blobs[i].length > 0) {
      entry->offsets[i] = master->kept_bytes.length;
      outputs[i]->length = blobs[i].length;
      ls_bytes_append(&master->kept_bytes, blobs[i].data, blobs[i].length);
    }
  }
  if (master->kept_bytes.failed) ls_master_fail_memory(master);
}

static void settle_result(struct ls_master *master, const struct ls_action *action,
                          const struct ls_message *message, struct ls_journal_result *row) {
  struct ls_peer *worker = &master->workers[action->worker];
  row->units = action->settle.units;
  row->outcome = action->settle.outcome;
  row->attempt = (uint32_t)action->settle.attempt;
  bool is_journalled = master->journal != NULL;
  if (is_journalled) {
    if (has_output(row)) journal_outputs(master, worker, row, message);
    ls_journal_result(master->journal, row);
  }
  struct ls_deferred *entry = defer(master);
  if (entry == NULL) return;
  entry->is_journalled = is_journalled && has_output(row);
  entry->result.iteration = row->iteration;
  entry->result.units = row->units;
  entry->result.outcome = row->outcome;
  entry->result.worker = row->worker;
  entry->result.slot = row->slot;
  entry->result.attempt = row->attempt;
  entry->result.has_timed_out = row->has_timed_out;
  entry->result.exit_code = row->exit_code;
  entry->result.signal = row->signal;
  entry->result.start_s = master->offset_s + row->start_s;
  entry->result.seconds = row->seconds;
  keep_outputs(master, entry, worker, message);
}

/* No result exists: the unit lost its worker too often. */
static void settle_given_up(struct ls_master *master, const struct ls_action *action) {
  struct ls_peer *worker = &master->workers[action->worker];
  struct ls_journal_result row = {.iteration = master->iteration,
                                  .units = action->settle.units,
                                  .outcome = LS_OUTCOME_GIVEN_UP,
                                  .worker = master->workers_base + action->worker,
                                  .slot = worker->facts.slot,
                                  .attempt = (uint32_t)action->settle.attempt,
                                  .chunk = action->settle.chunk,
                                  .start_s = master->now_s};
  if (master->journal != NULL) ls_journal_result(master->journal, &row);
  struct ls_deferred *entry = defer(master);
  if (entry == NULL) return;
  entry->result.iteration = master->iteration;
  entry->result.units = action->settle.units;
  entry->result.outcome = LS_OUTCOME_GIVEN_UP;
  entry->result.worker = LS_WORKER_NONE;
  entry->result.slot = worker->facts.slot;
  entry->result.attempt = row.attempt;
  entry->result.start_s = master->offset_s + row.start_s;
}

static void count_settled(struct ls_master *master, const struct ls_action *action) {
  struct ls_master_report *report = master->report;
  uint64_t units = action->settle.units.count;
  master->has_settled = true;
  switch (action->settle.outcome) {
    case LS_OUTCOME_DONE:
      report->units_done += units;
      master->workers[action->worker].facts.units += units;
      break;
    case LS_OUTCOME_FAILED:
      report->units_failed += units;
      break;
    default:
      report->units_given_up += units;
      break;
  }
}

void ls_master_request(struct ls_master *master, uint64_t count) {
  master->workers_owed += (size_t)count;
  if (master->pool == NULL || master->is_stopping || master->workers_owed == 0) return;
  size_t granted = 0;
  struct ls_error err = {0};
  enum ls_status status =
      master->options->pool->request(master->pool, master->workers_owed, &granted, &err);
  ls_master_note_failure(master, status, &err);
  master->workers_owed -= granted;
}

static void perform(struct ls_master *master, const struct ls_action *action) {
  struct ls_message message = {0};
  switch (action->kind) {
    case LS_ACTION_SEND:
      ls_master_send_chunk(master, action);
      master->is_pushing = true;
      break;
    case LS_ACTION_FETCH:
    case LS_ACTION_CANCEL:
      message.kind = action->kind == LS_ACTION_FETCH ? LS_MESSAGE_FETCH : LS_MESSAGE_CANCEL;
      message.chunk = action->chunk;
      ls_master_post(master, master->workers[action->worker].peer, &message);
      break;
    case LS_ACTION_RELEASE:
      release(master, action->worker, action->was_silent);
      break;
    case LS_ACTION_REQUEST_WORKERS:
      ls_master_request(master, action->workers);
      break;
    case LS_ACTION_SET_PREFETCH:
      for (size_t i = 0; i < master->workers_count; ++i) {
        message.kind = LS_MESSAGE_PREFETCH;
        message.units = action->prefetch;
        if (master->workers[i].is_connected) {
          ls_master_post(master, master->workers[i].peer, &message);
        }
      }
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
  struct ls_bytes text = {0};
  for (size_t i = 0; i < master->actions.notes_count; ++i) {
    ls_bytes_clear(&text);
    ls_note_write(&master->actions.notes[i], &text);
    master->options->note(master->options->context, ls_bytes_text(&text));
  }
  ls_bytes_close(&text);
}

/* Accounts for the computing behind a result, accepted or not: the worker was busy. */
static void account(struct ls_master *master, const struct ls_event *event,
                    struct ls_journal_result *row) {
  struct ls_peer *worker = &master->workers[event->worker];
  double start_s = place_span(worker, master->now_s, row->seconds);
  row->start_s = start_s;
  ls_overhead_ended(&worker->overhead, event->result.units.count, row->seconds, master->now_s);
  worker->last_end_s = master->now_s;
  worker->facts.busy_s += row->seconds;
  if (event->result.outcome == LS_OUTCOME_CANCELLED) return;
  worker->seen.busy_s += row->seconds;
  worker->seen.units += event->result.units.count;
  if (event->result.squares > 0) worker->seen.squares += event->result.squares;
}

static void follow_result(struct ls_master *master, const struct ls_event *event,
                          const struct ls_message *message) {
  struct ls_journal_result row = describe(master, event, message);
  account(master, event, &row);
  uint64_t settled = 0;
  for (size_t i = 0; i < master->actions.count; ++i) {
    const struct ls_action *action = &master->actions.items[i];
    if (action->kind != LS_ACTION_SETTLE) continue;
    settled += action->settle.units.count;
    settle_result(master, action, message, &row);
    count_settled(master, action);
    if (action->settle.outcome == LS_OUTCOME_DONE) {
      master->workers[event->worker].facts.useful_s += row.compute_s;
    }
    master->last_result_s = master->now_s;
  }
  bool has_failed =
      event->result.outcome == LS_OUTCOME_FAILED || event->result.outcome == LS_OUTCOME_TIMED_OUT;
  if (settled == 0 && has_failed && master->journal != NULL) {
    row.units = event->result.units;
    row.outcome = LS_OUTCOME_FAILED;
    ls_journal_attempt(master->journal, &row);
  }
  /* A result that was dropped or is tried again leaves its output behind. */
  struct ls_peer *worker = &master->workers[event->worker];
  struct ls_deferred unwanted = {.result = {.output = {.file = -1}, .error_output = {.file = -1}}};
  if (worker->spools[0] >= 0 || worker->spools[1] >= 0) {
    struct ls_message nothing = {.kind = LS_MESSAGE_RESULT};
    keep_outputs(master, &unwanted, worker, &nothing);
    ls_master_close_outputs(&unwanted);
  }
}

bool ls_master_step(struct ls_master *master, const struct ls_event *event,
                    const struct ls_message *message) {
  struct ls_error err = {0};
  if (master->journal != NULL) ls_journal_event(master->journal, event);
  enum ls_status status = ls_coordinator_step(master->coordinator, event, &master->actions, &err);
  if (status != LS_OK) {
    bool is_advice = event->kind == LS_EVENT_ADVICE && status == LS_EINVAL;
    if (!is_advice) ls_master_note_failure(master, status, &err);
    return false;
  }
  if (message != NULL) {
    follow_result(master, event, message);
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
  return true;
}
