#include "runtime/worker/session.h"

#include <math.h>
#include <string.h>

/* docs/theory/pool.md, 2.4: at least 10 ms, at first 1 s; gains as in TCP's timer. */
static const double ANSWER_LEAST_S = 0.01, ANSWER_FIRST_S = 1, GAIN = 0.125, DEVIATION_GAIN = 0.25;
/* Where nothing is known of the pool. */
static const double START_UP_S = 60;
static const double SILENCES_TO_GIVE_UP = 10;

void ls_session_init(struct ls_session *session, double now_s) {
  *session = (struct ls_session){.heartbeat_s = 1,
                                 .start_up_s = START_UP_S,
                                 .answer_s = -1,
                                 .heard_s = now_s,
                                 .sent_s = now_s,
                                 .cut_s = now_s,
                                 .retry_s = now_s};
}

double ls_session_answer_limit_s(const struct ls_session *session) {
  if (session->answer_s < 0) return ANSWER_FIRST_S;
  return fmax(ANSWER_LEAST_S, session->answer_s + 4 * session->deviation_s);
}

double ls_session_silence_limit_s(const struct ls_session *session) {
  if (session->silence_s > 0) return session->silence_s;
  return 3 * session->heartbeat_s + ls_session_answer_limit_s(session);
}

void ls_session_answered(struct ls_session *session, double seconds) {
  if (!(seconds >= 0)) return;
  if (session->answer_s < 0) {
    session->answer_s = seconds;
    session->deviation_s = seconds / 2;
    return;
  }
  double error_s = seconds - session->answer_s;
  session->answer_s += GAIN * error_s;
  session->deviation_s += DEVIATION_GAIN * (fabs(error_s) - session->deviation_s);
}

void ls_session_cut(struct ls_session *session, double now_s) {
  if (session->stage == LS_SESSION_OPEN) {
    session->cut_s = now_s;
    session->pause_s = fmin(ls_session_answer_limit_s(session), session->heartbeat_s);
  }
  session->stage = LS_SESSION_CUT;
  session->retry_s = now_s + session->pause_s;
}

void ls_session_greet(struct ls_session *session, double now_s) {
  session->stage = LS_SESSION_GREETING;
  session->heard_s = session->sent_s = now_s;
  double pause_s = session->pause_s > 0 ? 2 * session->pause_s : ANSWER_LEAST_S;
  session->pause_s = fmin(pause_s, session->heartbeat_s);
}

static bool is_same(const unsigned char *known, struct ls_blob given) {
  return given.length == LS_COOKIE_BYTES && memcmp(known, given.data, LS_COOKIE_BYTES) == 0;
}

bool ls_session_is_foreign(const struct ls_session *session, const struct ls_message *welcome) {
  return session->has_run && !is_same(session->run, welcome->run);
}

bool ls_session_welcome(struct ls_session *session, const struct ls_message *welcome,
                        double now_s) {
  bool goes_on = session->is_joined && session->has_cookie && session->era == welcome->era;
  session->stage = LS_SESSION_OPEN;
  session->is_joined = true;
  session->heard_s = now_s;
  session->worker = welcome->worker;
  session->era = welcome->era;
  session->has_cookie = welcome->cookie.length == LS_COOKIE_BYTES;
  if (session->has_cookie) memcpy(session->cookie, welcome->cookie.data, LS_COOKIE_BYTES);
  session->has_run = welcome->run.length == LS_COOKIE_BYTES;
  if (session->has_run) memcpy(session->run, welcome->run.data, LS_COOKIE_BYTES);
  return goes_on;
}

double ls_session_give_up_s(const struct ls_session *session) {
  return session->cut_s + SILENCES_TO_GIVE_UP * ls_session_silence_limit_s(session) +
         session->start_up_s;
}

void ls_session_forgive(struct ls_session *session, double now_s) {
  session->heard_s = now_s;
  if (session->stage != LS_SESSION_OPEN) session->cut_s = now_s;
}
