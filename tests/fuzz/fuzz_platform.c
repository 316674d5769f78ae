/* Any text is refused in words, or a platform whose own text says the same again. */
#include <assert.h>
#include <string.h>

#include "formats/platform_json.h"
#include "fuzz.h"
#include "model/platform.h"

/* One `count` in a short input makes a text of 100 MB: such a round trip shows nothing new. */
enum { WORKERS_MAX = 2000 };

static void check_round_trip(const struct ls_platform *platform) {
  struct ls_platform again = {0};
  struct ls_error err = {0};
  struct ls_bytes first = {0}, second = {0};
  ls_platform_write(platform, &first);
  enum ls_status status =
      ls_platform_read(&again, (struct ls_text){first.data, first.length, "own text"}, &err);
  assert(status == LS_OK && again.workers_count == platform->workers_count);
  (void)status;
  ls_platform_write(&again, &second);
  assert(!first.failed && strcmp(ls_bytes_text(&first), ls_bytes_text(&second)) == 0);
  ls_bytes_close(&first);
  ls_bytes_close(&second);
  ls_platform_close(&again);
}

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_accepts = false;
  struct ls_platform platform = {0};
  struct ls_error err = {0};
  if (ls_platform_read(&platform, (struct ls_text){(const char *)data, size, "input"}, &err) !=
      LS_OK) {
    assert(err.text[0] != '\0');
    return 0;
  }
  fuzz_accepts = true;
  assert(platform.workers_count >= 1);
  enum ls_status status = ls_platform_check(&platform, &err);
  assert(status == LS_OK);
  (void)status;
  if (platform.workers_count <= WORKERS_MAX) check_round_trip(&platform);
  ls_platform_close(&platform);
  return 0;
}
