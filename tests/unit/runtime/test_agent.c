/* An agent keeps workers, whatever becomes of the line to its master, and leaves nothing. */
#include "../../support/agent_fixture.h"

#include "runtime/os/clock.h"

static void workers_come_and_go_as_they_are_told(void **state) {
  (void)state;
  struct agent agent = agent_start("aaaaa1");
  struct stat facts;
  agent_open(&agent, "tunnel -\nstart 7 1 n1-1\nstart 9 0.5 end-3\n");
  assert_int_equal(stat(agent.folder, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0700);
  (void)agent_expect(&agent, LS_AGENT_READY);
  struct ls_agent_line first = agent_expect(&agent, LS_AGENT_STARTED);
  assert_int_equal(first.slot, 7);
  assert_int_equal(kill((pid_t)first.pid, 0), 0);
  assert_int_equal(agent_expect(&agent, LS_AGENT_STARTED).slot, 9);
  struct ls_agent_line ended = agent_expect(&agent, LS_AGENT_ENDED);
  assert_int_equal(ended.slot, 9);
  assert_int_equal(ended.exit_code, 3);
  agent_say(&agent, "signal 7 19\n");
  assert_int_equal(agent_expect(&agent, LS_AGENT_STOPPED).pid, first.pid);
  agent_say(&agent, "signal 7 18\n");
  assert_int_equal(agent_expect(&agent, LS_AGENT_CONTINUED).slot, 7);
  agent_say(&agent, "signal 7 9\n");
  ended = agent_expect(&agent, LS_AGENT_ENDED);
  assert_int_equal(ended.signal, SIGKILL);
  assert_int_equal(ended.pid, first.pid);
  agent_say(&agent, "close 1\n");
  assert_int_equal(agent_await(&agent), LS_OK);
  assert_false(agent_has_folder(&agent));
  agent_hang_up(&agent);
}

static void told_to_close_it_ends_its_workers(void **state) {
  (void)state;
  struct agent agent = agent_start("aaaaa2");
  agent_open(&agent, "tunnel -\nstart 1 1 n1-1\nstart 2 1 n1-2\n");
  (void)agent_expect(&agent, LS_AGENT_READY);
  pid_t pid = (pid_t)agent_expect(&agent, LS_AGENT_STARTED).pid;
  (void)agent_expect(&agent, LS_AGENT_STARTED);
  agent_say(&agent, "close 0\n");
  assert_int_equal(agent_await(&agent), LS_OK);
  assert_int_equal(kill(pid, 0), -1);
  assert_false(agent_has_folder(&agent));
  agent_hang_up(&agent);
}

static void without_line_and_workers_it_ends(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    struct agent agent = agent_start("aaaaa3");
    if (i == 0) {
      strcpy(agent.folder, agent_expect(&agent, LS_AGENT_HELLO).words);
    } else {
      agent_open(&agent, "tunnel -\n");
      (void)agent_expect(&agent, LS_AGENT_READY);
    }
    agent_hang_up(&agent);
    assert_int_equal(agent_await(&agent), LS_OK);
    assert_false(agent_has_folder(&agent));
  }
}

/* The second one carries the line, so the master finds the workers that it had. */
static void another_line_finds_the_workers(void **state) {
  (void)state;
  struct agent first = agent_start("aaaaa4");
  agent_open(&first, "tunnel -\nstart 4 1 n1-1\n");
  (void)agent_expect(&first, LS_AGENT_READY);
  uint32_t pid = agent_expect(&first, LS_AGENT_STARTED).pid;
  agent_hang_up(&first);
  struct agent second = agent_start("aaaaa4");
  agent_open(&second, "tunnel -\n");
  assert_string_equal(second.folder, first.folder);
  struct ls_agent_line has = agent_expect(&second, LS_AGENT_HAS);
  assert_int_equal(has.slot, 4);
  assert_int_equal(has.pid, pid);
  (void)agent_expect(&second, LS_AGENT_READY);
  agent_say(&second, "signal 4 9\n");
  assert_int_equal(agent_expect(&second, LS_AGENT_ENDED).pid, pid);
  agent_say(&second, "close 0\n");
  assert_int_equal(agent_await(&first), LS_OK);
  assert_int_equal(agent_await(&second), LS_OK);
  agent_hang_up(&second);
  assert_false(agent_has_folder(&first));
}

static void keys_that_are_none_end_it(void **state) {
  (void)state;
  static const char *const texts[] = {"{\"format\": \"loadstar-key-1\"}\n", "start 1 1 n1-1\n"};
  for (size_t i = 0; i < 2; i++) {
    struct agent agent = agent_start("aaaaa5");
    strcpy(agent.folder, agent_expect(&agent, LS_AGENT_HELLO).words);
    agent_say(&agent, texts[i]);
    assert_int_equal(agent_await(&agent), LS_EINVAL);
    assert_false(agent_has_folder(&agent));
    agent_hang_up(&agent);
  }
}

/* Whoever is to reap it may take a moment. */
static void await_no_process(pid_t pid) {
  double until_s = ls_clock_s() + 60;
  while (kill(pid, 0) == 0 && ls_clock_s() < until_s) (void)usleep(1000);
  assert_int_equal(kill(pid, 0), -1);
}

/* Its keeper outlives it by a moment. */
static void nothing_survives_a_killed_agent(void **state) {
  (void)state;
  struct agent agent = agent_start("aaaaa6");
  agent_open(&agent, "tunnel -\nstart 1 1 n1-1\n");
  (void)agent_expect(&agent, LS_AGENT_READY);
  pid_t pid = (pid_t)agent_expect(&agent, LS_AGENT_STARTED).pid;
  assert_int_equal(kill(agent.pid, SIGKILL), 0);
  assert_int_equal(agent_await(&agent), -SIGKILL);
  agent_await_no_folder(&agent);
  await_no_process(pid);
  agent_hang_up(&agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_come_and_go_as_they_are_told),
      cmocka_unit_test(told_to_close_it_ends_its_workers),
      cmocka_unit_test(without_line_and_workers_it_ends),
      cmocka_unit_test(another_line_finds_the_workers),
      cmocka_unit_test(keys_that_are_none_end_it),
      cmocka_unit_test(nothing_survives_a_killed_agent),
  };
  return cmocka_run_group_tests(tests, NULL, agent_tear_down);
}
