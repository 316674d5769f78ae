/* filter.h: the response of every pixel of a patch.
 *
 * Two forms with the same bits: the bank, each kernel in turn, and for `sum` the composite, one
 * kernel that is the sum of all.  The bank is computed in vectors where the processor has them and
 * 32 bits suffice, else by plain loops.  Pure, and without state that a call would change.
 */
#ifndef MATCHED_FILTER_H
#define MATCHED_FILTER_H

#include <stdbool.h>

#include "kernels.h"
#include "patch.h"

enum form { FORM_AUTO, FORM_BANK, FORM_COMPOSITE };

struct filter_setup {
  enum response response;
  enum form form;
  int32_t pixel_max; /* no pixel is larger */
  bool is_plain;     /* plain loops only */
};

struct filter;

/* LS_EINVAL: a composite of what is not linear. */
LS_CHECKED enum ls_status filter_create(const struct filter_setup *setup, struct filter **out,
                                        struct ls_error *err);
void filter_destroy(struct filter *filter);
/* Writes width * height responses, row by row. */
void filter_run(const struct filter *filter, const struct patch *patch, int64_t *responses);
/* The lowest number of the kernels that answer most to the first pixel of a patch. */
size_t filter_find_best(const struct filter *filter, const struct patch *patch);

#endif
