/* master_events.c: frames, and news of the pools, as events of the coordinator.
 *
 * Each message of a worker is checked here against those that it may send now; a worker that sends
 * nonsense is lost.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/running.h"
#include "runtime/clock.h"
#include "runtime/master_private.h"

static struct ls_event make_event(const struct ls_master *master, enum ls_event_kind kind,
                                  uint32_t worker) {
  return (struct ls_event){.kind = kind, .worker = worker, .now_s = master->now_s};
}

static void step(struct ls_master *master, enum ls_event_kind kind, uint32_t worker) {
  struct ls_event event = make_event(master, kind, worker);
  ls_master_step(master, &event, NULL);
}

/* The unit that ran was lost with its worker, unless that settled it. */
static void journal_loss(struct ls_master *master, uint32_t worker,
                         const struct ls_running *running) {
  const struct ls_connection *connection = &master->connections.items[worker];
  if (master->books.journal == NULL) return;
  for (size_t i = 0; i < master->actions.count; ++i) {
    const struct ls_action *action = &master->actions.items[i];
    bool is_settled = action->kind == LS_ACTION_SETTLE &&
                      running->unit - action->settle.units.first < action->settle.units.count;
    if (is_settled) return;
  }
  const struct ls_journal_result attempt = {
      .iteration = master->iteration,
      .units = {running->unit, 1},
      .outcome = LS_OUTCOME_LOST,
      .worker = master->books.workers_base + worker,
      .slot = connection->facts.slot,
      .attempt = (uint32_t)running->attempt,
      .chunk = running->chunk,
      .start_s = connection->last_end_s,
      .seconds = fmax(0, master->now_s - connection->last_end_s)};
  ls_journal_attempt(master->books.journal, &attempt);
}

static void lose(struct ls_master *master, uint32_t worker, enum ls_loss cause) {
  struct ls_event event = make_event(master, LS_EVENT_LOST, worker);
  struct ls_running running;
  bool has_run = ls_coordinator_running(master->books.coordinator, worker, &running);
  event.lost = cause;
  ls_master_dismiss(master, worker);
  if (ls_master_step(master, &event, NULL) && has_run) journal_loss(master, worker, &running);
}

/* ---- joining ---- */

/* NULL: the worker may join. */
static const char *find_fault(const struct ls_master *master, struct ls_peer from,
                              const struct ls_message *hello, char *why, size_t why_bytes) {
  const char *fault = ls_admission_refuse(&master->admission, from.endpoint, hello, why, why_bytes);
  if (fault != NULL) return fault;
  if (master->is_finished) return "the run is over";
  if (ls_tickets_is_foreign(&master->tickets, hello)) return "the worker is one of another run";
  if (ls_connections_find(&master->connections, from) == LS_WORKER_NONE) return NULL;
  return "joined already";
}

static void welcome(struct ls_master *master, uint32_t slot) {
  const struct ls_connection *worker = &master->connections.items[slot];
  struct ls_message message;
  struct ls_error err = {0};
  enum ls_status status =
      ls_admission_welcome(&master->admission, slot, worker->facts.slot, &message, &err);
  ls_master_note_failure(master, status, &err);
  if (status != LS_OK) return;
  ls_tickets_sign(&master->tickets, slot, &message);
  ls_outbox_post(&master->outbox, worker->peer, &message);
  if (master->prefetch == master->options->prefetch) return;
  /* The settings are those of the start; advice has come since. */
  struct ls_message prefetch = {.kind = LS_MESSAGE_PREFETCH, .units = master->prefetch};
  ls_outbox_post(&master->outbox, worker->peer, &prefetch);
}

/* Gives the worker a slot; LS_WORKER_NONE: there is no memory. */
static uint32_t admit(struct ls_master *master, struct ls_peer from,
                      const struct ls_message *hello) {
  const struct ls_master_options *options = master->options;
  const struct ls_pools *pools = &master->doors.pools;
  size_t workers = options->config.workers, kept = pools->slots < workers ? pools->slots : workers;
  uint32_t place = ls_admission_place(&master->admission, pools, hello);
  uint32_t slot = ls_connections_choose(&master->connections, place, workers, kept);
  struct ls_newcomer newcomer = {
      .peer = from,
      .name = hello->name,
      .process_id = hello->process_id,
      .place = place,
      .has_process = place <= pools->slots,
      .price_per_s = slot < options->prices_count ? options->prices[slot] : 1,
      .now_s = master->now_s};
  struct ls_error err = {0};
  enum ls_status status = ls_connections_join(&master->connections, slot, &newcomer, &err);
  if (status == LS_OK) status = ls_tickets_issue(&master->tickets, slot, hello, &err);
  ls_master_note_failure(master, status, &err);
  return status == LS_OK ? slot : LS_WORKER_NONE;
}

/* A number for a machine by its name (FNV-1a); 0: it has none. */
static uint64_t number_host(const struct ls_blob *host) {
  uint64_t number = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < host->length; ++i) {
    number = (number ^ ((const unsigned char *)host->data)[i]) * UINT64_C(1099511628211);
  }
  return host->length > 0 ? number | 1 : 0;
}

static void tell_joined(struct ls_master *master, uint32_t worker, const struct ls_message *hello) {
  struct ls_event event = make_event(master, LS_EVENT_JOINED, worker);
  event.joined.lifetime_s = hello->lifetime_s;
  event.joined.place = number_host(&hello->host);
  event.joined.has_lifeline =
      ls_pools_has_lifeline(&master->doors.pools, master->connections.items[worker].facts.slot);
  ls_master_step(master, &event, NULL);
}

/* What it asked for over its former connection is forgotten: it asks again. */
static void forget_request(struct ls_master *master, struct ls_connection *worker) {
  if (worker->asks_first > 0) ls_gathering_withdraw(&master->gathering);
  worker->asks_first = 0;
}

/* The worker in a slot has another connection; the newer one counts. */
static void come_back(struct ls_master *master, struct ls_peer from, uint32_t slot,
                      const struct ls_message *hello) {
  struct ls_event event = make_event(master, LS_EVENT_RESUMED, slot);
  struct ls_error err = {0};
  struct ls_event_held *held = calloc(hello->held_count + 1, sizeof *held);
  enum ls_status status =
      held == NULL ? ls_fail(&err, LS_ENOMEM, "out of memory for what worker %u holds", slot)
                   : ls_connections_move(&master->connections, slot, from, &err);
  ls_master_note_failure(master, status, &err);
  if (status == LS_OK) {
    for (size_t i = 0; i < hello->held_count; ++i) {
      held[i] = (struct ls_event_held){hello->held[i].chunk, hello->held[i].units};
    }
    forget_request(master, &master->connections.items[slot]);
    ls_endpoints_admit(&master->doors.endpoints, from);
    ls_tickets_resume(&master->tickets, slot, hello);
    welcome(master, slot);
    event.resumed = (struct ls_event_resumed){held, hello->held_count, true};
    ls_master_step(master, &event, NULL);
    master->is_pushing = true;
  }
  free(held);
}

static void on_hello(struct ls_master *master, struct ls_peer from,
                     const struct ls_message *hello) {
  char why[96];
  const char *fault = find_fault(master, from, hello, why, sizeof why);
  if (fault != NULL) {
    struct ls_message refused = {.kind = LS_MESSAGE_REFUSED, .text = {fault, strlen(fault)}};
    ls_outbox_post(&master->outbox, from, &refused);
    return;
  }
  uint32_t former = ls_tickets_find(&master->tickets, hello);
  if (former != LS_TICKETS_NONE) {
    come_back(master, from, former, hello);
    return;
  }
  uint32_t worker = admit(master, from, hello);
  if (worker == LS_WORKER_NONE) return;
  ls_endpoints_admit(&master->doors.endpoints, from);
  ls_staffing_join(&master->staffing);
  ls_master_journal_worker(master, worker);
  welcome(master, worker);
  master->worker_seen_s = master->now_s;
  tell_joined(master, worker, hello);
  master->is_pushing = true;
}

/* ---- messages of a worker ---- */

/* The word leaves behind the commit of this round, which makes it true. */
static void acknowledge(struct ls_master *master, uint32_t worker) {
  if (!master->connections.items[worker].is_connected) return;
  if (!ls_tickets_is_due(&master->tickets, worker)) return;
  struct ls_message pulse = ls_tickets_pulse(&master->tickets, worker);
  ls_outbox_post(&master->outbox, master->connections.items[worker].peer, &pulse);
}

/* The pieces of its large outputs are all there? What an earlier result left is not of this one. */
static bool is_complete(struct ls_connection *worker, const struct ls_message *result) {
  for (int i = 0; i < 2; ++i) {
    if (result->streamed[i] == 0) ls_spool_close(&worker->spools[i]);
    if (result->streamed[i] != worker->spools[i].bytes) return false;
  }
  return true;
}

static void drop_result(struct ls_master *master, uint32_t worker) {
  ++master->report->results_late;
  for (int i = 0; i < 2; ++i) ls_spool_close(&master->connections.items[worker].spools[i]);
  acknowledge(master, worker);
}

static void on_result(struct ls_master *master, uint32_t worker, const struct ls_message *message) {
  uint64_t output_bytes = message->output.length + message->streamed[0];
  if (!is_complete(&master->connections.items[worker], message)) {
    lose(master, worker, LS_LOSS_CRASHED);
    return;
  }
  bool is_earlier = ls_tickets_receive(
      &master->tickets, worker, output_bytes + message->error_output.length + message->streamed[1]);
  if (is_earlier && message->iteration != master->iteration) {
    drop_result(master, worker);
    return;
  }
  struct ls_event event = make_event(master, LS_EVENT_RESULT, worker);
  event.result.chunk = message->chunk;
  event.result.units = message->range;
  event.result.outcome = (enum ls_outcome)message->outcome;
  event.result.seconds = message->receive_s + message->compute_s;
  event.result.squares = message->squares;
  event.result.latest = message->latest;
  event.result.latest_count = message->latest_count;
  event.result.is_whole = output_bytes > 0 && message->range.count > 1;
  if (is_earlier) event.result.chunk = LS_CHUNK_NONE;
  ls_master_step(master, &event, message);
  acknowledge(master, worker);
}

static void tell_gathered(struct ls_master *master) {
  ls_gathering_close(&master->gathering);
  for (uint32_t i = 0; i < master->connections.count && master->failure.status == LS_OK; ++i) {
    struct ls_event event = make_event(master, LS_EVENT_READY, i);
    event.ready_units = master->connections.items[i].asks_first;
    master->connections.items[i].asks_first = 0;
    if (event.ready_units > 0) ls_master_step(master, &event, NULL);
  }
}

static void gather(struct ls_master *master, struct ls_connection *worker, uint64_t units) {
  worker->asks_first = units > 0 ? units : 1;
  ls_gathering_add(&master->gathering, master->now_s);
  if (ls_gathering_is_over(&master->gathering, master->now_s)) tell_gathered(master);
}

/* The shortest time counts: the wait for units or for a busy master is no part of a request's way.
 */
static void on_request(struct ls_master *master, uint32_t number,
                       const struct ls_message *message) {
  struct ls_connection *worker = &master->connections.items[number];
  struct ls_event event = make_event(master, LS_EVENT_READY, number);
  bool is_shorter = worker->answer_s <= 0 || message->answer_s < worker->answer_s;
  if (message->answer_s > 0 && is_shorter) worker->answer_s = message->answer_s;
  event.ready_units = message->units;
  if (master->gathering.is_open) {
    gather(master, worker, message->units);
  } else {
    ls_master_step(master, &event, NULL);
  }
}

/* A piece of a large output. */
static void on_output(struct ls_master *master, uint32_t number, const struct ls_message *piece) {
  struct ls_spool *spools = master->connections.items[number].spools;
  struct ls_spool *spool = &spools[piece->stream == LS_STREAM_ERR];
  struct ls_error err = {0}, failure;
  if (piece->offset == 0) ls_spool_close(spool);
  if (piece->offset != spool->bytes) {
    lose(master, number, LS_LOSS_CRASHED);
    return;
  }
  enum ls_status status = ls_spool_add(spool, piece->output.data, piece->output.length, &failure);
  if (status == LS_OK) return;
  (void)ls_fail(&err, status, "unit %llu: %s", (unsigned long long)piece->range.first,
                failure.text);
  ls_master_note_failure(master, status, &err);
}

static void on_message(struct ls_master *master, uint32_t worker,
                       const struct ls_message *message) {
  switch (message->kind) {
    case LS_MESSAGE_REQUEST:
      on_request(master, worker, message);
      break;
    case LS_MESSAGE_RESULT:
      on_result(master, worker, message);
      break;
    case LS_MESSAGE_OUTPUT:
      on_output(master, worker, message);
      break;
    case LS_MESSAGE_HEARTBEAT:
      step(master, LS_EVENT_HEARTBEAT, worker);
      break;
    case LS_MESSAGE_LEAVING:
      ls_tickets_leave(&master->tickets, worker);
      step(master, LS_EVENT_LEAVING, worker);
      if (master->connections.items[worker].is_connected) acknowledge(master, worker);
      break;
    case LS_MESSAGE_SUSPENDED:
      step(master, LS_EVENT_SUSPENDED, worker); /* told, and not vacated: zeros */
      break;
    case LS_MESSAGE_RESUMED:
      step(master, LS_EVENT_RESUMED, worker); /* over the same connection: zeros */
      break;
    default: /* BYE, and messages that no worker may send */
      lose(master, worker, message->kind == LS_MESSAGE_BYE ? LS_LOSS_LEFT : LS_LOSS_CRASHED);
      break;
  }
}

/* Finishing the running units must not mean to begin those that wait at the workers: that may take
 * hours. */
static void recall(struct ls_master *master) {
  struct ls_message message = {.kind = LS_MESSAGE_RECALL};
  ls_connections_post(&master->connections, &master->outbox, &message);
}

static void stop(struct ls_master *master, bool is_hard) {
  struct ls_event event = make_event(master, LS_EVENT_STOP, 0);
  event.is_hard = is_hard;
  master->is_stopping = true;
  master->report->was_stopped = true;
  if (is_hard && !isfinite(master->hard_stop_s)) master->hard_stop_s = master->now_s;
  ls_master_step(master, &event, NULL);
  if (!is_hard) recall(master);
}

/* The verdict that halts the run comes before the next message: it may be the request that another
 * unit would be begun for. */
static void ask_halt(struct ls_master *master) {
  const struct ls_master_options *options = master->options;
  if (!master->has_settled) return;
  master->has_settled = false;
  if (options->halt == NULL) return;
  enum ls_master_wish wish = options->halt(options->context, master->report);
  if (wish == LS_WISH_GO_ON) return;
  bool is_hard = wish == LS_WISH_STOP_NOW;
  if (!master->is_stopping || (is_hard && !isfinite(master->hard_stop_s))) stop(master, is_hard);
}

static void on_any(struct ls_master *master, struct ls_peer from,
                   const struct ls_message *message) {
  uint32_t worker = ls_connections_find(&master->connections, from);
  ++master->report->messages_received;
  if (message->kind == LS_MESSAGE_HELLO) {
    on_hello(master, from, message);
  } else if (worker != LS_WORKER_NONE) {
    on_message(master, worker, message);
  } else if (message->kind == LS_MESSAGE_RESULT) {
    ++master->report->results_late;
  }
  ask_halt(master);
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
    if (ls_message_decode_next(&master->decoder, &blob, &offset, &message, NULL) != LS_OK) {
      uint32_t worker = ls_connections_find(&master->connections, from);
      if (worker != LS_WORKER_NONE) lose(master, worker, LS_LOSS_CRASHED);
      return;
    }
    on_any(master, from, &message);
    /* A stranger gets one answer, however many times its frame says HELLO. */
    if (message.kind == LS_MESSAGE_HELLO && !is_known(master, from)) return;
  } while (offset < frame->length && master->failure.status == LS_OK);
}

/* ---- news of the pools ---- */

static void on_granted(struct ls_master *master) {
  size_t told = ls_staffing_grant(&master->staffing);
  struct ls_event event = make_event(master, LS_EVENT_GRANTED, LS_WORKER_NONE);
  event.granted = told;
  if (told > 0) ls_master_step(master, &event, NULL);
}

static void on_refused(struct ls_master *master, const struct ls_pool_news *news) {
  size_t told = ls_staffing_refuse(&master->staffing, news, master->now_s);
  struct ls_event event = make_event(master, LS_EVENT_REFUSED, LS_WORKER_NONE);
  event.refused = told;
  if (told > 0) ls_master_step(master, &event, NULL);
}

/* A worker whose processes all end before they join is no accident: if nobody is there, nobody is
 * waited for. */
static void on_loss_before_join(struct ls_master *master, const struct ls_pool_news *news) {
  if (master->is_stopping) return;
  struct ls_coordinator_totals totals;
  ls_staffing_lose(&master->staffing, news, master->now_s);
  ls_coordinator_totals(master->books.coordinator, &totals);
  size_t most = 3 + master->options->config.workers;
  if (totals.workers_present > 0 || master->staffing.untimely <= most) return;
  struct ls_error err;
  (void)ls_fail(&err, LS_ENOWORKERS, "workers end before they join: %s", master->staffing.why);
  ls_master_note_failure(master, LS_ENOWORKERS, &err);
}

static void on_lost(struct ls_master *master, uint32_t worker, const struct ls_pool_news *news) {
  struct ls_connection *connection = &master->connections.items[worker];
  connection->has_process = false;
  if (connection->is_connected) lose(master, worker, news->cause);
}

static void on_stop(struct ls_master *master, uint32_t worker) {
  struct ls_event event = make_event(master, LS_EVENT_SUSPENDED, worker);
  event.suspended = (struct ls_event_suspended){.reason = LS_AWAY_STOPPED};
  if (master->connections.items[worker].is_connected) ls_master_step(master, &event, NULL);
}

static void on_news(struct ls_master *master, const struct ls_pool_news *news) {
  uint32_t worker =
      ls_connections_find_process(&master->connections, news->slot, (uint64_t)news->pid);
  bool is_known = worker != LS_WORKER_NONE;
  switch (news->kind) {
    case LS_POOL_GRANTED:
      on_granted(master);
      break;
    case LS_POOL_REFUSED:
      on_refused(master, news);
      break;
    case LS_POOL_LOST:
      if (is_known) on_lost(master, worker, news);
      if (!is_known) on_loss_before_join(master, news);
      break;
    case LS_POOL_SUSPENDED:
      if (is_known) on_stop(master, worker);
      break;
    case LS_POOL_RESUMED:
      if (is_known && master->connections.items[worker].is_connected) {
        step(master, LS_EVENT_RESUMED, worker);
      }
      break;
    case LS_POOL_NEWS_COUNT:
      break;
  }
}

void ls_master_on_pools(struct ls_master *master) {
  struct ls_pool_news news;
  master->pools_due_s = HUGE_VAL;
  while (master->failure.status == LS_OK && ls_pools_poll(&master->doors.pools, &news)) {
    on_news(master, &news);
    ask_halt(master);
  }
}

/* ---- the user ---- */

static void on_user(struct ls_master *master) {
  if (master->options->interrupts == NULL) return;
  int interrupts = *master->options->interrupts;
  if (interrupts == master->interrupts_seen) return;
  master->interrupts_seen = interrupts;
  master->report->was_interrupted = true;
  stop(master, interrupts >= 2);
}

static void on_watch(struct ls_master *master) {
  const struct ls_master_options *options = master->options;
  if (options->watch == NULL || master->now_s < master->watch_s) return;
  master->watch_s = master->now_s + 0.1;
  struct ls_master_progress progress = {.now_s = master->now_s};
  ls_coordinator_totals(master->books.coordinator, &progress.totals);
  for (size_t i = 0; i < master->connections.count; ++i) {
    const struct ls_master_worker *facts = &master->connections.items[i].facts;
    if (facts->slot == 0) continue;
    progress.busy_s += facts->busy_s;
    double left_s = isnan(facts->left_s) ? master->now_s : facts->left_s;
    progress.up_s += left_s - facts->joined_s - facts->away_s;
  }
  options->watch(options->context, &progress);
}

/* ---- the clock ---- */

static void fail_alone(struct ls_master *master, double seconds) {
  struct ls_error err;
  const char *why = ls_pools_counts(&master->doors.pools).why;
  if (why == NULL) why = master->staffing.why;
  (void)ls_fail(&err, LS_ENOWORKERS, "no worker for %.6g s%s%s", seconds,
                why[0] != '\0' ? ": " : "", why);
  ls_master_note_failure(master, LS_ENOWORKERS, &err);
}

/* Nobody is on his way, no pool will ever have anybody, and nobody else can come. */
static bool is_hopeless(const struct ls_master *master) {
  struct ls_pool_counts counts = ls_pools_counts(&master->doors.pools);
  const struct ls_site *site = master->options->site;
  for (size_t i = 0; i < site->doors_count; ++i) {
    if (site->doors[i].is_open) return false;
  }
  return master->staffing.is_final && master->staffing.owed == 0 &&
         counts.wanted + counts.granted == 0;
}

/* Who is away may come back, so he counts, too. */
static void check_workers(struct ls_master *master) {
  double seconds = master->now_s - master->worker_seen_s;
  if (master->connections.peers.count > 0) {
    master->worker_seen_s = master->now_s;
  } else if (seconds > master->options->workers_patience_s || is_hopeless(master)) {
    fail_alone(master, seconds);
  }
}

static void ask_adviser(struct ls_master *master) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(master->books.coordinator, &totals);
  const struct ls_consultation_facts facts = {.options = master->options,
                                              .connections = &master->connections,
                                              .totals = &totals,
                                              .prefetch = master->prefetch,
                                              .now_s = master->now_s};
  ls_consultation_ask(&master->consultation, &facts);
}

static void journal_advice(struct ls_master *master, const struct ls_adviser_answer *answer) {
  struct ls_coordinator_totals totals;
  if (master->books.journal == NULL) return;
  ls_coordinator_totals(master->books.coordinator, &totals);
  ls_journal_advice(master->books.journal,
                    &(struct ls_journal_advice){.time_s = master->now_s,
                                                .policy = totals.chunking->name,
                                                .prefetch = master->prefetch,
                                                .workers = totals.workers_wanted,
                                                .reason = answer->reason});
}

static void follow_advice(struct ls_master *master, const struct ls_adviser_answer *answer) {
  const struct ls_master_options *options = master->options;
  struct ls_event event = make_event(master, LS_EVENT_ADVICE, 0);
  event.advice = (struct ls_event_advice){
      .policy = answer->policy, .prefetch = answer->prefetch, .workers = answer->workers};
  if (!ls_master_step(master, &event, NULL)) return;
  if (answer->prefetch > 0) master->prefetch = answer->prefetch;
  ++master->report->advices;
  journal_advice(master, answer);
  if (options->advised != NULL && answer->reason[0] != '\0')
    options->advised(options->context, answer->reason);
}

static void on_adviser(struct ls_master *master) {
  struct ls_adviser_answer answer;
  if (master->options->advise == NULL || master->is_stopping || master->is_finished) return;
  if (ls_consultation_poll(&master->consultation, &answer)) follow_advice(master, &answer);
  if (ls_consultation_is_due(&master->consultation, master->now_s)) ask_adviser(master);
}

void ls_master_judge(struct ls_master *master) {
  if (master->now_s >= master->wake_s) {
    master->wake_s = HUGE_VAL;
    step(master, LS_EVENT_TIMER, 0);
  }
  if (master->now_s - master->worker_seen_s >= master->options->heartbeat_s) check_workers(master);
}

/* A reader of the output that is slower than the workers slows them down in the end. */
static void wait_for_reader(struct ls_master *master) {
  if (ls_deliveries_is_behind(&master->deliveries)) {
    ls_gathering_hold(&master->gathering);
  } else {
    ls_gathering_let_go(&master->gathering);
  }
}

static void pulse(struct ls_master *master) {
  for (uint32_t i = 0; i < master->connections.count; ++i) {
    const struct ls_connection *worker = &master->connections.items[i];
    if (!worker->is_connected || worker->is_cut) continue;
    struct ls_message message = ls_tickets_pulse(&master->tickets, i);
    ls_outbox_post(&master->outbox, worker->peer, &message);
  }
}

/* A worker of the pool is the pool's: it tells what became of it. */
void ls_master_on_cuts(struct ls_master *master) {
  struct ls_outbox *outbox = &master->outbox;
  for (size_t i = 0; i < outbox->gone_count; ++i) {
    uint32_t slot = ls_connections_find(&master->connections, outbox->gone[i]);
    if (slot == LS_WORKER_NONE) continue;
    struct ls_connection *worker = &master->connections.items[slot];
    if (worker->is_cut || worker->has_process) continue;
    worker->is_cut = true;
    struct ls_event event = make_event(master, LS_EVENT_SUSPENDED, slot);
    event.suspended = (struct ls_event_suspended){.reason = LS_AWAY_CUT};
    ls_master_step(master, &event, NULL);
  }
  outbox->gone_count = 0;
}

void ls_master_on_time(struct ls_master *master) {
  wait_for_reader(master);
  if (ls_gathering_is_over(&master->gathering, master->now_s)) tell_gathered(master);
  if (master->now_s >= master->pulse_s) {
    master->pulse_s = master->now_s + master->options->heartbeat_s;
    pulse(master);
  }
  if (!master->is_stopping) {
    ls_staffing_retry(&master->staffing, &master->doors.pools, master->now_s);
  }
  on_user(master);
  ask_halt(master); /* who lost a worker by the clock may have given a unit up */
  on_watch(master);
  on_adviser(master);
  bool is_pushed = master->options->config.chunking->is_pushed && !master->gathering.is_held;
  while (master->is_pushing && is_pushed) {
    master->is_pushing = false; /* a SEND sets it again */
    step(master, LS_EVENT_FREE, 0);
  }
}
