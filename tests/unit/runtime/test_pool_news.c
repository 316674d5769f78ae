#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "runtime/pool_news.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(news_come_in_their_order_with_their_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
