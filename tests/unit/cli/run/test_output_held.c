#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cli/run/output_held.h"
#include "runtime/os/temporary.h"

static struct ls_output make(size_t bytes, unsigned seed, bool is_file) {
  char *data = malloc(bytes + 1);
  for (size_t i = 0; i < bytes; i++) data[i] = (char)((i / 7 + seed) % 13 + 'a');
  if (!is_file) return (struct ls_output){data, bytes, -1};
  struct ls_output output = {NULL, bytes, ls_temporary_file(NULL)};
  assert_int_equal(write(output.file, data, bytes), bytes);
  free(data);
  return output;
}

static void drop(struct ls_output *output) {
  if (output->file >= 0) close(output->file);
  free((void *)output->data);
}

static void expect_stream(FILE *file, const struct ls_output *first,
                          const struct ls_output *second) {
  struct ls_bytes all = {0};
  char block[4096];
  size_t got;
  rewind(file);
  while ((got = fread(block, 1, sizeof block, file)) > 0) ls_bytes_append(&all, block, got);
  assert_int_equal(all.length, first->length + second->length);
  assert_memory_equal(all.data, first->data, first->length);
  assert_memory_equal(all.data + first->length, second->data, second->length);
  ls_bytes_close(&all);
}

/* Whatever their order, the bytes come out as they went in. */
static void go_through(bool compresses, bool is_file) {
  struct ls_output first = make(300000, 1, false), second = make(10, 2, false);
  struct ls_output given[2] = {make(300000, 1, is_file), make(10, 2, is_file)};
  const struct ls_output nothing = {.file = -1};
  const struct ls_output *a[2] = {&given[0], &nothing}, *b[2] = {&given[1], &given[1]};
  FILE *files[2] = {tmpfile(), tmpfile()};
  struct ls_writer *writer = NULL;
  assert_int_equal(
      ls_writer_open((const int[2]){fileno(files[0]), fileno(files[1])}, false, &writer, NULL),
      LS_OK);
  struct ls_held held = ls_held_make(compresses);
  uint64_t places[2];
  assert_int_equal(ls_held_put(&held, b, &places[0], NULL), LS_OK);
  assert_int_equal(ls_held_put(&held, a, &places[1], NULL), LS_OK);
  if (compresses)
    assert_true(held.bytes < 100000);
  else
    assert_true(held.bytes > 300000);
  assert_int_equal(ls_held_give(&held, places[1], writer, NULL), LS_OK);
  assert_int_equal(held.count, 1);
  assert_int_equal(ls_held_give(&held, places[0], writer, NULL), LS_OK);
  /* Nothing is held: the space is free again. */
  assert_true(held.count == 0 && held.bytes == 0);
  assert_int_equal(ls_writer_finish(writer, NULL, NULL), LS_OK);
  expect_stream(files[0], &first, &second);
  expect_stream(files[1], &second, &nothing);
  ls_writer_close(writer);
  ls_held_close(&held);
  drop(&first);
  drop(&second);
  for (int i = 0; i < 2; i++) drop(&given[i]);
  for (int i = 0; i < 2; i++) fclose(files[i]);
}

static void outputs_come_out_as_they_went_in(void **state) {
  (void)state;
  go_through(false, false);
  go_through(false, true);
}

static void compressed_ones_do_so_too_and_are_smaller(void **state) {
  (void)state;
  go_through(true, false);
  go_through(true, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_come_out_as_they_went_in),
      cmocka_unit_test(compressed_ones_do_so_too_and_are_smaller),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
