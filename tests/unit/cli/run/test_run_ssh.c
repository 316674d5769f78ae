/* The hosts are played by a program of the test's; the real ssh is tried in tests/cli/test-ssh. */
#include "../../../support/ssh_fixture.h"

#include "cli/run/run_ssh.h"

static void without_hosts_there_is_nothing(void **state) {
  (void)state;
  struct ls_run_options options = {0};
  struct ls_run_ssh ssh = {0};
  const struct ls_run_ssh_wish wish = {.program = "loadstar", .run = "0"};
  assert_int_equal(ls_run_ssh_read(&ssh, &options, NULL), LS_OK);
  assert_int_equal(ls_run_ssh_open(&ssh, &options, &wish, NULL), LS_OK);
  assert_int_equal(options.elsewhere.pools_count, 0);
  ls_run_ssh_close(&ssh);
}

static void hosts_stand_on_the_command_line_or_in_a_file(void **state) {
  (void)state;
  char path[] = "/tmp/loadstar-hosts-XXXXXX", text[40];
  int file = mkstemp(path);
  assert_int_equal(write(file, "n1:2\n# none\nn2\n", 15), 15);
  (void)close(file);
  (void)snprintf(text, sizeof text, "@%s", path);
  const char *const texts[] = {"n1:2,n2", text};
  for (size_t i = 0; i < 2; i++) {
    struct ls_run_options options = {.ssh = texts[i]};
    struct ls_run_ssh ssh = {0};
    assert_int_equal(ls_run_ssh_read(&ssh, &options, NULL), LS_OK);
    assert_int_equal(ssh.list.count, 2);
    assert_int_equal(ssh.list.items[0].workers, 2);
    ls_run_ssh_close(&ssh);
  }
  (void)unlink(path);
}

static void what_is_wrong_is_named_with_its_source(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {":8", "--ssh, line 1: host is ':8'"}, {"@/nowhere", "--ssh: "}, {"@/dev/null", "/dev/null"}};
  for (size_t i = 0; i < 3; i++) {
    struct ls_run_options options = {.ssh = cases[i][0]};
    struct ls_run_ssh ssh = {0};
    struct ls_error err = {0};
    assert_int_not_equal(ls_run_ssh_read(&ssh, &options, &err), LS_OK);
    if (strstr(err.text, cases[i][1]) == NULL) fail_msg("%s", err.text);
    ls_run_ssh_close(&ssh);
  }
}

/* Cores are those that the agent says; each worker has the speed of its host. */
static void workers_are_added_to_those_of_the_run(void **state) {
  (void)state;
  static const struct ls_host nobody[] = {{"x", "x", 1, 1}};
  struct ssh_scene scene;
  ssh_open(&scene, SSH_AGENT, nobody, 1);
  struct ls_run_options options = {.ssh = "a:0/0.5,b:2", .ssh_command = scene.command};
  struct ls_run_ssh ssh = {0};
  const struct ls_run_ssh_wish wish = {
      .program = "loadstar", .run = "0", .warn = ssh_warn, .context = &scene};
  assert_int_equal(ls_run_ssh_read(&ssh, &options, NULL), LS_OK);
  assert_int_equal(ls_run_ssh_open(&ssh, &options, &wish, NULL), LS_OK);
  assert_int_equal(ssh.workers, 6);
  assert_int_equal(options.elsewhere.workers, 6);
  assert_string_equal(options.elsewhere.pools[0].name, "ssh");
  for (size_t i = 0; i < 6; i++) assert_true(options.elsewhere.speeds[i] < 1 ? i < 4 : i >= 4);
  ls_run_ssh_close(&ssh);
  ls_run_options_close(&options);
  ssh_close(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_hosts_there_is_nothing),
      cmocka_unit_test(hosts_stand_on_the_command_line_or_in_a_file),
      cmocka_unit_test(what_is_wrong_is_named_with_its_source),
      cmocka_unit_test(workers_are_added_to_those_of_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
