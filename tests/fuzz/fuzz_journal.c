/* Any journal is refused in words, or gives a report, measurements and a history that make sense.
 */
#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run_history.h"
#include "cli/run/run_resume.h"
#include "formats/account_json.h"
#include "formats/timeline_json.h"
#include "fuzz.h"
#include "hostile_journal.h"
#include "model/validate.h"
#include "report/report.h"
#include "runtime/journal/journal_account.h"
#include "runtime/journal/past/history.h"
#include "runtime/journal/past/journal_course.h"

enum { TASKS_MAX = 64, SESSIONS_MAX = 8 };

bool fuzz_accepts;

/* What must be said when it is not read. */
static bool is_read(enum ls_status status, struct ls_error *err) {
  assert(status == LS_OK || err->text[0] != '\0');
  *err = (struct ls_error){0};
  return status == LS_OK;
}

static enum ls_status on_event(void *context, const struct ls_event *event,
                               const struct ls_actions *sends) {
  (void)context;
  assert(event->kind < LS_EVENT_COUNT);
  assert(event->kind != LS_EVENT_LOST || event->lost < LS_LOSS_COUNT);
  assert(event->kind != LS_EVENT_SUSPENDED || event->suspended.reason < LS_AWAY_COUNT);
  assert(event->kind != LS_EVENT_RESULT || event->result.outcome < LS_OUTCOME_COUNT);
  for (size_t i = 0; i < sends->count; i++) {
    const struct ls_action_send *send = &sends->items[i].send;
    assert(send->ranges_count >= 1);
    assert(send->first_range + send->ranges_count <= sends->ranges_count);
  }
  return LS_OK;
}

static enum ls_status on_blob(void *context, const struct ls_journal_blob *blob) {
  struct ls_bytes *bytes = context;
  ls_bytes_append(bytes, blob->data, blob->length);
  return LS_OK;
}

static enum ls_status on_advice(void *context, const struct ls_journal_advice *advice) {
  struct ls_bytes *bytes = context;
  ls_bytes_append_text(bytes, advice->policy);
  ls_bytes_append_text(bytes, advice->reason);
  return LS_OK;
}

static bool read_rows(struct ls_journal *journal, struct ls_error *err) {
  struct ls_journal_summary summary;
  struct ls_bytes bytes = {0};
  uint64_t units;
  uint32_t iteration;
  bool is_there;
  if (!is_read(ls_journal_summary(journal, &summary, err), err)) return false;
  assert(summary.sessions >= 1 && strlen(summary.job.command) < SIZE_MAX);
  bool is_sound = is_read(ls_journal_each_advice(journal, on_advice, &bytes, err), err);
  is_sound &= is_read(ls_journal_each_pending(journal, on_blob, &bytes, err), err);
  is_sound &= is_read(ls_journal_read_reason(journal, 0, 3, &bytes, err), err);
  is_sound &= is_read(ls_journal_read_iteration(journal, 0, &units, &is_there, err), err);
  is_sound &= is_read(ls_journal_read_checkpoint(journal, &iteration, &bytes, err), err);
  for (uint32_t i = 0; i < summary.sessions && i < SESSIONS_MAX; i++)
    is_sound &= is_read(ls_journal_each_event(journal, i, on_event, NULL, err), err);
  ls_bytes_close(&bytes);
  return is_sound;
}

static bool read_history(struct ls_journal *journal, struct ls_error *err) {
  struct ls_history history;
  struct ls_bytes text = {0};
  if (!is_read(ls_history_read(journal, NULL, &history, err), err)) return false;
  struct ls_error why = {0};
  bool is_possible = ls_validate_timeline(&history.timeline, &why) == LS_OK;
  if (!is_possible) fprintf(stderr, "%s\n", why.text);
  assert(is_possible);
  (void)is_possible;
  ls_timeline_write(&history.timeline,
                    &(struct ls_timeline_extras){.has_spans = true, .has_notes = true}, &text);
  /* A number of a chunk may be as large as any; jansson's whole numbers are not. */
  json_t *document = json_loadb(text.data, text.length, JSON_DECODE_INT_AS_REAL, NULL);
  if (text.failed || document == NULL) fprintf(stderr, "%s\n", ls_bytes_text(&text));
  assert(!text.failed && document != NULL);
  json_decref(document);
  ls_bytes_close(&text);
  ls_history_close(&history);
  return true;
}

/* The prediction that the run kept, and what is said of it. */
static bool read_account(struct ls_journal *journal, struct ls_error *err) {
  struct ls_bytes kept = {0}, again = {0};
  struct ls_comparison comparison, same;
  bool is_sound = is_read(ls_journal_read_account(journal, &kept, err), err);
  if (is_sound && kept.length > 0) {
    struct ls_text text = {ls_bytes_text(&kept), kept.length, ls_journal_path(journal)};
    is_sound = is_read(ls_comparison_read(text, &comparison, err), err);
    if (is_sound) {
      ls_comparison_write(&comparison, &again);
      text = (struct ls_text){ls_bytes_text(&again), again.length, "what was read"};
      enum ls_status status = ls_comparison_read(text, &same, err);
      if (status != LS_OK) fprintf(stderr, "%s\n", err->text);
      assert(status == LS_OK && same.has_happened == comparison.has_happened);
      ls_bytes_clear(&again);
      ls_report_comparison(&comparison, &again);
      assert(!again.failed && again.length > 0);
    }
  }
  ls_bytes_close(&kept);
  ls_bytes_close(&again);
  return is_sound;
}

static bool read_report(const char *path, struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  if (!is_read(ls_journal_open(&request, &journal, err), err)) return false;
  bool is_sound = read_rows(journal, err);
  is_sound &= read_history(journal, err);
  is_sound &= read_account(journal, err);
  ls_journal_close(journal);
  return is_sound;
}

static void read_measurements(const char *path, struct ls_error *err) {
  struct ls_measurements measurements = {.items = NULL};
  uint64_t failed = 0;
  (void)is_read(ls_journal_measure(path, &measurements, &failed, err), err);
  for (size_t i = 0; i < measurements.count; i++) {
    const struct ls_measurement *item = &measurements.items[i];
    assert(item->units > 0 && isfinite(item->units));
    assert(item->seconds >= 0 && isfinite(item->seconds));
  }
  ls_measurements_close(&measurements);
}

/* What `--history` learns. */
static void read_lessons(const char *path, struct ls_error *err) {
  struct ls_run_history history;
  if (!is_read(ls_run_history_read(&history, path, err), err)) return;
  assert(history.mean_seconds >= 0 && isfinite(history.mean_seconds));
  for (size_t i = 0; i < history.lessons_count; i++) assert(history.lessons[i].seconds >= 0);
  ls_run_history_close(&history);
}

static void read_inputs(const char *path, struct ls_error *err) {
  struct ls_task_source source = {0};
  if (is_read(ls_run_resume_inputs(path, &source, err), err)) {
    const char **values = calloc(source.lists_count + 1, sizeof *values);
    if (values == NULL) abort();
    for (uint64_t task = 0; task < source.tasks && task < TASKS_MAX; task++) {
      enum ls_status status = ls_task_source_values(&source, task, values, err);
      assert(status == LS_OK);
      (void)status;
      for (size_t i = 0; i < source.lists_count; i++) assert(strlen(values[i]) < SIZE_MAX);
    }
    free(values);
  }
  ls_task_source_close(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ls_error err = {0};
  const char *path = hostile_journal_write(data, size);
  fuzz_accepts = read_report(path, &err);
  read_measurements(path, &err);
  read_lessons(path, &err);
  read_inputs(path, &err);
  return 0;
}
