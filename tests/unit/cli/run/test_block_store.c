#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_kept_until_they_are_settled),
      cmocka_unit_test(what_was_settled_before_it_came_is_not_kept),
      cmocka_unit_test(all_of_a_descriptor_is_one_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
