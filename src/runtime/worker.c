#include "runtime/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/clock.h"
#include "runtime/process.h"
#include "runtime/worker_private.h"

/* To be welcomed; between two looks at the lifeline while the master is behind; to send the last
 * words. */
static const double join_s = 10.0, slice_s = 0.25, linger_s = 2.0;
/* Between two tries to reach the master. */
enum { CALL_AGAIN_MS = 50 };

/* No process writes into the lifeline: only its end can be read. */
static bool has_lost_lifeline(const struct ls_worker *worker) {
  struct pollfd look = {.fd = worker->options->lifeline, .events = POLLIN};
  if (look.fd < 0 || poll(&look, 1, 0) <= 0) return false;
  char byte;
  ssize_t length = read(look.fd, &byte, 1);
  return length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN);
}

static enum ls_status fail_vanished(const struct ls_worker *worker, struct ls_error *err) {
  return ls_fail(err, LS_EIO, "the master at %s has ended (lifeline)", worker->options->address);
}

enum ls_status ls_worker_send(struct ls_worker *worker, const void *data, size_t length,
                              struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  const struct ls_frame frame = {.data = data, .length = length};
  double start_s = ls_clock_s(), silence_s = worker->settings.silence_s;
  for (;;) {
    enum ls_status status = options->transport->send(worker->endpoint, &frame, slice_s, err);
    worker->sent_s = ls_clock_s();
    if (status != LS_EBUSY) return status;
    if (has_lost_lifeline(worker)) return fail_vanished(worker, err);
    if (silence_s > 0 && worker->sent_s - start_s > silence_s) {
      return ls_fail(err, LS_EIO, "the master at %s has taken nothing for %g s", options->address,
                     silence_s);
    }
  }
}

static bool is_interrupted(const struct ls_worker *worker) {
  return worker->options->interrupts != NULL && *worker->options->interrupts > 0;
}

static enum ls_status say(struct ls_worker *worker, enum ls_message_kind kind,
                          struct ls_error *err) {
  struct ls_message message = {.kind = kind};
  ls_worker_post(worker, &message);
  return ls_worker_flush(worker, err);
}

static enum ls_status say_hello(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  const char *token = options->token != NULL ? options->token : "";
  char host[HOST_NAME_MAX + 1] = "";
  (void)gethostname(host, sizeof host - 1);
  struct ls_message hello = {.kind = LS_MESSAGE_HELLO,
                             .version = LS_PROTOCOL_VERSION,
                             .process_id = (uint64_t)getpid(),
                             .name = {options->name, strlen(options->name)},
                             .text = {token, strlen(token)},
                             .host = {host, strlen(host)},
                             .speed = options->speed};
  ls_worker_post(worker, &hello);
  return ls_worker_flush(worker, err);
}

/* The first words of the master. */
static enum ls_status on_first_message(struct ls_worker *worker, const struct ls_message *message,
                                       struct ls_error *err) {
  const char *address = worker->options->address;
  if (message->kind == LS_MESSAGE_REFUSED) {
    return ls_fail(err, LS_EINVAL, "the master at %s refuses: %.*s", address,
                   (int)message->text.length, (const char *)message->text.data);
  }
  if (message->kind != LS_MESSAGE_WELCOME) {
    return ls_fail(err, LS_ECORRUPT, "the master at %s says %s, expected WELCOME", address,
                   ls_message_name(message->kind));
  }
  if (message->version != LS_PROTOCOL_VERSION) {
    return ls_fail(err, LS_EINVAL, "the master at %s speaks version %u of the protocol, not %d",
                   address, message->version, LS_PROTOCOL_VERSION);
  }
  enum ls_status status =
      ls_settings_read(&worker->settings, message->text.data, message->text.length, err);
  if (status != LS_OK) return ls_fail_while(err, status, "settings of the master at %s", address);
  return LS_OK;
}

static enum ls_status call_master(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  enum ls_status status = options->transport->connect(options->address, &worker->endpoint, err);
  return status == LS_OK ? say_hello(worker, err) : status;
}

/* The master is not there yet, or takes no more connections for now. */
static enum ls_status call_again(struct ls_worker *worker, struct ls_error *err) {
  struct pollfd lifeline = {.fd = worker->options->lifeline, .events = POLLIN};
  worker->options->transport->close(worker->endpoint, 0);
  worker->endpoint = NULL;
  (void)poll(&lifeline, 1, CALL_AGAIN_MS);
  return call_master(worker, err);
}

static enum ls_status join(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  const struct ls_transport *transport = options->transport;
  enum ls_status status = call_master(worker, err);
  if (status != LS_OK) return status;
  double until_s = ls_clock_s() + join_s;
  for (;;) {
    struct ls_frame frame;
    if (transport->receive(worker->endpoint, &frame)) {
      struct ls_message message;
      status = ls_message_decode(&worker->decoder, frame.data, frame.length, &message, err);
      return status == LS_OK ? on_first_message(worker, &message, err) : status;
    }
    if (is_interrupted(worker)) return ls_fail(err, LS_EINTERRUPTED, "interrupted");
    double left_s = until_s - ls_clock_s();
    if (!(left_s > 0)) {
      return ls_fail(err, LS_EIO, "no master has answered at %s within %g s", options->address,
                     join_s);
    }
    bool is_ready = false;
    (void)transport->wait(worker->endpoint, &options->lifeline, options->lifeline >= 0 ? 1 : 0,
                          &is_ready, left_s);
    if (is_ready && has_lost_lifeline(worker)) return fail_vanished(worker, err);
    if (transport->is_cut(worker->endpoint)) status = call_again(worker, err);
    if (status != LS_OK) return status;
  }
}

/* Opens what the settings name, and the executor for it. */
static enum ls_status set_up(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  const struct ls_app *app = options->app;
  struct ls_settings *settings = &worker->settings;
  /* Threads share one working directory, so they leave it alone. */
  if (settings->directory != NULL && !options->is_thread && chdir(settings->directory) != 0) {
    return ls_fail(err, LS_EIO, "cannot enter the directory '%s' of the run: %s",
                   settings->directory, strerror(errno));
  }
  if (app != NULL && app->open != NULL) {
    enum ls_status status =
        app->open((int)settings->words_count, settings->words, &worker->state, err);
    if (status != LS_OK) return status;
    worker->is_open = true;
  }
  worker->kind = app == NULL || app->runs_commands ? &ls_executor_command
                 : options->executor != NULL       ? options->executor
                 : options->is_thread              ? &ls_executor_direct
                 : app->stage != NULL              ? &ls_executor_staged
                                                   : &ls_executor_child;
  struct ls_executor_setup setup = {.app = app,
                                    .state = worker->state,
                                    .directory = options->is_thread ? settings->directory : NULL,
                                    .timeout_s = settings->timeout_s,
                                    .speed = options->speed,
                                    .inline_max = LS_WORKER_INLINE_MAX,
                                    .stage_ahead = settings->stage_ahead};
  ls_worker_side_init(&worker->side, &settings->side);
  return worker->kind->create(&setup, &worker->executor, err);
}

/* A frame may hold many small chunks. */
static enum ls_status on_frame(struct ls_worker *worker, const struct ls_frame *frame,
                               struct ls_error *err) {
  struct ls_blob blob = {frame->data, frame->length};
  size_t offset = 0;
  enum ls_status status;
  do {
    struct ls_message message;
    status = ls_message_decode_next(&worker->decoder, &blob, &offset, &message, err);
    if (status == LS_OK) {
      status = ls_worker_on_message(worker, &message, offset < frame->length, err);
    }
  } while (status == LS_OK && offset < frame->length);
  return status;
}

static enum ls_status drain(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_transport *transport = worker->options->transport;
  struct ls_frame frame;
  while (!worker->is_released && transport->receive(worker->endpoint, &frame)) {
    worker->heard_s = ls_clock_s();
    enum ls_status status = on_frame(worker, &frame, err);
    if (status != LS_OK) {
      return ls_fail_while(err, status, "from the master at %s", worker->options->address);
    }
  }
  worker->has_frames = false;
  return LS_OK;
}

/* Waits until there is something to do: a frame, an end, a time. */
static enum ls_status pause_loop(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  const struct ls_settings *settings = &worker->settings;
  double now_s = ls_clock_s();
  double until_s = worker->sent_s + settings->heartbeat_s;
  if (settings->silence_s > 0) until_s = fmin(until_s, worker->heard_s + settings->silence_s);
  double seconds = fmax(0, until_s - now_s);
  seconds = fmin(seconds, ls_worker_results_patience_s(worker));
  if (worker->side.is_running) {
    seconds = fmin(seconds, worker->kind->patience_s(worker->executor));
  }
  int files[2];
  bool ready[2] = {false, false};
  size_t count = 0;
  if (options->lifeline >= 0) files[count++] = options->lifeline;
  int ends = worker->side.is_running ? worker->kind->file(worker->executor) : -1;
  if (ends >= 0) files[count++] = ends;
  worker->has_frames = options->transport->wait(worker->endpoint, files, count, ready, seconds);
  if (options->lifeline >= 0 && ready[0] && has_lost_lifeline(worker)) {
    return fail_vanished(worker, err);
  }
  return LS_OK;
}

/* One round: hear, work, answer, ask, beat. */
static enum ls_status work_once(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_settings *settings = &worker->settings;
  enum ls_status status = worker->has_frames ? drain(worker, err) : LS_OK;
  if (status == LS_OK) status = ls_worker_advance(worker, err);
  if (status == LS_OK) status = ls_worker_let_go(worker, err);
  if (status == LS_OK && ls_worker_must_flush(worker)) status = ls_worker_flush(worker, err);
  if (status != LS_OK || worker->is_released) return status;
  double now_s = ls_clock_s();
  if (settings->silence_s > 0 && now_s - worker->heard_s > settings->silence_s) {
    return ls_fail(err, LS_EIO, "the master at %s has been silent for %g s",
                   worker->options->address, settings->silence_s);
  }
  if (now_s - worker->sent_s >= settings->heartbeat_s) {
    return say(worker, LS_MESSAGE_HEARTBEAT, err);
  }
  return LS_OK;
}

static enum ls_status work(struct ls_worker *worker, struct ls_error *err) {
  worker->heard_s = worker->sent_s = ls_clock_s();
  worker->has_frames = true;
  enum ls_status status = ls_worker_enter(worker, err);
  for (; status == LS_OK;) {
    if (is_interrupted(worker) && !worker->is_leaving) status = ls_worker_leave(worker, err);
    if (status == LS_OK) status = work_once(worker, err);
    if (status != LS_OK || worker->is_released) return status;
    if (worker->is_gone) return ls_fail(err, LS_EINTERRUPTED, "interrupted");
    status = pause_loop(worker, err);
  }
  return status;
}

/* Stops the running units before anything is waited for: they may not be wanted any more. */
static void leave(struct ls_worker *worker, enum ls_status status) {
  const struct ls_worker_options *options = worker->options;
  if (worker->kind != NULL) worker->kind->destroy(worker->executor);
  bool is_abandoned = status != LS_OK && status != LS_EINTERRUPTED;
  if (is_abandoned && !options->is_thread && worker->known_count <= LS_WORKER_KNOWN_MAX) {
    (void)ls_process_kill_orphans(worker->known, worker->known_count);
  }
  if (worker->endpoint != NULL) {
    options->transport->close(worker->endpoint, is_abandoned ? 0 : linger_s);
  }
  if (worker->is_open && options->app->close != NULL) options->app->close(worker->state);
  ls_worker_side_close(&worker->side);
  ls_worker_close_jobs(worker);
  ls_worker_close_results(worker);
  ls_settings_close(&worker->settings);
  ls_decoder_close(&worker->decoder);
}

enum ls_status ls_worker_run(const struct ls_worker_options *options, struct ls_error *err) {
  if (!(options->speed > 0 && options->speed <= 1)) {
    return ls_fail(err, LS_EINVAL, "speed is %g, must be > 0 and at most 1", options->speed);
  }
  struct ls_worker worker = {.options = options};
  if (!options->is_thread) {
    ls_process_adopt();
    worker.known_count = ls_process_children(worker.known, LS_WORKER_KNOWN_MAX);
  }
  /* Commands must not learn the token, nor hold the lifeline: both are ours. The text itself stays
   * where the options point. */
  if (!options->is_thread) (void)unsetenv("LOADSTAR_TOKEN");
  if (options->lifeline >= 0) (void)fcntl(options->lifeline, F_SETFD, FD_CLOEXEC);
  enum ls_status status = join(&worker, err);
  if (status == LS_OK) status = set_up(&worker, err);
  if (status == LS_OK) status = work(&worker, err);
  leave(&worker, status);
  return status;
}
