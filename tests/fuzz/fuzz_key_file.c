/* Any text is refused in words, or holds keys whose own text says the same again. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/key_file.h"

bool fuzz_accepts;

static void try(const struct ls_text text, bool is_master) {
  struct ls_key_file keys, again;
  struct ls_error err = {0};
  struct ls_bytes written = {0};
  if (ls_key_file_read(text, is_master, &keys, &err) != LS_OK) {
    assert(err.text[0] != '\0');
    return;
  }
  fuzz_accepts = true;
  ls_key_file_write(&keys, &written);
  enum ls_status status = ls_key_file_read(
      (struct ls_text){written.data, written.length, "written"}, is_master, &again, &err);
  assert(status == LS_OK && memcmp(&keys, &again, sizeof keys) == 0);
  (void)status;
  ls_bytes_close(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct ls_text text = {(const char *)data, size, "fuzz"};
  fuzz_accepts = false;
  try(text, false);
  try(text, true);
  return 0;
}
