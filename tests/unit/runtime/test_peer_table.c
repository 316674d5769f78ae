/* test_peer_table.c: the table agrees with a plain list, whatever is put in and taken out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "runtime/master/guests/peer_table.h"

enum { ENDS = 3, NUMBERS = 200, STEPS = 20000 };

static void the_table_agrees_with_a_list(void **state) {
  static uint32_t list[ENDS][NUMBERS];
  struct ls_peer_table table = {0};
  struct ls_random random;
  size_t count = 0;
  (void)state;
  ls_random_init(&random, 7, "peers");
  for (int e = 0; e < ENDS; ++e)
    for (int n = 0; n < NUMBERS; ++n) list[e][n] = LS_PEER_TABLE_NONE;
  for (uint32_t i = 0; i < STEPS; ++i) {
    struct ls_peer peer = {(uint32_t)ls_random_below(&random, ENDS),
                           ls_random_below(&random, NUMBERS)};
    uint32_t *entry = &list[peer.endpoint][peer.number];
    assert_int_equal(ls_peer_table_find(&table, peer), *entry);
    if (ls_random_below(&random, 2) == 0) {
      count += *entry == LS_PEER_TABLE_NONE;
      *entry = i;
      assert_int_equal(ls_peer_table_put(&table, peer, i), LS_OK);
    } else {
      count -= *entry != LS_PEER_TABLE_NONE;
      *entry = LS_PEER_TABLE_NONE;
      ls_peer_table_remove(&table, peer);
    }
    assert_int_equal(table.count, count);
    assert_true(2 * table.count <= table.size);
  }
  for (uint32_t e = 0; e < ENDS; ++e) {
    for (uint64_t n = 0; n < NUMBERS; ++n) {
      assert_int_equal(ls_peer_table_find(&table, (struct ls_peer){e, n}), list[e][n]);
    }
  }
  ls_peer_table_close(&table);
}

static void an_empty_table_knows_nobody(void **state) {
  struct ls_peer_table table = {0};
  (void)state;
  assert_int_equal(ls_peer_table_find(&table, (struct ls_peer){0, 0}), LS_PEER_TABLE_NONE);
  ls_peer_table_remove(&table, (struct ls_peer){0, 0});
  ls_peer_table_close(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_agrees_with_a_list),
      cmocka_unit_test(an_empty_table_knows_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
