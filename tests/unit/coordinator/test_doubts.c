/* What a worker may have stands in its order, worker by worker, and leaves as it is asked for. */
#include "books_fixture.h"

#include <math.h>

#include "coordinator/books/doubts.h"

struct book {
  struct ls_piece_store pieces;
  struct ls_doubts doubts;
};

static void open_book(struct book *book) {
  *book = (struct book){0};
  ls_pieces_init(&book->pieces);
}

static void close_book(struct book *book) {
  assert_true(ls_doubts_are_sound(&book->doubts, &book->pieces));
  ls_doubts_close(&book->doubts);
  ls_pieces_close(&book->pieces);
}

static void add(struct book *book, uint32_t slot, uint64_t first, uint64_t count) {
  struct ls_piece_list list;
  ls_piece_list_init(&list);
  assert_int_equal(ls_pieces_reserve(&book->pieces, 2), LS_OK);
  ls_piece_append(&book->pieces, &list, (struct ls_range){first, count});
  assert_int_equal(ls_doubts_reserve(&book->doubts), LS_OK);
  ls_doubts_add(&book->doubts, &book->pieces, slot, &list);
  assert_int_equal(list.count, 0);
  assert_true(ls_doubts_are_sound(&book->doubts, &book->pieces));
}

static void assert_popped(struct book *book, uint64_t most, uint64_t first, uint64_t count) {
  struct ls_range range = ls_doubts_pop(&book->doubts, &book->pieces, most);
  assert_int_equal(range.first, first);
  assert_int_equal(range.count, count);
  assert_true(ls_doubts_are_sound(&book->doubts, &book->pieces));
}

/* What runs is given back later than what waits behind it. */
static void the_first_to_go_is_the_first_to_be_asked_for(void **state) {
  struct book book;
  (void)state;
  open_book(&book);
  add(&book, 2, 11, 4);
  add(&book, 0, 30, 2);
  add(&book, 2, 5, 1);
  assert_int_equal(book.doubts.units, 7);
  assert_popped(&book, 9, 5, 1);
  assert_popped(&book, 3, 11, 3);
  assert_popped(&book, 3, 14, 1);
  assert_int_equal(book.doubts.count, 1);
  assert_popped(&book, 9, 30, 2);
  assert_int_equal(book.doubts.count + book.doubts.units + book.pieces.live, 0);
  close_book(&book);
}

static void a_worker_takes_what_is_its_own(void **state) {
  struct book book;
  struct ls_piece_list out;
  (void)state;
  open_book(&book);
  add(&book, 2, 11, 4);
  add(&book, 0, 30, 2);
  ls_piece_list_init(&out);
  ls_doubts_take(&book.doubts, &book.pieces, 7, &out);
  assert_int_equal(out.count, 0);
  ls_doubts_take(&book.doubts, &book.pieces, 2, &out);
  assert_int_equal(out.count, 1);
  assert_int_equal(ls_piece_pop(&book.pieces, &out).first, 11);
  assert_int_equal(book.doubts.units, 2);
  close_book(&book);
}

static void a_unit_of_the_middle_leaves_both_ends(void **state) {
  struct book book;
  (void)state;
  open_book(&book);
  add(&book, 1, 4, 3);
  assert_true(ls_doubts_have(&book.doubts, &book.pieces, 5));
  assert_int_equal(ls_pieces_reserve(&book.pieces, 1), LS_OK);
  assert_true(ls_doubts_cut(&book.doubts, &book.pieces, 5));
  assert_false(ls_doubts_have(&book.doubts, &book.pieces, 5));
  assert_false(ls_doubts_cut(&book.doubts, &book.pieces, 5));
  assert_true(ls_doubts_cut(&book.doubts, &book.pieces, 4));
  assert_true(ls_doubts_cut(&book.doubts, &book.pieces, 6));
  assert_int_equal(book.doubts.count, 0);
  close_book(&book);
}

static void a_lost_worker_is_known_by_what_it_has_until_it_gives_up(void **state) {
  struct book book;
  struct ls_piece_list out;
  (void)state;
  open_book(&book);
  add(&book, 1, 4, 3);
  add(&book, 2, 7, 1);
  add(&book, 3, 9, 1);
  assert_true(isinf(ls_doubts_overdue_s(&book.doubts)));
  /* Nothing of it is known to be away. */
  ls_doubts_orphan(&book.doubts, 9, 10);
  ls_doubts_orphan(&book.doubts, 2, 50);
  ls_doubts_orphan(&book.doubts, 1, 40);
  assert_true(ls_doubts_overdue_s(&book.doubts) == 40);
  /* What one has that is only away says nothing. */
  assert_false(ls_doubts_recognise(&book.doubts, &book.pieces, 5, 9));
  assert_true(ls_doubts_recognise(&book.doubts, &book.pieces, 5, 6));
  assert_true(ls_doubts_overdue_s(&book.doubts) == 50);
  ls_piece_list_init(&out);
  assert_false(ls_doubts_take_overdue(&book.doubts, &book.pieces, 49, &out));
  assert_true(ls_doubts_take_overdue(&book.doubts, &book.pieces, 50, &out));
  assert_int_equal(ls_piece_pop(&book.pieces, &out).first, 7);
  assert_false(ls_doubts_take_overdue(&book.doubts, &book.pieces, 1e9, &out));
  ls_doubts_take(&book.doubts, &book.pieces, 5, &out);
  assert_int_equal(ls_piece_pop(&book.pieces, &out).count, 3);
  close_book(&book);
}

static void a_wrong_book_is_not_sound(void **state) {
  struct book book;
  (void)state;
  open_book(&book);
  add(&book, 1, 4, 3);
  add(&book, 2, 7, 1);
  book.doubts.units--;
  assert_false(ls_doubts_are_sound(&book.doubts, &book.pieces));
  book.doubts.units++;
  book.doubts.items[1].slot = 1;
  assert_false(ls_doubts_are_sound(&book.doubts, &book.pieces));
  book.doubts.items[1].slot = 2;
  close_book(&book);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_to_go_is_the_first_to_be_asked_for),
      cmocka_unit_test(a_worker_takes_what_is_its_own),
      cmocka_unit_test(a_unit_of_the_middle_leaves_both_ends),
      cmocka_unit_test(a_lost_worker_is_known_by_what_it_has_until_it_gives_up),
      cmocka_unit_test(a_wrong_book_is_not_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
