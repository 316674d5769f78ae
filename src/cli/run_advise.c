#include "cli/run_advise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "runtime/clock.h"

/* What a message costs where nobody has measured it: between processes of one machine, and between
 * machines; and what the master spends on a request. */
static const double LOCAL_LATENCY_S = 1e-4, REMOTE_LATENCY_S = 1e-3, REQUEST_S = 2e-5;
/* An advice takes at most this share of the run, and never longer than that. */
static const double TIME_SHARE = 0.01, TIME_MOST_S = 0.5;
enum { UNITS_MAX = 20000, DRAWS = 24, CANDIDATES_MAX = 32 };
static const double MARGIN = 0.02;
/* A change in the midst of a run disturbs it: it must save more. */
static const double MARGIN_NOW = 0.05;
enum { DRAWS_NOW = 4 };
static const double WAITING_LEAST = 0.1, LATENCY_MOST_S = 1;

static const char *const policies[] = {"ss",   "wf2", "af",  "awf-b", "awf-c", "mfsc",   "fac2",
                                       "tfss", "tss", "gss", "sc",    "fsc",   "monitor"};

/* A real worker asks for all that may wait at once, where a simulated one makes a request for each
 * chunk: the units of one request share its way. */
static void share_way(struct ls_platform *platform, double latency_s, uint64_t prefetch) {
  double delay_s = prefetch > 1 ? latency_s / (double)prefetch : latency_s;
  for (size_t i = 0; i < platform->workers_count; i++) platform->workers[i].delay_s = delay_s;
}

struct world {
  const struct ls_run_situation *situation;
  struct ls_platform platform;
  double latency_s; /* one way of a request */
  double *work, *weights;
  uint64_t units;
  double stop_s; /* on the clock */
};

static enum ls_status open_world(struct world *world, const struct ls_run_situation *situation,
                                 struct ls_error *err) {
  size_t workers = situation->workers;
  double mean_s = situation->history->mean_seconds;
  *world = (struct world){.situation = situation};
  world->units = situation->units < UNITS_MAX ? situation->units : UNITS_MAX;
  enum ls_status status = ls_platform_init(&world->platform, workers, err);
  if (status != LS_OK) return status;
  world->work = calloc(world->units + 1, sizeof *world->work);
  world->weights = calloc(workers, sizeof *world->weights);
  if (world->work == NULL || world->weights == NULL)
    return ls_fail(err, LS_ENOMEM, "out of memory for an advice");
  for (size_t i = 0; i < workers; i++) {
    double unit_s = situation->weights != NULL && situation->weights[i] > 0
                        ? mean_s / situation->weights[i]
                        : ls_run_history_slot(situation->history, i);
    world->platform.workers[i].compute.per_unit_s = fmax(unit_s, 1e-9);
    world->weights[i] = mean_s / fmax(unit_s, 1e-9);
  }
  world->latency_s = situation->is_remote ? REMOTE_LATENCY_S : LOCAL_LATENCY_S;
  world->platform.prepare.latency_s = REQUEST_S;
  double run_s = mean_s * (double)situation->units / (double)workers;
  world->stop_s = ls_clock_s() + fmin(TIME_MOST_S, TIME_SHARE * run_s);
  return LS_OK;
}

static void close_world(struct world *world) {
  free(world->work);
  free(world->weights);
  ls_platform_close(&world->platform);
}

/* Tasks of which the history knows the time take it; the others take that of some known one. */
static enum ls_status draw_world(void *context, size_t draw, struct ls_simulation *setup,
                                 struct ls_error *err) {
  struct world *world = context;
  const struct ls_run_history *history = world->situation->history;
  double mean_s = history->mean_seconds;
  struct ls_random random;
  (void)err;
  ls_random_init(&random, world->situation->seed + draw, "advice");
  for (uint64_t i = 0; i < world->units; i++) {
    uint64_t pick = ls_random_below(&random, history->lessons_count);
    world->work[i] = mean_s > 0 ? history->lessons[pick].seconds / mean_s : 1;
  }
  setup->platform = &world->platform;
  setup->units = world->units;
  setup->task_work = world->work;
  setup->config.weights = world->weights;
  setup->config.mean_seconds = mean_s;
  setup->config.deviation_seconds = history->deviation_seconds;
  setup->config.overhead_seconds = REQUEST_S + 2 * world->latency_s;
  setup->config.seed = world->situation->seed + draw;
  return LS_OK;
}

static void adapt_world(void *context, const struct ls_candidate *candidate) {
  struct world *world = context;
  share_way(&world->platform, world->latency_s, candidate->prefetch);
}

static void add_candidate(struct ls_candidate *candidates, size_t *count,
                          const struct ls_chunking *chunking, uint64_t prefetch) {
  for (size_t i = 0; i < *count; i++) {
    if (candidates[i].chunking == chunking && candidates[i].prefetch == prefetch) return;
  }
  struct ls_candidate *candidate = &candidates[(*count)++];
  *candidate = (struct ls_candidate){.chunking = chunking, .prefetch = prefetch};
  ls_arguments_init(&candidate->arguments, chunking->parameters);
}

/* The last line without its first word, "chosen: " or "kept: ". */
static void take_reason(const struct ls_bytes *table, struct ls_bytes *reason) {
  const char *text = ls_bytes_text(table), *line = text;
  for (const char *c = text; *c != '\0'; c++)
    if (*c == '\n' && c[1] != '\0') line = c + 1;
  const char *colon = strstr(line, ": ");
  if (colon != NULL) line = colon + 2;
  ls_bytes_append(reason, line, strcspn(line, "\n"));
}

/* ---- during the run ---- */

struct present {
  const struct ls_adviser_facts *facts;
  struct ls_platform platform;
  double *work;
  uint64_t units;
  double mean_s, latency_s, stop_s;
};

/* The times of single tasks are not kept in a run: they are taken to vary by half. */
static enum ls_status draw_present(void *context, size_t draw, struct ls_simulation *setup,
                                   struct ls_error *err) {
  struct present *present = context;
  struct ls_random random;
  (void)err;
  ls_random_init(&random, draw, "advice");
  for (uint64_t i = 0; i < present->units; i++) present->work[i] = 0.5 + ls_random_real(&random);
  setup->platform = &present->platform;
  setup->units = present->units;
  setup->task_work = present->work;
  setup->config.mean_seconds = present->mean_s;
  setup->config.deviation_seconds = 0.3 * present->mean_s;
  setup->config.overhead_seconds = REQUEST_S + 2 * present->latency_s;
  return LS_OK;
}

static void adapt_present(void *context, const struct ls_candidate *candidate) {
  struct present *present = context;
  share_way(&present->platform, present->latency_s, candidate->prefetch);
}

static bool is_present_over(void *context) {
  const struct present *present = context;
  return ls_clock_s() >= present->stop_s;
}

/* One way of a request, from what workers waited for each unit.  Without prefetch that is the way
 * there and back; with a prefetch of P units, where they are used up before the answer comes, the
 * way takes P units and the waiting.  Less waiting than a tenth of a unit says nothing. */
static double measure_latency(const struct ls_adviser_facts *facts, double otherwise_s) {
  double waited_s = 0, busy_s = 0, units = 0;
  for (size_t i = 0; i < facts->workers_count; i++) {
    const struct ls_adviser_worker *worker = &facts->workers[i];
    if (!(worker->up_s > worker->busy_s)) continue;
    waited_s += worker->up_s - worker->busy_s;
    busy_s += worker->busy_s;
    units += (double)worker->units;
  }
  if (!(waited_s > WAITING_LEAST * busy_s) || !(units > 0)) return otherwise_s;
  double gap_s = waited_s / units, unit_s = busy_s / units;
  double way_s = facts->prefetch == 0 ? gap_s : (double)facts->prefetch * (unit_s + gap_s);
  return fmin(fmax(way_s / 2, otherwise_s), LATENCY_MOST_S);
}

static enum ls_status open_present(struct present *present, const struct ls_adviser_facts *facts,
                                   bool is_remote, struct ls_error *err) {
  double busy_s = 0;
  uint64_t units = 0;
  *present = (struct present){.facts = facts};
  enum ls_status status = ls_platform_init(&present->platform, facts->workers_count, err);
  if (status != LS_OK) return status;
  present->units = facts->units_left < UNITS_MAX ? facts->units_left : UNITS_MAX;
  present->work = calloc(present->units + 1, sizeof *present->work);
  if (present->work == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for an advice");
  present->latency_s = measure_latency(facts, is_remote ? REMOTE_LATENCY_S : LOCAL_LATENCY_S);
  for (size_t i = 0; i < facts->workers_count; i++) {
    const struct ls_adviser_worker *worker = &facts->workers[i];
    double unit_s = worker->units > 0 ? worker->busy_s / (double)worker->units : 0;
    present->platform.workers[i].compute.per_unit_s = fmax(unit_s, 1e-9);
    busy_s += worker->busy_s;
    units += worker->units;
  }
  present->platform.prepare.latency_s = REQUEST_S;
  present->mean_s = units > 0 ? fmax(busy_s / (double)units, 1e-9) : 1e-9;
  double left_s = present->mean_s * (double)facts->units_left / (double)facts->workers_count;
  present->stop_s = ls_clock_s() + fmin(TIME_MOST_S, TIME_SHARE * left_s);
  return LS_OK;
}

bool ls_run_advise_now(const struct ls_candidate *used, bool is_remote,
                       const struct ls_adviser_facts *facts, struct ls_adviser_answer *answer) {
  struct present present;
  struct ls_advice advice;
  struct ls_candidate candidates[CANDIDATES_MAX];
  bool has_advice = false;
  if (facts->workers_count == 0 || facts->units_left == 0) return false;
  enum ls_status status = open_present(&present, facts, is_remote, NULL);
  size_t count = 0;
  add_candidate(candidates, &count, used->chunking, facts->prefetch);
  for (uint64_t prefetch = 1; prefetch <= 64; prefetch *= 2)
    add_candidate(candidates, &count, used->chunking, prefetch);
  for (size_t i = 0; i < count; i++) candidates[i].arguments = used->arguments;
  struct ls_advice_setup setup = {.world = {&present, draw_present, adapt_present},
                                  .candidates = candidates,
                                  .candidates_count = count,
                                  .current = 0,
                                  .draws = DRAWS_NOW,
                                  .margin = MARGIN_NOW,
                                  .stop = is_present_over,
                                  .stop_context = &present};
  if (status == LS_OK && ls_advise(&setup, &advice, NULL) == LS_OK) {
    struct ls_bytes table = {0}, reason = {0};
    has_advice = advice.chosen != 0;
    answer->prefetch = has_advice ? advice.expectations[advice.chosen].candidate.prefetch : 0;
    ls_advice_explain(&advice, &table);
    take_reason(&table, &reason);
    snprintf(answer->reason, sizeof answer->reason, "%s", ls_bytes_text(&reason));
    ls_bytes_close(&table);
    ls_bytes_close(&reason);
    ls_advice_close(&advice);
  }
  free(present.work);
  ls_platform_close(&present.platform);
  return has_advice;
}

/* ---- before the run ---- */

static bool is_over(void *context) {
  const struct world *world = context;
  return ls_clock_s() >= world->stop_s;
}

/* The rule's choice comes first: it is tried even when there is no time for more. */
static size_t list_candidates(const struct ls_run_situation *situation,
                              const struct ls_chunking *rule, struct ls_candidate *candidates) {
  size_t count = 0;
  add_candidate(candidates, &count, rule, situation->prefetch);
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
    add_candidate(candidates, &count, ls_chunking_find(policies[i]), situation->prefetch);
  for (uint64_t prefetch = 1; prefetch <= 16; prefetch *= 4) {
    add_candidate(candidates, &count, ls_chunking_find("ss"), prefetch);
    add_candidate(candidates, &count, ls_chunking_find("wf2"), prefetch);
    add_candidate(candidates, &count, ls_chunking_find("af"), prefetch);
  }
  return count;
}

static const struct ls_chunking *apply_rule(const struct ls_run_situation *situation,
                                            struct ls_bytes *why) {
  struct ls_situation facts = {.latency = (double)NAN,
                               .variation = (double)NAN,
                               .prefetch = situation->prefetch,
                               .knows_speeds = situation->weights != NULL};
  const struct ls_run_history *history = situation->history;
  if (history != NULL && history->mean_seconds > 0) {
    double latency_s = situation->is_remote ? REMOTE_LATENCY_S : LOCAL_LATENCY_S;
    facts.latency = latency_s / history->mean_seconds;
    facts.variation = history->deviation_seconds / history->mean_seconds;
  }
  return ls_advise_by_rule(&facts, why);
}

static enum ls_status advise_by_simulation(const struct ls_run_situation *situation,
                                           struct ls_candidate *chosen, struct ls_bytes *reason,
                                           struct ls_bytes *table, struct ls_error *err) {
  struct world world;
  struct ls_advice advice;
  struct ls_candidate candidates[CANDIDATES_MAX];
  enum ls_status status = open_world(&world, situation, err);
  if (status == LS_OK) {
    size_t count = list_candidates(situation, apply_rule(situation, NULL), candidates);
    struct ls_advice_setup setup = {.world = {&world, draw_world, adapt_world},
                                    .candidates = candidates,
                                    .candidates_count = count,
                                    .current = 0,
                                    .draws = DRAWS,
                                    .margin = MARGIN,
                                    .stop = is_over,
                                    .stop_context = &world};
    status = ls_advise(&setup, &advice, err);
  }
  if (status == LS_OK) {
    *chosen = advice.expectations[advice.chosen].candidate;
    ls_advice_explain(&advice, table);
    ls_bytes_printf(reason, "%s, because in %zu simulations ", chosen->chunking->name,
                    advice.simulations);
    take_reason(table, reason);
    ls_advice_close(&advice);
  }
  close_world(&world);
  return status;
}

enum ls_status ls_run_advise(const struct ls_run_situation *situation, struct ls_candidate *chosen,
                             struct ls_bytes *reason, struct ls_bytes *table,
                             struct ls_error *err) {
  bool is_known = situation->history != NULL && situation->history->mean_seconds > 0;
  if (is_known && situation->units > 0)
    return advise_by_simulation(situation, chosen, reason, table, err);
  *chosen = (struct ls_candidate){.prefetch = situation->prefetch};
  chosen->chunking = apply_rule(situation, NULL);
  ls_arguments_init(&chosen->arguments, chosen->chunking->parameters);
  ls_bytes_printf(reason, "%s, because nothing is known of the tasks (--history FILE would tell)",
                  chosen->chunking->name);
  return reason->failed ? ls_fail(err, LS_ENOMEM, "out of memory for an advice") : LS_OK;
}
