#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cache_fixture.h"
#include "runtime/files/stager.h"

/* A master in the test: what was asked for, and its answers. */
struct asked {
  unsigned char content[LS_CONTENT_BYTES];
  uint64_t offset;
};
static struct asked asked[64];
static size_t asked_count, answered;

static void post(void *context, const struct ls_message *message) {
  (void)context;
  assert_int_equal(message->kind, LS_MESSAGE_WANT);
  assert_true(asked_count < 64);
  memcpy(asked[asked_count].content, message->content.data, LS_CONTENT_BYTES);
  asked[asked_count++].offset = message->offset;
}

static struct ls_stager make(struct ls_cache *cache) {
  asked_count = answered = 0;
  return (struct ls_stager){.cache = cache, .post = post};
}

static void tell(struct ls_stager *stager, const struct ls_staged_input *head,
                 const struct ls_staged_input *next) {
  ls_stager_begin(stager);
  if (head != NULL) assert_int_equal(ls_stager_add(stager, head, true, NULL), LS_OK);
  if (next != NULL) assert_int_equal(ls_stager_add(stager, next, false, NULL), LS_OK);
  ls_stager_end(stager);
}

static void answer(struct ls_stager *stager, const char *data) {
  const struct asked *next = &asked[answered++];
  size_t length = strlen(data) - next->offset;
  struct ls_message piece = {
      .kind = LS_MESSAGE_PIECE,
      .content = {next->content, LS_CONTENT_BYTES},
      .offset = next->offset,
      .input = {data + next->offset, length < LS_PIECE_BYTES ? length : LS_PIECE_BYTES}};
  ls_stager_hear(stager, &piece);
}

static enum ls_staged judge(const struct ls_stager *stager) {
  const char *why = NULL;
  enum ls_staged state = ls_stager_judge(stager, &why);
  bool is_fault = state == LS_STAGED_FAILED || state == LS_STAGED_UNFIT;
  assert_int_equal(why != NULL, is_fault);
  return state;
}

static void what_is_lacking_is_asked_for_and_then_there(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  struct ls_stager stager = make(&cache);
  struct ls_staged_input a = fixture_input("a", "data"), none = fixture_input("b", "");
  assert_int_equal(judge(&stager), LS_STAGED_THERE);
  tell(&stager, &a, &none);
  assert_int_equal(judge(&stager), LS_STAGED_WAITS);
  ls_stager_advance(&stager, true, 1);
  assert_int_equal(asked_count, 1);
  assert_true(isinf(ls_stager_due_s(&stager)));
  /* What nobody asked for is no news. */
  struct ls_message piece = {.kind = LS_MESSAGE_PIECE, .content = {none.content, LS_CONTENT_BYTES}};
  ls_stager_hear(&stager, &piece);
  answer(&stager, "data");
  ls_stager_advance(&stager, true, 2);
  assert_int_equal(judge(&stager), LS_STAGED_THERE);
  /* Of an empty file nothing needs to come; for a later task others have the turn first. */
  assert_true(ls_stager_due_s(&stager) > 2);
  ls_stager_advance(&stager, true, 3);
  assert_int_equal(asked_count, 1);
  assert_true(fixture_has(&cache, &none));
  assert_true(isinf(ls_stager_due_s(&stager)));
  ls_stager_close(&stager);
  fixture_close(&cache);
}

static void so_many_pieces_are_on_their_way_and_no_more(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  struct ls_stager stager = make(&cache);
  size_t length = 6 * (size_t)LS_PIECE_BYTES + 7;
  char *data = malloc(length + 1);
  memset(data, 'x', length);
  data[length] = '\0';
  struct ls_staged_input large = fixture_input("large", data);
  tell(&stager, &large, NULL);
  for (size_t i = 0; i < 7; ++i) {
    ls_stager_advance(&stager, true, 1);
    assert_int_equal(asked_count, i + LS_PIECES_AHEAD < 7 ? i + LS_PIECES_AHEAD : 7);
    answer(&stager, data);
  }
  ls_stager_advance(&stager, true, 1);
  assert_int_equal(judge(&stager), LS_STAGED_THERE);
  ls_stager_close(&stager);
  fixture_close(&cache);
  free(data);
}

static void what_arrives_damaged_is_brought_once_more(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  struct ls_stager stager = make(&cache);
  struct ls_staged_input a = fixture_input("a", "data");
  tell(&stager, &a, NULL);
  ls_stager_advance(&stager, true, 1);
  answer(&stager, "lies");
  ls_stager_advance(&stager, true, 1);
  assert_int_equal(asked_count, 2);
  assert_int_equal(judge(&stager), LS_STAGED_WAITS);
  answer(&stager, "lies");
  ls_stager_advance(&stager, true, 1);
  assert_int_equal(asked_count, 2);
  assert_int_equal(judge(&stager), LS_STAGED_UNFIT);
  ls_stager_close(&stager);
  fixture_close(&cache);
}

static void what_cannot_be_had_fails_the_task_that_needs_it(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  struct ls_stager stager = make(&cache);
  struct ls_staged_input a = fixture_input("a", "data"), b = fixture_input("b", "more");
  const char *why = NULL;
  tell(&stager, &b, &a);
  ls_stager_advance(&stager, true, 1);
  answer(&stager, "more");
  ls_stager_advance(&stager, true, 1);
  ls_stager_advance(&stager, true, 2);
  struct ls_message absent = {
      .kind = LS_MESSAGE_ABSENT, .content = {a.content, LS_CONTENT_BYTES}, .text = {"gone", 4}};
  ls_stager_hear(&stager, &absent);
  assert_int_equal(judge(&stager), LS_STAGED_THERE);
  tell(&stager, &a, NULL);
  assert_int_equal(ls_stager_judge(&stager, &why), LS_STAGED_FAILED);
  assert_string_equal(why, "gone");
  ls_stager_close(&stager);
  fixture_close(&cache);
}

static void what_never_fits_fails_with_both_numbers(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(7);
  struct ls_stager stager = make(&cache);
  struct ls_staged_input a = fixture_input("a", "data"), b = fixture_input("b", "more");
  const char *why = NULL;
  ls_stager_begin(&stager);
  assert_int_equal(ls_stager_add(&stager, &a, true, NULL), LS_OK);
  assert_int_equal(ls_stager_add(&stager, &b, true, NULL), LS_OK);
  ls_stager_end(&stager);
  assert_int_equal(ls_stager_judge(&stager, &why), LS_STAGED_FAILED);
  assert_string_equal(why, "its inputs have 8 bytes, and the cache holds 7");
  ls_stager_close(&stager);
  fixture_close(&cache);
}

/* The folder lacks room in the middle of a file: whoever reads it is to know which folder. */
static void a_folder_that_is_full_is_named(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0);
  struct ls_stager stager = make(&cache);
  struct ls_staged_input a = fixture_input("a", "data"), b = fixture_input("b", "more");
  const char *why = NULL;
  tell(&stager, &a, NULL);
  ls_stager_advance(&stager, true, 1);
  int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  assert_true(full >= 0);
  assert_true(dup2(full, stager.arrival.file) >= 0);
  assert_int_equal(close(full), 0);
  answer(&stager, "data");
  assert_int_equal(ls_stager_judge(&stager, &why), LS_STAGED_UNFIT);
  assert_non_null(strstr(why, fixture_parent));
  assert_non_null(strstr(why, "(TMPDIR, or --cache)"));
  assert_non_null(strstr(why, strerror(ENOSPC)));
  /* It is not asked for again, and others are. */
  assert_false(stager.is_fetching);
  ls_stager_advance(&stager, true, 2);
  assert_int_equal(asked_count, 1);
  tell(&stager, &b, NULL);
  ls_stager_advance(&stager, true, 3);
  answer(&stager, "more");
  ls_stager_advance(&stager, true, 4);
  assert_int_equal(judge(&stager), LS_STAGED_THERE);
  ls_stager_close(&stager);
  fixture_close(&cache);
}

/* Nobody who waits for room keeps any from others. */
static void who_waits_for_room_holds_none(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(8), other = fixture_open(8);
  struct ls_stager stager = make(&cache);
  struct ls_staged_input a = fixture_bring(&cache, "a", "aaaa"),
                         b = fixture_bring(&cache, "b", "bbbb");
  struct ls_staged_input c = fixture_input("c", "cccc");
  assert_true(ls_cache_pin(&other, a.content, a.bytes));
  ls_stager_begin(&stager);
  assert_int_equal(ls_stager_add(&stager, &b, true, NULL), LS_OK);
  assert_int_equal(ls_stager_add(&stager, &c, true, NULL), LS_OK);
  ls_stager_end(&stager);
  ls_stager_advance(&stager, true, 1);
  assert_int_equal(asked_count, 0);
  assert_int_equal(judge(&stager), LS_STAGED_WAITS);
  assert_true(ls_stager_due_s(&stager) > 1 && ls_stager_due_s(&stager) < 2);
  assert_int_equal(ls_cache_make_room(&other, 4, NULL), LS_OK);
  ls_cache_unpin(&other, a.content);
  ls_stager_advance(&stager, true, 2);
  assert_int_equal(asked_count, 1);
  ls_stager_close(&stager);
  ls_cache_close(&other);
  fixture_close(&cache);
}

static void one_of_two_workers_brings_a_file_and_both_have_it(void **state) {
  (void)state;
  struct ls_cache cache = fixture_open(0), other = fixture_open(0);
  struct ls_stager first = make(&cache), second = make(&other);
  struct ls_staged_input a = fixture_input("a", "data");
  tell(&first, &a, NULL);
  tell(&second, &a, NULL);
  ls_stager_advance(&first, true, 1);
  ls_stager_advance(&second, true, 1);
  assert_int_equal(asked_count, 1);
  /* A connection that is cut leaves the turn to the other one. */
  ls_stager_advance(&first, false, 2);
  ls_stager_advance(&second, true, 2);
  assert_int_equal(asked_count, 2);
  ++answered;
  answer(&second, "data");
  ls_stager_advance(&second, true, 3);
  ls_stager_advance(&first, true, 3);
  assert_int_equal(judge(&first), LS_STAGED_THERE);
  assert_int_equal(judge(&second), LS_STAGED_THERE);
  assert_int_equal(asked_count, 2);
  ls_stager_close(&first);
  ls_stager_close(&second);
  ls_cache_close(&other);
  fixture_close(&cache);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_lacking_is_asked_for_and_then_there),
      cmocka_unit_test(so_many_pieces_are_on_their_way_and_no_more),
      cmocka_unit_test(what_arrives_damaged_is_brought_once_more),
      cmocka_unit_test(what_cannot_be_had_fails_the_task_that_needs_it),
      cmocka_unit_test(what_never_fits_fails_with_both_numbers),
      cmocka_unit_test(a_folder_that_is_full_is_named),
      cmocka_unit_test(who_waits_for_room_holds_none),
      cmocka_unit_test(one_of_two_workers_brings_a_file_and_both_have_it),
  };
  return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
