/* Any text is refused in words that name a column, or is a platform that the JSON form can hold. */
#include <assert.h>
#include <string.h>

#include "formats/platform_json.h"
#include "formats/platform_line.h"
#include "fuzz.h"

/* As in fuzz_platform.c: a large count shows nothing new. */
enum { WORKERS_MAX = 2000 };

static void check_json(const struct ls_platform *platform) {
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
  if (ls_platform_read_line(&platform, (struct ls_text){(const char *)data, size, "input"}, &err) !=
      LS_OK) {
    assert(strncmp(err.text, "input: ", strlen("input: ")) == 0);
    return 0;
  }
  fuzz_accepts = true;
  assert(platform.workers_count >= 1);
  enum ls_status status = ls_platform_check(&platform, &err);
  assert(status == LS_OK);
  (void)status;
  if (platform.workers_count <= WORKERS_MAX) check_json(&platform);
  ls_platform_close(&platform);
  return 0;
}
