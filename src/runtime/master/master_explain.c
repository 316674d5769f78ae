/* master_explain.c: what became of the workers that were asked for: told, kept and journalled. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/running.h"
#include "runtime/journal/journal_slots.h"
#include "runtime/master/master_private.h"
#include "runtime/pool/shortage.h"

/* So often it is looked at. */
static const double EXPLAIN_S = 1;

/* ---- slots ---- */

static const char *name_news(enum ls_pool_news_kind kind) {
  static const char *const names[] = {
      [LS_POOL_GRANTED] = "granted", [LS_POOL_REFUSED] = "refused",
      [LS_POOL_LOST] = "ended",      [LS_POOL_SUSPENDED] = "suspended",
      [LS_POOL_RESUMED] = "resumed", [LS_POOL_PENDING] = "pending",
      [LS_POOL_DENIED] = "denied",
  };
  return names[kind];
}

static void journal(struct ls_master *master, const struct ls_journal_slot *slot) {
  if (master->books.journal != NULL) ls_journal_slot(master->books.journal, slot);
}

void ls_master_note_slot(struct ls_master *master, const struct ls_pool_news *news) {
  const struct ls_pool_kind *kind = ls_pools_last(&master->doors.pools);
  struct ls_master_slots *slots = &master->report->slots;
  if (kind->has_lifelines) return;
  slots->granted += news->kind == LS_POOL_GRANTED;
  slots->ended += news->kind == LS_POOL_LOST;
  slots->suspended += news->kind == LS_POOL_SUSPENDED;
  if (news->kind == LS_POOL_PENDING) slots->pending += news->count;
  if (news->kind == LS_POOL_DENIED || news->kind == LS_POOL_REFUSED) slots->denied += news->count;
  journal(master, &(struct ls_journal_slot){.time_s = master->now_s,
                                            .pool = kind->name,
                                            .slot = news->slot,
                                            .workers = news->slot > 0 ? 1 : news->count,
                                            .kind = name_news(news->kind),
                                            .why = news->words != NULL ? news->words : ""});
}

static void note_end(struct ls_master *master, uint32_t slot, const char *kind, const char *why) {
  journal(master, &(struct ls_journal_slot){.time_s = master->now_s,
                                            .pool = "",
                                            .slot = slot,
                                            .workers = 1,
                                            .kind = kind,
                                            .why = why});
}

void ls_master_note_release(struct ls_master *master, uint32_t slot) {
  struct ls_coordinator_totals totals;
  if (master->is_finished) return;
  ls_coordinator_totals(master->books.coordinator, &totals);
  note_end(master, slot, "released",
           totals.waiting > 0 ? "was wanted no more" : "had nothing left to do");
}

void ls_master_note_loss(struct ls_master *master, uint32_t slot) {
  note_end(master, slot, "lost", "was away for too long");
}

const char *ls_master_noun(const struct ls_master *master) {
  return master->options->app->runs_commands ? "task" : "unit";
}

void ls_master_note_unit_failure(struct ls_master *master, uint64_t unit,
                                 const struct ls_error *failure) {
  struct ls_error err = {0};
  (void)ls_fail(&err, failure->status, "%s %" PRIu64 ": %s", ls_master_noun(master), unit + 1,
                failure->text);
  ls_master_note_failure(master, failure->status, &err);
}

void ls_master_note_expulsion(struct ls_master *master, uint32_t slot, const char *why) {
  note_end(master, slot, "lost", why);
}

/* ---- the sentence ---- */

/* Units that wait for a label that nobody has who is there. */
static void write_lacks(const struct ls_master *master, const char *separator,
                        struct ls_bytes *out) {
  struct ls_coordinator_lack lack;
  for (uint32_t lane = 0; ls_coordinator_next_lack(master->books.coordinator, &lane, &lack);) {
    ls_bytes_printf(out, "%s%" PRIu64 " %ss wait for a worker with label %s", separator, lack.units,
                    ls_master_noun(master), lack.label);
    separator = "; ";
  }
}

void ls_master_write_need(const struct ls_master *master, const char *separator,
                          struct ls_bytes *out) {
  const char *needs = master->options->needs;
  uint64_t unfit = master->admission.unfit;
  write_lacks(master, separator, out);
  if (needs == NULL) return;
  ls_bytes_printf(out, "%sonly workers with label %s are let in", separator, needs);
  if (unfit > 0) ls_bytes_printf(out, ", and %" PRIu64 " without it came", unfit);
}

static void write_sentence(const struct ls_master *master, bool has_times, struct ls_bytes *out) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(master->books.coordinator, &totals);
  ls_shortage_write(&totals, &master->doors.pools, has_times, out);
  ls_master_write_need(master, "; ", out);
}

/* Somebody who came late, or not at all, is missed in the end, too. */
static void keep(struct ls_master *master, const char *sentence) {
  (void)snprintf(master->report->explanation, sizeof master->report->explanation, "%s", sentence);
}

static void tell(struct ls_master *master, const char *sentence) {
  const struct ls_master_options *options = master->options;
  journal(master, &(struct ls_journal_slot){
                      .time_s = master->now_s, .pool = "", .kind = "explained", .why = sentence});
  if (options->note != NULL) options->note(options->context, sentence);
}

static bool has_pool_elsewhere(const struct ls_master *master) {
  const struct ls_pools *pools = &master->doors.pools;
  for (size_t i = 0; i < pools->count; ++i)
    if (!pools->items[i].kind->has_lifelines) return true;
  return false;
}

/* A worker runs the first unit that it has, since its last result, or since it joined. */
static void list_running(const struct ls_master *master) {
  const struct ls_master_options *options = master->options;
  struct ls_running running;
  for (uint32_t i = 0; i < master->connections.count; ++i) {
    const struct ls_connection *worker = &master->connections.items[i];
    if (!worker->is_connected || !ls_coordinator_running(master->books.coordinator, i, &running))
      continue;
    const char *words =
        options->name_unit != NULL ? options->name_unit(options->context, running.unit) : NULL;
    char line[400];
    (void)snprintf(line, sizeof line, "runs: %s %" PRIu64 "%s%.200s%s on %.60s for %.1f s",
                   ls_master_noun(master), running.unit + 1, words != NULL ? " (" : "",
                   words != NULL ? words : "", words != NULL ? ")" : "", worker->facts.name,
                   fmax(0, master->now_s - worker->last_end_s));
    options->warn(options->context, line);
  }
}

static void answer_question(struct ls_master *master) {
  const struct ls_master_options *options = master->options;
  if (options->questions == NULL || *options->questions == master->explain.questions) return;
  master->explain.questions = *options->questions;
  struct ls_bytes sentence = {0};
  if (options->warn != NULL) list_running(master);
  write_sentence(master, true, &sentence);
  if (options->warn != NULL) options->warn(options->context, ls_bytes_text(&sentence));
  ls_bytes_close(&sentence);
}

/* Told when more than a time has changed. */
static void look(struct ls_master *master) {
  struct ls_explain *explain = &master->explain;
  struct ls_coordinator_totals totals;
  struct ls_bytes gist = {0}, sentence = {0};
  ls_coordinator_totals(master->books.coordinator, &totals);
  write_sentence(master, false, &gist);
  write_sentence(master, true, &sentence);
  uint32_t lane = 0;
  struct ls_coordinator_lack lack;
  size_t working = totals.workers_present - totals.workers_suspended;
  explain->is_short = working < totals.workers_wanted ||
                      ls_coordinator_next_lack(master->books.coordinator, &lane, &lack);
  if (totals.workers_present > explain->most) explain->most = totals.workers_present;
  if (totals.workers_wanted > explain->wanted) explain->wanted = totals.workers_wanted;
  bool is_new = strcmp(ls_bytes_text(&gist), ls_bytes_text(&explain->gist)) != 0;
  if (explain->is_short) keep(master, ls_bytes_text(&sentence));
  if (is_new && (explain->is_short || explain->was_told)) {
    tell(master, ls_bytes_text(&sentence));
    explain->was_told = explain->is_short;
  }
  ls_bytes_close(&explain->gist);
  explain->gist = gist;
  ls_bytes_close(&sentence);
}

void ls_master_explain_presence(struct ls_master *master) {
  size_t present = master->connections.peers.count;
  if (present > master->explain.most) master->explain.most = present;
}

void ls_master_on_explain(struct ls_master *master) {
  answer_question(master);
  if (master->is_finished || master->now_s < master->explain.due_s) return;
  master->explain.due_s = master->now_s + EXPLAIN_S;
  bool needs_guests = master->options->needs != NULL && ls_master_has_guests(master);
  if (has_pool_elsewhere(master) || needs_guests || master->options->config.has_needs) look(master);
}

/* What is not there any more is no reason: all came once. */
void ls_master_end_explain(struct ls_master *master) {
  if (master->explain.most >= master->explain.wanted) master->report->explanation[0] = '\0';
  ls_bytes_close(&master->explain.gist);
}
