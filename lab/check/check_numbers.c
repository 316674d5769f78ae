#include "lab/check/check_numbers.h"

#include <float.h>
#include <math.h>

enum ls_status ls_check_numbers(const struct ls_json *place, size_t count, bool is_null_fine,
                                double *numbers, struct ls_error *err) {
  size_t length = 0;
  enum ls_status status = ls_json_array(place, &length, err);
  if (status != LS_OK) return status;
  if (length != count) {
    return ls_fail(err, LS_EINVAL, "%s: %s has %zu values, expected %zu: one per worker",
                   place->source, place->path, length, count);
  }
  for (size_t i = 0; i < count; i++) {
    struct ls_json item = ls_json_item(place, i);
    if (is_null_fine && (item.value == NULL || json_is_null(item.value))) {
      numbers[i] = (double)NAN;
      continue;
    }
    status = ls_json_real(&item, 0, DBL_MAX, &numbers[i], err);
    if (status != LS_OK) return status;
  }
  return LS_OK;
}
