#include "runtime/pool_news.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

bool ls_pool_news_push(struct ls_pool_news_queue *queue, const struct ls_pool_news *news) {
  void *items = queue->items;
  if (queue->count == 0) queue->first = 0;
  size_t needed = queue->first + queue->count + 1;
  if (ls_array_reserve(&items, &queue->capacity, needed, sizeof *queue->items) != LS_OK)
    return false;
  queue->items = items;
  struct ls_pool_news_item *item = &queue->items[queue->first + queue->count++];
  item->news = *news;
  item->news.words = NULL;
  (void)snprintf(item->words, sizeof item->words, "%s", news->words != NULL ? news->words : "");
  return true;
}

bool ls_pool_news_pop(struct ls_pool_news_queue *queue, struct ls_pool_news *news) {
  if (queue->count == 0) return false;
  queue->told = queue->items[queue->first++];
  --queue->count;
  *news = queue->told.news;
  if (queue->told.words[0] != '\0') news->words = queue->told.words;
  return true;
}

void ls_pool_news_close(struct ls_pool_news_queue *queue) {
  free(queue->items);
  *queue = (struct ls_pool_news_queue){0};
}
