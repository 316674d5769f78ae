#include "cli/top_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/console.h"
#include "model/outcome.h"
#include "runtime/journal/past/at_work.h"

/* Of late: the rate, and a step of the course of a worker. */
#define LATE_S        30.0
#define COURSE_STEP_S 5.0
/* So many of the last tasks say what is long. */
enum { JUDGED_MAX = 10000 };

static enum ls_status on_worker(void *context, const struct ls_journal_worker *worker) {
  struct ls_top_facts *facts = context;
  void *workers = facts->workers;
  enum ls_status status = ls_array_reserve(&workers, &facts->workers_capacity,
                                           (size_t)worker->worker + 1, sizeof *facts->workers);
  facts->workers = workers;
  if (status != LS_OK) return status;
  while (facts->workers_count <= worker->worker)
    facts->workers[facts->workers_count++] = (struct ls_top_worker){.is_there = false};
  struct ls_top_worker *shown = &facts->workers[worker->worker];
  ls_console_show(worker->name, shown->name, sizeof shown->name);
  shown->is_there = isnan(worker->left_s);
  double until_s = shown->is_there ? facts->now_s : worker->left_s;
  shown->present_s = fmax(0, until_s - worker->joined_s - worker->away_s);
  return LS_OK;
}

static void add_course(struct ls_top_worker *worker, double now_s, double start_s, double end_s) {
  for (int i = 0; i < LS_TOP_COURSE; i++) {
    double until_s = now_s - (LS_TOP_COURSE - 1 - i) * COURSE_STEP_S;
    double share = (fmin(end_s, until_s) - fmax(start_s, until_s - COURSE_STEP_S)) / COURSE_STEP_S;
    if (share > 0) worker->course[i] += share;
  }
}

static int compare_seconds(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b ? 1 : 0;
}

static void add_spans(struct ls_top_facts *facts) {
  const struct ls_history_records *records = &facts->records;
  static const size_t judged_max = JUDGED_MAX;
  double *judged = calloc(judged_max, sizeof *judged), late = 0;
  size_t count = 0;
  for (size_t i = records->spans_count; i-- > 0;) {
    const struct ls_history_span *span = &records->spans[i];
    double end_s = span->start_s + span->seconds;
    bool is_done = span->outcome == LS_OUTCOME_DONE;
    if (is_done && end_s > facts->now_s - LATE_S) late += (double)span->units;
    if (is_done && judged != NULL && count < judged_max)
      judged[count++] = span->seconds / (double)span->units;
    if (span->worker >= facts->workers_count) continue;
    struct ls_top_worker *worker = &facts->workers[span->worker];
    worker->seconds += span->seconds;
    if (is_done) worker->tasks += span->units;
    add_course(worker, facts->now_s, span->start_s, end_s);
  }
  double over_s = fmin(LATE_S, facts->now_s);
  facts->rate = over_s > 0 ? late / over_s : 0;
  facts->p90_s = 0;
  if (count > 0) {
    qsort(judged, count, sizeof *judged, compare_seconds);
    facts->p90_s = judged[(count * 9 - 1) / 10];
  }
  free(judged);
}

static void add_work(struct ls_top_facts *facts, const struct ls_at_work *work) {
  for (size_t i = 0; i < work->count; i++) {
    const struct ls_at_work_task *task = &work->tasks[i];
    if (task->worker >= facts->workers_count) continue;
    struct ls_top_worker *worker = &facts->workers[task->worker];
    worker->is_busy = true;
    worker->is_first = task->is_first;
    worker->task = task->unit + 1;
    worker->age_s = facts->now_s - task->since_s;
    worker->seconds += worker->age_s;
    add_course(worker, facts->now_s, task->since_s, facts->now_s);
  }
  facts->present = facts->busy = 0;
  for (size_t i = 0; i < facts->workers_count; i++) {
    facts->present += facts->workers[i].is_there;
    facts->busy += facts->workers[i].is_busy;
  }
}

static void take_totals(struct ls_top_facts *facts, const struct ls_journal_summary *summary) {
  const struct ls_history_records *records = &facts->records;
  ls_console_show(summary->job.command, facts->command, sizeof facts->command);
  (void)snprintf(facts->state, sizeof facts->state, "%s", summary->state);
  facts->done = records->units_done;
  facts->failed = records->units_failed;
  facts->abandoned = records->units_given_up;
  uint64_t settled = facts->done + facts->failed + facts->abandoned;
  facts->units = summary->job.units > settled ? summary->job.units : settled;
  facts->latest_count = 0;
  for (size_t i = records->decisions_count; i > 0 && facts->latest_count < LS_TOP_DECISIONS; i--)
    facts->latest[facts->latest_count++] = records->decisions[i - 1];
}

static enum ls_status look(struct ls_top_facts *facts, struct ls_journal *journal,
                           struct ls_error *err) {
  struct ls_journal_summary summary;
  struct ls_at_work work = {.tasks = NULL};
  enum ls_status status = ls_journal_summary(journal, &summary, err);
  if (status == LS_OK) status = ls_history_records_read(&facts->records, journal, err);
  if (status == LS_OK) status = ls_at_work_read(journal, &work, err);
  facts->now_s = work.now_s;
  facts->workers_count = 0;
  if (status == LS_OK) status = ls_journal_each_worker(journal, on_worker, facts, err);
  if (status == LS_OK) {
    take_totals(facts, &summary);
    add_spans(facts);
    /* Of a run that is over nothing is at work. */
    if (strcmp(summary.state, "running") != 0) work.count = 0;
    add_work(facts, &work);
  }
  ls_at_work_close(&work);
  return status;
}

enum ls_status ls_top_facts_look(struct ls_top_facts *facts, const char *path,
                                 struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  enum ls_status status = ls_journal_open(&request, &journal, err);
  if (status == LS_OK) status = look(facts, journal, err);
  ls_journal_close(journal);
  return status;
}

void ls_top_facts_close(struct ls_top_facts *facts) {
  ls_history_records_close(&facts->records);
  free(facts->workers);
  *facts = (struct ls_top_facts){.command = ""};
}
