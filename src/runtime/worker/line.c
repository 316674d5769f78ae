#include "runtime/worker/line.h"

#include <math.h>

#include "runtime/os/clock.h"

/* While the master is behind, so long is spent at once on waiting for it. */
static const double SEND_PATIENCE_S = 0.01;

/* So many strangers in a row have answered, over so long: it is no accident. */
enum { FOREIGN_MAX = 3 };
static const double FOREIGN_S = 1;

void ls_line_init(struct ls_line *line, const struct ls_transport *transport, const char *address,
                  const struct ls_curve *curve) {
  *line = (struct ls_line){.transport = transport, .address = address, .curve = curve};
  ls_session_init(&line->session, ls_clock_s());
}

static enum ls_status send_frame(void *context, const void *data, size_t length,
                                 struct ls_error *err) {
  struct ls_line *line = context;
  const struct ls_frame frame = {.data = data, .length = length};
  enum ls_status status = line->transport->send(line->endpoint, &frame, SEND_PATIENCE_S, err);
  if (status == LS_OK) line->session.sent_s = ls_clock_s();
  /* What a cut connection does not take is said again over the next one. */
  return status == LS_EIO ? LS_EBUSY : status;
}

static enum ls_status say_hello(struct ls_line *line, struct ls_message *hello,
                                struct ls_error *err) {
  const struct ls_session *session = &line->session;
  if (session->has_cookie) {
    hello->worker = session->worker;
    hello->era = session->era;
    hello->cookie = (struct ls_blob){session->cookie, LS_COOKIE_BYTES};
    hello->results = line->postbox.results.count;
    hello->earlier = line->postbox.earlier;
  }
  if (session->has_run) hello->run = (struct ls_blob){session->run, LS_COOKIE_BYTES};
  line->results_told = hello->results;
  struct ls_bytes bytes = {0};
  ls_message_encode(hello, &bytes);
  enum ls_status status = bytes.failed ? ls_fail(err, LS_ENOMEM, "out of memory for HELLO")
                                       : send_frame(line, bytes.data, bytes.length, err);
  ls_bytes_close(&bytes);
  return status == LS_EBUSY ? LS_EIO : status;
}

enum ls_status ls_line_call(struct ls_line *line, struct ls_message *hello, struct ls_error *err) {
  enum ls_status status =
      line->transport->connect(line->address, line->curve, &line->endpoint, err);
  if (status == LS_OK) {
    status = say_hello(line, hello, err);
  } else {
    line->endpoint = NULL;
  }
  ls_session_greet(&line->session, ls_clock_s());
  if (status == LS_OK) return LS_OK;
  /* A connection that ends before HELLO has left is one that ends after it, a moment earlier. */
  bool is_cut =
      status == LS_EIO && line->endpoint != NULL && line->transport->is_cut(line->endpoint);
  ls_line_cut(line);
  if (!is_cut) return status;
  if (err != NULL) *err = (struct ls_error){0};
  return LS_OK;
}

static void note_handshake(struct ls_line *line) {
  if (line->endpoint == NULL || line->transport->handshake == NULL) return;
  enum ls_handshake handshake = line->transport->handshake(line->endpoint);
  line->is_refused |= handshake == LS_HANDSHAKE_REFUSED;
  line->is_broken = handshake == LS_HANDSHAKE_BROKEN;
  if (handshake == LS_HANDSHAKE_FOREIGN && line->foreign++ == 0) line->foreign_s = ls_clock_s();
}

static enum ls_status blame_keys(const struct ls_line *line, const char *doubt,
                                 struct ls_error *err) {
  if (line->curve == NULL) {
    return ls_fail(
        err, LS_EINVAL,
        "the master at %s speaks to workers with a key only (--key FILE), or is no master",
        line->address);
  }
  return ls_fail(err, LS_EINVAL, "the master at %s is not the one of this key%s", line->address,
                 doubt);
}

enum ls_status ls_line_check_keys(const struct ls_line *line, struct ls_error *err) {
  if (line->is_refused) {
    return ls_fail(err, LS_EINVAL,
                   "the master at %s refuses: the key of this worker is of another run",
                   line->address);
  }
  if (line->foreign < FOREIGN_MAX || ls_clock_s() < line->foreign_s + FOREIGN_S) return LS_OK;
  return blame_keys(line, "", err);
}

enum ls_status ls_line_check_break(const struct ls_line *line, struct ls_error *err) {
  if (!line->is_broken) return LS_OK;
  return blame_keys(
      line, ", or has too many unauthenticated peers: it closes connections without a word", err);
}

void ls_line_cut(struct ls_line *line) {
  note_handshake(line);
  if (line->endpoint != NULL) line->transport->close(line->endpoint, 0);
  line->endpoint = NULL;
  ls_session_cut(&line->session, ls_clock_s());
}

bool ls_line_is_open(const struct ls_line *line) {
  return line->session.stage == LS_SESSION_OPEN;
}

/* A HELLO without a cookie is not said twice: the master would take it for two workers. */
double ls_line_due_s(const struct ls_line *line, bool may_be_silent) {
  const struct ls_session *session = &line->session;
  if (session->stage == LS_SESSION_CUT) return session->retry_s;
  if (may_be_silent || !session->is_joined) return (double)INFINITY;
  if (session->stage == LS_SESSION_GREETING && !session->has_cookie) return (double)INFINITY;
  return session->heard_s + ls_session_silence_limit_s(session);
}

bool ls_line_is_spent(const struct ls_line *line, bool may_be_silent) {
  if (line->endpoint == NULL) return false;
  return ls_clock_s() >= ls_line_due_s(line, may_be_silent) ||
         line->transport->is_cut(line->endpoint);
}

void ls_line_check(struct ls_line *line, bool may_be_silent) {
  if (ls_line_is_spent(line, may_be_silent)) ls_line_cut(line);
}

bool ls_line_welcome(struct ls_line *line, const struct ls_message *welcome) {
  double now_s = ls_clock_s();
  bool was_joined = line->session.is_joined;
  ls_session_answered(&line->session, now_s - line->session.sent_s);
  bool goes_on = ls_session_welcome(&line->session, welcome, now_s);
  ls_postbox_restart(&line->postbox, now_s);
  line->foreign = 0;
  line->is_behind = false;
  if (goes_on || !was_joined) return goes_on;
  ls_postbox_forget(&line->postbox, (size_t)line->results_told);
  line->postbox.earlier = line->postbox.results.count;
  return false;
}

static bool is_silent(const struct ls_line *line, double now_s) {
  return now_s - line->session.heard_s > ls_session_silence_limit_s(&line->session);
}

/* A master that was silent did not take anything either: what waits leaves from now on. */
void ls_line_hear(struct ls_line *line) {
  double now_s = ls_clock_s();
  if (is_silent(line, now_s)) line->postbox.since_s = now_s;
  line->session.heard_s = now_s;
}

void ls_line_forgive(struct ls_line *line) {
  double now_s = ls_clock_s();
  ls_session_forgive(&line->session, now_s);
  line->postbox.since_s = now_s;
}

void ls_line_post(struct ls_line *line, const struct ls_message *message) {
  if (ls_line_is_open(line)) ls_postbox_post(&line->postbox, message, ls_clock_s());
}

void ls_line_post_urgent(struct ls_line *line, enum ls_message_kind kind) {
  struct ls_message message = {.kind = kind};
  if (ls_line_is_open(line)) ls_postbox_post_urgent(&line->postbox, &message, ls_clock_s());
}

void ls_line_post_stop(struct ls_line *line, double stood_s) {
  struct ls_message message = {.kind = LS_MESSAGE_RESUMED, .stood_s = stood_s};
  if (ls_line_is_open(line)) ls_postbox_post_urgent(&line->postbox, &message, ls_clock_s());
}

void ls_line_beat(struct ls_line *line) {
  const struct ls_session *session = &line->session;
  struct ls_message beat = {.kind = LS_MESSAGE_HEARTBEAT, .send_s = line->longest_send_s};
  if (session->answer_s >= 0) beat.answer_s = ls_session_answer_limit_s(session);
  if (ls_line_is_open(line)) ls_postbox_post_urgent(&line->postbox, &beat, ls_clock_s());
}

void ls_line_post_result(struct ls_line *line, const struct ls_message *result,
                         const struct ls_result_files *files) {
  ls_postbox_post_result(&line->postbox, result, files, ls_clock_s());
}

enum ls_status ls_line_hear_pulse(struct ls_line *line, const struct ls_message *pulse,
                                  struct ls_error *err) {
  if (pulse->heartbeat_s > 0) line->session.heartbeat_s = pulse->heartbeat_s;
  return ls_postbox_acknowledge(&line->postbox, pulse->durable, err);
}

enum ls_status ls_line_pump(struct ls_line *line, struct ls_error *err) {
  if (!ls_line_is_open(line) || !ls_postbox_is_waiting(&line->postbox)) return LS_OK;
  enum ls_status status = ls_postbox_pump(&line->postbox, send_frame, line, err);
  line->is_behind = status == LS_EBUSY;
  if (line->is_behind) return LS_OK;
  if (status != LS_OK) return status;
  double now_s = ls_clock_s();
  if (!is_silent(line, now_s))
    line->longest_send_s = fmax(line->longest_send_s, now_s - line->postbox.since_s);
  /* Without a cookie there is no way back: nobody will ask for them again. */
  if (!line->session.has_cookie) {
    return ls_postbox_acknowledge(&line->postbox, line->postbox.durable + line->postbox.sent, err);
  }
  return LS_OK;
}

/* Without a connection there is nothing to be looked at. */
static bool look_at_nothing(void *context, struct ls_watch *watch) {
  (void)context;
  (void)watch;
  return false;
}

bool ls_line_wait(struct ls_line *line, const struct ls_wait_files *files, double seconds) {
  if (line->endpoint != NULL)
    return ls_transport_wait(line->transport, line->endpoint, files, seconds);
  return ls_wait_for(look_at_nothing, NULL, files, seconds);
}

void ls_line_close(struct ls_line *line, double linger_s) {
  if (line->endpoint != NULL) line->transport->close(line->endpoint, linger_s);
  line->endpoint = NULL;
  ls_postbox_close(&line->postbox);
}
