#include "cli/run/change.h"

#include <stdlib.h>
#include <string.h>

#include "cli/run/letter_case.h"

/* Bytes of the first `count` characters. */
static size_t measure(const char *text, size_t length, size_t count) {
  size_t at = 0;
  for (; count > 0 && at < length; count--) at += ls_letter_case_first(text + at, length - at);
  return at;
}

enum ls_status ls_change_apply(const struct ls_change *change, const char *value,
                               struct ls_bytes *out, struct ls_error *err) {
  size_t length = strlen(value);
  if (change->substitution != NULL)
    return ls_substitution_apply(change->substitution, (struct ls_subject){value, length}, out,
                                 err);
  if (change->cut != NULL) {
    change->cut(value, out);
  } else if (change->is_part) {
    size_t begin = measure(value, length, change->from);
    ls_bytes_append(out, value + begin, measure(value + begin, length - begin, change->count));
  } else {
    ls_bytes_append_text(out, length == 0 && change->if_empty != NULL ? change->if_empty : value);
  }
  return LS_OK;
}

void ls_change_close(struct ls_change *change) {
  ls_substitution_close(change->substitution);
  free(change->if_empty);
  *change = (struct ls_change){0};
}
