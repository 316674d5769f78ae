#include "cli/run/run_left.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "cli/run/joblog.h"
#include "cli/run/run_private.h"
#include "runtime/journal/journal.h"

struct reading {
  struct ls_run *run;
  struct ls_run_left *left;
};

static void set(struct ls_run_left *left, uint64_t task, bool is_done) {
  uint64_t bit = UINT64_C(1) << task % 64;
  if (task >= left->tasks) return;
  left->done[task / 64] = is_done ? left->done[task / 64] | bit : left->done[task / 64] & ~bit;
}

static enum ls_status on_result(void *context, const struct ls_journal_result *result) {
  const struct reading *reading = context;
  bool is_kept = !reading->run->options.repeats_failures || result->outcome == LS_OUTCOME_DONE;
  for (uint64_t i = 0; i < result->units.count && is_kept; i++)
    set(reading->left, result->units.first + i, true);
  return LS_OK;
}

/* The last line of a task counts. */
static enum ls_status on_line(void *context, const struct ls_joblog_record *record,
                              struct ls_error *err) {
  const struct reading *reading = context;
  const struct ls_run_options *options = &reading->run->options;
  if (record->sequence > reading->left->tasks) return LS_OK;
  set(reading->left, record->sequence - 1, !options->repeats_failures || !record->has_failed);
  return ls_run_outputs_compare(reading->run, record, err);
}

static enum ls_status read_journal(struct reading *reading, struct ls_error *err) {
  struct ls_run *run = reading->run;
  struct ls_journal_request request = {.path = run->options.journal, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  enum ls_status status = ls_journal_open(&request, &journal, err);
  ls_run_job_find_directory(run);
  const struct ls_journal_job job = ls_run_job_facts(run);
  if (status == LS_OK) status = ls_journal_compare(journal, &job, err);
  if (status == LS_OK) {
    status = ls_run_resume_compare(journal, &run->source, err);
    if (status != LS_OK) status = ls_fail_while(err, status, "%s", request.path);
  }
  if (status == LS_OK) status = ls_journal_each_result(journal, on_result, reading, err);
  ls_journal_close(journal);
  return status;
}

enum ls_status ls_run_left_read(struct ls_run *run, struct ls_run_left *left,
                                struct ls_error *err) {
  const struct ls_run_options *options = &run->options;
  struct reading reading = {run, left};
  const char *path = options->journal != NULL ? options->journal : options->outputs.joblog;
  bool resumes = options->is_resumed || options->repeats_failures;
  struct stat facts;
  /* What is not there, or is empty, begins anew. */
  if (!resumes || path == NULL || stat(path, &facts) != 0) return LS_OK;
  if (S_ISREG(facts.st_mode) && facts.st_size == 0) return LS_OK;
  left->done = calloc(run->units / 64 + 1, sizeof *left->done);
  if (left->done == NULL)
    return ls_fail(err, LS_ENOMEM, "out of memory for %llu tasks", (unsigned long long)run->units);
  left->tasks = run->units;
  return options->journal != NULL ? read_journal(&reading, err)
                                  : ls_joblog_read(path, on_line, &reading, err);
}

uint64_t ls_run_left_count(const struct ls_run_left *left, uint64_t units) {
  uint64_t count = 0;
  for (uint64_t task = 0; task < units; task++) count += !ls_run_left_is_done(left, task);
  return count;
}

void ls_run_left_close(struct ls_run_left *left) {
  free(left->done);
  *left = (struct ls_run_left){0};
}
