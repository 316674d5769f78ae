#include "../../support/ssh_fixture.h"

#include <dirent.h>
#include <signal.h>

static void wait_and_step(struct ls_ssh_hosts *hosts) {
  struct pollfd look = {.fd = hosts->watch, .events = POLLIN};
  double seconds = ls_ssh_hosts_patience_s(hosts);
  (void)poll(&look, 1, seconds < 60 ? (int)(seconds * 1e3) + 1 : 60000);
  ls_ssh_hosts_step(hosts);
}

static void count_line(void *context, struct ls_ssh_host *host, const struct ls_agent_line *line) {
  (void)host;
  *(unsigned *)context += line->kind == LS_AGENT_STARTED;
}

static void cores_are_counted_where_the_user_does_not_know(void **state) {
  (void)state;
  static const struct ls_host list[] = {
      {"a", "a", 0, 1, "", false}, {"b", "b", 3, 1, "", false}, {"c", "c", 0, 1, "", false}};
  struct ssh_scene scene;
  ssh_open(&scene, "test $host = c && { echo no way >&2; exit 255; }\n" SSH_AGENT, list, 3);
  assert_int_equal(ls_ssh_hosts_count(&scene.hosts, 60), 4 + 3 + 1);
  assert_int_equal(scene.hosts.items[1].state, LS_SSH_AWAY);
  assert_int_equal(scene.warnings_count, 1);
  assert_string_equal(scene.warnings[0], "host c: no way");
  ssh_close(&scene);
}

static void who_is_slow_counts_as_one(void **state) {
  (void)state;
  static const struct ls_host list[] = {{"a", "a", 0, 1, "", false}};
  struct ssh_scene scene;
  ssh_open(&scene, "exec sleep 1000\n", list, 1);
  assert_int_equal(ls_ssh_hosts_count(&scene.hosts, 0.05), 1);
  ssh_close(&scene);
}

static void a_line_opens_with_keys_and_tunnel(void **state) {
  (void)state;
  static const struct ls_host list[] = {{"a", "a", 2, 1, "", false}};
  struct ssh_scene scene;
  struct ls_key_file keys = ssh_keys();
  unsigned started = 0;
  const struct ls_ssh_listener listener = {.context = &started, .on_line = count_line};
  ssh_open(&scene,
           "echo Welcome to a\necho loadstar-agent 1 4 $folder\nread -r keys; read -r tunnel\n"
           "echo \"$keys\" >$folder/keys; echo \"$tunnel\" >$folder/tunnel\necho ready\n"
           "read -r start; echo started 1 77\nread -r close\n",
           list, 1);
  assert_int_equal(ls_ssh_hosts_serve(&scene.hosts, &keys, &listener, NULL), LS_OK);
  scene.hosts.items[0].is_wanted = true;
  while (scene.hosts.items[0].state != LS_SSH_OPEN) wait_and_step(&scene.hosts);
  char path[80], text[400] = "";
  (void)snprintf(path, sizeof path, "%s/keys", scene.folder);
  struct ls_key_file read;
  assert_int_equal(chmod(path, 0600), 0);
  assert_int_equal(ls_keys_read(path, false, &read, NULL), LS_OK);
  assert_string_equal(read.client.secret_key, keys.client.secret_key);
  (void)snprintf(path, sizeof path, "%s/tunnel", scene.folder);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  assert_non_null(fgets(text, sizeof text, in));
  (void)fclose(in);
  (void)snprintf(path, sizeof path, "tunnel %s/socket.", scene.folder);
  assert_int_equal(strncmp(text, path, strlen(path)), 0);
  ls_ssh_host_say(&scene.hosts.items[0],
                  &(struct ls_agent_line){.kind = LS_AGENT_START, .slot = 1, .number = 1});
  while (started == 0) wait_and_step(&scene.hosts);
  ssh_close(&scene);
}

/* However often it fails in the same way, and each time it fails in another one. */
static void a_failure_is_said_once(void **state) {
  (void)state;
  static const struct ls_host list[] = {{"a", "a", 1, 1, "", false}};
  struct ssh_scene scene;
  struct ls_key_file keys = ssh_keys();
  const struct ls_ssh_listener listener = {0};
  ssh_open(&scene, "echo one >>$folder/tries; echo refused >&2; exit 255\n", list, 1);
  struct ls_ssh_host *host = &scene.hosts.items[0];
  assert_int_equal(ls_ssh_hosts_serve(&scene.hosts, &keys, &listener, NULL), LS_OK);
  host->is_wanted = true;
  for (unsigned tries = 1; tries <= 3; tries++) {
    while (host->backoff.tries < tries) wait_and_step(&scene.hosts);
    assert_true(host->again_s > ls_clock_s());
    host->again_s = 0; /* nobody waits for that here */
  }
  assert_int_equal(scene.warnings_count, 1);
  assert_string_equal(scene.warnings[0], "host a: refused");
  ssh_write(&scene, "echo lost >&2; exit 255\n");
  while (scene.warnings_count < 2) {
    host->again_s = 0;
    wait_and_step(&scene.hosts);
  }
  assert_string_equal(scene.warnings[1], "host a: lost");
  ls_ssh_host_praise(host);
  while (scene.warnings_count < 3) {
    host->again_s = 0;
    wait_and_step(&scene.hosts);
  }
  ssh_close(&scene);
}

/* What a user's .bashrc writes may have no line end. */
static void the_agent_is_heard_behind_what_a_login_writes(void **state) {
  (void)state;
  static const struct ls_host list[] = {{"a", "a", 0, 1, "", false}, {"b", "b", 0, 1, "", false}};
  struct ssh_scene scene;
  ssh_open(&scene, "printf 'Welcome to '; printf $host\n" SSH_AGENT, list, 2);
  assert_int_equal(ls_ssh_hosts_count(&scene.hosts, 60), 4 + 4);
  assert_int_equal(scene.warnings_count, 0);
  ssh_close(&scene);
}

/* What stands in place of an agent is the reason, with a line end or without one. */
static void a_login_without_an_agent_is_told_by_what_it_writes(void **state) {
  (void)state;
  static const struct ls_host list[] = {{"a", "a", 0, 1, "", false}};
  static const char *const scripts[] = {"echo No login here.; exit 1\n",
                                        "echo Hello; printf 'No login here.'; exit 1\n"};
  for (int i = 0; i < 2; i++) {
    struct ssh_scene scene;
    ssh_open(&scene, scripts[i], list, 1);
    assert_int_equal(ls_ssh_hosts_count(&scene.hosts, 60), 1);
    assert_string_equal(
        scene.warnings[0],
        "host a: ssh has ended with exit status 1, and has printed: No login here.");
    ssh_close(&scene);
  }
}

static void another_agent_is_refused_by_its_version(void **state) {
  (void)state;
  static const struct ls_host list[] = {{"a", "a", 0, 1, "", false}};
  struct ssh_scene scene;
  ssh_open(&scene, "echo loadstar-agent 99 4 $folder; read -r end\n", list, 1);
  assert_int_equal(ls_ssh_hosts_count(&scene.hosts, 60), 1);
  assert_string_equal(scene.warnings[0], "host a: its agent speaks version 99, ours is 1");
  ssh_close(&scene);
}

static unsigned count_files(const char *path) {
  unsigned count = 0;
  DIR *folder = opendir(path);
  assert_non_null(folder);
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) count += strncmp(entry->d_name, "login-", 6) == 0;
  (void)closedir(folder);
  return count;
}

/* Where no program is found ours is brought, and started from there; once. */
static void a_host_without_the_program_gets_it(void **state) {
  (void)state;
  static const struct ls_host list[] = {{"a", "a", 0, 1, "", false}};
  struct ssh_scene scene;
  ssh_open(&scene,
           "case $2 in *'head -c'*) cat >>$folder/pack; exit 0;; *--shipped*) ;; *) exit 127;; "
           "esac\n" SSH_AGENT,
           list, 1);
  scene.hosts.setup.program = "/proc/self/exe";
  assert_int_equal(ls_ssh_hosts_count(&scene.hosts, 60), 4);
  assert_true(scene.hosts.items[0].is_shipped);
  char path[64];
  struct stat facts;
  (void)snprintf(path, sizeof path, "%s/pack", scene.folder);
  assert_int_equal(stat(path, &facts), 0);
  assert_int_equal(facts.st_size, scene.hosts.ship.bytes);
  assert_int_equal(scene.warnings_count, 1);
  assert_non_null(strstr(scene.warnings[0], "host a: the program was brought there ("));
  ssh_close(&scene);
}

static void what_cannot_be_brought_is_said(void **state) {
  (void)state;
  static const struct ls_host list[] = {{"a", "a", 0, 1, "", false}};
  static const char *const scripts[][2] = {
      {"exit 127\n", "cannot send the program: /opt/load star"},
      {"case $2 in *'head -c'*) cat >/dev/null; echo no room >&2; exit 1;; esac; exit 127\n",
       "host a: no room"}};
  for (int i = 0; i < 2; i++) {
    struct ssh_scene scene;
    ssh_open(&scene, scripts[i][0], list, 1);
    if (i > 0) scene.hosts.setup.program = "/proc/self/exe";
    assert_int_equal(ls_ssh_hosts_count(&scene.hosts, 60), 1);
    if (strstr(scene.warnings[0], scripts[i][1]) == NULL) fail_msg("%s", scene.warnings[0]);
    ssh_close(&scene);
  }
}

/* A server turns away more. */
static void a_few_log_in_at_a_time(void **state) {
  (void)state;
  struct ls_host list[20];
  char names[20][4];
  struct ssh_scene scene;
  struct ls_key_file keys = ssh_keys();
  const struct ls_ssh_listener listener = {0};
  for (int i = 0; i < 20; i++) {
    (void)snprintf(names[i], sizeof names[i], "h%d", i);
    list[i] = (struct ls_host){names[i], names[i], 1, 1, "", false};
  }
  ssh_open(&scene,
           "touch $folder/login-$host; until [ -e $folder/go ]; do sleep 0.02; done\n" SSH_AGENT,
           list, 20);
  assert_int_equal(ls_ssh_hosts_serve(&scene.hosts, &keys, &listener, NULL), LS_OK);
  for (int i = 0; i < 20; i++) scene.hosts.items[i].is_wanted = true;
  ls_ssh_hosts_step(&scene.hosts);
  while (count_files(scene.folder) < LS_SSH_LOGINS_MAX) (void)poll(NULL, 0, 10);
  ls_ssh_hosts_step(&scene.hosts);
  assert_int_equal(scene.hosts.logins, LS_SSH_LOGINS_MAX);
  assert_int_equal(count_files(scene.folder), LS_SSH_LOGINS_MAX);
  char path[64];
  (void)snprintf(path, sizeof path, "%s/go", scene.folder);
  FILE *go = fopen(path, "w");
  assert_non_null(go);
  (void)fclose(go);
  for (size_t open = 0; open < 20;) {
    wait_and_step(&scene.hosts);
    assert_true(scene.hosts.logins <= LS_SSH_LOGINS_MAX);
    open = 0;
    for (int i = 0; i < 20; i++) open += scene.hosts.items[i].state == LS_SSH_OPEN;
  }
  ssh_close(&scene);
}

/* Its agent is told to close over a line of its own, without a tunnel. */
static void a_host_with_workers_and_no_line_is_told_at_the_end(void **state) {
  (void)state;
  static const struct ls_host list[] = {{"a", "a", 1, 1, "", false}, {"b", "b", 1, 1, "", false}};
  struct ssh_scene scene;
  struct ls_key_file keys = ssh_keys();
  const struct ls_ssh_listener listener = {0};
  char path[64], text[64] = "";
  ssh_open(&scene,
           "echo loadstar-agent 1 4 $folder\nread -r keys; read -r word\necho $host $word "
           ">>$folder/told\n",
           list, 2);
  assert_int_equal(ls_ssh_hosts_serve(&scene.hosts, &keys, &listener, NULL), LS_OK);
  scene.hosts.items[1].is_inhabited = true;
  ls_ssh_hosts_close(&scene.hosts, 0);
  (void)snprintf(path, sizeof path, "%s/told", scene.folder);
  FILE *told = fopen(path, "r");
  assert_non_null(told);
  assert_non_null(fgets(text, sizeof text, told));
  assert_string_equal(text, "b close 0\n");
  assert_null(fgets(text, sizeof text, told));
  (void)fclose(told);
  ssh_close(&scene);
}

int main(void) {
  (void)signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cores_are_counted_where_the_user_does_not_know),
      cmocka_unit_test(who_is_slow_counts_as_one),
      cmocka_unit_test(a_line_opens_with_keys_and_tunnel),
      cmocka_unit_test(a_failure_is_said_once),
      cmocka_unit_test(the_agent_is_heard_behind_what_a_login_writes),
      cmocka_unit_test(a_login_without_an_agent_is_told_by_what_it_writes),
      cmocka_unit_test(another_agent_is_refused_by_its_version),
      cmocka_unit_test(a_host_without_the_program_gets_it),
      cmocka_unit_test(what_cannot_be_brought_is_said),
      cmocka_unit_test(a_few_log_in_at_a_time),
      cmocka_unit_test(a_host_with_workers_and_no_line_is_told_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
