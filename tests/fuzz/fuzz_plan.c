/* Any text is refused in words, or a plan that can be replayed, is found possible, and whose own
 * text says the same again. */
#include <assert.h>
#include <string.h>

#include "formats/plan_json.h"
#include "fuzz.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/replay.h"
#include "model/validate.h"

/* Three workers, of which the last one replies. */
static void make_platform(struct ls_platform *platform) {
  enum ls_status status = ls_platform_init(platform, 3, NULL);
  assert(status == LS_OK);
  (void)status;
  for (size_t i = 0; i < 3; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.5, 0.25};
    platform->workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 1.0 + (double)i};
  }
  platform->workers[2].costs[LS_OPERATION_REPLY] = (struct ls_cost){0.25, 0.125};
}

static void check_plan(const struct ls_plan *plan, const struct ls_platform *platform) {
  struct ls_plan again = {0};
  struct ls_error err = {0};
  struct ls_bytes first = {0}, second = {0};
  ls_plan_write(plan, platform, &first);
  assert(!first.failed);
  enum ls_status status =
      ls_plan_read(&again, (struct ls_text){first.data, first.length, "own text"}, platform, &err);
  assert(status == LS_OK && again.chunks_count == plan->chunks_count);
  (void)status;
  ls_plan_write(&again, platform, &second);
  assert(strcmp(ls_bytes_text(&first), ls_bytes_text(&second)) == 0);
  ls_bytes_close(&first);
  ls_bytes_close(&second);
  ls_plan_close(&again);
}

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_accepts = false;
  struct ls_platform platform = {0};
  struct ls_plan plan = {0}, chunks = {0};
  struct ls_error err = {0};
  make_platform(&platform);
  if (ls_plan_read(&plan, (struct ls_text){(const char *)data, size, "input"}, &platform, &err) ==
      LS_OK) {
    fuzz_accepts = true;
    check_plan(&plan, &platform);
    ls_plan_close(&plan);
  } else {
    assert(err.text[0] != '\0');
  }
  if (ls_plan_read_chunks(&chunks, (struct ls_text){(const char *)data, size, "input"}, 3, &err) ==
      LS_OK) {
    fuzz_accepts = true;
    for (size_t i = 0; i < chunks.chunks_count; i++) {
      assert(chunks.chunks[i].worker < 3 && chunks.chunks[i].units > 0);
    }
    ls_plan_close(&chunks);
  }
  ls_platform_close(&platform);
  return 0;
}
