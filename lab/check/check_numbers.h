/* check_numbers.h: lists of numbers in the arguments of records. */
#ifndef LS_LAB_CHECK_NUMBERS_H
#define LS_LAB_CHECK_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/status.h"

/* Exactly `count` numbers >= 0 into `numbers`; null is NAN where `is_null_fine`. */
LS_CHECKED enum ls_status ls_check_numbers(const struct ls_json *place, size_t count,
                                           bool is_null_fine, double *numbers,
                                           struct ls_error *err);

#endif
