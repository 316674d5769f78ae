/* Any beginning of a file is refused in words, or says where how many samples of which size are. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "../../apps/matched_filter/pgm.h"
#include "fuzz.h"

bool fuzz_accepts;

/* A header with the same numbers says the same. */
static void assert_same_again(const struct netpbm_header *pgm) {
  char text[64];
  struct netpbm_header again;
  int length = snprintf(text, sizeof text, "P5 %u %u %u\n", (unsigned)pgm->width,
                        (unsigned)pgm->height, (unsigned)pgm->maxval);
  const struct ls_text header = {text, (size_t)length, "again"};
  enum ls_status status = pgm_read_header(&header, &again, NULL);
  assert(status == LS_OK && again.header_bytes == (size_t)length);
  assert(again.width == pgm->width && again.height == pgm->height && again.maxval == pgm->maxval);
  (void)status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct ls_text text = {(const char *)data, size, "fuzz"};
  struct netpbm_header pgm;
  struct ls_error err = {0};
  fuzz_accepts = false;
  if (pgm_read_header(&text, &pgm, &err) != LS_OK) {
    assert(err.text[0] != '\0');
    return 0;
  }
  fuzz_accepts = true;
  assert(pgm.width >= 1 && pgm.height >= 1 && pgm.maxval >= 1 && pgm.maxval <= UINT16_MAX);
  assert((uint64_t)pgm.width * pgm.height <= INT32_MAX);
  assert(pgm.sample_bytes == (pgm.maxval < 256 ? 1 : 2));
  assert(pgm.header_bytes >= 9 && pgm.header_bytes <= size);
  assert(memcmp(data, "P5", 2) == 0);
  assert_same_again(&pgm);
  return 0;
}
