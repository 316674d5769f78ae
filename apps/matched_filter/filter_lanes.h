/* filter_lanes.h: the bank in the vectors of one kind of processor.
 *
 * Each kind has a file of its own, of which the build takes one; filter_no_lanes.c is that of all
 * processors that have none.
 */
#ifndef MATCHED_FILTER_LANES_H
#define MATCHED_FILTER_LANES_H

#include "kernels.h"
#include "patch.h"

struct lanes;

/* Of the bank, not of the composite. `*out` is NULL where there are no vectors. */
LS_CHECKED enum ls_status lanes_create(const struct kernels *kernels, enum response response,
                                       struct lanes **out, struct ls_error *err);
void lanes_destroy(struct lanes *lanes);
/* As filter_run, for pixels up to PIXEL_NARROW_MAX. */
void lanes_run(const struct lanes *lanes, const struct patch *patch, int64_t *responses);

#endif
