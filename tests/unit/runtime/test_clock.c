#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/os/clock.h"

static void the_monotonic_clock_never_goes_back(void **state) {
  (void)state;
  double before = ls_clock_s();
  for (int i = 0; i < 1000; i++) {
    double now = ls_clock_s();
    assert_true(now >= before);
    before = now;
  }
}

static void the_monotonic_clock_moves(void **state) {
  (void)state;
  double start = ls_clock_s(), now = start;
  /* The condition ends the loop: a clock that stood still would hang it. */
  while (!(now > start)) now = ls_clock_s();
  assert_true(now > start);
}

static void the_calendar_clock_counts_from_1970(void **state) {
  (void)state;
  /* Within an hour: the clock may be set between the two looks at it. */
  double before = (double)time(NULL);
  double now = ls_clock_calendar_s();
  assert_true(now > before - 3600 && now < before + 3600);
}

static void spin(double seconds) {
  double until_s = ls_clock_s() + seconds;
  while (ls_clock_s() < until_s) continue;
}

/* Two that are busy on one processor take turns: one waits while the other one runs. */
static void who_shares_a_processor_is_delayed(void **state) {
  (void)state;
  cpu_set_t before, one;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  pid_t other = fork();
  assert_true(other >= 0);
  if (other == 0) {
    for (;;) continue;
  }
  double start_s = ls_clock_s(), delayed_s = ls_clock_delayed_s(), now_s = start_s;
  while (!(ls_clock_delayed_s() > delayed_s) && now_s < start_s + 60) {
    spin(0.01);
    now_s = ls_clock_s();
  }
  delayed_s = ls_clock_delayed_s() - delayed_s;
  now_s = ls_clock_s();
  assert_int_equal(kill(other, SIGKILL), 0);
  assert_int_equal(waitpid(other, NULL, 0), other);
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
  bool tells = access("/proc/thread-self/schedstat", R_OK) == 0;
  assert_int_equal(delayed_s > 0, tells);
  assert_true(delayed_s <= now_s - start_s);
}

static void *spin_briefly(void *context) {
  (void)context;
  assert_int_equal(pthread_setname_np(pthread_self(), "spinner/7"), 0);
  double begun_s = ls_clock_processor_s();
  while (ls_clock_processor_s() < begun_s + 0.05) continue;
  *(double *)context = ls_clock_threads_s("spinner/");
  return NULL;
}

/* What other threads do is none of it. */
static void threads_are_known_by_their_names(void **state) {
  pthread_t thread;
  double used_s = -1, own_s = ls_clock_processor_s();
  (void)state;
  assert_int_equal(pthread_create(&thread, NULL, spin_briefly, &used_s), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_true(ls_clock_processor_s() - own_s < 0.05);
  /* A system may not tell. */
  assert_true(used_s <= 0 || used_s >= 0.02);
  assert_true(ls_clock_threads_s("nobody") <= 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_monotonic_clock_never_goes_back),
      cmocka_unit_test(the_monotonic_clock_moves),
      cmocka_unit_test(the_calendar_clock_counts_from_1970),
      cmocka_unit_test(who_shares_a_processor_is_delayed),
      cmocka_unit_test(threads_are_known_by_their_names),
  };
  return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
