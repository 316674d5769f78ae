/* Any input is a row of commands up to some point, and refused in words there. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/command.h"

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ls_command command = {0}, again = {0};
  struct ls_error err = {0};
  struct ls_bytes bytes = {0};
  size_t offset = 0, before = 0;
  while (offset < size && ls_command_decode(&command, data, size, &offset, &err) == LS_OK) {
    assert(offset > before && command.argv_count >= 1);
    assert(command.argv[command.argv_count] == NULL);
    before = offset;
    ls_bytes_clear(&bytes);
    const struct ls_command_goods goods = {command.is_staged ? &command.staging : NULL,
                                           command.has_block ? &command.block : NULL};
    ls_command_encode((const char *const *)command.argv, command.argv_count, &goods, &bytes);
    size_t start = 0;
    enum ls_status status = ls_command_decode(&again, bytes.data, bytes.length, &start, &err);
    assert(status == LS_OK && start == bytes.length && again.argv_count == command.argv_count);
    (void)status;
    for (size_t i = 0; i < again.argv_count; i++) {
      assert(strcmp(again.argv[i], command.argv[i]) == 0);
    }
    assert(again.is_staged == command.is_staged && again.has_block == command.has_block);
    if (command.has_block) {
      const struct ls_block *block = &command.block, *copy = &again.block;
      assert(strcmp(block->path, copy->path) == 0 && strcmp(block->name, copy->name) == 0);
      assert(block->offset == copy->offset && block->length == copy->length);
      assert(block->header_length == copy->header_length && block->form == copy->form);
      assert(block->length == 0 || block->path[0] != '\0' ||
             memcmp(block->data, copy->data, block->length) == 0);
      (void)copy;
    }
    assert(again.staging.inputs_count == command.staging.inputs_count);
    assert(again.staging.outputs_count == command.staging.outputs_count);
    assert(again.staging.returns_failed == command.staging.returns_failed);
    for (size_t i = 0; i < again.staging.outputs_count; i++)
      assert(strcmp(again.outputs[i], command.outputs[i]) == 0);
    for (size_t i = 0; i < again.staging.inputs_count; i++) {
      assert(strcmp(again.inputs[i].name, command.inputs[i].name) == 0);
      assert(again.inputs[i].bytes == command.inputs[i].bytes);
    }
  }
  assert(offset == before && (offset == size || err.text[0] != '\0'));
  fuzz_accepts = offset == size;
  ls_command_close(&command);
  ls_command_close(&again);
  ls_bytes_close(&bytes);
  return 0;
}
