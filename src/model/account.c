/* account.c: tells the workers of an account what a timeline has of them. */
#include "model/account.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/account_worker.h"

static const struct {
  const char *name, *label, *meaning;
} parts[LS_ACCOUNT_PARTS] = {
    [LS_ACCOUNT_WORK] = {"work", "work", "on work that counted"},
    [LS_ACCOUNT_LATENCY] = {"latency", "latency", "fixed costs of their chunks"},
    [LS_ACCOUNT_LOSSES] = {"losses", "losses", "work wasted, or done twice"},
    [LS_ACCOUNT_START_UP] = {"start_up", "start-up", "before a worker's first chunk"},
    [LS_ACCOUNT_PORT_WAIT] = {"port_wait", "port waits", "between its chunks"},
    [LS_ACCOUNT_IMBALANCE] = {"imbalance", "imbalance", "until all have computed"},
    [LS_ACCOUNT_TAIL] = {"tail", "tail", "until all results are back"},
    [LS_ACCOUNT_AWAY] = {"away", "away", "suspended, or no worker there in between"},
    [LS_ACCOUNT_ABSENT] = {"absent", "absent", "before it joined, after it left"},
};

const char *ls_account_part_name(enum ls_account_part part) {
  assert(part < LS_ACCOUNT_PARTS);
  return parts[part].name;
}

const char *ls_account_part_label(enum ls_account_part part) {
  assert(part < LS_ACCOUNT_PARTS);
  return parts[part].label;
}

const char *ls_account_part_meaning(enum ls_account_part part) {
  assert(part < LS_ACCOUNT_PARTS);
  return parts[part].meaning;
}

struct ledger {
  const struct ls_platform *platform; /* or NULL */
  struct ls_account_worker *workers;
  struct ls_span *spans; /* of the processors of workers, by worker and start */
  size_t spans_count;
  struct ls_absence *absences; /* by worker and time */
  size_t absences_count;
  size_t span, absence; /* the next ones to be told */
};

static int compare_spans(const void *left, const void *right) {
  const struct ls_span *a = left, *b = right;
  if (a->worker != b->worker) return a->worker < b->worker ? -1 : 1;
  if (a->start_s < b->start_s) return -1;
  if (a->start_s > b->start_s) return 1;
  if (a->end_s < b->end_s) return -1;
  if (a->end_s > b->end_s) return 1;
  return a->operation < b->operation ? -1 : a->operation > b->operation;
}

static int compare_absences(const void *left, const void *right) {
  const struct ls_absence *a = left, *b = right;
  if (a->worker != b->worker) return a->worker < b->worker ? -1 : 1;
  return a->from_s < b->from_s ? -1 : a->from_s > b->from_s;
}

static void take_absences(struct ledger *ledger, const struct ls_timeline *timeline) {
  for (size_t i = 0; i < timeline->absences_count; i++)
    if (timeline->absences[i].worker < timeline->workers_count)
      ledger->absences[ledger->absences_count++] = timeline->absences[i];
  if (ledger->absences_count > 1)
    qsort(ledger->absences, ledger->absences_count, sizeof *ledger->absences, compare_absences);
}

static void take_spans(struct ledger *ledger, const struct ls_timeline *timeline) {
  for (size_t i = 0; i < timeline->spans_count; i++) {
    struct ls_span span = timeline->spans[i];
    if (span.resource != LS_RESOURCE_WORKER || span.worker >= timeline->workers_count) continue;
    const struct ls_timeline_worker *worker = &timeline->workers[span.worker];
    span.start_s = fmax(span.start_s, worker->joined_s);
    span.end_s = fmin(span.end_s, fmin(worker->left_s, timeline->makespan_s));
    /* Computing that took no time is the proof that what was received for it counted. */
    bool is_proof = span.operation == LS_OPERATION_COMPUTE && !(span.end_s < span.start_s);
    if (span.end_s > span.start_s || is_proof) ledger->spans[ledger->spans_count++] = span;
  }
  if (ledger->spans_count > 1)
    qsort(ledger->spans, ledger->spans_count, sizeof *ledger->spans, compare_spans);
}

/* The next span: a chunk was not received in vain if any of its units counted.  Behind computing
 * that takes no time the next chunk may begin a rounding earlier. */
static bool is_useful(const struct ledger *ledger) {
  const struct ls_span *first = &ledger->spans[ledger->span];
  if (first->operation == LS_OPERATION_COMPUTE) return first->outcome == LS_OUTCOME_DONE;
  for (size_t i = ledger->span + 1; i < ledger->spans_count; i++) {
    const struct ls_span *span = &ledger->spans[i];
    bool is_own = span->chunk == first->chunk;
    if (span->worker != first->worker || !(is_own || span->start_s < first->end_s)) return false;
    if (is_own && span->operation == LS_OPERATION_COMPUTE && span->outcome == LS_OUTCOME_DONE)
      return true;
  }
  return false;
}

/* The absences of a worker that end by `until_s`; their seconds. */
static double tell_absences(struct ledger *ledger, uint32_t number, double until_s) {
  struct ls_account_worker *worker = &ledger->workers[number];
  double told_s = 0;
  for (; ledger->absence < ledger->absences_count; ledger->absence++) {
    const struct ls_absence *absence = &ledger->absences[ledger->absence];
    if (absence->worker < number) continue;
    if (absence->worker > number || absence->until_s > until_s) break;
    ls_account_suspend(worker, absence->from_s);
    ls_account_resume(worker, absence->until_s);
    told_s += absence->until_s - absence->from_s;
  }
  return told_s;
}

/* Seconds of suspension of which nobody knows when they were. */
static void move_rest(struct ls_account_worker *worker, double left_s) {
  static const enum ls_account_part sources[] = {LS_ACCOUNT_PORT_WAIT, LS_ACCOUNT_START_UP};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    double moved_s = fmin(left_s, ls_sum_value(&worker->parts_s[sources[i]]));
    if (!(moved_s > 0)) continue;
    ls_sum_add(&worker->parts_s[sources[i]], -moved_s);
    ls_sum_add(&worker->parts_s[LS_ACCOUNT_AWAY], moved_s);
    left_s -= moved_s;
  }
  /* What is left of them lies behind its last work. */
  if (left_s > 0) worker->away_s += left_s;
}

/* The fixed cost of a chunk is that of its size, whatever a span has of it. */
static double price_chunk(const struct ledger *ledger, const struct ls_timeline *timeline,
                          const struct ls_span *span) {
  bool is_known = span->chunk < timeline->decisions_count;
  double units = is_known ? timeline->decisions[span->chunk].units : 0;
  return ls_account_fixed_s(ledger->platform, span->worker, units);
}

static void tell_worker(struct ledger *ledger, const struct ls_timeline *timeline,
                        uint32_t number) {
  struct ls_account_worker *account = &ledger->workers[number];
  const struct ls_timeline_worker *worker = &timeline->workers[number];
  double told_s = 0;
  if (!isfinite(worker->joined_s) || worker->is_untaken) return;
  ls_account_join(account, worker->joined_s);
  for (; ledger->span < ledger->spans_count; ledger->span++) {
    const struct ls_span *span = &ledger->spans[ledger->span];
    if (span->worker != number) break;
    told_s += tell_absences(ledger, number, span->end_s);
    ls_account_work(account,
                    &(struct ls_account_work){.start_s = span->start_s,
                                              .end_s = span->end_s,
                                              .chunk = span->chunk,
                                              .is_useful = is_useful(ledger),
                                              .fixed_s = price_chunk(ledger, timeline, span)});
  }
  told_s += tell_absences(ledger, number, (double)INFINITY);
  double rest_s = worker->suspended_s - told_s;
  if (rest_s > 1e-9 * timeline->makespan_s) move_rest(account, rest_s);
  if (isfinite(worker->left_s)) ls_account_leave(account, worker->left_s);
}

enum ls_status ls_account_of(const struct ls_timeline *timeline, const struct ls_platform *platform,
                             struct ls_account *account, struct ls_error *err) {
  assert(!timeline->is_summed);
  struct ledger ledger = {
      .platform = platform,
      .workers = calloc(timeline->workers_count + 1, sizeof *ledger.workers),
      .spans = calloc(timeline->spans_count + 1, sizeof *ledger.spans),
      .absences = calloc(timeline->absences_count + 1, sizeof *ledger.absences),
  };
  bool has_memory = ledger.workers != NULL && ledger.spans != NULL && ledger.absences != NULL;
  if (has_memory) {
    take_spans(&ledger, timeline);
    take_absences(&ledger, timeline);
  }
  for (size_t i = 0; i < timeline->workers_count && has_memory; i++)
    tell_worker(&ledger, timeline, (uint32_t)i);
  if (has_memory)
    ls_account_average(ledger.workers, timeline->workers_count, timeline->makespan_s, account);
  free(ledger.workers);
  free(ledger.spans);
  free(ledger.absences);
  return has_memory ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for the account of a timeline");
}
