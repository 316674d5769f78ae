/* Any bytes are refused in words, or say where the pixels are; any messages have a short reason in
 * one line. */
#include <assert.h>
#include <string.h>

#include "../../apps/raytrace/povray_output.h"
#include "fuzz.h"

bool fuzz_accepts;

static void assert_reason(struct ls_text messages) {
  struct ls_bytes reason = {0};
  povray_write_reason(messages, &reason);
  assert(reason.length > 0 && reason.length <= 300);
  for (size_t i = 0; i < reason.length; i++) assert(reason.data[i] >= ' ' && reason.data[i] < 127);
  ls_bytes_close(&reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct ls_text text = {(const char *)data, size, "fuzz"};
  struct ls_error err = {0};
  size_t at = 0;
  fuzz_accepts = povray_find_pixels(&text, (struct picture_size){4, 3}, &at, &err) == LS_OK;
  if (fuzz_accepts) {
    assert(at >= 10 && at <= size && memcmp(data, "P6", 2) == 0);
  } else {
    assert(err.text[0] != '\0');
  }
  assert_reason(text);
  return 0;
}
