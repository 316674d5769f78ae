#include "planners/scow/scow_spmd.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

static double units_of(const double *units, size_t position) {
  return units == NULL ? 0 : units[position];
}

static bool is_used(const struct ls_scow_spmd *spmd, size_t position) {
  return (spmd->rounds > 0 && spmd->units[position] > 0) || units_of(spmd->last, position) > 0 ||
         units_of(spmd->auxiliary, position) > 0;
}

/* Whole numbers of the workers that are used, in the order of sending. */
static void write_units(const struct ls_scow_star *star, const struct ls_scow_spmd *spmd,
                        const double *units, struct ls_bytes *out) {
  const char *separator = "[";
  for (size_t i = 0; i < star->count; i++) {
    if (!is_used(spmd, i)) continue;
    ls_bytes_printf(out, "%s%.0f", separator, units_of(units, i));
    separator = ", ";
  }
  ls_bytes_append_char(out, ']');
}

void ls_scow_tell_spmd(const struct ls_scow_star *star, const struct ls_scow_spmd *spmd,
                       struct ls_plan *plan) {
  struct ls_bytes json = {0};
  const char *separator = "[";
  size_t workers = 0;
  for (size_t i = 0; i < star->count; i++) workers += is_used(spmd, i);
  if (workers == 0) return;
  ls_bytes_printf(&json, "{\"nWorkers\": %zu, \"workers\": ", workers);
  for (size_t i = 0; i < star->count; i++) {
    if (!is_used(spmd, i)) continue;
    ls_bytes_printf(&json, "%s%u", separator, (unsigned)star->items[i].number);
    separator = ", ";
  }
  ls_bytes_printf(&json,
                  "], \"nRounds\": %llu, \"nCoreTasks\": ", (unsigned long long)spmd->rounds);
  write_units(star, spmd, spmd->rounds > 0 ? spmd->units : NULL, &json);
  ls_bytes_append_text(&json, ", \"last\": ");
  write_units(star, spmd, spmd->last, &json);
  ls_bytes_append_text(&json, ", \"auxiliary\": ");
  write_units(star, spmd, spmd->auxiliary, &json);
  ls_bytes_append_char(&json, '}');
  ls_plan_set_json(plan, "spmd", &json);
}
