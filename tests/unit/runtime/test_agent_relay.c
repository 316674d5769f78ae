#include "../../support/agent_fixture.h"

#include "runtime/pool/agent_private.h"

static void who_does_not_answer_is_tried_again(void **state) {
  (void)state;
  const struct ls_agent_setup setup = {.input = STDIN_FILENO, .output = STDOUT_FILENO};
  struct ls_error err = {0};
  assert_int_equal(ls_agent_relay(&setup, "/nowhere", &err), LS_EBUSY);
  assert_non_null(strstr(err.text, "/nowhere"));
}

/* Either end may end it; the workers and the first agent stay. */
static void the_line_of_the_last_one_counts(void **state) {
  (void)state;
  struct agent first = agent_start("ccccc1"), others[3];
  agent_open(&first, "tunnel -\nstart 1 1 n1-1\n");
  (void)agent_expect(&first, LS_AGENT_READY);
  (void)agent_expect(&first, LS_AGENT_STARTED);
  for (size_t i = 0; i < 3; i++) {
    others[i] = agent_start("ccccc1");
    agent_open(&others[i], "tunnel -\n");
    assert_int_equal(agent_expect(&others[i], LS_AGENT_HAS).slot, 1);
    (void)agent_expect(&others[i], LS_AGENT_READY);
    /* Its predecessor has no line any more. */
    if (i > 0) assert_int_equal(agent_await(&others[i - 1]), LS_OK);
  }
  agent_hang_up(&others[2]);
  assert_int_equal(agent_await(&others[2]), LS_OK);
  struct agent last = agent_start("ccccc1");
  agent_open(&last, "tunnel -\nclose 0\n");
  assert_int_equal(agent_await(&last), LS_OK);
  assert_int_equal(agent_await(&first), LS_OK);
  agent_hang_up(&last);
  for (size_t i = 0; i < 2; i++) agent_hang_up(&others[i]);
  agent_hang_up(&first);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_does_not_answer_is_tried_again),
      cmocka_unit_test(the_line_of_the_last_one_counts),
  };
  return cmocka_run_group_tests(tests, NULL, agent_tear_down);
}
