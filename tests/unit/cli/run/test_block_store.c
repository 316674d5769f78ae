#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/run/block_store.h"

static void blocks_are_kept_until_they_are_settled(void **state) {
  (void)state;
  struct ls_block_store store = {0};
  const struct ls_stored_block *block = NULL;
  struct ls_bytes out = {0};
  assert_int_equal(ls_block_store_add(&store, 0, "abc", 3, NULL), LS_OK);
  assert_int_equal(ls_block_store_add(&store, 3, "de\0", 3, NULL), LS_OK);
  assert_int_equal(ls_block_store_read(&store, 1, &out, NULL), LS_OK);
  assert_int_equal(out.length, 3);
  assert_memory_equal(out.data, "de\0", 3);
  assert_int_equal(ls_block_store_find(&store, 1, &block, NULL), LS_OK);
  assert_int_equal(block->offset, 3);
  assert_true(block->is_in_memory);
  assert_int_equal(store.bytes, 6);
  assert_int_equal(ls_block_store_settle(&store, (struct ls_range){0, 1}, NULL), LS_OK);
  assert_int_equal(store.bytes, 3);
  struct ls_error err;
  assert_int_equal(ls_block_store_find(&store, 0, &block, &err), LS_EIO);
  assert_string_equal(err.text, "block 1 is not there any more");
  assert_int_equal(ls_block_store_find(&store, 2, &block, &err), LS_EIO);
  ls_bytes_close(&out);
  ls_block_store_close(&store);
}

static void what_was_settled_before_it_came_is_not_kept(void **state) {
  (void)state;
  struct ls_block_store store = {0};
  assert_int_equal(ls_block_store_settle(&store, (struct ls_range){1, 2}, NULL), LS_OK);
  assert_int_equal(store.count, 0);
  for (uint64_t i = 0; i < 4; i++)
    assert_int_equal(ls_block_store_add(&store, 2 * i, "xy", 2, NULL), LS_OK);
  assert_int_equal(store.bytes, 4);
  const struct ls_stored_block *block;
  assert_int_equal(ls_block_store_find(&store, 3, &block, NULL), LS_OK);
  assert_int_equal(ls_block_store_find(&store, 2, &block, NULL), LS_EIO);
  ls_block_store_close(&store);
}

static void all_of_a_descriptor_is_one_block(void **state) {
  (void)state;
  struct ls_block_store store = {0};
  struct ls_bytes out = {0};
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "data", 4), 4);
  close(ends[1]);
  assert_int_equal(ls_block_store_copy(&store, ends[0], NULL), LS_OK);
  close(ends[0]);
  assert_int_equal(ls_block_store_read(&store, 0, &out, NULL), LS_OK);
  assert_int_equal(out.length, 4);
  assert_memory_equal(out.data, "data", 4);
  struct ls_error err;
  assert_int_equal(ls_block_store_copy(&store, -1, &err), LS_EINVAL);
  ls_bytes_close(&out);
  ls_block_store_close(&store);
}

/* No file of this process may grow beyond so many bytes: as where there is no room. */
static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Whoever reads it is to know whether memory or the folder of temporary files lacks room. */
static void where_there_is_no_room_is_said(void **state) {
  static const char *const words[2] = {"TMPDIR", "a block cannot be kept in memory: "};
  (void)state;
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  for (int is_in_memory = 0; is_in_memory < 2; is_in_memory++) {
    struct ls_block_store store = {0};
    struct ls_error err = {0};
    store.memory_bytes = is_in_memory ? 0 : LS_BLOCK_STORE_MEMORY_BYTES;
    limit_files(2);
    enum ls_status status = ls_block_store_add(&store, 0, "abc", 3, &err);
    limit_files(before.rlim_cur);
    assert_int_equal(status, LS_EIO);
    if (strstr(err.text, words[is_in_memory]) == NULL) fail_msg("%s", err.text);
    assert_null(strstr(err.text, words[!is_in_memory]));
    ls_block_store_close(&store);
  }
  (void)signal(SIGXFSZ, handler);
}

/* The next one goes to a file, and room in memory that is free again is used again. */
static void memory_holds_so_much_and_no_more(void **state) {
  (void)state;
  struct ls_block_store store = {0};
  const struct ls_stored_block *block = NULL;
  store.memory_bytes = LS_BLOCK_STORE_MEMORY_BYTES - 3;
  for (uint64_t i = 0; i < 2; i++)
    assert_int_equal(ls_block_store_add(&store, 3 * i, "abc", 3, NULL), LS_OK);
  for (uint64_t i = 0; i < 2; i++) {
    assert_int_equal(ls_block_store_find(&store, i, &block, NULL), LS_OK);
    assert_true(block->is_in_memory == (i == 0));
  }
  assert_int_equal(store.memory_bytes, LS_BLOCK_STORE_MEMORY_BYTES);
  for (uint64_t i = 2; i-- > 0;) {
    assert_int_equal(ls_block_store_settle(&store, (struct ls_range){i, 1}, NULL), LS_OK);
    assert_int_equal(store.memory_bytes, LS_BLOCK_STORE_MEMORY_BYTES - (i == 0 ? 3 : 0));
  }
  ls_block_store_close(&store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_kept_until_they_are_settled),
      cmocka_unit_test(what_was_settled_before_it_came_is_not_kept),
      cmocka_unit_test(all_of_a_descriptor_is_one_block),
      cmocka_unit_test(where_there_is_no_room_is_said),
      cmocka_unit_test(memory_holds_so_much_and_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
