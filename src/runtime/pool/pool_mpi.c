/* pool_mpi.c: the ranks of MPI but for the first, which are there already.
 *
 * Nobody can be started, and nobody ended: who is wanted is granted at once, and a rank that has
 * gone does not come again.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pool/pool_news.h"

enum { PLACE_BYTES = 32 };

struct ls_pool {
  size_t slots, granted, gone;
  uint32_t first;
  struct ls_pool_news_queue news;
};

static enum ls_status open_mpi(const struct ls_pool_setup *setup, struct ls_pool **out,
                               struct ls_error *err) {
  struct ls_pool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the pool");
  pool->slots = setup->slots;
  pool->first = setup->first_slot > 0 ? setup->first_slot : 1;
  *out = pool;
  return LS_OK;
}

static void request_workers(struct ls_pool *pool, size_t n) {
  for (; n > 0 && pool->granted < pool->slots; --n) {
    const struct ls_pool_news granted = {.kind = LS_POOL_GRANTED,
                                         .slot = pool->first + (uint32_t)pool->granted++};
    (void)ls_pool_news_push(&pool->news, &granted);
  }
  const struct ls_pool_news refused = {.kind = LS_POOL_REFUSED,
                                       .count = n,
                                       .is_final = true,
                                       .words = "a rank of MPI comes once only"};
  if (n > 0) (void)ls_pool_news_push(&pool->news, &refused);
}

/* It hears of that from its master, or not at all. */
static void leave_alone(struct ls_pool *pool, uint32_t slot) {
  (void)pool;
  (void)slot;
}

static bool poll_news(struct ls_pool *pool, struct ls_pool_news *news) {
  return ls_pool_news_pop(&pool->news, news);
}

static int get_file(const struct ls_pool *pool) {
  (void)pool;
  return -1;
}

static double get_patience_s(const struct ls_pool *pool) {
  return pool->news.count > 0 ? 0 : HUGE_VAL;
}

/* "mpi:7": rank 7 has the seventh slot, whether it was wanted or not. */
static uint32_t find_slot(const struct ls_pool *pool, const struct ls_pool_claim *claim) {
  char text[PLACE_BYTES], again[PLACE_BYTES];
  uint32_t rank = 0;
  if (claim->place_length >= sizeof text) return 0;
  memcpy(text, claim->place, claim->place_length);
  text[claim->place_length] = '\0';
  if (sscanf(text, "mpi:%" SCNu32, &rank) != 1) return 0;
  (void)snprintf(again, sizeof again, "mpi:%" PRIu32, rank);
  bool is_ours = strcmp(text, again) == 0 && rank > 0 && rank <= pool->slots;
  return is_ours ? pool->first + rank - 1 : 0;
}

static void see(struct ls_pool *pool, uint32_t slot, enum ls_pool_sight sight) {
  (void)slot;
  pool->gone += sight == LS_POOL_SAW_END;
}

static struct ls_pool_counts get_counts(const struct ls_pool *pool) {
  return (struct ls_pool_counts){.granted =
                                     pool->granted > pool->gone ? pool->granted - pool->gone : 0};
}

static void close_mpi(struct ls_pool *pool, double patience_s) {
  (void)patience_s;
  if (pool == NULL) return;
  ls_pool_news_close(&pool->news);
  free(pool);
}

const struct ls_pool_kind ls_pool_mpi = {.name = "mpi",
                                         .grant_s = 1,
                                         .comes_once = true,
                                         .open = open_mpi,
                                         .request = request_workers,
                                         .kill = leave_alone,
                                         .poll = poll_news,
                                         .file = get_file,
                                         .patience_s = get_patience_s,
                                         .slot = find_slot,
                                         .see = see,
                                         .counts = get_counts,
                                         .close = close_mpi};
