/* Limits of docs/theory/pool.md, 2.4, in a time of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "runtime/worker/session.h"

static const char cookie[] = "this is a cookie", run[] = "the run, as ever";

static struct ls_message make_welcome(void) {
  return (struct ls_message){.kind = LS_MESSAGE_WELCOME,
                             .worker = 3,
                             .era = 7,
                             .cookie = {cookie, LS_COOKIE_BYTES},
                             .run = {run, LS_COOKIE_BYTES}};
}

static struct ls_session make_open(double now_s) {
  struct ls_session session;
  struct ls_message welcome = make_welcome();
  ls_session_init(&session, now_s);
  ls_session_greet(&session, now_s);
  assert_false(ls_session_welcome(&session, &welcome, now_s));
  return session;
}

static void silence_is_three_beats_and_an_answer(void **state) {
  (void)state;
  struct ls_session session = make_open(0);
  assert_true(ls_session_silence_limit_s(&session) == 4); /* h and r at first: 1 s each */
  for (int i = 0; i < 200; ++i) ls_session_answered(&session, 0.002);
  assert_true(fabs(ls_session_answer_limit_s(&session) - 0.01) < 1e-9);
  assert_true(fabs(ls_session_silence_limit_s(&session) - 3.01) < 1e-9);
  for (int i = 0; i < 200; ++i) ls_session_answered(&session, i % 2 == 0 ? 0.1 : 0.3);
  /* Mean 0.2, deviation 0.1. */
  assert_true(fabs(ls_session_answer_limit_s(&session) - 0.6) < 0.06);
  session.silence_s = 0.5; /* an option overrides */
  assert_true(ls_session_silence_limit_s(&session) == 0.5);
  ls_session_answered(&session, (double)NAN);
  assert_true(isfinite(session.answer_s));
}

static void tries_come_after_ever_longer_pauses_up_to_a_beat(void **state) {
  (void)state;
  struct ls_session session = make_open(100);
  for (int i = 0; i < 200; ++i) ls_session_answered(&session, 0.1);
  double now_s = 200, pause_s = 0;
  ls_session_cut(&session, now_s);
  assert_int_equal(session.stage, LS_SESSION_CUT);
  for (int i = 0; i < 10; ++i) {
    double next_s = session.retry_s - now_s;
    assert_true(next_s > 0 && next_s <= 1 + 1e-9);
    assert_true(i == 0 || next_s == 1 || fabs(next_s - 2 * pause_s) < 1e-9);
    pause_s = next_s;
    now_s = session.retry_s;
    ls_session_greet(&session, now_s);
    assert_int_equal(session.stage, LS_SESSION_GREETING);
    ls_session_cut(&session, now_s);
  }
  assert_true(session.cut_s == 200);
  /* 10 Q + g; the pool's start-up is not known. */
  assert_true(fabs(ls_session_give_up_s(&session) -
                   (200 + 10 * ls_session_silence_limit_s(&session) + 60)) < 1e-9);
  struct ls_message welcome = make_welcome();
  assert_true(ls_session_welcome(&session, &welcome, now_s));
  ls_session_cut(&session, now_s);
  assert_true(session.retry_s - now_s < 0.2); /* from the beginning */
}

/* One that was given up has another number and cookie: its master knows its units all the same. */
static void a_session_goes_on_as_long_as_its_master(void **state) {
  (void)state;
  struct ls_session session = make_open(0);
  struct ls_message welcome = make_welcome();
  assert_false(ls_session_is_foreign(&session, &welcome));
  assert_true(ls_session_welcome(&session, &welcome, 1));
  welcome.worker = 4;
  welcome.cookie.data = "another cookie !";
  assert_true(ls_session_welcome(&session, &welcome, 2));
  assert_int_equal(session.worker, 4);
  assert_memory_equal(session.cookie, "another cookie !", LS_COOKIE_BYTES);
  welcome.era++;
  assert_false(ls_session_welcome(&session, &welcome, 3));
  assert_true(ls_session_welcome(&session, &welcome, 4));
  welcome.run.data = "quite different!";
  assert_true(ls_session_is_foreign(&session, &welcome));
  welcome.run.length = 0;
  assert_true(ls_session_is_foreign(&session, &welcome));
}

/* A closed lid: nobody was silent, we did not listen. */
static void who_was_stopped_itself_begins_to_wait_anew(void **state) {
  (void)state;
  struct ls_session session = make_open(0);
  ls_session_forgive(&session, 1000);
  assert_true(session.heard_s == 1000);
  assert_int_equal(session.stage, LS_SESSION_OPEN);
  ls_session_cut(&session, 1001);
  ls_session_forgive(&session, 5000);
  assert_true(ls_session_give_up_s(&session) > 5000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(silence_is_three_beats_and_an_answer),
      cmocka_unit_test(tries_come_after_ever_longer_pauses_up_to_a_beat),
      cmocka_unit_test(a_session_goes_on_as_long_as_its_master),
      cmocka_unit_test(who_was_stopped_itself_begins_to_wait_anew),
  };
  return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
