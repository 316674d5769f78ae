#include "../../support/agent_fixture.h"

#include <sys/socket.h>
#include <sys/un.h>

static void make_socket(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  (void)snprintf(name.sun_path, sizeof name.sun_path, "%.100s", path);
  int file = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(bind(file, (struct sockaddr *)&name, sizeof name), 0);
  (void)close(file);
}

static void check_link(const struct agent *agent, const char *expected) {
  char link[300], target[300];
  (void)snprintf(link, sizeof link, "%s/master", agent->folder);
  ssize_t length = readlink(link, target, sizeof target - 1);
  assert_true(length > 0);
  target[length] = '\0';
  assert_string_equal(target, expected);
}

/* Of a broken tunnel the socket is left, and its name cannot be used again. */
static void the_link_leads_to_the_tunnel_of_the_last_word(void **state) {
  (void)state;
  struct agent agent = agent_start("bbbbb1");
  char first[300], second[300], words[400];
  agent_open(&agent, "tunnel -\nstart 3 1 n1-1\n");
  (void)agent_expect(&agent, LS_AGENT_READY);
  (void)agent_expect(&agent, LS_AGENT_STARTED);
  (void)snprintf(first, sizeof first, "%s/socket.1", agent.folder);
  (void)snprintf(second, sizeof second, "%s/socket.2", agent.folder);
  make_socket(first);
  make_socket(second);
  (void)snprintf(words, sizeof words, "tunnel %s\n", first);
  agent_say(&agent, words);
  assert_int_equal(agent_expect(&agent, LS_AGENT_HAS).slot, 3);
  (void)agent_expect(&agent, LS_AGENT_READY);
  check_link(&agent, first);
  (void)snprintf(words, sizeof words, "tunnel %s\n", second);
  agent_say(&agent, words);
  (void)agent_expect(&agent, LS_AGENT_HAS);
  (void)agent_expect(&agent, LS_AGENT_READY);
  check_link(&agent, second);
  assert_int_equal(access(first, F_OK), -1);
  assert_int_equal(access(second, F_OK), 0);
  agent_say(&agent, "close 0\n");
  assert_int_equal(agent_await(&agent), LS_OK);
  assert_false(agent_has_folder(&agent));
  agent_hang_up(&agent);
}

static void a_slot_that_is_taken_is_no_place_for_another(void **state) {
  (void)state;
  struct agent agent = agent_start("bbbbb2");
  agent_open(&agent, "tunnel -\nstart 3 1 n1-1\nstart 3 1 n1-2\nstart 0 1 n1-3\nsignal 8 9\n");
  (void)agent_expect(&agent, LS_AGENT_READY);
  unsigned started = 0, refused = 0;
  for (int i = 0; i < 3; i++) {
    enum ls_agent_kind kind = agent_hear(&agent).kind;
    started += kind == LS_AGENT_STARTED;
    refused += kind == LS_AGENT_UNSTARTED;
  }
  assert_int_equal(started, 1);
  assert_int_equal(refused, 2);
  agent_say(&agent, "close 0\n");
  assert_int_equal(agent_await(&agent), LS_OK);
  agent_hang_up(&agent);
}

/* What a newer master says besides is nothing to an older agent. */
static void other_lines_are_passed_over(void **state) {
  (void)state;
  struct agent agent = agent_start("bbbbb3");
  agent_open(&agent, "hello there\nready\nhas 1 1\ntunnel -\n");
  (void)agent_expect(&agent, LS_AGENT_READY);
  agent_hang_up(&agent);
  assert_int_equal(agent_await(&agent), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_link_leads_to_the_tunnel_of_the_last_word),
      cmocka_unit_test(a_slot_that_is_taken_is_no_place_for_another),
      cmocka_unit_test(other_lines_are_passed_over),
  };
  return cmocka_run_group_tests(tests, NULL, agent_tear_down);
}
