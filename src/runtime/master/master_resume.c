/* master_resume.c: units that earlier sessions settled are restored, not computed again.
 *
 * The coordinator gets the settled ranges of the iteration that was open.  Of commands, outputs
 * that were recorded but not delivered are delivered now; a computing application goes through its
 * iterations once more, from the start or from its last checkpoint: it is asked for the units of
 * each, and gets every recorded result again, in order of acceptance.
 */
#include "runtime/master/master_resume.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The ranges of one outcome, growing; consecutive ones are joined. */
struct ranges {
  struct ls_range *items;
  size_t count, capacity;
};

struct restoration {
  const struct ls_master_books *books;
  struct ls_iterations *iterations;
  uint32_t iteration; /* of a computing application: where it stands */
  uint64_t units;     /* of that iteration */
  uint8_t *settled;   /* of them, a bit for each: none is settled twice */
  uint32_t first;     /* the iterations before it are in its checkpoint */
  struct ls_deliveries *deliveries;
  struct ls_master_report *report;
  struct ranges done, failed;
  bool has_pending; /* some output is recorded and not delivered */
  struct ls_error failure;
};

static enum ls_status add_range(struct ranges *ranges, struct ls_range range) {
  struct ls_range *last = ranges->count > 0 ? &ranges->items[ranges->count - 1] : NULL;
  if (last != NULL && last->first + last->count == range.first) {
    last->count += range.count;
    return LS_OK;
  }
  enum ls_status status = ls_array_reserve((void **)&ranges->items, &ranges->capacity,
                                           ranges->count + 1, sizeof *ranges->items);
  if (status == LS_OK) ranges->items[ranges->count++] = range;
  return status;
}

static struct ls_unit_result describe(const struct ls_journal_result *row,
                                      const struct ls_bytes outputs[2]) {
  return (struct ls_unit_result){.iteration = row->iteration,
                                 .units = row->units,
                                 .outcome = row->outcome,
                                 .worker = row->worker,
                                 .slot = row->slot,
                                 .attempt = row->attempt,
                                 .has_timed_out = row->has_timed_out,
                                 .exit_code = row->exit_code,
                                 .signal = row->signal,
                                 .usage = row->usage,
                                 .start_s = row->start_s,
                                 .seconds = row->seconds,
                                 .compute_s = row->compute_s,
                                 .stage_s = row->stage_s,
                                 .output = {outputs[0].data, outputs[0].length, -1},
                                 .error_output = {outputs[1].data, outputs[1].length, -1}};
}

/* What is recorded of the outputs of a result, appended to `outputs`. */
static enum ls_status read_outputs(struct restoration *restoration,
                                   const struct ls_journal_result *row,
                                   struct ls_bytes outputs[2]) {
  const uint64_t sizes[2] = {row->output_bytes, row->error_bytes};
  enum ls_status status = LS_OK;
  for (int i = 0; i < 2 && status == LS_OK && restoration->has_pending; ++i) {
    struct ls_journal_blob which = {
        .iteration = row->iteration, .unit = row->units.first, .stream = i + 1, .file = -1};
    if (sizes[i] > 0)
      status = ls_journal_read_output(restoration->books->journal, &which, &outputs[i],
                                      &restoration->failure);
  }
  return status;
}

/* Of its error output, which has left, the journal has the line that says why. */
static enum ls_status tell_failure(struct restoration *restoration,
                                   const struct ls_unit_result *result) {
  struct ls_unit_result told = *result;
  struct ls_bytes reason = {0};
  if (result->outcome == LS_OUTCOME_DONE) return LS_OK;
  enum ls_status status =
      ls_journal_read_reason(restoration->books->journal, result->iteration, result->units.first,
                             &reason, &restoration->failure);
  told.error_output = (struct ls_output){reason.data, reason.length, -1};
  if (status == LS_OK) ls_deliveries_tell(restoration->deliveries, &told);
  ls_bytes_close(&reason);
  return status;
}

/* Gives a recorded result to the application. Of commands the first walk (`is_again` false) tells
 * those that merge need not see, the second one merges the others; a computing application gets all
 * in the order in which they were accepted. */
static enum ls_status deliver(struct restoration *restoration, const struct ls_journal_result *row,
                              bool is_again) {
  const struct ls_app *app = restoration->deliveries->app;
  struct ls_bytes outputs[2] = {{0}, {0}};
  enum ls_status status = read_outputs(restoration, row, outputs);
  struct ls_unit_result result = describe(row, outputs);
  bool is_kept = outputs[0].length > 0 || outputs[1].length > 0;
  bool is_merged = app->runs_commands ? is_again && is_kept : is_kept || app->skip == NULL;
  if (status == LS_OK) {
    if (is_merged) {
      status =
          ls_deliveries_merge_one(restoration->deliveries, &result, true, &restoration->failure);
    } else if (!is_again && !is_kept) {
      status = tell_failure(restoration, &result);
      if (status == LS_OK && app->skip != NULL)
        status = app->skip(restoration->deliveries->state, &result, &restoration->failure);
    }
  }
  ls_bytes_close(&outputs[0]);
  ls_bytes_close(&outputs[1]);
  return status;
}

/* Asks for the units of an iteration. */
static enum ls_status enter(struct restoration *restoration, uint32_t iteration) {
  enum ls_status status = ls_iterations_units(restoration->iterations, iteration,
                                              &restoration->units, &restoration->failure);
  restoration->iteration = iteration;
  if (status != LS_OK) return status;
  free(restoration->settled);
  restoration->settled = calloc(restoration->units / 8 + 1, 1);
  if (restoration->settled != NULL) return LS_OK;
  return ls_fail(&restoration->failure, LS_ENOMEM, "no memory for %llu settled units",
                 (unsigned long long)restoration->units);
}

/* A computing application is asked for each iteration in turn, once all before it is merged; none
 * is behind the one without units. */
static enum ls_status advance(struct restoration *restoration, uint32_t iteration) {
  enum ls_status status = LS_OK;
  while (status == LS_OK && restoration->iteration < iteration) {
    if (restoration->units == 0)
      return ls_fail(&restoration->failure, LS_ECORRUPT,
                     "%s: has iteration %u, but the run ends with iteration %u",
                     ls_journal_path(restoration->books->journal), (unsigned)iteration,
                     (unsigned)restoration->iteration);
    status = enter(restoration, restoration->iteration + 1);
  }
  return status;
}

static enum ls_status begin(struct restoration *restoration) {
  enum ls_status status =
      ls_iterations_restore(restoration->iterations, &restoration->first, &restoration->failure);
  return status == LS_OK ? enter(restoration, restoration->first) : status;
}

/* The application gets units that it has, each once: it need not look. */
static enum ls_status check_row(struct restoration *restoration,
                                const struct ls_journal_result *row) {
  uint64_t first = row->units.first, count = row->units.count, unit = first;
  bool is_possible = row->iteration == restoration->iteration && first < restoration->units &&
                     count <= restoration->units - first;
  for (; is_possible && unit < first + count; unit++) {
    const uint8_t bit = (uint8_t)(1U << unit % 8);
    is_possible = (restoration->settled[unit / 8] & bit) == 0;
    restoration->settled[unit / 8] |= bit;
  }
  if (is_possible) return LS_OK;
  return ls_fail(
      &restoration->failure, LS_ECORRUPT,
      "%s: a result is of %llu units from %llu on of iteration %u, expected units of the "
      "%llu of iteration %u without a result",
      ls_journal_path(restoration->books->journal), (unsigned long long)count,
      (unsigned long long)first, (unsigned)row->iteration, (unsigned long long)restoration->units,
      (unsigned)restoration->iteration);
}

static enum ls_status on_row(void *context, const struct ls_journal_result *row) {
  struct restoration *restoration = context;
  struct ls_master_report *report = restoration->report;
  report->units_before += row->units.count;
  if (row->outcome != LS_OUTCOME_DONE) report->units_failed_before += row->units.count;
  /* The checkpoint has what came of it. */
  if (row->iteration < restoration->first) return LS_OK;
  enum ls_status status = LS_OK;
  if (row->iteration <= restoration->books->iteration)
    status = advance(restoration, row->iteration);
  if (status == LS_OK) status = check_row(restoration, row);
  if (status == LS_OK && row->iteration == restoration->books->iteration)
    status = add_range(row->outcome == LS_OUTCOME_DONE ? &restoration->done : &restoration->failed,
                       row->units);
  return status == LS_OK ? deliver(restoration, row, false) : status;
}

/* The second walk, over commands whose output nobody has got yet. */
static enum ls_status on_row_again(void *context, const struct ls_journal_result *row) {
  return row->output_bytes > 0 || row->error_bytes > 0 ? deliver(context, row, true) : LS_OK;
}

static int compare_ranges(const void *left, const void *right) {
  const struct ls_range *a = left, *b = right;
  return a->first < b->first ? -1 : a->first > b->first;
}

/* Results come in the order of their ends; in the order of their units few ranges are left. */
static void join_ranges(struct ranges *ranges) {
  if (ranges->count < 2) return;
  qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
  size_t last = 0;
  for (size_t i = 1; i < ranges->count; ++i) {
    if (ranges->items[last].first + ranges->items[last].count == ranges->items[i].first)
      ranges->items[last].count += ranges->items[i].count;
    else
      ranges->items[++last] = ranges->items[i];
  }
  ranges->count = last + 1;
}

static enum ls_status walk_rows(struct restoration *restoration, struct ls_error *err) {
  struct ls_journal *journal = restoration->books->journal;
  enum ls_status status = ls_journal_has_pending(journal, &restoration->has_pending, err);
  if (status == LS_OK) status = begin(restoration);
  if (status == LS_OK) status = ls_journal_each_result(journal, on_row, restoration, err);
  if (status == LS_OK) status = advance(restoration, restoration->books->iteration);
  if (status == LS_OK && restoration->has_pending && restoration->deliveries->app->runs_commands)
    status = ls_journal_each_result(journal, on_row_again, restoration, err);
  if (status != LS_OK && restoration->failure.status != LS_OK && err != NULL)
    *err = restoration->failure;
  return status;
}

enum ls_status ls_master_restore(const struct ls_master_books *books,
                                 struct ls_iterations *iterations, struct ls_deliveries *deliveries,
                                 struct ls_master_report *report, struct ls_error *err) {
  struct restoration restoration = {
      .books = books, .iterations = iterations, .deliveries = deliveries, .report = report};
  struct ranges *done = &restoration.done, *failed = &restoration.failed;
  enum ls_status status = walk_rows(&restoration, err);
  if (status == LS_OK) {
    join_ranges(done);
    join_ranges(failed);
    struct ls_coordinator_past past = {.iteration = books->iteration,
                                       .done = done->items,
                                       .done_count = done->count,
                                       .failed = failed->items,
                                       .failed_count = failed->count};
    status = ls_coordinator_restore(books->coordinator, &past, err);
  }
  if (status == LS_OK) status = ls_journal_commit(books->journal, err);
  free(restoration.settled);
  free(done->items);
  free(failed->items);
  return status;
}
