/* test_master_pace.c: what beats cost a real master says how often it wants to hear them. */
#include <unistd.h>

#include "hand_worker.h"
#include "runtime/master/pace.h"
#include "runtime/transport/transport_wait.h"

enum { WORKERS = LS_PACE_WORKERS_LEAST + 1 };

/* A processor on which everything takes so many times as long. */
static const double SLOWNESS = 1000;

double __real_ls_clock_processor_s(void);
double __wrap_ls_clock_processor_s(void);
double __wrap_ls_clock_processor_s(void) {
  return SLOWNESS * __real_ls_clock_processor_s();
}

/* What the master has said since: the heartbeat that its last PULSE told. */
static double hear_heartbeat(struct hand_worker *worker) {
  double heartbeat_s = 0;
  while (ls_transport_wait(&ls_transport_zmq, worker->endpoint, &(struct ls_wait_files){0}, 0)) {
    if (hear_any(worker)->kind == LS_MESSAGE_PULSE) heartbeat_s = worker->message.heartbeat_s;
  }
  return heartbeat_s;
}

static double beat_until_told(struct hand_worker workers[WORKERS], double seconds) {
  double until_s = ls_clock_s() + seconds, heartbeat_s = 0;
  while (!(heartbeat_s > 1) && ls_clock_s() < until_s) {
    for (size_t i = 0; i < WORKERS; ++i) say_kind(&workers[i], LS_MESSAGE_HEARTBEAT);
    (void)usleep(10000);
    heartbeat_s = fmax(heartbeat_s, hear_heartbeat(&workers[0]));
  }
  return heartbeat_s;
}

static void run_beating(double told_s, double seconds, double *heartbeat_s) {
  static struct hand_run hand;
  static struct hand_worker workers[WORKERS];
  struct hand_worker late;
  prepare_run(&hand, 1, 1);
  hand.options.heartbeat_s = told_s;
  start_run(&hand);
  for (size_t i = 0; i < WORKERS; ++i) join_worker(&workers[i], &hand);
  *heartbeat_s = beat_until_told(workers, seconds);
  join_worker(&late, &hand);
  if (*heartbeat_s > 1) {
    assert_int_equal(hear_any(&late)->kind, LS_MESSAGE_PULSE);
    assert_true(late.message.heartbeat_s > 1);
  }
  say_done(&late, fetch_chunk(&late));
  end_run(&hand);
  assert_true(fabs(hand.report.heartbeat_s - fmax(*heartbeat_s, told_s)) < 1e-9);
  ls_master_report_close(&hand.report);
  for (size_t i = 0; i < WORKERS; ++i) cut_worker(&workers[i]);
  cut_worker(&late);
}

static void workers_are_told_a_longer_heartbeat(void **state) {
  double heartbeat_s;
  (void)state;
  run_beating(0, 60, &heartbeat_s);
  assert_true(heartbeat_s > 1);
}

static void the_users_heartbeat_stays(void **state) {
  double heartbeat_s;
  (void)state;
  run_beating(0.1, 0.5, &heartbeat_s);
  assert_true(heartbeat_s <= 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_are_told_a_longer_heartbeat),
      cmocka_unit_test(the_users_heartbeat_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
