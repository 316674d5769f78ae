/* run_lines.c: how many inputs each command line of -m and --xargs takes.
 *
 * The sizes are found by what cuts tasks into command lines at the worker, for the environment that
 * commands get on this machine.  Where another one takes less, its worker makes two lines of one.
 * A resumed run fills lines with what its journal does not know the end of.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_private.h"
#include "runtime/execute/command_environment.h"
#include "runtime/execute/task_line.h"
#include "runtime/journal/journal.h"

struct lines {
  double *units;
  size_t count, capacity;
};

static enum ls_status add_line(struct lines *lines, uint64_t units, struct ls_error *err) {
  if (ls_array_reserve((void **)&lines->units, &lines->capacity, lines->count + 1,
                       sizeof *lines->units) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for the sizes of %zu command lines",
                   lines->count + 1);
  lines->units[lines->count++] = (double)units;
  return LS_OK;
}

/* An input that does not fit by itself is a line of its own, which fails by name. */
static enum ls_status fill_lines(struct ls_task_line *line, struct ls_work *work,
                                 struct lines *lines, struct ls_error *err) {
  struct ls_command command = {0};
  enum ls_status status = LS_OK;
  uint64_t end = work->packed.first + work->packed.count;
  while (work->units.first < end && status == LS_OK) {
    uint64_t taken = 1;
    work->units.count = end - work->units.first;
    status = ls_task_line_make(line, work, &command, &taken, err);
    if (status == LS_OK || status == LS_EINVAL) status = add_line(lines, taken, err);
    work->units.first += taken;
  }
  ls_command_close(&command);
  return status;
}

/* Of inputs that follow each other. */
static enum ls_status measure(struct ls_run *run, struct ls_range inputs, struct ls_task_line *line,
                              struct lines *lines, struct ls_error *err) {
  struct ls_bytes text = {0};
  /* The slot of the longest number: no other one's line is longer. */
  uint32_t slot = (uint32_t)ls_run_pools_workers(&run->options);
  enum ls_status status = run->app.pack(run->state, inputs, slot, &text, err);
  struct ls_work work = {
      .units = inputs, .packed = inputs, .input = text.data, .length = text.length};
  if (status == LS_OK) status = fill_lines(line, &work, lines, err);
  ls_bytes_close(&text);
  return status;
}

/* ---- what a journal knows the end of ---- */

struct ended {
  bool *units;
  uint64_t count;
  bool repeats_failures;
};

static enum ls_status on_result(void *context, const struct ls_journal_result *result) {
  struct ended *ended = context;
  if (ended->repeats_failures && result->outcome != LS_OUTCOME_DONE) return LS_OK;
  for (uint64_t i = 0; i < result->units.count; i++) {
    if (result->units.first + i < ended->count) ended->units[result->units.first + i] = true;
  }
  return LS_OK;
}

/* Whether it is the journal of this run, or any, is seen when it is opened to go on. */
static enum ls_status read_ended(const struct ls_run_options *options, struct ended *ended,
                                 struct ls_error *err) {
  struct ls_journal_request request = {.path = options->journal, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  bool is_resumed = options->is_resumed || options->repeats_failures;
  if (!is_resumed || options->journal == NULL || access(options->journal, F_OK) != 0) return LS_OK;
  if (ls_journal_open(&request, &journal, NULL) != LS_OK) return LS_OK;
  enum ls_status status = ls_journal_each_result(journal, on_result, ended, err);
  ls_journal_close(journal);
  return status;
}

/* Lines do not go beyond what is done between two inputs that are not. */
static enum ls_status measure_left(struct ls_run *run, const struct ended *ended,
                                   struct ls_task_line *line, struct lines *lines,
                                   struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (uint64_t first = 0, end; first < ended->count && status == LS_OK; first = end + 1) {
    end = first;
    while (end < ended->count && !ended->units[end]) end++;
    if (end > first) status = measure(run, (struct ls_range){first, end - first}, line, lines, err);
  }
  return status;
}

static enum ls_status measure_all(struct ls_run *run, struct lines *lines, struct ls_error *err) {
  const struct ls_limit_options *limits = &run->options.limits;
  struct ended ended = {.count = run->units, .repeats_failures = run->options.repeats_failures};
  struct ls_command_environment environment;
  struct ls_task_line line;
  enum ls_status status = ls_command_environment_init(
      &environment, limits->is_given ? &limits->manners : NULL, UINT32_MAX, err);
  if (status != LS_OK) return status;
  ls_task_line_init(&line, &run->options.bundles.tasks,
                    ls_command_environment_of(&environment, 1, 1));
  ended.units = calloc(run->units, sizeof *ended.units);
  if (ended.units == NULL)
    status = ls_fail(err, LS_ENOMEM, "out of memory for the lines of %llu inputs",
                     (unsigned long long)run->units);
  if (status == LS_OK) status = read_ended(&run->options, &ended, err);
  if (status == LS_OK) status = measure_left(run, &ended, &line, lines, err);
  free(ended.units);
  ls_task_line_close(&line);
  ls_command_environment_close(&environment);
  return status;
}

/* What would be in the last line is shared: so many inputs for each line that follows. */
static void spread_rest(const struct ls_run *run, struct lines *lines) {
  double workers = (double)ls_run_pools_workers(&run->options);
  double *last = &lines->units[lines->count - 1];
  if (workers > 1) *last = ceil(*last / workers);
}

enum ls_status ls_run_lines_measure(struct ls_run *run, struct ls_error *err) {
  struct ls_bundle_options *bundles = &run->options.bundles;
  struct lines lines = {0};
  if (!bundles->fills_lines || run->units == 0) return LS_OK;
  enum ls_status status = measure_all(run, &lines, err);
  if (status != LS_OK) {
    free(lines.units);
    return status;
  }
  if (bundles->spreads_rest && lines.count > 0) spread_rest(run, &lines);
  bundles->line_units = (struct ls_argument_list){lines.units, lines.count};
  return LS_OK;
}
