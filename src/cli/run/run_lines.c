/* run_lines.c: how many inputs each command line of -m and --xargs takes.
 *
 * The sizes are found by what cuts tasks into command lines at the worker, for the environment that
 * commands get on this machine.  Where another one takes less, its worker makes two lines of one.
 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_private.h"
#include "runtime/command_environment.h"
#include "runtime/task_line.h"

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
  struct ls_error refusal;
  enum ls_status status = LS_OK;
  uint64_t end = work->packed.count;
  while (work->units.first < end && status == LS_OK) {
    uint64_t taken = 1;
    work->units.count = end - work->units.first;
    status = ls_task_line_make(line, work, &command, &taken, &refusal);
    if (status == LS_EINVAL) status = LS_OK;
    if (status != LS_OK) *err = refusal;
    if (status == LS_OK) status = add_line(lines, taken, err);
    work->units.first += taken;
  }
  ls_command_close(&command);
  return status;
}

static enum ls_status measure(struct ls_run *run, const struct ls_bytes *input, struct lines *lines,
                              struct ls_error *err) {
  const struct ls_limit_options *limits = &run->options.limits;
  struct ls_command_environment environment;
  struct ls_task_line line;
  struct ls_work work = {.packed = {0, run->units}, .input = input->data, .length = input->length};
  /* The longest number of a slot, so that no slot's line is too long. */
  enum ls_status status = ls_command_environment_init(
      &environment, limits->is_given ? &limits->manners : NULL, UINT32_MAX, err);
  if (status != LS_OK) return status;
  ls_task_line_init(&line, &run->options.bundles.tasks, ls_command_environment_of(&environment, 1));
  status = fill_lines(&line, &work, lines, err);
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
  struct ls_bytes input = {0};
  struct lines lines = {0};
  if (!bundles->fills_lines || run->units == 0) return LS_OK;
  enum ls_status status =
      run->app.pack(run->state, (struct ls_range){0, run->units}, 1, &input, err);
  if (status == LS_OK) status = measure(run, &input, &lines, err);
  ls_bytes_close(&input);
  if (status != LS_OK) {
    free(lines.units);
    return status;
  }
  if (bundles->spreads_rest) spread_rest(run, &lines);
  bundles->line_units = (struct ls_argument_list){lines.units, lines.count};
  return LS_OK;
}
