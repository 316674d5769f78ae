/* Any bytes are refused in words, or are a picture, with and without a threshold. */
#include <assert.h>
#include <string.h>

#include "../../apps/thinning/picture.h"
#include "fuzz.h"

bool fuzz_accepts;

/* What is filled up is white. */
static void assert_filled(const struct picture *picture) {
  size_t left = picture->width % 8;
  for (size_t y = 0; y < picture->height && left > 0; y++) {
    assert((picture->rows[(y + 1) * picture->row_bytes - 1] & 0xff >> left) == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct ls_text text = {(const char *)data, size, "fuzz"};
  static const double thresholds[] = {THRESHOLD_NONE, 0.3};
  fuzz_accepts = false;
  for (size_t i = 0; i < 2; i++) {
    struct picture picture;
    struct ls_error err = {0};
    if (picture_parse(&text, thresholds[i], &picture, &err) != LS_OK) {
      assert(err.text[0] != '\0');
      continue;
    }
    fuzz_accepts = true;
    assert(data[0] == 'P' && memchr(i == 0 ? "1245" : "25", data[1], 4 - 2 * i) != NULL);
    assert(picture.width >= 1 && picture.height >= 1);
    assert(picture.row_bytes == (picture.width + 7) / 8);
    assert(picture.row_bytes * picture.height <= size);
    assert_filled(&picture);
    picture_close(&picture);
  }
  return 0;
}
