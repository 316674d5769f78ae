/* platform_grid_json.h: a grid of platforms as JSON (docs/model.md, "Grids of platforms").
 *
 * A value is a number, a list of numbers, or {"from": a, "to": b, "step": s}.  Every field is
 * checked, unknown ones are refused.
 */
#ifndef LS_FORMATS_PLATFORM_GRID_JSON_H
#define LS_FORMATS_PLATFORM_GRID_JSON_H

#include "base/status.h"
#include "base/text.h"
#include "model/platform_grid.h"

/* The caller closes the grid. LS_EINVAL names source, field, value and what was expected. */
LS_CHECKED enum ls_status ls_platform_grid_read(struct ls_platform_grid *grid, struct ls_text text,
                                                struct ls_error *err);

#endif
