/* master_events.c: frames and losses as events of the coordinator.
 *
 * Each message of a worker is checked here against those that it may send now; a worker that sends
 * nonsense is lost.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

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

static void lose(struct ls_master *master, uint32_t worker, enum ls_loss cause) {
  struct ls_event event = make_event(master, LS_EVENT_LOST, worker);
  event.lost = cause;
  ls_master_dismiss(master, worker);
  ls_master_step(master, &event, NULL);
}

static void on_hello(struct ls_master *master, uint64_t peer, const struct ls_message *message) {
  uint32_t worker = ls_master_admit(master, peer, message);
  if (worker == LS_WORKER_NONE) return;
  master->worker_seen_s = master->now_s;
  step(master, LS_EVENT_JOINED, worker);
  master->is_pushing = true;
}

static void on_result(struct ls_master *master, uint32_t worker, const struct ls_message *message) {
  struct ls_event event = make_event(master, LS_EVENT_RESULT, worker);
  event.result.chunk = message->chunk;
  event.result.units = message->range;
  event.result.outcome = (enum ls_outcome)message->outcome;
  event.result.seconds = message->receive_s + message->compute_s;
  event.result.squares = message->squares;
  event.result.latest = message->latest;
  event.result.latest_count = message->latest_count;
  ls_master_step(master, &event, message);
}

/* ---- the beginning: who asks first is chance, which must not decide who gets the largest chunk --
 */

/* Once one has asked, the others may take so long. */
static const double GATHER_S = 0.05;

void ls_master_gather(struct ls_master *master) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(master->coordinator, &totals);
  master->awaited = totals.workers_wanted;
  master->is_gathering = master->awaited > 1 && !master->options->config.chunking->is_pushed;
  master->gather_s = HUGE_VAL;
}

static void tell_gathered(struct ls_master *master) {
  master->is_gathering = false;
  for (uint32_t i = 0; i < master->workers_count && master->failure.status == LS_OK; ++i) {
    struct ls_event event = make_event(master, LS_EVENT_READY, i);
    event.ready_units = master->workers[i].asks_first;
    master->workers[i].asks_first = 0;
    if (event.ready_units > 0) ls_master_step(master, &event, NULL);
  }
}

static void gather(struct ls_master *master, struct ls_peer *worker, uint64_t units) {
  worker->asks_first = units > 0 ? units : 1;
  if (++master->gathered == 1) master->gather_s = master->now_s + GATHER_S;
  if (master->gathered >= master->awaited) tell_gathered(master);
}

/* The shortest time counts: the wait for units or for a busy master is no part of a request's way.
 */
static void on_request(struct ls_master *master, uint32_t number,
                       const struct ls_message *message) {
  struct ls_peer *worker = &master->workers[number];
  struct ls_event event = make_event(master, LS_EVENT_READY, number);
  bool is_shorter = worker->answer_s <= 0 || message->answer_s < worker->answer_s;
  if (message->answer_s > 0 && is_shorter) worker->answer_s = message->answer_s;
  event.ready_units = message->units;
  if (master->is_gathering) {
    gather(master, worker, message->units);
  } else {
    ls_master_step(master, &event, NULL);
  }
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
      ls_master_spool(master, worker, message);
      break;
    case LS_MESSAGE_HEARTBEAT:
      step(master, LS_EVENT_HEARTBEAT, worker);
      break;
    default: /* BYE, and messages that no worker may send */
      lose(master, worker, message->kind == LS_MESSAGE_BYE ? LS_LOSS_LEFT : LS_LOSS_CRASHED);
      break;
  }
}

static void on_any(struct ls_master *master, uint64_t peer, const struct ls_message *message) {
  uint32_t worker = ls_master_find(master, peer);
  ++master->report->messages_received;
  if (message->kind == LS_MESSAGE_HELLO) {
    on_hello(master, peer, message);
  } else if (worker != LS_WORKER_NONE) {
    on_message(master, worker, message);
  } else if (message->kind == LS_MESSAGE_RESULT) {
    ++master->report->results_late;
  }
}

void ls_master_on_frame(struct ls_master *master, const struct ls_frame *frame) {
  struct ls_blob blob = {frame->data, frame->length};
  size_t offset = 0;
  do {
    struct ls_message message;
    if (ls_message_decode_next(&master->decoder, &blob, &offset, &message, NULL) != LS_OK) {
      uint32_t worker = ls_master_find(master, frame->peer);
      if (worker != LS_WORKER_NONE) lose(master, worker, LS_LOSS_CRASHED);
      return;
    }
    on_any(master, frame->peer, &message);
  } while (offset < frame->length && master->failure.status == LS_OK);
}

/* A worker that ends by itself before it has joined is replaced a few times; then the pool is at
 * fault. A worker that was killed says nothing of the next one: then patience decides whether any
 * worker ever comes. */
static void on_loss_before_join(struct ls_master *master, const struct ls_pool_loss *loss) {
  struct ls_error err = {0};
  if (master->is_stopping) return;
  bool was_killed = loss->signal == SIGKILL || loss->signal == SIGTERM;
  if (!was_killed && ++master->joins_failed > 3 + master->options->config.workers) {
    (void)ls_fail(&err, LS_ENOWORKERS,
                  "workers end before they join: the last one, in slot %u, with %s %d", loss->slot,
                  loss->signal != 0 ? "signal" : "exit status",
                  loss->signal != 0 ? loss->signal : loss->exit_code);
    ls_master_note_failure(master, LS_ENOWORKERS, &err);
    return;
  }
  ls_master_request(master, 1);
}

static uint32_t find_process(const struct ls_master *master, const struct ls_pool_loss *loss) {
  for (size_t i = master->workers_count; i > 0; --i) {
    const struct ls_peer *worker = &master->workers[i - 1];
    if (worker->has_process && worker->facts.slot == loss->slot &&
        worker->process_id == (uint64_t)loss->pid)
      return (uint32_t)(i - 1);
  }
  return LS_WORKER_NONE;
}

void ls_master_on_pool(struct ls_master *master) {
  struct ls_pool_loss loss;
  while (master->options->pool->poll(master->pool, &loss) != 0) {
    uint32_t worker = find_process(master, &loss);
    if (worker == LS_WORKER_NONE) {
      on_loss_before_join(master, &loss);
    } else {
      master->workers[worker].has_process = false;
      if (master->workers[worker].is_connected) lose(master, worker, LS_LOSS_CRASHED);
    }
    /* Its slot is free now: a replacement that had no room can start. */
    ls_master_request(master, 0);
  }
}

/* Finishing the running units must not mean to begin those that wait at the workers: that may take
 * hours. */
static void recall(struct ls_master *master) {
  struct ls_message message = {.kind = LS_MESSAGE_RECALL};
  for (size_t i = 0; i < master->workers_count; ++i) {
    if (master->workers[i].is_connected) ls_master_post(master, master->workers[i].peer, &message);
  }
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
  if (options->watch == NULL) return;
  if (!master->has_settled && master->now_s < master->watch_s) return;
  master->has_settled = false;
  master->watch_s = master->now_s + 0.1;
  struct ls_master_progress progress = {.now_s = master->now_s};
  ls_coordinator_totals(master->coordinator, &progress.totals);
  for (size_t i = 0; i < master->workers_count; ++i) {
    const struct ls_master_worker *facts = &master->workers[i].facts;
    if (facts->slot == 0) continue;
    progress.busy_s += facts->busy_s;
    double left_s = isnan(facts->left_s) ? master->now_s : facts->left_s;
    progress.up_s += left_s - facts->joined_s - facts->away_s;
  }
  enum ls_master_wish wish = options->watch(options->context, &progress);
  if (wish == LS_WISH_GO_ON) return;
  bool is_hard = wish == LS_WISH_STOP_NOW;
  if (!master->is_stopping || (is_hard && !isfinite(master->hard_stop_s))) stop(master, is_hard);
}

static void check_workers(struct ls_master *master) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(master->coordinator, &totals);
  if (totals.workers_present > 0) {
    master->worker_seen_s = master->now_s;
    return;
  }
  if (master->now_s - master->worker_seen_s > master->options->workers_patience_s) {
    struct ls_error err;
    (void)ls_fail(&err, LS_ENOWORKERS, "no worker for %.6g s",
                  master->now_s - master->worker_seen_s);
    ls_master_note_failure(master, LS_ENOWORKERS, &err);
  }
}

/* Advice has no basis before every worker has ended some units. */
enum { ADVISE_UNITS_LEAST = 4, ADVISE_WORKERS_MAX = 1024 };
/* Shorter runs, and ends of runs, are over before advice could pay for its process. */
static const double ADVISE_FIRST_S = 1, ADVISE_LEFT_LEAST_S = 1;
static const double ADVISE_AGAIN_S = 0.5;

/* Units per second of the run so far, waiting included: tiny units hardly keep any worker busy. */
static double measure_rate(const struct ls_master *master, const struct ls_peer *worker) {
  double there_s = master->now_s - worker->since_s;
  return there_s > 0 ? (double)worker->seen.units / there_s : 0;
}

static void ask_adviser(struct ls_master *master) {
  struct ls_adviser_worker workers[ADVISE_WORKERS_MAX];
  struct ls_room rooms[ADVISE_WORKERS_MAX];
  struct ls_coordinator_totals totals;
  struct ls_error err;
  const struct ls_coordinator_config *config = &master->options->config;
  double rate = 0;
  ls_coordinator_totals(master->coordinator, &totals);
  struct ls_adviser_facts facts = {.now_s = master->now_s,
                                   .units_left = totals.waiting + totals.sent,
                                   .prefetch = master->prefetch,
                                   .chunking = totals.chunking,
                                   .workers = workers,
                                   .rooms = rooms,
                                   .workers_most = master->options->pool_setup.slots};
  for (size_t i = 0; i < master->workers_count && facts.workers_count < ADVISE_WORKERS_MAX; ++i) {
    const struct ls_peer *worker = &master->workers[i];
    if (!worker->is_connected) continue;
    if (worker->seen.units < ADVISE_UNITS_LEAST) {
      master->advise_s = master->now_s + ADVISE_AGAIN_S;
      return;
    }
    rate += measure_rate(master, worker);
    workers[facts.workers_count] = worker->seen;
    rooms[facts.workers_count] = i < config->rooms_count ? config->rooms[i] : (struct ls_room){0};
    workers[facts.workers_count].overhead_s =
        ls_overhead_per_chunk(&worker->overhead, worker->answer_s / 2);
    workers[facts.workers_count++].latency_s = worker->answer_s / 2;
  }
  /* Ever longer intervals: early knowledge changes most. */
  master->advise_s = fmax(2 * master->now_s, ADVISE_FIRST_S);
  facts.left_s = rate > 0 ? (double)facts.units_left / rate : 0;
  if (facts.left_s < ADVISE_LEFT_LEAST_S) return;
  /* At the end of an iteration few units are left, but the next one has as many again. */
  if (!master->options->app->runs_commands) facts.units_left = totals.units;
  /* A run goes on without advice. */
  (void)!ls_adviser_ask(&master->adviser, master->options->advise, master->options->context, &facts,
                        &err);
}

static void follow_advice(struct ls_master *master, const struct ls_adviser_answer *answer) {
  const struct ls_master_options *options = master->options;
  struct ls_event event = make_event(master, LS_EVENT_ADVICE, 0);
  event.advice = (struct ls_event_advice){
      .policy = answer->policy, .prefetch = answer->prefetch, .workers = answer->workers};
  if (!ls_master_step(master, &event, NULL)) return;
  if (answer->prefetch > 0) master->prefetch = answer->prefetch;
  ++master->report->advices;
  if (options->advised != NULL && answer->reason[0] != '\0')
    options->advised(options->context, answer->reason);
}

static void on_adviser(struct ls_master *master) {
  struct ls_adviser_answer answer;
  if (master->options->advise == NULL || master->is_stopping || master->is_finished) return;
  if (ls_adviser_poll(&master->adviser, &answer)) follow_advice(master, &answer);
  bool is_due = master->now_s >= fmax(master->advise_s, ADVISE_FIRST_S);
  if (master->adviser.child == 0 && is_due) ask_adviser(master);
}

void ls_master_on_time(struct ls_master *master) {
  if (master->is_gathering && master->now_s >= master->gather_s) tell_gathered(master);
  if (master->now_s >= master->wake_s) {
    master->wake_s = HUGE_VAL;
    step(master, LS_EVENT_TIMER, 0);
  }
  if (master->now_s >= master->pulse_s) {
    master->pulse_s = master->now_s + master->options->heartbeat_s;
    struct ls_message pulse = {.kind = LS_MESSAGE_PULSE};
    for (size_t i = 0; i < master->workers_count; ++i) {
      if (master->workers[i].is_connected) ls_master_post(master, master->workers[i].peer, &pulse);
    }
    check_workers(master);
  }
  on_user(master);
  on_watch(master);
  on_adviser(master);
  while (master->is_pushing && master->options->config.chunking->is_pushed) {
    master->is_pushing = false; /* a SEND sets it again */
    step(master, LS_EVENT_FREE, 0);
  }
}
