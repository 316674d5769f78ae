#include "runtime/worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/os/process.h"
#include "runtime/worker/worker_private.h"

/* To be welcomed; to send the last words; for a master that does not take results of a worker that
 * is to go, at most; for the word of a suspension to leave. */
static const double JOIN_S = 10, LINGER_S = 2, LEAVE_S = 30;
enum { LAST_WORD_MS = 50 };

/* ---- lifeline and signals ---- */

/* No process writes into the lifeline: only its end can be read. */
static bool has_lost_lifeline(const struct ls_worker *worker) {
  struct pollfd look = {.fd = worker->options->lifeline, .events = POLLIN};
  if (look.fd < 0 || poll(&look, 1, 0) <= 0) return false;
  char byte;
  ssize_t length = read(look.fd, &byte, 1);
  return length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN);
}

/* On one machine a master is silent because it is busy, or stopped. */
static bool waits_for_ever(const struct ls_worker *worker) {
  return worker->has_lifeline && !worker->options->is_far;
}

bool ls_worker_is_far(const struct ls_worker *worker) {
  return strncmp(worker->options->address, "tcp:", 4) == 0;
}

/* On one machine the end of the lifeline is the end of the master; far away it may have been the
 * end of what started us, and the connection decides. */
static enum ls_status check_lifeline(struct ls_worker *worker, struct ls_error *err) {
  if (worker->has_lifeline && has_lost_lifeline(worker)) worker->has_lifeline = false;
  if (worker->options->lifeline < 0 || worker->has_lifeline) return LS_OK;
  if (ls_worker_is_far(worker) && ls_line_is_open(&worker->line)) return LS_OK;
  return ls_fail(err, LS_EIO, "the master at %s has ended (lifeline)", worker->options->address);
}

static int count_signals(const _Atomic int *signals) {
  return signals != NULL ? *signals : 0;
}

bool ls_worker_is_told_to_go(const struct ls_worker *worker) {
  return count_signals(worker->options->interrupts) > 0;
}

/* Heard nothing while it was stopped: what has come since is looked at before anyone is judged. */
static void forgive(struct ls_worker *worker) {
  ls_line_forgive(&worker->line);
  worker->has_frames = true;
}

static struct ls_stop look(struct ls_worker *worker, double now_s, double due_s) {
  int continuations = count_signals(worker->options->returns);
  bool is_read = ls_standstill_needs_delay(&worker->standstill, now_s, continuations);
  const struct ls_standstill_look look = {.now_s = now_s,
                                          .due_s = due_s,
                                          .delayed_s = is_read ? ls_clock_delayed_s() : (double)NAN,
                                          .continuations = continuations};
  return ls_standstill_look(&worker->standstill, &look);
}

/* What runs stands still with its worker, and is none the older for it. */
static void stand_still(struct ls_worker *worker) {
  const struct ls_executor_kind *kind = worker->kind;
  bool has_units = worker->side.is_running && !worker->must_start && kind->suspend != NULL;
  double begun_s = ls_clock_s();
  if (has_units) kind->suspend(worker->executor);
  (void)raise(SIGSTOP);
  double now_s = ls_clock_s();
  if (has_units) kind->resume(worker->executor, now_s - begun_s);
  (void)look(worker, now_s, now_s);
}

static enum ls_status suspend(struct ls_worker *worker, struct ls_error *err) {
  ls_line_post_urgent(&worker->line, LS_MESSAGE_SUSPENDED);
  enum ls_status status = ls_line_pump(&worker->line, err);
  if (status != LS_OK) return status;
  (void)poll(NULL, 0, LAST_WORD_MS);
  /* Said twice before it stands still, it is one wish: nobody would say twice that it is over. */
  worker->suspensions_seen = count_signals(worker->options->suspensions);
  /* Called back meanwhile: nobody would say it twice. */
  if (count_signals(worker->options->returns) == worker->returns_seen) stand_still(worker);
  return LS_OK;
}

/* Whoever was stopped by force has heard nothing either. */
static enum ls_status on_suspension(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  int suspensions = count_signals(options->suspensions), returns = count_signals(options->returns);
  bool is_suspension = suspensions != worker->suspensions_seen;
  if (!is_suspension && returns == worker->returns_seen) return LS_OK;
  worker->suspensions_seen = suspensions;
  enum ls_status status = is_suspension ? suspend(worker, err) : LS_OK;
  worker->returns_seen = count_signals(options->returns);
  forgive(worker);
  if (!is_suspension || status != LS_OK) return status;
  ls_line_post_urgent(&worker->line, LS_MESSAGE_RESUMED);
  status = ls_line_pump(&worker->line, err);
  /* Beside a unit that goes on it would show half of a processor. */
  if (status != LS_OK || worker->side.is_running) return status;
  ls_worker_measure_speed(worker);
  return ls_line_pump(&worker->line, err);
}

double ls_worker_lifetime_margin_s(const struct ls_worker *worker) {
  const struct ls_line *line = &worker->line;
  double ending_s = fmax(1, ls_ending_length_s(&worker->ending));
  return ls_session_silence_limit_s(&line->session) + line->longest_send_s + ending_s;
}

double ls_worker_lifetime_left_s(const struct ls_worker *worker) {
  double lifetime_s = worker->options->lifetime_s;
  if (!(lifetime_s > 0)) return (double)INFINITY;
  return worker->begun_s + lifetime_s - ls_worker_lifetime_margin_s(worker) - ls_clock_s();
}

enum ls_status ls_worker_begin_to_leave(struct ls_worker *worker, struct ls_error *err) {
  ls_line_post_urgent(&worker->line, LS_MESSAGE_LEAVING);
  enum ls_status status = ls_line_pump(&worker->line, err);
  return status == LS_OK ? ls_worker_leave(worker, err) : status;
}

static enum ls_status on_signals(struct ls_worker *worker, struct ls_error *err) {
  int interrupts = count_signals(worker->options->interrupts);
  if (!worker->line.session.is_joined) {
    return interrupts > 0 ? ls_fail(err, LS_EINTERRUPTED, "interrupted") : LS_OK;
  }
  if (interrupts > 1) {
    ls_line_post(&worker->line, &(struct ls_message){.kind = LS_MESSAGE_BYE});
    enum ls_status status = ls_line_pump(&worker->line, err);
    return status == LS_OK ? ls_fail(err, LS_EINTERRUPTED, "interrupted") : status;
  }
  enum ls_status status = on_suspension(worker, err);
  bool is_over = ls_worker_lifetime_left_s(worker) <= 0;
  if (status == LS_OK && (interrupts > 0 || is_over) && !worker->is_leaving) {
    status = ls_worker_begin_to_leave(worker, err);
  }
  if (status == LS_OK && is_over) ls_worker_stop_running(worker);
  return status;
}

/* LS_EIO: not now; the line knows when to try again. */
static enum ls_status call_master(struct ls_worker *worker, struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  const char *program = options->program != NULL ? options->program : "";
  const char *place = options->place != NULL ? options->place : "";
  const char *labels = options->labels != NULL ? options->labels : "";
  char host[HOST_NAME_MAX + 1] = "";
  (void)gethostname(host, sizeof host - 1);
  struct ls_message_held *held = NULL;
  enum ls_status status = ls_worker_drop_awaited(worker, err);
  if (status != LS_OK) return status;
  struct ls_message hello = {.kind = LS_MESSAGE_HELLO,
                             .version = LS_PROTOCOL_VERSION,
                             .process_id = (uint64_t)getpid(),
                             .name = {options->name, strlen(options->name)},
                             .text = {program, strlen(program)},
                             .host = {host, strlen(host)},
                             .place = {place, strlen(place)},
                             .labels = {labels, strlen(labels)},
                             .speed = options->speed};
  if (options->lifetime_s > 0) {
    hello.lifetime_s =
        fmax(1e-3, ls_worker_lifetime_left_s(worker) + ls_worker_lifetime_margin_s(worker));
  }
  if (worker->line.session.has_cookie) {
    if (ls_worker_list_held(worker, &held, &hello.held_count) != LS_OK) {
      return ls_fail(err, LS_ENOMEM, "out of memory for HELLO");
    }
    hello.held = held;
  }
  status = ls_line_call(&worker->line, &hello, err);
  free(held);
  return status;
}

/* ---- the loop ---- */

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
      status = ls_line_is_open(&worker->line)
                   ? ls_worker_on_message(worker, &message, offset < frame->length, err)
                   : ls_worker_on_first_message(worker, &message, err);
    }
  } while (status == LS_OK && offset < frame->length);
  if (status == LS_OK && !worker->is_released) ls_worker_announce(worker);
  return status;
}

static enum ls_status drain(struct ls_worker *worker, struct ls_error *err) {
  struct ls_line *line = &worker->line;
  struct ls_frame frame;
  while (!worker->is_released && line->endpoint != NULL &&
         line->transport->receive(line->endpoint, &frame)) {
    bool is_first = !ls_line_is_open(line);
    ls_line_hear(line);
    enum ls_status status = on_frame(worker, &frame, err);
    if (status != LS_OK) {
      return is_first ? status : ls_fail_while(err, status, "from the master at %s", line->address);
    }
  }
  worker->has_frames = false;
  return LS_OK;
}

/* A run that ended and one whose master died look alike from here. */
static enum ls_status give_up(const struct ls_worker *worker, double away_s, struct ls_error *err) {
  size_t open = worker->line.postbox.results.count;
  char arrived[80] = "all results of this worker had arrived";
  if (open > 0)
    (void)snprintf(arrived, sizeof arrived,
                   "%zu results of this worker are not known to have arrived", open);
  return ls_fail(err, LS_EIO,
                 "the master at %s has been away for %.3g s; whether its run has "
                 "ended is not known here, and %s",
                 worker->options->address, away_s, arrived);
}

/* A master that is not there: is it time to give it up? `last`: why the last try failed. */
static enum ls_status check_patience(struct ls_worker *worker, struct ls_error *last,
                                     struct ls_error *err) {
  const struct ls_worker_options *options = worker->options;
  const struct ls_session *session = &worker->line.session;
  double now_s = ls_clock_s();
  if (session->is_joined) {
    if (now_s < ls_session_give_up_s(session)) return LS_OK;
    return give_up(worker, now_s - session->cut_s, err);
  }
  double wait_s = options->wait_s > 0 ? options->wait_s : JOIN_S;
  bool is_absent = last->status != LS_OK && !(options->wait_s > 0);
  if (now_s < worker->begun_s + wait_s && !is_absent) return LS_OK;
  if (is_absent) {
    if (err != NULL) *err = *last;
    return last->status;
  }
  /* Of a pool's worker the master has chosen the address, and itself ends. */
  enum ls_status broken = options->wait_s > 0 ? ls_line_check_break(&worker->line, err) : LS_OK;
  if (broken != LS_OK) return broken;
  const char *reason = worker->unreached.text;
  return ls_fail(err, LS_EIO, "no master has answered at %s within %g s%s%s", options->address,
                 wait_s, reason[0] != '\0' ? ": " : "", reason);
}

/* Notices a connection that is of no use any more, and makes a new one when it is time. */
static enum ls_status keep_line(struct ls_worker *worker, struct ls_error *err) {
  struct ls_line *line = &worker->line;
  struct ls_error last = {0};
  if (ls_line_is_spent(line, waits_for_ever(worker))) {
    /* A master that ends says so and closes: what had arrived still counts. */
    enum ls_status status = drain(worker, err);
    if (status != LS_OK || worker->is_released) return status;
    ls_line_check(line, waits_for_ever(worker));
  }
  if (ls_line_is_open(line)) return LS_OK;
  enum ls_status known = ls_line_check_keys(line, err);
  if (known != LS_OK) return known;
  if (line->session.stage == LS_SESSION_CUT && ls_clock_s() >= line->session.retry_s) {
    enum ls_status status = call_master(worker, &last);
    last.status = status;
    worker->unreached = last;
    if (status != LS_OK && status != LS_EIO) {
      if (err != NULL) *err = last;
      return status;
    }
  }
  return check_patience(worker, &last, err);
}

/* Who is to go does not wait as long as one that may stay: for a master that is away, or takes
 * nothing of what waits to leave. */
static double find_leave_s(const struct ls_worker *worker) {
  const struct ls_line *line = &worker->line;
  const struct ls_session *session = &line->session;
  bool is_open = ls_line_is_open(line), has_results = line->postbox.results.count > 0;
  if (!worker->must_say_bye || waits_for_ever(worker)) return (double)INFINITY;
  if (is_open && !ls_postbox_is_waiting(&line->postbox)) return (double)INFINITY;
  double patience_s = fmin(LEAVE_S, ls_session_silence_limit_s(session));
  if (!is_open && !has_results) patience_s = fmin(LINGER_S, patience_s);
  return fmax(worker->bye_s, is_open ? session->sent_s : session->cut_s) + patience_s;
}

static enum ls_status leave_unheard(struct ls_worker *worker, struct ls_error *err) {
  size_t open = worker->line.postbox.results.count;
  worker->is_gone = true;
  if (open == 0) return LS_OK;
  return ls_fail(err, LS_EIO,
                 "told to go, and the master at %s takes nothing; %zu results of this worker are "
                 "not known to have arrived",
                 worker->options->address, open);
}

/* Waits until the results are durable, but not for a master that does not say so. */
static enum ls_status say_bye(struct ls_worker *worker, struct ls_error *err) {
  struct ls_line *line = &worker->line;
  if (ls_clock_s() >= find_leave_s(worker)) return leave_unheard(worker, err);
  bool is_durable = line->postbox.results.count == 0;
  bool is_late = ls_line_is_open(line) && ls_clock_s() >= worker->bye_s + LINGER_S &&
                 !ls_postbox_is_waiting(&line->postbox);
  if (!ls_line_is_open(line) || (!is_durable && !is_late)) return LS_OK;
  worker->must_say_bye = false;
  worker->is_gone = true;
  ls_line_post(line, &(struct ls_message){.kind = LS_MESSAGE_BYE});
  return ls_line_pump(line, err);
}

/* BYE needs a connection that is free of results; until there is one, its time cannot come. */
static double find_bye_s(const struct ls_worker *worker) {
  const struct ls_line *line = &worker->line;
  bool can_say = ls_line_is_open(line) && !ls_postbox_is_waiting(&line->postbox);
  return worker->must_say_bye && can_say ? worker->bye_s + LINGER_S : (double)INFINITY;
}

static bool is_beat_due(const struct ls_worker *worker) {
  const struct ls_session *session = &worker->line.session;
  return ls_line_is_open(&worker->line) && !ls_postbox_is_waiting(&worker->line.postbox) &&
         ls_clock_s() >= session->sent_s + session->heartbeat_s;
}

/* One round: hear, work, answer, ask, beat. */
static enum ls_status work_once(struct ls_worker *worker, struct ls_error *err) {
  struct ls_line *line = &worker->line;
  enum ls_status status = worker->has_frames ? drain(worker, err) : LS_OK;
  if (status == LS_OK && !worker->is_released) status = keep_line(worker, err);
  if (status != LS_OK || !line->session.is_joined) return status;
  ls_worker_advance_files(worker);
  status = ls_worker_advance(worker, err);
  ls_worker_show(worker);
  if (status == LS_OK) status = ls_worker_let_go(worker, err);
  if (status == LS_OK && ls_worker_must_flush(worker)) status = ls_line_pump(line, err);
  if (status == LS_OK && worker->must_say_bye) status = say_bye(worker, err);
  if (status != LS_OK || worker->is_released || !is_beat_due(worker)) return status;
  ls_line_beat(line);
  return ls_line_pump(line, err);
}

/* When something has to be done at the latest. */
static double find_patience_s(const struct ls_worker *worker) {
  const struct ls_session *session = &worker->line.session;
  double until_s = ls_line_due_s(&worker->line, waits_for_ever(worker));
  if (session->stage == LS_SESSION_OPEN) {
    until_s = fmin(until_s, session->sent_s + session->heartbeat_s);
  } else if (session->is_joined) {
    until_s = fmin(until_s, ls_session_give_up_s(session));
  }
  if (!session->is_joined) {
    double wait_s = worker->options->wait_s > 0 ? worker->options->wait_s : JOIN_S;
    until_s = fmin(until_s, worker->begun_s + wait_s);
  }
  until_s = fmin(until_s, fmin(find_bye_s(worker), find_leave_s(worker)));
  double seconds = fmin(fmax(0, until_s - ls_clock_s()), ls_worker_results_patience_s(worker));
  seconds = fmin(seconds, ls_worker_files_patience_s(worker));
  seconds = fmin(seconds, ls_worker_show_patience_s(worker));
  seconds = fmin(seconds, ls_worker_machine_patience_s(worker));
  return fmax(0, fmin(seconds, ls_worker_lifetime_left_s(worker)));
}

/* A pool on the machine of the master sees when a worker is stopped; of others only they know. */
static void tell_stop(struct ls_worker *worker) {
  if (!ls_line_is_open(&worker->line)) return;
  if (!waits_for_ever(worker)) ls_line_post_stop(&worker->line, worker->stood_s);
  worker->stood_s = 0;
}

/* The next look is due then. */
static void look_at_clock(struct ls_worker *worker, double now_s, double due_s) {
  const struct ls_executor_kind *kind = worker->kind;
  struct ls_stop stop = look(worker, now_s, due_s);
  bool can_stand = worker->executor == NULL || kind->stood != NULL;
  if (!(stop.seconds > 0) || !can_stand) return;
  bool has_stood = worker->executor == NULL || kind->stood(worker->executor, &stop);
  bool is_idle = !worker->side.is_running || worker->must_start;
  if (has_stood || is_idle) worker->stood_s += stop.seconds;
}

/* Waits until there is something to do: a frame, an end, a time. */
static enum ls_status pause_loop(struct ls_worker *worker, struct ls_error *err) {
  double seconds = find_patience_s(worker);
  bool runs = worker->side.is_running && !worker->must_start;
  if (runs) seconds = fmin(seconds, worker->kind->patience_s(worker->executor));
  int files[2 + LS_EXECUTOR_STREAMS];
  bool ready[2 + LS_EXECUTOR_STREAMS] = {false};
  size_t count = 0;
  if (worker->has_lifeline) files[count++] = worker->options->lifeline;
  int ends = runs ? worker->kind->file(worker->executor) : -1;
  if (ends >= 0) files[count++] = ends;
  if (runs && worker->kind->streams != NULL)
    count += worker->kind->streams(worker->executor, files + count);
  double now_s = ls_clock_s();
  seconds = fmin(seconds, ls_standstill_patience_s(&worker->standstill, now_s));
  worker->due_s = now_s + seconds;
  look_at_clock(worker, now_s, worker->due_s);
  const struct ls_wait_files waited = {files, ready, count, .is_relaxed = runs};
  worker->has_frames = ls_line_wait(&worker->line, &waited, seconds);
  double limit_s = ls_session_silence_limit_s(&worker->line.session);
  now_s = ls_clock_s();
  if (now_s > worker->due_s + limit_s / 2) forgive(worker);
  look_at_clock(worker, now_s, now_s);
  if (worker->stood_s > 0) tell_stop(worker);
  return check_lifeline(worker, err);
}

static enum ls_status work(struct ls_worker *worker, struct ls_error *err) {
  worker->has_frames = false;
  for (;;) {
    enum ls_status status = on_signals(worker, err);
    if (status == LS_OK) status = work_once(worker, err);
    if (status != LS_OK || worker->is_released || worker->is_gone) return status;
    status = pause_loop(worker, err);
    if (status != LS_OK) return status;
  }
}

/* Stops the running units before anything is waited for: they may not be wanted any more. */
static void leave(struct ls_worker *worker, enum ls_status status) {
  const struct ls_worker_options *options = worker->options;
  if (worker->executor != NULL) worker->kind->destroy(worker->executor);
  bool is_abandoned = status != LS_OK && status != LS_EINTERRUPTED;
  if (status != LS_OK) ls_worker_kill_orphans(worker);
  ls_worker_close_files(worker);
  ls_line_close(&worker->line, is_abandoned && !worker->is_unable ? 0 : LINGER_S);
  if (worker->is_open && options->app->close != NULL) options->app->close(worker->state);
  ls_worker_side_close(&worker->side);
  ls_worker_close_jobs(worker);
  ls_settings_close(&worker->settings);
  ls_decoder_close(&worker->decoder);
}

enum ls_status ls_worker_run(const struct ls_worker_options *options, struct ls_error *err) {
  if (!(options->speed > 0 && options->speed <= 1)) {
    return ls_fail(err, LS_EINVAL, "speed is %g, must be > 0 and at most 1", options->speed);
  }
  struct ls_worker worker = {
      .options = options, .scratch = {.folder = -1}, .cache = {.files = -1, .pins = -1}};
  if (!options->is_thread) {
    ls_process_adopt();
    /* A file that may not grow (ulimit -f) is a full disk, and is told as one. */
    (void)signal(SIGXFSZ, SIG_IGN);
    worker.known_count = ls_process_children(worker.known, LS_WORKER_KNOWN_MAX);
  }
  /* Commands must not hold the lifeline. */
  if (options->lifeline >= 0) (void)fcntl(options->lifeline, F_SETFD, FD_CLOEXEC);
  ls_line_init(&worker.line, options->transport, options->address, options->curve);
  worker.begun_s = worker.bye_s = ls_clock_s();
  worker.has_lifeline = options->lifeline >= 0;
  worker.returns_seen = count_signals(options->returns);
  worker.suspensions_seen = count_signals(options->suspensions);
  ls_standstill_begin(&worker.standstill, worker.begun_s);
  (void)look(&worker, worker.begun_s, worker.begun_s);
  enum ls_status status = work(&worker, err);
  leave(&worker, status);
  /* Its pool is to know that another one there would do no better. */
  if (status == LS_OK && worker.is_unfit && worker.has_lifeline)
    status = ls_fail(err, LS_EIO, "the machine cannot hold the files or outputs of its tasks");
  return status;
}
