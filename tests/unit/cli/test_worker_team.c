/* A team ends when all of it have, with the gravest of their statuses, and leaves nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "cli/console.h"
#include "cli/worker_team.h"

static struct ls_worker_options make_worker(const char *address) {
  return (struct ls_worker_options){.transport = &ls_transport_zmq,
                                    .address = address,
                                    .name = "team",
                                    .speed = 1,
                                    .lifeline = -1,
                                    .wait_s = 0.05};
}

static void expect_nobody(void) {
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

static void without_a_master_each_gives_up(void **state) {
  (void)state;
  const struct ls_worker_options worker = make_worker("tcp://127.0.0.1:1");
  assert_int_equal(ls_worker_team_run("test", &worker, 3), LS_EXIT_INFRASTRUCTURE);
  expect_nobody();
}

static void the_gravest_status_is_the_teams(void **state) {
  (void)state;
  const struct ls_worker_options worker = make_worker("nowhere");
  assert_int_equal(ls_worker_team_run("test", &worker, 2), LS_EXIT_USAGE);
  expect_nobody();
}

/* As they were, which may be ignored. */
static void signals_are_given_back(void **state) {
  (void)state;
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGCHLD};
  const struct ls_worker_options worker = make_worker("tcp://127.0.0.1:1");
  struct sigaction before[sizeof numbers / sizeof *numbers], action;
  sigset_t mask;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    assert_int_equal(sigaction(numbers[i], NULL, &before[i]), 0);
  (void)ls_worker_team_run("test", &worker, 2);
  assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &mask), 0);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    assert_int_equal(sigaction(numbers[i], NULL, &action), 0);
    assert_true(action.sa_handler == before[i].sa_handler);
    assert_false(sigismember(&mask, numbers[i]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_master_each_gives_up),
      cmocka_unit_test(the_gravest_status_is_the_teams),
      cmocka_unit_test(signals_are_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
