/* Any frame is a row of messages up to some point, and refused in words there; each message
 * survives a round trip. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/message.h"

static void check_round_trip(const struct ls_message *message) {
  struct ls_decoder decoder = {0};
  struct ls_message again;
  struct ls_bytes first = {0}, second = {0};
  ls_message_encode(message, &first);
  enum ls_status status = ls_message_decode(&decoder, first.data, first.length, &again, NULL);
  assert(status == LS_OK);
  (void)status;
  ls_message_encode(&again, &second);
  /* The encoder writes each value in one way only, so equal bytes are equal messages. */
  assert(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
  ls_bytes_close(&first);
  ls_bytes_close(&second);
  ls_decoder_close(&decoder);
}

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ls_decoder decoder = {0};
  struct ls_message message;
  struct ls_error err = {0};
  const struct ls_blob frame = {data, size};
  size_t offset = 0, before = 0, count = 0;
  while (offset < size &&
         ls_message_decode_next(&decoder, &frame, &offset, &message, &err) == LS_OK) {
    assert(offset > before && offset <= size);
    before = offset;
    count++;
    check_round_trip(&message);
  }
  assert(offset == before && (offset == size || err.text[0] != '\0'));
  fuzz_accepts = offset == size;
  bool is_one = ls_message_decode(&decoder, data, size, &message, &err) == LS_OK;
  assert(is_one == (count == 1 && offset == size));
  (void)is_one;
  ls_decoder_close(&decoder);
  return 0;
}
