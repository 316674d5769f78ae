/* Any bytes are a scene that is refused in words, with a line that it has, or whose includes stand
 * in it. */
#include <assert.h>
#include <string.h>

#include "../../apps/raytrace/scene_text.h"
#include "fuzz.h"

bool fuzz_accepts;

static void assert_includes(const struct ls_text *text, const struct ls_bytes *includes) {
  assert(includes->length <= text->length);
  for (size_t at = 0; at < includes->length; at += strlen(includes->data + at) + 1) {
    size_t length = strlen(includes->data + at);
    assert(length > 0 && memmem(text->data, text->length, includes->data + at, length) != NULL);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct ls_text text = {(const char *)data, size, "fuzz"};
  struct ls_bytes includes = {0};
  struct ls_error err = {0};
  fuzz_accepts = scene_scan(&text, &includes, &err) == LS_OK;
  if (fuzz_accepts) {
    assert_includes(&text, &includes);
  } else {
    assert(strncmp(err.text, "raytrace: fuzz:", strlen("raytrace: fuzz:")) == 0);
  }
  ls_bytes_close(&includes);
  return 0;
}
