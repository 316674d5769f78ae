#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/run/value_store.h"

static char folder[64], path[96];

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test-values-XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/j", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static struct ls_journal *open_journal(void) {
  struct ls_journal *journal = NULL;
  struct ls_error err = {0};
  struct ls_journal_job job = {.application = "run",
                               .command = "echo",
                               .directory = "/",
                               .policy = "ss",
                               .has_inputs = true};
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_RESUME, .job = &job};
  if (ls_journal_open(&request, &journal, &err) != LS_OK) fail_msg("%s", err.text);
  return journal;
}

/* Value i, of changing length; the empty one is among them. */
static void write_value(uint64_t i, char text[32]) {
  snprintf(text, 32, "%.*s%llu", (int)(i % 7), "xxxxxx", (unsigned long long)(i * i));
  if (i % 11 == 0) text[0] = '\0';
}

static void add(struct ls_value_store *store, uint64_t count) {
  char text[32];
  for (uint64_t i = 0; i < count; i++) {
    write_value(store->count, text);
    assert_int_equal(ls_value_store_add(store, text, strlen(text), NULL), LS_OK);
  }
}

static void expect(struct ls_value_store *store, uint64_t index) {
  char text[32];
  const char *value = NULL;
  struct ls_error err = {0};
  write_value(index, text);
  if (ls_value_store_read(store, index, &value, &err) != LS_OK) fail_msg("%s", err.text);
  assert_string_equal(value, text);
}

/* Released out of order, far more values than fit into one block. */
static void without_a_journal_values_stay_until_they_are_released(void **state) {
  (void)state;
  struct ls_value_store store = {0};
  add(&store, 5000);
  for (uint64_t i = 0; i < 5000; i += 2) ls_value_store_release(&store, (struct ls_range){i, 1});
  for (uint64_t i = 1; i < 5000; i += 2) {
    expect(&store, i);
    ls_value_store_release(&store, (struct ls_range){i, 1});
  }
  add(&store, 1);
  expect(&store, 5000);
  ls_value_store_close(&store);
}

/* Kept in portions of every size, and read in order, backwards and all over the place: memory holds
 * a part of them only. */
static void with_a_journal_memory_is_bounded_and_no_value_is_lost(void **state) {
  (void)state;
  enum { VALUES = 200000, LOADED = 64 };
  struct ls_value_store store = {0};
  struct ls_journal *journal = open_journal();
  assert_int_equal(ls_value_store_record(&store, journal, 0, NULL), LS_OK);
  for (uint64_t step = 1; store.count < VALUES; step = step * 3 % 4099 + 1) {
    add(&store, step);
    ls_value_store_keep(&store);
    assert_true(store.kept == store.count && store.loaded_count <= LOADED);
  }
  for (uint64_t i = 0; i < store.count; i += 7) expect(&store, i);
  for (uint64_t i = store.count; i > 13; i -= 13) expect(&store, i - 1);
  for (uint64_t i = 0; i < 2000; i++) expect(&store, i * UINT64_C(2654435761) % store.count);
  ls_value_store_release(&store, (struct ls_range){0, 4096});
  expect(&store, 100);
  assert_true(store.loaded_count <= LOADED);
  uint64_t count = store.count;
  ls_value_store_close(&store);
  assert_int_equal(ls_journal_commit(journal, NULL), LS_OK);
  ls_journal_close(journal);
  /* The next master goes on behind them. */
  journal = open_journal();
  assert_int_equal(ls_value_store_record(&store, journal, count, NULL), LS_OK);
  assert_true(store.count == count && store.loaded_count == 0);
  add(&store, 3);
  ls_value_store_keep(&store);
  for (uint64_t i = 0; i < 3; i++) expect(&store, count + i);
  expect(&store, count - 1);
  expect(&store, 0);
  ls_value_store_close(&store);
  ls_journal_close(journal);
}

static void long_values_take_few_blocks(void **state) {
  (void)state;
  enum { LENGTH = 1 << 16, VALUES = 4096 };
  struct ls_value_store store = {0};
  struct ls_journal *journal = open_journal();
  char *text = malloc(LENGTH);
  assert_non_null(text);
  memset(text, 'x', LENGTH);
  assert_int_equal(ls_value_store_record(&store, journal, 0, NULL), LS_OK);
  for (int i = 0; i < VALUES; i++) {
    assert_int_equal(ls_value_store_add(&store, text, LENGTH, NULL), LS_OK);
    if (i % 100 == 99) ls_value_store_keep(&store);
  }
  ls_value_store_keep(&store);
  assert_true(store.loaded_count <= 2);
  for (uint64_t i = 0; i < VALUES; i += 500) {
    const char *value = NULL;
    assert_int_equal(ls_value_store_read(&store, i, &value, NULL), LS_OK);
    assert_int_equal(strlen(value), LENGTH);
    assert_true(store.loaded_count <= 2);
  }
  free(text);
  ls_value_store_close(&store);
  ls_journal_close(journal);
}

static void what_the_journal_lacks_is_named(void **state) {
  (void)state;
  struct ls_value_store store = {0};
  struct ls_error err = {0};
  const char *value = NULL;
  struct ls_journal *journal = open_journal();
  assert_int_equal(ls_value_store_record(&store, journal, 3, NULL), LS_OK);
  assert_int_equal(ls_value_store_read(&store, 1, &value, &err), LS_ECORRUPT);
  assert_string_equal(err.text, "the journal lacks input 1");
  ls_value_store_close(&store);
  ls_journal_close(journal);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(without_a_journal_values_stay_until_they_are_released),
      TEST(with_a_journal_memory_is_bounded_and_no_value_is_lost),
      TEST(long_values_take_few_blocks),
      TEST(what_the_journal_lacks_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
