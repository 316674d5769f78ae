/* worker_welcome.c: the first words of a master, and what a worker makes of them: settings, the
 * application, an executor. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/os/benchmark.h"
#include "runtime/os/clock.h"
#include "runtime/os/process.h"
#include "runtime/worker/worker_private.h"

static enum ls_status create_executor(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  const struct ls_settings *settings = &worker->settings;
  struct ls_executor_setup setup = {
      .app = options->app,
      .state = worker->state,
      .directory = options->is_thread ? settings->directory : NULL,
      .timeout_s = settings->timeout_s,
      .manners = &settings->manners,
      .slot = settings->slot,
      .speed = settings->speed > 0 ? settings->speed : options->speed,
      .load = settings->load.count > 0 ? &settings->load : NULL,
      .load_from_s = worker->welcomed_s,
      .inline_max = ls_worker_is_far(worker) ? LS_MESSAGE_PIECE_BYTES : LS_WORKER_INLINE_MAX,
      .rooms = {settings->sandboxing, &worker->scratch, &worker->cache},
      .bundling = settings->bundling,
      .ending = settings->ending != NULL ? &worker->ending : NULL,
      .writes_directly = settings->showing >= LS_SHOW_DIRECTLY,
      .stage_ahead = settings->stage_ahead};
  return worker->kind->create(&setup, &worker->executor, err);
}

/* Those above it, too; whoever cannot make one hears of it when it is entered. */
static void make_directory(const char *path) {
  char part[PATH_MAX];
  size_t length = strlen(path);
  if (length >= sizeof part) return;
  memcpy(part, path, length + 1);
  for (size_t i = 1; i <= length; i++) {
    if (part[i] != '/' && part[i] != '\0') continue;
    part[i] = '\0';
    (void)mkdir(part, 0777);
    part[i] = path[i];
  }
}

/* Opens what the settings name, and the executor for it. */
static enum ls_status set_up(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  const struct ls_app *app = options->app;
  struct ls_settings *settings = &worker->settings;
  worker->welcomed_s = ls_clock_s();
  if (settings->makes_directory && settings->directory != NULL) make_directory(settings->directory);
  /* Threads share one working directory, so they leave it alone. */
  if (settings->directory != NULL && !options->is_thread && chdir(settings->directory) != 0) {
    return ls_fail(err, LS_EINVAL,
                   "cannot enter the directory '%s' of the run: %s (see --workdir, --stage-in)",
                   settings->directory, strerror(errno));
  }
  if (app != NULL && app->open != NULL) {
    enum ls_status status =
        app->open((int)settings->words_count, settings->words, &worker->state, err);
    if (status != LS_OK) return status;
    worker->is_open = true;
    if (settings->is_synced && app->sync != NULL) app->sync(worker->state);
  }
  worker->kind = app == NULL || app->runs_commands ? &ls_executor_command
                 : options->executor != NULL       ? options->executor
                 : options->is_thread              ? &ls_executor_direct
                 : settings->computes_in_thread    ? &ls_executor_thread
                 : app->stage != NULL              ? &ls_executor_staged
                                                   : &ls_executor_child;
  ls_worker_side_init(&worker->side, &settings->side);
  enum ls_status status = ls_worker_open_files(worker, err);
  return status == LS_OK ? create_executor(worker, err) : status;
}

static void tell_speed(struct ls_worker *worker) {
  struct ls_message told = {.kind = LS_MESSAGE_BENCHMARK, .speed = worker->speed};
  if (worker->speed > 0) ls_line_post(&worker->line, &told);
}

/* A worker that emulates a slower machine is one here, too. */
void ls_worker_measure_speed(struct ls_worker *worker) {
  const struct ls_settings *settings = &worker->settings;
  if (settings->benchmark == 0) return;
  double share = settings->speed > 0 ? settings->speed : worker->options->speed;
  worker->speed = share * ls_benchmark_master_s / ls_benchmark_run_s(settings->benchmark);
  tell_speed(worker);
}

void ls_worker_kill_orphans(const struct ls_worker *worker) {
  if (worker->options->is_thread || worker->known_count > LS_WORKER_KNOWN_MAX) return;
  (void)ls_process_kill_orphans(worker->known, worker->known_count);
}

/* Its own master does not know it any more: whatever it began is somebody else's now, and only
 * what it finished is of use. */
static enum ls_status start_over(struct ls_worker *worker, struct ls_error *err) {
  worker->kind->destroy(worker->executor);
  worker->executor = NULL;
  ls_worker_kill_orphans(worker);
  ls_worker_forget_jobs(worker);
  return create_executor(worker, err);
}

/* So that a run whose workers all cannot do it ends with the reason. */
static void tell_unable(struct ls_worker *worker, const char *why) {
  worker->is_unable = true;
  ls_line_post(&worker->line,
               &(struct ls_message){.kind = LS_MESSAGE_REFUSED, .text = {why, strlen(why)}});
  (void)!ls_line_pump(&worker->line, NULL);
}

static enum ls_status take_settings(struct ls_worker *worker, const struct ls_message *welcome,
                                    struct ls_error *err) {
  enum ls_status status =
      ls_settings_read(&worker->settings, welcome->text.data, welcome->text.length, err);
  if (status != LS_OK) {
    return ls_fail_while(err, status, "settings of the master at %s", worker->options->address);
  }
  if (worker->settings.ending != NULL)
    status = ls_ending_read(worker->settings.ending, &worker->ending, err);
  if (status != LS_OK) return ls_fail_while(err, status, "settings: ending");
  struct ls_session *session = &worker->line.session;
  session->heartbeat_s = worker->settings.heartbeat_s;
  session->silence_s = worker->settings.silence_s;
  if (worker->settings.start_up_s >= 0) session->start_up_s = worker->settings.start_up_s;
  return LS_OK;
}

static enum ls_status on_welcome(struct ls_worker *worker, const struct ls_message *welcome,
                                 struct ls_error *err) {
  const char *address = worker->options->address;
  bool was_joined = worker->line.session.is_joined;
  if (welcome->version != LS_PROTOCOL_VERSION) {
    return ls_fail(err, LS_EINVAL, "the master at %s speaks version %u of the protocol, not %d",
                   address, welcome->version, LS_PROTOCOL_VERSION);
  }
  if (was_joined && ls_session_is_foreign(&worker->line.session, welcome)) {
    return ls_fail(err, LS_EIO, "the master at %s is that of another run now", address);
  }
  enum ls_status status = was_joined ? LS_OK : take_settings(worker, welcome, err);
  if (status != LS_OK) return status;
  bool goes_on = ls_line_welcome(&worker->line, welcome);
  if (!was_joined) status = set_up(worker, err);
  if (!was_joined && status != LS_OK && err != NULL) tell_unable(worker, err->text);
  if (was_joined && !goes_on) status = start_over(worker, err);
  if (status == LS_OK && !was_joined && ls_worker_lifetime_left_s(worker) <= 0) {
    return ls_fail(err, LS_EINVAL, "--lifetime is %g s, of which the worker needs %g s to leave",
                   worker->options->lifetime_s, ls_worker_lifetime_margin_s(worker));
  }
  if (status == LS_OK && !was_joined) ls_worker_measure_speed(worker);
  /* The master may have given it up: then it is a new one there. */
  if (status == LS_OK && was_joined) tell_speed(worker);
  if (status == LS_OK) status = ls_worker_enter(worker, err);
  if (status != LS_OK || !worker->is_leaving) return status;
  return ls_worker_begin_to_leave(worker, err);
}

enum ls_status ls_worker_on_first_message(struct ls_worker *worker,
                                          const struct ls_message *message, struct ls_error *err) {
  const char *address = worker->options->address;
  if (message->kind == LS_MESSAGE_WELCOME) return on_welcome(worker, message, err);
  /* The run ended while we were cut off. */
  if (message->kind == LS_MESSAGE_RELEASE && worker->line.session.is_joined)
    return ls_worker_on_message(worker, message, false, err);
  if (message->kind == LS_MESSAGE_REFUSED) {
    enum ls_status status = worker->line.session.is_joined ? LS_EIO : LS_EINVAL;
    return ls_fail(err, status, "the master at %s refuses: %.*s", address,
                   (int)message->text.length, (const char *)message->text.data);
  }
  return ls_fail(err, LS_ECORRUPT, "the master at %s says %s, expected WELCOME", address,
                 ls_message_name(message->kind));
}
