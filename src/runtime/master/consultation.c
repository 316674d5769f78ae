/* consultation.c: questions to the adviser, at ever longer intervals. */
#include "runtime/master/consultation.h"
#include "runtime/pool/pools.h"

#include <math.h>

/* Advice has no basis before every worker has ended some units. */
enum { UNITS_LEAST = 4, WORKERS_MAX = 1024 };
static const double AFTER_S = 1;

void ls_consultation_init(struct ls_consultation *consultation, double after_s) {
  *consultation = (struct ls_consultation){.after_s = after_s > 0 ? after_s : AFTER_S};
}

bool ls_consultation_poll(struct ls_consultation *consultation, struct ls_adviser_answer *answer) {
  return ls_adviser_poll(&consultation->adviser, answer);
}

bool ls_consultation_is_due(const struct ls_consultation *consultation, double now_s) {
  return consultation->adviser.child == 0 &&
         now_s >= fmax(consultation->next_s, consultation->after_s);
}

/* Units per second of the run so far, waiting included: tiny units hardly keep any worker busy. */
static double measure_rate(const struct ls_connection *worker, double now_s) {
  double there_s = now_s - worker->since_s;
  return there_s > 0 ? (double)worker->seen.units / there_s : 0;
}

void ls_consultation_ask(struct ls_consultation *consultation,
                         const struct ls_consultation_facts *facts) {
  struct ls_adviser_worker workers[WORKERS_MAX];
  struct ls_room rooms[WORKERS_MAX];
  struct ls_error err;
  const struct ls_coordinator_config *config = &facts->options->config;
  double rate = 0;
  struct ls_adviser_facts told = {
      .now_s = facts->now_s,
      .units_left = facts->totals->waiting + facts->totals->sent,
      .prefetch = facts->prefetch,
      .chunking = facts->totals->chunking,
      .workers = workers,
      .rooms = rooms,
      .workers_most =
          ls_pools_count_slots(facts->options->site->pools, facts->options->site->pools_count)};
  for (size_t i = 0; i < facts->connections->count && told.workers_count < WORKERS_MAX; ++i) {
    const struct ls_connection *worker = &facts->connections->items[i];
    if (!worker->is_connected) continue;
    if (worker->seen.units < UNITS_LEAST) {
      consultation->next_s = facts->now_s + consultation->after_s / 2;
      return;
    }
    rate += measure_rate(worker, facts->now_s);
    workers[told.workers_count] = worker->seen;
    rooms[told.workers_count] = i < config->rooms_count ? config->rooms[i] : (struct ls_room){0};
    workers[told.workers_count].overhead_s =
        ls_overhead_per_chunk(&worker->overhead, worker->answer_s / 2);
    workers[told.workers_count++].latency_s = worker->answer_s / 2;
  }
  /* Ever longer intervals: early knowledge changes most. */
  consultation->next_s = fmax(2 * facts->now_s, consultation->after_s);
  told.left_s = rate > 0 ? (double)told.units_left / rate : 0;
  if (told.left_s < consultation->after_s) return;
  /* At the end of an iteration few units are left, but the next one has as many to do again. */
  if (!facts->options->app->runs_commands)
    told.units_left = facts->totals->units - facts->totals->units_idle;
  /* A run goes on without advice. */
  (void)!ls_adviser_ask(&consultation->adviser, facts->options->advise, facts->options->context,
                        &told, &err);
}

void ls_consultation_stop(struct ls_consultation *consultation) {
  ls_adviser_stop(&consultation->adviser);
}
