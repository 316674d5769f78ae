/* test_pool_fork.c: the "workers" are shell scripts that look at what the pool gives them. */
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/pool.h"

static const struct ls_pool_kind *const kind = &ls_pool_fork;

/* A pool whose workers run a script; the words of the pool are its arguments $1 ... */
static struct ls_pool *open_pool(const char *script, size_t slots, const char *token) {
  static const double speeds[] = {1, 0.5};
  char *command[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(script), (char[]){"worker"}, NULL};
  struct ls_pool_setup setup = {.command = command,
                                .address = "ipc:///nowhere",
                                .token = token,
                                .speeds = speeds,
                                .speeds_count = 2,
                                .slots = slots};
  struct ls_pool *pool = NULL;
  struct ls_error err = {0};
  if (kind->open(&setup, &pool, &err) != LS_OK) fail_msg("%s", err.text);
  free(command[2]);
  return pool;
}

static size_t request(struct ls_pool *pool, size_t n) {
  size_t granted = 99;
  struct ls_error err = {0};
  if (kind->request(pool, n, &granted, &err) != LS_OK) fail_msg("%s", err.text);
  return granted;
}

static struct ls_pool_loss await_loss(struct ls_pool *pool) {
  struct ls_pool_loss loss;
  while (kind->poll(pool, &loss) == 0) {
    struct pollfd look = {.fd = kind->file(pool), .events = POLLIN};
    if (poll(&look, 1, 60000) == 0) fail_msg("no worker ended within a minute");
  }
  return loss;
}

static void worker_gets_address_name_speed_lifeline_and_token(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool(
      "test \"$1 $2 $3\" = '--connect ipc:///nowhere --name' || exit 1\n"
      "test \"$5 $7\" = '--speed --lifeline' || exit 2\n"
      "test -e /proc/self/fd/$8 || exit 3\n"
      "test \"$LOADSTAR_TOKEN\" = abc || exit 4\n"
      "test \"$4 $6\" = 'local-1 1' && exit 11\n"
      "test \"$4 $6\" = 'local-2 0.5' && exit 12\n"
      "test \"$4 $6\" = 'local-3 1' && exit 13\n"
      "exit 5",
      3, "abc");
  assert_int_equal(request(pool, 3), 3);
  unsigned seen = 0;
  for (int i = 0; i < 3; ++i) {
    struct ls_pool_loss loss = await_loss(pool);
    assert_int_equal(loss.exit_code, 10 + loss.slot);
    seen |= 1u << loss.slot;
  }
  assert_int_equal(seen, 0xe);
  kind->close(pool, 0);
}

/* A token of an outer run must not leak into the workers of this one. */
static void no_token_is_no_token(void **state) {
  (void)state;
  assert_int_equal(setenv("LOADSTAR_TOKEN", "outer", 1), 0);
  struct ls_pool *pool = open_pool("test -z \"$LOADSTAR_TOKEN\"", 1, "");
  assert_int_equal(request(pool, 1), 1);
  assert_int_equal(await_loss(pool).exit_code, 0);
  kind->close(pool, 0);
  assert_int_equal(unsetenv("LOADSTAR_TOKEN"), 0);
}

static void no_more_workers_than_slots(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool("exec sleep 1000", 3, NULL);
  assert_int_equal(request(pool, 2), 2);
  assert_int_equal(kind->running(pool), 2);
  assert_int_equal(request(pool, 5), 1);
  assert_int_equal(request(pool, 1), 0);
  assert_int_equal(kind->running(pool), 3);
  kind->close(pool, 0);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void killed_worker_frees_its_slot(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool("exec sleep 1000", 3, NULL);
  struct ls_pool_loss loss;
  assert_int_equal(request(pool, 3), 3);
  assert_int_equal(kind->poll(pool, &loss), 0);
  kind->kill(pool, 2);
  loss = await_loss(pool);
  assert_int_equal(loss.slot, 2);
  assert_int_equal(loss.signal, SIGKILL);
  assert_int_equal(kind->running(pool), 2);
  assert_int_equal(kind->slot(pool, loss.pid), 0);
  assert_int_equal(kind->poll(pool, &loss), 0);
  assert_int_equal(request(pool, 3), 1);
  /* The new one stands in the slot that was free. */
  kind->kill(pool, 2);
  assert_int_equal(await_loss(pool).slot, 2);
  /* Slots that are not there are nobody's. */
  kind->kill(pool, 0);
  kind->kill(pool, 4);
  kind->kill(pool, 2);
  kind->close(pool, 0);
}

static void process_id_tells_the_slot(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool("exit 0", 2, NULL);
  assert_int_equal(kind->slot(pool, getpid()), 0);
  assert_int_equal(kind->slot(pool, 0), 0);
  assert_int_equal(request(pool, 2), 2);
  siginfo_t info;
  assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
  uint32_t slot = kind->slot(pool, info.si_pid);
  assert_true(slot == 1 || slot == 2);
  kind->close(pool, 60);
}

/* The workers' scripts hold a pipe by way of their standard error, and so do their children. */
static struct ls_pool *open_with_tell_tale(const char *script, size_t slots, int *tell_tale) {
  int ends[2], saved = dup(STDERR_FILENO);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  (void)close(ends[1]);
  struct ls_pool *pool = open_pool(script, slots, NULL);
  (void)request(pool, slots);
  assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
  (void)close(saved);
  *tell_tale = ends[0];
  return pool;
}

static void await_silence(int tell_tale) {
  char byte;
  while (read(tell_tale, &byte, 1) == 1) continue;
  (void)close(tell_tale);
}

static void await_byte(int tell_tale) {
  char byte;
  assert_int_equal(read(tell_tale, &byte, 1), 1);
}

static void what_a_dead_worker_leaves_is_ended(void **state) {
  (void)state;
  int tell_tale;
  struct ls_pool *pool =
      open_with_tell_tale("setsid sleep 1000 & sleep 1000 & printf x >&2; wait", 1, &tell_tale);
  await_byte(tell_tale);
  kind->kill(pool, 1);
  assert_int_equal(await_loss(pool).signal, SIGKILL);
  await_silence(tell_tale);
  kind->close(pool, 0);
}

static void orphans_of_one_worker_do_not_cost_another(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool("sleep 1000 & wait", 2, NULL);
  struct ls_pool_loss loss;
  assert_int_equal(request(pool, 2), 2);
  kind->kill(pool, 1);
  assert_int_equal(await_loss(pool).slot, 1);
  assert_int_equal(kind->running(pool), 1);
  assert_int_equal(kind->poll(pool, &loss), 0);
  kind->close(pool, 0);
}

/* Children that the master was started with, or has for other reasons, are not orphans. */
static void children_from_before_the_pool_are_left_alone(void **state) {
  (void)state;
  pid_t child = fork();
  if (child == 0) {
    for (;;) (void)pause();
  }
  struct ls_pool *pool = open_pool("exit 1", 1, NULL);
  assert_int_equal(request(pool, 1), 1);
  assert_int_equal(await_loss(pool).exit_code, 1);
  kind->close(pool, 0);
  assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

static void closing_waits_for_workers_that_end(void **state) {
  (void)state;
  char folder[] = "/tmp/loadstar-test-XXXXXX", script[96];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(script, sizeof script, "sleep 0.2; rmdir %s", folder);
  struct ls_pool *pool = open_pool(script, 1, NULL);
  assert_int_equal(request(pool, 1), 1);
  kind->close(pool, 60);
  assert_int_equal(access(folder, F_OK), -1);
}

static void closing_ends_what_does_not_listen(void **state) {
  (void)state;
  int tell_tale;
  struct ls_pool *pool = open_with_tell_tale(
      "trap '' TERM; setsid sleep 1000 & printf x >&2; while :; do sleep 1000; done", 2,
      &tell_tale);
  await_byte(tell_tale);
  await_byte(tell_tale);
  kind->close(pool, 0);
  await_silence(tell_tale);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  kind->close(NULL, 0);
}

/* A master that is killed has no time for anything: the end of its lifeline is all that is heard.
 */
static void lifeline_ends_with_the_master(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t master = fork();
  if (master == 0) {
    (void)close(ends[0]);
    (void)dup2(ends[1], STDERR_FILENO);
    (void)close(ends[1]);
    struct ls_pool *pool = open_pool("printf x >&2; read line < /proc/self/fd/$8", 2, NULL);
    (void)request(pool, 2);
    for (;;) (void)pause();
  }
  (void)close(ends[1]);
  await_byte(ends[0]);
  await_byte(ends[0]);
  assert_int_equal(kill(master, SIGKILL), 0);
  assert_int_equal(waitpid(master, NULL, 0), master);
  await_silence(ends[0]);
}

static void absent_program_is_an_error_with_its_name(void **state) {
  (void)state;
  char *command[] = {(char[]){"no such worker"}, NULL};
  struct ls_pool_setup setup = {.command = command, .address = "ipc:///nowhere", .slots = 2};
  struct ls_pool *pool = NULL;
  struct ls_error err;
  size_t granted = 7;
  assert_int_equal(kind->open(&setup, &pool, &err), LS_OK);
  assert_int_equal(kind->request(pool, 1, &granted, &err), LS_EIO);
  assert_int_equal(granted, 7);
  assert_non_null(strstr(err.text, "no such worker"));
  assert_non_null(strstr(err.text, "local-1"));
  assert_int_equal(kind->running(pool), 0);
  kind->close(pool, 0);
}

static void bad_setups_are_refused(void **state) {
  (void)state;
  char *command[] = {(char[]){"true"}, NULL};
  static const double speeds[] = {1, 2, (double)NAN, 0};
  struct ls_pool_setup good = {
      .command = command, .address = "x", .speeds = speeds, .speeds_count = 1, .slots = 1};
  struct ls_pool *pool = NULL;
  struct ls_error err;
  struct ls_pool_setup bad = good;
  bad.slots = 0;
  assert_int_equal(kind->open(&bad, &pool, &err), LS_EINVAL);
  for (size_t i = 1; i < 4; ++i) {
    bad = good;
    bad.speeds = speeds + i;
    assert_int_equal(kind->open(&bad, &pool, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "speed 0"));
  }
  bad = good;
  bad.command = command + 1;
  assert_int_equal(kind->open(&bad, &pool, &err), LS_EINVAL);
  assert_null(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worker_gets_address_name_speed_lifeline_and_token),
      cmocka_unit_test(no_token_is_no_token),
      cmocka_unit_test(no_more_workers_than_slots),
      cmocka_unit_test(killed_worker_frees_its_slot),
      cmocka_unit_test(process_id_tells_the_slot),
      cmocka_unit_test(what_a_dead_worker_leaves_is_ended),
      cmocka_unit_test(orphans_of_one_worker_do_not_cost_another),
      cmocka_unit_test(children_from_before_the_pool_are_left_alone),
      cmocka_unit_test(closing_waits_for_workers_that_end),
      cmocka_unit_test(closing_ends_what_does_not_listen),
      cmocka_unit_test(lifeline_ends_with_the_master),
      cmocka_unit_test(absent_program_is_an_error_with_its_name),
      cmocka_unit_test(bad_setups_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
