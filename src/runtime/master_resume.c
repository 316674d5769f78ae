/* master_resume.c: units that earlier sessions settled are restored, not computed again.
 *
 * The coordinator gets the settled ranges of the iteration that was open.  Of commands, outputs
 * that were recorded but not delivered are delivered now; a computing application gets every
 * recorded result again, in order of acceptance, and so rebuilds its state.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/master_private.h"

/* The ranges of one outcome, growing; consecutive ones are joined. */
struct ranges {
  struct ls_range *items;
  size_t count, capacity;
};

struct restoration {
  struct ls_master *master;
  uint32_t iteration;
  struct ranges done, failed;
  bool is_pending; /* second visit */
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
                                 .start_s = row->start_s,
                                 .seconds = row->seconds,
                                 .output = {outputs[0].data, outputs[0].length, -1},
                                 .error_output = {outputs[1].data, outputs[1].length, -1}};
}

/* Gives a recorded result to the application: with `is_pending`, those that merge has to see again,
 * else those that it need not see. */
static enum ls_status deliver(struct restoration *restoration,
                              const struct ls_journal_result *row) {
  struct ls_master *master = restoration->master;
  const struct ls_app *app = master->options->app;
  void *state = master->options->state;
  struct ls_bytes outputs[2] = {{0}, {0}};
  enum ls_status status = LS_OK;
  for (int i = 0; i < 2 && status == LS_OK; ++i) {
    struct ls_journal_blob which = {
        .iteration = row->iteration, .unit = row->units.first, .stream = i + 1, .file = -1};
    status = ls_journal_read_output(master->journal, &which, &outputs[i], &restoration->failure);
  }
  bool is_kept = outputs[0].length > 0 || outputs[1].length > 0;
  bool is_wanted = is_kept || !app->runs_commands;
  struct ls_unit_result result = describe(row, outputs);
  if (status == LS_OK && !is_wanted && !restoration->is_pending && app->skip != NULL) {
    status = app->skip(state, &result, &restoration->failure);
  } else if (status == LS_OK && is_wanted && restoration->is_pending && app->merge != NULL) {
    status = app->merge(state, &result, &restoration->failure);
    master->has_pending = master->has_pending || app->runs_commands;
    if (status == LS_OK && app->runs_commands && app->delivered == NULL) {
      ls_journal_delivered(master->journal, row->iteration, row->units.first);
    }
  }
  ls_bytes_close(&outputs[0]);
  ls_bytes_close(&outputs[1]);
  return status;
}

/* The second visit: outputs that were not delivered. */
static enum ls_status on_row_again(void *context, const struct ls_journal_result *row) {
  return deliver(context, row);
}

static enum ls_status on_row(void *context, const struct ls_journal_result *row) {
  struct restoration *restoration = context;
  struct ls_master_report *report = restoration->master->report;
  report->units_before += row->units.count;
  if (row->outcome != LS_OUTCOME_DONE) report->units_failed_before += row->units.count;
  enum ls_status status = LS_OK;
  if (row->iteration == restoration->iteration) {
    status = add_range(row->outcome == LS_OUTCOME_DONE ? &restoration->done : &restoration->failed,
                       row->units);
  }
  if (status == LS_OK) status = deliver(restoration, row);
  return status;
}

static enum ls_status restore_rows(struct ls_master *master, uint32_t iteration,
                                   struct ls_error *err) {
  struct restoration restoration = {.master = master, .iteration = iteration};
  enum ls_status status = ls_journal_each_result(master->journal, on_row, &restoration, err);
  if (status == LS_OK) {
    restoration.is_pending = true;
    status = ls_journal_each_result(master->journal, on_row_again, &restoration, err);
  }
  if (status != LS_OK && restoration.failure.status != LS_OK && err != NULL) {
    *err = restoration.failure;
  }
  if (status == LS_OK) {
    struct ls_coordinator_past past = {.iteration = iteration,
                                       .done = restoration.done.items,
                                       .done_count = restoration.done.count,
                                       .failed = restoration.failed.items,
                                       .failed_count = restoration.failed.count};
    status = ls_coordinator_restore(master->coordinator, &past, err);
  }
  if (status == LS_OK) status = ls_journal_commit(master->journal, err);
  free(restoration.done.items);
  free(restoration.failed.items);
  return status;
}

enum ls_status ls_master_restore(struct ls_master *master, struct ls_error *err) {
  const struct ls_master_options *options = master->options;
  if (options->journal == NULL) return LS_OK;
  struct ls_journal_request request = {.path = options->journal,
                                       .mode = options->journal_mode,
                                       .job = &options->job,
                                       .is_synced = options->is_synced};
  enum ls_status status = ls_journal_open(&request, &master->journal, err);
  if (status != LS_OK) return status;
  struct ls_journal_summary summary;
  status = ls_journal_summary(master->journal, &summary, err);
  if (status != LS_OK) return status;
  master->workers_base = summary.next_worker;
  master->offset_s = summary.elapsed_s;
  master->iteration = summary.iteration;
  if (summary.sessions <= 1) return LS_OK; /* this one */
  return restore_rows(master, summary.iteration, err);
}
