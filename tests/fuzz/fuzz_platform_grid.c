/* Any text is refused in words, or a grid whose platforms are platforms. */
#include <assert.h>
#include <string.h>

#include "formats/platform_grid_json.h"
#include "fuzz.h"

/* A short input may ask for many workers, and to build them shows nothing new. */
enum { WORKERS_MAX = 2000 };

static void check_platform(const struct ls_platform_grid *grid, size_t block, size_t index) {
  struct ls_platform platform;
  struct ls_error err = {0};
  struct ls_grid_point point = ls_platform_grid_point(grid, block, index);
  if (point.values[LS_GRID_WORKERS] > WORKERS_MAX) return;
  enum ls_status status = ls_platform_grid_make(grid, &point, &platform, &err);
  assert(status == LS_OK);
  status = ls_platform_check(&platform, &err);
  assert(status == LS_OK);
  (void)status;
  ls_platform_close(&platform);
}

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_accepts = false;
  struct ls_platform_grid grid;
  struct ls_error err = {0};
  if (ls_platform_grid_read(&grid, (struct ls_text){(const char *)data, size, "input"}, &err) !=
      LS_OK) {
    assert(err.text[0] != '\0');
    return 0;
  }
  fuzz_accepts = true;
  assert(ls_platform_grid_count(&grid) >= 1);
  check_platform(&grid, 0, 0);
  check_platform(&grid, grid.blocks - 1, grid.block_platforms - 1);
  check_platform(&grid, grid.blocks / 2, grid.block_platforms / 2);
  ls_platform_grid_close(&grid);
  return 0;
}
