/* A block reaches its worker with every field, behind the words and files of its command. */
#include "protocol/block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "protocol/command.h"

static const char *const words[] = {"wc", "-l"};

static void encode(const struct ls_block *block, const struct ls_staging *staging,
                   struct ls_bytes *out) {
  const struct ls_command_goods goods = {.staging = staging, .block = block};
  ls_command_encode(words, 2, &goods, out);
  assert_false(out->failed);
}

static void bytes_travel_with_the_command(void **state) {
  (void)state;
  struct ls_bytes input = {0};
  struct ls_command command = {0};
  struct ls_error err;
  size_t offset = 0;
  struct ls_block block = {.name = "",
                           .path = "",
                           .header = "h\n",
                           .header_length = 2,
                           .offset = 77,
                           .length = 4,
                           .data = "a\0b\n"};
  encode(&block, NULL, &input);
  encode(&block, NULL, &input);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ls_command_decode(&command, input.data, input.length, &offset, &err), LS_OK);
    assert_true(command.has_block);
    assert_false(command.is_staged);
    assert_int_equal(command.argv_count, 2);
    assert_string_equal(command.block.path, "");
    assert_int_equal(command.block.offset, 77);
    assert_int_equal(command.block.length, 4);
    assert_memory_equal(command.block.data, "a\0b\n", 4);
    assert_int_equal(command.block.header_length, 2);
    assert_memory_equal(command.block.header, "h\n", 2);
  }
  assert_int_equal(offset, input.length);
  ls_command_close(&command);
  ls_bytes_close(&input);
}

static void places_in_files_travel_behind_staged_files(void **state) {
  (void)state;
  struct ls_bytes input = {0};
  struct ls_command command = {0};
  struct ls_error err;
  size_t offset = 0;
  const char *const outputs[] = {"out"};
  const struct ls_staging staging = {.outputs = outputs, .outputs_count = 1};
  struct ls_block block = {.form = LS_BLOCK_FIFO,
                           .name = "/tmp/n",
                           .path = "/data/big",
                           .offset = 1,
                           .length = INT64_MAX - 1,
                           .is_whole = true,

                           .source = {.bytes = 5, .modified_ns = UINT64_MAX, .inode = 9}};
  encode(&block, &staging, &input);
  assert_int_equal(ls_command_decode(&command, input.data, input.length, &offset, &err), LS_OK);
  assert_true(command.has_block && command.is_staged);
  assert_string_equal(command.outputs[0], "out");
  assert_int_equal(command.block.form, LS_BLOCK_FIFO);
  assert_string_equal(command.block.name, "/tmp/n");
  assert_string_equal(command.block.path, "/data/big");
  assert_true(command.block.is_whole);
  assert_int_equal(command.block.length, INT64_MAX - 1);
  assert_int_equal(command.block.source.bytes, 5);
  assert_true(command.block.source.modified_ns == UINT64_MAX);
  assert_int_equal(command.block.source.inode, 9);
  /* The next command has none. */
  ls_bytes_clear(&input);
  offset = 0;
  ls_command_encode(words, 2, NULL, &input);
  assert_int_equal(ls_command_decode(&command, input.data, input.length, &offset, &err), LS_OK);
  assert_false(command.has_block);
  ls_command_close(&command);
  ls_bytes_close(&input);
}

static void assert_refused(const struct ls_block *block, const char *reason) {
  struct ls_bytes input = {0};
  struct ls_command command = {0};
  struct ls_error err = {0};
  size_t offset = 0;
  encode(block, NULL, &input);
  assert_int_equal(ls_command_decode(&command, input.data, input.length, &offset, &err),
                   LS_ECORRUPT);
  if (strstr(err.text, reason) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, reason);
  assert_false(command.has_block);
  ls_command_close(&command);
  ls_bytes_close(&input);
}

static void what_is_no_block_is_refused(void **state) {
  (void)state;
  assert_refused(&(struct ls_block){.name = "x", .path = "/p"}, "name");
  assert_refused(&(struct ls_block){.form = LS_BLOCK_FILE, .name = "", .path = "/p"}, "name");
  assert_refused(&(struct ls_block){.form = LS_BLOCK_FORMS, .name = "", .path = "/p"}, "form");
  assert_refused(&(struct ls_block){.name = "", .path = "/p", .offset = 2, .length = INT64_MAX},
                 "length");
}

static void shortened_blocks_are_refused(void **state) {
  (void)state;
  struct ls_bytes input = {0};
  const struct ls_block block = {.name = "", .path = "/p", .length = 3};
  encode(&block, NULL, &input);
  for (size_t length = 0; length < input.length; length++) {
    struct ls_command command = {0};
    struct ls_error err;
    size_t offset = 0;
    char *exact = malloc(length + 1);
    assert_non_null(exact);
    memcpy(exact, input.data, length);
    assert_int_equal(ls_command_decode(&command, exact, length, &offset, &err), LS_ECORRUPT);
    free(exact);
    ls_command_close(&command);
  }
  ls_bytes_close(&input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_travel_with_the_command),
      cmocka_unit_test(places_in_files_travel_behind_staged_files),
      cmocka_unit_test(what_is_no_block_is_refused),
      cmocka_unit_test(shortened_blocks_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
