/* test_pool_fork.c: what only the pool fork does; what every pool does: tests/suite/test_pools.c.
 */
#include <math.h>

#include "../../support/keeper_fixture.h"
#include "runtime/pool/pool.h"

static const struct ls_pool_kind *const kind = &ls_pool_fork;

static struct ls_pool *open_pool(struct ls_keeper *keeper, size_t slots) {
  static const double speeds[] = {1, 0.5};
  struct ls_pool_setup setup = {.address = "ipc:///nowhere",
                                .speeds = speeds,
                                .speeds_count = 2,
                                .first_slot = 11,
                                .slots = slots,
                                .own = keeper};
  struct ls_pool *pool = NULL;
  struct ls_error err = {0};
  if (kind->open(&setup, &pool, &err) != LS_OK) fail_msg("%s", err.text);
  return pool;
}

static struct ls_pool_news await_pool_news(struct ls_pool *pool) {
  struct ls_pool_news news;
  while (!kind->poll(pool, &news)) {
    struct pollfd look = {.fd = kind->file(pool), .events = POLLIN};
    if (poll(&look, 1, PATIENCE_MS) == 0) fail_msg("no news within a minute");
  }
  return news;
}

static void workers_learn_where_they_are(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts(
      "test \"$2\" = ipc:///nowhere || exit 1\n"
      "test \"$4 $6\" = 'local-11 1' && exit 51\n"
      "test \"$4 $6\" = 'local-12 0.5' && exit 52\n"
      "test \"$4 $6\" = 'local-13 1' && exit 53\n"
      "exit 5");
  struct ls_pool *pool = open_pool(keeper, 3);
  kind->request(pool, 3);
  unsigned seen = 0;
  while (seen != 7) {
    struct ls_pool_news news = await_pool_news(pool);
    if (news.kind == LS_POOL_GRANTED) continue;
    assert_int_equal(news.kind, LS_POOL_LOST);
    assert_int_equal(news.exit_code, 40 + (int)news.slot);
    assert_int_equal(news.cause, LS_LOSS_CRASHED);
    seen |= 1u << (news.slot - 11);
  }
  kind->close(pool, 0);
  ls_keeper_destroy(keeper);
}

static struct ls_pool_claim claim(const char *name, int64_t pid) {
  return (struct ls_pool_claim){.is_private = true,
                                .name = name,
                                .name_length = strlen(name),
                                .place = "",
                                .pid = (uint64_t)pid};
}

static pid_t first_child_of(pid_t pid) {
  char name[64];
  int child = 0;
  (void)snprintf(name, sizeof name, "/proc/%d/task/%d/children", (int)pid, (int)pid);
  FILE *file = fopen(name, "r");
  if (file == NULL || fscanf(file, "%d", &child) != 1) child = 0;
  if (file != NULL) (void)fclose(file);
  return (pid_t)child;
}

/* A process id of another machine may be that of ours, and a name may be invented. */
static void name_and_process_tell_the_slot(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts("exec sleep 1000");
  struct ls_pool *pool = open_pool(keeper, 2);
  struct ls_pool_claim eleventh = claim("local-11", 1);
  assert_int_equal(kind->slot(pool, &eleventh), 0);
  kind->request(pool, 1);
  assert_int_equal(kind->slot(pool, &eleventh), 0);
  /* Its process id is not known yet, but whose child it is. */
  pid_t child = 0;
  while (child == 0) child = first_child_of(ls_keeper_process(keeper));
  struct ls_pool_claim early = claim("local-11", child);
  assert_int_equal(kind->slot(pool, &early), 11);
  struct ls_pool_news news = await_pool_news(pool);
  assert_int_equal(news.pid, child);
  assert_int_equal(news.kind, LS_POOL_GRANTED);
  assert_int_equal(kind->slot(pool, &eleventh), 0);
  struct ls_pool_claim right = claim("local-11", news.pid);
  assert_int_equal(kind->slot(pool, &right), 11);
  struct ls_pool_claim guest = right;
  guest.is_private = false;
  assert_int_equal(kind->slot(pool, &guest), 0);
  static const char *const others[] = {
      "local-12",  "local-10",  "local-13", "local-", "local",
      "local-011", "local-11x", "LOCAL-11", "",       "a name that is too long to be one of ours"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    struct ls_pool_claim other = claim(others[i], news.pid);
    assert_int_equal(kind->slot(pool, &other), 0);
  }
  kind->close(pool, 0);
  ls_keeper_destroy(keeper);
}

static int write_byte(void *context, const struct ls_keeper_worker *worker) {
  (void)worker;
  return write(((int *)context)[1], "", 1) == 1 ? 0 : 1;
}

static size_t count_bytes(int ends[2]) {
  char bytes[512];
  (void)close(ends[1]);
  ssize_t length = read(ends[0], bytes, sizeof bytes);
  (void)close(ends[0]);
  return length > 0 ? (size_t)length : 0;
}

/* The keeper does all that it was told before it closes: a run that is over waits for few starts.
 */
static void many_workers_are_ordered_a_few_at_a_time(void **state) {
  (void)state;
  enum { WORKERS = 300 };
  for (int is_polled = 0; is_polled < 2; ++is_polled) {
    int ends[2];
    open_tell_tale(ends);
    struct ls_keeper *keeper = keep(write_byte, ends);
    struct ls_pool *pool = open_pool(keeper, WORKERS);
    kind->request(pool, WORKERS);
    assert_int_equal(kind->counts(pool).wanted, WORKERS);
    for (size_t granted = 0; is_polled && granted < WORKERS;) {
      granted += await_pool_news(pool).kind == LS_POOL_GRANTED;
    }
    kind->close(pool, PATIENCE_MS / 1000);
    ls_keeper_destroy(keeper);
    size_t started = count_bytes(ends);
    if (is_polled) {
      assert_int_equal(started, WORKERS);
    } else {
      assert_in_range(started, 1, WORKERS / 2);
    }
  }
}

static const char rest_script[] = "read line < /proc/self/fd/$8";

/* Grants n workers; their process ids by slot - 11. */
static void await_grants(struct ls_pool *pool, size_t n, pid_t *pids) {
  while (n-- > 0) {
    struct ls_pool_news news = await_pool_news(pool);
    assert_int_equal(news.kind, LS_POOL_GRANTED);
    pids[news.slot - 11] = (pid_t)news.pid;
  }
}

/* Nobody knows what its workers did, and the first time it is not their fault. */
static void dead_keeper_is_replaced_and_its_workers_are_lost_without_blame(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts(rest_script);
  struct ls_pool *pool = open_pool(keeper, 3);
  pid_t before[3] = {0}, after[3] = {0};
  kind->request(pool, 2);
  await_grants(pool, 2, before);
  pid_t first = ls_keeper_process(keeper);
  assert_int_equal(first, parent_of(before[0]));
  assert_int_equal(kill(first, SIGKILL), 0);
  for (uint32_t slot = 11; slot < 13; ++slot) {
    struct ls_pool_news news = await_pool_news(pool);
    assert_int_equal(news.kind, LS_POOL_LOST);
    assert_int_equal(news.slot, slot);
    assert_int_equal(news.pid, before[slot - 11]);
    assert_int_equal(news.cause, LS_LOSS_RECLAIMED);
    assert_non_null(strstr(news.words, "supervisor of the local workers has ended (signal 9)"));
  }
  assert_int_equal(kind->counts(pool).granted, 0);
  kind->request(pool, 3);
  await_grants(pool, 3, after);
  assert_int_not_equal(ls_keeper_process(keeper), first);
  for (size_t i = 0; i < 3; ++i) {
    assert_int_equal(parent_of(after[i]), ls_keeper_process(keeper));
    struct ls_pool_claim own = claim(i == 0 ? "local-11" : "local-12", after[i]);
    if (i < 2) assert_int_equal(kind->slot(pool, &own), 11 + i);
  }
  /* The second time it may be the fault of what they do. */
  assert_int_equal(kill(ls_keeper_process(keeper), SIGKILL), 0);
  for (size_t i = 0; i < 3; ++i) assert_int_equal(await_pool_news(pool).cause, LS_LOSS_CRASHED);
  kind->close(pool, 0);
  ls_keeper_destroy(keeper);
}

/* Who was asked for and not granted comes from the next keeper; one that has started nobody, time
 * and again, is the last. */
static void requests_outlive_a_few_keepers(void **state) {
  (void)state;
  for (unsigned deaths = 1; deaths <= 4; ++deaths) {
    struct ls_keeper *keeper = keep_scripts(rest_script);
    struct ls_pool *pool = open_pool(keeper, 1);
    struct ls_pool_news news;
    for (unsigned i = 0; i < deaths; ++i) {
      pid_t pid = ls_keeper_process(keeper);
      assert_int_equal(kill(pid, SIGKILL), 0);
      while (ls_keeper_process(keeper) == pid) assert_false(kind->poll(pool, &news));
    }
    kind->request(pool, 1);
    news = await_pool_news(pool);
    assert_int_equal(news.kind, deaths < 4 ? LS_POOL_GRANTED : LS_POOL_REFUSED);
    if (deaths == 4) {
      assert_true(news.is_final);
      assert_int_equal(news.count, 1);
      assert_non_null(strstr(news.words, "has ended (signal 9)"));
      assert_false(kind->poll(pool, &news));
      assert_int_equal(kind->file(pool), -1);
      assert_int_equal(kind->counts(pool).wanted, 0);
      assert_non_null(kind->counts(pool).why);
    }
    kind->close(pool, 0);
    ls_keeper_destroy(keeper);
  }
}

/* A worker of a former keeper that joins late is not taken for the one that is being started. */
static void worker_of_a_former_keeper_is_not_of_the_pool(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts("exec sleep 1000");
  struct ls_pool *pool = open_pool(keeper, 1);
  pid_t old = 0, new = 0;
  struct ls_pool_news news;
  kind->request(pool, 1);
  await_grants(pool, 1, &old);
  assert_int_equal(kill(ls_keeper_process(keeper), SIGKILL), 0);
  do {
    news = await_pool_news(pool);
  } while (news.kind != LS_POOL_LOST);
  kind->request(pool, 1);
  struct ls_pool_claim late = claim("local-11", old);
  assert_int_equal(kind->slot(pool, &late), 0);
  await_grants(pool, 1, &new);
  assert_int_equal(kind->slot(pool, &late), 0);
  (void)kill(old, SIGKILL);
  kind->close(pool, 0);
  ls_keeper_destroy(keeper);
}

static void bad_setups_are_refused(void **state) {
  (void)state;
  static const double speeds[] = {1, 2, (double)NAN, 0};
  struct ls_keeper *keeper = keep_scripts("true");
  struct ls_pool_setup good = {
      .address = "x", .speeds = speeds, .speeds_count = 1, .slots = 1, .own = keeper};
  struct ls_pool *pool = NULL;
  struct ls_error err;
  struct ls_pool_setup bad = good;
  char long_text[LS_KEEPER_WORDS_MAX + 2];
  memset(long_text, 'x', sizeof long_text);
  long_text[sizeof long_text - 1] = '\0';
  bad.slots = 0;
  assert_int_equal(kind->open(&bad, &pool, &err), LS_EINVAL);
  for (size_t i = 1; i < 4; ++i) {
    bad = good;
    bad.speeds = speeds + i;
    assert_int_equal(kind->open(&bad, &pool, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "speed 0"));
  }
  bad = good;
  bad.own = NULL;
  assert_int_equal(kind->open(&bad, &pool, &err), LS_EINVAL);
  bad = good;
  bad.address = long_text;
  assert_int_equal(kind->open(&bad, &pool, &err), LS_EINVAL);
  bad = good;
  bad.folder = long_text;
  assert_int_equal(kind->open(&bad, &pool, &err), LS_EINVAL);
  assert_null(pool);
  kind->close(NULL, 0);
  ls_keeper_destroy(keeper);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_learn_where_they_are),
      cmocka_unit_test(name_and_process_tell_the_slot),
      cmocka_unit_test(many_workers_are_ordered_a_few_at_a_time),
      cmocka_unit_test(dead_keeper_is_replaced_and_its_workers_are_lost_without_blame),
      cmocka_unit_test(requests_outlive_a_few_keepers),
      cmocka_unit_test(worker_of_a_former_keeper_is_not_of_the_pool),
      cmocka_unit_test(bad_setups_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
