#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "runtime/pool/pool_news.h"

static void news_come_in_their_order_with_their_words(void **state) {
  (void)state;
  struct ls_pool_news_queue queue = {0};
  struct ls_pool_news news;
  uint32_t told = 0;
  assert_false(ls_pool_news_pop(&queue, &news));
  for (uint32_t i = 0; i < 300; i++) {
    char words[16];
    (void)snprintf(words, sizeof words, "word %u", i);
    news =
        (struct ls_pool_news){.kind = LS_POOL_LOST, .slot = i, .words = i % 2 == 0 ? words : NULL};
    assert_true(ls_pool_news_push(&queue, &news));
    memset(words, 'x', sizeof words - 1);
    if (i % 3 != 0) continue;
    assert_true(ls_pool_news_pop(&queue, &news));
    assert_int_equal(news.slot, told++);
  }
  for (; ls_pool_news_pop(&queue, &news); told++) {
    char words[16];
    assert_int_equal(news.slot, told);
    (void)snprintf(words, sizeof words, "word %u", told);
    if (told % 2 == 0) assert_string_equal(news.words, words);
    if (told % 2 != 0) assert_null(news.words);
  }
  assert_int_equal(told, 300);
  ls_pool_news_close(&queue);
}

static void the_end_of_a_worker_is_told_in_words(void **state) {
  (void)state;
  char text[200];
  ls_pool_end_words(&(struct ls_pool_end){.exit_code = 3, .last = "gone"}, text, sizeof text);
  assert_string_equal(text, "ended with exit status 3: gone");
  ls_pool_end_words(&(struct ls_pool_end){.exit_code = 0, .last = "gone"}, text, sizeof text);
  assert_string_equal(text, "ended with exit status 0");
  ls_pool_end_words(&(struct ls_pool_end){.signal = 9}, text, sizeof text);
  assert_string_equal(text, "ended by signal 9 (Killed)");
  ls_pool_end_words(&(struct ls_pool_end){.exit_code = LS_POOL_EXIT_NO_ROOM}, text, sizeof text);
  assert_non_null(strstr(text, "ulimit -u"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(news_come_in_their_order_with_their_words),
      cmocka_unit_test(the_end_of_a_worker_is_told_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
