/* master_events.c: frames as events of the coordinator.
 *
 * Each message of a worker is checked here against those that it may send now; a worker that sends
 * nonsense is lost.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/running.h"
#include "runtime/journal/journal_sent.h"
#include "runtime/master/guests/result_bounds.h"
#include "runtime/master/master_private.h"

void ls_master_tell(struct ls_master *master, enum ls_event_kind kind, uint32_t worker) {
  struct ls_event event = ls_master_event(master, kind, worker);
  ls_master_step(master, &event, NULL);
}

void ls_master_lose(struct ls_master *master, uint32_t worker, enum ls_loss cause) {
  struct ls_event event = ls_master_event(master, LS_EVENT_LOST, worker);
  struct ls_running running;
  bool has_run = ls_coordinator_running(master->books.coordinator, worker, &running);
  /* Messages of this round are still here: what it decided killed nobody. So it is where several
   * workers end at once, and what one had goes to another. */
  bool is_here = has_run && ls_coordinator_sent_s(master->books.coordinator, worker,
                                                  running.chunk) >= master->now_s;
  has_run = has_run && !is_here;
  event.lost = is_here && cause == LS_LOSS_CRASHED ? LS_LOSS_RECLAIMED : cause;
  ls_master_dismiss(master, worker);
  if (ls_master_step(master, &event, NULL) && has_run) {
    ls_master_journal_loss(master, worker, &running);
  }
}

/* Of whoever says nonsense nothing is heard any more.  It is told to go, and a pool that can ends
 * its process, since nobody else comes into its slot before; the user hears why. */
void ls_master_expel(struct ls_master *master, uint32_t number, const char *why) {
  const struct ls_connection *worker = &master->connections.items[number];
  const struct ls_master_options *options = master->options;
  const struct ls_message release = {.kind = LS_MESSAGE_RELEASE};
  char words[256];
  (void)snprintf(words, sizeof words, "worker %u (%s) is sent away: %s", number, worker->facts.name,
                 why);
  if (options->warn != NULL) options->warn(options->context, words);
  ls_outbox_post(&master->outbox, worker->peer, &release);
  if (worker->has_process) ls_pools_kill(&master->doors.pools, worker->facts.slot);
  ls_master_note_expulsion(master, worker->facts.slot, why);
  ls_master_lose(master, number, LS_LOSS_CRASHED);
}

/* The word leaves behind the commit of this round, which makes it true. */
static void acknowledge(struct ls_master *master, uint32_t worker) {
  if (!master->connections.items[worker].is_connected) return;
  if (!ls_tickets_is_due(&master->tickets, worker)) return;
  struct ls_message pulse = ls_tickets_pulse(&master->tickets, worker);
  ls_outbox_post(&master->outbox, master->connections.items[worker].peer, &pulse);
}

static bool may_halt(const struct ls_master *master, const struct ls_message *message) {
  return message->kind == LS_MESSAGE_RESULT &&
         ls_verdict_is_due(master->options->verdict, (enum ls_outcome)message->outcome);
}

/* Of one that waits for a verdict, behind what that verdict says to all workers. */
static void answer(struct ls_master *master, uint32_t worker) {
  ls_tickets_await(&master->tickets, worker);
  acknowledge(master, worker);
}

/* The pieces of its large outputs are all there? What an earlier result left is not of this one. */
static bool is_complete(struct ls_connection *worker, const struct ls_message *result) {
  for (int i = 0; i < 2; ++i) {
    if (result->streamed[i] == 0) ls_spool_close(&worker->spools[i]);
    if (result->streamed[i] != worker->spools[i].bytes) return false;
  }
  return ls_output_files_are_whole(&worker->files, result);
}

/* What it says of units that it does not have is not heard. */
static bool is_awaited(const struct ls_master *master, uint32_t worker, uint64_t chunk,
                       struct ls_range units) {
  return ls_tickets_are_earlier(&master->tickets, worker)
             ? ls_journal_was_sent(&master->books.sent_before, units)
             : ls_coordinator_awaits(master->books.coordinator, worker, chunk, units);
}

static void drop_result(struct ls_master *master, uint32_t worker) {
  ++master->report->results_late;
  for (int i = 0; i < 2; ++i) ls_spool_close(&master->connections.items[worker].spools[i]);
  ls_output_files_drop(&master->connections.items[worker].files);
  acknowledge(master, worker);
}

/* No longer than since the chunk was decided; of an earlier master's, than the run lasts. */
static double find_out_s(const struct ls_master *master, uint32_t worker, uint64_t chunk) {
  double sent_s = ls_coordinator_sent_s(master->books.coordinator, worker, chunk);
  return isnan(sent_s) ? master->books.offset_s + master->now_s : master->now_s - sent_s;
}

static void on_result(struct ls_master *master, uint32_t worker, const struct ls_message *said) {
  struct ls_message bounded = *said;
  const struct ls_message *message = &bounded;
  bool is_known = is_awaited(master, worker, said->chunk, said->range);
  ls_result_bound(&bounded, find_out_s(master, worker, said->chunk));
  uint64_t output_bytes = message->output.length + message->streamed[0];
  uint64_t file_bytes = 0;
  for (size_t i = 0; i < message->files_count; ++i) file_bytes += message->files[i].bytes;
  if (is_known && !is_complete(&master->connections.items[worker], message)) {
    char why[96];
    (void)snprintf(why, sizeof why, "the output of %s %" PRIu64 " has not come as a whole",
                   ls_master_noun(master), message->range.first + 1);
    ls_master_expel(master, worker, why);
    return;
  }
  bool is_earlier = ls_tickets_receive(
      &master->tickets, worker,
      output_bytes + file_bytes + message->error_output.length + message->streamed[1]);
  if (is_earlier && (!is_known || message->iteration != master->iteration)) {
    drop_result(master, worker);
    return;
  }
  struct ls_event event = ls_master_event(master, LS_EVENT_RESULT, worker);
  event.result.chunk = message->chunk;
  event.result.units = message->range;
  event.result.outcome = (enum ls_outcome)message->outcome;
  event.result.seconds = message->receive_s + message->compute_s;
  event.result.squares = message->squares;
  event.result.latest = message->latest;
  event.result.latest_count = message->latest_count;
  bool is_task = master->options->app->bundling != NULL;
  event.result.is_whole = (output_bytes > 0 || is_task) && message->range.count > 1;
  if (is_earlier) event.result.chunk = LS_CHUNK_NONE;
  ls_master_step(master, &event, message);
  if (!may_halt(master, message)) acknowledge(master, worker);
}

static void tell_first(struct ls_master *master, uint32_t worker) {
  struct ls_event event = ls_master_event(master, LS_EVENT_READY, worker);
  event.ready_units = master->connections.items[worker].asks_first;
  master->connections.items[worker].asks_first = 0;
  if (event.ready_units > 0) ls_master_step(master, &event, NULL);
}

/* Who asks, and when it is to be told. */
struct turn {
  double precedence;
  uint32_t worker;
};

static int compare_turns(const void *left, const void *right) {
  const struct turn *a = left, *b = right;
  if (a->precedence > b->precedence) return -1;
  if (a->precedence < b->precedence) return 1;
  return (a->worker > b->worker) - (a->worker < b->worker);
}

void ls_master_tell_gathered(struct ls_master *master) {
  size_t count = 0;
  ls_gathering_close(&master->gathering);
  struct turn *turns = calloc(master->connections.count + 1, sizeof *turns);
  if (turns == NULL) {
    struct ls_error err = {0};
    (void)ls_fail(&err, LS_ENOMEM, "out of memory for %zu requests", master->connections.count);
    ls_master_note_failure(master, LS_ENOMEM, &err);
    return;
  }
  for (uint32_t i = 0; i < master->connections.count; ++i) {
    if (master->connections.items[i].asks_first == 0) continue;
    turns[count++] = (struct turn){ls_coordinator_precedence(master->books.coordinator, i), i};
  }
  qsort(turns, count, sizeof *turns, compare_turns);
  for (size_t i = 0; i < count && master->failure.status == LS_OK; ++i)
    tell_first(master, turns[i].worker);
  free(turns);
}

static void gather(struct ls_master *master, struct ls_connection *worker, uint64_t units) {
  worker->asks_first = units > 0 ? units : 1;
  ls_gathering_add(&master->gathering, master->now_s);
  if (ls_gathering_is_over(&master->gathering, master->now_s)) ls_master_tell_gathered(master);
}

/* The shortest time counts: the wait for units or for a busy master is no part of a request's way.
 */
static void on_request(struct ls_master *master, uint32_t number,
                       const struct ls_message *message) {
  struct ls_connection *worker = &master->connections.items[number];
  struct ls_event event = ls_master_event(master, LS_EVENT_READY, number);
  bool is_shorter = worker->answer_s <= 0 || message->answer_s < worker->answer_s;
  if (message->answer_s > 0 && is_shorter) worker->answer_s = message->answer_s;
  event.ready_units = message->units;
  if (master->gathering.is_open) {
    gather(master, worker, message->units);
  } else {
    ls_master_step(master, &event, NULL);
  }
}

static void on_heartbeat(struct ls_master *master, uint32_t number,
                         const struct ls_message *message) {
  struct ls_event event = ls_master_event(master, LS_EVENT_HEARTBEAT, number);
  ++master->round.beats;
  ls_connection_hear_beat(&master->connections.items[number], message, master->pace.judged_s,
                          &event);
  ls_master_step(master, &event, NULL);
}

/* Over the same connection: it has all that it had. */
static void on_resumed(struct ls_master *master, uint32_t number,
                       const struct ls_message *message) {
  struct ls_event event = ls_master_event(master, LS_EVENT_RESUMED, number);
  event.resumed.stood_s = message->stood_s;
  ls_master_step(master, &event, NULL);
}

/* Only what was asked for is heard. */
static void on_benchmark(struct ls_master *master, uint32_t number,
                         const struct ls_message *message) {
  uint32_t place = master->connections.items[number].facts.slot;
  struct ls_event event = ls_master_event(master, LS_EVENT_HEARTBEAT, number);
  if (!ls_admission_asks_speed(&master->admission, place) || !(message->speed > 0)) return;
  event.speed = fmin(fmax(message->speed, LS_EVENT_SPEED_LEAST), LS_EVENT_SPEED_MOST);
  ls_master_step(master, &event, NULL);
}

/* Who sends or wants pieces beats no more than it must: they are signs of life, of which the
 * coordinator hears some times a beat. */
static void hear_piece(struct ls_master *master, uint32_t number) {
  struct ls_connection *worker = &master->connections.items[number];
  if (master->now_s < worker->piece_s + master->pace.judged_s / 4) return;
  worker->piece_s = master->now_s;
  ls_master_tell(master, LS_EVENT_HEARTBEAT, number);
}

/* A piece of an output that is a file. */
static enum ls_status add_to_file(struct ls_master *master, uint32_t number,
                                  const struct ls_message *piece, struct ls_error *err) {
  return ls_output_files_add(&master->connections.items[number].files, master->options->file_target,
                             piece, err);
}

static enum ls_status add_to_spool(struct ls_master *master, uint32_t number,
                                   const struct ls_message *piece, struct ls_error *err) {
  struct ls_spool *spools = master->connections.items[number].spools;
  struct ls_spool *spool = &spools[piece->stream == LS_STREAM_ERR];
  if (piece->offset == 0) ls_spool_close(spool);
  if (piece->offset != spool->bytes)
    return ls_fail(err, LS_ECORRUPT, "an output goes on at another place");
  return ls_spool_add(spool, piece->output.data, piece->output.length, err);
}

/* A piece of a large output. */
static void on_output(struct ls_master *master, uint32_t number, const struct ls_message *piece) {
  struct ls_error failure = {0};
  const struct ls_range unit = {piece->range.first, 1};
  if (!is_awaited(master, number, piece->chunk, unit)) return;
  enum ls_status status = piece->stream >= LS_STREAM_FILE
                              ? add_to_file(master, number, piece, &failure)
                              : add_to_spool(master, number, piece, &failure);
  if (status == LS_ECORRUPT) {
    ls_master_expel(master, number, failure.text);
  } else if (status != LS_OK) {
    ls_master_note_unit_failure(master, piece->range.first, &failure);
  }
}

/* Lines of a unit that is somebody else's by now, or has ended, are of no use. */
static void on_lines(struct ls_master *master, uint32_t number, const struct ls_message *piece) {
  const struct ls_master_options *options = master->options;
  struct ls_connection *worker = &master->connections.items[number];
  struct ls_error err = {0};
  const struct ls_coordinator *coordinator = master->books.coordinator;
  const struct ls_range units = piece->range;
  bool is_known =
      units.count <= UINT64_MAX - units.first &&
      ls_coordinator_has_unit(coordinator, number, piece->chunk, units.first) &&
      ls_coordinator_has_unit(coordinator, number, piece->chunk, units.first + units.count - 1);
  if (options->lines == NULL || !is_known) return;
  /* The outputs of tasks that ended before come before. */
  if (master->deliveries.count > 0) ls_master_settle_round(master);
  if (master->failure.status != LS_OK) return;
  const struct ls_unit_lines lines = {.units = units,
                                      .chunk = piece->chunk,
                                      .slot = worker->facts.slot,
                                      .stream = piece->stream == LS_STREAM_ERR,
                                      .offset = piece->offset,
                                      .data = piece->output.data,
                                      .length = piece->output.length};
  ls_master_note_failure(master, options->lines(options->context, &lines, &err), &err);
}

static void on_want(struct ls_master *master, uint32_t number, const struct ls_message *message) {
  struct ls_error err = {0};
  struct ls_file_want want = {
      .to = master->connections.items[number].peer, .worker = number, .offset = message->offset};
  memcpy(want.name, message->content.data, LS_CONTENT_BYTES);
  enum ls_status status = ls_file_sender_ask(&master->files, &want, master->now_s, &err);
  if (status == LS_ECORRUPT) {
    ls_master_expel(master, number, err.text);
  } else {
    ls_master_note_failure(master, status, &err);
  }
}

static void on_unfit(struct ls_master *master, uint32_t worker, const struct ls_message *message) {
  char why[96];
  (void)snprintf(why, sizeof why, "it says %s, which no worker may say",
                 ls_message_name(message->kind));
  ls_master_expel(master, worker, why);
}

/* It ends by itself, and has said so where it runs. */
static void on_unable(struct ls_master *master, uint32_t number, const struct ls_message *message) {
  char why[LS_STAFFING_WHY_BYTES];
  (void)snprintf(why, sizeof why, "%.*s", (int)message->text.length,
                 (const char *)message->text.data);
  ls_staffing_hear_unable(&master->staffing, master->connections.items[number].facts.name, why);
  ls_master_lose(master, number, LS_LOSS_CRASHED);
}

/* Joining alone is not all: what the run asks of its machine may still end it. */
static void note_word(struct ls_master *master, uint32_t number, enum ls_message_kind kind) {
  struct ls_connection *worker = &master->connections.items[number];
  bool says_nothing = kind == LS_MESSAGE_BYE || kind == LS_MESSAGE_REFUSED;
  if (worker->has_spoken || says_nothing) return;
  worker->has_spoken = true;
  ls_staffing_join(&master->staffing);
}

static void on_message(struct ls_master *master, uint32_t worker,
                       const struct ls_message *message) {
  note_word(master, worker, message->kind);
  switch (message->kind) {
    case LS_MESSAGE_REQUEST:
      on_request(master, worker, message);
      break;
    case LS_MESSAGE_RESULT:
      on_result(master, worker, message);
      break;
    case LS_MESSAGE_OUTPUT:
      hear_piece(master, worker);
      on_output(master, worker, message);
      break;
    case LS_MESSAGE_LINES:
      hear_piece(master, worker);
      on_lines(master, worker, message);
      break;
    case LS_MESSAGE_WANT:
      hear_piece(master, worker);
      on_want(master, worker, message);
      break;
    case LS_MESSAGE_ARRIVED:
      hear_piece(master, worker);
      ls_master_on_arrived(master, worker, message);
      break;
    case LS_MESSAGE_HEARTBEAT:
      on_heartbeat(master, worker, message);
      break;
    case LS_MESSAGE_BENCHMARK:
      on_benchmark(master, worker, message);
      break;
    case LS_MESSAGE_LEAVING:
      ls_tickets_leave(&master->tickets, worker);
      master->connections.items[worker].has_left = true;
      ls_master_tell(master, LS_EVENT_LEAVING, worker);
      if (master->connections.items[worker].is_connected) acknowledge(master, worker);
      break;
    case LS_MESSAGE_SUSPENDED:
      ls_master_tell(master, LS_EVENT_SUSPENDED, worker); /* told, and not vacated: zeros */
      break;
    case LS_MESSAGE_RESUMED:
      on_resumed(master, worker, message);
      break;
    case LS_MESSAGE_BYE:
      ls_master_lose(master, worker, LS_LOSS_LEFT);
      break;
    case LS_MESSAGE_REFUSED:
      on_unable(master, worker, message);
      break;
    default:
      on_unfit(master, worker, message);
      break;
  }
}

/* Finishing the running units must not mean to begin those that wait at the workers: that may take
 * hours. */
static void recall(struct ls_master *master) {
  struct ls_message message = {.kind = LS_MESSAGE_RECALL};
  ls_connections_post(&master->connections, &master->outbox, &message);
}

void ls_master_stop(struct ls_master *master, bool is_hard) {
  struct ls_event event = ls_master_event(master, LS_EVENT_STOP, 0);
  event.is_hard = is_hard;
  master->is_stopping = true;
  master->report->was_stopped = true;
  if (is_hard && !isfinite(master->hard_stop_s)) master->hard_stop_s = master->now_s;
  ls_master_step(master, &event, NULL);
  if (!is_hard) recall(master);
}

/* Whoever counts the workers may want another number of them behind each task. */
static void ask_staff(struct ls_master *master) {
  const struct ls_master_options *options = master->options;
  struct ls_coordinator_totals totals;
  if (options->staff == NULL || master->is_stopping || master->is_finished) return;
  ls_coordinator_totals(master->books.coordinator, &totals);
  struct ls_event event = ls_master_event(master, LS_EVENT_ADVICE, 0);
  event.advice.workers = options->staff(options->context);
  if (event.advice.workers != totals.workers_wanted) (void)ls_master_step(master, &event, NULL);
}

/* The verdict that halts the run comes before the next message: it may be the request that another
 * unit would be begun for. */
void ls_master_ask_halt(struct ls_master *master) {
  const struct ls_master_options *options = master->options;
  if (!master->has_settled) return;
  master->has_settled = false;
  enum ls_master_wish wish = LS_WISH_GO_ON;
  if (options->halt != NULL) wish = options->halt(options->context, master->report);
  if (wish == LS_WISH_GO_ON) {
    ask_staff(master);
    return;
  }
  bool is_hard = wish == LS_WISH_STOP_NOW;
  if (!master->is_stopping || (is_hard && !isfinite(master->hard_stop_s)))
    ls_master_stop(master, is_hard);
}

static void on_any(struct ls_master *master, struct ls_peer from,
                   const struct ls_message *message) {
  uint32_t worker = ls_connections_find(&master->connections, from);
  ++master->report->messages_received;
  if (message->kind == LS_MESSAGE_HELLO) {
    ls_master_on_hello(master, from, message);
  } else if (worker != LS_WORKER_NONE) {
    on_message(master, worker, message);
  } else if (message->kind == LS_MESSAGE_RESULT) {
    ++master->report->results_late;
  }
  ls_master_ask_halt(master);
  if (worker != LS_WORKER_NONE && may_halt(master, message)) answer(master, worker);
}

static bool is_known(const struct ls_master *master, struct ls_peer from) {
  return ls_connections_find(&master->connections, from) != LS_WORKER_NONE;
}

void ls_master_on_frame(struct ls_master *master, struct ls_peer from,
                        const struct ls_frame *frame) {
  struct ls_blob blob = {frame->data, frame->length};
  size_t offset = 0;
  do {
    struct ls_message message;
    struct ls_error err = {0};
    enum ls_status status =
        ls_message_decode_next(&master->decoder, &blob, &offset, &message, &err);
    if (status != LS_OK) {
      uint32_t worker = ls_connections_find(&master->connections, from);
      if (status != LS_ECORRUPT) {
        ls_master_note_failure(master, status, &err);
      } else if (worker != LS_WORKER_NONE) {
        ls_master_expel(master, worker, err.text);
      }
      return;
    }
    on_any(master, from, &message);
    /* A stranger gets one answer, however many times its frame says HELLO. */
    if (message.kind == LS_MESSAGE_HELLO && !is_known(master, from)) return;
  } while (offset < frame->length && master->failure.status == LS_OK);
}
