/* The hosts are played by a program of the test's; the real ssh is tried in tests/cli/test-ssh. */
#include "../../../support/ssh_fixture.h"

#include "cli/run/run_pools.h"
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

static enum ls_status read_logins(struct ls_run_options *options, struct ls_run_ssh *ssh,
                                  const char *text, struct ls_error *err) {
  options->logins.items[0] = (struct ls_login_option){text, text[0] == '/'};
  options->logins.count = 1;
  ls_run_pools_need_door(options, false);
  return ls_run_ssh_read(ssh, options, err);
}

static void logins_say_who_works_here_and_there(void **state) {
  (void)state;
  struct ls_run_options options = {0};
  struct ls_run_ssh ssh = {0};
  assert_int_equal(read_logins(&options, &ssh, "4/a,:,b", NULL), LS_OK);
  assert_true(!options.has_no_local && options.workers == 0 && ls_run_pools_is_remote(&options));
  assert_int_equal(ssh.list.count, 2);
  assert_true(ssh.list.items[0].workers == 4 && ssh.list.items[1].workers == 0);
  ls_run_ssh_close(&ssh);
  /* --workers is the number on each. */
  options = (struct ls_run_options){.workers = 3};
  ssh = (struct ls_run_ssh){0};
  assert_int_equal(read_logins(&options, &ssh, "4/a,b", NULL), LS_OK);
  assert_true(options.has_no_local && options.workers == 0);
  assert_true(ssh.list.items[0].workers == 3 && ssh.list.items[1].workers == 3);
  ls_run_ssh_close(&ssh);
  /* Nobody else: no door is opened. */
  options = (struct ls_run_options){0};
  ssh = (struct ls_run_ssh){0};
  assert_int_equal(read_logins(&options, &ssh, "2/:", NULL), LS_OK);
  assert_true(!options.has_no_local && options.workers == 2 && !ls_run_pools_is_remote(&options));
  ls_run_ssh_close(&ssh);
}

static void on_all_hosts_each_has_a_slot(void **state) {
  (void)state;
  struct ls_run_options options = {.logins.is_on_all = true};
  struct ls_run_ssh ssh = {0};
  assert_int_equal(read_logins(&options, &ssh, "4/me@a,b,2/:", NULL), LS_OK);
  assert_int_equal(ssh.places_count, 3);
  assert_string_equal(ssh.places[0], ":");
  assert_string_equal(ssh.places[1], "me@a");
  assert_string_equal(ssh.places[2], "b");
  assert_true(options.workers == 1 && options.logins.homes == 3);
  assert_true(ssh.list.items[0].workers == 1 && ssh.list.items[1].workers == 1);
  ls_run_ssh_close(&ssh);
  struct ls_error err = {0};
  options = (struct ls_run_options){.logins.is_on_all = true, .workers = 1};
  ssh = (struct ls_run_ssh){0};
  assert_int_equal(read_logins(&options, &ssh, "a,b", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--workers is 1, expected at least 2"));
  ls_run_ssh_close(&ssh);
}

static void files_of_logins_are_named(void **state) {
  (void)state;
  struct ls_run_options options = {0};
  struct ls_run_ssh ssh = {0};
  struct ls_error err = {0};
  assert_int_equal(read_logins(&options, &ssh, "/nowhere", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--sshloginfile"));
  assert_non_null(strstr(err.text, "/nowhere"));
  ls_run_ssh_close(&ssh);
}

/* Cores are those that the agent says; each worker has the speed of its host. */
static void workers_are_added_to_those_of_the_run(void **state) {
  (void)state;
  static const struct ls_host nobody[] = {{"x", "x", 1, 1, "", false}};
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
      cmocka_unit_test(logins_say_who_works_here_and_there),
      cmocka_unit_test(on_all_hosts_each_has_a_slot),
      cmocka_unit_test(files_of_logins_are_named),
      cmocka_unit_test(workers_are_added_to_those_of_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
