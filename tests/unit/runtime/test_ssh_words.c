#include "../../support/ssh_fixture.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "runtime/pool/ssh/ship.h"
#include "runtime/pool/ssh/ssh_words.h"

/* What this program answers when it is started as a worker. */
enum { LS_TEST_STARTED = 42 };

static const struct ls_host host_list[] = {{"me@n1", "n1", 2, 1, "", false},
                                           {"n2", "n2", 1, 1, "", false}};

static bool has(const struct ls_ssh_words *words, const char *word) {
  for (size_t i = 0; i < words->count; i++)
    if (strcmp(words->items[i], word) == 0) return true;
  return false;
}

static void a_login_asks_nobody_and_starts_the_agent(void **state) {
  (void)state;
  struct ssh_scene scene;
  struct ls_ssh_words words;
  struct ls_key_file keys = ssh_keys();
  const struct ls_ssh_listener listener = {0};
  ssh_open(&scene, "", host_list, 2);
  assert_int_equal(ls_ssh_hosts_serve(&scene.hosts, &keys, &listener, NULL), LS_OK);
  assert_int_equal(ls_ssh_words_login(&words, &scene.hosts, &scene.hosts.items[0], NULL), LS_OK);
  assert_string_equal(words.items[0], "/bin/sh");
  assert_null(words.items[words.count]);
  static const char *const expected[] = {"BatchMode=yes", "ExitOnForwardFailure=yes",
                                         "StreamLocalBindMask=0177", "ServerAliveInterval=5",
                                         "me@n1"};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    if (!has(&words, expected[i])) fail_msg("'%s' is missing", expected[i]);
  char first[200];
  strcpy(first, words.items[words.count - 1]);
  assert_int_equal(strncmp(first, "exec '/opt/load star' worker --agent ", 37), 0);
  assert_string_equal(first + 37 + 6, " --key -");
  for (size_t i = 0; i < words.count; i++)
    assert_null(strstr(words.items[i], keys.client.secret_key));
  ls_ssh_words_close(&words);
  /* Each host has a folder of its own, the same in each session of the run. */
  assert_int_equal(ls_ssh_words_login(&words, &scene.hosts, &scene.hosts.items[1], NULL), LS_OK);
  assert_string_not_equal(words.items[words.count - 1], first);
  ls_ssh_words_close(&words);
  assert_int_equal(ls_ssh_words_login(&words, &scene.hosts, &scene.hosts.items[0], NULL), LS_OK);
  assert_string_equal(words.items[words.count - 1], first);
  ls_ssh_words_close(&words);
  ssh_close(&scene);
}

static void a_tunnel_leads_from_its_socket_to_the_master(void **state) {
  (void)state;
  struct ssh_scene scene;
  struct ls_ssh_words words;
  struct ls_key_file keys = ssh_keys();
  const struct ls_ssh_listener listener = {0};
  char socket[300], expected[400];
  ssh_open(&scene, "", host_list, 2);
  assert_int_equal(ls_ssh_hosts_serve(&scene.hosts, &keys, &listener, NULL), LS_OK);
  strcpy(scene.hosts.items[0].folder, "/tmp/there");
  scene.hosts.items[0].tunnels = 3;
  ls_ssh_words_socket(&scene.hosts.items[0], socket, sizeof socket);
  (void)snprintf(expected, sizeof expected, "/tmp/there/socket.%ld-3", (long)getpid());
  assert_string_equal(socket, expected);
  assert_int_equal(ls_ssh_words_forward(&words, &scene.hosts, &scene.hosts.items[0], NULL), LS_OK);
  assert_true(has(&words, "-O") && has(&words, "forward") && has(&words, "-R"));
  strcat(expected, ":127.0.0.1:5555");
  assert_true(has(&words, expected));
  ls_ssh_words_close(&words);
  ssh_close(&scene);
}

static void a_program_with_quotes_stays_one_word(void **state) {
  (void)state;
  struct ssh_scene scene;
  struct ls_ssh_words words;
  ssh_open(&scene, "", host_list, 1);
  scene.hosts.setup.program = "/opt/it's; rm";
  assert_int_equal(ls_ssh_words_login(&words, &scene.hosts, &scene.hosts.items[0], NULL), LS_OK);
  assert_int_equal(strncmp(words.items[words.count - 1], "exec '/opt/it'\\''s; rm' worker", 30), 0);
  ls_ssh_words_close(&words);
  ssh_close(&scene);
}

static void without_ssh_nobody_is_reached(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_int_equal(ls_ssh_words_check("/bin/sh -F x", &err), LS_OK);
  assert_int_equal(ls_ssh_words_check("  sh", &err), LS_OK);
  assert_int_equal(ls_ssh_words_check("$SSH", &err), LS_OK);
  assert_int_equal(ls_ssh_words_check("'a b' -F x", &err), LS_OK);
  assert_int_equal(ls_ssh_words_check("no-such-ssh -F x", &err), LS_ENOWORKERS);
  assert_non_null(strstr(err.text, "'no-such-ssh'"));
  assert_int_equal(ls_ssh_words_check("/no/such/ssh", &err), LS_ENOWORKERS);
}

static void sockets_of_ssh_need_short_names(void **state) {
  (void)state;
  struct ls_error err = {0};
  char folder[100];
  memset(folder, 'x', sizeof folder);
  folder[60] = '\0';
  assert_int_equal(ls_ssh_words_check_folder(folder, &err), LS_OK);
  folder[60] = 'x';
  folder[99] = '\0';
  assert_int_equal(ls_ssh_words_check_folder(folder, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "TMPDIR"));
}

/* The exit status of the words, which a shell here takes for a login; its errors go to a file. */
static int run_words(const struct ssh_scene *scene, const struct ls_ssh_words *words) {
  char errors[64];
  int result = 0;
  (void)snprintf(errors, sizeof errors, "%s/errors", scene->folder);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    if (setenv("TMPDIR", scene->folder, 1) != 0 || freopen(errors, "w", stderr) == NULL) _exit(99);
    execv(words->items[0], words->items);
    _exit(98);
  }
  assert_int_equal(waitpid(pid, &result, 0), pid);
  return WEXITSTATUS(result);
}

static void check_errors(const struct ssh_scene *scene, const char *expected) {
  char path[64], text[300] = "";
  (void)snprintf(path, sizeof path, "%s/errors", scene->folder);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  (void)fread(text, 1, sizeof text - 1, file);
  (void)fclose(file);
  if (strstr(text, expected) == NULL) fail_msg("'%s' lacks '%s'", text, expected);
}

static int ship(struct ssh_scene *scene) {
  struct ls_ssh_words words;
  assert_int_equal(ls_ssh_words_ship(&words, &scene->hosts, &scene->hosts.items[0], NULL), LS_OK);
  int result = run_words(scene, &words);
  ls_ssh_words_close(&words);
  return result;
}

/* The script of the host is the real one; only the way there is short. */
static void a_program_is_brought_whole_or_not_at_all(void **state) {
  (void)state;
  struct ssh_scene scene;
  struct ls_ssh_words words;
  ssh_open(&scene, "exec sh -c \"$2\"\n", host_list, 1);
  struct ls_ssh_hosts *hosts = &scene.hosts;
  assert_int_equal(ls_ship_make(&hosts->ship, "/proc/self/exe", NULL), LS_OK);
  struct ls_ship good = hosts->ship;
  hosts->ship.digest[0] = hosts->ship.digest[0] == '0' ? '1' : '0';
  assert_int_equal(ship(&scene), 1);
  check_errors(&scene, "did not arrive whole");
  hosts->ship = good;
  strcpy(hosts->ship.machine, "armv9");
  assert_int_equal(ship(&scene), 1);
  check_errors(&scene, ", ours is armv9");
  hosts->ship = good;
  /* What was never brought is missing, also to whom believes it. */
  hosts->items[0].is_shipped = true;
  assert_int_equal(ls_ssh_words_login(&words, hosts, &hosts->items[0], NULL), LS_OK);
  assert_int_equal(run_words(&scene, &words), 127);
  assert_int_equal(ship(&scene), 0);
  /* It reads nothing when it is there: an empty pack will do. */
  hosts->ship.file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  assert_int_equal(ship(&scene), 0);
  (void)close(hosts->ship.file);
  hosts->ship = good;
  assert_int_equal(run_words(&scene, &words), LS_TEST_STARTED);
  ls_ssh_words_close(&words);
  ssh_close(&scene);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "worker") == 0) return LS_TEST_STARTED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_program_is_brought_whole_or_not_at_all),
      cmocka_unit_test(a_login_asks_nobody_and_starts_the_agent),
      cmocka_unit_test(a_tunnel_leads_from_its_socket_to_the_master),
      cmocka_unit_test(a_program_with_quotes_stays_one_word),
      cmocka_unit_test(without_ssh_nobody_is_reached),
      cmocka_unit_test(sockets_of_ssh_need_short_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
