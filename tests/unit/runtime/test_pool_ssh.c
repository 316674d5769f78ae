/* What is the pool ssh's alone; the rest is in tests/suite/test_pools.c. */
#include "../../support/ssh_fixture.h"

#include <signal.h>

#include "runtime/pool/pool.h"

enum { FIRST = 5 };
static const struct ls_host two[] = {{"a", "a", 2, 1, "", false}, {"me@b", "b", 1, 0.5, "", false}};

static struct ls_pool *open_pool(struct ssh_scene *scene, size_t slots) {
  static struct ls_key_file keys;
  struct ls_pool *pool = NULL;
  struct ls_error err = {0};
  keys = ssh_keys();
  scene->hosts.setup.is_direct = true;
  const struct ls_pool_setup setup = {
      .keys = &keys, .first_slot = FIRST, .slots = slots, .own = &scene->hosts};
  if (ls_pool_ssh.open(&setup, &pool, &err) != LS_OK) fail_msg("%s", err.text);
  return pool;
}

static struct ls_pool_news hear(struct ls_pool *pool) {
  struct ls_pool_news news;
  while (!ls_pool_ssh.poll(pool, &news)) {
    struct pollfd look = {.fd = ls_pool_ssh.file(pool), .events = POLLIN};
    double seconds = ls_pool_ssh.patience_s(pool);
    (void)poll(&look, 1, seconds < 60 ? (int)(seconds * 1e3) + 1 : 60000);
  }
  return news;
}

/* All news up to the grant of the last one. */
static void settle(struct ls_pool *pool, size_t granted) {
  for (size_t i = 0; i < granted; i++) assert_int_equal(hear(pool).kind, LS_POOL_GRANTED);
  assert_int_equal(ls_pool_ssh.counts(pool).granted, granted);
}

static void end_pool(struct ssh_scene *scene, struct ls_pool *pool) {
  ls_pool_ssh.close(pool, 0);
  ssh_close(scene);
}

static struct ls_pool_claim claim(const char *place, uint64_t pid) {
  return (struct ls_pool_claim){
      .name = "", .place = place, .place_length = strlen(place), .pid = pid};
}

static void slots_are_those_of_the_hosts_in_their_order(void **state) {
  (void)state;
  struct ssh_scene scene;
  ssh_open(&scene, SSH_AGENT, two, 2);
  struct ls_pool *pool = open_pool(&scene, 3);
  struct ls_pool_claim early = claim("ssh:5", 1005);
  assert_int_equal(ls_pool_ssh.slot(pool, &early), 0);
  ls_pool_ssh.request(pool, 3);
  assert_int_equal(ls_pool_ssh.counts(pool).wanted, 3);
  assert_int_equal(ls_pool_ssh.counts(pool).hindered, 0);
  unsigned seen = 0;
  for (int i = 0; i < 3; i++) {
    struct ls_pool_news news = hear(pool);
    assert_int_equal(news.kind, LS_POOL_GRANTED);
    assert_int_equal(news.pid, 1000 + news.slot);
    seen |= 1u << (news.slot - FIRST);
  }
  assert_int_equal(seen, 7);
  static const struct {
    const char *place;
    uint64_t pid;
    uint32_t slot;
  } claims[] = {{"ssh:5", 1005, 5}, {"ssh:7", 1007, 7},  {"ssh:5", 1006, 0},   {"ssh:8", 1008, 0},
                {"ssh:4", 1004, 0}, {"ssh:05", 1005, 0}, {"slurm:5", 1005, 0}, {"", 1005, 0}};
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    struct ls_pool_claim one = claim(claims[i].place, claims[i].pid);
    assert_int_equal(ls_pool_ssh.slot(pool, &one), claims[i].slot);
  }
  end_pool(&scene, pool);
}

/* Until both hosts are known to have no address; a resolver may only fail for now. */
static void hosts_without_an_address_are_hopeless(void **state) {
  (void)state;
  static const struct {
    const char *why;
    size_t hopeless;
  } cases[] = {{"ssh: Could not resolve hostname $host: Name or service not known", 3},
               {"ssh: Could not resolve hostname $host: Temporary failure", 0},
               {"Name or service not known", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ssh_scene scene;
    char script[160];
    (void)snprintf(script, sizeof script, "echo \"%s\" >&2; exit 255\n", cases[i].why);
    ssh_open(&scene, script, two, 2);
    struct ls_pool *pool = open_pool(&scene, 3);
    ls_pool_ssh.request(pool, 3);
    struct ls_pool_news news;
    for (int waited = 0; scene.warnings_count < 2 && waited < 1000; waited++) {
      (void)ls_pool_ssh.poll(pool, &news);
      (void)usleep(10000);
    }
    assert_int_equal(scene.warnings_count, 2);
    assert_int_equal(ls_pool_ssh.counts(pool).wanted, 3);
    assert_int_equal(ls_pool_ssh.counts(pool).hopeless, cases[i].hopeless);
    end_pool(&scene, pool);
  }
}

/* One request needs one host. */
static void hosts_that_nobody_needs_are_left_alone(void **state) {
  (void)state;
  struct ssh_scene scene;
  ssh_open(&scene, SSH_AGENT, two, 2);
  struct ls_pool *pool = open_pool(&scene, 3);
  ls_pool_ssh.request(pool, 2);
  settle(pool, 2);
  assert_int_equal(scene.hosts.items[1].state, LS_SSH_AWAY);
  end_pool(&scene, pool);
}

/* A host that fails has nobody; another one that has room gets the request. */
static void what_a_host_cannot_give_another_one_does(void **state) {
  (void)state;
  struct ssh_scene scene;
  ssh_open(&scene, "test $host = a && { echo refused >&2; exit 255; }\n" SSH_AGENT, two, 2);
  struct ls_pool *pool = open_pool(&scene, 3);
  ls_pool_ssh.request(pool, 1);
  assert_int_equal(hear(pool).slot, FIRST + 2);
  assert_string_equal(ls_pool_ssh.counts(pool).why, "host a: refused");
  assert_int_equal(scene.warnings_count, 1);
  end_pool(&scene, pool);
}

/* The agent says who is there: nobody is started twice, nobody is missed. */
static void who_lived_through_a_break_stays(void **state) {
  (void)state;
  static const struct ls_host three[] = {{"a", "a", 3, 1, "", false}};
  struct ssh_scene scene;
  ssh_open(&scene, SSH_AGENT, three, 1);
  struct ls_pool *pool = open_pool(&scene, 3);
  ls_pool_ssh.request(pool, 3);
  settle(pool, 3);
  ssh_write(&scene,
            "echo loadstar-agent 1 4 $folder; read -r keys; read -r tunnel\n"
            "echo has 5 1005; echo has 7 1007; echo ready\nread -r word; exit 0\n");
  scene.hosts.items[0].backoff.first_s = 0.01;
  ls_process_signal(&scene.hosts.items[0].link.process, SIGKILL);
  struct ls_pool_news news = hear(pool);
  assert_int_equal(news.kind, LS_POOL_LOST);
  assert_int_equal(news.slot, FIRST + 1);
  assert_int_equal(news.pid, 1006);
  assert_int_equal(news.cause, LS_LOSS_RECLAIMED);
  assert_int_equal(ls_pool_ssh.counts(pool).granted, 2);
  end_pool(&scene, pool);
}

/* Whoever is given up while nobody hears of his host may still live there. */
static void who_was_given_up_and_lives_is_taken_back_or_ended(void **state) {
  (void)state;
  static const struct ls_host one[] = {{"a", "a", 1, 1, "", false}};
  for (int is_wanted = 0; is_wanted < 2; is_wanted++) {
    struct ssh_scene scene;
    ssh_open(&scene, SSH_AGENT, one, 1);
    struct ls_pool *pool = open_pool(&scene, 1);
    ls_pool_ssh.request(pool, 1);
    settle(pool, 1);
    ssh_write(&scene, "exit 255\n");
    scene.hosts.items[0].backoff.first_s = 0.01;
    ls_process_signal(&scene.hosts.items[0].link.process, SIGKILL);
    struct ls_pool_news news;
    while (scene.hosts.items[0].state == LS_SSH_OPEN) (void)ls_pool_ssh.poll(pool, &news);
    ls_pool_ssh.kill(pool, FIRST);
    news = hear(pool);
    assert_int_equal(news.kind, LS_POOL_LOST);
    if (is_wanted == 1) ls_pool_ssh.request(pool, 1);
    ssh_write(&scene,
              "echo loadstar-agent 1 4 $folder; read -r keys; read -r tunnel\n"
              "echo has 5 1005; echo ready; read -r words; echo \"$words\" >$folder/said\n");
    if (is_wanted == 1) {
      assert_int_equal(hear(pool).kind, LS_POOL_GRANTED);
    } else {
      char path[64];
      (void)snprintf(path, sizeof path, "%s/said", scene.folder);
      while (access(path, F_OK) != 0) {
        (void)ls_pool_ssh.poll(pool, &news);
        (void)poll(NULL, 0, 10);
      }
    }
    end_pool(&scene, pool);
  }
}

/* A worker that fails as soon as it has begun would fail again. */
static void workers_that_do_not_thrive_make_a_host_rest(void **state) {
  (void)state;
  static const struct ls_host one[] = {{"a", "a", 1, 1, "", false}};
  struct ssh_scene scene;
  ssh_open(
      &scene,
      "echo loadstar-agent 1 4 $folder; read -r keys; read -r tunnel; echo ready\n"
      "while read -r word slot rest; do test $word = close && exit 0\n"
      "echo started $slot 77; echo no such folder >&2; sleep 0.1; echo ended $slot 77 3 0; done\n",
      one, 1);
  struct ls_pool *pool = open_pool(&scene, 1);
  ls_pool_ssh.request(pool, 1);
  assert_int_equal(hear(pool).kind, LS_POOL_GRANTED);
  struct ls_pool_news news = hear(pool);
  assert_int_equal(news.kind, LS_POOL_LOST);
  assert_int_equal(news.exit_code, 3);
  assert_non_null(strstr(news.words, "no such folder"));
  assert_string_equal(scene.warnings[0],
                      "host a: a worker ended with exit status 3: no such folder");
  ls_pool_ssh.request(pool, 1);
  assert_false(ls_pool_ssh.poll(pool, &news));
  assert_true(ls_pool_ssh.patience_s(pool) > 0.1);
  assert_int_equal(ls_pool_ssh.counts(pool).wanted, 1);
  assert_int_equal(ls_pool_ssh.counts(pool).hindered, 1);
  end_pool(&scene, pool);
}

/* That a worker joins is no news of its host: it may fail for want of a folder then. What is wrong
 * is said once, however often, and again when somebody has worked meanwhile. */
static void workers_that_join_and_fail_are_told_once(void **state) {
  (void)state;
  static const struct ls_host one[] = {{"a", "a", 2, 1, "", false}};
  struct ssh_scene scene;
  ssh_open(&scene,
           "echo loadstar-agent 1 4 $folder; read -r keys; read -r tunnel; echo ready\n"
           "while read -r word slot rest; do case $word in close) exit 0;;\n"
           "  start) echo started $slot 77;;\n"
           "  signal) echo no such folder >&2; sleep 0.1; echo ended $slot 77 2 0;; esac; done\n",
           one, 1);
  struct ls_pool *pool = open_pool(&scene, 2);
  struct ls_ssh_host *host = &scene.hosts.items[0];
  for (unsigned tries = 1; tries <= 4; tries++) {
    host->again_s = 0;
    if (tries == 4) ls_pool_ssh.see(pool, FIRST, LS_POOL_SAW_WORK);
    ls_pool_ssh.request(pool, 2);
    settle(pool, 2);
    struct ls_pool_claim first = claim("ssh:5", 77), second = claim("ssh:6", 77);
    assert_int_equal(ls_pool_ssh.slot(pool, &first), FIRST);
    assert_int_equal(ls_pool_ssh.slot(pool, &second), FIRST + 1);
    ls_pool_ssh.kill(pool, FIRST);
    ls_pool_ssh.kill(pool, FIRST + 1);
    assert_int_equal(hear(pool).kind, LS_POOL_LOST);
    assert_int_equal(hear(pool).kind, LS_POOL_LOST);
    assert_int_equal(scene.warnings_count, tries < 4 ? 1 : 2);
    assert_int_equal(host->backoff.tries, tries < 4 ? tries : 1);
  }
  end_pool(&scene, pool);
}

static void slots_without_hosts_or_keys_are_refused(void **state) {
  (void)state;
  struct ssh_scene scene;
  struct ls_pool *pool = NULL;
  struct ls_error err = {0};
  ssh_open(&scene, SSH_AGENT, two, 2);
  struct ls_pool_setup setup = {.slots = 3, .own = &scene.hosts};
  assert_int_equal(ls_pool_ssh.open(&setup, &pool, &err), LS_EINVAL);
  setup.slots = 4;
  assert_int_equal(ls_pool_ssh.open(&setup, &pool, &err), LS_EINVAL);
  ssh_close(&scene);
}

/* It may hang, or the run is short: nothing else would say why nobody came. */
static void a_host_that_has_not_answered_is_told_at_the_end(void **state) {
  (void)state;
  struct ssh_scene scene;
  ssh_open(&scene, "exec sleep 60\n", two, 2);
  struct ls_pool *pool = open_pool(&scene, 3);
  struct ls_pool_news news;
  ls_pool_ssh.request(pool, 3);
  while (scene.hosts.items[1].state != LS_SSH_LOGIN) (void)ls_pool_ssh.poll(pool, &news);
  assert_int_equal(scene.warnings_count, 0);
  ls_pool_ssh.close(pool, 0);
  assert_int_equal(scene.warnings_count, 1);
  assert_string_equal(scene.warnings[0],
                      "none of the 2 workers on a, and of 1 more host came: ssh had not answered "
                      "when the run was over");
  ssh_close(&scene);
}

int main(void) {
  (void)signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slots_are_those_of_the_hosts_in_their_order),
      cmocka_unit_test(hosts_without_an_address_are_hopeless),
      cmocka_unit_test(hosts_that_nobody_needs_are_left_alone),
      cmocka_unit_test(what_a_host_cannot_give_another_one_does),
      cmocka_unit_test(who_lived_through_a_break_stays),
      cmocka_unit_test(who_was_given_up_and_lives_is_taken_back_or_ended),
      cmocka_unit_test(workers_that_do_not_thrive_make_a_host_rest),
      cmocka_unit_test(workers_that_join_and_fail_are_told_once),
      cmocka_unit_test(slots_without_hosts_or_keys_are_refused),
      cmocka_unit_test(a_host_that_has_not_answered_is_told_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
