#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/blocks.h"

static struct ls_blocks blocks;

static void open_blocks(const struct ls_block_options *options, bool is_remote, bool has_sums) {
  const struct ls_blocks_setup setup = {options, is_remote, has_sums};
  struct ls_error err = {0};
  if (ls_blocks_open(&blocks, &setup, &err) != LS_OK) fail_msg("%s", err.text);
}

/* All blocks of a text that has come; their values one per line. */
static void cut_all(const char *text, struct ls_bytes *values) {
  struct ls_bytes arrived = {0}, value = {0};
  ls_bytes_append_text(&arrived, text);
  struct ls_input_cut cut = {.is_end = true, .value = &value};
  do {
    ls_bytes_clear(&value);
    cut.used = 0;
    assert_int_equal(ls_blocks_cut(&blocks, &arrived, &cut, NULL), LS_OK);
    memmove(arrived.data, arrived.data + cut.used, arrived.length - cut.used);
    arrived.length -= cut.used;
    if (value.length > 0) ls_bytes_printf(values, "%s\n", ls_bytes_text(&value));
  } while (cut.used > 0);
  assert_int_equal(arrived.length, 0);
  ls_bytes_close(&arrived);
  ls_bytes_close(&value);
}

static void stream_becomes_blocks_behind_its_header(void **state) {
  (void)state;
  const struct ls_block_options options = {.is_piped = true, .records = 2, .header = ":"};
  struct ls_bytes values = {0};
  open_blocks(&options, false, false);
  cut_all("h\na\nb\nc", &values);
  assert_string_equal(ls_bytes_text(&values), "bytes 2+4\nbytes 6+1\n");
  struct ls_block block;
  assert_int_equal(ls_blocks_of(&blocks, 1, 1, &block, NULL), LS_OK);
  assert_true(block.is_whole && block.length == 1);
  assert_int_equal(block.header_length, 2);
  assert_memory_equal(block.header, "h\n", 2);
  char byte = 0;
  FILE *file = fopen(block.path, "r");
  assert_non_null(file);
  assert_int_equal(fread(&byte, 1, 1, file), 1);
  assert_int_equal(byte, 'c');
  assert_int_equal(fclose(file), 0);
  assert_int_equal(ls_blocks_settle(&blocks, (struct ls_range){1, 1}, NULL), LS_OK);
  assert_int_equal(ls_blocks_of(&blocks, 1, 1, &block, NULL), LS_EIO);
  ls_bytes_close(&values);
  ls_blocks_close(&blocks);
}

static void other_machines_get_the_bytes(void **state) {
  (void)state;
  const struct ls_block_options options = {.is_piped = true, .lines = 2, .records = 1};
  struct ls_bytes values = {0};
  open_blocks(&options, true, true);
  cut_all("a\nb\na\nb\n", &values);
  /* The same bytes have the same sum. */
  const char *text = ls_bytes_text(&values), *second = strchr(text, '\n') + 1;
  assert_memory_equal(text, "bytes 0+4 ", 10);
  assert_memory_equal(second, "bytes 4+4 ", 10);
  assert_memory_equal(text + 10, second + 10, 32);
  struct ls_block block;
  assert_int_equal(ls_blocks_of(&blocks, 0, 1, &block, NULL), LS_OK);
  assert_string_equal(block.path, "");
  assert_memory_equal(block.data, "a\nb\n", 4);
  ls_bytes_close(&values);
  ls_blocks_close(&blocks);
}

static void file_becomes_parts_behind_its_header(void **state) {
  (void)state;
  char path[] = "/tmp/ls-blocks-XXXXXX";
  int file = mkstemp(path);
  assert_int_equal(write(file, "h\na\nbb\nccc\n", 11), 11);
  close(file);
  const struct ls_block_options options = {.is_part = true, .header = "1", .blocks_per_worker = 1};
  open_blocks(&options, false, false);
  assert_int_equal(ls_blocks_cut_file(&blocks, path, 2, NULL), LS_OK);
  assert_int_equal(blocks.parts.count, 2);
  struct ls_bytes text = {0};
  ls_blocks_describe_part(&blocks, 1, &text);
  assert_string_equal(ls_bytes_text(&text), "bytes 7+4");
  struct ls_block block;
  assert_int_equal(ls_blocks_of(&blocks, 1, 1, &block, NULL), LS_OK);
  assert_int_equal(block.offset, 7);
  assert_int_equal(block.source.bytes, 11);
  assert_memory_equal(block.header, "h\n", 2);
  ls_bytes_close(&text);
  ls_blocks_close(&blocks);
  unlink(path);
}

static void names_are_those_of_unit_and_slot(void **state) {
  (void)state;
  const struct ls_block_options options = {.is_piped = true, .form = LS_BLOCK_FILE};
  open_blocks(&options, true, false);
  assert_true(ls_blocks_has_name(&blocks));
  char first[80];
  snprintf(first, sizeof first, "%s", ls_blocks_name(&blocks, 4, 2));
  assert_memory_equal(first, "/tmp/loadstar-", 14);
  assert_string_equal(first + strlen(first) - 4, ".5.2");
  ls_blocks_close(&blocks);
}

/* However long its name is; other machines may not have it. */
static void names_are_in_the_folder_of_temporary_files(void **state) {
  (void)state;
  const struct ls_block_options options = {.is_piped = true, .form = LS_BLOCK_FIFO};
  char folder[300];
  memset(folder, 'x', sizeof folder);
  folder[0] = '/';
  folder[sizeof folder - 1] = '\0';
  assert_int_equal(setenv("TMPDIR", folder, 1), 0);
  open_blocks(&options, false, false);
  const char *name = ls_blocks_name(&blocks, 0, 1);
  assert_memory_equal(name, folder, strlen(folder));
  assert_memory_equal(name + strlen(folder), "/loadstar-", 10);
  assert_string_equal(name + strlen(folder) + 10 + 16, ".1.1");
  ls_blocks_close(&blocks);
  open_blocks(&options, true, false);
  assert_memory_equal(ls_blocks_name(&blocks, 0, 1), "/tmp/loadstar-", 14);
  ls_blocks_close(&blocks);
  assert_int_equal(unsetenv("TMPDIR"), 0);
}

static void header_may_be_an_expression(void **state) {
  (void)state;
  const struct ls_block_options options = {
      .is_piped = true, .records = 1, .header = "(#.*\\n)*", .removes = true};
  struct ls_bytes values = {0};
  open_blocks(&options, true, false);
  cut_all("#a\n#b\nc\n#d\n", &values);
  assert_string_equal(ls_bytes_text(&values), "bytes 6+2\nbytes 8+3\n");
  assert_int_equal(blocks.header.length, 6);
  /* What separates the records is gone. */
  struct ls_block block;
  assert_int_equal(ls_blocks_of(&blocks, 1, 1, &block, NULL), LS_OK);
  assert_int_equal(block.length, 2);
  assert_memory_equal(block.data, "#d", 2);
  ls_blocks_close(&blocks);
  ls_bytes_clear(&values);
  /* It matches nothing here. */
  open_blocks(&options, true, false);
  cut_all("c\n", &values);
  assert_string_equal(ls_bytes_text(&values), "bytes 0+2\n");
  ls_bytes_close(&values);
  ls_blocks_close(&blocks);
}

/* Whatever the size of a block, some wait, and they take bounded memory. */
static void fewer_large_blocks_wait(void **state) {
  (void)state;
  struct ls_block_options options = {.is_piped = true, .bytes = 1 << 20};
  open_blocks(&options, false, false);
  assert_int_equal(ls_blocks_most(&blocks), 64);
  ls_blocks_close(&blocks);
  options.bytes = (uint64_t)1 << 40;
  open_blocks(&options, false, false);
  assert_int_equal(ls_blocks_most(&blocks), 2);
  ls_blocks_close(&blocks);
}

static void wrong_header_is_refused(void **state) {
  (void)state;
  struct ls_error err;
  const struct ls_block_options options = {.is_piped = true, .header = "(x"};
  const struct ls_blocks_setup setup = {.options = &options};
  assert_int_equal(ls_blocks_open(&blocks, &setup, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--header is '(x'"));
  ls_blocks_close(&blocks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stream_becomes_blocks_behind_its_header),
      cmocka_unit_test(other_machines_get_the_bytes),
      cmocka_unit_test(file_becomes_parts_behind_its_header),
      cmocka_unit_test(names_are_those_of_unit_and_slot),
      cmocka_unit_test(names_are_in_the_folder_of_temporary_files),
      cmocka_unit_test(header_may_be_an_expression),
      cmocka_unit_test(fewer_large_blocks_wait),
      cmocka_unit_test(wrong_header_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
