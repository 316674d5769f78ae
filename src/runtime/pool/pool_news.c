#include "runtime/pool/pool_news.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "runtime/os/limits.h"

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

void ls_pool_end_words(const struct ls_pool_end *end, char *text, size_t text_bytes) {
  bool has_last = end->exit_code != 0 && end->last != NULL && end->last[0] != '\0';
  if (end->signal != 0) {
    (void)snprintf(text, text_bytes, "ended by signal %d (%s)", end->signal,
                   strsignal(end->signal));
  } else if (end->exit_code == LS_POOL_EXIT_NO_ROOM) {
    (void)snprintf(text, text_bytes,
                   "found no room for a connection: %s, or descriptors (ulimit -n)",
                   ls_limits_words(EAGAIN));
  } else {
    (void)snprintf(text, text_bytes, "ended with exit status %d%s%s", end->exit_code,
                   has_last ? ": " : "", has_last ? end->last : "");
  }
}
