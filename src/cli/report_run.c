#include "cli/report_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/failure_end.h"
#include "runtime/journal/journal_size_advice.h"
#include "runtime/journal/journal_usage.h"

/* Makes the text of `bytes` one that lasts, and empties it; "" without memory, which sticks. */
static const char *keep(struct ls_report_run_source *source, struct ls_bytes *bytes) {
  void *texts = source->texts;
  const char *kept = "";
  bool has_room = ls_array_reserve(&texts, &source->texts_capacity, source->texts_count + 1,
                                   sizeof *source->texts) == LS_OK;
  source->texts = texts;
  char *copy = has_room && !bytes->failed ? strdup(ls_bytes_text(bytes)) : NULL;
  if (copy != NULL) {
    source->texts[source->texts_count++] = copy;
    kept = copy;
  } else {
    source->advice.failed = true;
  }
  ls_bytes_clear(bytes);
  return kept;
}

static void describe(void *context, uint64_t task, struct ls_bytes *out) {
  ls_report_inputs_write(context, task, out);
}

/* A reason that cannot be read is left out: the journal may be written at this moment. */
static enum ls_status read_failures(struct ls_journal *journal, const struct ls_history *history,
                                    struct ls_report_run_source *source, struct ls_error *err) {
  struct ls_bytes text = {0};
  source->failures = calloc(history->failures_count + 1, sizeof *source->failures);
  if (source->failures == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the failures");
  for (size_t i = 0; i < history->failures_count; i++) {
    const struct ls_journal_result *failure = &history->failures[i];
    struct ls_report_failure *shown = &source->failures[i];
    *shown =
        (struct ls_report_failure){.task = failure->units.first + 1, .count = failure->units.count};
    /* Without its seconds, so that those that ended alike are one group. */
    if (failure->has_timed_out)
      ls_bytes_append_text(&text, "timed out");
    else
      ls_failure_end_write(&(struct ls_failure_end){.outcome = failure->outcome,
                                                    .exit_code = failure->exit_code,
                                                    .signal = failure->signal},
                           &text);
    shown->end = keep(source, &text);
    (void)!ls_journal_read_reason(journal, failure->iteration, failure->units.first, &text, NULL);
    shown->reason = keep(source, &text);
    if (failure->has_timed_out) source->run.timed_out += failure->units.count;
  }
  source->run.failures = source->failures;
  source->run.failures_count = history->failures_count;
  ls_bytes_close(&text);
  return LS_OK;
}

static void add_fact(struct ls_report_run_source *source, const char *label,
                     struct ls_bytes *value) {
  if (source->run.facts_count == LS_REPORT_RUN_FACTS) return;
  source->facts[source->run.facts_count++] =
      (struct ls_report_fact){.label = label, .value = keep(source, value)};
}

static void add_facts(struct ls_journal *journal, const struct ls_journal_summary *summary,
                      const struct ls_journal_usage *usage, struct ls_report_run_source *source) {
  struct ls_bytes text = {0};
  ls_bytes_append_text(&text, summary->job.command);
  add_fact(source, "command", &text);
  ls_bytes_append_text(&text, summary->job.directory);
  add_fact(source, "folder", &text);
  ls_bytes_append_text(
      &text, strcmp(summary->state, "died") == 0 ? "killed, --resume goes on" : summary->state);
  add_fact(source, "state", &text);
  ls_bytes_printf(&text, "%u, the last on %s since %s", (unsigned)summary->sessions, summary->host,
                  summary->started);
  add_fact(source, "sessions", &text);
  ls_bytes_printf(&text, "%s, %zu workers wanted", summary->job.policy, summary->job.workers);
  add_fact(source, "policy", &text);
  if (usage->known > 0) {
    ls_bytes_printf(&text, "%.4g s user, %.4g s system; at most %.4g MB of memory (task %llu)",
                    usage->sum.user_s, usage->sum.system_s, 1e-6 * (double)usage->sum.peak_bytes,
                    (unsigned long long)usage->unit + 1);
    add_fact(source, "processors", &text);
  }
  ls_bytes_append_text(&text, ls_journal_path(journal));
  add_fact(source, "journal", &text);
  ls_bytes_close(&text);
}

static enum ls_status read_advice(struct ls_journal *journal, struct ls_report_run_source *source,
                                  struct ls_error *err) {
  struct ls_journal_size_advice kept = {.grant_s = 0};
  enum ls_status status = ls_journal_read_size_advice(journal, &kept, err);
  ls_bytes_append(&source->advice, ls_bytes_text(&kept.words), kept.words.length);
  ls_bytes_close(&kept.words);
  return status;
}

enum ls_status ls_report_run_read(struct ls_journal *journal, const struct ls_history *history,
                                  struct ls_report_run_source *source, struct ls_error *err) {
  struct ls_journal_summary summary;
  struct ls_journal_usage usage = {0};
  struct ls_report_run *run = &source->run;
  enum ls_status status = ls_journal_summary(journal, &summary, err);
  if (status == LS_OK) status = ls_journal_read_usage(journal, &usage, err);
  if (status != LS_OK) return status;
  bool is_of_commands = strcmp(summary.job.application, "run") == 0;
  *run = (struct ls_report_run){.units = summary.job.units,
                                .done = history->units_done,
                                .failed = history->units_failed,
                                .abandoned = history->units_given_up,
                                .facts = source->facts};
  add_facts(journal, &summary, &usage, source);
  status = read_failures(journal, history, source, err);
  if (status == LS_OK && is_of_commands)
    status = ls_report_inputs_read(journal, &source->inputs, err);
  if (status == LS_OK) status = read_advice(journal, source, err);
  if (source->inputs.count > 0) {
    run->describe = describe;
    run->context = &source->inputs;
  }
  if (is_of_commands && !history->is_running)
    ls_bytes_printf(&source->repeat, "loadstar run --resume-failed --journal %s",
                    ls_journal_path(journal));
  if (source->repeat.length > 0) run->repeat = ls_bytes_text(&source->repeat);
  run->advice = ls_bytes_text(&source->advice);
  if (status == LS_OK && (source->advice.failed || source->repeat.failed))
    status = ls_fail(err, LS_ENOMEM, "no memory for what is known of the run");
  return status;
}

void ls_report_run_close(struct ls_report_run_source *source) {
  for (size_t i = 0; i < source->texts_count; i++) free(source->texts[i]);
  free(source->texts);
  free(source->failures);
  ls_report_inputs_close(&source->inputs);
  ls_bytes_close(&source->repeat);
  ls_bytes_close(&source->advice);
  *source = (struct ls_report_run_source){0};
}
