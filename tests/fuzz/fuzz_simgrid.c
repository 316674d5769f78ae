/* Any text is refused in words, or is a star that can be written and read again. */
#include <assert.h>
#include <string.h>

#include "formats/platform_simgrid.h"
#include "fuzz.h"

/* Extreme costs have speeds that are infinite or 0; their text is refused, which is an answer. */
static void check_round_trip(const struct ls_platform *platform,
                             const struct ls_simgrid_unit *unit) {
  struct ls_platform again = {0};
  struct ls_error err = {0};
  struct ls_bytes text = {0};
  if (ls_platform_write_simgrid(platform, unit, &text, &err) == LS_OK &&
      ls_platform_read_simgrid(&again, (struct ls_text){text.data, text.length, "own text"}, unit,
                               &err) == LS_OK) {
    assert(again.workers_count == platform->workers_count);
    for (size_t i = 0; i < again.workers_count; i++) {
      assert(strcmp(again.workers[i].name, platform->workers[i].name) == 0);
    }
    ls_platform_close(&again);
  } else {
    assert(err.text[0] != '\0');
  }
  ls_bytes_close(&text);
}

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_accepts = false;
  struct ls_platform platform = {0};
  struct ls_error err = {0};
  struct ls_simgrid_unit unit = ls_simgrid_unit_default();
  if (ls_platform_read_simgrid(&platform, (struct ls_text){(const char *)data, size, "input"},
                               &unit, &err) != LS_OK) {
    assert(strncmp(err.text, "input: ", strlen("input: ")) == 0);
    return 0;
  }
  fuzz_accepts = true;
  assert(platform.workers_count >= 1);
  enum ls_status status = ls_platform_check(&platform, &err);
  assert(status == LS_OK);
  (void)status;
  check_round_trip(&platform, &unit);
  ls_platform_close(&platform);
  return 0;
}
