/* Any input is a row of bundles up to some point, and refused in words there; whatever is a bundle
 * makes commands, or says which input is too long. */
#include <assert.h>

#include "fuzz.h"
#include "protocol/bundle.h"

bool fuzz_accepts;

static void expand(const struct ls_bundle *bundle, const struct ls_line_limits *limits) {
  struct ls_command command = {0};
  struct ls_error err = {0};
  uint64_t most = bundle->units < 1000 ? bundle->units : 1000;
  for (uint64_t at = 0, taken = 0; at < most; at += taken) {
    enum ls_status status = ls_bundle_expand(bundle, (struct ls_range){at, most - at}, limits,
                                             &taken, &command, &err);
    if (status == LS_EINVAL) taken = 1;
    assert(status == LS_EINVAL || (taken >= 1 && taken <= most - at));
    assert(status == LS_EINVAL || command.argv[command.argv_count] == NULL);
  }
  ls_command_close(&command);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ls_bundle bundle = {.units = 0};
  struct ls_error err = {0};
  size_t offset = 0, before = 0;
  while (offset < size && ls_bundle_decode(&bundle, data, size, &offset, &err) == LS_OK) {
    assert(offset > before && bundle.units >= 1);
    before = offset;
    expand(&bundle, &(struct ls_line_limits){UINT64_MAX, UINT64_MAX, UINT64_MAX});
    expand(&bundle, &(struct ls_line_limits){200, 100, 40});
  }
  assert(offset == before && (offset == size || err.text[0] != '\0'));
  fuzz_accepts = offset == size;
  ls_bundle_close(&bundle);
  return 0;
}
