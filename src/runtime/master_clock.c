/* master_clock.c: what the time brings: the user, the adviser, limits that pass. */
#include <math.h>

#include "runtime/clock.h"
#include "runtime/master_private.h"

/* So long chunks are pushed before what was posted leaves; the commits of shorter rounds would take
 * much of their time. */
static const double PUSHING_S = 0.001;
/* So often it is looked whether anybody is there, however rarely workers beat. */
static const double CHECK_S = 1;

/* ---- the user ---- */

static void on_user(struct ls_master *master) {
  if (master->options->interrupts == NULL) return;
  int interrupts = *master->options->interrupts;
  if (interrupts == master->interrupts_seen) return;
  master->interrupts_seen = interrupts;
  master->report->was_interrupted = true;
  ls_master_stop(master, interrupts >= 2);
}

static void on_watch(struct ls_master *master) {
  const struct ls_master_options *options = master->options;
  if (options->watch == NULL || master->now_s < master->watch_s) return;
  master->watch_s = master->now_s + 0.1;
  struct ls_master_progress progress = {.now_s = master->now_s};
  ls_coordinator_totals(master->books.coordinator, &progress.totals);
  for (size_t i = 0; i < master->connections.count; ++i) {
    struct ls_master_worker facts = ls_master_facts(master, (uint32_t)i);
    if (facts.slot == 0) continue;
    progress.busy_s += facts.busy_s;
    double left_s = isnan(facts.left_s) ? master->now_s : facts.left_s;
    progress.up_s += left_s - facts.joined_s - facts.away_s - facts.suspended_s;
  }
  progress.explanation = master->explain.is_short ? master->report->explanation : "";
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

bool ls_master_has_guests(const struct ls_master *master) {
  const struct ls_site *site = master->options->site;
  for (size_t i = 0; i < site->doors_count; ++i) {
    if (site->doors[i].is_open && !site->doors[i].is_for_pools) return true;
  }
  return false;
}

/* Nobody is on his way, no pool will ever have anybody, and nobody else can come. */
static bool is_hopeless(const struct ls_master *master) {
  struct ls_pool_counts counts = ls_pools_counts(&master->doors.pools);
  return !ls_master_has_guests(master) && master->staffing.is_final && master->staffing.owed == 0 &&
         counts.wanted + counts.granted == 0;
}

bool ls_master_is_staffed(const struct ls_master *master) {
  return master->connections.peers.count > 0 && master->options->config.homes == 0;
}

/* Where units are bound to slots, whoever is idle while some wait is none of theirs. */
static bool is_anybody_useful(const struct ls_master *master) {
  struct ls_coordinator_totals totals;
  if (master->connections.peers.count == 0) return false;
  if (ls_master_is_staffed(master)) return true;
  ls_coordinator_totals(master->books.coordinator, &totals);
  /* One that was started and has not joined yet may be the one. */
  bool is_coming = ls_pools_counts(&master->doors.pools).granted > master->connections.peers.count;
  return totals.sent > 0 || totals.waiting == 0 || is_coming;
}

/* Who is away may come back, so he counts, too; and a pool's queue has its own time. */
static void check_workers(struct ls_master *master) {
  double seconds = master->now_s - master->worker_seen_s;
  if (is_anybody_useful(master) || ls_pools_is_pending(&master->doors.pools)) {
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
  struct ls_event event = ls_master_event(master, LS_EVENT_ADVICE, 0);
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
    ls_master_tell(master, LS_EVENT_TIMER, 0);
  }
  if (ls_master_is_staffed(master)) master->worker_seen_s = master->now_s;
  if (ls_master_is_staffed(master) || master->now_s < master->check_s) return;
  master->check_s = master->now_s + fmin(CHECK_S, master->pace.heartbeat_s);
  check_workers(master);
}

/* A reader of the output that is slower than the workers slows them down in the end. */
static void wait_for_reader(struct ls_master *master) {
  if (ls_deliveries_is_behind(&master->deliveries)) {
    ls_gathering_hold(&master->gathering);
  } else {
    ls_gathering_let_go(&master->gathering);
  }
}

/* A worker on this machine is its pool's, which tells what became of it. */
void ls_master_on_cuts(struct ls_master *master) {
  struct ls_outbox *outbox = &master->outbox;
  for (size_t i = 0; i < outbox->gone_count; ++i) {
    uint32_t slot = ls_connections_find(&master->connections, outbox->gone[i]);
    if (slot == LS_WORKER_NONE) continue;
    struct ls_connection *worker = &master->connections.items[slot];
    bool is_here = ls_pools_has_lifeline(&master->doors.pools, worker->facts.slot);
    if (worker->is_cut || (worker->has_process && is_here)) continue;
    worker->is_cut = true;
    struct ls_event event = ls_master_event(master, LS_EVENT_SUSPENDED, slot);
    event.suspended = (struct ls_event_suspended){.reason = LS_AWAY_CUT};
    ls_master_step(master, &event, NULL);
  }
  outbox->gone_count = 0;
}

void ls_master_on_time(struct ls_master *master) {
  wait_for_reader(master);
  if (ls_gathering_is_over(&master->gathering, master->now_s)) ls_master_tell_gathered(master);
  if (master->now_s >= master->pulse_s) ls_master_pulse(master);
  if (!master->is_stopping) {
    ls_staffing_retry(&master->staffing, &master->doors.pools, master->now_s);
  }
  on_user(master);
  ls_master_ask_halt(master); /* who lost a worker by the clock may have given a unit up */
  ls_master_on_explain(master);
  on_watch(master);
  on_adviser(master);
  bool is_pushed = master->options->config.chunking->is_pushed && !master->gathering.is_held;
  /* What is packed leaves before much more is: its worker begins meanwhile. The next round goes on.
   */
  while (master->is_pushing && is_pushed && !ls_outbox_is_full(&master->outbox) &&
         ls_clock_s() - master->origin_s < master->now_s + PUSHING_S) {
    master->is_pushing = false; /* a SEND sets it again */
    ls_master_tell(master, LS_EVENT_FREE, 0);
  }
}
