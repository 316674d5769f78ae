#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/os/shared_memory.h"

static struct ls_shared_memory open_memory(void) {
  struct ls_shared_memory memory;
  assert_int_equal(ls_shared_memory_open(&memory, NULL), LS_OK);
  return memory;
}

static void growth_keeps_what_is_there(void **state) {
  (void)state;
  struct ls_shared_memory memory = open_memory();
  assert_true(ls_shared_memory_grow(&memory, 3));
  memcpy(memory.data, "abc", 3);
  for (size_t bytes = 100; bytes < 20000000; bytes *= 7) {
    assert_true(ls_shared_memory_grow(&memory, bytes));
    assert_true(memory.capacity >= bytes);
    memory.data[bytes - 1] = 'z';
  }
  assert_memory_equal(memory.data, "abc", 3);
  ls_shared_memory_close(&memory);
  assert_int_equal(memory.file, -1);
  ls_shared_memory_close(&memory);
}

/* The child lets it grow beyond what the parent had mapped when it forked. */
static void what_a_child_writes_is_seen_by_its_parent(void **state) {
  (void)state;
  enum { BYTES = 5000000 };
  struct ls_shared_memory memory = open_memory();
  assert_true(ls_shared_memory_grow(&memory, 10));
  pid_t child = fork();
  if (child == 0) {
    bool is_well = ls_shared_memory_grow(&memory, BYTES);
    if (is_well) memset(memory.data, 'x', BYTES);
    _exit(is_well ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_true(ls_shared_memory_follow(&memory, BYTES));
  for (size_t i = 0; i < BYTES; i++) assert_int_equal(memory.data[i], 'x');
  ls_shared_memory_close(&memory);
}

/* Else a look at them would end the process. */
static void bytes_that_nobody_made_are_not_followed(void **state) {
  (void)state;
  struct ls_shared_memory memory = open_memory();
  assert_false(ls_shared_memory_follow(&memory, 1));
  assert_true(ls_shared_memory_grow(&memory, 10));
  assert_false(ls_shared_memory_follow(&memory, memory.capacity + 1));
  assert_false(ls_shared_memory_grow(&memory, SIZE_MAX));
  assert_false(ls_shared_memory_grow(&memory, ((size_t)1 << 30) + 1));
  memory.data[9] = 'a';
  ls_shared_memory_close(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(growth_keeps_what_is_there),
      cmocka_unit_test(what_a_child_writes_is_seen_by_its_parent),
      cmocka_unit_test(bytes_that_nobody_made_are_not_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
