/* pool_fixture.h: a pool that notes what is asked of it, and tells what the test says. */
#ifndef LS_TESTS_UNIT_RUNTIME_POOL_FIXTURE_H
#define LS_TESTS_UNIT_RUNTIME_POOL_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/pool/pools.h"

/* setup.own */
struct noted {
  struct ls_pool_counts counts;
  uint32_t first, killed;
  size_t asked, news_count;
  struct ls_pool_news news[4]; /* to tell, the first one first */
  int file;
  double patience_s, close_patience_s;
  bool is_open, does_fail;
};

static inline struct noted *noted_of(const struct ls_pool *pool) {
  return (struct noted *)pool;
}

static inline enum ls_status noted_open(const struct ls_pool_setup *setup, struct ls_pool **out,
                                        struct ls_error *err) {
  struct noted *noted = setup->own;
  if (noted->does_fail) return ls_fail(err, LS_EIO, "no such pool");
  noted->first = setup->first_slot;
  noted->is_open = true;
  *out = (struct ls_pool *)noted;
  return LS_OK;
}

static inline void noted_request(struct ls_pool *pool, size_t n) {
  noted_of(pool)->asked += n;
}

static inline void noted_kill(struct ls_pool *pool, uint32_t slot) {
  noted_of(pool)->killed = slot;
}

static inline bool noted_poll(struct ls_pool *pool, struct ls_pool_news *news) {
  struct noted *noted = noted_of(pool);
  if (noted->news_count == 0) return false;
  *news = noted->news[0];
  --noted->news_count;
  memmove(noted->news, noted->news + 1, noted->news_count * sizeof *noted->news);
  return true;
}

static inline int noted_file(const struct ls_pool *pool) {
  return noted_of(pool)->file;
}

static inline double noted_patience_s(const struct ls_pool *pool) {
  return noted_of(pool)->patience_s;
}

static inline uint32_t noted_slot(const struct ls_pool *pool, const struct ls_pool_claim *claim) {
  return claim->pid == noted_of(pool)->first ? noted_of(pool)->first : 0;
}

static inline struct ls_pool_counts noted_counts(const struct ls_pool *pool) {
  return noted_of(pool)->counts;
}

static inline void noted_close(struct ls_pool *pool, double patience_s) {
  noted_of(pool)->close_patience_s = patience_s;
  noted_of(pool)->is_open = false;
}

static const struct ls_pool_kind noted_kind = {.name = "noted",
                                               .open = noted_open,
                                               .request = noted_request,
                                               .kill = noted_kill,
                                               .poll = noted_poll,
                                               .file = noted_file,
                                               .patience_s = noted_patience_s,
                                               .slot = noted_slot,
                                               .counts = noted_counts,
                                               .close = noted_close};

#endif
