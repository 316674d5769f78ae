/* worker_jobs.c: arrivals and ends become events of the worker side, whose actions are done here.
 */
#include "runtime/worker/worker_private.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/os/clock.h"

/* A unit that ends within this time is quick. */
enum { QUICK_NS = 200000 };

/* A signal that has ended a command comes to the worker within this time, if it comes at all: who
 * kills all processes of a machine does so one after the other. */
enum { SIGNAL_MS = 250 };

/* What is to be started for a job; `*at` as ls_payloads_work has it. */
static struct ls_upcoming describe_job(const struct ls_worker *worker, const struct ls_job *job,
                                       size_t *at) {
  return (struct ls_upcoming){
      .chunk = job->chunk,
      .work = ls_payloads_work(&worker->payloads, job, worker->settings.slot, at)};
}

/* Units that one call may compute. */
static uint64_t get_units_max(const struct ls_worker *worker) {
  return worker->settings.has_replicas ? 1 : worker->kind->units_max(worker->executor);
}

void ls_worker_announce(struct ls_worker *worker) {
  const struct ls_executor_kind *kind = worker->kind;
  struct ls_ahead ahead;
  if (!worker->side.is_running || kind->announce == NULL) return;
  kind->look_ahead(worker->executor, &ahead);
  if (ahead.room == 0) return;
  if (worker->settings.has_replicas) ahead.units_max = 1;
  struct ls_upcoming upcoming[LS_EXECUTOR_AHEAD_MAX];
  size_t count = 0;
  const struct ls_job *waiting;
  for (size_t i = 0; (waiting = ls_job_queue_at(&worker->side.queue, i)) != NULL; ++i) {
    struct ls_job job = *waiting;
    if (!ls_payloads_is_here(&worker->payloads, job.payload)) break;
    uint64_t known = ahead.units < job.units.count ? ahead.units : job.units.count;
    uint64_t end = job.units.first + job.units.count;
    ahead.units -= known;
    for (job.units.first += known; job.units.first < end; job.units.first += job.units.count) {
      job.units.count = end - job.units.first;
      bool is_part = job.units.count > ahead.units_max;
      if (count == ahead.room || (is_part && !ahead.may_divide)) goto done;
      if (is_part) job.units.count = ahead.units_max;
      size_t at = worker->payloads.items[job.payload].at;
      upcoming[count++] = describe_job(worker, &job, &at);
    }
  }
done:
  if (count > 0) kind->announce(worker->executor, upcoming, count);
}

static void note_origin(struct ls_worker *worker) {
  const struct ls_job *job = &worker->side.running;
  uint32_t iteration = worker->payloads.items[job->payload].iteration;
  if (worker->origins[1].chunk != job->chunk) worker->origins[0] = worker->origins[1];
  worker->origins[1] = (struct ls_origin){job->chunk, iteration};
}

static enum ls_status start_now(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_job *job = &worker->side.running;
  struct ls_payload *payload = &worker->payloads.items[job->payload];
  struct ls_upcoming next = describe_job(worker, job, &payload->at);
  worker->must_start = false;
  note_origin(worker);
  worker->receive_s += payload->receive_s;
  payload->receive_s = 0;
  ls_standstill_begin(&worker->standstill, ls_clock_s());
  enum ls_status status = worker->kind->start(worker->executor, &next, err);
  if (status == LS_OK && worker->kind->taken != NULL)
    worker->taken = worker->kind->taken(worker->executor);
  if (status == LS_OK) ls_worker_announce(worker);
  if (status == LS_OK) ls_worker_show_again(worker);
  return status;
}

static bool has_input(const struct ls_worker *worker) {
  return ls_payloads_is_here(&worker->payloads, worker->side.running.payload);
}

static bool lets_begin(struct ls_worker *worker) {
  return worker->awaited == 0 && has_input(worker) &&
         ls_machine_lets_begin(&worker->machine, &worker->settings.manners, ls_clock_s());
}

double ls_worker_machine_patience_s(const struct ls_worker *worker) {
  bool waits = worker->must_start && has_input(worker) &&
               ls_command_manners_waits(&worker->settings.manners);
  if (waits && (worker->must_cancel || worker->is_leaving)) return 0;
  return waits ? ls_machine_look_s : (double)INFINITY;
}

/* With too many results that are not durable yet, nothing new begins; nor without its files, nor
 * where its machine has too much to do, nor while the run may have ended. */
static enum ls_status start(struct ls_worker *worker, struct ls_error *err) {
  const char *why = NULL;
  worker->must_start = true;
  worker->must_cancel = false;
  enum ls_status status = ls_worker_review_files(worker, err);
  if (status != LS_OK) return status;
  bool is_full = ls_kept_results_is_full(&worker->line.postbox.results);
  worker->must_start =
      is_full || !lets_begin(worker) || ls_worker_judge_files(worker, &why) != LS_STAGED_THERE;
  return worker->must_start ? LS_OK : start_now(worker, err);
}

static bool has_files(const struct ls_worker *worker) {
  return worker->stager.cache != NULL;
}

/* May the next units wait for long before they begin?  Those whose start would take a part of them
 * only are ended without one, too. */
static bool may_begin_late(const struct ls_worker *worker) {
  return !has_input(worker) || has_files(worker) ||
         ls_command_manners_waits(&worker->settings.manners) ||
         worker->settings.verdict != LS_VERDICT_NEVER || worker->settings.bundling.units_max > 0;
}

static enum ls_status stop(struct ls_worker *worker, struct ls_error *err) {
  worker->must_cancel = worker->must_start && may_begin_late(worker);
  if (worker->must_cancel) return LS_OK;
  enum ls_status status = worker->must_start ? start_now(worker, err) : LS_OK;
  if (status == LS_OK) worker->kind->cancel(worker->executor);
  return status;
}

void ls_worker_stop_running(struct ls_worker *worker) {
  if (!worker->side.is_running) return;
  worker->must_cancel = worker->must_start && may_begin_late(worker);
  if (!worker->must_start) worker->kind->cancel(worker->executor);
}

static enum ls_status send_request(struct ls_worker *worker, uint64_t units, struct ls_error *err) {
  struct ls_message request = {
      .kind = LS_MESSAGE_REQUEST, .units = units, .answer_s = worker->answer_s};
  worker->answer_s = 0;
  ls_line_post(&worker->line, &request);
  worker->asked_s = ls_clock_s();
  return ls_line_pump(&worker->line, err);
}

/* `execution`: the units that have ended just now, or NULL. */
static enum ls_status perform(struct ls_worker *worker, const struct ls_side_action *action,
                              struct ls_execution *execution, struct ls_error *err) {
  switch (action->kind) {
    case LS_SIDE_ACTION_START:
      return start(worker, err);
    case LS_SIDE_ACTION_STOP:
      return stop(worker, err);
    case LS_SIDE_ACTION_ASK:
      return send_request(worker, action->units, err);
    case LS_SIDE_ACTION_TELL:
      return ls_worker_tell(worker, &action->result, execution, err);
    case LS_SIDE_ACTION_LET_GO:
      ls_postbox_fetch(&worker->line.postbox, action->let_go.chunk, ls_clock_s());
      return LS_OK;
    case LS_SIDE_ACTION_DROP:
      ls_payloads_leave(&worker->payloads, action->drop.payload, action->drop.units);
      return LS_OK;
    case LS_SIDE_ACTION_BYE:
      worker->must_say_bye = true;
      worker->bye_s = ls_clock_s();
      return LS_OK;
    case LS_SIDE_ACTION_COUNT:
      break;
  }
  return LS_OK;
}

/* As long as an input is on its way the next one is not asked for: the wait for it is the answer.
 * While more than half of a long queue still waits, room is gathered for one larger request: the
 * network's price is per frame. */
static bool may_wait(const struct ls_worker *worker) {
  const struct ls_worker_side *side = &worker->side;
  if (ls_payloads_awaited(&worker->payloads) != LS_CHUNK_NONE) return true;
  return 2 * ls_worker_side_waiting(side) > side->settings.prefetch &&
         ls_clock_s() < worker->asked_s + LS_SIDE_HOLD_S;
}

/* Units that wait may go now, and their inputs with them. */
static void forget_announced(struct ls_worker *worker, enum ls_side_event_kind kind) {
  bool may_drop = kind == LS_SIDE_EVENT_CANCEL || kind == LS_SIDE_EVENT_RECALL ||
                  kind == LS_SIDE_EVENT_LEAVE || kind == LS_SIDE_EVENT_RELEASE;
  if (may_drop && worker->kind->forget != NULL) worker->kind->forget(worker->executor);
}

static enum ls_status tell_taken(struct ls_worker *worker, struct ls_error *err);

static enum ls_status step_side(struct ls_worker *worker, struct ls_side_event *event,
                                struct ls_execution *execution, struct ls_error *err) {
  struct ls_worker_side *side = &worker->side;
  forget_announced(worker, event->kind);
  bool had_merged = side->merged.units.count > 0;
  side->settings.units_max = get_units_max(worker);
  event->is_held_back = worker->has_held_back = may_wait(worker);
  enum ls_status status = ls_worker_side_step(side, event, &worker->actions);
  if (status != LS_OK) return ls_fail(err, status, "out of memory for the worker's actions");
  if (!had_merged) worker->merged_since_s = ls_clock_s();
  for (size_t i = 0; i < worker->actions.count && status == LS_OK; ++i) {
    status = perform(worker, &worker->actions.items[i], execution, err);
  }
  return status == LS_OK ? tell_taken(worker, err) : status;
}

/* Behind the step that started them, of which all actions are done. */
static enum ls_status tell_taken(struct ls_worker *worker, struct ls_error *err) {
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_TAKEN, .taken = worker->taken};
  worker->taken = 0;
  if (event.taken == 0 || !worker->side.is_running) return LS_OK;
  if (event.taken >= worker->side.running.units.count) return LS_OK;
  return step_side(worker, &event, NULL, err);
}

/* An answer that took longer than a beat waited for units. */
static void note_answer(struct ls_worker *worker, double now_s) {
  worker->answer_s = fmax(0, now_s - worker->asked_s);
  if (worker->answer_s < worker->line.session.heartbeat_s) {
    ls_session_answered(&worker->line.session, worker->answer_s);
  }
}

/* What the application tells all workers goes before the units of an iteration. */
static enum ls_status check_broadcast(const struct ls_worker *worker,
                                      const struct ls_message *chunk, struct ls_error *err) {
  const struct ls_app *app = worker->options->app;
  if (app == NULL || app->broadcast == NULL) return LS_OK;
  if (ls_broadcast_has(&worker->broadcast, chunk->iteration)) return LS_OK;
  return ls_fail(err, LS_ECORRUPT, "chunk %llu came before what is broadcast for iteration %u",
                 (unsigned long long)chunk->chunk, chunk->iteration);
}

static enum ls_payload_form find_form(const struct ls_worker *worker) {
  if (worker->kind != &ls_executor_command) return LS_PAYLOAD_WHOLE;
  const struct ls_bundling *bundling = &worker->settings.bundling;
  bool is_bundled = bundling->units_max > 0 && !bundling->are_blocks;
  return is_bundled ? LS_PAYLOAD_BUNDLES : LS_PAYLOAD_COMMANDS;
}

static enum ls_status on_chunk(struct ls_worker *worker, const struct ls_message *chunk,
                               bool is_followed, struct ls_error *err) {
  double start_s = ls_clock_s();
  enum ls_status status = check_broadcast(worker, chunk, err);
  if (status != LS_OK) return status;
  if (worker->side.is_asking) note_answer(worker, start_s);
  uint64_t payload;
  status = ls_payloads_add(&worker->payloads, chunk, find_form(worker), &payload, err);
  if (status != LS_OK) return status;
  worker->payloads.items[payload].receive_s = ls_clock_s() - start_s;
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_CHUNK,
                                .arrived = {.chunk = chunk->chunk,
                                            .payload = payload,
                                            .ranges = chunk->ranges,
                                            .ranges_count = chunk->ranges_count,
                                            .is_held = chunk->is_held != 0,
                                            .is_followed = is_followed}};
  status = step_side(worker, &event, NULL, err);
  return status == LS_OK ? ls_worker_review_files(worker, err) : status;
}

/* Who asked for it hears how far it is. */
static enum ls_status on_input(struct ls_worker *worker, const struct ls_message *piece,
                               struct ls_error *err) {
  size_t index;
  double start_s = ls_clock_s();
  enum ls_status status = ls_payloads_arrive(&worker->payloads, piece, &index, err);
  if (status != LS_OK) return status;
  bool is_wanted = index != SIZE_MAX;
  struct ls_message arrived = {
      .kind = LS_MESSAGE_ARRIVED,
      .transfer = piece->transfer,
      .offset = is_wanted ? piece->offset + piece->input.length : UINT64_MAX};
  ls_line_post(&worker->line, &arrived);
  status = ls_line_pump(&worker->line, err);
  if (!is_wanted || status != LS_OK) return status;
  worker->payloads.items[index].receive_s += ls_clock_s() - start_s;
  return ls_payloads_is_here(&worker->payloads, index) ? ls_worker_review_files(worker, err)
                                                       : LS_OK;
}

static enum ls_status step_chunk(struct ls_worker *worker, enum ls_side_event_kind kind,
                                 uint64_t chunk, struct ls_error *err) {
  return step_side(worker, &(struct ls_side_event){.kind = kind, .chunk = chunk}, NULL, err);
}

static enum ls_status step_plain(struct ls_worker *worker, enum ls_side_event_kind kind,
                                 struct ls_error *err) {
  return step_side(worker, &(struct ls_side_event){.kind = kind}, NULL, err);
}

/* A master that opens an iteration wants no units of the one before any more. */
static enum ls_status drop_earlier(struct ls_worker *worker, uint32_t iteration,
                                   struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < worker->payloads.count && status == LS_OK; ++i) {
    const struct ls_payload *payload = &worker->payloads.items[i];
    if (payload->units_left == 0 || payload->iteration >= iteration) continue;
    status = step_chunk(worker, LS_SIDE_EVENT_CANCEL, payload->chunk, err);
  }
  return status;
}

static enum ls_status on_broadcast(struct ls_worker *worker, const struct ls_message *piece,
                                   struct ls_error *err) {
  bool was_whole = ls_broadcast_has(&worker->broadcast, piece->iteration);
  enum ls_status status = drop_earlier(worker, piece->iteration, err);
  if (status == LS_OK) status = ls_broadcast_add(&worker->broadcast, piece, err);
  bool is_news = status == LS_OK && !was_whole && worker->kind->receive != NULL &&
                 ls_broadcast_has(&worker->broadcast, piece->iteration);
  if (is_news) worker->kind->receive(worker->executor, piece->iteration, &worker->broadcast.bytes);
  return status;
}

static enum ls_status on_prefetch(struct ls_worker *worker, uint64_t units, struct ls_error *err) {
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_PREFETCH, .prefetch = units};
  return step_side(worker, &event, NULL, err);
}

/* What waits for its machine, or for a verdict, has not begun, either: a run that ends need not
 * wait for that. */
static enum ls_status on_recall(struct ls_worker *worker, struct ls_error *err) {
  if (worker->must_start && !lets_begin(worker)) worker->must_cancel = true;
  return step_plain(worker, LS_SIDE_EVENT_RECALL, err);
}

/* A master that ends the run says so before it says that it has the result which ends it. */
static enum ls_status on_pulse(struct ls_worker *worker, const struct ls_message *pulse,
                               struct ls_error *err) {
  const struct ls_kept_results *results = &worker->line.postbox.results;
  size_t before = results->count;
  enum ls_status status = ls_line_hear_pulse(&worker->line, pulse, err);
  size_t heard = before - results->count;
  worker->awaited -= heard < worker->awaited ? heard : worker->awaited;
  if (worker->awaited > results->count) worker->awaited = results->count;
  return status;
}

enum ls_status ls_worker_on_message(struct ls_worker *worker, const struct ls_message *message,
                                    bool is_followed, struct ls_error *err) {
  switch (message->kind) {
    case LS_MESSAGE_CHUNK:
      /* A worker that leaves takes nothing more: the master takes it back on BYE. */
      return worker->is_leaving ? LS_OK : on_chunk(worker, message, is_followed, err);
    case LS_MESSAGE_INPUT:
      return on_input(worker, message, err);
    case LS_MESSAGE_CANCEL:
      return step_chunk(worker, LS_SIDE_EVENT_CANCEL, message->chunk, err);
    case LS_MESSAGE_FETCH:
      return step_chunk(worker, LS_SIDE_EVENT_FETCH, message->chunk, err);
    case LS_MESSAGE_RECALL:
      return on_recall(worker, err);
    case LS_MESSAGE_PREFETCH:
      return on_prefetch(worker, message->units, err);
    case LS_MESSAGE_LIMIT:
      worker->settings.timeout_s = message->limit_s;
      if (worker->kind->limit != NULL) worker->kind->limit(worker->executor, message->limit_s);
      return LS_OK;
    case LS_MESSAGE_RELEASE:
      worker->is_released = true;
      return step_plain(worker, LS_SIDE_EVENT_RELEASE, err);
    case LS_MESSAGE_PIECE:
    case LS_MESSAGE_ABSENT:
      if (has_files(worker)) ls_stager_hear(&worker->stager, message);
      return LS_OK;
    case LS_MESSAGE_BROADCAST:
      return on_broadcast(worker, message, err);
    case LS_MESSAGE_PULSE:
      return on_pulse(worker, message, err);
    default:
      return ls_fail(err, LS_ECORRUPT, "the master sends %s, which no master sends to its worker",
                     ls_message_name(message->kind));
  }
}

/* Slurm and shells signal commands with their worker: a command that was told to go did not fail,
 * nor did one that died with its machine.  The worker's own signal may come a moment later; behind
 * SIGKILL nothing comes. */
static bool was_told_to_go(struct ls_worker *worker, const struct ls_execution *execution) {
  if (execution->outcome != LS_OUTCOME_FAILED || execution->signal == 0) return false;
  bool is_from_outside = execution->signal == SIGTERM || execution->signal == SIGHUP ||
                         execution->signal == SIGINT || execution->signal == SIGKILL;
  /* Who does not beat meanwhile would be taken for silent. */
  int most_ms = worker->settings.heartbeat_s < 1e-3 * SIGNAL_MS
                    ? (int)(1e3 * worker->settings.heartbeat_s)
                    : SIGNAL_MS;
  if (is_from_outside && !ls_worker_is_told_to_go(worker)) {
    (void)poll(NULL, 0, most_ms);
    ls_line_forgive(&worker->line);
  }
  return ls_worker_is_told_to_go(worker);
}

/* A machine that cannot hold what belongs to its tasks says so, and leaves them to others. */
static enum ls_status begin_to_leave_unfit(struct ls_worker *worker, const char *why,
                                           struct ls_error *err) {
  fprintf(stderr, "loadstar worker %s: %s\n", worker->options->name, why);
  worker->is_unfit = true;
  return worker->is_leaving ? LS_OK : ls_worker_begin_to_leave(worker, err);
}

static enum ls_status end_running(struct ls_worker *worker, struct ls_execution *execution,
                                  struct ls_error *err) {
  if (was_told_to_go(worker, execution)) execution->outcome = LS_OUTCOME_CANCELLED;
  enum ls_status unfit =
      execution->unkept != NULL ? begin_to_leave_unfit(worker, execution->unkept, err) : LS_OK;
  if (unfit != LS_OK) return unfit;
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_ENDED,
                                .ended = {.units = execution->units.count,
                                          .outcome = (enum ls_outcome)execution->outcome,
                                          .seconds = execution->compute_s,
                                          .squares = execution->squares,
                                          .has_output = ls_worker_has_output(worker, execution)}};
  enum ls_status status = step_side(worker, &event, execution, err);
  ls_worker_note_staging(worker, execution); /* a later result tells these units */
  /* Nobody wanted to know. */
  if (execution->output_file >= 0) (void)close(execution->output_file);
  if (execution->error_file >= 0) (void)close(execution->error_file);
  for (size_t i = 0; i < execution->files_count; ++i) {
    if (execution->files[i].file >= 0) (void)close(execution->files[i].file);
  }
  return status;
}

/* Ends units that never began. */
static enum ls_status end_unstarted(struct ls_worker *worker, enum ls_outcome outcome,
                                    const char *why, struct ls_error *err) {
  struct ls_bytes output = {0}, error_output = {0};
  struct ls_execution execution = {.outcome = (uint8_t)outcome,
                                   .units = worker->side.running.units,
                                   .output = &output,
                                   .error_output = &error_output,
                                   .output_file = -1,
                                   .error_file = -1};
  worker->must_start = worker->must_cancel = false;
  if (why != NULL) ls_bytes_printf(&error_output, "loadstar: %s\n", why);
  note_origin(worker);
  enum ls_status status = end_running(worker, &execution, err);
  ls_bytes_close(&error_output);
  return status;
}

static enum ls_status leave_unfit(struct ls_worker *worker, const char *why, struct ls_error *err) {
  enum ls_status status = begin_to_leave_unfit(worker, why, err);
  return status == LS_OK ? end_unstarted(worker, LS_OUTCOME_CANCELLED, NULL, err) : status;
}

/* The units of the side that could not start at once. */
static enum ls_status start_late(struct ls_worker *worker, struct ls_error *err) {
  const char *why = NULL;
  bool is_unwanted = worker->must_cancel || (worker->is_leaving && may_begin_late(worker));
  if (is_unwanted) return end_unstarted(worker, LS_OUTCOME_CANCELLED, NULL, err);
  if (ls_kept_results_is_full(&worker->line.postbox.results) || !lets_begin(worker)) return LS_OK;
  switch (ls_worker_judge_files(worker, &why)) {
    case LS_STAGED_THERE: {
      enum ls_status status = start_now(worker, err);
      return status == LS_OK ? tell_taken(worker, err) : status;
    }
    case LS_STAGED_FAILED:
      return end_unstarted(worker, LS_OUTCOME_FAILED, why, err);
    case LS_STAGED_UNFIT:
      return leave_unfit(worker, why, err);
    case LS_STAGED_WAITS:
      break;
  }
  return LS_OK;
}

enum ls_status ls_worker_drop_awaited(struct ls_worker *worker, struct ls_error *err) {
  enum ls_status status = LS_OK;
  uint64_t chunk;
  while (status == LS_OK && (chunk = ls_payloads_awaited(&worker->payloads)) != LS_CHUNK_NONE) {
    status = step_chunk(worker, LS_SIDE_EVENT_CANCEL, chunk, err);
    bool is_left = worker->side.is_running && worker->must_start && worker->must_cancel;
    if (status == LS_OK && is_left) status = end_unstarted(worker, LS_OUTCOME_CANCELLED, NULL, err);
  }
  return status;
}

/* Units that last microseconds would be buried under a look at the network after each: the unit
 * that was just started is awaited here when the one before it was quick. */
static bool is_ended_soon(const struct ls_worker *worker) {
  if (worker->must_start) return false;
  if (!(worker->kind->patience_s(worker->executor) > 0)) return true;
  struct pollfd look = {.fd = worker->kind->file(worker->executor), .events = POLLIN};
  const struct timespec moment = {.tv_nsec = QUICK_NS};
  return look.fd >= 0 && ppoll(&look, 1, &moment, NULL) > 0;
}

enum ls_status ls_worker_advance(struct ls_worker *worker, struct ls_error *err) {
  struct ls_execution execution;
  double until_s = ls_clock_s() + LS_SIDE_HOLD_S / 2;
  bool is_quick;
  if (worker->must_start) {
    enum ls_status status = start_late(worker, err);
    if (status != LS_OK) return status;
  }
  do {
    if (!worker->side.is_running || worker->must_start ||
        !worker->kind->finished(worker->executor, &execution)) {
      return LS_OK;
    }
    is_quick = execution.compute_s < 1e-9 * QUICK_NS;
    enum ls_status status = end_running(worker, &execution, err);
    if (status != LS_OK || !worker->side.is_running) return status;
  } while (is_quick && ls_clock_s() < until_s && is_ended_soon(worker));
  return LS_OK;
}

enum ls_status ls_worker_let_go(struct ls_worker *worker, struct ls_error *err) {
  bool is_due = ls_worker_is_merged_due(worker) || (worker->has_held_back && !may_wait(worker));
  return is_due ? step_plain(worker, LS_SIDE_EVENT_DUE, err) : LS_OK;
}

enum ls_status ls_worker_enter(struct ls_worker *worker, struct ls_error *err) {
  /* What was told over another connection may not have arrived. */
  if (worker->side.is_running && !worker->must_start) ls_worker_show_again(worker);
  return step_plain(worker, LS_SIDE_EVENT_JOINED, err);
}

enum ls_status ls_worker_leave(struct ls_worker *worker, struct ls_error *err) {
  worker->is_leaving = true;
  return step_plain(worker, LS_SIDE_EVENT_LEAVE, err);
}

enum ls_status ls_worker_list_held(const struct ls_worker *worker, struct ls_message_held **held,
                                   size_t *count) {
  const struct ls_kept_results *kept[2] = {&worker->line.postbox.results,
                                           &worker->line.postbox.held};
  const struct ls_worker_side *side = &worker->side;
  size_t most = kept[0]->count + kept[1]->count + side->queue.count + 2, at = 0;
  struct ls_message_held *list = calloc(most, sizeof *list);
  if (list == NULL) return LS_ENOMEM;
  for (size_t k = 0; k < 2; ++k) {
    for (size_t i = 0; i < kept[k]->count; ++i) {
      const struct ls_kept_result *result = ls_kept_results_at(kept[k], i);
      list[at++] = (struct ls_message_held){result->chunk, result->units};
    }
  }
  if (side->merged.units.count > 0) {
    list[at++] = (struct ls_message_held){side->merged.chunk, side->merged.units};
  }
  if (side->is_running) {
    list[at++] = (struct ls_message_held){side->running.chunk, side->running.units};
  }
  const struct ls_job *job;
  for (size_t i = 0; (job = ls_job_queue_at(&side->queue, i)) != NULL; ++i) {
    list[at++] = (struct ls_message_held){job->chunk, job->units};
  }
  *held = list;
  *count = at;
  return LS_OK;
}

void ls_worker_forget_jobs(struct ls_worker *worker) {
  ls_worker_side_clear(&worker->side);
  ls_payloads_forget(&worker->payloads);
  worker->must_start = worker->must_cancel = false;
  worker->taken = worker->awaited = 0;
  worker->receive_s = worker->stage_s = worker->lead_s = worker->exposed_s = 0;
  ls_broadcast_close(&worker->broadcast);
}

void ls_worker_close_jobs(struct ls_worker *worker) {
  ls_payloads_close(&worker->payloads);
  ls_side_actions_close(&worker->actions);
  ls_broadcast_close(&worker->broadcast);
}
