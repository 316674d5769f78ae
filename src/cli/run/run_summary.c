#include "cli/run/run_summary.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "cli/terms_options.h"
#include "formats/account_json.h"
#include "report/report.h"

/* The lost workers of a run do not fill a page. */
enum { ROWS_MAX = 40 };

static double measure_idle(const struct ls_master_report *report,
                           const struct ls_master_worker *worker) {
  double end_s = isnan(worker->left_s) ? report->makespan_s : worker->left_s;
  double idle_s = fmin(end_s, report->makespan_s) - worker->joined_s - worker->away_s -
                  worker->suspended_s - worker->busy_s;
  return idle_s > 0 ? idle_s : 0;
}

uint64_t ls_run_summary_failed(const struct ls_run_summary *summary) {
  const struct ls_master_report *report = summary->report;
  return report->units_failed + report->units_given_up + report->units_failed_before;
}

uint64_t ls_run_summary_left(const struct ls_run_summary *summary) {
  const struct ls_coordinator_totals *totals = &summary->report->totals;
  /* Before the first iteration opens, everything is left. */
  return summary->report->has_begun ? totals->waiting + totals->sent : summary->units;
}

static void write_commands(const struct ls_run_summary *summary, struct ls_bytes *out) {
  uint64_t tasks = summary->report->tasks_done + summary->report->tasks_failed;
  if (summary->has_bundles && tasks > 0)
    ls_bytes_printf(out, ", in %llu command%s", (unsigned long long)tasks, tasks == 1 ? "" : "s");
}

static void write_tasks(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_master_report *report = summary->report;
  ls_bytes_printf(out, "tasks      %llu done, %llu failed", (unsigned long long)report->units_done,
                  (unsigned long long)report->units_failed);
  write_commands(summary, out);
  if (report->units_given_up > 0)
    ls_bytes_printf(out, ", %llu abandoned", (unsigned long long)report->units_given_up);
  if (report->units_before > 0)
    ls_bytes_printf(out, ", %llu in earlier sessions", (unsigned long long)report->units_before);
  if (report->units_failed_before > 0)
    ls_bytes_printf(out, " (%llu failed)", (unsigned long long)report->units_failed_before);
  uint64_t left = ls_run_summary_left(summary);
  if (left > 0) ls_bytes_printf(out, ", %llu not run", (unsigned long long)left);
  if (report->totals.units_retried > 0)
    ls_bytes_printf(out, "; %llu tried again", (unsigned long long)report->totals.units_retried);
  ls_bytes_append_char(out, '\n');
}

/* So many of the candidates are shown; -v shows all before the run. */
enum { CANDIDATES_SHOWN = 5 };

static bool has_words(const char *text) {
  return text != NULL && text[0] != '\0';
}

static void write_expectations(const char *lines, struct ls_bytes *out) {
  size_t count = 0;
  /* The last line is the reason, which stands above. */
  for (const char *line = lines, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    bool is_last = end[1] == '\0';
    if (!is_last && count < CANDIDATES_SHOWN)
      ls_bytes_printf(out, "           %.*s\n", (int)(end - line), line);
    count += !is_last;
  }
  if (count > CANDIDATES_SHOWN)
    ls_bytes_printf(out, "             ... and %zu more (-v shows all)\n",
                    count - CANDIDATES_SHOWN);
}

/* The policy at the end. */
static const char *name_last(const struct ls_run_summary *summary) {
  const struct ls_chunking *chunking = summary->report->totals.chunking;
  return chunking != NULL ? chunking->name : summary->policy;
}

/* Of this session. */
static struct ls_offer find_end(const struct ls_run_summary *summary) {
  return (struct ls_offer){.time_s = summary->report->makespan_s, .price = summary->report->price};
}

/* A run that was stopped says nothing of what its rest would have taken. */
static bool has_done_all(const struct ls_run_summary *summary) {
  return !summary->report->was_stopped && ls_run_summary_left(summary) == 0;
}

/* The choice of auto, and the changes since. */
static void write_choice(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_master_report *report = summary->report;
  if (has_words(summary->reason) && (!summary->is_brief || summary->has_asked))
    ls_bytes_printf(out, "auto       %s\n", summary->reason);
  if (has_words(summary->expectations) && !summary->is_brief)
    write_expectations(summary->expectations, out);
  if (has_words(summary->prefetch_reason))
    ls_bytes_printf(out, "prefetch   %s\n", summary->prefetch_reason);
  if (report->advices > 0 && !summary->is_brief)
    ls_bytes_printf(out, "advice     %s, prefetch %llu in place of %s, prefetch %llu: %s\n",
                    name_last(summary), (unsigned long long)report->prefetch, summary->policy,
                    (unsigned long long)summary->prefetch,
                    has_words(summary->advice) ? summary->advice : "advised");
  const struct ls_offer end = find_end(summary);
  ls_terms_write_end(&summary->terms, &end, has_done_all(summary), out);
}

/* The table of the parts says nothing of a run that did not come to its end. */
static void write_prediction(const struct ls_run_summary *summary, struct ls_bytes *out) {
  if (summary->is_brief && !summary->has_foretold) return;
  if (summary->comparison != NULL)
    ls_report_comparison(summary->comparison, out);
  else if (has_words(summary->excuse))
    ls_bytes_printf(out, "predicted  nothing: %s\n", summary->excuse);
}

/* "sizing     asp: 8, 3 x5, 2 workers wanted in 7 iterations". */
static void write_sizing(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_master_report *report = summary->report;
  size_t shown = 0, i = 0;
  if (summary->sizing == NULL) return;
  ls_bytes_printf(out, "sizing     %s: ", summary->sizing);
  while (i < report->wanted_count && shown < ROWS_MAX) {
    size_t same = 1;
    while (i + same < report->wanted_count && report->wanted[i + same] == report->wanted[i]) same++;
    ls_bytes_printf(out, "%s%u", shown > 0 ? ", " : "", report->wanted[i]);
    if (same > 1) ls_bytes_printf(out, " x%zu", same);
    i += same;
    shown++;
  }
  ls_bytes_printf(out, "%s workers wanted in %zu iterations\n",
                  i < report->wanted_count ? ", ..." : "", report->wanted_count);
}

static void write_size(const struct ls_run_summary *summary, struct ls_bytes *out) {
  if (summary->size == NULL || summary->is_brief) return;
  ls_bytes_append_text(out, "perfect    ");
  ls_size_advice_describe(summary->size, out);
  ls_bytes_append_char(out, '\n');
}

/* A replica is wasted when the original was first, or when neither came to anything. */
static uint64_t count_wasted(const struct ls_master_report *report) {
  return report->totals.replicas - report->totals.replicas_won;
}

static void write_replicas(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_coordinator_totals *totals = &summary->report->totals;
  if (summary->replication == NULL) return;
  ls_bytes_printf(out,
                  "replicas   %s: %llu made, %llu first, %llu wasted; %.4g s of those that were "
                  "not first; %s%zu extra workers\n",
                  summary->replication, (unsigned long long)totals->replicas,
                  (unsigned long long)totals->replicas_won,
                  (unsigned long long)count_wasted(summary->report), totals->replicas_lost_s,
                  strcmp(summary->replication, "auto") == 0 ? "at most " : "", summary->extra);
}

static void write_recalls(const struct ls_master_report *report, struct ls_bytes *out) {
  if (report->totals.recalls == 0) return;
  ls_bytes_printf(out,
                  "recalls    %llu: what waited at busy workers was taken back for idle ones\n",
                  (unsigned long long)report->totals.recalls);
}

/* Only where it follows from their number. */
static void write_heartbeat(const struct ls_master_report *report, struct ls_bytes *out) {
  if (!(report->beat_s > 0 && report->heartbeat_s > 1)) return;
  ls_bytes_printf(out,
                  "heartbeat  %.3g s at most, as one costs %.3g us: who is not heard for three of "
                  "them was taken to be away\n",
                  report->heartbeat_s, 1e6 * report->beat_s);
}

/* Where no worker has a price of its own, the price says no more than the seconds up. */
static bool has_prices(const struct ls_master_report *report) {
  for (size_t i = 0; i < report->workers_count; i++) {
    double price_per_s = report->workers[i].price_per_s;
    if (price_per_s < 1 || price_per_s > 1) return true;
  }
  return false;
}

static double price_worker(const struct ls_master_worker *worker) {
  return worker->price_per_s * worker->up_s;
}

static bool has_staged(const struct ls_master_report *report) {
  for (size_t i = 0; i < report->workers_count; i++)
    if (report->workers[i].stage_s > 0) return true;
  return false;
}

/* The share of a worker's staging that went on beside its computing; NAN: it staged nothing. */
static double measure_hidden(const struct ls_master_worker *worker) {
  return worker->stage_s > 0 ? 1 - worker->exposed_s / worker->stage_s : (double)NAN;
}

static void write_staging(const struct ls_master_worker *worker, struct ls_bytes *out) {
  double hidden = measure_hidden(worker);
  ls_bytes_printf(out, " %10.3f", worker->stage_s);
  if (isnan(hidden))
    ls_bytes_printf(out, " %7s", "");
  else
    ls_bytes_printf(out, " %6.1f%%", 100 * hidden);
}

static void write_price(const struct ls_master_report *report, struct ls_bytes *out) {
  if (has_prices(report))
    ls_bytes_printf(out, "price      %.6g (cost x seconds up)\n", report->price);
}

static void write_workers(const struct ls_master_report *report, struct ls_bytes *out) {
  bool is_priced = has_prices(report), is_staged = has_staged(report);
  if (report->workers_count == 0) return;
  ls_bytes_printf(out, "%-18s %10s %10s %8s %8s%s%s\n", "worker", "busy s", "idle s", "chunks",
                  "tasks", is_staged ? "   staged s  hidden" : "", is_priced ? "      price" : "");
  for (size_t i = 0; i < report->workers_count && i < ROWS_MAX; i++) {
    const struct ls_master_worker *worker = &report->workers[i];
    ls_bytes_printf(out, "  %-16.40s %10.3f %10.3f %8llu %8llu", worker->name, worker->busy_s,
                    measure_idle(report, worker), (unsigned long long)worker->chunks,
                    (unsigned long long)worker->units);
    if (is_staged) write_staging(worker, out);
    if (is_priced) ls_bytes_printf(out, " %10.4g", price_worker(worker));
    ls_bytes_printf(out, "%s\n",
                    isnan(worker->left_s) || worker->left_s >= report->makespan_s ? "" : "  left");
  }
  if (report->workers_count > ROWS_MAX)
    ls_bytes_printf(out, "  ... and %zu more\n", report->workers_count - ROWS_MAX);
}

/* A host that is not to be had is unexpected; that others wait in a queue is not. */
static void write_explanation(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_master_report *report = summary->report;
  const struct ls_master_slots *slots = &report->slots;
  if (summary->is_brief && slots->denied == 0) return;
  /* Not every pool lets workers wait in a queue before they are granted. */
  uint64_t asked = slots->pending > slots->granted ? slots->pending : slots->granted;
  if (asked + slots->denied > 0 && !summary->is_brief)
    ls_bytes_printf(out,
                    "slots      %llu asked for, %llu granted, %llu ended, %llu not to be had\n",
                    (unsigned long long)asked, (unsigned long long)slots->granted,
                    (unsigned long long)slots->ended, (unsigned long long)slots->denied);
  if (report->explanation[0] != '\0') ls_bytes_printf(out, "explained  %s\n", report->explanation);
}

/* Who could join, and who should not have. */
static void write_strangers(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_strangers *strangers = &summary->report->strangers;
  if (has_words(summary->pools) && !summary->is_brief)
    ls_bytes_printf(out, "pools      %s\n", summary->pools);
  if (has_words(summary->listens) && !summary->is_brief)
    ls_bytes_printf(out, "listened   %s\n", summary->listens);
  if (strangers->frames_dropped + strangers->connections_closed == 0) return;
  ls_bytes_printf(out, "strangers  %llu messages dropped, %llu connections closed\n",
                  (unsigned long long)strangers->frames_dropped,
                  (unsigned long long)strangers->connections_closed);
}

/* Workers with an end of their time that tasks outlast. */
static void write_expiries(const struct ls_coordinator_totals *totals, struct ls_bytes *out) {
  if (totals->expiries == 0) return;
  ls_bytes_printf(out,
                  "lifetimes  %llu times the end of a worker's time stopped a task, after %.4g s "
                  "at most",
                  (unsigned long long)totals->expiries, totals->expired_s);
  if (totals->lacking_s > 0)
    ls_bytes_printf(out, "; nobody had the %.4g s left that one without a result needs",
                    totals->lacking_s);
  ls_bytes_append_char(out, '\n');
}

/* All tasks of all chunks, as they were sent: tasks that came back were sent again, a replica is a
 * chunk; what came back with its whole chunk before it began is in none. */
static uint64_t count_sent(const struct ls_master_report *report) {
  const struct ls_coordinator_totals *totals = &report->totals;
  uint64_t settled = report->units_done + report->units_failed + report->units_given_up;
  uint64_t returned = totals->units_returned - totals->units_unbegun;
  return settled + totals->sent + returned + totals->replicas;
}

static const char *name_tasks(uint64_t count) {
  return count == 1 ? "task" : "tasks";
}

/* A resume found that nothing was left. */
static bool had_nothing_to_do(const struct ls_run_summary *summary) {
  const struct ls_master_report *report = summary->report;
  return report->units_before > 0 && ls_run_summary_left(summary) == 0 &&
         report->units_done + report->units_failed + report->units_given_up == 0;
}

static void write_nothing_to_do(const struct ls_master_report *report, struct ls_bytes *out) {
  unsigned long long before = report->units_before, failed = report->units_failed_before;
  unsigned long long done = before - failed;
  ls_bytes_append_text(out, "nothing to do: ");
  if (before == 1)
    ls_bytes_printf(out, "the task %s in an earlier session", done > 0 ? "was done" : "failed");
  else if (failed == 0 || done == 0)
    ls_bytes_printf(out, "all %llu tasks %s in earlier sessions", before,
                    done > 0 ? "were done" : "failed");
  else
    ls_bytes_printf(out, "in earlier sessions %llu %s done and %llu failed", done,
                    done == 1 ? "task was" : "tasks were", failed);
  ls_bytes_append_char(out, '\n');
}

/* The share of the workers' time in which they computed. Unlike the efficiency it counts work that
 * failed or was lost: it was no reason to wait. */
static double measure_busy(const struct ls_account *account) {
  const double *parts_s = account->parts_s;
  double present_s = account->makespan_s - parts_s[LS_ACCOUNT_AWAY] - parts_s[LS_ACCOUNT_ABSENT];
  double busy_s =
      parts_s[LS_ACCOUNT_WORK] + parts_s[LS_ACCOUNT_LATENCY] + parts_s[LS_ACCOUNT_LOSSES];
  return present_s > 0 ? fmin(busy_s / present_s, 1) : 0;
}

/* "12 tasks done in 0.07 s by 3 workers, 82 % busy, 2 failed (and 5 in earlier sessions)". */
static void write_headline(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_master_report *report = summary->report;
  unsigned long long left = ls_run_summary_left(summary), tries = summary->tries;
  if (had_nothing_to_do(summary)) {
    write_nothing_to_do(report, out);
    return;
  }
  ls_bytes_printf(out, "%llu %s done in %.*f s", (unsigned long long)report->units_done,
                  name_tasks(report->units_done), report->makespan_s < 100 ? 2 : 0,
                  report->makespan_s);
  if (report->workers_count > 0)
    ls_bytes_printf(out, " by %zu worker%s, %.0f %% busy", report->workers_count,
                    report->workers_count == 1 ? "" : "s", 100 * measure_busy(&report->account));
  write_commands(summary, out);
  if (report->units_failed > 0)
    ls_bytes_printf(out, ", %llu failed", (unsigned long long)report->units_failed);
  if (report->units_given_up > 0)
    ls_bytes_printf(out, ", %llu abandoned", (unsigned long long)report->units_given_up);
  if (report->units_given_up > 0 && tries > 0)
    ls_bytes_printf(out, " after %llu %s", tries, tries == 1 ? "try" : "tries");
  if (left > 0) ls_bytes_printf(out, ", %llu not run", left);
  if (report->units_before > 0)
    ls_bytes_printf(out, " (and %llu in earlier sessions",
                    (unsigned long long)report->units_before);
  if (report->units_before > 0 && report->units_failed_before > 0)
    ls_bytes_printf(out, ", %llu of them failed", (unsigned long long)report->units_failed_before);
  ls_bytes_append_text(out, report->units_before > 0 ? ")\n" : "\n");
}

/* So much must be saved before somebody is told: a share of the time, and seconds. */
static const double ADVICE_SHARE = 0.1, ADVICE_S = 1;

static void write_hint(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_size_advice *size = summary->size;
  const struct ls_master_report *report = summary->report;
  if (size == NULL || size->perfect <= report->workers_count) return;
  double saved_s = report->makespan_s - size->time_s;
  if (!has_done_all(summary) || !(saved_s > ADVICE_S) ||
      !(saved_s > ADVICE_SHARE * report->makespan_s))
    return;
  ls_bytes_printf(
      out, "hint       %zu workers of this speed, on cores of their own, would have taken %.*f s\n",
      size->perfect, size->time_s < 100 ? 2 : 0, size->time_s);
}

static void write_policy(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_master_report *report = summary->report;
  uint64_t chunks = report->totals.chunks;
  ls_bytes_printf(out, "makespan   %.3f s, efficiency %.1f %%%s", report->makespan_s,
                  100 * report->efficiency, has_prices(report) ? " (at cost)" : "");
  if (report->efficiency > 0)
    ls_bytes_printf(out, ", EER %.3f s", report->makespan_s / report->efficiency);
  ls_bytes_printf(out, "\npolicy     %s, order %s: %llu chunk%s", summary->policy, summary->order,
                  (unsigned long long)chunks, chunks == 1 ? "" : "s");
  double mean = chunks > 0 ? (double)count_sent(report) / (double)chunks : 0;
  if (chunks > 0) ls_bytes_printf(out, " of %.4g task%s", mean, mean > 1 || mean < 1 ? "s" : "");
  ls_bytes_printf(out, "; %llu messages sent, %llu received\n",
                  (unsigned long long)report->messages_sent,
                  (unsigned long long)report->messages_received);
}

static void write_faults(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_master_report *report = summary->report;
  if (report->totals.workers_lost == 0 && (summary->is_brief || report->results_late == 0)) return;
  ls_bytes_printf(out, "faults     %zu workers lost, %llu tasks sent again, %llu late results\n",
                  report->totals.workers_lost, (unsigned long long)report->totals.units_returned,
                  (unsigned long long)report->results_late);
}

void ls_run_summary_write(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_master_report *report = summary->report;
  write_headline(summary, out);
  if (summary->failures != NULL) ls_failures_write(summary->failures, summary->repeat, out);
  write_hint(summary, out);
  if (!summary->is_brief) write_tasks(summary, out);
  if (!summary->is_brief) write_policy(summary, out);
  write_choice(summary, out);
  write_prediction(summary, out);
  if (summary->learnt != NULL && !summary->is_brief) ls_run_learnt_write(summary->learnt, out);
  if (has_words(summary->calibrated)) ls_bytes_printf(out, "calibrated %s\n", summary->calibrated);
  write_sizing(summary, out);
  write_size(summary, out);
  write_replicas(summary, out);
  if (!summary->is_brief) write_recalls(report, out);
  if (!summary->is_brief) write_heartbeat(report, out);
  write_faults(summary, out);
  write_expiries(&report->totals, out);
  write_strangers(summary, out);
  write_explanation(summary, out);
  write_price(report, out);
  if (!summary->is_brief) write_workers(report, out);
}

static void write_count(struct ls_bytes *out, const char *name, uint64_t count) {
  ls_bytes_printf(out, ", \"%s\": %llu", name, (unsigned long long)count);
}

static void write_number(struct ls_bytes *out, const char *name, double number) {
  ls_bytes_printf(out, ", \"%s\": ", name);
  ls_json_write_number(out, number);
}

static void write_text(struct ls_bytes *out, const char *name, const char *text) {
  ls_bytes_printf(out, ", \"%s\": ", name);
  ls_json_write_string(out, text);
}

static void write_terms_json(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_offer end = find_end(summary);
  if (!ls_terms_are_given(&summary->terms)) return;
  if (summary->terms.deadline_s > 0) write_number(out, "deadline", summary->terms.deadline_s);
  if (ls_terms_limit_price(&summary->terms))
    write_number(out, "price_max", summary->terms.price_max);
  ls_bytes_printf(
      out, ", \"terms_kept\": %s",
      has_done_all(summary) && ls_terms_are_kept(&summary->terms, &end) ? "true" : "false");
}

static void write_slots_json(const struct ls_master_report *report, struct ls_bytes *out) {
  const struct ls_master_slots *slots = &report->slots;
  if (slots->pending + slots->denied + slots->granted > 0)
    ls_bytes_printf(out,
                    ", \"slots\": {\"pending\": %llu, \"denied\": %llu, \"granted\": %llu, "
                    "\"suspended\": %llu, \"ended\": %llu}",
                    (unsigned long long)slots->pending, (unsigned long long)slots->denied,
                    (unsigned long long)slots->granted, (unsigned long long)slots->suspended,
                    (unsigned long long)slots->ended);
  if (report->explanation[0] != '\0') write_text(out, "explained", report->explanation);
}

static void write_workers_json(const struct ls_master_report *report, struct ls_bytes *out) {
  ls_bytes_append_text(out, ", \"workers\": [");
  for (size_t i = 0; i < report->workers_count; i++) {
    const struct ls_master_worker *worker = &report->workers[i];
    ls_bytes_append_text(out, i > 0 ? ", {\"name\": " : "{\"name\": ");
    ls_json_write_string(out, worker->name);
    write_count(out, "slot", worker->slot);
    write_number(out, "joined", worker->joined_s);
    write_number(out, "left", worker->left_s);
    write_number(out, "busy", worker->busy_s);
    write_number(out, "idle", measure_idle(report, worker));
    write_number(out, "suspended", worker->suspended_s);
    write_number(out, "staged", worker->stage_s);
    write_number(out, "hidden", measure_hidden(worker));
    write_number(out, "price", price_worker(worker));
    write_count(out, "chunks", worker->chunks);
    write_count(out, "units", worker->units);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_char(out, ']');
}

void ls_run_summary_write_json(const struct ls_run_summary *summary, struct ls_bytes *out) {
  const struct ls_master_report *report = summary->report;
  ls_bytes_append_text(out, "{\"application\": ");
  ls_json_write_string(out, summary->application);
  write_count(out, "tasks", summary->units);
  write_count(out, "done", report->units_done);
  write_count(out, "failed", report->units_failed);
  write_count(out, "given_up", report->units_given_up);
  write_count(out, "before", report->units_before);
  write_count(out, "failed_before", report->units_failed_before);
  write_count(out, "left", ls_run_summary_left(summary));
  /* Of several tasks each, of this session. */
  if (summary->has_bundles) {
    write_count(out, "commands", report->tasks_done + report->tasks_failed);
    write_count(out, "commands_failed", report->tasks_failed);
  }
  write_count(out, "retried", report->totals.units_retried);
  write_count(out, "recalls", report->totals.recalls);
  write_number(out, "makespan", report->makespan_s);
  write_number(out, "efficiency", report->efficiency);
  /* Execution time to efficiency ratio; null without efficiency. */
  write_number(out, "eer", report->makespan_s / report->efficiency);
  write_number(out, "price", report->price);
  write_text(out, "policy", summary->policy);
  write_text(out, "order", summary->order);
  if (has_words(summary->reason)) write_text(out, "auto", summary->reason);
  write_terms_json(summary, out);
  if (has_words(summary->prefetch_reason))
    write_text(out, "prefetch_auto", summary->prefetch_reason);
  write_count(out, "prefetch", summary->prefetch);
  write_count(out, "prefetch_end", report->prefetch);
  write_text(out, "policy_end", name_last(summary));
  write_count(out, "workers_wanted_end", report->totals.workers_wanted);
  write_count(out, "advices", report->advices);
  write_count(out, "seed", summary->seed);
  write_count(out, "chunks", report->totals.chunks);
  write_count(out, "messages_sent", report->messages_sent);
  write_count(out, "staged_bytes", report->staged_bytes);
  write_number(out, "prepare", report->prepare_s);
  write_count(out, "messages_received", report->messages_received);
  if (ls_usage_is_known(&report->usage)) {
    write_number(out, "user", report->usage.user_s);
    write_number(out, "system", report->usage.system_s);
    write_count(out, "peak_bytes", report->usage.peak_bytes);
  }
  write_count(out, "workers_lost", report->totals.workers_lost);
  write_count(out, "results_late", report->results_late);
  if (report->totals.expiries > 0) {
    write_count(out, "stopped_by_lifetime", report->totals.expiries);
    write_number(out, "stopped_after", report->totals.expired_s);
    write_number(out, "lifetime_lacking", report->totals.lacking_s);
  }
  write_number(out, "heartbeat", report->heartbeat_s);
  if (report->beat_s > 0) write_number(out, "beat_cost", report->beat_s);
  if (has_words(summary->pools)) write_text(out, "pools", summary->pools);
  write_slots_json(report, out);
  if (has_words(summary->listens)) {
    write_text(out, "listens", summary->listens);
    write_count(out, "strangers_frames", report->strangers.frames_dropped);
    write_count(out, "strangers_closed", report->strangers.connections_closed);
  }
  ls_bytes_printf(out, ", \"stopped\": %s, \"interrupted\": %s, \"exit_status\": %d",
                  report->was_stopped ? "true" : "false",
                  report->was_interrupted ? "true" : "false", summary->exit_status);
  if (summary->sizing != NULL) {
    write_text(out, "sizing", summary->sizing);
    ls_bytes_append_text(out, ", \"workers_wanted\": [");
    for (size_t i = 0; i < report->wanted_count; i++)
      ls_bytes_printf(out, "%s%u", i > 0 ? ", " : "", report->wanted[i]);
    ls_bytes_append_char(out, ']');
  }
  if (summary->size != NULL) {
    ls_bytes_append_text(out, ", \"perfect\": ");
    ls_size_advice_write_json(summary->size, out);
  }
  if (summary->replication != NULL) {
    write_text(out, "replication", summary->replication);
    write_count(out, "extra", summary->extra);
    write_count(out, "copies", report->totals.replicas);
    write_count(out, "copies_won", report->totals.replicas_won);
    write_count(out, "copies_wasted", count_wasted(report));
    write_number(out, "copies_lost_seconds", report->totals.replicas_lost_s);
  }
  if (summary->failures != NULL) ls_failures_write_json(summary->failures, out);
  ls_bytes_append_text(out, ", \"account\": ");
  ls_account_write(&report->account, out);
  if (summary->comparison != NULL) {
    ls_bytes_append_text(out, ", \"prediction\": ");
    ls_comparison_write(summary->comparison, out);
  }
  if (summary->learnt != NULL) {
    ls_bytes_append_text(out, ", \"learnt\": ");
    ls_run_learnt_write_json(summary->learnt, out);
  }
  if (has_words(summary->calibrated)) write_text(out, "calibrated", summary->calibrated);
  write_workers_json(report, out);
  ls_bytes_append_text(out, "}\n");
}
