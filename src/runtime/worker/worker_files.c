/* worker_files.c: the files of commands at a worker: the folder of the run, the cache in it, and
 * what the next units lack. */
#include <math.h>
#include <string.h>

#include "runtime/os/clock.h"
#include "runtime/worker/worker_private.h"

/* So many units behind the one that runs have their inputs brought meanwhile. */
enum { UNITS_AHEAD = 8 };

static void post(void *context, const struct ls_message *message) {
  struct ls_worker *worker = context;
  ls_line_post(&worker->line, message);
}

enum ls_status ls_worker_open_files(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_settings *settings = &worker->settings;
  if (settings->sandboxing == LS_SANDBOX_NONE || worker->kind != &ls_executor_command) return LS_OK;
  const struct ls_worker_options *options = worker->options;
  struct ls_scratch_setup setup = {.path = options->cache, .keeps_files = options->keeps_cache};
  memcpy(setup.run, worker->line.session.run, sizeof setup.run);
  enum ls_status status = ls_scratch_open(&worker->scratch, &setup, err);
  if (status != LS_OK || !settings->has_files) return status;
  uint64_t bytes = options->cache_bytes > 0 ? options->cache_bytes : settings->cache_bytes;
  status = ls_cache_open(&worker->cache, &worker->scratch, bytes, err);
  if (status == LS_OK)
    worker->stager = (struct ls_stager){.cache = &worker->cache, .post = post, .context = worker};
  return status;
}

/* The inputs of units of a job, of `*room` at most. */
static enum ls_status review_job(struct ls_worker *worker, const struct ls_job *job, bool is_head,
                                 uint64_t *room, struct ls_error *err) {
  size_t at = worker->payloads.items[job->payload].at;
  if (!ls_payloads_is_here(&worker->payloads, job->payload)) return LS_OK;
  struct ls_work work = ls_payloads_work(&worker->payloads, job, worker->settings.slot, &at);
  enum ls_status status =
      ls_command_place_seek(&worker->next_command, &work, &worker->command, err);
  struct ls_command_place place = worker->next_command;
  for (uint64_t i = 0; i<job->units.count && * room> 0 && status == LS_OK; ++i, --*room) {
    const struct ls_staging *staging = &worker->command.staging;
    status = ls_command_place_read(&place, &work, &worker->command, err);
    for (size_t k = 0; status == LS_OK && k < staging->inputs_count; ++k)
      status = ls_stager_add(&worker->stager, &staging->inputs[k], is_head, err);
  }
  return status;
}

enum ls_status ls_worker_review_files(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_side *side = &worker->side;
  if (worker->stager.cache == NULL) return LS_OK;
  enum ls_status status = LS_OK;
  uint64_t room = UNITS_AHEAD;
  ls_stager_begin(&worker->stager);
  /* Those that run have theirs in their sandbox. */
  if (side->is_running && worker->must_start)
    status = review_job(worker, &side->running, true, &room, err);
  const struct ls_job *job;
  for (size_t i = 0; status == LS_OK && room > 0; ++i) {
    job = ls_job_queue_at(&side->queue, i);
    if (job == NULL) break;
    status = review_job(worker, job, false, &room, err);
  }
  ls_stager_end(&worker->stager);
  return status;
}

enum ls_staged ls_worker_judge_files(const struct ls_worker *worker, const char **why) {
  return worker->stager.cache != NULL ? ls_stager_judge(&worker->stager, why) : LS_STAGED_THERE;
}

void ls_worker_advance_files(struct ls_worker *worker) {
  if (worker->stager.cache == NULL) return;
  ls_stager_advance(&worker->stager, ls_line_is_open(&worker->line), ls_clock_s());
}

double ls_worker_files_patience_s(const struct ls_worker *worker) {
  const char *why = NULL;
  if (worker->must_start && worker->must_cancel) return 0;
  if (worker->stager.cache == NULL) return (double)INFINITY;
  bool is_full = ls_kept_results_is_full(&worker->line.postbox.results);
  bool is_decided = ls_worker_judge_files(worker, &why) != LS_STAGED_WAITS;
  const struct ls_worker_side *side = &worker->side;
  bool is_barred =
      (side->is_running && !ls_payloads_is_here(&worker->payloads, side->running.payload)) ||
      (ls_command_manners_waits(&worker->settings.manners) && !worker->machine.is_good);
  if (worker->must_start && (worker->must_cancel || (is_decided && !is_full && !is_barred)))
    return 0;
  if (!ls_line_is_open(&worker->line)) return (double)INFINITY;
  return fmax(0, ls_stager_due_s(&worker->stager) - ls_clock_s());
}

void ls_worker_close_files(struct ls_worker *worker) {
  ls_stager_close(&worker->stager);
  ls_cache_close(&worker->cache);
  ls_scratch_close(&worker->scratch);
  ls_command_close(&worker->command);
}
