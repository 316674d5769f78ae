/* test_keeper.c: the life of a keeper, as its master sees it. */
#include <fcntl.h>
#include <unistd.h>

#include "../../support/keeper_fixture.h"
#include "runtime/os/clock.h"

static void keeper_without_anything_to_start_is_refused(void **state) {
  (void)state;
  struct ls_keeper *keeper = NULL;
  struct ls_error err;
  char *none[] = {NULL};
  assert_int_equal(ls_keeper_start(&(struct ls_keeper_setup){0}, &keeper, &err), LS_EINVAL);
  assert_int_equal(ls_keeper_start(&(struct ls_keeper_setup){.command = none}, &keeper, &err),
                   LS_EINVAL);
  assert_null(keeper);
  ls_keeper_destroy(NULL);
}

_Noreturn static int rest(void *context, const struct ls_keeper_worker *worker) {
  (void)worker;
  if (context != NULL) (void)!write(*(int *)context, "x", 1);
  for (;;) (void)pause();
}

static int rest_until_the_end(void *context, const struct ls_keeper_worker *worker) {
  char byte;
  (void)!write(*(int *)context, "x", 1);
  while (read(worker->lifeline, &byte, 1) > 0) continue;
  return 0;
}

static int leave_soon(void *context, const struct ls_keeper_worker *worker) {
  (void)worker;
  (void)usleep(100000);
  (void)!write(*(int *)context, "y", 1);
  return 0;
}

static void closing_waits_for_workers_that_end(void **state) {
  (void)state;
  int ends[2];
  char byte = 0;
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(leave_soon, &ends[1]);
  (void)close(ends[1]);
  (void)start(keeper, 1);
  ls_keeper_end(keeper, 60);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_int_equal(byte, 'y');
  await_silence(ends[0]);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  /* Once is enough. */
  ls_keeper_end(keeper, 60);
  ls_keeper_destroy(keeper);
}

static int do_not_listen(void *context, const struct ls_keeper_worker *worker) {
  (void)signal(SIGTERM, SIG_IGN);
  (void)signal(SIGHUP, SIG_IGN);
  return rest(context, worker);
}

static void closing_ends_workers_that_do_not_listen(void **state) {
  (void)state;
  int ends[2];
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(do_not_listen, &ends[1]);
  (void)close(ends[1]);
  (void)start(keeper, 1);
  (void)start(keeper, 2);
  await_byte(ends[0]);
  await_byte(ends[0]);
  ls_keeper_destroy(keeper);
  await_silence(ends[0]);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* A stopped worker hears neither signal nor lifeline. */
static void closing_ends_stopped_workers(void **state) {
  (void)state;
  int ends[2];
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(rest, &ends[1]);
  (void)close(ends[1]);
  pid_t pid = start(keeper, 1);
  await_byte(ends[0]);
  assert_int_equal(kill(pid, SIGSTOP), 0);
  assert_int_equal(await_news(keeper).kind, LS_KEEPER_STOPPED);
  ls_keeper_end(keeper, 0);
  await_silence(ends[0]);
  ls_keeper_destroy(keeper);
}

_Noreturn static int stop_at_once(void) {
  (void)raise(SIGSTOP);
  _exit(0);
}

static int stop_or_leave(void *context, const struct ls_keeper_worker *worker) {
  return strcmp(worker->name, "local-1") == 0 ? stop_at_once() : leave_soon(context, worker);
}

/* Nobody else is there, and they would not end by themselves. */
static void closing_does_not_wait_for_stopped_workers(void **state) {
  (void)state;
  int ends[2];
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(stop_or_leave, &ends[1]);
  (void)close(ends[1]);
  (void)start(keeper, 1);
  assert_int_equal(await_news(keeper).kind, LS_KEEPER_STOPPED);
  (void)start(keeper, 2); /* leaves by itself */
  double begun_s = ls_clock_s();
  ls_keeper_end(keeper, 120);
  assert_true(ls_clock_s() < begun_s + 60);
  await_silence(ends[0]);
  ls_keeper_destroy(keeper);
}

static void worker_that_was_told_to_leave_its_master_alone_ends_with_its_lifeline(void **state) {
  (void)state;
  int ends[2];
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(rest_until_the_end, &ends[1]);
  (void)close(ends[1]);
  (void)start(keeper, 1);
  (void)start(keeper, 2);
  await_byte(ends[0]);
  await_byte(ends[0]);
  ls_keeper_end(keeper, 0);
  await_silence(ends[0]);
  ls_keeper_destroy(keeper);
}

/* The master's own children, such as those of an application, are its own. */
static void children_of_the_master_are_left_alone(void **state) {
  (void)state;
  pid_t before = fork();
  if (before == 0) {
    for (;;) (void)pause();
  }
  struct ls_keeper *keeper = keep_scripts("exit 3");
  FILE *pipe = popen("sleep 0.1; echo alive", "r");
  assert_non_null(pipe);
  for (uint32_t slot = 1; slot <= 3; ++slot) {
    (void)start(keeper, slot);
    assert_int_equal(await_end(keeper).exit_code, 3);
  }
  char text[16] = "";
  assert_non_null(fgets(text, sizeof text, pipe));
  assert_string_equal(text, "alive\n");
  assert_int_equal(pclose(pipe), 0);
  ls_keeper_destroy(keeper);
  assert_int_equal(waitpid(before, NULL, WNOHANG), 0);
  assert_int_equal(kill(before, SIGKILL), 0);
  assert_int_equal(waitpid(before, NULL, 0), before);
}

static void killed_keeper_is_told_of_and_leaves_no_worker(void **state) {
  (void)state;
  int ends[2];
  struct ls_keeper_record record;
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(rest_until_the_end, &ends[1]);
  (void)close(ends[1]);
  (void)start(keeper, 1);
  pid_t pid = start(keeper, 2);
  await_byte(ends[0]);
  await_byte(ends[0]);
  assert_int_equal(kill(parent_of(pid), SIGKILL), 0);
  struct pollfd look = {.fd = ls_keeper_line(keeper)->file, .events = POLLIN};
  assert_int_equal(poll(&look, 1, PATIENCE_MS), 1);
  assert_false(ls_keeper_line_take(ls_keeper_line(keeper), &record));
  assert_true(ls_keeper_line(keeper)->is_broken);
  assert_string_equal(ls_keeper_end_words(keeper), "signal 9");
  await_silence(ends[0]);
  ls_keeper_destroy(keeper);
}

/* Nothing of the former one is left in it. */
static void another_keeper_takes_the_place_of_a_dead_one(void **state) {
  (void)state;
  int ends[2];
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(rest_until_the_end, &ends[1]);
  for (int i = 0; i < 3; ++i) {
    struct ls_keeper_record record;
    pid_t pid = ls_keeper_process(keeper);
    assert_int_equal(parent_of(start(keeper, 1)), pid);
    assert_int_equal(kill(pid, SIGKILL), 0);
    struct pollfd look = {.fd = ls_keeper_line(keeper)->file, .events = POLLIN};
    assert_int_equal(poll(&look, 1, PATIENCE_MS), 1);
    assert_false(ls_keeper_line_take(ls_keeper_line(keeper), &record));
    assert_int_equal(ls_keeper_restart(keeper, NULL), LS_OK);
    assert_int_not_equal(ls_keeper_process(keeper), pid);
    assert_false(ls_keeper_line(keeper)->is_broken);
  }
  ls_keeper_end(keeper, 0);
  assert_int_equal(ls_keeper_process(keeper), 0);
  ls_keeper_destroy(keeper);
  (void)close(ends[1]);
  await_silence(ends[0]);
}

/* The one that takes the place of a dead one knows of the files, too. */
static void files_are_entrusted_to_whoever_takes_the_place(void **state) {
  (void)state;
  struct ls_keeper_record record;
  char folder[] = "/tmp/loadstar-keeper-XXXXXX", path[80];
  int ends[2];
  assert_non_null(mkdtemp(folder));
  assert_int_equal(setenv("TMPDIR", folder, 1), 0);
  (void)snprintf(path, sizeof path, "%s/blocks.1.1", folder);
  assert_int_equal(close(open(path, O_CREAT | O_EXCL | O_CLOEXEC, 0600)), 0);
  open_tell_tale(ends);
  struct ls_keeper *keeper = keep(rest, &ends[1]);
  ls_keeper_entrust(keeper, "blocks");
  assert_int_equal(kill(ls_keeper_process(keeper), SIGKILL), 0);
  struct pollfd look = {.fd = ls_keeper_line(keeper)->file, .events = POLLIN};
  assert_int_equal(poll(&look, 1, PATIENCE_MS), 1);
  assert_false(ls_keeper_line_take(ls_keeper_line(keeper), &record));
  assert_int_equal(ls_keeper_restart(keeper, NULL), LS_OK);
  (void)start(keeper, 1);
  ls_keeper_end(keeper, 0);
  ls_keeper_destroy(keeper);
  assert_int_equal(unsetenv("TMPDIR"), 0);
  (void)close(ends[1]);
  await_silence(ends[0]);
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* Nobody can tell how it ended when somebody else has reaped it, and nobody waits for ever. */
static void keeper_reaped_by_somebody_else_is_over(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep(rest, NULL);
  order(keeper, (struct ls_keeper_record){.kind = LS_KEEPER_CLOSE});
  assert_true(waitpid(-1, NULL, 0) > 0);
  ls_keeper_destroy(keeper);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeper_without_anything_to_start_is_refused),
      cmocka_unit_test(closing_waits_for_workers_that_end),
      cmocka_unit_test(closing_ends_workers_that_do_not_listen),
      cmocka_unit_test(closing_ends_stopped_workers),
      cmocka_unit_test(closing_does_not_wait_for_stopped_workers),
      cmocka_unit_test(worker_that_was_told_to_leave_its_master_alone_ends_with_its_lifeline),
      cmocka_unit_test(children_of_the_master_are_left_alone),
      cmocka_unit_test(killed_keeper_is_told_of_and_leaves_no_worker),
      cmocka_unit_test(another_keeper_takes_the_place_of_a_dead_one),
      cmocka_unit_test(files_are_entrusted_to_whoever_takes_the_place),
      cmocka_unit_test(keeper_reaped_by_somebody_else_is_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
