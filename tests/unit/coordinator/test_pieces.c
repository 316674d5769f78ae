/* Lists of ranges against a plain list of units: whatever is cut, moved and joined, the units and
 * their order stay. */
#include "books_fixture.h"

enum { UNITS = 64 };

static void write_list(const struct ls_piece_store *store, const struct ls_piece_list *list,
                       uint64_t *units, size_t *count) {
  uint64_t pieces = 0;
  uint32_t last = LS_INDEX_NONE;
  *count = 0;
  for (uint32_t i = list->first; i != LS_INDEX_NONE; i = store->items[i].next) {
    for (uint64_t k = 0; k < store->items[i].units.count; k++)
      units[(*count)++] = store->items[i].units.first + k;
    last = i;
    pieces++;
  }
  assert_int_equal(pieces, list->count);
  assert_int_equal(last, list->last);
}

static void neighbours_are_joined_and_others_are_not(void **state) {
  struct ls_piece_store store;
  struct ls_piece_list list;
  (void)state;
  ls_pieces_init(&store);
  ls_piece_list_init(&list);
  assert_int_equal(ls_pieces_reserve(&store, 3), LS_OK);
  ls_piece_append(&store, &list, (struct ls_range){4, 2});
  ls_piece_append(&store, &list, (struct ls_range){6, 1});
  ls_piece_append(&store, &list, (struct ls_range){1, 1});
  ls_piece_prepend(&store, &list, (struct ls_range){9, 3});
  assert_int_equal(list.count, 3);
  assert_true(ls_piece_list_has(&store, &list, 6));
  assert_false(ls_piece_list_has(&store, &list, 7));
  struct ls_range first = ls_piece_pop(&store, &list);
  assert_int_equal(first.first, 9);
  assert_int_equal(first.count, 3);
  assert_int_equal(store.live, 2);
  ls_pieces_close(&store);
}

static void a_cut_takes_the_first_part_that_is_wanted(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct ls_random random;
    struct ls_piece_store store;
    struct ls_piece_list list;
    uint64_t before[UNITS], after[UNITS], next = 0;
    size_t count, left;
    ls_random_init(&random, seed, "pieces");
    ls_pieces_init(&store);
    ls_piece_list_init(&list);
    assert_int_equal(ls_pieces_reserve(&store, UNITS), LS_OK);
    while (next + 6 < UNITS) {
      uint64_t length = 1 + ls_random_below(&random, 5);
      ls_piece_append(&store, &list, (struct ls_range){next, length});
      next += length + ls_random_below(&random, 2);
    }
    write_list(&store, &list, before, &count);
    struct ls_range wanted = {ls_random_below(&random, UNITS), 1 + ls_random_below(&random, 9)};
    struct ls_range taken = {0, 0};
    bool is_cut = ls_piece_cut(&store, &list, &wanted, &taken);
    write_list(&store, &list, after, &left);
    size_t kept = 0, gone = 0;
    for (size_t i = 0; i < count; i++) {
      bool is_taken = is_cut && before[i] >= taken.first && before[i] - taken.first < taken.count;
      gone += is_taken;
      if (is_taken) assert_true(before[i] - wanted.first < wanted.count);
      if (!is_taken) assert_int_equal(after[kept++], before[i]);
      /* What is wanted and was not taken lies behind a gap. */
      if (!is_cut)
        assert_false(before[i] >= wanted.first && before[i] - wanted.first < wanted.count);
    }
    assert_int_equal(kept, left);
    assert_int_equal(gone, is_cut ? taken.count : 0);
    ls_pieces_close(&store);
  }
}

static void a_spliced_list_stands_behind_and_its_own_is_empty(void **state) {
  struct ls_piece_store store;
  struct ls_piece_list one, two;
  uint64_t units[UNITS];
  size_t count;
  (void)state;
  ls_pieces_init(&store);
  ls_piece_list_init(&one);
  ls_piece_list_init(&two);
  assert_int_equal(ls_pieces_reserve(&store, 2), LS_OK);
  ls_piece_append(&store, &two, (struct ls_range){5, 2});
  ls_piece_splice(&store, &one, &two);
  ls_piece_append(&store, &two, (struct ls_range){1, 1});
  ls_piece_splice(&store, &one, &two);
  write_list(&store, &one, units, &count);
  assert_int_equal(count, 3);
  assert_int_equal(units[0], 5);
  assert_int_equal(units[2], 1);
  assert_int_equal(two.count, 0);
  ls_pieces_close(&store);
}

static void a_dropped_piece_is_used_again(void **state) {
  struct ls_piece_store store;
  struct ls_piece_list list;
  (void)state;
  ls_pieces_init(&store);
  ls_piece_list_init(&list);
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(ls_pieces_reserve(&store, 1), LS_OK);
    ls_piece_append(&store, &list, (struct ls_range){7, 3});
    (void)ls_piece_pop(&store, &list);
  }
  assert_int_equal(store.used, 1);
  ls_pieces_close(&store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_are_joined_and_others_are_not),
      cmocka_unit_test(a_cut_takes_the_first_part_that_is_wanted),
      cmocka_unit_test(a_spliced_list_stands_behind_and_its_own_is_empty),
      cmocka_unit_test(a_dropped_piece_is_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
