/* labels.h: what a worker has that others lack, such as "gpu", by name.
 *
 * The labels of a worker are one text, the names between commas, each once: "gpu,a100".  A name has
 * letters, digits and . _ - only, so that every list of options, hosts and files can hold it.
 */
#ifndef LS_BASE_LABELS_H
#define LS_BASE_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum {
  LS_LABEL_LETTERS_MAX = 64, /* of one */
  LS_LABELS_BYTES = 512      /* of all of a worker, with the zero byte behind them */
};

#define LS_LABEL_EXPECTED "1 to 64 letters, digits and . _ -"

bool ls_label_is_good(const char *label, size_t length);
/* LS_EINVAL names the field, its value and what was expected. */
LS_CHECKED enum ls_status ls_label_check(const char *field, const char *label,
                                         struct ls_error *err);
/* Appends a label to those of a worker, unless it is there. LS_EINVAL as above, or: they are too
 * many. */
LS_CHECKED enum ls_status ls_labels_add(char labels[LS_LABELS_BYTES], const char *field,
                                        const char *label, struct ls_error *err);
/* The labels between the separators of a text, which may be of a stranger; LS_EINVAL as above. */
LS_CHECKED enum ls_status ls_labels_read(char labels[LS_LABELS_BYTES], const char *field,
                                         const char *text, char separator, struct ls_error *err);
/* NULL: has none. */
bool ls_labels_have(const char *labels, const char *label);
/* The next label, from `*at` on, which begins as the labels; NULL: there is none. */
const char *ls_labels_next(const char **at, size_t *length);

#endif
