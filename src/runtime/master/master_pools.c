/* master_pools.c: the news of the pools as events of the coordinator. */
#include <math.h>
#include <stdio.h>

#include "coordinator/running.h"
#include "runtime/master/master_private.h"

enum { WORDS_BYTES = 512, LIMIT_BYTES = 64 };

static void on_granted(struct ls_master *master) {
  size_t told = ls_staffing_grant(&master->staffing);
  struct ls_event event = ls_master_event(master, LS_EVENT_GRANTED, LS_WORKER_NONE);
  event.granted = told;
  if (told > 0) ls_master_step(master, &event, NULL);
}

/* What the user asked of a pool cannot be: that ends a run that has nobody else. */
static void on_mistake(struct ls_master *master, const char *words) {
  struct ls_pool_counts counts = ls_pools_counts(&master->doors.pools);
  const struct ls_master_options *options = master->options;
  bool has_others = counts.wanted + counts.granted + master->connections.peers.count > 0 ||
                    ls_master_has_guests(master);
  struct ls_error err = {0};
  (void)ls_fail(&err, LS_EINVAL, "%s", words);
  if (!has_others) ls_master_note_failure(master, LS_EINVAL, &err);
  if (has_others && options->warn != NULL) options->warn(options->context, words);
}

/* A limit that nobody has got past is no passing trouble: nobody need wait for its end. */
static void give_up_barred(struct ls_master *master) {
  static const double patience_s = 3;
  const struct ls_staffing *staffing = &master->staffing;
  struct ls_error err;
  if (!ls_staffing_is_barred(staffing, master->now_s, patience_s)) return;
  if (ls_pools_counts(&master->doors.pools).granted + master->connections.peers.count > 0) return;
  if (ls_pools_are_coming(&master->doors.pools) || ls_master_has_guests(master)) return;
  (void)ls_fail(&err, LS_ENOWORKERS, "no worker can be started: %s", staffing->why);
  ls_master_note_failure(master, LS_ENOWORKERS, &err);
}

static void on_refused(struct ls_master *master, const struct ls_pool_news *news) {
  if (news->is_wrong && news->count > 0) on_mistake(master, news->words);
  size_t told = ls_staffing_refuse(&master->staffing, news, master->now_s);
  struct ls_event event = ls_master_event(master, LS_EVENT_REFUSED, LS_WORKER_NONE);
  event.refused = told;
  if (told > 0) ls_master_step(master, &event, NULL);
  if (news->is_barred) give_up_barred(master);
}

/* Workers whose processes all end before they join, or before they have said a word, or that leave
 * before they have done anything, as for want of room, are no accident: if nobody else is there, or
 * on the way, nobody is waited for. */
static void give_up_vain(struct ls_master *master) {
  const struct ls_staffing *staffing = &master->staffing;
  size_t most = 3 + master->options->config.workers;
  bool are_vain = staffing->untimely > most || staffing->unfit > most;
  struct ls_error err;
  if (!are_vain || master->connections.peers.count > 0) return;
  if (ls_pools_are_coming(&master->doors.pools) || ls_master_fail_unable(master)) return;
  (void)ls_fail(
      &err, LS_ENOWORKERS, "workers %s: %s",
      staffing->untimely > most ? "end before they begin" : "leave before they have done anything",
      staffing->why);
  ls_master_note_failure(master, LS_ENOWORKERS, &err);
}

bool ls_master_fail_unable(struct ls_master *master) {
  const char *unable = ls_staffing_unable(&master->staffing);
  struct ls_error err;
  if (unable == NULL) return false;
  (void)ls_fail(&err, LS_EINVAL, "no worker can do this; the first to say so was %s", unable);
  ls_master_note_failure(master, LS_EINVAL, &err);
  return true;
}

static void on_loss_before_join(struct ls_master *master, const struct ls_pool_news *news) {
  if (master->is_stopping) return;
  ls_staffing_lose(&master->staffing, news, master->now_s);
  give_up_vain(master);
}

/* Of one that is only presumed to be lost its connection decides, as of any guest's. */
static void on_lost(struct ls_master *master, uint32_t worker, const struct ls_pool_news *news) {
  struct ls_connection *connection = &master->connections.items[worker];
  bool answers = news->is_presumed && !connection->is_cut &&
                 !ls_coordinator_is_unheard(master->books.coordinator, worker);
  bool is_untimely = ls_connection_end_process(connection);
  if (connection->is_connected && !answers) ls_master_lose(master, worker, news->cause);
  bool is_unfit = connection->has_left && connection->seen.units == 0;
  if (answers || master->is_stopping || !(is_untimely || is_unfit)) return;
  if (is_unfit)
    ls_staffing_leave(&master->staffing, news);
  else
    ls_staffing_miss(&master->staffing, news);
  give_up_vain(master);
}

/* Nobody works, and nobody will before somebody lets one go on: a task may have stopped the workers
 * one by one. */
static void warn_of_stop(struct ls_master *master, const struct ls_pool_news *news) {
  const struct ls_master_options *options = master->options;
  double limit_s = options->timeout_s > 0 ? options->timeout_s : master->limit.told_s;
  struct ls_coordinator_totals totals;
  char words[WORDS_BYTES], limit[LIMIT_BYTES] = "";
  ls_coordinator_totals(master->books.coordinator, &totals);
  bool is_last = totals.workers_suspended > 0 && totals.workers_suspended == totals.workers_present;
  if (!is_last || options->warn == NULL || ls_pools_are_coming(&master->doors.pools)) return;
  if (limit_s > 0)
    (void)snprintf(limit, sizeof limit, " or a task of theirs has run for %g s (--timeout)",
                   limit_s);
  (void)snprintf(words, sizeof words,
                 "no worker goes on: that in slot %u, process %lld, was %s, as all others; the run "
                 "waits until one is let go on (kill -CONT)%s",
                 news->slot, (long long)news->pid, news->words != NULL ? news->words : "stopped",
                 limit);
  options->warn(options->context, words);
}

/* Whoever keeps the machines of others says why they are away. */
static void on_stop(struct ls_master *master, uint32_t worker, const struct ls_pool_news *news) {
  struct ls_event event = ls_master_event(master, LS_EVENT_SUSPENDED, worker);
  bool is_here =
      ls_pools_has_lifeline(&master->doors.pools, master->connections.items[worker].facts.slot);
  event.suspended = (struct ls_event_suspended){.reason = is_here ? LS_AWAY_STOPPED : LS_AWAY_TOLD};
  if (!master->connections.items[worker].is_connected) return;
  ls_master_step(master, &event, NULL);
  if (is_here && master->failure.status == LS_OK) warn_of_stop(master, news);
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
      if (is_known) on_stop(master, worker, news);
      break;
    case LS_POOL_RESUMED:
      if (is_known && master->connections.items[worker].is_connected) {
        ls_master_tell(master, LS_EVENT_RESUMED, worker);
      }
      break;
    case LS_POOL_PENDING:
    case LS_POOL_DENIED:
    case LS_POOL_NEWS_COUNT:
      break;
  }
}

void ls_master_on_pools(struct ls_master *master) {
  struct ls_pool_news news;
  master->pools_due_s = HUGE_VAL;
  while (master->failure.status == LS_OK && ls_pools_poll(&master->doors.pools, &news)) {
    ls_master_note_slot(master, &news);
    on_news(master, &news);
    ls_master_ask_halt(master);
  }
}
