/* test_pool_fork.c: what only the pool fork does; what every pool does: tests/suite/test_pools.c.
 */
#include <math.h>

#include "../../support/keeper_fixture.h"
#include "runtime/pool.h"

static const struct ls_pool_kind *const kind = &ls_pool_fork;

static struct ls_pool *open_pool(struct ls_keeper *keeper, size_t slots) {
  static const double speeds[] = {1, 0.5};
  struct ls_pool_setup setup = {.address = "ipc:///nowhere",
                                .token = "abc",
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
      "test \"$LOADSTAR_TOKEN $2\" = 'abc ipc:///nowhere' || exit 1\n"
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
  return (struct ls_pool_claim){
      .name = name, .name_length = strlen(name), .place = "", .pid = (uint64_t)pid};
}

/* A process id of another machine may be that of ours, and a name may be invented. */
static void name_and_process_tell_the_slot(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts("exec sleep 1000");
  struct ls_pool *pool = open_pool(keeper, 2);
  struct ls_pool_claim eleventh = claim("local-11", 1);
  assert_int_equal(kind->slot(pool, &eleventh), 0);
  kind->request(pool, 1);
  /* Its process id is not known yet. */
  assert_int_equal(kind->slot(pool, &eleventh), 11);
  struct ls_pool_news news = await_pool_news(pool);
  assert_int_equal(news.kind, LS_POOL_GRANTED);
  assert_int_equal(kind->slot(pool, &eleventh), 0);
  struct ls_pool_claim right = claim("local-11", news.pid);
  assert_int_equal(kind->slot(pool, &right), 11);
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

static void dead_keeper_is_news_and_refuses_for_good(void **state) {
  (void)state;
  struct ls_keeper *keeper = keep_scripts("read line < /proc/self/fd/$8");
  struct ls_pool *pool = open_pool(keeper, 3);
  kind->request(pool, 2);
  struct ls_pool_news granted = await_pool_news(pool);
  assert_int_equal(granted.kind, LS_POOL_GRANTED);
  assert_int_equal(kill(parent_of((pid_t)granted.pid), SIGKILL), 0);
  kind->request(pool, 1);
  size_t lost = 0, refused = 0;
  while (lost + refused < 3) {
    struct ls_pool_news news = await_pool_news(pool);
    if (news.kind == LS_POOL_GRANTED) continue;
    if (strstr(news.words, "keeper of the local workers has ended (signal 9)") == NULL) {
      fail_msg("%s", news.words);
    }
    if (news.kind == LS_POOL_LOST) {
      /* Nobody knows what it did, and it is not its fault. */
      assert_int_equal(news.cause, LS_LOSS_RECLAIMED);
      ++lost;
    } else {
      assert_int_equal(news.kind, LS_POOL_REFUSED);
      assert_true(news.is_final);
      refused += news.count;
    }
  }
  assert_true(lost >= 1);
  struct ls_pool_news news;
  assert_false(kind->poll(pool, &news));
  assert_int_equal(kind->file(pool), -1);
  kind->request(pool, 2);
  assert_true(kind->poll(pool, &news));
  assert_int_equal(news.kind, LS_POOL_REFUSED);
  assert_int_equal(news.count, 2);
  assert_true(news.is_final);
  assert_int_equal(kind->counts(pool).granted, 0);
  assert_int_equal(kind->counts(pool).wanted, 0);
  assert_non_null(kind->counts(pool).why);
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
      cmocka_unit_test(dead_keeper_is_news_and_refuses_for_good),
      cmocka_unit_test(bad_setups_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
