#include "base/range_words.h"

#include <inttypes.h>
#include <stdio.h>

const char *ls_range_words(struct ls_range units, char words[LS_RANGE_WORDS_BYTES]) {
  uint64_t first = units.first + 1, last = units.first + units.count;
  if (units.count == 1)
    (void)snprintf(words, LS_RANGE_WORDS_BYTES, "unit %" PRIu64, first);
  else
    (void)snprintf(words, LS_RANGE_WORDS_BYTES, "units %" PRIu64 " to %" PRIu64, first, last);
  return words;
}
