#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "runtime/pool/pool.h"

enum { SLOTS = 3, FIRST = 5 };

static struct ls_pool *open_pool(void) {
  const struct ls_pool_setup setup = {.first_slot = FIRST, .slots = SLOTS};
  struct ls_pool *pool = NULL;
  assert_int_equal(ls_pool_mpi.open(&setup, &pool, NULL), LS_OK);
  return pool;
}

static void who_is_wanted_is_granted_and_nobody_comes_twice(void **state) {
  (void)state;
  struct ls_pool *pool = open_pool();
  struct ls_pool_news news;
  assert_false(ls_pool_mpi.poll(pool, &news));
  ls_pool_mpi.request(pool, 2);
  assert_true(ls_pool_mpi.patience_s(pool) <= 0);
  for (uint32_t i = 0; i < 2; i++) {
    assert_true(ls_pool_mpi.poll(pool, &news));
    assert_int_equal(news.kind, LS_POOL_GRANTED);
    assert_int_equal(news.slot, FIRST + i);
  }
  ls_pool_mpi.request(pool, 3);
  assert_true(ls_pool_mpi.poll(pool, &news));
  assert_int_equal(news.slot, FIRST + 2);
  assert_true(ls_pool_mpi.poll(pool, &news));
  assert_int_equal(news.kind, LS_POOL_REFUSED);
  assert_int_equal(news.count, 2);
  assert_true(news.is_final);
  assert_false(ls_pool_mpi.poll(pool, &news));
  assert_true(isinf(ls_pool_mpi.patience_s(pool)));
  assert_int_equal(ls_pool_mpi.counts(pool).granted, SLOTS);
  ls_pool_mpi.see(pool, FIRST, LS_POOL_SAW_WORK);
  ls_pool_mpi.see(pool, FIRST, LS_POOL_SAW_END);
  assert_int_equal(ls_pool_mpi.counts(pool).granted, SLOTS - 1);
  ls_pool_mpi.close(pool, 0);
}

static void a_rank_has_its_slot(void **state) {
  (void)state;
  static const struct {
    const char *place;
    uint32_t slot;
  } cases[] = {{"mpi:1", FIRST},
               {"mpi:3", FIRST + 2},
               {"mpi:4", 0},
               {"mpi:0", 0},
               {"mpi:01", 0},
               {"mpi:1 ", 0},
               {"ssh:1", 0},
               {"", 0},
               {"mpi:-1", 0},
               {"mpi:", 0},
               {"mpi:11111111111111111111111111111", 0}};
  struct ls_pool *pool = open_pool();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct ls_pool_claim claim = {.name = "n1-1",
                                        .place = cases[i].place,
                                        .name_length = 4,
                                        .place_length = strlen(cases[i].place),
                                        .pid = 4711};
    assert_int_equal(ls_pool_mpi.slot(pool, &claim), cases[i].slot);
  }
  ls_pool_mpi.close(pool, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_is_wanted_is_granted_and_nobody_comes_twice),
      cmocka_unit_test(a_rank_has_its_slot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
