/* probe_app.c: --probe measures units of an application, each slot in a process of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/range_words.h"
#include "cli/calibrate/probe_subject.h"
#include "runtime/os/clock.h"

enum { INLINE_MAX = 1 << 16 };

/* What a slot computes. */
struct ls_probe_job {
  struct ls_executor *executor; /* NULL: none yet */
  struct ls_execution execution;
  struct ls_bytes input;
  struct ls_range units;
  double pack_s; /* to pack the input; negative: nothing is packed */
  uint64_t chunk;
};

/* Any units of the first iteration, so that all of it is measured. */
static enum ls_status pack_units(struct ls_probe_subject *subject, struct ls_probe_slot *slot,
                                 struct ls_error *err) {
  struct ls_probe_job *job = &subject->jobs[slot->number];
  uint64_t count = (uint64_t)slot->size, all = (uint64_t)subject->size_most;
  job->units = (struct ls_range){ls_random_below(&subject->random, all - count + 1), count};
  job->pack_s = -1;
  ls_bytes_clear(&job->input);
  if (subject->app->pack == NULL) return LS_OK;
  double begin_s = ls_clock_s();
  enum ls_status status =
      subject->app->pack(subject->state, job->units, (uint32_t)slot->number + 1, &job->input, err);
  if (status == LS_OK && job->input.failed)
    status = ls_fail(err, LS_ENOMEM, "no memory for the input of %.0f units", slot->size);
  job->pack_s = ls_clock_s() - begin_s;
  return status;
}

static enum ls_status open_executor(struct ls_probe_subject *subject, struct ls_probe_job *job,
                                    struct ls_error *err) {
  struct ls_executor_setup setup = {.app = subject->app,
                                    .state = subject->state,
                                    .speed = 1,
                                    .inline_max = INLINE_MAX,
                                    .stage_ahead = 1};
  if (job->executor != NULL) return LS_OK;
  enum ls_status status = subject->executor->create(&setup, &job->executor, err);
  if (status == LS_OK && subject->executor->receive != NULL)
    subject->executor->receive(job->executor, 0, &subject->broadcast);
  return status;
}

/* The input is packed before, so that its time is none of the worker's. */
static enum ls_status start_app(struct ls_probe_subject *subject, struct ls_probe_slot *slot,
                                struct ls_error *err) {
  struct ls_probe_job *job = &subject->jobs[slot->number];
  enum ls_status status = open_executor(subject, job, err);
  if (status == LS_OK) status = pack_units(subject, slot, err);
  if (status != LS_OK) return status;
  bool is_packed = job->input.length > 0;
  struct ls_upcoming next = {.chunk = job->chunk++,
                             .work = {.slot = (uint32_t)slot->number + 1,
                                      .units = job->units,
                                      .packed = job->units,
                                      .input = is_packed ? job->input.data : NULL,
                                      .length = job->input.length}};
  return subject->executor->start(job->executor, &next, err);
}

static bool has_app_ended(struct ls_probe_subject *subject, const struct ls_probe_slot *slot) {
  struct ls_probe_job *job = &subject->jobs[slot->number];
  return subject->executor->finished(job->executor, &job->execution);
}

static int get_app_file(const struct ls_probe_subject *subject, const struct ls_probe_slot *slot) {
  return subject->executor->file(subject->jobs[slot->number].executor);
}

static enum ls_status refuse_units(const struct ls_probe_subject *subject,
                                   const struct ls_probe_job *job, struct ls_error *err) {
  const char *text =
      job->execution.error_output == NULL ? "" : ls_bytes_text(job->execution.error_output);
  int length = (int)strcspn(text, "\n");
  char which[LS_RANGE_WORDS_BYTES];
  return ls_fail(err, LS_EINVAL, "%s: %s failed: %.*s", subject->name,
                 ls_range_words(job->units, which), length, text);
}

static enum ls_status take_app(struct ls_probe_subject *subject, const struct ls_probe_slot *slot,
                               struct ls_measurements *measurements, struct ls_error *err) {
  const struct ls_probe_job *job = &subject->jobs[slot->number];
  if (job->execution.outcome != LS_OUTCOME_DONE) return refuse_units(subject, job, err);
  const struct ls_measurement items[] = {
      {slot->worker, LS_OPERATION_COMPUTE, slot->size, job->execution.compute_s},
      {slot->worker, LS_OPERATION_STAGE, slot->size, job->execution.stage_s},
      {LS_MEASUREMENT_NO_WORKER, LS_OPERATION_PREPARE, slot->size, job->pack_s}};
  const bool is_there[] = {true, subject->app->stage != NULL, job->pack_s >= 0};
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < sizeof items / sizeof *items && status == LS_OK; i++)
    if (is_there[i]) status = ls_measurements_add(measurements, &items[i], err);
  return status;
}

static void stop_app(struct ls_probe_subject *subject, const struct ls_probe_slot *slot) {
  struct ls_probe_job *job = &subject->jobs[slot->number];
  subject->executor->destroy(job->executor);
  job->executor = NULL;
}

static void close_app(struct ls_probe_subject *subject) {
  for (size_t i = 0; i < subject->slots && subject->jobs != NULL; i++) {
    subject->executor->destroy(subject->jobs[i].executor);
    ls_bytes_close(&subject->jobs[i].input);
  }
  free(subject->jobs);
  ls_bytes_close(&subject->broadcast);
  if (subject->is_open && subject->app->close != NULL) subject->app->close(subject->state);
}

static const struct ls_probe_subject_kind app_kind = {.start = start_app,
                                                      .has_ended = has_app_ended,
                                                      .file = get_app_file,
                                                      .take = take_app,
                                                      .stop = stop_app,
                                                      .close = close_app};

static enum ls_status open_state(const struct ls_probe_target *target,
                                 struct ls_probe_subject *subject, struct ls_error *err) {
  size_t count = target->words_count + 1;
  char **words = calloc(count + 1, sizeof *words);
  if (words == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu words", count);
  words[0] = (char *)subject->app->name;
  for (size_t i = 1; i < count; i++) words[i] = (char *)target->words[i - 1];
  enum ls_status status = LS_OK;
  if (subject->app->open != NULL)
    status = subject->app->open((int)count, words, &subject->state, err);
  free(words);
  subject->is_open = status == LS_OK && subject->app->open != NULL;
  return status;
}

/* What a master asks before it sends the first units. */
static enum ls_status ask_master(struct ls_probe_subject *subject, struct ls_error *err) {
  uint64_t units = 0;
  enum ls_status status = subject->app->units(subject->state, 0, &units, err);
  if (status == LS_OK && units == 0)
    status = ls_fail(err, LS_EINVAL, "%s has no units to measure", subject->name);
  subject->size_most = (double)units;
  if (status == LS_OK && subject->app->broadcast != NULL)
    status = subject->app->broadcast(subject->state, 0, &subject->broadcast, err);
  if (status == LS_OK && subject->broadcast.failed)
    status = ls_fail(err, LS_ENOMEM, "no memory for what %s broadcasts", subject->name);
  return status;
}

enum ls_status ls_probe_app_open(const struct ls_probe_target *target,
                                 struct ls_probe_subject *subject, struct ls_error *err) {
  const struct ls_app *app = target->app;
  if (app->compute == NULL)
    return ls_fail(err, LS_EINVAL, "the units of %s are commands: loadstar calibrate measures them",
                   app->name);
  *subject = (struct ls_probe_subject){
      .kind = &app_kind,
      .name = app->name,
      .slots = target->slots,
      .null_file = -1,
      .app = app,
      .executor = app->stage != NULL ? &ls_executor_staged : &ls_executor_child,
      .jobs = calloc(target->slots, sizeof *subject->jobs)};
  ls_random_init(&subject->random, target->seed, "probe units");
  enum ls_status status = LS_OK;
  if (subject->jobs == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", target->slots);
  if (status == LS_OK) status = open_state(target, subject, err);
  if (status == LS_OK) status = ask_master(subject, err);
  if (status != LS_OK) close_app(subject);
  return status;
}
