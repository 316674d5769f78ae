/* test_worker_process.c: how a worker ends that never finds its master. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/wait.h>
#include <unistd.h>

#include "cli/worker_process.h"

/* Its signals are the process's: each case has one of its own. */
static int serve(const char *address, int lifeline) {
  pid_t child = fork();
  if (child == 0) {
    struct ls_worker_options options = {.transport = &ls_transport_zmq,
                                        .address = address,
                                        .name = "one",
                                        .speed = 1,
                                        .wait_s = 0.05,
                                        .lifeline = lifeline};
    (void)close(STDERR_FILENO);
    _exit(ls_worker_serve("test", &options));
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void an_address_that_is_none_is_bad_usage(void **state) {
  (void)state;
  assert_int_equal(serve("nonsense", -1), 2);
}

/* Nobody listens there: 3 also where a master would tell the user. */
static void a_master_that_never_comes_is_missed(void **state) {
  (void)state;
  assert_int_equal(serve("ipc:///tmp/loadstar-none/none", -1), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_address_that_is_none_is_bad_usage),
      cmocka_unit_test(a_master_that_never_comes_is_missed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
