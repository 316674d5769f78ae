/* cache_fixture.h: a cache in a folder of the test's own. */
#ifndef LS_TEST_CACHE_FIXTURE_H
#define LS_TEST_CACHE_FIXTURE_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/files/cache.h"
#include "runtime/os/tree.h"

static char fixture_parent[] = "/tmp/loadstar-test-XXXXXX";
static struct ls_scratch fixture_scratch = {.folder = -1};

static inline int fixture_set_up(void **state) {
  (void)state;
  static const struct ls_scratch_setup run = {.run = {4}};
  if (mkdtemp(fixture_parent) == NULL || setenv("TMPDIR", fixture_parent, 1) != 0) return -1;
  return ls_scratch_open(&fixture_scratch, &run, NULL) == LS_OK ? 0 : -1;
}

static inline int fixture_tear_down(void **state) {
  (void)state;
  ls_scratch_close(&fixture_scratch);
  return rmdir(fixture_parent);
}

static inline struct ls_cache fixture_open(uint64_t bytes_max) {
  struct ls_cache cache = {.files = -1, .pins = -1};
  struct ls_error err = {0};
  if (ls_cache_open(&cache, &fixture_scratch, bytes_max, &err) != LS_OK) fail_msg("%s", err.text);
  return cache;
}

static inline void fixture_close(struct ls_cache *cache) {
  ls_tree_empty(cache->files, NULL);
  ls_cache_close(cache);
}

/* The name of `length` bytes 'x', and what stands for them in a task. */
static inline struct ls_staged_input fixture_input(const char *name, const char *data) {
  struct ls_staged_input input = {.name = name, .bytes = strlen(data)};
  struct ls_content content;
  ls_content_begin(&content);
  ls_content_add(&content, data, strlen(data));
  ls_content_end(&content, input.content);
  return input;
}

static inline struct ls_staged_input fixture_bring(struct ls_cache *cache, const char *name,
                                                   const char *data) {
  struct ls_staged_input input = fixture_input(name, data);
  struct ls_cache_arrival arrival = {.file = -1};
  assert_int_equal(ls_cache_begin(cache, &arrival, input.content, input.bytes, NULL), LS_OK);
  assert_int_equal(ls_cache_add(&arrival, data, strlen(data), NULL), LS_OK);
  assert_int_equal(ls_cache_end(cache, &arrival, NULL), LS_OK);
  return input;
}

static inline bool fixture_has(struct ls_cache *cache, const struct ls_staged_input *input) {
  bool is_there = ls_cache_pin(cache, input->content, input->bytes);
  if (is_there) ls_cache_unpin(cache, input->content);
  return is_there;
}

#endif
