/* pool_news.h: news of a pool that wait to be polled, each with its words.
 */
#ifndef LS_RUNTIME_POOL_POOL_NEWS_H
#define LS_RUNTIME_POOL_POOL_NEWS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/pool/pool.h"

enum { LS_POOL_NEWS_WORDS_BYTES = 360 };

struct ls_pool_news_item {
  struct ls_pool_news news;
  char words[LS_POOL_NEWS_WORDS_BYTES]; /* "": none */
};

/* Starts as {0}. */
struct ls_pool_news_queue {
  struct ls_pool_news_item *items; /* from `first` on */
  size_t first, count, capacity;
  struct ls_pool_news_item told; /* the last one, whose words are borrowed */
};

/* False: there is no memory, and it is lost. */
bool ls_pool_news_push(struct ls_pool_news_queue *queue, const struct ls_pool_news *news);
/* The oldest; its words are borrowed until the next one is taken. False: there is none. */
bool ls_pool_news_pop(struct ls_pool_news_queue *queue, struct ls_pool_news *news);
void ls_pool_news_close(struct ls_pool_news_queue *queue);

/* How the process of a worker ended. */
struct ls_pool_end {
  int exit_code, signal;
  const char *last; /* what it said last; NULL or "": nothing that is known */
};

/* "ended with exit status 3: what it said last". */
void ls_pool_end_words(const struct ls_pool_end *end, char *text, size_t text_bytes);

#endif
