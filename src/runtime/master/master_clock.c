/* master_clock.c: what the time brings: the user, the adviser, limits that pass. */
#include <math.h>
#include <stdlib.h>

#include "runtime/master/master_private.h"
#include "runtime/os/clock.h"

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

/* Without memory nobody is told of. */
static void list_present(struct ls_master *master, struct ls_master_progress *progress) {
  struct ls_master_present *present = calloc(master->connections.count + 1, sizeof *present);
  for (size_t i = 0; present != NULL && i < master->connections.count; ++i) {
    const struct ls_connection *worker = &master->connections.items[i];
    if (!worker->is_connected) continue;
    present[progress->present_count++] =
        (struct ls_master_present){.slot = (uint32_t)i,
                                   .has_units = worker->overhead.here > 0,
                                   .since_s = worker->overhead.since_s};
  }
  progress->present = present;
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
    double left_s = isnan(facts.left_s) ? master->now_s : facts.left_s;
    double up_s = left_s - facts.joined_s - facts.away_s - facts.suspended_s;
    ls_efficiency_add_useful(&progress.efficiency, facts.price_per_s, facts.busy_s);
    ls_efficiency_add_up(&progress.efficiency, facts.price_per_s, up_s);
  }
  progress.explanation = master->explain.is_short ? master->report->explanation : "";
  list_present(master, &progress);
  options->watch(options->context, &progress);
  free((void *)progress.present);
}

/* ---- the clock ---- */

/* Whoever was there is lost, and nobody was asked for in their place. */
static bool is_deserted(const struct ls_master *master) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(master->books.coordinator, &totals);
  return master->options->config.replacing == LS_REPLACING_NEVER && totals.workers_lost > 0;
}

static void fail_alone(struct ls_master *master, double seconds) {
  struct ls_error err;
  if (ls_master_fail_unable(master)) return;
  struct ls_bytes need = {0};
  const char *why = ls_pools_counts(&master->doors.pools).why;
  if (why == NULL) why = master->staffing.why;
  if (is_deserted(master)) why = "who is lost is not replaced";
  ls_master_write_need(master, why[0] != '\0' ? "; " : ": ", &need);
  (void)ls_fail(&err, LS_ENOWORKERS, "no worker for %.6g s%s%s%s", seconds,
                why[0] != '\0' ? ": " : "", why, ls_bytes_text(&need));
  ls_bytes_close(&need);
  ls_master_note_failure(master, LS_ENOWORKERS, &err);
}

bool ls_master_has_guests(const struct ls_master *master) {
  const struct ls_site *site = master->options->site;
  for (size_t i = 0; i < site->doors_count; ++i) {
    if (site->doors[i].is_open && !site->doors[i].is_for_pools) return true;
  }
  return false;
}

/* Nobody is on his way, no pool will ever have anybody, or be asked for them, and nobody else can
 * come. */
static bool is_hopeless(const struct ls_master *master) {
  struct ls_pool_counts counts = ls_pools_counts(&master->doors.pools);
  bool is_final = master->staffing.is_final && master->staffing.owed == 0;
  /* Where somebody came before, a host may only be out of reach for a while. */
  bool is_nowhere = counts.wanted > 0 && counts.wanted == counts.hopeless &&
                    master->staffing.owed == 0 && !master->staffing.is_able;
  bool is_nobody = counts.wanted == 0 && (is_final || is_deserted(master));
  return !ls_master_has_guests(master) && counts.granted == 0 && (is_nobody || is_nowhere);
}

bool ls_master_is_staffed(const struct ls_master *master) {
  const struct ls_coordinator_config *config = &master->options->config;
  return master->connections.peers.count > 0 && config->homes == 0 && !config->has_needs;
}

/* Where units are not for all, whoever is idle while some wait is none of those that they wait for.
 */
static bool is_anybody_useful(const struct ls_master *master) {
  struct ls_coordinator_totals totals;
  if (master->connections.peers.count == 0) return false;
  if (ls_master_is_staffed(master)) return true;
  ls_coordinator_totals(master->books.coordinator, &totals);
  /* One that was started and has not joined yet may be the one. */
  bool is_coming = ls_pools_counts(&master->doors.pools).granted > master->connections.peers.count;
  return totals.sent > 0 || totals.waiting == 0 || totals.is_pausing || is_coming;
}

/* May a worker with the label ever be there? */
static bool may_have(const struct ls_master *master, const char *label) {
  const struct ls_master_options *options = master->options;
  bool is_told = options->labels_count >= master->doors.pools.slots;
  if (ls_master_has_guests(master) || !is_told) return true;
  for (size_t i = 0; i < options->labels_count; ++i)
    if (ls_labels_have(options->labels[i], label)) return true;
  return false;
}

/* Nothing runs, and all that waits needs labels that nobody will ever have. */
static bool is_vain(const struct ls_master *master, struct ls_coordinator_lack *first) {
  struct ls_coordinator_totals totals;
  struct ls_coordinator_lack lack;
  uint64_t units = 0;
  if (!master->options->config.has_needs || master->supply.is_open) return false;
  ls_coordinator_totals(master->books.coordinator, &totals);
  if (totals.sent > 0 || totals.waiting == 0 || totals.is_stopping) return false;
  for (uint32_t lane = 0; ls_coordinator_next_lack(master->books.coordinator, &lane, &lack);) {
    if (may_have(master, lack.label)) continue;
    if (units == 0) *first = lack;
    units += lack.units;
  }
  return units == totals.waiting;
}

static void fail_vain(struct ls_master *master, const struct ls_coordinator_lack *lack) {
  struct ls_error err;
  bool is_task = master->options->app->runs_commands;
  struct ls_bytes others = {0};
  if (lack->units > 1)
    ls_bytes_printf(&others, " and %llu more", (unsigned long long)lack->units - 1);
  (void)ls_fail(&err, LS_ENOWORKERS,
                "%s %llu%s: need a worker with label %s, and no worker of this run has it",
                is_task ? "task" : "unit", (unsigned long long)lack->unit + is_task,
                ls_bytes_text(&others), lack->label);
  ls_bytes_close(&others);
  ls_master_note_failure(master, LS_ENOWORKERS, &err);
}

/* Who is away may come back, so he counts, too; and a pool's queue has its own time. */
static void check_workers(struct ls_master *master) {
  double seconds = master->now_s - master->worker_seen_s;
  struct ls_coordinator_lack lack;
  if (is_vain(master, &lack)) {
    fail_vain(master, &lack);
  } else if (is_anybody_useful(master) || ls_pools_is_pending(&master->doors.pools)) {
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
    ls_port_forget(&master->port, worker->peer);
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
  ls_master_tell_slow(master);
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
