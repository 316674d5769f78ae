/* history.c: builds a timeline from the records of a journal. */
#include "runtime/journal/past/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/coordinator.h"
#include "runtime/journal/journal_packs.h"
#include "runtime/journal/past/at_work.h"

/* Fewer rows are read faster than a file is written. */
enum { KEPT_SPANS_MIN = 50000 };

/* What a worker computed, and how it had staged that. */
struct work {
  struct ls_span span;
  double stage_s, stage_before_s; /* before the span */
};

struct reader {
  struct ls_history history;
  struct ls_history_records records;
  struct work *works;
  size_t works_count;
  bool merges;             /* what abuts, of a long run */
  struct ls_error failure; /* of a visit */
};

static enum ls_status add_worker(struct reader *reader, const char *name, double joined_s,
                                 double left_s) {
  struct ls_timeline *timeline = &reader->history.timeline;
  ls_timeline_add_worker(timeline, name, joined_s, left_s);
  return ls_timeline_finish(timeline, &reader->failure);
}

/* Makes every number below `worker` exist; those that are not recorded were never there. */
static enum ls_status fill_workers(struct reader *reader, uint32_t worker) {
  enum ls_status status = LS_OK;
  while (status == LS_OK && reader->history.timeline.workers_count < worker) {
    char name[32];
    snprintf(name, sizeof name, "worker-%zu", reader->history.timeline.workers_count);
    status = add_worker(reader, name, 0, 0);
  }
  return status;
}

static enum ls_status on_worker(void *context, const struct ls_journal_worker *worker) {
  struct reader *reader = context;
  enum ls_status status = fill_workers(reader, worker->worker);
  if (status != LS_OK) return status;
  char name[32];
  snprintf(name, sizeof name, "worker-%u", (unsigned)worker->worker);
  double joined_s = worker->joined_s >= 0 && isfinite(worker->joined_s) ? worker->joined_s : 0;
  double left_s = worker->left_s >= joined_s ? worker->left_s : (double)INFINITY;
  status = add_worker(reader, worker->name[0] == '\0' ? name : worker->name, joined_s, left_s);
  struct ls_timeline *timeline = &reader->history.timeline;
  if (status == LS_OK && worker->away_s > 0 && isfinite(worker->away_s))
    timeline->workers[timeline->workers_count - 1].suspended_s = worker->away_s;
  /* No sum is spoilt by a damaged one. */
  if (status == LS_OK && worker->price_per_s >= 0 && isfinite(worker->price_per_s))
    ls_timeline_price_worker(timeline, worker->price_per_s);
  if (status == LS_OK) ls_timeline_label_worker(timeline, worker->labels);
  return status;
}

/* The journal was checked; what was kept of it may be damaged. */
static enum ls_status check_worker(struct reader *reader, uint64_t worker) {
  size_t joined = reader->history.timeline.workers_count;
  if (worker < joined) return LS_OK;
  return ls_fail(&reader->failure, LS_ECORRUPT,
                 "a record is of worker %llu, expected one below %zu: no other joined",
                 (unsigned long long)worker, joined);
}

static enum ls_status add_decisions(struct reader *reader) {
  const struct ls_history_records *records = &reader->records;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < records->decisions_count && status == LS_OK; i++) {
    const struct ls_history_decision *decision = &records->decisions[i];
    status = check_worker(reader, decision->worker);
    if (status == LS_OK)
      ls_timeline_add_decision(&reader->history.timeline, (uint32_t)decision->worker,
                               (double)decision->units);
  }
  return status;
}

/* How much of its staging was exposed the worker itself has told. */
static void count_exposed(struct reader *reader, const struct ls_history_span *span) {
  struct ls_timeline_worker *worker = &reader->history.timeline.workers[span->worker];
  if (!(span->stage_s > 0) || !(span->exposed_s >= 0)) return;
  if (isnan(worker->exposed_s)) worker->exposed_s = 0;
  worker->exposed_s += span->exposed_s;
}

static enum ls_status make_works(struct reader *reader) {
  const struct ls_history_records *records = &reader->records;
  enum ls_status status = LS_OK;
  reader->works = calloc(records->spans_count + 1, sizeof *reader->works);
  if (reader->works == NULL) return ls_fail(&reader->failure, LS_ENOMEM, "no memory for the spans");
  for (size_t i = 0; i < records->spans_count && status == LS_OK; i++) {
    const struct ls_history_span *span = &records->spans[i];
    status = check_worker(reader, span->worker);
    if (status != LS_OK) break;
    count_exposed(reader, span);
    reader->works[reader->works_count++] =
        (struct work){.span = {.resource = LS_RESOURCE_WORKER,
                               .operation = LS_OPERATION_COMPUTE,
                               .outcome = (enum ls_outcome)span->outcome,
                               .worker = span->worker,
                               .chunk = span->chunk,
                               .units = span->units,
                               .start_s = span->start_s,
                               .end_s = span->start_s + span->seconds,
                               .task = span->task,
                               .peak_kib = span->peak_kib,
                               .attempt = span->attempt,
                               .exit_code = span->exit_code},
                      .stage_s = span->stage_s,
                      .stage_before_s = span->stage_before_s};
  }
  return status;
}

/* A worker ends one after another: they are in the order in which their ends were heard. */
static int compare_works(const void *left, const void *right) {
  const struct ls_span *a = &((const struct work *)left)->span;
  const struct ls_span *b = &((const struct work *)right)->span;
  if (a->worker != b->worker) return a->worker < b->worker ? -1 : 1;
  if (a->end_s < b->end_s) return -1;
  if (a->end_s > b->end_s) return 1;
  if (a->start_s < b->start_s) return -1;
  return a->start_s > b->start_s;
}

/* The end of work is known no later than it is heard: a span that overlaps the next one of its
 * worker ended before that one began.  From the last to the first, each is moved back as far as it
 * must, but not before its worker was there; then it is shortened. */
static void separate_spans(struct reader *reader) {
  for (size_t i = reader->works_count; i-- > 1;) {
    const struct ls_span *next = &reader->works[i].span;
    struct ls_span *span = &reader->works[i - 1].span;
    if (span->worker != next->worker || span->end_s <= next->start_s) continue;
    double seconds = span->end_s - span->start_s;
    double joined_s = reader->history.timeline.workers[span->worker].joined_s;
    double least_s = joined_s < next->start_s ? joined_s : next->start_s;
    span->end_s = next->start_s;
    span->start_s = span->end_s - seconds > least_s ? span->end_s - seconds : least_s;
  }
}

/* A worker computes while it is there: what exceeds its presence is the rounding of clocks. */
static void bound_spans(struct reader *reader) {
  for (size_t i = 0; i < reader->works_count; i++) {
    struct ls_span *span = &reader->works[i].span;
    const struct ls_timeline_worker *worker = &reader->history.timeline.workers[span->worker];
    if (span->start_s < worker->joined_s) span->start_s = worker->joined_s;
    if (span->start_s > worker->left_s) span->start_s = worker->left_s;
    if (span->end_s > worker->left_s) span->end_s = worker->left_s;
    if (span->end_s < span->start_s) span->end_s = span->start_s;
  }
}

/* May the second be taken for a continuation of the first? The gap then counts as computing, so it
 * is at most a thousandth of it. */
static bool can_merge(const struct ls_span *first, const struct ls_span *second) {
  return first->worker == second->worker && first->outcome == second->outcome &&
         second->start_s - first->end_s <= 1e-3 * (first->end_s - first->start_s);
}

static void add_spans(struct reader *reader) {
  struct ls_timeline *timeline = &reader->history.timeline;
  bool merges = reader->merges && reader->works_count > LS_HISTORY_SPANS_MAX;
  for (size_t i = 0; i < reader->works_count;) {
    struct ls_span span = reader->works[i++].span;
    while (merges && i < reader->works_count && can_merge(&span, &reader->works[i].span)) {
      span.end_s = reader->works[i].span.end_s;
      span.units += reader->works[i++].span.units;
    }
    ls_timeline_add_span(timeline, &span);
    if (span.end_s > timeline->makespan_s) timeline->makespan_s = span.end_s;
  }
}

/* Staging, as long before computing as the worker has told, on a reader that does one after
 * another: from the last to the first, each is moved back as far as it must. */
static void turn_into_staging(struct reader *reader) {
  double free_s = (double)INFINITY; /* the reader begins its next one then */
  for (size_t i = reader->works_count; i-- > 0;) {
    struct work *work = &reader->works[i];
    struct ls_span *span = &work->span;
    if (i + 1 == reader->works_count || reader->works[i + 1].span.worker != span->worker)
      free_s = (double)INFINITY;
    span->resource = LS_RESOURCE_READER;
    span->operation = LS_OPERATION_STAGE;
    span->end_s = fmin(span->start_s - work->stage_before_s + work->stage_s, free_s);
    span->start_s = span->end_s - work->stage_s;
    if (work->stage_s > 0) free_s = span->start_s;
  }
  size_t count = 0;
  for (size_t i = 0; i < reader->works_count; i++)
    if (reader->works[i].stage_s > 0) reader->works[count++] = reader->works[i];
  reader->works_count = count;
}

static enum ls_status add_row(struct reader *reader, const struct ls_journal_pack *pack,
                              enum ls_resource resource, enum ls_operation operation) {
  struct ls_timeline *timeline = &reader->history.timeline;
  enum ls_status status = check_worker(reader, pack->worker);
  if (status != LS_OK) return status;
  ls_timeline_add_span(timeline, &(struct ls_span){.resource = resource,
                                                   .operation = operation,
                                                   .worker = pack->worker,
                                                   .chunk = pack->chunk,
                                                   .units = pack->units,
                                                   .start_s = pack->start_s,
                                                   .end_s = pack->start_s + pack->seconds});
  timeline->makespan_s = fmax(timeline->makespan_s, pack->start_s + pack->seconds);
  return LS_OK;
}

static enum ls_status on_pack(void *context, const struct ls_journal_pack *pack) {
  return add_row(context, pack, LS_RESOURCE_MASTER, LS_OPERATION_PREPARE);
}

static enum ls_status on_transfer(void *context, const struct ls_journal_pack *transfer) {
  return add_row(context, transfer, LS_RESOURCE_NETWORK, LS_OPERATION_TRANSFER);
}

static void take_totals(struct reader *reader) {
  struct ls_history *history = &reader->history;
  struct ls_history_records *records = &reader->records;
  history->units_done = records->units_done;
  history->units_failed = records->units_failed;
  history->units_given_up = records->units_given_up;
  history->units_failed_once = records->units_failed_once;
  history->units_lost = records->units_lost;
  history->failures = records->failures;
  history->failures_count = records->failures_count;
  records->failures = NULL;
}

static enum ls_status build_timeline(struct reader *reader, struct ls_journal *journal,
                                     struct ls_error *err) {
  struct ls_journal_summary summary;
  enum ls_status status = ls_journal_summary(journal, &summary, err);
  if (status == LS_OK) status = ls_journal_each_worker(journal, on_worker, reader, err);
  if (status == LS_OK) status = add_decisions(reader);
  if (status == LS_OK) status = make_works(reader);
  if (status != LS_OK) {
    if (reader->failure.status != LS_OK)
      return ls_fail(err, status, "the journal cannot be read: %s", reader->failure.text);
    return status;
  }
  /* A long run is in memory twice, but not three times. */
  ls_history_records_forget_spans(&reader->records);
  reader->history.timeline.seed = summary.job.seed;
  if (reader->works_count > 1)
    qsort(reader->works, reader->works_count, sizeof *reader->works, compare_works);
  separate_spans(reader);
  bound_spans(reader);
  add_spans(reader);
  turn_into_staging(reader);
  bound_spans(reader);
  add_spans(reader);
  take_totals(reader);
  status = ls_journal_each_pack(journal, on_pack, reader, err);
  if (status == LS_OK) status = ls_journal_each_transfer(journal, on_transfer, reader, err);
  if (status != LS_OK && reader->failure.status != LS_OK)
    return ls_fail(err, status, "the journal cannot be read: %s", reader->failure.text);
  if (status != LS_OK) return status;
  return ls_timeline_finish(&reader->history.timeline, err);
}

static enum ls_status read_history(struct ls_journal *journal, const char *kept, bool merges,
                                   struct ls_history *history, struct ls_error *err) {
  struct reader reader = {.merges = merges};
  ls_timeline_init(&reader.history.timeline);
  if (kept != NULL) ls_history_records_load(&reader.records, kept);
  uint64_t known = reader.records.ended;
  enum ls_status status = ls_history_records_read(&reader.records, journal, err);
  bool is_worth_keeping =
      reader.records.spans_count >= KEPT_SPANS_MIN && reader.records.ended != known;
  if (status == LS_OK && kept != NULL && is_worth_keeping)
    ls_history_records_save(&reader.records, kept);
  if (status == LS_OK) status = build_timeline(&reader, journal, err);
  free(reader.works);
  ls_history_records_close(&reader.records);
  if (status == LS_OK)
    *history = reader.history;
  else
    ls_history_close(&reader.history);
  return status;
}

enum ls_status ls_history_read(struct ls_journal *journal, const char *kept,
                               struct ls_history *history, struct ls_error *err) {
  return read_history(journal, kept, true, history, err);
}

enum ls_status ls_history_read_each(struct ls_journal *journal, const char *kept,
                                    struct ls_history *history, struct ls_error *err) {
  return read_history(journal, kept, false, history, err);
}

enum ls_status ls_history_to_now(struct ls_journal *journal, struct ls_history *history,
                                 struct ls_error *err) {
  struct ls_timeline *timeline = &history->timeline;
  struct ls_journal_summary summary;
  struct ls_at_work work;
  enum ls_status status = ls_journal_summary(journal, &summary, err);
  if (status != LS_OK || strcmp(summary.state, "running") != 0) return status;
  status = ls_at_work_read(journal, &work, err);
  if (status != LS_OK) return status;
  history->is_running = true;
  for (size_t i = 0; i < work.count; i++) {
    const struct ls_at_work_task *task = &work.tasks[i];
    const struct ls_span span = {.resource = LS_RESOURCE_WORKER,
                                 .operation = LS_OPERATION_COMPUTE,
                                 .worker = task->worker,
                                 .chunk = task->chunk,
                                 .start_s = task->since_s,
                                 .end_s = work.now_s,
                                 .task = task->unit + 1,
                                 .is_running = true};
    ls_timeline_add_span(timeline, &span);
  }
  timeline->makespan_s = fmax(timeline->makespan_s, work.now_s);
  ls_at_work_close(&work);
  return ls_timeline_finish(timeline, err);
}

void ls_history_close(struct ls_history *history) {
  if (history == NULL) return;
  ls_timeline_close(&history->timeline);
  free(history->failures);
  *history = (struct ls_history){0};
}
