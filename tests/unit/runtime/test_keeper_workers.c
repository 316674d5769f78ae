/* test_keeper_workers.c: workers start, stop, go on and end; what they leave is ended. */
#include "../../support/keeper_fixture.h"

static void program_gets_address_name_speed_and_lifeline(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts(
      "test \"$1 $2 $3 $4\" = '--connect ipc:///nowhere --name local-3' || exit 1\n"
      "test \"$5 $6 $7\" = '--speed 0.5 --lifeline' || exit 2\n"
      "test -e /proc/self/fd/$8 || exit 3\n"
      "exit 11");
  order_words(keeper, LS_KEEPER_ADDRESS, "ipc:///nowhere");
  order(keeper, (struct ls_keeper_record){.kind = LS_KEEPER_START, .slot = 3, .number = 0.5});
  assert_int_equal(await_news(keeper).kind, LS_KEEPER_STARTED);
  struct ls_keeper_record end = await_end(keeper);
  assert_int_equal(end.exit_code, 11);
  assert_int_equal(end.slot, 3);
  ls_keeper_destroy(keeper);
}

static void name_may_come_with_the_start(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts("test $4 = n1-7 && exit 11");
  order(keeper, (struct ls_keeper_record){
                    .kind = LS_KEEPER_START, .slot = 3, .number = 1, .words = "n1-7"});
  assert_int_equal(await_news(keeper).kind, LS_KEEPER_STARTED);
  assert_int_equal(await_end(keeper).exit_code, 11);
  ls_keeper_destroy(keeper);
}

static void program_that_is_absent_is_named_and_the_slot_stays_free(void **state) {
  (void)state;
  char program[] = "/tmp/loadstar-test-XXXXXX";
  int file = mkostemp(program, O_CLOEXEC);
  assert_true(file >= 0);
  char *command[] = {program, NULL};
  struct ls_keeper *keeper = NULL;
  assert_int_equal(ls_keeper_start(&(struct ls_keeper_setup){.command = command}, &keeper, NULL),
                   LS_OK);
  order(keeper, (struct ls_keeper_record){.kind = LS_KEEPER_START, .slot = 2, .number = 1});
  struct ls_keeper_record news = await_news(keeper);
  assert_int_equal(news.kind, LS_KEEPER_UNSTARTED);
  assert_int_equal(news.slot, 2);
  assert_non_null(strstr(news.words, program));
  assert_non_null(strstr(news.words, "local-2"));
  assert_int_equal(write(file, "#!/bin/sh\nexit 5\n", 17), 17);
  assert_int_equal(fchmod(file, 0700), 0);
  (void)close(file);
  (void)start(keeper, 2);
  assert_int_equal(await_end(keeper).exit_code, 5);
  ls_keeper_destroy(keeper);
  (void)unlink(program);
}

static void signals_reach_the_worker_of_the_slot(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts("exec sleep 1000");
  pid_t first = start(keeper, 1), second = start(keeper, 2);
  struct ls_keeper_record signal_it = {.kind = LS_KEEPER_SIGNAL, .slot = 2, .signal = SIGTERM};
  order(keeper, signal_it);
  struct ls_keeper_record end = await_end(keeper);
  assert_int_equal(end.pid, second);
  assert_int_equal(end.signal, SIGTERM);
  assert_int_equal(end.exit_code, 0);
  /* Slots without a worker are nobody's. */
  order(keeper, signal_it);
  for (uint32_t slot = 0; slot < 5; slot += 4) {
    signal_it.slot = slot;
    order(keeper, signal_it);
  }
  signal_it.slot = 1;
  signal_it.signal = SIGKILL;
  order(keeper, signal_it);
  end = await_end(keeper);
  assert_int_equal(end.pid, first);
  assert_int_equal(end.signal, SIGKILL);
  /* The slot takes another one. */
  assert_true(start(keeper, 1) != first);
  ls_keeper_destroy(keeper);
}

static void taken_and_absurd_slots_are_refused(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts("exec sleep 1000");
  (void)start(keeper, 1);
  for (uint32_t i = 0; i < 3; ++i) {
    uint32_t slots[] = {1, 0, UINT32_MAX};
    order(keeper, (struct ls_keeper_record){.kind = LS_KEEPER_START, .slot = slots[i]});
    struct ls_keeper_record news = await_news(keeper);
    assert_int_equal(news.kind, LS_KEEPER_UNSTARTED);
    assert_int_equal(news.slot, slots[i]);
  }
  ls_keeper_destroy(keeper);
}

static void stop_and_going_on_are_told(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts("exec sleep 1000");
  pid_t pid = start(keeper, 1);
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(kill(pid, i == 1 ? SIGTSTP : SIGSTOP), 0);
    struct ls_keeper_record news = await_news(keeper);
    assert_int_equal(news.kind, LS_KEEPER_STOPPED);
    assert_int_equal(news.pid, pid);
    assert_int_equal(news.signal, i == 1 ? SIGTSTP : SIGSTOP);
    assert_int_equal(kill(pid, SIGCONT), 0);
    assert_int_equal(await_news(keeper).kind, LS_KEEPER_CONTINUED);
  }
  assert_int_equal(kill(pid, SIGSTOP), 0);
  assert_int_equal(await_news(keeper).kind, LS_KEEPER_STOPPED);
  assert_int_equal(kill(pid, SIGKILL), 0);
  assert_int_equal(await_end(keeper).signal, SIGKILL);
  ls_keeper_destroy(keeper);
}

/* Where the task stands still, too, somebody wants that; and a worker without one hinders nobody.
 */
static void who_was_stopped_by_its_task_goes_on_at_the_limit(void **state) {
  (void)state;
  int ends[2];
  open_tell_tale(ends);
  char script[160];
  (void)snprintf(script, sizeof script,
                 "if test $4 = local-1; then sleep 1000 & fi; printf x >&%d; kill -STOP $$; exit 7",
                 ends[1]);
  struct ls_keeper *keeper = keep_scripts(script);
  (void)close(ends[1]);
  pid_t pid = start(keeper, 1), idle = start(keeper, 2);
  assert_int_equal(await_news(keeper).kind, LS_KEEPER_STOPPED);
  assert_int_equal(await_news(keeper).kind, LS_KEEPER_STOPPED);
  order(keeper, (struct ls_keeper_record){.kind = LS_KEEPER_LIMIT, .number = 0.05});
  struct ls_keeper_record news = await_news(keeper);
  assert_int_equal(news.pid, pid);
  if (news.kind == LS_KEEPER_CONTINUED) news = await_news(keeper);
  assert_int_equal(news.kind, LS_KEEPER_ENDED);
  assert_int_equal(news.exit_code, 7);
  /* The other one stands still until it is let go on. */
  assert_int_equal(kill(idle, SIGCONT), 0);
  news = await_news(keeper);
  assert_int_equal(news.pid, idle);
  ls_keeper_destroy(keeper);
  await_byte(ends[0]);
  (void)close(ends[0]);
}

static void what_a_dead_worker_leaves_is_ended(void **state) {
  (void)state;
  /* A tell-tale that the keeper does not hold. */
  char folder[] = "/tmp/loadstar-test-XXXXXX", path[64], script[200];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/fifo", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  /* A daemon with a child of its own, and one of the worker's group. */
  (void)snprintf(script, sizeof script,
                 "exec 9>%s; setsid sh -c 'sleep 1000 & wait' & sleep 1000 & printf x >&9; wait",
                 path);
  struct ls_keeper *keeper = keep_scripts(script);
  (void)start(keeper, 1);
  await_byte(file);
  order(keeper, (struct ls_keeper_record){.kind = LS_KEEPER_SIGNAL, .slot = 1, .signal = SIGKILL});
  assert_int_equal(await_end(keeper).signal, SIGKILL);
  await_silence(file);
  ls_keeper_destroy(keeper);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void orphans_of_one_worker_do_not_cost_another(void **state) {
  (void)state;
  int ends[2];
  open_tell_tale(ends);
  char script[160];
  (void)snprintf(script, sizeof script, "setsid sleep 1000 & printf x >&%d; wait", ends[1]);
  struct ls_keeper *keeper = keep_scripts(script);
  (void)close(ends[1]);
  (void)start(keeper, 1);
  pid_t second = start(keeper, 2);
  await_byte(ends[0]);
  await_byte(ends[0]);
  order(keeper, (struct ls_keeper_record){.kind = LS_KEEPER_SIGNAL, .slot = 1, .signal = SIGKILL});
  assert_int_equal(await_end(keeper).slot, 1);
  /* The next order is heard after the look at the first one's orphans. */
  (void)start(keeper, 1);
  await_byte(ends[0]);
  assert_int_equal(kill(second, 0), 0);
  struct ls_keeper_record news;
  assert_false(ls_keeper_line_take(ls_keeper_line(keeper), &news));
  ls_keeper_destroy(keeper);
  await_silence(ends[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(program_gets_address_name_speed_and_lifeline),
      cmocka_unit_test(name_may_come_with_the_start),
      cmocka_unit_test(program_that_is_absent_is_named_and_the_slot_stays_free),
      cmocka_unit_test(signals_reach_the_worker_of_the_slot),
      cmocka_unit_test(taken_and_absurd_slots_are_refused),
      cmocka_unit_test(stop_and_going_on_are_told),
      cmocka_unit_test(who_was_stopped_by_its_task_goes_on_at_the_limit),
      cmocka_unit_test(what_a_dead_worker_leaves_is_ended),
      cmocka_unit_test(orphans_of_one_worker_do_not_cost_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
