#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupts.h"

static void signals_are_counted(void **state) {
  (void)state;
  const _Atomic int *count = ls_interrupts_start("test", true);
  assert_int_equal(*count, 0);
  raise(SIGINT);
  assert_int_equal(*count, 1);
  raise(SIGINT);
  assert_int_equal(*count, 2);
  ls_interrupts_end();
}

static void questions_are_counted_and_interrupt_nothing(void **state) {
  (void)state;
  const _Atomic int *count = ls_interrupts_start("test", true);
  const _Atomic int *questions = ls_interrupts_hear_questions();
  raise(SIGUSR1);
  raise(SIGUSR1);
  assert_int_equal(*questions, 2);
  assert_int_equal(*count, 0);
  ls_interrupts_end();
}

/* As a first Ctrl-C does, a hangup lets finish what runs; who terminates wants it to end. */
static void a_hangup_counts_once_a_termination_twice(void **state) {
  (void)state;
  const _Atomic int *count = ls_interrupts_start("test", true);
  raise(SIGHUP);
  assert_int_equal(*count, 1);
  raise(SIGTERM);
  assert_int_equal(*count, 2);
  ls_interrupts_end();
  count = ls_interrupts_start("test", true);
  raise(SIGTERM);
  assert_int_equal(*count, 2);
  ls_interrupts_end();
}

/* A launcher says it, and may say it again. */
static void a_termination_before_a_kill_counts_twice_and_ends_nothing(void **state) {
  (void)state;
  const _Atomic int *count = ls_interrupts_start("test", true);
  ls_interrupts_expect_kill();
  raise(SIGTERM);
  assert_int_equal(*count, 2);
  raise(SIGTERM);
  assert_int_equal(*count, 2);
  ls_interrupts_end();
}

/* Slurm and ssh hang up: a worker leaves in order. */
static void a_hangup_counts_once_for_a_worker(void **state) {
  (void)state;
  struct ls_worker_signals signals = ls_interrupts_start_worker("test", true);
  raise(SIGHUP);
  assert_int_equal(*signals.interrupts, 1);
  raise(SIGTERM);
  assert_int_equal(*signals.interrupts, 2);
  ls_interrupts_end();
}

/* Slurm warns all processes of a job: of the worker's, each one, and some more than once. */
static void warnings_count_once_and_harm_nobody(void **state) {
  (void)state;
  struct ls_worker_signals signals = ls_interrupts_start_worker("test", true);
  raise(SIGURG);
  raise(SIGURG);
  assert_int_equal(*signals.interrupts, 1);
  raise(SIGTERM);
  assert_int_equal(*signals.interrupts, 2);
  raise(SIGURG);
  assert_int_equal(*signals.interrupts, 2);
  ls_interrupts_end();
  raise(SIGURG);
  assert_int_equal(*signals.interrupts, 2);
}

static void a_worker_hears_of_stops_and_returns(void **state) {
  (void)state;
  struct ls_worker_signals signals = ls_interrupts_start_worker("test", true);
  raise(SIGTSTP); /* would stop this program */
  raise(SIGCONT);
  raise(SIGCONT);
  assert_int_equal(*signals.suspensions, 1);
  assert_int_equal(*signals.returns, 2);
  assert_int_equal(*signals.interrupts, 0);
  ls_interrupts_end();
}

static void a_new_start_counts_anew(void **state) {
  (void)state;
  (void)ls_interrupts_start("test", true);
  raise(SIGINT);
  ls_interrupts_end();
  assert_int_equal(*ls_interrupts_start("test", true), 0);
  ls_interrupts_end();
}

static void what_was_ignored_stays_ignored(void **state) {
  (void)state;
  signal(SIGHUP, SIG_IGN);
  const _Atomic int *count = ls_interrupts_start("test", true);
  raise(SIGHUP);
  assert_int_equal(*count, 0);
  ls_interrupts_end();
  signal(SIGHUP, SIG_DFL);
}

static void the_third_one_ends_the_process(void **state) {
  (void)state;
  pid_t pid = fork();
  if (pid == 0) {
    (void)ls_interrupts_start("test", true);
    for (int i = 0; i < 3; i++) raise(SIGINT);
    pause();
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGINT);
}

static void a_closed_pipe_is_no_death(void **state) {
  (void)state;
  (void)ls_interrupts_start("test", true);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  close(ends[0]);
  assert_int_equal(write(ends[1], "x", 1), -1);
  close(ends[1]);
  ls_interrupts_end();
}

/* As whoever waits for its own signals hands it down. */
static void what_was_blocked_is_heard(void **state) {
  (void)state;
  sigset_t all, before;
  static _Atomic int starter = 0;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  struct ls_worker_signals signals = ls_interrupts_start_worker("test", true);
  kill(getpid(), SIGTERM);
  kill(getpid(), SIGTSTP);
  kill(getpid(), SIGCONT);
  assert_int_equal(*signals.interrupts, 1);
  assert_int_equal(*signals.suspensions, 1);
  assert_int_equal(*signals.returns, 1);
  ls_interrupts_follow(&starter);
  starter = 2;
  kill(getpid(), SIGUSR1);
  assert_int_equal(*signals.interrupts, 2);
  ls_interrupts_end();
  starter = 0;
  sigprocmask(SIG_SETMASK, &all, NULL);
  const _Atomic int *count = ls_interrupts_start("test", true);
  const _Atomic int *questions = ls_interrupts_hear_questions();
  kill(getpid(), SIGINT);
  kill(getpid(), SIGUSR1);
  assert_int_equal(*count, 1);
  assert_int_equal(*questions, 1);
  ls_interrupts_end();
  sigprocmask(SIG_SETMASK, &before, NULL);
}

/* The caller may ignore what is raised here (`nohup` ignores the hangup). */
static int expect_signals(void **state) {
  (void)state;
  signal(SIGHUP, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signals_are_counted),
      cmocka_unit_test(questions_are_counted_and_interrupt_nothing),
      cmocka_unit_test(a_hangup_counts_once_a_termination_twice),
      cmocka_unit_test(a_termination_before_a_kill_counts_twice_and_ends_nothing),
      cmocka_unit_test(a_hangup_counts_once_for_a_worker),
      cmocka_unit_test(warnings_count_once_and_harm_nobody),
      cmocka_unit_test(a_worker_hears_of_stops_and_returns),
      cmocka_unit_test(a_new_start_counts_anew),
      cmocka_unit_test(what_was_ignored_stays_ignored),
      cmocka_unit_test(the_third_one_ends_the_process),
      cmocka_unit_test(a_closed_pipe_is_no_death),
      cmocka_unit_test(what_was_blocked_is_heard)};
  return cmocka_run_group_tests(tests, expect_signals, NULL);
}
