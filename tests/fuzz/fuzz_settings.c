/* Any text is refused in words, or settings whose own text says the same again. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "runtime/execute/settings.h"

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_accepts = false;
  struct ls_settings settings = {0}, again = {0};
  struct ls_error err = {0};
  if (ls_settings_read(&settings, data, size, &err) != LS_OK) {
    assert(err.text[0] != '\0');
    return 0;
  }
  fuzz_accepts = true;
  struct ls_bytes first = {0}, second = {0};
  ls_settings_write(&settings, &first);
  enum ls_status status = ls_settings_read(&again, first.data, first.length, &err);
  assert(status == LS_OK);
  (void)status;
  ls_settings_write(&again, &second);
  assert(!first.failed && strcmp(ls_bytes_text(&first), ls_bytes_text(&second)) == 0);
  ls_bytes_close(&first);
  ls_bytes_close(&second);
  ls_settings_close(&settings);
  ls_settings_close(&again);
  return 0;
}
