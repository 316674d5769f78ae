/* Any frame is refused in words, or it is a message that survives a round trip. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ls_decoder decoder = {0}, second_decoder = {0};
  struct ls_message message, again;
  struct ls_error err = {0};
  if (ls_message_decode(&decoder, data, size, &message, &err) != LS_OK) {
    assert(err.text[0] != '\0');
  } else {
    struct ls_bytes first = {0}, second = {0};
    ls_message_encode(&message, &first);
    enum ls_status status =
        ls_message_decode(&second_decoder, first.data, first.length, &again, &err);
    assert(status == LS_OK);
    (void)status;
    ls_message_encode(&again, &second);
    /* The encoder writes each value in one way only, so equal bytes are equal messages. */
    assert(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
    ls_bytes_close(&first);
    ls_bytes_close(&second);
  }
  ls_decoder_close(&decoder);
  ls_decoder_close(&second_decoder);
  return 0;
}
