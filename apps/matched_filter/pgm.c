/* pgm.c: docs/decisions/0016-own-pgm-reader.md tells why there is no library. */
#include "pgm.h"

enum ls_status pgm_read_header(const struct ls_text *text, struct netpbm_header *pgm,
                               struct ls_error *err) {
  struct netpbm_reader reader = {.application = "matched-filter", .text = text};
  if (netpbm_form(text) != '5') {
    return ls_fail(err, LS_EINVAL, "matched-filter: %s: not a binary grey picture (PGM, P5)",
                   text->source);
  }
  return netpbm_read_header(&reader, pgm, err);
}
