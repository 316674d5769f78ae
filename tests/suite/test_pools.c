/* test_pools.c: what every pool does, whatever its workers are: the pools fork and ssh, whose
 * workers are processes, and a scripted one. In place of ssh the agent is started here. */
#include "../support/keeper_fixture.h"
#include "../support/scripted_pool.h"
#include "../support/ssh_fixture.h"

#include <math.h>

#include "runtime/pool/pool.h"

enum { SLOTS = 3, FIRST = 5 };

static const char *agent_program; /* script_agent.c */
static const struct ls_host one_host[] = {{"local", "local", SLOTS, 1, "", false}};
static struct ls_key_file keys;

/* What the suite needs of a pool that it tests. */
struct subject {
  const struct ls_pool_kind *kind;
  struct ls_pool *pool;
  bool has_processes;
  struct ls_keeper *keeper; /* of fork */
  struct ssh_scene scene;   /* of ssh */
  struct scripted_pool script;
};

static void open_pool(struct subject *subject, void *own) {
  struct ls_pool_setup setup = {
      .address = "ipc:///nowhere", .keys = &keys, .first_slot = FIRST, .slots = SLOTS, .own = own};
  struct ls_error err = {0};
  if (subject->kind->open(&setup, &subject->pool, &err) != LS_OK) fail_msg("%s", err.text);
}

static void *open_ssh(struct subject *subject, const char *script) {
  char text[1024];
  (void)snprintf(text, sizeof text, "TMPDIR=$folder exec '%s' suite1 \"$SCRIPT\"\n", agent_program);
  assert_int_equal(setenv("SCRIPT", script, 1), 0);
  ssh_open(&subject->scene, text, one_host, 1);
  subject->scene.hosts.setup.is_direct = true;
  keys = ssh_keys();
  return &subject->scene.hosts;
}

/* `script`: of the shell for workers that are processes; `text`: for the scripted pool. */
static void open_subject(struct subject *subject, void **state, const char *script,
                         const char *text) {
  *subject = (struct subject){.kind = *state, .script = {.text = text, .has_file = true}};
  void *own = &subject->script;
  if (subject->kind == &ls_pool_fork) own = subject->keeper = keep_scripts(script);
  if (subject->kind == &ls_pool_ssh) own = open_ssh(subject, script);
  subject->has_processes = own != &subject->script;
  open_pool(subject, own);
}

static void close_subject(struct subject *subject) {
  subject->kind->close(subject->pool, 0);
  ls_keeper_destroy(subject->keeper);
  if (subject->kind == &ls_pool_ssh) ssh_close(&subject->scene);
}

static struct ls_pool_news hear(struct subject *subject) {
  struct ls_pool_news news;
  while (!subject->kind->poll(subject->pool, &news)) {
    struct pollfd look = {.fd = subject->kind->file(subject->pool), .events = POLLIN};
    double seconds = subject->kind->patience_s(subject->pool);
    int milliseconds = seconds < 60 ? (int)(seconds * 1e3) + 1 : PATIENCE_MS;
    if (poll(&look, 1, milliseconds) == 0 && !(seconds < 60)) fail_msg("no news within a minute");
  }
  return news;
}

static struct ls_pool_news hear_kind(struct subject *subject, enum ls_pool_news_kind kind) {
  struct ls_pool_news news = hear(subject);
  if (news.kind != kind) fail_msg("news %d, expected %d", (int)news.kind, (int)kind);
  return news;
}

static void each_request_is_granted_in_a_slot_of_its_own(void **state) {
  struct subject subject;
  open_subject(&subject, state, "exec sleep 1000", "grant\ngrant\ngrant\n");
  subject.kind->request(subject.pool, 1);
  assert_int_equal(subject.kind->counts(subject.pool).wanted, 1);
  assert_int_equal(hear_kind(&subject, LS_POOL_GRANTED).slot, FIRST);
  subject.kind->request(subject.pool, 2);
  unsigned seen = 0;
  for (int i = 0; i < 2; ++i) {
    struct ls_pool_news news = hear_kind(&subject, LS_POOL_GRANTED);
    assert_in_range(news.slot, FIRST + 1, FIRST + SLOTS - 1);
    assert_true(news.pid > 0);
    seen |= 1u << (news.slot - FIRST);
  }
  assert_int_equal(seen, 6);
  struct ls_pool_counts counts = subject.kind->counts(subject.pool);
  assert_int_equal(counts.wanted, 0);
  assert_int_equal(counts.granted, SLOTS);
  assert_null(counts.why);
  struct ls_pool_news news;
  assert_false(subject.kind->poll(subject.pool, &news));
  close_subject(&subject);
}

/* SLOTS may wait for those that are there to go; what is beyond can never be. */
static void more_than_there_is_room_for_is_refused_for_good(void **state) {
  struct subject subject;
  open_subject(&subject, state, "exec sleep 1000", "refuse! 4 no room\ngrant\ngrant\ngrant\n");
  subject.kind->request(subject.pool, SLOTS + 4);
  struct ls_pool_news news = hear_kind(&subject, LS_POOL_REFUSED);
  assert_int_equal(news.count, 4);
  assert_true(news.is_final);
  assert_non_null(news.words);
  for (int i = 0; i < SLOTS; ++i) (void)hear_kind(&subject, LS_POOL_GRANTED);
  assert_int_equal(subject.kind->counts(subject.pool).wanted, 0);
  close_subject(&subject);
}

static void worker_that_ends_is_lost_and_leaves_its_slot(void **state) {
  struct subject subject;
  open_subject(&subject, state, "case $4 in local-[15]) exec sleep 1000;; esac; exit 3",
               "grant\ngrant\nlose 2 crashed\ngrant\n");
  subject.kind->request(subject.pool, 1);
  (void)hear_kind(&subject, LS_POOL_GRANTED);
  subject.kind->request(subject.pool, 1);
  for (int i = 0; i < 2; ++i) {
    struct ls_pool_news granted = hear_kind(&subject, LS_POOL_GRANTED);
    assert_int_equal(granted.slot, FIRST + 1);
    if (i == 1) break;
    struct ls_pool_news lost = hear_kind(&subject, LS_POOL_LOST);
    assert_int_equal(lost.slot, FIRST + 1);
    assert_int_equal(lost.pid, granted.pid);
    assert_int_equal(lost.cause, LS_LOSS_CRASHED);
    assert_non_null(lost.words);
    if (subject.has_processes) assert_int_equal(lost.exit_code, 3);
    assert_int_equal(subject.kind->counts(subject.pool).granted, 1);
    subject.kind->request(subject.pool, 1);
  }
  close_subject(&subject);
}

/* The request of a replacement may come before the end of the former one is told. */
static void replacement_waits_for_the_slot(void **state) {
  struct subject subject;
  open_subject(&subject, state, "exec sleep 1000",
               "grant\ngrant\ngrant\nrequests 2\nlose 3 crashed\ngrant\n");
  subject.kind->request(subject.pool, SLOTS);
  for (int i = 0; i < SLOTS; ++i) (void)hear_kind(&subject, LS_POOL_GRANTED);
  subject.kind->request(subject.pool, 1);
  assert_int_equal(subject.kind->counts(subject.pool).wanted, 1);
  subject.kind->kill(subject.pool, FIRST + 2);
  assert_int_equal(hear_kind(&subject, LS_POOL_LOST).slot, FIRST + 2);
  assert_int_equal(hear_kind(&subject, LS_POOL_GRANTED).slot, FIRST + 2);
  close_subject(&subject);
}

static void failed_start_is_a_refusal_for_now(void **state) {
  static char absent[] = "/no/such/worker";
  static char *command[] = {absent, NULL};
  struct subject subject = {.kind = *state,
                            .script = {.text = "refuse 1 /no/such/worker is not there\n"
                                               "refuse 1 /no/such/worker is not there\n",
                                       .has_file = true}};
  if (subject.kind == &ls_pool_fork) {
    struct ls_keeper_setup setup = {.command = command};
    assert_int_equal(ls_keeper_start(&setup, &subject.keeper, NULL), LS_OK);
  }
  open_pool(&subject, subject.keeper != NULL ? (void *)subject.keeper : &subject.script);
  subject.kind->request(subject.pool, 2);
  for (int i = 0; i < 2; ++i) {
    struct ls_pool_news news = hear_kind(&subject, LS_POOL_REFUSED);
    assert_int_equal(news.count, 1);
    assert_false(news.is_final);
    assert_non_null(strstr(news.words, "/no/such/worker"));
  }
  struct ls_pool_counts counts = subject.kind->counts(subject.pool);
  assert_int_equal(counts.wanted + counts.granted, 0);
  assert_non_null(strstr(counts.why, "/no/such/worker"));
  close_subject(&subject);
}

static void stopped_worker_keeps_its_slot(void **state) {
  struct subject subject;
  open_subject(&subject, state, "exec sleep 1000",
               "grant\nawait stop\nsuspend 1\nawait go-on\nresume 1\n");
  scripted_pool_forget();
  subject.kind->request(subject.pool, 1);
  struct ls_pool_news granted = hear_kind(&subject, LS_POOL_GRANTED);
  for (int i = 0; i < 2; ++i) {
    if (subject.has_processes) {
      assert_int_equal(kill((pid_t)granted.pid, i == 0 ? SIGSTOP : SIGCONT), 0);
    }
    scripted_pool_pass(i == 0 ? "stop" : "go-on");
    struct ls_pool_news news = hear(&subject);
    assert_int_equal(news.kind, i == 0 ? LS_POOL_SUSPENDED : LS_POOL_RESUMED);
    assert_int_equal(news.slot, FIRST);
    assert_int_equal(news.pid, granted.pid);
    assert_int_equal(subject.kind->counts(subject.pool).granted, 1);
  }
  close_subject(&subject);
}

/* Nobody is hurt by an order that comes too late. */
static void orders_for_slots_without_a_worker_do_nothing(void **state) {
  struct subject subject;
  open_subject(&subject, state, "exec sleep 1000", "grant\n");
  static const uint32_t slots[] = {0, 1, FIRST - 1, FIRST, FIRST + SLOTS, UINT32_MAX};
  for (size_t i = 0; i < sizeof slots / sizeof slots[0]; ++i) {
    subject.kind->kill(subject.pool, slots[i]);
  }
  subject.kind->request(subject.pool, 1);
  assert_int_equal(hear_kind(&subject, LS_POOL_GRANTED).slot, FIRST);
  close_subject(&subject);
}

static void only_a_worker_of_the_pool_has_a_slot(void **state) {
  struct subject subject;
  open_subject(&subject, state, "exec sleep 1000", "grant\n");
  struct ls_pool_claim claim = {
      .name = "local-5", .name_length = 7, .place = "ssh:5", .place_length = 5, .is_private = true};
  assert_int_equal(subject.kind->slot(subject.pool, &claim), 0);
  subject.kind->request(subject.pool, 1);
  struct ls_pool_news news = hear_kind(&subject, LS_POOL_GRANTED);
  claim.pid = (uint64_t)news.pid;
  assert_int_equal(subject.kind->slot(subject.pool, &claim), FIRST);
  claim.name = "local-6";
  claim.place = "ssh:6";
  assert_int_equal(subject.kind->slot(subject.pool, &claim), 0);
  close_subject(&subject);
}

#define OF(pool, test) \
  { #test " (" #pool ")", test, NULL, NULL, (void *)(uintptr_t)&pool }
#define OF_ALL(test) OF(ls_pool_fork, test), OF(ls_pool_ssh, test), OF(scripted_pool_kind, test)

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  agent_program = argv[1];
  (void)signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      OF_ALL(each_request_is_granted_in_a_slot_of_its_own),
      OF_ALL(more_than_there_is_room_for_is_refused_for_good),
      OF_ALL(worker_that_ends_is_lost_and_leaves_its_slot),
      OF_ALL(replacement_waits_for_the_slot),
      /* Of a host that starts nobody the pool ssh tells the user, and asks again itself. */
      OF(ls_pool_fork, failed_start_is_a_refusal_for_now),
      OF(scripted_pool_kind, failed_start_is_a_refusal_for_now),
      OF_ALL(stopped_worker_keeps_its_slot),
      OF_ALL(orders_for_slots_without_a_worker_do_nothing),
      OF_ALL(only_a_worker_of_the_pool_has_a_slot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
